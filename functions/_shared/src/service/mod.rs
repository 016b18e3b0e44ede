//! From call to answer, with the credits in between: checks, claim, work, settlement (D01 to D09). Every
//! function that makes documents for credits takes this one path.

/// A claim, and what is done where its answer is lost.
mod claiming;

/// Making the document, between two judgements.
mod making;

/// The end of a deduction.
mod settling;

/// The daily cap on what models may use.
mod spending;

use std::future::Future;
use std::time::Duration;

use serde_json::{Value, json};

use self::claiming::{claim, claim_id};
use self::making::make;
use self::settling::{give_back, settle};
use self::spending::{note, within_cap};
use crate::caller;
use crate::door::Incoming;
use crate::env::Env;
use crate::error::{FunctionError, Refusal};
use crate::log;
use crate::model::authoring::Writer;
use crate::model::{ModelClient, ModelConfig};
use crate::progress::Progress;
use crate::record::Facts;
use crate::safety::{Verdict, judge};
use crate::sanitise;
use crate::seed;
use crate::transport::{Deadline, Transport};
use crate::wallet::{Claim, ClaimRequest, Wallet};

/// Time of a whole call: the host ends the instance then (`wall_clock` in `supabase/banyan.toml`).
pub const WHOLE: Duration = Duration::from_secs(150);

/// What an installation decides.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The product's name, for the footer.
    pub product: String,
    /// The model; without one the built-in generator writes.
    pub model: Option<ModelConfig>,
    /// Tokens that its calls may use in a day; none is no cap.
    pub daily_tokens: Option<u64>,
}

impl Settings {
    /// Reads `PRODUCT_NAME` and `LLM_*`. A cap that is no number lets no model be asked: a slip must not cost what it was to
    /// save.
    pub fn from_env(env: &Env) -> Self {
        Self {
            product: env.get("PRODUCT_NAME").unwrap_or_default().to_owned(),
            model: ModelConfig::from_env(env),
            daily_tokens: env.get("LLM_DAILY_TOKENS").map(|tokens| tokens.parse().unwrap_or(0)),
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
    /// What a model is told with each call, where what it wrote before was refused.
    pub remark: Option<String>,
}

impl<R> Job<'_, R> {
    /// What is reported about the making, which took `elapsed`.
    pub fn facts<'a>(&'a self, settings: &'a Settings, elapsed: Duration) -> Facts<'a> {
        Facts { seed: self.seed, request_id: self.request_id, elapsed, product: &settings.product }
    }

    /// The model that writes for this job.
    pub fn client<'a, T: Transport>(&self, transport: &'a T, config: &'a ModelConfig) -> ModelClient<'a, T> {
        ModelClient::new(transport, config).with_remark(self.remark.clone())
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
    let verdict = judged(&T::typed(&request), incoming.request_id());
    let body_hash = seed::body_hash(T::NAME, &T::normalised(&request));
    let asked = Asked { owner: &user.id, tool: T::NAME, body_hash: &body_hash };
    let dry = is_dry_run(&body)?;
    if let Err(refusal) = verdict.allowed() {
        return Err(if dry { refusal } else { counted(wallet, asked, refusal).await });
    }
    let settings = &*within_cap(wallet, settings).await;
    if dry {
        return Ok(T::forecast(&request, Writer::of(settings.model.as_ref())));
    }
    let paid = ClaimRequest {
        owner: asked.owner,
        tool: asked.tool,
        request_key: incoming.idempotency_key()?.unwrap_or(&body_hash),
        body_hash: &body_hash,
        model_backed: settings.model.is_some(),
        claim_id: &claim_id(transport),
    };
    let (generation_id, attempt) = match claim(transport, wallet, paid, deadline).await? {
        Claim::Claimed { generation_id, attempt } => (generation_id, attempt),
        Claim::Replayed(result) => return Ok(result),
        nothing_to_make => return Err(unclaimed(nothing_to_make)),
    };
    let (seed, request_id) = (seed::seed(&body_hash, attempt), incoming.request_id());
    let job = Job { request, verdict, seed, request_id, unix_time, progress, remark: None };
    let made = make::<T>(transport, settings, job, deadline).await;
    note(wallet, settings).await;
    match made {
        Ok(mut result) => {
            let usage = take_usage(&mut result);
            let result = settle(transport, wallet, &generation_id, result).await?;
            Ok(with_usage(wallet, &user.id, result, usage).await)
        }
        Err(error) => {
            give_back(transport, wallet, &generation_id, error.code()).await;
            Err(counted(wallet, asked, error).await)
        }
    }
}

/// Who asks for what.
#[derive(Clone, Copy)]
struct Asked<'a> {
    owner: &'a str,
    tool: &'static str,
    body_hash: &'a str,
}

/// Why nothing is made for a claim.
fn unclaimed(claim: Claim) -> FunctionError {
    match claim {
        Claim::Ended => FunctionError::Cancelled,
        Claim::OtherBody => FunctionError::KeyReused,
        Claim::Insufficient => FunctionError::InsufficientCredits,
        Claim::RateLimited { retry_after } => Refusal::RateLimited { retry_after }.into(),
        Claim::Running | Claim::Busy | Claim::Claimed { .. } | Claim::Replayed(_) => Refusal::Busy.into(),
    }
}

/// The verdict of the rules on what was typed.
fn judged(typed: &[&str], request_id: &str) -> Verdict {
    let verdict = judge(typed);
    if typed.iter().any(|text| sanitise::looks_like_instructions(text)) {
        log::info("request looks like instructions to a model", &json!({ "request.id": request_id }));
    }
    verdict
}

fn is_dry_run(body: &Value) -> Result<bool, FunctionError> {
    match &body["dryRun"] {
        Value::Null => Ok(false),
        Value::Bool(dry) => Ok(*dry),
        _ => Err(Refusal::invalid_field("dryRun", "dryRun is true or false.").into()),
    }
}

/// The failure as it is told. A request for something unsafe is counted; who has had too many different ones is told to wait
/// instead (generation.md 8). A pointer to the counsellor is counted for nobody.
async fn counted(wallet: &impl Wallet, asked: Asked<'_>, failure: FunctionError) -> FunctionError {
    if failure != FunctionError::UnsafeRequest {
        return failure;
    }
    match wallet.note_refusal(asked.owner, asked.tool, asked.body_hash).await {
        Ok(0) => failure,
        Ok(seconds) => Refusal::RateLimited { retry_after: Some(seconds) }.into(),
        Err(error) => {
            let reason = error.to_string();
            log::error("a refusal was not counted", &json!({ "tool": asked.tool, "reason": reason }));
            failure
        }
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
