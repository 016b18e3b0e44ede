//! Hooks: functions and addresses of the project that are asked before something is done
//! (CONTRACT.md HK1 to HK12). A hook point without a hook costs nothing.

/// `https://…`, signed as standard webhooks are.
mod http;

/// `pg-functions://…`.
mod postgres;

/// `functions:///…`: a component of the project, inside the process.
mod edge_function;

/// What a changed access token must still hold.
mod claims;

/// Functions of the database that cannot be called.
mod unreachable;

use std::pin::Pin;

use banyan_config::{Auth, Hook};
use banyan_web::BodyError;
use serde_json::{Value, json};
use sqlx::PgConnection;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use uuid::Uuid;

use self::postgres::FunctionName;
use crate::{
    context::ServiceContext,
    model::after_commit::{HookCall, HookPurpose},
    store::one_time_tokens,
    tx::Tx,
    wire::{
        error::{AuthError, HookError, HookFault},
        request::RequestContext,
    },
};

pub use unreachable::unreachable_hooks;

/// Largest answer of a hook in bytes (CONTRACT.md HK3).
const LARGEST_ANSWER: usize = 200 * 1024;

/// Whether the hook for claims is in the database. It is then asked in the transaction, and others
/// after it.
pub(crate) fn claims_hook_is_local(settings: &Auth) -> bool {
    settings.hooks.custom_access_token.as_ref().is_some_and(|hook| !is_remote(hook))
}

/// Whether the hook is outside of the database.
fn is_remote(hook: &Hook) -> bool {
    !matches!(hook, Hook::Postgres { .. })
}

/// Whether the hook for new accounts is remote. It is then asked before the transaction.
pub(crate) fn creation_hook_is_remote(settings: &Auth) -> bool {
    settings.hooks.before_user_created.as_ref().is_some_and(is_remote)
}

/// A hook, and the point at which it is asked.
#[derive(Debug, Clone, Copy)]
struct HookPoint<'a> {
    point: &'static str,
    hook: &'a Hook,
}

/// What a hook is given, and when.
#[derive(Debug, Clone, Copy)]
struct HookInput<'a> {
    body: &'a Value,
    now: OffsetDateTime,
}

impl<'a> HookPoint<'a> {
    fn of(point: &'static str, hook: &'a Option<Hook>) -> Option<Self> {
        hook.as_ref().map(|hook| Self { point, hook })
    }

    /// The error of this hook. The log names its hook point.
    fn failed(self, error: HookError) -> AuthError {
        Box::new(HookFault { error, point: self.point, target: self.hook.to_string() }).into()
    }
}

/// Asks whether an account may be created. `user` is the account as it would be (CONTRACT.md HK10).
///
/// # Errors
/// What the hook answers, or that it could not be asked. The account is not created.
pub(crate) async fn before_user_created(
    service: &ServiceContext,
    db: Option<&mut PgConnection>,
    context: &RequestContext,
    user: &Value,
) -> Result<(), AuthError> {
    let Some(hook) = HookPoint::of("before_user_created", &service.settings.hooks.before_user_created) else {
        return Ok(());
    };
    let input = json!({"metadata": metadata(service, context, "before-user-created"), "user": user});
    ask(service, db, hook, HookInput { body: &input, now: context.now }).await.map(drop)
}

/// Tells a hook about a new account: a function of the database inside the transaction, others
/// after it.
///
/// # Errors
/// What a function of the database answers. The account is not created.
pub(crate) async fn after_user_created(tx: &mut Tx<'_>, user: &Value) -> Result<(), AuthError> {
    let Some(hook) = HookPoint::of("after_user_created", &tx.service.settings.hooks.after_user_created)
    else {
        return Ok(());
    };
    let input = json!({"metadata": metadata(tx.service, tx.context, "after-user-created"), "user": user});
    notify(tx, hook, input, HookPurpose::Notice).await
}

/// The claims of a token, and the method of its session.
pub(crate) struct TokenClaims<'a> {
    pub(crate) claims: Value,
    pub(crate) method: &'a str,
}

/// Asks for the claims of a token (CONTRACT.md HK7, T16).
///
/// # Errors
/// What the hook says; 500 when the claims lack what a token must hold.
pub(crate) async fn custom_access_token(
    service: &ServiceContext,
    db: Option<&mut PgConnection>,
    context: &RequestContext,
    TokenClaims { claims, method }: TokenClaims<'_>,
) -> Result<Value, AuthError> {
    let Some(hook) = HookPoint::of("custom_access_token", &service.settings.hooks.custom_access_token) else {
        return Ok(claims);
    };
    let input = json!({
        "metadata": metadata(service, context, "customize-access-token"),
        "user_id": claims["sub"],
        "claims": claims,
        "authentication_method": method,
    });
    let answer = ask(service, db, hook, HookInput { body: &input, now: context.now }).await?;
    let changed = answer.get("claims").cloned().unwrap_or_default();
    claims::check(&changed).map_err(|missing| hook.failed(HookError::Claims(missing)))?;
    Ok(changed)
}

/// Lets the hook send a mail. False if there is no hook, and the service sends the mail itself
/// (CONTRACT.md HK8).
///
/// # Errors
/// What a function of the database answers. The code is not kept.
pub(crate) async fn send_email(
    tx: &mut Tx<'_>,
    user: &Value,
    email_data: &Value,
    purpose: HookPurpose,
) -> Result<bool, AuthError> {
    let Some(hook) = HookPoint::of("send_email", &tx.service.settings.hooks.send_email) else {
        return Ok(false);
    };
    let input = json!({"metadata": metadata(tx.service, tx.context, "send-email"), "user": user, "email_data": email_data});
    notify(tx, hook, input, purpose).await?;
    Ok(true)
}

/// A text message to send.
pub(crate) struct TextMessage<'a> {
    pub(crate) phone: &'a str,
    pub(crate) code: &'a str,
    /// What it is about: `sms`, `phone_change`, `reauthentication`, `mfa`.
    pub(crate) kind: &'a str,
}

/// Lets the hook send a text message. False if there is no hook (CONTRACT.md HK9).
///
/// # Errors
/// As [`send_email`].
pub(crate) async fn send_sms(
    tx: &mut Tx<'_>,
    user: &Value,
    message: &TextMessage<'_>,
    purpose: HookPurpose,
) -> Result<bool, AuthError> {
    let Some(hook) = HookPoint::of("send_sms", &tx.service.settings.hooks.send_sms) else { return Ok(false) };
    let sms = json!({"otp": message.code, "phone": message.phone, "sms_type": message.kind});
    let input = json!({"metadata": metadata(tx.service, tx.context, "send-sms"), "user": user, "sms": sms});
    notify(tx, hook, input, purpose).await?;
    Ok(true)
}

/// What a hook decides about an attempt (CONTRACT.md HK11).
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// The attempt counts as it is.
    Continue,
    /// The attempt is rejected, for this reason.
    Reject { message: String, log_out: bool },
}

/// Asks about an attempt with a password, in a transaction of its own, so that what the hook counts
/// stays.
///
/// # Errors
/// What the hook says.
pub(crate) async fn password_attempt(
    service: &ServiceContext,
    context: &RequestContext,
    user: Uuid,
    valid: bool,
) -> Result<Decision, AuthError> {
    let Some(hook) =
        HookPoint::of("password_verification_attempt", &service.settings.hooks.password_verification_attempt)
    else {
        return Ok(Decision::Continue);
    };
    let metadata = metadata(service, context, "password-verification");
    let input = json!({"metadata": metadata, "user_id": user, "valid": valid});
    let answer = ask(service, None, hook, HookInput { body: &input, now: context.now }).await?;
    decision(&answer, hook.point, "Further password verification attempts will be rejected.")
        .map_err(|error| hook.failed(error))
}

/// An attempt with a second factor.
pub(crate) struct FactorAttempt<'a> {
    pub(crate) user: Uuid,
    pub(crate) factor: Uuid,
    pub(crate) kind: &'a str,
    pub(crate) valid: bool,
}

/// Asks about an attempt with a second factor, in a transaction of its own (CONTRACT.md F9).
///
/// # Errors
/// What the hook says.
pub(crate) async fn mfa_attempt(
    service: &ServiceContext,
    context: &RequestContext,
    attempt: &FactorAttempt<'_>,
) -> Result<Decision, AuthError> {
    let Some(hook) =
        HookPoint::of("mfa_verification_attempt", &service.settings.hooks.mfa_verification_attempt)
    else {
        return Ok(Decision::Continue);
    };
    let input = json!({
        "metadata": metadata(service, context, "mfa-verification"),
        "user_id": attempt.user,
        "factor_id": attempt.factor,
        "factor_type": attempt.kind,
        "valid": attempt.valid,
    });
    let answer = ask(service, None, hook, HookInput { body: &input, now: context.now }).await?;
    decision(&answer, hook.point, "Further MFA verification attempts will be rejected.")
        .map_err(|error| hook.failed(error))
}

/// As in the reference, an unknown word rejects nothing; the log shows it. A decision that is no
/// text makes the attempt fail. The case of keys does not matter.
fn decision(answer: &Value, point: &str, otherwise: &str) -> Result<Decision, HookError> {
    let answer = match answer {
        Value::Null => return Ok(Decision::Continue),
        Value::Object(answer) => answer,
        _ => return Err(HookError::Output("the answer is no object".to_owned())),
    };
    let field = |name: &str| {
        let same = || answer.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value);
        answer.get(name).or_else(same).unwrap_or(&Value::Null)
    };
    match field("decision") {
        Value::Null => return Ok(Decision::Continue),
        Value::String(word) => match word.as_str() {
            "reject" => {}
            "continue" | "" => return Ok(Decision::Continue),
            word => {
                warn_of_word(word, point);
                return Ok(Decision::Continue);
            }
        },
        _ => return Err(HookError::Output("the decision is no text".to_owned())),
    }
    let message = field("message").as_str().filter(|text| !text.is_empty()).unwrap_or(otherwise).to_owned();
    match field("should_logout_user") {
        Value::Bool(log_out) => Ok(Decision::Reject { message, log_out: *log_out }),
        Value::Null => Ok(Decision::Reject { message, log_out: false }),
        _ => Err(HookError::Output("should_logout_user is neither true nor false".to_owned())),
    }
}

fn warn_of_word(word: &str, point: &str) {
    let word: String = word.chars().filter(char::is_ascii_graphic).take(40).collect();
    let message = "a hook's decision is unknown and rejects nothing; \"reject\" would";
    tracing::warn!(hook.point = point, decision = word, "{message}");
}

/// What every hook learns about the request (CONTRACT.md HK6).
fn metadata(service: &ServiceContext, context: &RequestContext, name: &str) -> Value {
    json!({
        "uuid": service.new_id(),
        "time": context.now.format(&Rfc3339).unwrap_or_default(),
        "name": name,
        "ip_address": context.client.map(|ip| ip.to_string()).unwrap_or_default(),
    })
}

/// Calls a remote hook after the commit.
///
/// # Errors
/// What the hook answers, if the client waits for what it has to send.
pub(crate) async fn run(service: &ServiceContext, call: HookCall) -> Result<(), AuthError> {
    let hook = HookPoint { point: call.point, hook: &call.hook };
    let Err(error) = ask(service, None, hook, HookInput { body: &call.input, now: call.now }).await else {
        return Ok(());
    };
    match call.purpose {
        HookPurpose::Code(user) => {
            let mut connection = service.pool.acquire().await?;
            one_time_tokens::clear_of(&mut connection, user, call.now).await?;
            Err(error)
        }
        HookPurpose::Challenge => Err(error),
        HookPurpose::Notice => {
            tracing::error!(
                hook.point,
                hook.target = %hook.hook,
                error = error.cause_of_hook().unwrap_or_else(|| error.to_string()),
                "a hook could not be told of what was done"
            );
            Ok(())
        }
    }
}

/// Calls a function of the database inside the transaction, and other hooks after it.
async fn notify(
    tx: &mut Tx<'_>,
    HookPoint { point, hook }: HookPoint<'_>,
    input: Value,
    purpose: HookPurpose,
) -> Result<(), AuthError> {
    if is_remote(hook) {
        tx.context.after_commit.call_hook(HookCall {
            point,
            hook: hook.clone(),
            input,
            now: tx.context.now,
            purpose,
        });
        return Ok(());
    }
    let input = HookInput { body: &input, now: tx.context.now };
    ask(tx.service, Some(tx.db), HookPoint { point, hook }, input).await.map(drop)
}

/// Asks a hook, inside the transaction of the request if there is one. An answer without a body is
/// null.
///
/// The future is boxed, so that requests without hooks do not carry its size.
fn ask<'a>(
    service: &'a ServiceContext,
    db: Option<&'a mut PgConnection>,
    at: HookPoint<'a>,
    input: HookInput<'a>,
) -> Pin<Box<dyn Future<Output = Result<Value, AuthError>> + Send + 'a>> {
    Box::pin(async move {
        let answer = match at.hook {
            Hook::Http { url, secrets } => http::ask(service, url, secrets, input).await,
            Hook::Postgres { schema, function } => {
                postgres::ask(service, db, FunctionName { schema, function }, input.body).await
            }
            Hook::Function { name } => edge_function::ask(service, name, input.body).await,
        };
        let answer = answer.and_then(|answer| refusal(&answer).map_or(Ok(answer), Err));
        answer.map_err(|error| at.failed(error))
    })
}

/// Why the answer of a hook was not read to its end.
fn unread(error: BodyError) -> HookError {
    match error {
        BodyError::TooLarge => HookError::TooLarge(LARGEST_ANSWER),
        BodyError::EndedEarly => HookError::Unavailable,
    }
}

/// `{"error": {"http_code", "message"}}` is a refusal (CONTRACT.md HK5). A status that is no error
/// becomes 500.
fn refusal(answer: &Value) -> Option<HookError> {
    let message = answer["error"]["message"].as_str().filter(|text| !text.is_empty())?;
    let status = answer["error"]["http_code"].as_u64().and_then(|code| u16::try_from(code).ok());
    let status = status.filter(|status| (400..600).contains(status)).unwrap_or(500);
    Some(HookError::Refused { status, message: message.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: HK5
    #[test]
    fn an_error_in_the_answer_is_a_refusal_with_its_status() {
        let status = |answer: Value| match refusal(&answer) {
            Some(HookError::Refused { status, .. }) => Some(status),
            _ => None,
        };
        assert_eq!(status(json!({"error": {"http_code": 403, "message": "no"}})), Some(403));
        assert_eq!(status(json!({"error": {"message": "no"}})), Some(500));
        assert_eq!(status(json!({"error": {"http_code": 200, "message": "no"}})), Some(500));
        assert_eq!(status(json!({"error": {"http_code": 403, "message": ""}})), None);
        assert_eq!(status(json!({"claims": {}})), None);
        assert_eq!(status(Value::Null), None);
    }

    // rows: HK11
    #[test]
    fn only_the_word_reject_rejects() {
        assert_eq!(decision(&json!({"decision": "continue"}), "at", "no").unwrap(), Decision::Continue);
        assert_eq!(decision(&Value::Null, "at", "no").unwrap(), Decision::Continue);
        assert_eq!(decision(&json!({"decision": "deny"}), "at", "no").unwrap(), Decision::Continue);
        let rejected =
            decision(&json!({"decision": "reject", "should_logout_user": true}), "at", "no").unwrap();
        assert_eq!(rejected, Decision::Reject { message: "no".into(), log_out: true });
    }
}
