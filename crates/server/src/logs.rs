//! Structured log lines on standard error: JSON for machines, or text for a terminal.

use tracing_subscriber::{EnvFilter, fmt, layer::SubscriberExt, util::SubscriberInitExt};

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// One JSON object a line.
    Json,
    /// For people.
    Text,
}

/// Starts logging; a second call changes nothing. `filter` is a level or a list such as `info,banyan_rest=debug`; one
/// that cannot be read counts as `info`.
pub fn start(format: Format, filter: &str) {
    let filter = EnvFilter::try_new(filter).unwrap_or_else(|_| EnvFilter::new("info"));
    let registry = tracing_subscriber::registry().with(filter);
    let started = match format {
        Format::Json => {
            registry.with(fmt::layer().json().flatten_event(true).with_writer(std::io::stderr)).try_init()
        }
        Format::Text => {
            registry.with(fmt::layer().compact().with_target(false).with_writer(std::io::stderr)).try_init()
        }
    };
    // Already started: the first format stays.
    drop(started);
}
