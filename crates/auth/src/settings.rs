use std::sync::Arc;

use axum::{Json, extract::State};
use serde_json::{Map, Value, json};

use crate::state::Inner;

/// Providers that clients expect to be named (auth.md J1).
const PROVIDERS: [&str; 24] = [
    "apple",
    "azure",
    "bitbucket",
    "discord",
    "facebook",
    "figma",
    "fly",
    "github",
    "gitlab",
    "google",
    "kakao",
    "keycloak",
    "linkedin",
    "linkedin_oidc",
    "notion",
    "slack",
    "slack_oidc",
    "snapchat",
    "spotify",
    "twitch",
    "twitter",
    "workos",
    "zoom",
    "phone",
];

/// `GET /settings` (auth.md H2, J1). A provider counts as on only where sign-in with it works.
pub(crate) async fn get(State(inner): State<Arc<Inner>>) -> Json<Value> {
    let mut external: Map<String, Value> =
        PROVIDERS.iter().map(|name| ((*name).to_owned(), Value::Bool(false))).collect();
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
