//! What the server itself refuses, and in which words (CONTRACT.md GW-ERRORS).

use banyan_web::{Body, full};
use http::{
    HeaderValue, Response, StatusCode,
    header::{CONTENT_TYPE, RETRY_AFTER, X_CONTENT_TYPE_OPTIONS},
};
use serde_json::json;

use crate::NOSNIFF;

/// Why a request gets no answer of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// No service has this path, or it is switched off.
    NoSuchService,
    /// Everybody knows the keys, and the request names another host than this machine.
    ForeignHost,
    /// Everybody knows the keys, and a web page of another origin asks.
    ForeignPage,
    /// The body is larger than the service takes.
    BodyTooLarge,
    /// The server answers as many requests, or holds as many bytes, as it can.
    Busy,
    /// The service did not answer before its deadline.
    DeadlinePassed,
    /// The path is no URI once the prefix of the service is taken off.
    UnreadablePath,
    /// The service changed the protocol of a connection, and may not.
    ForbiddenUpgrade,
    /// The request breaks the rules of HTTP.
    Malformed(&'static str),
    /// The transfer coding of the body is not implemented.
    UnknownCoding,
    /// The stack starts or stops.
    NotRunning,
    /// A management command presented no valid access token.
    NoAccessToken,
    /// A management command is for functions, and they are switched off.
    FunctionsOff,
}

impl Refusal {
    /// The answer: `{"message": "…"}`, as the reference's gateway words it.
    pub(crate) fn response(self) -> Response<Body> {
        let (status, message) = self.wire();
        let mut response = Response::new(full(json!({ "message": message }).to_string()));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json; charset=utf-8"));
        headers.insert(X_CONTENT_TYPE_OPTIONS, NOSNIFF);
        if self == Self::Busy {
            headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }

    /// Its status, and the words that the client reads.
    pub(crate) fn wire(self) -> (StatusCode, &'static str) {
        match self {
            Self::NoSuchService => (StatusCode::NOT_FOUND, "no Route matched with those values"),
            Self::ForeignHost => (StatusCode::MISDIRECTED_REQUEST, FOREIGN_HOST),
            Self::ForeignPage => (StatusCode::FORBIDDEN, FOREIGN_PAGE),
            Self::BodyTooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "The request body is too large."),
            Self::Busy => (StatusCode::SERVICE_UNAVAILABLE, "The server is busy. Please try again."),
            Self::DeadlinePassed => (StatusCode::GATEWAY_TIMEOUT, "The service did not answer in time."),
            Self::UnreadablePath => (StatusCode::BAD_REQUEST, "The address cannot be read."),
            Self::ForbiddenUpgrade => (StatusCode::BAD_GATEWAY, "The service may not change the protocol."),
            Self::Malformed(message) => (StatusCode::BAD_REQUEST, message),
            Self::UnknownCoding => {
                (StatusCode::NOT_IMPLEMENTED, "No transfer coding but chunked is understood.")
            }
            Self::NotRunning => (StatusCode::SERVICE_UNAVAILABLE, "The stack is starting or stopping."),
            Self::NoAccessToken => (StatusCode::UNAUTHORIZED, "Unauthorized"),
            Self::FunctionsOff => (StatusCode::NOT_FOUND, "Functions are switched off."),
        }
    }
}

const FOREIGN_HOST: &str = "This stack runs with the public demo keys and answers only names of this machine, such as localhost. \
    For another name give it keys of its own: auth.jwt_secret, the API keys and auth.signing_keys_path in config.toml. \
    (`[server] demo_keys = true` in banyan.toml shows it to everybody as it is.)";

const FOREIGN_PAGE: &str = "This stack runs with the public demo keys, so it answers no web page but those of this machine and of the project. \
    For a page of another origin make that auth.site_url, or add it to auth.additional_redirect_urls in config.toml; \
    or give the stack keys of its own: auth.jwt_secret, the API keys and auth.signing_keys_path.";
