//! Files that were made to do harm.

use banyan_samples::{Limits, SampleError, fenced, structure, text_of};
use proptest::prelude::*;

use crate::files::{
    HINDI_PDF, PAPER_DOCX, PAPER_PDF, deflated, docx, page, paragraph, pdf, read, stream, zip,
};

/// Reads a file and goes on with what came of it, as a function would.
fn use_up(bytes: &[u8]) -> Result<(), SampleError> {
    let text = read(bytes)?;
    assert!(text.lines.iter().map(|line| line.text.chars().count()).sum::<usize>() <= 12_000);
    structure(&text);
    fenced(&text, 4_000);
    Ok(())
}

// rows: GEN-5.3.1
#[test]
fn the_first_bytes_say_what_a_file_is() {
    for bytes in [b"".as_slice(), b"PK", b"GIF89a", b"<html>%PD", b"{\\rtf1 a rich text}", &[0; 5000]] {
        assert_eq!(read(bytes), Err(SampleError::NotADocument));
    }
    let late = [&[b' '; 1100], b"%PDF-1.7".as_slice()].concat();
    assert_eq!(read(&late), Err(SampleError::NotADocument));
    let early = [&[b' '; 900], PAPER_PDF].concat();
    assert!(read(&early).is_ok());
}

// rows: GEN-5.3.1
#[test]
fn a_file_over_the_limit_is_told() {
    let mut file = PAPER_PDF.to_vec();
    file.resize(10_000_001, b' ');
    assert_eq!(read(&file), Err(SampleError::TooLarge { limit: 10_000_000 }));
}

// rows: GEN-5.3.10
#[test]
fn files_cut_anywhere_are_damaged() {
    for whole in [PAPER_DOCX, PAPER_PDF] {
        for at in (8..whole.len() - 200).step_by(97) {
            let cut = read(&whole[..at]);
            assert_eq!(cut, Err(SampleError::Damaged), "cut at {at} of {}", whole.len());
        }
    }
    for at in HINDI_PDF.len() - 200..HINDI_PDF.len() {
        let _ = use_up(&HINDI_PDF[..at]);
    }
}

// rows: GEN-5.3.3
#[test]
fn a_zip_bomb_is_told() {
    let body = docx(&paragraph(&" ".repeat(30_000_000)));
    assert!(body.len() < 100_000);
    assert_eq!(read(&body), Err(SampleError::TooLargeUnpacked));
    let dense: String = (0..900_000).map(|n| paragraph(&n.to_string())).collect();
    assert_eq!(read(&docx(&dense)), Err(SampleError::TooLargeUnpacked));
    let names: Vec<String> = (0..600).map(|n| format!("word/{n}.xml")).collect();
    let parts: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), b"".as_slice())).collect();
    assert_eq!(read(&zip(&parts)), Err(SampleError::TooComplex));
}

// rows: GEN-5.3.3
#[test]
fn deep_xml_is_told() {
    let deep = format!("{}{}", "<w:p>".repeat(100_000), "</w:p>".repeat(100_000));
    assert_eq!(read(&docx(&deep)), Err(SampleError::TooLargeUnpacked), "its ratio");
    let deep = format!("{}{}", "<w:p>".repeat(1_000), "</w:p>".repeat(1_000));
    assert_eq!(read(&docx(&deep)), Err(SampleError::TooComplex));
}

// rows: GEN-5.3.10
#[test]
fn a_flate_bomb_is_told() {
    let bomb = deflated(&vec![b' '; 100_000_000]);
    let file = page(stream("/Filter/FlateDecode", &bomb), &[]);
    assert_eq!(read(&file), Err(SampleError::TooLargeUnpacked));
    let twice = page(stream("/Filter[/FlateDecode/FlateDecode]", &deflated(&bomb)), &[]);
    assert_eq!(read(&twice), Err(SampleError::TooLargeUnpacked));
    let packed = pdf(&[stream("/Type/ObjStm/N 1/First 4/Filter/FlateDecode", &bomb)]);
    assert_eq!(read(&packed), Err(SampleError::TooLargeUnpacked));
}

// rows: GEN-5.3.10
#[test]
fn drawings_that_draw_themselves_end() {
    let circle = stream("/Subtype/Form/Resources<</XObject<</X 6 0 R>>>>", &b"/X Do ".repeat(1_000));
    let file = page(stream("", b"/X Do"), &[circle]);
    assert!(matches!(read(&file), Err(SampleError::TooLargeUnpacked | SampleError::TooComplex)));
}

// rows: GEN-5.3.10
#[test]
fn pages_in_a_circle_end() {
    let circle = [
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Kids[2 0 R 2 0 R 3 0 R]>>".to_vec(),
        b"<</Type/Pages/Kids[2 0 R 3 0 R]>>".to_vec(),
    ];
    assert_eq!(read(&pdf(&circle)), Err(SampleError::Damaged));
    let to_itself = [b"<</Type/Catalog/Pages 2 0 R>>".to_vec(), b"2 0 R".to_vec()];
    assert_eq!(read(&pdf(&to_itself)), Err(SampleError::Damaged));
}

// rows: GEN-5.3.10
#[test]
fn deep_and_endless_values_end() {
    let deep =
        [vec![b'['; 1_000_000], b"<<".repeat(500_000), b"(".repeat(1_000_000), b"1 0 obj(".repeat(400_000)];
    for value in deep {
        let file = page(stream("", &value), std::slice::from_ref(&value));
        let error = read(&file).expect_err("nothing to read");
        assert!(
            matches!(error, SampleError::TooComplex | SampleError::Damaged | SampleError::NoText),
            "{error:?}"
        );
    }
    let list = [b"[".as_slice(), &b"1 ".repeat(4_000_000), b"]"].concat();
    let file = page(stream("", b"BT ET"), &[list]);
    assert!(read(&file).is_err());
}

// rows: GEN-5.3.10
#[test]
fn many_letters_in_fonts_end() {
    let table: String = (0..200_000).map(|code| format!("<{code:08X}> <0041>\n")).collect();
    let table = format!("1 beginbfchar\n{table}endbfchar");
    let mut file = page(stream("", b"BT /F1 9 Tf (words that are long enough) Tj ET"), &[]);
    file.extend(b"5 0 obj <</Type/Font/Subtype/Type1/ToUnicode 7 0 R>> endobj 7 0 obj ");
    file.extend(stream("", table.as_bytes()));
    file.extend(b" endobj trailer <</Root 1 0 R>>");
    assert_eq!(read(&file), Err(SampleError::TooComplex));
}

// rows: GEN-5.3.1
#[test]
fn text_beyond_the_limit_is_left_out() {
    let long = docx(&paragraph("Rays of light travel straight. ").repeat(1_000));
    let text = read(&long).expect("a sample");
    assert!(text.is_cut);
    assert_eq!(text.lines.iter().map(|line| line.text.chars().count()).sum::<usize>(), 12_000);
}

// rows: GEN-5.3.10
#[test]
fn the_steps_are_counted() {
    let limits = Limits { steps: 10_000, ..Limits::default() };
    for bytes in [PAPER_PDF, PAPER_DOCX] {
        assert_eq!(text_of(bytes, &limits), Err(SampleError::TooComplex));
    }
}

// rows: GEN-1.6
#[test]
fn every_error_is_a_sentence_with_a_code() {
    let errors = [
        SampleError::TooLarge { limit: 10_000_000 },
        SampleError::Missing,
        SampleError::NotADocument,
        SampleError::Locked,
        SampleError::Damaged,
        SampleError::NoText,
        SampleError::TooManyPages { limit: 20 },
        SampleError::TooLargeUnpacked,
        SampleError::TooComplex,
        SampleError::OldFont,
        SampleError::BrokenLetters,
    ];
    let codes: std::collections::BTreeSet<&str> = errors.iter().map(|error| error.code()).collect();
    assert_eq!(codes.len(), errors.len());
    assert!(
        errors.iter().all(
            |error| error.to_string().starts_with(char::is_uppercase) && error.to_string().ends_with('.')
        )
    );
    assert!(errors[0].to_string().contains("10 MB") && errors[6].to_string().contains("20 pages"));
}

/// Pieces that files are made of, put together at random.
fn words() -> impl Strategy<Value = Vec<u8>> {
    let word = prop::sample::select(vec![
        "1 0 obj",
        "2 0 obj",
        "endobj",
        "stream\n",
        "endstream",
        "<<",
        ">>",
        "[",
        "]",
        "(",
        ")",
        "<",
        ">",
        "/Type",
        "/Pages",
        "/Kids",
        "/Page",
        "/Contents",
        "/Length",
        "/Filter",
        "/FlateDecode",
        "/ObjStm",
        "/N",
        "/First",
        "/Resources",
        "/Font",
        "/F1",
        "/Widths",
        "/FirstChar",
        "/W",
        "/ToUnicode",
        "/Differences",
        "1 0 R",
        "2 0 R",
        "trailer",
        "/Root",
        "BT",
        "ET",
        "Tf",
        "Tj",
        "TJ",
        "'",
        "\"",
        "Td",
        "Tm",
        "cm",
        "BDC",
        "EMC",
        "Do",
        "ID",
        "EI",
        "q",
        "Q",
        "-1",
        "0",
        "65535",
        "1e9",
        "99999999999",
        "4294967295",
        "\\777",
        "#zz",
        "%",
        "\u{905}",
    ]);
    prop::collection::vec(word, 0..200).prop_map(|words| words.join(" ").into_bytes())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    // rows: GEN-5.3.10
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        let _ = use_up(&[b"%PDF-1.7\n", bytes.as_slice()].concat());
        let _ = use_up(&[b"PK\x03\x04", bytes.as_slice()].concat());
        let _ = use_up(&page(stream("", &bytes), &[]));
        let _ = use_up(&zip(&[("word/document.xml", &bytes)]));
    }

    // rows: GEN-5.3.10
    #[test]
    fn any_words_of_a_pdf_are_read_or_refused(words in words(), content in words(), table in words()) {
        let _ = use_up(&[b"%PDF-1.7\n", words.as_slice(), b" trailer <</Root 1 0 R>>"].concat());
        let more = [words, stream("", &table)];
        let _ = use_up(&page(stream("", &content), &more));
    }

    // rows: GEN-5.3.10
    #[test]
    fn a_file_with_any_byte_changed_is_read_or_refused(
        at in any::<prop::sample::Index>(), byte in any::<u8>(), which in 0..3_usize,
    ) {
        let mut file = [PAPER_PDF, HINDI_PDF, PAPER_DOCX][which].to_vec();
        let at = at.index(file.len());
        file[at] = byte;
        let _ = use_up(&file);
    }
}
