use serde::Deserialize;

use crate::{error::AuthError, request::Query};

/// Parameters of `GET /authorize`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Parameters {
    provider: String,
}

/// Providers whose name is known.
const KNOWN: [&str; 24] = [
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
    "x",
    "zoom",
];

/// `GET /authorize` (auth.md H24, G2): no provider can be switched on yet, so each is answered as one that is off.
pub(crate) async fn get(Query(parameters): Query<Parameters>) -> Result<(), AuthError> {
    let provider = parameters.provider.to_ascii_lowercase();
    let problem = if KNOWN.contains(&provider.as_str()) {
        "Unsupported provider: provider is not enabled".to_owned()
    } else {
        let shown: String = provider.chars().filter(|c| c.is_ascii_graphic()).take(40).collect();
        format!("Unsupported provider: Provider {shown} could not be found")
    };
    Err(AuthError::validation(problem))
}

/// `GET /callback` (auth.md H25): no sign-in with a provider can have begun here.
pub(crate) async fn callback() -> Result<(), AuthError> {
    Err(AuthError::validation("OAuth state parameter missing"))
}
