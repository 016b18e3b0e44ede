//! The structured document `ta/1`: plan and text together, from which text and file are made
//! (SPECIFICATION.md GEN-6).

use banyan_functions::metadata::{About, Head, Remarks};
use serde::Serialize;

use crate::content::{Activity, AidText, Content, Item};
use crate::kind::Kind;
use crate::plan::Plan;
use crate::request::AidsRequest;
use crate::words::Words;

/// Kind of the document, and form of its data.
pub const FORM: (&str, &str) = ("teaching-aids", "ta/1");

/// A set of teaching aids.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Aids {
    /// The head of every structured document.
    #[serde(flatten)]
    pub head: Head,
    /// The chapter.
    #[serde(flatten)]
    pub about: About,
    /// The teacher's goals, line by line, as typed.
    pub objectives: Vec<String>,
    /// The aids in the order of printing.
    pub aids: Vec<Aid>,
}

/// One aid.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Aid {
    /// What it is.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// Its name in the document's language.
    pub title: String,
    /// Its room.
    pub pages: f64,
    /// Items of each level.
    #[serde(skip)]
    pub levels: [usize; 3],
    /// Empty rows of each table that pupils write in.
    #[serde(skip)]
    pub rows: usize,
    /// Lines below each question to talk about.
    #[serde(skip)]
    pub lines: usize,
    /// Its text; one block.
    pub blocks: [AidText; 1],
    /// The answers, in order; empty where there are none.
    pub key: Vec<String>,
}

/// Puts plan and text together; every number comes from the plan.
pub fn assemble(
    request: &AidsRequest,
    plan: &Plan,
    words: &Words,
    content: Content,
    remarks: Remarks,
) -> Aids {
    let aids = plan.aids.iter().zip(content.aids).map(|(aid, text)| Aid {
        kind: aid.kind,
        title: words.name(aid.kind).to_owned(),
        pages: f64::from(aid.half_pages) / 2.0,
        levels: aid.levels,
        rows: aid.rows,
        lines: aid.lines,
        key: key(aid.kind, &text, words),
        blocks: [text],
    });
    let aids = aids.collect();
    let title = format!("{}: {}", words.heading("title"), request.chapter);
    Aids {
        head: Head::new(FORM, title, request.language, remarks),
        about: request.about(words),
        objectives: request.objectives.lines().map(str::to_owned).filter(|line| !line.is_empty()).collect(),
        aids,
    }
}

/// The first question of a worksheet is its worked example, where its answer is known.
pub(crate) fn has_example(kind: Kind, text: &AidText, words: &Words) -> bool {
    let solved = |item: &Item| !item.text.contains('✎') && item.answer != words.open.checked;
    match text {
        AidText::Sheet(sheet) => {
            kind == Kind::Worksheets && sheet.items.len() > 3 && sheet.items.first().is_some_and(solved)
        }
        _ => false,
    }
}

/// The questions to talk about, each with what to expect.
pub(crate) fn discussed(activity: &Activity) -> Vec<String> {
    activity.discuss.iter().map(|qa| format!("{} {}", qa.q, qa.a)).collect()
}

/// The answers that stand on the teacher's page.
fn key(kind: Kind, text: &AidText, words: &Words) -> Vec<String> {
    match text {
        AidText::Sheet(sheet) => {
            let items = sheet.items.iter().skip(usize::from(has_example(kind, text, words)));
            items.map(|item| item.answer.clone()).collect()
        }
        AidText::Cards(cards) if kind == Kind::Games => {
            cards.cards.iter().map(|card| format!("{} – {}", card.front, card.back)).collect()
        }
        AidText::Activities(activities) => {
            let answers = |activity: &Activity| {
                std::iter::once(activity.expected.clone()).chain(discussed(activity)).collect::<Vec<_>>()
            };
            activities.activities.iter().flat_map(answers).collect()
        }
        AidText::Guide(guide) => guide.practice.iter().map(|qa| qa.a.clone()).collect(),
        AidText::Cards(_) | AidText::Slides(_) | AidText::Rubric(_) => Vec::new(),
    }
}
