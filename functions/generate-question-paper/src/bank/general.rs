use banyan_bank::generators::Point;
use banyan_bank::packs::BLANK;
use banyan_functions::words::fill;

use super::supply::Supply;
use crate::content::{Body, Source, Topic};
use crate::plan::{Level, QuestionType, Slot};

/// A ruled line for a question.
const LINE: &str = "________________________________________";

/// What the tasks ask of the pupil's mind, in the order of the language files.
const LEVELS: [Level; 12] = [
    Level::Recall,
    Level::Apply,
    Level::Recall,
    Level::Reason,
    Level::Reason,
    Level::Reason,
    Level::Recall,
    Level::Reason,
    Level::Recall,
    Level::Reason,
    Level::Recall,
    Level::Apply,
];

/// A body without anything special.
pub(super) fn plain(text: String, answer: String, scheme: Vec<Point>, subtopic: Topic, level: Level) -> Body {
    Body {
        text,
        options: Vec::new(),
        right_option: None,
        pairs: Vec::new(),
        shuffled: Vec::new(),
        parts: Vec::new(),
        answer,
        scheme,
        subtopic,
        level,
        proofs: Vec::new(),
        source: Source::Chapter,
    }
}

/// All marks for one thing.
pub(super) fn whole(text: &str, marks: u32) -> Vec<Point> {
    vec![Point { text: text.to_owned(), half_marks: marks * 2 }]
}

/// A task that is true for any chapter, for types that are answered in sentences.
pub(super) fn task(supply: &mut Supply<'_>, slot: &Slot) -> Option<Body> {
    if !matches!(slot.kind, QuestionType::VeryShort | QuestionType::Short | QuestionType::Long) {
        return None;
    }
    let at = supply.task()?;
    let places = [("chapter", supply.request.chapter.as_str()), ("n", &slot.marks.to_string())];
    let text = fill(&supply.words.tasks[at], &places);
    let point = supply.words.task_point.clone();
    let scheme = whole(&point, slot.marks);
    let level = LEVELS.get(at).copied().unwrap_or(Level::Recall);
    Some(Body { source: Source::General, ..plain(text, point, scheme, Topic::Whole, level) })
}

/// Ruled lines: the teacher writes the question, and its answer in the key.
pub(super) fn open(supply: &Supply<'_>, slot: &Slot) -> Body {
    let answer = format!("✎ {BLANK} ({})", supply.words.heading("writeAnswer"));
    let scheme = whole(&answer, slot.marks);
    let mut body = Body {
        source: Source::Open,
        ..plain(format!("✎ {LINE}"), answer, scheme, Topic::Whole, slot.level)
    };
    match slot.kind {
        QuestionType::Mcq => body.options = vec![BLANK.to_owned(); 4],
        QuestionType::Match => {
            body.text = supply.words.number("match", &[]);
            let pair = || (format!("✎ {BLANK}"), format!("✎ {BLANK}"));
            body.pairs = (0..slot.marks).map(|_| pair()).collect();
            body.shuffled = (0..body.pairs.len()).collect();
        }
        QuestionType::Fill => {
            let blanks = vec![BLANK; slot.marks as usize];
            body.text = format!("✎ ____________________ {}", blanks.join(" ____________________ "));
        }
        _ => {}
    }
    body
}
