//! Structured log lines on standard error: JSON for machines, or text for a terminal.
//!
//! A line waits a moment for others, so that a busy server makes no system call for each and nothing that answers requests
//! waits for who reads the log. Warnings and errors leave at once, with all that waited before them.

use std::{
    io::{self, Write},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use tracing::{Level, Metadata};
use tracing_subscriber::{
    EnvFilter, fmt, fmt::MakeWriter, layer::SubscriberExt, registry, util::SubscriberInitExt,
};

/// How long a line may wait for others.
const PAUSE: Duration = Duration::from_millis(20);
/// Bytes that may wait. What is more than that is dropped and counted: nobody reads the log.
const MOST_WAITING: usize = 1 << 20;

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// One JSON object a line.
    Json,
    /// For people.
    Text,
}

/// Logging goes on until this is dropped; then what waits is written.
#[derive(Debug)]
#[must_use = "what waits is lost when the process ends without dropping this"]
pub struct Logging(Lines);

impl Drop for Logging {
    fn drop(&mut self) {
        self.0.write_out();
    }
}

/// Starts logging; a second call changes nothing. `filter` is a level or a list such as `info,banyan_rest=debug`; one
/// that cannot be read counts as `info`.
///
/// # Errors
/// Where no thread can be started for it.
pub fn start(format: Format, filter: &str) -> io::Result<Logging> {
    let lines = Lines::to(io::stderr())?;
    let filter = EnvFilter::try_new(filter).unwrap_or_else(|_| EnvFilter::new("info"));
    let registry = registry().with(filter);
    let layer = fmt::layer().with_writer(lines.clone());
    let started = match format {
        Format::Json => registry.with(layer.json().flatten_event(true)).try_init(),
        Format::Text => registry.with(layer.compact().with_target(false)).try_init(),
    };
    // Already started: the first format stays.
    drop(started);
    Ok(Logging(lines))
}

/// Lines that wait to be written together.
#[derive(Clone)]
struct Lines(Arc<Shared>);

struct Shared {
    waiting: Mutex<Waiting>,
    arrived: Condvar,
    out: Mutex<Box<dyn Write + Send>>,
}

#[derive(Default)]
struct Waiting {
    bytes: Vec<u8>,
    dropped: u64,
}

impl std::fmt::Debug for Lines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lines").finish_non_exhaustive()
    }
}

impl Lines {
    fn to(out: impl Write + Send + 'static) -> io::Result<Self> {
        let (waiting, out) = (Mutex::default(), Mutex::new(Box::new(out) as Box<dyn Write + Send>));
        let lines = Self(Arc::new(Shared { waiting, arrived: Condvar::new(), out }));
        let writer = lines.clone();
        thread::Builder::new().name("log".into()).spawn(move || writer.go_on())?;
        Ok(lines)
    }

    /// Writes what comes for as long as the process lives.
    fn go_on(&self) {
        loop {
            let none = |waiting: &mut Waiting| waiting.bytes.is_empty();
            drop(self.0.arrived.wait_while(locked(&self.0.waiting), none));
            thread::sleep(PAUSE);
            self.write_out();
        }
    }

    fn add(&self, line: &[u8]) {
        let mut waiting = locked(&self.0.waiting);
        if waiting.bytes.len() + line.len() > MOST_WAITING {
            waiting.dropped += 1;
            return;
        }
        let is_first = waiting.bytes.is_empty();
        waiting.bytes.extend_from_slice(line);
        drop(waiting);
        if is_first {
            self.0.arrived.notify_one();
        }
    }

    fn write_out(&self) {
        // Taken first, so that lines stay in order whoever writes them.
        let mut out = locked(&self.0.out);
        let Waiting { bytes, dropped } = std::mem::take(&mut *locked(&self.0.waiting));
        // There is nowhere else to tell of a log that cannot be written.
        let _ = out.write_all(&bytes);
        if dropped > 0 {
            let _ = writeln!(
                out,
                r#"{{"level":"WARN","message":"{dropped} lines of the log were dropped: they came faster than they were read"}}"#
            );
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One line on its way.
struct Line<'a> {
    lines: &'a Lines,
    is_urgent: bool,
}

impl Write for Line<'_> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.lines.add(line);
        if self.is_urgent {
            self.lines.write_out();
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Line<'a>;

    fn make_writer(&'a self) -> Line<'a> {
        Line { lines: self, is_urgent: false }
    }

    fn make_writer_for(&'a self, meta: &Metadata<'_>) -> Line<'a> {
        Line { lines: self, is_urgent: *meta.level() <= Level::WARN }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was written, each write apart. Nobody reads it while it is locked.
    #[derive(Clone, Default)]
    struct Read(Arc<Mutex<Vec<String>>>);

    impl Write for Read {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if !bytes.is_empty() {
                locked(&self.0).push(String::from_utf8_lossy(bytes).into_owned());
            }
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn line(lines: &Lines, is_urgent: bool, text: &str) {
        Line { lines, is_urgent }.write_all(text.as_bytes()).expect("it only waits");
    }

    #[test]
    fn lines_wait_for_others_and_an_urgent_one_takes_all_with_it() {
        let read = Read::default();
        let lines = Lines::to(read.clone()).expect("a thread");
        let unread = locked(&read.0);
        line(&lines, false, "one\n");
        line(&lines, false, "two\n");
        drop(unread);
        line(&lines, true, "three\n");
        assert_eq!(locked(&read.0).concat(), "one\ntwo\nthree\n", "nothing is left to wait for");
    }

    #[test]
    fn a_line_alone_is_written_soon() {
        let read = Read::default();
        let lines = Lines::to(read.clone()).expect("a thread");
        line(&lines, false, "one\n");
        for _ in 0..500 {
            if *locked(&read.0) == ["one\n"] {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
        panic!("nothing was written for five seconds");
    }

    #[test]
    fn a_log_that_nobody_reads_keeps_nobody_waiting_and_tells_what_was_dropped() {
        let read = Read::default();
        let lines = Lines::to(read.clone()).expect("a thread");
        let unread = locked(&read.0);
        let long = "x".repeat(MOST_WAITING / 4);
        // The writer may hold four of these beside those that wait.
        for _ in 0..10 {
            line(&lines, false, &long);
        }
        drop(unread);
        lines.write_out();
        let written = locked(&read.0).concat();
        assert!(written.len() <= 9 * long.len());
        assert!(
            written.ends_with("they came faster than they were read\"}\n"),
            "{}",
            &written[written.len() - 200..]
        );
    }

    #[test]
    fn the_end_writes_what_waits() {
        let read = Read::default();
        let logging = Logging(Lines::to(read.clone()).expect("a thread"));
        line(&logging.0, false, "last\n");
        drop(logging);
        assert_eq!(locked(&read.0).concat(), "last\n");
    }
}
