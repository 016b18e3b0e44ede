//! What was logged.

use std::{
    io::{self, Write},
    sync::{Arc, LazyLock, Mutex},
};

use tracing::Dispatch;
use tracing_subscriber::fmt::MakeWriter;

/// Where one alone listens, a line that another thread comes to first is asked of that thread, which does not listen, and is never
/// written again. So there is always another.
static ANOTHER: LazyLock<Dispatch> =
    LazyLock::new(|| Dispatch::new(tracing_subscriber::fmt().with_writer(io::sink).finish()));

/// Keeps what the thread of a test logs; clones write to the same text.
#[derive(Clone, Default)]
pub(crate) struct Written(Arc<Mutex<Vec<u8>>>);

impl Written {
    /// Listens until the guard is dropped.
    pub(crate) fn listen() -> (Self, tracing::subscriber::DefaultGuard) {
        LazyLock::force(&ANOTHER);
        let written = Self::default();
        let subscriber = tracing_subscriber::fmt().with_writer(written.clone()).with_ansi(false).finish();
        (written, tracing::subscriber::set_default(subscriber))
    }

    /// The warnings so far, line by line.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.lines(" WARN ")
    }

    /// The lines so far that hold a text.
    pub(crate) fn lines(&self, part: &str) -> Vec<String> {
        let text = String::from_utf8_lossy(&self.0.lock().unwrap()).into_owned();
        text.lines().filter(|line| line.contains(part)).map(str::to_owned).collect()
    }
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Written {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}
