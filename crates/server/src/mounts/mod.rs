//! The services that are mounted behind the stack's gateway: the one list of them (CONTRACT.md
//! GW-ROUTES).
//!
//! To mount another one, add an entry: its policy, and the handler of its requests.

/// What functions are told of where a request came from.
mod forwarded;

/// How the gateway treats requests for the realtime service.
mod realtime;

/// How the gateway treats requests for the storage service.
mod storage;

/// What the policies have in common.
mod default_policy;

use std::{future::ready, sync::Arc};

use banyan_config::Config;
use banyan_edge::HostError;
use banyan_web::Body;
use http::Response;

pub(crate) use self::default_policy::default_policy;
use self::{default_policy::open_to_all, forwarded::forwarded, realtime::realtime, storage::storage};
use crate::{
    cors::CorsRule,
    readiness::Readiness,
    refusal::Refusal,
    service::{
        BodyLimit, BodyRule, Handler, PageRule, Preflights, Service, ServicePolicy, Services, handler,
    },
    static_files::StaticFiles,
};

/// What the handlers of the services work with.
pub(crate) struct States {
    pub(crate) rest: Arc<banyan_rest::State>,
    pub(crate) auth: banyan_auth::State,
    pub(crate) mail: banyan_mail::State,
    /// None where `[storage] enabled = false`.
    pub(crate) storage: Option<banyan_storage::State>,
    /// None where `[realtime] enabled = false`.
    pub(crate) realtime: Option<banyan_realtime::State>,
    /// None where `[edge_runtime] enabled = false`.
    pub(crate) edge: Option<Arc<banyan_edge::State>>,
    pub(crate) readiness: Readiness,
    pub(crate) site: StaticFiles,
}

/// The services of the stack. `default` is what most policies have in common.
pub(crate) fn services(config: &Config, states: States, default: &ServicePolicy) -> Services {
    let States { rest, auth, mail, storage: objects, realtime: sockets, edge, readiness, site } = states;
    // The data API and auth run also where they have no path, since other parts of the stack need
    // them.
    Services::new(vec![
        Service {
            policy: ServicePolicy {
                prefix: "/rest/v1",
                name: "rest",
                is_on: config.api.enabled,
                ..default.clone()
            },
            handler: data_api(rest),
        },
        Service {
            policy: ServicePolicy {
                prefix: "/auth/v1",
                name: "auth",
                is_on: config.auth.enabled,
                cors: CorsRule::AnyOrigin { cookies: true },
                pages: PageRule::OfProjectAndReturnTo("/callback"),
                ..default.clone()
            },
            handler: handler(auth, |auth, call| async move {
                banyan_auth::handle(&auth, call.caller, call.request, call.now).await
            }),
        },
        Service {
            policy: ServicePolicy {
                prefix: "/functions/v1",
                name: "functions",
                preflights: preflights_of_functions(edge.clone()),
                body: BodyRule::Streamed(BodyLimit {
                    bytes: config.server.max_body,
                    by_declared_length: true,
                }),
                refusals: refusal_of_functions,
                ..default.clone()
            },
            handler: functions(edge),
        },
        Service {
            policy: ServicePolicy { prefix: "/mail/v1", name: "mail", ..default.clone() },
            handler: handler(mail, |mail, call| async move {
                banyan_mail::handle(&mail, call.caller, call.request, call.now).await
            }),
        },
        storage(objects, default),
        realtime(sockets, config.realtime.limits.connections, default),
        Service {
            policy: ServicePolicy {
                prefix: "/rest-admin/v1",
                name: "rest-admin",
                is_on: config.api.enabled,
                ..default.clone()
            },
            handler: handler(readiness, |readiness, _| async move { readiness.of_data_api().await }),
        },
        Service {
            policy: ServicePolicy { prefix: "/*/v1", name: "unknown", ..open_to_all(default) },
            handler: handler((), |(), _| ready(Refusal::NoSuchService.response())),
        },
        Service {
            policy: ServicePolicy {
                prefix: "",
                name: "site",
                cors: CorsRule::SameOrigin,
                ..open_to_all(default)
            },
            handler: handler(Arc::new(site), |site, call| ready(site.answer(&call.request))),
        },
    ])
}

/// The handler of the data API.
pub(crate) fn data_api(rest: Arc<banyan_rest::State>) -> Handler {
    handler(rest, |rest, mut call| async move {
        call.request.extensions_mut().insert(banyan_rest::TokenTime(call.identified_in));
        banyan_rest::handle(&rest, call.caller, call.request, call.now).await
    })
}

fn functions(edge: Option<Arc<banyan_edge::State>>) -> Handler {
    handler(edge, |edge, call| async move {
        match edge {
            Some(edge) => banyan_edge::handle(&edge, call.caller, forwarded(call.request), call.now).await,
            None => HostError::UnknownFunction.response(),
        }
    })
}

/// A function may answer its own preflights (edge/CONTRACT.md F06).
fn preflights_of_functions(edge: Option<Arc<banyan_edge::State>>) -> Preflights {
    edge.map_or(Preflights::Gateway, |edge| {
        Preflights::ServiceFor(Arc::new(move |path| edge.answers_preflights(path)))
    })
}

/// What the gateway refuses in the functions' own shape: a client tells it by `x-relay-error` from
/// an answer of the function (edge/CONTRACT.md E02).
fn refusal_of_functions(refusal: Refusal) -> Response<Body> {
    match refusal {
        Refusal::BodyTooLarge => HostError::BodyTooLarge.response(),
        Refusal::Busy => HostError::Busy.response(),
        Refusal::DeadlinePassed => HostError::IdleTimeout.response(),
        Refusal::NoSuchService
        | Refusal::ForeignHost
        | Refusal::ForeignPage
        | Refusal::UnreadablePath
        | Refusal::ForbiddenUpgrade
        | Refusal::Malformed(_)
        | Refusal::UnknownCoding
        | Refusal::NotRunning
        | Refusal::NoAccessToken
        | Refusal::FunctionsOff => refusal.response(),
    }
}
