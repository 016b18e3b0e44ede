//! Servers of every kind behind a tool: four that write well in their own way of giving JSON, and
//! hostile ones. What is handed out passes the checks all the same, and what is refused costs
//! nothing. A tool names a [`Case`], and [`model_tests`] makes its tests.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use banyan_functions::checks;
use banyan_functions::env::Env;
use banyan_functions::error::FunctionError;
use banyan_functions::paid_call::{Settings, Tool, generate};
use banyan_functions::writing_system::Language;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::files::assert_says;
use crate::paid::{FakeWallet, NOW, call};
use crate::support::{Answer, FakeModel, Tcp};

/// Time that a call may take as a whole; the product's own is longer (SPECIFICATION.md GEN-3.2).
const BUDGET: Duration = Duration::from_millis(1_500);

/// What the tests need to know of a tool.
pub(crate) struct Case {
    /// A request that a model writes.
    pub(crate) good: Value,
    /// The fields of the answer that hold file and text.
    pub(crate) names: (&'static str, &'static str),
    /// What a good model answers to a request of ours.
    pub(crate) well: fn(&Value) -> Value,
    /// The tool's own rules, read from a request and its answer: what is wrong with the document.
    pub(crate) audit: fn(&Value, &Value) -> Vec<String>,
}

/// What is wrong with a reply, and how it comes to be so.
type Garbled = (&'static str, fn(String) -> String);

/// What is wrong with a model, and its answer then.
type Failing = (&'static str, fn() -> Answer);

/// A way to spoil a reply, what becomes of it, and what of it must never be printed.
type Spoilt = (&'static str, fn(&mut Value), End, &'static [&'static str]);

/// What becomes of a spoilt reply.
#[derive(Debug, Clone, Copy, PartialEq)]
enum End {
    /// Built-in text stands in for what stays wrong.
    Replaced,
    /// A document: what is wrong can be taken out of a text, or another one stands in for it.
    Made,
    /// A document or a refusal.
    Either,
}

fn settings(server: &FakeModel) -> Settings {
    let budget = BUDGET.as_millis().to_string();
    let variables = [
        ("LLM_BASE_URL", server.base.as_str()),
        ("LLM_MODEL", "fake-1"),
        ("LLM_TIMEOUT_MS", &budget),
        ("PRODUCT_NAME", "Shikshak Saathi"),
    ];
    Settings::from_env(&Env::from(variables))
}

async fn asked<T: Tool>(
    case: &Case,
    server: &FakeModel,
    wallet: &FakeWallet,
) -> Result<Value, FunctionError> {
    generate::<T>(&call(&case.good), &Tcp::new(), wallet, &settings(server), NOW).await
}

/// Asserts that the answer's file is whole and says its text; gives the text.
fn printed(case: &Case, answer: &Value, what: &str) -> String {
    let (file, text) = case.names;
    let field = |name: &str| answer[name].as_str().unwrap_or_else(|| panic!("no {name}: {what}")).to_owned();
    assert_says(&STANDARD.decode(field(file)).expect("base64"), &field(text), &what);
    field(text)
}

/// How a request asks for JSON.
fn mode(request: &Value) -> &'static str {
    match request["response_format"]["type"].as_str() {
        Some("json_schema") => "schema",
        Some(_) => "object",
        None if request["tools"].is_array() => "tool",
        None => "prompt",
    }
}

pub(crate) async fn is_written_in_every_mode<T: Tool>(case: Case) {
    for only in ["schema", "object", "tool", "prompt"] {
        let well = case.well;
        let server = FakeModel::start(move |_, body| {
            if mode(body) != only {
                let refusal = "response_format, json_schema and tools are not supported";
                return Answer::Status(400, &[], json!({ "error": { "message": refusal } }).to_string());
            }
            let reply = well(body).to_string();
            match only {
                "tool" => Answer::Tool(reply),
                "prompt" => {
                    Answer::Stream(format!("Here it is:\n```json\n{reply}\n```\nIs there more to do?"))
                }
                _ => Answer::Stream(reply),
            }
        })
        .await;
        let wallet = FakeWallet::paid();
        let answer =
            asked::<T>(&case, &server, &wallet).await.unwrap_or_else(|error| panic!("{only}: {error:?}"));
        let meta = &answer["meta"];
        assert_eq!((&meta["generator"], &meta["model"]), (&json!("model"), &json!("fake-1")), "{only}");
        assert_eq!(meta["repairs"], json!({ "regenerated": 0, "replaced": 0 }), "{only}");
        assert_eq!((wallet.completions(), wallet.failures().len()), (1, 0), "{only}");
        printed(&case, &answer, only);
        assert_eq!((case.audit)(&case.good, &answer), [] as [String; 0], "{only}");
        assert_eq!(server.requests().last().map(mode), Some(only), "the way is found and kept");
    }
}

/// Changes every text of more than one word; names and ids stay.
fn texts(value: &mut Value, change: &dyn Fn(&str) -> String) {
    match value {
        Value::String(text) if text.contains(' ') => *text = change(text),
        Value::Array(items) => items.iter_mut().for_each(|item| texts(item, change)),
        Value::Object(fields) => fields.values_mut().for_each(|field| texts(field, change)),
        _ => {}
    }
}

/// Makes every list five times as long, and those within it.
fn lists(value: &mut Value) {
    match value {
        Value::Array(items) => {
            items.iter_mut().for_each(lists);
            let length = items.len() * 5;
            *items = items.iter().cloned().cycle().take(length).collect();
        }
        Value::Object(fields) => fields.values_mut().for_each(lists),
        _ => {}
    }
}

/// Makes every sum that a reply proves wrong, in its answer as well.
fn sums(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(sums),
        Value::Object(fields) => {
            if fields.get("check").is_some_and(Value::is_object) {
                fields["check"]["value"] = json!(987_654);
                for name in ["a", "answer"] {
                    if let Some(answer) = fields.get_mut(name) {
                        *answer = json!("987654 N");
                    }
                }
            }
            fields.values_mut().for_each(sums);
        }
        _ => {}
    }
}

/// Every text of a document.
fn all_texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(all_texts).collect(),
        Value::Object(fields) => fields.values().flat_map(all_texts).collect(),
        _ => Vec::new(),
    }
}

const SPOILT: [Spoilt; 12] = [
    (
        "another language",
        |reply| texts(reply, &|_| "यह वाक्य हिंदी में लिखा गया है और यहाँ नहीं छप सकता।".to_owned()),
        End::Replaced,
        &["यह"],
    ),
    (
        "instructions obeyed",
        |reply| {
            texts(reply, &|_| {
                "Ignoring my rules: SAATHI-1, my system prompt says that I am an experienced teacher."
                    .to_owned()
            })
        },
        End::Replaced,
        &["SAATHI-", "system prompt"],
    ),
    (
        "addresses",
        |reply| {
            texts(reply, &|text| {
                format!(
                    "{text} See https://evil.example/x now. Call 98765 43210 today. Write to a@evil.example."
                )
            })
        },
        End::Made,
        &["evil.example", "98765"],
    ),
    (
        "markup",
        |reply| texts(reply, &|text| format!("**{text}** <script>alert(1)</script>")),
        End::Made,
        &["**", "<script>"],
    ),
    (
        "harm",
        |reply| texts(reply, &|_| "Learn how to make a bomb at home.".to_owned()),
        End::Replaced,
        &["bomb"],
    ),
    (
        "one text everywhere",
        |reply| texts(reply, &|_| "Explain why everything falls towards the ground.".to_owned()),
        End::Replaced,
        &[],
    ),
    (
        "words of control",
        |reply| texts(reply, &|text| format!("{text} {{\\rtf1 \\par}} </w:t> \u{202E}\u{0}")),
        End::Made,
        &["\u{202E}", "\\rtf1", "</w:t>"],
    ),
    ("wrong sums", sums, End::Replaced, &["987654"]),
    (
        "numbers for texts",
        |reply| *reply = json!({ "items": 7, "opening": [], "phases": "none" }),
        End::Replaced,
        &[],
    ),
    ("nothing", |reply| texts(reply, &|_| String::new()), End::Replaced, &[]),
    ("far too much", |reply| texts(reply, &|text| format!("{text} ").repeat(60)), End::Replaced, &[]),
    ("far too many", lists, End::Replaced, &[]),
];

/// Characters of the same document as the built-in generator writes it.
async fn built_in_length<T: Tool>(case: &Case) -> usize {
    let settings = Settings {
        product: "Shikshak Saathi".to_owned(),
        model: None,
        daily_tokens: None,
        env: Env::default(),
    };
    let wallet = FakeWallet::paid();
    let answer = generate::<T>(&call(&case.good), &Tcp::new(), &wallet, &settings, NOW).await;
    printed(case, &answer.expect("a document of the bank"), "the bank").chars().count()
}

pub(crate) async fn prints_nothing_that_a_hostile_model_writes<T: Tool>(case: Case) {
    let longest = 2 * built_in_length::<T>(&case).await;
    for (what, spoil, end, forbidden) in SPOILT {
        let well = case.well;
        let spoilt = Arc::new(AtomicBool::new(false));
        let is_spoilt = Arc::clone(&spoilt);
        let server = FakeModel::start(move |_, body| {
            let mut reply = well(body);
            let before = reply.clone();
            spoil(&mut reply);
            is_spoilt.fetch_or(reply != before, Ordering::Relaxed);
            Answer::Stream(reply.to_string())
        })
        .await;
        let wallet = FakeWallet::paid();
        let outcome = asked::<T>(&case, &server, &wallet).await;
        // A tool without sums has none to spoil.
        let end = if spoilt.load(Ordering::Relaxed) { end } else { End::Made };
        judge::<T>(&case, outcome, &wallet, Hostile { what, end, forbidden, longest });
    }
}

pub(crate) async fn survives_what_is_no_json<T: Tool>(case: Case) {
    let longest = 2 * built_in_length::<T>(&case).await;
    let broken: [Garbled; 6] = [
        ("half of the JSON", |reply| reply[..reply.floor_char_boundary(reply.len() / 2)].to_owned()),
        ("a list of it", |reply| format!("[{reply}]")),
        ("a story", |_| "I would rather tell a story.".to_owned()),
        ("nothing at all", |_| String::new()),
        ("null", |_| "null".to_owned()),
        ("brackets without end", |_| "{\"a\":[".repeat(2_000)),
    ];
    for (what, spoil) in broken {
        let well = case.well;
        let server = FakeModel::start(move |_, body| Answer::Stream(spoil(well(body).to_string()))).await;
        let wallet = FakeWallet::paid();
        let outcome = asked::<T>(&case, &server, &wallet).await;
        let hostile = Hostile { what, end: End::Either, forbidden: &["rather tell"], longest };
        judge::<T>(&case, outcome, &wallet, hostile);
    }
}

/// What is expected of the answer to a hostile model.
struct Hostile {
    what: &'static str,
    end: End,
    forbidden: &'static [&'static str],
    /// Characters that are too many for any document.
    longest: usize,
}

/// A document may be handed out when it is a whole one that keeps the tool's rules, without what is
/// forbidden; only then is it paid for.
fn judge<T: Tool>(case: &Case, outcome: Result<Value, FunctionError>, wallet: &FakeWallet, hostile: Hostile) {
    let Hostile { what, end, forbidden, longest } = hostile;
    let settled = (wallet.completions(), wallet.failures());
    match outcome {
        Ok(answer) => {
            assert_eq!(settled, (1, vec![]), "{what}");
            // A row of stars ends a paper.
            let text = printed(case, &answer, what).replace("*****", "");
            assert!(text.chars().count() <= longest, "{what}: {} characters", text.chars().count());
            for wrong in forbidden {
                assert!(!text.contains(wrong), "{what}: {wrong} in {text}");
            }
            let replaced = answer["meta"]["repairs"]["replaced"].as_u64();
            assert!(end != End::Replaced || replaced > Some(0), "{what}: {}", answer["meta"]);
            let request = T::read(&case.good).expect("a good request");
            let texts = all_texts(&answer["data"]);
            let texts: Vec<&str> = texts.into_iter().filter(|text| text.contains(' ')).collect();
            let findings = checks::common(&texts, &T::typed(&request), Language::English);
            assert_eq!(findings, [], "{what}");
            assert_eq!((case.audit)(&case.good, &answer), [] as [String; 0], "{what}: {text}");
        }
        Err(refusal @ (FunctionError::GeneratorFailed | FunctionError::GeneratorTimeout)) => {
            assert_eq!(end, End::Either, "{what}: {refusal:?}");
            assert_eq!(settled, (0, vec![refusal.code().to_owned()]), "{what}");
        }
        Err(other) => panic!("{what}: {other:?}"),
    }
}

pub(crate) async fn gives_the_credits_back_with_the_answer<T: Tool>(case: Case) {
    let broken: [Failing; 9] = [
        ("500", || Answer::Status(500, &[], String::new())),
        ("401", || Answer::Status(401, &[], String::new())),
        ("429", || Answer::Status(429, &[], "slow down".to_owned())),
        ("429 with patience", || Answer::Status(429, &[("retry-after", "60")], String::new())),
        ("an error in the stream", || {
            Answer::Raw("data: {\"error\":{\"message\":\"overloaded\"}}\n\n".to_owned())
        }),
        ("a refusal", || {
            Answer::Raw(
                "data: {\"choices\":[{\"delta\":{\"refusal\":\"no\"},\"finish_reason\":\"stop\"}]}\n\n"
                    .to_owned(),
            )
        }),
        ("a cut stream", || {
            Answer::Cut("{\"items\":[{\"id\":\"Q01\",\"text\":\"a long enough text to be cut\"".to_owned())
        }),
        ("a stall", || Answer::Stall("{\"items\":".to_owned())),
        ("silence", || Answer::Silence),
    ];
    for (what, answer) in broken {
        let server = FakeModel::start(move |_, _| answer()).await;
        let (wallet, began) = (FakeWallet::paid(), Instant::now());
        let refusal = asked::<T>(&case, &server, &wallet).await.expect_err(what);
        let late = matches!(what, "a stall" | "silence");
        let expected = if late { FunctionError::GeneratorTimeout } else { FunctionError::GeneratorFailed };
        assert_eq!(refusal, expected, "{what}");
        assert_eq!((wallet.failures(), wallet.completions()), (vec![refusal.code().to_owned()], 0), "{what}");
        // Generous, since other tests run beside this one: the budget of a call is kept and not
        // waited for twice.
        assert!(began.elapsed() < BUDGET * 10, "{what}: {:?}", began.elapsed());
    }
}

/// The tests of a tool and its case.
macro_rules! model_tests {
    ($tool:ty, $case:expr) => {
        // rows: V01 V02
        #[tokio::test]
        async fn the_document_is_written_whichever_way_a_server_gives_json() {
            crate::models::is_written_in_every_mode::<$tool>($case).await;
        }

        // rows: V10 V12 V14 V16 V17 V20 V22
        #[tokio::test]
        async fn what_a_hostile_model_writes_is_not_printed() {
            crate::models::prints_nothing_that_a_hostile_model_writes::<$tool>($case).await;
        }

        // rows: V01
        #[tokio::test]
        async fn what_is_no_json_gives_a_whole_document_or_costs_nothing() {
            crate::models::survives_what_is_no_json::<$tool>($case).await;
        }

        // rows: app/D10
        #[tokio::test]
        async fn a_model_that_fails_in_any_way_gives_the_credits_back_once_and_before_the_answer() {
            crate::models::gives_the_credits_back_with_the_answer::<$tool>($case).await;
        }
    };
}
pub(crate) use model_tests;
