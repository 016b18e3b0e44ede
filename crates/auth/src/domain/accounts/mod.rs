//! Accounts: made, confirmed, shown.

/// Creates accounts.
mod create;

/// Asks the hook whether an account may be created.
mod creation_hook;

/// Accounts as answers show them.
mod bodies;

use serde_json::{Map, Value};
use sqlx::PgConnection;
use uuid::Uuid;

pub(crate) use self::{
    bodies::{FactorBody, UserBody, body, decoy, show},
    create::{ExternalIdentity, NewAccount, create},
    creation_hook::approve,
};
use crate::{
    store::{
        flow_states,
        identities::{self, AddressIdentity},
        one_time_tokens::{self, TokenType},
        sessions,
        users::{self, User},
    },
    tx::Tx,
    wire::error::AuthError,
};

/// Notes that the owner of the account reads its address.
///
/// # Errors
/// [`AuthError::Refused`] when a trigger or constraint of the project says no.
pub(crate) async fn confirm(tx: &mut Tx<'_>, id: Uuid) -> Result<(), AuthError> {
    let refused = |error| tx.service.save_error(error);
    users::confirm_email(tx.db, id, tx.context.now).await.map_err(refused)?;
    identities::verify_email(tx.db, id, tx.context.now).await.map_err(refused)
}

/// Notes that the owner of the account reads messages to its number.
///
/// # Errors
/// As [`confirm`].
pub(crate) async fn confirm_phone(tx: &mut Tx<'_>, id: Uuid) -> Result<(), AuthError> {
    let refused = |error| tx.service.save_error(error);
    users::confirm_phone(tx.db, id, tx.context.now).await.map_err(refused)?;
    identities::verify_phone(tx.db, id, tx.context.now).await.map_err(refused)
}

/// Gives the account another, confirmed address: the user, its e-mail identity, which is made if it
/// is missing, and the list of its providers (CONTRACT.md U6). An anonymous user is none from then
/// on (AN2).
///
/// # Errors
/// As [`confirm`].
pub(crate) async fn change_email(tx: &mut Tx<'_>, id: Uuid, email: &str) -> Result<(), AuthError> {
    let refused = |error| tx.service.save_error(error);
    users::change_email(tx.db, id, email, tx.context.now).await.map_err(refused)?;
    put_email_identity(tx, id, email, true).await.map_err(refused)?;
    users::set_providers_from_identities(tx.db, id, tx.context.now).await.map_err(refused)
}

/// As [`change_email`], for the number.
///
/// # Errors
/// As [`confirm`].
pub(crate) async fn change_phone(tx: &mut Tx<'_>, id: Uuid, phone: &str) -> Result<(), AuthError> {
    let refused = |error| tx.service.save_error(error);
    users::change_phone(tx.db, id, phone, tx.context.now).await.map_err(refused)?;
    put_phone_identity(tx, id, phone, true).await.map_err(refused)?;
    users::set_providers_from_identities(tx.db, id, tx.context.now).await.map_err(refused)
}

/// Gives an account the identity of its own address, or changes that identity.
pub(crate) async fn put_email_identity(
    tx: &mut Tx<'_>,
    user: Uuid,
    email: &str,
    verified: bool,
) -> Result<(), sqlx::Error> {
    let identity = AddressIdentity { id: tx.service.new_id(), user, address: email, verified };
    identities::put_email(tx.db, &identity, tx.context.now).await
}

/// As [`put_email_identity`], for the number.
pub(crate) async fn put_phone_identity(
    tx: &mut Tx<'_>,
    user: Uuid,
    phone: &str,
    verified: bool,
) -> Result<(), sqlx::Error> {
    let identity = AddressIdentity { id: tx.service.new_id(), user, address: phone, verified };
    identities::put_phone(tx.db, &identity, tx.context.now).await
}

/// Voids everything unfinished of an account: codes and links, changes of address and number, and
/// flows whose code could still be exchanged.
///
/// # Errors
/// As [`confirm`].
pub(crate) async fn void_pending(tx: &mut Tx<'_>, id: Uuid) -> Result<(), AuthError> {
    void_changes(tx, id).await?;
    one_time_tokens::clear(tx.db, id).await?;
    Ok(flow_states::end_of_user(tx.db, id).await?)
}

/// Voids pending changes of address and number. Whoever began them may be the one whom a sign-out
/// is meant for.
///
/// # Errors
/// As [`confirm`].
pub(crate) async fn void_changes(tx: &mut Tx<'_>, id: Uuid) -> Result<(), AuthError> {
    // The account comes first, as for whoever uses a code; and a change that is just being begun is
    // waited for.
    users::lock(tx.db, id).await?;
    users::void_changes(tx.db, id, tx.context.now).await.map_err(|error| tx.service.save_error(error))?;
    Ok(one_time_tokens::clear_types(tx.db, id, &TokenType::OF_CHANGES).await?)
}

/// Ends all sessions of an account except `kept`, unfinished sign-ins of other browsers, and
/// pending changes of address and number.
///
/// # Errors
/// As [`confirm`].
pub(crate) async fn sign_out(tx: &mut Tx<'_>, id: Uuid, kept: Option<Uuid>) -> Result<(), AuthError> {
    // Before the sessions: whoever changes an account locks it first, too.
    void_changes(tx, id).await?;
    sessions::delete_of_user(&mut *tx.db, id, kept).await?;
    Ok(flow_states::end_of_user(tx.db, id).await?)
}

/// The account as it is now.
pub(crate) async fn load(db: &mut PgConnection, id: Uuid) -> Result<User, AuthError> {
    users::by_id(db, id).await?.ok_or(AuthError::UserNotFound)
}

/// Most bytes of either metadata as JSON: both travel in every access token, which is refused
/// beyond 16 KiB.
const LARGEST_METADATA: usize = 5 * 1024;

/// `base` with the entries of `changes`; a null removes an entry (CONTRACT.md U1).
///
/// # Errors
/// [`AuthError::Validation`] when the result is too large for a token, or holds U+0000, which
/// PostgreSQL cannot keep.
pub(crate) fn merged(base: &Value, changes: Option<&Map<String, Value>>) -> Result<Value, AuthError> {
    let mut result = base.as_object().cloned().unwrap_or_default();
    for (key, value) in changes.into_iter().flatten() {
        if value.is_null() {
            result.remove(key);
        } else {
            result.insert(key.clone(), value.clone());
        }
    }
    let result = Value::Object(result);
    let text = result.to_string();
    if text.len() > LARGEST_METADATA {
        return Err(AuthError::validation(format!("Metadata may have {LARGEST_METADATA} bytes at most")));
    }
    if text.contains("\\u0000") {
        return Err(AuthError::validation("Metadata cannot hold the character U+0000"));
    }
    Ok(result)
}
