//! The slots filled by a model: one call for each aid, beside each other; every reply is parsed,
//! cleaned and checked, repaired by asking again, and replaced by built-in text when that does not
//! help (SPECIFICATION.md GEN-3.2, GEN-7).

use banyan_bank::subjects::band;
use banyan_functions::error::FunctionError;
use banyan_functions::log;
use banyan_functions::model::authoring::{Authored, SENTENCE, Tally, most_of, or_stand_in, room, shown};
use banyan_functions::model::slot::{Filled, fill_slot};
use banyan_functions::model::{Call, ModelClient, ModelConfig, ModelError};
use banyan_functions::paid_call::Job;
use banyan_functions::progress::Progress;
use banyan_functions::transport::{Deadline, Transport};
use banyan_functions::words::fill;
use futures_util::{StreamExt as _, stream};
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::bank;
use crate::checks;
use crate::content::{AidText, Content};
use crate::fit;
use crate::kind::Kind;
use crate::plan::{AidPlan, Plan};
use crate::request::AidsRequest;
use crate::words::Words;

/// Raised whenever a prompt changes, for the log.
const PROMPT_VERSION: &str = "ta-1";

/// Fills every slot by the model; with `ALLOW_TEMPLATE_FALLBACK` answers nothing in place of the
/// errors below, and the built-in generator stands in.
///
/// # Errors
/// `generator_timeout` when the budget is used up, `generator_failed` when no provider answers.
pub async fn write(
    transport: &impl Transport,
    config: &ModelConfig,
    job: &Job<'_, AidsRequest>,
    plan: &Plan,
    words: &Words,
) -> Result<Option<Authored<Content>>, FunctionError> {
    let Job { request, seed, progress, .. } = job;
    let seed = *seed;
    let client = job.client(transport, config);
    let deadline = Deadline::after(transport, config.budget);
    let author = Author { client, request, words, seed, progress, deadline };
    let spare = bank::fill(request, plan, words, seed);
    or_stand_in(config, author.write(plan, spare).await)
}

struct Author<'a, T> {
    client: ModelClient<'a, T>,
    request: &'a AidsRequest,
    words: &'a Words,
    seed: u64,
    progress: &'a Progress,
    deadline: Deadline,
}

impl<T: Transport> Author<'_, T> {
    async fn write(&self, plan: &Plan, spare: Content) -> Result<Authored<Content>, ModelError> {
        log::info(
            "writing with a model",
            &json!({ "prompt.version": PROMPT_VERSION, "aids": plan.aids.len() }),
        );
        let calls = plan.aids.iter().enumerate().map(async |(at, aid)| (at, self.aid(aid).await));
        let mut filled = Vec::new();
        let mut running = stream::iter(calls).buffer_unordered(self.client.concurrency());
        while let Some(aid) = running.next().await {
            filled.push(aid);
            self.progress.section();
        }
        drop(running);
        let mut filled = most_of(filled)?;
        self.fit(plan, &mut filled, &spare);
        let mut tally = Tally::default();
        let aids: Vec<AidText> =
            filled.into_iter().zip(spare.aids).map(|(aid, spare)| tally.take(aid, spare)).collect();
        let coverage = 1.0 - f64::from(tally.replaced()) / aids.len().max(1) as f64;
        Ok(tally.authored(Content { aids, coverage }))
    }

    /// V22: takes back what the document has no room for.
    fn fit(&self, plan: &Plan, filled: &mut [Filled<AidText>], spare: &Content) {
        let written = filled.iter().zip(&spare.aids).map(|(aid, spare)| aid.text.as_ref().unwrap_or(spare));
        let written: Vec<AidText> = written.cloned().collect();
        for at in fit::giving_way(self.request, plan, self.words, &written, &spare.aids) {
            log::info(
                "a model's text broke rules",
                &json!({ "call": plan.aids[at].kind, "checks": ["V22"] }),
            );
            (filled[at].text, filled[at].model) = (None, None);
        }
    }

    async fn aid(&self, aid: &AidPlan) -> Result<Filled<AidText>, ModelError> {
        match aid.kind {
            Kind::Worksheets | Kind::PracticeSheets | Kind::Quiz => self.slot(aid, AidText::Sheet).await,
            Kind::Flashcards | Kind::Games => self.slot(aid, AidText::Cards).await,
            Kind::InteractiveActivities => self.slot(aid, AidText::Activities).await,
            Kind::Presentation => self.slot(aid, AidText::Slides).await,
            Kind::StudyGuides => self.slot(aid, AidText::Guide).await,
            Kind::Rubrics => self.slot(aid, AidText::Rubric).await,
        }
    }

    async fn slot<S: DeserializeOwned + Clone>(
        &self,
        aid: &AidPlan,
        wrap: fn(S) -> AidText,
    ) -> Result<Filled<AidText>, ModelError> {
        let check = |text: &S| checks::aid(self.request, aid, &wrap(text.clone()));
        let filled = fill_slot(&self.client, self.call(aid), self.deadline, check).await;
        let filled = filled.map_err(|unfilled| unfilled.error)?;
        let Filled { text, usage, asked_again, model } = filled;
        Ok(Filled { text: text.map(wrap), usage, asked_again, model })
    }

    fn call(&self, aid: &AidPlan) -> Call {
        let (class, language) = (self.request.class.to_string(), self.request.language);
        let sentence = SENTENCE[band(self.request.class)];
        let places = [("class", class.as_str()), ("language", language.name()), ("sentence", sentence)];
        let slots = json!({ "type": aid.kind, "count": aid.count, "levels": aid.levels });
        let tokens = 600 + 90 * u32::try_from(aid.count).unwrap_or(60);
        Call {
            name: "teaching_aid",
            system: fill(include_str!("../prompts/aid.md"), &places),
            user: shown(self.request.normalised(), "", language, &slots, None),
            schema: serde_json::from_str(schema(aid.kind)).expect("every schema is read in a test"),
            temperature: 0.7,
            max_tokens: room(language, tokens),
            seed: self.seed,
        }
    }
}

fn schema(kind: Kind) -> &'static str {
    match kind {
        Kind::Worksheets | Kind::PracticeSheets | Kind::Quiz => include_str!("../prompts/sheet.schema.json"),
        Kind::Flashcards | Kind::Games => include_str!("../prompts/cards.schema.json"),
        Kind::InteractiveActivities => include_str!("../prompts/activities.schema.json"),
        Kind::Presentation => include_str!("../prompts/slides.schema.json"),
        Kind::StudyGuides => include_str!("../prompts/guide.schema.json"),
        Kind::Rubrics => include_str!("../prompts/rubric.schema.json"),
    }
}

#[cfg(test)]
mod tests {
    use banyan_functions::model::authoring::schema_fault;
    use banyan_functions::words::places;

    use super::*;

    #[test]
    fn schemas_are_strict_and_of_the_common_subset() {
        for kind in Kind::ALL {
            assert_eq!(schema_fault(&serde_json::from_str(schema(kind)).unwrap()), None, "{kind:?}");
        }
    }

    #[test]
    fn the_prompt_holds_no_text_of_a_request() {
        let names = places(include_str!("../prompts/aid.md"));
        assert!(names.iter().all(|name| ["class", "language", "sentence"].contains(name)), "{names:?}");
    }
}
