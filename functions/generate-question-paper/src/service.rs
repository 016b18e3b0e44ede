//! The question paper as a tool that costs credits; the path of a call is that of every tool.

use banyan_functions::checks::Finding;
use banyan_functions::error::FunctionError;
use banyan_functions::log;
use banyan_functions::metadata::Remarks;
use banyan_functions::model::ModelConfig;
use banyan_functions::model::authoring::{Authored, Writer, by_model};
use banyan_functions::moderation::{Guidance, Verdict};
use banyan_functions::paid_call::{Job, Settings, Source, Tool, Unread};
use banyan_functions::progress::Progress;
use banyan_functions::transport::Transport;
use banyan_samples::sample_of;
use serde_json::{Value, json};

use crate::authoring;
use crate::bank;
use crate::checks;
use crate::estimate;
use crate::plan::Plan;
use crate::request::PaperRequest;
use crate::response;
use crate::words::Words;

/// The warning for a paper whose text is hard for its class (V13).
const HARD_TO_READ: &str =
    "Some questions may be hard to read for this class: please look for long sentences and hard words.";

/// The function generate-question-paper.
#[derive(Debug)]
pub struct QuestionPaper;

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

    fn names_sample(request: &PaperRequest) -> bool {
        !request.sample.is_empty()
    }

    async fn gather(
        transport: &impl Transport,
        source: &Source<'_>,
        request: &mut PaperRequest,
    ) -> Result<(), Unread> {
        request.sample_text = sample_of(transport, source, &request.sample).await?;
        Ok(())
    }

    fn estimate(request: &PaperRequest, writer: Writer) -> Value {
        estimate::estimate(request, writer)
    }

    async fn write(
        transport: &impl Transport,
        settings: &Settings,
        job: &Job<'_, PaperRequest>,
    ) -> Result<Value, FunctionError> {
        let started = transport.now();
        let draft = |request: &PaperRequest| draft(job.progress, request);
        let write = async |config: &ModelConfig, (_, plan, words): &Draft| {
            authoring::write(transport, config, job, plan, words).await
        };
        let (draft, by_model) =
            by_model(settings.model.as_ref(), &job.request, bank::answerable, draft, write).await?;
        let (request, plan, words) = &draft;
        let built_in = || Authored::built_in(bank::fill(request, plan, words, job.seed));
        let authored = by_model.unwrap_or_else(built_in);
        job.progress.checking();
        let content = &authored.content;
        let findings = checks::paper(request, plan, content);
        let ids: Vec<&str> = findings.iter().map(|finding| finding.id).collect();
        if findings.iter().any(Finding::blocks) {
            log::error("a paper broke rules", &json!({ "request.id": job.request_id, "checks": ids }));
            return Err(FunctionError::GeneratorFailed);
        }
        if !ids.is_empty() {
            log::info("a paper keeps from wishes", &json!({ "request.id": job.request_id, "checks": ids }));
        }
        let mut remarks = Remarks::of(&authored, &words.labels, content.coverage, job.unix_time);
        remarks.warnings = estimate::warnings(request, plan, words, remarks.honesty());
        // V13 is judged in English alone.
        if ids.contains(&"V13") {
            remarks.warnings.push(HARD_TO_READ.to_owned());
        }
        remarks.notes = estimate::notes(request, plan, words, content);
        if job.verdict == Verdict::Guidance(Guidance::Delicate) {
            remarks.notes.push(words.common.delicate.clone());
        }
        let facts = job.facts(settings, transport.now().saturating_sub(started));
        Ok(response::body(request, plan, words, &authored, remarks, &facts))
    }
}

/// A request with its plan and the words of its language.
type Draft = (PaperRequest, Plan, Words);

fn draft(progress: &Progress, request: &PaperRequest) -> Draft {
    let (plan, words) = (Plan::of(request), Words::of(request.language));
    progress.planned(plan.sections.len());
    (request.clone(), plan, words)
}
