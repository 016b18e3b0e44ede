//! A mounted service: its policy as data, and the handler of its requests.

use std::{sync::Arc, time::Duration};

use banyan_identity::Identified;
use banyan_web::Body;
use futures_util::future::BoxFuture;
use http::{Method, Request, Response, Uri};
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;

use crate::{
    cors::CorsRule, identification::Identification, observer::Observer, refusal::Refusal,
    upgrades::UpgradeRule,
};

/// A service behind the gateway.
pub(crate) struct Service {
    pub(crate) policy: ServicePolicy,
    pub(crate) handler: Handler,
}

/// What the gateway does with the requests of one service.
#[derive(Clone)]
pub(crate) struct ServicePolicy {
    /// The paths of the service: this one and those below it, such as `/rest/v1`. A leading `/*`
    /// stands for any one segment. The empty prefix fits every path.
    pub(crate) prefix: &'static str,
    /// Its name in metrics and log lines.
    pub(crate) name: &'static str,
    /// Whether it is switched on. A service that is off has no path.
    pub(crate) is_on: bool,
    /// Which pages may read its answers.
    pub(crate) cors: CorsRule,
    /// Who answers a preflight.
    pub(crate) preflights: Preflights,
    /// Which pages may ask while everybody knows the keys.
    pub(crate) pages: PageRule,
    /// How large a request body may be, and whether it is held in memory.
    pub(crate) body: BodyRule,
    /// Which budget its requests take from.
    pub(crate) admission: AdmissionClass,
    /// Longest wait for the head of an answer.
    pub(crate) deadline: Option<Duration>,
    /// Which requests take as long as their bytes do, by method and path. They have [`Terms`] of
    /// their own.
    pub(crate) transfers: Option<fn(&Method, &str) -> bool>,
    /// Whether the bytes of bodies are counted. The request is then logged when the last byte of
    /// the answer has left, or its reader has gone.
    pub(crate) counts_bytes: bool,
    /// Which connections may change their protocol. None may without it.
    pub(crate) upgrades: Option<UpgradeRule>,
    /// How the caller is found.
    pub(crate) identification: Identification,
    /// Whether each request has an id, which the service and the client see.
    pub(crate) request_ids: bool,
    /// Counts and logs what was answered.
    pub(crate) observer: Arc<dyn Observer>,
    /// How a refusal of the gateway is worded for clients of this service.
    pub(crate) refusals: fn(Refusal) -> Response<Body>,
}

/// What holds for one request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms {
    pub(crate) body: BodyRule,
    pub(crate) admission: AdmissionClass,
    pub(crate) deadline: Option<Duration>,
}

impl ServicePolicy {
    /// What holds for a request. A transfer has no deadline, takes from a budget of its own, and
    /// the service bounds its body: in bytes, and in the time between two pieces.
    pub(crate) fn terms(&self, method: &Method, path: &str) -> Terms {
        if self.transfers.is_some_and(|is_transfer| is_transfer(method, path)) {
            let (body, admission) = (BodyRule::BoundedByService, AdmissionClass::Transfer);
            return Terms { body, admission, deadline: None };
        }
        Terms { body: self.body, admission: self.admission, deadline: self.deadline }
    }
}

/// Who answers a preflight.
#[derive(Clone)]
pub(crate) enum Preflights {
    /// The gateway, by the service's CORS rule.
    Gateway,
    /// The service, as any other request.
    Service,
    /// The service for those paths of it that this says, else the gateway.
    ServiceFor(Arc<dyn Fn(&str) -> bool + Send + Sync>),
}

impl Preflights {
    pub(crate) fn are_of_gateway(&self, path: &str) -> bool {
        match self {
            Self::Gateway => true,
            Self::Service => false,
            Self::ServiceFor(answers) => !answers(path),
        }
    }
}

/// Which web pages may ask while everybody knows the keys.
#[derive(Debug, Clone, Copy)]
pub(crate) enum PageRule {
    /// Every page.
    Every,
    /// Pages of the project.
    OfProject,
    /// Pages of the project. Any page may lead back to this path, but not into a frame.
    OfProjectAndReturnTo(&'static str),
}

/// How large a request body may be, and whether it is held in memory.
#[derive(Debug, Clone, Copy)]
pub(crate) enum BodyRule {
    /// No handler reads it.
    Ignored,
    /// The handler holds all of it, so its bytes count as taken memory.
    Buffered(BodyLimit),
    /// The handler passes it on as it comes.
    Streamed(BodyLimit),
    /// The same, and the handler knows how large it may be.
    BoundedByService,
}

/// The largest body of a request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyLimit {
    /// In bytes. Reading more is an error for the service.
    pub(crate) bytes: u64,
    /// Whether the gateway refuses a body whose declared length is larger, before the service is
    /// asked.
    pub(crate) by_declared_length: bool,
}

impl BodyRule {
    pub(crate) fn limit(self) -> Option<BodyLimit> {
        match self {
            Self::Ignored | Self::BoundedByService => None,
            Self::Buffered(limit) | Self::Streamed(limit) => Some(limit),
        }
    }
}

/// Which budget requests take from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AdmissionClass {
    /// None: the answer is in memory already.
    Exempt,
    /// The budget of requests, of their bodies and of answers that wait for readers.
    Counted,
    /// The budget of transfers, so that slow ones leave the others to short requests.
    Transfer,
}

/// One request for a service, without the prefix of the service in its path.
pub(crate) struct Call {
    /// Who is calling, or why that is refused.
    pub(crate) caller: Identified,
    pub(crate) request: Request<Body>,
    /// The target with the prefix of the service: what a signature of the client covers, and what
    /// an absolute `Location` begins with.
    pub(crate) original_uri: Uri,
    /// Finds the caller again once a message on a socket brings a newer token.
    pub(crate) identification: Identification,
    /// The time of the request.
    pub(crate) now: OffsetDateTime,
    /// How long it took to find the caller.
    pub(crate) identified_in: Duration,
    /// Cancelled when the server begins to stop. Whoever keeps an upgraded connection ends it then.
    pub(crate) stopping: CancellationToken,
}

/// Answers the requests of a service. Errors are answers too.
pub(crate) type Handler = Arc<dyn Fn(Call) -> BoxFuture<'static, Response<Body>> + Send + Sync>;

/// A handler with a state, which is cloned for each request.
pub(crate) fn handler<S, F>(state: S, handle: impl Fn(S, Call) -> F + Send + Sync + 'static) -> Handler
where
    S: Clone + Send + Sync + 'static,
    F: Future<Output = Response<Body>> + Send + 'static,
{
    Arc::new(move |call| Box::pin(handle(state.clone(), call)))
}

/// The mounted services.
pub(crate) struct Services(Vec<Service>);

impl Services {
    /// The services that are on. The first one whose prefix fits answers a path, so the last one
    /// takes every path.
    pub(crate) fn new(services: Vec<Service>) -> Self {
        let on: Vec<_> = services.into_iter().filter(|service| service.policy.is_on).collect();
        debug_assert!(
            on.last().is_some_and(|last| last.policy.prefix.is_empty()),
            "some path has no service"
        );
        Self(on)
    }

    /// The service of a path, and the path as the service sees it: from the prefix on, with a
    /// leading `/`.
    pub(crate) fn find<'a>(&self, path: &'a str) -> (&Service, &'a str) {
        let mut fitting =
            self.0.iter().filter_map(|service| Some((service, behind(service.policy.prefix, path)?)));
        fitting.next().expect("the last service takes every path")
    }
}

/// What is left of a path behind a prefix.
fn behind<'a>(prefix: &str, path: &'a str) -> Option<&'a str> {
    if prefix.is_empty() {
        return Some(path);
    }
    let rest = match prefix.strip_prefix("/*") {
        None => path.strip_prefix(prefix)?,
        Some(prefix) => {
            let segment = path.strip_prefix('/')?;
            segment[segment.find('/')?..].strip_prefix(prefix)?
        }
    };
    match rest {
        "" => Some("/"),
        rest => rest.starts_with('/').then_some(rest),
    }
}

/// The URI as the service sees it: with this path, and the query byte for byte.
pub(crate) fn with_path(uri: &Uri, path: &str) -> Result<Uri, Refusal> {
    let text = match uri.query() {
        None => path.to_owned(),
        Some(query) => format!("{path}?{query}"),
    };
    text.parse().map_err(|_| Refusal::UnreadablePath)
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: GW-ROUTES
    #[test]
    fn a_prefix_fits_its_path_and_those_below_it() {
        for (prefix, path, expected) in [
            ("/rest/v1", "/rest/v1/lessons", Some("/lessons")),
            ("/rest/v1", "/rest/v1", Some("/")),
            ("/rest/v1", "/rest/v1/", Some("/")),
            ("/rest/v1", "/rest/v10", None),
            ("/rest/v1", "/a/rest/v1", None),
            ("/functions/v1", "/functions/v1/hello/a%2Fb", Some("/hello/a%2Fb")),
            ("/*/v1", "/storage/v1/object", Some("/object")),
            ("/*/v1", "/storage/v1", Some("/")),
            ("/*/v1", "/storage/v10", None),
            ("/*/v1", "/auth", None),
            ("/*/v1", "/a/b/v1", None),
            ("", "/blogs/1", Some("/blogs/1")),
            ("", "*", Some("*")),
            ("", "", Some("")),
        ] {
            assert_eq!(behind(prefix, path), expected, "{path} behind {prefix}");
        }
    }

    // rows: GW-PATHS
    #[test]
    fn the_query_reaches_the_service_untouched() {
        let uri: Uri = "/rest/v1/a?x=%20b&y".parse().expect("a URI");
        assert_eq!(with_path(&uri, "/a").expect("a URI").to_string(), "/a?x=%20b&y");
    }
}
