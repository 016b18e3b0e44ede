use serde_json::Value;

use super::{METHOD, is_number_of, is_still_meant, lacks_password_of_invitation};
use crate::{
    context::ServiceContext,
    domain::{
        audit_log::{self, Action, AuditEvent},
        codes,
        limits::{otp_attempts::CodeSource, otp_quota},
        sessions::{self, NewSessionKey, UnsignedSession},
    },
    model::audit_event::LogLine,
    store::{
        one_time_tokens::{Pending, TokenType},
        pipelines::{self, AccountVersion, CodeSignIn},
    },
    wire::{error::AuthError, request::RequestContext},
};

/// Redeems a typed code and opens the session in one pipeline, for an account that signs in as
/// before. None leaves it to the slower way, which waits, checks and refuses; nothing was done
/// then. The code was compared before.
///
/// # Errors
/// If nobody knows what was done, or the account cannot be shown. Then the session ends again.
pub(super) async fn sign_in(
    service: &ServiceContext,
    context: &RequestContext,
    known: &AccountVersion,
    pending: &Pending,
) -> Result<Option<UnsignedSession>, AuthError> {
    if !is_usual(service, context, known, pending) {
        return Ok(None);
    }
    let fresh = NewSessionKey::new(service);
    let entered = otp_quota::entering(service, &pending.sent_to, context, CodeSource::Typed);
    let note = AuditEvent { id: service.new_id(), action: Action::Login, user: known.user.id };
    let entry = audit_log::entry(note.action, &known.user, context, Value::Null);
    let entering = CodeSignIn {
        code: pending,
        entered: entered.entry(context.now),
        session: fresh.row(service, context, pending.user_id, METHOD),
        note: entry.map(|entry| (note.id, entry)),
    };
    let done =
        pipelines::unless_refused(pipelines::enter(&service.database, known, entering, context).await)?;
    let Some(account) = done.flatten() else { return Ok(None) };
    context.after_commit.write_now(LogLine::Audit(note));
    entered.set_device_cookie(service, context);
    match account {
        Ok(account) => Ok(Some(sessions::open_without_hook(service, context, &fresh, account, METHOD))),
        Err(unreadable) => {
            fresh.take_back(service, context, pending.user_id).await;
            Err(AuthError::Pipeline(unreadable.into()))
        }
    }
}

/// Whether a code only signs in: the address is confirmed, and no hook may change claims.
fn is_usual(
    service: &ServiceContext,
    context: &RequestContext,
    AccountVersion { user, .. }: &AccountVersion,
    pending: &Pending,
) -> bool {
    let token_type = TokenType::parse(&pending.token_type)
        .filter(|token_type| matches!(token_type, TokenType::Confirmation | TokenType::Recovery));
    token_type.is_some_and(|token_type| {
        service.settings.hooks.custom_access_token.is_none()
            && codes::is_fresh(service, user, token_type, &pending.sent_to, context.now)
            && is_still_meant(user, token_type, pending)
            && !is_number_of(user, pending)
            && user.email_confirmed_at.is_some()
            && !lacks_password_of_invitation(user)
            && !user.is_banned(context.now)
    })
}
