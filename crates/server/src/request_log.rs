//! The stack's observer: counters, and one structured line a request (CONTRACT.md GW-LOG).

use std::sync::Arc;

use crate::{
    metrics::{Finished, Metrics, RunningGuard},
    observer::{Answered, CallerRole, Observer},
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

    fn observe(&self, answered: &Answered<'_>) {
        let Answered { service, head, role, took, .. } = *answered;
        let role = name(role);
        let status = answered.response.status().as_u16();
        self.metrics.observe(Finished { service, role, status, took });
        tracing::info!(
            request.id = answered.id.and_then(|id| id.to_str().ok()).unwrap_or("-"),
            request.method = logged(head.method.as_str()),
            request.path = logged(head.uri.path()),
            service,
            caller.role = role,
            response.status = status,
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
