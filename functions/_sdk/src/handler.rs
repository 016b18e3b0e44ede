//! The HTTP handler: reads a request for the function, and builds the answer from its result.

use std::fmt;

use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER};
use http::{HeaderMap, Method, Response, StatusCode};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::{Failure, FunctionRefusal};

/// Largest request body that is read unless a function says otherwise, in bytes.
pub const BODY_LIMIT: usize = 256 * 1024;

/// Longest accepted `Idempotency-Key`, in bytes.
const KEY_LIMIT: usize = 200;

/// A request as it came in, its body read up to [`BODY_LIMIT`].
pub struct IncomingRequest {
    /// The HTTP method.
    pub method: Method,
    /// The headers as sent.
    pub headers: HeaderMap,
    /// The body, or nothing when it was larger than [`BODY_LIMIT`].
    pub body: Option<Vec<u8>>,
}

/// Omits the body and the values of headers, which hold keys and tokens.
impl fmt::Debug for IncomingRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IncomingRequest")
            .field("method", &self.method)
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("bytes", &self.body.as_ref().map(Vec::len))
            .finish_non_exhaustive()
    }
}

impl IncomingRequest {
    /// The id that the gateway gave the request, for logs and error bodies; empty without one.
    pub fn request_id(&self) -> &str {
        ["sb-request-id", "x-request-id"].iter().find_map(|name| self.header(name)).unwrap_or_default()
    }

    /// The client's own key for this request; none without the header.
    ///
    /// # Errors
    /// [`FunctionRefusal::InvalidRequest`] naming the header when the key is empty, longer than 200
    /// characters or has others than visible ASCII: a client that counts on its key must hear that
    /// it would not hold.
    pub fn idempotency_key(&self) -> Result<Option<&str>, FunctionRefusal> {
        const NAME: &str = "Idempotency-Key";
        let Some(value) = self.headers.get(NAME) else { return Ok(None) };
        let key = value.to_str().map(str::trim).unwrap_or_default();
        if (1..=KEY_LIMIT).contains(&key.len()) && key.bytes().all(|b| b.is_ascii_graphic()) {
            return Ok(Some(key));
        }
        let problem = format!("{NAME} must be 1 to {KEY_LIMIT} visible ASCII characters.");
        Err(FunctionRefusal::invalid_field(NAME, &problem))
    }

    /// Returns whether the caller asks for progress as a `text/event-stream`.
    pub fn wants_events(&self) -> bool {
        let names = |accept: &str| {
            accept.split(',').any(|range| {
                range
                    .split(';')
                    .next()
                    .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("text/event-stream"))
            })
        };
        self.method == Method::POST && self.header("accept").is_some_and(names)
    }

    /// The body as a JSON object; an empty body counts as an empty object.
    ///
    /// # Errors
    /// [`FunctionRefusal::BodyTooLarge`], or [`FunctionRefusal::InvalidRequest`] when it is no JSON
    /// object.
    pub fn json(&self) -> Result<Value, FunctionRefusal> {
        let bytes = self.body.as_deref().ok_or(FunctionRefusal::BodyTooLarge)?;
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Ok(Value::Object(serde_json::Map::new()));
        }
        match serde_json::from_slice::<Value>(bytes) {
            Ok(value) if value.is_object() => Ok(value),
            _ => Err(FunctionRefusal::InvalidRequest {
                message: "The request body must be a JSON object.".to_owned(),
                fields: std::collections::BTreeMap::new(),
            }),
        }
    }

    /// The body as a value of a type of the function's own; an empty body counts as an empty
    /// object.
    ///
    /// # Errors
    /// See [`Self::json`]; also [`FunctionRefusal::InvalidRequest`] if the object has another type.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, FunctionRefusal> {
        serde_json::from_value(self.json()?).map_err(|error| FunctionRefusal::InvalidRequest {
            message: format!("The request body cannot be read: {error}."),
            fields: std::collections::BTreeMap::new(),
        })
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// Answers one request: preflights and wrong methods here, everything else by `handler`.
///
/// Every answer is JSON, uncacheable, and carries the CORS headers, since a browser shows an error
/// without them as a broken network.
pub async fn serve<F, E>(incoming: IncomingRequest, handler: F) -> Response<Vec<u8>>
where
    F: AsyncFnOnce(&IncomingRequest) -> Result<Value, E>,
    E: Failure + From<FunctionRefusal>,
{
    if incoming.method == Method::OPTIONS {
        return with_cors(plain(StatusCode::NO_CONTENT, Vec::new()));
    }
    let result = match incoming.method {
        Method::POST => handler(&incoming).await,
        _ => Err(FunctionRefusal::MethodNotAllowed.into()),
    };
    answer(result, incoming.request_id())
}

/// The answer in one piece.
pub fn answer(result: Result<Value, impl Failure>, request_id: &str) -> Response<Vec<u8>> {
    with_cors(match result {
        Ok(value) => json(StatusCode::OK, &value),
        Err(error) => refusal(&error, request_id),
    })
}

/// Builds the head of an answer that is a stream of events.
pub fn event_stream() -> Response<()> {
    let mut response = with_cors(Response::new(()));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn refusal(error: &impl Failure, request_id: &str) -> Response<Vec<u8>> {
    let mut response = json(error.status(), &error.body(request_id));
    if let Some(seconds) = error.retry_after() {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    if error.status() == StatusCode::METHOD_NOT_ALLOWED {
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

fn with_cors<B>(mut response: Response<B>) -> Response<B> {
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
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;

    fn incoming(method: Method, body: Option<&str>) -> IncomingRequest {
        let headers = HeaderMap::from_iter([(
            HeaderName::from_static("x-request-id"),
            HeaderValue::from_static("req-7"),
        )]);
        IncomingRequest { method, headers, body: body.map(|text| text.as_bytes().to_vec()) }
    }

    async fn echo(incoming: &IncomingRequest) -> Result<Value, FunctionRefusal> {
        incoming.json()
    }

    #[tokio::test]
    async fn a_preflight_is_answered_without_a_handler() {
        let handler =
            async |_: &IncomingRequest| -> Result<Value, FunctionRefusal> { unreachable!("no handler") };
        let response = serve(incoming(Method::OPTIONS, None), handler).await;
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
    async fn a_body_is_read_as_a_type_of_the_function() {
        let read = |body: &str| incoming(Method::POST, Some(body)).read::<BTreeMap<String, u8>>();
        assert_eq!(read(r#"{"a":1}"#), Ok(BTreeMap::from([("a".to_owned(), 1)])));
        assert_eq!(read(""), Ok(BTreeMap::new()));
        let refused = read(r#"{"a":"x"}"#).unwrap_err();
        assert!(refused.status() == 400 && refused.to_string().contains("cannot be read"), "{refused}");
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
        for (body, status) in [(Some("[1]"), 400), (Some("nonsense"), 400), (None, 400), (Some("  "), 200)] {
            assert_eq!(serve(incoming(Method::POST, body), echo).await.status(), status, "{body:?}");
        }
    }

    #[test]
    fn events_are_wanted_by_those_who_name_them() {
        let wants = |method: Method, accept: &'static str| {
            let mut request = incoming(method, None);
            request.headers.insert("accept", HeaderValue::from_static(accept));
            request.wants_events()
        };
        assert!(wants(Method::POST, "text/event-stream"));
        assert!(wants(Method::POST, "application/json;q=0.5, Text/Event-Stream;q=0.9"));
        for accept in ["*/*", "application/json", "text/event-streams"] {
            assert!(!wants(Method::POST, accept), "{accept}");
        }
        assert!(!wants(Method::GET, "text/event-stream") && !incoming(Method::POST, None).wants_events());
        assert_eq!(event_stream().headers()["content-type"], "text/event-stream");
    }

    #[test]
    fn an_idempotency_key_is_taken_as_it_is_or_refused_by_name() {
        let longest = "k".repeat(KEY_LIMIT);
        let key_of = |key: &[u8]| {
            let mut request = incoming(Method::POST, None);
            request.headers.insert("idempotency-key", HeaderValue::from_bytes(key).unwrap());
            request.idempotency_key().map(|key| key.map(str::to_owned))
        };
        assert_eq!(incoming(Method::POST, None).idempotency_key(), Ok(None));
        assert_eq!(key_of(b"abc-1"), Ok(Some("abc-1".to_owned())));
        assert_eq!(key_of(longest.as_bytes()), Ok(Some(longest.clone())));
        for key in [String::new(), "a b".to_owned(), "पाठ".to_owned(), longest + "k"] {
            let refused = key_of(key.as_bytes()).unwrap_err();
            let FunctionRefusal::InvalidRequest { fields, .. } = &refused else { panic!("{refused:?}") };
            assert_eq!(fields.keys().collect::<Vec<_>>(), ["Idempotency-Key"], "{key:?}");
            assert_eq!((refused.status().as_u16(), refused.code()), (400, "invalid_request"));
        }
    }
}
