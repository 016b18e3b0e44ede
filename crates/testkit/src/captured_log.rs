//! What is logged while a test looks on.

use std::{
    io::{self, Write},
    sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError},
};

use tracing::{
    Dispatch,
    subscriber::{DefaultGuard, set_default},
};
use tracing_subscriber::fmt::MakeWriter;

/// Where one alone listens, a line that another thread comes to first is asked of that thread,
/// which does not listen, and is never written again. So there is always another.
static ANOTHER: LazyLock<Dispatch> =
    LazyLock::new(|| Dispatch::new(tracing_subscriber::fmt().with_writer(io::sink).finish()));

/// Keeps what is written; clones write to the same text.
#[derive(Debug, Clone, Default)]
pub struct CapturedLog(Arc<Mutex<Vec<u8>>>);

impl CapturedLog {
    /// Keeps what this thread logs until the guard is dropped.
    #[must_use]
    pub fn listen() -> (Self, DefaultGuard) {
        LazyLock::force(&ANOTHER);
        let written = Self::default();
        let subscriber = tracing_subscriber::fmt().with_writer(written.clone()).with_ansi(false).finish();
        (written, set_default(subscriber))
    }

    /// All of it.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes()).into_owned()
    }

    /// The warnings so far, line by line.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        self.lines(" WARN ")
    }

    /// The lines so far that hold a text.
    #[must_use]
    pub fn lines(&self, part: &str) -> Vec<String> {
        self.text().lines().filter(|line| line.contains(part)).map(str::to_owned).collect()
    }

    fn bytes(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Write for CapturedLog {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for CapturedLog {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}
