//! Which account an identity at a provider belongs to (CONTRACT.md G11 to G14, G17, I6 to I8).

/// Sign-in: finds, links or creates the account.
mod sign_in;

/// Adds an identity to the account of the caller.
mod manual;

/// Accepts an invitation by a provider.
mod invite;

/// Removes an identity from an account.
mod unlink;

use serde_json::Value;
use uuid::Uuid;

pub(crate) use self::{
    invite::{accept, pending as invited},
    manual::{StoredIdentity, kept_profile, link, link_kept, prepare, wait_for_kept},
    sign_in::sign_in,
    unlink::unlink,
};
use crate::{
    domain::{
        codes,
        limits::otp_quota::{self, RequestedBy},
    },
    mails::Kind,
    providers::Profile,
    store::{
        external_identities,
        identities::{self, NewIdentity},
        one_time_tokens::TokenType,
        users::{self, User},
    },
    tx::Tx,
    wire::error::{AuthError, IdentityError, ProviderError},
};

/// A user at a provider who signs in or links.
pub(crate) struct ExternalUser<'a> {
    /// Such as `google`.
    pub(crate) provider: &'a str,
    /// Whether the account may have no address (CONTRACT.md G16).
    pub(crate) email_optional: bool,
    pub(crate) profile: &'a Profile,
}

impl ExternalUser<'_> {
    fn data(&self) -> Value {
        Value::Object(self.profile.data.clone())
    }

    /// Provider and subject. They identify the identity.
    pub(crate) fn identity(&self) -> (&str, &str) {
        (self.provider, &self.profile.subject)
    }

    /// The address, if the provider vouches for it.
    fn verified_email(&self) -> Option<&str> {
        self.profile.email.as_ref().filter(|_| self.profile.email_verified).map(|email| email.as_str())
    }
}

/// The outcome of a sign-in or link. The caller commits in any case.
pub(crate) enum Outcome {
    /// The user gets the account.
    Granted(Uuid),
    /// The user must confirm the address first.
    Withheld(AuthError),
}

impl Outcome {
    /// The account, or why it is withheld.
    pub(crate) fn granted(self) -> Result<Uuid, AuthError> {
        match self {
            Self::Granted(user) => Ok(user),
            Self::Withheld(error) => Err(error),
        }
    }
}

/// Locks a key, so that requests about the same thing run one after the other.
async fn lock_by_key(tx: &mut Tx<'_>, about: &[&str]) -> Result<(), AuthError> {
    let parts: Vec<&[u8]> = about.iter().map(|part| part.as_bytes()).collect();
    let hash = tx.service.keyed_hash("auth linking lock", &parts);
    let key = i64::from_be_bytes(hash[..8].try_into().expect("the hash has 32 bytes"));
    Ok(external_identities::lock(tx.db, key).await?)
}

/// Locks an identity. Call it before the account is locked, as everywhere.
pub(crate) async fn lock_identity(
    tx: &mut Tx<'_>,
    (provider, subject): (&str, &str),
) -> Result<(), AuthError> {
    lock_by_key(tx, &["identity", provider, subject]).await
}

/// Adds an identity to an account.
async fn add_identity(
    tx: &mut Tx<'_>,
    user: Uuid,
    external_user: &ExternalUser<'_>,
) -> Result<Uuid, AuthError> {
    let identity = NewIdentity {
        id: tx.service.new_id(),
        user_id: user,
        provider: external_user.provider,
        provider_id: &external_user.profile.subject,
        identity_data: &external_user.data(),
    };
    identities::insert(tx.db, &identity, tx.context.now)
        .await
        .map_err(|error| tx.service.save_error(error))?;
    Ok(identity.id)
}

/// Sends the mail that confirms the address of the account. False if it has no address.
async fn send_confirmation(tx: &mut Tx<'_>, user: &User) -> Result<bool, AuthError> {
    let Some(address) = user.email.as_deref().filter(|email| !email.is_empty()) else { return Ok(false) };
    otp_quota::allow_own(tx, TokenType::Confirmation.sent_at(user), &[(address, RequestedBy::Anybody)])
        .await?;
    codes::mail(tx, user, (Kind::Confirmation, address), None).await?;
    Ok(true)
}

/// The account, which must exist and not be banned.
async fn usable(tx: &mut Tx<'_>, user: Uuid) -> Result<User, AuthError> {
    let user = users::by_id_for_update(tx.db, user).await?.ok_or(IdentityError::TargetGone)?;
    if user.is_banned(tx.context.now) { Err(AuthError::BearerBanned) } else { Ok(user) }
}

/// The outcome for an account whose address the provider does not vouch for.
fn withheld(external_user: &ExternalUser<'_>, sent: bool) -> Outcome {
    Outcome::Withheld(ProviderError::needs_verification(external_user.provider, sent).into())
}
