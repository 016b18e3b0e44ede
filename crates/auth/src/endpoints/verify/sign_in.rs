use serde_json::Value;

use super::{METHOD, is_number_of, judge, lacks_password_of_invitation};
use crate::{
    context::ServiceContext,
    domain::{
        audit_log::{self, Action, AuditEvent},
        limits::{otp_attempts::CodeSource, otp_quota},
        sessions::{self, NewSessionKey, UnsignedSession},
    },
    hooks,
    model::audit_event::LogLine,
    store::{
        one_time_tokens::{Pending, TokenType},
        pipelines::{self, AccountVersion, CodeSignIn},
        users::User,
    },
    wire::{error::AuthError, request::RequestContext},
};

/// Redeems a code and opens the session in one pipeline, for an account that is confirmed. An
/// account that changes meanwhile is read and judged anew, up to [`pipelines::MOST_TURNS`] times.
/// None if it takes a transaction: then, for a code that is for something else, and where a hook in
/// the database changes claims, whose refusal undoes everything (CONTRACT.md HK7).
///
/// # Errors
/// As [`super::redeem`].
pub(super) async fn open(
    service: &ServiceContext,
    context: &RequestContext,
    (pending, mut known): (&Pending, Option<AccountVersion>),
    (source, refused): (CodeSource, fn() -> AuthError),
) -> Result<Option<UnsignedSession>, AuthError> {
    if hooks::claims_hook_is_local(&service.settings) {
        return Ok(None);
    }
    for _ in 0..pipelines::MOST_TURNS {
        let account = match known.take() {
            Some(known) => known,
            None => pipelines::of_code(&service.database, pending.id).await?.ok_or_else(refused)?,
        };
        let token_type = judge(service, context, &account.user, (pending, refused))?;
        if !is_for_confirmed(&account.user, token_type, pending) {
            return Ok(None);
        }
        if let Some(session) = enter(service, context, &account, (pending, source)).await? {
            return Ok(Some(session));
        }
    }
    Ok(None)
}

/// Whether a code only signs in, since nothing is left to be proven.
fn is_for_confirmed(user: &User, token_type: TokenType, pending: &Pending) -> bool {
    matches!(token_type, TokenType::Confirmation | TokenType::Recovery)
        && !is_number_of(user, pending)
        && user.email_confirmed_at.is_some()
        && !lacks_password_of_invitation(user)
}

/// Opens the session. None if the account has changed since it was read, or the code is gone.
async fn enter(
    service: &ServiceContext,
    context: &RequestContext,
    known: &AccountVersion,
    (pending, source): (&Pending, CodeSource),
) -> Result<Option<UnsignedSession>, AuthError> {
    let fresh = NewSessionKey::new(service);
    let entered = otp_quota::entering(service, &pending.sent_to, context, source);
    let note = AuditEvent { id: service.new_id(), action: Action::Login, user: known.user.id };
    let entry = audit_log::entry(note.action, &known.user, context, Value::Null);
    let entering = CodeSignIn {
        code: pending,
        entered: entered.entry(context.now),
        session: fresh.row(service, context, pending.user_id, METHOD),
        note: entry.map(|entry| (note.id, entry)),
    };
    let account = pipelines::enter(&service.database, known, entering, context)
        .await
        .map_err(|error| AuthError::saving_in_pipeline(error, service.exposes_sql_errors))?;
    let Some(account) = account else { return Ok(None) };
    context.after_commit.write_now(LogLine::Audit(note));
    entered.set_device_cookie(service, context);
    match account {
        Ok(account) => Ok(Some(sessions::opened(service, context, &fresh, account, METHOD))),
        Err(unreadable) => {
            fresh.take_back(service, context, pending.user_id).await;
            Err(AuthError::Pipeline(unreadable.into()))
        }
    }
}
