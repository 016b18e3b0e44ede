use serde_json::Value;
use sqlx::PgConnection;
use uuid::Uuid;

use super::{ExternalUser, Outcome, add_identity, lock_identity, usable};
use crate::{
    domain::{
        accounts, address_changes,
        audit_log::{self, Action},
        security_notifications,
    },
    mails::{Kind, NoticeDetails},
    providers::Profile,
    store::{
        external_identities, pending_links,
        users::{self, User},
    },
    tx::Tx,
    wire::error::{AuthError, IdentityError, ProviderError},
};

/// Adds an identity to the account of the caller (CONTRACT.md I6, I7). An account without an
/// address gets that of the identity. An anonymous account is anonymous no longer (CONTRACT.md
/// AN2).
///
/// # Errors
/// 422 `identity_already_exists`, 422 `user_not_found` if the account is gone, 403 `user_banned`,
/// 400 `email_exists`. [`Outcome::Withheld`] with `email_not_confirmed` if a mail asks the owner of
/// the address first.
pub(crate) async fn link(
    tx: &mut Tx<'_>,
    target: Uuid,
    external_user: &ExternalUser<'_>,
) -> Result<Outcome, AuthError> {
    lock_identity(tx, external_user.identity()).await?;
    let user = check(tx, target, external_user).await?;
    add_identity(tx, target, external_user).await?;
    let refused = |error| tx.service.save_error(error);
    users::set_providers_from_identities(tx.db, target, tx.context.now).await.map_err(refused)?;
    audit_log::add(tx, Action::IdentityLinked, &user).await?;
    if !has_email(&user)
        && let Some(error) = adopt_email(tx, &user, external_user).await?
    {
        return Ok(Outcome::Withheld(error));
    }
    let user = accounts::load(tx.db, target).await?;
    let details = NoticeDetails { provider: external_user.provider, ..NoticeDetails::default() };
    security_notifications::send(tx, &user, Kind::IdentityLinked, details).await?;
    Ok(Outcome::Granted(target))
}

/// Stores an identity until its flow continues, and links nothing yet, because the browser that
/// came back from the provider need not be the one that began. The verifier shows that (CONTRACT.md
/// I7, K4), or the user confirms it (`endpoints/callback/confirm_link.rs`).
///
/// # Errors
/// As [`link`], as far as it is known by now; `bad_oauth_state` if an identity is stored already.
pub(crate) async fn prepare(
    tx: &mut Tx<'_>,
    flow: Uuid,
    target: Uuid,
    external_user: &ExternalUser<'_>,
) -> Result<Outcome, AuthError> {
    check(tx, target, external_user).await?;
    if !pending_links::put(tx.db, flow, &external_user.data()).await? {
        return Err(ProviderError::StateUsed.into());
    }
    Ok(Outcome::Granted(target))
}

/// A flow with a stored identity.
pub(crate) struct StoredIdentity<'a> {
    pub(crate) flow: Uuid,
    pub(crate) provider: &'a str,
    pub(crate) email_optional: bool,
    /// The account that gets the identity.
    pub(crate) target: Uuid,
}

/// Links the stored identity of a flow.
///
/// # Errors
/// As [`link`]; 404 `flow_state_not_found` if none is stored.
pub(crate) async fn link_kept(tx: &mut Tx<'_>, kept: &StoredIdentity<'_>) -> Result<Outcome, AuthError> {
    let profile = kept_profile(tx.db, kept.flow).await?.ok_or(AuthError::FlowNotFound)?;
    let external_user =
        ExternalUser { provider: kept.provider, email_optional: kept.email_optional, profile: &profile };
    link(tx, kept.target, &external_user).await
}

/// As [`lock_identity`], for the stored identity of a flow.
pub(crate) async fn wait_for_kept(tx: &mut Tx<'_>, kept: &StoredIdentity<'_>) -> Result<(), AuthError> {
    match kept_profile(tx.db, kept.flow).await? {
        Some(profile) => lock_identity(tx, (kept.provider, &profile.subject)).await,
        None => Ok(()),
    }
}

/// The stored profile of a flow.
pub(crate) async fn kept_profile(db: &mut PgConnection, flow: Uuid) -> Result<Option<Profile>, AuthError> {
    let data = pending_links::of_flow(db, flow).await?;
    Ok(data.and_then(|data| match data {
        Value::Object(data) => Profile::of_data(data),
        _ => None,
    }))
}

/// Checks that the account may get the identity. Returns the account.
async fn check(tx: &mut Tx<'_>, target: Uuid, external_user: &ExternalUser<'_>) -> Result<User, AuthError> {
    let user = usable(tx, target).await?;
    match external_identities::find(&mut *tx.db, external_user.provider, &external_user.profile.subject)
        .await?
    {
        Some((_, owner)) if owner == target => return Err(IdentityError::AlreadyLinked.into()),
        Some(_) => return Err(IdentityError::LinkedToAnother.into()),
        None => {}
    }
    if let Some(email) = external_user.profile.email.as_ref().filter(|_| !has_email(&user))
        && users::is_taken(&mut *tx.db, email.as_str(), target).await?
    {
        return Err(IdentityError::EmailTaken.into());
    }
    Ok(user)
}

fn has_email(user: &User) -> bool {
    user.email.as_deref().is_some_and(|email| !email.is_empty())
}

/// Gives an account without an address that of its new identity. If the provider does not vouch for
/// it, its owner is asked first, as for any change of address. Nobody has it until then, because
/// this account is signed in already.
async fn adopt_email(
    tx: &mut Tx<'_>,
    user: &User,
    external_user: &ExternalUser<'_>,
) -> Result<Option<AuthError>, AuthError> {
    let Some(email) = external_user.profile.email.as_ref() else { return Ok(None) };
    if external_user.verified_email().is_none() {
        address_changes::request_change(tx, user, email, None).await?;
        return Ok(Some(IdentityError::EmailNotConfirmed(external_user.provider.to_owned()).into()));
    }
    let refused = |error| tx.service.save_error(error);
    users::give_email(tx.db, user.id, Some(email.as_str()), tx.context.now).await.map_err(refused)?;
    accounts::confirm(tx, user.id).await?;
    users::set_named(tx.db, user.id, tx.context.now).await.map_err(refused)?;
    Ok(None)
}
