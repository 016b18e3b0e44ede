//! Accounts: made, confirmed, shown.

use serde::Serialize;
use serde_json::{Map, Value, json};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    email::Email,
    error::AuthError,
    state::Inner,
    store::{
        identities::{self, Identity},
        users::{self, NewUser, User},
    },
};

/// Makes an account with an e-mail identity, in the steps that triggers on `auth.users` expect (auth.md Z4): the row
/// with its metadata first, then its role. None when the address was taken meanwhile.
///
/// # Errors
/// [`AuthError::Refused`] when a trigger or constraint of the project says no.
pub(crate) async fn create(
    inner: &Inner,
    db: &mut PgConnection,
    new: NewAccount<'_>,
    now: OffsetDateTime,
) -> Result<Option<User>, AuthError> {
    let id = new.id.unwrap_or_else(|| inner.new_id());
    let app_metadata = merged(&json!({"provider": "email", "providers": ["email"]}), new.app_metadata)?;
    let own =
        json!({"sub": id, "email": new.email.as_str(), "email_verified": false, "phone_verified": false});
    let metadata = merged(&own, new.user_metadata)?;
    let row = NewUser {
        id,
        email: Some(new.email.as_str()),
        app_metadata: &app_metadata,
        user_metadata: &Value::Object(new.user_metadata.cloned().unwrap_or_default()),
    };
    let refused = |error| AuthError::saving(error, inner.explains);
    if !users::insert(db, &row, now).await.map_err(refused)? {
        return Ok(None);
    }
    identities::put_email(db, inner.new_id(), id, new.email.as_str(), false, now).await.map_err(refused)?;
    users::set_role_and_metadata(db, id, new.role, &metadata, now).await.map_err(refused)?;
    if new.confirmed {
        confirm(inner, db, id, now).await?;
    }
    load(db, id).await.map(Some)
}

/// What a new account is made of.
pub(crate) struct NewAccount<'a> {
    pub(crate) id: Option<Uuid>,
    pub(crate) email: &'a Email,
    pub(crate) role: &'a str,
    pub(crate) app_metadata: Option<&'a Map<String, Value>>,
    pub(crate) user_metadata: Option<&'a Map<String, Value>>,
    pub(crate) confirmed: bool,
}

/// Notes that the owner of the account reads its address.
///
/// # Errors
/// [`AuthError::Refused`] when a trigger or constraint of the project says no.
pub(crate) async fn confirm(
    inner: &Inner,
    db: &mut PgConnection,
    id: Uuid,
    now: OffsetDateTime,
) -> Result<(), AuthError> {
    let refused = |error| AuthError::saving(error, inner.explains);
    users::confirm_email(db, id, now).await.map_err(refused)?;
    identities::verify_email(db, id, now).await.map_err(refused)
}

/// The account as it is now.
pub(crate) async fn load(db: &mut PgConnection, id: Uuid) -> Result<User, AuthError> {
    users::by_id(db, id).await?.ok_or(AuthError::UserNotFound)
}

/// Most bytes of either metadata as JSON: both travel in every access token, which is refused beyond 16 KiB.
const LARGEST_METADATA: usize = 5 * 1024;

/// `base` with the entries of `changes`; a null removes an entry (auth.md U1).
///
/// # Errors
/// [`AuthError::Validation`] when the result is too large for a token, or holds U+0000, which PostgreSQL cannot keep.
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

/// The user object of answers (auth.md section 4).
#[derive(Debug, Serialize)]
pub(crate) struct UserBody {
    id: Uuid,
    aud: String,
    role: String,
    email: String,
    #[serde(skip_serializing_if = "Option::is_none", with = "time::serde::rfc3339::option")]
    email_confirmed_at: Option<OffsetDateTime>,
    phone: String,
    #[serde(skip_serializing_if = "Option::is_none", with = "time::serde::rfc3339::option")]
    phone_confirmed_at: Option<OffsetDateTime>,
    #[serde(skip_serializing_if = "Option::is_none", with = "time::serde::rfc3339::option")]
    confirmation_sent_at: Option<OffsetDateTime>,
    #[serde(skip_serializing_if = "Option::is_none", with = "time::serde::rfc3339::option")]
    confirmed_at: Option<OffsetDateTime>,
    #[serde(skip_serializing_if = "Option::is_none", with = "time::serde::rfc3339::option")]
    recovery_sent_at: Option<OffsetDateTime>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new_email: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", with = "time::serde::rfc3339::option")]
    email_change_sent_at: Option<OffsetDateTime>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new_phone: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", with = "time::serde::rfc3339::option")]
    phone_change_sent_at: Option<OffsetDateTime>,
    #[serde(skip_serializing_if = "Option::is_none", with = "time::serde::rfc3339::option")]
    reauthentication_sent_at: Option<OffsetDateTime>,
    #[serde(skip_serializing_if = "Option::is_none", with = "time::serde::rfc3339::option")]
    invited_at: Option<OffsetDateTime>,
    #[serde(skip_serializing_if = "Option::is_none", with = "time::serde::rfc3339::option")]
    last_sign_in_at: Option<OffsetDateTime>,
    app_metadata: Value,
    user_metadata: Value,
    identities: Option<Vec<IdentityBody>>,
    #[serde(with = "time::serde::rfc3339::option")]
    created_at: Option<OffsetDateTime>,
    #[serde(with = "time::serde::rfc3339::option")]
    updated_at: Option<OffsetDateTime>,
    #[serde(skip_serializing_if = "Option::is_none", with = "time::serde::rfc3339::option")]
    banned_until: Option<OffsetDateTime>,
    #[serde(skip_serializing_if = "Option::is_none", with = "time::serde::rfc3339::option")]
    deleted_at: Option<OffsetDateTime>,
    is_anonymous: bool,
}

/// The identity object of answers.
#[derive(Debug, Serialize)]
pub(crate) struct IdentityBody {
    identity_id: Uuid,
    id: String,
    user_id: Uuid,
    identity_data: Value,
    provider: String,
    #[serde(skip_serializing_if = "Option::is_none", with = "time::serde::rfc3339::option")]
    last_sign_in_at: Option<OffsetDateTime>,
    #[serde(with = "time::serde::rfc3339::option")]
    created_at: Option<OffsetDateTime>,
    #[serde(with = "time::serde::rfc3339::option")]
    updated_at: Option<OffsetDateTime>,
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<String>,
}

/// Shows an account with its identities.
pub(crate) async fn show(executor: impl sqlx::PgExecutor<'_>, user: User) -> Result<UserBody, AuthError> {
    let identities = identities::of_user(executor, user.id).await?;
    Ok(body(user, Some(identities)))
}

/// Shows an account; lists leave the identities out (auth.md O14).
pub(crate) fn body(user: User, identities: Option<Vec<Identity>>) -> UserBody {
    let given = |text: Option<String>| text.filter(|text| !text.is_empty());
    let object = |value: Option<Value>| value.filter(Value::is_object).unwrap_or_else(|| json!({}));
    UserBody {
        id: user.id,
        aud: user.aud.unwrap_or_default(),
        role: user.role.unwrap_or_default(),
        email: user.email.unwrap_or_default(),
        email_confirmed_at: user.email_confirmed_at,
        phone: user.phone.unwrap_or_default(),
        phone_confirmed_at: user.phone_confirmed_at,
        confirmation_sent_at: user.confirmation_sent_at,
        confirmed_at: user.confirmed_at,
        recovery_sent_at: user.recovery_sent_at,
        new_email: given(user.email_change),
        email_change_sent_at: user.email_change_sent_at,
        new_phone: given(user.phone_change),
        phone_change_sent_at: user.phone_change_sent_at,
        reauthentication_sent_at: user.reauthentication_sent_at,
        invited_at: user.invited_at,
        last_sign_in_at: user.last_sign_in_at,
        app_metadata: object(user.raw_app_meta_data),
        user_metadata: object(user.raw_user_meta_data),
        identities: identities.map(|all| all.into_iter().map(identity_body).collect()),
        created_at: user.created_at,
        updated_at: user.updated_at,
        banned_until: user.banned_until,
        deleted_at: user.deleted_at,
        is_anonymous: user.is_anonymous,
    }
}

fn identity_body(identity: Identity) -> IdentityBody {
    IdentityBody {
        identity_id: identity.id,
        id: identity.provider_id,
        user_id: identity.user_id,
        identity_data: identity.identity_data,
        provider: identity.provider,
        last_sign_in_at: identity.last_sign_in_at,
        created_at: identity.created_at,
        updated_at: identity.updated_at,
        email: identity.email,
    }
}
