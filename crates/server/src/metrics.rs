//! What is counted, in Prometheus text form on the admin port (CONTRACT.md GW-METRICS).

use std::{sync::atomic::AtomicI64, time::Duration};

use prometheus_client::{
    encoding::{EncodeLabelSet, text::encode},
    metrics::{
        counter::Counter,
        family::Family,
        gauge::Gauge,
        histogram::{Histogram, exponential_buckets},
    },
    registry::Registry,
};

use crate::transferred::Transferred;

/// One finished request, given to [`Metrics::observe`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Finished<'a> {
    /// Name of the service.
    pub(crate) service: &'static str,
    /// Database role of the caller, or `-` when the caller was refused.
    pub(crate) role: &'a str,
    /// HTTP status.
    pub(crate) status: u16,
    /// Time to the head of the answer.
    pub(crate) took: Duration,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    service: &'static str,
    role: &'static str,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ServiceLabels {
    service: &'static str,
}

/// Counters of this process.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    seconds: Family<ServiceLabels, Histogram>,
    running: Gauge<i64, AtomicI64>,
    received: Family<ServiceLabels, Counter>,
    sent: Family<ServiceLabels, Counter>,
}

impl Metrics {
    /// Counters of the gateway, and those that `of_services` adds.
    pub(crate) fn new(of_services: impl FnOnce(&mut Registry)) -> Self {
        let mut all = Registry::default();
        of_services(&mut all);
        let registry = all.sub_registry_with_prefix("banyan");
        let requests = Family::default();
        let seconds = Family::new_with_constructor(seconds_histogram as fn() -> Histogram);
        let running = Gauge::default();
        let (received, sent) = (Family::default(), Family::default());
        registry.register("requests", "Requests answered", requests.clone());
        registry.register("request_seconds", "Time to the head of the answer", seconds.clone());
        registry.register("requests_running", "Requests being answered", running.clone());
        registry.register("received_bytes", "Bytes of request bodies", received.clone());
        registry.register("sent_bytes", "Bytes of answers", sent.clone());
        Self { registry: all, requests, seconds, running, received, sent }
    }

    /// Counts a request that begins; the guard counts it out when dropped.
    pub(crate) fn begin(&self) -> RunningGuard {
        self.running.inc();
        RunningGuard(self.running.clone())
    }

    /// Counts a finished request.
    pub(crate) fn observe(&self, finished: Finished<'_>) {
        let service = finished.service;
        let labels = RequestLabels { service, role: role_class(finished.role), status: finished.status };
        self.requests.get_or_create(&labels).inc();
        self.seconds.get_or_create(&ServiceLabels { service }).observe(finished.took.as_secs_f64());
    }

    /// Counts the bytes of a request of a service that counts them.
    pub(crate) fn transferred(&self, service: &'static str, bytes: Transferred) {
        self.received.get_or_create(&ServiceLabels { service }).inc_by(bytes.received);
        self.sent.get_or_create(&ServiceLabels { service }).inc_by(bytes.sent);
    }

    /// The text that Prometheus reads.
    pub(crate) fn render(&self) -> String {
        let mut text = String::new();
        encode(&mut text, &self.registry).expect("writing to a string does not fail");
        text
    }
}

/// From a quarter of a millisecond to half a minute.
fn seconds_histogram() -> Histogram {
    Histogram::new(exponential_buckets(0.000_25, 2.0, 18))
}

/// Roles come from tokens, so a label keeps only the known ones.
fn role_class(role: &str) -> &'static str {
    match role {
        "anon" => "anon",
        "authenticated" => "authenticated",
        "service_role" => "service_role",
        "-" => "refused",
        _ => "other",
    }
}

/// Counts one running request for as long as it lives.
pub(crate) struct RunningGuard(Gauge<i64, AtomicI64>);

impl Drop for RunningGuard {
    fn drop(&mut self) {
        self.0.dec();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: GW-METRICS
    #[test]
    fn a_request_is_counted_by_service_role_and_status() {
        let metrics = Metrics::new(|_| ());
        let finished =
            Finished { service: "rest", role: "anon", status: 200, took: Duration::from_millis(3) };
        metrics.observe(finished);
        metrics.observe(Finished { role: "made_up", ..finished });
        let text = metrics.render();
        assert!(
            text.contains("banyan_requests_total{service=\"rest\",role=\"anon\",status=\"200\"} 1"),
            "{text}"
        );
        assert!(text.contains("role=\"other\""), "{text}");
    }

    // rows: GW-METRICS
    #[test]
    fn the_bytes_of_transfers_are_counted_by_service() {
        let metrics = Metrics::new(|_| ());
        for _ in 0..2 {
            metrics.transferred("storage", Transferred { received: 5, sent: 3 });
        }
        let text = metrics.render();
        assert!(text.contains("banyan_received_bytes_total{service=\"storage\"} 10"), "{text}");
        assert!(text.contains("banyan_sent_bytes_total{service=\"storage\"} 6"), "{text}");
    }

    // rows: GW-METRICS
    #[test]
    fn a_running_request_counts_until_it_is_dropped() {
        let metrics = Metrics::new(|_| ());
        let guard = metrics.begin();
        assert!(metrics.render().contains("banyan_requests_running 1"));
        drop(guard);
        assert!(metrics.render().contains("banyan_requests_running 0"));
    }
}
