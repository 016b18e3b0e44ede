//! Chapter packs (K2): what is known about one chapter, written for this product and tested fact by fact.

use banyan_functions::script::Language;
use serde::Deserialize;

use crate::catalogue;
use crate::content::{AssessmentItem, Check, Differentiation, Link, Misconception, Outcome, Qa, Term};
use crate::request::LessonRequest;

/// A chapter.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pack {
    /// The class whose book has the chapter.
    pub class: u8,
    /// `Mathematics` or `Science`.
    pub subject: String,
    /// The title as in the catalogue.
    pub chapter: String,
    /// Where the text comes from; always `own`.
    pub source: String,
    /// Learning outcomes.
    pub outcomes: Vec<Outcome>,
    /// What was taught before.
    pub prior_knowledge: Vec<String>,
    /// Questions that show whether it is there.
    pub diagnostic: Vec<Qa>,
    /// Key terms.
    pub terms: Vec<Term>,
    /// Sub-topics in teaching order.
    pub subtopics: Vec<Subtopic>,
    /// Facts for quizzes and tests.
    pub facts: Vec<Fact>,
    /// Common errors.
    pub misconceptions: Vec<Misconception>,
    /// Activities.
    pub activities: Vec<Activity>,
    /// A game.
    pub game: Activity,
    /// Links to life and other subjects.
    pub links: Vec<Link>,
    /// Safety lines; none for a chapter without practical work.
    pub safety: Vec<String>,
    /// Summative items.
    pub assessment: Vec<AssessmentItem>,
    /// The lesson for different pupils.
    pub differentiation: Differentiation,
    /// When few reach an outcome.
    pub remedial: String,
    /// When most do.
    pub enrichment: String,
}

/// A sub-topic, enough for a period of its own.
#[derive(Debug, Clone, Deserialize)]
pub struct Subtopic {
    /// Its title.
    pub title: String,
    /// The opening.
    pub engage: Step,
    /// The hands-on part.
    pub explore: Step,
    /// The concept and a worked example.
    pub explain: Step,
    /// Practice.
    pub elaborate: Step,
    /// The question at the end.
    pub check: Qa,
    /// 15 to 30 minutes at home.
    pub homework: String,
}

/// A phase of a sub-topic.
#[derive(Debug, Clone, Deserialize)]
pub struct Step {
    /// What the teacher does.
    pub teacher: String,
    /// What the pupils do.
    pub pupils: String,
    /// Questions to ask.
    #[serde(default)]
    pub questions: Vec<Qa>,
    /// What is written on the board.
    #[serde(default)]
    pub board: String,
}

/// A checked fact in four forms.
#[derive(Debug, Clone, Deserialize)]
pub struct Fact {
    /// A true statement.
    #[serde(rename = "true")]
    pub right: String,
    /// A false one that is near it.
    #[serde(rename = "false")]
    pub wrong: String,
    /// A word or number of the true statement that can be left blank.
    pub blank: String,
    /// A question.
    pub q: String,
    /// Its answer.
    pub a: String,
    /// The calculation behind it, where there is one.
    #[serde(default)]
    pub check: Option<Check>,
}

/// An activity or a game.
#[derive(Debug, Clone, Deserialize)]
pub struct Activity {
    /// Its name.
    pub title: String,
    /// How it goes.
    pub text: String,
    /// What the pupils do in it.
    #[serde(default)]
    pub pupils: String,
}

const ENGLISH: [&str; 2] = [
    include_str!("../../data/packs/mathematics-10-quadratic-equations.json"),
    include_str!("../../data/packs/science-10-electricity.json"),
];

/// Every pack of a language.
pub fn all(language: Language) -> Vec<Pack> {
    let texts: &[&str] = if language == Language::English { &ENGLISH } else { &[] };
    texts.iter().map(|text| serde_json::from_str(text).expect("every pack is read in a test")).collect()
}

/// The pack for a request: same class, same subject, and the catalogue's chapter in the document's
/// language.
pub fn find(request: &LessonRequest) -> Option<Pack> {
    let entry = catalogue::find(&request.chapter, request.class, &request.subject)?;
    let fits = |pack: &Pack| {
        pack.class == request.class && pack.subject == entry.subject && pack.chapter == entry.title
    };
    all(request.language).into_iter().find(fits)
}
