//! `POST /mail/v1/messages`: for the holder of a service key, such as an edge function of the
//! project.

use banyan_identity::Identified;
use banyan_web::{Body, BodyError, json_response, read_body};
use base64::{Engine, engine::general_purpose::STANDARD};
use http::{Method, Request, Response, StatusCode};
use serde::Deserialize;
use serde_json::json;
use time::OffsetDateTime;

use crate::{Attachment, Draft, Enqueued, MailError, MailQueue, Message, message::MAX_ATTACHED};

/// Ten megabytes in base64, two bodies, and room for the rest.
const LARGEST_REQUEST: usize = MAX_ATTACHED / 3 * 4 + 3 * 1024 * 1024;

/// State of the endpoint.
#[derive(Debug, Clone)]
pub struct State {
    queue: MailQueue,
}

impl State {
    /// An endpoint that puts messages into `queue`.
    #[must_use]
    pub fn new(queue: MailQueue) -> Self {
        Self { queue }
    }
}

/// Answers `/mail/v1`: `POST /messages` queues a message and answers 202 `{"id"}`, or 200 with the
/// id of the first message when the idempotency key (field, or header `Idempotency-Key`) is known.
/// Errors are `{"code", "message"}`: 400, 401, 403, 404, 405, 409 `idempotency_conflict`, 413, 500.
pub async fn handle(
    state: &State,
    caller: Identified,
    request: Request<Body>,
    now: OffsetDateTime,
) -> Response<Body> {
    match post(state, caller, request, now).await {
        Ok(queued) => {
            let status = if queued.replayed { StatusCode::OK } else { StatusCode::ACCEPTED };
            json_response(status, &json!({"id": queued.id}))
        }
        Err(error) => {
            if let MailError::Store(cause) = &error {
                tracing::error!(error = %cause, "a mail could not be queued");
            }
            let (status, code, message) = error.wire();
            json_response(status, &json!({"code": code, "message": message}))
        }
    }
}

async fn post(
    state: &State,
    caller: Identified,
    request: Request<Body>,
    now: OffsetDateTime,
) -> Result<Enqueued, MailError> {
    if request.uri().path() != "/messages" {
        return Err(MailError::NotFound);
    }
    if request.method() != Method::POST {
        return Err(MailError::Method);
    }
    match caller {
        Ok(caller) if caller.is_service() => {}
        Ok(_) => return Err(MailError::Forbidden),
        Err(_) => return Err(MailError::Unauthenticated),
    }
    let key =
        request.headers().get("idempotency-key").and_then(|value| value.to_str().ok()).map(str::to_owned);
    let message = Message::check(read(request.into_body()).await?.draft(key)?)?;
    let enqueued = state.queue.enqueue(state.queue.pool(), &message, now).await?;
    state.queue.wake();
    Ok(enqueued)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    to: Recipients,
    subject: String,
    text: Option<String>,
    html: Option<String>,
    #[serde(default)]
    attachments: Vec<InputFile>,
    idempotency_key: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Recipients {
    One(String),
    Many(Vec<String>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InputFile {
    filename: String,
    content_type: String,
    content: String,
}

impl Input {
    fn draft(self, key: Option<String>) -> Result<Draft, MailError> {
        Ok(Draft {
            to: match self.to {
                Recipients::One(address) => vec![address],
                Recipients::Many(addresses) => addresses,
            },
            subject: self.subject,
            text: self.text,
            html: self.html,
            headers: Vec::new(),
            attachments: self.attachments.into_iter().map(file).collect::<Result<_, _>>()?,
            idempotency_key: self.idempotency_key.or(key),
            expires_at: None,
        })
    }
}

fn file(input: InputFile) -> Result<Attachment, MailError> {
    let content = STANDARD
        .decode(input.content)
        .map_err(|_| MailError::invalid("attachments.content", "is not base64"))?;
    Ok(Attachment { filename: input.filename, content_type: input.content_type, content })
}

async fn read(body: Body) -> Result<Input, MailError> {
    let bytes = read_body(body, LARGEST_REQUEST).await.map_err(|error| match error {
        BodyError::TooLarge => MailError::TooLarge,
        BodyError::EndedEarly => MailError::Json("it ended early".to_owned()),
    })?;
    serde_json::from_slice(&bytes).map_err(|error| MailError::Json(error.to_string()))
}
