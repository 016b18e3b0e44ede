//! Tasks that are true for any chapter of their kind (K1), by language: `{chapter}` is its title, `{n}` how many points
//! are asked for. A story is read otherwise than a chapter of science, and Classes 1 and 2 draw, show and tell.

use std::collections::BTreeMap;

use banyan_functions::script::Language;
use serde::Deserialize;

use crate::subjects::Family;

/// All tasks of a language: the same ones in the same order in every language.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Tasks {
    /// For chapters that explain something.
    general: Vec<String>,
    /// For stories, poems and other texts of a language.
    language: Vec<String>,
    /// For Classes 1 and 2 (domain.md 2.4).
    early: Vec<String>,
    /// Said aloud within half a minute, in every class: `{chapter}` only.
    pub quick: Vec<String>,
    /// What a text is marked for: what it says, how it is put together, how it is spelt (domain.md 5).
    pub writing: [String; 3],
    /// What a drawing or a spoken answer is marked for.
    pub shown: String,
}

/// A task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Task<'a> {
    /// Its text, with places.
    pub text: &'a str,
    /// What it asks of the pupil's mind.
    pub mind: Mind,
    /// What the pupil hands in.
    pub work: Work,
    /// What of a chapter pack answers it.
    pub key: Option<Key>,
}

/// What a task asks of the pupil's mind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mind {
    /// To know.
    Recall,
    /// To use.
    Apply,
    /// To judge, compare or make.
    Reason,
}

/// What the pupil hands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Points, each with a mark of its own.
    Points,
    /// A concept map.
    Map,
    /// A text.
    Writing,
    /// A picture, in Classes 1 and 2.
    Picture,
    /// Words, in Classes 1 and 2.
    Words,
}

impl Work {
    /// Whether it is drawn into a box.
    pub fn is_drawn(self) -> bool {
        matches!(self, Self::Map | Self::Picture)
    }
}

/// What of a chapter pack answers a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// Terms with their meanings.
    Terms,
    /// True statements.
    Facts,
    /// Common errors with their corrections.
    Errors,
    /// The sub-topics in their order, each with what is true of it.
    Summary,
    /// The sub-topics, each with a term of its own.
    Map,
    /// Questions with their answers.
    Quiz,
}

/// A task without its text: what it asks for, what is handed in, and what of a pack answers it.
type Kind = (Mind, Work, Option<Key>);

static GENERAL: [Kind; 12] = [
    (Mind::Recall, Work::Points, Some(Key::Terms)),
    (Mind::Apply, Work::Points, None),
    (Mind::Recall, Work::Points, Some(Key::Facts)),
    (Mind::Reason, Work::Points, Some(Key::Errors)),
    (Mind::Reason, Work::Map, Some(Key::Map)),
    (Mind::Reason, Work::Points, None),
    (Mind::Recall, Work::Points, Some(Key::Summary)),
    (Mind::Reason, Work::Points, Some(Key::Quiz)),
    (Mind::Recall, Work::Points, None),
    (Mind::Reason, Work::Points, None),
    (Mind::Recall, Work::Points, Some(Key::Summary)),
    (Mind::Apply, Work::Points, None),
];

static LANGUAGE: [Kind; 12] = [
    (Mind::Apply, Work::Points, None),
    (Mind::Recall, Work::Writing, None),
    (Mind::Reason, Work::Points, None),
    (Mind::Recall, Work::Writing, None),
    (Mind::Reason, Work::Writing, None),
    (Mind::Reason, Work::Points, None),
    (Mind::Recall, Work::Points, None),
    (Mind::Reason, Work::Writing, None),
    (Mind::Recall, Work::Points, None),
    (Mind::Reason, Work::Writing, None),
    (Mind::Reason, Work::Points, None),
    (Mind::Apply, Work::Points, None),
];

static EARLY: [Kind; 8] = [
    (Mind::Recall, Work::Picture, None),
    (Mind::Recall, Work::Words, None),
    (Mind::Apply, Work::Picture, None),
    (Mind::Reason, Work::Words, None),
    (Mind::Recall, Work::Words, None),
    (Mind::Recall, Work::Words, None),
    (Mind::Apply, Work::Picture, None),
    (Mind::Reason, Work::Picture, None),
];

impl Tasks {
    /// The tasks of a language.
    pub fn of(language: Language) -> Self {
        let mut all: BTreeMap<String, Self> =
            serde_json::from_str(include_str!("../data/tasks.json")).expect("the tasks are read in a test");
        all.remove(language.code()).unwrap_or_default()
    }

    /// Those for a class and subject.
    pub fn fitting(&self, class: u8, subject: &str) -> Vec<Task<'_>> {
        let (texts, kinds) = match (class, Family::of(subject)) {
            (1 | 2, _) => (&self.early, &EARLY[..]),
            (_, Family::Language) => (&self.language, &LANGUAGE[..]),
            _ => (&self.general, &GENERAL[..]),
        };
        let task = |(text, (mind, work, key)): (_, &Kind)| Task { text, mind: *mind, work: *work, key: *key };
        texts.iter().map(String::as_str).zip(kinds).map(task).collect()
    }

    /// Every task with its places.
    pub fn texts(&self) -> impl Iterator<Item = &String> {
        [&self.general, &self.language, &self.early, &self.quick].into_iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use banyan_functions::script::ScriptCount;
    use banyan_functions::words::places;

    use super::*;

    #[test]
    fn every_language_has_the_same_tasks() {
        for language in Language::ALL {
            let tasks = Tasks::of(language);
            let numbers = [&tasks.general, &tasks.language, &tasks.early, &tasks.quick].map(Vec::len);
            assert_eq!(numbers, [GENERAL.len(), LANGUAGE.len(), EARLY.len(), 8], "{language:?}");
            for task in tasks.texts() {
                let mut places = places(task);
                places.sort_unstable();
                let wanted: &[&str] =
                    if tasks.quick.contains(task) { &["chapter"] } else { &["chapter", "n"] };
                assert_eq!(places, wanted, "{language:?}: {task}");
            }
        }
    }

    #[test]
    fn d19_the_tasks_of_every_language_are_in_its_own_script() {
        for language in Language::ALL {
            let tasks = Tasks::of(language);
            for text in tasks.texts().chain(&tasks.writing).chain([&tasks.shown]) {
                let bare = text.replace("{chapter}", "").replace("{n}", "");
                assert!(ScriptCount::of(&bare).share(language.script()) > 0.99, "{language:?}: {text}");
            }
        }
    }

    #[test]
    fn the_tasks_fit_class_and_subject() {
        let tasks = Tasks::of(Language::English);
        let texts = |class, subject| {
            tasks.fitting(class, subject).iter().map(|task| task.text).collect::<Vec<_>>().join(" ")
        };
        for subject in ["English", "Mathematics", "EVS"] {
            let early = texts(1, subject);
            assert!(early.contains("Draw {n} things"), "{early}");
            for word in ["concept map", "Mistakes", "Summarise", "own words"] {
                assert!(!early.contains(word), "{word}");
            }
        }
        for (class, subject) in [(3, "Hindi"), (8, "English"), (10, "Sanskrit")] {
            let language = texts(class, subject);
            assert!(language.contains("nouns") && !language.contains("figure, table"), "{language}");
        }
        assert!(texts(8, "History").contains("concept map"));
        assert!(texts(10, "Science").contains("Key terms"));
    }
}
