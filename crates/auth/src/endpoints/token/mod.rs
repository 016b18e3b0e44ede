//! `POST /token`: grants, a file each (CONTRACT.md H14 to H19).

/// `grant_type=refresh_token`.
mod refresh_token;

/// `grant_type=pkce`.
mod pkce;

/// `grant_type=password`.
mod password;

/// `grant_type=id_token`.
mod id_token;

use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use serde_json::Value;

use crate::{
    context::ServiceContext,
    guards::bearer::UncheckedBearer,
    rate_limit::Limit,
    wire::{
        error::{AuthError, ClientError},
        request::{Json, Query, RequestContext, describe},
    },
};

/// Parameters of the query.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Parameters {
    grant_type: String,
}

/// Chooses by grant type.
pub(crate) async fn post(
    State(service): State<Arc<ServiceContext>>,
    context: RequestContext,
    credentials: UncheckedBearer,
    Query(parameters): Query<Parameters>,
    Json(body): Json<Value>,
) -> Result<Response, AuthError> {
    service.limits.take(Limit::Token, &context.client_key(), context.now)?;
    match parameters.grant_type.as_str() {
        "refresh_token" => refresh_token::grant(&service, &context, read(body)?).await,
        "pkce" => {
            let session = Box::pin(pkce::grant(&service, &context, read(body)?)).await?;
            Ok(session.into_response())
        }
        "password" => Box::pin(password::grant(&service, &context, read(body)?)).await,
        "id_token" => {
            let session = Box::pin(id_token::grant(&service, &context, credentials, read(body)?)).await?;
            Ok(session.into_response())
        }
        "web3" => Err(ClientError::Web3Off.into()),
        _ => Err(AuthError::UnsupportedGrant),
    }
}

fn read<T: serde::de::DeserializeOwned>(body: Value) -> Result<T, AuthError> {
    serde_json::from_value(body).map_err(|error| AuthError::BadJson(describe(&error)))
}
