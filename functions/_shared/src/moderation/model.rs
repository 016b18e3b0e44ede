//! Moderation by a model (SPECIFICATION.md GEN-8). Where a model is configured, it judges the
//! request and the document for what the word lists of [`super::rules`] cannot see. Without a
//! judgement the call does not go on.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::checks::Finding;
use crate::log;
use crate::model::slot::{Unfilled, fill_slot};
use crate::model::{Call, ModelClient, ModelConfig, ModelError, Usage};
use crate::moderation::{Guidance, Verdict};
use crate::transport::{Deadline, Transport};

/// Most time for one judgement, asking again included: as long as any call of a model may take to
/// its first byte, since a local one has to read the whole document first and others think before
/// they answer.
pub const TIME: Duration = Duration::from_secs(20);

/// A text with this score or more is never shown, whatever its level.
const UNFIT: u8 = 4;

/// The kind of text that is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Subject {
    /// Text that a teacher typed.
    Request,
    /// Text that a model wrote.
    Document,
}

/// A judgement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// The category, in the words of the schema.
    pub category: String,
    /// Tokens used.
    pub usage: Usage,
}

impl Judgement {
    /// A text that a provider refuses to read counts as toxic.
    fn refused_by_provider() -> Self {
        Self { verdict: Verdict::Toxic, category: "refused".to_owned(), usage: Usage::default() }
    }
}

/// Why there is no judgement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoJudgement {
    /// No answer came at all: nobody has brought that about by what is judged.
    Unanswered(ModelError),
    /// The answer is no judgement. The judged text itself may have caused that.
    Useless,
}

impl NoJudgement {
    fn of(unfilled: Unfilled) -> Result<Judgement, Self> {
        match unfilled.error {
            ModelError::Refused => Ok(Judgement::refused_by_provider()),
            ModelError::Rejected(_) => Err(Self::Useless),
            _ if unfilled.answered => Err(Self::Useless),
            error => Err(Self::Unanswered(error)),
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Level {
    Safe,
    Guidance,
    Sensitive,
    Toxic,
}

#[derive(Debug, Deserialize)]
struct Reply {
    level: Level,
    category: String,
    score: u8,
}

impl Reply {
    fn verdict(&self) -> Verdict {
        match self.level {
            Level::Toxic => Verdict::Toxic,
            Level::Sensitive => Verdict::Sensitive,
            Level::Safe | Level::Guidance if self.score >= UNFIT => Verdict::Toxic,
            Level::Guidance if self.category == "practical" => Verdict::Guidance(Guidance::Practical),
            Level::Guidance => Verdict::Guidance(Guidance::Delicate),
            Level::Safe => Verdict::Safe,
        }
    }
}

/// A model that judges texts. It remembers for its later judgements in one job what a provider
/// supports.
#[derive(Debug)]
pub struct Moderator<'a, T>(ModelClient<'a, T>);

impl<'a, T: Transport> Moderator<'a, T> {
    /// A moderator for one job.
    pub fn new(transport: &'a T, config: &'a ModelConfig) -> Self {
        Self(ModelClient::new(transport, config))
    }

    /// Asks the model about texts, for at most [`TIME`] and not beyond `deadline`. Where there is
    /// no text, there is no call.
    ///
    /// # Errors
    /// Why there is no judgement: the caller must not go on as if there were one.
    pub async fn judge(
        &self,
        subject: Subject,
        texts: &[&str],
        deadline: Deadline,
    ) -> Result<Judgement, NoJudgement> {
        let texts: Vec<&str> = texts.iter().copied().filter(|text| !text.trim().is_empty()).collect();
        if texts.is_empty() {
            return Ok(Judgement {
                verdict: Verdict::Safe,
                category: "none".to_owned(),
                usage: Usage::default(),
            });
        }
        let transport = self.0.transport();
        let deadline = Deadline::after(transport, TIME.min(deadline.remaining(transport)));
        let filled = match fill_slot(&self.0, call(subject, &texts), deadline, faults).await {
            Ok(filled) => filled,
            Err(unfilled) => return NoJudgement::of(unfilled),
        };
        let reply: Reply = filled.text.ok_or(NoJudgement::Useless)?;
        let fields = json!({ "of": subject, "level": format!("{:?}", reply.level), "category": reply.category, "score": reply.score });
        log::info("a model judged how safe a text is", &fields);
        Ok(Judgement { verdict: reply.verdict(), category: reply.category, usage: filled.usage })
    }
}

fn faults(reply: &Reply) -> Vec<Finding> {
    let known = schema()["properties"]["category"]["enum"]
        .as_array()
        .is_some_and(|categories| categories.iter().any(|category| *category == reply.category));
    let mut findings = Vec::new();
    if !(1..=5).contains(&reply.score) {
        findings.push(Finding::new("V02", "score is a whole number from 1 to 5"));
    }
    if !known {
        findings.push(Finding::new("V02", "category is one of the schema"));
    }
    findings
}

fn schema() -> Value {
    serde_json::from_str(include_str!("../../prompts/moderation.schema.json"))
        .expect("the schema is read in a test")
}

fn call(subject: Subject, texts: &[&str]) -> Call {
    Call {
        name: "safety",
        system: include_str!("../../prompts/moderation.md").to_owned(),
        user: json!({ "of": subject, "judge": texts }),
        schema: schema(),
        temperature: 0.0,
        // Room for models that think before they answer; the reply itself is a line.
        max_tokens: 2_000,
        seed: 0,
    }
}

/// The texts of a document's data: each of more than one word for itself, and the single words of a
/// block (cards, options, pairs to match) as one text.
pub fn texts_of(data: &Value) -> Vec<String> {
    match data {
        Value::Object(blocks) => blocks.values().flat_map(texts_of_block).collect(),
        block => texts_of_block(block),
    }
}

fn texts_of_block(block: &Value) -> Vec<String> {
    let (words, mut texts): (Vec<&str>, Vec<&str>) =
        strings(block).into_iter().partition(|text| !text.contains(char::is_whitespace));
    let mut once: Vec<&str> = Vec::new();
    for word in words {
        if word.contains(char::is_alphabetic) && !once.contains(&word) {
            once.push(word);
        }
    }
    let together = once.join(", ");
    texts.push(&together);
    texts.into_iter().filter(|text| !text.is_empty()).map(str::to_owned).collect()
}

fn strings(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(strings).collect(),
        Value::Object(fields) => fields.values().flat_map(strings).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::authoring::schema_fault;

    fn reply(level: &str, category: &str, score: u8) -> Reply {
        serde_json::from_value(json!({ "level": level, "category": category, "score": score })).unwrap()
    }

    #[test]
    fn the_schema_is_strict_and_of_the_common_subset() {
        assert_eq!(schema_fault(&schema()), None);
    }

    // rows: GEN-8
    #[test]
    fn a_judgement_is_taken_on_its_safe_side() {
        for (level, category, score, verdict) in [
            ("safe", "none", 1, Verdict::Safe),
            ("guidance", "practical", 2, Verdict::Guidance(Guidance::Practical)),
            ("guidance", "discrimination", 3, Verdict::Guidance(Guidance::Delicate)),
            ("guidance", "violence", 4, Verdict::Toxic),
            ("safe", "weapons", 5, Verdict::Toxic),
            ("sensitive", "self_harm", 1, Verdict::Sensitive),
            ("toxic", "weapons", 1, Verdict::Toxic),
        ] {
            assert_eq!(reply(level, category, score).verdict(), verdict, "{level} {category} {score}");
        }
    }

    // rows: GEN-8
    #[test]
    fn the_single_words_of_a_block_are_judged_together_and_each_once() {
        let data = json!({
            "cards": [["Cell", "Root"], ["Leaf", "Cell", "7"]],
            "match": { "pairs": [{ "id": "Q1", "left": "Root", "right": "It drinks water." }] },
            "periods": 4,
            "title": "Bingo",
        });
        assert_eq!(texts_of(&data), ["Cell, Root, Leaf", "It drinks water.", "Q1, Root", "Bingo"]);
        assert_eq!(texts_of(&json!("कोशिका")), ["कोशिका"]);
    }

    // rows: GEN-8
    #[test]
    fn a_reply_out_of_the_schema_is_no_judgement() {
        assert!(faults(&reply("safe", "none", 1)).is_empty());
        for odd in [reply("safe", "none", 0), reply("safe", "none", 6), reply("safe", "fine by me", 1)] {
            assert!(!faults(&odd).is_empty(), "{odd:?}");
        }
    }
}
