//! Rich Text Format as Word, WPS Office and LibreOffice read it (SPECIFICATION.md DOM-10.4). Pure
//! ASCII, no dates and no random ids: the same document gives the same bytes.

use std::fmt::Write as _;

use super::fonts::{self, Font};
use super::paragraphs::{self, Colour, Frame, Leading, Number, Paragraph, Row, Sheet, Style};
use super::{Align, Document};
use crate::writing_system::Language;

/// Writes the document.
pub fn write(document: &Document) -> Vec<u8> {
    let mut rtf = Rtf { out: String::new(), language: document.language, in_cell: false };
    rtf.head(document);
    paragraphs::blocks(&mut rtf, &document.blocks);
    rtf.out.push_str("}\n");
    rtf.out.into_bytes()
}

/// The fonts and colours are those of the tables in [`Rtf::head`].
struct Rtf {
    out: String,
    language: Language,
    in_cell: bool,
}

impl Rtf {
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
        self.out.push_str("{\\footer");
        paragraphs::footer(self, document);
        self.out.push_str("}\n");
    }
}

impl Sheet for Rtf {
    fn open(&mut self, look: &Paragraph) {
        let word = |out: &mut String, name: &str, value: u32| {
            let _ = write!(out, "\\{name}{value}");
        };
        let out = &mut self.out;
        out.push_str("\\pard\\plain");
        out.push_str(if self.in_cell { "\\intbl" } else { "" });
        out.push_str(if look.align == Align::Centre { "\\qc" } else { "\\ql" });
        if look.hanging > 0 {
            word(out, "fi-", look.hanging);
        }
        for (name, value) in [("li", look.left), ("ri", look.right)] {
            if value > 0 {
                word(out, name, value);
            }
        }
        for stop in &look.stops {
            out.push_str(if stop.right { "\\tqr" } else { "" });
            word(out, "tx", stop.at);
        }
        word(out, "sb", look.before);
        word(out, "sa", look.after);
        match look.leading {
            Leading::Text => out.push_str("\\sl276\\slmult1"),
            Leading::Single => {}
            Leading::Exactly(height) => {
                let _ = write!(out, "\\sl-{height}\\slmult0");
            }
        }
        out.push_str(if look.keep_lines { "\\keep" } else { "" });
        out.push_str(if look.keep_next { "\\keepn" } else { "" });
        out.push_str(match look.frame {
            Frame::None => "",
            Frame::RuleBelow => "\\brdrb\\brdrs\\brdrw8\\brsp20",
            Frame::Box => concat!(
                "\\brdrt\\brdrs\\brdrw10\\brsp60\\brdrl\\brdrs\\brdrw10\\brsp60",
                "\\brdrb\\brdrs\\brdrw10\\brsp60\\brdrr\\brdrs\\brdrw10\\brsp60"
            ),
        });
        if let Some(level) = look.level {
            word(out, "outlinelevel", u32::from(level) - 1);
        }
        out.push(' ');
    }

    fn close(&mut self) {
        self.out.push_str("\\par\n");
    }

    fn tab(&mut self) {
        self.out.push_str("\\tab ");
    }

    /// An Indian run carries both font slots of its script.
    fn run(&mut self, text: &str, font: Font, style: Style) {
        let (b, i) = (if style.bold { "\\b" } else { "" }, if style.italic { "\\i" } else { "" });
        let (size, colour) = (style.size_in(font), index(style.colour));
        let _ = match font {
            Font::Indic(script) => {
                let (ab, ai) = (if style.bold { "\\ab" } else { "" }, if style.italic { "\\ai" } else { "" });
                let lang = fonts::indic_language(script, self.language).windows_id();
                write!(
                    self.out,
                    "{{\\rtlch\\fcs1\\af1\\afs{size}{ab}{ai}\\alang{lang}\\ltrch\\fcs0\\f1\\fs{size}{b}{i}\\cf{colour}\\lang{lang} "
                )
            }
            Font::Latin => write!(self.out, "{{\\f0\\fs{size}{b}{i}\\cf{colour}\\lang16393 "),
            Font::Symbol => write!(self.out, "{{\\f2\\fs{size}{b}{i}\\cf{colour} "),
        };
        escape(&mut self.out, text);
        self.out.push('}');
    }

    fn number(&mut self, number: Number, style: Style) {
        let field = match number {
            Number::Page => "PAGE",
            Number::Pages => "NUMPAGES",
        };
        let _ = write!(
            self.out,
            "{{\\f0\\fs{}\\cf{}{{\\field{{\\*\\fldinst {field}}}{{\\fldrslt 1}}}}}}",
            style.size,
            index(style.colour)
        );
    }

    fn page_break(&mut self) {
        self.out.push_str("\\pard\\plain\\page\n");
    }

    /// A table is its rows.
    fn open_table(&mut self, _columns: &[u32]) {}

    /// LibreOffice begins a table as far left of the margin as the row's own cells are padded, Word
    /// does not: so the row has none, and each cell its own. Readers that know neither keep to
    /// `\trgaph`.
    fn open_row(&mut self, columns: &[u32], row: Row) {
        self.out.push_str("\\trowd\\trgaph80\\trleft0\\trpaddl0\\trpaddfl3\\trpaddr0\\trpaddfr3");
        self.out.push_str(if row.whole { "\\trkeep" } else { "" });
        if row.height > 0 {
            let _ = write!(self.out, "\\trrh{}", row.height);
        }
        self.out.push_str(if row.header { "\\trhdr" } else { "" });
        let mut edge = 0;
        for width in columns {
            edge += width;
            for side in ["clbrdrt", "clbrdrl", "clbrdrb", "clbrdrr"] {
                let _ = write!(self.out, "\\{side}\\brdrs\\brdrw8");
            }
            self.out.push_str(if row.header { "\\clcbpat3" } else { "" });
            // Word reads `clpadt` as the padding at the left, and all others follow it.
            let _ = write!(self.out, "\\clpadt80\\clpadft3\\clpadr80\\clpadfr3\\cellx{edge}");
        }
        self.out.push('\n');
    }

    fn open_cell(&mut self, _width: u32, _row: Row) {
        self.in_cell = true;
    }

    fn close_cell(&mut self) {
        self.in_cell = false;
        self.out.push_str("\\cell\n");
    }

    fn close_row(&mut self) {
        self.out.push_str("\\row\n");
    }

    fn close_table(&mut self) {}
}

/// The place in the colour table.
fn index(colour: Colour) -> u8 {
    match colour {
        Colour::Black => 0,
        Colour::Blue => 1,
        Colour::Grey => 2,
    }
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
    use crate::document::{Block, Run};

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
        assert!(rtf.contains("\\tab {\\f0\\fs22\\cf0\\lang16393 \\u160?[2]}\\par"), "{rtf}");
        assert_eq!(rtf.matches("\\li567\\tx5102").count(), 2);
        assert_eq!(rtf.matches("\\keepn ").count(), 2, "the last row of options may end a page");
    }

    #[test]
    fn a_table_begins_at_the_margin_and_pads_its_cells_one_by_one() {
        let rows = vec![vec![vec![Run::plain("a")], vec![Run::plain("b")]]];
        let table = Block::Table { widths: vec![1, 1], header: false, together: false, row_height: 0, rows };
        let rtf = String::from_utf8(write(&document(vec![table]))).unwrap();
        assert!(rtf.contains("\\trleft0\\trpaddl0\\trpaddfl3\\trpaddr0\\trpaddfr3\\trkeep"), "{rtf}");
        assert_eq!(rtf.matches("\\clpadt80\\clpadft3\\clpadr80\\clpadfr3\\cellx").count(), 2);
        assert!(rtf.contains("\\cellx9638\n"), "the last cell ends at the right margin: {rtf}");
    }

    #[test]
    fn ruled_lines_stay_on_one_page() {
        let rtf = String::from_utf8(write(&document(vec![Block::Lines { count: 3, kept: false }]))).unwrap();
        assert_eq!((rtf.matches("\\keepn ").count(), rtf.matches("____}\\par").count()), (2, 3), "{rtf}");
        let kept = String::from_utf8(write(&document(vec![Block::Lines { count: 3, kept: true }]))).unwrap();
        assert_eq!(kept.matches("\\keepn ").count(), 3, "what follows is on their page: {kept}");
    }

    #[test]
    fn a_row_moves_to_the_next_page_as_a_whole_unless_it_is_half_a_page() {
        let row = |letters: usize| {
            let rows = vec![vec![vec![Run::plain("a".repeat(letters))]]];
            let table = Block::Table { widths: vec![1], header: false, together: false, row_height: 0, rows };
            String::from_utf8(write(&document(vec![table]))).unwrap()
        };
        assert_eq!((row(600).contains("\\trkeep"), row(601).contains("\\trkeep")), (true, false));
    }

    #[test]
    fn no_line_of_a_box_stands_alone_on_a_page() {
        let boxed = |lines: usize| {
            let lines = vec![vec![Run::plain("a")]; lines];
            let rtf = String::from_utf8(write(&document(vec![Block::Boxed { lines }]))).unwrap();
            let body = rtf.split("\\footer").nth(1).unwrap_or_default().to_owned();
            body.matches("\\keepn").count()
        };
        assert_eq!([1, 2, 3, 4, 9].map(boxed), [0, 1, 2, 2, 2]);
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
            Block::Lines { count: 1, kept: false },
            Block::PageBreak,
        ];
        let rtf = String::from_utf8(write(&document(blocks))).unwrap();
        let bare = rtf.replace("\\\\", "").replace("\\{", "").replace("\\}", "");
        assert_eq!(bare.matches('{').count(), bare.matches('}').count());
        assert!(bare.ends_with("}\n"));
    }
}
