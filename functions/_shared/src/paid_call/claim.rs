//! A claim: asked again where its answer is lost, waited with where the same request is made
//! elsewhere, given up where no answer comes at all.

use std::time::Duration;

use serde_json::json;

use super::settlement::{SETTLING, retry_return};
use crate::error::FunctionError;
use crate::log;
use crate::moderation;
use crate::rest::RestError;
use crate::transport::{Deadline, Transport};
use crate::wallet::{Claim, ClaimRequest, Wallet};

/// How often a generation that is being made elsewhere is asked for.
const POLL: Duration = Duration::from_secs(1);

/// Shortest time in which a document can be written.
const WRITING: Duration = Duration::from_secs(30);

/// Times that a claim is asked again whose answer was lost.
const REPEATS: u32 = 2;

/// A number for one call, by which the wallet knows it again. It need not be one that nobody
/// guesses: the wallet hears the service key alone, and tells a number's story to its own user
/// only.
pub(super) fn claim_id(transport: &impl Transport) -> String {
    (0..4).map(|_| format!("{:08x}", (transport.jitter() * f64::from(u32::MAX)) as u32)).collect()
}

/// Claims a deduction. While the same request is made elsewhere, it waits for that result as long
/// as enough time would be left to make it here. A claim whose answer was lost may have arrived, so
/// it is sent again unchanged. If no answer comes at all, the claim is given up, so that its
/// credits come back with the failure and not with the sweep (D10).
pub(super) async fn claim(
    transport: &impl Transport,
    wallet: &impl Wallet,
    request: ClaimRequest<'_>,
    deadline: Deadline,
) -> Result<Claim, FunctionError> {
    let mut lost = 0;
    loop {
        let answer = wallet.claim(request).await;
        let in_time = deadline.remaining(transport) > enough(request.model_backed) + POLL;
        match answer {
            Ok(Claim::Running) if in_time => transport.sleep(POLL).await,
            Ok(claim) => return Ok(claim),
            Err(error) if in_time && lost < REPEATS && may_have_arrived(&error) => {
                log::error("a claim was not answered", &json!({ "reason": error.to_string() }));
                lost += 1;
                transport.sleep(Duration::from_millis(200)).await;
            }
            Err(error) => {
                if lost > 0 || may_have_arrived(&error) {
                    give_up(transport, wallet, request).await;
                }
                return Err(error.into());
            }
        }
    }
}

/// Returns whether the database may have done the work although it did not say so.
fn may_have_arrived(error: &RestError) -> bool {
    match error {
        RestError::Transport(_) | RestError::Shape => true,
        RestError::Status { status, .. } => status.is_server_error(),
        RestError::NotConfigured | RestError::Argument(_) | RestError::RateLimited { .. } => false,
    }
}

/// With less than this left nothing is claimed any more, since it could not be finished: a model
/// also judges, before and after it writes.
fn enough(model_backed: bool) -> Duration {
    let judging = if model_backed { 2 * moderation::model::TIME } else { Duration::ZERO };
    SETTLING + judging + WRITING
}

/// Ends what the claim took, or keeps it from taking anything if it comes late.
async fn give_up(transport: &impl Transport, wallet: &impl Wallet, request: ClaimRequest<'_>) {
    let of = json!({ "claim.id": request.claim_id });
    let fail = || wallet.fail_claim(request.owner, request.claim_id, "claim_not_answered");
    retry_return(transport, &of, fail).await;
}
