//! The paragraphs and tables of a document.

use quick_xml::events::BytesStart;

use super::styles::{Styles, level_of_outline};
use super::xml::{Piece, attribute, is_on, pieces};
use crate::error::SampleError;
use crate::legibility::{FontCount, is_old_font};
use crate::limits::{Limits, Meter};
use crate::text::Lines;

/// Characters of the longest bold paragraph that is taken for a heading.
const LONGEST_BOLD_HEADING: usize = 80;

/// Bytes of text that a paragraph and a row have at most.
const LONGEST_TEXT: usize = 100_000;

/// Level of headings that are bold and nothing else.
const BOLD_LEVEL: u8 = 3;

/// What a body holds.
pub(crate) struct Document {
    pub(crate) lines: Lines,
    pub(crate) pages: u32,
    pub(crate) fonts: FontCount,
}

/// Reads `word/document.xml`. All of it is looked at, since its pages are counted.
pub(crate) fn read(
    xml: &[u8],
    styles: &Styles,
    limits: &Limits,
    meter: &mut Meter,
) -> Result<Document, SampleError> {
    let mut body = Body {
        styles,
        lines: Lines::new(limits.characters),
        fonts: FontCount::default(),
        rendered_breaks: 0,
        typed_breaks: 0,
        paragraph: Paragraph::default(),
        run: Run::default(),
        outer: Vec::new(),
        row: None,
        is_text: false,
        skipped: 0,
    };
    pieces(xml, meter, |piece| {
        body.take(piece);
        true
    })?;
    let pages = body.rendered_breaks.max(body.typed_breaks) + 1;
    Ok(Document { lines: body.lines, pages, fonts: body.fonts })
}

struct Body<'a> {
    styles: &'a Styles,
    lines: Lines,
    fonts: FontCount,
    /// Where pages broke when the file was saved.
    rendered_breaks: u32,
    /// Where the writer asked for a new page.
    typed_breaks: u32,
    paragraph: Paragraph,
    run: Run,
    /// The paragraphs and runs around this one, where it stands in a text box.
    outer: Vec<(Paragraph, Run)>,
    /// The row of the outermost table that is being read.
    row: Option<Row>,
    is_text: bool,
    /// How many elements are open whose text is left out.
    skipped: usize,
}

#[derive(Default)]
struct Paragraph {
    text: String,
    level: Option<u8>,
    is_numbered: bool,
    has_plain_run: bool,
}

#[derive(Default)]
struct Run {
    is_bold: bool,
    is_hidden: bool,
    is_old_font: bool,
}

#[derive(Default)]
struct Row {
    text: String,
    /// Bytes of the first cell, once it ends.
    label: Option<usize>,
    /// Text that is no heading: in the first cell, and in the others.
    is_label_plain: bool,
    is_rest_plain: bool,
    /// Tables in tables.
    depth: usize,
}

impl Body<'_> {
    fn take(&mut self, piece: Piece<'_>) {
        match piece {
            Piece::Open(element) => self.open(&element),
            Piece::Close(name) => self.close(&name),
            Piece::Text(text) if self.is_text && self.skipped == 0 => self.text(&text),
            Piece::Text(_) => {}
        }
    }

    fn open(&mut self, element: &BytesStart<'_>) {
        let name = element.local_name();
        match name.as_ref() {
            _ if is_left_out(name.as_ref()) => self.skipped += 1,
            b"p" => self.begin_paragraph(),
            b"r" => self.run = Run::default(),
            b"t" => self.is_text = true,
            b"tbl" => self.row.get_or_insert_default().depth += 1,
            b"tab" | b"ptab" => self.text("\t"),
            b"br" | b"cr" => self.line_break(element),
            b"lastRenderedPageBreak" => self.rendered_breaks += 1,
            _ => self.property(element),
        }
    }

    fn property(&mut self, element: &BytesStart<'_>) {
        let value = || attribute(element, b"val");
        match element.local_name().as_ref() {
            b"pStyle" => self.paragraph.level = value().and_then(|id| self.styles.level(&id)),
            b"outlineLvl" => self.paragraph.level = value().and_then(|level| level_of_outline(&level)),
            b"numPr" => self.paragraph.is_numbered = true,
            b"pageBreakBefore" if is_on(element) => self.typed_breaks += 1,
            b"b" | b"bCs" => self.run.is_bold = is_on(element),
            b"vanish" => self.run.is_hidden = is_on(element),
            b"rFonts" => {
                let font = attribute(element, b"ascii").or_else(|| attribute(element, b"hAnsi"));
                self.run.is_old_font = font.is_some_and(|font| is_old_font(&font));
            }
            _ => {}
        }
    }

    fn line_break(&mut self, element: &BytesStart<'_>) {
        let is_page = attribute(element, b"type").as_deref() == Some("page");
        self.typed_breaks += u32::from(is_page);
        self.text(" ");
    }

    fn text(&mut self, text: &str) {
        if self.run.is_hidden || self.skipped > 0 || self.lines.is_full() {
            return;
        }
        self.fonts.add(text, self.run.is_old_font);
        self.paragraph.has_plain_run |= !self.run.is_bold && !text.trim().is_empty();
        add(&mut self.paragraph.text, text);
    }

    fn close(&mut self, name: &[u8]) {
        match name {
            _ if is_left_out(name) => self.skipped = self.skipped.saturating_sub(1),
            b"t" => self.is_text = false,
            b"p" => self.end_paragraph(),
            b"tc" => self.end_cell(),
            b"tr" => self.end_row(),
            b"tbl" => self.end_table(),
            _ => {}
        }
    }

    fn begin_paragraph(&mut self) {
        self.outer.push((std::mem::take(&mut self.paragraph), std::mem::take(&mut self.run)));
    }

    fn end_paragraph(&mut self) {
        let (outer, run) = self.outer.pop().unwrap_or_default();
        let paragraph = std::mem::replace(&mut self.paragraph, outer);
        self.run = run;
        match &mut self.row {
            Some(row) => row.take(&paragraph),
            None => self.lines.push(&paragraph.text, paragraph.level_or_bold(), paragraph.is_numbered),
        }
    }

    fn end_cell(&mut self) {
        if let Some(row) = self.row.as_mut().filter(|row| row.depth == 1) {
            row.label.get_or_insert(row.text.len());
            add(&mut row.text, "\t");
        }
    }

    fn end_row(&mut self) {
        if let Some(row) = self.row.as_mut().filter(|row| row.depth == 1) {
            let row = std::mem::replace(row, Row { depth: 1, ..Row::default() });
            let (label, rest) = row.label_and_rest();
            self.lines.push(label, Some(BOLD_LEVEL), false);
            self.lines.push(rest, None, false);
        }
    }

    fn end_table(&mut self) {
        self.row = self.row.take().and_then(|row| {
            let depth = row.depth.saturating_sub(1);
            (depth > 0).then_some(Row { depth, ..row })
        });
    }
}

/// Returns whether the text of an element is left out: what was deleted, the place that text was
/// moved from, and the spare form of a drawing, which says the same once more.
fn is_left_out(name: &[u8]) -> bool {
    matches!(name, b"del" | b"moveFrom" | b"Fallback")
}

/// Adds as much of `more` as there is room for.
fn add(text: &mut String, more: &str) {
    let room = LONGEST_TEXT.saturating_sub(text.len());
    text.push_str(&more[..more.floor_char_boundary(room)]);
}

impl Row {
    fn take(&mut self, paragraph: &Paragraph) {
        let is_plain = paragraph.level_or_bold().is_none() && !paragraph.text.trim().is_empty();
        match self.label {
            None => self.is_label_plain |= is_plain,
            Some(_) => self.is_rest_plain |= is_plain,
        }
        add(&mut self.text, &paragraph.text.replace('\t', " "));
        add(&mut self.text, " ");
    }

    /// The heading in the first cell, empty without one, and what stands beside it. A row of
    /// headings alone is the head of a table, and a number is that of a question.
    fn label_and_rest(&self) -> (&str, &str) {
        let (label, rest) = self.text.split_at(self.label.unwrap_or(0));
        let bare = label.trim_end_matches(|c: char| !c.is_alphanumeric());
        let is_word = label.chars().filter(|c| c.is_alphabetic()).count() > 1;
        let is_label = is_word && !bare.ends_with(char::is_numeric) && !self.is_label_plain;
        let is_beside_text = self.is_rest_plain || rest.trim().is_empty();
        if is_label && is_beside_text { (label, rest) } else { ("", &self.text) }
    }
}

impl Paragraph {
    /// The level of its style, or that of a short paragraph all in bold.
    fn level_or_bold(&self) -> Option<u8> {
        let is_bold = !self.has_plain_run && self.text.chars().count() <= LONGEST_BOLD_HEADING;
        self.level.or(is_bold.then_some(BOLD_LEVEL))
    }
}
