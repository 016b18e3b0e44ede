use serde_json::Value;

use super::{METHOD, is_number_of, is_still_meant, lacks_password_of_invitation};
use crate::{
    audit::{self, Action, Note},
    codes::{self, Shown},
    error::AuthError,
    journal::Line,
    request::Context,
    sessions::{self, Fresh, Opening},
    state::Inner,
    store::{
        flights::{self, AsRead, Entering},
        one_time_tokens::{Pending, Slot},
    },
};

/// Redeems a code that was typed in, opens the session and notes that, in one flight: for an account that signs in as before.
/// None leaves it to the slower way, which waits, judges and refuses; nothing was done then. The code must have been compared
/// before.
///
/// # Errors
/// When it cannot be known what was done, or the account cannot be shown: the session ends again then.
pub(super) async fn sign_in(
    inner: &Inner,
    context: &Context,
    known: &AsRead,
    pending: &Pending,
) -> Result<Option<Opening>, AuthError> {
    if !is_usual(inner, context, known, pending) {
        return Ok(None);
    }
    let fresh = Fresh::new(inner);
    let entered = codes::entering(inner, &pending.sent_to, context, Shown::Typed);
    let note = Note { id: inner.new_id(), action: Action::Login, user: known.user.id };
    let entry = audit::entry(note.action, &known.user, context, Value::Null);
    let entering = Entering {
        code: pending,
        entered: entered.entry(context.now),
        session: fresh.row(inner, context, pending.user_id, METHOD),
        note: entry.map(|entry| (note.id, entry)),
    };
    let done = flights::unless_refused(flights::enter(&inner.database, known, entering, context).await)?;
    let Some(account) = done.flatten() else { return Ok(None) };
    context.errands.tell(Line::Audit(note));
    entered.leave_mark(inner, context);
    match account {
        Ok(account) => Ok(Some(sessions::opened(inner, context, &fresh, account, METHOD))),
        Err(unreadable) => {
            fresh.take_back(inner, context, pending.user_id).await;
            Err(AuthError::Flight(unreadable.into()))
        }
    }
}

/// Whether a code signs in and does nothing else: the address was confirmed before, and no hook has a say about claims.
fn is_usual(inner: &Inner, context: &Context, AsRead { user, .. }: &AsRead, pending: &Pending) -> bool {
    let slot = Slot::parse(&pending.slot).filter(|slot| matches!(slot, Slot::Confirmation | Slot::Recovery));
    slot.is_some_and(|slot| {
        inner.settings.hooks.custom_access_token.is_none()
            && codes::is_fresh(inner, user, slot, &pending.sent_to, context.now)
            && is_still_meant(user, slot, pending)
            && !is_number_of(user, pending)
            && user.email_confirmed_at.is_some()
            && !lacks_password_of_invitation(user)
            && !user.is_banned(context.now)
    })
}
