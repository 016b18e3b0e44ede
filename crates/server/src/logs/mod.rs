//! Structured log lines on standard error: JSON for machines, or text for a terminal.

/// Events as JSON.
mod json;

/// Lines on their way out.
mod lines;

use std::io;

use banyan_identity::Clock;
use tracing_subscriber::{EnvFilter, fmt, layer::SubscriberExt, registry, util::SubscriberInitExt};

use json::JsonLines;
use lines::Lines;

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
        self.0.end();
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
        Format::Json => registry.with(layer.json().event_format(JsonLines::new(Clock::system()))).try_init(),
        Format::Text => registry.with(layer.compact().with_target(false)).try_init(),
    };
    // Already started: the first format stays.
    drop(started);
    Ok(Logging(lines))
}
