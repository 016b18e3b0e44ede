use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use serde_json::json;

use super::{HALF_CHANGED, Proven, at_once, of_link, open_session, redeem, slots_of};
use crate::{
    codes::{self, Shown},
    email::AddressInput,
    error::AuthError,
    rate_limit::Limit,
    request::{Context, Json},
    state::Inner,
    store::one_time_tokens::Pending,
    work::Work,
};

/// Longest code or hash considered.
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

/// What proves who asks.
enum Proof {
    /// A code and the address that it was sent to.
    Code { address: String, digits: String },
    /// The token of a link (CONTRACT.md V2).
    Hash(String),
}

/// Checks a code or a link's hash and opens a session (CONTRACT.md H10). A wrong, used or old one
/// is 403 `otp_expired`, whether or not the address is known.
pub(crate) async fn post(
    State(inner): State<Arc<Inner>>,
    context: Context,
    Json(input): Json<Input>,
) -> Result<Response, AuthError> {
    inner.limits.take(Limit::Verify, &context.client_key(), context.now)?;
    let slots = slots_of(input.r#type.as_deref().unwrap_or_default())?;
    match proof(&input)? {
        Proof::Hash(hash) => with_hash(&inner, &context, &hash, &slots).await,
        Proof::Code { address, digits } => with_code(&inner, &context, &address, &digits, &slots).await,
    }
}

/// Reads the proof (CONTRACT.md V1, V2).
fn proof(input: &Input) -> Result<Proof, AuthError> {
    let given = |field: &Option<String>| field.clone().filter(|text| !text.is_empty());
    let address = given(&input.address.email).or(given(&input.address.phone));
    let proof = match (given(&input.token), given(&input.token_hash)) {
        (None, Some(hash)) => {
            if address.is_some() || given(&input.redirect_to).is_some() {
                return Err(AuthError::validation("Only the token_hash and type should be provided"));
            }
            Proof::Hash(hash)
        }
        (Some(digits), None) => {
            if address.is_none() {
                return Err(AuthError::validation(
                    "Only an email address or phone number should be provided on verify",
                ));
            }
            Proof::Code { address: input.address.check()?.as_str().to_owned(), digits }
        }
        _ => return Err(AuthError::validation("Verify requires either a token or a token hash")),
    };
    let (Proof::Hash(text) | Proof::Code { digits: text, .. }) = &proof;
    if text.len() > LONGEST { Err(AuthError::CodeRefused) } else { Ok(proof) }
}

async fn with_hash(
    inner: &Inner,
    context: &Context,
    hash: &str,
    slots: &[String],
) -> Result<Response, AuthError> {
    let mut transaction = inner.begin(context).await?;
    let pending = of_link(inner, &mut transaction, context, hash, slots).await?;
    finish(inner, context, transaction, &pending, (Shown::Exchanged, || AuthError::LinkRefused)).await
}

/// Counts the guess first, whatever becomes of it (CONTRACT.md M9, V14).
async fn with_code(
    inner: &Inner,
    context: &Context,
    address: &str,
    digits: &str,
    slots: &[String],
) -> Result<Response, AuthError> {
    let guessed = codes::guess(inner, context, (address, digits), slots).await?;
    let (pending, known) = guessed.ok_or(AuthError::CodeRefused)?;
    if let Some(known) = known
        && let Some(opening) = at_once::sign_in(inner, context, &known, &pending).await?
    {
        return Ok(opening.signed(inner, context).await?.into_response());
    }
    let transaction = inner.begin(context).await?;
    finish(inner, context, transaction, &pending, (Shown::Typed, || AuthError::CodeRefused)).await
}

async fn finish(
    inner: &Inner,
    context: &Context,
    mut transaction: Work,
    pending: &Pending,
    (shown, refused): (Shown, fn() -> AuthError),
) -> Result<Response, AuthError> {
    let proven = redeem(inner, &mut transaction, context, pending, refused).await?;
    codes::entered(inner, &mut transaction, &pending.sent_to, context, shown).await?;
    match proven {
        Proven::SignedIn(user) => {
            let opening = open_session(inner, &mut transaction, context, user).await?;
            inner.commit(transaction).await?;
            Ok(opening.signed(inner, context).await?.into_response())
        }
        Proven::HalfChanged => {
            inner.commit(transaction).await?;
            Ok(axum::Json(json!({"msg": HALF_CHANGED, "code": "200"})).into_response())
        }
    }
}
