//! Status of an error of PostgreSQL (CONTRACT.md SQLSTATE 23503 and the rows after it, X05 to X07).

use std::collections::HashMap;

use banyan_db::DatabaseError;
use http::{HeaderName, HeaderValue, StatusCode};
use serde::Deserialize;

use super::Wire;

/// The status; a full code beats its class.
pub(super) fn status(error: &DatabaseError, anonymous: bool) -> u16 {
    let message = &error.message;
    match error.code.as_str() {
        "23503" | "23505" => 409,
        "25006" => 405,
        "21000" if message.ends_with("requires a WHERE clause") => 400,
        "21000" => 500,
        "22023" if message.starts_with("role") && message.ends_with("does not exist") => 401,
        "42501" if anonymous => 401,
        "42501" => 403,
        "42883" if message.starts_with("function xmlagg(") => 406,
        "42883" | "42P01" => 404,
        "42P17" | "53400" => 500,
        "57P01" => 503,
        "P0001" => 400,
        code => by_class(code),
    }
}

fn by_class(code: &str) -> u16 {
    match code.get(..2) {
        Some("0L" | "0P" | "28") => 403,
        Some("08" | "53") => 503,
        Some("09" | "25" | "2D" | "38" | "39" | "3B" | "40" | "54" | "55" | "57" | "58") => 500,
        Some("F0" | "HV" | "P0" | "XX") => 500,
        Some("PT") => code[2..].parse().ok().filter(|status| (200..600).contains(status)).unwrap_or(500),
        _ => 400,
    }
}

#[derive(Deserialize)]
struct Message {
    code: String,
    message: String,
    details: Option<String>,
    hint: Option<String>,
}

#[derive(Deserialize)]
struct Detail {
    status: u16,
    status_text: Option<String>,
    headers: HashMap<String, String>,
}

/// `RAISE SQLSTATE 'PGRST'`: the error's JSON controls the answer.
pub(super) fn raised(error: &DatabaseError) -> Wire {
    let Ok(message) = serde_json::from_str::<Message>(&error.message) else {
        return unreadable(
            format!("Invalid JSON value for MESSAGE: '{}'", error.message),
            "MESSAGE must be a JSON object with obligatory keys: 'code', 'message' and optional keys: 'details', 'hint'.",
        );
    };
    let detail_hint = "DETAIL must be a JSON object with obligatory keys: 'status', 'headers' and optional key: 'status_text'.";
    let Some(text) = &error.detail else {
        return unreadable("DETAIL is missing in the RAISE statement".to_owned(), detail_hint);
    };
    let Ok(detail) = serde_json::from_str::<Detail>(text) else {
        return unreadable(format!("Invalid JSON value for DETAIL: '{text}'"), detail_hint);
    };
    let status = StatusCode::from_u16(detail.status).map_or(500, |status| status.as_u16());
    let mut wire =
        Wire::new(status, &message.code, message.message).details(message.details).hint(message.hint);
    wire.reason = detail.status_text;
    wire.headers.extend(detail.headers.iter().filter_map(header));
    wire
}

/// A value that cannot stand in a header is left out, so that no answer can be split
/// (CONTRACT.md V11).
fn header((name, value): (&String, &String)) -> Option<(HeaderName, HeaderValue)> {
    let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
    Some((name, HeaderValue::from_str(value).ok()?))
}

fn unreadable(details: String, hint: &str) -> Wire {
    Wire::new(500, "PGRST121", "Could not parse JSON in the \"RAISE SQLSTATE 'PGRST'\" error")
        .details(details)
        .hint(hint)
}
