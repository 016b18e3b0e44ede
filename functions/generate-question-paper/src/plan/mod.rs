//! The plan: everything with a number in it, decided before a word is written (SPECIFICATION.md
//! DOM-4). A model or the bank only fills text into it, so sums and counts cannot be wrong (V04,
//! V05).

/// The eight types.
mod kinds;

/// Conventions of a board's own papers.
mod conventions;

/// Published patterns.
mod patterns;

/// The pattern of a teacher's sample.
mod sample;

/// How much of the paper each type gets.
mod shares;

/// Counts and marks that add up.
mod fit;

/// Level and difficulty of every question.
mod levels;

use banyan_bank::generators::Difficulty;
use banyan_bank::subjects::Family;

pub use conventions::Style;
pub use fit::MOST_QUESTIONS;
pub use kinds::QuestionType;
pub use levels::{Level, difficulty_percent, level_percent};
pub use sample::{Difference, SampleStyle, difference};

use crate::request::{Hardness, PaperRequest};

/// The plan of a paper.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The maximum marks.
    pub marks: u32,
    /// Minutes allowed.
    pub minutes: u32,
    /// The habits of the board.
    pub style: Style,
    /// The kind of subject.
    pub family: Family,
    /// The sections in order.
    pub sections: Vec<Section>,
}

/// A section.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// `A` and so on.
    pub letter: char,
    /// One per type.
    pub parts: Vec<Part>,
    /// Number of questions to attempt, if more are printed.
    pub attempt: Option<u32>,
    /// Number of the section among those of this type, from 1, and their count; mostly 1 of 1.
    pub piece: (u32, u32),
}

/// Questions of one type and equal marks.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The type.
    pub kind: QuestionType,
    /// Marks of each question.
    pub each: u32,
    /// Its questions, from easy to difficult.
    pub slots: Vec<Slot>,
    /// Marks of the parts of every question, where they begin with a situation; else empty.
    pub situation: &'static [u32],
}

/// One question to be filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// Its number in the paper, from 1.
    pub no: u32,
    /// The type.
    pub kind: QuestionType,
    /// Its marks.
    pub marks: u32,
    /// The thinking that is asked of the pupil.
    pub level: Level,
    /// How hard it is.
    pub difficulty: Difficulty,
    /// Whether it has an alternative.
    pub choice: bool,
}

/// Whether the time fits the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timing {
    /// It does.
    Fits,
    /// A little more would do good.
    Tight,
    /// Far too little.
    Short,
    /// Far too much.
    Ample,
}

impl Section {
    /// Marks of the questions to be attempted.
    pub fn marks(&self) -> u32 {
        match self.attempt {
            Some(attempt) => attempt * self.parts[0].each,
            None => self.parts.iter().map(|part| part.each * part.count()).sum(),
        }
    }

    /// How many questions have to be written, alternatives included.
    pub fn wanted(&self) -> usize {
        self.slots().map(|slot| 1 + usize::from(slot.choice)).sum()
    }

    /// Its questions in order.
    pub fn slots(&self) -> impl Iterator<Item = &Slot> {
        self.parts.iter().flat_map(|part| &part.slots)
    }
}

impl Part {
    /// Questions printed.
    pub fn count(&self) -> u32 {
        u32::try_from(self.slots.len()).unwrap_or(u32::MAX)
    }
}

/// A part before its questions are numbered.
struct Rough {
    section: usize,
    kind: QuestionType,
    count: u32,
    each: u32,
    choices: u32,
    situation: &'static [u32],
}

impl Plan {
    /// Plans a request. Every combination of the form's options has an exact plan (V04, V05).
    pub fn of(request: &PaperRequest) -> Self {
        let style = Style::of(&request.board);
        let rough = rough(request, style);
        let last = rough.iter().map(|part| part.section).max().unwrap_or(0);
        let alone = rough.iter().filter(|part| part.section == last).count() == 1;
        let printed = |part: &Rough| match part.section == last && alone {
            true => part.count + style.extra(request.class, part.kind, part.count),
            false => part.count,
        };
        let counts: Vec<u32> = rough.iter().map(printed).collect();
        let sections = sections(&rough, &counts, request.hardness);
        let family = Family::of(&request.subject);
        Self { marks: request.marks, minutes: request.half_hours * 30, style, family, sections }
    }

    /// Every question in order.
    pub fn slots(&self) -> impl Iterator<Item = &Slot> {
        self.sections.iter().flat_map(Section::slots)
    }

    /// Questions printed.
    pub fn questions(&self) -> u32 {
        self.sections.iter().flat_map(|section| &section.parts).map(Part::count).sum()
    }

    /// Minutes that a paper takes a pupil, with a tenth more for reading and checking.
    pub fn minutes_needed(&self) -> u32 {
        let section = |section: &Section| {
            let seconds: u32 = section.slots().map(|slot| slot.kind.seconds(slot.marks)).sum();
            match section.attempt {
                Some(attempt) => seconds / section.parts[0].count() * attempt,
                None => seconds,
            }
        };
        let seconds: u32 = self.sections.iter().map(section).sum();
        (seconds * 11).div_ceil(600)
    }

    /// Whether the time fits the paper (SPECIFICATION.md DOM-4.1.7).
    pub fn timing(&self) -> Timing {
        match self.minutes_needed() * 100 / self.minutes {
            percent if percent < 40 => Timing::Ample,
            percent if percent <= 100 => Timing::Fits,
            percent if percent <= 125 => Timing::Tight,
            _ => Timing::Short,
        }
    }
}

fn rough(request: &PaperRequest, style: Style) -> Vec<Rough> {
    if let Some(parts) = sample::pattern(request) {
        return parts.into_iter().map(|part| part.rough(request.class, style)).collect();
    }
    if let Some(pattern) = patterns::known(request) {
        let part = |(section, kind, count, each, choices, situation): patterns::PatternPart| Rough {
            section,
            kind,
            count,
            each,
            choices,
            situation,
        };
        return pattern.iter().copied().map(part).collect();
    }
    let shares = shares::shares(&request.types, request.sections, request.hardness, request.class);
    let fits = fit::fit(&shares, request.marks, request.half_hours * 1800);
    let fits = fit::ordered(&shares, fits.expect("a test solves every combination of the form"));
    let part = |(share, fit): (&shares::Share, fit::Fit)| Rough {
        section: share.section,
        kind: share.kind,
        count: fit.count,
        each: fit.each,
        choices: style.choices(request.class, share.kind, fit.count),
        situation: &[],
    };
    shares.iter().zip(fits).map(part).collect()
}

fn sections(rough: &[Rough], printed: &[u32], hardness: Hardness) -> Vec<Section> {
    let numbers: Vec<(u32, u32)> =
        rough.iter().zip(printed).map(|(part, count)| (*count, part.each)).collect();
    let difficulties = levels::difficulties(&numbers, hardness);
    let questions: Vec<(QuestionType, u32)> = rough
        .iter()
        .zip(printed)
        .flat_map(|(part, count)| std::iter::repeat_n((part.kind, part.each), *count as usize))
        .collect();
    let mut levels = levels::levels(&questions, hardness).into_iter();
    let mut no = 0;
    let mut sections: Vec<Section> = Vec::new();
    for ((part, printed), difficulties) in rough.iter().zip(printed).zip(difficulties) {
        let first_choice = printed - part.choices;
        let slot = |(at, (difficulty, level)): (u32, (Difficulty, Level))| {
            no += 1;
            let choice = at >= first_choice;
            Slot { no, kind: part.kind, marks: part.each, level, difficulty, choice }
        };
        let slots = (0..).zip(difficulties.into_iter().zip(levels.by_ref())).map(slot).collect();
        if part.section == sections.len() {
            let same = sections_of(rough, |other| other.kind == part.kind);
            let before = sections_of(rough, |other| other.kind == part.kind && other.section < part.section);
            sections.push(Section {
                letter: char::from(b'A' + u8::try_from(part.section).unwrap_or(0)),
                parts: Vec::new(),
                attempt: (*printed > part.count).then_some(part.count),
                piece: (number(before + 1), number(same)),
            });
        }
        let parts = &mut sections[part.section].parts;
        parts.push(Part { kind: part.kind, each: part.each, slots, situation: part.situation });
    }
    sections
}

/// In how many sections such parts stand.
fn sections_of(rough: &[Rough], is_such: impl Fn(&Rough) -> bool) -> usize {
    let mut sections: Vec<usize> =
        rough.iter().filter(|part| is_such(part)).map(|part| part.section).collect();
    sections.dedup();
    sections.len()
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
