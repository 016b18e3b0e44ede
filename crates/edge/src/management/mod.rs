//! What management commands ask of a running stack: functions, secrets, logs (CONTRACT.md G06 to
//! G10; paths and fields of the Management API). The server checks before who may ask.

/// `/functions`.
mod functions;

/// A function as the Management API shows it.
mod function_resource;

/// Reads what a deployment sends.
mod upload;

/// `/logs`: the newest lines, and those to come.
mod logs;

/// `/secrets`.
mod secrets;

/// `/serve`: what `functions serve` asks for while it runs.
mod serve_session;

use std::{fmt, io, sync::Arc};

use banyan_web::{Body, BodyError, full, json_response, read_body};
use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use serde::de::DeserializeOwned;
use serde_json::json;
use time::OffsetDateTime;

use crate::{
    State, components::compiled_component, deployments::record::DeploymentRecord, error::LoadError,
    registry::Registry, settings::secrets::SecretError,
};

/// Why a management command is refused. The text is shown to the person.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ManagementError {
    #[error("there is no such path")]
    NotFound,
    #[error("Function not found: {0}")]
    NoFunction(String),
    #[error("version {1} of {0} is not kept{2}")]
    NoVersion(String, u32, KeptVersions),
    #[error("there is no earlier version of {0}{1}")]
    NoEarlier(String, KeptVersions),
    #[error("method not allowed")]
    Method,
    #[error("{0}")]
    Request(String),
    #[error("the component is larger than 20 MB")]
    TooLarge,
    #[error(
        "this server runs WebAssembly components, and {0} cannot be run: build one with `banyan functions build` and send it as application/wasm"
    )]
    NoComponent(String),
    #[error("the component of {1} was not deployed{2}: {0}")]
    Component(#[source] LoadError, String, StillServed),
    #[error(transparent)]
    Secret(#[from] SecretError),
    #[error("the stack's own folder cannot be used")]
    Folder(#[from] io::Error),
    #[error("the command failed")]
    Internal,
}

/// What is served after a deployment failed.
#[derive(Debug)]
pub(crate) enum StillServed {
    Nothing,
    /// A component that was not deployed, which has no version.
    Built,
    Version(u32),
}

/// Written as the middle of a sentence.
impl fmt::Display for StillServed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => Ok(()),
            Self::Built => f.write_str(", what was built goes on"),
            Self::Version(version) => write!(f, ", version {version} goes on"),
        }
    }
}

/// The versions that could be named instead.
#[derive(Debug, Default)]
pub(crate) struct KeptVersions(Vec<u32>);

impl KeptVersions {
    fn of(known: &DeploymentRecord) -> Self {
        Self(known.versions.iter().map(|version| version.version).collect())
    }
}

/// Written as the end of a sentence. A single version is the one that runs, so it is left out.
impl fmt::Display for KeptVersions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.len() < 2 {
            return Ok(());
        }
        let all: Vec<_> = self.0.iter().map(u32::to_string).collect();
        write!(f, "; there are {}", all.join(", "))
    }
}

impl ManagementError {
    fn status(&self) -> StatusCode {
        match self {
            Self::NotFound | Self::NoFunction(_) | Self::NoVersion(..) | Self::NoEarlier(..) => {
                StatusCode::NOT_FOUND
            }
            Self::Method => StatusCode::METHOD_NOT_ALLOWED,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::NoComponent(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Secret(SecretError::Keep(_)) | Self::Folder(_) | Self::Internal => {
                StatusCode::INTERNAL_SERVER_ERROR
            }
            Self::Request(_) | Self::Component(..) | Self::Secret(_) => StatusCode::BAD_REQUEST,
        }
    }

    /// `{"message"}`, as in the Management API.
    fn response(&self) -> Response<Body> {
        if self.status().is_server_error() {
            tracing::error!(error = %self, source = ?std::error::Error::source(self), "a management command failed");
        }
        json_response(self.status(), &json!({"message": self.to_string()}))
    }
}

/// Answers `/v1/projects/{ref}`, and below it `/functions...`, `/secrets`, `/logs` and `/serve`.
/// The project's ref is ignored, because a stack has one project. Errors are `{"message"}`: 400,
/// 404, 405, 413, 415, 500.
pub async fn handle(state: &State, request: Request<Body>, now: OffsetDateTime) -> Response<Body> {
    handle_path(state, request, now).await.unwrap_or_else(|error| error.response())
}

async fn handle_path(
    state: &State,
    request: Request<Body>,
    now: OffsetDateTime,
) -> Result<Response<Body>, ManagementError> {
    let path = request.uri().path().to_owned();
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    let ["v1", "projects", _, rest @ ..] = parts.as_slice() else { return Err(ManagementError::NotFound) };
    let now = milliseconds(now);
    match rest {
        [] => {
            require_method(&request, &[Method::GET])?;
            Ok(json_response(StatusCode::OK, &json!({"id": state.project(), "name": state.project()})))
        }
        ["functions", rest @ ..] => functions::handle_path(state, rest, request, now).await,
        ["secrets"] => secrets::handle_path(state, request).await,
        ["logs"] => logs::handle_path(state, &request),
        ["serve"] => serve_session::handle_path(state, request).await,
        _ => Err(ManagementError::NotFound),
    }
}

fn milliseconds(now: OffsetDateTime) -> i64 {
    i64::try_from(now.unix_timestamp_nanos() / 1_000_000).unwrap_or_default()
}

/// Reads a body of at most the size of a component.
async fn read(body: Body) -> Result<Bytes, ManagementError> {
    let most = usize::try_from(compiled_component::MAX_COMPONENT_BYTES).unwrap_or(usize::MAX);
    read_body(body, most).await.map_err(|error| match error {
        BodyError::TooLarge => ManagementError::TooLarge,
        BodyError::EndedEarly => ManagementError::Request("the body broke off".to_owned()),
    })
}

async fn read_json<T: DeserializeOwned>(body: Body) -> Result<T, ManagementError> {
    from_json(&read(body).await?)
}

fn from_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ManagementError> {
    serde_json::from_slice(bytes)
        .map_err(|error| ManagementError::Request(format!("no JSON as agreed: {error}")))
}

/// Runs work that reads and writes files, or compiles, on the blocking pool. Components that become
/// pending are compiled afterwards.
async fn blocking<T: Send + 'static>(
    state: &State,
    work: impl FnOnce(&Registry) -> Result<T, ManagementError> + Send + 'static,
) -> Result<T, ManagementError> {
    let registry = Arc::clone(state.registry());
    let done = tokio::task::spawn_blocking(move || {
        let done = work(&registry);
        registry.start_compiling();
        done
    });
    done.await.map_err(|_| ManagementError::Internal)?
}

fn of_bytes(bytes: Bytes, kind: &'static str) -> Response<Body> {
    let mut response = Response::new(full(bytes));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// Refuses every method that is not among these.
fn require_method(request: &Request<Body>, methods: &[Method]) -> Result<(), ManagementError> {
    if methods.contains(request.method()) { Ok(()) } else { Err(ManagementError::Method) }
}
