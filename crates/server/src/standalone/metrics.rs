//! What is counted, by PostgREST's names (rest/CONTRACT.md Z04).

use std::{
    fmt::Write as _,
    sync::atomic::{AtomicU64, Ordering},
};

use banyan_db::database::PoolStatus;
use banyan_identity::verifier::Lookups;
use banyan_rest::LoadStatistics;
use http::Response;

/// Counters that nobody else keeps.
#[derive(Debug, Default)]
pub(super) struct Metrics {
    pool_timeouts: AtomicU64,
}

impl Metrics {
    /// Counts an answer.
    pub(super) fn observe<B>(&self, response: &Response<B>) {
        let timed_out =
            response.headers().get("proxy-status").is_some_and(|it| it.as_bytes().ends_with(b"=PGRST003"));
        if timed_out {
            self.pool_timeouts.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The text that Prometheus reads.
    pub(super) fn render(&self, pool: PoolStatus, loads: LoadStatistics, lookups: Lookups) -> String {
        let mut text = String::new();
        let mut metric = |name: &str, kind: &str, help: &str, samples: &[(&str, f64)]| {
            writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}").expect("a String takes everything");
            for (labels, value) in samples {
                writeln!(text, "{name}{labels} {value:?}").expect("a String takes everything");
            }
        };
        let timeouts = self.pool_timeouts.load(Ordering::Relaxed) as f64;
        metric(
            "pgrst_db_pool_timeouts_total",
            "counter",
            "The total number of pool connection timeouts",
            &[("", timeouts)],
        );
        metric(
            "pgrst_db_pool_available",
            "gauge",
            "Available connections in the pool",
            &[("", pool.idle as f64)],
        );
        metric(
            "pgrst_db_pool_waiting",
            "gauge",
            "Requests waiting to acquire a pool connection",
            &[("", pool.waiting as f64)],
        );
        metric("pgrst_db_pool_max", "gauge", "Max pool connections", &[("", pool.size as f64)]);
        metric(
            "pgrst_schema_cache_loads_total",
            "counter",
            "The total number of times the schema cache was loaded",
            &[("{status=\"SUCCESS\"}", loads.successes as f64), ("{status=\"FAIL\"}", loads.failures as f64)],
        );
        metric(
            "pgrst_schema_cache_query_time_seconds",
            "gauge",
            "The query time in seconds of the last schema cache load",
            &[("", loads.last_took.as_secs_f64())],
        );
        for (name, help, count) in [
            ("pgrst_jwt_cache_requests_total", "The total number of JWT cache lookups", lookups.requests),
            ("pgrst_jwt_cache_hits_total", "The total number of JWT cache hits", lookups.hits),
            ("pgrst_jwt_cache_evictions_total", "The total number of JWT cache evictions", lookups.evictions),
        ] {
            metric(name, "counter", help, &[("", count as f64)]);
        }
        text
    }
}
