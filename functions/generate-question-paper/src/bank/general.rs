use banyan_bank::generators::Point;
use banyan_bank::packs::BLANK;
use banyan_bank::tasks::{Mind, Work};

use super::supply::Supply;
use crate::content::{Body, Source, Topic};
use crate::plan::{Level, QuestionType, Slot};

/// A ruled line for a question.
const LINE: &str = "________________________________________";

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

/// A task that is true for any chapter of its kind and that the pack does not answer, for types
/// that are answered in sentences: its key is what marks are given for.
pub(super) fn open_task(supply: &mut Supply<'_>, slot: &Slot) -> Option<Body> {
    let task = is_written(slot).then(|| supply.open_task())??;
    let scheme = match task.work {
        Work::Writing => writing(&supply.words.tasks.writing, slot.marks),
        Work::Picture | Work::Words | Work::Aloud => whole(&supply.words.tasks.shown, slot.marks),
        Work::Points | Work::Map | Work::Questions => whole(&supply.words.task_point, slot.marks),
    };
    let text = task.asking(&supply.request.chapter, slot.marks as usize);
    let answer = in_one_line(&scheme);
    Some(Body { source: Source::General, ..plain(text, answer, scheme, Topic::Whole, level(task.mind)) })
}

/// Whether it is answered in sentences.
pub(super) fn is_written(slot: &Slot) -> bool {
    matches!(slot.kind, QuestionType::VeryShort | QuestionType::Short | QuestionType::Long)
}

/// Points one behind the other, with a semicolon behind those that are no sentences.
pub(super) fn in_one_line(scheme: &[Point]) -> String {
    let mut line = String::new();
    for point in scheme {
        let separator = match line.chars().last() {
            None => "",
            Some('.' | '।' | '?' | '!') => " ",
            Some(_) => "; ",
        };
        line = format!("{line}{separator}{}", point.text);
    }
    line
}

/// The thinking that a task asks for, in words of questions.
pub(super) fn level(mind: Mind) -> Level {
    match mind {
        Mind::Recall => Level::Recall,
        Mind::Apply => Level::Apply,
        Mind::Reason => Level::Reason,
    }
}

/// The marks of a text: half of them, in whole ones, for what it says, the rest for how it is put
/// together and spelt.
fn writing(names: &[String; 3], marks: u32) -> Vec<Point> {
    let content = marks.div_ceil(2) * 2;
    let rest = marks * 2 - content;
    let shares = [content, rest.div_ceil(2), rest / 2];
    let given = names.iter().zip(shares).filter(|(_, half_marks)| *half_marks > 0);
    given.map(|(name, half_marks)| Point { text: name.clone(), half_marks }).collect()
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
