//! The lesson plan as a tool that costs credits; the path of a call is that of every tool.

use banyan_functions::error::FunctionError;
use banyan_functions::metadata::Remarks;
use banyan_functions::model::ModelConfig;
use banyan_functions::model::authoring::{Authored, Writer, by_model};
use banyan_functions::moderation::{Guidance, Verdict};
use banyan_functions::paid_call::{Job, Settings, Source, Tool, Unread};
use banyan_functions::progress::Progress;
use banyan_functions::transport::Transport;
use banyan_samples::sample_of;
use serde_json::Value;

use crate::authoring;
use crate::bank;
use crate::estimate;
use crate::plan::Plan;
use crate::request::LessonRequest;
use crate::response;
use crate::words::Words;

/// The function generate-lesson-plan.
#[derive(Debug)]
pub struct LessonPlan;

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

    fn names_sample(request: &LessonRequest) -> bool {
        !request.sample.is_empty()
    }

    async fn gather(
        transport: &impl Transport,
        source: &Source<'_>,
        request: &mut LessonRequest,
    ) -> Result<(), Unread> {
        request.sample_text = sample_of(transport, source, &request.sample).await?;
        Ok(())
    }

    fn estimate(request: &LessonRequest, writer: Writer) -> Value {
        estimate::estimate(request, writer)
    }

    async fn write(
        transport: &impl Transport,
        settings: &Settings,
        job: &Job<'_, LessonRequest>,
    ) -> Result<Value, FunctionError> {
        let started = transport.now();
        let draft = |request: &LessonRequest| draft(job.progress, request);
        let write = async |config: &ModelConfig, (_, plan, words): &Draft| {
            authoring::write(transport, config, job, plan, words).await
        };
        let (draft, by_model) =
            by_model(settings.model.as_ref(), &job.request, bank::answerable, draft, write).await?;
        let (request, plan, words) = &draft;
        let built_in = || Authored::built_in(bank::fill(request, plan, words, job.seed));
        let authored = by_model.unwrap_or_else(built_in);
        job.progress.checking();
        let mut remarks = Remarks::of(&authored, &words.labels, authored.content.coverage, job.unix_time);
        remarks.warnings = estimate::warnings(request, words, remarks.honesty());
        remarks.notes = notes(request, job.verdict, words);
        let facts = job.facts(settings, transport.now().saturating_sub(started));
        Ok(response::body(request, plan, words, authored, remarks, &facts))
    }
}

/// A request with its plan and the words of its language.
type Draft = (LessonRequest, Plan, Words);

fn draft(progress: &Progress, request: &LessonRequest) -> Draft {
    let (plan, words) = (Plan::of(request), Words::of(request.language));
    progress.planned(plan.periods.len() + 1);
    (request.clone(), plan, words)
}

fn notes(request: &LessonRequest, verdict: Verdict, words: &Words) -> Vec<String> {
    let notes = &words.notes;
    let other_language = words.common.warnings.other_language(request.stand_in, &request.chapter);
    let mut lines: Vec<String> = other_language.into_iter().collect();
    if request.periods == 1 {
        lines.push(notes.overview.clone());
    }
    match verdict {
        Verdict::Guidance(Guidance::Delicate) => lines.push(words.common.delicate.clone()),
        Verdict::Guidance(Guidance::Practical) => lines.push(notes.practical.clone()),
        Verdict::Safe | Verdict::Improper { .. } | Verdict::Sensitive | Verdict::Toxic => {}
    }
    lines.push(notes.codes.clone());
    lines
}
