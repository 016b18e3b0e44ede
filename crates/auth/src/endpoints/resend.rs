//! `POST /resend`: sends a pending code again (CONTRACT.md H12, M15, U7).

use std::sync::Arc;

use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
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
    tx::Tx,
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

/// A request that was read.
struct Resend {
    pending: Pending,
    address: Address,
    challenge: Option<Challenge>,
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
    let wanted = Resend { pending, address, challenge: input.challenge.check()? };
    match &wanted.address {
        Address::Email(_) if !service.settings.email_enabled => return Err(AuthError::EmailLoginsDisabled),
        Address::Phone(_) => sms::check_channel(&service, None)?,
        Address::Email(_) => {}
    }
    let answer = match &wanted.address {
        Address::Phone(phone) => sms::answer(&service, phone, context.now),
        Address::Email(_) => json!({}),
    };
    if !pending.is_change() {
        otp_quota::allow(&service, &context, &wanted.address).await?;
    }
    let work = Box::pin(send(Arc::clone(&service), context, wanted));
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
        Pending::SignUp | Pending::EmailChange | Pending::Sms | Pending::PhoneChange => Ok(pending),
    }
}

async fn send(
    service: Arc<ServiceContext>,
    context: RequestContext,
    wanted: Resend,
) -> Result<(), AuthError> {
    let mut transaction = service.begin(&context).await?;
    let tx = &mut transaction.tx();
    let user = match &wanted.address {
        Address::Email(email) => users::by_email_for_update(tx.db, email.as_str()).await?,
        Address::Phone(phone) => users::by_phone_for_update(tx.db, phone.as_str()).await?,
    };
    if let Some(user) = user {
        again(tx, &user, &wanted).await?;
    }
    service.commit(transaction).await
}

/// Sends the pending code again, if there is one. Only the log tells what refuses it, because
/// others have nothing pending.
async fn again(
    tx: &mut Tx<'_>,
    user: &User,
    Resend { pending, address, challenge }: &Resend,
) -> Result<(), AuthError> {
    match (*pending, address) {
        (Pending::SignUp, Address::Email(email)) if user.email_confirmed_at.is_none() => {
            codes::mail(tx, user, (Kind::Confirmation, email.as_str()), challenge.as_ref()).await
        }
        (Pending::Sms, Address::Phone(phone)) if user.phone_confirmed_at.is_none() => {
            let dispatch = SmsDispatch { token_type: TokenType::Confirmation, phone, sms_type: "sms" };
            sms::send(tx, user, &dispatch).await
        }
        (Pending::EmailChange, _) => address_change(tx, user).await,
        (Pending::PhoneChange, _) => number_change(tx, user).await,
        (Pending::SignUp | Pending::Sms, _) => Ok(()),
    }
}

async fn number_change(tx: &mut Tx<'_>, user: &User) -> Result<(), AuthError> {
    match user.phone_change.as_deref().filter(|phone| !phone.is_empty()) {
        None => Ok(()),
        Some(phone) => {
            let phone = Phone::parse(phone)?;
            address_changes::request_number(tx, user, &phone).await
        }
    }
}

/// The request may come from somebody else than the one who began the change. Its challenge does
/// not count.
async fn address_change(tx: &mut Tx<'_>, user: &User) -> Result<(), AuthError> {
    match user.email_change.as_deref().filter(|address| !address.is_empty()) {
        None => Ok(()),
        Some(address) => {
            let address = Email::parse(address)?;
            address_changes::request_again(tx, user, &address).await
        }
    }
}
