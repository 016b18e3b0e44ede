//! The built-in generator over kinds, chapters, classes, subjects and languages.

use std::collections::BTreeSet;

use banyan_bank::packs::{BLANK, Fact, Pack};
use banyan_bank::parts::Term;
use banyan_functions::checks::Finding;
use banyan_functions::document::{self, Block, Document};
use banyan_functions::metadata::Remarks;
use generate_teaching_aids::aids::assemble;
use generate_teaching_aids::bank;
use generate_teaching_aids::checks;
use generate_teaching_aids::content::{AidText, Content, Item, Slide};
use generate_teaching_aids::fit;
use generate_teaching_aids::layout::lay_out;
use generate_teaching_aids::plan::Plan;
use generate_teaching_aids::words::Words;
use serde_json::{Value, json};

use crate::chapters::every_pack_as_typed;
use crate::fakes::{KINDS, body, read};

fn check(body: &Value, seed: u64) -> Content {
    let request = read(body);
    let plan = Plan::of(&request);
    let content = bank::fill(&request, &plan, &Words::of(request.language), seed);
    let mut findings = checks::content(&request, &plan, &content);
    for (aid, text) in plan.aids.iter().zip(&content.aids) {
        findings.extend(checks::aid(&request, aid, text));
    }
    // A frame's text is only as much about the chapter as its title, and a reader of Class 3 meets
    // terms of the book.
    let broken: Vec<&Finding> = findings.iter().filter(|finding| finding.blocks()).collect();
    assert!(broken.is_empty(), "{body}: {broken:?}");
    content
}

// rows: V02 V22
#[test]
fn every_pack_gives_valid_aids_of_every_kind_and_size() {
    for (pack, chapter) in every_pack_as_typed() {
        for (at, kind) in KINDS.into_iter().enumerate() {
            for pages in [1, 3, 10] {
                check(&body(pack.class, &pack.subject, &chapter, &[kind], pages), at as u64);
            }
        }
        check(&body(pack.class, &pack.subject, &chapter, &KINDS, 5), 7);
    }
}

#[test]
fn aids_of_a_known_chapter_are_about_it() {
    for (pack, chapter) in every_pack_as_typed() {
        for kind in KINDS {
            let content = check(&body(pack.class, &pack.subject, &chapter, &[kind], 2), 1);
            assert!(content.coverage >= 0.8, "{} {kind}: {}", chapter, content.coverage);
        }
    }
}

#[test]
fn what_is_asked_of_any_chapter_fits_the_kind_the_class_and_the_subject() {
    let asked = |class, subject, chapter, kind| {
        let content = check(&body(class, subject, chapter, &[kind], 2), 1);
        let AidText::Sheet(sheet) = &content.aids[0] else { panic!("a sheet") };
        sheet.items.iter().map(|item| item.text.as_str()).collect::<Vec<_>>().join("\n")
    };
    let cases = [
        (8, "History", "The Delhi Sultans", "quiz", "Say one true sentence", ["concept map", "Key terms"]),
        (1, "Mathematics", "Counting 1 to 9", "worksheets", "Draw 2 things", ["concept map", "Mistakes"]),
        (2, "Hindi", "नीमा की दादी", "worksheets", "चित्र बनाओ", ["अवधारणा", "तुलना"]),
        (
            8,
            "English",
            "A Letter to God",
            "worksheets",
            "sentence of your own",
            ["figure, table", "Mistakes"],
        ),
    ];
    for (class, subject, chapter, kind, wanted, strange) in cases {
        let text = asked(class, subject, chapter, kind);
        assert!(text.contains(wanted), "{text}");
        assert!(strange.iter().all(|strange| !text.contains(strange)), "{text}");
    }
}

#[test]
fn what_a_slide_of_a_sub_topic_says_is_a_statement_or_a_question() {
    for (pack, chapter) in every_pack_as_typed() {
        let content = check(&body(pack.class, &pack.subject, &chapter, &["presentation"], 5), 1);
        let AidText::Slides(text) = &content.aids[0] else { panic!("slides") };
        let is_idea = |slide: &&Slide| pack.subtopics.iter().any(|topic| topic.title == slide.title);
        for slide in text.slides.iter().filter(is_idea) {
            let facts = pack.facts.iter().filter(|fact| slide.bullets.contains(&fact.a));
            let bare: Vec<&str> = facts.map(|fact| fact.a.as_str()).collect();
            assert!(bare.is_empty(), "{chapter}, {}: {bare:?}", slide.title);
        }
    }
}

#[test]
fn what_a_slide_has_to_draw_is_a_map_of_several_terms() {
    let mut maps = 0;
    for (pack, chapter) in every_pack_as_typed() {
        let content = check(&body(pack.class, &pack.subject, &chapter, &["presentation"], 5), 1);
        let AidText::Slides(text) = &content.aids[0] else { panic!("slides") };
        for slide in text.slides.iter().filter(|slide| !slide.drawing.is_empty()) {
            let named = |term: &&Term| slide.drawing.contains(term.term.split(" (").next().unwrap());
            let terms = pack.terms.iter().filter(named).count();
            let is_map = slide.drawing.contains("concept map") || slide.drawing.contains("अवधारणा मानचित्र");
            assert!(is_map && terms >= 2, "{chapter}: {}", slide.drawing);
            maps += 1;
        }
    }
    assert!(maps > 100, "{maps}");
}

#[test]
fn a_worked_example_has_more_to_show_than_its_answer() {
    for (pack, chapter) in every_pack_as_typed() {
        for seed in 0..5 {
            let content = check(&body(pack.class, &pack.subject, &chapter, &["worksheets"], 2), seed);
            let AidText::Sheet(sheet) = &content.aids[0] else { panic!("a sheet") };
            let example = &sheet.items[0];
            let repeats = pack.facts.iter().any(|fact| fact.right == example.working);
            assert!(!repeats && example.working.len() > example.answer.len(), "{chapter}: {example:?}");
            let asked = |item: &Item| item.text.contains(&example.working) || item.answer == example.working;
            assert!(!sheet.items[1..].iter().any(asked), "{chapter}: {}", example.working);
        }
    }
}

#[test]
fn every_subject_class_and_language_gives_valid_aids() {
    let subjects = [
        "Mathematics",
        "Science",
        "English",
        "Hindi",
        "Social Studies",
        "Geography",
        "Sanskrit",
        "Telugu",
        "Music",
    ];
    let chapters = ["Electricity", "A Chapter of Our Own", "द्विघात समीकरण", "ಶಾಲೆ", "મારી શાળા"];
    for class in 1..=12_u8 {
        for (at, subject) in subjects.into_iter().enumerate() {
            let place = usize::from(class) + at;
            let mut request = body(
                class,
                subject,
                chapters[place % 5],
                &[KINDS[place % 9], KINDS[(place + 4) % 9]],
                1 + (place % 10) as u8,
            );
            request["difficultyLevel"] = json!(["easy", "medium", "hard", "mixed"][place % 4]);
            request["board"] =
                json!(["CBSE", "ICSE", "NCERT", "State Board", "Maharashtra Board"][place % 5]);
            check(&request, 3);
        }
    }
}

#[test]
fn nothing_is_made_up_for_a_chapter_that_the_bank_does_not_know() {
    for kind in KINDS {
        let content = check(&body(7, "History", "The Delhi Sultans", &[kind], 2), 1);
        assert!(content.coverage < 0.3, "{kind}: {}", content.coverage);
    }
}

// rows: V10
#[test]
fn no_item_is_there_twice_where_the_bank_has_enough() {
    for (pack, chapter) in every_pack_as_typed() {
        let content = check(&body(pack.class, &pack.subject, &chapter, &["worksheets", "quiz"], 3), 5);
        for text in &content.aids {
            let AidText::Sheet(sheet) = text else { panic!("a sheet") };
            let mut texts: Vec<&str> = sheet.items.iter().map(|item| item.text.as_str()).collect();
            texts.sort_unstable();
            texts.dedup();
            assert_eq!(texts.len(), sheet.items.len(), "{}", pack.chapter);
        }
    }
}

// rows: V10
#[test]
fn a_fact_is_asked_for_once_in_a_sheet_whatever_the_form() {
    for (pack, chapter) in every_pack_as_typed() {
        let content = check(&body(pack.class, &pack.subject, &chapter, &["worksheets"], 1), 5);
        let AidText::Sheet(sheet) = &content.aids[0] else { panic!("a sheet") };
        for fact in &pack.facts {
            let blank = fact.with_blank();
            let forms: Vec<&String> = [&fact.q, &fact.right, &fact.wrong].into_iter().chain(&blank).collect();
            let asks = |text: &str| forms.iter().any(|form| text.contains(*form));
            let times = sheet.items.iter().filter(|item| asks(&item.text)).count();
            assert!(times <= 1, "{chapter}: {times} times {}", fact.q);
        }
    }
}

// rows: V10
#[test]
fn no_question_is_on_two_sheets_of_a_document_while_another_is_to_be_had() {
    let (mut questions, mut again) = (0, 0);
    for (pack, chapter) in every_pack_as_typed() {
        for seed in 0..4 {
            let kinds = ["worksheets", "practice-sheets", "quiz"];
            let body = body(pack.class, &pack.subject, &chapter, &kinds, 4);
            let plan = Plan::of(&read(&body));
            let content = check(&body, seed);
            let mut printed = BTreeSet::new();
            for (aid, text) in plan.aids.iter().zip(&content.aids) {
                let AidText::Sheet(sheet) = text else { panic!("a sheet") };
                let before = printed.clone();
                printed.extend(sheet.items.iter().map(|item| item.text.as_str()));
                let level =
                    |at| usize::from(at >= aid.levels[0]) + usize::from(at >= aid.levels[0] + aid.levels[1]);
                for (at, item) in sheet.items.iter().enumerate() {
                    questions += 1;
                    if before.contains(item.text.as_str()) {
                        again += 1;
                        let left = unasked(&pack, level(at), &printed);
                        assert!(!item.working.contains('='), "{chapter}: {}", item.text);
                        assert!(left.is_empty(), "{chapter}: {} in place of {left:?}", item.text);
                    }
                }
            }
        }
    }
    assert!(questions > 500 && again * 10 < questions, "{again} of {questions}");
}

// rows: V10
#[test]
fn a_fact_is_on_two_sheets_in_two_forms_only_where_none_is_left() {
    for (pack, chapter) in every_pack_as_typed() {
        for seed in 0..4 {
            let kinds = ["worksheets", "practice-sheets", "quiz"];
            let content = check(&body(pack.class, &pack.subject, &chapter, &kinds, 2), seed);
            let sheets = content.aids.iter().filter_map(|text| match text {
                AidText::Sheet(sheet) => Some(&sheet.items),
                _ => None,
            });
            let texts: Vec<&str> = sheets.flatten().map(|item| item.text.as_str()).collect();
            let times = |fact: &Fact| {
                let blank = fact.with_blank();
                let forms: Vec<&String> =
                    [&fact.q, &fact.right, &fact.wrong].into_iter().chain(&blank).collect();
                texts.iter().filter(|text| forms.iter().any(|form| text.contains(*form))).count()
            };
            let again: Vec<&Fact> = pack.facts.iter().filter(|fact| times(fact) > 1).collect();
            // What is told by another question is no better than what was asked.
            let is_told = |no: &usize| pack.overlaps.iter().any(|overlap| overlap.facts.contains(no));
            let left = (1..).zip(&pack.facts).filter(|(no, fact)| times(fact) == 0 && !is_told(no)).count();
            assert!(again.is_empty() || left == 0, "{chapter}: {left} left, {:?}", again[0].q);
        }
    }
}

/// What a chapter could be asked in questions of a level and is not.
fn unasked(pack: &Pack, level: usize, printed: &BTreeSet<&str>) -> Vec<String> {
    let facts = pack.facts.iter();
    let all: Vec<String> = match level {
        0 => facts.filter_map(Fact::with_blank).collect(),
        1 => facts.map(|fact| fact.q.clone()).collect(),
        _ => {
            let errors = pack.misconceptions.iter().map(|error| error.wrong.clone());
            errors.chain(pack.assessment.iter().map(|item| item.q.clone())).collect()
        }
    };
    all.into_iter().filter(|text| !printed.iter().any(|item| item.contains(text.as_str()))).collect()
}

// rows: V10
#[test]
fn no_task_of_an_unknown_chapter_is_on_two_sheets_while_another_is_to_be_had() {
    for class in [2, 8] {
        let kinds = ["worksheets", "practice-sheets", "study-guides"];
        let content = check(&body(class, "History", "The Delhi Sultans", &kinds, 2), 1);
        let mut seen = BTreeSet::new();
        for text in &content.aids {
            let asked = match text {
                AidText::Sheet(sheet) => sheet.items.iter().map(|item| item.text.as_str()).collect(),
                AidText::Guide(guide) => guide.practice.iter().map(|task| task.q.as_str()).collect(),
                _ => Vec::new(),
            };
            let tasks: Vec<&str> = asked.into_iter().filter(|text| !text.contains('✎')).collect();
            let new = tasks.iter().take_while(|task| !seen.contains(*task)).count();
            let others = &tasks[new..];
            assert!(others.iter().all(|task| seen.contains(task)), "new ones come first: {tasks:?}");
            seen.extend(tasks);
        }
        assert!(seen.len() >= 8, "{seen:?}");
    }
}

// rows: V09
#[test]
fn a_blank_of_a_sheet_takes_the_place_of_a_whole_word() {
    let is_part = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let mut blanks = 0;
    for (pack, chapter) in every_pack_as_typed() {
        let content = check(&body(pack.class, &pack.subject, &chapter, &["worksheets", "quiz"], 10), 5);
        for text in &content.aids {
            let AidText::Sheet(sheet) = text else { panic!("a sheet") };
            for (before, after) in sheet.items.iter().filter_map(|item| item.text.split_once(BLANK)) {
                let within = is_part(before.chars().next_back()) || is_part(after.chars().next());
                assert!(!within, "{chapter}: {before}{BLANK}{after}");
                blanks += 1;
            }
        }
    }
    assert!(blanks > 500, "{blanks}");
}

#[test]
fn another_seed_gives_other_aids_and_the_same_seed_the_same() {
    let request = body(10, "Science", "Electricity", &KINDS, 5);
    assert_eq!(check(&request, 1), check(&request, 1));
    assert_ne!(check(&request, 1), check(&request, 2));
}

/// The pupils' pages of a worksheet, with the number of its questions.
fn worksheet(class: u8, subject: &str, chapter: &str, pages: u8) -> (Document, usize) {
    let request = read(&body(class, subject, chapter, &["worksheets"], pages));
    let words = Words::of(request.language);
    let plan = fit::plan(&request, &words);
    let content = bank::fill(&request, &plan, &words, 1);
    let AidText::Sheet(sheet) = &content.aids[0] else { panic!("a sheet") };
    let items = sheet.items.len();
    let aids = assemble(&request, &plan, &words, content, Remarks::default());
    let mut document = lay_out(&aids, &words, request.language, "", 0);
    let key = document.blocks.iter().position(|block| matches!(block, Block::PageBreak));
    document.blocks.truncate(key.expect("the key stands on a page of its own"));
    (document, items)
}

#[test]
fn the_head_of_a_sheet_stands_on_the_page_of_its_first_question() {
    let (document, _) = worksheet(10, "Science", "Electricity", 2);
    let begins = document.blocks.iter().position(|block| matches!(block, Block::Heading { level: 2, .. }));
    let sheet = &document.blocks[begins.expect("a heading") + 1..];
    let head: Vec<&Block> =
        sheet.iter().take_while(|block| matches!(block, Block::Paragraph { .. })).collect();
    assert!(head.len() >= 2, "{head:?}");
    assert!(head.iter().all(|block| matches!(block, Block::Paragraph { kept: true, .. })), "{head:?}");
}

/// Questions on a pupils' page, on average.
fn items_a_page(class: u8, subject: &str, chapter: &str, pages: u8) -> f64 {
    let (document, items) = worksheet(class, subject, chapter, pages);
    items as f64 / document::page_count::pages(&document).max(1.0)
}

#[test]
fn what_is_said_aloud_has_no_lines_to_write_on() {
    let (document, _) = worksheet(2, "English", "My Family", 3);
    let mut rooms = std::collections::BTreeMap::new();
    for pair in document.blocks.windows(2) {
        if let Block::Question { runs, .. } = &pair[0] {
            rooms.insert(runs[0].text.clone(), matches!(pair[1], Block::Lines { .. }));
        }
    }
    let has_lines =
        |begin: &str| rooms.iter().find(|(text, _)| text.starts_with(begin)).map(|(_, lines)| *lines);
    assert_eq!(["Tell", "Look", "Find"].map(has_lines), [Some(false); 3], "{rooms:?}");
    assert_eq!(has_lines("Say"), Some(true), "{rooms:?}");
}

#[test]
fn the_pages_of_worksheets_have_eight_questions_on_average_and_room_to_write() {
    let mut all = Vec::new();
    for (pack, chapter) in every_pack_as_typed() {
        for pages in [2, 4] {
            let items = items_a_page(pack.class, &pack.subject, &chapter, pages);
            assert!(items >= 5.5, "{chapter}, {pages} pages: {items}");
            all.push(items);
        }
    }
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    assert!((8.0..14.0).contains(&mean), "{mean}: {all:?}");
}

#[test]
fn an_activity_has_a_table_of_at_most_eight_empty_rows_and_fills_its_pages() {
    for (class, subject, chapter) in [
        (10, "Science", "Electricity"),
        (8, "Science", "Friction"),
        (10, "विज्ञान", "विद्युत"),
        (7, "History", "The Delhi Sultans"),
    ] {
        for pages in 1..=10 {
            let request = read(&body(class, subject, chapter, &["interactive-activities"], pages));
            let words = Words::of(request.language);
            let plan = fit::plan(&request, &words);
            let content = bank::fill(&request, &plan, &words, 1);
            let aids = assemble(&request, &plan, &words, content, Remarks::default());
            let document = lay_out(&aids, &words, request.language, "", 0);
            let empty = |row: &&Vec<Vec<_>>| row.iter().all(Vec::is_empty);
            let rows = document.blocks.iter().filter_map(|block| match block {
                Block::Table { rows, .. } => Some(rows.iter().filter(empty).count()),
                _ => None,
            });
            let most = rows.max().expect("a table");
            assert!((2..=8).contains(&most), "{chapter}, {pages} pages: {most}");
            let filled = document::page_count::pages(&document).ceil();
            assert!((filled - f64::from(pages)).abs() <= 1.0, "{chapter}, {pages} pages: {filled}");
        }
    }
}
