//! How the gateway treats requests for the storage service.

use banyan_web::{Body, full};
use http::Response;
use serde_json::json;

use crate::{
    refusal::Refusal,
    service::{Handler, Service, ServicePolicy, handler},
};

/// The entry of the storage service. Uploads go on for as long as they take, and are bounded by the
/// service alone: by the limits of buckets, and in the time between two pieces (CONTRACT.md
/// GW-TRANSFERS).
pub(super) fn storage(storage: Option<banyan_storage::State>, default: &ServicePolicy) -> Service {
    let policy = ServicePolicy {
        prefix: "/storage/v1",
        name: "storage",
        is_on: storage.is_some(),
        transfers: Some(banyan_storage::is_transfer),
        counts_bytes: true,
        identification: default.identification.clone().or_bare_token(),
        refusals: refusal_of_storage,
        ..default.clone()
    };
    Service { policy, handler: answer_by(storage) }
}

/// The signatures of S3 cover the target as it was sent.
fn answer_by(storage: Option<banyan_storage::State>) -> Handler {
    handler(storage, |storage, call| async move {
        let Some(storage) = storage else { return Refusal::NoSuchService.response() };
        banyan_storage::handle(&storage, call.caller, call.request, &call.original_uri, call.now).await
    })
}

/// What the gateway refuses, with the keys that clients of storage read (storage/CONTRACT.md E01).
/// The status is the real one.
fn refusal_of_storage(refusal: Refusal) -> Response<Body> {
    let (status, message) = refusal.wire();
    let (error, code) = match refusal {
        Refusal::BodyTooLarge => ("Payload too large", "EntityTooLarge"),
        Refusal::Busy => ("SlowDown", "SlowDown"),
        Refusal::DeadlinePassed => ("RequestTimeout", "RequestTimeout"),
        Refusal::ForeignHost | Refusal::ForeignPage => ("Unauthorized", "AccessDenied"),
        Refusal::NoSuchService
        | Refusal::UnreadablePath
        | Refusal::ForbiddenUpgrade
        | Refusal::Malformed(_)
        | Refusal::UnknownCoding
        | Refusal::NotRunning
        | Refusal::NoAccessToken
        | Refusal::FunctionsOff => ("InvalidRequest", "InvalidRequest"),
    };
    let status_code = status.as_u16().to_string();
    let body = json!({"statusCode": status_code, "error": error, "message": message, "code": code});
    refusal.response().map(|_| full(body.to_string()))
}

#[cfg(test)]
mod tests {
    use http::{StatusCode, header::RETRY_AFTER};

    use super::*;

    // rows: GW-ERRORS
    #[tokio::test]
    async fn clients_of_storage_read_what_the_gateway_refuses_in_four_keys() {
        let refused = refusal_of_storage(Refusal::Busy);
        assert_eq!(
            (refused.status(), &refused.headers()[RETRY_AFTER]),
            (StatusCode::SERVICE_UNAVAILABLE, &"1".parse().unwrap())
        );
        let body = banyan_web::read_body(refused.into_body(), 1000).await.expect("a body");
        let body: serde_json::Value = serde_json::from_slice(&body).expect("JSON");
        assert_eq!(
            body,
            json!({"statusCode": "503", "error": "SlowDown", "code": "SlowDown",
                "message": "The server is busy. Please try again."})
        );
    }
}
