//! `GET /reauthenticate`: sends a code to a user who changes the password (CONTRACT.md H22, U11,
//! U15).

use std::sync::Arc;

use axum::extract::State;
use serde_json::{Value, json};

use crate::{
    context::ServiceContext,
    domain::{
        audit_log::{self, Action},
        codes,
        limits::{
            otp_attempts::CodeSource,
            otp_quota::{self, RequestedBy},
        },
        sms::{self, SmsDispatch},
    },
    guards::bearer::Bearer,
    mails::Kind,
    store::{
        one_time_tokens::{self, Pending, TokenType},
        users::{self, User},
    },
    tx::Tx,
    wire::{
        error::{AccountError, AuthError, PasswordError},
        phone::Phone,
        request::RequestContext,
    },
};

/// Sends a code to the user's address, or to the number if there is no address. `PUT /user` takes
/// it as `nonce`.
pub(crate) async fn get(
    State(service): State<Arc<ServiceContext>>,
    bearer: Bearer,
    context: RequestContext,
) -> Result<axum::Json<Value>, AuthError> {
    let mut transaction = service.begin(&context).await?;
    let tx = &mut transaction.tx();
    let user = bearer.lock(tx.db, context.now).await?;
    let answer = send(tx, &user).await?;
    service.commit(transaction).await?;
    Ok(axum::Json(answer))
}

async fn send(tx: &mut Tx<'_>, user: &User) -> Result<Value, AuthError> {
    let token_type = TokenType::Reauthentication;
    match (given(&user.email), given(&user.phone)) {
        (Some(_), _) if user.email_confirmed_at.is_none() => Err(AccountError::EmailNotVerified.into()),
        (Some(address), _) => {
            let mail = (Kind::Reauthentication, address.as_str());
            otp_quota::allow_own(tx, token_type.sent_at(user), &[(mail.1, RequestedBy::Owner)]).await?;
            codes::mail(tx, user, mail, None).await?;
            Ok(json!({}))
        }
        (None, Some(_)) if user.phone_confirmed_at.is_none() => Err(AccountError::PhoneNotVerified.into()),
        (None, Some(phone)) => {
            let phone = Phone::parse(&phone)?;
            otp_quota::allow_own_message(tx, token_type.sent_at(user), phone.as_str(), RequestedBy::Owner)
                .await?;
            let dispatch = SmsDispatch { token_type, phone: &phone, sms_type: "reauthentication" };
            sms::send(tx, user, &dispatch).await?;
            let action = Action::UserReauthenticateRequested;
            audit_log::add(tx, action, user).await?;
            Ok(sms::answer(tx.service, &phone, tx.context.now))
        }
        (None, None) => Err(AuthError::validation(
            "Reauthentication requires the user to have an email or a phone number",
        )),
    }
}

fn given(field: &Option<String>) -> Option<String> {
    field.as_deref().filter(|text| !text.is_empty()).map(str::to_lowercase)
}

/// Uses a nonce up. Attempts are counted before the comparison, and stay counted if the nonce is
/// wrong.
///
/// # Errors
/// 422 `reauthentication_not_valid` for a wrong, used or expired nonce, and after too many
/// attempts.
pub(crate) async fn redeem(
    service: &ServiceContext,
    context: &RequestContext,
    user: &User,
    nonce: &str,
) -> Result<(), AuthError> {
    let address = given(&user.email).or(given(&user.phone)).unwrap_or_default();
    let token_types = [TokenType::Reauthentication.name().to_owned()];
    let sent = codes::guess(service, context, (&address, nonce), &token_types).await?;
    let fresh = |sent: &Pending| {
        codes::is_fresh(service, user, TokenType::Reauthentication, &sent.sent_to, context.now)
    };
    let own = sent.map(|(sent, _)| sent).filter(|sent| sent.user_id == user.id && fresh(sent));
    let mut transaction = service.begin(context).await?;
    let tx = &mut transaction.tx();
    // The account before its codes and their counters, as everywhere.
    users::lock(tx.db, user.id).await?;
    let accepted = match own {
        Some(sent) => one_time_tokens::take(tx.db, sent.id).await?,
        None => false,
    };
    if !accepted {
        return Err(PasswordError::NonceInvalid.into());
    }
    otp_quota::entered(tx, &address, CodeSource::Typed).await?;
    service.commit(transaction).await
}
