//! The checked-in requests of a tool through the whole function: documents as they are handed out.

use banyan_functions::env::Env;
use banyan_functions::paid_call::{Settings, Tool, generate};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::office_reader::Printed;
use crate::paid::{FakeWallet, NOW, Offline, call};

/// The requests of a file of them.
pub(crate) fn requests(file: &str) -> Vec<Value> {
    serde_json::from_str(file).expect("a list of requests")
}

/// Makes a request's document, with the names of the fields that hold file and text.
pub(crate) async fn printed<T: Tool>(request: &Value, (file, text): (&str, &str)) -> (Value, Printed) {
    let settings = Settings {
        product: "Shikshak Saathi".to_owned(),
        model: None,
        daily_tokens: None,
        env: Env::default(),
    };
    let wallet = FakeWallet::paid();
    let answer = generate::<T>(&call(request), &Offline::default(), &wallet, &settings, NOW).await;
    let answer = answer.unwrap_or_else(|error| panic!("{request}: {error:?}"));
    let field = |name: &str| answer[name].as_str().unwrap_or_else(|| panic!("no {name}")).to_owned();
    let printed = Printed {
        filename: field("filename"),
        file: STANDARD.decode(field(file)).expect("base64"),
        text: field(text),
    };
    (answer, printed)
}

/// The documents of all requests; each is made twice, with the same bytes, and its name says what
/// it is.
pub(crate) async fn all_printed<T: Tool>(requests: &[Value], fields: (&str, &str)) -> Vec<(Value, Printed)> {
    let mut all = Vec::new();
    for request in requests {
        let (answer, document) = printed::<T>(request, fields).await;
        let (again, twin) = printed::<T>(request, fields).await;
        assert!(document.file == twin.file && answer["data"] == again["data"], "{request}");
        let is_zip = document.file.starts_with(b"PK\x03\x04");
        assert_eq!(is_zip, document.filename.ends_with(".docx"), "{}", document.filename);
        assert!(is_zip || document.file.starts_with(b"{\\rtf1"), "{}", document.filename);
        all.push((answer, document));
    }
    all
}
