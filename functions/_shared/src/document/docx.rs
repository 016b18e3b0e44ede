//! Office Open XML as Word, WPS Office, Google Docs and LibreOffice read it (domain.md 10.5). Fixed times and ids:
//! the same document gives the same bytes.

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::faces::{self, Face};
use super::{Align, Block, Document, RULED_LINE, Run};
use crate::script::Language;

/// Text width of an A4 page with margins of 2 cm, in twentieths of a point.
const TEXT_WIDTH: u32 = 11_906 - 2 * 1_134;

/// Room for the number of a question.
const QUESTION: u32 = 567;

/// Room for the number of a part.
const PART: u32 = 510;

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
    let mut writer = Writer { out: XML.to_owned(), language: document.language };
    let _ = write!(writer.out, "<w:document {NAMESPACES}><w:body>");
    for block in &document.blocks {
        writer.block(block);
    }
    writer.out.push_str(concat!(
        "<w:sectPr><w:footerReference w:type=\"default\" r:id=\"rId3\"/>",
        "<w:pgSz w:w=\"11906\" w:h=\"16838\"/><w:pgMar w:top=\"1134\" w:right=\"1134\" w:bottom=\"1134\" ",
        "w:left=\"1134\" w:header=\"567\" w:footer=\"567\" w:gutter=\"0\"/></w:sectPr></w:body></w:document>"
    ));
    writer.out
}

fn footer(document: &Document) -> String {
    let style = Style { size: 16, colour: "595959", ..BODY };
    let mut writer = Writer { out: XML.to_owned(), language: document.language };
    let _ = write!(writer.out, "<w:ftr {NAMESPACES}>");
    writer.open("<w:jc w:val=\"center\"/>");
    writer.text(&document.footer, style);
    writer.text(" · ", style);
    let (before, rest) = document.page_label.split_once("{page}").unwrap_or((&document.page_label, ""));
    let (between, after) = rest.split_once("{pages}").unwrap_or((rest, ""));
    writer.text(before, style);
    writer.field("PAGE");
    writer.text(between, style);
    writer.field("NUMPAGES");
    writer.text(after, style);
    writer.close();
    writer.out.push_str("</w:ftr>");
    writer.out
}

/// The look of a run that comes from its paragraph.
#[derive(Clone, Copy)]
struct Style {
    /// Half points for Latin text; Indian scripts get one point more, since their marks need height.
    size: u16,
    bold: bool,
    italic: bool,
    colour: &'static str,
}

const BODY: Style = Style { size: 22, bold: false, italic: false, colour: "000000" };

const SIDES: [&str; 4] = ["top", "left", "bottom", "right"];

struct Writer {
    out: String,
    language: Language,
}

impl Writer {
    fn block(&mut self, block: &Block) {
        match block {
            Block::Heading { level, runs, align } => self.heading(*level, runs, *align),
            Block::Paragraph { runs, align, kept } => {
                let align = if *align == Align::Centre { "center" } else { "left" };
                let before = if *kept { 60 } else { 0 };
                self.paragraph(
                    &format!("{}{}<w:jc w:val=\"{align}\"/>", keep_next(*kept), spacing(before, 80)),
                    runs,
                );
            }
            Block::Ends { left, right } => {
                self.open(&format!("{}{}", tabs(&[("right", TEXT_WIDTH)]), spacing(0, 60)));
                self.runs(left, BODY);
                self.tab();
                self.runs(right, BODY);
                self.close();
            }
            Block::Question { marker, runs, marks, depth, kept } => {
                self.question(marker, runs, marks, *depth, *kept);
            }
            Block::Options { columns, options } => self.options((*columns).max(1), options),
            Block::Item { marker, runs } => {
                self.open(&format!(
                    "{}{}<w:ind w:left=\"360\" w:hanging=\"360\"/>",
                    tabs(&[("left", 360)]),
                    spacing(0, 60)
                ));
                self.text(marker, BODY);
                self.tab();
                self.runs(runs, BODY);
                self.close();
            }
            Block::Table { widths, header, together, row_height, rows } => {
                let height = match row_height {
                    0 => String::new(),
                    height => format!("<w:trHeight w:val=\"{height}\" w:hRule=\"atLeast\"/>"),
                };
                self.table(widths, *header, (*together, &height), rows);
            }
            Block::Boxed { lines } => self.boxed(lines),
            Block::Lines(count) => {
                for _ in 0..*count {
                    self.paragraph(&spacing(120, 120), &[Run::plain(RULED_LINE)]);
                }
            }
            Block::PageBreak => {
                // As low as a line can be: on a full page a higher one would make an empty page.
                self.open("<w:spacing w:before=\"0\" w:after=\"0\" w:line=\"20\" w:lineRule=\"exact\"/>");
                self.out.push_str("<w:r><w:br w:type=\"page\"/></w:r>");
                self.close();
            }
        }
    }

    fn heading(&mut self, level: u8, runs: &[Run], align: Align) {
        let level = level.clamp(1, 3);
        let centre = level == 1 || align == Align::Centre;
        let (size, before, after) = match (level, centre) {
            (1, _) => (32, 0, 120),
            (2, false) => (26, 200, 80),
            (2, true) => (26, 200, 40),
            _ => (23, 120, 60),
        };
        let rule = if level == 2 && !centre {
            "<w:pBdr><w:bottom w:val=\"single\" w:sz=\"6\" w:space=\"1\" w:color=\"1F3864\"/></w:pBdr>"
        } else {
            ""
        };
        let align = if centre { "center" } else { "left" };
        self.open(&format!(
            "<w:pStyle w:val=\"Heading{level}\"/><w:keepNext/>{rule}{}<w:jc w:val=\"{align}\"/>",
            spacing(before, after)
        ));
        self.runs(runs, Style { size, bold: true, italic: false, colour: "1F3864" });
        self.close();
    }

    /// The marks hang at the right edge, behind the last word of the text.
    fn question(&mut self, marker: &str, runs: &[Run], marks: &str, depth: u8, kept: bool) {
        let (hang, left) = if depth == 0 { (QUESTION, QUESTION) } else { (PART, QUESTION + PART) };
        self.open(&format!(
            "{}<w:keepLines/>{}{}<w:ind w:left=\"{left}\" w:hanging=\"{hang}\"/>",
            keep_next(kept),
            tabs(&[("left", left), ("right", TEXT_WIDTH)]),
            spacing(60, 40)
        ));
        self.text(marker, BODY);
        self.tab();
        self.runs(runs, BODY);
        if !marks.is_empty() {
            self.tab();
            self.text(marks, BODY);
        }
        self.close();
    }

    fn options(&mut self, columns: usize, options: &[Vec<Run>]) {
        let width = (TEXT_WIDTH - QUESTION) / u32::try_from(columns).unwrap_or(1);
        let stops: Vec<(&str, u32)> = (1..columns)
            .filter_map(|column| u32::try_from(column).ok())
            .map(|column| ("left", QUESTION + column * width))
            .collect();
        let rows: Vec<&[Vec<Run>]> = options.chunks(columns).collect();
        for (at, row) in rows.iter().enumerate() {
            self.open(&format!(
                "{}<w:keepLines/>{}{}<w:ind w:left=\"{QUESTION}\"/>",
                keep_next(at + 1 < rows.len()),
                tabs(&stops),
                spacing(0, 30)
            ));
            for (column, option) in row.iter().enumerate() {
                if column > 0 {
                    self.tab();
                }
                self.runs(option, BODY);
            }
            self.close();
        }
    }

    fn boxed(&mut self, lines: &[Vec<Run>]) {
        let borders: String = SIDES
            .iter()
            .map(|side| format!("<w:{side} w:val=\"single\" w:sz=\"8\" w:space=\"3\" w:color=\"000000\"/>"))
            .collect();
        for line in lines {
            let properties = format!(
                "<w:pBdr>{borders}</w:pBdr>{}<w:ind w:left=\"113\" w:right=\"113\"/>",
                spacing(60, 60)
            );
            self.paragraph(&properties, line);
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
        let widths: Vec<u32> = widths.iter().map(|width| TEXT_WIDTH * u32::from(*width) / whole).collect();
        self.out.push_str("<w:tbl><w:tblPr><w:tblW w:w=\"0\" w:type=\"auto\"/><w:tblBorders>");
        for side in SIDES.iter().chain(&["insideH", "insideV"]) {
            let _ =
                write!(self.out, "<w:{side} w:val=\"single\" w:sz=\"6\" w:space=\"0\" w:color=\"000000\"/>");
        }
        self.out.push_str("</w:tblBorders><w:tblLayout w:type=\"fixed\"/></w:tblPr><w:tblGrid>");
        widths.iter().for_each(|width| {
            let _ = write!(self.out, "<w:gridCol w:w=\"{width}\"/>");
        });
        self.out.push_str("</w:tblGrid>");
        for (at, row) in rows.iter().enumerate() {
            let is_header = header && at == 0;
            let _ = write!(self.out, "<w:tr><w:trPr><w:cantSplit/>{height}");
            self.out.push_str(if is_header { "<w:tblHeader/></w:trPr>" } else { "</w:trPr>" });
            // A header row alone at the foot of a page helps nobody.
            let kept = is_header || (together && at + 1 < rows.len());
            for (cell, width) in row.iter().zip(&widths) {
                self.cell(cell, *width, is_header, kept);
            }
            self.out.push_str("</w:tr>");
        }
        self.out.push_str("</w:tbl>");
        self.paragraph("<w:spacing w:before=\"0\" w:after=\"0\" w:line=\"120\" w:lineRule=\"exact\"/>", &[]);
    }

    fn cell(&mut self, runs: &[Run], width: u32, is_header: bool, kept: bool) {
        let shade =
            if is_header { "<w:shd w:val=\"clear\" w:color=\"auto\" w:fill=\"E2E8F0\"/>" } else { "" };
        let _ = write!(self.out, "<w:tc><w:tcPr><w:tcW w:w=\"{width}\" w:type=\"dxa\"/>{shade}</w:tcPr>");
        self.open(&format!("{}<w:spacing w:before=\"30\" w:after=\"30\"/>", keep_next(kept)));
        self.runs(runs, Style { bold: is_header, size: 21, ..BODY });
        self.close();
        self.out.push_str("</w:tc>");
    }

    fn paragraph(&mut self, properties: &str, runs: &[Run]) {
        self.open(properties);
        self.runs(runs, BODY);
        self.close();
    }

    fn open(&mut self, properties: &str) {
        let _ = write!(self.out, "<w:p><w:pPr>{properties}</w:pPr>");
    }

    fn close(&mut self) {
        self.out.push_str("</w:p>");
    }

    fn tab(&mut self) {
        self.out.push_str("<w:r><w:tab/></w:r>");
    }

    fn field(&mut self, code: &str) {
        let _ = write!(
            self.out,
            "<w:fldSimple w:instr=\"{code}\"><w:r><w:rPr><w:color w:val=\"595959\"/><w:sz w:val=\"16\"/></w:rPr><w:t>1</w:t></w:r></w:fldSimple>"
        );
    }

    fn runs(&mut self, runs: &[Run], style: Style) {
        for run in runs {
            let style = Style { bold: style.bold || run.bold, italic: style.italic || run.italic, ..style };
            self.text(&run.text, style);
        }
    }

    /// Splits the text by font, so that every Indian run has all font slots, complex-script sizes and its language.
    fn text(&mut self, text: &str, style: Style) {
        for (face, text) in faces::split(text) {
            self.run(&text, face, style);
        }
    }

    fn run(&mut self, text: &str, face: Face, style: Style) {
        let Style { size, bold, italic, colour } = style;
        let (font, size) = match face {
            Face::Latin => ("Times New Roman", size),
            Face::Indic(_) => ("Nirmala UI", size + 2),
            Face::Symbol => ("Segoe UI Symbol", size),
        };
        let _ = write!(
            self.out,
            "<w:r><w:rPr><w:rFonts w:ascii=\"{font}\" w:hAnsi=\"{font}\" w:eastAsia=\"{font}\" w:cs=\"{font}\"/>"
        );
        self.out.push_str(if bold { "<w:b/><w:bCs/>" } else { "" });
        self.out.push_str(if italic { "<w:i/><w:iCs/>" } else { "" });
        let _ = write!(
            self.out,
            "<w:color w:val=\"{colour}\"/><w:sz w:val=\"{size}\"/><w:szCs w:val=\"{size}\"/>"
        );
        match face {
            Face::Indic(script) => {
                let code = faces::indic_language(script, self.language).code();
                let _ = write!(self.out, "<w:cs/><w:lang w:val=\"en-IN\" w:bidi=\"{code}-IN\"/>");
            }
            Face::Latin | Face::Symbol => self.out.push_str("<w:lang w:val=\"en-IN\"/>"),
        }
        self.out.push_str("</w:rPr><w:t xml:space=\"preserve\">");
        escape(&mut self.out, text);
        self.out.push_str("</w:t></w:r>");
    }
}

fn keep_next(kept: bool) -> &'static str {
    if kept { "<w:keepNext/>" } else { "" }
}

fn spacing(before: u32, after: u32) -> String {
    format!("<w:spacing w:before=\"{before}\" w:after=\"{after}\" w:line=\"276\" w:lineRule=\"auto\"/>")
}

fn tabs(stops: &[(&str, u32)]) -> String {
    if stops.is_empty() {
        return String::new();
    }
    let stops: String =
        stops.iter().map(|(kind, at)| format!("<w:tab w:val=\"{kind}\" w:pos=\"{at}\"/>")).collect();
    format!("<w:tabs>{stops}</w:tabs>")
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
            Block::Lines(2),
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
