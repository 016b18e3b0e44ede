use serde::Deserialize;

use crate::{
    context::ServiceContext,
    domain::{
        limits::{otp_attempts::CodeSource, otp_quota},
        linking::{self, Outcome, StoredIdentity},
        sessions::{self, IssuedSession},
    },
    store::{
        flow_states::{self, Flow},
        times, users,
    },
    tx::Tx,
    wire::{
        error::{AuthError, PasswordError},
        pkce::{self, Method},
        request::RequestContext,
    },
};

/// How long the code of a flow counts (CONTRACT.md K6).
const LIFE: time::Duration = time::Duration::minutes(5);

/// Methods of flows that began with a mail to the account's address.
const MAILED: [&str; 3] = ["email/signup", "magiclink", "recovery"];

/// Body of the request.
#[derive(Debug, Deserialize)]
pub(crate) struct Input {
    auth_code: Option<String>,
    code_verifier: Option<String>,
}

/// Exchanges the code for a session (CONTRACT.md K4, K5). A wrong verifier leaves the flow as it
/// is; a right one ends it. A flow that links an identity links it here (CONTRACT.md I7).
pub(crate) async fn grant(
    service: &ServiceContext,
    context: &RequestContext,
    input: Input,
) -> Result<IssuedSession, AuthError> {
    let (Some(code), Some(verifier)) = (
        input.auth_code.filter(|text| !text.is_empty()),
        input.code_verifier.filter(|text| !text.is_empty()),
    ) else {
        return Err(AuthError::validation(
            "invalid request: both auth code and code verifier should be non-empty",
        ));
    };
    let mut transaction = service.begin(context).await?;
    let tx = &mut transaction.tx();
    let flow = open_flow(tx, &code, &verifier).await?;
    let user = flow.user_id.ok_or(AuthError::FlowNotFound)?;
    let user = users::by_id(&mut *tx.db, user).await?.ok_or(AuthError::FlowNotFound)?;
    if user.is_banned(context.now) {
        return Err(PasswordError::Banned.into());
    }
    if let Some(kept) = kept(&flow) {
        let outcome = linking::link_kept(tx, &kept).await?;
        if let Outcome::Withheld(error) = outcome {
            flow_states::delete(tx.db, flow.id).await?;
            service.commit(transaction).await?;
            return Err(error);
        }
    }
    flow_states::delete(tx.db, flow.id).await?;
    let unsigned = sessions::open(tx, user.id, &flow.authentication_method).await?;
    if MAILED.contains(&flow.authentication_method.as_str())
        && let Some(address) = user.email.as_deref()
    {
        otp_quota::entered(tx, address, CodeSource::Exchanged).await?;
    }
    service.commit(transaction).await?;
    let tokens = (flow.provider_access_token, flow.provider_refresh_token);
    unsigned.with_tokens_of_provider(tokens).sign(service, context).await
}

/// The flow of a valid code and verifier, locked after its account, because an account locks itself
/// before its flows. The lock of an identity to link comes before both, as at every sign-in with
/// it.
async fn open_flow(tx: &mut Tx<'_>, code: &str, verifier: &str) -> Result<Flow, AuthError> {
    let seen = flow_states::by_code(&mut *tx.db, code).await?.ok_or(AuthError::FlowNotFound)?;
    check(&seen, tx.context, verifier)?;
    if let Some(kept) = kept(&seen) {
        linking::wait_for_kept(tx, &kept).await?;
    }
    let user = seen.user_id.ok_or(AuthError::FlowNotFound)?;
    users::by_id_for_update(tx.db, user).await?.ok_or(AuthError::FlowNotFound)?;
    let flow = flow_states::by_code_for_update(tx.db, code).await?.ok_or(AuthError::FlowNotFound)?;
    check(&flow, tx.context, verifier)?;
    Ok(flow)
}

/// The identity that the flow links, if any.
fn kept(flow: &Flow) -> Option<StoredIdentity<'_>> {
    let (provider, email_optional) = (flow.provider.as_str(), flow.email_optional);
    flow.linking_target.map(|target| StoredIdentity { flow: flow.id, provider, email_optional, target })
}

fn check(flow: &Flow, context: &RequestContext, verifier: &str) -> Result<(), AuthError> {
    let issued_at = flow.auth_code_issued_at.ok_or(AuthError::FlowNotFound)?;
    if !times::is_since(issued_at, context.now - LIFE) {
        return Err(AuthError::FlowExpired);
    }
    let challenge = flow.code_challenge.as_deref().unwrap_or_default();
    let method = flow.code_challenge_method.as_deref().and_then(Method::parse).unwrap_or(Method::S256);
    if pkce::fits(challenge, method, verifier) { Ok(()) } else { Err(AuthError::BadVerifier) }
}
