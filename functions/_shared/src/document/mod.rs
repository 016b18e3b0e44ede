//! One block model and its writers. Whatever is in a block is in every file made from it, so the
//! plain text equals the text of the RTF when spaces are not looked at (SPECIFICATION.md GEN-9).

/// Rich Text Format.
pub mod rtf;

/// Office Open XML.
pub mod docx;

/// Plain text.
pub mod text;

/// How many pages a document will fill.
pub mod page_count;

/// Turns blocks into paragraphs.
mod paragraphs;

/// Runs of one font.
mod fonts;

use serde::Serialize;
use serde_json::{Value, json};

use crate::form::{Form, as_text};
use crate::writing_system::Language;

/// The kind of file. A `.doc` holds RTF: office programs look at the content (SPECIFICATION.md
/// DOM-10.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Office Open XML.
    Docx,
    /// Rich Text Format.
    Rtf,
}

impl Format {
    /// Reads the field `preferredFormat` (S-252): an extension or a label of the form; `usual`
    /// where it names neither.
    pub fn of(form: &Form<'_>, usual: Self) -> Self {
        let text = as_text(form.raw("preferredFormat")).to_lowercase();
        let names = |words: [&str; 2]| words.iter().any(|word| text.contains(word));
        if names(["rtf", "rich text"]) {
            Self::Rtf
        } else if names(["docx", "word"]) {
            Self::Docx
        } else {
            usual
        }
    }

    /// Adds the format to the normal form of a request, unless it is the `usual` one, so that
    /// requests without a format keep their seed.
    pub fn beside(self, usual: Self, mut normal: Value) -> Value {
        if self != usual {
            normal["preferredFormat"] = json!(self);
        }
        normal
    }

    /// Writes the file.
    pub fn write(self, document: &Document) -> Vec<u8> {
        match self {
            Self::Docx => docx::write(document),
            Self::Rtf => rtf::write(document),
        }
    }

    /// The end of the file's name.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Docx => "docx",
            Self::Rtf => "rtf",
        }
    }
}

/// A document before it is written.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// The title property.
    pub title: String,
    /// The main language, for Latin runs' proofing language and the title property.
    pub language: Language,
    /// The line at the foot of every page; no part of the text.
    pub footer: String,
    /// The words around the page numbers, such as `Page {page} of {pages}`.
    pub page_label: String,
    /// The program that made it.
    pub generator: String,
    /// The contents.
    pub blocks: Vec<Block>,
}

/// A paragraph-like part of a document.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// A heading of level 1 (the title), 2 or 3.
    Heading {
        /// 1 to 3.
        level: u8,
        /// Its text.
        runs: Vec<Run>,
        /// Alignment of its lines; the title is always centred.
        align: Align,
    },
    /// A paragraph.
    Paragraph {
        /// Its text.
        runs: Vec<Run>,
        /// Alignment of its lines.
        align: Align,
        /// `true`: it stays on the page of the next block.
        kept: bool,
    },
    /// One line with text at both edges.
    Ends {
        /// At the left edge.
        left: Vec<Run>,
        /// At the right edge.
        right: Vec<Run>,
    },
    /// A question, never broken across pages.
    Question {
        /// `7.`, `(ii)` and the like.
        marker: String,
        /// Its text.
        runs: Vec<Run>,
        /// At the right edge; empty without marks of its own.
        marks: String,
        /// 0 for a question, 1 for a part of one.
        depth: u8,
        /// `true`: it stays on the page of the next block, such as its options.
        kept: bool,
    },
    /// The options of a question in rows of like columns, never broken across pages.
    Options {
        /// 1, 2 or 4.
        columns: usize,
        /// Options with their letters.
        options: Vec<Vec<Run>>,
    },
    /// An item of a list; the marker is text, so that every reader shows the same one.
    Item {
        /// `•`, `1.` and the like.
        marker: String,
        /// Its text.
        runs: Vec<Run>,
    },
    /// A table.
    Table {
        /// Shares of the width, one per column.
        widths: Vec<u16>,
        /// `true`: the first row is a header and is repeated on every page.
        header: bool,
        /// `true`: all of it stays on one page.
        together: bool,
        /// Least height of a row in twentieths of a point, for cards that are cut out; 0 for as
        /// high as its text.
        row_height: u16,
        /// Rows of cells.
        rows: Vec<Vec<Vec<Run>>>,
    },
    /// Text in a frame.
    Boxed {
        /// Its paragraphs.
        lines: Vec<Vec<Run>>,
    },
    /// Ruled lines to write on.
    Lines {
        /// How many.
        count: usize,
        /// `true`: they stay on the page of the next block.
        kept: bool,
    },
    /// The rest begins on a new page.
    PageBreak,
}

/// Alignment of a paragraph's lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// At the left edge.
    Left,
    /// In the middle.
    Centre,
}

/// A piece of text in one style.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Run {
    /// The text, without line breaks.
    pub text: String,
    /// Bold.
    pub bold: bool,
    /// Italic.
    pub italic: bool,
}

impl Run {
    /// Text without a style.
    pub fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Bold text.
    pub fn bold(text: impl Into<String>) -> Self {
        Self { text: text.into(), bold: true, ..Self::default() }
    }

    /// Italic text.
    pub fn italic(text: impl Into<String>) -> Self {
        Self { text: text.into(), italic: true, ..Self::default() }
    }
}

impl Block {
    /// A heading of one run.
    pub fn heading(level: u8, text: impl Into<String>) -> Self {
        Self::Heading { level, runs: vec![Run::plain(text)], align: Align::Left }
    }

    /// A heading of one run in the middle.
    pub fn centred_heading(level: u8, text: impl Into<String>) -> Self {
        Self::Heading { level, runs: vec![Run::plain(text)], align: Align::Centre }
    }

    /// A left-aligned paragraph.
    pub fn paragraph(runs: Vec<Run>) -> Self {
        Self::Paragraph { runs, align: Align::Left, kept: false }
    }

    /// A paragraph in the middle.
    pub fn centred(runs: Vec<Run>) -> Self {
        Self::Paragraph { runs, align: Align::Centre, kept: false }
    }

    /// A paragraph in the middle that stays with what follows.
    pub fn caption(runs: Vec<Run>) -> Self {
        Self::Paragraph { runs, align: Align::Centre, kept: true }
    }

    /// A list item with a bullet.
    pub fn bullet(runs: Vec<Run>) -> Self {
        Self::Item { marker: "•".to_owned(), runs }
    }

    /// A list item with a number.
    pub fn numbered(number: usize, runs: Vec<Run>) -> Self {
        Self::Item { marker: format!("{number}."), runs }
    }
}

/// A ruled line as text.
pub(crate) const RULED_LINE: &str =
    "________________________________________________________________________";
