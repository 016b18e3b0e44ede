//! `POST /invite`: asks somebody to join (CONTRACT.md H28, U17).

use std::sync::Arc;

use axum::extract::State;
use serde::Deserialize;
use serde_json::{Map, Value};
use sqlx::PgConnection;

use crate::{
    accounts::{self, NewAccount, UserBody},
    bearer::Admin,
    codes::{self, Standing},
    email::Email,
    error::AuthError,
    first_hand::Hand,
    first_proof,
    mails::Kind,
    request::{Context, Json},
    state::Inner,
    store::users::{self, User},
};

/// Body of the request.
#[derive(Debug, Deserialize)]
pub(crate) struct Input {
    email: Option<String>,
    data: Option<Map<String, Value>>,
}

/// Makes an account, or takes one that is not confirmed yet, and sends an invitation to its address.
///
/// # Errors
/// 422 `email_exists` when the address is confirmed already.
pub(crate) async fn post(
    State(inner): State<Arc<Inner>>,
    _: Admin,
    context: Context,
    Json(input): Json<Input>,
) -> Result<axum::Json<UserBody>, AuthError> {
    let email = Email::parse(input.email.as_deref().unwrap_or_default())?;
    let mut transaction = inner.begin(&context).await?;
    let user = loop {
        match invited(&inner, &mut transaction, &context, &email, input.data.as_ref()).await {
            Ok(user) => break user,
            Err(error) => transaction = inner.begin_anew(&context, transaction, error).await?,
        }
    };
    let db = &mut *transaction;
    codes::allow_own(&inner, db, &context, None, &[(email.as_str(), Standing::Admin)]).await?;
    codes::mail(&inner, db, &context, &user, (Kind::Invite, email.as_str()), None).await?;
    let user = accounts::load(db, user.id).await?;
    let body = accounts::show(&mut *db, user).await?;
    inner.commit(transaction).await?;
    Ok(axum::Json(body))
}

/// The account that is invited, with the time of it.
pub(crate) async fn invited(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    email: &Email,
    data: Option<&Map<String, Value>>,
) -> Result<User, AuthError> {
    let user = match users::by_email_for_update(db, email.as_str()).await? {
        Some(user) if user.email_confirmed_at.is_some() => return Err(AuthError::EmailExists),
        Some(user) => {
            first_proof::taken_over(inner, db, context, &user).await?;
            accounts::load(db, user.id).await?
        }
        None => {
            let hand = Some(Hand::Admin);
            let new = NewAccount { email: Some(email), user_metadata: data, hand, ..NewAccount::new() };
            accounts::create(inner, db, new, context).await?.ok_or(AuthError::EmailExists)?
        }
    };
    users::invited(db, user.id, context.now)
        .await
        .map_err(|error| AuthError::saving(error, inner.explains))?;
    Ok(user)
}
