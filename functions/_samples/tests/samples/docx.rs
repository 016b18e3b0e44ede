//! DOCX files.

use banyan_samples::{SampleError, SampleKind};

use crate::files::{
    COLUMNS_DOCX, HINDI_DOCX, LONG_DOCX, PAPER_DOCX, docx, headings, lines, paragraph, read, zip,
};

// rows: GEN-5.3.3 GEN-5.3.7
#[test]
fn headings_of_a_docx_are_those_of_its_styles() {
    let expected = [
        (1, "Unit Test: Light"),
        (2, "Section A: Multiple choice"),
        (2, "Section B: Short answers"),
        (2, "Section C: Long answers"),
    ];
    assert_eq!(headings(PAPER_DOCX), expected.map(|(level, text)| (level, text.to_owned())));
    let text = read(PAPER_DOCX).expect("a sample");
    assert_eq!((text.kind, text.pages, text.is_cut), (SampleKind::Docx, 1, false));
}

// rows: GEN-5.3.3
#[test]
fn a_row_of_a_table_is_a_line_with_tabs() {
    let lines = lines(PAPER_DOCX);
    assert!(lines.contains(&"Question\tTopic\tMarks".to_owned()), "{lines:?}");
    let nested = "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>A question with a table</w:t></w:r></w:p><w:tbl><w:tr><w:tc>\
                  <w:p><w:r><w:t>inside</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:tc><w:tc><w:p><w:r><w:t>5</w:t>\
                  </w:r></w:p></w:tc></w:tr></w:tbl>";
    assert_eq!(crate::files::lines(&docx(nested)), ["A question with a table inside\t5"]);
}

// rows: GEN-5.3.5
#[test]
fn hindi_of_a_docx_is_whole() {
    let lines = lines(HINDI_DOCX);
    assert_eq!(lines[0], "पाठ योजना: प्रकाश");
    assert_eq!(lines[2], "विद्यार्थी परावर्तन के नियम लिखेंगे और प्रयोग से उनकी जाँच करेंगे।");
}

// rows: GEN-5.3.3
#[test]
fn columns_of_a_docx_come_one_after_the_other() {
    let lines = lines(COLUMNS_DOCX);
    assert!(lines[1].contains("paragraph 1 ") && lines[8].contains("paragraph 8 "), "{lines:?}");
}

// rows: GEN-5.3.1
#[test]
fn pages_of_a_docx_are_counted_by_its_breaks() {
    assert_eq!(read(LONG_DOCX), Err(SampleError::TooManyPages { limit: 20 }));
    let page = "<w:p><w:r><w:lastRenderedPageBreak/><w:t>A page with some words on it.</w:t></w:r></w:p>";
    assert_eq!(read(&docx(&page.repeat(19))).expect("a sample").pages, 20);
    assert_eq!(read(&docx(&page.repeat(20))), Err(SampleError::TooManyPages { limit: 20 }));
}

// rows: GEN-5.3.3
#[test]
fn what_a_reader_does_not_see_is_left_out() {
    let body = format!(
        "{}<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r><w:del><w:r><w:delText>gone</w:delText>\
         </w:r></w:del><w:r><w:t>seen &amp; kept &#x905;</w:t></w:r></w:p>",
        paragraph("Words enough for a sample of its own")
    );
    assert_eq!(lines(&docx(&body))[1], "seen & kept अ");
}

// rows: GEN-5.3.3
#[test]
fn entities_of_the_file_stand_for_nothing() {
    let document = "<!DOCTYPE d [<!ENTITY a \"aaaa\"><!ENTITY b SYSTEM \"file:///etc/passwd\">]>\
                    <w:document xmlns:w=\"w\"><w:body><w:p><w:r><w:t>Words before &a;&b; and words behind</w:t></w:r>\
                    </w:p></w:body></w:document>";
    assert_eq!(lines(&zip(&[("word/document.xml", document.as_bytes())])), ["Words before and words behind"]);
}

// rows: GEN-5.3.1
#[test]
fn a_zip_without_a_document_is_no_sample() {
    assert_eq!(read(&zip(&[("xl/workbook.xml", b"<x/>")])), Err(SampleError::NotADocument));
}

// rows: GEN-5.3.4
#[test]
fn a_locked_docx_is_told() {
    let name: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let file = [b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1".as_slice(), &[0; 1000], &name].concat();
    assert_eq!(read(&file), Err(SampleError::Locked));
    assert_eq!(read(&file[..900]), Err(SampleError::NotADocument), "an old .doc");
}

// rows: DOM-10.2.2
#[test]
fn text_in_an_old_font_is_told() {
    let run = "<w:p><w:r><w:rPr><w:rFonts w:ascii=\"Kruti Dev 010\"/></w:rPr><w:t>fo|kFkhZ ijkorZu ds fu;e \
               fy[ksaxs</w:t></w:r></w:p>";
    assert_eq!(read(&docx(run)), Err(SampleError::OldFont));
}

// rows: GEN-5.3.7
#[test]
fn a_short_bold_paragraph_is_a_heading() {
    let bold = "<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>Warm up</w:t></w:r></w:p>";
    let body = format!("{bold}{}", paragraph("Pupils tell what they know of light."));
    assert_eq!(headings(&docx(&body)), [(3, "Warm up".to_owned())]);
}

// rows: GEN-5.3.8
#[test]
fn a_bold_label_of_a_row_is_a_heading() {
    let cell = |text: &str, is_bold: bool| {
        let bold = if is_bold { "<w:rPr><w:b/></w:rPr>" } else { "" };
        format!("<w:tc><w:p><w:r>{bold}<w:t>{text}</w:t></w:r></w:p></w:tc>")
    };
    let row = |cells: &[(&str, bool)]| {
        let cells: String = cells.iter().map(|(text, is_bold)| cell(text, *is_bold)).collect();
        format!("<w:tr>{cells}</w:tr>")
    };
    let rows = [
        row(&[("No.", true), ("Step", true)]),
        row(&[("Learning Outcomes", true), ("Pupils explain a current.", false)]),
        row(&[("Q1.", true), ("What is a current?", false)]),
        row(&[("Cells", false), ("A plain row", false)]),
        row(&[("Evaluation", true), ("", false)]),
    ];
    let bytes = docx(&format!("<w:tbl>{}</w:tbl>", rows.concat()));
    assert_eq!(headings(&bytes), [(3, "Learning Outcomes".to_owned()), (3, "Evaluation".to_owned())]);
    assert_eq!(
        lines(&bytes),
        [
            "No.\tStep",
            "Learning Outcomes",
            "Pupils explain a current.",
            "Q1.\tWhat is a current?",
            "Cells\tA plain row",
            "Evaluation"
        ]
    );
}

// rows: GEN-5.3.3
#[test]
fn text_around_a_text_box_is_kept() {
    let text_box = "<w:r><w:rPr><w:b/></w:rPr><w:t>Before </w:t><w:txbxContent><w:p><w:pPr><w:pStyle w:val=\"Heading1\"/>\
                    </w:pPr><w:r><w:t>In the box</w:t></w:r></w:p></w:txbxContent><w:t>and behind the box</w:t></w:r>";
    let lines = lines(&docx(&format!("<w:p>{text_box}</w:p>{}", paragraph("The next paragraph"))));
    assert_eq!(lines, ["In the box", "Before and behind the box", "The next paragraph"]);
    let bold = headings(&docx(&format!("<w:p>{text_box}</w:p>")));
    assert_eq!(bold, [(3, "Before and behind the box".to_owned())]);
}

// rows: GEN-5.3.3
#[test]
fn moved_text_is_read_where_it_stands_now() {
    let body = "<w:p><w:moveFrom><w:r><w:t>Light bends in water.</w:t></w:r></w:moveFrom><w:r><w:t>First.</w:t></w:r></w:p>\
                <w:p><w:moveTo><w:r><w:t>Light bends in water.</w:t></w:r></w:moveTo></w:p>";
    assert_eq!(lines(&docx(body)), ["First.", "Light bends in water."]);
}

// rows: GEN-5.3.3
#[test]
fn a_document_in_utf_16_is_read() {
    let document = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-16\"?><w:document xmlns:w=\"w\">{}</w:document>",
        paragraph("प्रकाश travels in straight lines")
    );
    let little: Vec<u8> = document.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = format!("\u{FEFF}{document}").encode_utf16().flat_map(u16::to_be_bytes).collect();
    for part in [little, big] {
        assert_eq!(lines(&zip(&[("word/document.xml", &part)])), ["प्रकाश travels in straight lines"]);
    }
}
