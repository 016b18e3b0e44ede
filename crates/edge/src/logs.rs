//! Lines that a function writes: stdout as info, stderr as error (functions.md W07, section 5).

use std::{
    io,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
    time::{Duration, Instant},
};

use bytes::Bytes;
use time::OffsetDateTime;
use tokio::io::AsyncWrite;
use wasmtime_wasi::{
    cli::{IsTerminal, StdoutStream},
    p2::{OutputStream, Pollable, StreamResult},
};

use crate::book::{Book, Event, Facts, Level, Line};

/// Longest line in bytes; the rest of a longer one is left out.
const LONGEST_LINE: usize = 10_000;
/// Lines of one function in one window.
const LINES: u32 = 100;
/// Invocations of one function that are told of in one window, by two lines each: the book has room for other functions.
const INVOCATIONS: u32 = 20;
/// The window.
const WINDOW: Duration = Duration::from_secs(10);

/// How many lines a function may still write, and the platform about its invocations and failures; shared by its instances.
/// The three are counted apart, so that none hides another.
#[derive(Debug)]
pub(crate) struct LineBudget {
    lines: Mutex<Window>,
    invocations: Mutex<Window>,
    failures: Mutex<Window>,
}

#[derive(Debug)]
struct Window {
    most: u32,
    started: Instant,
    written: u32,
    dropped: u32,
}

impl LineBudget {
    pub(crate) fn new() -> Arc<Self> {
        let window = |most| Mutex::new(Window { most, started: Instant::now(), written: 0, dropped: 0 });
        Arc::new(Self { lines: window(LINES), invocations: window(INVOCATIONS), failures: window(LINES) })
    }
}

impl Window {
    /// Whether one more may be told of; with the number that a finished window dropped.
    fn take(&mut self, now: Instant) -> (bool, u32) {
        let mut dropped = 0;
        if now.duration_since(self.started) >= WINDOW {
            dropped = self.dropped;
            *self = Self { started: now, written: 0, dropped: 0, ..*self };
        }
        let allowed = self.written < self.most;
        if allowed {
            self.written += 1;
        } else {
            self.dropped += 1;
        }
        (allowed, dropped)
    }
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
        self.note((Level::Info, Event::Shutdown), told(&facts), facts);
    }

    /// Tells of an instance that ended before it was done.
    pub(crate) fn ended(&self, facts: Facts) {
        if !self.admits_failure() {
            return;
        }
        let Facts { reason, exception, cpu_time_used_ms, memory_used, .. } = &facts;
        let (function, request_id) = (&self.function, &self.request_id);
        tracing::error!(function = %function, request.id = %request_id, reason, exception, cpu_time_used_ms, memory_used, "the instance failed");
        self.note((Level::Error, Event::Shutdown), told(&facts), facts);
    }

    /// Tells of a function that gave an error in place of an answer.
    pub(crate) fn gave_up(&self, exception: String) {
        if !self.admits_failure() {
            return;
        }
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
        let (allowed, dropped) = lock(&self.budget.failures).take(Instant::now());
        self.tell_dropped(dropped, "lines about failures");
        allowed
    }

    fn admits_line(&self) -> bool {
        let (allowed, dropped) = lock(&self.budget.lines).take(Instant::now());
        self.tell_dropped(dropped, "log lines");
        allowed
    }

    fn tell_dropped(&self, dropped: u32, what: &str) {
        if dropped > 0 {
            tracing::warn!(function = %self.function, "dropped {dropped} {what}");
            self.note((Level::Error, Event::Log), format!("dropped {dropped} {what}"), Facts::default());
        }
    }

    /// Keeps a line for `functions logs`.
    fn note(&self, (level, event): (Level, Event), message: String, facts: Facts) {
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

/// The end of an instance as a sentence.
fn told(facts: &Facts) -> String {
    let Facts { reason, exception, cpu_time_used_ms, memory_used, .. } = facts;
    let reason = reason.as_deref().unwrap_or_default();
    let exception = exception.as_ref().map(|exception| format!(": {exception}")).unwrap_or_default();
    let (cpu_time, memory) = (cpu_time_used_ms.unwrap_or_default(), memory_used.unwrap_or_default());
    format!("{reason} after {cpu_time} ms of CPU time, {memory} bytes{exception}")
}

/// One output stream of one instance. Clones write to the same lines; what has no line end is written at the end.
#[derive(Debug, Clone)]
pub(crate) struct Lines(Arc<Mutex<Buffer>>);

#[derive(Debug)]
struct Buffer {
    source: Arc<Source>,
    level: Level,
    line: Vec<u8>,
}

impl Lines {
    pub(crate) fn new(source: Arc<Source>, level: Level) -> Self {
        Self(Arc::new(Mutex::new(Buffer { source, level, line: Vec::new() })))
    }

    /// Writes what has no line end: the request is over.
    pub(crate) fn finish(&self) {
        lock(&self.0).finish();
    }

    /// Writes for another request from now on.
    pub(crate) fn turn_to(&self, source: Arc<Source>) {
        lock(&self.0).source = source;
    }
}

impl Buffer {
    fn push(&mut self, bytes: &[u8]) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let (text, ends) = part.strip_suffix(b"\n").map_or((part, false), |text| (text, true));
            let room = LONGEST_LINE.saturating_sub(self.line.len());
            self.line.extend_from_slice(&text[..text.len().min(room)]);
            if ends {
                self.write_line();
            }
        }
    }

    /// Writes what has no line end.
    fn finish(&mut self) {
        if !self.line.is_empty() {
            self.write_line();
        }
    }

    fn write_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let source = &self.source;
        if !source.admits_line() {
            return;
        }
        let message = String::from_utf8_lossy(&line);
        let message = message.trim_end_matches('\r');
        source.note((self.level, Event::Log), message.to_owned(), Facts::default());
        match self.level {
            Level::Info => {
                tracing::info!(target: "function", function = %source.function, request.id = %source.request_id, "{message}");
            }
            Level::Error => {
                tracing::error!(target: "function", function = %source.function, request.id = %source.request_id, "{message}");
            }
        }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.finish();
    }
}

impl IsTerminal for Lines {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Lines {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(self.clone())
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }
}

impl Pollable for Lines {
    fn ready<'life0, 'async_trait>(
        &'life0 mut self,
    ) -> Pin<Box<dyn Future<Output = ()> + Send + 'async_trait>>
    where
        'life0: 'async_trait,
        Self: 'async_trait,
    {
        Box::pin(std::future::ready(()))
    }
}

impl OutputStream for Lines {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        lock(&self.0).push(&bytes);
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(64 << 10)
    }
}

impl AsyncWrite for Lines {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        lock(&self.0).push(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// A panic while writing a line leaves nothing half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn functions_limit_log_w07_a_window_holds_100_lines_and_then_counts_what_it_drops() {
        let now = Instant::now();
        let mut window = Window { most: LINES, started: now, written: 0, dropped: 0 };
        let allowed = (0..130).filter(|_| window.take(now).0).count();
        assert_eq!(allowed, 100);
        assert_eq!(window.take(now + WINDOW), (true, 30));
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
    fn functions_limit_log_w06_lines_about_failures_are_bounded_and_counted_apart() {
        let source = source();
        for _ in 0..150 {
            source.ended(Facts::default());
            source.gave_up(String::new());
        }
        assert_eq!(source.book.after(0, None).len(), 100);
        assert!(!source.admits_failure());
        assert!(source.admits_line(), "the function's own lines have room of their own");
        assert!(source.admits_invocation(), "and so have its invocations");
        lock(&source.budget.failures).started -= WINDOW;
        source.ended(Facts::default());
        let lines = source.book.after(100, None);
        assert_eq!(lines[0].message, "dropped 201 lines about failures");
        assert_eq!(lines.len(), 2);
    }
}
