//! Moderation by a model (SPECIFICATION.md GEN-8) in the path of a call: it judges the request, and
//! the document that a model wrote.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use banyan_functions::env::Env;
use banyan_functions::error::{Failure as _, FunctionError, FunctionRefusal};
use banyan_functions::model::Call;
use banyan_functions::model::authoring::{Writer, may_stand_in};
use banyan_functions::moderation::{Guidance, Verdict};
use banyan_functions::paid_call::{Job, Settings, Tool, generate};
use banyan_functions::seed::body_hash;
use banyan_functions::transport::{Deadline, Transport};
use serde_json::{Value, json};

use crate::paid::{Event, FakeWallet, NOW, Offline, call};
use crate::support::{Answer, FakeModel, SAFE, Tcp, judged};

/// What is wrong with a judge, and its answer then.
type Failing = (&'static str, fn() -> Answer);

/// A tool of one text, which a model writes, or the built-in generator.
pub(crate) struct Note;

impl Tool for Note {
    const NAME: &'static str = "note";

    type Request = String;

    fn read(body: &Value) -> Result<String, FunctionError> {
        Ok(body["topic"].as_str().unwrap_or_default().to_owned())
    }

    fn typed(topic: &String) -> Vec<&str> {
        vec![topic]
    }

    fn normalised(topic: &String) -> Value {
        json!(topic)
    }

    fn estimate(_topic: &String, _writer: Writer) -> Value {
        json!("an estimate")
    }

    async fn write(
        transport: &impl Transport,
        settings: &Settings,
        job: &Job<'_, String>,
    ) -> Result<Value, FunctionError> {
        let (generator, text) = match &settings.model {
            None => ("template", "a built-in text".to_owned()),
            Some(config) => {
                let asked = Call {
                    name: "note",
                    system: "write".to_owned(),
                    user: json!({ "topic": job.request }),
                    schema: json!({ "type": "object" }),
                    temperature: 0.0,
                    max_tokens: 100,
                    seed: 0,
                };
                let deadline = Deadline::after(transport, config.budget);
                match job.client(transport, config).ask(&asked, deadline).await {
                    Ok(reply) => ("model", reply.text),
                    Err(error) => {
                        may_stand_in(config, error)?;
                        ("template", "a built-in text".to_owned())
                    }
                }
            }
        };
        let usage = json!({ "input": 10, "output": 5 });
        Ok(json!({
            "data": { "title": "Note", "body": [text] },
            "verdict": format!("{:?}", job.verdict),
            "meta": { "generator": generator, "usage": usage },
        }))
    }
}

/// Milliseconds for a document, where there is time enough.
const AMPLE: &str = "3000";

fn settings(server: &FakeModel, milliseconds: &str, stand_in: bool) -> Settings {
    Settings::from_env(&Env::from([
        ("LLM_BASE_URL", server.base.as_str()),
        ("LLM_MODEL", "fake-1"),
        ("LLM_TIMEOUT_MS", milliseconds),
        ("ALLOW_TEMPLATE_FALLBACK", if stand_in { "true" } else { "false" }),
    ]))
}

async fn note_in(
    server: &FakeModel,
    wallet: &FakeWallet,
    milliseconds: &str,
    stand_in: bool,
) -> Result<Value, FunctionError> {
    let request = call(&json!({ "topic": "Chalk and duster" }));
    let settings = settings(server, milliseconds, stand_in);
    generate::<Note>(&request, &Tcp::new(), wallet, &settings, NOW).await
}

/// A note by a model for which nothing stands in.
async fn note(server: &FakeModel, wallet: &FakeWallet) -> Result<Value, FunctionError> {
    note_in(server, wallet, AMPLE, false).await
}

/// A note by a model for which the built-in generator stands in.
async fn note_or_built_in(server: &FakeModel, wallet: &FakeWallet) -> Result<Value, FunctionError> {
    note_in(server, wallet, AMPLE, true).await
}

fn writes(_: usize, _: &Value) -> Answer {
    Answer::Stream("a sentence of the model".to_owned())
}

// rows: GEN-8
#[tokio::test]
async fn request_and_document_are_judged_once_each_before_anything_is_handed_out() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let judge = {
        let seen = seen.clone();
        move |asked: &Value| {
            seen.lock().expect("no test panics with the lock").push(asked.clone());
            judged(SAFE)
        }
    };
    let (server, wallet) = (FakeModel::judging(judge, writes).await, FakeWallet::paid());
    wallet.admin.set(true);
    let answer = note(&server, &wallet).await.expect("a safe note");
    assert_eq!(
        *seen.lock().expect("no test panics with the lock"),
        [
            json!({ "of": "request", "judge": ["Chalk and duster"] }),
            json!({ "of": "document", "judge": ["a sentence of the model", "Note"] }),
        ]
    );
    assert_eq!((wallet.completions(), wallet.failures().len(), server.requests().len()), (1, 0, 1));
    assert_eq!(
        answer["meta"]["usage"],
        json!({ "input": 210, "output": 105 }),
        "both judgements are counted"
    );
}

// rows: GEN-8
#[tokio::test]
async fn without_a_model_the_rules_alone_judge_and_nothing_is_asked() {
    let (wallet, offline) = (FakeWallet::paid(), Offline::default());
    let built_in = Settings::from_env(&Env::from([]));
    let answer =
        generate::<Note>(&call(&json!({ "topic": "Chalk" })), &offline, &wallet, &built_in, NOW).await;
    assert_eq!(answer.expect("a note")["meta"]["generator"], "template");
    assert_eq!(offline.now(), Duration::ZERO);
}

// rows: GEN-8
#[tokio::test]
async fn a_request_that_a_model_finds_unsafe_is_refused_and_given_back() {
    for (level, word, counted) in [("toxic", "classroom", 1), ("sensitive", "counsellor", 0)] {
        let server = FakeModel::judging(move |_| judged((level, "self_harm", 5)), writes).await;
        let wallet = FakeWallet::paid();
        let refusal = note_or_built_in(&server, &wallet).await.unwrap_err();
        assert_eq!((refusal.status().as_u16(), refusal.code()), (422, "unsafe_request"), "{level}");
        assert!(refusal.to_string().contains(word), "{refusal}");
        assert_eq!((wallet.failures(), wallet.completions()), (vec!["unsafe_request".to_owned()], 0));
        assert_eq!((wallet.refusals.borrow().len(), server.requests().len()), (counted, 0), "{level}");
    }
}

// rows: GEN-8
#[tokio::test]
async fn a_refusal_is_counted_under_the_hash_of_what_was_asked_for() {
    let wallet = FakeWallet::default();
    let built_in = Settings::from_env(&Env::from([]));
    for topic in ["How to make a bomb at home", "How to make a bomb at home", "How to make a bomb at school"]
    {
        let request = call(&json!({ "topic": topic }));
        let answer = generate::<Note>(&request, &Offline::default(), &wallet, &built_in, NOW).await;
        assert_eq!(answer.unwrap_err(), FunctionError::UnsafeRequest, "{topic}");
    }
    let refusals = wallet.refusals.borrow();
    assert_eq!(refusals[0], ("note".to_owned(), body_hash("note", &json!("How to make a bomb at home"))));
    assert!(refusals[0] == refusals[1] && refusals[0].1 != refusals[2].1, "{refusals:?}");
}

// rows: GEN-8
#[tokio::test]
async fn guidance_of_a_model_brings_its_note_and_takes_none_away() {
    for (category, wanted) in [("practical", Guidance::Practical), ("discrimination", Guidance::Delicate)] {
        let server = FakeModel::judging(move |_| judged(("guidance", category, 2)), writes).await;
        let answer = note(&server, &FakeWallet::paid()).await.expect("guidance is no refusal");
        assert_eq!(answer["verdict"], format!("{:?}", Verdict::Guidance(wanted)));
    }
    assert_eq!(
        Verdict::Guidance(Guidance::Practical).and(Verdict::Safe),
        Verdict::Guidance(Guidance::Practical)
    );
}

// rows: GEN-8 V20
#[tokio::test]
async fn a_document_is_written_again_once_with_the_category_named() {
    let writing = |round: usize, body: &Value| {
        let again = body["messages"][1]["content"].as_str().is_some_and(|data| data.contains("(weapons)"));
        Answer::Stream(if again && round == 1 { "a better text" } else { "a wicked text" }.to_owned())
    };
    let judge = |asked: &Value| {
        let wicked = asked["judge"].to_string().contains("wicked");
        judged(if wicked { ("toxic", "weapons", 5) } else { SAFE })
    };
    let (server, wallet) = (FakeModel::judging(judge, writing).await, FakeWallet::paid());
    let answer = note(&server, &wallet).await.expect("the second text is safe");
    assert_eq!(answer["data"]["body"], json!(["a better text"]));
    assert_eq!((server.requests().len(), wallet.completions()), (2, 1));
}

// rows: GEN-8 V20
#[tokio::test]
async fn a_document_that_stays_unsafe_is_not_handed_out_and_nobody_is_counted_for_it() {
    let judge =
        |asked: &Value| judged(if asked["of"] == "document" { ("toxic", "violence", 5) } else { SAFE });
    let server = FakeModel::judging(judge, writes).await;
    let wallet = FakeWallet::paid();
    let refusal = note(&server, &wallet).await.unwrap_err();
    assert_eq!((refusal.status().as_u16(), refusal.code()), (422, "unsafe_request"));
    assert!(refusal.to_string().contains("other words"), "{refusal}");
    assert_eq!((server.requests().len(), wallet.completions()), (2, 0));
    assert_eq!(wallet.failures(), ["unsafe_request"]);
    assert!(wallet.refusals.borrow().is_empty(), "the teacher asked for nothing unsafe");
    let wallet = FakeWallet::paid();
    let refusal = note_or_built_in(&server, &wallet).await.unwrap_err();
    assert_eq!(refusal.code(), "unsafe_request", "nothing stands in for it");
    assert!(wallet.refusals.borrow().is_empty());
    assert_eq!((wallet.failures().len(), wallet.completions()), (1, 0));
}

// rows: GEN-8
#[tokio::test]
async fn no_judgement_is_no_leave_to_go_on() {
    let failures: [Failing; 5] = [
        ("500", || Answer::Status(500, &[], String::new())),
        ("a story", || Answer::Stream("All fine, go ahead!".to_owned())),
        ("another schema", || judged(("fine", "none", 1))),
        ("another score", || judged(("safe", "none", 9))),
        ("silence", || Answer::Silence),
    ];
    for (what, failure) in failures {
        for late in [false, true] {
            let judge = move |asked: &Value| {
                if late && asked["of"] == "request" { judged(SAFE) } else { failure() }
            };
            let (server, wallet) = (FakeModel::judging(judge, writes).await, FakeWallet::paid());
            let began = Instant::now();
            let refusal = note_in(&server, &wallet, "1500", false).await.expect_err(what);
            let expected = if what == "silence" {
                FunctionError::GeneratorTimeout
            } else {
                FunctionError::GeneratorFailed
            };
            assert_eq!(refusal, expected, "{what}, late: {late}");
            assert_eq!((wallet.failures().len(), wallet.completions()), (1, 0), "{what}, late: {late}");
            assert_eq!(server.requests().len(), usize::from(late), "{what}, late: {late}");
            assert!(began.elapsed() < Duration::from_secs(10), "{what}: {:?}", began.elapsed());
        }
    }
}

/// A provider whose own filter does not let a call pass.
fn filtered() -> Answer {
    let refusal = "data: {\"choices\":[{\"delta\":{\"refusal\":\"no\"},\"finish_reason\":\"stop\"}]}\n\n";
    Answer::Raw(refusal.to_owned())
}

// rows: GEN-8
#[tokio::test]
async fn a_request_that_the_provider_refuses_to_read_is_unsafe_whatever_may_stand_in() {
    for stand_in in [false, true] {
        let server = FakeModel::judging(|_| filtered(), writes).await;
        let wallet = FakeWallet::paid();
        let refusal = note_in(&server, &wallet, AMPLE, stand_in).await.unwrap_err();
        assert_eq!((refusal.status().as_u16(), refusal.code()), (422, "unsafe_request"));
        assert_eq!((wallet.failures().len(), wallet.completions(), server.requests().len()), (1, 0, 0));
        assert_eq!(wallet.refusals.borrow().len(), 1, "and it is counted");
    }
}

// rows: GEN-8
#[tokio::test]
async fn an_answer_that_is_no_judgement_lets_nothing_stand_in() {
    let answers: [Failing; 9] = [
        ("a story", || Answer::Stream("All fine, go ahead!".to_owned())),
        ("another schema", || judged(("fine", "none", 1))),
        ("another score", || judged(("safe", "none", 9))),
        ("a wrong key", || Answer::Status(401, &[], String::new())),
        ("an empty account", || Answer::Status(402, &[], String::new())),
        ("moderation", || Answer::Status(403, &[], "your input was flagged".to_owned())),
        ("an unknown model", || Answer::Status(404, &[], String::new())),
        ("400", || Answer::Status(400, &[], "content_filter".to_owned())),
        ("413", || Answer::Status(413, &[], String::new())),
    ];
    for (what, answer) in answers {
        for late in [false, true] {
            let judge =
                move |asked: &Value| if late && asked["of"] == "request" { judged(SAFE) } else { answer() };
            let (server, wallet) = (FakeModel::judging(judge, writes).await, FakeWallet::paid());
            let refusal = note_or_built_in(&server, &wallet).await.expect_err(what);
            assert_eq!(refusal, FunctionError::GeneratorFailed, "{what}, late: {late}");
            assert_eq!((wallet.failures().len(), wallet.completions()), (1, 0), "{what}, late: {late}");
            assert!(wallet.refusals.borrow().is_empty(), "{what}: nobody is counted for it");
        }
    }
}

// rows: GEN-8
#[tokio::test]
async fn an_answer_that_is_no_judgement_and_then_silence_lets_nothing_stand_in() {
    let asked = AtomicUsize::new(0);
    let judge = move |_: &Value| match asked.fetch_add(1, Ordering::Relaxed) {
        0 => Answer::Stream("I think about it.".to_owned()),
        _ => Answer::Silence,
    };
    let (server, wallet) = (FakeModel::judging(judge, writes).await, FakeWallet::paid());
    assert_eq!(note_in(&server, &wallet, "1500", true).await, Err(FunctionError::GeneratorFailed));
    assert_eq!(wallet.completions(), 0);
}

// rows: GEN-8
#[tokio::test]
async fn the_built_in_generator_stands_in_where_no_answer_came_at_all() {
    let failures: [Failing; 4] = [
        ("500", || Answer::Status(500, &[], String::new())),
        ("429", || Answer::Status(429, &[], String::new())),
        ("a cut stream", || Answer::Cut("{\"level\":".to_owned())),
        ("silence", || Answer::Silence),
    ];
    for (what, failure) in failures {
        for late in [false, true] {
            let judge =
                move |asked: &Value| if late && asked["of"] == "request" { judged(SAFE) } else { failure() };
            let (server, wallet) = (FakeModel::judging(judge, writes).await, FakeWallet::paid());
            let answer = note_in(&server, &wallet, "1500", true).await.expect(what);
            assert_eq!(answer["meta"]["generator"], "template", "{what}, late: {late}");
            assert_eq!((wallet.failures().len(), wallet.completions()), (0, 1), "{what}, late: {late}");
        }
    }
}

// rows: GEN-8
#[tokio::test]
async fn the_built_in_generator_stands_in_where_a_provider_refuses_a_request() {
    for status in [401, 403, 404, 500] {
        let writing = move |_: usize, _: &Value| Answer::Status(status, &[], String::new());
        let (server, wallet) = (FakeModel::judging(|_| judged(SAFE), writing).await, FakeWallet::paid());
        let answer = note_or_built_in(&server, &wallet).await.expect("the request is safe");
        assert_eq!(answer["meta"]["generator"], "template", "{status}");
        assert_eq!((wallet.failures().len(), wallet.completions()), (0, 1), "{status}");
    }
}

// rows: GEN-8
#[tokio::test]
async fn what_the_rules_refuse_is_counted_and_no_model_is_asked() {
    let judgements = Arc::new(AtomicUsize::new(0));
    let judge = {
        let judgements = judgements.clone();
        move |_: &Value| {
            judgements.fetch_add(1, Ordering::Relaxed);
            judged(SAFE)
        }
    };
    let (server, wallet) = (FakeModel::judging(judge, writes).await, FakeWallet::paid());
    let body = json!({ "topic": "How to make a bomb at home" });
    let once = async || {
        generate::<Note>(&call(&body), &Tcp::new(), &wallet, &settings(&server, AMPLE, false), NOW).await
    };
    assert_eq!(once().await.unwrap_err().code(), "unsafe_request");
    wallet.wait_after_refusal.set(540);
    let limited = once().await.unwrap_err();
    assert_eq!(limited, FunctionError::Refused(FunctionRefusal::RateLimited { retry_after: Some(540) }));
    assert_eq!((limited.status().as_u16(), limited.retry_after()), (429, Some(540)));
    assert_eq!(wallet.refusals.borrow().len(), 2);
    assert_eq!(judgements.load(Ordering::Relaxed), 0);
    assert_eq!(*wallet.events.borrow(), [Event::Refused("note".to_owned())], "the second one waits (D10)");
}

// rows: GEN-8
#[tokio::test]
async fn a_estimate_of_what_is_being_typed_is_not_counted() {
    let wallet = FakeWallet::default();
    let body = json!({ "topic": "How to make a bomb at home", "dryRun": true });
    let built_in = Settings::from_env(&Env::from([]));
    let answer = generate::<Note>(&call(&body), &Offline::default(), &wallet, &built_in, NOW).await;
    assert_eq!(answer.unwrap_err().code(), "unsafe_request");
    assert!(wallet.refusals.borrow().is_empty());
}
