//! Requests for communications.

use banyan_functions::env::Env;
use banyan_functions::error::FunctionError;
use banyan_functions::paid_call::{Settings, generate};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use generate_communication::Communication;
use serde_json::{Value, json};

use crate::paid::{FakeWallet, NOW, Offline, call};

pub(crate) const MEDIA: [&str; 3] = ["whatsapp", "ptm", "formal"];
pub(crate) const TONES: [&str; 3] = ["formal", "semi-formal", "friendly"];

pub(crate) fn body(medium: &str, tone: &str, purpose: &str) -> Value {
    json!({ "communicationType": medium, "schoolName": "Saraswati Vidya Mandir", "senderRole": "Class Teacher",
            "senderName": "Asha Rao", "targetAudience": "Parents of Class VIII", "eventDate": "2027-01-15",
            "purpose": purpose, "keyDetails": "Time: 10:00 a.m. to 12:30 p.m.\nVenue: School hall", "tone": tone,
            "signature": "", "outputType": "download" })
}

/// The same in another language: purpose, details, audience.
pub(crate) fn body_in(medium: &str, tone: &str, (purpose, details, audience): (&str, &str, &str)) -> Value {
    let mut body = body(medium, tone, purpose);
    body["keyDetails"] = json!(details);
    body["targetAudience"] = json!(audience);
    for field in ["schoolName", "senderName", "senderRole"] {
        body[field] = json!("✎");
    }
    body
}

/// What a teacher types in each language.
pub(crate) const TYPED: [(&str, (&str, &str, &str)); 6] = [
    ("en", ("Meeting of parents", "Time: 10:00 a.m.\nVenue: School hall", "Parents")),
    ("hi", ("अभिभावक बैठक", "समय: प्रातः 10:00 बजे\nस्थान: विद्यालय का सभागार", "कक्षा 8 के अभिभावक")),
    ("mr", ("पालक सभा", "वेळ: सकाळी 10:00 वाजता\nठिकाण: शाळेचे सभागृह", "इयत्ता 8 चे पालक")),
    ("gu", ("વાલી બેઠક", "સમય: સવારે 10:00 વાગ્યે\nસ્થળ: શાળાનો સભાખંડ", "ધોરણ 8 ના વાલીઓ")),
    ("te", ("తల్లిదండ్రుల సమావేశం", "సమయం: ఉదయం 10:00 గంటలకు\nస్థలం: పాఠశాల సభా మందిరం", "తల్లిదండ్రులు")),
    ("kn", ("ಪೋಷಕರ ಸಭೆ", "ಸಮಯ: ಬೆಳಿಗ್ಗೆ 10:00 ಗಂಟೆಗೆ\nಸ್ಥಳ: ಶಾಲಾ ಸಭಾಂಗಣ", "ಪೋಷಕರು")),
];

pub(crate) fn built_in() -> Settings {
    Settings { product: "Shikshak Saathi".to_owned(), model: None, daily_tokens: None, env: Env::default() }
}

/// A paid call.
pub(crate) async fn message(body: &Value) -> Value {
    answer(body, &FakeWallet::paid()).await.expect("a valid request")
}

/// The answer or refusal of a call with this wallet.
pub(crate) async fn answer(body: &Value, wallet: &FakeWallet) -> Result<Value, FunctionError> {
    generate::<Communication>(&call(body), &Offline::default(), wallet, &built_in(), NOW).await
}

pub(crate) fn rtf(answer: &Value) -> Vec<u8> {
    STANDARD.decode(answer["documentContent"].as_str().expect("a document")).expect("base64")
}

pub(crate) fn text(answer: &Value) -> &str {
    answer["generatedCommunication"].as_str().expect("a text")
}
