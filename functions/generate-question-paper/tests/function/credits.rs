//! The life of a deduction; the path is that of every tool (D01 to D09).

use generate_question_paper::QuestionPaper;
use serde_json::json;

use crate::deductions::{Case, deduction_tests};
use crate::fakes::{answer, body};
use crate::paid::FakeWallet;

fn case() -> Case {
    Case {
        good: body(10, "Science", "Electricity"),
        bad: ("marks", json!(30)),
        typed: "chapter",
        same: vec![("marks", json!("80")), ("questionTypes", json!(["Long", "Short", "Very Short", "MCQ"]))],
        other: ("difficultyLevel", json!("hard")),
        file: "wordContent",
    }
}

deduction_tests!(QuestionPaper, case());

// rows: app/D04
#[tokio::test]
async fn the_estimate_has_the_marks_plan() {
    let mut request = body(10, "Science", "Our Environment");
    request["dryRun"] = json!(true);
    let estimate = answer(&request, &FakeWallet::default()).await.unwrap();
    assert_eq!(estimate["plan"]["totalMarks"], 80);
    assert_eq!(estimate["plan"]["sections"].as_array().unwrap().len(), 4);
}
