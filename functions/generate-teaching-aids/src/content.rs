//! The slots that a model or the built-in bank fills: text only, no numbers that the plan decides.

use banyan_bank::parts::{Check, Misconception, Qa, Term};
use serde::{Deserialize, Serialize};

/// The text of one aid.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum AidText {
    /// Worksheets, practice sheets, a quiz.
    Sheet(Sheet),
    /// Flashcards, and the cards of a game.
    Cards(Cards),
    /// Activities.
    Activities(Activities),
    /// Slides.
    Slides(Slides),
    /// A study guide.
    Guide(Guide),
    /// A rubric.
    Rubric(Rubric),
}

/// Questions, easy ones first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Sheet {
    /// One for each in the plan.
    pub items: Vec<Item>,
}

/// A question with its answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// The question.
    pub text: String,
    /// Its answer.
    pub answer: String,
    /// How the answer is found; shown where the item is the worked example.
    #[serde(default, skip_serializing)]
    pub working: String,
    /// Whether the answer is a drawing.
    #[serde(default, skip_serializing)]
    pub drawn: bool,
    /// Whether it is said aloud.
    #[serde(default, skip_serializing)]
    pub aloud: bool,
    /// The calculation behind the answer, where there is one.
    #[serde(default, skip_serializing)]
    pub check: Option<Check>,
}

/// Cards.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Cards {
    /// One for each in the plan.
    pub cards: Vec<Card>,
}

/// A card with two sides, or a pair of cards.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Card {
    /// A term or a question.
    pub front: String,
    /// Its meaning or answer.
    pub back: String,
}

/// Activities.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Activities {
    /// One for each in the plan.
    pub activities: Vec<Activity>,
}

/// Something to do in groups.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Activity {
    /// Its name.
    pub title: String,
    /// The purpose.
    pub aim: String,
    /// Low-cost things.
    pub materials: Vec<String>,
    /// What is done.
    pub steps: Vec<String>,
    /// Heads of the table that pupils fill.
    pub columns: Vec<String>,
    /// Questions to talk about, with what to expect.
    pub discuss: Vec<Qa>,
    /// Safety lines; none where nothing can happen.
    pub safety: Vec<String>,
    /// Signs of success that the teacher will see.
    pub expected: String,
}

/// Slides.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Slides {
    /// One for each in the plan.
    pub slides: Vec<Slide>,
}

/// A slide.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slide {
    /// Its title.
    pub title: String,
    /// At most five, of at most eight words.
    pub bullets: Vec<String>,
    /// The speaker's words.
    pub note: String,
    /// What is drawn; may be empty.
    pub drawing: String,
}

/// A chapter in short.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Guide {
    /// Key terms.
    pub terms: Vec<Term>,
    /// Its ideas in sentences.
    pub concepts: Vec<String>,
    /// Questions with their solutions.
    pub examples: Vec<Qa>,
    /// Facts worth knowing by heart.
    pub remember: Vec<String>,
    /// Questions; the answers are the teacher's.
    pub practice: Vec<Qa>,
    /// Common errors.
    pub errors: Vec<Misconception>,
}

/// A rubric.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rubric {
    /// One for each in the plan.
    pub criteria: Vec<Criterion>,
}

/// A row of a rubric.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Criterion {
    /// What is looked at.
    pub name: String,
    /// Four descriptions, the best one first.
    pub levels: Vec<String>,
}

/// All slots of a document, filled.
#[derive(Debug, Clone, PartialEq)]
pub struct Content {
    /// One text for each aid of the plan.
    pub aids: Vec<AidText>,
    /// Share of slots with text of this very chapter, 0 to 1.
    pub coverage: f64,
}
