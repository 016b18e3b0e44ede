use std::sync::Arc;

use axum::{Json, extract::State};
use banyan_config::PROVIDERS;
use serde_json::{Map, Value, json};

use crate::state::Inner;

/// Providers that clients may ask for, and that the reference's answer has no word for while they
/// are off (CONTRACT.md J1).
const UNNAMED: [&str; 2] = ["vercel_marketplace", "x"];

/// `GET /settings` (CONTRACT.md H2, J1). A provider counts as on only where sign-in with it works.
pub(crate) async fn get(State(inner): State<Arc<Inner>>) -> Json<Value> {
    let off = PROVIDERS.iter().filter(|name| !UNNAMED.contains(name));
    let mut external: Map<String, Value> = off.map(|name| ((*name).to_owned(), Value::Bool(false))).collect();
    external.insert("anonymous_users".to_owned(), Value::Bool(inner.settings.enable_anonymous_sign_ins));
    external.insert("phone".to_owned(), Value::Bool(inner.settings.sms.enabled));
    external.insert("email".to_owned(), Value::Bool(inner.settings.email_enabled));
    external.extend(inner.providers.names().map(|name| (name.to_owned(), Value::Bool(true))));
    Json(json!({
        "external": external,
        "disable_signup": !inner.settings.enable_signup,
        "mailer_autoconfirm": !inner.settings.confirm_email,
        "phone_autoconfirm": !inner.settings.sms.confirm,
        "sms_provider": inner.settings.sms.provider.unwrap_or_default(),
        "saml_enabled": false,
        "saml_private_key_next_configured": false,
        "passkeys_enabled": inner.settings.passkeys_enabled,
    }))
}
