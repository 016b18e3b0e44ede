//! The function with a model behind it: a local server that writes well, badly, or not at all.

use banyan_functions::env::Env;
use banyan_functions::error::FunctionError;
use banyan_functions::paid_call::{Settings, generate};
use generate_communication::Communication;
use serde_json::{Value, json};

use crate::fakes::{body, text};
use crate::models::{Case, model_tests};
use crate::paid::{FakeWallet, NOW, call};
use crate::support::{Answer, FakeModel, Tcp};

fn settings(server: &FakeModel, fallback: bool) -> Settings {
    let fallback = if fallback { "true" } else { "false" };
    let env = Env::from([
        ("LLM_BASE_URL", server.base.as_str()),
        ("LLM_MODEL", "fake-1"),
        ("LLM_TIMEOUT_MS", "1500"),
        ("ALLOW_TEMPLATE_FALLBACK", fallback),
        ("PRODUCT_NAME", "Shikshak Saathi"),
    ]);
    Settings::from_env(&env)
}

async fn run(server: &FakeModel, wallet: &FakeWallet, fallback: bool) -> Result<Value, FunctionError> {
    let request = body("formal", "formal", "Educational excursion");
    generate::<Communication>(&call(&request), &Tcp::new(), wallet, &settings(server, fallback), NOW).await
}

/// What a good model writes.
fn well() -> Value {
    json!({
        "opening": "You are hereby informed that a visit to the planetarium has been planned, so that the wards can see the night sky explained.",
        "request": "Kindly return the consent slip signed in good time, and send the ward with a water bottle and a light meal.",
        "support": "The school is grateful for your kind support.",
        "agenda": [],
    })
}

fn case() -> Case {
    let good = body("formal", "formal", "Educational excursion");
    Case { good, names: ("documentContent", "generatedCommunication"), well: |_| well(), audit }
}

/// V19: what was typed is printed as it was typed, in a formal tone, and the whole is no longer
/// than a letter of one page.
fn audit(request: &Value, answer: &Value) -> Vec<String> {
    // Number and unit stay on one line, by a space of their own.
    let text =
        answer["generatedCommunication"].as_str().expect("a text").replace(['\u{a0}', '\u{202f}'], " ");
    let typed = |field: &str| request[field].as_str().expect("a text").to_owned();
    let facts = ["schoolName", "senderRole", "senderName", "targetAudience", "purpose"].map(typed);
    let details = typed("keyDetails");
    let details =
        details.lines().filter_map(|line| line.split_once(": ")).map(|(_, detail)| detail.to_owned());
    let facts = facts.into_iter().chain(details).chain(["15-01-2027".to_owned()]);
    let missing = facts.filter(|fact| !text.contains(fact.as_str()));
    let mut faults: Vec<String> = missing.map(|fact| format!("V19: {fact} is not printed")).collect();
    if text.contains('!') {
        faults.push("V19: a formal letter without exclamation marks".to_owned());
    }
    let words = text.split_whitespace().count();
    if words > 300 {
        faults.push(format!("V22: {words} words"));
    }
    faults
}

model_tests!(Communication, case());

fn asked_again(body: &Value) -> bool {
    let user: Value =
        serde_json::from_str(body["messages"][1]["content"].as_str().expect("a text")).expect("JSON");
    !user["problems"].is_null()
}

#[tokio::test]
async fn a_model_fills_the_sentences_and_the_program_prints_the_facts() {
    let server = FakeModel::start(|_, _| Answer::Stream(well().to_string())).await;
    let wallet = FakeWallet::paid();
    let answer = run(&server, &wallet, false).await.unwrap();
    assert_eq!((&answer["meta"]["generator"], &answer["meta"]["model"]), (&json!("model"), &json!("fake-1")));
    assert!(
        text(&answer).contains("the night sky explained") && text(&answer).contains("15-01-2027 (Friday)")
    );
    assert!(answer["data"]["label"].as_str().unwrap().starts_with("Prepared with an AI model"));
    assert_eq!((wallet.completions(), server.requests().len()), (1, 1));
}

/// The first reply is spoilt in one slot; the second one is good.
async fn repaired(slot: &'static str, text_of_slot: &'static str, problem: &str) {
    let server = FakeModel::start(move |_, body| {
        let mut reply = well();
        if !asked_again(body) {
            reply[slot] = json!(text_of_slot);
        }
        Answer::Stream(reply.to_string())
    })
    .await;
    let answer = run(&server, &FakeWallet::paid(), false).await.expect("a message");
    assert_eq!(answer["meta"]["repairs"], json!({ "regenerated": 1, "replaced": 0 }), "{problem}");
    let again = server.requests().into_iter().find(asked_again).expect("a second call");
    assert!(again["messages"][1]["content"].as_str().expect("a text").contains(problem), "{problem}");
}

// rows: V19
#[tokio::test]
async fn facts_and_tones_of_the_model_are_sent_back() {
    repaired(
        "opening",
        "You are hereby informed that the visit to the planetarium is on 16 January.",
        "no dates",
    )
    .await;
    repaired("support", "We can't wait to see you!", "no contractions").await;
    repaired("request", "", "must not be empty").await;
}

// rows: V12 V16 V20
#[tokio::test]
async fn what_must_not_be_printed_is_sent_back() {
    repaired(
        "opening",
        "आपको सूचित किया जाता है कि विद्यार्थियों के लिए शैक्षिक भ्रमण का आयोजन किया जा रहा है।",
        "must be written in English",
    )
    .await;
    repaired(
        "request",
        "Kindly send the OTP and the Aadhaar card of the ward to the class teacher in good time.",
        "never ask for Aadhaar",
    )
    .await;
    repaired("support", "Learn how to make a bomb at home.", "not suitable").await;
}

#[tokio::test]
async fn what_no_message_may_ask_for_never_reaches_a_model() {
    let server = FakeModel::start(|_, _| Answer::Stream(well().to_string())).await;
    let mut request = body("whatsapp", "formal", "Fee");
    request["keyDetails"] = json!("Reply with your Aadhaar number, bank account and OTP.");
    let wallet = FakeWallet::paid();
    let answer =
        generate::<Communication>(&call(&request), &Tcp::new(), &wallet, &settings(&server, true), NOW).await;
    assert_eq!(answer, Err(FunctionError::ImproperRequest { field: "keyDetails" }));
    assert!(server.requests().is_empty());
}

// rows: V16 V17
#[tokio::test]
async fn markup_and_addresses_never_reach_the_reader() {
    let server = FakeModel::start(|_, _| {
        let mut reply = well();
        let support = reply["support"].as_str().expect("a text").to_owned();
        reply["support"] = json!(format!("**{support}** Visit https://example.com today."));
        Answer::Stream(reply.to_string())
    })
    .await;
    let answer = run(&server, &FakeWallet::paid(), false).await.unwrap();
    assert!(!text(&answer).contains("**") && !text(&answer).contains("https"), "{}", text(&answer));
}

#[tokio::test]
async fn a_model_that_never_passes_is_replaced_by_the_bank() {
    for reply in ["I would rather tell a story.", "{\"opening\":\"SAATHI-MESSAGE-1\"}"] {
        let server = FakeModel::start(move |_, _| Answer::Stream(reply.to_owned())).await;
        let answer = run(&server, &FakeWallet::paid(), false).await.unwrap();
        assert_eq!(
            (&answer["meta"]["generator"], &answer["meta"]["model"]),
            (&json!("template"), &Value::Null)
        );
        assert_eq!(answer["meta"]["repairs"]["replaced"], 1);
        assert!(text(&answer).contains("an educational excursion has been planned"));
    }
}

#[tokio::test]
async fn with_the_setting_the_bank_stands_in_and_says_so() {
    let server = FakeModel::start(|_, _| Answer::Status(401, &[], String::new())).await;
    let answer = run(&server, &FakeWallet::paid(), true).await.unwrap();
    assert_eq!(answer["meta"]["generator"], "template");
}
