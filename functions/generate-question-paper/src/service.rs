//! The question paper as a tool that costs credits; the path of a call is that of every tool.

use banyan_functions::checks::Finding;
use banyan_functions::door::Incoming;
use banyan_functions::error::FunctionError;
use banyan_functions::log;
use banyan_functions::safety::{Guidance, Verdict};
use banyan_functions::service::{self, Job, Settings, Tool};
use banyan_functions::transport::Transport;
use banyan_functions::wallet::Wallet;
use serde_json::{Value, json};

use crate::authoring::{self, Authored};
use crate::bank;
use crate::checks;
use crate::forecast;
use crate::paper::Remarks;
use crate::plan::Plan;
use crate::request::PaperRequest;
use crate::response::{self, Facts};
use crate::words::Words;

struct QuestionPaper;

impl Tool for QuestionPaper {
    const NAME: &'static str = "generate-question-paper";

    type Request = PaperRequest;

    fn read(body: &Value) -> Result<PaperRequest, FunctionError> {
        PaperRequest::read(body)
    }

    fn typed(request: &PaperRequest) -> Vec<&str> {
        request.typed().to_vec()
    }

    fn normalised(request: &PaperRequest) -> Value {
        request.normalised()
    }

    fn forecast(request: &PaperRequest, model: bool) -> Value {
        forecast::forecast(request, model)
    }

    async fn write(
        transport: &impl Transport,
        settings: &Settings,
        job: &Job<'_, PaperRequest>,
    ) -> Result<Value, FunctionError> {
        write(transport, settings, job).await
    }
}

/// Answers one call, see [`service::generate`].
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
    service::generate::<QuestionPaper>(incoming, transport, wallet, settings, unix_time).await
}

async fn write(
    transport: &impl Transport,
    settings: &Settings,
    job: &Job<'_, PaperRequest>,
) -> Result<Value, FunctionError> {
    let started = transport.now();
    let request = &job.request;
    let plan = Plan::of(request);
    let words = Words::of(request.language);
    let authored = match &settings.model {
        Some(config) => authoring::write(transport, config, request, &plan, &words, job.seed).await?,
        None => Authored::built_in(bank::fill(request, &plan, &words, job.seed)),
    };
    let content = &authored.content;
    let findings = checks::paper(request, &plan, content);
    if findings.iter().any(Finding::blocks) {
        let ids: Vec<&str> = findings.iter().map(|finding| finding.id).collect();
        log::error("a paper broke rules", &json!({ "request.id": job.request_id, "checks": ids }));
        return Err(FunctionError::GeneratorFailed);
    }
    let (generator, label) = match &authored.model {
        Some(_) => ("model", words.labels.model.as_str()),
        None => ("template", words.labels.for_coverage(content.coverage)),
    };
    let mut notes = forecast::notes(request, &plan, &words, content);
    if job.verdict == Verdict::Guidance(Guidance::Delicate) {
        notes.push(words.common.delicate.clone());
    }
    let remarks = Remarks {
        generator,
        label: label.to_owned(),
        warnings: forecast::warnings(request, &plan, &words, generator, label),
        notes,
        created_on: banyan_functions::dates::indian_date(job.unix_time),
    };
    let facts = Facts {
        seed: job.seed,
        request_id: job.request_id,
        elapsed: transport.now().saturating_sub(started),
        product: &settings.product,
    };
    Ok(response::body(request, &plan, &words, &authored, remarks, &facts))
}
