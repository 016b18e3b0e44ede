//! One event on its way to the webhook.

use std::time::Duration;

use banyan_config::Storage;
use banyan_web::tls_client::{self, Client, Versions};
use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use http::{Request, StatusCode, header::CONTENT_TYPE};
use http_body_util::Full;
use ring::hmac;
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use time::OffsetDateTime;

use crate::{store::events::QueuedEvent, wire::timestamp};

/// How long the webhook may take to answer.
const LONGEST_ANSWER: Duration = Duration::from_secs(4);

/// What the project is called where there is one alone.
const PROJECT: &str = "stub";

/// Why an event was not taken.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    /// The webhook does not want this event, whenever it is told.
    #[error("it refused with {0}")]
    Refused(StatusCode),
    #[error("it answered with {0}")]
    Status(StatusCode),
    #[error("no answer in time")]
    TimedOut,
    #[error(transparent)]
    Request(#[from] http::Error),
    #[error("it was not reached: {0}")]
    Away(String),
}

impl Failure {
    /// What a status that is no success says. A wrong key or address is put right by somebody, and
    /// then the event is taken.
    fn of(status: StatusCode) -> Self {
        match status {
            StatusCode::BAD_REQUEST
            | StatusCode::GONE
            | StatusCode::PAYLOAD_TOO_LARGE
            | StatusCode::UNPROCESSABLE_ENTITY => Self::Refused(status),
            other => Self::Status(other),
        }
    }
}

/// Where events are posted to.
pub(super) struct Webhook {
    url: String,
    host: String,
    region: String,
    key: Option<hmac::Key>,
    client: Client<Full<Bytes>>,
}

impl Webhook {
    /// That of the settings.
    pub(super) fn of(settings: &Storage) -> Option<Self> {
        let url = settings.webhook_url.as_ref()?;
        Some(Self {
            url: url.to_string(),
            host: url.host_str().unwrap_or_default().to_owned(),
            region: settings.s3_protocol.region.clone(),
            key: settings.webhook_secret.as_ref().map(signing_key),
            client: tls_client::pool()
                .build(tls_client::connector(tls_client::dialer(), Versions::Http1And2)),
        })
    }

    /// Posts an event.
    pub(super) async fn post(&self, event: &QueuedEvent, now: OffsetDateTime) -> Result<(), Failure> {
        let request = self.request(event, now)?;
        let answer = tokio::time::timeout(LONGEST_ANSWER, self.client.request(request)).await;
        let answer = answer.map_err(|_| Failure::TimedOut)?;
        let status = answer.map_err(|error| Failure::Away(error.to_string()))?.status();
        if status.is_success() { Ok(()) } else { Err(Failure::of(status)) }
    }

    /// The id is the same at each try, so that the receiver can tell a second copy.
    fn request(&self, event: &QueuedEvent, now: OffsetDateTime) -> Result<Request<Full<Bytes>>, http::Error> {
        let id = format!("storage_event_{}", event.id);
        let body = self.message(event, now).to_string();
        let seconds = now.unix_timestamp().to_string();
        let mut request = Request::post(&self.url)
            .header(CONTENT_TYPE, "application/json")
            .header("webhook-id", &id)
            .header("webhook-timestamp", &seconds);
        if let Some(key) = &self.key {
            let signature = hmac::sign(key, format!("{id}.{seconds}.{body}").as_bytes());
            request = request.header("webhook-signature", format!("v1,{}", STANDARD.encode(signature)));
        }
        request.body(Full::new(Bytes::from(body)))
    }

    fn message(&self, event: &QueuedEvent, now: OffsetDateTime) -> Value {
        let tenant = json!({"ref": PROJECT, "host": self.host});
        let mut payload = event.payload.clone();
        if let Some(payload) = payload.as_object_mut() {
            payload.insert("tenant".to_owned(), tenant.clone());
        }
        json!({
            "type": "Webhook",
            "event": {
                "$version": "v1",
                "type": event.kind,
                "region": self.region,
                "payload": payload,
                "applyTime": event.since.unix_timestamp_nanos() / 1_000_000,
            },
            "sentAt": timestamp(now),
            "tenant": tenant,
        })
    }
}

/// The key of a secret of Standard Webhooks, such as `v1,whsec_<base64>`, or of any text.
fn signing_key(secret: &SecretString) -> hmac::Key {
    let secret = secret.expose_secret();
    let encoded = secret.trim_start_matches("v1,").strip_prefix("whsec_");
    let decoded = encoded.and_then(|encoded| STANDARD.decode(encoded).ok());
    hmac::Key::new(hmac::HMAC_SHA256, &decoded.unwrap_or_else(|| secret.as_bytes().to_vec()))
}
