//! Refused tokens (CONTRACT.md T08 to T21).

use banyan_identity::TokenError;
use http::header;
use serde_json::json;

use super::Wire;

/// The wire form of a refused token.
pub(super) fn wire(error: &TokenError) -> Wire {
    let undecodable = |message: &str| invalid_token("PGRST301", message);
    let claims = |message: &str| invalid_token("PGRST303", message);
    match error {
        TokenError::Empty => undecodable("Empty JWT is sent in Authorization header"),
        TokenError::Parts(parts) => undecodable(&format!("Expected 3 parts in JWT; got {parts}")),
        TokenError::Signature => undecodable("JWT cryptographic operation failed"),
        TokenError::Algorithm(name) => {
            let wire = undecodable("Wrong or unsupported encoding algorithm");
            match name.eq_ignore_ascii_case("none") {
                true => wire.details("JWT is unsecured but expected 'alg' was not 'none'"),
                false => wire,
            }
        }
        TokenError::NoKey => undecodable("No suitable key or wrong key type")
            .details("No suitable key was found to decode the JWT"),
        TokenError::WrongKey => undecodable("No suitable key or wrong key type")
            .details("None of the keys was able to decode the JWT"),
        TokenError::LegacyOff => undecodable("Legacy API keys are disabled").details(
            "Tokens signed with the legacy JWT secret are refused; use the publishable or the secret key",
        ),
        TokenError::Encrypted => undecodable("Unsupported token type"),
        TokenError::NoSecret => Wire::new(500, "PGRST300", "Server lacks JWT secret"),
        TokenError::Claims => claims("Parsing claims failed"),
        TokenError::NotANumber(claim) => claims(&format!("The JWT '{claim}' claim must be a number")),
        TokenError::Expired => claims("JWT expired"),
        TokenError::NotYetValid => claims("JWT not yet valid"),
        TokenError::IssuedInFuture => claims("JWT issued at future"),
        TokenError::Purpose => claims("JWT is for another purpose"),
        TokenError::NotInAudience => claims("JWT not in audience"),
        TokenError::AudienceType => claims("The JWT 'aud' claim must be a string or an array of strings"),
        TokenError::Scheme | TokenError::AnonymousDisabled => {
            Wire::new(401, "PGRST302", "Anonymous access is disabled")
                .header(header::WWW_AUTHENTICATE, "Bearer")
        }
        TokenError::Repeated => {
            undecodable("The Authorization or apikey header is in the request more than once")
        }
        TokenError::Unreadable => undecodable("The Authorization or apikey header cannot be read"),
        TokenError::UnknownKey => undecodable("Invalid API key"),
        TokenError::NoApiKey => Wire::new(401, "PGRST302", "No API key found in request")
            .header(header::WWW_AUTHENTICATE, "Bearer"),
    }
}

fn invalid_token(code: &str, message: &str) -> Wire {
    let challenge = format!("Bearer error=\"invalid_token\", error_description={}", json!(message));
    Wire::new(401, code, message).header(header::WWW_AUTHENTICATE, &challenge)
}
