use serde::Serialize;

/// The eight types of questions in the order of a paper (SPECIFICATION.md DOM-3.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum QuestionType {
    /// Four options, one of them right.
    Mcq,
    /// A blank per mark.
    Fill,
    /// A statement to be judged.
    TrueFalse,
    /// A set of pairs, one mark each.
    Match,
    /// One sentence or one step.
    VeryShort,
    /// A few points or steps.
    Short,
    /// Data, working, an answer with its unit.
    Numerical,
    /// A derivation, an essay, a proof, or parts.
    Long,
}

impl QuestionType {
    /// All, in the order of a paper.
    pub const ALL: [Self; 8] = [
        Self::Mcq,
        Self::Fill,
        Self::TrueFalse,
        Self::Match,
        Self::VeryShort,
        Self::Short,
        Self::Numerical,
        Self::Long,
    ];

    /// The id that the form sends.
    pub fn id(self) -> &'static str {
        match self {
            Self::Mcq => "mcq",
            Self::Fill => "fill",
            Self::TrueFalse => "true-false",
            Self::Match => "match",
            Self::VeryShort => "very-short",
            Self::Short => "short",
            Self::Numerical => "numerical",
            Self::Long => "long",
        }
    }

    /// A type by its id or its label, in any case, with spaces, hyphens or slashes.
    pub fn parse(text: &str) -> Option<Self> {
        let letters: String =
            text.chars().filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect();
        match letters.as_str() {
            "mcq" | "mcqs" | "multiplechoice" | "multiplechoicequestions" => Some(Self::Mcq),
            "fill" | "fillintheblanks" | "fillintheblank" | "fillblanks" => Some(Self::Fill),
            "truefalse" | "trueorfalse" => Some(Self::TrueFalse),
            "match" | "matchthefollowing" | "matching" => Some(Self::Match),
            "veryshort" | "veryshortanswer" => Some(Self::VeryShort),
            "short" | "shortanswer" => Some(Self::Short),
            "numerical" | "numericals" => Some(Self::Numerical),
            "long" | "longanswer" => Some(Self::Long),
            _ => None,
        }
    }

    /// Whether it is of the family that is marked by looking.
    pub fn is_objective(self) -> bool {
        self <= Self::Match
    }

    /// Marks per question: the preferred value, then the allowed ones in order.
    pub fn marks(self) -> &'static [u32] {
        match self {
            Self::Mcq | Self::Fill | Self::TrueFalse => &[1, 2],
            Self::Match => &[5, 4, 3, 6, 8, 10],
            Self::VeryShort => &[2, 1],
            Self::Short => &[3, 2, 4],
            Self::Numerical => &[3, 2, 4, 5, 1],
            Self::Long => &[5, 4, 6, 8, 10, 3],
        }
    }

    /// Seconds that a question of so many marks takes.
    pub fn seconds(self, marks: u32) -> u32 {
        match (self, marks) {
            (Self::Mcq, _) => 75 * marks,
            (Self::TrueFalse, 1) => 45,
            (Self::TrueFalse, _) => 150,
            (Self::VeryShort, 1) => 90,
            (Self::VeryShort, _) => 210,
            (Self::Fill | Self::Match, _) => 60 * marks,
            (Self::Short | Self::Numerical, _) => 130 * marks,
            (Self::Long, _) => 120 * marks,
        }
    }

    /// Its share of a paper before normalising.
    pub(super) fn weight(self) -> f64 {
        match self {
            Self::Mcq => 16.0,
            Self::Fill => 6.0,
            Self::TrueFalse => 5.0,
            Self::Match => 7.0,
            Self::VeryShort | Self::Numerical => 14.0,
            Self::Short => 24.0,
            Self::Long => 26.0,
        }
    }
}
