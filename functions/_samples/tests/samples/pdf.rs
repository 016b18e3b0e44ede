//! PDF files.

use banyan_samples::{Limits, SampleError, SampleKind, text_of};

use crate::files::{
    COLUMNS_PDF, HINDI_PDF, LOCKED_PDF, LONG_PDF, PAPER_PDF, deflated, headings, lines, page, pdf, read,
    stream,
};

// rows: GEN-5.3.7
#[test]
fn headings_of_a_pdf_are_its_larger_lines() {
    let expected = [
        (1, "Unit Test: Light"),
        (2, "Section A: Multiple choice"),
        (2, "Section B: Short answers"),
        (2, "Section C: Long answers"),
    ];
    assert_eq!(headings(PAPER_PDF), expected.map(|(level, text)| (level, text.to_owned())));
    let text = read(PAPER_PDF).expect("a sample");
    assert_eq!((text.kind, text.pages, text.is_cut), (SampleKind::Pdf, 1, false));
}

// rows: GEN-5.3.7
#[test]
fn headings_that_a_pdf_tags_are_taken_from_there() {
    let content = b"BT /F1 12 Tf /H2 <</MCID 0>> BDC 72 700 Td (A tagged heading) Tj EMC 0 -20 Td (Text of the body) Tj ET";
    assert_eq!(headings(&page(stream("", content), &[])), [(2, "A tagged heading".to_owned())]);
}

// rows: GEN-5.3.4
#[test]
fn a_row_of_a_table_in_a_pdf_is_a_line() {
    let lines = lines(PAPER_PDF);
    assert!(lines.contains(&"Question\tTopic\tMarks".to_owned()), "{lines:?}");
}

// rows: GEN-5.3.5
#[test]
fn hindi_of_a_pdf_is_whole() {
    let words = lines(HINDI_PDF).join(" ");
    for sentence in [
        "पाठ योजना: प्रकाश",
        "विद्यार्थी परावर्तन के नियम लिखेंगे और प्रयोग से उनकी जाँच करेंगे।",
        "समतल दर्पण, टॉर्च, कागज़ और पेंसिल।",
        "घर में मिलने वाले तीन दर्पणों के चित्र बनाइए और बताइए कि प्रतिबिंब कैसा बनता है।",
    ] {
        assert!(words.contains(&banyan_functions::sanitise::line(sentence)), "{sentence} in {words}");
    }
}

// rows: GEN-5.3.4
#[test]
fn columns_of_a_pdf_are_not_mixed() {
    let words = lines(COLUMNS_PDF).join(" ");
    for number in 1..=8 {
        let sentence = format!("paragraph {number} tells how a class reads a poem together, line by line");
        assert!(words.contains(&sentence), "{sentence} in {words}");
    }
}

// rows: GEN-5.3.1
#[test]
fn a_pdf_of_too_many_pages_is_told() {
    assert_eq!(read(LONG_PDF), Err(SampleError::TooManyPages { limit: 20 }));
    let limits = Limits { pages: 22, ..Limits::default() };
    let text = text_of(LONG_PDF, &limits).expect("a sample");
    assert_eq!((text.pages, text.lines.len()), (22, 22));
}

// rows: GEN-5.3.4
#[test]
fn a_locked_pdf_is_told() {
    assert_eq!(read(LOCKED_PDF), Err(SampleError::Locked));
    assert!(SampleError::Locked.to_string().contains("locked"));
}

// rows: GEN-5.3.4
#[test]
fn a_scanned_pdf_is_told() {
    let picture =
        stream("/Type/XObject/Subtype/Image/Width 1/Height 1/Filter/DCTDecode", &[0xFF, 0xD8, 0xFF]);
    let scanned = page(stream("", b"q 595 0 0 842 0 0 cm /X Do Q"), &[picture]);
    assert_eq!(read(&scanned), Err(SampleError::NoText));
    assert!(SampleError::NoText.to_string().contains("looks like a scanned picture; we cannot read it"));
}

// rows: GEN-5.3.5
#[test]
fn a_pdf_whose_letters_are_lost_is_told() {
    let mut objects = vec![
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
        b"<</Type/Page/Resources<</Font<</F1 5 0 R>>>>/Contents 4 0 R>>".to_vec(),
    ];
    objects.push(stream("", b"BT /F1 12 Tf 72 700 Td <0001000200030004000500060007000800090010001100120013001400150016001700180019002000210022> Tj ET"));
    objects.push(b"<</Type/Font/Subtype/Type0/BaseFont/Mangal/Encoding/Identity-H>>".to_vec());
    assert_eq!(read(&pdf(&objects)), Err(SampleError::BrokenLetters));
}

// rows: GEN-5.3.4
#[test]
fn text_in_forms_and_in_packed_objects_is_read() {
    let form =
        stream("/Type/XObject/Subtype/Form", b"BT /F1 12 Tf 72 700 Td (Words that stand in a form) Tj ET");
    assert_eq!(lines(&page(stream("", b"/X Do"), &[form])), ["Words that stand in a form"]);
    let pack = deflated(b"7 0 8 36 <</Type/Pages/Kids[8 0 R]/Count 1>>  <</Type/Page/Resources<</Font<</F1 5 0 R>>>>/Contents 4 0 R>>");
    let objects = [
        b"<</Type/Catalog/Pages 7 0 R>>".to_vec(),
        stream("/Type/ObjStm/N 2/First 9/Filter/FlateDecode", &pack),
        b"null".to_vec(),
        stream(
            "/Filter/FlateDecode",
            &deflated(b"BT /F1 12 Tf 72 700 Td (Words of a page that is packed) Tj ET"),
        ),
        b"<</Type/Font/Subtype/Type1/BaseFont/Times>>".to_vec(),
    ];
    assert_eq!(lines(&pdf(&objects)), ["Words of a page that is packed"]);
}

// rows: GEN-5.3.4
#[test]
fn letters_by_the_names_of_their_glyphs_are_read() {
    let content = stream("", b"BT /F2 12 Tf 72 700 Td (\\001\\002\\003 rays of light are bent) Tj ET");
    let mut objects = vec![
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Resources<</Font<</F2 5 0 R>>>>/Kids[3 0 R]/Count 1>>".to_vec(),
        b"<</Type/Page/Contents[4 0 R]>>".to_vec(),
        content,
    ];
    objects.push(
        b"<</Type/Font/Subtype/Type1/BaseFont/CMR10/Encoding<</Differences[1/two/uni00D7/a]>>>>".to_vec(),
    );
    assert_eq!(lines(&pdf(&objects)), ["2×a rays of light are bent"]);
}

// rows: GEN-5.3.4
#[test]
fn widths_of_standard_fonts_keep_words_apart() {
    let fonts = [
        ("Helvetica", "iiii", 0.222 * 4.0),
        ("Times-Roman", "tttt", 0.278 * 4.0),
        ("Courier-Bold", "mmmm", 0.6 * 4.0),
        ("ABCDEF+Times-BoldItalic", "llll", 0.278 * 4.0),
    ];
    for (font, word, width) in fonts {
        let start = width * 12.0 + 0.3 * 12.0;
        let content = format!("BT /F2 12 Tf ({word}) Tj {start} 0 Td (and then the words of a sample) Tj ET");
        let objects = [
            b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
            b"<</Type/Pages/Resources<</Font<</F2 5 0 R>>>>/Kids[3 0 R]/Count 1>>".to_vec(),
            b"<</Type/Page/Contents[4 0 R]>>".to_vec(),
            stream("", content.as_bytes()),
            format!("<</Type/Font/Subtype/Type1/BaseFont/{font}>>").into_bytes(),
        ];
        assert_eq!(lines(&pdf(&objects)), [format!("{word} and then the words of a sample")], "{font}");
    }
}
