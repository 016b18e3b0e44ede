//! Answers that must not tell whether somebody has an address (CONTRACT.md C12, V14, M16).

use std::{pin::Pin, sync::Arc, time::Duration};

use tokio::time::Instant;

use crate::{
    context::{MAX_DETACHED, ServiceContext},
    passwords,
    wire::error::AuthError,
};

/// Longest wait at shutdown. A hook takes five seconds at most.
const LONGEST: Duration = Duration::from_secs(6);

/// Does the work of a request whose answer is the same for known and unknown addresses. The answer
/// comes after a fixed time. Slower work, for example a hook that sends mails, runs on without its
/// client, and only the log tells its outcome.
///
/// # Errors
/// A fault of the database. The caller answers what is refused before the address is looked up
/// ([`crate::domain::limits::otp_quota::allow`]).
pub(crate) async fn answer(
    service: &ServiceContext,
    began: Instant,
    work: Pin<Box<dyn Future<Output = Result<(), AuthError>> + Send>>,
) -> Result<(), AuthError> {
    let permit = Arc::clone(&service.detached).acquire_owned().await.map_err(|_| AuthError::Timeout)?;
    let work = tokio::spawn(async move {
        let outcome = work.await;
        drop(permit);
        outcome.or_else(hide_error)
    });
    passwords::wait_for_equal_time(began).await;
    if work.is_finished() { work.await.unwrap_or(Ok(())) } else { Ok(()) }
}

/// The outcome of a check before [`answer`]. A refusal comes after the same time as an answer,
/// although what it writes depends on the account.
///
/// # Errors
/// The refusal.
pub(crate) async fn refusal(began: Instant, outcome: Result<(), AuthError>) -> Result<(), AuthError> {
    if outcome.is_err() {
        passwords::wait_for_equal_time(began).await;
    }
    outcome
}

/// Runs a task that nobody waits for. The log says when it fails.
pub(crate) fn detach<F>(service: &Arc<ServiceContext>, work: impl FnOnce(Arc<ServiceContext>) -> F)
where
    F: Future<Output = Result<(), AuthError>> + Send + 'static,
{
    let work = work(Arc::clone(service));
    let permits = Arc::clone(&service.detached);
    tokio::spawn(async move {
        let _permit = permits.acquire_owned().await;
        work.await.or_else(hide_error)
    });
}

/// Waits at shutdown until the tasks without a client are done.
pub(crate) async fn wait_for_detached(service: &ServiceContext) {
    let all = async {
        let answers = service.detached.acquire_many(MAX_DETACHED).await;
        let after_commit = service.after_commit_permits.acquire_many(MAX_DETACHED).await;
        drop((answers, after_commit));
    };
    let _ = tokio::time::timeout(LONGEST, all).await;
}

/// Hides errors that only known addresses can cause.
fn hide_error(error: AuthError) -> Result<(), AuthError> {
    match error {
        AuthError::Store(_) | AuthError::Pipeline(_) => Err(error),
        AuthError::TooSoon(_) => {
            tracing::info!("a code was asked for too soon and not sent; the answer does not say so");
            Ok(())
        }
        other => {
            tracing::error!(error = other.cause(), "a code could not be sent; the answer does not say so");
            Ok(())
        }
    }
}
