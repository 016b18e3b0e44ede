//! `POST /resend`: sends a pending code again (CONTRACT.md H12, M15, U7).

use std::sync::Arc;

use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::PgConnection;
use tokio::time::Instant;

use crate::{
    context::ServiceContext,
    domain::{
        address_changes, codes, enumeration_guard,
        limits::otp_quota,
        sms::{self, SmsDispatch},
    },
    mails::Kind,
    rate_limit::Limit,
    store::{
        one_time_tokens::TokenType,
        users::{self, User},
    },
    wire::{
        email::{Address, AddressInput, Email},
        error::AuthError,
        phone::Phone,
        pkce::{Challenge, ChallengeInput},
        request::{Json, RequestContext},
    },
};

/// Body of the request.
#[derive(Debug, Deserialize)]
pub(crate) struct Input {
    r#type: Option<String>,
    #[serde(flatten)]
    address: AddressInput,
    #[serde(flatten)]
    challenge: ChallengeInput,
}

/// What can be sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pending {
    SignUp,
    EmailChange,
    Sms,
    PhoneChange,
}

impl Pending {
    fn is_change(self) -> bool {
        matches!(self, Self::EmailChange | Self::PhoneChange)
    }
}

/// Answers 200 `{}` also if nothing is pending or the address is unknown, after the same time. It
/// does not tell whether it was too soon for the code of a change, because only its owner has one.
pub(crate) async fn post(
    State(service): State<Arc<ServiceContext>>,
    context: RequestContext,
    Json(input): Json<Input>,
) -> Result<axum::Json<Value>, AuthError> {
    let began = Instant::now();
    service.limits.take(Limit::Resend, &context.client_key(), context.now)?;
    let (pending, address) = (pending(&input)?, input.address.check()?);
    let challenge = input.challenge.check()?;
    match &address {
        Address::Email(_) if !service.settings.email_enabled => return Err(AuthError::EmailLoginsDisabled),
        Address::Phone(_) => sms::check_channel(&service, None)?,
        Address::Email(_) => {}
    }
    let answer = match &address {
        Address::Phone(phone) => sms::answer(&service, phone, context.now),
        Address::Email(_) => json!({}),
    };
    if !pending.is_change() {
        otp_quota::allow(&service, &context, &address).await?;
    }
    let work = Box::pin(send(Arc::clone(&service), context, pending, address, challenge));
    enumeration_guard::answer(&service, began, work).await?;
    Ok(axum::Json(answer))
}

fn pending(input: &Input) -> Result<Pending, AuthError> {
    let pending = match input.r#type.as_deref() {
        Some("signup") => Pending::SignUp,
        Some("email_change") => Pending::EmailChange,
        Some("sms") => Pending::Sms,
        Some("phone_change") => Pending::PhoneChange,
        _ => {
            return Err(AuthError::validation(
                "Missing one of these types: signup, email_change, sms, phone_change",
            ));
        }
    };
    match pending {
        Pending::SignUp if input.address.given_email().is_none() => {
            Err(AuthError::validation("Type provided requires an email address"))
        }
        Pending::Sms if input.address.given_phone().is_none() => {
            Err(AuthError::validation("Type provided requires a phone number"))
        }
        _ => Ok(pending),
    }
}

async fn send(
    service: Arc<ServiceContext>,
    context: RequestContext,
    pending: Pending,
    address: Address,
    challenge: Option<Challenge>,
) -> Result<(), AuthError> {
    let mut transaction = service.begin(&context).await?;
    let db = &mut *transaction;
    let user = match &address {
        Address::Email(email) => users::by_email_for_update(db, email.as_str()).await?,
        Address::Phone(phone) => users::by_phone_for_update(db, phone.as_str()).await?,
    };
    if let Some(user) = user {
        again(&service, db, &context, &user, (pending, &address), challenge.as_ref()).await?;
    }
    service.commit(transaction).await
}

/// Sends the pending code again, if there is one. Only the log tells what refuses it, because
/// others have nothing pending.
async fn again(
    service: &ServiceContext,
    db: &mut PgConnection,
    context: &RequestContext,
    user: &User,
    (pending, address): (Pending, &Address),
    challenge: Option<&Challenge>,
) -> Result<(), AuthError> {
    match (pending, address) {
        (Pending::SignUp, Address::Email(email)) if user.email_confirmed_at.is_none() => {
            codes::mail(service, db, context, user, (Kind::Confirmation, email.as_str()), challenge).await
        }
        (Pending::Sms, Address::Phone(phone)) if user.phone_confirmed_at.is_none() => {
            let dispatch = SmsDispatch { token_type: TokenType::Confirmation, phone, sms_type: "sms" };
            sms::send(service, db, context, user, &dispatch).await
        }
        (Pending::EmailChange, _) => address_change(service, db, context, user).await,
        (Pending::PhoneChange, _) => number_change(service, db, context, user).await,
        (Pending::SignUp | Pending::Sms, _) => Ok(()),
    }
}

async fn number_change(
    service: &ServiceContext,
    db: &mut PgConnection,
    context: &RequestContext,
    user: &User,
) -> Result<(), AuthError> {
    match user.phone_change.as_deref().filter(|phone| !phone.is_empty()) {
        None => Ok(()),
        Some(phone) => {
            let phone = Phone::parse(phone)?;
            address_changes::request_number(service, db, context, user, &phone).await
        }
    }
}

/// The request may come from somebody else than the one who began the change. Its challenge does
/// not count.
async fn address_change(
    service: &ServiceContext,
    db: &mut PgConnection,
    context: &RequestContext,
    user: &User,
) -> Result<(), AuthError> {
    match user.email_change.as_deref().filter(|address| !address.is_empty()) {
        None => Ok(()),
        Some(address) => {
            let address = Email::parse(address)?;
            address_changes::request_again(service, db, context, user, &address).await
        }
    }
}
