//! The life of a deduction; the path is that of every tool (D01 to D09).

use generate_lesson_plan::LessonPlan;
use serde_json::json;

use crate::deductions::{Case, deduction_tests};
use crate::fakes::{answer, body};
use crate::paid::FakeWallet;

fn case() -> Case {
    Case {
        good: body(10, "Science", "Electricity", 2),
        bad: ("class", json!("thirteen")),
        typed: "chapter",
        same: vec![("class", json!("Class X")), ("periods", json!("2 periods"))],
        other: ("periods", json!(3)),
        file: "docContent",
    }
}

deduction_tests!(LessonPlan, case());

// rows: app/D04
#[tokio::test]
async fn the_estimate_knows_how_much_the_bank_has() {
    for (chapter, coverage, sentence) in [
        ("Electricity", 0.8..=1.0, "Prepared from the built-in"),
        ("Our Environment", 0.0..=0.3, "Draft frame."),
    ] {
        let mut request = body(10, "Science", chapter, 3);
        request["dryRun"] = json!(true);
        let estimate = answer(&request, &FakeWallet::default()).await.unwrap();
        assert!(estimate["meta"]["label"].as_str().unwrap().starts_with(sentence), "{estimate}");
        assert!(coverage.contains(&estimate["meta"]["coverage"].as_f64().unwrap()), "{estimate}");
    }
}
