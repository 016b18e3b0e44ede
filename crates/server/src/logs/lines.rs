//! Lines on their way out. A thread of its own writes them, so that nothing that answers requests
//! waits for who reads the log. A line waits a moment for others, so that a busy server makes no
//! system call for each; a warning or an error takes all with it at once.

use std::{
    io::{self, Write},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

/// How long a line may wait for others.
const PAUSE: Duration = Duration::from_millis(20);
/// Bytes that may wait. What is more than that is dropped and counted: nobody reads the log.
const MOST_WAITING: usize = 1 << 20;
/// As many more are kept for warnings and errors.
const MOST_URGENT: usize = 1 << 18;
/// How long the end of the process waits for who reads the log.
const LAST: Duration = Duration::from_secs(2);

/// Lines that wait to be written together.
#[derive(Clone)]
pub(super) struct Lines(Arc<Shared>);

struct Shared {
    /// How long a line may wait for others.
    pause: Duration,
    waiting: Mutex<Waiting>,
    /// Something changed of what waits.
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    bytes: Vec<u8>,
    dropped: u64,
    is_urgent: bool,
    is_being_written: bool,
}

impl std::fmt::Debug for Lines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lines").finish_non_exhaustive()
    }
}

impl Lines {
    pub(super) fn to(out: impl Write + Send + 'static) -> io::Result<Self> {
        Self::pausing(PAUSE, out)
    }

    fn pausing(pause: Duration, out: impl Write + Send + 'static) -> io::Result<Self> {
        let lines = Self(Arc::new(Shared { pause, waiting: Mutex::default(), changed: Condvar::new() }));
        let writer = lines.clone();
        thread::Builder::new().name("log".into()).spawn(move || writer.write_to(out))?;
        Ok(lines)
    }

    /// Writes what comes for as long as the process lives.
    fn write_to(&self, mut out: impl Write) {
        let Shared { pause, waiting, changed } = &*self.0;
        loop {
            let some = changed.wait_while(locked(waiting), |waiting| waiting.bytes.is_empty());
            let some = some.unwrap_or_else(PoisonError::into_inner);
            let together = changed.wait_timeout_while(some, *pause, |waiting| !waiting.is_urgent);
            let (mut all, _) = together.unwrap_or_else(PoisonError::into_inner);
            let Waiting { bytes, dropped, .. } = std::mem::take(&mut *all);
            all.is_being_written = true;
            drop(all);
            // There is nowhere else to tell of a log that cannot be written.
            let _ = out.write_all(&bytes);
            locked(waiting).is_being_written = false;
            changed.notify_all();
            if dropped > 0 {
                tracing::warn!(dropped, "lines of the log came faster than they were read");
            }
        }
    }

    fn add(&self, line: &[u8], is_urgent: bool) {
        let mut waiting = locked(&self.0.waiting);
        let most = if is_urgent { MOST_WAITING + MOST_URGENT } else { MOST_WAITING };
        if waiting.bytes.len() + line.len() > most {
            waiting.dropped += 1;
            return;
        }
        let is_news = waiting.bytes.is_empty() || (is_urgent && !waiting.is_urgent);
        waiting.bytes.extend_from_slice(line);
        waiting.is_urgent |= is_urgent;
        drop(waiting);
        if is_news {
            self.0.changed.notify_all();
        }
    }

    /// Waits until all is written, but not for ever: nobody may be reading.
    pub(super) fn end(&self) {
        let Shared { waiting, changed, .. } = &*self.0;
        let mut all = locked(waiting);
        all.is_urgent = true;
        changed.notify_all();
        let written = changed
            .wait_timeout_while(all, LAST, |waiting| waiting.is_being_written || !waiting.bytes.is_empty());
        drop(written);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One line on its way.
pub(super) struct Line<'a> {
    lines: &'a Lines,
    is_urgent: bool,
}

impl Write for Line<'_> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.lines.add(line, self.is_urgent);
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

    impl Read {
        /// Waits until this has been written.
        fn until(&self, is_there: impl Fn(&[String]) -> bool) -> String {
            until(|| is_there(&locked(&self.0)), "written");
            locked(&self.0).concat()
        }
    }

    fn until(is_so: impl Fn() -> bool, what: &str) {
        for _ in 0..1000 {
            if is_so() {
                return;
            }
            thread::sleep(Duration::from_millis(5));
        }
        panic!("not {what} for five seconds");
    }

    fn lines() -> (Read, Lines) {
        let read = Read::default();
        (read.clone(), Lines::to(read).expect("a thread"))
    }

    #[test]
    fn lines_are_written_together_and_in_order() {
        let (read, lines) = lines();
        let unread = locked(&read.0);
        lines.add(b"one\n", false);
        until(|| locked(&lines.0.waiting).is_being_written, "being written");
        // These wait for the first, and then go together.
        lines.add(b"two\n", false);
        lines.add(b"three\n", false);
        drop(unread);
        assert_eq!(read.until(|written| written.len() == 2), "one\ntwo\nthree\n");
    }

    #[test]
    fn an_urgent_line_takes_those_that_wait_with_it_at_once() {
        let read = Read::default();
        let lines = Lines::pausing(Duration::from_hours(1), read.clone()).expect("a thread");
        lines.add(b"one\n", false);
        lines.add(b"two\n", true);
        assert_eq!(read.until(|written| !written.is_empty()), "one\ntwo\n");
    }

    // rows: GW-LOG-LOSS
    #[test]
    fn a_log_that_nobody_reads_keeps_nobody_waiting_and_has_room_for_what_is_urgent() {
        let (read, lines) = lines();
        let unread = locked(&read.0);
        let long = "x".repeat(MOST_WAITING / 4);
        // The thread may hold some beside those that wait.
        for _ in 0..20 {
            lines.add(long.as_bytes(), false);
        }
        assert!(locked(&lines.0.waiting).dropped > 0);
        lines.add(b"urgent\n", true);
        drop(unread);
        let written = read.until(|written| written.last().is_some_and(|last| last.ends_with("urgent\n")));
        assert!(written.len() < 20 * long.len());
    }

    #[test]
    fn the_end_waits_for_what_is_not_written_yet() {
        let (read, lines) = lines();
        lines.add(b"last\n", false);
        lines.end();
        assert_eq!(locked(&read.0).concat(), "last\n");
    }
}
