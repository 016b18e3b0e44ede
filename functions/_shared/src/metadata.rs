//! Metadata of a document: the head of its structured form, its remarks, and the `meta` of the
//! answer (SPECIFICATION.md GEN-1, GEN-6, GEN-11.3).

use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};

use crate::dates;
use crate::model::authoring::{Authored, Writer, generator};
use crate::words::{CommonWords, Labels, fill};
use crate::writing_system::{Language, StandIn};

/// Remarks about a document.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Remarks {
    /// `model` or `template`.
    pub generator: &'static str,
    /// The honesty line.
    pub label: String,
    /// Sentences for the teacher, in the answer.
    pub warnings: Vec<String>,
    /// Notes for the teacher, printed in the document.
    pub notes: Vec<String>,
    /// DD-MM-YYYY in India.
    pub created_on: String,
}

impl Remarks {
    /// The remarks on a text of some coverage; `unix_time` is the time of the request.
    pub fn of<C>(authored: &Authored<C>, labels: &Labels, coverage: f64, unix_time: u64) -> Self {
        Self {
            generator: authored.generator(),
            label: authored.label(labels, coverage).to_owned(),
            created_on: dates::indian_date(unix_time),
            ..Self::default()
        }
    }

    /// The honesty line, where the built-in generator wrote.
    pub fn honesty(&self) -> Option<&str> {
        (self.generator == "template").then_some(self.label.as_str())
    }
}

/// The head of every structured document.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Head {
    /// The kind of document, such as `lesson-plan`.
    pub kind: &'static str,
    /// Its form and version, such as `lp/1`.
    pub schema: &'static str,
    /// The document's title.
    pub title: String,
    /// ISO 639-1.
    pub language: &'static str,
    /// DD-MM-YYYY in India.
    pub created_on: String,
    /// `model` or `template`.
    pub generator: &'static str,
    /// The honesty line.
    pub label: String,
    /// Sentences for the teacher.
    pub warnings: Vec<String>,
    /// Notes printed in the document.
    pub notes: Vec<String>,
}

impl Head {
    /// The head of a document of this kind and form.
    pub fn new(
        (kind, schema): (&'static str, &'static str),
        title: String,
        language: Language,
        remarks: Remarks,
    ) -> Self {
        let Remarks { generator, label, warnings, notes, created_on } = remarks;
        Self { kind, schema, title, language: language.code(), created_on, generator, label, warnings, notes }
    }
}

/// Book and chapter of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct About {
    /// As typed.
    pub board: String,
    /// 1 to 12.
    pub class: u8,
    /// In the language of the document.
    pub subject: String,
    /// The chapter as typed. If its title in the document's language differs, that title comes
    /// first.
    pub chapter: String,
    /// As typed.
    pub book: String,
    /// As typed.
    pub publisher: String,
}

/// A chapter's title in the document's language, with what was typed behind it where that is
/// another one: a teacher must find the words of the form on the page.
pub fn in_both(title: &str, typed: Option<&str>) -> String {
    typed.map_or_else(|| title.to_owned(), |typed| format!("{title} ({typed})"))
}

/// Figures about the making of a document.
#[derive(Debug)]
pub struct GenerationFacts<'a> {
    /// The seed of every choice.
    pub seed: u64,
    /// The gateway's id of the request.
    pub request_id: &'a str,
    /// Time used.
    pub elapsed: Duration,
    /// The product's name.
    pub product: &'a str,
}

impl GenerationFacts<'_> {
    /// The `meta` of an answer.
    pub fn meta<C>(
        &self,
        authored: &Authored<C>,
        coverage: f64,
        remarks: &Remarks,
        language: Language,
        schema: &str,
    ) -> Value {
        json!({
            "generator": remarks.generator, "model": authored.model, "language": language.code(),
            "schema": schema, "seed": self.seed, "coverage": rounded(coverage), "warnings": remarks.warnings,
            "repairs": { "regenerated": authored.regenerated, "replaced": authored.replaced },
            "usage": { "input": authored.usage.input, "output": authored.usage.output },
            "ms": u64::try_from(self.elapsed.as_millis()).unwrap_or(u64::MAX),
            "requestId": self.request_id,
        })
    }
}

/// The writer of a document, and how much of it the bank knows.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate<'a> {
    /// `model` or `template`.
    pub generator: &'static str,
    /// The honesty line that the document would have.
    pub label: &'a str,
    /// None if a model would write, since only the text itself shows it.
    pub coverage: Option<f64>,
    /// The difference if the built-in generator took over from a model, as a sentence.
    pub fallback: Option<String>,
}

impl<'a> Estimate<'a> {
    /// The estimate; `coverage` is worked out only where no model would write.
    pub fn new(labels: &'a Labels, writer: Writer, coverage: impl FnOnce() -> f64) -> Self {
        let coverage = (!writer.is_model()).then(coverage);
        let label = coverage.map_or(labels.model.as_str(), |coverage| labels.for_coverage(coverage));
        let generator = generator(writer.is_model());
        Self { generator, label, coverage: coverage.map(rounded), fallback: None }
    }

    /// Says that the built-in generator, which would answer the chapter with this stand-in, may be
    /// the one that writes.
    #[must_use]
    pub fn or_by(mut self, writer: Writer, stand_in: Option<StandIn>, chapter: &str) -> Self {
        if let (Writer::ModelOrBuiltIn, Some(StandIn::Chapter(asked))) = (writer, stand_in) {
            let sentence = CommonWords::of(asked).warnings.may_be_english;
            self.fallback = Some(fill(&sentence, &[("chapter", chapter)]));
        }
        self
    }

    /// The honesty line, where the built-in generator would write.
    pub fn honesty(&self) -> Option<&'a str> {
        (self.generator == "template").then_some(self.label)
    }

    /// The `meta` of a document that is not made yet, with its honesty line as `label`.
    pub fn meta(&self, language: Language, stand_in: Option<StandIn>, warnings: &[String]) -> Value {
        json!({
            "generator": self.generator, "language": language.code(), "standIn": stand_in.map(StandIn::code),
            "coverage": self.coverage, "label": self.label,
            "fallback": self.fallback, "warnings": warnings,
        })
    }
}

/// Two digits say enough, and are the same on every machine.
pub fn rounded(coverage: f64) -> f64 {
    (coverage * 100.0).round() / 100.0
}
