/// Why a token was refused. Each service says it in its own wire form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// The header `Authorization: Bearer` carries nothing.
    #[error("the token is empty")]
    Empty,
    /// Another scheme than `Bearer`.
    #[error("the Authorization header is not of the form Bearer <token>")]
    Scheme,
    /// `Authorization` or `apikey` is there more than once.
    #[error("the Authorization or apikey header is in the request more than once")]
    Repeated,
    /// `Authorization` or `apikey` holds others than visible ASCII characters.
    #[error("the Authorization or apikey header cannot be read")]
    Unreadable,
    /// A bearer that begins with `sb_` and is no key of the project.
    #[error("the API key is none of this project")]
    UnknownKey,
    /// Not three parts.
    #[error("expected 3 parts in the token, got {0}")]
    Parts(usize),
    /// The parts are no base64url or JSON, or the signature does not fit.
    #[error("the token's signature or encoding is wrong")]
    Signature,
    /// `alg` is unknown, `none`, or one that no key of ours has.
    #[error("the token's algorithm {0} is not accepted")]
    Algorithm(String),
    /// No key has the token's `kid` or type.
    #[error("no key fits the token")]
    NoKey,
    /// Keys fit by name and type, and none of them proves the signature.
    #[error("the token was signed by another key")]
    WrongKey,
    /// A token of the legacy secret, where these are switched off.
    #[error("legacy HS256 keys and tokens are switched off")]
    LegacyOff,
    /// The token is encrypted, which no client of ours does.
    #[error("the token is encrypted")]
    Encrypted,
    /// There is no key to check a token by.
    #[error("no key is configured to check tokens by")]
    NoSecret,
    /// There is no token, and nobody may be anonymous.
    #[error("anonymous access is disabled")]
    AnonymousDisabled,
    /// `aud` names somebody else.
    #[error("the token is for another audience")]
    NotInAudience,
    /// `aud` is neither a text nor a list of texts.
    #[error("the token's claim `aud` must be a string or an array of strings")]
    AudienceType,
    /// A token for one purpose, such as a signed URL, where another kind of token is asked for.
    #[error("the token is for another purpose")]
    Purpose,
    /// The claims are no JSON object.
    #[error("the token's claims cannot be read")]
    Claims,
    /// A claim of time is no number.
    #[error("the token's claim `{0}` must be a number")]
    NotANumber(&'static str),
    /// `exp` has passed.
    #[error("the token has expired")]
    Expired,
    /// `nbf` has not come.
    #[error("the token is not valid yet")]
    NotYetValid,
    /// `iat` has not come.
    #[error("the token was issued in the future")]
    IssuedInFuture,
    /// A listener that requires an API key got none (server/CONTRACT.md GW-NO-KEY).
    #[error("no API key in the request")]
    NoApiKey,
}

/// Why a key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// Not a JWK of a type that can sign here.
    #[error("key {} of the list is no usable private JWK: {message}", .index + 1)]
    Jwk {
        /// Place in the list, from 0.
        index: usize,
        /// What is wrong.
        message: String,
    },
    /// A key set or key that holds nothing a token can be checked by.
    #[error("jwt-secret: no key in it can be used")]
    Unusable,
    /// A path to the role of another form.
    #[error("jwt-role-claim-key: failed to parse {0}")]
    RolePath(String),
    /// A list in which nothing can sign.
    #[error("no key of the list can sign")]
    NoneSigns,
    /// Signing failed.
    #[error("a token could not be signed")]
    Sign(#[source] jsonwebtoken::errors::Error),
}
