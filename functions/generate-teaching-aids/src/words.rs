//! The built-in text of a language: headings, games, and the frames that are true for any
//! chapter. One file per language, all of one shape.

use std::collections::BTreeMap;

use banyan_bank::subjects::Family;
use banyan_bank::tasks::Tasks;
use banyan_functions::words::{CommonWords, Labels, Places, fill};
use banyan_functions::writing_system::Language;
use serde::Deserialize;

use crate::content::Criterion;
use crate::kind::Kind;

/// All built-in text of one language.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Words {
    /// Words of every kind of document.
    #[serde(skip)]
    pub common: CommonWords,
    /// Tasks that are true for any chapter.
    #[serde(skip)]
    pub tasks: Tasks,
    /// Headings and small words of the layout, by name.
    pub headings: BTreeMap<String, String>,
    /// Names of the kinds, by their ids.
    pub names: BTreeMap<String, String>,
    /// The line below the name of a kind.
    pub lead: BTreeMap<String, String>,
    /// The honesty lines.
    pub labels: Labels,
    /// Notes for the teacher.
    pub notes: BTreeMap<String, String>,
    /// What is left to the teacher.
    pub open: Open,
    /// The activity that is true for any chapter.
    pub activity: ActivityFrame,
    /// Pairs of cards.
    pub memory: GameFrame,
    /// A chain of cards.
    pub dominoes: GameFrame,
    /// The rubric.
    pub rubric: RubricFrame,
    /// Slides.
    pub slides: SlideFrame,
    /// Sentences around facts of a chapter, in the languages that have packs.
    #[serde(default)]
    pub facts: BTreeMap<String, String>,
    /// Activities of a family of subjects; the general one stands in.
    #[serde(default)]
    pub families: BTreeMap<String, FamilyFrame>,
}

/// What is left to the teacher, marked ✎.
#[derive(Debug, Clone, Deserialize)]
pub struct Open {
    /// A question to write.
    pub item: String,
    /// An answer to write.
    pub answer: String,
    /// A side of a card to write.
    pub card: String,
    /// The answer of a task that is true for any chapter.
    pub checked: String,
}

/// An activity.
#[derive(Debug, Clone, Deserialize)]
pub struct ActivityFrame {
    /// Its name.
    pub title: String,
    /// The purpose.
    pub aim: String,
    /// Things.
    pub materials: Vec<String>,
    /// What is done.
    pub steps: Vec<String>,
    /// Heads of the table.
    pub columns: Vec<String>,
    /// Questions to talk about.
    pub discuss: Vec<String>,
    /// Signs of success that the teacher will see.
    pub expected: String,
}

/// Differences of a family of subjects.
#[derive(Debug, Clone, Deserialize)]
pub struct FamilyFrame {
    /// The name.
    pub title: String,
    /// The purpose.
    pub aim: String,
    /// What is done.
    pub steps: Vec<String>,
    /// Heads of the table.
    pub columns: Vec<String>,
}

/// A game.
#[derive(Debug, Clone, Deserialize)]
pub struct GameFrame {
    /// Its name.
    pub title: String,
    /// Things.
    pub materials: Vec<String>,
    /// The rules.
    pub rules: Vec<String>,
    /// How points are given.
    pub scoring: String,
}

/// A rubric.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RubricFrame {
    /// Names of the four levels, the best one first.
    pub levels: Vec<String>,
    /// The rows.
    pub criteria: Vec<Criterion>,
    /// Levels for the outcomes of a chapter after the first, in the languages that have packs.
    #[serde(default)]
    pub outcomes: Vec<Vec<String>>,
    /// How it is used.
    pub how_to: String,
}

/// Slides.
#[derive(Debug, Clone, Deserialize)]
pub struct SlideFrame {
    /// The title of the opening question.
    pub what: String,
    /// The title of the slide with terms.
    pub words: String,
    /// The title of an idea, `{n}`.
    pub idea: String,
    /// The title of a task.
    #[serde(rename = "try")]
    pub attempt: String,
    /// The title of a common error.
    pub mistake: String,
    /// The title of the last slide.
    pub summary: String,
    /// Three short lines: think, pair, share.
    pub think: Vec<String>,
    /// The speaker's actions.
    pub say: String,
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

    /// The name of a kind.
    pub fn name(&self, kind: Kind) -> &str {
        self.names.get(kind.id()).map_or("", String::as_str)
    }

    /// The line below the name of a kind; empty where it needs none.
    pub fn lead(&self, kind: Kind) -> &str {
        self.lead.get(kind.id()).map_or("", String::as_str)
    }

    /// A sentence around a fact.
    pub fn fact(&self, name: &str, places: &Places<'_>) -> String {
        fill(self.facts.get(name).map_or("", String::as_str), places)
    }

    /// The activity of a family of subjects.
    pub fn family(&self, family: Family) -> Option<&FamilyFrame> {
        self.families.get(family.key())
    }
}

#[cfg(test)]
mod tests {
    use banyan_functions::words::without_places;
    use banyan_functions::writing_system::ScriptCount;

    use super::*;

    #[test]
    fn every_language_has_text_of_the_same_shape() {
        let english = Words::of(Language::English);
        for language in Language::ALL {
            let words = Words::of(language);
            assert!(words.headings.keys().eq(english.headings.keys()), "{language:?}");
            assert!(words.names.keys().eq(english.names.keys()), "{language:?}");
            assert!(words.lead.keys().eq(english.lead.keys()), "{language:?}");
            assert!(words.notes.keys().eq(english.notes.keys()), "{language:?}");
            assert_eq!(words.rubric.levels.len(), 4, "{language:?}");
            assert_eq!(words.rubric.criteria.len(), 5, "{language:?}");
            assert!(words.rubric.criteria.iter().all(|row| row.levels.len() == 4), "{language:?}");
            assert_eq!((words.memory.rules.len(), words.dominoes.rules.len()), (5, 5), "{language:?}");
            assert_eq!((words.activity.columns.len(), words.slides.think.len()), (3, 3), "{language:?}");
            assert!(Kind::ALL.iter().all(|kind| !words.name(*kind).is_empty()), "{language:?}");
        }
    }

    // rows: D19
    #[test]
    fn every_language_file_is_in_its_own_script() {
        for language in Language::ALL {
            let words = Words::of(language);
            let mut texts: Vec<&String> = words.headings.values().collect();
            texts.extend(words.names.values().chain(words.lead.values()).chain(words.notes.values()));
            texts.extend(words.activity.steps.iter().chain(&words.memory.rules).chain(&words.dominoes.rules));
            texts.extend(words.rubric.criteria.iter().flat_map(|row| &row.levels).chain(&words.slides.think));
            texts.extend([
                &words.labels.bank,
                &words.labels.partly,
                &words.labels.frame,
                &words.labels.model,
            ]);
            for text in texts {
                let count = ScriptCount::of(&without_places(text));
                assert!(count.total() == 0 || count.share(language.script()) >= 0.85, "{language:?}: {text}");
            }
        }
    }
}
