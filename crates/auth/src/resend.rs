//! `POST /resend`: sends a pending code again (auth.md H12, M15, U7).

use std::sync::Arc;

use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::PgConnection;
use tokio::time::Instant;

use crate::{
    codes::{self, Dispatch, Slot},
    email::{Address, AddressInput, Email},
    error::AuthError,
    mails::Kind,
    passwords,
    phone::Phone,
    pkce::{Challenge, ChallengeInput},
    rate_limit::Limit,
    request::{Context, Json},
    sms::{self, SmsDispatch},
    state::Inner,
    store::{
        audit::{self, Action},
        users::{self, User},
    },
    user,
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

/// Answers 200 `{}` also when nothing is pending or the address is unknown, after the same time.
pub(crate) async fn post(
    State(inner): State<Arc<Inner>>,
    context: Context,
    Json(input): Json<Input>,
) -> Result<axum::Json<Value>, AuthError> {
    let began = Instant::now();
    inner.limits.take(Limit::Resend, &context.client_key(), context.now)?;
    let (pending, address) = (pending(&input)?, input.address.check()?);
    let challenge = input.challenge.check()?;
    match &address {
        Address::Email(_) if !inner.settings.email_enabled => return Err(AuthError::EmailLoginsDisabled),
        Address::Phone(_) => sms::check_channel(&inner, None)?,
        Address::Email(_) => {}
    }
    let sent = send(&inner, &context, pending, &address, challenge.as_ref()).await;
    passwords::even_out(began).await;
    sent.map(axum::Json)
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
    inner: &Inner,
    context: &Context,
    pending: Pending,
    address: &Address,
    challenge: Option<&Challenge>,
) -> Result<Value, AuthError> {
    let mut transaction = inner.pool.begin().await?;
    let db = &mut *transaction;
    let user = match address {
        Address::Email(email) => users::by_email_for_update(db, email.as_str()).await?,
        Address::Phone(phone) => users::by_phone_for_update(db, phone.as_str()).await?,
    };
    let Some(user) = user else { return Ok(json!({})) };
    let mut answer = json!({});
    match (pending, address) {
        (Pending::SignUp, Address::Email(email)) => {
            confirmation(inner, db, context, &user, email, challenge).await?;
        }
        (Pending::Sms, Address::Phone(phone)) if user.phone_confirmed_at.is_none() => {
            let dispatch = SmsDispatch { slot: Slot::Confirmation, phone, sms_type: "sms" };
            answer = sms::send(inner, db, context, &user, &dispatch).await?;
        }
        (Pending::EmailChange, _) => address_change(inner, db, context, &user, challenge).await?,
        (Pending::PhoneChange, _) => answer = number_change(inner, db, context, &user).await?,
        (Pending::SignUp | Pending::Sms, _) => {}
    }
    inner.commit(transaction).await?;
    Ok(answer)
}

async fn confirmation(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: &User,
    email: &Email,
    challenge: Option<&Challenge>,
) -> Result<(), AuthError> {
    if user.email_confirmed_at.is_some() {
        return Ok(());
    }
    let slot = Slot::Confirmation;
    codes::check_frequency(inner, user, slot, context.now)?;
    audit::add(db, inner.new_id(), Action::UserConfirmationRequested, user, context).await?;
    let dispatch =
        Dispatch { kind: Kind::Confirmation, slot, address: email.as_str(), new_email: None, challenge };
    codes::send(inner, db, context, user, &dispatch).await?;
    codes::note_sent(db, user, slot, context.now)
        .await
        .map_err(|error| AuthError::saving(error, inner.explains))
}

async fn number_change(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: &User,
) -> Result<Value, AuthError> {
    match user.phone_change.as_deref().filter(|phone| !phone.is_empty()) {
        None => Ok(json!({})),
        Some(phone) => {
            let phone = Phone::parse(phone)?;
            let dispatch = SmsDispatch { slot: Slot::PhoneChange, phone: &phone, sms_type: "phone_change" };
            sms::send(inner, db, context, user, &dispatch).await
        }
    }
}

async fn address_change(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: &User,
    challenge: Option<&Challenge>,
) -> Result<(), AuthError> {
    match user.email_change.as_deref().filter(|address| !address.is_empty()) {
        None => Ok(()),
        Some(address) => {
            let address = Email::parse(address)?;
            user::address::request_change(inner, db, context, user, &address, challenge).await
        }
    }
}
