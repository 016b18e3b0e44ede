//! The kinds of aids, in both vocabularies of the forms (SPECIFICATION.md DOM-6).

use serde::Serialize;

/// A kind of aid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Graded questions with room to write.
    Worksheets,
    /// Many short items.
    PracticeSheets,
    /// Something to do in groups.
    InteractiveActivities,
    /// A game with its cards.
    Games,
    /// Cards with two sides.
    Flashcards,
    /// Questions in rounds.
    Quiz,
    /// Text of slides.
    Presentation,
    /// A chapter in short.
    StudyGuides,
    /// Criteria and levels.
    Rubrics,
}

impl Kind {
    /// All of them, in the order in which they are printed.
    pub const ALL: [Self; 9] = [
        Self::Worksheets,
        Self::PracticeSheets,
        Self::InteractiveActivities,
        Self::Games,
        Self::Flashcards,
        Self::Quiz,
        Self::Presentation,
        Self::StudyGuides,
        Self::Rubrics,
    ];

    /// Its id in the signed-in form, and the key of its texts.
    pub fn id(self) -> &'static str {
        match self {
            Self::Worksheets => "worksheets",
            Self::PracticeSheets => "practice-sheets",
            Self::InteractiveActivities => "interactive-activities",
            Self::Games => "games",
            Self::Flashcards => "flashcards",
            Self::Quiz => "quiz",
            Self::Presentation => "presentation",
            Self::StudyGuides => "study-guides",
            Self::Rubrics => "rubrics",
        }
    }

    /// Reads an id of either form, with space or hyphen, one or several.
    pub fn parse(text: &str) -> Option<Self> {
        let letters: String = text.to_lowercase().chars().filter(char::is_ascii_alphabetic).collect();
        match letters.strip_suffix('s').unwrap_or(&letters) {
            "worksheet" => Some(Self::Worksheets),
            "practicesheet" => Some(Self::PracticeSheets),
            "interactiveactivitie" | "interactiveactivity" | "activitysheet" | "activitie" | "activity" => {
                Some(Self::InteractiveActivities)
            }
            "game" | "educationalgame" => Some(Self::Games),
            "flashcard" => Some(Self::Flashcards),
            "quiz" | "quizze" => Some(Self::Quiz),
            "presentationslidecontent" | "presentation" | "slide" | "presentationslide" => {
                Some(Self::Presentation)
            }
            "studyguide" => Some(Self::StudyGuides),
            "assessmentrubric" | "rubric" => Some(Self::Rubrics),
            _ => None,
        }
    }

    /// Whether pupils write on it.
    pub fn is_pupils_sheet(self) -> bool {
        matches!(self, Self::Worksheets | Self::PracticeSheets | Self::InteractiveActivities)
    }
}
