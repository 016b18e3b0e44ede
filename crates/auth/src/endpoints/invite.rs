//! `POST /invite`: sends an invitation (CONTRACT.md H28, U17).

use std::sync::Arc;

use axum::extract::State;
use serde::Deserialize;
use serde_json::{Map, Value};

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
    tx::Tx,
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
        match invited(&mut transaction.tx(), &email, input.data.as_ref()).await {
            Ok(user) => break user,
            Err(error) => transaction = service.begin_again(&context, transaction, error).await?,
        }
    };
    let tx = &mut transaction.tx();
    otp_quota::allow_own(tx, None, &[(email.as_str(), RequestedBy::Admin)]).await?;
    codes::mail(tx, &user, (Kind::Invite, email.as_str()), None).await?;
    let user = accounts::load(tx.db, user.id).await?;
    let body = accounts::show(&mut *tx.db, user).await?;
    service.commit(transaction).await?;
    Ok(axum::Json(body))
}

/// The invited account, with the time of its invitation.
pub(crate) async fn invited(
    tx: &mut Tx<'_>,
    email: &Email,
    data: Option<&Map<String, Value>>,
) -> Result<User, AuthError> {
    let user = match users::by_email_for_update(tx.db, email.as_str()).await? {
        Some(user) if user.email_confirmed_at.is_some() => return Err(AuthError::EmailExists),
        Some(user) => {
            ownership_proof::take_over(tx, &user).await?;
            accounts::load(tx.db, user.id).await?
        }
        None => {
            let origin = Some(AccountOrigin::Admin);
            let new = NewAccount { email: Some(email), user_metadata: data, origin, ..NewAccount::new() };
            accounts::create(tx, new).await?.ok_or(AuthError::EmailExists)?
        }
    };
    users::invited(tx.db, user.id, tx.context.now).await.map_err(|error| tx.service.save_error(error))?;
    Ok(user)
}
