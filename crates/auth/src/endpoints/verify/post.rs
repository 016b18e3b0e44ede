use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use serde_json::json;

use super::{HALF_CHANGED, Redeemed, of_link, redeem_for_session, token_types_of};
use crate::{
    context::ServiceContext,
    domain::{codes, limits::otp_attempts::CodeSource},
    rate_limit::Limit,
    store::{one_time_tokens::Pending, pipelines::AccountVersion},
    wire::{
        email::AddressInput,
        error::AuthError,
        request::{Json, RequestContext},
    },
};

/// Longest code or hash.
const LONGEST: usize = 128;

/// Body of the request.
#[derive(Debug, Deserialize)]
pub(crate) struct Input {
    r#type: Option<String>,
    token: Option<String>,
    token_hash: Option<String>,
    redirect_to: Option<String>,
    #[serde(flatten)]
    address: AddressInput,
}

/// What the request presents.
enum Presented {
    /// A code and the address that it was sent to.
    Code { address: String, digits: String },
    /// The token of a link (CONTRACT.md V2).
    Hash(String),
}

/// Checks a code or a link's hash and opens a session (CONTRACT.md H10). A wrong, used or expired
/// one is 403 `otp_expired`, whether or not the address is known.
pub(crate) async fn post(
    State(service): State<Arc<ServiceContext>>,
    context: RequestContext,
    Json(input): Json<Input>,
) -> Result<Response, AuthError> {
    service.limits.take(Limit::Verify, &context.client_key(), context.now)?;
    let token_types = token_types_of(input.r#type.as_deref().unwrap_or_default())?;
    match presented(&input)? {
        Presented::Hash(hash) => with_hash(&service, &context, &hash, &token_types).await,
        Presented::Code { address, digits } => {
            with_code(&service, &context, &address, &digits, &token_types).await
        }
    }
}

/// Reads what is presented (CONTRACT.md V1, V2).
fn presented(input: &Input) -> Result<Presented, AuthError> {
    let given = |field: &Option<String>| field.clone().filter(|text| !text.is_empty());
    let address = given(&input.address.email).or(given(&input.address.phone));
    let presented = match (given(&input.token), given(&input.token_hash)) {
        (None, Some(hash)) => {
            if address.is_some() || given(&input.redirect_to).is_some() {
                return Err(AuthError::validation("Only the token_hash and type should be provided"));
            }
            Presented::Hash(hash)
        }
        (Some(digits), None) => {
            if address.is_none() {
                return Err(AuthError::validation(
                    "Only an email address or phone number should be provided on verify",
                ));
            }
            Presented::Code { address: input.address.check()?.as_str().to_owned(), digits }
        }
        _ => return Err(AuthError::validation("Verify requires either a token or a token hash")),
    };
    let (Presented::Hash(text) | Presented::Code { digits: text, .. }) = &presented;
    if text.len() > LONGEST { Err(AuthError::CodeRefused) } else { Ok(presented) }
}

async fn with_hash(
    service: &ServiceContext,
    context: &RequestContext,
    hash: &str,
    token_types: &[String],
) -> Result<Response, AuthError> {
    let pending = of_link(service, &service.pool, context, hash, token_types).await?;
    finish(service, context, (&pending, None), (CodeSource::Exchanged, || AuthError::LinkRefused)).await
}

/// Counts the guess first, whatever its outcome (CONTRACT.md M9, V14).
async fn with_code(
    service: &ServiceContext,
    context: &RequestContext,
    address: &str,
    digits: &str,
    token_types: &[String],
) -> Result<Response, AuthError> {
    let guessed = codes::guess(service, context, (address, digits), token_types).await?;
    let (pending, known) = guessed.ok_or(AuthError::CodeRefused)?;
    finish(service, context, (&pending, Some(known)), (CodeSource::Typed, || AuthError::CodeRefused)).await
}

async fn finish(
    service: &ServiceContext,
    context: &RequestContext,
    code: (&Pending, Option<AccountVersion>),
    source: (CodeSource, fn() -> AuthError),
) -> Result<Response, AuthError> {
    match redeem_for_session(service, context, code, source).await? {
        Redeemed::Session(session) => Ok(session.sign(service, context).await?.into_response()),
        Redeemed::HalfChanged => Ok(axum::Json(json!({"msg": HALF_CHANGED, "code": "200"})).into_response()),
    }
}
