//! The door: what happens to a request before and after the function proper.

use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER};
use http::{HeaderMap, Method, Response, StatusCode};
use serde_json::Value;

use crate::error::FunctionError;

/// Largest accepted request body, in bytes (generation.md 1).
pub const BODY_LIMIT: usize = 256 * 1024;

/// Longest accepted `Idempotency-Key`, in bytes.
const KEY_LIMIT: usize = 200;

/// A request as it came in, its body read up to [`BODY_LIMIT`].
#[derive(Debug)]
pub struct Incoming {
    /// The HTTP method.
    pub method: Method,
    /// The headers as sent.
    pub headers: HeaderMap,
    /// The body, or nothing when it was larger than [`BODY_LIMIT`].
    pub body: Option<Vec<u8>>,
}

impl Incoming {
    /// The id that the gateway gave the request, for logs and error bodies; empty without one.
    pub fn request_id(&self) -> &str {
        ["sb-request-id", "x-request-id"].iter().find_map(|name| self.header(name)).unwrap_or_default()
    }

    /// The client's own key for this request, where it sent a usable one.
    pub fn idempotency_key(&self) -> Option<&str> {
        let key = self.header("idempotency-key")?.trim();
        let usable = !key.is_empty() && key.len() <= KEY_LIMIT && key.bytes().all(|b| b.is_ascii_graphic());
        usable.then_some(key)
    }

    /// The body as a JSON object; an empty body counts as an empty object.
    ///
    /// # Errors
    /// [`FunctionError::BodyTooLarge`], or [`FunctionError::InvalidRequest`] when it is no JSON object.
    pub fn json(&self) -> Result<Value, FunctionError> {
        let bytes = self.body.as_deref().ok_or(FunctionError::BodyTooLarge)?;
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Ok(Value::Object(serde_json::Map::new()));
        }
        match serde_json::from_slice::<Value>(bytes) {
            Ok(value) if value.is_object() => Ok(value),
            _ => Err(FunctionError::InvalidRequest {
                message: "The request body must be a JSON object.".to_owned(),
                fields: std::collections::BTreeMap::new(),
            }),
        }
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// Answers one request: preflights and wrong methods here, everything else by `handler`.
///
/// Every answer is JSON, uncacheable, and carries the CORS headers, since a browser shows an error
/// without them as a broken network (functions.md F06, F07).
pub async fn serve<F>(incoming: Incoming, handler: F) -> Response<Vec<u8>>
where
    F: AsyncFnOnce(&Incoming) -> Result<Value, FunctionError>,
{
    if incoming.method == Method::OPTIONS {
        return with_cors(plain(StatusCode::NO_CONTENT, Vec::new()));
    }
    let result = match incoming.method {
        Method::POST => handler(&incoming).await,
        _ => Err(FunctionError::MethodNotAllowed),
    };
    with_cors(match result {
        Ok(value) => json(StatusCode::OK, &value),
        Err(error) => refusal(&error, incoming.request_id()),
    })
}

fn refusal(error: &FunctionError, request_id: &str) -> Response<Vec<u8>> {
    let mut response = json(error.status(), &error.body(request_id));
    if let Some(seconds) = error.retry_after() {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    if *error == FunctionError::MethodNotAllowed {
        response.headers_mut().insert(http::header::ALLOW, HeaderValue::from_static("POST, OPTIONS"));
    }
    response
}

fn json(status: StatusCode, value: &Value) -> Response<Vec<u8>> {
    let mut response = plain(status, value.to_string().into_bytes());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn plain(status: StatusCode, body: Vec<u8>) -> Response<Vec<u8>> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response
}

fn with_cors(mut response: Response<Vec<u8>>) -> Response<Vec<u8>> {
    const CORS: [(&str, &str); 3] = [
        ("access-control-allow-origin", "*"),
        ("access-control-allow-methods", "POST, OPTIONS"),
        (
            "access-control-allow-headers",
            "authorization, x-client-info, apikey, content-type, x-region, idempotency-key, traceparent, tracestate, baggage",
        ),
    ];
    for (name, value) in CORS {
        response.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn incoming(method: Method, body: Option<&str>) -> Incoming {
        let headers = HeaderMap::from_iter([(
            HeaderName::from_static("x-request-id"),
            HeaderValue::from_static("req-7"),
        )]);
        Incoming { method, headers, body: body.map(|text| text.as_bytes().to_vec()) }
    }

    async fn echo(incoming: &Incoming) -> Result<Value, FunctionError> {
        incoming.json()
    }

    #[tokio::test]
    async fn a_preflight_is_answered_without_a_handler() {
        let response =
            serve(incoming(Method::OPTIONS, None), async |_: &Incoming| unreachable!("no handler")).await;
        assert_eq!(response.status(), 204);
        assert_eq!(response.headers()["access-control-allow-origin"], "*");
        assert!(
            response.headers()["access-control-allow-headers"].to_str().unwrap().contains("idempotency-key")
        );
    }

    #[tokio::test]
    async fn another_method_is_refused_with_the_error_body() {
        let response = serve(incoming(Method::GET, Some("{}")), echo).await;
        assert_eq!(response.status(), 405);
        assert_eq!(response.headers()["allow"], "POST, OPTIONS");
        let body: Value = serde_json::from_slice(response.body()).unwrap();
        assert_eq!(body["code"], "method_not_allowed");
        assert_eq!(body["requestId"], "req-7");
    }

    #[tokio::test]
    async fn a_json_object_comes_back_with_cors_and_no_store() {
        let response = serve(incoming(Method::POST, Some(r#"{"a":1}"#)), echo).await;
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["cache-control"], "no-store");
        assert_eq!(serde_json::from_slice::<Value>(response.body()).unwrap(), json!({ "a": 1 }));
    }

    #[tokio::test]
    async fn anything_but_a_json_object_within_the_limit_is_refused() {
        for (body, status) in [(Some("[1]"), 400), (Some("nonsense"), 400), (None, 413), (Some("  "), 200)] {
            assert_eq!(serve(incoming(Method::POST, body), echo).await.status(), status, "{body:?}");
        }
    }

    #[test]
    fn an_unusable_idempotency_key_is_ignored() {
        for (key, expected) in [("abc-1", Some("abc-1")), ("", None), ("a b", None)] {
            let mut request = incoming(Method::POST, None);
            request.headers.insert("idempotency-key", key.parse().unwrap());
            assert_eq!(request.idempotency_key(), expected, "{key:?}");
        }
    }
}
