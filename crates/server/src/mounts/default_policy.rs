//! What the policies of the stack's services have in common.

use std::sync::Arc;

use banyan_config::Config;
use banyan_identity::{ApiKeys, Keyring, Verifier};

use crate::{
    cors::CorsRule,
    identification::Identification,
    metrics::Metrics,
    refusal::Refusal,
    request_log::RequestLog,
    service::{AdmissionClass, BodyLimit, BodyRule, PageRule, Preflights, ServicePolicy},
};

/// The policy of a service that differs in nothing but its prefix and its name.
pub(crate) fn default_policy(
    config: &Config,
    keyring: &Arc<Keyring>,
    metrics: &Arc<Metrics>,
) -> ServicePolicy {
    let api_keys = ApiKeys::new(&config.keys, config.server.require_api_key);
    let verifier = Verifier::new(Arc::clone(keyring), banyan_identity::VerifierPolicy::of_gateway(api_keys));
    ServicePolicy {
        prefix: "",
        name: "",
        is_on: true,
        cors: CorsRule::AnyOrigin { cookies: false },
        preflights: Preflights::Gateway,
        pages: PageRule::OfProject,
        body: BodyRule::Buffered(BodyLimit { bytes: config.server.max_body, by_declared_length: true }),
        admission: AdmissionClass::Counted,
        deadline: Some(config.server.request_timeout),
        transfers: None,
        counts_bytes: false,
        upgrades: None,
        identification: Identification::of(verifier),
        request_ids: true,
        observer: Arc::new(RequestLog { metrics: Arc::clone(metrics) }),
        refusals: Refusal::response,
    }
}

/// The policy of what asks nobody, reads no body and answers at once.
pub(super) fn open_to_all(default: &ServicePolicy) -> ServicePolicy {
    ServicePolicy {
        preflights: Preflights::Service,
        pages: PageRule::Every,
        body: BodyRule::Ignored,
        admission: AdmissionClass::Exempt,
        deadline: None,
        identification: Identification::NotAsked,
        ..default.clone()
    }
}
