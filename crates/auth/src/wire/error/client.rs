/// What can go wrong with clients of the OAuth server, and with servers that are off
/// (CONTRACT.md X1, X2, X9 to X12).
#[derive(Debug, thiserror::Error)]
pub(crate) enum ClientError {
    #[error("OAuth client not found")]
    NotFound,
    #[error("Cannot regenerate secret for public client")]
    Public,
    #[error("OAuth server is disabled")]
    ServerOff,
    #[error("SCIM server is disabled")]
    ScimOff,
    #[error("Custom OAuth providers are disabled")]
    CustomProvidersOff,
    #[error("SAML 2.0 is disabled")]
    SamlOff,
    #[error("Web3 provider is disabled")]
    Web3Off,
}

impl ClientError {
    pub(super) fn status_and_code(&self) -> (u16, &'static str) {
        match self {
            Self::NotFound => (404, "oauth_client_not_found"),
            Self::Public => (400, "validation_failed"),
            Self::ServerOff | Self::ScimOff | Self::CustomProvidersOff => (404, "feature_disabled"),
            Self::SamlOff => (404, "saml_provider_disabled"),
            Self::Web3Off => (422, "web3_provider_disabled"),
        }
    }
}
