//! The teaching aids as a tool that costs credits; the path of a call is that of every tool.

use banyan_functions::checks::Finding;
use banyan_functions::error::FunctionError;
use banyan_functions::log;
use banyan_functions::metadata::Remarks;
use banyan_functions::model::ModelConfig;
use banyan_functions::model::authoring::{Authored, Writer, by_model};
use banyan_functions::moderation::{Guidance, Verdict};
use banyan_functions::paid_call::{Job, Settings, Tool};
use banyan_functions::progress::Progress;
use banyan_functions::transport::Transport;
use serde_json::{Value, json};

use crate::authoring;
use crate::bank;
use crate::checks;
use crate::estimate;
use crate::fit;
use crate::plan::Plan;
use crate::request::AidsRequest;
use crate::response;
use crate::words::Words;

/// The function generate-teaching-aids.
#[derive(Debug)]
pub struct TeachingAids;

impl Tool for TeachingAids {
    const NAME: &'static str = "generate-teaching-aids";

    type Request = AidsRequest;

    fn read(body: &Value) -> Result<AidsRequest, FunctionError> {
        AidsRequest::read(body)
    }

    fn typed(request: &AidsRequest) -> Vec<&str> {
        request.typed().to_vec()
    }

    fn normalised(request: &AidsRequest) -> Value {
        request.normalised()
    }

    fn estimate(request: &AidsRequest, writer: Writer) -> Value {
        estimate::estimate(request, writer)
    }

    async fn write(
        transport: &impl Transport,
        settings: &Settings,
        job: &Job<'_, AidsRequest>,
    ) -> Result<Value, FunctionError> {
        let started = transport.now();
        let draft = |request: &AidsRequest| draft(job.progress, request);
        let write = async |config: &ModelConfig, (_, plan, words): &Draft| {
            authoring::write(transport, config, job, plan, words).await
        };
        let (draft, by_model) =
            by_model(settings.model.as_ref(), &job.request, bank::answerable, draft, write).await?;
        let (request, plan, words) = &draft;
        let built_in = || Authored::built_in(bank::fill(request, plan, words, job.seed));
        let authored = by_model.unwrap_or_else(built_in);
        job.progress.checking();
        let findings = checks::content(request, plan, &authored.content);
        if findings.iter().any(Finding::blocks) {
            let ids: Vec<&str> = findings.iter().map(|finding| finding.id).collect();
            log::error("teaching aids broke rules", &json!({ "request.id": job.request_id, "checks": ids }));
            return Err(FunctionError::GeneratorFailed);
        }
        let mut remarks = Remarks::of(&authored, &words.labels, authored.content.coverage, job.unix_time);
        remarks.warnings = estimate::warnings(request, plan, words, remarks.honesty());
        remarks.notes = notes(request, job.verdict, words);
        let facts = job.facts(settings, transport.now().saturating_sub(started));
        Ok(response::body(request, plan, words, authored, remarks, &facts))
    }
}

/// A request with its plan and the words of its language.
type Draft = (AidsRequest, Plan, Words);

fn draft(progress: &Progress, request: &AidsRequest) -> Draft {
    let words = Words::of(request.language);
    let plan = fit::plan(request, &words);
    progress.planned(plan.aids.len());
    (request.clone(), plan, words)
}

fn notes(request: &AidsRequest, verdict: Verdict, words: &Words) -> Vec<String> {
    let other_language = words.common.warnings.other_language(request.stand_in, &request.chapter);
    let of_safety = match verdict {
        Verdict::Guidance(Guidance::Delicate) => Some(words.common.delicate.clone()),
        Verdict::Guidance(Guidance::Practical) => words.notes.get("practical").cloned(),
        Verdict::Safe | Verdict::Improper { .. } | Verdict::Sensitive | Verdict::Toxic => None,
    };
    other_language.into_iter().chain(of_safety).collect()
}
