//! What waits for the commit of a request's transaction: hook calls, log lines and mails.
//!
//! [`crate::domain::transaction`] does it after the commit.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use banyan_config::Hook;
use serde_json::Value;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::model::audit_event::{AuditEvent, LogLine};

/// A call of a remote hook, made after the commit.
#[derive(Debug)]
pub(crate) struct HookCall {
    /// As in `[auth.hook.<point>]`.
    pub(crate) point: &'static str,
    pub(crate) hook: Hook,
    pub(crate) input: Value,
    pub(crate) now: OffsetDateTime,
    pub(crate) purpose: HookPurpose,
}

/// Why the hook is called. It decides what a failure means.
#[derive(Debug, Clone, Copy)]
pub(crate) enum HookPurpose {
    /// The hook sends a new code of this account. If it fails, the code is deleted and the client
    /// gets the error.
    Code(Uuid),
    /// The hook sends the code of a second factor. If it fails, the client gets the error.
    Challenge,
    /// The hook hears of a change that is committed. If it fails, the log says so.
    Notice,
}

/// What waits for the commit. Clones share one list.
#[derive(Debug, Clone, Default)]
pub(crate) struct AfterCommit(Arc<Pending>);

#[derive(Debug, Default)]
struct Pending {
    /// Calls of remote hooks.
    hook_calls: Mutex<Vec<HookCall>>,
    /// Lines for the log.
    lines: Mutex<Vec<LogLine>>,
    /// What users did that is committed.
    committed: Mutex<Vec<AuditEvent>>,
    /// Whether a mail was queued.
    mail_queued: AtomicBool,
}

impl AfterCommit {
    pub(crate) fn call_hook(&self, call: HookCall) {
        locked(&self.0.hook_calls).push(call);
    }

    /// Writes a line to the log after the commit.
    pub(crate) fn log(&self, line: LogLine) {
        locked(&self.0.lines).push(line);
    }

    /// What users did that is committed.
    pub(crate) fn committed(&self) -> Vec<AuditEvent> {
        locked(&self.0.committed).clone()
    }

    /// Discards everything: the transaction was rolled back.
    pub(crate) fn discard(&self) {
        self.take();
        self.discard_log();
        self.take_mail_queued();
    }

    /// Discards the log lines: what they say did not happen.
    pub(crate) fn discard_log(&self) {
        locked(&self.0.lines).clear();
    }

    /// The lines for the log, just before the commit is sent.
    pub(crate) fn pending_log(&self) -> PendingLog {
        let lines = std::mem::take(&mut *locked(&self.0.lines));
        PendingLog { lines, after_commit: self.clone() }
    }

    /// Writes a line about something that is committed.
    pub(crate) fn write_now(&self, line: LogLine) {
        line.write();
        if let LogLine::Audit(note) = line {
            locked(&self.0.committed).push(note);
        }
    }

    /// Notes that a mail was queued. The queue is woken after the commit.
    pub(crate) fn mail_queued(&self) {
        self.0.mail_queued.store(true, Ordering::Relaxed);
    }

    /// Whether a mail was queued, and not yet announced to the queue.
    pub(crate) fn take_mail_queued(&self) -> bool {
        self.0.mail_queued.swap(false, Ordering::Relaxed)
    }

    /// Whether no remote hook waits to be called.
    pub(crate) fn is_empty(&self) -> bool {
        locked(&self.0.hook_calls).is_empty()
    }

    pub(crate) fn take(&self) -> Vec<HookCall> {
        std::mem::take(&mut *locked(&self.0.hook_calls))
    }
}

/// Writes its lines when dropped, unless PostgreSQL refused the commit.
///
/// A commit that was sent counts. If the client hangs up, the time limit ends or the connection
/// breaks, nobody hears its end; the lines are written all the same.
#[must_use = "dropped at once, it tells of what is not done yet"]
pub(crate) struct PendingLog {
    lines: Vec<LogLine>,
    after_commit: AfterCommit,
}

impl PendingLog {
    /// Writes nothing: nothing was committed.
    pub(crate) fn discard(mut self) {
        self.lines.clear();
    }
}

impl Drop for PendingLog {
    fn drop(&mut self) {
        for line in self.lines.drain(..) {
            self.after_commit.write_now(line);
        }
    }
}

fn locked<T>(list: &Mutex<Vec<T>>) -> MutexGuard<'_, Vec<T>> {
    list.lock().unwrap_or_else(PoisonError::into_inner)
}
