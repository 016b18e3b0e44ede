//! The output streams of an instance: stdout as info, stderr as error (CONTRACT.md W07, LIMIT_LOG).

use std::{
    io,
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll},
};

use bytes::Bytes;
use tokio::io::AsyncWrite;
use wasmtime_wasi::{
    cli::{IsTerminal, StdoutStream},
    p2::{OutputStream, Pollable, StreamResult},
};

use super::{
    invocation_log::InvocationLog,
    lock,
    log_buffer::{Event, LONGEST_LINE, Level, LogFields},
};

/// One output stream of one instance. Clones write to the same lines. Text without a line end is
/// written at the end of the request.
#[derive(Debug, Clone)]
pub(crate) struct Lines(Arc<Mutex<Buffer>>);

#[derive(Debug)]
struct Buffer {
    log: Arc<InvocationLog>,
    level: Level,
    line: Vec<u8>,
}

impl Lines {
    pub(crate) fn new(log: Arc<InvocationLog>, level: Level) -> Self {
        Self(Arc::new(Mutex::new(Buffer { log, level, line: Vec::new() })))
    }

    /// Writes text that has no line end, because the request is over.
    pub(crate) fn finish(&self) {
        lock(&self.0).finish();
    }

    /// Writes the lines of another request from now on.
    pub(crate) fn switch_to(&self, log: Arc<InvocationLog>) {
        lock(&self.0).log = log;
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

    /// Writes text that has no line end.
    fn finish(&mut self) {
        if !self.line.is_empty() {
            self.write_line();
        }
    }

    fn write_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let log = &self.log;
        if !log.admits_line() {
            return;
        }
        let message = String::from_utf8_lossy(&line);
        let message = message.trim_end_matches('\r');
        log.note((self.level, Event::Log), message.to_owned(), LogFields::default());
        match self.level {
            Level::Info => {
                tracing::info!(target: "function", function = %log.function, request.id = %log.request_id, "{message}");
            }
            Level::Error => {
                tracing::error!(target: "function", function = %log.function, request.id = %log.request_id, "{message}");
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
