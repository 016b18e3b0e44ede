//! Tasks that are true for any chapter of their kind, by language: `{chapter}` is its title,
//! `{n}` how many points are asked for. A story is read otherwise than a chapter of science, and
//! Classes 1 and 2 draw, show and tell.

use banyan_functions::words::fill;
use banyan_functions::writing_system::Language;
use serde::Deserialize;

use crate::data::{self, deflated};
use crate::subjects::Family;

/// All tasks of a language: the same ones in the same order in every language.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Tasks {
    /// For chapters that explain something.
    general: Vec<String>,
    /// For stories, poems and other texts of a language.
    language: Vec<String>,
    /// For Classes 1 and 2 (SPECIFICATION.md DOM-2.4).
    early: Vec<String>,
    /// The same tasks for a single point, which most of them ask for in other words.
    one: ForOne,
    /// Said aloud within half a minute, in every class: `{chapter}` only.
    pub quick: Vec<String>,
    /// What a text is marked for: what it says, how it is put together, how it is spelt
    /// (SPECIFICATION.md DOM-5).
    pub writing: [String; 3],
    /// What a drawing or a spoken answer is marked for.
    pub shown: String,
}

/// The tasks of [`Tasks`], asking for one point.
#[derive(Debug, Clone, Default, Deserialize)]
struct ForOne {
    general: Vec<String>,
    language: Vec<String>,
    early: Vec<String>,
}

/// A task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Task<'a> {
    /// Its text, with places.
    text: &'a str,
    /// The same for a single point.
    one: &'a str,
    /// The thinking that it asks of the pupil.
    pub mind: Mind,
    /// What the pupil hands in.
    pub work: Work,
    /// Parts of a chapter pack that answer it.
    pub key: Option<Key>,
}

impl Task<'_> {
    /// Its text for so many points about a chapter or a part of it.
    pub fn asking(&self, about: &str, points: usize) -> String {
        match points {
            1 => fill(self.one, &[("chapter", about)]),
            _ => fill(self.text, &[("chapter", about), ("n", &points.to_string())]),
        }
    }
}

/// The thinking that a task asks of the pupil.
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
    /// Questions with their answers.
    Questions,
    /// A text.
    Writing,
    /// A picture, in Classes 1 and 2.
    Picture,
    /// Words, in Classes 1 and 2.
    Words,
    /// Nothing: it is said or read aloud, in Classes 1 and 2.
    Aloud,
}

/// Parts of a chapter pack that answer a task.
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
    /// Links to other subjects and to life.
    Links,
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
    (Mind::Reason, Work::Questions, None),
    (Mind::Recall, Work::Points, None),
    (Mind::Reason, Work::Points, None),
    (Mind::Recall, Work::Points, Some(Key::Summary)),
    (Mind::Apply, Work::Points, Some(Key::Links)),
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
    (Mind::Reason, Work::Aloud, None),
    (Mind::Recall, Work::Aloud, None),
    (Mind::Recall, Work::Aloud, None),
    (Mind::Apply, Work::Picture, None),
    (Mind::Reason, Work::Picture, None),
];

impl Tasks {
    /// The tasks of a language.
    pub fn of(language: Language) -> Self {
        data::read(match language {
            Language::English => deflated!("tasks/en.json"),
            Language::Hindi => deflated!("tasks/hi.json"),
            Language::Marathi => deflated!("tasks/mr.json"),
            Language::Gujarati => deflated!("tasks/gu.json"),
            Language::Telugu => deflated!("tasks/te.json"),
            Language::Kannada => deflated!("tasks/kn.json"),
            Language::Sanskrit => deflated!("tasks/sa.json"),
        })
    }

    /// Those for a class and subject.
    pub fn fitting(&self, class: u8, subject: &str) -> Vec<Task<'_>> {
        let (texts, ones, kinds) = match (class, Family::of(subject)) {
            (1 | 2, _) => (&self.early, &self.one.early, &EARLY[..]),
            (_, Family::Language) => (&self.language, &self.one.language, &LANGUAGE[..]),
            _ => (&self.general, &self.one.general, &GENERAL[..]),
        };
        let task = |((text, one), (mind, work, key)): ((_, _), &Kind)| Task {
            text,
            one,
            mind: *mind,
            work: *work,
            key: *key,
        };
        let texts = texts.iter().map(String::as_str).zip(ones.iter().map(String::as_str));
        texts.zip(kinds).map(task).collect()
    }

    /// Every task with its places.
    pub fn texts(&self) -> impl Iterator<Item = &String> {
        let one = &self.one;
        let of_one = [&one.general, &one.language, &one.early];
        let of_many = [&self.general, &self.language, &self.early];
        of_many.into_iter().chain(of_one).chain([&self.quick]).flatten()
    }
}

#[cfg(test)]
mod tests {
    use banyan_functions::words::places;
    use banyan_functions::writing_system::ScriptCount;

    use super::*;

    #[test]
    fn every_language_has_the_same_tasks() {
        for language in Language::ALL {
            let tasks = Tasks::of(language);
            let numbers = [&tasks.general, &tasks.language, &tasks.early, &tasks.quick].map(Vec::len);
            assert_eq!(numbers, [GENERAL.len(), LANGUAGE.len(), EARLY.len(), 8], "{language:?}");
            let of_one = [&tasks.one.general, &tasks.one.language, &tasks.one.early];
            assert_eq!(of_one.map(Vec::len)[..], numbers[..3], "{language:?}");
            for task in tasks.texts() {
                let mut places = places(task);
                places.sort_unstable();
                let of_one = || of_one.iter().any(|tasks| tasks.contains(task));
                let wanted: &[&str] =
                    if tasks.quick.contains(task) || of_one() { &["chapter"] } else { &["chapter", "n"] };
                assert_eq!(places, wanted, "{language:?}: {task}");
            }
        }
    }

    // rows: D19
    #[test]
    fn the_tasks_of_every_language_are_in_its_own_script() {
        for language in Language::ALL {
            let tasks = Tasks::of(language);
            for text in tasks.texts().chain(&tasks.writing).chain([&tasks.shown]) {
                let bare = text.replace("{chapter}", "").replace("{n}", "");
                assert!(ScriptCount::of(&bare).share(language.script()) > 0.99, "{language:?}: {text}");
            }
        }
    }

    #[test]
    fn one_point_is_asked_for_as_one() {
        let tasks = Tasks::of(Language::English);
        let asked = |points| tasks.fitting(1, "EVS")[0].asking("My Family", points);
        assert_eq!(asked(1), "Draw one thing from ‘My Family’ and colour it.");
        assert_eq!(asked(2), "Draw 2 things from ‘My Family’ and colour them.");
        for (class, subject) in [(1, "EVS"), (5, "English"), (9, "Science")] {
            for task in tasks.fitting(class, subject) {
                let text = task.asking("X", 1);
                assert!(!text.contains(|c: char| c.is_ascii_digit() || c == '{'), "{text}");
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
