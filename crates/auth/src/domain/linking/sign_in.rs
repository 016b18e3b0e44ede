use sqlx::PgConnection;
use uuid::Uuid;

use super::{
    ExternalUser, Outcome, add_identity, lock_by_key, lock_identity, send_confirmation, usable, withheld,
};
use crate::{
    domain::{
        account_origin::{self, AccountOrigin, CodeRequester},
        accounts::{self, ExternalIdentity, NewAccount},
        audit_log::{self, Action},
        ownership_proof, security_notifications,
    },
    mails::{Kind, NoticeDetails},
    store::{
        external_identities,
        users::{self, User},
    },
    tx::Tx,
    wire::error::{AuthError, ProviderError},
};

/// Account and identity of somebody who signed in.
struct SignedIn {
    user: Uuid,
    identity: Uuid,
    /// The identity is new to an existing account.
    is_newly_linked: bool,
}

/// Finds, links or creates the account of a user at a provider. Requests for the same identity or
/// address run one after the other, so that they end up with one account.
///
/// - A known identity signs in and is updated.
/// - If an account has the address, and the provider vouches for it, the identity links to it. Else
///   it never does.
/// - Otherwise an account is created, if sign-ups are on.
///
/// # Errors
/// 422 `signup_disabled`, 403 `user_banned`, or what the project's triggers say;
/// [`Outcome::Withheld`] is no error.
pub(crate) async fn sign_in(tx: &mut Tx<'_>, external_user: &ExternalUser<'_>) -> Result<Outcome, AuthError> {
    lock_identity(tx, external_user.identity()).await?;
    if let Some(email) = external_user.verified_email() {
        lock_by_key(tx, &["address", email]).await?;
    }
    let signed_in = match known_identity(tx, external_user).await? {
        Some(signed_in) => signed_in,
        None => match owner_of_address(tx.db, external_user).await? {
            Some(user) => link_account(tx, user, external_user).await?,
            None => create_account(tx, external_user).await?,
        },
    };
    let user = usable(tx, signed_in.user).await?;
    if user.email_confirmed_at.is_some() || is_without_email(&user, external_user) {
        audit_log::add(tx, Action::Login, &user).await?;
        if signed_in.is_newly_linked {
            let details = NoticeDetails { provider: external_user.provider, ..NoticeDetails::default() };
            security_notifications::send(tx, &user, Kind::IdentityLinked, details).await?;
        }
        return Ok(Outcome::Granted(user.id));
    }
    confirm(tx, &user, signed_in.identity, external_user).await
}

/// The account of a known identity.
async fn known_identity(
    tx: &mut Tx<'_>,
    external_user: &ExternalUser<'_>,
) -> Result<Option<SignedIn>, AuthError> {
    let row = external_identities::find(&mut *tx.db, external_user.provider, &external_user.profile.subject)
        .await?;
    let Some((identity, user)) = row else { return Ok(None) };
    let account = usable(tx, user).await?;
    let renewed = external_identities::renew(tx.db, identity, &external_user.data(), tx.context.now).await;
    renewed.map_err(|error| tx.service.save_error(error))?;
    describe(tx, &account, external_user).await?;
    Ok(Some(SignedIn { user, identity, is_newly_linked: false }))
}

/// Updates metadata and providers of an account from the profile at the provider. Metadata that
/// would become too large for a token stays as it is.
async fn describe(tx: &mut Tx<'_>, user: &User, external_user: &ExternalUser<'_>) -> Result<(), AuthError> {
    let refused = |error| tx.service.save_error(error);
    let own = user.raw_user_meta_data.clone().unwrap_or_default();
    if let Ok(merged) = accounts::merged(&own, Some(&external_user.profile.data)) {
        users::set_user_metadata(tx.db, user.id, &merged, tx.context.now).await.map_err(refused)?;
    }
    users::set_providers_from_identities(tx.db, user.id, tx.context.now).await.map_err(refused)
}

/// The account with an address that the provider vouches for, except accounts of single sign-on
/// (CONTRACT.md G11, G13).
async fn owner_of_address(
    db: &mut PgConnection,
    external_user: &ExternalUser<'_>,
) -> Result<Option<Uuid>, AuthError> {
    let Some(email) = external_user.verified_email() else { return Ok(None) };
    if let Some(user) = users::by_email_for_update(db, email).await? {
        return Ok(Some(user.id));
    }
    match external_identities::accounts_of_verified_email(&mut *db, email).await?.as_slice() {
        [] => Ok(None),
        [user] => Ok(Some(*user)),
        _ => Err(ProviderError::MultipleAccounts.into()),
    }
}

async fn link_account(
    tx: &mut Tx<'_>,
    user: Uuid,
    external_user: &ExternalUser<'_>,
) -> Result<SignedIn, AuthError> {
    let account = usable(tx, user).await?;
    let identity = add_identity(tx, user, external_user).await?;
    account_origin::forget(tx.db, user).await?;
    describe(tx, &account, external_user).await?;
    audit_log::add(tx, Action::IdentityLinked, &account).await?;
    Ok(SignedIn { user, identity, is_newly_linked: true })
}

/// Creates an account. If somebody has the address and the provider does not vouch for it, the
/// account has no address (CONTRACT.md G12).
async fn create_account(tx: &mut Tx<'_>, external_user: &ExternalUser<'_>) -> Result<SignedIn, AuthError> {
    if !tx.service.settings.enable_signup {
        return Err(AuthError::SignupDisabled);
    }
    let (data, profile) = (external_user.data(), external_user.profile);
    let account = |email| NewAccount {
        email,
        external: Some(ExternalIdentity {
            provider: external_user.provider,
            provider_id: &profile.subject,
            identity_data: &data,
        }),
        user_metadata: Some(&profile.data),
        origin: Some(AccountOrigin::Provider),
        ..NewAccount::new()
    };
    let user = match accounts::create(tx, account(profile.email.as_ref())).await? {
        Some(user) => user,
        // Somebody has the address, or just took it. A user whom the provider vouches for links to
        // that account.
        None => match owner_of_address(tx.db, external_user).await? {
            Some(owner) => return link_account(tx, owner, external_user).await,
            None => accounts::create(tx, account(None)).await?.ok_or(ProviderError::MultipleAccounts)?,
        },
    };
    let row = external_identities::find(&mut *tx.db, external_user.provider, &profile.subject).await?;
    let (identity, _) = row.ok_or(ProviderError::MultipleAccounts)?;
    Ok(SignedIn { user: user.id, identity, is_newly_linked: false })
}

/// Whether the account has no address and needs none (CONTRACT.md G16).
fn is_without_email(user: &User, external_user: &ExternalUser<'_>) -> bool {
    external_user.email_optional && user.email.as_deref().unwrap_or_default().is_empty()
}

/// Confirms the account, if the provider vouches for its address or addresses need no confirmation.
/// Else it sends a mail to the address and withholds the account.
async fn confirm(
    tx: &mut Tx<'_>,
    user: &User,
    identity: Uuid,
    external_user: &ExternalUser<'_>,
) -> Result<Outcome, AuthError> {
    let vouched_for =
        external_user.verified_email().is_some_and(|email| user.email.as_deref() == Some(email));
    if vouched_for {
        ownership_proof::by_provider(tx, user, identity, &external_user.data()).await?;
    } else if tx.service.settings.confirm_email {
        // Nothing is proven, so nothing is removed from the account.
        account_origin::code_requested(tx.db, user, CodeRequester::SameIdentity).await?;
        let sent = send_confirmation(tx, user).await?;
        return Ok(withheld(external_user, sent));
    } else {
        accounts::confirm(tx, user.id).await?;
    }
    audit_log::add(tx, Action::UserSignedUp, user).await?;
    Ok(Outcome::Granted(user.id))
}
