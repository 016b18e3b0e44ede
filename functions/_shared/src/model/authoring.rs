//! Shared code for documents that models write: how slots were filled, when the built-in generator
//! takes over, and the prompt (SPECIFICATION.md GEN-3.2, GEN-4, GEN-7).

use serde_json::{Value, json};

use super::slot::Filled;
use super::{ModelConfig, ModelError, Usage};
use crate::error::FunctionError;
use crate::log;
use crate::words::Labels;
use crate::writing_system::Language;

/// Words per sentence to aim at, by age band (SPECIFICATION.md DOM-2.4).
pub const SENTENCE: [&str; 5] = ["8", "12", "16", "20", "25"];

/// Filled slots and how they were filled.
#[derive(Debug, Clone, PartialEq)]
pub struct Authored<C> {
    /// The text.
    pub content: C,
    /// The model that wrote it; nothing for the built-in generator.
    pub model: Option<String>,
    /// Tokens used.
    pub usage: Usage,
    /// Slots that were asked for again.
    pub regenerated: u32,
    /// Slots that were replaced by built-in text.
    pub replaced: u32,
}

impl<C> Authored<C> {
    /// Text of the built-in generator.
    pub fn built_in(content: C) -> Self {
        Self { content, model: None, usage: Usage::default(), regenerated: 0, replaced: 0 }
    }

    /// `model` or `template`.
    pub fn generator(&self) -> &'static str {
        generator(self.model.is_some())
    }

    /// The honesty line for a share of text about the very subject, 0 to 1.
    pub fn label<'a>(&self, labels: &'a Labels, coverage: f64) -> &'a str {
        if self.model.is_some() { &labels.model } else { labels.for_coverage(coverage) }
    }
}

/// The name of the writer in the answer.
pub fn generator(model: bool) -> &'static str {
    if model { "model" } else { "template" }
}

/// The writer that an installation allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writer {
    /// The built-in generator.
    BuiltIn,
    /// A model alone.
    Model,
    /// A model, and the built-in generator where it fails.
    ModelOrBuiltIn,
}

impl Writer {
    /// The writer of an installation with this model.
    pub fn of(config: Option<&ModelConfig>) -> Self {
        match config {
            None => Self::BuiltIn,
            Some(config) if config.template_fallback => Self::ModelOrBuiltIn,
            Some(_) => Self::Model,
        }
    }

    /// Returns whether a model is asked first.
    pub fn is_model(self) -> bool {
        self != Self::BuiltIn
    }
}

/// Returns the draft to lay out, and the text of a model if one is configured and wrote. Otherwise
/// the draft is of the request that the built-in generator answers best, and has no text yet.
/// `draft` plans a request, and is called only for the one that is used.
///
/// # Errors
/// Errors of `write`.
pub async fn by_model<R, D, C>(
    config: Option<&ModelConfig>,
    request: &R,
    answerable: impl FnOnce(&R) -> R,
    draft: impl Fn(&R) -> D,
    write: impl AsyncFnOnce(&ModelConfig, &D) -> Result<Option<Authored<C>>, FunctionError>,
) -> Result<(D, Option<Authored<C>>), FunctionError> {
    if let Some(config) = config {
        let asked = draft(request);
        if let Some(authored) = write(config, &asked).await? {
            return Ok((asked, Some(authored)));
        }
    }
    Ok((draft(&answerable(request)), None))
}

/// Returns the text of the model. If it failed and `ALLOW_TEMPLATE_FALLBACK` is set, it returns
/// nothing, so that the built-in generator takes over.
///
/// # Errors
/// `generator_timeout` when the budget is used up, `generator_failed` when no provider answers.
pub fn or_stand_in<C>(
    config: &ModelConfig,
    written: Result<Authored<C>, ModelError>,
) -> Result<Option<Authored<C>>, FunctionError> {
    match written {
        Ok(authored) => Ok(Some(authored)),
        Err(error) => may_stand_in(config, error).map(|()| None),
    }
}

/// Returns whether the built-in generator takes over from a model that failed.
///
/// # Errors
/// The model's failure, if it does not.
pub fn may_stand_in(config: &ModelConfig, error: ModelError) -> Result<(), FunctionError> {
    if config.template_fallback {
        let reason = json!({ "reason": error.to_string() });
        log::error("the built-in generator stands in for the model", &reason);
        return Ok(());
    }
    Err(match error {
        ModelError::Deadline => FunctionError::GeneratorTimeout,
        ModelError::Refused | ModelError::Rejected(_) | ModelError::Unavailable(_) => {
            FunctionError::GeneratorFailed
        }
    })
}

/// Returns the slots of a document in order; slots of a failed call are empty. At least half of
/// them must be complete (SPECIFICATION.md GEN-3.2).
///
/// # Errors
/// Why a call failed, where more than half of them did.
pub fn most_of<S>(
    mut slots: Vec<(usize, Result<Filled<S>, ModelError>)>,
) -> Result<Vec<Filled<S>>, ModelError> {
    let failed = slots.iter().filter(|(_, slot)| slot.is_err()).count();
    let is_enough = failed * 2 <= slots.len();
    slots.sort_by_key(|(at, _)| *at);
    let filled = |slot: Result<Filled<S>, ModelError>| slot.or_else(|error| stand_in(error, is_enough));
    slots.into_iter().map(|(_, slot)| filled(slot)).collect()
}

/// Nothing in place of a call that failed, where the others are enough.
///
/// # Errors
/// The same, where they are not.
pub fn stand_in<S: Default>(error: ModelError, is_enough: bool) -> Result<S, ModelError> {
    if !is_enough {
        return Err(error);
    }
    log::error("built-in text stands in for a call that failed", &json!({ "reason": error.to_string() }));
    Ok(S::default())
}

/// The sum over slots of how they were filled.
#[derive(Debug, Default)]
pub struct Tally {
    usage: Usage,
    regenerated: u32,
    replaced: u32,
    model: Option<String>,
}

impl Tally {
    /// The slot's text, or the spare one when the model's never passed.
    pub fn take<S>(&mut self, filled: Filled<S>, spare: S) -> S {
        self.usage.input += filled.usage.input;
        self.usage.output += filled.usage.output;
        self.regenerated += filled.asked_again;
        self.model = filled.model.or(self.model.take());
        filled.text.unwrap_or_else(|| {
            self.replaced += 1;
            spare
        })
    }

    /// Slots that were replaced so far.
    pub fn replaced(&self) -> u32 {
        self.replaced
    }

    /// Returns the whole document. If none of the model's text was used, the built-in generator
    /// counts as the writer.
    pub fn authored<C>(self, content: C) -> Authored<C> {
        let Self { usage, regenerated, replaced, model } = self;
        Authored { content, model, usage, regenerated, replaced }
    }
}

/// Room for an answer: Indian scripts take two to three times the tokens of Latin for the same
/// text.
pub fn room(language: Language, tokens: u32) -> u32 {
    if language.script().is_indic() { tokens * 3 } else { tokens }
}

/// Builds the user message of a prompt: the request and its slots, without the `marker` of a file
/// and the file format. `sample` is the text of that file between its fences.
pub fn shown(
    mut request: Value,
    marker: &str,
    language: Language,
    slots: &Value,
    sample: Option<String>,
) -> Value {
    if let Some(fields) = request.as_object_mut() {
        fields.remove(marker);
        fields.remove("preferredFormat");
        fields.insert("language".to_owned(), json!(language.code()));
    }
    json!({ "request": request, "plan": slots, "sample": sample })
}

/// Why a schema is not of the subset that every server takes: nested objects, arrays, strings,
/// numbers, booleans, every property required and no others (SPECIFICATION.md GEN-3.1).
pub fn schema_fault(schema: &Value) -> Option<String> {
    for word in ["oneOf", "anyOf", "pattern", "$ref", "minLength", "maxLength", "minItems", "maxItems"] {
        if schema.get(word).is_some() {
            return Some(format!("{word} is not understood everywhere"));
        }
    }
    if let Some(fields) = schema.get("properties").and_then(Value::as_object) {
        let required = schema["required"].as_array().map_or(0, Vec::len);
        if schema["additionalProperties"] != json!(false) || required != fields.len() {
            return Some(format!("{:?} must all be required, and no others", fields.keys()));
        }
        if let Some(fault) = fields.values().find_map(schema_fault) {
            return Some(fault);
        }
    }
    schema.get("items").and_then(schema_fault)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_out_of_the_subset_is_named() {
        let object = |required: Value| {
            json!({ "type": "object", "properties": { "a": { "type": "string" } }, "required": required,
                    "additionalProperties": false })
        };
        assert_eq!(schema_fault(&object(json!(["a"]))), None);
        assert!(schema_fault(&object(json!([]))).is_some());
        let list = json!({ "type": "array", "items": { "type": "string", "pattern": "x" } });
        assert!(schema_fault(&list).is_some_and(|fault| fault.contains("pattern")));
    }

    #[test]
    fn a_model_is_shown_the_request_as_data_without_files() {
        let shown =
            shown(json!({ "chapter": "X", "file": "y" }), "file", Language::Hindi, &json!({ "n": 1 }), None);
        let whole =
            json!({ "request": { "chapter": "X", "language": "hi" }, "plan": { "n": 1 }, "sample": null });
        assert_eq!(shown, whole);
    }
}
