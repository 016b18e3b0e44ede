//! Ends a deduction after the work: it is spent with a stored result, or given back.

use std::future::Future;
use std::time::Duration;

use serde_json::{Value, json};

use crate::error::{FunctionError, FunctionRefusal};
use crate::log;
use crate::rest::RestError;
use crate::transport::Transport;
use crate::wallet::Wallet;

/// Part of a call's time that is reserved for storing the result, or for giving the credits back.
pub(super) const SETTLING: Duration = Duration::from_secs(20);

/// Tries to tell the wallet how a generation ended.
const TRIES: u32 = 3;

/// Stores the result; only a result that the wallet took is delivered.
pub(super) async fn settle(
    transport: &impl Transport,
    wallet: &impl Wallet,
    generation_id: &str,
    result: Value,
) -> Result<Value, FunctionError> {
    for attempt in 0..TRIES {
        match wallet.complete(generation_id, &result).await {
            Ok(true) => return Ok(result),
            Ok(false) => return Err(FunctionError::Cancelled),
            Err(error) => {
                log::error(
                    "result not stored",
                    &json!({ "generation.id": generation_id, "attempt": attempt, "reason": error.to_string() }),
                );
                pause(transport, attempt).await;
            }
        }
    }
    give_back(transport, wallet, generation_id, "not_stored").await;
    Err(FunctionRefusal::Busy.into())
}

/// Gives the credits back.
pub(super) async fn give_back(
    transport: &impl Transport,
    wallet: &impl Wallet,
    generation_id: &str,
    reason: &str,
) {
    let of = json!({ "generation.id": generation_id, "reason": reason });
    retry_return(transport, &of, || wallet.fail(generation_id, reason)).await;
}

/// Gives back what was deducted for a call that is refused before it has claimed anything.
pub(super) async fn refuse(
    transport: &impl Transport,
    wallet: &impl Wallet,
    owner: &str,
    tool: &str,
    reason: &str,
) {
    let of = json!({ "tool": tool, "reason": reason });
    retry_return(transport, &of, || wallet.refuse(owner, tool)).await;
}

/// Has the wallet give credits back; it does so at most once, and its sweep does it when this
/// fails.
pub(super) async fn retry_return<F>(transport: &impl Transport, of: &Value, give_back: impl Fn() -> F)
where
    F: Future<Output = Result<bool, RestError>>,
{
    for attempt in 0..TRIES {
        match give_back().await {
            Ok(true) => return log::info("credits went back", of),
            Ok(false) => return,
            Err(error) => {
                log::error(
                    "credits not given back yet",
                    &json!({ "of": of, "attempt": attempt, "reason": error.to_string() }),
                );
                pause(transport, attempt).await;
            }
        }
    }
}

/// Waits between two tries; behind the last one there is nothing to wait for.
async fn pause(transport: &impl Transport, attempt: u32) {
    if attempt + 1 < TRIES {
        transport.sleep(Duration::from_millis(200)).await;
    }
}
