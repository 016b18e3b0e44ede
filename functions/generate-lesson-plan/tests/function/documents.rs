//! What comes out: the file, the text, the structured document, and what is said about them.

use banyan_functions::writing_system::{Language, Script, ScriptCount};
use generate_lesson_plan::LessonPlan;
use serde_json::{Value, json};

use crate::fakes::{body, plan, plan_of_attempt, rtf};
use crate::typed::is_printed_or_refused;

fn text(answer: &Value) -> &str {
    answer["lessonPlan"].as_str().expect("a text")
}

#[tokio::test]
async fn the_plan_of_a_chapter_in_the_bank_reads_as_reviewed() {
    insta::assert_snapshot!(text(&plan(&body(10, "Science", "Electricity", 3)).await));
}

#[tokio::test]
async fn the_frame_of_an_unknown_chapter_reads_as_reviewed() {
    insta::assert_snapshot!(text(&plan(&body(7, "History", "The Delhi Sultans", 2)).await));
}

#[tokio::test]
async fn the_hindi_frame_reads_as_reviewed() {
    insta::assert_snapshot!(text(&plan(&body(8, "Science", "बल तथा दाब", 2)).await));
}

#[tokio::test]
async fn the_answer_has_the_fields_of_the_contract() {
    let answer = plan(&body(10, "Mathematics", "Quadratic Equations", 5)).await;
    assert_eq!(answer["filename"], "lesson-plan-class-10-quadratic-equations.rtf");
    assert_eq!(answer["data"]["schema"], "lp/1");
    assert_eq!(answer["data"]["periods"].as_array().unwrap().len(), 5);
    assert_eq!(answer["data"]["createdOn"], "21-11-2026");
    for period in answer["data"]["periods"].as_array().unwrap() {
        let minutes: u64 =
            period["phases"].as_array().unwrap().iter().map(|p| p["minutes"].as_u64().unwrap()).sum();
        assert_eq!(minutes, 40);
    }
    let meta = &answer["meta"];
    assert_eq!(
        (&meta["generator"], &meta["model"], &meta["language"]),
        (&json!("template"), &Value::Null, &json!("en"))
    );
    assert!(meta["coverage"].as_f64().unwrap() >= 0.8);
}

#[tokio::test]
async fn the_same_request_and_attempt_give_the_same_bytes() {
    let request = body(10, "Science", "Electricity", 5);
    let (one, two) = (plan_of_attempt(&request, 1).await, plan_of_attempt(&request, 1).await);
    assert_eq!((rtf(&one), &one["data"], text(&one)), (rtf(&two), &two["data"], text(&two)));
    let three = plan_of_attempt(&request, 2).await;
    assert_ne!(rtf(&one), rtf(&three));
}

#[tokio::test]
async fn the_honesty_line_follows_the_coverage() {
    for (chapter, sentence) in
        [("Electricity", "Prepared from the built-in"), ("Our Environment", "Draft frame.")]
    {
        let answer = plan(&body(10, "Science", chapter, 3)).await;
        let label = answer["data"]["label"].as_str().unwrap();
        assert!(label.starts_with(sentence), "{label}");
        assert!(text(&answer).contains(label));
        assert_eq!(answer["meta"]["warnings"][0], label);
    }
}

#[tokio::test]
async fn lines_for_the_teacher_are_marked_only_where_the_bank_knows_nothing() {
    assert!(text(&plan(&body(10, "Science", "Our Environment", 3)).await).contains('✎'));
    let known = plan(&body(10, "Science", "Electricity", 3)).await;
    let marks = text(&known).matches('✎').count();
    assert!(marks <= 3, "{marks}");
}

// rows: D19
#[tokio::test]
async fn every_language_comes_out_in_its_own_script() {
    for language in Language::ALL {
        let subject = if language == Language::English { "Science" } else { language.name() };
        let answer = plan(&body(8, subject, "X", 2)).await;
        assert_eq!(answer["meta"]["language"], language.code());
        let text = text(&answer)
            .replace("CBSE", "")
            .replace("NCERT", "")
            .replace("Science", "")
            .replace(language.name(), "");
        let count = ScriptCount::of(&text);
        assert!(count.share(language.script()) > 0.95, "{language:?} {}", count.share(language.script()));
    }
}

#[tokio::test]
async fn a_hindi_chapter_makes_a_hindi_document_with_hindi_runs() {
    let answer = plan(&body(10, "Science", "हमारा पर्यावरण", 5)).await;
    assert!(text(&answer).contains("पाठ योजना: हमारा पर्यावरण"));
    let rtf = String::from_utf8(rtf(&answer)).unwrap();
    assert!(rtf.is_ascii());
    assert!(rtf.contains("\\alang1081\\ltrch\\fcs0\\f1"));
}

#[tokio::test]
async fn a_chapter_that_is_known_in_english_only_comes_in_english_and_says_so() {
    let answer = plan(&body(10, "Science", "વિદ્યુત", 3)).await;
    let meta = &answer["meta"];
    assert_eq!(
        (&meta["language"], &answer["data"]["chapter"]),
        (&json!("en"), &json!("Electricity (વિદ્યુત)"))
    );
    assert!(meta["coverage"].as_f64() >= Some(0.8), "{}", meta["coverage"]);
    let warnings = meta["warnings"].to_string();
    assert!(warnings.contains("“Electricity” ફક્ત અંગ્રેજીમાં છે"), "{warnings}");
    assert!(text(&answer).contains("“Electricity” ફક્ત અંગ્રેજીમાં છે"), "{}", text(&answer));
}

#[tokio::test]
async fn a_chapter_that_is_known_in_hindi_comes_in_hindi() {
    let answer = plan(&body(10, "Science", "विद्युत", 3)).await;
    let meta = &answer["meta"];
    assert_eq!((&meta["language"], &answer["data"]["chapter"]), (&json!("hi"), &json!("विद्युत")));
    assert!(meta["coverage"].as_f64() >= Some(0.8), "{}", meta["coverage"]);
    assert!(text(&answer).contains("धारा"), "{}", text(&answer));
}

#[tokio::test]
async fn typed_text_cannot_break_out_of_the_file() {
    let answer = plan(&body(9, "Civics", "}{\\rtf1 \\par\\object <b>x</b>", 1)).await;
    let file = String::from_utf8(rtf(&answer)).unwrap();
    assert!(file.contains("\\\\object"));
    assert!(!file.replace("\\\\", "").contains("\\object"), "the backslash must be escaped");
}

#[tokio::test]
async fn warnings_tell_of_samples_other_classes_and_scripts_without_text() {
    let mut request = body(10, "Mathematics", "Fractions", 1);
    request["referencePlanUrl"] = json!("reference-plan-uploaded");
    let warnings = plan(&request).await["meta"]["warnings"].to_string();
    assert!(warnings.contains("no file that you have uploaded"), "{warnings}");
    assert!(warnings.contains("Class 6"), "{warnings}");
    let tamil = plan(&body(8, "Science", "மின்சாரம்", 1)).await;
    assert!(tamil["meta"]["warnings"].to_string().contains("document is in English"));
    assert_eq!(ScriptCount::of(text(&tamil)).ruling_indic(), None::<Script>);
}

#[tokio::test]
async fn boards_name_the_steps_in_their_own_way() {
    let mut request = body(9, "Physics", "Sound", 2);
    assert!(text(&plan(&request).await).contains("Engage (5\u{A0}min)"));
    request["board"] = json!("ICSE");
    let icse = plan(&request).await;
    assert!(text(&icse).contains("Introduction (5\u{A0}min)") && !text(&icse).contains("Engage"));
}

#[tokio::test]
async fn a_document_stays_small_enough_for_a_phone() {
    let answer = plan(&body(10, "Science", "Electricity", 5)).await;
    assert!(answer["docContent"].as_str().unwrap().len() < 150_000);
}

#[test]
fn any_text_in_any_field_is_printed_as_text_or_refused_by_name() {
    const FIELDS: [&str; 8] =
        ["board", "class", "subject", "periods", "chapter", "bookName", "publisher", "referencePlanUrl"];
    let good = body(10, "Science", "Electricity", 1);
    is_printed_or_refused::<LessonPlan>(&good, &FIELDS, ("docContent", "lessonPlan"));
}
