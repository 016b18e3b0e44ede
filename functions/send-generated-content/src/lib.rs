//! Edge function send-generated-content: mails a document to the teacher who made it
//! (app/SPECIFICATION.md S-390, S-391).

/// The mail of a request, in one form.
pub mod request;

use banyan_functions::caller;
use banyan_functions::env::Env;
use banyan_functions::error::FunctionError;
use banyan_functions::handler::IncomingRequest;
use banyan_functions::mail::{Attachment, Mail};
use banyan_functions::mail_once::{self, MailKind, MailRequest};
use banyan_functions::transport::Transport;
use banyan_functions::words::fill;
use serde_json::{Value, json};

use request::SendRequest;

/// Largest accepted request body: a file of 5 MB in base64 and its text.
pub const BODY_LIMIT: usize = 8 * 1024 * 1024;

const TEXT: &str = include_str!("../data/mail.txt");

/// Hands the mail to the queue and answers `{ "success": true }` (S-394). The address is that of
/// the caller's token and must be the account's confirmed one still; an address in the body is not
/// looked at.
///
/// # Errors
/// 401 without a signed-in user, 400 for a request that is no document or an account without an
/// address, and those of [`mail_once::send`].
pub async fn send(
    incoming: &IncomingRequest,
    transport: &impl Transport,
    env: &Env,
) -> Result<Value, FunctionError> {
    let user = caller::user(&incoming.headers)?;
    let request = SendRequest::read(&incoming.json()?)?;
    if user.email.is_empty() {
        return Err(mail_once::no_address());
    }
    let hash = request.hash();
    let request_key = incoming.idempotency_key()?.unwrap_or(&hash);
    let mail_request = MailRequest { sender: &user.id, kind: MailKind::Document, request_key };
    mail_once::send(transport, env, mail_request, mail(request, user.email.clone(), env)).await?;
    Ok(json!({ "success": true }))
}

fn mail(request: SendRequest, to: String, env: &Env) -> Mail {
    let places = [
        ("product", env.get("PRODUCT_NAME").unwrap_or_default()),
        ("filename", &request.filename),
        ("content", &request.text),
    ];
    Mail {
        to,
        subject: format!("{}: {}", request.kind, request.filename),
        text: fill(TEXT, &places),
        attachments: vec![Attachment::new(&request.filename, request.content_type, &request.file)],
        ..Mail::default()
    }
}
