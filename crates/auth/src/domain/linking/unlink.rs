use uuid::Uuid;

use crate::{
    domain::{
        audit_log::{self, Action},
        security_notifications,
    },
    mails::{Kind, NoticeDetails},
    store::{
        external_identities,
        identities::{self, Identity},
        users::{self, User},
    },
    tx::Tx,
    wire::error::{AuthError, IdentityError},
};

/// Removes an identity from an account, which is locked (CONTRACT.md I8). If the account's address
/// came from it, the address of another identity takes its place, verified ones first.
///
/// # Errors
/// 422 `single_identity_not_deletable`, `identity_not_found`, or
/// `email_conflict_identity_not_deletable` if every other address belongs to another account.
pub(crate) async fn unlink(tx: &mut Tx<'_>, user: &User, identity: Uuid) -> Result<(), AuthError> {
    let (gone, left): (Vec<_>, Vec<_>) =
        identities::of_user(&mut *tx.db, user.id).await?.into_iter().partition(|one| one.id == identity);
    if gone.len() + left.len() <= 1 {
        return Err(IdentityError::Last.into());
    }
    let gone = gone.first().ok_or(IdentityError::NotFound)?;
    let refused = |error| tx.service.save_error(error);
    external_identities::delete(tx.db, gone.id).await.map_err(refused)?;
    if gone.provider == "phone" {
        users::clear_phone(tx.db, user.id, tx.context.now).await.map_err(refused)?;
    } else {
        let email = user.email.as_deref().unwrap_or_default();
        if !left.iter().any(|one| one.email.as_deref().unwrap_or_default() == email) {
            promote(tx, user.id, &left).await?;
        }
    }
    users::set_providers_from_identities(tx.db, user.id, tx.context.now).await.map_err(refused)?;
    audit_log::add(tx, Action::IdentityUnlinked, user).await?;
    let details = NoticeDetails { provider: &gone.provider, ..NoticeDetails::default() };
    security_notifications::send(tx, user, Kind::IdentityUnlinked, details).await
}

/// Gives the account the address of a remaining identity: one that its provider vouches for, or any
/// if addresses need no confirmation. A signed-in account never gets an unproven address, because
/// its tokens name the address, and the owner of the address would come into a stranger's account.
async fn promote(tx: &mut Tx<'_>, user: Uuid, left: &[Identity]) -> Result<(), AuthError> {
    let counts =
        |one: &&Identity| one.identity_data["email_verified"] == true || !tx.service.settings.confirm_email;
    let refused = |error| tx.service.save_error(error);
    let address = |one: &Identity| one.email.clone().filter(|email| !email.is_empty());
    for email in left.iter().filter(counts).filter_map(address) {
        if !users::is_taken(&mut *tx.db, &email, user).await? {
            let given = users::give_email(tx.db, user, Some(&email), tx.context.now).await;
            return given.map_err(refused);
        }
    }
    if left.iter().any(|one| address(one).is_none()) {
        return users::give_email(tx.db, user, None, tx.context.now).await.map_err(refused);
    }
    Err(IdentityError::EmailConflict.into())
}
