//! Office Open XML as Word, WPS Office, Google Docs and LibreOffice read it (SPECIFICATION.md
//! DOM-10.5). Fixed times and ids: the same document gives the same bytes.

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::fonts::{self, Font};
use super::paragraphs::{self, Colour, Frame, Leading, Number, Paragraph, Row, Sheet, Style};
use super::{Align, Document};
use crate::writing_system::Language;

const CONTENT_TYPES: &str = include_str!("docx/content-types.xml");
const RELATIONSHIPS: &str = include_str!("docx/relationships.xml");
const DOCUMENT_RELATIONSHIPS: &str = include_str!("docx/document-relationships.xml");
const STYLES: &str = include_str!("docx/styles.xml");
const SETTINGS: &str = include_str!("docx/settings.xml");
const NAMESPACES: &str = concat!(
    "xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\" ",
    "xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\""
);
const XML: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";

/// Writes the document.
pub fn write(document: &Document) -> Vec<u8> {
    let parts = [
        ("[Content_Types].xml", CONTENT_TYPES.to_owned()),
        ("_rels/.rels", RELATIONSHIPS.to_owned()),
        ("word/document.xml", body(document)),
        ("word/_rels/document.xml.rels", DOCUMENT_RELATIONSHIPS.to_owned()),
        ("word/styles.xml", STYLES.to_owned()),
        ("word/settings.xml", SETTINGS.to_owned()),
        ("word/footer1.xml", footer(document)),
        ("docProps/core.xml", properties(document)),
    ];
    zipped(&parts).expect("writing to memory does not fail")
}

fn zipped(parts: &[(&str, String)]) -> zip::result::ZipResult<Vec<u8>> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::default())
        .unix_permissions(0o644);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        zip.start_file(*name, options)?;
        zip.write_all(text.as_bytes())?;
    }
    Ok(zip.finish()?.into_inner())
}

fn properties(document: &Document) -> String {
    let mut out = XML.to_owned();
    out.push_str(concat!(
        "<cp:coreProperties xmlns:cp=\"http://schemas.openxmlformats.org/package/2006/metadata/core-properties\" ",
        "xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><dc:title>"
    ));
    escape(&mut out, &document.title);
    out.push_str("</dc:title><dc:creator>");
    escape(&mut out, &document.generator);
    let _ = write!(
        out,
        "</dc:creator><dc:language>{}-IN</dc:language></cp:coreProperties>",
        document.language.code()
    );
    out
}

fn body(document: &Document) -> String {
    let mut docx = Docx::begin(document, "document");
    docx.out.push_str("<w:body>");
    paragraphs::blocks(&mut docx, &document.blocks);
    docx.out.push_str(concat!(
        "<w:sectPr><w:footerReference w:type=\"default\" r:id=\"rId3\"/>",
        "<w:pgSz w:w=\"11906\" w:h=\"16838\"/><w:pgMar w:top=\"1134\" w:right=\"1134\" w:bottom=\"1134\" ",
        "w:left=\"1134\" w:header=\"567\" w:footer=\"567\" w:gutter=\"0\"/></w:sectPr></w:body></w:document>"
    ));
    docx.out
}

fn footer(document: &Document) -> String {
    let mut docx = Docx::begin(document, "ftr");
    paragraphs::footer(&mut docx, document);
    docx.out.push_str("</w:ftr>");
    docx.out
}

const SIDES: [&str; 4] = ["top", "left", "bottom", "right"];

struct Docx {
    out: String,
    language: Language,
}

impl Docx {
    fn begin(document: &Document, root: &str) -> Self {
        Self { out: format!("{XML}<w:{root} {NAMESPACES}>"), language: document.language }
    }

    fn borders(&mut self, sides: &[&str], (size, space): (u8, u8), colour: &str) {
        for side in sides {
            let _ = write!(
                self.out,
                "<w:{side} w:val=\"single\" w:sz=\"{size}\" w:space=\"{space}\" w:color=\"{colour}\"/>"
            );
        }
    }

    fn frame(&mut self, frame: Frame) {
        if frame == Frame::None {
            return;
        }
        self.out.push_str("<w:pBdr>");
        match frame {
            Frame::None => {}
            Frame::RuleBelow => self.borders(&["bottom"], (6, 1), colour(Colour::Blue)),
            Frame::Box => self.borders(&SIDES, (8, 3), colour(Colour::Black)),
        }
        self.out.push_str("</w:pBdr>");
    }

    fn stops(&mut self, look: &Paragraph) {
        if look.stops.is_empty() {
            return;
        }
        self.out.push_str("<w:tabs>");
        for stop in &look.stops {
            let kind = if stop.right { "right" } else { "left" };
            let _ = write!(self.out, "<w:tab w:val=\"{kind}\" w:pos=\"{}\"/>", stop.at);
        }
        self.out.push_str("</w:tabs>");
    }

    fn spacing(&mut self, look: &Paragraph) {
        let _ = write!(self.out, "<w:spacing w:before=\"{}\" w:after=\"{}\"", look.before, look.after);
        let _ = match look.leading {
            Leading::Text => write!(self.out, " w:line=\"276\" w:lineRule=\"auto\"/>"),
            Leading::Single => write!(self.out, "/>"),
            Leading::Exactly(height) => write!(self.out, " w:line=\"{height}\" w:lineRule=\"exact\"/>"),
        };
    }

    fn indents(&mut self, look: &Paragraph) {
        if look.left + look.right + look.hanging == 0 {
            return;
        }
        self.out.push_str("<w:ind");
        for (name, value) in [("left", look.left), ("right", look.right), ("hanging", look.hanging)] {
            if value > 0 {
                let _ = write!(self.out, " w:{name}=\"{value}\"");
            }
        }
        self.out.push_str("/>");
    }
}

impl Sheet for Docx {
    /// The properties stand in the order that the format's schema wants.
    fn open(&mut self, look: &Paragraph) {
        self.out.push_str("<w:p><w:pPr>");
        if let Some(level) = look.level {
            let _ = write!(self.out, "<w:pStyle w:val=\"Heading{level}\"/>");
        }
        self.out.push_str(if look.keep_next { "<w:keepNext/>" } else { "" });
        self.out.push_str(if look.keep_lines { "<w:keepLines/>" } else { "" });
        self.frame(look.frame);
        self.stops(look);
        self.spacing(look);
        self.indents(look);
        let align = if look.align == Align::Centre { "center" } else { "left" };
        let _ = write!(self.out, "<w:jc w:val=\"{align}\"/></w:pPr>");
    }

    fn close(&mut self) {
        self.out.push_str("</w:p>");
    }

    fn tab(&mut self) {
        self.out.push_str("<w:r><w:tab/></w:r>");
    }

    /// An Indian run has all font slots, complex-script sizes and its language.
    fn run(&mut self, text: &str, font: Font, style: Style) {
        let (size, colour) = (style.size_in(font), colour(style.colour));
        let name = match font {
            Font::Latin => "Times New Roman",
            Font::Indic(_) => "Nirmala UI",
            Font::Symbol => "Segoe UI Symbol",
        };
        let _ = write!(
            self.out,
            "<w:r><w:rPr><w:rFonts w:ascii=\"{name}\" w:hAnsi=\"{name}\" w:eastAsia=\"{name}\" w:cs=\"{name}\"/>"
        );
        self.out.push_str(if style.bold { "<w:b/><w:bCs/>" } else { "" });
        self.out.push_str(if style.italic { "<w:i/><w:iCs/>" } else { "" });
        let _ = write!(
            self.out,
            "<w:color w:val=\"{colour}\"/><w:sz w:val=\"{size}\"/><w:szCs w:val=\"{size}\"/>"
        );
        match font {
            Font::Indic(script) => {
                let code = fonts::indic_language(script, self.language).code();
                let _ = write!(self.out, "<w:cs/><w:lang w:val=\"en-IN\" w:bidi=\"{code}-IN\"/>");
            }
            Font::Latin | Font::Symbol => self.out.push_str("<w:lang w:val=\"en-IN\"/>"),
        }
        self.out.push_str("</w:rPr><w:t xml:space=\"preserve\">");
        escape(&mut self.out, text);
        self.out.push_str("</w:t></w:r>");
    }

    fn number(&mut self, number: Number, style: Style) {
        let field = match number {
            Number::Page => "PAGE",
            Number::Pages => "NUMPAGES",
        };
        let _ = write!(
            self.out,
            "<w:fldSimple w:instr=\"{field}\"><w:r><w:rPr><w:color w:val=\"{}\"/><w:sz w:val=\"{}\"/></w:rPr><w:t>1</w:t></w:r></w:fldSimple>",
            colour(style.colour),
            style.size
        );
    }

    /// The lowest possible line: on a full page a higher one would add an empty page.
    fn page_break(&mut self) {
        self.out.push_str(concat!(
            "<w:p><w:pPr><w:spacing w:before=\"0\" w:after=\"0\" w:line=\"20\" w:lineRule=\"exact\"/></w:pPr>",
            "<w:r><w:br w:type=\"page\"/></w:r></w:p>"
        ));
    }

    fn open_table(&mut self, columns: &[u32]) {
        self.out.push_str("<w:tbl><w:tblPr><w:tblW w:w=\"0\" w:type=\"auto\"/><w:tblBorders>");
        self.borders(&SIDES, (6, 0), colour(Colour::Black));
        self.borders(&["insideH", "insideV"], (6, 0), colour(Colour::Black));
        self.out.push_str("</w:tblBorders><w:tblLayout w:type=\"fixed\"/></w:tblPr><w:tblGrid>");
        for width in columns {
            let _ = write!(self.out, "<w:gridCol w:w=\"{width}\"/>");
        }
        self.out.push_str("</w:tblGrid>");
    }

    fn open_row(&mut self, _columns: &[u32], row: Row) {
        self.out.push_str("<w:tr><w:trPr>");
        self.out.push_str(if row.whole { "<w:cantSplit/>" } else { "" });
        if row.height > 0 {
            let _ = write!(self.out, "<w:trHeight w:val=\"{}\" w:hRule=\"atLeast\"/>", row.height);
        }
        self.out.push_str(if row.header { "<w:tblHeader/></w:trPr>" } else { "</w:trPr>" });
    }

    fn open_cell(&mut self, width: u32, row: Row) {
        let shade =
            if row.header { "<w:shd w:val=\"clear\" w:color=\"auto\" w:fill=\"E2E8F0\"/>" } else { "" };
        let _ = write!(self.out, "<w:tc><w:tcPr><w:tcW w:w=\"{width}\" w:type=\"dxa\"/>{shade}</w:tcPr>");
    }

    fn close_cell(&mut self) {
        self.out.push_str("</w:p></w:tc>");
    }

    fn close_row(&mut self) {
        self.out.push_str("</w:tr>");
    }

    fn close_table(&mut self) {
        self.out.push_str("</w:tbl>");
    }
}

/// Red, green and blue.
fn colour(colour: Colour) -> &'static str {
    match colour {
        Colour::Black => "000000",
        Colour::Blue => "1F3864",
        Colour::Grey => "595959",
    }
}

/// Text for XML: the five signs are escaped, what XML cannot hold is left out.
fn escape(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\n' | '\t' => out.push(' '),
            _ if c.is_control() || matches!(c, '\u{FFFE}' | '\u{FFFF}') => {}
            _ => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;
    use crate::document::{Block, Run};

    fn document(blocks: Vec<Block>) -> Document {
        Document {
            title: "T & <T>".to_owned(),
            language: Language::Hindi,
            footer: "F".to_owned(),
            page_label: "Page {page} of {pages}".to_owned(),
            generator: "G".to_owned(),
            blocks,
        }
    }

    fn part(bytes: &[u8], name: &str) -> String {
        let mut zip = zip::ZipArchive::new(Cursor::new(bytes)).expect("a zip");
        let mut text = String::new();
        zip.by_name(name).expect("the part").read_to_string(&mut text).expect("UTF-8");
        text
    }

    #[test]
    fn text_cannot_become_markup() {
        let bytes =
            write(&document(vec![Block::paragraph(vec![Run::plain("</w:t><w:p/> & \"x\" \u{0}\u{FFFF}'")])]));
        let xml = part(&bytes, "word/document.xml");
        assert!(xml.contains("&lt;/w:t&gt;&lt;w:p/&gt; &amp; &quot;x&quot; &apos;"), "{xml}");
        assert!(part(&bytes, "docProps/core.xml").contains("<dc:title>T &amp; &lt;T&gt;</dc:title>"));
    }

    #[test]
    fn indic_runs_have_all_font_slots_and_their_language() {
        let xml = body(&document(vec![Block::paragraph(vec![Run::bold("pH का मान")])]));
        for piece in ["w:cs=\"Nirmala UI\"", "<w:b/><w:bCs/>", "<w:szCs w:val=\"24\"/>", "w:bidi=\"hi-IN\""] {
            assert!(xml.contains(piece), "{piece} in {xml}");
        }
    }

    #[test]
    fn the_same_document_gives_the_same_bytes_and_every_tag_is_closed() {
        let blocks = vec![
            Block::heading(1, "Title"),
            Block::heading(2, "Part"),
            Block::Ends { left: vec![Run::plain("a")], right: vec![Run::plain("b")] },
            Block::Question {
                marker: "1.".to_owned(),
                runs: vec![],
                marks: "[2]".to_owned(),
                depth: 1,
                kept: true,
            },
            Block::Options { columns: 2, options: vec![vec![Run::plain("o")]; 4] },
            Block::bullet(vec![Run::italic("✎ x")]),
            Block::Table {
                widths: vec![1, 2],
                header: true,
                together: true,
                row_height: 0,
                rows: vec![vec![vec![], vec![]]; 3],
            },
            Block::Boxed { lines: vec![vec![Run::plain("y")]] },
            Block::Lines { count: 2, kept: true },
            Block::PageBreak,
        ];
        let document = document(blocks);
        assert_eq!(write(&document), write(&document));
        let xml = body(&document);
        for tag in ["w:p", "w:r", "w:tbl", "w:tr", "w:tc", "w:pPr", "w:rPr", "w:t", "w:body"] {
            let open = xml.matches(&format!("<{tag}>")).count() + xml.matches(&format!("<{tag} ")).count();
            assert_eq!(open, xml.matches(&format!("</{tag}>")).count(), "{tag}");
        }
    }
}
