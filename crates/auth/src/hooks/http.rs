//! A hook behind an address (CONTRACT.md HK3, HK4).

use std::time::Duration;

use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use hmac::{Hmac, Mac};
use http::{Request, StatusCode, header};
use http_body_util::Full;
use secrecy::{ExposeSecret, SecretSlice};
use serde_json::Value;
use sha2::Sha256;

use super::{HookInput, LARGEST_ANSWER};
use crate::{
    context::ServiceContext,
    outbound::{Outbound, OutboundError, Reply},
    wire::error::HookError,
};

/// Time limit of all attempts together.
const LONGEST: Duration = Duration::from_secs(5);
const TRIES: usize = 3;
/// Pause before the next attempt.
const PAUSE: Duration = Duration::from_secs(2);

/// Posts the input, signed with every secret, and reads the answer.
///
/// The requests are signed before the first is sent, so that the future holds no secret.
pub(super) fn ask<'a>(
    service: &'a ServiceContext,
    url: &str,
    secrets: &[SecretSlice<u8>],
    input: HookInput<'_>,
) -> impl Future<Output = Result<Value, HookError>> + Send + use<'a> {
    let body = Bytes::from(input.body.to_string());
    let message = || Message {
        id: service.new_id().to_string(),
        timestamp: input.now.unix_timestamp().to_string(),
        body: body.clone(),
    };
    let requests: Option<Vec<_>> = (0..TRIES).map(|_| request(url, secrets, message())).collect();
    let outbound = &service.outbound;
    async move {
        let requests = requests.ok_or(HookError::Unavailable)?;
        tokio::time::timeout(LONGEST, with_retries(outbound, requests))
            .await
            .unwrap_or(Err(HookError::Timeout))
    }
}

/// A message as Standard Webhooks sign it.
struct Message {
    id: String,
    timestamp: String,
    body: Bytes,
}

fn request(url: &str, secrets: &[SecretSlice<u8>], message: Message) -> Option<Request<Full<Bytes>>> {
    Request::post(url)
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::ACCEPT_ENCODING, "identity")
        .header("webhook-id", &message.id)
        .header("webhook-timestamp", &message.timestamp)
        .header("webhook-signature", signatures(secrets, &message))
        .body(Full::new(message.body))
        .ok()
}

async fn with_retries(outbound: &Outbound, requests: Vec<Request<Full<Bytes>>>) -> Result<Value, HookError> {
    let mut failed = HookError::Unavailable;
    let mut left = requests.len();
    for request in requests {
        left -= 1;
        match attempt(outbound, request).await {
            Outcome::Answer(answer) => return answer,
            Outcome::ComeBack(error) => failed = error,
            Outcome::Unreachable => {
                failed = HookError::TimeoutAfterRetry;
                if left > 0 {
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }
    Err(failed)
}

/// The outcome of one attempt.
enum Outcome {
    Answer(Result<Value, HookError>),
    /// The hook asked to be called again.
    ComeBack(HookError),
    Unreachable,
}

async fn attempt(outbound: &Outbound, request: Request<Full<Bytes>>) -> Outcome {
    let host = request.uri().host().unwrap_or_default().to_owned();
    match outbound.send(request, LONGEST, LARGEST_ANSWER).await {
        Ok(reply) => read(&reply),
        Err(OutboundError::Body(error)) => Outcome::Answer(Err(super::unread(error))),
        Err(OutboundError::Timeout) => Outcome::Answer(Err(HookError::Timeout)),
        Err(error) => {
            tracing::warn!(hook.host = host, error = %error, "a hook does not answer");
            Outcome::Unreachable
        }
    }
}

fn read(reply: &Reply) -> Outcome {
    let header = |name| reply.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    Outcome::Answer(match reply.status {
        StatusCode::NO_CONTENT => Ok(Value::Null),
        StatusCode::OK | StatusCode::ACCEPTED => {
            let kind = header(header::CONTENT_TYPE);
            if kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json") {
                serde_json::from_slice(&reply.body).map_err(|error| HookError::Output(error.to_string()))
            } else {
                Err(HookError::ContentType(
                    if kind.is_empty() { "Missing Content-Type header" } else { kind }.to_owned(),
                ))
            }
        }
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
            if !header(header::RETRY_AFTER).is_empty() {
                return Outcome::ComeBack(HookError::Unavailable);
            }
            Err(HookError::Unavailable)
        }
        status => Err(HookError::Status(status.as_u16())),
    })
}

/// `v1,<base64 of HMAC-SHA256>` of id, time and body, one for each secret.
fn signatures(secrets: &[SecretSlice<u8>], message: &Message) -> String {
    let Message { id, timestamp, body } = message;
    let one = |secret: &SecretSlice<u8>| {
        let mut mac =
            Hmac::<Sha256>::new_from_slice(secret.expose_secret()).expect("HMAC takes keys of any length");
        for part in [id.as_bytes(), b".", timestamp.as_bytes(), b".", body] {
            mac.update(part);
        }
        format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    };
    secrets.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the Standard Webhooks specification.
    // rows: HK3
    #[test]
    fn a_request_is_signed_as_standard_webhooks_say() {
        let secret = SecretSlice::from(STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap());
        let message = Message {
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek".to_owned(),
            timestamp: "1614265330".to_owned(),
            body: Bytes::from_static(br#"{"test": 2432232314}"#),
        };
        let sign = signatures(&[secret.clone(), secret], &message);
        let one = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        assert_eq!(sign, format!("{one}, {one}"));
    }
}
