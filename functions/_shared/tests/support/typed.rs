//! Whatever is typed into a field is printed as text in a whole file, or refused by the field's
//! name.

use banyan_functions::env::Env;
use banyan_functions::error::{FunctionError, FunctionRefusal};
use banyan_functions::paid_call::{Settings, Tool, generate};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};

use crate::files::assert_says;
use crate::paid::{FakeWallet, NOW, Offline, call};

/// Text that was written to break a document, a page, a mail or a database.
const NASTY: [&str; 22] = [
    "{\\rtf1\\bin9999 }",
    "}{\\object\\objdata 0105}",
    "\\u-10179?\\'e9\\par",
    "</w:t></w:r></w:p><w:p/>",
    "]]>&amp;&#0;<!DOCTYPE x [<!ENTITY e \"x\">]>&e;",
    "<script>alert(1)</script>",
    "😀🏽👩‍👩‍👧‍👦 \u{1F1EE}\u{1F1F3}",
    "\u{202E}abc\u{2066}\u{200F}\u{200E}\u{061C}",
    "שלום عربى",
    "\u{0}\u{7}\u{B}\u{1F}\u{7F}\u{85}",
    "\u{FFFE}\u{FFFF}\u{FFFD}\u{E000}",
    "\u{2028}\u{2029}\u{A0}\u{3000}",
    "e\u{301}\u{302}\u{303}",
    "क्\u{200D}ष ज्ञ",
    "ಕ್ಷ ક્ષ క్ష மின்",
    "' or 1=1; --",
    "=SUM(A1)",
    "a\r\nBcc: x",
    "{chapter} {n} {page} {pages}",
    "________ [5] (3 × 1 = 3) ✎",
    "*bold* _x_ `y` **z** $\\frac12$",
    "%s %n %00 ../../etc/passwd",
];

/// Tries texts in the fields of a good request, in both formats; `names` are those of file and text
/// in the answer.
pub(crate) fn is_printed_or_refused<T: Tool>(
    good: &Value,
    fields: &'static [&'static str],
    names: (&str, &str),
) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let config = Config { cases: 150, failure_persistence: None, ..Config::default() };
    // The same texts at every run: what fails on one machine fails on all.
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let tried = (select(fields), select(fields), value(), value(), select(&["docx", "rtf"][..]));
    let outcome = runner.run(&tried, |(one, other, value, another, format)| {
        let mut request = good.clone();
        request["preferredFormat"] = json!(format);
        request[other] = another;
        request[one] = value;
        runtime.block_on(judge::<T>(&request, [one, other], names));
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
}

async fn judge<T: Tool>(request: &Value, tried: [&str; 2], (file, text): (&str, &str)) {
    let settings = Settings {
        product: "Shikshak Saathi".to_owned(),
        model: None,
        daily_tokens: None,
        env: Env::default(),
    };
    let made = generate::<T>(&call(request), &Offline::default(), &FakeWallet::paid(), &settings, NOW).await;
    match made {
        Ok(answer) => {
            let field = |name: &str| answer[name].as_str().expect("a text").to_owned();
            let file = STANDARD.decode(field(file)).expect("base64");
            assert_says(&file, &field(text), request);
        }
        Err(FunctionError::Refused(FunctionRefusal::InvalidRequest { fields, message })) => {
            assert!(!message.is_empty() && !fields.is_empty(), "{request}");
            assert!(fields.keys().all(|field| tried.contains(&field.as_str())), "{fields:?} of {request}");
        }
        // A text may by chance be of a kind that is refused.
        Err(
            FunctionError::UnsafeRequest
            | FunctionError::ImproperRequest { .. }
            | FunctionError::SensitiveRequest,
        ) => {}
        Err(other) => panic!("{other:?} for {request}"),
    }
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        12 => text().prop_map(Value::from),
        1 => select(vec![json!(null), json!(""), json!(0), json!(-1), json!(1e300), json!(true), json!([]), json!({})]),
        1 => text().prop_map(|text| json!([text])),
        1 => text().prop_map(|text| json!({ "text": text })),
    ]
}

/// A few pieces in a row, or one again and again up to the longest that any field takes and beyond.
fn text() -> impl Strategy<Value = String> {
    let few = || vec(piece(), 1..4).prop_map(|pieces| pieces.concat());
    let many =
        (piece(), select(vec![199_usize, 200, 201, 300, 2_000, 4_000, 4_001])).prop_map(|(piece, length)| {
            let piece = if piece.is_empty() { "x".to_owned() } else { piece };
            piece.chars().cycle().take(length).collect()
        });
    prop_oneof![3 => few(), 1 => many]
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => select(&NASTY[..]).prop_map(str::to_owned),
        2 => any::<String>(),
        2 => "\\PC{1,20}",
        1 => any::<char>().prop_map(String::from),
        1 => "[a-z{}\\\\<>&\" ]{1,12}",
    ]
}
