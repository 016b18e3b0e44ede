//! Edge function send-credit-notification: tells an account that its credits were changed
//! (app/SPECIFICATION.md S-392, S-393).

use banyan_functions::caller;
use banyan_functions::env::Env;
use banyan_functions::error::FunctionError;
use banyan_functions::form::Form;
use banyan_functions::handler::IncomingRequest;
use banyan_functions::mail::Mail;
use banyan_functions::mail_once::{self, MailKind, MailRequest};
use banyan_functions::seed;
use banyan_functions::transport::Transport;
use banyan_functions::words::fill;
use serde_json::{Value, json};

/// Most credits that a mail can speak of.
const MOST: u64 = 1_000_000_000;

const TEXT: &str = include_str!("../data/mail.txt");

/// Hands the mail to the queue and answers `{ "success": true }` (S-394).
///
/// # Errors
/// 401 without a signed-in user, 403 for everybody but administrators, 400 for an address without
/// an account, and those of [`mail_once::send`].
pub async fn notify(
    incoming: &IncomingRequest,
    transport: &impl Transport,
    env: &Env,
) -> Result<Value, FunctionError> {
    let user = caller::user(&incoming.headers)?;
    let body = incoming.json()?;
    let (email, credits) = read(&body)?;
    let hash = seed::body_hash("send-credit-notification", &json!({ "email": email, "credits": credits }));
    let request_key = incoming.idempotency_key()?.unwrap_or(&hash);
    let mail_request = MailRequest { sender: &user.id, kind: MailKind::Credits, request_key };
    mail_once::send(transport, env, mail_request, mail(email, credits, env)).await?;
    Ok(json!({ "success": true }))
}

fn read(body: &Value) -> Result<(String, u64), FunctionError> {
    let mut form = Form::of(body);
    let email = form.line("email", "e-mail address").to_lowercase();
    let parts = email.split_once('@').filter(|(name, host)| !name.is_empty() && !host.contains('@'));
    if form.is_good() && (parts.is_none() || email.contains([' ', ',', ';', '<', '>'])) {
        form.problem("email", "This is no e-mail address.");
    }
    let amount = |text: &str| text.parse().ok().filter(|credits| *credits <= MOST);
    let credits = form.choice("newCreditAmount", "Please give the new number of credits.", amount);
    match (credits, form.is_good()) {
        (Some(credits), true) => Ok((email, credits)),
        _ => Err(form.refusal()),
    }
}

fn mail(to: String, credits: u64, env: &Env) -> Mail {
    let (product, credits) = (env.get("PRODUCT_NAME").unwrap_or_default(), credits.to_string());
    Mail {
        to,
        subject: format!("Your {product} credits: {credits}"),
        text: fill(TEXT, &[("product", product), ("credits", &credits)]),
        ..Mail::default()
    }
}
