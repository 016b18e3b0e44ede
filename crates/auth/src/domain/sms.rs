//! Codes by text message (CONTRACT.md X13, HK9).

use serde_json::{Value, json};
use time::OffsetDateTime;

use crate::{
    context::ServiceContext,
    domain::{accounts, codes, test_otp},
    hooks::{self, TextMessage},
    model::after_commit::HookPurpose,
    rate_limit::ProjectLimit,
    store::{
        one_time_tokens::{self, NewToken, TokenType},
        users::{self, User},
    },
    tx::Tx,
    wire::{
        error::{AccountError, AuthError},
        phone::Phone,
    },
};

/// A code to send to a number.
pub(crate) struct SmsDispatch<'a> {
    pub(crate) token_type: TokenType,
    pub(crate) phone: &'a Phone,
    /// What hooks call the message: `sms`, `phone_change`, `reauthentication`.
    pub(crate) sms_type: &'static str,
}

/// Checks that messages are on, and the channel that a request names.
///
/// # Errors
/// 400 `phone_provider_disabled`, 400 `validation_failed` for a channel that the provider does not
/// have.
pub(crate) fn check_channel(service: &ServiceContext, channel: Option<&str>) -> Result<(), AuthError> {
    if !service.settings.sms.enabled {
        return Err(AuthError::PhoneDisabled);
    }
    check_can_send(service, channel)
}

/// As [`check_channel`], for second factors, which need no sign-in by phone.
pub(crate) fn check_can_send(service: &ServiceContext, channel: Option<&str>) -> Result<(), AuthError> {
    let has_whatsapp = matches!(service.settings.sms.provider, Some("twilio" | "twilio_verify"));
    match channel.unwrap_or_default() {
        "" | "sms" => Ok(()),
        "whatsapp" if has_whatsapp => Ok(()),
        _ => Err(AuthError::validation(
            "Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only supported if Twilio or \
             Twilio Verify is used as the provider.",
        )),
    }
}

/// Makes a code, stores its hash and sends it. The quota was asked before
/// ([`crate::domain::limits::otp_quota::allow`]). A number of `sms.test_otp` has its fixed code and
/// gets no message (CONTRACT.md V12).
///
/// # Errors
/// 422 `sms_send_failed` without a hook that sends it.
pub(crate) async fn send(tx: &mut Tx<'_>, user: &User, dispatch: &SmsDispatch<'_>) -> Result<(), AuthError> {
    let (token_type, phone) = (dispatch.token_type, dispatch.phone.as_str());
    let fixed = test_otp::of_phone(tx.service, phone, tx.context.now);
    let digits = match fixed {
        Some(code) => code.to_owned(),
        None => codes::draw(tx.service, tx.service.settings.sms.otp_length),
    };
    let stored = codes::stored_form(tx.service, &codes::link_token(tx.service, phone, &digits, false));
    let saved = |error| tx.service.save_error(error);
    let id = tx.service.new_id();
    let token = NewToken { id, user: user.id, token_type, token_hash: &stored, sent_to: phone };
    one_time_tokens::put(tx.db, &token, tx.context.now).await.map_err(saved)?;
    if token_type == TokenType::PhoneChange {
        users::phone_change_sent(tx.db, user.id, phone, tx.context.now).await.map_err(saved)?;
    }
    if fixed.is_some() {
        return Ok(());
    }
    let message = TextMessage { phone, code: &digits, kind: dispatch.sms_type };
    deliver(tx, user, &message, HookPurpose::Code(user.id)).await
}

/// The answer to a request that sends a code to a number.
pub(crate) fn answer(service: &ServiceContext, phone: &Phone, now: OffsetDateTime) -> Value {
    match test_otp::of_phone(service, phone.as_str(), now) {
        Some(_) => json!({"message_id": "test-otp"}),
        None => json!({}),
    }
}

/// Counts a message of the project and lets the hook send it. Without a hook nothing is sent, even
/// if the configuration names a provider.
///
/// # Errors
/// 429 `over_sms_send_rate_limit`; 422 `sms_send_failed` without a hook; what the hook says.
pub(crate) async fn deliver(
    tx: &mut Tx<'_>,
    user: &User,
    message: &TextMessage<'_>,
    purpose: HookPurpose,
) -> Result<(), AuthError> {
    tx.service.limits.take_for_project(ProjectLimit::Sms, tx.context.now)?;
    let shown = serde_json::to_value(accounts::show(&mut *tx.db, user.clone()).await?).unwrap_or_default();
    if hooks::send_sms(tx, &shown, message, purpose).await? {
        return Ok(());
    }
    Err(AccountError::SmsNotSent("no send_sms hook is configured".to_owned()).into())
}
