//! How many pages a document will fill, near enough to plan by: lines are counted with the usual
//! widths of letters, and what stays together moves together. A word processor with fonts of its
//! own differs by a part of a page.

use super::Document;
use super::fonts::Font;
use super::paragraphs::{
    self, Frame, Leading, Number, Paragraph, Row, Sheet, Style, TEXT_HEIGHT, TEXT_WIDTH,
};
use crate::writing_system::Script;

/// Between the edge of a cell and its text, left and right together.
const CELL_MARGINS: u32 = 216;

/// Above and below the text of a boxed paragraph, together.
const BOX_MARGINS: u32 = 60;

/// The line between two rows.
const ROW_LINE: u32 = 10;

/// Distance between default tab stops.
const TAB: u32 = 720;

/// Pages of a document, the last one in part: 2.25 are two and a quarter.
pub fn pages(document: &Document) -> f64 {
    let mut estimate = Estimate::default();
    paragraphs::blocks(&mut estimate, &document.blocks);
    estimate.place(0, false);
    f64::from(estimate.full) + f64::from(estimate.used) / f64::from(TEXT_HEIGHT)
}

/// Lengths are in twentieths of a point.
#[derive(Default)]
struct Estimate {
    full: u32,
    /// Of the last page.
    used: u32,
    /// Waits for what it stays with.
    kept: u32,
    line: Line,
    /// The row that is written: its height, whether it stays with the next, and whether it may be
    /// broken.
    row: Option<(u32, bool, bool)>,
    cell_width: u32,
}

/// The paragraph that is written.
#[derive(Default)]
struct Line {
    look: Option<Paragraph>,
    width: u32,
    at: u32,
    lines: u32,
    height: u32,
}

impl Estimate {
    /// Places a block on the page, or on the next one if it does not fit. A block that may break
    /// flows over.
    fn place(&mut self, height: u32, breaks: bool) {
        let height = height + std::mem::take(&mut self.kept);
        let fits = self.used + height <= TEXT_HEIGHT;
        if !fits && !breaks && self.used > 0 {
            self.full += 1;
            self.used = 0;
        }
        self.used += height;
        while self.used > TEXT_HEIGHT {
            self.used -= TEXT_HEIGHT;
            self.full += 1;
        }
    }

    /// Ends the paragraph and tells its look and height.
    fn end(&mut self) -> Option<(Paragraph, u32)> {
        let line = std::mem::take(&mut self.line);
        let look = line.look?;
        // An empty line is as high as text.
        let text = if line.height == 0 { height_of(Font::Latin, 22) } else { line.height };
        let each = match look.leading {
            Leading::Text => text * 115 / 100,
            Leading::Single => text,
            Leading::Exactly(height) => height,
        };
        let frame = if look.frame == Frame::Box { BOX_MARGINS } else { 0 };
        let height = look.before + look.after + frame + each * line.lines;
        Some((look, height))
    }
}

impl Line {
    fn word(&mut self, width: u32) {
        let left = self.look.as_ref().map_or(0, |look| look.left);
        if self.at + width > self.width && self.at > left {
            self.lines += 1;
            self.at = left;
        }
        self.at += width;
        // A word that is longer than a line is broken.
        let room = self.width.saturating_sub(left).max(1);
        while self.at > left + room {
            self.lines += 1;
            self.at -= room;
        }
    }

    fn tab(&mut self) {
        let stop =
            self.look.as_ref().and_then(|look| look.stops.iter().find(|stop| stop.at > self.at)).copied();
        match stop {
            // Text after this tab ends there and takes its room before it.
            Some(stop) if stop.right => {}
            Some(stop) => self.at = stop.at,
            None => self.at = (self.at / TAB + 1) * TAB,
        }
    }
}

impl Sheet for Estimate {
    fn open(&mut self, look: &Paragraph) {
        let whole = if self.row.is_some() { self.cell_width } else { TEXT_WIDTH };
        self.line = Line {
            width: whole.saturating_sub(look.right),
            at: look.left.saturating_sub(look.hanging),
            lines: 1,
            height: 0,
            look: Some(look.clone()),
        };
    }

    fn close(&mut self) {
        let Some((look, height)) = self.end() else { return };
        if look.keep_next {
            self.kept += height;
        } else {
            self.place(height, !look.keep_lines && self.kept == 0);
        }
    }

    fn tab(&mut self) {
        self.line.tab();
    }

    fn run(&mut self, text: &str, font: Font, style: Style) {
        let size = style.size_in(font);
        self.line.height = self.line.height.max(height_of(font, size));
        for word in text.split_inclusive(' ') {
            let width: u32 = word.trim_end().chars().map(|c| width_of(c, font, size, style.bold)).sum();
            self.line.word(width);
            if word.ends_with(' ') {
                self.line.at += width_of(' ', font, size, false);
            }
        }
    }

    fn number(&mut self, _: Number, _: Style) {}

    fn page_break(&mut self) {
        self.place(0, true);
        self.full += 1;
        self.used = 0;
    }

    fn open_table(&mut self, _: &[u32]) {}

    fn open_row(&mut self, _: &[u32], row: Row) {
        self.row = Some((u32::from(row.height), false, !row.whole));
    }

    fn open_cell(&mut self, width: u32, _: Row) {
        self.cell_width = width.saturating_sub(CELL_MARGINS);
    }

    fn close_cell(&mut self) {
        let Some((look, height)) = self.end() else { return };
        if let Some((row, keep, _)) = &mut self.row {
            *row = (*row).max(height);
            *keep |= look.keep_next;
        }
    }

    fn close_row(&mut self) {
        let Some((height, keep, breaks)) = self.row.take() else { return };
        if keep {
            self.kept += height + ROW_LINE;
        } else {
            self.place(height + ROW_LINE, breaks && self.kept == 0);
        }
    }

    fn close_table(&mut self) {}
}

/// Height of a line of text in half points of `size`.
fn height_of(font: Font, size: u16) -> u32 {
    let em = u32::from(size) * 10;
    em * match font {
        Font::Latin => 115,
        Font::Indic(Script::Telugu | Script::Kannada) => 135,
        Font::Indic(_) => 131,
        Font::Symbol => 120,
    } / 100
}

/// Width of a letter; Indian marks share their letter's width, so that an average is taken for all.
fn width_of(c: char, font: Font, size: u16, bold: bool) -> u32 {
    let em = u32::from(size) * 10;
    let hundredths = match (font, c) {
        (_, ' ' | '.' | ',' | ':' | ';' | 'i' | 'j' | 'l' | 't' | '\'' | '|') => 28,
        (_, 'f' | 'r' | 'I' | '(' | ')' | '[' | ']' | '-' | '!' | '/') => 35,
        (_, 'm' | 'w' | 'M' | 'W' | '—') => 80,
        (_, 'A'..='Z') => 68,
        (_, c) if c.is_ascii() => 48,
        (Font::Latin, _) => 52,
        (Font::Indic(Script::Kannada), _) => 60,
        (Font::Indic(Script::Telugu), _) => 50,
        (Font::Indic(_), _) => 43,
        (Font::Symbol, _) => 80,
    };
    em * hundredths * if bold { 105 } else { 100 } / 10_000
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Block, Run};
    use crate::writing_system::Language;

    fn pages_of(blocks: Vec<Block>) -> f64 {
        pages(&Document {
            title: String::new(),
            language: Language::English,
            footer: String::new(),
            page_label: String::new(),
            generator: String::new(),
            blocks,
        })
    }

    fn lines(count: usize) -> Vec<Block> {
        vec![Block::paragraph(vec![Run::plain("One line.")]); count]
    }

    #[test]
    fn lines_add_up_to_pages() {
        assert_eq!(pages_of(vec![]), 0.0);
        let (one, many) = (pages_of(lines(1)), pages_of(lines(200)));
        assert!((one * 200.0 - many).abs() < 0.1, "{one} {many}");
        let long = pages_of(vec![Block::paragraph(vec![Run::plain("word ".repeat(2_000))])]);
        assert!((2.0..3.5).contains(&long), "{long}");
    }

    #[test]
    fn what_stays_together_moves_together() {
        let row = vec![vec![Run::plain("x")]];
        let table = |together| Block::Table {
            widths: vec![1],
            header: false,
            together,
            row_height: 2_000,
            rows: vec![row.clone(); 4],
        };
        let before = lines(20);
        let broken = pages_of([before.clone(), vec![table(false)]].concat());
        let together = pages_of([before, vec![table(true)]].concat());
        assert!(broken < together && together > 1.5, "{broken} {together}");
    }

    #[test]
    fn a_new_page_begins_where_it_is_asked_for_and_marks_take_no_line_of_their_own() {
        let blocks = vec![Block::heading(1, "a"), Block::PageBreak, Block::heading(1, "b")];
        assert!((1.0..1.2).contains(&pages_of(blocks)));
        let question = |marks: &str| Block::Question {
            marker: "1.".to_owned(),
            runs: vec![Run::plain("Why?")],
            marks: marks.to_owned(),
            depth: 0,
            kept: false,
        };
        assert_eq!(pages_of(vec![question("[2]")]), pages_of(vec![question("")]));
    }

    #[test]
    fn indian_scripts_are_higher() {
        let hindi = vec![Block::paragraph(vec![Run::plain("एक पंक्ति")]); 50];
        assert!(pages_of(hindi) > pages_of(lines(50)) * 1.1);
    }
}
