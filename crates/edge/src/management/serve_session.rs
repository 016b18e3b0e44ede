//! `/serve`: the session of `functions serve` (CONTRACT.md G04, J08). It ends with the stack, or if
//! it is not renewed in time, because a command that was killed cannot end it.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use banyan_web::{Body, json_response};
use http::{Method, Request, Response, StatusCode};
use secrecy::SecretString;
use serde::Deserialize;
use serde_json::Value;

use super::{ManagementError, read_json, require_method};
use crate::{State, registry::Registry, settings::ServeSession};

#[derive(Deserialize)]
struct SessionRequest {
    #[serde(default)]
    no_verify_jwt: bool,
    #[serde(default)]
    env: BTreeMap<String, String>,
}

/// PUT `{no_verify_jwt, env}` starts, changes or renews a session, DELETE ends it.
pub(super) async fn handle_path(
    state: &State,
    request: Request<Body>,
) -> Result<Response<Body>, ManagementError> {
    require_method(&request, &[Method::PUT, Method::DELETE])?;
    let begins = request.method() == Method::PUT;
    let session = if begins {
        let SessionRequest { no_verify_jwt, env } = read_json(request.into_body()).await?;
        let env = env.into_iter().map(|(name, value)| (name, SecretString::from(value))).collect();
        ServeSession { no_verify_jwt, env }
    } else {
        ServeSession::default()
    };
    let (number, changes) = state.registry().settings.set_session(&session);
    if changes {
        state.scan().await;
    }
    if begins {
        tokio::spawn(expire(Arc::clone(state.registry()), number, state.timings().session));
    }
    Ok(json_response(StatusCode::OK, &Value::Null))
}

/// Ends a session that was not renewed.
async fn expire(registry: Arc<Registry>, number: u64, lease: Duration) {
    tokio::time::sleep(lease).await;
    if !registry.settings.end_session(number) {
        return;
    }
    tracing::info!("`functions serve` ended without a word; what it asked for is over");
    if tokio::task::spawn_blocking(move || registry.scan_and_compile()).await.is_err() {
        tracing::error!("loading functions panicked");
    }
}
