//! Refused tokens and keys (CONTRACT.md B1, B2).

use banyan_identity::TokenError;

use super::AuthError;

impl From<TokenError> for AuthError {
    fn from(error: TokenError) -> Self {
        let text = match error {
            TokenError::Empty | TokenError::Scheme | TokenError::NoApiKey => return Self::NoAuthorization,
            TokenError::Repeated => "the Authorization or apikey header is in the request more than once",
            TokenError::Unreadable => "the Authorization or apikey header cannot be read",
            TokenError::UnknownKey => "the API key is none of this project",
            TokenError::Parts(parts) => {
                return Self::BadJwt(format!("expected 3 parts in the token, got {parts}"));
            }
            TokenError::Signature => "the token's signature or encoding is wrong",
            TokenError::Algorithm(name) => {
                return Self::BadJwt(format!("the token's algorithm {name} is not accepted"));
            }
            TokenError::NoKey => "no key fits the token",
            TokenError::WrongKey => "the token was signed by another key",
            TokenError::LegacyOff => "legacy HS256 keys and tokens are switched off",
            TokenError::Encrypted => "the token is encrypted",
            TokenError::NoSecret => "no key is configured to check tokens by",
            TokenError::AnonymousDisabled => "anonymous access is disabled",
            TokenError::NotInAudience => "the token is for another audience",
            TokenError::AudienceType => "the token's claim `aud` must be a string or an array of strings",
            TokenError::Purpose => "the token is for another purpose",
            TokenError::Claims => "the token's claims cannot be read",
            TokenError::NotANumber(claim) => {
                return Self::BadJwt(format!("the token's claim `{claim}` must be a number"));
            }
            TokenError::Expired => "the token has expired",
            TokenError::NotYetValid => "the token is not valid yet",
            TokenError::IssuedInFuture => "the token was issued in the future",
        };
        Self::BadJwt(text.to_owned())
    }
}
