//! What is counted, under the names of the reference (CONTRACT.md M6).

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use prometheus_client::{
    encoding::{EncodeLabelSet, EncodeMetric, MetricEncoder},
    metrics::{MetricType, TypedMetric, family::Family},
    registry::Registry,
};

/// Counters of this process.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    /// Broadcasts that were sent and delivered.
    pub(crate) channel_events: Count,
    /// Messages of presence that were sent and delivered.
    pub(crate) channel_presence_events: Count,
    /// Changes of rows that were delivered.
    pub(crate) channel_db_events: Count,
    /// Changes of rows that were dropped because policies could not keep up with them.
    pub(crate) changes_skipped: Count,
    /// Joins that succeeded.
    pub(crate) channel_joins: Count,
    /// Bytes of frames that clients sent.
    pub(crate) channel_input_bytes: Count,
    /// Bytes of frames that were written to clients.
    pub(crate) channel_output_bytes: Count,
    channel_errors: Family<CodeLabel, Count>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CodeLabel {
    code: &'static str,
}

/// A number that goes up. Its name has no `_total` at its end, as in the reference.
#[derive(Debug, Clone, Default)]
pub(crate) struct Count(Arc<AtomicU64>);

impl Count {
    /// Adds so many. Says how many there were before.
    pub(crate) fn add(&self, count: usize) -> u64 {
        self.0.fetch_add(count as u64, Ordering::Relaxed)
    }
}

impl TypedMetric for Count {
    const TYPE: MetricType = MetricType::Unknown;
}

impl EncodeMetric for Count {
    fn encode(&self, mut encoder: MetricEncoder<'_>) -> Result<(), std::fmt::Error> {
        encoder.encode_gauge(&self.0.load(Ordering::Relaxed))
    }

    fn metric_type(&self) -> MetricType {
        Self::TYPE
    }
}

/// A number that is read when it is asked for.
struct Reading<F>(F);

impl<F> std::fmt::Debug for Reading<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Reading")
    }
}

impl<F: Fn() -> usize> EncodeMetric for Reading<F> {
    fn encode(&self, mut encoder: MetricEncoder<'_>) -> Result<(), std::fmt::Error> {
        encoder.encode_gauge(&(self.0() as u64))
    }

    fn metric_type(&self) -> MetricType {
        MetricType::Gauge
    }
}

impl Metrics {
    /// Counts a channel that was refused or ended with this code.
    pub(crate) fn error(&self, code: &'static str) {
        self.channel_errors.get_or_create(&CodeLabel { code }).add(1);
    }

    /// Adds all to what Prometheus reads. `connected` says how many sockets there are, and
    /// `subscribers` how many channels hear of row changes.
    pub(crate) fn register(
        &self,
        registry: &mut Registry,
        connected: impl Fn() -> usize + Send + Sync + 'static,
        subscribers: impl Fn() -> usize + Send + Sync + 'static,
    ) {
        let registry = registry.sub_registry_with_prefix("realtime");
        registry.register("connections_connected", "Sockets that are open", Reading(connected));
        registry.register(
            "subscriptions_manager_subscribers",
            "Channels that hear of row changes",
            Reading(subscribers),
        );
        for (name, help, count) in [
            ("channel_events", "Broadcasts sent and delivered", &self.channel_events),
            (
                "channel_presence_events",
                "Messages of presence sent and delivered",
                &self.channel_presence_events,
            ),
            ("channel_db_events", "Changes of rows delivered", &self.channel_db_events),
            ("replication_poller_changes_skip", "Changes of rows dropped", &self.changes_skipped),
            ("channel_joins", "Joins that succeeded", &self.channel_joins),
            ("channel_input_bytes", "Bytes of frames received", &self.channel_input_bytes),
            ("channel_output_bytes", "Bytes of frames written", &self.channel_output_bytes),
        ] {
            registry.register(name, help, count.clone());
        }
        registry.register("channel_error", "Channels refused or ended, by code", self.channel_errors.clone());
    }
}

#[cfg(test)]
mod tests {
    use prometheus_client::encoding::text::encode;

    use super::*;

    // rows: M5 M6
    #[test]
    fn counters_have_the_names_of_the_reference() {
        let (metrics, mut registry) = (Metrics::default(), Registry::default());
        metrics.register(&mut registry, || 7, || 2);
        metrics.channel_events.add(3);
        metrics.channel_output_bytes.add(50);
        metrics.error("Unauthorized");
        let mut text = String::new();
        encode(&mut text, &registry).expect("text");
        for line in [
            "realtime_connections_connected 7",
            "realtime_subscriptions_manager_subscribers 2",
            "realtime_channel_events 3",
            "realtime_channel_presence_events 0",
            "realtime_channel_db_events 0",
            "realtime_replication_poller_changes_skip 0",
            "realtime_channel_joins 0",
            "realtime_channel_input_bytes 0",
            "realtime_channel_output_bytes 50",
            "realtime_channel_error{code=\"Unauthorized\"} 1",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in {text}");
        }
    }
}
