//! What comes out: the file, the text, the structured document, and what is said about them.

use banyan_functions::model::authoring::Writer;
use banyan_functions::writing_system::{Language, ScriptCount};
use generate_question_paper::QuestionPaper;
use generate_question_paper::estimate::estimate;
use serde_json::{Value, json};

use crate::fakes::{ALL_TYPES, body, body_of, paper, paper_of_attempt, read, rtf, text};
use crate::typed::is_printed_or_refused;

fn questions(answer: &Value) -> Vec<&Value> {
    let sections = answer["data"]["sections"].as_array().expect("sections");
    let parts = sections.iter().flat_map(|section| section["parts"].as_array().expect("parts"));
    parts.flat_map(|part| part["questions"].as_array().expect("questions")).collect()
}

#[tokio::test]
async fn the_answer_has_the_fields_of_the_contract() {
    let answer = paper(&body_of(10, "Science", "Electricity", 100, 4, &ALL_TYPES)).await;
    assert_eq!(answer["filename"], "question-paper.doc");
    assert!(rtf(&answer).starts_with(b"{\\rtf1"));
    let data = &answer["data"];
    assert_eq!((&data["kind"], &data["schema"]), (&json!("question-paper"), &json!("qp/1")));
    assert_eq!((&data["totalMarks"], &data["minutes"]), (&json!(100), &json!(180)));
    assert_eq!((&data["createdOn"], &data["session"]), (&json!("21-11-2026"), &json!("2026-27")));
    assert_eq!(
        (&answer["meta"]["generator"], &answer["meta"]["schema"]),
        (&json!("template"), &json!("qp/1"))
    );
    assert_eq!(answer.get("error"), None);
}

// rows: V04
#[tokio::test]
async fn every_sum_of_the_document_adds_up() {
    for chapter in ["Electricity", "A Chapter of Our Own"] {
        let answer = paper(&body_of(8, "Science", chapter, 100, 4, &ALL_TYPES)).await;
        let data = &answer["data"];
        let sum = |values: &Value| values.as_array().unwrap().iter().filter_map(Value::as_u64).sum::<u64>();
        let sections = data["sections"].as_array().unwrap();
        assert_eq!(sections.iter().map(|section| section["marks"].as_u64().unwrap()).sum::<u64>(), 100);
        assert_eq!(questions(&answer).iter().map(|q| q["marks"].as_u64().unwrap()).sum::<u64>(), 100);
        let blueprint = &data["blueprint"];
        // Of lines for the teacher neither level nor difficulty is known.
        let is_open = |text: &Value| text.as_str().is_some_and(|text| text.starts_with('✎'));
        let pairs_open = |q: &Value| {
            q["pairs"].as_array().is_some_and(|pairs| pairs.iter().any(|pair| is_open(&pair["left"])))
        };
        let closed = questions(&answer).into_iter().filter(|q| !is_open(&q["text"]) && !pairs_open(q));
        let closed: u64 = closed.map(|q| q["marks"].as_u64().unwrap()).sum();
        assert_eq!((sum(&blueprint["byBloom"]), sum(&blueprint["byDifficulty"])), (closed, closed));
        let rows = blueprint["bySubtopic"].as_array().unwrap().iter();
        assert_eq!(rows.map(|row| row["marks"].as_u64().unwrap()).sum::<u64>(), 100);
        for question in questions(&answer) {
            let points = question["scheme"].as_array().unwrap().iter();
            let marks: f64 = points.map(|point| point["marks"].as_f64().unwrap()).sum();
            assert!((marks - question["marks"].as_f64().unwrap()).abs() < 1e-9, "{question}");
        }
    }
}

// rows: V04
#[tokio::test]
async fn the_text_keeps_the_layout_contract() {
    let answer = paper(&body_of(
        10,
        "Science",
        "Electricity",
        80,
        5,
        &["mcq", "very-short", "short", "numerical", "long"],
    ))
    .await;
    let text = text(&answer);
    let (pupils, key) = text.split_once("ANSWER KEY").expect("a key");
    for letter in ["A", "B", "C", "D", "E"] {
        let (_, rest) = pupils.split_once(&format!("SECTION {letter}\n")).expect("a section");
        let line = rest.lines().next().unwrap();
        let (sum, total) =
            line.rsplit_once('(').unwrap().1.trim_end_matches(')').split_once(" =\u{A0}").unwrap();
        let (n, m) = sum.split_once(" ×\u{A0}").unwrap();
        let number = |text: &str| text.parse::<u32>().unwrap();
        assert_eq!(number(n) * number(m), number(total), "{line}");
    }
    let count = questions(&answer).len();
    for no in 1..=count {
        let line = pupils.lines().find(|line| line.starts_with(&format!("{no}. "))).expect("the question");
        assert!(line.ends_with(']'), "{line}");
        assert!(key.lines().any(|line| line.starts_with(&format!("{no}. "))), "{no} has no answer");
    }
    assert!(pupils.contains(&format!("contains {count} questions in 5 sections")));
}

// rows: V21
#[tokio::test]
async fn pupils_pages_show_no_answers_and_the_key_has_them_all() {
    let answer = paper(&body_of(10, "Science", "Life Processes", 50, 3, &["very-short", "short"])).await;
    let (pupils, key) = text(&answer).split_once("ANSWER KEY").expect("a key");
    for question in questions(&answer) {
        for point in question["scheme"].as_array().unwrap() {
            let point = point["point"].as_str().unwrap();
            assert!(key.contains(point), "{point}");
            assert!(point.len() < 12 || !pupils.contains(point), "{point}");
        }
    }
}

#[tokio::test]
async fn tasks_for_any_chapter_that_the_bank_can_answer_have_their_answers_in_the_key() {
    let request = body_of(10, "Science", "Control and Coordination", 100, 4, &["short", "long"]);
    let answer = paper(&request).await;
    let (pupils, _) = text(&answer).split_once("ANSWER KEY").expect("a key");
    let is_task = |question: &&Value| {
        let has_parts = question["parts"].as_array().is_some_and(|parts| !parts.is_empty());
        question["marks"] == 5
            && !has_parts
            && question["text"].as_str().is_some_and(|text| text.contains('‘'))
    };
    let is_answered = |question: &&Value| {
        let point = question["scheme"][0]["point"].as_str();
        point.is_some_and(|point| !point.starts_with("Each correct point"))
    };
    let answered: Vec<&Value> = questions(&answer).into_iter().filter(is_task).filter(is_answered).collect();
    assert!(answered.len() >= 2, "{answered:?}");
    for question in answered {
        let points = question["scheme"].as_array().unwrap();
        assert_eq!(points.len(), 5, "{question}");
        for point in points {
            assert_eq!(point["marks"].as_f64(), Some(1.0), "{question}");
            assert!(!pupils.contains(point["point"].as_str().unwrap()), "{point}");
        }
    }
}

#[tokio::test]
async fn a_paper_of_numericals_has_problems_where_the_bank_has_a_rule_for_them() {
    let answer = paper(&body_of(9, "Science", "How Forces Affect Motion", 75, 3, &["numerical"])).await;
    let is_open = |question: &&&Value| question["text"].as_str().is_some_and(|text| text.starts_with('✎'));
    let all = questions(&answer);
    let open = all.iter().filter(is_open).count();
    assert!(all.len() - open >= 7, "{open} of {} are ruled lines", all.len());
}

#[tokio::test]
async fn a_text_of_a_language_is_asked_for_as_such_and_marked_for_what_it_says_and_how() {
    for (subject, chapter, wanted, strange) in [
        ("English", "A Letter to God", "Spelling and grammar", "figure, table"),
        ("Hindi", "बस की यात्रा", "वर्तनी और व्याकरण", "चित्र, तालिका"),
        ("Marathi", "माझ्या देशावर माझे प्रेम आहे", "शुद्धलेखन आणि व्याकरण", "आकृती, तक्ता"),
        ("Kannada", "ಮಗ್ಗದ ಸಾಹೇಬ", "ಕಾಗುಣಿತ ಮತ್ತು ವ್ಯಾಕರಣ", "ಚಿತ್ರ, ಕೋಷ್ಟಕ"),
    ] {
        let answer = paper(&body_of(8, subject, chapter, 50, 3, &["very-short", "short", "long"])).await;
        assert!(text(&answer).contains(wanted), "{subject}");
        assert!(!text(&answer).contains(strange), "{subject}");
    }
}

#[tokio::test]
async fn classes_1_and_2_draw_and_tell_where_older_pupils_explain() {
    for (subject, chapter) in
        [("EVS", "My Family"), ("Mathematics", "Counting 1 to 9"), ("English", "Two Birds")]
    {
        let answer = paper(&body_of(1, subject, chapter, 20, 2, &["short", "long"])).await;
        let (pupils, key) = text(&answer).split_once("ANSWER KEY").expect("a key");
        assert!(pupils.contains("Draw"), "{pupils}");
        assert!(key.contains("spoken answer"), "{key}");
        for word in ["concept map", "Mistakes", "Compare", "own words", "linked with"] {
            assert!(!pupils.contains(word), "{subject}: {word}");
        }
    }
}

// rows: V11
#[tokio::test]
async fn the_head_names_board_class_subject_chapter_and_book() {
    let answer = paper(&body(10, "Science", "Electricity")).await;
    let head = text(&answer).split_once("SECTION A").unwrap().0;
    for part in [
        "Class: 10",
        "Subject: Science",
        "Board: CBSE",
        "Chapter: Electricity",
        "Book: Textbook (NCERT)",
        "Time allowed: 3\u{A0}hours",
        "Maximum Marks: 80",
        "EXAMINATION 2026-27",
    ] {
        assert!(head.contains(part), "{part} in {head}");
    }
}

#[tokio::test]
async fn the_same_request_and_attempt_give_the_same_bytes() {
    let request = body(10, "Mathematics", "Quadratic Equations");
    let (one, two) = (paper_of_attempt(&request, 1).await, paper_of_attempt(&request, 1).await);
    assert_eq!((rtf(&one), &one["data"], text(&one)), (rtf(&two), &two["data"], text(&two)));
    let three = paper_of_attempt(&request, 2).await;
    assert_ne!(rtf(&one), rtf(&three));
}

#[tokio::test]
async fn the_honesty_line_follows_the_coverage_and_is_printed() {
    for (chapter, marks, sentence) in
        [("Electricity", 25, "Prepared from the built-in"), ("Our Environment", 80, "Draft frame.")]
    {
        let answer = paper(&body_of(10, "Science", chapter, marks, 2, &["mcq", "short"])).await;
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
        let answer = paper(&body_of(8, subject, "X", 80, 4, &ALL_TYPES)).await;
        assert_eq!(answer["meta"]["language"], language.code());
        let text = ["CBSE", "NCERT", "Science", "Textbook", language.name()]
            .iter()
            .fold(text(&answer).to_owned(), |text, word| text.replace(word, ""));
        let words: String = text
            .split_whitespace()
            .filter(|word| {
                word.chars().filter(char::is_ascii_alphabetic).count() != 1
                    && !word.trim_matches(['(', ')', '.', ':']).chars().all(|c| "ivxIVX".contains(c))
            })
            .collect();
        let share = ScriptCount::of(&words).share(language.script());
        assert!(share > 0.95, "{language:?} {share}");
    }
}

#[tokio::test]
async fn a_chapter_that_is_known_in_english_only_comes_in_english_and_says_so() {
    for chapter in ["વિદ્યુત", "પ્રકરણ 11: વિદ્યુત"] {
        let answer = paper(&body_of(10, "Science", chapter, 80, 4, &ALL_TYPES)).await;
        let meta = &answer["meta"];
        assert_eq!(meta["language"], "en", "{chapter}");
        assert!(meta["coverage"].as_f64() >= Some(0.6), "{chapter}: {}", meta["coverage"]);
        assert!(text(&answer).contains(&format!("Chapter: Electricity ({chapter})")), "{}", text(&answer));
        let warning = meta["warnings"][1].as_str().expect("a second warning");
        let asked = ScriptCount::of(chapter).ruling_indic().expect("an Indian script");
        assert!(
            warning.contains("“Electricity”") && ScriptCount::of(warning).share(asked) > 0.5,
            "{warning}"
        );
        // Whoever has the file alone reads it there, too.
        let (pupils, key) = text(&answer).split_once("ANSWER KEY").expect("a key");
        assert!(key.contains(warning) && !pupils.contains(warning), "{warning}");
    }
}

#[test]
fn the_estimate_tells_the_language_before_the_charge() {
    let told = |chapter: &str, writer: Writer| {
        let meta =
            estimate(&read(&body_of(10, "Science", chapter, 80, 4, &ALL_TYPES)), writer)["meta"].clone();
        (meta["language"].clone(), meta["standIn"].clone())
    };
    assert_eq!(told("વિદ્યુત", Writer::BuiltIn), (json!("en"), json!("chapter")));
    assert_eq!(told("વિદ્યુત", Writer::Model), (json!("gu"), Value::Null));
    assert_eq!(told("विद्युत", Writer::BuiltIn), (json!("hi"), Value::Null));
    assert_eq!(told("हमारा पर्यावरण", Writer::BuiltIn), (json!("hi"), Value::Null));
    assert_eq!(told("Electricity", Writer::BuiltIn), (json!("en"), Value::Null));
    assert_eq!(told("மின்சாரம்", Writer::BuiltIn), (json!("en"), json!("script")));
}

#[test]
fn the_estimate_tells_that_a_stand_in_may_write_in_english() {
    let told = |chapter: &str, writer: Writer| {
        let asked = read(&body_of(10, "Science", chapter, 80, 4, &ALL_TYPES));
        estimate(&asked, writer)["meta"]["fallback"].clone()
    };
    let sentence = told("વિદ્યુત", Writer::ModelOrBuiltIn);
    assert!(
        sentence.as_str().is_some_and(|told| told.contains("“Electricity”") && told.contains("અંગ્રેજી")),
        "{sentence}"
    );
    for (chapter, writer) in [
        ("વિદ્યુત", Writer::Model),
        ("વિદ્યુત", Writer::BuiltIn),
        ("विद्युत", Writer::ModelOrBuiltIn),
        ("Electricity", Writer::ModelOrBuiltIn),
        ("Not a chapter", Writer::ModelOrBuiltIn),
    ] {
        assert_eq!(told(chapter, writer), Value::Null, "{chapter} {writer:?}");
    }
}

#[tokio::test]
async fn typed_text_cannot_break_out_of_the_file() {
    let answer = paper(&body(9, "Civics", "}{\\rtf1 \\par\\object <b>x</b> {n} {chapter}")).await;
    let file = String::from_utf8(rtf(&answer)).unwrap();
    assert!(file.is_ascii() && file.contains("\\\\object"));
    assert!(!file.replace("\\\\", "").contains("\\object"), "the backslash must be escaped");
}

#[test]
fn any_text_in_any_field_is_printed_as_text_or_refused_by_name() {
    const FIELDS: [&str; 12] = [
        "board",
        "class",
        "subject",
        "chapter",
        "bookName",
        "publisher",
        "marks",
        "timeHours",
        "numberOfSections",
        "difficultyLevel",
        "questionTypes",
        "referencePaperUrl",
    ];
    let good = body_of(9, "Science", "Electricity", 25, 2, &["mcq", "long"]);
    is_printed_or_refused::<QuestionPaper>(&good, &FIELDS, ("wordContent", "questionPaper"));
}

#[tokio::test]
async fn warnings_tell_of_samples_other_classes_and_times_that_do_not_fit() {
    let mut request = body(10, "Mathematics", "Fractions");
    request["referencePaperUrl"] = json!("reference-paper-uploaded");
    request["marks"] = json!(100);
    request["timeHours"] = json!(1);
    let warnings = paper(&request).await["meta"]["warnings"].to_string();
    for part in ["no file that you have uploaded", "Class 6", "100 marks in 1 hour is 0.6 minutes a mark"] {
        assert!(warnings.contains(part), "{part} in {warnings}");
    }
}

#[tokio::test]
async fn a_tight_time_is_told_before_the_charge_and_notes_count_too() {
    let types = ["mcq", "match", "short", "numerical", "long"];
    // Of a chapter that the bank does not know, most questions are the teacher's to write, which a
    // note counts.
    let request = body_of(10, "Science", "Our Environment", 100, 4, &types);
    let told = "the paper takes about 202 minutes with reading, and 180 are allowed";
    let estimate = estimate(&read(&request), Writer::BuiltIn);
    assert!(estimate["meta"]["warnings"].to_string().contains(told), "{estimate}");
    let answer = paper(&request).await;
    assert!(answer["meta"]["warnings"].to_string().contains(told));
    let notes = answer["data"]["notes"].to_string();
    assert!(text(&answer).contains("contains 40 questions") && notes.contains("of 40 questions"), "{notes}");
}

#[tokio::test]
async fn boards_have_their_own_instructions() {
    let mut request = body(10, "Physics", "Electricity");
    let cbse = paper(&request).await;
    let chosen = questions(&cbse).iter().filter(|question| question["choice"].is_object()).count();
    assert!((4..=7).contains(&chosen), "{chosen}");
    assert!(
        text(&cbse)
            .contains(&format!("An internal choice has been provided in {chosen} questions of Sections"))
    );
    assert_eq!(text(&cbse).matches("OR\n").count(), 2 * chosen, "{}", text(&cbse));
    assert_eq!(text(&cbse).contains(&format!("given in {chosen} of the 7 questions")), chosen < 7);
    assert!(text(&cbse).contains("15\u{A0}minutes have been allotted"));
    request["board"] = json!("ICSE");
    let icse = paper(&request).await;
    assert!(text(&icse).contains("In Section\u{A0}D attempt any 5 of 7 questions."));
    assert!(!text(&icse).contains("internal choice"));
    assert!(
        text(&icse)
            .contains("counts the 90\u{A0}marks that are printed; pupils attempt questions of 80\u{A0}marks")
    );
}

#[tokio::test]
async fn a_paper_stays_small_enough_for_a_phone() {
    for (subject, chapter) in [("Science", "Electricity"), ("Telugu", "X")] {
        let answer = paper(&body_of(10, subject, chapter, 100, 6, &ALL_TYPES)).await;
        let size = answer["wordContent"].as_str().unwrap().len();
        assert!(size < 150_000, "{subject}: {size}");
    }
}

#[tokio::test]
async fn instructions_speak_of_what_the_class_and_the_paper_have() {
    let of = async |class: u8, subject: &str, chapter: &str, types: &[&str]| {
        text(&paper(&body_of(class, subject, chapter, 25, 3, types)).await).to_owned()
    };
    let small = of(2, "Mathematics", "Numbers from 1 to 20", &["fill", "match", "short"]).await;
    assert!(!small.contains("calculator") && !small.contains('π'), "{small}");
    let upper = of(9, "Mathematics", "Polynomials", &["mcq", "short", "long"]).await;
    assert!(upper.contains("calculators") && upper.contains('π'), "{upper}");
    let some = of(9, "Science", "Sound", &["mcq", "short"]).await;
    assert!(!some.contains("Word limits"), "it has no long answers: {some}");
    let all = of(9, "Science", "Sound", &["very-short", "short", "long"]).await;
    assert!(all.contains("Word limits"), "{all}");
}

#[tokio::test]
async fn a_heading_names_a_level_only_where_all_its_questions_have_it() {
    let types = ["mcq", "very-short", "short", "long"];
    let levels = [("Remember", "understand"), ("Apply", "apply"), ("Analyse", "analyse")];
    let papers = [
        paper(&body_of(10, "Mathematics", "Quadratic Equations", 80, 5, &types)).await,
        paper(&body_of(10, "Mathematics", "Arithmetic Progressions", 75, 4, &["numerical", "match", "fill"]))
            .await,
    ];
    for section in papers.iter().flat_map(|answer| answer["data"]["sections"].as_array().unwrap()) {
        let title = section["title"].as_str().unwrap();
        let Some((_, level)) = levels.iter().find(|(name, _)| title.contains(name)) else { continue };
        for part in section["parts"].as_array().unwrap() {
            for question in part["questions"].as_array().unwrap() {
                assert_eq!(question["bloom"], *level, "{title}: {question}");
            }
        }
    }
}

// rows: V13
#[tokio::test]
async fn is_told_where_a_paper_may_be_hard_to_read() {
    let answer = paper(&body_of(3, "Mathematics", "Decimals", 25, 3, &["mcq", "short", "numerical"])).await;
    assert!(answer["meta"]["warnings"].to_string().contains("hard to read"), "{}", answer["meta"]);
}
