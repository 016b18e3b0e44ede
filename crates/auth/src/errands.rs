//! What is to be done once the transaction of a request is committed: noted meanwhile, and done by [`crate::work`].

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use banyan_config::Hook;
use serde_json::Value;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::journal::{Line, Note};

/// What somebody elsewhere is to be told after the commit.
#[derive(Debug)]
pub(crate) struct Errand {
    /// As in `[auth.hook.<point>]`.
    pub(crate) point: &'static str,
    pub(crate) hook: Hook,
    pub(crate) input: Value,
    pub(crate) now: OffsetDateTime,
    pub(crate) matter: Matter,
}

/// What is told.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Matter {
    /// A code of this account, made just now. When it cannot be told, it is not kept, and the client hears of it.
    Code(Uuid),
    /// The code of a second factor, which is kept by its challenge.
    Challenge,
    /// Something that was done already; the log says when it cannot be told.
    News,
}

/// What is to be done once the request's transaction is committed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Errands(Arc<Kept>);

#[derive(Debug, Default)]
struct Kept {
    /// What hooks elsewhere have to be told.
    told: Mutex<Vec<Errand>>,
    /// What the log is to be told.
    lines: Mutex<Vec<Line>>,
    /// What users did that is committed.
    done: Mutex<Vec<Note>>,
    /// Whether a mail was queued.
    mailed: AtomicBool,
}

impl Errands {
    pub(crate) fn add(&self, errand: Errand) {
        locked(&self.0.told).push(errand);
    }

    /// Has the log told, once it is so.
    pub(crate) fn say(&self, line: Line) {
        locked(&self.0.lines).push(line);
    }

    /// What users did that is committed.
    pub(crate) fn done(&self) -> Vec<Note> {
        locked(&self.0.done).clone()
    }

    /// Nothing was done, nor is anything to be.
    pub(crate) fn forget(&self) {
        self.take();
        self.forget_lines();
        self.take_mail();
    }

    /// What is noted for the log was not done.
    pub(crate) fn forget_lines(&self) {
        locked(&self.0.lines).clear();
    }

    /// What the log is to be told of a commit that is about to be sent.
    pub(crate) fn telling(&self) -> Telling {
        let lines = std::mem::take(&mut *locked(&self.0.lines));
        Telling { lines, errands: self.clone() }
    }

    /// Tells the log of what is committed.
    pub(crate) fn tell(&self, line: Line) {
        line.write();
        if let Line::Audit(note) = line {
            locked(&self.0.done).push(note);
        }
    }

    /// Notes that a mail was queued, which is to be sent at once.
    pub(crate) fn add_mail(&self) {
        self.0.mailed.store(true, Ordering::Relaxed);
    }

    /// Whether a mail was queued that nobody was told of yet.
    pub(crate) fn take_mail(&self) -> bool {
        self.0.mailed.swap(false, Ordering::Relaxed)
    }

    /// Whether no hook elsewhere has to be told of anything.
    pub(crate) fn is_empty(&self) -> bool {
        locked(&self.0.told).is_empty()
    }

    pub(crate) fn take(&self) -> Vec<Errand> {
        std::mem::take(&mut *locked(&self.0.told))
    }
}

/// Tells the log once it is dropped, unless PostgreSQL refused. A commit that was sent counts, whoever still waits for its end:
/// a client that hangs up, a time that is over and a connection that breaks would else take the lines of what was done along.
#[must_use = "dropped at once, it tells of what is not done yet"]
pub(crate) struct Telling {
    lines: Vec<Line>,
    errands: Errands,
}

impl Telling {
    /// Says nothing, since nothing was done.
    pub(crate) fn refused(mut self) {
        self.lines.clear();
    }
}

impl Drop for Telling {
    fn drop(&mut self) {
        for line in self.lines.drain(..) {
            self.errands.tell(line);
        }
    }
}

fn locked<T>(list: &Mutex<Vec<T>>) -> MutexGuard<'_, Vec<T>> {
    list.lock().unwrap_or_else(PoisonError::into_inner)
}
