//! Samples of lesson plans.

use banyan_functions::env::Env;
use banyan_functions::error::FunctionError;
use banyan_functions::paid_call::{Settings, generate};
use banyan_functions::wallet::Claim;
use generate_lesson_plan::LessonPlan;
use serde_json::{Value, json};

use crate::fakes::{body, built_in};
use crate::paid::{Event, FakeWallet, NOW, Offline};
use crate::samples_of::{FakeStorage, PROJECT, docx, marker, project, signed_call};
use crate::support::{Answer, FakeModel, Tcp};

const WRITTEN: &str = include_str!("../written.json");

fn request() -> Value {
    let mut request = body(10, "Science", "Electricity", 2);
    request["referencePlanUrl"] = json!(marker("docx"));
    request
}

fn sample() -> Vec<u8> {
    docx(&[
        "#Lesson plan of our school",
        "#1. Teaching Aids",
        "A battery, two bulbs and a switch that every bench gets from the box.",
        "#2. Learning Objectives:",
        "Pupils explain what a current is.",
        "#3. Evaluation",
        "Five oral questions.",
    ])
}

async fn answered(
    body: &Value,
    storage: &FakeStorage<Offline>,
    wallet: &FakeWallet,
) -> Result<Value, FunctionError> {
    let settings = Settings { env: project(), ..built_in() };
    generate::<LessonPlan>(&signed_call(body), storage, wallet, &settings, NOW).await
}

fn storage(sample: Option<Vec<u8>>) -> FakeStorage<Offline> {
    FakeStorage::new(Offline::default(), sample)
}

/// What a model was shown.
fn user(body: &Value) -> Value {
    serde_json::from_str(body["messages"][1]["content"].as_str().expect("a text")).expect("JSON")
}

fn code(failure: Result<Value, FunctionError>) -> &'static str {
    failure.expect_err("no document").code()
}

// rows: GEN-5.3.2 GEN-5.3.6
#[tokio::test]
async fn a_plan_has_the_order_and_the_names_of_its_sample() {
    let storage = storage(Some(sample()));
    let answer = answered(&request(), &storage, &FakeWallet::paid()).await.expect("a plan");
    let text = answer["lessonPlan"].as_str().expect("a text");
    let places =
        ["\nTeaching Aids\n", "\nLearning Objectives\n", "\nEvaluation\n"].map(|name| text.find(name));
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?} in {text}");
    assert_eq!(answer["data"]["order"][0], json!({ "part": "resources", "title": "Teaching Aids" }));
    assert_eq!(answer["data"]["order"].as_array().map(Vec::len), Some(11), "nothing is left out");
    assert!(!text.contains("that every bench gets"), "no sentence of the sample");
    assert!(!answer["meta"]["warnings"].to_string().contains("sample"), "{}", answer["meta"]["warnings"]);
    let path = format!("/storage/v1/object/samples/{}", marker("docx"));
    assert_eq!(*storage.asked.borrow(), [(path, "Bearer token-of-the-caller".to_owned())]);
}

// rows: GEN-5.3.6
#[tokio::test]
async fn a_sample_without_the_parts_of_a_plan_is_told() {
    let letter = docx(&["Dear parents, the school is closed on Monday because of the elections."]);
    let answer = answered(&request(), &storage(Some(letter)), &FakeWallet::paid()).await.expect("a plan");
    assert!(answer["meta"]["warnings"].to_string().contains("shows no headings, so the plan"));
    assert_eq!(answer["data"].get("order"), None);
}

/// What the dry run says of a sample with these paragraphs.
async fn told(paragraphs: &[&str]) -> Value {
    let mut dry = request();
    dry["dryRun"] = json!(true);
    let answer = answered(&dry, &storage(Some(docx(paragraphs))), &FakeWallet::default()).await;
    answer.expect("an estimate")["sample"].take()
}

// rows: GEN-5.3.6 GEN-1.14
#[tokio::test]
async fn plans_that_teachers_use_are_followed() {
    let periods = "Period-wise Plan";
    for (sample, followed) in [
        (
            ["#Learning Outcomes", "#Engage", "#Explore", "#Explain", "#Elaborate", "#Evaluate"].as_slice(),
            ["Learning Outcomes", periods, "Evaluate"].as_slice(),
        ),
        (&["#Aim", "#Introduction", "#Development", "#Recapitulation", "#Home Work"], &["Aim", periods]),
        (
            &["#Learning Goals", "#Pedagogical Process", "#Assessment"],
            &["Learning Goals", "Pedagogical Process", "Assessment"],
        ),
        (&["#उद्देश्य", "#प्रस्तावना", "#प्रस्तुतिकरण", "#पुनरावृत्ति", "#गृहकार्य"], &["Learning Outcomes", periods]),
    ] {
        assert_eq!(told(sample).await, json!({ "followed": followed, "warning": null }));
    }
}

// rows: GEN-5.3.6 GEN-1.14
#[tokio::test]
async fn the_known_headings_of_a_sample_are_told() {
    let few = told(&["#Learning Outcomes", "#Priority tasks of the week", "#Blinking bulbs"]).await;
    assert_eq!(few["followed"], json!([]));
    let warning =
        "Only 1 of the 3 headings of your sample are known: Learning Outcomes. The plan has its usual order.";
    assert_eq!(few["warning"], warning);
    let none = told(&["#Priority tasks of the week", "#Blinking bulbs"]).await;
    assert!(none["warning"].to_string().contains("Of the 2 headings of your sample none is known"));
    let mut without = request();
    without["dryRun"] = json!(true);
    without["referencePlanUrl"] = json!("");
    let answer = answered(&without, &storage(None), &FakeWallet::default()).await.expect("an estimate");
    assert_eq!(answer["sample"], Value::Null);
}

// rows: GEN-5.3.11 GEN-1.14
#[tokio::test]
async fn a_sample_that_cannot_be_used_is_told_before_the_claim() {
    let scanned = storage(Some(docx(&[""])));
    let wallet = FakeWallet::paid();
    assert_eq!(code(answered(&request(), &scanned, &wallet).await), "sample_without_text");
    assert_eq!(*wallet.events.borrow(), [Event::Refused("generate-lesson-plan".to_owned())]);
    let mut dry = request();
    dry["dryRun"] = json!(true);
    let wallet = FakeWallet::default();
    assert_eq!(code(answered(&dry, &scanned, &wallet).await), "sample_without_text");
    assert_eq!(
        code(answered(&dry, &storage(Some(b"GIF89a".to_vec())), &wallet).await),
        "sample_not_a_document"
    );
    assert_eq!(
        code(answered(&dry, &storage(Some(vec![b' '; 10_000_001])), &wallet).await),
        "sample_too_large"
    );
    assert_eq!(code(answered(&dry, &storage(None), &wallet).await), "sample_missing");
    assert_eq!(*wallet.events.borrow(), [], "a dry run touches no credits");
}

// rows: GEN-1.14 GEN-5.3.11
#[tokio::test]
async fn estimates_of_a_user_read_one_sample_at_a_time() {
    let mut dry = request();
    dry["dryRun"] = json!(true);
    let wallet = FakeWallet::default();
    wallet.is_reading.set(true);
    let unread = storage(Some(sample()));
    assert_eq!(code(answered(&dry, &unread, &wallet).await), "busy");
    assert!(unread.asked.borrow().is_empty(), "the sample is not fetched");
    let mut without = dry.clone();
    without["referencePlanUrl"] = json!("");
    assert!(answered(&without, &unread, &wallet).await.is_ok());
    wallet.is_reading.set(false);
    for _ in 0..2 {
        assert!(answered(&dry, &storage(Some(sample())), &wallet).await.is_ok());
    }
    assert_eq!(code(answered(&dry, &storage(None), &wallet).await), "sample_missing");
    assert!(!wallet.is_reading.get(), "a failure ends the reading, too");
}

// rows: GEN-5.3.12
#[tokio::test]
async fn a_repeat_gets_its_plan_although_the_sample_is_deleted() {
    let stored = json!({ "lessonPlan": "as it was" });
    let wallet = FakeWallet::answering([Claim::Running, Claim::Replayed(stored.clone())]);
    assert_eq!(answered(&request(), &storage(None), &wallet).await, Ok(stored));
    assert!(wallet.failures().is_empty() && wallet.refused().is_empty());
    let wallet = FakeWallet::paid();
    assert_eq!(code(answered(&request(), &storage(None), &wallet).await), "sample_missing");
    assert_eq!(wallet.failures(), ["sample_missing"], "the credits went back");
    assert_eq!(wallet.completions(), 0);
}

// rows: GEN-5.3.12
#[tokio::test]
async fn storage_that_does_not_answer_costs_nothing() {
    let wallet = FakeWallet::paid();
    let settings = Settings { env: Env::from([PROJECT[0], ("SUPABASE_ANON_KEY", "")]), ..built_in() };
    let answer =
        generate::<LessonPlan>(&signed_call(&request()), &Offline::default(), &wallet, &settings, NOW).await;
    assert_eq!((code(answer), wallet.failures()), ("busy", vec!["busy".to_owned()]));
}

// rows: GEN-1.13 GEN-5.3.2
#[tokio::test]
async fn the_file_of_another_is_not_looked_up() {
    let other = marker("docx").replacen('3', "4", 1);
    for foreign in [other.as_str(), "my-plan.pdf", "reference-plan-uploaded"] {
        let storage = storage(Some(sample()));
        let mut request = request();
        request["referencePlanUrl"] = json!(foreign);
        let answer = answered(&request, &storage, &FakeWallet::paid()).await.expect("a plan");
        assert!(answer["meta"]["warnings"].to_string().contains("no file that you have uploaded"));
        assert!(storage.asked.borrow().is_empty(), "{foreign}");
    }
}

// rows: GEN-5.3.9
#[tokio::test]
async fn a_model_sees_the_sample_between_fences_and_may_not_copy_it() {
    let server = FakeModel::start(|_, body| {
        let user = user(body);
        let part = if user["plan"]["period"].is_object() { "period" } else { "frame" };
        let mut reply = serde_json::from_str::<Value>(WRITTEN).expect("JSON")[part].clone();
        if part == "period" && user["problems"].is_null() {
            reply["homework"] = json!("Find two bulbs and a switch that every bench gets from the box.");
        }
        Answer::Stream(reply.to_string())
    })
    .await;
    let env = Env::from([
        PROJECT[0],
        PROJECT[1],
        ("LLM_BASE_URL", server.base.as_str()),
        ("LLM_MODEL", "fake-1"),
        ("LLM_TIMEOUT_MS", "1500"),
        ("PRODUCT_NAME", "Shikshak Saathi"),
    ]);
    let mut request = body(9, "Science", "How Forces Affect Motion", 2);
    request["referencePlanUrl"] = json!(marker("docx"));
    let storage = FakeStorage::new(Tcp::new(), Some(sample()));
    let wallet = FakeWallet::paid();
    let answer =
        generate::<LessonPlan>(&signed_call(&request), &storage, &wallet, &Settings::from_env(&env), NOW)
            .await;
    let answer = answer.expect("a plan");
    assert!(!answer["lessonPlan"].as_str().expect("a text").contains("every bench gets"));
    let requests = server.requests();
    assert_eq!(requests.len(), 5, "each period is asked for again");
    let user = user(&requests[0]);
    let sample = user["sample"].as_str().expect("the sample");
    assert!(sample.starts_with("<<<SAMPLE") && sample.ends_with("SAMPLE>>>"), "{sample}");
    assert!(sample.contains("A battery, two bulbs"));
}
