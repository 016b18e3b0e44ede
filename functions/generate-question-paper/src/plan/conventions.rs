//! Conventions of a board's own papers (SPECIFICATION.md DOM-3.2, DOM-3.6).

use super::QuestionType;

/// The habits of a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// CBSE itself: its published patterns are kept to.
    Cbse,
    /// Like CBSE: the habits of most boards, and of unknown ones.
    Neutral,
    /// CISCE: one section with more questions than are to be attempted.
    Icse,
    /// Cambridge and IB: every question is answered.
    International,
}

impl Style {
    /// The habits of a board as typed.
    pub fn of(board: &str) -> Self {
        let board = board.to_lowercase();
        let words: Vec<&str> = board.split(|c: char| !c.is_alphanumeric()).collect();
        let any = |names: &[&str]| names.iter().any(|name| words.contains(name));
        if any(&["icse", "isc", "cisce"]) {
            Self::Icse
        } else if any(&["ib", "cambridge", "igcse", "cie", "baccalaureate"]) {
            Self::International
        } else if any(&["cbse", "ncert"]) {
            Self::Cbse
        } else {
            Self::Neutral
        }
    }

    /// How many questions of a part have an alternative.
    pub(super) fn choices(self, class: u8, kind: QuestionType, count: u32) -> u32 {
        if class < 9 || matches!(self, Self::Icse | Self::International) {
            return 0;
        }
        // A third, rounded to the nearest whole.
        let third = (2 * count + 3) / 6;
        match kind {
            QuestionType::Long => third.max(1),
            QuestionType::VeryShort | QuestionType::Short if count > 1 => third,
            _ => 0,
        }
    }

    /// Questions printed beyond those to be attempted, in a last section of one part.
    pub(super) fn extra(self, class: u8, kind: QuestionType, count: u32) -> u32 {
        let written = matches!(kind, QuestionType::Short | QuestionType::Numerical | QuestionType::Long);
        if self == Self::Icse && class >= 9 && written && count >= 2 { 2 } else { 0 }
    }
}
