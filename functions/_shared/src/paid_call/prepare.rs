//! The part before the work: reads and judges the request, and claims its deduction.

use serde_json::{Value, json};

use super::claim::{claim, claim_id};
use super::settlement::give_back;
use super::{Settings, Source, Tool, Unread};
use crate::error::{FunctionError, FunctionRefusal};
use crate::handler::IncomingRequest;
use crate::log;
use crate::model::authoring::Writer;
use crate::moderation::Verdict;
use crate::sanitise;
use crate::seed;
use crate::transport::{Deadline, Transport};
use crate::wallet::{Claim, ClaimRequest, Wallet};

/// The result of the part before the work.
pub(super) enum Prepared<R> {
    /// Its answer is there already: an estimate, or the stored result of the same request.
    Answered(Value),
    /// Nothing is made, and what was deducted stays as it is.
    Left(FunctionError),
    /// The work is paid for.
    Claimed(Claimed<R>),
}

/// Work that is paid for.
pub(super) struct Claimed<R> {
    pub(super) generation_id: String,
    pub(super) attempt: u64,
    pub(super) order: Order<R>,
}

/// A request that was read and judged.
pub(super) struct Order<R> {
    pub(super) request: R,
    pub(super) verdict: Verdict,
    pub(super) body_hash: String,
}

impl<R> Order<R> {
    fn read<T: Tool<Request = R>>(body: &Value, request_id: &str) -> Result<Self, FunctionError> {
        let request = T::read(body)?;
        let verdict = T::judge(&request);
        note_instructions(&T::typed(&request), request_id);
        let body_hash = seed::body_hash(T::NAME, &T::normalised(&request));
        Ok(Self { request, verdict, body_hash })
    }
}

/// A call, and what it is prepared with.
pub(super) struct Preparation<'a, T, W> {
    pub(super) incoming: &'a IncomingRequest,
    pub(super) body: &'a Value,
    pub(super) owner: &'a str,
    pub(super) transport: &'a T,
    pub(super) wallet: &'a W,
    pub(super) settings: &'a Settings,
    pub(super) deadline: Deadline,
}

impl<T: Transport, W: Wallet> Preparation<'_, T, W> {
    /// Reads the call and claims its deduction.
    ///
    /// # Errors
    /// A refusal: for it, what was deducted goes back.
    pub(super) async fn prepare<K: Tool>(&self) -> Result<Prepared<K::Request>, FunctionError> {
        let mut order = Order::read::<K>(self.body, self.incoming.request_id())?;
        let is_dry = is_dry_run(self.body)?;
        match order.verdict.allowed() {
            Err(refusal) if is_dry => return Err(refusal),
            Err(refusal) => return self.refuse::<K>(&order.body_hash, refusal).await,
            Ok(()) => {}
        }
        let missing = match self.gather::<K>(&mut order.request, is_dry).await {
            Ok(()) => None,
            Err(Unread::Missing(failure)) if !is_dry => Some(failure),
            Err(Unread::Missing(failure) | Unread::Refused(failure)) => return Err(failure),
        };
        if is_dry {
            let writer = Writer::of(self.settings.model.as_ref());
            return Ok(Prepared::Answered(K::estimate(&order.request, writer)));
        }
        self.claim::<K>(order, missing).await
    }

    /// Reads what the request names elsewhere. Estimates are free, so that those of one user read
    /// one sample at a time.
    async fn gather<K: Tool>(&self, request: &mut K::Request, is_dry: bool) -> Result<(), Unread> {
        let source = Source { env: &self.settings.env, headers: &self.incoming.headers, user: self.owner };
        if !is_dry || !K::names_sample(request) {
            return K::gather(self.transport, &source, request).await;
        }
        match self.wallet.begin_sample_reading(self.owner).await {
            Ok(true) => {}
            Ok(false) => return Err(Unread::Missing(FunctionRefusal::Busy.into())),
            Err(error) => return Err(Unread::Missing(error.into())),
        }
        let gathered = K::gather(self.transport, &source, request).await;
        if let Err(error) = self.wallet.end_sample_reading(self.owner).await {
            let reason = error.to_string();
            log::error("the reading of a sample was not ended", &json!({ "reason": reason }));
        }
        gathered
    }

    /// Refuses an unsafe request, or has its user wait after too many of them.
    async fn refuse<K: Tool>(
        &self,
        body_hash: &str,
        refusal: FunctionError,
    ) -> Result<Prepared<K::Request>, FunctionError> {
        match counted(self.wallet, self.owner, K::NAME, body_hash, refusal).await {
            wait @ FunctionError::Refused(FunctionRefusal::RateLimited { .. }) => Ok(Prepared::Left(wait)),
            refusal => Err(refusal),
        }
    }

    /// Claims the deduction. If something is missing, only a stored result helps.
    async fn claim<K: Tool>(
        &self,
        order: Order<K::Request>,
        missing: Option<FunctionError>,
    ) -> Result<Prepared<K::Request>, FunctionError> {
        let paid = ClaimRequest {
            owner: self.owner,
            tool: K::NAME,
            request_key: self.incoming.idempotency_key()?.unwrap_or(&order.body_hash),
            body_hash: &order.body_hash,
            model_backed: self.settings.model.is_some(),
            claim_id: &claim_id(self.transport),
        };
        let claim = claim(self.transport, self.wallet, paid, self.deadline).await?;
        if let (Claim::Claimed { generation_id, .. }, Some(failure)) = (&claim, missing) {
            give_back(self.transport, self.wallet, generation_id, failure.code()).await;
            return Ok(Prepared::Left(failure));
        }
        prepared(claim, order)
    }
}

/// The result of a claim.
fn prepared<R>(claim: Claim, order: Order<R>) -> Result<Prepared<R>, FunctionError> {
    Ok(match claim {
        Claim::Claimed { generation_id, attempt } => {
            Prepared::Claimed(Claimed { generation_id, attempt, order })
        }
        Claim::Replayed(result) => Prepared::Answered(result),
        Claim::OtherBody => return Err(FunctionError::KeyReused),
        Claim::Ended => Prepared::Left(FunctionError::Cancelled),
        Claim::Failed => Prepared::Left(FunctionError::GeneratorFailed),
        Claim::Insufficient => Prepared::Left(FunctionError::InsufficientCredits),
        Claim::RateLimited { retry_after } => {
            Prepared::Left(FunctionRefusal::RateLimited { retry_after }.into())
        }
        Claim::Running | Claim::Busy => Prepared::Left(FunctionRefusal::Busy.into()),
    })
}

/// Has the log tell that what was typed looks like instructions.
fn note_instructions(typed: &[&str], request_id: &str) {
    if typed.iter().any(|text| sanitise::looks_like_instructions(text)) {
        log::info("request looks like instructions to a model", &json!({ "request.id": request_id }));
    }
}

fn is_dry_run(body: &Value) -> Result<bool, FunctionError> {
    match &body["dryRun"] {
        Value::Null => Ok(false),
        Value::Bool(dry) => Ok(*dry),
        _ => Err(FunctionRefusal::invalid_field("dryRun", "dryRun is true or false.").into()),
    }
}

/// Counts a refusal of an unsafe request, and returns the failure for the client. A user with too
/// many different ones has to wait instead (SPECIFICATION.md GEN-8.2). A pointer to the counsellor
/// is counted for nobody.
pub(super) async fn counted(
    wallet: &impl Wallet,
    owner: &str,
    tool: &str,
    body_hash: &str,
    failure: FunctionError,
) -> FunctionError {
    if failure != FunctionError::UnsafeRequest {
        return failure;
    }
    match wallet.note_refusal(owner, tool, body_hash).await {
        Ok(0) => failure,
        Ok(seconds) => FunctionRefusal::RateLimited { retry_after: Some(seconds) }.into(),
        Err(error) => {
            let reason = error.to_string();
            log::error("a refusal was not counted", &json!({ "tool": tool, "reason": reason }));
            failure
        }
    }
}
