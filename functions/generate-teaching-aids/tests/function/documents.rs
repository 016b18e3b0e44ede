//! What comes out: the file, the text, the structured document, and what is said about them.

use banyan_functions::spacing::bound;
use banyan_functions::writing_system::{Language, ScriptCount};
use generate_teaching_aids::TeachingAids;
use serde_json::{Value, json};

use crate::fakes::{KINDS, aids, aids_of_attempt, body, file, text};
use crate::typed::is_printed_or_refused;

#[tokio::test]
async fn the_answer_has_the_fields_of_the_contract() {
    let mut request = body(10, "Science", "Electricity", &["games", "worksheets"], 4);
    let answer = aids(&request).await;
    assert_eq!((&answer["success"], answer.get("error")), (&json!(true), None));
    assert_eq!(answer["filename"], "teaching-aids-class-10-electricity.docx");
    assert!(file(&answer).starts_with(b"PK\x03\x04"));
    let data = &answer["data"];
    assert_eq!((&data["kind"], &data["schema"]), (&json!("teaching-aids"), &json!("ta/1")));
    assert_eq!((&data["aids"][0]["type"], &data["aids"][1]["type"]), (&json!("worksheets"), &json!("games")));
    assert!(data["aids"][0]["pages"].as_f64() > Some(0.4));
    assert_eq!(data["createdOn"], "21-11-2026");
    assert_eq!((&answer["meta"]["generator"], &answer["meta"]["model"]), (&json!("template"), &Value::Null));
    request["preferredFormat"] = json!("Rich Text (.rtf)");
    let rich = aids(&request).await;
    assert_eq!(rich["filename"], "teaching-aids-class-10-electricity.rtf");
    assert!(file(&rich).starts_with(b"{\\rtf1"));
}

// rows: V21
#[tokio::test]
async fn answers_stand_behind_all_pupils_pages() {
    for kind in ["worksheets", "quiz", "practice-sheets", "study-guides"] {
        let answer = aids(&body(10, "Science", "Life Processes", &[kind], 3)).await;
        let (pupils, teacher) = text(&answer).split_once("FOR THE TEACHER").expect("a key");
        for item in answer["data"]["aids"][0]["key"].as_array().expect("a key") {
            let item = item.as_str().expect("a text");
            assert!(teacher.contains(item), "{kind}: {item}");
            // Short answers are words that questions use, too.
            assert!(item.len() < 40 || !pupils.contains(item), "{kind}: {item}");
        }
    }
}

#[tokio::test]
async fn a_worksheet_has_levels_an_example_and_room_to_write() {
    let answer = aids(&body(10, "Mathematics", "Quadratic Equations", &["worksheets"], 2)).await;
    let text = text(&answer);
    for part in ["Worked example: ", "★\n", "★★\n", "★★★\n", "Name: ____", "________________________________"]
    {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[tokio::test]
async fn the_dominoes_close_to_a_ring_and_the_pairs_are_all_there() {
    for attempt in 1..6 {
        let answer = aids_of_attempt(&body(10, "Science", "Electricity", &["games"], 2), attempt).await;
        let pupils = text(&answer).split_once("FOR THE TEACHER").expect("a key").0.to_owned();
        for card in answer["data"]["aids"][0]["blocks"][0]["cards"].as_array().expect("cards") {
            for side in ["front", "back"] {
                let side = card[side].as_str().expect("a text");
                assert!(pupils.contains(&bound(side)), "{side}");
            }
        }
    }
}

#[tokio::test]
async fn a_rubric_adds_up() {
    let answer = aids(&body(9, "Science", "Sound", &["rubrics"], 1)).await;
    assert!(
        text(&answer).contains("Excellent (4\u{A0}marks)") && text(&answer).contains("/ 20\u{A0}marks"),
        "{}",
        text(&answer)
    );
}

#[tokio::test]
async fn the_same_request_and_attempt_give_the_same_bytes() {
    for format in ["docx", "rtf"] {
        let mut request = body(10, "Mathematics", "Quadratic Equations", &KINDS, 6);
        request["preferredFormat"] = json!(format);
        let (one, two) = (aids_of_attempt(&request, 1).await, aids_of_attempt(&request, 1).await);
        assert_eq!((file(&one), &one["data"], text(&one)), (file(&two), &two["data"], text(&two)));
        assert_ne!(file(&one), file(&aids_of_attempt(&request, 2).await));
    }
}

#[tokio::test]
async fn the_honesty_line_follows_the_coverage_and_is_printed() {
    for (chapter, sentence) in
        [("Electricity", "Prepared from the built-in"), ("Our Environment", "Draft frame.")]
    {
        let answer = aids(&body(10, "Science", chapter, &["worksheets", "flashcards"], 2)).await;
        let label = answer["data"]["label"].as_str().unwrap();
        assert!(label.starts_with(sentence), "{label}");
        assert!(text(&answer).contains(label));
        assert_eq!(answer["meta"]["warnings"][0], label);
    }
}

// rows: D19
#[tokio::test]
async fn every_language_comes_out_in_its_own_script() {
    for language in Language::ALL {
        let subject = if language == Language::English { "Science" } else { language.name() };
        let answer = aids(&body(8, subject, "X", &KINDS, 9)).await;
        assert_eq!(answer["meta"]["language"], language.code());
        let text = ["CBSE", "Science", language.name()]
            .iter()
            .fold(text(&answer).to_owned(), |text, word| text.replace(word, ""));
        let share = ScriptCount::of(&text).share(language.script());
        assert!(share > 0.95, "{language:?} {share}");
    }
}

#[tokio::test]
async fn objectives_are_printed_and_a_practical_brings_a_note() {
    let mut request = body(7, "Science", "Acids and Bases", &["interactive-activities"], 1);
    request["learningObjectives"] = json!("Sort substances with litmus\nKeep safe");
    let answer = aids(&request).await;
    assert!(text(&answer).contains("• Sort substances with litmus\n"), "{}", text(&answer));
    assert!(
        text(&answer).contains("Note for the teacher: Try the practical beforehand"),
        "{}",
        text(&answer)
    );
}

#[tokio::test]
async fn warnings_tell_of_other_classes_scripts_and_too_many_kinds() {
    let crowded =
        aids(&body(10, "Mathematics", "Fractions", &KINDS, 1)).await["meta"]["warnings"].to_string();
    assert!(crowded.contains("Class 6") && crowded.contains("more pages than were asked for"), "{crowded}");
    let tamil = aids(&body(8, "Science", "மின்சாரம்", &["quiz"], 1)).await;
    assert!(tamil["meta"]["warnings"].to_string().contains("document is in English"));
}

#[tokio::test]
async fn a_chapter_that_is_known_in_english_only_comes_in_english_and_says_so() {
    let answer = aids(&body(10, "Science", "વિદ્યુત", &["interactive-activities", "presentation"], 3)).await;
    let meta = &answer["meta"];
    assert_eq!(
        (&meta["language"], &answer["data"]["chapter"]),
        (&json!("en"), &json!("Electricity (વિદ્યુત)"))
    );
    assert!(meta["coverage"].as_f64() >= Some(0.8), "{}", meta["coverage"]);
    let warnings = meta["warnings"].to_string();
    assert!(warnings.contains("“Electricity” ફક્ત અંગ્રેજીમાં છે"), "{warnings}");
}

#[tokio::test]
async fn a_chapter_that_is_known_in_hindi_comes_in_hindi() {
    let answer = aids(&body(10, "Science", "विद्युत", &["interactive-activities", "presentation"], 3)).await;
    let meta = &answer["meta"];
    assert_eq!((&meta["language"], &answer["data"]["chapter"]), (&json!("hi"), &json!("विद्युत")));
    assert!(meta["coverage"].as_f64() >= Some(0.8), "{}", meta["coverage"]);
    assert!(text(&answer).contains("धारा"), "{}", text(&answer));
}

#[test]
fn any_text_in_any_field_is_printed_as_text_or_refused_by_name() {
    const FIELDS: [&str; 8] = [
        "board",
        "grade",
        "subject",
        "aidTypes",
        "chapterName",
        "learningObjectives",
        "difficultyLevel",
        "numberOfPages",
    ];
    let good = body(9, "Science", "Electricity", &["worksheets", "games"], 1);
    is_printed_or_refused::<TeachingAids>(&good, &FIELDS, ("documentContent", "teachingAids"));
}

#[tokio::test]
async fn ten_pages_stay_small_enough_for_a_phone() {
    for format in ["docx", "rtf"] {
        let mut request = body(8, "Telugu", "X", &KINDS, 10);
        request["preferredFormat"] = json!(format);
        let size = aids(&request).await["documentContent"].as_str().unwrap().len();
        assert!(size < 200_000, "{format}: {size}");
    }
}

/// The lines of a pupil's sheet.
async fn pupils_lines(body: &Value) -> Vec<String> {
    let answer = aids(body).await;
    text(&answer).lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn a_drill_has_room_for_the_answer_that_each_item_asks_for() {
    let mut unknown = body(8, "Science", "બળ અને દબાણ", &["practice-sheets"], 3);
    unknown["board"] = json!("Gujarat Board");
    for body in [unknown, body(9, "Science", "Force and Laws of Motion", &["practice-sheets"], 3)] {
        let lines = pupils_lines(&body).await;
        let ticked = |line: &&String| line.contains('☐') && line.contains(". ") && !line.contains("Tick");
        let items: Vec<(usize, &String)> =
            lines.iter().enumerate().filter(|(_, line)| ticked(line)).collect();
        assert!(items.len() > 5, "{lines:?}");
        for (at, item) in items {
            let blanks = item.split(|c| c != '_').filter(|run| run.len() > 4).count();
            let below = lines.get(at + 1).is_some_and(|line| !line.contains('☐'));
            assert!(blanks == 1 || (blanks == 0 && below), "{item} / {:?}", lines.get(at + 1));
        }
    }
}

#[tokio::test]
async fn a_worked_example_shows_its_working_and_every_level_is_there() {
    for (class, subject, chapter) in [
        (7, "Mathematics", "Simple Equations"),
        (9, "Science", "Force and Laws of Motion"),
        (10, "गणित", "द्विघात समीकरण"),
    ] {
        for hardness in ["easy", "medium", "hard", "mixed"] {
            let mut body = body(class, subject, chapter, &["worksheets"], 1);
            body["difficultyLevel"] = json!(hardness);
            let lines = pupils_lines(&body).await;
            for level in ["★", "★★", "★★★"] {
                assert!(lines.iter().any(|line| line == level), "{chapter} {hardness} {level}: {lines:#?}");
            }
            let working = ["Working: ", "हल के चरण: "];
            assert!(lines.iter().any(|line| working.iter().any(|w| line.contains(w))), "{lines:#?}");
        }
    }
}

#[tokio::test]
async fn a_rubric_judges_each_outcome_in_its_own_words_and_speaks_of_one_mark() {
    let answer = aids(&body(9, "Science", "Force and Laws of Motion", &["rubrics"], 1)).await;
    assert!(text(&answer).contains("(1\u{A0}mark)"), "{}", text(&answer));
    let rows = answer["data"]["aids"][0]["blocks"][0]["criteria"].as_array().expect("rows");
    let levels: std::collections::BTreeSet<String> =
        rows.iter().map(|row| row["levels"].to_string()).collect();
    assert_eq!(levels.len(), rows.len(), "{rows:#?}");
}

#[tokio::test]
async fn a_guide_says_what_to_remember_without_repeating_the_corrections() {
    let answer = aids(&body(9, "Science", "Force and Laws of Motion", &["study-guides"], 3)).await;
    let guide = &answer["data"]["aids"][0]["blocks"][0];
    for line in guide["remember"].as_array().expect("lines") {
        let errors = guide["errors"].as_array().expect("errors");
        assert!(errors.iter().all(|error| error["right"] != *line), "{line}");
    }
}

#[tokio::test]
async fn a_slide_has_lines_and_a_drawing_of_its_own_and_the_advice_to_wait_stands_once() {
    for (class, chapter) in [(9, "Force and Laws of Motion"), (9, "A Chapter of Our Own")] {
        let answer = aids(&body(class, "Science", chapter, &["presentation"], 5)).await;
        let slides = answer["data"]["aids"][0]["blocks"][0]["slides"].as_array().expect("slides").clone();
        for slide in &slides[1..] {
            assert!(!slide["bullets"].as_array().expect("lines").is_empty(), "{slide}");
            assert_ne!(slide["drawing"], slide["title"]);
        }
        assert!(text(&answer).matches("Give time to think").count() <= 1, "{}", text(&answer));
    }
}

#[tokio::test]
async fn no_card_of_a_game_is_blank_where_a_rule_can_make_another() {
    for attempt in 1..6 {
        let body = body(7, "Mathematics", "Simple Equations", &["games"], 3);
        let answer = aids_of_attempt(&body, attempt).await;
        assert!(!text(&answer).contains('✎'), "{}", text(&answer));
    }
}

#[tokio::test]
async fn the_answers_to_an_activity_have_the_numbers_of_its_questions() {
    let answer =
        aids(&body(10, "Science", "Light – Reflection and Refraction", &["interactive-activities"], 4)).await;
    let (pupils, teacher) = text(&answer).split_once("FOR THE TEACHER").expect("a key");
    let activities =
        answer["data"]["aids"][0]["blocks"][0]["activities"].as_array().expect("activities").clone();
    assert!(activities.len() > 1, "{pupils}");
    for activity in &activities {
        let questions = activity["discuss"].as_array().expect("questions");
        for (no, question) in (1..).zip(questions) {
            let asked = format!("{no}. {}", question["q"].as_str().expect("a text"));
            let asked = bound(&asked);
            assert!(pupils.contains(&asked) && teacher.contains(&asked), "{asked} in {teacher}");
        }
        assert!(teacher.contains(&bound(activity["title"].as_str().expect("a title"))), "{teacher}");
    }
}

#[tokio::test]
async fn an_activity_of_the_bank_brings_its_own_things_table_and_result() {
    let answer = aids(&body(9, "Science", "Force and Laws of Motion", &["interactive-activities"], 2)).await;
    let text = text(&answer);
    for part in ["smooth card", "falls into the glass", "Pull the card slowly"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains("1. Pupils flick"), "the steps are told one by one: {text}");
    assert!(!text.contains("Old newspaper") && !text.contains("keep eyes away"), "{text}");
}
