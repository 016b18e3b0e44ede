//! The slots filled by a model: one call for everything outside the periods, then one call per period
//! beside each other; every reply is parsed, cleaned and checked, repaired by asking again, and replaced
//! by built-in text when that does not help (generation.md 3.2, 7).

use banyan_functions::error::FunctionError;
use banyan_functions::log;
use banyan_functions::model::slot::{Filled, fill_slot};
use banyan_functions::model::{Call, ModelClient, ModelConfig, ModelError, Usage};
use banyan_functions::transport::{Deadline, Transport};
use banyan_functions::words::fill;
use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};

use crate::bank;
use crate::checks::rules;
use crate::content::{Content, FrameText, PeriodText};
use crate::lesson::phase_names;
use crate::plan::Plan;
use crate::request::LessonRequest;
use crate::words::Words;

/// Raised whenever a prompt changes, for the log.
const PROMPT_VERSION: &str = "lp-1";

/// Words per sentence to aim at, by age band (domain.md 2.4).
const SENTENCE: [&str; 5] = ["8", "12", "16", "20", "25"];

/// Filled slots and how they were filled.
#[derive(Debug, Clone, PartialEq)]
pub struct Authored {
    /// The text.
    pub content: Content,
    /// The model that wrote it; nothing for the built-in generator.
    pub model: Option<String>,
    /// Tokens used.
    pub usage: Usage,
    /// Slots that were asked for again.
    pub regenerated: u32,
    /// Slots that were replaced by built-in text.
    pub replaced: u32,
}

impl Authored {
    /// Text of the built-in generator.
    pub fn built_in(content: Content) -> Self {
        Self { content, model: None, usage: Usage::default(), regenerated: 0, replaced: 0 }
    }
}

/// Fills every slot by the model.
///
/// # Errors
/// `generator_timeout` when the budget is used up, `generator_failed` when no provider answers; with
/// `ALLOW_TEMPLATE_FALLBACK` the built-in generator stands in for both.
pub async fn write(
    transport: &impl Transport,
    config: &ModelConfig,
    request: &LessonRequest,
    plan: &Plan,
    words: &Words,
    seed: u64,
) -> Result<Authored, FunctionError> {
    let client = ModelClient::new(transport, config);
    let author =
        Author { client, request, plan, words, seed, deadline: Deadline::after(transport, config.budget) };
    match author.write().await {
        Ok(authored) => Ok(authored),
        Err(error) if config.template_fallback => {
            log::error(
                "the built-in generator stands in for the model",
                &json!({ "reason": error.to_string() }),
            );
            Ok(Authored::built_in(bank::fill(request, plan, words, seed)))
        }
        Err(ModelError::Deadline) => Err(FunctionError::GeneratorTimeout),
        Err(ModelError::Refused | ModelError::Unavailable(_)) => Err(FunctionError::GeneratorFailed),
    }
}

struct Author<'a, T> {
    client: ModelClient<'a, T>,
    request: &'a LessonRequest,
    plan: &'a Plan,
    words: &'a Words,
    seed: u64,
    deadline: Deadline,
}

impl<T: Transport> Author<'_, T> {
    async fn write(&self) -> Result<Authored, ModelError> {
        log::info(
            "writing with a model",
            &json!({ "prompt.version": PROMPT_VERSION, "periods": self.plan.periods.len() }),
        );
        let frame = self.frame().await?;
        // Text for slots that cannot be filled; it costs nothing to have it ready.
        let spare = bank::fill(self.request, self.plan, self.words, self.seed);
        let mut tally = Tally::default();
        let frame: FrameText = tally.take(frame, spare.frame);
        let terms: Vec<&str> = frame.key_terms.iter().map(|term| term.term.as_str()).collect();
        let calls = (0..self.plan.periods.len()).map(|at| self.period(at, &frame, &terms));
        let mut filled: Vec<(usize, Filled<PeriodText>)> = Vec::new();
        let mut running = stream::iter(calls).buffer_unordered(self.client.concurrency());
        while let Some(period) = running.next().await {
            filled.push(period?);
        }
        drop(running);
        filled.sort_by_key(|(at, _)| *at);
        let periods: Vec<PeriodText> = filled
            .into_iter()
            .zip(spare.periods)
            .map(|((_, period), spare)| tally.take(period, spare))
            .collect();
        let coverage = 1.0 - f64::from(tally.replaced) / (periods.len() as f64 + 1.0);
        let model = tally.model.filter(|_| coverage > 0.0);
        Ok(Authored {
            content: Content { frame, periods, coverage },
            model,
            usage: tally.usage,
            regenerated: tally.regenerated,
            replaced: tally.replaced,
        })
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
        fill_slot(&self.client, call, self.deadline, |text| rules::frame(text, self.request, self.plan)).await
    }

    async fn period(
        &self,
        at: usize,
        frame: &FrameText,
        terms: &[&str],
    ) -> Result<(usize, Filled<PeriodText>), ModelError> {
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
        let check = |text: &PeriodText| rules::period(text, plan, self.request, terms);
        Ok((at, fill_slot(&self.client, call, self.deadline, check).await?))
    }

    /// Indian scripts take two to three times the tokens of Latin for the same text.
    fn call(&self, name: &'static str, prompt: &str, schema: &str, slots: Value, tokens: u32) -> Call {
        let class = self.request.class.to_string();
        let language = self.request.language;
        let factor = if language.script().is_indic() { 3 } else { 1 };
        let places = [
            ("class", class.as_str()),
            ("language", language.name()),
            ("sentence", SENTENCE[self.plan.band]),
        ];
        Call {
            name,
            system: fill(prompt, &places),
            user: json!({ "request": self.shown_request(), "plan": slots, "sample": null }),
            schema: serde_json::from_str(schema).expect("the schema is read in a test"),
            temperature: 0.7,
            max_tokens: tokens * factor,
            seed: self.seed,
        }
    }

    /// What a model is shown of the request: no markers of files.
    fn shown_request(&self) -> Value {
        let mut request = self.request.normalised();
        if let Some(fields) = request.as_object_mut() {
            fields.remove("referencePlanUrl");
            fields.insert("language".to_owned(), json!(self.request.language.code()));
        }
        request
    }
}

#[derive(Default)]
struct Tally {
    usage: Usage,
    regenerated: u32,
    replaced: u32,
    model: Option<String>,
}

impl Tally {
    /// The slot's text, or the spare one when the model's never passed.
    fn take<S>(&mut self, filled: Filled<S>, spare: S) -> S {
        self.usage.input += filled.usage.input;
        self.usage.output += filled.usage.output;
        self.regenerated += filled.asked_again;
        self.model = filled.model.or(self.model.take());
        filled.text.unwrap_or_else(|| {
            self.replaced += 1;
            spare
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_are_strict_and_of_the_common_subset() {
        fn strict(schema: &Value) {
            for word in ["oneOf", "pattern", "$ref", "minLength", "maxLength", "minItems"] {
                assert!(schema.get(word).is_none(), "{word}");
            }
            if let Some(fields) = schema.get("properties").and_then(Value::as_object) {
                assert_eq!(schema["additionalProperties"], json!(false));
                assert_eq!(schema["required"].as_array().unwrap().len(), fields.len());
                fields.values().for_each(strict);
            }
            schema.get("items").into_iter().for_each(strict);
        }
        for text in [
            include_str!("../../prompts/frame.schema.json"),
            include_str!("../../prompts/period.schema.json"),
        ] {
            strict(&serde_json::from_str(text).unwrap());
        }
    }

    #[test]
    fn prompts_hold_no_text_of_a_request() {
        for prompt in [include_str!("../../prompts/frame.md"), include_str!("../../prompts/period.md")] {
            let names: Vec<&str> =
                prompt.split('{').skip(1).filter_map(|rest| rest.split('}').next()).collect();
            assert!(names.iter().all(|name| ["class", "language", "sentence"].contains(name)), "{names:?}");
        }
    }
}
