//! The chapter packs, fact by fact, and the frames over the whole space of options.

use std::collections::BTreeSet;

use banyan_functions::script::Language;
use generate_lesson_plan::bank::{self, packs};
use generate_lesson_plan::catalogue;
use generate_lesson_plan::checks::{arithmetic, rules};
use generate_lesson_plan::plan::Plan;
use generate_lesson_plan::request::LessonRequest;
use generate_lesson_plan::words::Words;
use serde_json::json;

use crate::fakes::body;

fn request(board: &str, class: u8, subject: &str, chapter: &str, periods: u8) -> LessonRequest {
    let mut body = body(class, subject, chapter, periods);
    body["board"] = json!(board);
    LessonRequest::read(&body).expect("a valid request")
}

#[test]
fn every_pack_is_of_a_chapter_in_the_catalogue_and_our_own() {
    for pack in packs::all(Language::English) {
        let entry = catalogue::find(&pack.chapter, pack.class, &pack.subject).expect("in the catalogue");
        assert_eq!((entry.class, entry.title.as_str()), (pack.class, pack.chapter.as_str()));
        assert_eq!(pack.source, "own");
    }
}

#[test]
fn every_pack_has_the_amounts_of_the_design() {
    for pack in packs::all(Language::English) {
        let name = &pack.chapter;
        assert!((5..=8).contains(&pack.subtopics.len()), "{name}");
        assert!((10..=15).contains(&pack.terms.len()), "{name}");
        assert!((20..=30).contains(&pack.facts.len()), "{name}");
        assert!((4..=6).contains(&pack.misconceptions.len()), "{name}");
        assert!(!pack.game.pupils.is_empty(), "{name}");
        assert!(pack.activities.len() >= 2 && pack.links.len() >= 3, "{name}");
        assert!(
            (1..=pack.outcomes.len()).all(|no| pack.assessment.iter().any(|item| item.outcome == no)),
            "{name}"
        );
    }
}

#[test]
fn every_fact_is_consistent_in_all_its_forms() {
    for pack in packs::all(Language::English) {
        let mut seen = BTreeSet::new();
        for fact in &pack.facts {
            assert_ne!(fact.right, fact.wrong);
            assert!(fact.right.contains(&fact.blank), "{}: {}", fact.right, fact.blank);
            assert!(!fact.q.is_empty() && !fact.a.is_empty());
            assert!(seen.insert(&fact.right), "twice: {}", fact.right);
            if let Some(check) = &fact.check {
                assert_eq!(arithmetic::check_one(check, &fact.a), None, "{}", fact.q);
                // The number that is right must be the one of the true statement, too.
                assert_eq!(arithmetic::check_one(check, &fact.right), None, "{}", fact.right);
            }
        }
    }
}

#[test]
fn v14_every_sum_of_a_pack_is_right() {
    for pack in packs::all(Language::English) {
        let steps = pack.subtopics.iter().flat_map(|s| [&s.engage, &s.explore, &s.explain, &s.elaborate]);
        let questions = steps.flat_map(|step| &step.questions).chain(pack.subtopics.iter().map(|s| &s.check));
        assert_eq!(arithmetic::check_all(questions.chain(&pack.diagnostic)), [], "{}", pack.chapter);
        for item in &pack.assessment {
            if let Some(check) = &item.check {
                assert_eq!(arithmetic::check_one(check, &item.a), None, "{}", item.q);
            }
        }
    }
}

#[test]
fn a_pack_is_found_for_every_board_and_only_in_its_class_and_language() {
    for (board, subject) in [("CBSE", "Science"), ("ICSE", "Physics"), ("State Board", "science")] {
        assert!(packs::find(&request(board, 10, subject, "Electricity", 3)).is_some());
    }
    assert!(packs::find(&request("CBSE", 8, "Science", "Electricity", 3)).is_none());
    assert!(packs::find(&request("CBSE", 10, "Science", "विद्युत", 3)).is_none());
    assert!(packs::find(&request("CBSE", 10, "Science", "Our Environment", 3)).is_none());
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
