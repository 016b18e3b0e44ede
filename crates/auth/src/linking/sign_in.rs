use sqlx::PgConnection;
use uuid::Uuid;

use super::{
    Newcomer, Outcome, add_identity, one_at_a_time, send_confirmation, usable, wait_for_identity, withheld,
};
use crate::{
    accounts::{self, ExternalIdentity, NewAccount},
    audit::{self, Action},
    error::{AuthError, ProviderError},
    first_hand::{self, Asker, Hand},
    first_proof,
    mails::{Kind, News},
    notices,
    request::Context,
    state::Inner,
    store::{
        external_identities,
        users::{self, User},
    },
};

/// Account and identity of a newcomer.
struct Found {
    user: Uuid,
    identity: Uuid,
    /// The identity is new to an account that was there before.
    linked: bool,
}

/// Finds, links or makes the account of somebody at a provider. Requests of the same person, or for the same address,
/// are decided one after the other, so that they end up with one account.
///
/// - A known identity signs in and is brought up to date.
/// - An address that the provider vouches for, and that an account has, links to it. One that it does not vouch for
///   never does.
/// - Otherwise an account is made, where sign-ups are on.
///
/// # Errors
/// 422 `signup_disabled`, 403 `user_banned`, or what the project's triggers say; [`Outcome::Withheld`] is no error.
pub(crate) async fn sign_in(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    newcomer: &Newcomer<'_>,
) -> Result<Outcome, AuthError> {
    wait_for_identity(inner, db, newcomer.identity()).await?;
    if let Some(email) = newcomer.verified_email() {
        one_at_a_time(inner, db, &["address", email]).await?;
    }
    let found = match known(inner, db, context, newcomer).await? {
        Some(found) => found,
        None => match owner_of_address(db, newcomer).await? {
            Some(user) => linked(inner, db, context, user, newcomer).await?,
            None => made(inner, db, context, newcomer).await?,
        },
    };
    let user = usable(db, context, found.user).await?;
    if user.email_confirmed_at.is_some() || is_without_email(&user, newcomer) {
        audit::add(db, inner.new_id(), Action::Login, &user, context).await?;
        if found.linked {
            let news = News { provider: newcomer.provider, ..News::default() };
            notices::send(inner, db, context, &user, Kind::IdentityLinked, news).await?;
        }
        return Ok(Outcome::Granted(user.id));
    }
    confirm(inner, db, context, (&user, found.identity), newcomer).await
}

/// The account of an identity that is known already.
async fn known(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    newcomer: &Newcomer<'_>,
) -> Result<Option<Found>, AuthError> {
    let row = external_identities::find(&mut *db, newcomer.provider, &newcomer.profile.subject).await?;
    let Some((identity, user)) = row else { return Ok(None) };
    let account = usable(db, context, user).await?;
    let renewed = external_identities::renew(db, identity, &newcomer.data(), context.now).await;
    renewed.map_err(|error| AuthError::saving(error, inner.explains))?;
    describe(inner, db, context, &account, newcomer).await?;
    Ok(Some(Found { user, identity, linked: false }))
}

/// Brings metadata and providers of an account up to date with a newcomer. Metadata that would become too large for a
/// token stays as it is.
async fn describe(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: &User,
    newcomer: &Newcomer<'_>,
) -> Result<(), AuthError> {
    let refused = |error| AuthError::saving(error, inner.explains);
    let own = user.raw_user_meta_data.clone().unwrap_or_default();
    if let Ok(merged) = accounts::merged(&own, Some(&newcomer.profile.data)) {
        users::set_user_metadata(db, user.id, &merged, context.now).await.map_err(refused)?;
    }
    users::set_providers_from_identities(db, user.id, context.now).await.map_err(refused)
}

/// The account that a vouched-for address belongs to, single sign-on apart (CONTRACT.md G11, G13).
async fn owner_of_address(db: &mut PgConnection, newcomer: &Newcomer<'_>) -> Result<Option<Uuid>, AuthError> {
    let Some(email) = newcomer.verified_email() else { return Ok(None) };
    if let Some(user) = users::by_email_for_update(db, email).await? {
        return Ok(Some(user.id));
    }
    match external_identities::accounts_of_verified_email(&mut *db, email).await?.as_slice() {
        [] => Ok(None),
        [user] => Ok(Some(*user)),
        _ => Err(ProviderError::MultipleAccounts.into()),
    }
}

async fn linked(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: Uuid,
    newcomer: &Newcomer<'_>,
) -> Result<Found, AuthError> {
    let account = usable(db, context, user).await?;
    let identity = add_identity(inner, db, context, user, newcomer).await?;
    first_hand::disputed(db, user).await?;
    describe(inner, db, context, &account, newcomer).await?;
    audit::add(db, inner.new_id(), Action::IdentityLinked, &account, context).await?;
    Ok(Found { user, identity, linked: true })
}

/// A new account. An address that somebody has, and that the provider does not vouch for, stays with them: the account
/// comes without it (CONTRACT.md G12).
async fn made(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    newcomer: &Newcomer<'_>,
) -> Result<Found, AuthError> {
    if !inner.settings.enable_signup {
        return Err(AuthError::SignupDisabled);
    }
    let (data, profile) = (newcomer.data(), newcomer.profile);
    let account = |email| NewAccount {
        email,
        external: Some(ExternalIdentity {
            provider: newcomer.provider,
            provider_id: &profile.subject,
            identity_data: &data,
        }),
        user_metadata: Some(&profile.data),
        hand: Some(Hand::Provider),
        ..NewAccount::new()
    };
    let user = match accounts::create(inner, db, account(profile.email.as_ref()), context).await? {
        Some(user) => user,
        // Somebody has the address, or just took it: who is vouched for links to them.
        None => match owner_of_address(db, newcomer).await? {
            Some(owner) => return linked(inner, db, context, owner, newcomer).await,
            None => accounts::create(inner, db, account(None), context)
                .await?
                .ok_or(ProviderError::MultipleAccounts)?,
        },
    };
    let row = external_identities::find(&mut *db, newcomer.provider, &profile.subject).await?;
    let (identity, _) = row.ok_or(ProviderError::MultipleAccounts)?;
    Ok(Found { user: user.id, identity, linked: false })
}

/// Whether there is no address that could be confirmed, and none is needed (CONTRACT.md G16).
fn is_without_email(user: &User, newcomer: &Newcomer<'_>) -> bool {
    newcomer.email_optional && user.email.as_deref().unwrap_or_default().is_empty()
}

/// Confirms an account by the provider's word for its very address, or where addresses need no confirmation; else asks
/// its owner by mail and keeps the account back.
async fn confirm(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    (user, identity): (&User, Uuid),
    newcomer: &Newcomer<'_>,
) -> Result<Outcome, AuthError> {
    let vouched_for = newcomer.verified_email().is_some_and(|email| user.email.as_deref() == Some(email));
    if vouched_for {
        first_proof::by_provider(inner, db, context, user, (identity, &newcomer.data())).await?;
    } else if inner.settings.confirm_email {
        // Nothing is proven, so nothing is taken from the account.
        first_hand::asked_by(db, user, Asker::SameIdentity).await?;
        let sent = send_confirmation(inner, db, context, user).await?;
        return Ok(withheld(newcomer, sent));
    } else {
        accounts::confirm(inner, db, user.id, context.now).await?;
    }
    audit::add(db, inner.new_id(), Action::UserSignedUp, user, context).await?;
    Ok(Outcome::Granted(user.id))
}
