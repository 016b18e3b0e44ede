//! The built-in generator over the whole space of options.

use generate_lesson_plan::bank;
use generate_lesson_plan::checks::rules;
use generate_lesson_plan::content::PhaseText;
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

/// What the teacher does in each phase of each period.
fn steps(class: u8, subject: &str, chapter: &str, periods: u8) -> Vec<Vec<String>> {
    let request = request("CBSE", class, subject, chapter, periods);
    let content = bank::fill(&request, &Plan::of(&request), &Words::of(request.language), 5);
    let steps = |phases: Vec<_>| phases.into_iter().map(|phase: PhaseText| phase.teacher).collect();
    content.periods.into_iter().map(|period| steps(period.phases)).collect()
}

#[test]
fn v18_no_two_periods_of_a_language_of_art_or_of_sport_are_the_same() {
    let plans = [
        ("English", "A Bottle of Dew"),
        ("Hindi", "ध्वनि"),
        ("Art & Craft", "Colours"),
        ("Art & Craft", "रंगों की दुनिया"),
        ("Physical Education", "Kabaddi"),
        ("Physical Education", "कबड्डी का खेल"),
    ];
    for (subject, chapter) in plans {
        for periods in 2..=5 {
            let all = steps(6, subject, chapter, periods);
            for (at, one) in all.iter().enumerate() {
                assert!(!all[..at].contains(one), "{chapter}: period {} is an earlier one again", at + 1);
            }
            let (first, last) = (&all[0], &all[all.len() - 1]);
            assert!(first.iter().all(|step| !last.contains(step)), "{chapter}: the last period begins anew");
        }
    }
}

#[test]
fn classes_1_and_2_draw_show_and_tell_where_older_pupils_are_tested() {
    let written = [
        "short test",
        "the test",
        "concept map",
        "slip",
        "three questions",
        "छोटी जाँच",
        "जाँच को",
        "संकल्पना",
        "पर्ची",
    ];
    for (subject, chapter) in [("Mathematics", "Joyful Counting"), ("Mathematics", "गिनती का आनंद")]
    {
        for periods in 1..=5 {
            let request = request("CBSE", 2, subject, chapter, periods);
            let content = bank::fill(&request, &Plan::of(&request), &Words::of(request.language), 5);
            for period in &content.periods {
                let phases =
                    period.phases.iter().flat_map(|phase| [&phase.teacher, &phase.pupils, &phase.board]);
                for text in phases.chain([&period.homework]) {
                    let text = text.replace("no written test", "").replace("लिखित जाँच नहीं", "");
                    let found = written.iter().find(|word| text.contains(*word));
                    assert_eq!(found, None, "{chapter} in {periods}: {text}");
                }
            }
        }
    }
}
