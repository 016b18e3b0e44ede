//! `/secrets`: shows names and digests, never values.

use std::collections::BTreeMap;

use banyan_web::{Body, json_response};
use http::{Method, Request, Response, StatusCode};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{ManagementError, blocking, read_json, require_method};
use crate::{State, files::digest};

#[derive(Deserialize)]
struct Secret {
    name: String,
    value: String,
}

/// GET lists, POST `[{name, value}]` sets, DELETE `[name]` removes. Functions see a change at their
/// next request.
pub(super) async fn handle_path(
    state: &State,
    request: Request<Body>,
) -> Result<Response<Body>, ManagementError> {
    require_method(&request, &[Method::GET, Method::POST, Method::DELETE])?;
    if request.method() == Method::GET {
        let all: Vec<Value> = blocking(state, |registry| {
            let all = registry.settings.secrets.read()?;
            Ok(all
                .iter()
                .map(|(name, value)| json!({"name": name, "value": digest(value.as_bytes())}))
                .collect())
        })
        .await?;
        return Ok(json_response(StatusCode::OK, &all));
    }
    let status = if request.method() == Method::POST {
        let secrets: Vec<Secret> = read_json(request.into_body()).await?;
        let secrets: BTreeMap<_, _> =
            secrets.into_iter().map(|Secret { name, value }| (name, value)).collect();
        blocking(state, move |registry| Ok(registry.settings.secrets.set(secrets)?)).await?;
        StatusCode::CREATED
    } else {
        let names: Vec<String> = read_json(request.into_body()).await?;
        blocking(state, move |registry| Ok(registry.settings.secrets.unset(&names)?)).await?;
        StatusCode::OK
    };
    state.scan().await;
    Ok(json_response(status, &Value::Null))
}
