//! The function with a model behind it: a local server that writes well, badly, or not at all.

use banyan_functions::env::Env;
use banyan_functions::error::FunctionError;
use banyan_functions::paid_call::{Settings, generate};
use generate_teaching_aids::TeachingAids;
use serde_json::{Value, json};

use crate::fakes::{KINDS, body, text};
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

fn request(kinds: &[&str]) -> Value {
    body(9, "Science", "Gravity on Other Worlds", kinds, 4)
}

async fn run(
    server: &FakeModel,
    kinds: &[&str],
    wallet: &FakeWallet,
    fallback: bool,
) -> Result<Value, FunctionError> {
    let request = request(kinds);
    generate::<TeachingAids>(&call(&request), &Tcp::new(), wallet, &settings(server, fallback), NOW).await
}

fn user(body: &Value) -> Value {
    serde_json::from_str(body["messages"][1]["content"].as_str().expect("a text")).expect("JSON")
}

fn asked_again(body: &Value) -> bool {
    !user(body)["problems"].is_null()
}

/// What a good model writes for an aid.
fn well(body: &Value) -> Value {
    const WORDS: [&str; 8] = ["moon", "comet", "orbit", "planet", "tide", "weight", "mass", "star"];
    let user = user(body);
    let count = user["plan"]["count"].as_u64().expect("a count");
    let name = |at: u64| {
        format!(
            "{} {}",
            WORDS[(at % 8) as usize],
            ["far", "near", "old", "new", "big", "small", "dark"][(at / 8 % 7) as usize]
        )
    };
    let qa = |at: u64| json!({ "q": format!("Why does gravity pull the {}?", name(at)), "a": format!("Because the {} has mass.", name(at)) });
    let many = |make: &dyn Fn(u64) -> Value| (0..count).map(make).collect::<Vec<Value>>();
    match user["plan"]["type"].as_str().expect("a type") {
        "worksheets" | "practice-sheets" | "quiz" => json!({ "items": many(&|at| json!({
            "text": format!("Find the weight of {} kg on the {} of gravity {} N/kg.", at + 2, name(at), at % 5 + 1),
            "answer": format!("{} N", (at + 2) * (at % 5 + 1)),
            "check": { "expression": format!("{}*{}", at + 2, at % 5 + 1), "value": (at + 2) * (at % 5 + 1) } })) }),
        "flashcards" | "games" => {
            json!({ "cards": many(&|at| json!({ "front": format!("Gravity of the {}", name(at)), "back": format!("it pulls the {}", name(at)) })) })
        }
        "interactive-activities" => json!({ "activities": many(&|at| json!({
            "title": format!("Gravity and the {}", name(at)), "aim": "Feel gravity.", "materials": ["a ball"],
            "steps": ["Hold the ball.", "Let it fall.", "Say why it falls."], "columns": ["We saw", "We think"],
            "discuss": [qa(at)], "safety": [], "expected": "The ball falls." })) }),
        "presentation" => json!({ "slides": many(&|at| json!({ "title": format!("Gravity: {}", name(at)),
            "bullets": ["it pulls", "it never pushes"], "note": "Talk about it.", "drawing": "" })) }),
        "study-guides" => json!({
            "terms": [{ "term": "gravity", "meaning": "a pull between bodies" }, { "term": "mass", "meaning": "how much matter" }, { "term": "weight", "meaning": "the pull on a body" }],
            "concepts": ["Gravity pulls.", "It grows with mass.", "It falls with distance."], "examples": [qa(1)],
            "remember": ["Mass stays the same."], "practice": (0..count.clamp(5, 10)).map(qa).collect::<Vec<_>>(),
            "errors": [{ "wrong": "The moon has no gravity.", "right": "It has less." }] }),
        _ => json!({ "criteria": many(&|at| json!({ "name": format!("Explains gravity on the {}", name(at)),
            "levels": ["with own examples", "with the book's example", "with help", "not yet"] })) }),
    }
}

fn case() -> Case {
    Case { good: request(&KINDS), names: ("documentContent", "teachingAids"), well, audit }
}

/// V22: every kind of aid that was asked for, none of them empty.
fn audit(request: &Value, answer: &Value) -> Vec<String> {
    let aids = answer["data"]["aids"].as_array().expect("aids");
    let asked = request["aidTypes"].as_array().expect("kinds").len();
    let empty = aids.iter().filter(|aid| aid["blocks"].as_array().is_none_or(Vec::is_empty));
    let mut faults: Vec<String> = empty.map(|aid| format!("V22: an empty aid: {aid}")).collect();
    if aids.len() != asked {
        faults.push(format!("V22: {} aids of {asked}", aids.len()));
    }
    faults
}

model_tests!(TeachingAids, case());

#[tokio::test]
async fn a_model_fills_every_kind_and_the_label_says_so() {
    let server = FakeModel::start(|_, body| Answer::Stream(well(body).to_string())).await;
    let wallet = FakeWallet::paid();
    let answer = run(&server, &KINDS, &wallet, false).await.unwrap();
    let meta = &answer["meta"];
    assert_eq!((&meta["generator"], &meta["model"]), (&json!("model"), &json!("fake-1")));
    assert_eq!(meta["repairs"], json!({ "regenerated": 0, "replaced": 0 }));
    assert!(text(&answer).contains("Prepared with an AI model") && !text(&answer).contains('✎'));
    assert_eq!((wallet.completions(), server.requests().len()), (1, KINDS.len()));
}

/// A worksheet and a quiz on two pages, each question with so many words more.
async fn with_longer_questions(words: usize) -> Value {
    let server = FakeModel::start(move |_, body| {
        let mut reply = well(body);
        for item in reply["items"].as_array_mut().expect("items") {
            let more = "and say in a few words how you found it ".repeat(words / 10);
            item["text"] = json!(format!("{} {more}", item["text"].as_str().expect("a text")));
        }
        Answer::Stream(reply.to_string())
    })
    .await;
    let mut request = request(&["worksheets", "quiz"]);
    request["numberOfPages"] = json!(2);
    let settings = settings(&server, false);
    let (call, wallet) = (call(&request), FakeWallet::paid());
    generate::<TeachingAids>(&call, &Tcp::new(), &wallet, &settings, NOW).await.expect("aids")
}

// rows: V22
#[tokio::test]
async fn aids_that_fill_more_than_a_page_too_many_give_way_to_built_in_ones() {
    for (words, replaced) in [(0, 0), (10, 0), (60, 1)] {
        let answer = with_longer_questions(words).await;
        assert_eq!(answer["meta"]["repairs"]["replaced"], replaced, "{words} words more");
        assert_eq!(answer["meta"]["generator"], "model", "{words} words more");
    }
}

/// The first reply is spoilt; the second one is good.
async fn repaired(kind: &'static str, spoil: fn(&mut Value), problem: &str) {
    let server = FakeModel::start(move |_, body| {
        let mut reply = well(body);
        if !asked_again(body) {
            spoil(&mut reply);
        }
        Answer::Stream(reply.to_string())
    })
    .await;
    let answer = run(&server, &[kind], &FakeWallet::paid(), false).await.expect("aids");
    assert_eq!(answer["meta"]["repairs"], json!({ "regenerated": 1, "replaced": 0 }), "{problem}");
    let again = server.requests().into_iter().find(asked_again).expect("a second call");
    assert!(user(&again)["problems"].to_string().contains(problem), "{}", user(&again)["problems"]);
}

// rows: V14
#[tokio::test]
async fn a_wrong_sum_is_sent_back() {
    repaired("worksheets", |reply| reply["items"][0]["check"]["value"] = json!(99), "not 99").await;
}

// rows: V03 V08 V22
#[tokio::test]
async fn what_does_not_fit_its_form_is_sent_back() {
    let drop_first = |reply: &mut Value| drop(reply["items"].as_array_mut().expect("items").remove(0));
    repaired("quiz", drop_first, "must have exactly").await;
    repaired(
        "flashcards",
        |reply| reply["cards"][1]["back"] = reply["cards"][0]["back"].clone(),
        "no other card",
    )
    .await;
    repaired(
        "presentation",
        |reply| reply["slides"][0]["bullets"] = json!(["this line has far too many words for a slide"]),
        "at most 8 words",
    )
    .await;
    repaired("rubrics", |reply| reply["criteria"][0]["levels"] = json!(["good", "bad"]), "exactly 4 levels")
        .await;
    repaired("interactive-activities", |reply| reply["activities"][0]["steps"] = json!([]), "3 steps").await;
}

// rows: V12
#[tokio::test]
async fn another_language_is_sent_back() {
    let spoil = |reply: &mut Value| {
        for item in reply["items"].as_array_mut().expect("items") {
            item["text"] = json!("यह प्रश्न हिंदी में लिखा गया है और यहाँ नहीं छप सकता।");
        }
    };
    repaired("worksheets", spoil, "must be written in English").await;
}

// rows: V16 V17
#[tokio::test]
async fn markup_and_addresses_never_reach_the_page() {
    let server = FakeModel::start(|_, body| {
        let mut reply = well(body);
        for card in reply["cards"].as_array_mut().expect("cards") {
            let back = card["back"].as_str().expect("a text").to_owned();
            card["back"] = json!(format!("**{back}.** See https://example.com."));
        }
        Answer::Stream(reply.to_string())
    })
    .await;
    let answer = run(&server, &["flashcards"], &FakeWallet::paid(), false).await.unwrap();
    assert!(!text(&answer).contains("**") && !text(&answer).contains("https"), "{}", text(&answer));
}

#[tokio::test]
async fn a_model_that_never_passes_is_replaced_by_the_bank_and_counted() {
    let server = FakeModel::start(|_, _| Answer::Stream("I would rather tell a story.".to_owned())).await;
    let answer = run(&server, &["quiz", "games"], &FakeWallet::paid(), false).await.unwrap();
    assert_eq!(
        (&answer["meta"]["generator"], &answer["meta"]["repairs"]["replaced"]),
        (&json!("template"), &json!(2))
    );
    assert!(answer["data"]["label"].as_str().unwrap().starts_with("Draft frame."));
}

#[tokio::test]
async fn with_the_setting_the_bank_stands_in_and_says_so() {
    let server = FakeModel::start(|_, _| Answer::Status(401, &[], String::new())).await;
    let stand_in = run(&server, &["quiz"], &FakeWallet::paid(), true).await.unwrap();
    assert_eq!(stand_in["meta"]["generator"], "template");
}
