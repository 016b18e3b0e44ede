//! The one walk from blocks to paragraphs: sizes, indents, tabs and what stays together are decided
//! here; a file format only says how a paragraph, a run and a table are spelt.

use super::fonts::{self, Font};
use super::{Align, Block, Document, RULED_LINE, Run};
use crate::spacing::bound;

/// Text width of an A4 page with margins of 2 cm, in twentieths of a point.
pub(super) const TEXT_WIDTH: u32 = 11_906 - 2 * 1_134;

/// Text height of such a page.
pub(super) const TEXT_HEIGHT: u32 = 16_838 - 2 * 1_134;

/// A row with more letters than this in a cell may be broken across pages: moved as a whole it
/// would leave half a page empty.
const ROW_LETTERS: usize = 600;

/// Room for the number of a question.
const QUESTION: u32 = 567;

/// Room for the number of a part.
const PART: u32 = 510;

/// A file format.
pub(super) trait Sheet {
    /// Begins a paragraph.
    fn open(&mut self, paragraph: &Paragraph);

    /// Ends a paragraph.
    fn close(&mut self);

    /// Goes on at the next tab stop.
    fn tab(&mut self);

    /// Writes text of one font; `style` is for Latin text.
    fn run(&mut self, text: &str, font: Font, style: Style);

    /// Writes a number that the reader's program works out.
    fn number(&mut self, number: Number, style: Style);

    /// Lets the rest begin on a new page.
    fn page_break(&mut self);

    /// Begins a table of columns with these widths.
    fn open_table(&mut self, columns: &[u32]);

    /// Begins a row.
    fn open_row(&mut self, columns: &[u32], row: Row);

    /// Begins a cell; its one paragraph follows.
    fn open_cell(&mut self, width: u32, row: Row);

    /// Ends a cell and its paragraph.
    fn close_cell(&mut self);

    /// Ends a row.
    fn close_row(&mut self);

    /// Ends a table.
    fn close_table(&mut self);
}

/// Style of a paragraph; lengths in twentieths of a point.
#[derive(Debug, Clone)]
pub(super) struct Paragraph {
    pub(super) align: Align,
    pub(super) before: u32,
    pub(super) after: u32,
    pub(super) leading: Leading,
    pub(super) left: u32,
    pub(super) right: u32,
    /// How far the first line stands out to the left.
    pub(super) hanging: u32,
    pub(super) stops: Vec<Stop>,
    pub(super) keep_next: bool,
    pub(super) keep_lines: bool,
    /// 1 to 3 for headings.
    pub(super) level: Option<u8>,
    pub(super) frame: Frame,
}

impl Paragraph {
    fn spaced(before: u32, after: u32) -> Self {
        Self {
            align: Align::Left,
            before,
            after,
            leading: Leading::Text,
            left: 0,
            right: 0,
            hanging: 0,
            stops: Vec::new(),
            keep_next: false,
            keep_lines: false,
            level: None,
            frame: Frame::None,
        }
    }
}

/// The distance of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leading {
    /// 1.15 lines: Indian marks need height.
    Text,
    /// One line.
    Single,
    /// Exactly this.
    Exactly(u32),
}

/// Lines around a paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Frame {
    /// None.
    None,
    /// One below.
    RuleBelow,
    /// A box.
    Box,
}

/// A tab stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stop {
    /// Distance from the left margin.
    pub(super) at: u32,
    /// `true`: text ends there.
    pub(super) right: bool,
}

/// The look of a run that comes from its paragraph.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    /// Half points for Latin text; Indian scripts get one point more, since their marks need
    /// height.
    pub(super) size: u16,
    pub(super) bold: bool,
    pub(super) italic: bool,
    pub(super) colour: Colour,
}

impl Style {
    /// The size in that font.
    pub(super) fn size_in(self, font: Font) -> u16 {
        if matches!(font, Font::Indic(_)) { self.size + 2 } else { self.size }
    }
}

/// Style of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Colour {
    /// Text.
    Black,
    /// Headings.
    Blue,
    /// The footer.
    Grey,
}

/// A number that the reader's program works out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Number {
    /// Of the page.
    Page,
    /// Of all pages.
    Pages,
}

/// A row of a table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    /// Printed again on every page.
    pub(super) header: bool,
    /// At least; 0 for as high as its text.
    pub(super) height: u16,
    /// Never broken across pages.
    pub(super) whole: bool,
}

const BODY: Style = Style { size: 22, bold: false, italic: false, colour: Colour::Black };

/// Writes the contents.
pub(super) fn blocks(sheet: &mut impl Sheet, blocks: &[Block]) {
    blocks.iter().for_each(|each| block(sheet, each));
}

/// Writes the line at the foot of every page.
pub(super) fn footer(sheet: &mut impl Sheet, document: &Document) {
    let style = Style { size: 16, colour: Colour::Grey, ..BODY };
    let (before, rest) = document.page_label.split_once("{page}").unwrap_or((&document.page_label, ""));
    let (between, after) = rest.split_once("{pages}").unwrap_or((rest, ""));
    sheet.open(&Paragraph { align: Align::Centre, leading: Leading::Single, ..Paragraph::spaced(0, 0) });
    text(sheet, &format!("{} · {before}", document.footer), style);
    sheet.number(Number::Page, style);
    text(sheet, between, style);
    sheet.number(Number::Pages, style);
    text(sheet, after, style);
    sheet.close();
}

fn block(sheet: &mut impl Sheet, block: &Block) {
    match block {
        Block::Heading { level, runs, align } => heading(sheet, *level, runs, *align),
        Block::Paragraph { runs, align, kept } => {
            let before = if *kept { 60 } else { 0 };
            let look = Paragraph { align: *align, keep_next: *kept, ..Paragraph::spaced(before, 80) };
            paragraph(sheet, &look, runs);
        }
        Block::Ends { left, right } => ends(sheet, left, right),
        Block::Question { marker, runs, marks, depth, kept } => {
            question(sheet, (marker, runs, marks), *depth, *kept);
        }
        Block::Options { columns, options: all } => options(sheet, (*columns).max(1), all),
        Block::Item { marker, runs } => item(sheet, marker, runs),
        Block::Table { widths, header, together, row_height, rows } => {
            table(sheet, widths, (*header, *together, *row_height), rows);
        }
        Block::Boxed { lines } => {
            for (no, line) in (1..).zip(lines) {
                // Neither the first nor the last line of a box stands alone on a page.
                let keep_next = no < lines.len() && (no == 1 || no + 1 == lines.len());
                let look =
                    Paragraph { left: 113, right: 113, frame: Frame::Box, ..Paragraph::spaced(60, 60) };
                paragraph(sheet, &Paragraph { keep_next, ..look }, line);
            }
        }
        Block::Lines { count, kept } => {
            let line = [Run::plain(RULED_LINE)];
            for no in 1..=*count {
                // A line on the page after its question is nobody's.
                let look = Paragraph { keep_next: *kept || no < *count, ..Paragraph::spaced(120, 120) };
                paragraph(sheet, &look, &line);
            }
        }
        Block::PageBreak => sheet.page_break(),
    }
}

fn heading(sheet: &mut impl Sheet, level: u8, runs: &[Run], align: Align) {
    let level = level.clamp(1, 3);
    let align = if level == 1 { Align::Centre } else { align };
    let (size, before, after) = match (level, align) {
        (1, _) => (32, 0, 120),
        (2, Align::Left) => (26, 200, 80),
        (2, Align::Centre) => (26, 200, 40),
        _ => (23, 120, 60),
    };
    let frame = if level == 2 && align == Align::Left { Frame::RuleBelow } else { Frame::None };
    sheet.open(&Paragraph {
        align,
        keep_next: true,
        level: Some(level),
        frame,
        ..Paragraph::spaced(before, after)
    });
    styled(sheet, runs, Style { size, bold: true, italic: false, colour: Colour::Blue });
    sheet.close();
}

fn ends(sheet: &mut impl Sheet, left: &[Run], right: &[Run]) {
    let stops = vec![Stop { at: TEXT_WIDTH, right: true }];
    sheet.open(&Paragraph { stops, ..Paragraph::spaced(0, 60) });
    styled(sheet, left, BODY);
    sheet.tab();
    styled(sheet, right, BODY);
    sheet.close();
}

/// The marks hang at the right edge, behind the last word of the text.
fn question(sheet: &mut impl Sheet, (marker, runs, marks): (&str, &[Run], &str), depth: u8, kept: bool) {
    let (hanging, left) = if depth == 0 { (QUESTION, QUESTION) } else { (PART, QUESTION + PART) };
    sheet.open(&Paragraph {
        left,
        hanging,
        stops: vec![Stop { at: left, right: false }, Stop { at: TEXT_WIDTH, right: true }],
        keep_next: kept,
        keep_lines: true,
        ..Paragraph::spaced(60, 40)
    });
    text(sheet, marker, BODY);
    sheet.tab();
    styled(sheet, runs, BODY);
    if !marks.is_empty() {
        sheet.tab();
        // A line that is nearly full still has a space before its marks.
        text(sheet, &format!("\u{A0}{marks}"), BODY);
    }
    sheet.close();
}

fn options(sheet: &mut impl Sheet, columns: usize, options: &[Vec<Run>]) {
    let width = (TEXT_WIDTH - QUESTION) / u32::try_from(columns).unwrap_or(1);
    let stops: Vec<Stop> = (1..columns)
        .filter_map(|column| u32::try_from(column).ok())
        .map(|column| Stop { at: QUESTION + column * width, right: false })
        .collect();
    let rows = options.len().div_ceil(columns);
    for (at, row) in options.chunks(columns).enumerate() {
        sheet.open(&Paragraph {
            left: QUESTION,
            stops: stops.clone(),
            keep_next: at + 1 < rows,
            keep_lines: true,
            ..Paragraph::spaced(0, 30)
        });
        for (column, option) in row.iter().enumerate() {
            if column > 0 {
                sheet.tab();
            }
            styled(sheet, option, BODY);
        }
        sheet.close();
    }
}

fn item(sheet: &mut impl Sheet, marker: &str, runs: &[Run]) {
    let stops = vec![Stop { at: 360, right: false }];
    sheet.open(&Paragraph { left: 360, hanging: 360, stops, ..Paragraph::spaced(0, 60) });
    text(sheet, marker, BODY);
    sheet.tab();
    styled(sheet, runs, BODY);
    sheet.close();
}

fn table(
    sheet: &mut impl Sheet,
    widths: &[u16],
    (header, together, height): (bool, bool, u16),
    rows: &[Vec<Vec<Run>>],
) {
    let whole: u32 = widths.iter().map(|width| u32::from(*width)).sum::<u32>().max(1);
    let columns: Vec<u32> = widths.iter().map(|width| TEXT_WIDTH * u32::from(*width) / whole).collect();
    sheet.open_table(&columns);
    for (at, cells) in rows.iter().enumerate() {
        let longest = cells.iter().map(|cell| letters(cell)).max().unwrap_or(0);
        let row = Row { header: header && at == 0, height, whole: longest <= ROW_LETTERS };
        // A header row alone at the foot of a page helps nobody.
        let keep_next = row.header || (together && at + 1 < rows.len());
        let look = Paragraph { keep_next, leading: Leading::Single, ..Paragraph::spaced(30, 30) };
        sheet.open_row(&columns, row);
        for (cell, width) in cells.iter().zip(&columns) {
            sheet.open_cell(*width, row);
            sheet.open(&look);
            styled(sheet, cell, Style { bold: row.header, size: 21, ..BODY });
            sheet.close_cell();
        }
        sheet.close_row();
    }
    sheet.close_table();
    paragraph(sheet, &Paragraph { leading: Leading::Exactly(120), ..Paragraph::spaced(0, 0) }, &[]);
}

fn letters(runs: &[Run]) -> usize {
    runs.iter().map(|run| run.text.chars().count()).sum()
}

fn paragraph(sheet: &mut impl Sheet, look: &Paragraph, runs: &[Run]) {
    sheet.open(look);
    styled(sheet, runs, BODY);
    sheet.close();
}

fn styled(sheet: &mut impl Sheet, runs: &[Run], style: Style) {
    for run in runs {
        let style = Style { bold: style.bold || run.bold, italic: style.italic || run.italic, ..style };
        text(sheet, &run.text, style);
    }
}

/// Splits the text by font: word processors need Indian scripts and symbols in runs of their own.
fn text(sheet: &mut impl Sheet, text: &str, style: Style) {
    for (font, text) in fonts::split(&bound(text)) {
        sheet.run(&text, font, style);
    }
}
