use sqlx::PgConnection;
use uuid::Uuid;

use crate::{
    context::ServiceContext,
    domain::{
        audit_log::{self, Action},
        notices,
    },
    mails::{Kind, NoticeDetails},
    store::{
        external_identities,
        identities::{self, Identity},
        users::{self, User},
    },
    wire::{
        error::{AuthError, IdentityError},
        request::RequestContext,
    },
};

/// Removes an identity from an account, which is locked (CONTRACT.md I8). If the account's address
/// came from it, the address of another identity takes its place, verified ones first.
///
/// # Errors
/// 422 `single_identity_not_deletable`, `identity_not_found`, or
/// `email_conflict_identity_not_deletable` if every other address belongs to another account.
pub(crate) async fn unlink(
    service: &ServiceContext,
    db: &mut PgConnection,
    context: &RequestContext,
    (user, identity): (&User, Uuid),
) -> Result<(), AuthError> {
    let (gone, left): (Vec<_>, Vec<_>) =
        identities::of_user(&mut *db, user.id).await?.into_iter().partition(|one| one.id == identity);
    if gone.len() + left.len() <= 1 {
        return Err(IdentityError::Last.into());
    }
    let gone = gone.first().ok_or(IdentityError::NotFound)?;
    let refused = |error| AuthError::saving(error, service.exposes_sql_errors);
    external_identities::delete(db, gone.id).await.map_err(refused)?;
    if gone.provider == "phone" {
        users::clear_phone(db, user.id, context.now).await.map_err(refused)?;
    } else {
        let email = user.email.as_deref().unwrap_or_default();
        if !left.iter().any(|one| one.email.as_deref().unwrap_or_default() == email) {
            promote(service, db, context, user.id, &left).await?;
        }
    }
    users::set_providers_from_identities(db, user.id, context.now).await.map_err(refused)?;
    audit_log::add(db, service.new_id(), Action::IdentityUnlinked, user, context).await?;
    let details = NoticeDetails { provider: &gone.provider, ..NoticeDetails::default() };
    notices::send(service, db, context, user, Kind::IdentityUnlinked, details).await
}

/// Gives the account the address of a remaining identity: one that its provider vouches for, or any
/// if addresses need no confirmation. A signed-in account never gets an unproven address, because
/// its tokens name the address, and the owner of the address would come into a stranger's account.
async fn promote(
    service: &ServiceContext,
    db: &mut PgConnection,
    context: &RequestContext,
    user: Uuid,
    left: &[Identity],
) -> Result<(), AuthError> {
    let counts =
        |one: &&Identity| one.identity_data["email_verified"] == true || !service.settings.confirm_email;
    let refused = |error| AuthError::saving(error, service.exposes_sql_errors);
    let address = |one: &Identity| one.email.clone().filter(|email| !email.is_empty());
    for email in left.iter().filter(counts).filter_map(address) {
        if !users::is_taken(&mut *db, &email, user).await? {
            let given = users::give_email(db, user, Some(&email), true, context.now).await;
            return given.map_err(refused);
        }
    }
    if left.iter().any(|one| address(one).is_none()) {
        return users::give_email(db, user, None, false, context.now).await.map_err(refused);
    }
    Err(IdentityError::EmailConflict.into())
}
