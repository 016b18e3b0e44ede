//! Accounts: made, confirmed, shown.

/// Creates accounts.
mod create;

/// Asks the hook whether an account may be created.
mod creation_hook;

/// Accounts as answers show them.
mod bodies;

use serde_json::{Map, Value};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

pub(crate) use self::{
    bodies::{FactorBody, UserBody, body, decoy, show},
    create::{ExternalIdentity, NewAccount, create},
    creation_hook::approve,
};
use crate::{
    context::ServiceContext,
    store::{
        flow_states, identities,
        one_time_tokens::{self, TokenType},
        sessions,
        users::{self, User},
    },
    wire::error::AuthError,
};

/// Notes that the owner of the account reads its address.
///
/// # Errors
/// [`AuthError::Refused`] when a trigger or constraint of the project says no.
pub(crate) async fn confirm(
    service: &ServiceContext,
    db: &mut PgConnection,
    id: Uuid,
    now: OffsetDateTime,
) -> Result<(), AuthError> {
    let refused = |error| AuthError::saving(error, service.exposes_sql_errors);
    users::confirm_email(db, id, now).await.map_err(refused)?;
    identities::verify_email(db, id, now).await.map_err(refused)
}

/// Notes that the owner of the account reads messages to its number.
///
/// # Errors
/// As [`confirm`].
pub(crate) async fn confirm_phone(
    service: &ServiceContext,
    db: &mut PgConnection,
    id: Uuid,
    now: OffsetDateTime,
) -> Result<(), AuthError> {
    let refused = |error| AuthError::saving(error, service.exposes_sql_errors);
    users::confirm_phone(db, id, now).await.map_err(refused)?;
    identities::verify_phone(db, id, now).await.map_err(refused)
}

/// Gives the account another, confirmed address: the user, its e-mail identity, which is made if it
/// is missing, and the list of its providers (CONTRACT.md U6). An anonymous user is none from then
/// on (AN2).
///
/// # Errors
/// As [`confirm`].
pub(crate) async fn change_email(
    service: &ServiceContext,
    db: &mut PgConnection,
    id: Uuid,
    email: &str,
    now: OffsetDateTime,
) -> Result<(), AuthError> {
    let refused = |error| AuthError::saving(error, service.exposes_sql_errors);
    users::change_email(db, id, email, now).await.map_err(refused)?;
    identities::put_email(db, service.new_id(), id, email, true, now).await.map_err(refused)?;
    users::set_providers_from_identities(db, id, now).await.map_err(refused)
}

/// As [`change_email`], for the number.
///
/// # Errors
/// As [`confirm`].
pub(crate) async fn change_phone(
    service: &ServiceContext,
    db: &mut PgConnection,
    id: Uuid,
    phone: &str,
    now: OffsetDateTime,
) -> Result<(), AuthError> {
    let refused = |error| AuthError::saving(error, service.exposes_sql_errors);
    users::change_phone(db, id, phone, now).await.map_err(refused)?;
    identities::put_phone(db, service.new_id(), id, phone, true, now).await.map_err(refused)?;
    users::set_providers_from_identities(db, id, now).await.map_err(refused)
}

/// Voids everything unfinished of an account: codes and links, changes of address and number, and
/// flows whose code could still be exchanged.
///
/// # Errors
/// As [`confirm`].
pub(crate) async fn void_pending(
    service: &ServiceContext,
    db: &mut PgConnection,
    id: Uuid,
    now: OffsetDateTime,
) -> Result<(), AuthError> {
    void_changes(service, db, id, now).await?;
    one_time_tokens::clear(db, id).await?;
    Ok(flow_states::end_of_user(db, id).await?)
}

/// Voids pending changes of address and number. Whoever began them may be the one whom a sign-out
/// is meant for.
///
/// # Errors
/// As [`confirm`].
pub(crate) async fn void_changes(
    service: &ServiceContext,
    db: &mut PgConnection,
    id: Uuid,
    now: OffsetDateTime,
) -> Result<(), AuthError> {
    // The account comes first, as for whoever uses a code; and a change that is just being begun is
    // waited for.
    users::lock(db, id).await?;
    users::void_changes(db, id, now)
        .await
        .map_err(|error| AuthError::saving(error, service.exposes_sql_errors))?;
    Ok(one_time_tokens::clear_types(db, id, &TokenType::OF_CHANGES).await?)
}

/// Ends all sessions of an account except `kept`, unfinished sign-ins of other browsers, and
/// pending changes of address and number.
///
/// # Errors
/// As [`confirm`].
pub(crate) async fn sign_out(
    service: &ServiceContext,
    db: &mut PgConnection,
    id: Uuid,
    kept: Option<Uuid>,
    now: OffsetDateTime,
) -> Result<(), AuthError> {
    // Before the sessions: whoever changes an account locks it first, too.
    void_changes(service, db, id, now).await?;
    sessions::delete_of_user(&mut *db, id, kept).await?;
    Ok(flow_states::end_of_user(db, id).await?)
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
