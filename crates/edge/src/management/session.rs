//! `/serve`: what `functions serve` asks for while it runs (functions.md G04, J08). Forgotten when the stack ends.

use std::collections::BTreeMap;

use http::{Method, Request, Response, StatusCode};
use secrecy::SecretString;
use serde::Deserialize;
use serde_json::Value;

use super::{ManagementError, answer, only, read_json};
use crate::{Body, State, settings::Session};

#[derive(Deserialize)]
struct Asked {
    #[serde(default)]
    no_verify_jwt: bool,
    #[serde(default)]
    env: BTreeMap<String, String>,
}

/// PUT `{no_verify_jwt, env}` begins a session or changes it, DELETE ends it.
pub(super) async fn answer_to(
    state: &State,
    request: Request<Body>,
) -> Result<Response<Body>, ManagementError> {
    only(&request, &[Method::PUT, Method::DELETE])?;
    let session = if request.method() == Method::PUT {
        let Asked { no_verify_jwt, env } = read_json(request.into_body()).await?;
        let env = env.into_iter().map(|(name, value)| (name, SecretString::from(value))).collect();
        Session { no_verify_jwt, env }
    } else {
        Session::default()
    };
    state.registry().set_session(session);
    state.look().await;
    Ok(answer(StatusCode::OK, &Value::Null))
}
