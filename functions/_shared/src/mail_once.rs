//! One mail for one request: the database says whether it may go and under which key, the queue
//! takes it once (app/SPECIFICATION.md D18, S-391, S-393).

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::env::Env;
use crate::error::{FunctionError, FunctionRefusal};
use crate::log;
use crate::mail::{Mail, MailClient, MailClientError};
use crate::rest::{RestClient, RestError};
use crate::transport::Transport;

/// Tries to hand a message over; the key makes each of them the same message.
const TRIES: u32 = 3;

/// The purpose of a mail. It decides who may send it to whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MailKind {
    /// A document, to the sender's own confirmed address.
    Document,
    /// News of credits, from an administrator to an account.
    Credits,
}

/// A request to send one mail.
#[derive(Debug, Clone, Copy)]
pub struct MailRequest<'a> {
    /// The signed-in user.
    pub sender: &'a str,
    /// The purpose.
    pub kind: MailKind,
    /// Names the request: the same key within ten minutes is the same mail.
    pub request_key: &'a str,
}

/// Hands a mail to the queue, which sends it later and once, whatever is tried again.
///
/// # Errors
/// `forbidden` and `invalid_request` for what the database refuses, `rate_limited` with its waiting
/// time, `idempotency_key_reused` when the key came with another mail before, `busy` when the mail
/// was not taken.
pub async fn send(
    transport: &impl Transport,
    env: &Env,
    mail_request: MailRequest<'_>,
    mut mail: Mail,
) -> Result<(), FunctionError> {
    let rest = RestClient::from_env(transport, env)?;
    mail.idempotency_key = Some(claim(&rest, mail_request, &mail.to).await?);
    let queue = MailClient::from_env(transport, env).map_err(|_| FunctionRefusal::Busy)?;
    for attempt in 0..TRIES {
        let error = match queue.send(&mail).await {
            Ok(_) => return Ok(()),
            Err(MailClientError::Refused { status, .. }) if status == 409 => {
                return Err(FunctionError::KeyReused);
            }
            Err(error) => error,
        };
        log::error("mail not handed over", &json!({ "attempt": attempt, "reason": error.to_string() }));
        if !is_passing(&error) {
            break;
        }
        transport.sleep(std::time::Duration::from_millis(200 << attempt)).await;
    }
    Err(FunctionRefusal::Busy.into())
}

/// Returns whether the same call may succeed a moment later.
fn is_passing(error: &MailClientError) -> bool {
    match error {
        MailClientError::Transport(_) | MailClientError::Shape => true,
        MailClientError::Refused { status, .. } => status.is_server_error() || status.as_u16() == 429,
        MailClientError::NotConfigured => false,
    }
}

#[derive(Deserialize)]
struct ClaimRow {
    outcome: String,
    #[serde(default)]
    mail_id: Option<String>,
    #[serde(default)]
    retry_after: Option<u64>,
}

/// The key of the mail, if it may be sent.
async fn claim<T: Transport>(
    rest: &RestClient<'_, T>,
    mail_request: MailRequest<'_>,
    recipient: &str,
) -> Result<String, FunctionError> {
    let MailRequest { sender, kind, request_key } = mail_request;
    let arguments =
        json!({ "sender": sender, "kind": kind, "request_key": request_key, "recipient": recipient });
    let answer = rest.rpc("claim_mail", &arguments).await?;
    let [row]: [ClaimRow; 1] = serde_json::from_value(answer).map_err(|_| RestError::Shape)?;
    match (row.outcome.as_str(), row.mail_id) {
        ("claimed", Some(id)) => Ok(id),
        ("rate_limited", _) => Err(FunctionRefusal::RateLimited { retry_after: row.retry_after }.into()),
        ("forbidden", _) => Err(FunctionRefusal::Forbidden.into()),
        ("not_own_address", _) => Err(no_address()),
        ("unknown_recipient", _) => {
            Err(FunctionRefusal::invalid_field("email", "No account has this e-mail address.").into())
        }
        // An outcome that is not known is no licence to send.
        _ => Err(FunctionRefusal::Busy.into()),
    }
}

/// The refusal for an account without an address that mail can go to.
pub fn no_address() -> FunctionError {
    let problem =
        "Your account has no confirmed e-mail address. Please sign in again with your e-mail address.";
    FunctionRefusal::invalid_field("email", problem).into()
}
