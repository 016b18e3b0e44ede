use std::sync::Arc;

use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{CHALLENGE_LIFE, security_key, session_of, usable_of_path};
use crate::{
    context::ServiceContext,
    domain::{
        audit_log::{self, Action},
        codes,
        limits::otp_quota,
        sms,
    },
    guards::bearer::Bearer,
    hooks::TextMessage,
    model::{after_commit::HookPurpose, factor_kind::FactorKind},
    rate_limit::Limit,
    store::{
        challenges::{self, NewChallenge},
        factors::{self, Factor},
    },
    tx::Tx,
    wire::{
        error::{AuthError, FactorError},
        request::{Json, Path, RequestContext},
    },
};

/// Body of the request.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Input {
    channel: Option<String>,
}

/// `POST /factors/{id}/challenge` (CONTRACT.md H31): creates a challenge. A phone gets its code
/// now.
pub(crate) async fn post(
    State(service): State<Arc<ServiceContext>>,
    bearer: Bearer,
    context: RequestContext,
    Path(id): Path<String>,
    Json(input): Json<Input>,
) -> Result<axum::Json<Value>, AuthError> {
    service.limits.take(Limit::Factor, &context.client_key(), context.now)?;
    session_of(&bearer)?;
    let mut transaction = service.begin(&context).await?;
    let tx = &mut transaction.tx();
    let (factor, kind) = usable_of_path(tx.db, &bearer, &id, context.now).await?;
    if !kind.switches(&service.settings).verify {
        return Err(FactorError::VerifyOff(kind).into());
    }
    let challenge = service.new_id();
    let mut body = json!({"id": challenge, "type": kind.name()});
    let mut new = NewChallenge {
        id: challenge,
        factor: factor.id,
        ip: context.client,
        otp_code: None,
        session_data: None,
    };
    let (code, question);
    match kind {
        FactorKind::Totp => {}
        FactorKind::Phone => {
            code = send_code(tx, &bearer, &factor, &input).await?;
            new.otp_code = Some(&code);
        }
        FactorKind::WebAuthn => {
            question = security_key::ask(tx, &bearer, &factor).await?;
            new.session_data = Some(&question.session);
            body["webauthn"] =
                json!({"type": question.ceremony, "credential_options": {"publicKey": question.options}});
        }
    }
    challenges::insert(tx.db, &new, context.now).await?;
    factors::challenged(tx.db, factor.id, context.now).await?;
    let traits = json!({"factor_id": factor.id, "factor_status": factor.status});
    audit_log::add_with(tx, Action::ChallengeCreated, &bearer.user, traits).await?;
    service.commit(transaction).await?;
    body["expires_at"] = json!((context.now + CHALLENGE_LIFE).unix_timestamp());
    Ok(axum::Json(body))
}

/// Sends a code to the factor's number. Only its keyed hash is stored (CONTRACT.md F7).
async fn send_code(
    tx: &mut Tx<'_>,
    bearer: &Bearer,
    factor: &Factor,
    input: &Input,
) -> Result<String, AuthError> {
    let settings = &tx.service.settings.mfa.phone_code;
    sms::check_can_send(tx.service, input.channel.as_deref())?;
    let phone = factor.phone.as_deref().unwrap_or_default();
    otp_quota::allow_challenge(tx, factor.last_challenged_at, phone).await?;
    let code = codes::draw(tx.service, settings.length);
    let message = TextMessage { phone, code: &code, kind: "mfa" };
    sms::deliver(tx, &bearer.user, &message, HookPurpose::Challenge).await?;
    Ok(kept(tx.service, factor, &code))
}

/// The stored form of a code.
pub(super) fn kept(service: &ServiceContext, factor: &Factor, code: &str) -> String {
    use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
    let parts = [factor.id.as_bytes().as_slice(), code.as_bytes()];
    URL_SAFE_NO_PAD.encode(service.keyed_hash("auth factor code", &parts))
}
