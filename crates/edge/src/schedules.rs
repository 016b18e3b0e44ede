//! Calls functions that have a schedule (product decision D17, CONTRACT.md W08).

use std::{collections::HashMap, sync::Arc, time::Duration};

use banyan_identity::{Caller, Clock, Proof};
use banyan_web::{Body, empty};
use http::{Method, Request, StatusCode, header};
use http_body_util::BodyExt;
use tokio::{
    task::{Id, JoinSet},
    time::{Instant, MissedTickBehavior, interval_at, sleep},
};
use tokio_util::sync::CancellationToken;

use crate::{State, handle};

/// Longest time before a call that was refused for lack of capacity is tried again.
const MAX_RETRY_INTERVAL: Duration = Duration::from_secs(10);

/// Calls every function that has a `schedule`, at its interval, as service_role, until `shutdown`.
/// A changed configuration starts, ends and renews intervals; a running call goes on.
///
/// Several times in each interval, at least once a minute, asks `try_claim` for the function's
/// lease, with its name and interval. A lease says when the function was last called, by any node
/// and before any restart. `try_claim` returns nothing while the next call is not due, or if
/// another node makes it. What it returns is dropped when the answer has been read to its end. If
/// it ends before, the lease is lost: the call is not tried again, and a run that it started goes
/// on to its end, maybe beside that of another node. A call that takes longer than the interval
/// delays the next one. A node that is stopping, or that still compiles the function, asks for no
/// lease, because it could not use it.
pub async fn run<T, F, L>(state: Arc<State>, clock: Clock, try_claim: T, shutdown: CancellationToken)
where
    T: Fn(String, Duration) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Option<L>> + Send,
    L: Future<Output = ()> + Send,
{
    let mut changes = state.registry().settings.subscribe();
    let mut schedules = JoinSet::new();
    let mut names: HashMap<Id, String> = HashMap::new();
    loop {
        for name in state.registry().settings.scheduled() {
            if !names.values().any(|known| *known == name) {
                let (state, clock, try_claim) = (Arc::clone(&state), clock.clone(), try_claim.clone());
                let repeated = name.clone();
                let task =
                    schedules.spawn(async move { repeat(&state, &clock, &repeated, &try_claim).await });
                names.insert(task.id(), name);
            }
        }
        tokio::select! {
            () = shutdown.cancelled() => return schedules.shutdown().await,
            _ = changes.changed() => {}
            Some(ended) = schedules.join_next_with_id() => {
                let (id, panicked) = ended.map_or_else(|error| (error.id(), true), |(id, ())| (id, false));
                let name = names.remove(&id);
                if panicked {
                    tracing::error!(function = name, "asking for a lease or calling panicked; the schedule begins anew");
                }
            }
        }
    }
}

/// Calls one function for as long as it has a schedule.
async fn repeat<T, F, L>(state: &State, clock: &Clock, name: &str, try_claim: &T)
where
    T: Fn(String, Duration) -> F,
    F: Future<Output = Option<L>>,
    L: Future<Output = ()>,
{
    let mut changes = state.registry().settings.subscribe();
    while let Some(every) = state.registry().settings.schedule(name) {
        let poll_interval = poll_interval(every);
        let mut ticks = interval_at(Instant::now() + poll_interval, poll_interval);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while state.registry().settings.schedule(name) == Some(every) {
            tokio::select! {
                _ = changes.changed() => {}
                _ = ticks.tick() => {
                    if state.is_stopping() || !state.registry().functions.is_ready(name) {
                        continue;
                    }
                    if let Some(lost) = try_claim(name.to_owned(), every).await {
                        tokio::select! {
                            () = call_until_it_runs(state, clock, name, every) => {}
                            () = lost => tracing::warn!(function = name, "the lease of a scheduled call was lost: it is not tried again"),
                        }
                    }
                }
            }
        }
    }
}

/// Time between two questions for a lease. A free lease is taken after at most this time.
fn poll_interval(every: Duration) -> Duration {
    (every / 4).clamp(Duration::from_millis(1), Duration::from_secs(60))
}

/// Calls a function. A call that was refused for lack of capacity has done nothing yet, and is
/// tried again until the next call would be due.
async fn call_until_it_runs(state: &State, clock: &Clock, name: &str, every: Duration) {
    let poll_interval = poll_interval(every).min(MAX_RETRY_INTERVAL);
    let next_call = Instant::now() + every;
    while !call(state, clock, name).await && Instant::now() + poll_interval < next_call {
        sleep(poll_interval).await;
    }
}

/// Makes one call. Returns whether the function ran, well or badly.
async fn call(state: &State, clock: &Clock, name: &str) -> bool {
    let request = Request::builder()
        .method(Method::POST)
        .uri(format!("/{name}"))
        .header(header::HOST, "localhost")
        .header(header::AUTHORIZATION, state.service_key())
        .body(empty())
        .expect("a function's name fits in a path");
    let caller = Caller::service().proven_by(Proof::SecretKey);
    let response = handle(state, Ok(caller), request, clock.now()).await;
    let status = response.status().as_u16();
    let was_rejected = response.status() == StatusCode::SERVICE_UNAVAILABLE
        && !response.headers().contains_key("x-sb-execution-id");
    let whole = read_to_end(response.into_body()).await;
    if (200..300).contains(&status) && whole {
        tracing::debug!(function = name, status, "the scheduled call is done");
    } else {
        tracing::error!(function = name, status, whole, "the scheduled call failed");
    }
    !was_rejected
}

/// Reads a body and throws it away. Returns whether it came to a proper end.
async fn read_to_end(mut body: Body) -> bool {
    while let Some(frame) = body.frame().await {
        if frame.is_err() {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: W08
    #[test]
    fn a_lease_is_asked_for_often_enough_that_no_restart_loses_a_call() {
        let intervals =
            [0, 2_000, 30_000, 86_400_000].map(|every| poll_interval(Duration::from_millis(every)));
        assert_eq!(intervals, [1, 500, 7_500, 60_000].map(Duration::from_millis));
    }
}
