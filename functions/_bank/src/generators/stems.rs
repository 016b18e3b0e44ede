use std::collections::BTreeMap;
use std::sync::OnceLock;

use banyan_functions::seed::SeededRng;
use banyan_functions::writing_system::Language;
use serde::Deserialize;

use super::draft::Answer;
use crate::data::{self, deflated};
use crate::numbers::Number;

/// The sentences of one language.
#[derive(Debug, Deserialize)]
pub(super) struct Stems {
    /// First names, of girls and boys from many parts of the country.
    names: Vec<String>,
    /// Words that stand for units or things; symbols stay as they are.
    words: BTreeMap<String, String>,
    /// Alternatives for the question of a generator, with places in braces.
    questions: BTreeMap<String, Vec<String>>,
}

/// Whether questions can be asked in a language.
pub fn speaks(language: Language) -> bool {
    of(language).is_some()
}

/// The sentences of a language, read once.
pub(super) fn of(language: Language) -> Option<&'static Stems> {
    static ENGLISH: OnceLock<Stems> = OnceLock::new();
    static HINDI: OnceLock<Stems> = OnceLock::new();
    static MARATHI: OnceLock<Stems> = OnceLock::new();
    static GUJARATI: OnceLock<Stems> = OnceLock::new();
    let (cell, deflated): (_, &[u8]) = match language {
        Language::English => (&ENGLISH, deflated!("stems/en.json")),
        Language::Hindi => (&HINDI, deflated!("stems/hi.json")),
        Language::Marathi => (&MARATHI, deflated!("stems/mr.json")),
        Language::Gujarati => (&GUJARATI, deflated!("stems/gu.json")),
        _ => return None,
    };
    Some(cell.get_or_init(|| data::read(deflated)))
}

impl Stems {
    /// A question with every place filled. Nothing when the language has none for it.
    pub(super) fn question(
        &self,
        id: &str,
        variant: &str,
        places: &[(&'static str, String)],
        rng: &mut SeededRng,
    ) -> Option<String> {
        let key = if variant.is_empty() { id.to_owned() } else { format!("{id}.{variant}") };
        let alternatives = self.questions.get(&key)?;
        let mut text = alternatives.get(rng.below(alternatives.len()))?.clone();
        let name = &self.names[rng.below(self.names.len())];
        text = text.replace("{name}", name);
        for (place, value) in places {
            text = text.replace(&format!("{{{place}}}"), self.word(value));
        }
        Some(text)
    }

    /// An answer as printed.
    pub(super) fn answer(&self, answer: &Answer) -> String {
        match answer {
            Answer::Quantity(number, unit) => self.quantity(*number, unit),
            Answer::Pair(x, y) => format!("({x}, {y})"),
            Answer::Both(one, other) => format!("{one}; {other}"),
            Answer::Notation(text) => text.clone(),
        }
    }

    fn quantity(&self, number: Number, unit: &str) -> String {
        match unit {
            "" => number.to_string(),
            "₹" => format!("₹{number}"),
            "%" | "°" => format!("{number}{unit}"),
            unit => format!("{number} {}", self.word(unit)),
        }
    }

    fn word<'a>(&'a self, word: &'a str) -> &'a str {
        self.words.get(word).map_or(word, String::as_str)
    }
}
