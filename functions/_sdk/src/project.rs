//! Calls to the project's own APIs: their addresses, keys and errors.

use std::{fmt, time::Duration};

use http::{HeaderMap, Method, Request, Response, StatusCode, request};
use serde_json::Value;

use crate::env::Env;
use crate::transport::{Transport, TransportError, read_all, within};

/// Why a call to one of the project's APIs gave no value.
#[derive(Debug, thiserror::Error)]
pub enum ApiError {
    /// The project's address or the key is missing or unusable.
    #[error("the project's address or key is not configured")]
    NotConfigured,
    /// An argument that cannot be a part of an address; nothing was sent.
    #[error("no valid {0}")]
    Argument(&'static str),
    /// No answer.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// The service asked to slow down.
    #[error("rate limited")]
    RateLimited {
        /// Seconds from the `Retry-After` header.
        retry_after: Option<u64>,
    },
    /// An answer other than success.
    #[error("the project answered {status} {code}")]
    Status {
        /// The HTTP status, or that of the body where the service says it there.
        status: StatusCode,
        /// The error code of the body, such as `PGRST202`, `42501`, `user_not_found` or
        /// `NoSuchKey`.
        code: String,
    },
    /// A success that is not what was agreed.
    #[error("unexpected answer")]
    Shape,
}

impl ApiError {
    /// Returns whether the service said that the resource does not exist, or that this caller may
    /// not see it.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Status { status, .. } if *status == StatusCode::NOT_FOUND)
    }
}

/// The project's address, and in whose name it is called.
#[derive(Clone)]
pub struct Access {
    base: String,
    key: String,
    authorization: String,
}

/// Omits key and token.
impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Access").field("base", &self.base).finish_non_exhaustive()
    }
}

impl Access {
    /// Access as `service_role`: row-level security is bypassed, so the function itself checks
    /// permissions.
    ///
    /// # Errors
    /// [`ApiError::NotConfigured`] when the environment lacks address or key.
    pub fn service(env: &Env) -> Result<Self, ApiError> {
        let key = env.get("SUPABASE_SERVICE_ROLE_KEY").ok_or(ApiError::NotConfigured)?;
        Self::of(env, key, format!("Bearer {key}"))
    }

    /// Access with the token in the caller's headers: the function may see and change only what the
    /// caller may. Without a token the access is that of `anon`.
    ///
    /// # Errors
    /// [`ApiError::NotConfigured`] when the environment lacks address or key.
    pub fn caller(env: &Env, headers: &HeaderMap) -> Result<Self, ApiError> {
        let key = env.get("SUPABASE_ANON_KEY").ok_or(ApiError::NotConfigured)?;
        let sent = headers.get(http::header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        Self::of(env, key, sent.map_or_else(|| format!("Bearer {key}"), str::to_owned))
    }

    fn of(env: &Env, key: &str, authorization: String) -> Result<Self, ApiError> {
        let base = env.get("SUPABASE_URL").ok_or(ApiError::NotConfigured)?;
        Ok(Self { base: base.trim_end_matches('/').to_owned(), key: key.to_owned(), authorization })
    }

    /// The address of a path, such as `/rest/v1/lessons`.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> request::Builder {
        Request::builder()
            .method(method)
            .uri(self.url(path))
            .header("apikey", &self.key)
            .header("authorization", &self.authorization)
    }

    /// A request with a JSON body.
    pub(crate) fn json(
        &self,
        method: Method,
        path: &str,
        body: &Value,
    ) -> Result<Request<Vec<u8>>, ApiError> {
        self.request(method, path)
            .header("content-type", "application/json")
            .header("accept", "application/json")
            .body(body.to_string().into_bytes())
            .map_err(|_| ApiError::NotConfigured)
    }
}

/// One part of a path; nothing for one that would mean another place.
pub(crate) fn segment(text: &str) -> Option<String> {
    if matches!(text, "" | "." | "..") { None } else { Some(encoded(text)) }
}

/// A text that means itself and nothing else in a path or a query.
pub(crate) fn encoded(text: &str) -> String {
    use std::fmt::Write as _;
    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            write!(encoded, "%{byte:02X}").expect("a string takes every text");
        }
    }
    encoded
}

/// How much a call may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Allowance {
    pub(crate) time: Duration,
    /// Bytes of the answer.
    pub(crate) answer: usize,
    /// Returns whether the body of a refusal holds its true status, as storage's does.
    pub(crate) status_in_body: bool,
}

/// Sends a request and reads its answer; anything but a success is an error.
pub(crate) async fn send<T: Transport>(
    transport: &T,
    request: Request<Vec<u8>>,
    allowance: Allowance,
) -> Result<Vec<u8>, ApiError> {
    within(transport, allowance.time, exchange(transport, request, allowance)).await?
}

/// Sends a request and reads JSON; an answer without a body is `null`.
pub(crate) async fn send_for_json<T: Transport>(
    transport: &T,
    request: Request<Vec<u8>>,
    allowance: Allowance,
) -> Result<Value, ApiError> {
    let bytes = send(transport, request, allowance).await?;
    if bytes.is_empty() {
        Ok(Value::Null)
    } else {
        serde_json::from_slice(&bytes).map_err(|_| ApiError::Shape)
    }
}

async fn exchange<T: Transport>(
    transport: &T,
    request: Request<Vec<u8>>,
    allowance: Allowance,
) -> Result<Vec<u8>, ApiError> {
    let mut response = transport.send(request).await?;
    let bytes = read_all(response.body_mut(), allowance.answer).await?;
    if response.status().is_success() {
        Ok(bytes)
    } else {
        Err(refusal(&response, &bytes, allowance.status_in_body))
    }
}

/// Reads the refusal of a service. Auth has its code in `error_code`.
fn refusal<B>(response: &Response<B>, body: &[u8], status_in_body: bool) -> ApiError {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let told = body["statusCode"].as_str().filter(|_| status_in_body);
    let told = told.and_then(|status| StatusCode::from_bytes(status.as_bytes()).ok());
    let told = told.filter(|status| status.is_client_error() || status.is_server_error());
    let status = told.unwrap_or(response.status());
    if status == StatusCode::TOO_MANY_REQUESTS {
        let header = response.headers().get("retry-after");
        let retry_after = header.and_then(|value| value.to_str().ok()?.trim().parse().ok());
        return ApiError::RateLimited { retry_after };
    }
    let code = ["error_code", "code"].iter().find_map(|name| body[name].as_str()).unwrap_or_default();
    ApiError::Status { status, code: code.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENV: [(&str, &str); 3] = [
        ("SUPABASE_URL", "http://stack.local/"),
        ("SUPABASE_ANON_KEY", "anon"),
        ("SUPABASE_SERVICE_ROLE_KEY", "service"),
    ];

    #[test]
    fn a_call_speaks_for_the_service_role_for_the_caller_or_for_nobody() {
        let env = Env::from(ENV);
        let sent = HeaderMap::from_iter([(http::header::AUTHORIZATION, "Bearer theirs".parse().unwrap())]);
        for (access, key, authorization) in [
            (Access::service(&env), "service", "Bearer service"),
            (Access::caller(&env, &sent), "anon", "Bearer theirs"),
            (Access::caller(&env, &HeaderMap::new()), "anon", "Bearer anon"),
        ] {
            let request = access.unwrap().request(Method::GET, "/rest/v1/x").body(()).unwrap();
            assert_eq!(request.uri(), "http://stack.local/rest/v1/x");
            assert_eq!(
                (&request.headers()["apikey"], &request.headers()["authorization"]),
                (&key.parse().unwrap(), &authorization.parse().unwrap())
            );
        }
        let told = format!("{:?}", Access::caller(&env, &sent).unwrap());
        assert!(told.contains("stack.local") && !told.contains("anon") && !told.contains("theirs"), "{told}");
        assert!(matches!(Access::service(&Env::default()), Err(ApiError::NotConfigured)));
        assert!(matches!(Access::caller(&Env::default(), &sent), Err(ApiError::NotConfigured)));
    }

    #[test]
    fn a_part_of_a_path_leads_nowhere_else() {
        let parts = ["lessons", "a/../b?c", "..", ""].map(segment);
        assert_eq!(parts, [Some("lessons".to_owned()), Some("a%2F..%2Fb%3Fc".to_owned()), None, None]);
    }

    #[test]
    fn nothing_that_holds_a_secret_shows_it() {
        let env = Env::from([
            ("SUPABASE_URL", "http://stack.local/"),
            ("SUPABASE_ANON_KEY", "hidden-anon"),
            ("SUPABASE_SERVICE_ROLE_KEY", "hidden-service"),
        ]);
        let headers = HeaderMap::from_iter([(http::header::AUTHORIZATION, "hidden-token".parse().unwrap())]);
        let body = Some(b"hidden body".to_vec());
        let incoming =
            crate::handler::IncomingRequest { method: Method::POST, headers: headers.clone(), body };
        let told = format!(
            "{env:?} {incoming:?} {:?} {:?} {:?} {:?}",
            crate::mail::MailClient::from_env(&Nothing, &env).unwrap(),
            crate::rest::RestClient::as_caller(&Nothing, &env, &headers).unwrap(),
            crate::auth::AuthClient::from_env(&Nothing, &env).unwrap(),
            crate::storage::StorageClient::from_env(&Nothing, &env).unwrap(),
        );
        assert!(!told.contains("hidden") && !told.contains("104, 105"), "{told}");
        assert!(told.contains("SUPABASE_ANON_KEY") && told.contains("POST"), "{told}");
    }

    /// An outside that is never asked.
    #[derive(Debug)]
    struct Nothing;

    impl crate::transport::Chunks for Nothing {
        async fn next(&mut self) -> Option<Result<Vec<u8>, TransportError>> {
            None
        }
    }

    impl Transport for Nothing {
        type Body = Self;

        async fn send(&self, _: Request<Vec<u8>>) -> Result<Response<Self>, TransportError> {
            Ok(Response::new(Self))
        }

        async fn sleep(&self, _: Duration) {}

        fn now(&self) -> Duration {
            Duration::ZERO
        }

        fn jitter(&self) -> f64 {
            0.5
        }
    }

    #[test]
    fn each_service_says_what_it_refused_in_its_own_form() {
        let answered = |status: u16, body: &str, status_in_body: bool| {
            let response = Response::builder().status(status).header("retry-after", "7").body(()).unwrap();
            match refusal(&response, body.as_bytes(), status_in_body) {
                ApiError::Status { status, code } => (status.as_u16(), code),
                ApiError::RateLimited { retry_after } => (429, format!("{retry_after:?}")),
                other => panic!("{other:?}"),
            }
        };
        let of = |status, code: &str| (status, code.to_owned());
        let (refused, stored) =
            (|status, body| answered(status, body, false), |status, body| answered(status, body, true));
        assert_eq!(
            refused(404, r#"{"code":404,"error_code":"user_not_found","msg":"x"}"#),
            of(404, "user_not_found")
        );
        assert_eq!(refused(404, r#"{"code":"user_not_found","message":"x"}"#), of(404, "user_not_found"));
        let missing = r#"{"statusCode":"404","error":"not_found","code":"NoSuchKey"}"#;
        assert_eq!(stored(400, missing), of(404, "NoSuchKey"));
        assert_eq!(refused(400, missing), of(400, "NoSuchKey"), "only storage's body is asked");
        for no_refusal in ["200", "302", "700", "x"] {
            let body = format!(r#"{{"statusCode":"{no_refusal}"}}"#);
            assert_eq!(answered(400, &body, true), of(400, ""), "{no_refusal}");
        }
        assert_eq!(refused(403, r#"{"code":"42501"}"#), of(403, "42501"));
        assert_eq!(stored(400, r#"{"statusCode":"429"}"#), of(429, "Some(7)"));
        assert_eq!(refused(502, "<html>"), of(502, ""));
    }
}
