//! Why a socket, a join or a channel is refused, and in which words.

use std::borrow::Cow;

use http::StatusCode;

use crate::authorization::AuthorizationError;

/// Why a join is refused, or a channel ends (CONTRACT.md L5, L12, and the codes).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ChannelError {
    /// The topic is the prefix alone.
    TopicNameRequired,
    /// Only private channels are allowed.
    PrivateOnly,
    /// The socket has as many channels as one may have.
    TooManyChannels,
    /// There are more joins than there may be.
    TooManyJoins,
    /// A part of the join is above the most that there may be (CONTRACT.md LIM-JOIN).
    JoinTooLarge { most: usize, what: &'static str },
    /// There are more messages than there may be.
    TooManyMessages,
    /// There are more messages of presence than there may be.
    TooManyPresenceMessages,
    /// The channel calls presence more often than one may.
    TooManyPresenceCalls,
    /// What it says of itself is too large.
    TrackTooLarge,
    /// The token has expired so many seconds ago.
    Expired(i64),
    /// The token lacks a claim.
    MissingClaims,
    /// It is no token.
    MalformedToken,
    /// Its signature is wrong.
    Signature,
    /// There is no key for it.
    NoKey,
    /// The policies deny the topic of this name.
    Unauthorized(String),
    /// They allowed the topic of this name before.
    NoLongerAuthorized(String),
    /// The policies could not be asked.
    Policies(AuthorizationError),
    /// Broadcasts cannot be replayed.
    Replay(ReplayError),
    /// The server stops.
    Restarting,
    /// Whatever else.
    Unknown,
}

/// Why broadcasts cannot be replayed (CONTRACT.md B9).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReplayError {
    /// The channel is public.
    PublicChannel,
    /// `since` or `limit` is wrong.
    Params,
    /// The query failed.
    Query,
}

impl ChannelError {
    /// The code, which the log has too; none where the text stands alone.
    pub(crate) fn code(&self) -> Option<&'static str> {
        Some(match self {
            Self::TopicNameRequired => "TopicNameRequired",
            Self::PrivateOnly => "PrivateOnly",
            Self::TooManyChannels => "ChannelRateLimitReached",
            Self::TooManyJoins => "ClientJoinRateLimitReached",
            Self::JoinTooLarge { .. } => "JoinTooLarge",
            Self::TooManyMessages => "MessagePerSecondRateLimitReached",
            Self::TooManyPresenceMessages => "PresenceRateLimitReached",
            Self::TooManyPresenceCalls => "ClientPresenceRateLimitReached",
            Self::Expired(_) | Self::MissingClaims => "InvalidJWTToken",
            Self::MalformedToken => "MalformedJWT",
            Self::Signature => "JwtSignatureError",
            Self::NoKey => "JwtSignerError",
            Self::Unauthorized(_) | Self::NoLongerAuthorized(_) => "Unauthorized",
            Self::Policies(AuthorizationError::Unavailable) => "UnableToConnectToProject",
            Self::Policies(AuthorizationError::Canceled(_)) => "QueryCanceled",
            Self::Policies(AuthorizationError::MissingPartition) => "MissingPartition",
            Self::Policies(AuthorizationError::NoConnection) => "IncreaseConnectionPool",
            Self::Replay(_) => "UnableToReplayMessages",
            Self::Restarting => "RealtimeRestarting",
            Self::TrackTooLarge | Self::Unknown => return None,
        })
    }

    /// What a refused join says: code and text.
    pub(crate) fn reason(&self) -> String {
        let text = match self {
            Self::Policies(AuthorizationError::Canceled(text)) => Cow::Borrowed(text.as_str()),
            Self::Policies(AuthorizationError::MissingPartition) => {
                "Realtime was unable to find the expected messages partition".into()
            }
            _ => self.text(),
        };
        self.code().map_or_else(|| text.to_string(), |code| format!("{code}: {text}"))
    }

    /// What a channel is told that ends.
    pub(crate) fn text(&self) -> Cow<'static, str> {
        match self {
            Self::TopicNameRequired => "You must provide a topic name",
            Self::PrivateOnly => "This project only allows private channels",
            Self::TooManyChannels => "Too many channels",
            Self::TooManyJoins => "Too many joins per second",
            Self::JoinTooLarge { most, what } => return format!("At most {most} {what}").into(),
            Self::TooManyMessages => "Too many messages per second",
            Self::TooManyPresenceMessages => "Too many presence messages per second",
            Self::TooManyPresenceCalls => "Client presence rate limit exceeded",
            Self::TrackTooLarge => "Track message size exceeded",
            Self::Expired(seconds) => return format!("Token has expired {seconds} seconds ago").into(),
            Self::MissingClaims => "Fields `role` and `exp` are required in JWT",
            Self::MalformedToken => "The token provided is not a valid JWT",
            Self::Signature => "Failed to validate JWT signature",
            Self::NoKey => "Failed to generate JWT signer, check your JWT secret or JWKS configuration",
            Self::Unauthorized(topic) => {
                return format!("You do not have permissions to read from this Channel topic: {topic}")
                    .into();
            }
            Self::NoLongerAuthorized(topic) => {
                return format!("You no longer have permission to read from this Channel topic: {topic}")
                    .into();
            }
            Self::Policies(AuthorizationError::Canceled(_)) => "Query was cancelled, please try again",
            Self::Policies(AuthorizationError::NoConnection) => "Please increase your connection pool size",
            Self::Policies(AuthorizationError::Unavailable | AuthorizationError::MissingPartition) => {
                "Realtime was unable to connect to the project database"
            }
            Self::Replay(ReplayError::PublicChannel) => "Replay is not allowed for public channels",
            Self::Replay(ReplayError::Params) => "Replay params are not valid",
            Self::Replay(ReplayError::Query) => "Realtime was unable to replay messages",
            Self::Restarting => "Realtime is restarting, please standby",
            Self::Unknown => "Unknown Error on Channel",
        }
        .into()
    }
}

/// Why a socket is not opened (CONTRACT.md C4, C7).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HandshakeError {
    /// There is no key.
    NoKey,
    /// The key or the token is refused.
    Token(ChannelError),
    /// There are as many sockets as there may be.
    TooManySockets,
    /// There are more joins than there may be.
    TooManyJoins,
    /// The version is unknown.
    Version,
    /// The request asks for no websocket.
    NoWebsocket,
    /// The headers are too large.
    Headers,
}

impl HandshakeError {
    /// Status and message; none where the body is empty.
    pub(crate) fn wire(&self) -> (StatusCode, Option<Cow<'static, str>>) {
        match self {
            Self::NoKey => (StatusCode::UNAUTHORIZED, Some("API key is missing".into())),
            Self::Token(ChannelError::Expired(_)) => {
                (StatusCode::UNAUTHORIZED, Some("Token has expired".into()))
            }
            Self::Token(ChannelError::Unknown) => {
                (StatusCode::INTERNAL_SERVER_ERROR, Some("Error connecting to Realtime".into()))
            }
            Self::Token(error) => (StatusCode::UNAUTHORIZED, Some(error.text())),
            Self::TooManySockets => (StatusCode::TOO_MANY_REQUESTS, Some("Too many connected users".into())),
            Self::TooManyJoins => (StatusCode::TOO_MANY_REQUESTS, Some("Too many joins per second".into())),
            Self::Version => (StatusCode::FORBIDDEN, None),
            Self::NoWebsocket => {
                (StatusCode::UPGRADE_REQUIRED, Some("This address takes websockets alone".into()))
            }
            Self::Headers => {
                (StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, Some("The headers are too large".into()))
            }
        }
    }
}
