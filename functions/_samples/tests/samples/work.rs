//! The work that files cause: it is counted, and what is counted stays in proportion.

use banyan_samples::{Limits, SampleError, text_of};
use proptest::prelude::*;

use crate::files::{
    HINDI_PDF, PAPER_DOCX, PAPER_PDF, deflated, lines, page, paragraph, pdf, read, stream, zip,
};

/// The steps that a file takes: the fewest with which it is not too complex.
fn steps_of(bytes: &[u8]) -> u64 {
    let (mut too_few, mut enough) = (0, Limits::default().steps);
    while enough - too_few > 1 {
        let steps = too_few.midpoint(enough);
        let limits = Limits { steps, ..Limits::default() };
        if text_of(bytes, &limits) == Err(SampleError::TooComplex) {
            too_few = steps;
        } else {
            enough = steps;
        }
    }
    enough
}

/// A PDF of one page with these resources. Objects from 5 on follow.
fn page_with(resources: &str, content: &[u8], more: &[Vec<u8>]) -> Vec<u8> {
    let mut objects = vec![
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
        format!("<</Type/Page/Resources<<{resources}>>/Contents 4 0 R>>").into_bytes(),
        stream("/Filter/FlateDecode", &deflated(content)),
    ];
    objects.extend_from_slice(more);
    pdf(&objects)
}

/// A page whose font gives each code the letters `each`, in UTF-16 and hexadecimal.
fn page_in_font_of(each: &str, content: &[u8]) -> Vec<u8> {
    let table = format!("1 beginbfrange <00> <FF> [{}] endbfrange", format!("<{each}>").repeat(256));
    let font = b"<</Type/Font/Subtype/Type1/ToUnicode 6 0 R>>".to_vec();
    page_with("/Font<</F1 5 0 R>>", content, &[font, stream("", table.as_bytes())])
}

// rows: GEN-5.3.10
#[test]
fn large_values_are_not_copied_where_they_are_used() {
    let large = format!("/Large[{}]", "1 ".repeat(6_000));
    let resources = format!(
        "/Font<<{large}>>/XObject<<{large}/X 5 0 R>>/Properties<<{large}/P<</Q[{}]>>>>",
        "1 ".repeat(1_000)
    );
    let content = b"/X Do /Span/P BDC EMC ".repeat(50_000);
    let file = page_with(&resources, &content, &[stream("/Subtype/Form", b"")]);
    assert_eq!(read(&file), Err(SampleError::NoText));
}

// rows: GEN-5.3.10
#[test]
fn the_letters_that_a_code_stands_for_are_counted() {
    let content = format!("BT /F1 9 Tf {}ET", format!("({}) Tj ", "a".repeat(600)).repeat(10));
    let long = steps_of(&page_in_font_of(&"0041".repeat(32), content.as_bytes()));
    let short = steps_of(&page_in_font_of("0041", content.as_bytes()));
    assert!(long - short >= 10 * 600 * 31, "{short} steps for a letter each, {long} for 32");
    let endless = format!("BT /F1 9 Tf ({}) Tj ET", "a".repeat(5_000_000));
    assert!(read(&page_in_font_of(&"0020".repeat(32), endless.as_bytes())).is_err());
}

// rows: GEN-5.3.10
#[test]
fn letters_that_a_stretch_stands_for_are_counted() {
    let resources = format!("/Properties<</P<</ActualText({})>>>>", "a".repeat(15_000));
    let marks = |count| page_with(&resources, &b"/Span/P BDC ".repeat(count), &[]);
    assert!(steps_of(&marks(60)) - steps_of(&marks(10)) >= 50 * 15_000);
}

// rows: GEN-5.3.10
#[test]
fn ids_of_styles_are_short() {
    let mut seed = 1_u64;
    let mut digit = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        char::from_digit((seed >> 60) as u32, 16).expect("a digit")
    };
    let id: String = (0..1_000_000).map(|_| digit()).collect();
    let styles = format!(
        "<w:styles xmlns:w=\"w\"><w:style w:styleId=\"{id}\">{}</w:style></w:styles>",
        "<w:name w:val=\"x\"/>".repeat(50_000)
    );
    let body =
        format!("<w:document xmlns:w=\"w\">{}</w:document>", paragraph("Light travels in straight lines."));
    let file = zip(&[("word/document.xml", body.as_bytes()), ("word/styles.xml", styles.as_bytes())]);
    assert_eq!(lines(&file), ["Light travels in straight lines."]);
}

// rows: GEN-5.3.10
#[test]
fn fonts_that_are_no_objects_are_read_once_and_counted() {
    let widths = format!("/Subtype/Type0/DescendantFonts[<</W[0[{}]]>>]", "1 ".repeat(15_000));
    let resources = format!("/Font<</F1<<{widths}>>>>");
    let again = |count| page_with(&resources, &b"/F1 9 Tf ".repeat(count), &[]);
    assert!(steps_of(&again(1_010)) - steps_of(&again(10)) < 1_000 * 100);
    let font = format!("/Font<</F1<</Subtype/Type1/FirstChar 0/Widths[{}]>>>>", "1 ".repeat(256));
    let form = stream(&format!("/Subtype/Form/Resources<<{font}>>"), b"/F1 9 Tf");
    let file = page_with("/XObject<</X 5 0 R>>", &b"/X Do ".repeat(2_000), &[form]);
    assert_eq!(read(&file), Err(SampleError::TooComplex));
}

// rows: GEN-5.3.10
#[test]
fn a_size_of_its_own_for_every_line_is_no_work() {
    let line = |at: usize| format!("1 0 0 1 0 {} Tm /F1 {} Tf (ab) Tj ", at * 70_000, at as f64 / 2.0 + 9.0);
    let small = "1 0 0 1 0 -99 Tm /F1 1 Tf (A line that is longer than the others of this page) Tj ";
    let content: String = (1..100_000).map(line).collect();
    let text = read(&page(stream("", format!("BT {small}{content}ET").as_bytes()), &[])).expect("a sample");
    assert_eq!(text.lines[1].heading, Some(3));
}

// rows: GEN-5.3.10
#[test]
fn behind_the_last_code_the_first_does_not_follow() {
    let table = "1 beginbfrange <FFFFFFFF> <FFFFFFFF> [<0041> <0042>] endbfrange";
    let font = "<</Subtype/Type1/ToUnicode 6 0 R/FirstChar 4294967295/Widths[500 500]>>";
    let content = b"BT /F1 9 Tf (\x00words that are long enough) Tj ET";
    let more = [font.as_bytes().to_vec(), stream("", table.as_bytes())];
    assert_eq!(lines(&page_with("/Font<</F1 5 0 R>>", content, &more)), ["words that are long enough"]);
}

// rows: GEN-5.3.10
#[test]
fn a_tree_of_pages_that_grows_is_told() {
    let kids: String = (4..15_000).map(|number| format!("{number} 0 R ")).collect();
    let mut objects = vec![
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Kids 3 0 R>>".to_vec(),
        format!("[{kids}]").into_bytes(),
    ];
    objects.extend(vec![b"<</Kids 3 0 R>>".to_vec(); 200]);
    assert_eq!(read(&pdf(&objects)), Err(SampleError::TooComplex));
}

// rows: GEN-5.3.10
#[test]
fn the_operands_of_an_operator_are_counted_together() {
    let list = format!("[{}]", "1 ".repeat(1_000));
    let words = "BT /F1 9 Tf (words that are long enough) Tj ET ";
    let lists = |count| page(stream("", format!("{words}{}n", list.repeat(count)).as_bytes()), &[]);
    assert!(read(&lists(10)).is_ok());
    assert_eq!(read(&lists(30)), Err(SampleError::TooComplex));
}

// rows: GEN-5.3.10
#[test]
fn an_archive_with_many_ends_is_told() {
    let file = [PAPER_DOCX, &b"PK\x05\x06................".repeat(30)].concat();
    assert_eq!(read(&file), Err(SampleError::TooComplex));
}

// rows: GEN-5.3.10
#[test]
fn ranges_of_widths_are_not_drawn_out() {
    let font = |widths: &str| format!("<</Subtype/Type0/DescendantFonts[<</W[{widths}]>>]>>").into_bytes();
    let file =
        |count: usize| page_with("/Font<</F1 5 0 R>>", b"/F1 9 Tf", &[font(&"0 65535 1 ".repeat(count))]);
    assert!(steps_of(&file(1_500)) < 300_000);
    let each: String = (0..6_000).map(|code| format!("{code} {code} 1 ")).collect();
    let names: String = (0..40).map(|n| format!("/F{n} {} 0 R", n + 5)).collect();
    let uses: String = (0..40).map(|n| format!("/F{n} 9 Tf ")).collect();
    let file = page_with(&format!("/Font<<{names}>>"), uses.as_bytes(), &vec![font(&each); 40]);
    assert_eq!(read(&file), Err(SampleError::TooComplex));
}

// rows: GEN-5.3.10
#[test]
fn what_is_no_font_is_read_once() {
    let list = format!("[{}]", "1 ".repeat(15_000)).into_bytes();
    let again =
        |count| page_with("/Font<</F1 5 0 R>>", &b"/F1 9 Tf ".repeat(count), std::slice::from_ref(&list));
    assert!(steps_of(&again(1_010)) - steps_of(&again(10)) < 1_000 * 100);
}

// rows: GEN-5.3.10
#[test]
fn each_end_of_an_archive_is_counted() {
    let end = &PAPER_DOCX[PAPER_DOCX.len() - 22..];
    let file = |ends: usize| [PAPER_DOCX, &vec![b'P'; 1_000_000], &end.repeat(ends)].concat();
    assert!(steps_of(&file(11)) - steps_of(&file(1)) >= 10 * 1_000_000);
    let file = [PAPER_DOCX, &b"PK\x06\x06".repeat(2_300_000), &end.repeat(18)].concat();
    assert_eq!(read(&file), Err(SampleError::TooComplex));
}

// rows: GEN-5.3.10
#[test]
fn a_paragraph_without_an_end_is_cut() {
    let cells = "a<w:tab/>".len();
    let body = "<w:r><w:t>a</w:t><w:tab/><w:t>अ</w:t></w:r>".repeat(400_000 / cells);
    let mut seed = 7_u32;
    // Figures keep the part from packing to less than a document does.
    let figures: String = (0..30_000)
        .map(|_| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            format!("<!--{seed}-->")
        })
        .collect();
    let document = format!("<w:document xmlns:w=\"w\"><w:p>{body}</w:p>{figures}</w:document>");
    let text = read(&zip(&[("word/document.xml", document.as_bytes())])).expect("a sample");
    assert!(text.is_cut && text.lines.len() == 1);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    // rows: GEN-5.3.10
    #[test]
    fn the_steps_of_a_changed_file_stay_in_proportion(
        which in 0..3_usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..400_usize, any::<u8>()), 1..6),
    ) {
        let mut file = [PAPER_PDF, HINDI_PDF, PAPER_DOCX][which].to_vec();
        for (from, to, length, byte) in changes {
            let from = from.index(file.len());
            let piece = file[from..(from + length).min(file.len())].to_vec();
            let to = to.index(file.len());
            file[to] = byte;
            file.splice(to..to, piece);
        }
        let steps = steps_of(&file);
        prop_assert!(steps <= 100 * file.len() as u64 + 1_000_000, "{steps} steps for {} bytes", file.len());
    }
}
