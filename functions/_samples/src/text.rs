//! The text of a sample, line by line.

use banyan_functions::sanitise;

/// The two kinds of files that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleKind {
    /// Portable Document Format.
    Pdf,
    /// Office Open XML of a word processor.
    Docx,
}

/// A line of a sample: a paragraph of a DOCX, a printed line of a PDF, or a row of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Clean text on one line. A tab stands between columns.
    pub text: String,
    /// The level of a heading from 1; `None` for other text.
    pub heading: Option<u8>,
    /// The word processor numbers this line; the number is not part of `text`.
    pub is_numbered: bool,
}

/// The text of a sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SampleText {
    /// What the file is by its content.
    pub kind: SampleKind,
    /// Pages of the file. A DOCX says where pages broke when it was saved, so its count is a guess.
    pub pages: u32,
    /// The lines in reading order. None is empty.
    pub lines: Vec<Line>,
    /// Text beyond the limit was left out.
    pub is_cut: bool,
}

/// Collects lines up to a number of characters.
#[derive(Debug)]
pub(crate) struct Lines {
    lines: Vec<Line>,
    left: usize,
    is_cut: bool,
}

impl Lines {
    pub(crate) fn new(characters: usize) -> Self {
        Self { lines: Vec::new(), left: characters, is_cut: false }
    }

    /// Adds a line once it is clean. Empty lines are dropped.
    pub(crate) fn push(&mut self, text: &str, heading: Option<u8>, is_numbered: bool) {
        if self.is_cut {
            return;
        }
        let mut text = clean(text);
        if let Some((end, _)) = text.char_indices().nth(self.left) {
            text.truncate(end);
            self.is_cut = true;
        }
        self.left -= text.chars().count();
        if !text.is_empty() {
            self.lines.push(Line { text, heading, is_numbered });
        }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.is_cut
    }

    pub(crate) fn finish(self, kind: SampleKind, pages: u32) -> SampleText {
        SampleText { kind, pages, lines: self.lines, is_cut: self.is_cut }
    }
}

/// Clean text with a tab between columns. Signs of symbol fonts are bullets.
fn clean(text: &str) -> String {
    let text: String =
        text.chars().map(|c| if matches!(c, '\u{F000}'..='\u{F0FF}') { '•' } else { c }).collect();
    let columns: Vec<String> =
        text.split('\t').map(sanitise::line).filter(|column| !column.is_empty()).collect();
    columns.join("\t")
}
