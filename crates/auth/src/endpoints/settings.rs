use std::sync::Arc;

use axum::{Json, extract::State};
use banyan_config::PROVIDERS;
use serde_json::{Map, Value, json};

use crate::context::ServiceContext;

/// Providers that the reference's answer does not name while they are off (CONTRACT.md J1).
const UNNAMED: [&str; 2] = ["vercel_marketplace", "x"];

/// `GET /settings` (CONTRACT.md H2, J1). A provider counts as on only where sign-in with it works.
pub(crate) async fn get(State(service): State<Arc<ServiceContext>>) -> Json<Value> {
    let off = PROVIDERS.iter().filter(|name| !UNNAMED.contains(name));
    let mut external: Map<String, Value> = off.map(|name| ((*name).to_owned(), Value::Bool(false))).collect();
    external.insert("anonymous_users".to_owned(), Value::Bool(service.settings.enable_anonymous_sign_ins));
    external.insert("phone".to_owned(), Value::Bool(service.settings.sms.enabled));
    external.insert("email".to_owned(), Value::Bool(service.settings.email_enabled));
    external.extend(service.providers.names().map(|name| (name.to_owned(), Value::Bool(true))));
    Json(json!({
        "external": external,
        "disable_signup": !service.settings.enable_signup,
        "mailer_autoconfirm": !service.settings.confirm_email,
        "phone_autoconfirm": !service.settings.sms.confirm,
        "sms_provider": service.settings.sms.provider.unwrap_or_default(),
        "saml_enabled": false,
        "saml_private_key_next_configured": false,
        "passkeys_enabled": service.settings.passkeys_enabled,
    }))
}
