use serde_json::{Value, json};
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::verify::WebauthnInput;
use crate::{
    context::ServiceContext,
    guards::bearer::Bearer,
    store::{
        challenges::Challenge,
        factors::{self, Factor, SecurityKey},
        passkeys::Credential,
    },
    tx::Tx,
    webauthn::{Ceremony, KnownCredential},
    wire::error::{AuthError, FactorError},
};

/// A challenge for a security key.
pub(super) struct Question {
    /// `create` for a new factor, else `request`.
    pub(super) ceremony: &'static str,
    pub(super) options: Value,
    pub(super) session: Value,
}

/// The checked answer of a security key.
pub(super) struct CheckedAnswer {
    credential: Credential,
    ceremony: &'static str,
}

/// Asks a new factor for a credential, a verified one for a signature (CONTRACT.md F8).
pub(super) async fn ask(tx: &mut Tx<'_>, bearer: &Bearer, factor: &Factor) -> Result<Question, AuthError> {
    let ceremony = Ceremony::of(&tx.service.settings)?;
    if factor.is_verified() {
        let question = ceremony.ask_for_known(&[credential(factor)?.id])?;
        return Ok(Question { ceremony: "request", options: question.options, session: question.session });
    }
    let others = factors::of_user(tx.db, bearer.user.id).await?;
    let known: Vec<Vec<u8>> =
        others.iter().filter_map(|other| credential(other).ok()).map(|credential| credential.id).collect();
    let question = ceremony.ask_for_new(&bearer.user, &known, false)?;
    Ok(Question { ceremony: "create", options: question.options, session: question.session })
}

/// Checks an answer.
///
/// # Errors
/// 400 `validation_failed` for a malformed answer, 400 `webauthn_verification_failed` for a wrong
/// one.
pub(super) fn check(
    service: &ServiceContext,
    factor: &Factor,
    challenge: &Challenge,
    input: Option<&WebauthnInput>,
) -> Result<CheckedAnswer, AuthError> {
    let input = input.ok_or_else(|| AuthError::validation("WebAuthn config required"))?;
    let answer = input.credential_response.as_ref();
    let answer = answer.ok_or_else(|| AuthError::validation("credential_response required"))?;
    let session = challenge.session_data.as_ref().ok_or(FactorError::ChallengeNotFound)?;
    let ceremony = Ceremony::of(&service.settings)?;
    match (input.ceremony.as_str(), factor.is_verified()) {
        ("create", false) => {
            Ok(CheckedAnswer { credential: ceremony.check_new(session, answer)?, ceremony: "create" })
        }
        ("request", true) => {
            let mut known = credential(factor)?;
            let presented = KnownCredential { user: factor.user_id, credential: &known };
            let used = ceremony.check_known(session, answer, &presented)?;
            (known.sign_count, known.backed_up) = (used.sign_count, used.backed_up);
            Ok(CheckedAnswer { credential: known, ceremony: "request" })
        }
        ("create" | "request", _) => {
            Err(AuthError::validation("WebAuthn type does not fit the status of the factor"))
        }
        _ => Err(AuthError::validation("WebAuthn type must be create or request")),
    }
}

/// Stores the credential and its last use.
pub(super) async fn keep(
    db: &mut PgConnection,
    factor: &Factor,
    checked: &CheckedAnswer,
    now: OffsetDateTime,
) -> Result<(), AuthError> {
    let kept = serde_json::to_value(&checked.credential)
        .map_err(|error| FactorError::WebauthnFailed(error.to_string()))?;
    let last = json!({"type": checked.ceremony, "verified_at": now.unix_timestamp()});
    let key = SecurityKey { credential: &kept, aaguid: checked.credential.aaguid, last_challenge: &last };
    factors::set_credential(db, factor.id, &key, now).await?;
    Ok(())
}

fn credential(factor: &Factor) -> Result<Credential, AuthError> {
    let kept = factor.web_authn_credential.clone().unwrap_or_default();
    serde_json::from_value(kept).map_err(|error| FactorError::WebauthnFailed(error.to_string()).into())
}
