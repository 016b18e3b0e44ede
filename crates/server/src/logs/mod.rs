//! Structured log lines on standard error: JSON for machines, or text for people.

/// Events as JSON.
mod json;

/// Events as lines on a terminal.
mod terminal;

/// Text from elsewhere on a terminal.
mod harmless;

/// Lines on their way out.
mod lines;

use std::io;

use banyan_identity::Clock;
use tracing_subscriber::{EnvFilter, fmt, layer::SubscriberExt, registry, util::SubscriberInitExt};

pub use harmless::harmless;
use json::JsonLines;
use lines::Lines;
use terminal::TerminalLines;

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// One JSON object a line.
    Json,
    /// For people who look on: short lines, in local time.
    Terminal {
        /// Whether statuses and levels are coloured.
        coloured: bool,
    },
    /// For people who read it later: date and time of each line.
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

/// Starts logging; a second call changes nothing. `filter` is a level or a list such as
/// `info,banyan_rest=debug`; one that cannot be read counts as `info`.
///
/// # Errors
/// Where no thread can be started for it.
pub fn start(format: Format, filter: &str) -> io::Result<Logging> {
    let lines = Lines::to(io::stderr())?;
    let filter = EnvFilter::try_new(filter).unwrap_or_else(|_| EnvFilter::new("info"));
    let registry = registry().with(filter);
    let layer = fmt::layer().with_writer(lines.clone());
    let clock = Clock::system();
    let started = match format {
        Format::Json => registry.with(layer.json().event_format(JsonLines::new(clock))).try_init(),
        Format::Terminal { coloured } => {
            registry.with(layer.event_format(TerminalLines::new(clock, coloured))).try_init()
        }
        Format::Text => registry.with(layer.compact().with_target(false)).try_init(),
    };
    // Already started: the first format stays.
    drop(started);
    Ok(Logging(lines))
}
