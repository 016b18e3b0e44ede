//! The life of a deduction; the path is that of every tool, though the wallet takes the price itself (D01 to D09).

use generate_communication::Communication;
use serde_json::json;

use crate::deductions::{Case, deduction_tests};
use crate::fakes::body;

fn case() -> Case {
    Case {
        good: body("ptm", "semi-formal", "PTM"),
        bad: ("eventDate", json!("tomorrow")),
        typed: "keyDetails",
        same: vec![
            ("communicationType", json!("PTM")),
            ("tone", json!("Semi-Formal")),
            ("eventDate", json!("15-01-2027")),
        ],
        other: ("eventDate", json!("2027-01-16")),
        file: "documentContent",
    }
}

deduction_tests!(Communication, case());
