use sqlx::PgConnection;
use uuid::Uuid;

use super::{Newcomer, Outcome, add_identity, one_at_a_time, reload, send_confirmation, usable};
use crate::{
    accounts,
    error::{AuthError, IdentityError},
    mails::{Kind, News},
    notices,
    request::Context,
    state::Inner,
    store::{
        audit::{self, Action},
        external_identities,
        users::{self, User},
    },
};

/// Adds an identity to the account of whoever is signed in (auth.md I6, I7). An account without an address gets that of the
/// identity; an anonymous one is none from then on (auth.md AN2).
///
/// # Errors
/// 422 `identity_already_exists`, 422 `user_not_found` when the account is gone, 403 `user_banned`, 400 `email_exists`.
/// [`Outcome::Withheld`] with `email_not_confirmed` where a mail asks the owner of the address first.
pub(crate) async fn link(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    target: Uuid,
    newcomer: &Newcomer<'_>,
) -> Result<Outcome, AuthError> {
    one_at_a_time(inner, db, &["identity", newcomer.provider, &newcomer.profile.subject]).await?;
    let user = usable(db, context, target).await?;
    match external_identities::find(&mut *db, newcomer.provider, &newcomer.profile.subject).await? {
        Some((_, owner)) if owner == target => return Err(IdentityError::AlreadyLinked.into()),
        Some(_) => return Err(IdentityError::LinkedToAnother.into()),
        None => {}
    }
    add_identity(inner, db, context, target, newcomer).await?;
    let refused = |error| AuthError::saving(error, inner.explains);
    users::set_providers_from_identities(db, target, context.now).await.map_err(refused)?;
    audit::add(db, inner.new_id(), Action::IdentityLinked, &user, context).await?;
    let has_email = user.email.as_deref().is_some_and(|email| !email.is_empty());
    if !has_email && let Some(error) = adopt_email(inner, db, context, &user, newcomer).await? {
        return Ok(Outcome::Withheld(error));
    }
    let user = reload(db, target).await?;
    let news = News { provider: newcomer.provider, ..News::default() };
    notices::send(inner, db, context, &user, Kind::IdentityLinked, news).await?;
    Ok(Outcome::Granted(target))
}

/// Gives an account without an address the one of its new identity. Says why the owner has to confirm it first, if so.
async fn adopt_email(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: &User,
    newcomer: &Newcomer<'_>,
) -> Result<Option<AuthError>, AuthError> {
    let Some(email) = newcomer.profile.email.as_ref() else { return Ok(None) };
    if users::is_taken(&mut *db, email.as_str(), user.id).await? {
        return Err(IdentityError::EmailTaken.into());
    }
    let refused = |error| AuthError::saving(error, inner.explains);
    users::give_email(db, user.id, Some(email.as_str()), false, context.now).await.map_err(refused)?;
    if newcomer.verified_email().is_none() {
        let user = reload(db, user.id).await?;
        send_confirmation(inner, db, context, &user).await?;
        return Ok(Some(IdentityError::EmailNotConfirmed(newcomer.provider.to_owned()).into()));
    }
    accounts::confirm(inner, db, user.id, context.now).await?;
    users::set_named(db, user.id, context.now).await.map_err(refused)?;
    Ok(None)
}
