//! From call to answer, with the credits in between: checks, claim, work, settlement (D01 to D09).

use std::time::Duration;

use banyan_functions::caller;
use banyan_functions::door::Incoming;
use banyan_functions::env::Env;
use banyan_functions::error::FunctionError;
use banyan_functions::log;
use banyan_functions::model::ModelConfig;
use banyan_functions::safety::{Guidance, Verdict, judge};
use banyan_functions::sanitise;
use banyan_functions::seed;
use banyan_functions::transport::{Deadline, Transport};
use banyan_functions::wallet::{Claim, ClaimRequest, Wallet};
use serde_json::{Value, json};

use crate::authoring::{self, Authored};
use crate::bank;
use crate::forecast;
use crate::lesson::Remarks;
use crate::plan::Plan;
use crate::request::LessonRequest;
use crate::response::{self, Facts};
use crate::words::Words;

/// The tool's name in the wallet, and the function's in its address.
pub const TOOL: &str = "generate-lesson-plan";

/// How often a generation that is being made elsewhere is asked for.
const POLL: Duration = Duration::from_secs(1);

/// Longest wait for the same request being made elsewhere.
const PATIENCE: Duration = Duration::from_secs(110);

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

/// Answers one call. `unix_time` is the time of the request. With `dryRun: true` in the body it only says how the
/// document would be made ([`forecast::forecast`]): no claim, no charge.
///
/// After a claim the 20 credits are either spent with a stored result or given back once, whatever
/// happens in between; a client that goes away changes nothing, since the host lets the work finish.
///
/// # Errors
/// See [`FunctionError`]; nothing is claimed before the input is known to be valid and safe.
pub async fn generate(
    incoming: &Incoming,
    transport: &impl Transport,
    wallet: &impl Wallet,
    settings: &Settings,
    unix_time: u64,
) -> Result<Value, FunctionError> {
    let user = caller::user(&incoming.headers)?;
    let body = incoming.json()?;
    let request = LessonRequest::read(&body)?;
    let verdict = judge(&request.typed());
    verdict.allowed()?;
    if request.typed().iter().any(|text| sanitise::looks_like_instructions(text)) {
        log::info(
            "request looks like instructions to a model",
            &json!({ "request.id": incoming.request_id() }),
        );
    }
    if body["dryRun"] == true {
        return Ok(forecast::forecast(&request, settings.model.is_some()));
    }
    let body_hash = seed::body_hash(TOOL, &request.normalised());
    let paid = ClaimRequest {
        owner: &user.id,
        tool: TOOL,
        request_key: incoming.idempotency_key()?.unwrap_or(&body_hash),
        body_hash: &body_hash,
        model_backed: settings.model.is_some(),
    };
    let (generation_id, attempt) = match claim(transport, wallet, paid).await? {
        Claim::Claimed { generation_id, attempt } => (generation_id, attempt),
        Claim::Replayed(result) => return Ok(result),
        Claim::Running => return Err(FunctionError::Busy),
        Claim::OtherBody => return Err(FunctionError::KeyReused),
        Claim::Insufficient => return Err(FunctionError::InsufficientCredits),
        Claim::RateLimited { retry_after } => return Err(FunctionError::RateLimited { retry_after }),
    };
    let job = Job {
        request,
        verdict,
        seed: seed::seed(&body_hash, attempt),
        request_id: incoming.request_id(),
        unix_time,
    };
    match write(transport, settings, &job).await {
        Ok(result) => settle(transport, wallet, &generation_id, result).await,
        Err(error) => {
            give_back(transport, wallet, &generation_id, error.code()).await;
            Err(error)
        }
    }
}

/// Claims; while the same request is being made elsewhere, waits for its result.
async fn claim(
    transport: &impl Transport,
    wallet: &impl Wallet,
    request: ClaimRequest<'_>,
) -> Result<Claim, FunctionError> {
    let deadline = Deadline::after(transport, PATIENCE);
    loop {
        match wallet.claim(request).await? {
            Claim::Running if deadline.remaining(transport) > POLL => transport.sleep(POLL).await,
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
                transport.sleep(Duration::from_millis(200)).await;
            }
        }
    }
    give_back(transport, wallet, generation_id, "not_stored").await;
    Err(FunctionError::Busy)
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
                transport.sleep(Duration::from_millis(200)).await;
            }
        }
    }
}

/// Everything a document depends on.
struct Job<'a> {
    request: LessonRequest,
    verdict: Verdict,
    seed: u64,
    request_id: &'a str,
    unix_time: u64,
}

/// Makes the answer's body.
async fn write(
    transport: &impl Transport,
    settings: &Settings,
    job: &Job<'_>,
) -> Result<Value, FunctionError> {
    let started = transport.now();
    let request = &job.request;
    let plan = Plan::of(request);
    let words = Words::of(request.language);
    let authored = match &settings.model {
        Some(config) => authoring::write(transport, config, request, &plan, &words, job.seed).await?,
        None => Authored::built_in(bank::fill(request, &plan, &words, job.seed)),
    };
    let (generator, label) = match &authored.model {
        Some(_) => ("model", &words.labels.model),
        None => ("template", forecast::label(&words, authored.content.coverage)),
    };
    let remarks = Remarks {
        generator,
        label: label.clone(),
        warnings: forecast::warnings(request, &words, generator, label),
        notes: notes(request, job.verdict, &words),
        created_on: banyan_functions::dates::indian_date(job.unix_time),
    };
    let facts = Facts {
        seed: job.seed,
        request_id: job.request_id,
        elapsed: transport.now().saturating_sub(started),
        product: &settings.product,
    };
    Ok(response::body(request, &plan, &words, authored, remarks, &facts))
}

fn notes(request: &LessonRequest, verdict: Verdict, words: &Words) -> Vec<String> {
    let notes = &words.notes;
    let mut lines = vec![];
    if request.periods == 1 {
        lines.push(notes.overview.clone());
    }
    match verdict {
        Verdict::Guidance(Guidance::Delicate) => lines.push(notes.delicate.clone()),
        Verdict::Guidance(Guidance::Practical) => lines.push(notes.practical.clone()),
        Verdict::Safe | Verdict::Sensitive | Verdict::Toxic => {}
    }
    lines.push(notes.codes.clone());
    lines
}
