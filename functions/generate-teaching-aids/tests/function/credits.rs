//! The life of a deduction; the path is that of every tool (D01 to D09).

use generate_teaching_aids::TeachingAids;
use serde_json::json;

use crate::deductions::{Case, deduction_tests};
use crate::fakes::body;

fn case() -> Case {
    Case {
        good: body(10, "Science", "Electricity", &["games", "quiz"], 3),
        bad: ("numberOfPages", json!(99)),
        typed: "learningObjectives",
        same: vec![
            ("grade", json!("Class X")),
            ("aidTypes", json!(["Quiz", "Educational Games"])),
            ("numberOfPages", json!("")),
        ],
        other: ("preferredFormat", json!("rtf")),
        file: "documentContent",
    }
}

deduction_tests!(TeachingAids, case());
