//! The built-in text of a language: headings, honesty lines and the skeletons that are true
//! for any chapter. One file per language, all of one shape.

use std::collections::BTreeMap;

use banyan_bank::parts::{AssessmentItem, Bloom, Outcome, Qa};
use banyan_functions::words::{CommonWords, Labels, Places, fill};
use banyan_functions::writing_system::Language;
use serde::Deserialize;

use crate::content::FrameText;

/// All built-in text of one language.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Words {
    /// Words of every kind of document.
    #[serde(skip)]
    pub common: CommonWords,
    /// Headings and small words of the layout, by name.
    pub headings: BTreeMap<String, String>,
    /// Names of Bloom's levels, lowest first.
    pub bloom: Vec<String>,
    /// The honesty lines.
    pub labels: Labels,
    /// Notes for the teacher.
    pub notes: Notes,
    /// Names of the steps of a lesson.
    pub phases: Phases,
    /// Titles of periods.
    pub titles: Titles,
    /// One line of advice per age band.
    pub bands: Vec<String>,
    /// The frame outside the periods; its `subtopics` are empty.
    pub frame: FrameTemplate,
    /// Alternatives for each phase, by subject family or `early` (Classes 1 and 2): one to
    /// introduce and two to develop. Where a family that shares the five general phases has fewer,
    /// the general ones follow.
    pub phase_frames: BTreeMap<String, Vec<Vec<PhaseFrame>>>,
    /// Phases of a period for practice, by subject family or `early`; `general` for what has no
    /// others.
    pub practice_frames: BTreeMap<String, Vec<PhaseFrame>>,
    /// The question at the end of a period.
    pub check: Qa,
    /// The same for a period for practice.
    pub practice_check: Qa,
    /// Homework by age band.
    pub homework: Vec<String>,
    /// Homework after a period for practice, by subject family or `early`, where nothing is
    /// written; `general` for what has no other.
    pub practice_homework: BTreeMap<String, String>,
    /// What a plan of a subject family is about where the chapter is not known, by family,
    /// `vocational` or `early`.
    #[serde(skip)]
    pub skeletons: BTreeMap<String, Skeleton>,
    /// The true-or-false round.
    pub quiz: Quiz,
    /// Phases of a lesson from facts; in the languages that have packs.
    #[serde(default)]
    pub fact_phases: Option<FactPhases>,
    /// How an activity is announced.
    pub activity_intro: String,
    /// How a game is announced.
    pub game_intro: String,
}

/// Phases of a lesson that is made from facts of a chapter.
#[derive(Debug, Clone, Deserialize)]
pub struct FactPhases {
    /// Prior knowledge of pupils.
    pub engage: FactPhase,
    /// Claims to judge.
    pub explore: FactPhase,
    /// The facts, `{facts}`, explained.
    pub explain: FactPhase,
    /// Questions to write on.
    pub elaborate: FactPhase,
}

/// One of them; its questions come from the facts.
#[derive(Debug, Clone, Deserialize)]
pub struct FactPhase {
    /// The teacher's part.
    pub teacher: String,
    /// The pupils' part.
    pub pupils: String,
    /// Text on the board.
    pub board: String,
}

/// Notes for the teacher.
#[derive(Debug, Clone, Deserialize)]
pub struct Notes {
    /// Practical work.
    pub practical: String,
    /// Official codes are left to the teacher.
    pub codes: String,
    /// One period is an overview.
    pub overview: String,
}

/// Names of the steps of a lesson.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Phases {
    /// Engage to evaluate.
    pub five_e: Vec<String>,
    /// Introduction to recapitulation.
    pub herbartian: Vec<String>,
    /// Languages.
    pub language: Vec<String>,
    /// Art and music.
    pub arts: Vec<String>,
    /// Physical education.
    pub physical_education: Vec<String>,
}

/// Titles of periods.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Titles {
    /// One period, topics known.
    pub overview: String,
    /// One period, topics unknown.
    pub overview_frame: String,
    /// The first of several.
    pub introduction: String,
    /// Those in the middle.
    pub development: Vec<String>,
    /// The last of several.
    pub practice: String,
    /// The same in Classes 1 and 2, where nothing is tested.
    pub early_practice: String,
}

/// What a plan of a subject family is about where the chapter is not known.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Skeleton {
    /// Parts of the frame that it has for itself.
    #[serde(default)]
    pub about: serde_json::Map<String, serde_json::Value>,
    /// The question at the end of a period.
    #[serde(default)]
    pub check: Option<Qa>,
    /// What the age bands are to learn.
    #[serde(default)]
    pub bands: Vec<Band>,
}

/// What some neighbouring age bands are to learn.
#[derive(Debug, Clone, Deserialize)]
pub struct Band {
    /// The first and the last of them.
    pub of: (usize, usize),
    /// Each outcome with the item that tests it.
    pub goals: Vec<Goal>,
    /// Homework, for one period after the other.
    pub homework: Vec<String>,
}

/// An outcome with the item that tests it.
#[derive(Debug, Clone, Deserialize)]
pub struct Goal {
    /// The outcome.
    pub text: String,
    /// Its level.
    pub bloom: Bloom,
    /// The question.
    pub q: String,
    /// The expected answer.
    pub a: String,
}

impl Skeleton {
    /// What an age band is to learn, where somebody has written it.
    pub fn band(&self, band: usize) -> Option<&Band> {
        self.bands.iter().find(|it| (it.of.0..=it.of.1).contains(&band))
    }
}

/// [`FrameText`] without sub-topics.
#[derive(Debug, Clone, Deserialize)]
pub struct FrameTemplate(serde_json::Value);

/// A phase that is true for any chapter.
#[derive(Debug, Clone, Deserialize)]
pub struct PhaseFrame {
    /// The teacher's part.
    pub teacher: String,
    /// The pupils' part.
    pub pupils: String,
    /// A question to ask.
    pub q: String,
    /// The expected answer.
    pub a: String,
    /// Text on the board.
    pub board: String,
}

/// The true-or-false round.
#[derive(Debug, Clone, Deserialize)]
pub struct Quiz {
    /// How it is played.
    pub intro: String,
    /// The answer "true".
    #[serde(rename = "true")]
    pub yes: String,
    /// The answer "false" with what is `{right}`.
    #[serde(rename = "false")]
    pub no: String,
}

impl Words {
    /// The text of a language.
    pub fn of(language: Language) -> Self {
        let text = banyan_functions::language_file!(language);
        let words: Self = serde_json::from_str(text).expect("every language file is read in a test");
        let skeletons = serde_json::from_str(skeletons(language)).expect("every skeleton is read in a test");
        Self { common: CommonWords::of(language), skeletons, ..words }
    }

    /// A heading or small word by its name.
    pub fn heading(&self, name: &str) -> &str {
        self.headings.get(name).map_or("", String::as_str)
    }

    /// The frame outside the periods with the placeholders filled, as it is for a kind of subject
    /// and an age band.
    pub fn frame_text(&self, kind: &str, band: usize, places: &Places<'_>) -> FrameText {
        let mut value = self.frame.0.clone();
        let early = Some("early").filter(|_| band == 0);
        let own = early.into_iter().chain([kind]).filter_map(|key| self.skeletons.get(key));
        for skeleton in own {
            for (part, text) in &skeleton.about {
                value[part] = text.clone();
            }
        }
        fill_all(&mut value, places);
        value["subtopics"] = serde_json::json!([]);
        let frame = serde_json::from_value(value).expect("every language file is read in a test");
        let of = |key: &str| self.skeletons.get(key).and_then(|skeleton| skeleton.band(band));
        match of(kind).or_else(|| early.and_then(of)) {
            Some(band) => FrameText {
                outcomes: band.goals.iter().map(|goal| goal.outcome(places)).collect(),
                assessment: (1..).zip(&band.goals).map(|(no, goal)| goal.item(no, places)).collect(),
                ..frame
            },
            None => frame,
        }
    }
}

impl Goal {
    fn outcome(&self, places: &Places<'_>) -> Outcome {
        Outcome { text: fill(&self.text, places), bloom: self.bloom }
    }

    fn item(&self, outcome: usize, places: &Places<'_>) -> AssessmentItem {
        AssessmentItem { outcome, q: fill(&self.q, places), a: fill(&self.a, places), check: None }
    }
}

/// The skeletons of a language.
fn skeletons(language: Language) -> &'static str {
    match language {
        Language::English => include_str!("../data/skeletons/en.json"),
        Language::Hindi => include_str!("../data/skeletons/hi.json"),
        Language::Marathi => include_str!("../data/skeletons/mr.json"),
        Language::Gujarati => include_str!("../data/skeletons/gu.json"),
        Language::Telugu => include_str!("../data/skeletons/te.json"),
        Language::Kannada => include_str!("../data/skeletons/kn.json"),
        Language::Sanskrit => include_str!("../data/skeletons/sa.json"),
    }
}

fn fill_all(value: &mut serde_json::Value, places: &Places<'_>) {
    match value {
        serde_json::Value::String(text) => *text = fill(text, places),
        serde_json::Value::Array(items) => items.iter_mut().for_each(|item| fill_all(item, places)),
        serde_json::Value::Object(fields) => fields.values_mut().for_each(|item| fill_all(item, places)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use banyan_functions::writing_system::ScriptCount;

    use super::*;

    #[test]
    fn every_language_has_text_of_the_same_shape() {
        let english = Words::of(Language::English);
        for language in Language::ALL {
            let words = Words::of(language);
            assert!(words.headings.keys().eq(english.headings.keys()), "{language:?}");
            assert!(words.headings.values().all(|text| !text.is_empty()), "{language:?}");
            assert_eq!(
                (words.bloom.len(), words.bands.len(), words.homework.len()),
                (6, 5, 5),
                "{language:?}"
            );
            assert_eq!(words.titles.development.len(), 3, "{language:?}");
            let phases = &words.phases;
            let lengths = [
                &phases.five_e,
                &phases.herbartian,
                &phases.language,
                &phases.arts,
                &phases.physical_education,
            ];
            assert_eq!(lengths.map(Vec::len), [5, 5, 6, 4, 5], "{language:?}");
            assert_eq!(words.practice_frames["general"].len(), 5);
            assert!(words.phase_frames["general"].iter().all(|phase| !phase.is_empty()), "{language:?}");
            for (family, count) in [("general", 5), ("language", 6), ("arts", 4), ("physicalEducation", 5)] {
                assert_eq!(words.phase_frames[family].len(), count, "{language:?} {family}");
            }
            assert_eq!(words.quiz.no.matches("{right}").count(), 1, "{language:?}");
            let kinds = words.skeletons.keys().map(String::as_str).chain(["general"]);
            for (kind, band) in kinds.flat_map(|kind| (0..5).map(move |band| (kind, band))) {
                let frame = words.frame_text(kind, band, &[]);
                assert!((3..=4).contains(&frame.outcomes.len()), "{language:?} {kind} {band}");
                assert!(frame.assessment.iter().map(|item| item.outcome).eq(1..=frame.outcomes.len()));
            }
        }
    }

    // rows: D19
    #[test]
    fn every_language_file_is_in_its_own_script() {
        for language in Language::ALL {
            let words = Words::of(language);
            let labels = &words.labels;
            let mut texts = vec![&labels.bank, &labels.partly, &labels.frame, &labels.model];
            texts.extend(words.headings.values());
            texts.extend(words.bands.iter().chain(&words.homework).chain(&words.bloom));
            for text in texts {
                let bare = fill(text, &[("subtopic", ""), ("no", ""), ("minutes", ""), ("chapter", "")]);
                assert!(ScriptCount::of(&bare).share(language.script()) >= 0.85, "{language:?}: {text}");
            }
        }
    }
}
