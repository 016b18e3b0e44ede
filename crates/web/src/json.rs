use http::{HeaderValue, Response, StatusCode, header};
use serde::Serialize;

use crate::{Body, full};

/// An answer in JSON. The header `Content-Type` says `application/json`.
///
/// # Panics
/// If the value is no JSON: a map with keys that are not text, or a `Serialize` that fails.
#[must_use]
pub fn json_response(status: StatusCode, value: &impl Serialize) -> Response<Body> {
    let text = serde_json::to_vec(value).expect("answers are JSON");
    let mut response = Response::new(full(text));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_body;

    #[tokio::test]
    async fn a_json_answer_says_that_it_is_json() {
        let response = json_response(StatusCode::ACCEPTED, &serde_json::json!({"id": 7}));
        assert_eq!(response.status(), StatusCode::ACCEPTED);
        assert_eq!(response.headers()[header::CONTENT_TYPE], "application/json");
        assert_eq!(read_body(response.into_body(), 100).await.unwrap(), r#"{"id":7}"#);
    }
}
