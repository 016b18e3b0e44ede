//! The built-in text of a language: headings, instructions, notes and tasks that are true for any
//! chapter. One file per language, all of one shape.

use std::collections::BTreeMap;

use banyan_bank::tasks::Tasks;
use banyan_functions::words::{CommonWords, Labels, Places, fill};
use banyan_functions::writing_system::Language;
use serde::Deserialize;

use crate::plan::QuestionType;

/// All built-in text of one language.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Words {
    /// Words of every kind of document.
    #[serde(skip)]
    pub common: CommonWords,
    /// Headings and small words of the layout, by name.
    pub headings: BTreeMap<String, String>,
    /// Names of the types of questions, by their ids.
    pub types: BTreeMap<String, String>,
    /// The same, as short as the blueprint needs them.
    pub abbreviations: BTreeMap<String, String>,
    /// What is counted, with its number: for one, and for several.
    pub counted: BTreeMap<String, [String; 2]>,
    /// Names of the three groups of levels, lowest first.
    pub levels: [String; 3],
    /// Names of the three difficulties, easiest first.
    pub difficulties: [String; 3],
    /// The honesty lines.
    pub labels: Labels,
    /// Sentences of the general instructions.
    pub instructions: BTreeMap<String, String>,
    /// Notes for the teacher.
    pub notes: BTreeMap<String, String>,
    /// Tasks that are true for any chapter of their kind; `{n}` is their number of marks.
    #[serde(skip)]
    pub tasks: Tasks,
    /// A point of the scheme of such a task.
    pub task_point: String,
    /// Sentences around problems worked out by rule.
    pub numbers: BTreeMap<String, String>,
    /// Sentences around facts of a chapter, in the languages that have packs.
    #[serde(default)]
    pub facts: BTreeMap<String, String>,
    /// Ways to ask for the true one of four statements, as above.
    #[serde(default)]
    pub which_statement: Vec<String>,
}

impl Words {
    /// The text of a language.
    pub fn of(language: Language) -> Self {
        let text = banyan_functions::language_file!(language);
        let words: Self = serde_json::from_str(text).expect("every language file is read in a test");
        Self { common: CommonWords::of(language), tasks: Tasks::of(language), ..words }
    }

    /// A heading or small word by its name.
    pub fn heading(&self, name: &str) -> &str {
        self.headings.get(name).map_or("", String::as_str)
    }

    /// A heading with its places filled.
    pub fn heading_with(&self, name: &str, places: &Places<'_>) -> String {
        fill(self.heading(name), places)
    }

    /// The name of a type.
    pub fn kind(&self, kind: QuestionType) -> &str {
        self.types.get(kind.id()).map_or("", String::as_str)
    }

    /// The name of a type for a narrow column.
    pub fn short_kind(&self, kind: QuestionType) -> &str {
        self.abbreviations.get(kind.id()).map_or("", String::as_str)
    }

    /// A number with what is counted: `1 question`, `20 questions`.
    pub fn count(&self, name: &str, number: u32) -> String {
        let form = self.counted.get(name).map_or("", |[one, many]| if number == 1 { one } else { many });
        fill(form, &[("n", &number.to_string())])
    }

    /// A time in half hours: `3 hours`, `2½ hours`.
    pub fn time(&self, minutes: u32) -> String {
        match minutes % 60 {
            0 => self.count("hours", minutes / 60),
            _ => {
                let several = self.counted.get("hours").map_or("", |[_, many]| many);
                fill(several, &[("n", &format!("{}½", minutes / 60))])
            }
        }
    }

    /// Names as a sentence lists them: `B`, `B and D`, `B, C and D`.
    pub fn list(&self, names: &[String]) -> String {
        match names {
            [] => String::new(),
            [only] => only.clone(),
            [before @ .., last] => format!("{} {} {last}", before.join(", "), self.heading("and")),
        }
    }

    /// A sentence of the instructions with its places filled.
    pub fn instruction(&self, name: &str, places: &Places<'_>) -> String {
        fill(self.instructions.get(name).map_or("", String::as_str), places)
    }

    /// A note for the teacher with its places filled.
    pub fn note(&self, name: &str, places: &Places<'_>) -> String {
        fill(self.notes.get(name).map_or("", String::as_str), places)
    }

    /// A sentence around a problem worked out by rule.
    pub fn number(&self, name: &str, places: &Places<'_>) -> String {
        fill(self.numbers.get(name).map_or("", String::as_str), places)
    }

    /// A sentence around a fact.
    pub fn fact(&self, name: &str, places: &Places<'_>) -> String {
        fill(self.facts.get(name).map_or("", String::as_str), places)
    }
}

#[cfg(test)]
mod tests {
    use banyan_functions::sanitise::visible_length;
    use banyan_functions::words::first_clause;
    use banyan_functions::writing_system::ScriptCount;

    use super::*;

    #[test]
    fn every_language_has_text_of_the_same_shape() {
        let english = Words::of(Language::English);
        for language in Language::ALL {
            let words = Words::of(language);
            assert!(words.headings.keys().eq(english.headings.keys()), "{language:?}");
            assert!(words.types.keys().eq(english.types.keys()), "{language:?}");
            assert!(words.abbreviations.keys().eq(english.types.keys()), "{language:?}");
            assert!(words.counted.keys().eq(english.counted.keys()), "{language:?}");
            assert!(words.instructions.keys().eq(english.instructions.keys()), "{language:?}");
            assert!(words.notes.keys().eq(english.notes.keys()), "{language:?}");
            assert!(words.numbers.keys().eq(english.numbers.keys()), "{language:?}");
            for (one, other) in places_of(&english).iter().zip(places_of(&words)) {
                assert_eq!(*one, other, "{language:?}");
            }
        }
        assert!(QuestionType::ALL.iter().all(|kind| !english.kind(*kind).is_empty()));
    }

    /// The places of every sentence, in order of their names.
    fn places_of(words: &Words) -> Vec<(String, Vec<String>)> {
        let maps = [&words.headings, &words.instructions, &words.notes, &words.numbers];
        let named = maps.into_iter().flatten().map(|(name, text)| (name.clone(), text));
        let places = |text: &str| {
            let mut names: Vec<String> =
                text.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0.to_owned())).collect();
            names.sort();
            names
        };
        named.map(|(name, text)| (name, places(text))).collect()
    }

    // rows: D19
    #[test]
    fn every_language_file_is_in_its_own_script() {
        for language in Language::ALL {
            let words = Words::of(language);
            let labels = &words.labels;
            let mut texts =
                vec![&labels.bank, &labels.partly, &labels.frame, &labels.model, &words.task_point];
            texts.extend(words.headings.values().chain(words.types.values()));
            texts.extend(
                words.instructions.values().chain(words.notes.values()).chain(words.numbers.values()),
            );
            texts.extend(words.levels.iter().chain(&words.difficulties));
            texts.extend(words.counted.values().flatten());
            for text in texts {
                let bare: String = text.split('{').enumerate().fold(String::new(), |bare, (at, piece)| {
                    let piece =
                        if at == 0 { piece } else { piece.split_once('}').map_or("", |(_, rest)| rest) };
                    bare + piece
                });
                // The names of sections and columns stay Latin letters.
                let words: Vec<&str> = bare.split(' ').filter(|word| !["A", "B"].contains(word)).collect();
                let count = ScriptCount::of(&words.join(" "));
                assert!(count.total() == 0 || count.share(language.script()) >= 0.85, "{language:?}: {text}");
            }
        }
    }

    #[test]
    fn the_footer_of_every_language_and_label_is_one_short_clause() {
        for language in Language::ALL {
            let labels = Words::of(language).labels;
            for label in [&labels.bank, &labels.partly, &labels.frame, &labels.model] {
                let clause = first_clause(label);
                assert!((4..=90).contains(&visible_length(clause)), "{language:?}: {clause}");
                assert!(label.starts_with(clause) && !clause.contains('✎'), "{language:?}: {clause}");
            }
        }
    }
}
