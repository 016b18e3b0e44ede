//! What is learnt of each request once it is answered: for counters, and for the lines of a log.

use std::time::Duration;

use banyan_identity::{Identified, Peer};
use banyan_web::Body;
use http::{
    HeaderValue, Method, Request, Response, StatusCode, Uri, Version,
    header::{REFERER, USER_AGENT},
};

use crate::{metrics::RunningGuard, transferred::Transferred};

/// Counts and logs requests.
pub(crate) trait Observer: Send + Sync {
    /// A request begins. The guard is dropped when the request ends.
    fn begin(&self) -> Option<RunningGuard> {
        None
    }

    /// A request was answered.
    fn observe(&self, answered: &Answered, response: &Response<Body>);

    /// The same for a request whose bytes are counted. It is told when the last one has left, or
    /// the reader of the answer has gone.
    fn observe_transferred(&self, _: &Answered, _: Transferred) {}
}

/// An answered request.
pub(crate) struct Answered {
    /// Name of the service.
    pub(crate) service: &'static str,
    pub(crate) head: RequestHead,
    /// The id of the request, where its service has ids.
    pub(crate) id: Option<HeaderValue>,
    pub(crate) role: CallerRole,
    pub(crate) status: StatusCode,
    /// Whether the gateway answered a preflight.
    pub(crate) is_preflight: bool,
    /// Time to the head of the answer.
    pub(crate) took: Duration,
}

/// What is kept of a request's head until it is answered.
pub(crate) struct RequestHead {
    pub(crate) peer: Peer,
    pub(crate) method: Method,
    pub(crate) uri: Uri,
    pub(crate) version: Version,
    pub(crate) referer: Option<HeaderValue>,
    pub(crate) user_agent: Option<HeaderValue>,
}

impl RequestHead {
    pub(crate) fn of<B>(request: &Request<B>, peer: Peer) -> Self {
        Self {
            peer,
            method: request.method().clone(),
            uri: request.uri().clone(),
            version: request.version(),
            referer: request.headers().get(REFERER).cloned(),
            user_agent: request.headers().get(USER_AGENT).cloned(),
        }
    }
}

/// The database role of who called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CallerRole {
    /// Nobody was asked who is calling.
    NotAsked,
    /// A token or a key was refused.
    Refused,
    /// The role.
    Known(String),
}

impl CallerRole {
    pub(crate) fn of(caller: &Identified) -> Self {
        caller.as_ref().map_or(Self::Refused, |caller| Self::Known(caller.role().to_owned()))
    }
}
