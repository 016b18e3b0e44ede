//! The built-in generator over the whole space of options.

use generate_lesson_plan::bank;
use generate_lesson_plan::checks::rules;
use generate_lesson_plan::plan::Plan;
use generate_lesson_plan::request::LessonRequest;
use generate_lesson_plan::words::Words;
use serde_json::json;

use crate::chapters::every_pack_as_typed;
use crate::fakes::body;

fn request(board: &str, class: u8, subject: &str, chapter: &str, periods: u8) -> LessonRequest {
    let mut body = body(class, subject, chapter, periods);
    body["board"] = json!(board);
    LessonRequest::read(&body).expect("a valid request")
}

#[test]
fn every_request_of_the_option_space_gives_a_valid_document() {
    let subjects = [
        "Mathematics",
        "Science",
        "Physics",
        "Chemistry",
        "Biology",
        "English",
        "Hindi",
        "Social Studies",
        "History",
        "Geography",
        "Civics",
        "Economics",
        "Computer Science",
        "Physical Education",
        "Art & Craft",
        "Music",
        "Sanskrit",
        "Marathi",
        "Gujarati",
        "Telugu",
        "Kannada",
    ];
    let chapters = ["Electricity", "Quadratic Equations", "A Chapter of Our Own", "हमारा विद्यालय"];
    let boards = ["CBSE", "ICSE", "Maharashtra Board", "Bihar Board", "State Board"];
    for class in 1..=12 {
        for (at, subject) in subjects.into_iter().enumerate() {
            for periods in 1..=5 {
                let place = usize::from(class) + usize::from(periods);
                let (board, chapter) =
                    (boards[(place + at) % boards.len()], chapters[place % chapters.len()]);
                check_document(&request(board, class, subject, chapter, periods));
            }
        }
    }
}

fn check_document(request: &LessonRequest) {
    let plan = Plan::of(request);
    let words = Words::of(request.language);
    let content = bank::fill(request, &plan, &words, 7);
    let name = format!("{request:?}");
    assert_eq!(content.periods.len(), usize::from(request.periods), "{name}");
    assert_eq!(rules::frame(&content.frame, request, &plan), [], "{name}");
    let terms: Vec<&str> = content.frame.key_terms.iter().map(|term| term.term.as_str()).collect();
    for (period, text) in plan.periods.iter().zip(&content.periods) {
        let findings = rules::period(text, period, request, &terms);
        // Frames are short and general; that they name the chapter is checked for the whole document.
        let blocking: Vec<_> = findings.iter().filter(|finding| finding.blocks()).collect();
        assert!(blocking.is_empty(), "{name}: {blocking:?}");
    }
}

#[test]
fn coverage_says_whether_the_chapter_is_known() {
    let coverage = |chapter: &str, periods| {
        let request = request("CBSE", 10, "Science", chapter, periods);
        bank::fill(&request, &Plan::of(&request), &Words::of(request.language), 1).coverage
    };
    for periods in 1..=5 {
        assert!(coverage("Electricity", periods) >= 0.8, "{periods}");
        assert!(coverage("Our Environment", periods) < 0.3, "{periods}");
    }
}

#[test]
fn every_pack_gives_a_valid_document_for_any_number_of_periods() {
    for (pack, chapter) in every_pack_as_typed() {
        for periods in 1..=5 {
            let request = request("CBSE", pack.class, &pack.subject, &chapter, periods);
            check_document(&request);
            let content = bank::fill(&request, &Plan::of(&request), &Words::of(request.language), 3);
            assert!(content.coverage >= 0.8, "{} {periods}: {}", chapter, content.coverage);
        }
    }
}
