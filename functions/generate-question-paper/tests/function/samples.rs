//! Samples of question papers.

use banyan_functions::error::FunctionError;
use banyan_functions::paid_call::{Settings, generate};
use generate_question_paper::QuestionPaper;
use serde_json::{Value, json};

use crate::fakes::{body_of, built_in};
use crate::paid::{Event, FakeWallet, NOW, Offline};
use crate::samples_of::{FakeStorage, docx, marker, project, signed_call};

/// 20 marks: three of 1 to choose from, four short ones of 3, a long one of 5.
fn sample() -> Vec<u8> {
    docx(&[
        "#Unit Test",
        "Maximum marks: 20",
        "#Section A: Multiple choice questions",
        "1. The unit of current is (1)",
        "2. The unit of charge is (1)",
        "3. A fuse is made of (1)",
        "#Section B: Short answers",
        "4. Why do birds sit on wires unharmed? (3)",
        "5. What does a fuse do in a house? (3)",
        "6. How are meters connected in a circuit? (3)",
        "7. What makes a wire resist a current? (3)",
        "#Section C: Long answers",
        "8. Describe an experiment about Ohm's law. (5)",
    ])
}

fn request(marks: u32) -> Value {
    let mut request = body_of(10, "Science", "Electricity", marks, 3, &["mcq", "short", "long"]);
    request["referencePaperUrl"] = json!(marker("docx"));
    request
}

async fn answered(
    body: &Value,
    sample: Option<Vec<u8>>,
    wallet: &FakeWallet,
) -> Result<Value, FunctionError> {
    let settings = Settings { env: project(), ..built_in() };
    let storage = FakeStorage::new(Offline::default(), sample);
    generate::<QuestionPaper>(&signed_call(body), &storage, wallet, &settings, NOW).await
}

/// Type, count and marks of each part.
fn pattern(answer: &Value) -> Vec<(Value, Value, Value)> {
    let sections = answer["data"]["sections"].as_array().expect("sections").iter();
    let parts = sections.flat_map(|section| section["parts"].as_array().expect("parts"));
    parts.map(|part| (part["type"].clone(), part["count"].clone(), part["marksEach"].clone())).collect()
}

fn of_sample() -> Vec<(Value, Value, Value)> {
    [("mcq", 3, 1), ("short", 4, 3), ("long", 1, 5)].map(|(a, b, c)| (json!(a), json!(b), json!(c))).to_vec()
}

// rows: GEN-5.3.6
#[tokio::test]
async fn a_paper_has_the_pattern_of_its_sample() {
    let answer = answered(&request(20), Some(sample()), &FakeWallet::paid()).await.expect("a paper");
    assert_eq!(pattern(&answer), of_sample());
    let text = answer["questionPaper"].as_str().expect("a text");
    assert!(!text.contains("birds sit on wires"), "no question of the sample");
    assert!(!answer["meta"]["warnings"].to_string().contains("sample"), "{}", answer["meta"]["warnings"]);
    let mut without = request(20);
    without["referencePaperUrl"] = json!("");
    let usual = answered(&without, None, &FakeWallet::paid()).await.expect("a paper");
    assert_ne!(pattern(&usual), of_sample());
}

// rows: GEN-5.3.6
#[tokio::test]
async fn the_form_counts_where_a_sample_has_another_pattern() {
    let answer = answered(&request(25), Some(sample()), &FakeWallet::paid()).await.expect("a paper");
    assert!(answer["meta"]["warnings"].to_string().contains("so the form was followed"));
    let marks = answer["data"]["sections"].as_array().expect("sections").iter();
    assert_eq!(marks.filter_map(|section| section["marks"].as_u64()).sum::<u64>(), 25);
}

/// The sample with names and numbers of its own.
fn named_sample() -> Vec<u8> {
    docx(&[
        "#Half Yearly Examination 2024-25",
        "Maximum marks: 20",
        "#PART ONE: Multiple choice questions",
        "Q1. The unit of current is (1)",
        "Q2. The unit of charge is (1)",
        "Q3. A fuse is made of (1)",
        "#PART TWO: Short answers",
        "Q4. Why do birds sit on wires unharmed? (3)",
        "Q5. What does a fuse do in a house? (3)",
        "Q6. How are meters connected in a circuit? (3)",
        "Q7. What makes a wire resist a current? (3)",
        "#PART THREE: Long answers",
        "Q8. Describe an experiment about Ohm's law. (5)",
    ])
}

// rows: GEN-5.3.6
#[tokio::test]
async fn a_paper_has_the_names_and_the_numbering_of_its_sample() {
    for marks in [20, 25] {
        let answer =
            answered(&request(marks), Some(named_sample()), &FakeWallet::paid()).await.expect("a paper");
        let text = answer["questionPaper"].as_str().expect("a text");
        for part in ["Half Yearly Examination 20", "PART ONE", "PART THREE: question", "Q1.", "Q8."] {
            assert!(text.contains(part), "{part} in {text}");
        }
        for part in ["SECTION A", "Section A", "2024-25"] {
            assert!(!text.contains(part), "{part} in {text}");
        }
        assert_eq!(answer["data"]["numbering"], json!(["Q", "."]));
        assert_eq!(answer["data"]["sections"][1]["name"], "PART TWO");
    }
}

// rows: GEN-5.3.6 GEN-1.14
#[tokio::test]
async fn the_difference_between_sample_and_form_is_told() {
    let mut dry = request(100);
    dry["dryRun"] = json!(true);
    let told = answered(&dry, Some(named_sample()), &FakeWallet::default()).await.expect("an estimate");
    let types = "Multiple Choice Questions, Short Answer Questions, Long Answer Questions";
    let warning = format!(
        "Your sample has another pattern than the form, so the form was followed. \
         Sample: 3 sections, 20 marks, {types}. Form: 3 sections, 100 marks, {types}."
    );
    assert_eq!(told["sample"]["warning"], warning);
    let followed = ["Half Yearly Examination", "PART ONE", "PART TWO", "PART THREE"];
    assert_eq!(told["sample"]["followed"], json!(followed));
    let letter = docx(&["Dear parents, the school is closed on Monday."]);
    let told = answered(&dry, Some(letter), &FakeWallet::default()).await.expect("an estimate");
    assert!(told["sample"]["warning"].to_string().contains("shows no questions with numbers"));
}

// rows: GEN-5.3.11 GEN-5.3.2
#[tokio::test]
async fn a_sample_that_cannot_be_used_is_told_before_the_claim() {
    let wallet = FakeWallet::paid();
    let failure = answered(&request(20), Some(docx(&[""])), &wallet).await.expect_err("no paper");
    assert_eq!(failure.code(), "sample_without_text");
    assert_eq!(*wallet.events.borrow(), [Event::Refused("generate-question-paper".to_owned())]);
    let mut foreign = request(20);
    foreign["referencePaperUrl"] = json!("my-paper.pdf");
    let answer = answered(&foreign, Some(docx(&[""])), &FakeWallet::paid()).await.expect("a paper");
    assert!(answer["meta"]["warnings"].to_string().contains("no file that you have uploaded"));
}
