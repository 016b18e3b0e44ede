//! Rich Text Format as Word, WPS Office and LibreOffice read it (domain.md 10.4). Pure ASCII, no dates
//! and no random ids: the same document gives the same bytes.

use std::fmt::Write as _;

use super::faces::{self, Face};
use super::{Align, Block, Document, RULED_LINE, Run};
use crate::script::Language;

/// Text width of an A4 page with margins of 2 cm, in twips.
const TEXT_WIDTH: u32 = 11_906 - 2 * 1_134;

/// Room for the number of a question, in twips.
const QUESTION: u32 = 567;

/// Room for the number of a part.
const PART: u32 = 510;

/// Writes the document.
pub fn write(document: &Document) -> Vec<u8> {
    let mut writer = Writer { out: String::new(), language: document.language };
    writer.head(document);
    for block in &document.blocks {
        writer.block(block);
    }
    writer.out.push_str("}\n");
    writer.out.into_bytes()
}

/// The fonts are those of the table in [`Writer::head`].
struct Writer {
    out: String,
    language: Language,
}

/// The look of a run that comes from its paragraph.
#[derive(Clone, Copy)]
struct Style {
    /// Half points for Latin text; Indian scripts get one point more, since their marks need height.
    size: u16,
    bold: bool,
    italic: bool,
    colour: u8,
}

const BODY: Style = Style { size: 22, bold: false, italic: false, colour: 0 };

impl Writer {
    fn head(&mut self, document: &Document) {
        self.out.push_str(concat!(
            "{\\rtf1\\ansi\\ansicpg1252\\uc1\\deff0\\deflang16393\n",
            "{\\fonttbl{\\f0\\froman\\fcharset0 Times New Roman;}",
            "{\\f1\\fnil\\fcharset0 Nirmala UI{\\*\\falt Mangal};}",
            "{\\f2\\fnil\\fcharset0 Segoe UI Symbol{\\*\\falt DejaVu Sans};}}\n",
            "{\\colortbl;\\red31\\green56\\blue100;\\red89\\green89\\blue89;\\red226\\green232\\blue240;}\n",
        ));
        self.out.push_str("{\\info{\\title ");
        escape(&mut self.out, &document.title);
        self.out.push_str("}{\\*\\company ");
        escape(&mut self.out, &document.generator);
        self.out.push_str("}}\n\\paperw11906\\paperh16838\\margl1134\\margr1134\\margt1134\\margb1134\n");
        self.footer(document);
    }

    fn footer(&mut self, document: &Document) {
        let style = Style { size: 16, colour: 2, ..BODY };
        self.out.push_str("{\\footer\\pard\\plain\\qc ");
        self.text(&document.footer, style);
        self.text(" · ", style);
        let (before, rest) = document.page_label.split_once("{page}").unwrap_or((&document.page_label, ""));
        let (between, after) = rest.split_once("{pages}").unwrap_or((rest, ""));
        self.text(before, style);
        self.out.push_str("{\\f0\\fs16\\cf2{\\field{\\*\\fldinst PAGE}{\\fldrslt 1}}}");
        self.text(between, style);
        self.out.push_str("{\\f0\\fs16\\cf2{\\field{\\*\\fldinst NUMPAGES}{\\fldrslt 1}}}");
        self.text(after, style);
        self.out.push_str("\\par}\n");
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Heading { level, runs, align } => self.heading(*level, runs, *align),
            Block::Paragraph { runs, align, kept } => {
                let align = if *align == Align::Centre { "\\qc" } else { "\\ql" };
                let before = if *kept { 60 } else { 0 };
                self.open(&format!("{align}\\sb{before}\\sa80\\sl276\\slmult1{}", keep_next(*kept)));
                self.runs(runs, BODY);
                self.out.push_str("\\par\n");
            }
            Block::Ends { left, right } => {
                self.open(&format!("\\ql\\tqr\\tx{TEXT_WIDTH}\\sb0\\sa60\\sl276\\slmult1"));
                self.runs(left, BODY);
                self.out.push_str("\\tab ");
                self.runs(right, BODY);
                self.out.push_str("\\par\n");
            }
            Block::Question { marker, runs, marks, depth, kept } => {
                self.question(marker, runs, marks, *depth, *kept);
            }
            Block::Options { columns, options } => self.options((*columns).max(1), options),
            Block::Item { marker, runs } => {
                self.open("\\ql\\fi-360\\li360\\tx360\\sb0\\sa60\\sl276\\slmult1");
                self.text(marker, BODY);
                self.out.push_str("\\tab ");
                self.runs(runs, BODY);
                self.out.push_str("\\par\n");
            }
            Block::Table { widths, header, together, row_height, rows } => {
                let height = if *row_height > 0 { format!("\\trrh{row_height}") } else { String::new() };
                self.table(widths, *header, (*together, &height), rows);
            }
            Block::Boxed { lines } => self.boxed(lines),
            Block::Lines(count) => {
                for _ in 0..*count {
                    self.open("\\ql\\sb120\\sa120");
                    self.text(RULED_LINE, BODY);
                    self.out.push_str("\\par\n");
                }
            }
            Block::PageBreak => self.out.push_str("\\pard\\plain\\page\n"),
        }
    }

    /// The marks hang at the right edge, behind the last word of the text.
    fn question(&mut self, marker: &str, runs: &[Run], marks: &str, depth: u8, kept: bool) {
        let (hang, left) = if depth == 0 { (QUESTION, QUESTION) } else { (PART, QUESTION + PART) };
        self.open(&format!(
            "\\ql\\fi-{hang}\\li{left}\\tx{left}\\tqr\\tx{TEXT_WIDTH}\\sb60\\sa40\\sl276\\slmult1\\keep{}",
            keep_next(kept)
        ));
        self.text(marker, BODY);
        self.out.push_str("\\tab ");
        self.runs(runs, BODY);
        if !marks.is_empty() {
            self.out.push_str("\\tab ");
            self.text(marks, BODY);
        }
        self.out.push_str("\\par\n");
    }

    fn options(&mut self, columns: usize, options: &[Vec<Run>]) {
        let width = (TEXT_WIDTH - QUESTION) / u32::try_from(columns).unwrap_or(1);
        let stops: String = (1..columns)
            .filter_map(|column| u32::try_from(column).ok())
            .map(|column| format!("\\tx{}", QUESTION + column * width))
            .collect();
        let rows: Vec<&[Vec<Run>]> = options.chunks(columns).collect();
        for (at, row) in rows.iter().enumerate() {
            let keep = keep_next(at + 1 < rows.len());
            self.open(&format!("\\ql\\li{QUESTION}{stops}\\sb0\\sa30\\sl276\\slmult1\\keep{keep}"));
            for (column, option) in row.iter().enumerate() {
                if column > 0 {
                    self.out.push_str("\\tab ");
                }
                self.runs(option, BODY);
            }
            self.out.push_str("\\par\n");
        }
    }

    fn heading(&mut self, level: u8, runs: &[Run], align: Align) {
        let (paragraph, size, colour) = match (level, align) {
            (1, _) => ("\\qc\\sb0\\sa120\\keepn", 32, 1),
            (2, Align::Left) => ("\\ql\\sb200\\sa80\\keepn\\brdrb\\brdrs\\brdrw8\\brsp20", 26, 1),
            (2, Align::Centre) => ("\\qc\\sb200\\sa40\\keepn", 26, 1),
            (_, Align::Left) => ("\\ql\\sb120\\sa60\\keepn", 23, 1),
            (_, Align::Centre) => ("\\qc\\sb120\\sa60\\keepn", 23, 1),
        };
        self.open(&format!("{paragraph}\\outlinelevel{}", level.clamp(1, 3) - 1));
        self.runs(runs, Style { size, bold: true, italic: false, colour });
        self.out.push_str("\\par\n");
    }

    fn boxed(&mut self, lines: &[Vec<Run>]) {
        for line in lines {
            self.open(concat!(
                "\\ql\\sb60\\sa60\\li113\\ri113\\brdrt\\brdrs\\brdrw10\\brsp60\\brdrl\\brdrs\\brdrw10\\brsp60",
                "\\brdrb\\brdrs\\brdrw10\\brsp60\\brdrr\\brdrs\\brdrw10\\brsp60"
            ));
            self.runs(line, BODY);
            self.out.push_str("\\par\n");
        }
    }

    fn table(
        &mut self,
        widths: &[u16],
        header: bool,
        (together, height): (bool, &str),
        rows: &[Vec<Vec<Run>>],
    ) {
        let whole: u32 = widths.iter().map(|width| u32::from(*width)).sum::<u32>().max(1);
        for (at, row) in rows.iter().enumerate() {
            let is_header = header && at == 0;
            let _ = write!(self.out, "\\trowd\\trgaph80\\trleft0\\trkeep{height}");
            if is_header {
                self.out.push_str("\\trhdr");
            }
            let mut edge = 0;
            for width in widths {
                edge += u32::from(*width);
                for side in ["clbrdrt", "clbrdrl", "clbrdrb", "clbrdrr"] {
                    let _ = write!(self.out, "\\{side}\\brdrs\\brdrw8");
                }
                if is_header {
                    self.out.push_str("\\clcbpat3");
                }
                let _ = write!(self.out, "\\cellx{}", TEXT_WIDTH * edge / whole);
            }
            self.out.push('\n');
            for cell in row {
                // A header row alone at the foot of a page helps nobody.
                let keep = keep_next(is_header || (together && at + 1 < rows.len()));
                self.open(&format!("\\intbl\\ql\\sb30\\sa30{keep}"));
                self.runs(cell, Style { bold: is_header, size: 21, ..BODY });
                self.out.push_str("\\cell\n");
            }
            self.out.push_str("\\row\n");
        }
        self.open("\\sb0\\sa0\\sl120\\slmult0");
        self.out.push_str("\\par\n");
    }

    fn open(&mut self, properties: &str) {
        let _ = write!(self.out, "\\pard\\plain{properties} ");
    }

    fn runs(&mut self, runs: &[Run], style: Style) {
        for run in runs {
            let style = Style { bold: style.bold || run.bold, italic: style.italic || run.italic, ..style };
            self.text(&run.text, style);
        }
    }

    /// Splits the text by font, so that every Indian run carries both font slots of its script.
    fn text(&mut self, text: &str, style: Style) {
        for (face, text) in faces::split(text) {
            self.run(&text, face, style);
        }
    }

    fn run(&mut self, text: &str, face: Face, style: Style) {
        let Style { size, bold, italic, colour } = style;
        let (b, i) = (if bold { "\\b" } else { "" }, if italic { "\\i" } else { "" });
        let _ = match face {
            Face::Indic(script) => {
                let (ab, ai) = (if bold { "\\ab" } else { "" }, if italic { "\\ai" } else { "" });
                let size = size + 2;
                let lang = faces::indic_language(script, self.language).windows_id();
                write!(
                    self.out,
                    "{{\\rtlch\\fcs1\\af1\\afs{size}{ab}{ai}\\alang{lang}\\ltrch\\fcs0\\f1\\fs{size}{b}{i}\\cf{colour}\\lang{lang} "
                )
            }
            Face::Latin => write!(self.out, "{{\\f0\\fs{size}{b}{i}\\cf{colour}\\lang16393 "),
            Face::Symbol => write!(self.out, "{{\\f2\\fs{size}{b}{i}\\cf{colour} "),
        };
        escape(&mut self.out, text);
        self.out.push('}');
    }
}

fn keep_next(kept: bool) -> &'static str {
    if kept { "\\keepn" } else { "" }
}

/// Every character above U+007F becomes signed 16-bit escapes; the three signs of RTF itself are
/// escaped, so text can never become a control word.
fn escape(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '\\' | '{' | '}' => {
                out.push('\\');
                out.push(c);
            }
            '\n' => out.push_str("\\line "),
            '\t' => out.push_str("\\tab "),
            ' '..='~' => out.push(c),
            _ if c.is_ascii() => {}
            _ => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    let _ = write!(out, "\\u{}?", unit.cast_signed());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(text: &str) -> String {
        let mut out = String::new();
        escape(&mut out, text);
        out
    }

    #[test]
    fn characters_become_signed_escapes_and_pairs() {
        assert_eq!(escaped("अ"), "\\u2309?");
        assert_eq!(escaped("\u{FB01}"), "\\u-1279?");
        assert_eq!(escaped("😀"), "\\u-10179?\\u-8704?");
    }

    #[test]
    fn text_cannot_become_a_control_word() {
        assert_eq!(escaped("{\\field}"), "\\{\\\\field\\}");
    }

    fn document(blocks: Vec<Block>) -> Document {
        Document {
            title: "T".to_owned(),
            language: Language::Hindi,
            footer: "F".to_owned(),
            page_label: "Page {page} of {pages}".to_owned(),
            generator: "G".to_owned(),
            blocks,
        }
    }

    #[test]
    fn indic_runs_have_both_font_slots_and_their_language() {
        let rtf = write(&document(vec![Block::paragraph(vec![Run::bold("H₂O का pH")])]));
        let rtf = String::from_utf8(rtf).unwrap();
        assert!(rtf.is_ascii());
        assert!(
            rtf.contains(
                "{\\rtlch\\fcs1\\af1\\afs24\\ab\\alang1081\\ltrch\\fcs0\\f1\\fs24\\b\\cf0\\lang1081 "
            )
        );
        assert!(rtf.contains("{\\f0\\fs22\\b\\cf0\\lang16393 H\\u8322?O }"));
    }

    #[test]
    fn marks_hang_at_the_right_edge_and_a_question_stays_with_its_options() {
        let blocks = vec![
            Block::Question {
                marker: "1.".to_owned(),
                runs: vec![Run::plain("x")],
                marks: "[2]".to_owned(),
                depth: 0,
                kept: true,
            },
            Block::Options { columns: 2, options: vec![vec![Run::plain("o")]; 4] },
        ];
        let rtf = String::from_utf8(write(&document(blocks))).unwrap();
        assert!(rtf.contains("\\tx567\\tqr\\tx9638\\sb60\\sa40\\sl276\\slmult1\\keep\\keepn "), "{rtf}");
        assert!(rtf.contains("\\tab {\\f0\\fs22\\cf0\\lang16393 [2]}\\par"), "{rtf}");
        assert_eq!(rtf.matches("\\li567\\tx5102").count(), 2);
        assert_eq!(rtf.matches("\\keepn ").count(), 2, "the last row of options may end a page");
    }

    #[test]
    fn braces_are_balanced_whatever_the_text() {
        let blocks = vec![
            Block::heading(1, "} \\par {"),
            Block::Table {
                widths: vec![1, 2],
                header: true,
                together: true,
                row_height: 0,
                rows: vec![vec![vec![Run::plain("{")], vec![]]],
            },
            Block::Ends { left: vec![Run::plain("{")], right: vec![] },
            Block::Options { columns: 4, options: vec![vec![Run::plain("}")]; 4] },
            Block::Boxed { lines: vec![vec![Run::italic("✎ x")]] },
            Block::Lines(1),
            Block::PageBreak,
        ];
        let rtf = String::from_utf8(write(&document(blocks))).unwrap();
        let bare = rtf.replace("\\\\", "").replace("\\{", "").replace("\\}", "");
        assert_eq!(bare.matches('{').count(), bare.matches('}').count());
        assert!(bare.ends_with("}\n"));
    }
}
