//! What can go wrong, and its wire form (CONTRACT.md, errors made by the platform).

use banyan_web::{Body, json_response};
use http::{HeaderValue, Response, StatusCode, header};
use serde::Serialize;
use serde_json::json;

/// Why the host cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The engine cannot be made on this machine.
    #[error("the function engine cannot be made")]
    Engine(#[source] wasmtime::Error),
    /// The thread that measures CPU time cannot be started.
    #[error("the ticker thread cannot be started")]
    Ticker(#[source] std::io::Error),
    /// The threads that busy functions run on cannot be started.
    #[error("the threads for functions cannot be started")]
    Threads(#[source] std::io::Error),
    /// The project's own address is no URL.
    #[error("the project's address `{0}` is no http or https URL")]
    Origin(String),
    /// The service key does not fit in a header.
    #[error("the service key cannot stand in a header")]
    ServiceKey,
    /// The folder of components cannot be made or watched.
    #[error("the folder of components cannot be used")]
    Components(#[source] std::io::Error),
    /// The folder of components cannot be watched.
    #[error("the folder of components cannot be watched")]
    Watch(#[source] notify::Error),
}

/// Why a component cannot be served. The text goes only to the log, and to the person who deploys.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LoadError {
    #[error("{0} cannot be read")]
    Read(std::path::PathBuf, #[source] std::io::Error),
    #[error("the component has {0} bytes; the largest allowed has 20 MB")]
    TooLarge(u64),
    #[error("the compiled component has {0} bytes; the largest allowed has 64 MB")]
    CompiledTooLarge(usize),
    #[error("the bytes are no WebAssembly component")]
    NoComponent,
    #[error("it is a WebAssembly module and no component: cargo makes one for the target wasm32-wasip2")]
    Module,
    #[error("the component exports no HTTP handler; `banyan_sdk::http_function!` makes one: {0:#}")]
    NoHandler(wasmtime::Error),
    #[error("the component does not compile: {0:#}")]
    Compile(wasmtime::Error),
    #[error("loading it panicked")]
    Panicked,
    #[error("the compiled component cannot be kept in {0}")]
    Keep(std::path::PathBuf, #[source] std::io::Error),
    #[error("the component asks for what the host does not offer: {0:#}")]
    Link(wasmtime::Error),
    #[error("what is known of the function's versions cannot be read")]
    Metadata(#[source] std::io::Error),
}

impl LoadError {
    /// What callers are told.
    pub(crate) fn answer(&self) -> HostError {
        match self {
            Self::Read(_, error) if error.kind() == std::io::ErrorKind::NotFound => HostError::NoCode,
            Self::Read(..) | Self::TooLarge(_) | Self::CompiledTooLarge(_) | Self::Keep(..) => {
                HostError::Load
            }
            Self::NoComponent
            | Self::Module
            | Self::NoHandler(_)
            | Self::Compile(_)
            | Self::Panicked
            | Self::Link(_) => HostError::Boot,
            Self::Metadata(_) => HostError::Metadata,
        }
    }
}

/// An answer made by the platform instead of the function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HostError {
    /// No function of that name, or a disabled one (F04, F05).
    #[error("no such function")]
    UnknownFunction,
    /// The function is configured, but was neither built nor deployed.
    #[error("the function has no code")]
    NoCode,
    /// The component is there and is being compiled.
    #[error("the function is being compiled")]
    NotReady,
    /// There is only a TypeScript source (G13).
    #[error("the function is written for Deno")]
    Entrypoint,
    /// The component cannot be loaded: unreadable or too large.
    #[error("the component cannot be loaded")]
    Load,
    /// The record of its versions cannot be read.
    #[error("the function's metadata cannot be read")]
    Metadata,
    /// A method that functions do not take (F03).
    #[error("method not allowed")]
    Method,
    /// `verify_jwt` is set, and the request has no token (J05).
    #[error("no token presented")]
    MissingToken,
    /// `verify_jwt` is set, and the scheme is not Bearer (J06).
    #[error("the Authorization header is not of the form Bearer <token>")]
    Scheme,
    /// `Authorization` or `apikey` is there more than once (J07).
    #[error("a header that says who calls is there more than once")]
    RepeatedToken,
    /// The bearer looks like a key, but is no key of this project (J07).
    #[error("the key is none of this project")]
    UnknownKey,
    /// `verify_jwt` is set, and the bearer is no token (J06).
    #[error("the token's form is wrong")]
    TokenFormat,
    /// `verify_jwt` is set, and no key has the token's algorithm (J06).
    #[error("the token's algorithm is not accepted")]
    TokenAlgorithm,
    /// `verify_jwt` is set, and an HS256 token does not pass (J06).
    #[error("the token signed with the shared secret is refused")]
    LegacyToken,
    /// `verify_jwt` is set, and a token of a signing key does not pass (J06).
    #[error("the token signed with a key is refused")]
    AsymmetricToken,
    /// The caller's role is not in the function's list (J09).
    #[error("the caller's role may not call this function")]
    Role,
    /// The request's body is larger than the gateway allows.
    #[error("the request body is too large")]
    BodyTooLarge,
    /// The client sent no more of the request's body for too long.
    #[error("the request body does not go on")]
    BodyTimeout,
    /// The request's body broke off, most often with its client's connection.
    #[error("the request body broke off")]
    BodyBroken,
    /// Functions called functions too deeply.
    #[error("too many nested calls")]
    NestedCalls,
    /// The function made more outgoing calls than one request may.
    #[error("too many outgoing calls")]
    OutboundCalls,
    /// A protocol upgrade was asked for (T09).
    #[error("upgrade asked for")]
    Upgrade,
    /// The instance cannot be made.
    #[error("the function cannot boot")]
    Boot,
    /// The function failed before it answered.
    #[error("the function failed")]
    Worker,
    /// CPU, memory or wall clock ran out before the answer.
    #[error("the function reached a limit")]
    ResourceLimit,
    /// No answer within the idle time.
    #[error("the function did not answer in time")]
    IdleTimeout,
    /// The function answered with a status outside 200 to 599 (T03).
    #[error("the function answered with an invalid status")]
    InvalidStatus,
    /// Every slot is taken, or the host is stopping.
    #[error("no slot is free")]
    Busy,
    /// A fault of the host itself.
    #[error("the host failed")]
    Internal,
}

/// Why a function answers no request. The reference has no word for it. `functions logs` says more,
/// and so do the answers to the function's callers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum UnavailableReason {
    /// There is no component.
    NotBuilt,
    Compiling,
    Broken,
    Disabled,
}

/// Status, value of `sb-error-code`, `code` and `message` of the body.
struct Wire(u16, &'static str, &'static str, &'static str);

impl HostError {
    /// Why a function answers nobody. Returns nothing for an error that concerns one request alone.
    pub(crate) fn reason(self) -> Option<UnavailableReason> {
        match self {
            // A TypeScript source cannot be built here, so nothing was built.
            Self::NoCode | Self::Entrypoint => Some(UnavailableReason::NotBuilt),
            Self::NotReady => Some(UnavailableReason::Compiling),
            Self::Boot | Self::Load | Self::Metadata => Some(UnavailableReason::Broken),
            Self::UnknownFunction
            | Self::Method
            | Self::MissingToken
            | Self::Scheme
            | Self::RepeatedToken
            | Self::UnknownKey
            | Self::TokenFormat
            | Self::TokenAlgorithm
            | Self::LegacyToken
            | Self::AsymmetricToken
            | Self::Role
            | Self::BodyTooLarge
            | Self::BodyTimeout
            | Self::BodyBroken
            | Self::NestedCalls
            | Self::OutboundCalls
            | Self::Upgrade
            | Self::Worker
            | Self::ResourceLimit
            | Self::IdleTimeout
            | Self::InvalidStatus
            | Self::Busy
            | Self::Internal => None,
        }
    }

    /// Whether the function has code that cannot be loaded.
    pub(crate) fn is_broken(self) -> bool {
        self.reason() == Some(UnavailableReason::Broken)
    }

    fn wire(self) -> Wire {
        let same = |status, code, message| Wire(status, code, code, message);
        match self {
            Self::UnknownFunction => same(404, "NOT_FOUND", "Requested function was not found"),
            Self::NoCode => same(404, "NOT_FOUND_FUNCTION_BLOB", "Function is neither built nor deployed"),
            Self::NotReady => same(503, "FUNCTION_NOT_READY", "Function is being compiled; try again"),
            Self::Entrypoint => same(
                500,
                "LOAD_FUNCTION_INVALID_ENTRYPOINT_PATH_ERROR",
                "Function has a TypeScript entrypoint, and this server runs WebAssembly components: write it in Rust with `banyan functions new`",
            ),
            Self::Load => {
                same(500, "LOAD_FUNCTION_ERROR", "Function could not be loaded (please check logs)")
            }
            Self::Metadata => same(
                500,
                "LOAD_FUNCTION_METADATA_ERROR",
                "Function metadata could not be loaded (please check logs)",
            ),
            Self::Method => same(405, "METHOD_NOT_ALLOWED", "Method not allowed"),
            Self::MissingToken => same(401, "UNAUTHORIZED_NO_AUTH_HEADER", "Missing authorization header"),
            Self::Scheme => {
                same(401, "UNAUTHORIZED_INVALID_JWT_FORMAT", "Auth header is not 'Bearer {token}'")
            }
            Self::RepeatedToken => same(
                401,
                "UNAUTHORIZED_INVALID_JWT_FORMAT",
                "The header Authorization or apikey is in the request more than once; send each once",
            ),
            Self::UnknownKey => same(401, "UNAUTHORIZED_INVALID_API_KEY", "Invalid API key"),
            Self::TokenFormat => same(401, "UNAUTHORIZED_INVALID_JWT_FORMAT", "Invalid JWT"),
            Self::TokenAlgorithm => same(401, "UNAUTHORIZED_UNSUPPORTED_TOKEN_ALGORITHM", "Invalid JWT"),
            Self::LegacyToken => same(401, "UNAUTHORIZED_LEGACY_JWT", "Invalid JWT"),
            Self::AsymmetricToken => same(401, "UNAUTHORIZED_ASYMMETRIC_JWT", "Invalid JWT"),
            Self::Role => same(403, "FORBIDDEN_ROLE", "The role of this token may not call this function"),
            Self::BodyTooLarge => same(413, "PAYLOAD_TOO_LARGE", "Request body is too large"),
            Self::BodyTimeout => same(408, "REQUEST_TIMEOUT", "Request body did not arrive in time"),
            Self::BodyBroken => same(400, "INCOMPLETE_BODY", "Request body broke off"),
            Self::NestedCalls => same(429, "RATE_LIMIT_EXCEEDED", "Too many nested function calls"),
            Self::OutboundCalls => same(429, "RATE_LIMIT_EXCEEDED", "Too many outgoing calls"),
            Self::Upgrade => {
                same(501, "UPGRADE_NOT_SUPPORTED", "Protocol upgrades are not supported; use realtime")
            }
            Self::Boot => same(503, "BOOT_ERROR", "Worker failed to boot (please check logs)"),
            Self::Worker => same(500, "WORKER_ERROR", "Function exited due to an error (please check logs)"),
            Self::ResourceLimit => Wire(
                546,
                "WORKER_RESOURCE_LIMIT",
                "WORKER_LIMIT",
                "Worker failed to respond due to a resource limit (please check logs)",
            ),
            Self::IdleTimeout => same(504, "IDLE_TIMEOUT", "Function did not respond in time"),
            Self::InvalidStatus => {
                same(500, "INVALID_RESPONSE_STATUS_CODE", "Function answered with an invalid status code")
            }
            Self::Busy => same(503, "SERVICE_UNAVAILABLE", "All workers are busy; try again"),
            Self::Internal => Wire(
                500,
                "INTERNAL_ERROR",
                "Internal Server Error",
                "Request failed due to an internal server error",
            ),
        }
    }

    /// The answer: JSON with `code` and `message`, for 401 also `msg`, with the headers
    /// `x-relay-error` and `sb-error-code` (E01, E02).
    #[must_use]
    pub fn response(self) -> Response<Body> {
        let Wire(status, header_code, code, message) = self.wire();
        let mut body = json!({"code": code, "message": message});
        if status == 401 {
            body["msg"] = message.into();
        }
        let status = StatusCode::from_u16(status).expect("the table holds valid statuses");
        let mut response = json_response(status, &body);
        let headers = response.headers_mut();
        headers.insert("x-relay-error", HeaderValue::from_static("true"));
        headers.insert("sb-error-code", HeaderValue::from_static(header_code));
        match self {
            Self::Busy => headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1")),
            Self::NotReady => headers.insert(header::RETRY_AFTER, HeaderValue::from_static("2")),
            Self::Method => headers.insert(
                header::ALLOW,
                HeaderValue::from_static("GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"),
            ),
            _ => None,
        };
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: G09 G13
    #[test]
    fn what_the_list_calls_broken_is_what_a_start_names() {
        for (answer, reason) in [
            (HostError::NoCode, Some(UnavailableReason::NotBuilt)),
            (HostError::Entrypoint, Some(UnavailableReason::NotBuilt)),
            (HostError::NotReady, Some(UnavailableReason::Compiling)),
            (HostError::Boot, Some(UnavailableReason::Broken)),
            (HostError::Load, Some(UnavailableReason::Broken)),
            (HostError::Metadata, Some(UnavailableReason::Broken)),
            (HostError::Worker, None),
        ] {
            assert_eq!(answer.reason(), reason, "{answer}");
            assert_eq!(answer.is_broken(), reason == Some(UnavailableReason::Broken), "{answer}");
        }
    }
}
