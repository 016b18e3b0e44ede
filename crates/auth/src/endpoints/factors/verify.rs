use std::sync::Arc;

use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::PgConnection;
use subtle::ConstantTimeEq;
use uuid::Uuid;

use super::{
    CHALLENGE_LIFE,
    challenge::kept,
    is_aal2, security_key,
    session::{self, Raise},
    session_of, totp, usable_of_path,
};
use crate::{
    context::ServiceContext,
    domain::{
        accounts,
        audit_log::{self, Action},
        limits::{factor_attempts, otp_attempts::CodeSource, otp_quota},
        security_notifications,
        sessions::IssuedSession,
    },
    guards::bearer::Bearer,
    hooks::{self, Decision, FactorAttempt},
    mails::{Kind, NoticeDetails},
    model::factor_kind::FactorKind,
    rate_limit::Limit,
    store::{
        challenges::{self, Challenge},
        factors::{self, Factor},
        times,
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
    challenge_id: Option<Uuid>,
    code: String,
    webauthn: Option<WebauthnInput>,
}

/// The answer of a security key.
#[derive(Debug, Deserialize)]
pub(crate) struct WebauthnInput {
    #[serde(rename = "type", default)]
    pub(super) ceremony: String,
    pub(super) credential_response: Option<Value>,
}

/// `POST /factors/{id}/verify` (CONTRACT.md H32, F4): the right answer raises the session and ends
/// the lower ones.
pub(crate) async fn post(
    State(service): State<Arc<ServiceContext>>,
    bearer: Bearer,
    context: RequestContext,
    Path(id): Path<String>,
    Json(input): Json<Input>,
) -> Result<IssuedSession, AuthError> {
    service.limits.take(Limit::Factor, &context.client_key(), context.now)?;
    session_of(&bearer)?;
    let mut transaction = service.begin(&context).await?;
    let mut answer = check(&mut transaction.tx(), &bearer, &id, &input).await?;
    match answer.wrong {
        // What was counted stays, whatever the hook decides.
        Some(_) => service.commit(transaction).await?,
        None => drop(transaction),
    }
    decide(&service, &bearer, &context, &mut answer).await?;
    let mut transaction = service.begin(&context).await?;
    let tx = &mut transaction.tx();
    let accepted = accept(tx, &bearer, &id, &answer).await?;
    let unsigned = session::draft(tx, &accepted.raise).await?;
    delete_unverified(tx, &bearer, &accepted).await?;
    service.commit(transaction).await?;
    Box::pin(session::raise(&service, &context, &accepted.raise, unsigned)).await
}

/// A factor that was shown, and the session that it raises.
struct Accepted {
    raise: Raise,
    /// Whether the factor is verified by this very answer.
    is_first: bool,
}

/// Uses the answer up. The first answer of a factor verifies it.
async fn accept(
    tx: &mut Tx<'_>,
    bearer: &Bearer,
    id: &str,
    answer: &CheckedAnswer,
) -> Result<Accepted, AuthError> {
    let session = session_of(bearer)?;
    bearer.lock(tx.db, tx.context.now).await?;
    let (factor, kind) = usable_of_path(tx.db, bearer, id, tx.context.now).await?;
    consume(tx, &factor, answer).await?;
    if let Some(phone) = factor.phone.as_deref() {
        otp_quota::entered(tx, phone, CodeSource::Exchanged).await?;
    }
    let is_first = !factor.is_verified();
    if is_first {
        check_may_be_added(tx.db, bearer, session).await?;
        factors::verified(tx.db, factor.id, tx.context.now).await?;
    }
    if let Some(credential) = &answer.credential {
        security_key::keep(tx.db, &factor, credential, tx.context.now).await?;
    }
    if is_first {
        let details = NoticeDetails { factor_type: kind.name(), ..NoticeDetails::default() };
        security_notifications::send(tx, &bearer.user, Kind::FactorEnrolled, details).await?;
    }
    let traits =
        json!({"factor_id": factor.id, "challenge_id": answer.challenge, "factor_type": kind.name()});
    audit_log::add_with(tx, Action::VerificationAttempted, &bearer.user, traits).await?;
    let raise = Raise { user: bearer.user.id, session, factor: factor.id, kind };
    Ok(Accepted { raise, is_first })
}

/// Deletes factors that were begun and not verified: those of the same kind. Somebody else may have
/// begun other factors before the first one, so then they are deleted whatever their kind.
async fn delete_unverified(tx: &mut Tx<'_>, bearer: &Bearer, accepted: &Accepted) -> Result<(), AuthError> {
    if accepted.is_first {
        accounts::void_pending(tx, bearer.user.id).await?;
    }
    let kind = (!accepted.is_first).then(|| accepted.raise.kind.name());
    Ok(factors::delete_unverified(tx.db, bearer.user.id, kind, None).await?)
}

/// Another factor needs a session that showed one already, whenever it was begun (CONTRACT.md F2).
/// Else a factor that a password thief began before the owner's first would count.
async fn check_may_be_added(db: &mut PgConnection, bearer: &Bearer, session: Uuid) -> Result<(), AuthError> {
    let guarded = factors::of_user(db, bearer.user.id).await?.iter().any(Factor::is_verified);
    if guarded && !is_aal2(db, session).await? {
        return Err(FactorError::EnrollNeedsAal2.into());
    }
    Ok(())
}

/// A checked answer, not used up yet.
struct CheckedAnswer {
    factor: Uuid,
    kind: FactorKind,
    challenge: Uuid,
    /// The step of an authenticator's code.
    step: i64,
    /// The checked answer of a security key.
    credential: Option<security_key::CheckedAnswer>,
    /// None if the answer was right.
    wrong: Option<FactorError>,
}

/// Checks an answer. A wrong one is counted; the caller commits.
async fn check(
    tx: &mut Tx<'_>,
    bearer: &Bearer,
    id: &str,
    input: &Input,
) -> Result<CheckedAnswer, AuthError> {
    let (factor, kind) = usable_of_path(tx.db, bearer, id, tx.context.now).await?;
    if !kind.switches(&tx.service.settings).verify {
        return Err(FactorError::VerifyOff(kind).into());
    }
    if kind != FactorKind::WebAuthn && input.code.is_empty() {
        return Err(AuthError::validation("Code needs to be non-empty"));
    }
    let challenge = challenge(tx, &factor, input).await?;
    let known = factor_attempts::open(tx, factor.id).await?;
    let presented =
        Presented { factor: &factor, kind, challenge: &challenge, last_step: known.last_step(), input };
    let checked = compare(tx, &presented)?;
    if checked.wrong.is_some() {
        known.wrong(tx.db).await?;
    }
    Ok(checked)
}

/// An answer, and what it is compared with.
struct Presented<'a> {
    factor: &'a Factor,
    kind: FactorKind,
    challenge: &'a Challenge,
    /// The newest step of an authenticator whose code was accepted.
    last_step: i64,
    input: &'a Input,
}

/// Compares an answer with the factor.
fn compare(tx: &Tx<'_>, presented: &Presented<'_>) -> Result<CheckedAnswer, AuthError> {
    let &Presented { factor, kind, challenge, last_step, input } = presented;
    let mut checked = CheckedAnswer {
        factor: factor.id,
        kind,
        challenge: challenge.id,
        step: last_step,
        credential: None,
        wrong: None,
    };
    match kind {
        FactorKind::Totp => match step(factor, input, last_step, tx.context) {
            Some(step) => checked.step = step,
            None => checked.wrong = Some(FactorError::WrongTotp),
        },
        FactorKind::Phone => {
            let given = kept(tx.service, factor, &input.code);
            let equal = given.as_bytes().ct_eq(challenge.otp_code.as_deref().unwrap_or_default().as_bytes());
            checked.wrong = (!bool::from(equal)).then_some(FactorError::WrongPhoneCode);
        }
        FactorKind::WebAuthn => {
            match security_key::check(tx.service, factor, challenge, input.webauthn.as_ref()) {
                Ok(credential) => checked.credential = Some(credential),
                Err(AuthError::Factor(wrong)) => checked.wrong = Some(wrong),
                Err(other) => return Err(other),
            }
        }
    }
    Ok(checked)
}

/// The step of the code, unless it or a later one was used before (CONTRACT.md F5).
fn step(factor: &Factor, input: &Input, last: i64, context: &RequestContext) -> Option<i64> {
    let step = totp::step_of(factor.secret.as_deref()?, &input.code, context.now)?;
    (step > last).then_some(step)
}

/// The challenge of the answer.
async fn challenge(tx: &mut Tx<'_>, factor: &Factor, input: &Input) -> Result<Challenge, AuthError> {
    let id = input.challenge_id.ok_or_else(|| AuthError::validation("challenge_id is required"))?;
    let challenge =
        challenges::by_id_for_update(tx.db, factor.id, id).await?.ok_or(FactorError::ChallengeNotFound)?;
    let client = tx.context.client.map(|ip| ip.to_string());
    let elsewhere = tx.service.settings.mfa.bind_challenges_to_address && challenge.ip != client;
    if challenge.verified_at.is_some() || elsewhere {
        return Err(FactorError::OtherAddress.into());
    }
    if !times::is_since(challenge.created_at, tx.context.now - CHALLENGE_LIFE) {
        return Err(FactorError::ChallengeExpired(id).into());
    }
    Ok(challenge)
}

/// Asks the hook, then checks the answer. A rejected user is signed out everywhere (CONTRACT.md
/// F9).
async fn decide(
    service: &ServiceContext,
    bearer: &Bearer,
    context: &RequestContext,
    answer: &mut CheckedAnswer,
) -> Result<(), AuthError> {
    let attempt = FactorAttempt {
        user: bearer.user.id,
        factor: answer.factor,
        kind: answer.kind.name(),
        valid: answer.wrong.is_none(),
    };
    if let Decision::Reject { message, .. } = hooks::mfa_attempt(service, context, &attempt).await? {
        let mut transaction = service.begin(context).await?;
        accounts::sign_out(&mut transaction.tx(), bearer.user.id, None).await?;
        service.commit(transaction).await?;
        return Err(FactorError::Rejected(message).into());
    }
    answer.wrong.take().map_or(Ok(()), |wrong| Err(wrong.into()))
}

/// Uses the answer up. Of two at the same time, the second finds the challenge answered and the
/// code used.
async fn consume(tx: &mut Tx<'_>, factor: &Factor, answer: &CheckedAnswer) -> Result<(), AuthError> {
    let challenge = challenges::by_id_for_update(tx.db, factor.id, answer.challenge).await?;
    let challenge = challenge.filter(|challenge| challenge.verified_at.is_none());
    let challenge = challenge.ok_or(FactorError::OtherAddress)?;
    let known = factor_attempts::open(tx, factor.id).await?;
    if answer.kind == FactorKind::Totp && answer.step <= known.last_step() {
        return Err(FactorError::WrongTotp.into());
    }
    known.right(tx.db, answer.step).await?;
    if answer.kind == FactorKind::WebAuthn {
        challenges::delete(tx.db, challenge.id).await?;
    } else {
        challenges::verified(tx.db, challenge.id, tx.context.now).await?;
    }
    Ok(())
}
