//! The log of one invocation: its own lines, and lines of the platform about it (CONTRACT.md W06,
//! W07).

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use time::OffsetDateTime;

use super::{
    lock,
    log_buffer::{Event, LONGEST_LINE, Level, LogBuffer, LogFields, LogLine},
    rate_limits::{LogRateLimits, Window},
};

/// What was full when a request was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shortage {
    /// The permits of its own function.
    Function,
    /// The slots of the node, or its memory.
    Node,
}

/// Writes the lines of one invocation.
#[derive(Debug)]
pub(crate) struct InvocationLog {
    pub(crate) function: Arc<str>,
    pub(crate) request_id: Arc<str>,
    pub(crate) execution_id: Arc<str>,
    pub(crate) rate_limits: Arc<LogRateLimits>,
    pub(crate) log_buffer: Arc<LogBuffer>,
    /// When the request came, by the wall clock and by the monotonic clock.
    pub(crate) began: (OffsetDateTime, Instant),
}

impl InvocationLog {
    /// Whether this invocation is logged: only a bounded number of them is. More invocations are no
    /// failure, so the server's own log does not mention them.
    pub(crate) fn admits_invocation(&self) -> bool {
        let (allowed, more) = lock(&self.rate_limits.invocations).take(Instant::now());
        if more > 0 {
            let message = format!("{more} more invocations are not told of");
            self.note((Level::Info, Event::Log), message, LogFields::default());
        }
        allowed
    }

    /// Logs that an instance was made.
    pub(crate) fn booted(&self, took: Duration) {
        let boot_time_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        let fields = LogFields { boot_time_ms: Some(boot_time_ms), ..LogFields::default() };
        self.note((Level::Info, Event::Boot), format!("booted in {boot_time_ms} ms"), fields);
    }

    /// Logs that an instance has done its work.
    pub(crate) fn completed(&self, fields: LogFields) {
        self.note((Level::Info, Event::Shutdown), shutdown_message(&fields, None), fields);
    }

    /// Logs that an instance gave up because its client was gone, which is no failure of the
    /// function (W03).
    pub(crate) fn client_left(&self, fields: LogFields) {
        let message = "the client left before the function was done";
        tracing::info!(function = %self.function, request.id = %self.request_id, message);
        self.note((Level::Info, Event::Shutdown), message.to_owned(), fields);
    }

    /// Logs that an instance ended before it was done, with the setting that ended it.
    pub(crate) fn failed(&self, fields: LogFields, setting: Option<&str>) {
        if !self.admits_failure() {
            return;
        }
        let LogFields { reason, exception, cpu_time_used_ms, memory_used, .. } = &fields;
        let (function, request_id) = (&self.function, &self.request_id);
        tracing::error!(function = %function, request.id = %request_id, reason, setting, exception, cpu_time_used_ms, memory_used, "the instance failed");
        self.note((Level::Error, Event::Shutdown), shutdown_message(&fields, setting), fields);
    }

    /// Logs a request that was refused because too many wait, or because none was served in time.
    pub(crate) fn rejected(&self, shortage: Shortage, why: &str) {
        let rate_limits = match shortage {
            Shortage::Function => &self.rate_limits.rejected_by_function,
            Shortage::Node => &self.rate_limits.rejected_by_node,
        };
        if self.admits(rate_limits, "lines about requests that were turned away") {
            tracing::warn!(function = %self.function, request.id = %self.request_id, why, "a request was turned away");
            let message = format!("a request was turned away: {why}");
            self.note((Level::Error, Event::Log), message, LogFields::default());
        }
    }

    /// Logs a request whose body is larger than its function allows. That is the client's doing and
    /// no error.
    pub(crate) fn body_too_large(&self) {
        if self.admits(&self.rate_limits.body_too_large, "lines about requests with too large a body") {
            let setting = self.setting("max_body");
            let message = format!("a request was turned away: its body is larger than {setting}");
            tracing::info!(function = %self.function, request.id = %self.request_id, "{message}");
            self.note((Level::Info, Event::Log), message, LogFields::default());
        }
    }

    /// How messages name one of the function's settings.
    pub(crate) fn setting(&self, name: &str) -> String {
        format!("`{name}` of [functions.{}] in banyan.toml", self.function)
    }

    /// Logs that a function gave an error instead of an answer.
    pub(crate) fn no_answer(&self, exception: String) {
        if !self.admits_failure() {
            return;
        }
        let exception = cut(exception);
        tracing::error!(function = %self.function, request.id = %self.request_id, error = exception, "the function gave up without an answer");
        let message = format!("the function gave up without an answer: {exception}");
        let fields = LogFields { exception: Some(exception), ..LogFields::default() };
        self.note((Level::Error, Event::UncaughtException), message, fields);
    }

    /// Logs an outgoing call that failed. The function itself sees only an error code of WASI.
    pub(crate) fn call_failed(&self, message: String) {
        if !self.admits_failure() {
            return;
        }
        tracing::warn!(function = %self.function, request.id = %self.request_id, "{message}");
        self.note((Level::Error, Event::Log), message, LogFields::default());
    }

    fn admits_failure(&self) -> bool {
        self.admits(&self.rate_limits.failures, "lines about failures")
    }

    pub(super) fn admits_line(&self) -> bool {
        self.admits(&self.rate_limits.lines, "log lines")
    }

    /// Whether one more line may be logged. Logs how many were dropped before.
    fn admits(&self, rate_limits: &Mutex<Window>, what: &str) -> bool {
        let (allowed, dropped) = lock(rate_limits).take(Instant::now());
        if dropped > 0 {
            tracing::warn!(function = %self.function, "dropped {dropped} {what}");
            self.note((Level::Error, Event::Log), format!("dropped {dropped} {what}"), LogFields::default());
        }
        allowed
    }

    /// Keeps a line for `functions logs`. Long lines are cut, so that others have room.
    pub(super) fn note(&self, (level, event): (Level, Event), message: String, fields: LogFields) {
        let (message, exception) = (cut(message), fields.exception.map(cut));
        let fields = LogFields { exception, ..fields };
        self.log_buffer.add(LogLine {
            id: 0,
            timestamp: self.began.0 + self.began.1.elapsed(),
            function: Arc::clone(&self.function),
            level,
            event,
            message,
            request_id: Some(Arc::clone(&self.request_id)),
            execution_id: Some(Arc::clone(&self.execution_id)),
            fields,
        });
    }
}

/// Cuts a text to the longest line that is kept.
fn cut(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(LONGEST_LINE));
    text
}

/// The end of an instance as a sentence. The setting comes before the exception, which has many
/// lines.
fn shutdown_message(fields: &LogFields, setting: Option<&str>) -> String {
    let LogFields { reason, exception, cpu_time_used_ms, memory_used, .. } = fields;
    let reason = reason.as_deref().unwrap_or_default();
    let exception = exception.as_ref().map(|exception| format!(": {exception}")).unwrap_or_default();
    let setting = setting.map(|setting| format!(" ({setting})")).unwrap_or_default();
    let (cpu_time, memory) = (cpu_time_used_ms.unwrap_or_default(), memory_used.unwrap_or_default());
    format!("{reason}{setting} after {cpu_time} ms of CPU time, {memory} bytes{exception}")
}

#[cfg(test)]
mod tests {
    use super::{super::rate_limits::WINDOW, *};

    fn log() -> InvocationLog {
        let none: Arc<str> = Arc::from("");
        InvocationLog {
            function: Arc::clone(&none),
            request_id: Arc::clone(&none),
            execution_id: none,
            rate_limits: LogRateLimits::new(),
            log_buffer: LogBuffer::new(),
            began: (OffsetDateTime::UNIX_EPOCH, Instant::now()),
        }
    }

    // rows: LIMIT_LOG W06
    #[test]
    fn of_many_failing_invocations_twenty_are_logged() {
        let log = log();
        let admitted = (0..150).filter(|_| log.admits_invocation()).count();
        assert_eq!(admitted, 20);
        assert!(log.admits_failure() && log.admits_line(), "the others have room of their own");
        lock(&log.rate_limits.invocations).started -= WINDOW;
        assert!(log.admits_invocation());
        let lines = log.log_buffer.after(0, None);
        let found: Vec<_> = lines.iter().map(|line| (line.level, line.message.as_str())).collect();
        assert_eq!(found, [(Level::Info, "130 more invocations are not told of")]);
    }

    // rows: LIMIT_LOG W06
    #[test]
    fn a_refused_request_hides_no_failure() {
        let log = log();
        for _ in 0..150 {
            log.rejected(Shortage::Function, "no place");
        }
        log.rejected(Shortage::Node, "no memory");
        log.failed(LogFields::default(), Some("a setting"));
        let lines = log.log_buffer.after(0, None);
        assert_eq!(lines.len(), 7);
        assert_eq!(lines[5].message, "a request was turned away: no memory", "one reason hides no other");
        assert!(lines[6].message.contains("(a setting)"), "{}", lines[6].message);
    }

    // rows: LIMIT_LOG W06
    #[test]
    fn lines_about_failures_are_bounded_and_counted_apart() {
        let log = log();
        for _ in 0..150 {
            log.failed(LogFields::default(), None);
            log.no_answer(String::new());
        }
        assert_eq!(log.log_buffer.after(0, None).len(), 100);
        assert!(!log.admits_failure());
        assert!(log.admits_line(), "the function's own lines have room of their own");
        assert!(log.admits_invocation(), "and so have its invocations");
        lock(&log.rate_limits.failures).started -= WINDOW;
        log.failed(LogFields::default(), None);
        let lines = log.log_buffer.after(100, None);
        assert_eq!(lines[0].message, "dropped 201 lines about failures");
        assert_eq!(lines.len(), 2);
    }
}
