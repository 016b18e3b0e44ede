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
async fn the_forecast_knows_how_much_the_bank_has() {
    for (chapter, coverage, sentence) in [
        ("Electricity", 0.8..=1.0, "Prepared from the built-in"),
        ("Our Environment", 0.0..=0.3, "Draft frame."),
    ] {
        let mut request = body(10, "Science", chapter, 3);
        request["dryRun"] = json!(true);
        let forecast = answer(&request, &FakeWallet::default()).await.unwrap();
        assert!(forecast["meta"]["label"].as_str().unwrap().starts_with(sentence), "{forecast}");
        assert!(coverage.contains(&forecast["meta"]["coverage"].as_f64().unwrap()), "{forecast}");
    }
}
