//! Outlines of samples.

use banyan_samples::{QuestionKind, SampleStructure, structure};

use crate::files::{HINDI_DOCX, PAPER_DOCX, PAPER_PDF, docx, paragraph, read};

fn outline(bytes: &[u8]) -> SampleStructure {
    structure(&read(bytes).expect("a sample"))
}

/// Sections as `title: count kind × marks`.
fn sections(outline: &SampleStructure) -> Vec<String> {
    let section = |section: &banyan_samples::SampleSection| {
        let groups = section.groups.iter().map(|group| {
            let marks = group.marks.map_or("?".to_owned(), |marks| marks.to_string());
            format!("{} {} × {marks}", group.count, group.kind.id().unwrap_or("unknown"))
        });
        format!("{}: {}", section.title, groups.collect::<Vec<_>>().join(", "))
    };
    outline.sections.iter().map(section).collect()
}

// rows: GEN-5.3.8
#[test]
fn a_paper_gives_the_same_outline_as_pdf_and_as_docx() {
    for bytes in [PAPER_PDF, PAPER_DOCX] {
        let outline = outline(bytes);
        assert_eq!((outline.total_marks, outline.minutes), (Some(20), Some(60)));
        assert_eq!(
            sections(&outline),
            [
                "Section A: Multiple choice: 2 mcq × 1, 1 fill × 1",
                "Section B: Short answers: 1 short × 2, 1 short × 3",
                "Section C: Long answers: 1 long × 5",
            ]
        );
        assert_eq!(outline.headings.len(), 4);
    }
}

// rows: GEN-5.3.8
#[test]
fn a_plan_gives_headings_and_no_sections() {
    let outline = outline(HINDI_DOCX);
    let headings: Vec<&str> = outline.headings.iter().map(|heading| heading.text.as_str()).collect();
    assert_eq!(headings, ["पाठ योजना: प्रकाश", "उद्देश्य", "सामग्री", "गृहकार्य"]);
    assert_eq!(sections(&outline), Vec::<String>::new());
}

// rows: GEN-5.3.8
#[test]
fn a_hindi_paper_is_understood() {
    let lines = [
        "समय: ३ घंटे\tपूर्णांक: ८०",
        "खंड क",
        "प्रश्न 1. सही या गलत लिखिए: प्रकाश सीधी रेखा में चलता है। (1 अंक)",
        "२. रिक्त स्थान भरिए: दर्पण प्रकाश को ______ करता है। [१]",
        "खंड ख - लघु उत्तरीय प्रश्न",
        "3. परावर्तन के दो नियम लिखिए। (3)",
    ];
    let outline =
        outline(&docx(&lines.map(|line| paragraph(&line.replace('\t', "</w:t><w:tab/><w:t>"))).concat()));
    assert_eq!((outline.total_marks, outline.minutes), (Some(80), Some(180)));
    assert_eq!(
        sections(&outline),
        ["खंड क: 1 true-false × 1, 1 fill × 1", "खंड ख - लघु उत्तरीय प्रश्न: 1 short × 3"]
    );
}

// rows: GEN-5.3.8
#[test]
fn figures_in_sentences_are_no_marks() {
    let lines =
        ["1. A lamp stands 3 m away from a wall that is 20 m long", "2. Name the gas in 1.5 litres of air"];
    let outline = outline(&docx(&lines.map(paragraph).concat()));
    assert_eq!(outline.sections[0].groups[0].kind, QuestionKind::Unknown);
    assert_eq!(outline.sections[0].groups[0].marks, None);
    assert_eq!((outline.total_marks, outline.minutes), (None, None));
}

// rows: GEN-5.3.8
#[test]
fn a_question_on_a_section_begins_none() {
    let lines = [
        "Section A",
        "1. Section A of the plant: root or stem? (2)",
        "2. Section B - Short answers",
        "3. Name it. (2)",
    ];
    let outline = outline(&docx(&lines.map(paragraph).concat()));
    assert_eq!(
        sections(&outline),
        ["Section A: 1 very-short × 2", "2. Section B - Short answers: 1 short × 2"]
    );
}

// rows: GEN-5.3.8
#[test]
fn parts_of_a_question_are_no_options() {
    let lines = [
        "5. a) Name the law b) State it c) Give an example (5)",
        "6. Which is a metal? a) iron b) wood c) salt (1)",
    ];
    let outline = outline(&docx(&lines.map(paragraph).concat()));
    assert_eq!(sections(&outline), [": 1 long × 5, 1 mcq × 1"]);
}
