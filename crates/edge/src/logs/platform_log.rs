//! Lines of the platform about functions, outside of any request.

use std::{sync::Arc, time::Duration};

use banyan_identity::Clock;
use time::OffsetDateTime;

use super::log_buffer::{Event, Level, LogBuffer, LogFields, LogLine};
use crate::error::LoadError;

/// Writes lines about functions that are loaded.
pub(crate) struct PlatformLog {
    pub(crate) buffer: Arc<LogBuffer>,
    clock: Clock,
}

impl PlatformLog {
    /// A log with an empty buffer.
    pub(crate) fn new(clock: Clock) -> Self {
        Self { buffer: LogBuffer::new(), clock }
    }

    pub(crate) fn now(&self) -> OffsetDateTime {
        self.clock.now()
    }

    /// Logs that a function is ready to be called.
    pub(crate) fn ready(&self, name: &str, took: Duration) {
        let boot_time_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        tracing::info!(function = name, duration_ms = boot_time_ms, "the function is ready");
        let fields = LogFields { boot_time_ms: Some(boot_time_ms), ..LogFields::default() };
        let message = format!("ready after {boot_time_ms} ms");
        self.add(name, (Level::Info, Event::Boot), message, fields);
    }

    /// Logs that a component cannot be loaded. `kept` says whether a version before it goes on.
    pub(crate) fn load_failed(&self, name: &str, error: &LoadError, kept: bool) {
        let source = std::error::Error::source(error).map(ToString::to_string);
        tracing::error!(function = name, error = %error, source, running_version_kept = kept, "the function cannot be loaded");
        self.add(name, (Level::Error, Event::BootFailure), error.to_string(), LogFields::default());
    }

    fn add(&self, name: &str, (level, event): (Level, Event), message: String, fields: LogFields) {
        self.buffer.add(LogLine {
            id: 0,
            timestamp: self.now(),
            function: name.into(),
            level,
            event,
            message,
            request_id: None,
            execution_id: None,
            fields,
        });
    }
}
