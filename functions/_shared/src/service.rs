//! From call to answer, with the credits in between: checks, claim, work, settlement (D01 to D09). Every
//! function that makes documents for credits takes this one path.

use std::future::Future;
use std::time::Duration;

use serde_json::{Value, json};

use crate::caller;
use crate::door::Incoming;
use crate::env::Env;
use crate::error::{FunctionError, Refusal};
use crate::log;
use crate::model::ModelConfig;
use crate::model::authoring::Writer;
use crate::progress::Progress;
use crate::record::Facts;
use crate::safety::{Verdict, judge};
use crate::sanitise;
use crate::seed;
use crate::transport::{Deadline, Transport};
use crate::wallet::{Claim, ClaimRequest, Wallet};

/// How often a generation that is being made elsewhere is asked for.
const POLL: Duration = Duration::from_secs(1);

/// Time of a whole call: the host ends the instance then (`wall_clock` in `supabase/banyan.toml`).
const WHOLE: Duration = Duration::from_secs(150);

/// What is kept of it for storing the result, or for giving the credits back.
const SETTLING: Duration = Duration::from_secs(20);

/// With less than this left nothing is claimed any more, since it could not be finished.
const ENOUGH: Duration = Duration::from_secs(50);

/// Tries to store a result.
const SETTLE_TRIES: u32 = 3;

/// What an installation decides.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The product's name, for the footer.
    pub product: String,
    /// The model; without one the built-in generator writes.
    pub model: Option<ModelConfig>,
}

impl Settings {
    /// Reads `PRODUCT_NAME` and `LLM_*`.
    pub fn from_env(env: &Env) -> Self {
        Self {
            product: env.get("PRODUCT_NAME").unwrap_or_default().to_owned(),
            model: ModelConfig::from_env(env),
        }
    }
}

/// Makes one kind of document.
pub trait Tool {
    /// The tool's name in the wallet, and the function's in its address.
    const NAME: &'static str;

    /// What the teacher asked for, in its one form.
    type Request;

    /// Reads a request body.
    ///
    /// # Errors
    /// `invalid_request` naming every field that is missing, too long or outside its options.
    fn read(body: &Value) -> Result<Self::Request, FunctionError>;

    /// Everything the teacher typed, for the safety rules.
    fn typed(request: &Self::Request) -> Vec<&str>;

    /// The request as it is hashed: equal requests give equal values, whatever form they came in.
    fn normalised(request: &Self::Request) -> Value;

    /// What can be said of the document before it is made.
    fn forecast(request: &Self::Request, writer: Writer) -> Value;

    /// Makes the answer's body.
    fn write(
        transport: &impl Transport,
        settings: &Settings,
        job: &Job<'_, Self::Request>,
    ) -> impl Future<Output = Result<Value, FunctionError>>;
}

/// Everything a document depends on.
#[derive(Debug)]
pub struct Job<'a, R> {
    /// What was asked for.
    pub request: R,
    /// How the safety rules judged it.
    pub verdict: Verdict,
    /// The seed of every choice.
    pub seed: u64,
    /// The gateway's id of the request.
    pub request_id: &'a str,
    /// The time of the request, in seconds.
    pub unix_time: u64,
    /// Where it is said how far the document is.
    pub progress: &'a Progress,
}

impl<R> Job<'_, R> {
    /// What is reported about the making, which took `elapsed`.
    pub fn facts<'a>(&'a self, settings: &'a Settings, elapsed: Duration) -> Facts<'a> {
        Facts { seed: self.seed, request_id: self.request_id, elapsed, product: &settings.product }
    }
}

/// Answers one call. `unix_time` is the time of the request. With `dryRun: true` in the body it only says how the
/// document would be made ([`Tool::forecast`]): no claim, no charge.
///
/// After a claim the 20 credits are either spent with a stored result or given back once, whatever
/// happens in between; a client that goes away changes nothing, since the host lets the work finish.
///
/// # Errors
/// See [`FunctionError`]; nothing is claimed before the input is known to be valid and safe.
pub async fn generate<T: Tool>(
    incoming: &Incoming,
    transport: &impl Transport,
    wallet: &impl Wallet,
    settings: &Settings,
    unix_time: u64,
) -> Result<Value, FunctionError> {
    generate_telling::<T>(incoming, transport, wallet, settings, unix_time, &Progress::default()).await
}

/// As [`generate`], telling how far it is.
///
/// # Errors
/// As [`generate`].
pub async fn generate_telling<T: Tool>(
    incoming: &Incoming,
    transport: &impl Transport,
    wallet: &impl Wallet,
    settings: &Settings,
    unix_time: u64,
    progress: &Progress,
) -> Result<Value, FunctionError> {
    let deadline = Deadline::after(transport, WHOLE);
    let user = caller::user(&incoming.headers)?;
    let body = incoming.json()?;
    let request = T::read(&body)?;
    let verdict = judged(&T::typed(&request), incoming.request_id())?;
    if is_dry_run(&body)? {
        return Ok(T::forecast(&request, Writer::of(settings.model.as_ref())));
    }
    let body_hash = seed::body_hash(T::NAME, &T::normalised(&request));
    let paid = ClaimRequest {
        owner: &user.id,
        tool: T::NAME,
        request_key: incoming.idempotency_key()?.unwrap_or(&body_hash),
        body_hash: &body_hash,
        model_backed: settings.model.is_some(),
    };
    let (generation_id, attempt) = match claim(transport, wallet, paid, deadline).await? {
        Claim::Claimed { generation_id, attempt } => (generation_id, attempt),
        Claim::Replayed(result) => return Ok(result),
        Claim::Running => return Err(Refusal::Busy.into()),
        Claim::OtherBody => return Err(FunctionError::KeyReused),
        Claim::Insufficient => return Err(FunctionError::InsufficientCredits),
        Claim::RateLimited { retry_after } => return Err(Refusal::RateLimited { retry_after }.into()),
    };
    let seed = seed::seed(&body_hash, attempt);
    let job = Job { request, verdict, seed, request_id: incoming.request_id(), unix_time, progress };
    let settings = within(settings, deadline.remaining(transport).saturating_sub(SETTLING));
    match T::write(transport, &settings, &job).await {
        Ok(mut result) => {
            let usage = take_usage(&mut result);
            let result = settle(transport, wallet, &generation_id, result).await?;
            Ok(with_usage(wallet, &user.id, result, usage).await)
        }
        Err(error) => {
            give_back(transport, wallet, &generation_id, error.code()).await;
            Err(error)
        }
    }
}

/// The verdict on what was typed; a refusal for what is not safe.
fn judged(typed: &[&str], request_id: &str) -> Result<Verdict, FunctionError> {
    let verdict = judge(typed);
    verdict.allowed()?;
    if typed.iter().any(|text| sanitise::looks_like_instructions(text)) {
        log::info("request looks like instructions to a model", &json!({ "request.id": request_id }));
    }
    Ok(verdict)
}

fn is_dry_run(body: &Value) -> Result<bool, FunctionError> {
    match &body["dryRun"] {
        Value::Null => Ok(false),
        Value::Bool(dry) => Ok(*dry),
        _ => Err(Refusal::invalid_field("dryRun", "dryRun is true or false.").into()),
    }
}

/// Tokens are what the installation pays, not the teacher: they are logged, and neither stored with the document nor
/// shown to others than administrators (generation.md 1).
fn take_usage(result: &mut Value) -> Option<Value> {
    result.get_mut("meta")?.as_object_mut()?.remove("usage")
}

/// Adds what a model was paid, for an administrator.
async fn with_usage(wallet: &impl Wallet, user: &str, mut result: Value, usage: Option<Value>) -> Value {
    let Some(usage) = usage.filter(|usage| usage["output"] != 0) else { return result };
    log::info("tokens used", &json!({ "request.id": result["meta"]["requestId"], "usage": usage }));
    if wallet.is_admin(user).await.unwrap_or(false) {
        result["meta"]["usage"] = usage;
    }
    result
}

/// The settings with a model's budget of at most `left`: what a wait has used is not given to the model again.
fn within(settings: &Settings, left: Duration) -> Settings {
    let mut settings = settings.clone();
    if let Some(model) = &mut settings.model {
        model.budget = model.budget.min(left);
    }
    settings
}

/// Claims; while the same request is being made elsewhere, waits for its result as long as there would be enough time
/// to make it here.
async fn claim(
    transport: &impl Transport,
    wallet: &impl Wallet,
    request: ClaimRequest<'_>,
    deadline: Deadline,
) -> Result<Claim, FunctionError> {
    loop {
        match wallet.claim(request).await? {
            Claim::Running if deadline.remaining(transport) > ENOUGH + POLL => transport.sleep(POLL).await,
            claim => return Ok(claim),
        }
    }
}

/// Stores the result; only a result that the wallet took is delivered.
async fn settle(
    transport: &impl Transport,
    wallet: &impl Wallet,
    generation_id: &str,
    result: Value,
) -> Result<Value, FunctionError> {
    for attempt in 0..SETTLE_TRIES {
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
    Err(Refusal::Busy.into())
}

/// Gives the credits back; the wallet does it at most once, and its sweep does it when this fails.
async fn give_back(transport: &impl Transport, wallet: &impl Wallet, generation_id: &str, reason: &str) {
    for attempt in 0..SETTLE_TRIES {
        match wallet.fail(generation_id, reason).await {
            Ok(returned) => {
                log::info(
                    "generation failed",
                    &json!({ "generation.id": generation_id, "reason": reason, "returned": returned }),
                );
                return;
            }
            Err(error) => {
                log::error(
                    "credits not given back yet",
                    &json!({ "generation.id": generation_id, "attempt": attempt, "reason": error.to_string() }),
                );
                pause(transport, attempt).await;
            }
        }
    }
}

/// Waits between two tries; behind the last one there is nothing to wait for.
async fn pause(transport: &impl Transport, attempt: u32) {
    if attempt + 1 < SETTLE_TRIES {
        transport.sleep(Duration::from_millis(200)).await;
    }
}
