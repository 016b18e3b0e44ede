//! The path of a call that costs credits: checks, claim, work, settlement (D01 to D09). Every
//! function that makes documents for credits takes this path.

/// Reads, judges and claims, before the work.
mod prepare;

/// Claims a deduction, also where an answer is lost.
mod claim;

/// Tells the wallet that the work goes on.
mod heartbeat;

/// Makes the document, between two judgements.
mod generate;

/// Ends a deduction.
mod settlement;

/// The daily cap on what models may use.
mod daily_cap;

use std::future::Future;
use std::time::Duration;

use http::HeaderMap;
use serde_json::{Value, json};

use self::daily_cap::{note, within_cap};
use self::generate::make;
use self::heartbeat::with_heartbeat;
use self::prepare::{Claimed, Order, Preparation, Prepared, counted};
use self::settlement::{give_back, refuse, settle};
use crate::caller;
use crate::env::Env;
use crate::error::FunctionError;
use crate::handler::IncomingRequest;
use crate::log;
use crate::metadata::GenerationFacts;
use crate::model::authoring::Writer;
use crate::model::{ModelClient, ModelConfig};
use crate::moderation::{Verdict, rules::judge};
use crate::progress::Progress;
use crate::seed;
use crate::transport::{Deadline, Transport};
use crate::wallet::Wallet;

/// Time of a whole call: the host ends the instance then (`wall_clock` in `supabase/banyan.toml`).
pub const WHOLE: Duration = Duration::from_secs(150);

/// Settings of an installation.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The product's name, for the footer.
    pub product: String,
    /// The model; without one the built-in generator writes.
    pub model: Option<ModelConfig>,
    /// Tokens that its calls may use in a day; none is no cap.
    pub daily_tokens: Option<u64>,
    /// The variables that lead to the project's own services.
    pub env: Env,
}

impl Settings {
    /// Reads `PRODUCT_NAME` and `LLM_*`. A cap that is no number lets no model be asked: a slip
    /// must not cost what it was to save.
    pub fn from_env(env: &Env) -> Self {
        Self {
            product: env.get("PRODUCT_NAME").unwrap_or_default().to_owned(),
            model: ModelConfig::from_env(env),
            daily_tokens: env.get("LLM_DAILY_TOKENS").map(|tokens| tokens.parse().unwrap_or(0)),
            env: env.clone(),
        }
    }
}

/// Makes one kind of document.
pub trait Tool {
    /// The tool's name in the wallet, and the function's in its address.
    const NAME: &'static str;

    /// The normalised request of the teacher.
    type Request;

    /// Reads a request body.
    ///
    /// # Errors
    /// `invalid_request` naming every field that is missing, too long or outside its options.
    fn read(body: &Value) -> Result<Self::Request, FunctionError>;

    /// Everything the teacher typed, for the safety rules.
    fn typed(request: &Self::Request) -> Vec<&str>;

    /// How the safety rules judge what was typed.
    fn judge(request: &Self::Request) -> Verdict {
        judge(&Self::typed(request))
    }

    /// The request as it is hashed: equal requests give equal values, whatever form they came in.
    fn normalised(request: &Self::Request) -> Value;

    /// Whether the request names a sample, which costs time to read.
    fn names_sample(_request: &Self::Request) -> bool {
        false
    }

    /// Reads what the request names elsewhere, such as a sample, before anything is claimed.
    ///
    /// # Errors
    /// See [`Unread`].
    fn gather(
        _transport: &impl Transport,
        _source: &Source<'_>,
        _request: &mut Self::Request,
    ) -> impl Future<Output = Result<(), Unread>> {
        async { Ok(()) }
    }

    /// Estimates the document before it is made.
    fn estimate(request: &Self::Request, writer: Writer) -> Value;

    /// Makes the answer's body.
    fn write(
        transport: &impl Transport,
        settings: &Settings,
        job: &Job<'_, Self::Request>,
    ) -> impl Future<Output = Result<Value, FunctionError>>;
}

/// The project as the caller sees it.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// Where the project is.
    pub env: &'a Env,
    /// The headers of the call, with the caller's token.
    pub headers: &'a HeaderMap,
    /// The caller's id.
    pub user: &'a str,
}

/// Why something that a request names was not read.
#[derive(Debug)]
pub enum Unread {
    /// It cannot be used: the call is refused before it claims.
    Refused(FunctionError),
    /// It cannot be had, or not now. The same request may have its result already, which needs it
    /// no more.
    Missing(FunctionError),
}

/// Everything a document depends on.
#[derive(Debug)]
pub struct Job<'a, R> {
    /// The request.
    pub request: R,
    /// How the safety rules judged it.
    pub verdict: Verdict,
    /// The seed of every choice.
    pub seed: u64,
    /// The gateway's id of the request.
    pub request_id: &'a str,
    /// The time of the request, in seconds.
    pub unix_time: u64,
    /// Receives the steps of the work.
    pub progress: &'a Progress,
    /// The reason why an earlier text was refused, for each prompt.
    pub remark: Option<String>,
}

impl<R> Job<'_, R> {
    /// Returns figures about the making, which took `elapsed`.
    pub fn facts<'a>(&'a self, settings: &'a Settings, elapsed: Duration) -> GenerationFacts<'a> {
        GenerationFacts { seed: self.seed, request_id: self.request_id, elapsed, product: &settings.product }
    }

    /// The model that writes for this job.
    pub fn client<'a, T: Transport>(&self, transport: &'a T, config: &'a ModelConfig) -> ModelClient<'a, T> {
        ModelClient::new(transport, config).with_remark(self.remark.clone())
    }
}

/// Answers one call. `unix_time` is the time of the request. With `dryRun: true` in the body it
/// only says how the document would be made ([`Tool::estimate`]): no claim, no charge.
///
/// A call that is refused before it claims gets back at once what was deducted for it. After a
/// claim the 20 credits are either spent with a stored result or given back once, whatever happens
/// in between; a client that goes away changes nothing, since the host lets the work finish.
///
/// # Errors
/// See [`FunctionError`]; nothing is claimed before the input is known to be valid and safe.
pub async fn generate<T: Tool>(
    incoming: &IncomingRequest,
    transport: &impl Transport,
    wallet: &impl Wallet,
    settings: &Settings,
    unix_time: u64,
) -> Result<Value, FunctionError> {
    generate_with_progress::<T>(incoming, transport, wallet, settings, unix_time, &Progress::default()).await
}

/// Like [`generate`], and reports each step.
///
/// # Errors
/// See [`generate`].
pub async fn generate_with_progress<T: Tool>(
    incoming: &IncomingRequest,
    transport: &impl Transport,
    wallet: &impl Wallet,
    settings: &Settings,
    unix_time: u64,
    progress: &Progress,
) -> Result<Value, FunctionError> {
    let deadline = Deadline::after(transport, WHOLE);
    let user = caller::user(&incoming.headers)?;
    let body = incoming.json();
    let settings = &*within_cap(wallet, settings).await;
    let prepared = match &body {
        Ok(body) => {
            let owner = user.id.as_str();
            let call = Preparation { incoming, body, owner, transport, wallet, settings, deadline };
            call.prepare::<T>().await
        }
        Err(refusal) => Err(refusal.clone().into()),
    };
    let Claimed { generation_id, attempt, order } = match prepared {
        Ok(Prepared::Claimed(claimed)) => claimed,
        Ok(Prepared::Answered(answer)) => return Ok(answer),
        Ok(Prepared::Left(failure)) => return Err(failure),
        Err(refusal) => {
            if !body.is_ok_and(|body| body["dryRun"] == true) {
                refuse(transport, wallet, &user.id, T::NAME, refusal.code()).await;
            }
            return Err(refusal);
        }
    };
    let Order { request, verdict, body_hash } = order;
    let (seed, request_id) = (seed::seed(&body_hash, attempt), incoming.request_id());
    let job = Job { request, verdict, seed, request_id, unix_time, progress, remark: None };
    let making = Box::pin(make::<T>(transport, settings, job, deadline));
    let made = with_heartbeat(transport, wallet, &generation_id, making).await;
    note(wallet, settings).await;
    match made {
        Ok(mut result) => {
            let usage = take_usage(&mut result);
            let result = settle(transport, wallet, &generation_id, result).await?;
            Ok(with_usage(wallet, &user.id, result, usage).await)
        }
        Err(error) => {
            give_back(transport, wallet, &generation_id, error.code()).await;
            Err(counted(wallet, &user.id, T::NAME, &body_hash, error).await)
        }
    }
}

/// Tokens are what the installation pays, not the teacher: they are logged, and neither stored with
/// the document nor shown to others than administrators (SPECIFICATION.md GEN-1.8).
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
