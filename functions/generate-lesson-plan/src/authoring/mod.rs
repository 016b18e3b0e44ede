//! The slots filled by a model: one call for everything outside the periods, then one call per
//! period beside each other; every reply is parsed, cleaned and checked, repaired by asking again,
//! and replaced by built-in text when that does not help (SPECIFICATION.md GEN-3.2, GEN-7).

use banyan_functions::checks::Finding;
use banyan_functions::error::FunctionError;
use banyan_functions::log;
use banyan_functions::model::authoring::{Authored, SENTENCE, Tally, most_of, or_stand_in, room, shown};
use banyan_functions::model::slot::{Filled, fill_slot};
use banyan_functions::model::{Call, ModelClient, ModelConfig, ModelError};
use banyan_functions::paid_call::Job;
use banyan_functions::progress::Progress;
use banyan_functions::transport::{Deadline, Transport};
use banyan_functions::words::fill;
use banyan_samples::{Copies, fenced};
use futures_util::{StreamExt as _, stream};
use serde::Serialize;
use serde_json::{Value, json};

use crate::bank;
use crate::checks::rules;
use crate::content::{Content, FrameText, PeriodText};
use crate::lesson::phase_names;
use crate::plan::Plan;
use crate::request::LessonRequest;
use crate::words::Words;

/// Raised whenever a prompt changes, for the log.
const PROMPT_VERSION: &str = "lp-2";

/// Characters of a sample that a model sees.
const SAMPLE: usize = 4_000;

/// Fills every slot by the model; with `ALLOW_TEMPLATE_FALLBACK` answers nothing in place of the
/// errors below, and the built-in generator stands in.
///
/// # Errors
/// `generator_timeout` when the budget is used up, `generator_failed` when no provider answers.
pub async fn write(
    transport: &impl Transport,
    config: &ModelConfig,
    job: &Job<'_, LessonRequest>,
    plan: &Plan,
    words: &Words,
) -> Result<Option<Authored<Content>>, FunctionError> {
    let Job { request, seed, progress, .. } = job;
    let seed = *seed;
    let client = job.client(transport, config);
    let author = Author {
        client,
        request,
        plan,
        words,
        seed,
        progress,
        deadline: Deadline::after(transport, config.budget),
        copies: Copies::of(request.sample_text.as_ref()),
    };
    or_stand_in(config, author.write().await)
}

struct Author<'a, T> {
    client: ModelClient<'a, T>,
    request: &'a LessonRequest,
    plan: &'a Plan,
    words: &'a Words,
    seed: u64,
    progress: &'a Progress,
    deadline: Deadline,
    copies: Copies,
}

impl<T: Transport> Author<'_, T> {
    async fn write(&self) -> Result<Authored<Content>, ModelError> {
        log::info(
            "writing with a model",
            &json!({ "prompt.version": PROMPT_VERSION, "periods": self.plan.periods.len() }),
        );
        let frame = self.frame().await?;
        self.progress.section();
        // Text for slots that cannot be filled; it costs nothing to have it ready.
        let spare = bank::fill(self.request, self.plan, self.words, self.seed);
        let mut tally = Tally::default();
        let frame: FrameText = tally.take(frame, spare.frame);
        let terms: Vec<&str> = frame.key_terms.iter().map(|term| term.term.as_str()).collect();
        let calls = (0..self.plan.periods.len()).map(|at| self.period(at, &frame, &terms));
        let mut filled = Vec::new();
        let mut running = stream::iter(calls).buffer_unordered(self.client.concurrency());
        while let Some(period) = running.next().await {
            filled.push(period);
            self.progress.section();
        }
        drop(running);
        let filled = most_of(filled)?.into_iter().zip(spare.periods);
        let periods: Vec<PeriodText> = filled.map(|(period, spare)| tally.take(period, spare)).collect();
        let coverage = 1.0 - f64::from(tally.replaced()) / (periods.len() as f64 + 1.0);
        Ok(tally.authored(Content { frame, periods, coverage }))
    }

    async fn frame(&self) -> Result<Filled<FrameText>, ModelError> {
        let periods: Vec<Value> = self
            .plan
            .periods
            .iter()
            .map(|period| json!({ "no": period.no, "role": format!("{:?}", period.role).to_lowercase() }))
            .collect();
        let call = self.call(
            "lesson_frame",
            include_str!("../../prompts/frame.md"),
            include_str!("../../prompts/frame.schema.json"),
            json!({ "periods": periods }),
            4000,
        );
        let check = |text: &FrameText| self.with_copies(rules::frame(text, self.request, self.plan), text);
        fill_slot(&self.client, call, self.deadline, check).await.map_err(|unfilled| unfilled.error)
    }

    async fn period(
        &self,
        at: usize,
        frame: &FrameText,
        terms: &[&str],
    ) -> (usize, Result<Filled<PeriodText>, ModelError>) {
        let plan = &self.plan.periods[at];
        let names = phase_names(self.plan, self.words);
        let phases: Vec<Value> = names
            .iter()
            .zip(&plan.minutes)
            .map(|(name, minutes)| json!({ "name": name, "minutes": minutes }))
            .collect();
        let slots = json!({
            "period": { "no": plan.no, "role": format!("{:?}", plan.role).to_lowercase(),
                "subtopic": frame.subtopics.get(at), "phases": phases },
            "subtopics": frame.subtopics,
            "outcomes": frame.outcomes.iter().map(|outcome| &outcome.text).collect::<Vec<_>>(),
            "keyTerms": terms,
        });
        let call = self.call(
            "lesson_period",
            include_str!("../../prompts/period.md"),
            include_str!("../../prompts/period.schema.json"),
            slots,
            3000,
        );
        let check =
            |text: &PeriodText| self.with_copies(rules::period(text, plan, self.request, terms), text);
        let filled = fill_slot(&self.client, call, self.deadline, check).await;
        (at, filled.map_err(|unfilled| unfilled.error))
    }

    /// Adds to what is wrong with a reply that it repeats the sample.
    fn with_copies(&self, mut findings: Vec<Finding>, reply: &impl Serialize) -> Vec<Finding> {
        findings.extend(self.copies.hold_in(&json!(reply)).then(Finding::copied));
        findings
    }

    fn call(&self, name: &'static str, prompt: &str, schema: &str, slots: Value, tokens: u32) -> Call {
        let class = self.request.class.to_string();
        let language = self.request.language;
        let places = [
            ("class", class.as_str()),
            ("language", language.name()),
            ("sentence", SENTENCE[self.plan.band]),
        ];
        Call {
            name,
            system: fill(prompt, &places),
            user: shown(
                self.request.normalised(),
                "referencePlanUrl",
                language,
                &slots,
                self.request.sample_text.as_ref().map(|text| fenced(text, SAMPLE)),
            ),
            schema: serde_json::from_str(schema).expect("the schema is read in a test"),
            temperature: 0.7,
            max_tokens: room(language, tokens),
            seed: self.seed,
        }
    }
}

#[cfg(test)]
mod tests {
    use banyan_functions::model::authoring::schema_fault;
    use banyan_functions::words::places;

    #[test]
    fn schemas_are_strict_and_of_the_common_subset() {
        for text in [
            include_str!("../../prompts/frame.schema.json"),
            include_str!("../../prompts/period.schema.json"),
        ] {
            assert_eq!(schema_fault(&serde_json::from_str(text).unwrap()), None);
        }
    }

    #[test]
    fn prompts_hold_no_text_of_a_request() {
        for prompt in [include_str!("../../prompts/frame.md"), include_str!("../../prompts/period.md")] {
            let names = places(prompt);
            assert!(names.iter().all(|name| ["class", "language", "sentence"].contains(name)), "{names:?}");
        }
    }
}
