//! How the gateway treats requests for the realtime service.

use std::sync::Arc;

use banyan_realtime::{Opening, TokenCheck};
use banyan_web::{Body, json_response};
use http::Response;
use serde_json::json;

use crate::{
    connections::Connections,
    identification::Identification,
    refusal::Refusal,
    service::{Call, Handler, Service, ServicePolicy, handler},
    upgrades::UpgradeRule,
};

/// Upgrades beyond the sockets that there may be: the service itself tells its clients that there
/// are too many (realtime/CONTRACT.md C7).
const SPARE: usize = 100;

/// The entry of the realtime service. Its sockets have permits of their own, `most` at a time.
pub(super) fn realtime(
    realtime: Option<banyan_realtime::State>,
    most: u32,
    default: &ServicePolicy,
) -> Service {
    let connections = Arc::new(Connections::from_anywhere().at_most(most as usize + SPARE));
    let policy = ServicePolicy {
        prefix: "/realtime/v1",
        name: "realtime",
        is_on: realtime.is_some(),
        identification: default.identification.clone().or_query(),
        upgrades: Some(UpgradeRule { protocols: &["websocket"], connections }),
        refusals: refusal_of_realtime,
        ..default.clone()
    };
    Service { policy, handler: answer_by(realtime) }
}

fn answer_by(realtime: Option<banyan_realtime::State>) -> Handler {
    handler(realtime, |realtime, call| async move {
        let Some(realtime) = realtime else { return Refusal::NoSuchService.response() };
        banyan_realtime::handle(&realtime, opening(call)).await
    })
}

fn opening(call: Call) -> Opening {
    let check_token = token_check(call.identification, &call.request);
    let Call { request, caller, stopping, now, .. } = call;
    Opening { request, caller, check_token, stopping, now }
}

/// Finds the caller of a socket anew, by a newer token.
fn token_check(identification: Identification, request: &http::Request<Body>) -> TokenCheck {
    let (headers, uri) = (request.headers().clone(), request.uri().clone());
    Arc::new(move |token, now| {
        identification.identify_again(&headers, &uri, token, now).expect("realtime asks for its callers")
    })
}

/// What the gateway refuses, with the key that clients of realtime read (realtime/CONTRACT.md C7).
fn refusal_of_realtime(refusal: Refusal) -> Response<Body> {
    let (status, message) = refusal.wire();
    let body = json_response(status, &json!({ "error": message })).into_body();
    refusal.response().map(|_| body)
}
