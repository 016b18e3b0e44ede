//! What is to be done once the transaction of a request is committed: noted meanwhile, and done by [`crate::domain::transaction`].

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use banyan_config::Hook;
use serde_json::Value;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::model::audit_event::{AuditEvent, LogLine};

/// What somebody elsewhere is to be told after the commit.
#[derive(Debug)]
pub(crate) struct HookCall {
    /// As in `[auth.hook.<point>]`.
    pub(crate) point: &'static str,
    pub(crate) hook: Hook,
    pub(crate) input: Value,
    pub(crate) now: OffsetDateTime,
    pub(crate) purpose: HookPurpose,
}

/// What is told.
#[derive(Debug, Clone, Copy)]
pub(crate) enum HookPurpose {
    /// A code of this account, made just now. When it cannot be told, it is not kept, and the client hears of it.
    Code(Uuid),
    /// The code of a second factor, which is kept by its challenge.
    Challenge,
    /// Something that was done already; the log says when it cannot be told.
    Notice,
}

/// What is to be done once the request's transaction is committed.
#[derive(Debug, Clone, Default)]
pub(crate) struct AfterCommit(Arc<Pending>);

#[derive(Debug, Default)]
struct Pending {
    /// What hooks elsewhere have to be told.
    hook_calls: Mutex<Vec<HookCall>>,
    /// What the log is to be told.
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

    /// Has the log told, once it is so.
    pub(crate) fn log(&self, line: LogLine) {
        locked(&self.0.lines).push(line);
    }

    /// What users did that is committed.
    pub(crate) fn committed(&self) -> Vec<AuditEvent> {
        locked(&self.0.committed).clone()
    }

    /// Nothing was done, nor is anything to be.
    pub(crate) fn discard(&self) {
        self.take();
        self.discard_log();
        self.take_mail_queued();
    }

    /// What is noted for the log was not done.
    pub(crate) fn discard_log(&self) {
        locked(&self.0.lines).clear();
    }

    /// What the log is to be told of a commit that is about to be sent.
    pub(crate) fn pending_log(&self) -> PendingLog {
        let lines = std::mem::take(&mut *locked(&self.0.lines));
        PendingLog { lines, after_commit: self.clone() }
    }

    /// Tells the log of what is committed.
    pub(crate) fn write(&self, line: LogLine) {
        line.write();
        if let LogLine::Audit(note) = line {
            locked(&self.0.committed).push(note);
        }
    }

    /// Notes that a mail was queued, which is to be sent at once.
    pub(crate) fn mail_queued(&self) {
        self.0.mail_queued.store(true, Ordering::Relaxed);
    }

    /// Whether a mail was queued that nobody was told of yet.
    pub(crate) fn take_mail_queued(&self) -> bool {
        self.0.mail_queued.swap(false, Ordering::Relaxed)
    }

    /// Whether no hook elsewhere has to be told of anything.
    pub(crate) fn is_empty(&self) -> bool {
        locked(&self.0.hook_calls).is_empty()
    }

    pub(crate) fn take(&self) -> Vec<HookCall> {
        std::mem::take(&mut *locked(&self.0.hook_calls))
    }
}

/// Tells the log once it is dropped, unless PostgreSQL refused. A commit that was sent counts, whoever still waits for its end:
/// a client that hangs up, a time that is over and a connection that breaks would else take the lines of what was done along.
#[must_use = "dropped at once, it tells of what is not done yet"]
pub(crate) struct PendingLog {
    lines: Vec<LogLine>,
    after_commit: AfterCommit,
}

impl PendingLog {
    /// Says nothing, since nothing was done.
    pub(crate) fn discard(mut self) {
        self.lines.clear();
    }
}

impl Drop for PendingLog {
    fn drop(&mut self) {
        for line in self.lines.drain(..) {
            self.after_commit.write(line);
        }
    }
}

fn locked<T>(list: &Mutex<Vec<T>>) -> MutexGuard<'_, Vec<T>> {
    list.lock().unwrap_or_else(PoisonError::into_inner)
}
