//! What the platform tells of a function's invocations, failures and lines (CONTRACT.md W06, W07).

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use time::OffsetDateTime;

use super::{
    budget::{LineBudget, Window},
    lines::LONGEST_LINE,
    lock,
};
use crate::book::{Book, Event, Facts, Level, Line};

/// What a request waited for in vain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lack {
    /// A place of its own function.
    Own,
    /// A place of all, or memory of the node.
    Node,
}

/// Whose lines they are.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) function: Arc<str>,
    pub(crate) request_id: Arc<str>,
    pub(crate) execution_id: Arc<str>,
    pub(crate) budget: Arc<LineBudget>,
    pub(crate) book: Arc<Book>,
    /// When the request came, by the clock and by the steady one.
    pub(crate) began: (OffsetDateTime, Instant),
}

impl Source {
    /// Whether this invocation is told of, which is so for a bounded number of them. That there are more is no failure, and
    /// nothing for the server's own log.
    pub(crate) fn admits_invocation(&self) -> bool {
        let (allowed, more) = lock(&self.budget.invocations).take(Instant::now());
        if more > 0 {
            let message = format!("{more} more invocations are not told of");
            self.note((Level::Info, Event::Log), message, Facts::default());
        }
        allowed
    }

    /// Tells of an instance that was made.
    pub(crate) fn booted(&self, took: Duration) {
        let boot_time_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        let facts = Facts { boot_time_ms: Some(boot_time_ms), ..Facts::default() };
        self.note((Level::Info, Event::Boot), format!("booted in {boot_time_ms} ms"), facts);
    }

    /// Tells of an instance that has done its work.
    pub(crate) fn completed(&self, facts: Facts) {
        self.note((Level::Info, Event::Shutdown), told(&facts, None), facts);
    }

    /// Tells of an instance that gave up since its client was gone: no failure of the function
    /// (W03).
    pub(crate) fn was_left(&self, facts: Facts) {
        let message = "the client left before the function was done";
        tracing::info!(function = %self.function, request.id = %self.request_id, message);
        self.note((Level::Info, Event::Shutdown), message.to_owned(), facts);
    }

    /// Tells of an instance that ended before it was done, and of the setting that ended it.
    pub(crate) fn ended(&self, facts: Facts, setting: Option<&str>) {
        if !self.admits_failure() {
            return;
        }
        let Facts { reason, exception, cpu_time_used_ms, memory_used, .. } = &facts;
        let (function, request_id) = (&self.function, &self.request_id);
        tracing::error!(function = %function, request.id = %request_id, reason, setting, exception, cpu_time_used_ms, memory_used, "the instance failed");
        self.note((Level::Error, Event::Shutdown), told(&facts, setting), facts);
    }

    /// Tells of a request that found no place at once, or none in time.
    pub(crate) fn turned_away(&self, lack: Lack, why: &str) {
        let budget = match lack {
            Lack::Own => &self.budget.turned_away_by_own,
            Lack::Node => &self.budget.turned_away_by_node,
        };
        if self.admits(budget, "lines about requests that were turned away") {
            tracing::warn!(function = %self.function, request.id = %self.request_id, why, "a request was turned away");
            let message = format!("a request was turned away: {why}");
            self.note((Level::Error, Event::Log), message, Facts::default());
        }
    }

    /// Tells of a request with a larger body than its function takes, which is its client's doing and no error.
    pub(crate) fn too_large(&self) {
        if self.admits(&self.budget.too_large, "lines about requests with too large a body") {
            let setting = self.setting("max_body");
            let message = format!("a request was turned away: its body is larger than {setting}");
            tracing::info!(function = %self.function, request.id = %self.request_id, "{message}");
            self.note((Level::Info, Event::Log), message, Facts::default());
        }
    }

    /// How one of the function's settings is named to people.
    pub(crate) fn setting(&self, name: &str) -> String {
        format!("`{name}` of [functions.{}] in banyan.toml", self.function)
    }

    /// Tells of a function that gave an error in place of an answer.
    pub(crate) fn gave_up(&self, exception: String) {
        if !self.admits_failure() {
            return;
        }
        let exception = cut(exception);
        tracing::error!(function = %self.function, request.id = %self.request_id, error = exception, "the function gave up without an answer");
        let message = format!("the function gave up without an answer: {exception}");
        let facts = Facts { exception: Some(exception), ..Facts::default() };
        self.note((Level::Error, Event::UncaughtException), message, facts);
    }

    /// Tells of an outgoing call that came to nothing: whoever wrote the function sees only an error code of WASI.
    pub(crate) fn no_call(&self, message: String) {
        if !self.admits_failure() {
            return;
        }
        tracing::warn!(function = %self.function, request.id = %self.request_id, "{message}");
        self.note((Level::Error, Event::Log), message, Facts::default());
    }

    fn admits_failure(&self) -> bool {
        self.admits(&self.budget.failures, "lines about failures")
    }

    pub(super) fn admits_line(&self) -> bool {
        self.admits(&self.budget.lines, "log lines")
    }

    /// Whether one more line is within its budget; tells of those before that were not.
    fn admits(&self, budget: &Mutex<Window>, what: &str) -> bool {
        let (allowed, dropped) = lock(budget).take(Instant::now());
        if dropped > 0 {
            tracing::warn!(function = %self.function, "dropped {dropped} {what}");
            self.note((Level::Error, Event::Log), format!("dropped {dropped} {what}"), Facts::default());
        }
        allowed
    }

    /// Keeps a line for `functions logs`, which has no room for a long one beside others.
    pub(super) fn note(&self, (level, event): (Level, Event), message: String, facts: Facts) {
        let (message, exception) = (cut(message), facts.exception.map(cut));
        let facts = Facts { exception, ..facts };
        self.book.add(Line {
            id: 0,
            timestamp: self.began.0 + self.began.1.elapsed(),
            function: Arc::clone(&self.function),
            level,
            event,
            message,
            request_id: Some(Arc::clone(&self.request_id)),
            execution_id: Some(Arc::clone(&self.execution_id)),
            facts,
        });
    }
}

/// The text up to the longest line that is kept.
fn cut(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(LONGEST_LINE));
    text
}

/// The end of an instance as a sentence. The setting comes before what was not caught, which has many lines.
fn told(facts: &Facts, setting: Option<&str>) -> String {
    let Facts { reason, exception, cpu_time_used_ms, memory_used, .. } = facts;
    let reason = reason.as_deref().unwrap_or_default();
    let exception = exception.as_ref().map(|exception| format!(": {exception}")).unwrap_or_default();
    let setting = setting.map(|setting| format!(" ({setting})")).unwrap_or_default();
    let (cpu_time, memory) = (cpu_time_used_ms.unwrap_or_default(), memory_used.unwrap_or_default());
    format!("{reason}{setting} after {cpu_time} ms of CPU time, {memory} bytes{exception}")
}

#[cfg(test)]
mod tests {
    use super::{super::budget::WINDOW, *};

    fn source() -> Source {
        let none: Arc<str> = Arc::from("");
        Source {
            function: Arc::clone(&none),
            request_id: Arc::clone(&none),
            execution_id: none,
            budget: LineBudget::new(),
            book: Book::new(),
            began: (OffsetDateTime::UNIX_EPOCH, Instant::now()),
        }
    }

    #[test]
    fn functions_limit_log_w06_20_invocations_are_told_of_and_how_many_more_is_no_error() {
        let source = source();
        let told = (0..150).filter(|_| source.admits_invocation()).count();
        assert_eq!(told, 20);
        assert!(source.admits_failure() && source.admits_line(), "the others have room of their own");
        lock(&source.budget.invocations).started -= WINDOW;
        assert!(source.admits_invocation());
        let lines = source.book.after(0, None);
        let found: Vec<_> = lines.iter().map(|line| (line.level, line.message.as_str())).collect();
        assert_eq!(found, [(Level::Info, "130 more invocations are not told of")]);
    }

    #[test]
    fn functions_limit_log_w06_who_is_turned_away_hides_no_failure() {
        let source = source();
        for _ in 0..150 {
            source.turned_away(Lack::Own, "no place");
        }
        source.turned_away(Lack::Node, "no memory");
        source.ended(Facts::default(), Some("a setting"));
        let lines = source.book.after(0, None);
        assert_eq!(lines.len(), 7);
        assert_eq!(lines[5].message, "a request was turned away: no memory", "one reason hides no other");
        assert!(lines[6].message.contains("(a setting)"), "{}", lines[6].message);
    }

    #[test]
    fn functions_limit_log_w06_lines_about_failures_are_bounded_and_counted_apart() {
        let source = source();
        for _ in 0..150 {
            source.ended(Facts::default(), None);
            source.gave_up(String::new());
        }
        assert_eq!(source.book.after(0, None).len(), 100);
        assert!(!source.admits_failure());
        assert!(source.admits_line(), "the function's own lines have room of their own");
        assert!(source.admits_invocation(), "and so have its invocations");
        lock(&source.budget.failures).started -= WINDOW;
        source.ended(Facts::default(), None);
        let lines = source.book.after(100, None);
        assert_eq!(lines[0].message, "dropped 201 lines about failures");
        assert_eq!(lines.len(), 2);
    }
}
