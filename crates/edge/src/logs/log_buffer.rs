//! The newest log lines of all functions, kept in memory for `banyan functions logs` (CONTRACT.md
//! W06, W07).

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex, PoisonError},
};

use serde::Serialize;
use time::OffsetDateTime;
use tokio::sync::watch;

/// Most bytes of kept lines. Beyond that, the oldest lines of the function with the most bytes go,
/// so that no function empties the log of another.
const MAX_BYTES: usize = 2 << 20;
/// Longest line in bytes. The rest of a longer line is left out.
pub(super) const LONGEST_LINE: usize = 10_000;
/// Bytes that a line costs beside its text.
const OVERHEAD: usize = 200;

/// What a line is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) enum Event {
    /// The function wrote it.
    Log,
    /// A component is loaded and ready, or an instance was made of it.
    Boot,
    /// The component could not be loaded.
    BootFailure,
    /// The function gave up without an answer.
    UncaughtException,
    /// The instance ended, or it was done with a request and waits for another one.
    Shutdown,
}

/// How serious a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Level {
    Info,
    Error,
}

/// One line.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct LogLine {
    /// Grows by one with each line.
    pub(crate) id: u64,
    #[serde(with = "time::serde::rfc3339")]
    pub(crate) timestamp: OffsetDateTime,
    pub(crate) function: Arc<str>,
    pub(crate) level: Level,
    pub(crate) event: Event,
    pub(crate) message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) request_id: Option<Arc<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) execution_id: Option<Arc<str>>,
    #[serde(flatten)]
    pub(crate) fields: LogFields,
}

impl LogLine {
    /// Bytes that it takes to keep.
    fn size(&self) -> usize {
        self.message.len() + self.fields.exception.as_ref().map_or(0, String::len) + OVERHEAD
    }
}

/// The fields of a line of the platform, beside its text.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct LogFields {
    /// How long it took until a component or an instance was ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) boot_time_ms: Option<u64>,
    /// Why an instance ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// An error that the function did not catch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) exception: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cpu_time_used_ms: Option<u64>,
    /// Bytes of the largest memory that the instance had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) memory_used: Option<u64>,
}

/// The lines of this process, bounded in bytes.
#[derive(Debug)]
pub(crate) struct LogBuffer {
    buffered: Mutex<Buffered>,
    last: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Buffered {
    lines: VecDeque<LogLine>,
    bytes: usize,
    /// Bytes of each function that has lines.
    bytes_by_function: BTreeMap<Arc<str>, usize>,
    next: u64,
}

impl Buffered {
    fn push(&mut self, line: LogLine) {
        self.bytes += line.size();
        *self.bytes_by_function.entry(Arc::clone(&line.function)).or_default() += line.size();
        self.lines.push_back(line);
    }

    /// Forgets one line. Returns false if there is none.
    fn forget_one(&mut self) -> bool {
        let most = self
            .bytes_by_function
            .iter()
            .max_by_key(|(_, bytes)| **bytes)
            .map(|(function, _)| Arc::clone(function));
        let oldest = most.and_then(|most| self.lines.iter().position(|line| line.function == most));
        let Some(forgotten) = oldest.and_then(|oldest| self.lines.remove(oldest)) else { return false };
        self.bytes -= forgotten.size();
        if let Some(bytes) = self.bytes_by_function.get_mut(&forgotten.function) {
            *bytes -= forgotten.size();
            if *bytes == 0 {
                self.bytes_by_function.remove(&forgotten.function);
            }
        }
        true
    }
}

impl LogBuffer {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { buffered: Mutex::default(), last: watch::Sender::new(0) })
    }

    /// Adds a line and gives it its id. Times are kept to the millisecond.
    pub(crate) fn add(&self, mut line: LogLine) {
        line.timestamp = line.timestamp.truncate_to_millisecond();
        let mut buffered = self.buffered.lock().unwrap_or_else(PoisonError::into_inner);
        buffered.next += 1;
        line.id = buffered.next;
        buffered.push(line);
        while buffered.bytes > MAX_BYTES && buffered.forget_one() {}
        self.last.send_replace(buffered.next);
    }

    /// The kept lines after `id`, of one function or of all.
    pub(crate) fn after(&self, id: u64, function: Option<&str>) -> Vec<LogLine> {
        let buffered = self.buffered.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted = |line: &&LogLine| line.id > id && function.is_none_or(|name| *line.function == *name);
        buffered.lines.iter().filter(wanted).cloned().collect()
    }

    /// Receives a value when there are more lines.
    pub(crate) fn follow(&self) -> watch::Receiver<u64> {
        self.last.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(function: &str, message: &str) -> LogLine {
        LogLine {
            id: 0,
            timestamp: OffsetDateTime::UNIX_EPOCH,
            function: function.into(),
            level: Level::Info,
            event: Event::Log,
            message: message.to_owned(),
            request_id: None,
            execution_id: None,
            fields: LogFields::default(),
        }
    }

    // rows: W07
    #[test]
    fn the_newest_lines_are_kept_and_read_by_function() {
        let buffer = LogBuffer::new();
        for n in 0..3 {
            buffer.add(line(if n == 1 { "other" } else { "mine" }, &n.to_string()));
        }
        let mine: Vec<String> = buffer.after(0, Some("mine")).into_iter().map(|line| line.message).collect();
        assert_eq!(mine, ["0", "2"]);
        assert_eq!(buffer.after(2, None).len(), 1);
    }

    // rows: LIMIT_LOG
    #[test]
    fn memory_for_lines_is_bounded() {
        let buffer = LogBuffer::new();
        let long = "x".repeat(10_000);
        for _ in 0..1000 {
            buffer.add(line("mine", &long));
        }
        let lines = buffer.after(0, None);
        assert!((100..=MAX_BYTES / 10_000).contains(&lines.len()), "{}", lines.len());
        assert_eq!(lines.last().unwrap().id, 1000);
    }

    // rows: W07 H12
    #[test]
    fn one_functions_lines_do_not_push_out_those_of_another() {
        let buffer = LogBuffer::new();
        for n in 0..3 {
            buffer.add(line("quiet", &n.to_string()));
        }
        let long = "x".repeat(10_000);
        for _ in 0..1000 {
            buffer.add(line("loud", &long));
        }
        assert_eq!(buffer.after(0, Some("quiet")).len(), 3);
        for _ in 0..1000 {
            buffer.add(line("louder", &long));
        }
        let bytes_by_function = |function| buffer.after(0, Some(function)).len();
        let [quiet, loud, louder] = ["quiet", "loud", "louder"].map(bytes_by_function);
        assert!(quiet == 3 && loud.abs_diff(louder) < 2 && loud > 100, "{quiet}, {loud}, {louder}");
    }
}
