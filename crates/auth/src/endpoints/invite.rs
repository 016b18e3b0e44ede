//! `POST /invite`: sends an invitation (CONTRACT.md H28, U17).

use std::sync::Arc;

use axum::extract::State;
use serde::Deserialize;
use serde_json::{Map, Value};
use sqlx::PgConnection;

use crate::{
    context::ServiceContext,
    domain::{
        account_origin::AccountOrigin,
        accounts::{self, NewAccount, UserBody},
        codes,
        limits::otp_quota::{self, RequestedBy},
        ownership_proof,
    },
    guards::bearer::Admin,
    mails::Kind,
    store::users::{self, User},
    wire::{
        email::Email,
        error::AuthError,
        request::{Json, RequestContext},
    },
};

/// Body of the request.
#[derive(Debug, Deserialize)]
pub(crate) struct Input {
    email: Option<String>,
    data: Option<Map<String, Value>>,
}

/// Creates an account, or takes over an unconfirmed one, and sends an invitation to its address.
///
/// # Errors
/// 422 `email_exists` when the address is confirmed already.
pub(crate) async fn post(
    State(service): State<Arc<ServiceContext>>,
    _: Admin,
    context: RequestContext,
    Json(input): Json<Input>,
) -> Result<axum::Json<UserBody>, AuthError> {
    let email = Email::parse(input.email.as_deref().unwrap_or_default())?;
    let mut transaction = service.begin(&context).await?;
    let user = loop {
        match invited(&service, &mut transaction, &context, &email, input.data.as_ref()).await {
            Ok(user) => break user,
            Err(error) => transaction = service.begin_again(&context, transaction, error).await?,
        }
    };
    let db = &mut *transaction;
    otp_quota::allow_own(&service, db, &context, None, &[(email.as_str(), RequestedBy::Admin)]).await?;
    codes::mail(&service, db, &context, &user, (Kind::Invite, email.as_str()), None).await?;
    let user = accounts::load(db, user.id).await?;
    let body = accounts::show(&mut *db, user).await?;
    service.commit(transaction).await?;
    Ok(axum::Json(body))
}

/// The invited account, with the time of its invitation.
pub(crate) async fn invited(
    service: &ServiceContext,
    db: &mut PgConnection,
    context: &RequestContext,
    email: &Email,
    data: Option<&Map<String, Value>>,
) -> Result<User, AuthError> {
    let user = match users::by_email_for_update(db, email.as_str()).await? {
        Some(user) if user.email_confirmed_at.is_some() => return Err(AuthError::EmailExists),
        Some(user) => {
            ownership_proof::take_over(service, db, context, &user).await?;
            accounts::load(db, user.id).await?
        }
        None => {
            let origin = Some(AccountOrigin::Admin);
            let new = NewAccount { email: Some(email), user_metadata: data, origin, ..NewAccount::new() };
            accounts::create(service, db, new, context).await?.ok_or(AuthError::EmailExists)?
        }
    };
    users::invited(db, user.id, context.now)
        .await
        .map_err(|error| AuthError::saving(error, service.exposes_sql_errors))?;
    Ok(user)
}
