//! Chapter packs: what is known about one chapter, written for this product and tested fact by
//! fact.

use banyan_functions::writing_system::Language;
use serde::Deserialize;

use crate::catalogue;
use crate::data::{self, deflated};
use crate::parts::{AssessmentItem, Check, Differentiation, Link, Misconception, Outcome, Qa, Term};

/// Knowledge about a chapter.
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
    /// Prior knowledge.
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
    /// Facts, terms and common errors that reveal one another.
    #[serde(default)]
    pub overlaps: Vec<Overlap>,
    /// Activities.
    pub activities: Vec<Activity>,
    /// A game.
    pub game: Activity,
    /// Links to life and other subjects.
    pub links: Vec<Link>,
    /// Safety lines; none for a chapter without practical work.
    pub safety: Vec<String>,
    /// Summative items; where there are none, the facts serve as such.
    #[serde(default)]
    pub assessment: Vec<AssessmentItem>,
    /// The lesson for different pupils, where the chapter asks for more than the general advice.
    #[serde(default)]
    pub differentiation: Option<Differentiation>,
    /// When few reach an outcome.
    #[serde(default)]
    pub remedial: Option<String>,
    /// When most do.
    #[serde(default)]
    pub enrichment: Option<String>,
}

impl Pack {
    /// The facts of a sub-topic, numbered from 1.
    pub fn facts_of(&self, subtopic: usize) -> Vec<&Fact> {
        self.facts.iter().filter(|fact| fact.subtopic == subtopic).collect()
    }

    /// Returns whether the meaning of one term is also true of the other.
    pub fn are_of_a_kind(&self, one: &Term, other: &Term) -> bool {
        let is_a = |one: &Term, other: &Term| {
            one.kind_of.iter().any(|no| self.terms.get(no - 1).is_some_and(|term| term.term == other.term))
        };
        is_a(one, other) || is_a(other, one)
    }

    /// Items that test the outcomes: the pack's own, or its facts, since without own items there is
    /// an outcome for every sub-topic.
    pub fn test_items(&self) -> Vec<AssessmentItem> {
        if !self.assessment.is_empty() {
            return self.assessment.clone();
        }
        let item = |fact: &Fact| AssessmentItem {
            outcome: fact.subtopic,
            q: fact.q.clone(),
            a: fact.a.clone(),
            check: fact.check.clone(),
        };
        self.facts.iter().map(item).collect()
    }
}

/// A sub-topic, enough for a period of its own.
#[derive(Debug, Clone, Deserialize)]
pub struct Subtopic {
    /// Its title.
    pub title: String,
    /// A lesson worked out for it; without one, a lesson is made from its facts.
    #[serde(default)]
    pub lesson: Option<Lesson>,
}

/// A lesson on one sub-topic.
#[derive(Debug, Clone, Deserialize)]
pub struct Lesson {
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
    /// The teacher's part.
    pub teacher: String,
    /// The pupils' part.
    pub pupils: String,
    /// Questions to ask.
    #[serde(default)]
    pub questions: Vec<Qa>,
    /// Text on the board.
    #[serde(default)]
    pub board: String,
}

/// A checked fact in four forms.
#[derive(Debug, Clone, Deserialize)]
pub struct Fact {
    /// The sub-topic that it belongs to, from 1.
    pub subtopic: usize,
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
    /// The number of the term that it says more of than what the term means.
    #[serde(default)]
    pub about: Option<usize>,
}

/// Parts that reveal one another: a pupil who reads one knows the others. Numbers from 1, in the
/// order of the pack.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Overlap {
    /// Facts.
    pub facts: Vec<usize>,
    /// Terms.
    pub terms: Vec<usize>,
    /// Common errors.
    pub errors: Vec<usize>,
}

impl Overlap {
    /// All of them.
    pub fn parts(&self) -> impl Iterator<Item = Part> {
        let facts = self.facts.iter().copied().map(Part::Fact);
        let terms = self.terms.iter().copied().map(Part::Term);
        facts.chain(terms).chain(self.errors.iter().copied().map(Part::Error))
    }
}

/// Parts of a pack that can be asked for, by number from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// A fact, in whatever form.
    Fact(usize),
    /// A term, its meaning, an example of it.
    Term(usize),
    /// A common error.
    Error(usize),
}

/// A blank in a sentence.
pub const BLANK: &str = "________";

impl Fact {
    /// The true statement with its word left out; nothing when the word also stands elsewhere in it
    /// (V09).
    pub fn with_blank(&self) -> Option<String> {
        let is_part = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let around = |at: usize| (&self.right[..at], &self.right[at + self.blank.len()..]);
        let whole_word = |at: &usize| {
            let (before, after) = around(*at);
            !is_part(before.chars().next_back()) && !is_part(after.chars().next())
        };
        let places: Vec<usize> =
            self.right.match_indices(&self.blank).map(|(at, _)| at).filter(whole_word).collect();
        let [at] = places[..] else { return None };
        let (before, after) = around(at);
        let text = format!("{before}{BLANK}{after}");
        (!text.to_lowercase().contains(&self.blank.to_lowercase())).then_some(text)
    }
}

/// An activity or a game.
#[derive(Debug, Clone, Deserialize)]
pub struct Activity {
    /// Its name.
    pub title: String,
    /// How it goes.
    pub text: String,
    /// The pupils' work in it.
    #[serde(default)]
    pub pupils: String,
    /// Materials of the activity, by name. An activity without materials has only its text, and
    /// none of the fields below.
    #[serde(default)]
    pub materials: Vec<String>,
    /// Does the steps of the text, one by one.
    #[serde(default)]
    pub steps: Vec<String>,
    /// Heads of the table that pupils fill; the subject's stand in.
    #[serde(default)]
    pub columns: Vec<String>,
    /// Questions about what was seen.
    #[serde(default)]
    pub discuss: Vec<Qa>,
    /// What is dangerous in this activity.
    #[serde(default)]
    pub safety: Vec<String>,
    /// What comes out.
    #[serde(default)]
    pub expected: String,
}

/// A pack's name and its text, deflated by the build script.
type File = (&'static str, &'static [u8]);

/// The files of one language by name, `<subject>-<class>-<title>`. Another language is a folder
/// beside `en` with the same names.
macro_rules! packs {
    ($language:literal: $($name:literal),* $(,)?) => {
        &[$(($name, deflated!("packs/", $language, "/", $name, ".json"))),*]
    };
}

const ENGLISH: &[File] = packs!["en":
    "mathematics-6-fractions",
    "mathematics-6-perimeter-and-area",
    "mathematics-6-prime-time",
    "mathematics-7-operations-with-integers",
    "mathematics-8-a-square-and-a-cube",
    "mathematics-8-quadrilaterals",
    "mathematics-10-arithmetic-progressions",
    "mathematics-10-introduction-to-trigonometry",
    "mathematics-10-pair-of-linear-equations-in-two-variables",
    "mathematics-10-polynomials",
    "mathematics-10-probability",
    "mathematics-10-quadratic-equations",
    "mathematics-10-real-numbers",
    "science-6-exploring-magnets",
    "science-6-methods-of-separation-in-everyday-life",
    "science-6-temperature-and-its-measurement",
    "science-7-electricity-circuits-and-their-components",
    "science-7-exploring-substances-acidic-basic-and-neutral",
    "science-7-heat-transfer-in-nature",
    "science-8-exploring-forces",
    "science-8-light-mirrors-and-lenses",
    "science-8-particulate-nature-of-matter",
    "science-9-cell-the-building-block-of-life",
    "science-9-describing-motion-around-us",
    "science-9-how-forces-affect-motion",
    "science-9-sound-waves-characteristics-and-applications",
    "science-10-acids-bases-and-salts",
    "science-10-chemical-reactions-and-equations",
    "science-10-control-and-coordination",
    "science-10-electricity",
    "science-10-life-processes",
    "science-10-light-reflection-and-refraction",
];

const HINDI: &[File] = packs!["hi":
    "mathematics-6-fractions",
    "mathematics-10-arithmetic-progressions",
    "mathematics-10-introduction-to-trigonometry",
    "mathematics-10-pair-of-linear-equations-in-two-variables",
    "mathematics-10-polynomials",
    "mathematics-10-probability",
    "mathematics-10-quadratic-equations",
    "mathematics-10-real-numbers",
    "science-6-exploring-magnets",
    "science-7-heat-transfer-in-nature",
    "science-9-cell-the-building-block-of-life",
    "science-9-describing-motion-around-us",
    "science-9-how-forces-affect-motion",
    "science-9-sound-waves-characteristics-and-applications",
    "science-10-acids-bases-and-salts",
    "science-10-chemical-reactions-and-equations",
    "science-10-control-and-coordination",
    "science-10-electricity",
    "science-10-life-processes",
    "science-10-light-reflection-and-refraction",
];

const fn files(language: Language) -> &'static [File] {
    match language {
        Language::English => ENGLISH,
        Language::Hindi => HINDI,
        _ => &[],
    }
}

/// Every pack of a language.
pub fn all(language: Language) -> Vec<Pack> {
    files(language).iter().map(|(_, text)| data::read(text)).collect()
}

/// The pack of a chapter as typed, in a document's language: same class, same subject, and the
/// catalogue's chapter, or the one that has taken its place.
pub fn find(language: Language, class: u8, subject: &str, chapter: &str) -> Option<Pack> {
    let entry = catalogue::find(chapter, class, subject).filter(|entry| entry.class == class)?;
    let file = |title: &String| {
        let name = name(&entry.subject, class, title);
        files(language).iter().find(|(known, _)| *known == name)
    };
    let (_, text) = file(&entry.title).or_else(|| file(entry.now.as_ref()?))?;
    Some(data::read(text))
}

/// The catalogue's title of a chapter that has a pack in English and none in this language.
pub fn only_in_english(language: Language, class: u8, subject: &str, chapter: &str) -> Option<String> {
    if find(language, class, subject, chapter).is_some() {
        return None;
    }
    find(Language::English, class, subject, chapter)?;
    catalogue::find(chapter, class, subject).map(|entry| entry.title)
}

/// The name of a chapter's file.
fn name(subject: &str, class: u8, title: &str) -> String {
    let words: Vec<String> = title
        .to_lowercase()
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty())
        .map(|word| word.replace('\'', ""))
        .collect();
    format!("{}-{class}-{}", subject.to_lowercase(), words.join("-"))
}
