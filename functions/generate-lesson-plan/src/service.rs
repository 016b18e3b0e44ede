//! The lesson plan as a tool that costs credits; the path of a call is that of every tool.

use banyan_functions::door::Incoming;
use banyan_functions::error::FunctionError;
use banyan_functions::safety::{Guidance, Verdict};
use banyan_functions::service::{self, Job, Settings, Tool};
use banyan_functions::transport::Transport;
use banyan_functions::wallet::Wallet;
use serde_json::Value;

use crate::authoring::{self, Authored};
use crate::bank;
use crate::forecast;
use crate::lesson::Remarks;
use crate::plan::Plan;
use crate::request::LessonRequest;
use crate::response::{self, Facts};
use crate::words::Words;

struct LessonPlan;

impl Tool for LessonPlan {
    const NAME: &'static str = "generate-lesson-plan";

    type Request = LessonRequest;

    fn read(body: &Value) -> Result<LessonRequest, FunctionError> {
        LessonRequest::read(body)
    }

    fn typed(request: &LessonRequest) -> Vec<&str> {
        request.typed().to_vec()
    }

    fn normalised(request: &LessonRequest) -> Value {
        request.normalised()
    }

    fn forecast(request: &LessonRequest, model: bool) -> Value {
        forecast::forecast(request, model)
    }

    async fn write(
        transport: &impl Transport,
        settings: &Settings,
        job: &Job<'_, LessonRequest>,
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
    service::generate::<LessonPlan>(incoming, transport, wallet, settings, unix_time).await
}

async fn write(
    transport: &impl Transport,
    settings: &Settings,
    job: &Job<'_, LessonRequest>,
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
        Some(_) => ("model", words.labels.model.as_str()),
        None => ("template", words.labels.for_coverage(authored.content.coverage)),
    };
    let remarks = Remarks {
        generator,
        label: label.to_owned(),
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
        Verdict::Guidance(Guidance::Delicate) => lines.push(words.common.delicate.clone()),
        Verdict::Guidance(Guidance::Practical) => lines.push(notes.practical.clone()),
        Verdict::Safe | Verdict::Sensitive | Verdict::Toxic => {}
    }
    lines.push(notes.codes.clone());
    lines
}
