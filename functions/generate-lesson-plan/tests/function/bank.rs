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
        // Frames are short and general; that they name the chapter is checked for the whole
        // document.
        let blocking: Vec<_> = findings.iter().filter(|finding| finding.blocks()).collect();
        assert!(blocking.is_empty(), "{name}: {blocking:?}");
    }
}

#[test]
fn two_periods_of_a_known_chapter_that_follow_each_other_close_in_different_ways() {
    for (pack, chapter) in every_pack_as_typed() {
        let request = request("CBSE", pack.class, &pack.subject, &chapter, 4);
        let content = bank::fill(&request, &Plan::of(&request), &Words::of(request.language), 1);
        let closings: Vec<&str> = content
            .periods
            .iter()
            .filter_map(|period| period.phases.last())
            .map(|phase| phase.teacher.as_str())
            .collect();
        assert!(closings.windows(2).all(|pair| pair[0] != pair[1]), "{chapter}: {closings:?}");
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

/// Each language as a subject, with a chapter of it.
const OF_A_LANGUAGE: [(&str, &str, &str); 7] = [
    ("CBSE", "English", "A Bottle of Dew"),
    ("CBSE", "Hindi", "ध्वनि"),
    ("Maharashtra Board", "Marathi", "आई"),
    ("CBSE", "Gujarati", "અમારી શાળા"),
    ("Telangana Board", "Telugu", "మా పాఠశాల"),
    ("Karnataka Board", "Kannada", "ನಮ್ಮ ಶಾಲೆ"),
    ("CBSE", "Sanskrit", "संस्कृतम्"),
];

/// What the teacher does in each phase of each period.
fn steps(board: &str, class: u8, subject: &str, chapter: &str, periods: u8) -> Vec<Vec<String>> {
    let request = request(board, class, subject, chapter, periods);
    let content = bank::fill(&request, &Plan::of(&request), &Words::of(request.language), 5);
    let steps = |phases: Vec<_>| phases.into_iter().map(|phase: PhaseText| phase.teacher).collect();
    content.periods.into_iter().map(|period| steps(period.phases)).collect()
}

// rows: V18
#[test]
fn no_two_periods_are_the_same_and_the_last_begins_nothing_anew() {
    let chapters = [
        ("CBSE", "A Chapter of Our Own"),
        ("CBSE", "हमारा विद्यालय"),
        ("Maharashtra Board", "आमची शाळा"),
        ("Gujarat Board", "અમારી શાળા"),
        ("Telangana Board", "మా పాఠశాల"),
        ("Karnataka Board", "ನಮ್ಮ ಶಾಲೆ"),
    ];
    let shared = [
        "Mathematics",
        "Science",
        "History",
        "Computer Science",
        "Art & Craft",
        "Physical Education",
        "Retail",
    ];
    let others =
        chapters.iter().flat_map(|(board, chapter)| shared.map(|subject| (*board, subject, *chapter)));
    for ((board, subject, chapter), class) in
        OF_A_LANGUAGE.into_iter().chain(others).flat_map(|plan| [2, 7].map(|class| (plan, class)))
    {
        for periods in 2..=5 {
            let all = steps(board, class, subject, chapter, periods);
            let name = format!("{board} {subject} {class} {chapter} {periods}");
            for (at, one) in all.iter().enumerate() {
                for (before, other) in all[..at].iter().enumerate() {
                    assert_ne!(one, other, "{name}: period {} is period {} again", at + 1, before + 1);
                    // Only the fourth of five may mix what the two before it did.
                    let shares = one.iter().any(|step| other.contains(step));
                    assert!(
                        !shares || (at, periods) == (3, 5),
                        "{name}: periods {} and {}",
                        before + 1,
                        at + 1
                    );
                }
            }
        }
    }
}

#[test]
fn plans_of_unknown_chapters_fit_the_subject_and_the_class() {
    let families = [
        "English",
        "Mathematics",
        "Science",
        "History",
        "Art & Craft",
        "Physical Education",
        "Computer Science",
        "Retail",
    ];
    let mut seen: Vec<(String, String)> = Vec::new();
    for subject in families {
        for class in [1, 4, 7, 9, 11] {
            let request = request("CBSE", class, subject, "A Chapter of Our Own", 2);
            let content = bank::fill(&request, &Plan::of(&request), &Words::of(request.language), 5);
            let items = content.frame.assessment.iter().map(|item| item.q.as_str());
            let outcomes = content.frame.outcomes.iter().map(|outcome| outcome.text.as_str());
            let all: Vec<&str> =
                outcomes.chain(items).chain([content.periods[0].homework.as_str()]).collect();
            let own = format!("{subject} {class}");
            for text in all {
                let other = seen.iter().find(|(_, earlier)| earlier == text);
                assert_eq!(other, None, "{own}: {text}");
                seen.push((own.clone(), text.to_owned()));
            }
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
        "चाचणी",
        "चिठ्ठी",
        "કસોટી",
        "ચિઠ્ઠી",
        "સંકલ્પના",
        "పరీక్ష",
        "చీటీ",
        "భావనా పటం",
        "ಪರೀಕ್ಷೆ",
        "ಚೀಟಿ",
        "ಪರಿಕಲ್ಪನಾ",
    ];
    let plans = [
        ("CBSE", "Joyful Counting"),
        ("CBSE", "गिनती का आनंद"),
        ("Maharashtra Board", "मोजू या आनंदाने"),
        ("Gujarat Board", "ગણવાની મજા"),
        ("Telangana Board", "లెక్కిద్దాం రండి"),
        ("Karnataka Board", "ಎಣಿಸೋಣ ಬನ್ನಿ"),
    ];
    for (board, chapter) in plans {
        for periods in 1..=5 {
            let request = request(board, 2, "Mathematics", chapter, periods);
            let words = Words::of(request.language);
            let content = bank::fill(&request, &Plan::of(&request), &words, 5);
            for period in &content.periods {
                let phases =
                    period.phases.iter().flat_map(|phase| [&phase.teacher, &phase.pupils, &phase.board]);
                for text in phases.chain([&period.homework]).chain(&content.frame.subtopics) {
                    let text = text.replace(&words.bands[0], "");
                    let found = written.iter().find(|word| text.contains(*word));
                    assert_eq!(found, None, "{chapter} in {periods}: {text}");
                }
            }
        }
    }
}

#[test]
fn no_language_asks_classes_1_and_2_to_write() {
    let to_write = ["Write", "लिखिए", "लिहा", "લખો", "రాయండి", "ಬರೆಯಿರಿ", "लिखत"];
    for (board, subject, chapter) in OF_A_LANGUAGE {
        for periods in 1..=5 {
            let request = request(board, 2, subject, chapter, periods);
            let content = bank::fill(&request, &Plan::of(&request), &Words::of(request.language), 5);
            let questions = content.frame.assessment.iter().map(|item| &item.q);
            for text in questions.chain(content.periods.iter().map(|period| &period.homework)) {
                let found = to_write.iter().find(|word| text.contains(*word));
                assert_eq!(found, None, "{subject}: {chapter} in {periods}: {text}");
            }
        }
    }
}
