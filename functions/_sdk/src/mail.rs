//! The project's mail queue: a function hands a message over, the stack sends it.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{Method, Request, StatusCode};
use serde::Serialize;
use serde_json::Value;

use crate::env::Env;
use crate::project::Access;
use crate::transport::{Transport, TransportError, read_all, within};

/// Largest accepted answer.
const ANSWER_LIMIT: usize = 64 * 1024;

/// Time for handing one message over.
const CALL_TIME: Duration = Duration::from_secs(20);

/// Why a message was not taken.
#[derive(Debug, thiserror::Error)]
pub enum MailClientError {
    /// `SUPABASE_URL` or `SUPABASE_SERVICE_ROLE_KEY` is missing or unusable.
    #[error("the project's address or service key is not configured")]
    NotConfigured,
    /// No answer.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// The queue refuses the message.
    #[error("the queue answered {status} {code}")]
    Refused {
        /// The HTTP status.
        status: StatusCode,
        /// The error code of the body, such as `idempotency_conflict`.
        code: String,
    },
    /// A success that is not what was agreed.
    #[error("unexpected answer")]
    Shape,
}

/// One message.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Mail {
    /// The receiver's address.
    pub to: String,
    /// The subject.
    pub subject: String,
    /// The plain text.
    pub text: String,
    /// The text in HTML, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub html: Option<String>,
    /// Files, at most 10 MB together.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
    /// A message whose key is known already is not sent again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// A file of a message.
#[derive(Debug, Clone, Serialize)]
pub struct Attachment {
    /// Its name.
    pub filename: String,
    /// Its type, such as `application/rtf`.
    pub content_type: String,
    content: String,
}

impl Attachment {
    /// A file of these bytes.
    pub fn new(filename: &str, content_type: &str, bytes: &[u8]) -> Self {
        let content = STANDARD.encode(bytes);
        Self { filename: filename.to_owned(), content_type: content_type.to_owned(), content }
    }
}

/// The queue, spoken to as `service_role`.
#[derive(Debug)]
pub struct MailClient<'a, T> {
    transport: &'a T,
    access: Access,
}

impl<'a, T: Transport> MailClient<'a, T> {
    /// Reads address and key from the environment.
    ///
    /// # Errors
    /// [`MailClientError::NotConfigured`] when one of them is missing.
    pub fn from_env(transport: &'a T, env: &Env) -> Result<Self, MailClientError> {
        let access = Access::service(env).map_err(|_| MailClientError::NotConfigured)?;
        Ok(Self { transport, access })
    }

    /// Hands a message over and gives its id. It is sent later, and once; a failure here means it
    /// was not taken, or that nobody knows, in which case the same `idempotency_key` makes a second
    /// try safe.
    ///
    /// # Errors
    /// See [`MailClientError`].
    pub async fn send(&self, mail: &Mail) -> Result<String, MailClientError> {
        let request = self.request(mail)?;
        within(self.transport, CALL_TIME, self.exchange(request)).await?
    }

    fn request(&self, mail: &Mail) -> Result<Request<Vec<u8>>, MailClientError> {
        let body = serde_json::to_vec(mail).map_err(|_| MailClientError::Shape)?;
        self.access
            .request(Method::POST, "/mail/v1/messages")
            .header("content-type", "application/json")
            .body(body)
            .map_err(|_| MailClientError::NotConfigured)
    }

    async fn exchange(&self, request: Request<Vec<u8>>) -> Result<String, MailClientError> {
        let mut response = self.transport.send(request).await?;
        let status = response.status();
        let bytes = read_all(response.body_mut(), ANSWER_LIMIT).await?;
        let body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        if !status.is_success() {
            let code = body["code"].as_str().unwrap_or_default().to_owned();
            return Err(MailClientError::Refused { status, code });
        }
        // The id is a number or a text; to a function it is a name.
        match &body["id"] {
            Value::String(id) => Ok(id.clone()),
            Value::Number(id) => Ok(id.to_string()),
            _ => Err(MailClientError::Shape),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use http::Response;
    use serde_json::json;

    use super::*;
    use crate::transport::Chunks;

    /// A queue that answers every message the same, and keeps what it was sent.
    struct Queue {
        status: u16,
        answer: Value,
        sent: RefCell<Vec<Request<Vec<u8>>>>,
    }

    struct Whole(Option<Vec<u8>>);

    impl Chunks for Whole {
        async fn next(&mut self) -> Option<Result<Vec<u8>, TransportError>> {
            self.0.take().map(Ok)
        }
    }

    impl Transport for Queue {
        type Body = Whole;

        async fn send(&self, request: Request<Vec<u8>>) -> Result<Response<Whole>, TransportError> {
            self.sent.borrow_mut().push(request);
            let body = Whole(Some(self.answer.to_string().into_bytes()));
            Ok(Response::builder().status(self.status).body(body).unwrap())
        }

        async fn sleep(&self, _: Duration) {
            std::future::pending::<()>().await;
        }

        fn now(&self) -> Duration {
            Duration::ZERO
        }

        fn jitter(&self) -> f64 {
            0.5
        }
    }

    async fn send(status: u16, answer: Value) -> (Result<String, MailClientError>, Request<Vec<u8>>) {
        let queue = Queue { status, answer, sent: RefCell::default() };
        let env = Env::from([("SUPABASE_URL", "http://stack.local/"), ("SUPABASE_SERVICE_ROLE_KEY", "key")]);
        let mail = Mail {
            to: "asha@school.example".to_owned(),
            subject: "Paper".to_owned(),
            text: "Here it is.".to_owned(),
            attachments: vec![Attachment::new("paper.rtf", "application/rtf", b"bytes")],
            idempotency_key: Some("k-1".to_owned()),
            ..Mail::default()
        };
        let sent = MailClient::from_env(&queue, &env).unwrap().send(&mail).await;
        let request = queue.sent.borrow_mut().remove(0);
        (sent, request)
    }

    #[tokio::test]
    async fn a_message_is_handed_over_as_the_queue_takes_it() {
        let (sent, request) = send(202, json!({"id": "m-7"})).await;
        assert_eq!(sent.unwrap(), "m-7");
        assert_eq!(request.uri(), "http://stack.local/mail/v1/messages");
        assert_eq!(request.headers()["authorization"], "Bearer key");
        let body: Value = serde_json::from_slice(request.body()).unwrap();
        let file = json!({"filename": "paper.rtf", "content_type": "application/rtf", "content": "Ynl0ZXM="});
        assert_eq!(
            body,
            json!({"to": "asha@school.example", "subject": "Paper", "text": "Here it is.",
                   "attachments": [file], "idempotency_key": "k-1"})
        );
    }

    #[tokio::test]
    async fn a_refusal_keeps_its_status_and_code() {
        let (refused, _) = send(409, json!({"code": "idempotency_conflict", "message": "another"})).await;
        let MailClientError::Refused { status, code } = refused.unwrap_err() else { panic!("not refused") };
        assert_eq!((status.as_u16(), code.as_str()), (409, "idempotency_conflict"));
        assert!(matches!(send(202, json!({})).await.0, Err(MailClientError::Shape)));
        let nothing = Queue { status: 202, answer: json!({}), sent: RefCell::default() };
        assert!(matches!(
            MailClient::from_env(&nothing, &Env::default()),
            Err(MailClientError::NotConfigured)
        ));
    }
}
