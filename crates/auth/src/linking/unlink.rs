use sqlx::PgConnection;
use uuid::Uuid;

use crate::{
    error::{AuthError, IdentityError},
    mails::{Kind, News},
    notices,
    request::Context,
    state::Inner,
    store::{
        audit::{self, Action},
        external_identities,
        identities::{self, Identity},
        users,
    },
};

/// Takes an identity from an account (auth.md I8). Where the account's address came from it, another identity's takes its
/// place, those that are verified first.
///
/// # Errors
/// 422 `single_identity_not_deletable`, `identity_not_found`, or `email_conflict_identity_not_deletable` when every address
/// that could take the place belongs to somebody else.
pub(crate) async fn unlink(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    (user, identity): (Uuid, Uuid),
) -> Result<(), AuthError> {
    let user = users::by_id_for_update(db, user).await?.ok_or(AuthError::BearerUserNotFound)?;
    let (gone, left): (Vec<_>, Vec<_>) =
        identities::of_user(&mut *db, user.id).await?.into_iter().partition(|one| one.id == identity);
    if gone.len() + left.len() <= 1 {
        return Err(IdentityError::Last.into());
    }
    let gone = gone.first().ok_or(IdentityError::NotFound)?;
    let refused = |error| AuthError::saving(error, inner.explains);
    external_identities::delete(db, gone.id).await.map_err(refused)?;
    if gone.provider == "phone" {
        users::clear_phone(db, user.id, context.now).await.map_err(refused)?;
    } else {
        let email = user.email.as_deref().unwrap_or_default();
        if !left.iter().any(|one| one.email.as_deref().unwrap_or_default() == email) {
            promote(inner, db, context, user.id, &left).await?;
        }
    }
    users::set_providers_from_identities(db, user.id, context.now).await.map_err(refused)?;
    audit::add(db, inner.new_id(), Action::IdentityUnlinked, &user, context).await?;
    let news = News { provider: &gone.provider, ..News::default() };
    notices::send(inner, db, context, &user, Kind::IdentityUnlinked, news).await
}

/// Makes the address of one of the identities left that of the account.
async fn promote(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: Uuid,
    left: &[Identity],
) -> Result<(), AuthError> {
    let verified = |one: &Identity| one.identity_data["email_verified"] == true;
    let address = |one: &Identity| one.email.clone().filter(|email| !email.is_empty());
    let mut candidates: Vec<&Identity> = left.iter().collect();
    candidates.sort_by_key(|one| match address(one) {
        None => 2,
        Some(_) if !verified(one) => 1,
        Some(_) => 0,
    });
    for one in candidates {
        let email = address(one);
        if let Some(email) = &email
            && users::is_taken(&mut *db, email, user).await?
        {
            continue;
        }
        let confirmed = email.is_some() && (verified(one) || !inner.settings.confirm_email);
        return users::give_email(db, user, email.as_deref(), confirmed, context.now)
            .await
            .map_err(|error| AuthError::saving(error, inner.explains));
    }
    Err(IdentityError::EmailConflict.into())
}
