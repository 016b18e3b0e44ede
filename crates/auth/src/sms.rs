//! Codes by text message (CONTRACT.md X13, HK9).

use serde_json::{Value, json};
use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::{
    accounts, codes,
    errands::Matter,
    error::{AccountError, AuthError},
    hooks::{self, TextMessage},
    phone::Phone,
    rate_limit::Whole,
    request::Context,
    state::Inner,
    store::{
        one_time_tokens::{self, Slot},
        users::{self, User},
    },
};

/// A code on its way to a number.
pub(crate) struct SmsDispatch<'a> {
    pub(crate) slot: Slot,
    pub(crate) phone: &'a Phone,
    /// What hooks call the message: `sms`, `phone_change`, `reauthentication`.
    pub(crate) sms_type: &'static str,
}

/// Whether messages are offered, and by the channel that a request names.
///
/// # Errors
/// 400 `phone_provider_disabled`, 400 `validation_failed` for a channel that the provider does not have.
pub(crate) fn check_channel(inner: &Inner, channel: Option<&str>) -> Result<(), AuthError> {
    if !inner.settings.sms.enabled {
        return Err(AuthError::PhoneDisabled);
    }
    check_way(inner, channel)
}

/// As [`check_channel`], for second factors, which do not need sign-in by phone.
pub(crate) fn check_way(inner: &Inner, channel: Option<&str>) -> Result<(), AuthError> {
    let has_whatsapp = matches!(inner.settings.sms.provider, Some("twilio" | "twilio_verify"));
    match channel.unwrap_or_default() {
        "" | "sms" => Ok(()),
        "whatsapp" if has_whatsapp => Ok(()),
        _ => Err(AuthError::validation(
            "Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only supported if Twilio or \
             Twilio Verify is used as the provider.",
        )),
    }
}

/// Makes a code, stores its hash and sends it. Whether it may go was asked before ([`codes::allow`]). A number of
/// `sms.test_otp` has its fixed code, and nothing is sent to it (CONTRACT.md V12).
///
/// # Errors
/// 422 `sms_send_failed` when nothing is there to send it.
pub(crate) async fn send(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: &User,
    dispatch: &SmsDispatch<'_>,
) -> Result<(), AuthError> {
    let (slot, phone) = (dispatch.slot, dispatch.phone.as_str());
    let fixed = codes::test_code(inner, phone, context.now);
    let digits = match fixed {
        Some(code) => code.to_owned(),
        None => codes::draw(inner, inner.settings.sms.otp_length),
    };
    let stored = codes::stored_form(inner, &codes::link_token(inner, phone, &digits, false));
    let saved = |error| AuthError::saving(error, inner.explains);
    one_time_tokens::put(db, inner.new_id(), user.id, slot, &stored, phone, context.now)
        .await
        .map_err(saved)?;
    if slot == Slot::PhoneChange {
        users::phone_change_sent(db, user.id, phone, context.now).await.map_err(saved)?;
    }
    if fixed.is_some() {
        return Ok(());
    }
    let message = TextMessage { phone, code: &digits, kind: dispatch.sms_type };
    deliver(inner, db, context, user, (&message, Matter::Code(user.id))).await
}

/// What a request is answered that sends a code to a number.
pub(crate) fn answer(inner: &Inner, phone: &Phone, now: OffsetDateTime) -> Value {
    match codes::test_code(inner, phone.as_str(), now) {
        Some(_) => json!({"message_id": "test-otp"}),
        None => json!({}),
    }
}

/// Counts a message of the project and hands it over to the hook. Without one nobody takes it, whichever provider is named in the configuration.
///
/// # Errors
/// 429 `over_sms_send_rate_limit`; 422 `sms_send_failed` without a hook; what the hook says.
pub(crate) async fn deliver(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: &User,
    (message, matter): (&TextMessage<'_>, Matter),
) -> Result<(), AuthError> {
    inner.limits.take_of_project(Whole::Sms, context.now)?;
    let shown = serde_json::to_value(accounts::show(&mut *db, user.clone()).await?).unwrap_or_default();
    if hooks::send_sms(inner, db, context, (&shown, matter), message).await? {
        return Ok(());
    }
    Err(AccountError::SmsNotSent("no send_sms hook is configured".to_owned()).into())
}
