//! From pieces of text on a page to lines and headings.

use std::collections::BTreeMap;

use crate::error::SampleError;
use crate::legibility::FontCount;
use crate::text::{Lines, SampleKind, SampleText};

/// Letters of headings, against those of the body.
const HEADING_SIZE: f64 = 1.15;

/// Characters of the longest heading, and of the longest that is bold and no larger than the body.
const LONGEST_HEADING: usize = 120;
const LONGEST_BOLD_HEADING: usize = 80;

/// Levels that sizes are sorted into.
const MOST_LEVELS: usize = 3;

/// Bytes of text that are kept at most, with one for each piece.
const MOST_KEPT: usize = 400_000;

/// Gaps, in parts of the font size, that are a space and a new column.
const SPACE: f64 = 0.2;
const COLUMN: f64 = 2.0;

/// A piece of text at its place.
pub(crate) struct Piece {
    pub(crate) letters: String,
    pub(crate) start: (f64, f64),
    pub(crate) end: (f64, f64),
    pub(crate) size: f64,
    pub(crate) is_bold: bool,
    pub(crate) is_old: bool,
    /// The level of a heading, where the file says so.
    pub(crate) level: Option<u8>,
}

/// The lines of the pages so far.
#[derive(Default)]
pub(crate) struct Layout {
    lines: Vec<PrintedLine>,
    current: Option<PrintedLine>,
    fonts: FontCount,
    characters: usize,
    kept: usize,
}

#[derive(Default)]
struct PrintedLine {
    text: String,
    end: (f64, f64),
    size: f64,
    is_bold: bool,
    level: Option<u8>,
}

impl Layout {
    /// Adds a piece in the order of the file, which keeps columns apart.
    pub(crate) fn add(&mut self, piece: Piece) {
        self.fonts.add(&piece.letters, piece.is_old);
        self.kept += piece.letters.len() + 1;
        self.characters += piece.letters.chars().filter(|c| !c.is_whitespace()).count();
        match &mut self.current {
            Some(line) if line.goes_on(&piece) => line.add(&piece),
            _ => {
                self.end_line();
                self.current = Some(PrintedLine::new(piece));
            }
        }
    }

    fn end_line(&mut self) {
        self.lines.extend(self.current.take().filter(|line| !line.text.trim().is_empty()));
    }

    pub(crate) fn end_page(&mut self) {
        self.end_line();
    }

    /// Characters so far, without spaces.
    pub(crate) fn characters(&self) -> usize {
        self.characters
    }

    pub(crate) fn is_full(&self) -> bool {
        self.kept > MOST_KEPT
    }

    /// Checks the fonts that the text is set in.
    ///
    /// # Errors
    /// `OldFont`.
    pub(crate) fn check_fonts(&self) -> Result<(), SampleError> {
        self.fonts.check()
    }

    /// The lines with their headings.
    pub(crate) fn into_text(self, characters: usize, pages: u32) -> SampleText {
        let look = Look::of(&self.lines);
        let mut lines = Lines::new(characters);
        for line in &self.lines {
            lines.push(&line.text, line.level.or_else(|| look.level(line)), false);
        }
        lines.finish(SampleKind::Pdf, pages)
    }
}

impl PrintedLine {
    fn new(piece: Piece) -> Self {
        let Piece { letters, end, size, is_bold, level, .. } = piece;
        Self { text: letters, end, size, is_bold, level }
    }

    /// Returns whether the piece stands on this line, behind what is there.
    fn goes_on(&self, piece: &Piece) -> bool {
        let size = self.size.max(piece.size);
        let is_level = (piece.start.1 - self.end.1).abs() < size * 0.5;
        is_level && piece.start.0 > self.end.0 - size * 2.0
    }

    fn add(&mut self, piece: &Piece) {
        let gap = (piece.start.0 - self.end.0) / self.size.max(piece.size);
        if gap > COLUMN {
            self.text.push('\t');
        } else if gap > SPACE {
            self.text.push(' ');
        }
        let is_text = !piece.letters.trim().is_empty();
        self.is_bold &= piece.is_bold || !is_text;
        self.size = if is_text { self.size.max(piece.size) } else { self.size };
        self.level = self.level.or(piece.level);
        self.text.push_str(&piece.letters);
        // Signs over a letter step back and forth: the line ends where it reached farthest.
        self.end = (self.end.0.max(piece.end.0), piece.end.1);
    }

    fn length(&self) -> usize {
        self.text.trim().chars().count()
    }

    /// The size in half points.
    fn half_points(&self) -> u32 {
        (self.size * 2.0).round() as u32
    }
}

/// What headings of a file look like.
struct Look {
    body: u32,
    /// The size from which a line is a heading.
    least: f64,
    /// The largest sizes of headings, the largest first.
    sizes: Vec<u32>,
    /// Bold lines stand out.
    has_bold: bool,
}

impl Look {
    fn of(lines: &[PrintedLine]) -> Self {
        let mut by_size: BTreeMap<u32, usize> = BTreeMap::new();
        let (mut all, mut bold) = (0, 0);
        for line in lines {
            let length = line.length();
            *by_size.entry(line.half_points()).or_default() += length;
            all += length;
            bold += if line.is_bold { length } else { 0 };
        }
        let body = by_size.iter().max_by_key(|(_, length)| **length).map_or(0, |(size, _)| *size);
        let least = f64::from(body) * HEADING_SIZE;
        let sizes = by_size.keys().rev().copied();
        let sizes = sizes.take_while(|size| f64::from(*size) >= least).take(MOST_LEVELS).collect();
        Self { body, least, sizes, has_bold: bold * 2 < all }
    }

    fn level(&self, line: &PrintedLine) -> Option<u8> {
        let length = line.length();
        if f64::from(line.half_points()) >= self.least && length <= LONGEST_HEADING {
            let rank = self.sizes.iter().position(|size| *size == line.half_points());
            return Some(rank.unwrap_or(MOST_LEVELS - 1) as u8 + 1);
        }
        let is_bold = self.has_bold && line.is_bold && line.half_points() >= self.body;
        (is_bold && length <= LONGEST_BOLD_HEADING).then(|| self.sizes.len() as u8 + 1)
    }
}
