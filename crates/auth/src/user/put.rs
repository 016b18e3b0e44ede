use std::sync::Arc;

use axum::extract::State;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use sqlx::PgConnection;

use crate::{
    accounts::{self, UserBody},
    bearer::Bearer,
    codes::{self, Dispatch, Slot},
    email::Email,
    error::AuthError,
    mails::Kind,
    pkce::{Challenge, ChallengeInput},
    rate_limit::Limit,
    request::{Context, Json},
    state::Inner,
    store::{
        audit::{self, Action},
        one_time_tokens,
        users::{self, User},
    },
};

/// Body of the request.
#[derive(Debug, Deserialize)]
pub(crate) struct Input {
    email: Option<String>,
    phone: Option<String>,
    password: Option<String>,
    data: Option<Map<String, Value>>,
    app_metadata: Option<Map<String, Value>>,
    #[serde(flatten)]
    challenge: ChallengeInput,
}

/// `PUT /user` (auth.md H21): `data` is merged into the metadata at once; a new address has to agree by a code first.
pub(crate) async fn put(
    State(inner): State<Arc<Inner>>,
    bearer: Bearer,
    context: Context,
    Json(input): Json<Input>,
) -> Result<axum::Json<UserBody>, AuthError> {
    inner.limits.take(Limit::UpdateUser, &context.client_key(), context.now)?;
    let challenge = input.challenge.check()?;
    refuse_what_is_not_offered(&input)?;
    let mut transaction = inner.pool.begin().await?;
    let db = &mut *transaction;
    let user = users::by_id_for_update(db, bearer.user.id).await?.ok_or(AuthError::BearerUserNotFound)?;
    if let Some(data) = &input.data {
        merge_data(&inner, db, &context, &user, data).await?;
    }
    if let Some(address) = input.email.as_deref().filter(|address| !address.is_empty()) {
        let address = Email::parse(address)?;
        if user.email.as_deref() != Some(address.as_str()) {
            request_change(&inner, db, &context, &user, &address, challenge.as_ref()).await?;
        }
    }
    audit::add(db, inner.new_id(), Action::UserModified, &user, &context).await?;
    let user = accounts::load(db, user.id).await?;
    let body = accounts::show(&mut *db, user).await?;
    inner.commit(transaction).await?;
    Ok(axum::Json(body))
}

fn refuse_what_is_not_offered(input: &Input) -> Result<(), AuthError> {
    let given = |field: &Option<String>| field.as_deref().is_some_and(|text| !text.is_empty());
    if input.app_metadata.is_some() {
        return Err(AuthError::AppMetadataByUser);
    }
    if given(&input.phone) {
        return Err(AuthError::PhoneDisabled);
    }
    if given(&input.password) {
        return Err(AuthError::PasswordUnavailable);
    }
    Ok(())
}

async fn merge_data(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: &User,
    data: &Map<String, Value>,
) -> Result<(), AuthError> {
    let own = user.raw_user_meta_data.clone().unwrap_or_else(|| json!({}));
    let app = user.raw_app_meta_data.clone().unwrap_or_else(|| json!({}));
    let own = accounts::merged(&own, Some(data))?;
    users::set_metadata(db, user.id, &app, &own, context.now)
        .await
        .map_err(|error| AuthError::saving(error, inner.explains))
}

/// Sends a code to the new address and, where both have to agree, one to the current address (auth.md U2-U5).
pub(crate) async fn request_change(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: &User,
    address: &Email,
    challenge: Option<&Challenge>,
) -> Result<(), AuthError> {
    if users::is_taken(&mut *db, address.as_str(), user.id).await? {
        return Err(AuthError::EmailExists);
    }
    codes::check_frequency(inner, user, Slot::EmailChangeNew, context.now)?;
    let current = user.email.as_deref().filter(|email| !email.is_empty());
    let both = inner.settings.double_confirm_changes;
    one_time_tokens::clear_slot(db, user.id, Slot::EmailChangeCurrent).await?;
    if let Some(current) = current.filter(|_| both) {
        let dispatch = change(Slot::EmailChangeCurrent, current, address, challenge);
        codes::send(inner, db, context, user, &dispatch).await?;
    }
    let dispatch = change(Slot::EmailChangeNew, address.as_str(), address, challenge);
    codes::send(inner, db, context, user, &dispatch).await?;
    users::email_change_sent(db, user.id, address.as_str(), context.now)
        .await
        .map_err(|error| AuthError::saving(error, inner.explains))
}

fn change<'a>(
    slot: Slot,
    to: &'a str,
    new_email: &'a Email,
    challenge: Option<&'a Challenge>,
) -> Dispatch<'a> {
    Dispatch { kind: Kind::EmailChange, slot, address: to, new_email: Some(new_email.as_str()), challenge }
}
