//! The stack's observer: counters, and one structured line a request (CONTRACT.md GW-LOG).

use std::sync::Arc;

use banyan_web::Body;
use http::Response;

use crate::{
    metrics::{Finished, Metrics, RunningGuard},
    observer::{Answered, CallerRole, Observer},
    transferred::Transferred,
};

/// Bytes of a method or a path that are logged: the client chooses their length.
const LONGEST_LOGGED: usize = 512;

/// Counts requests, and logs each of them.
pub(crate) struct RequestLog {
    pub(crate) metrics: Arc<Metrics>,
}

impl Observer for RequestLog {
    fn begin(&self) -> Option<RunningGuard> {
        Some(self.metrics.begin())
    }

    fn observe(&self, answered: &Answered, _: &Response<Body>) {
        self.log(answered, None);
    }

    fn observe_transferred(&self, answered: &Answered, bytes: Transferred) {
        self.metrics.transferred(answered.service, bytes);
        self.log(answered, Some(bytes));
    }
}

impl RequestLog {
    fn log(&self, answered: &Answered, bytes: Option<Transferred>) {
        let Answered { service, head, id, role, took, .. } = answered;
        let (role, status) = (name(role), answered.status.as_u16());
        self.metrics.observe(Finished { service, role, status, took: *took });
        tracing::info!(
            request.id = id.as_ref().and_then(|id| id.to_str().ok()).unwrap_or("-"),
            request.method = logged(head.method.as_str()),
            request.path = logged(head.uri.path()),
            request.bytes = bytes.map(|bytes| bytes.received),
            service,
            caller.role = role,
            response.status = status,
            response.bytes = bytes.map(|bytes| bytes.sent),
            duration_ms = took.as_secs_f64() * 1000.0,
            "request answered"
        );
    }
}

/// Whoever is not asked is anonymous.
fn name(role: &CallerRole) -> &str {
    match role {
        CallerRole::NotAsked => "anon",
        CallerRole::Refused => "-",
        CallerRole::Known(role) => role,
    }
}

/// The beginning of a text that the client chose, as much of it as is logged.
fn logged(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST_LOGGED)]
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: GW-LOG
    #[test]
    fn what_a_caller_chose_is_logged_in_part_and_in_whole_characters() {
        assert_eq!(logged("/rest/v1/todos"), "/rest/v1/todos");
        assert_eq!(logged(&"M".repeat(60_000)).len(), 512);
        assert_eq!(logged(&"ä".repeat(300)).len(), 512);
        assert_eq!(logged(&format!("a{}", "ä".repeat(300))).len(), 511);
    }
}
