//! The life of a deduction; the path is that of every tool, though the wallet takes the price
//! itself (D01 to D09).

use banyan_functions::env::Env;
use banyan_functions::error::FunctionError;
use banyan_functions::paid_call::{Settings, generate};
use generate_communication::Communication;
use serde_json::json;

use crate::deductions::{Case, deduction_tests};
use crate::fakes::body;
use crate::paid::{FakeWallet, NOW, Offline, call};

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

/// What is asked of parents in key details, purpose, signature or by one of the languages; and in
/// which medium.
#[tokio::test]
async fn what_no_message_may_ask_for_is_refused_and_nothing_is_charged() {
    let asking = "Reply with your Aadhaar number, bank account number and the OTP.";
    for (medium, field, text) in [
        ("whatsapp", "keyDetails", asking),
        ("ptm", "keyDetails", asking),
        ("formal", "purpose", asking),
        ("whatsapp", "signature", "Send your UPI PIN to me"),
        ("whatsapp", "keyDetails", "अपना आधार नंबर और ओटीपी इस नंबर पर भेजें"),
        ("whatsapp", "purpose", "Fee: pay today or your child will be beaten"),
        ("whatsapp", "keyDetails", "Please share Rohan's medical report in this group"),
    ] {
        let mut request = body(medium, "formal", "Fee");
        request[field] = json!(text);
        let settings = Settings {
            product: "Shikshak Saathi".to_owned(),
            model: None,
            daily_tokens: None,
            env: Env::default(),
        };
        for dry in [false, true] {
            request["dryRun"] = json!(dry);
            let wallet = FakeWallet::paid();
            let answer =
                generate::<Communication>(&call(&request), &Offline::default(), &wallet, &settings, NOW)
                    .await;
            assert_eq!(answer, Err(FunctionError::ImproperRequest { field }), "{medium} {text}");
            let claimed = wallet
                .events
                .borrow()
                .iter()
                .any(|event| matches!(event, crate::paid::Event::Claimed { .. }));
            assert!(!claimed, "nothing is charged: {text}");
        }
    }
}
