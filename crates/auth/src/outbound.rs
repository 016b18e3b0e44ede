//! Calls to other services, with limits on time and size.

use std::{pin::Pin, sync::Arc, time::Duration};

use banyan_web::{
    Body, BodyError, read_body,
    tls_client::{self, Client, Versions},
};
use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::Full;

/// Answers a request to the project's own address without leaving the process.
pub type FunctionCall = Arc<dyn Fn(Request<Body>) -> Answer + Send + Sync>;

/// A pending answer.
type Answer = Pin<Box<dyn Future<Output = Response<Body>> + Send>>;

/// A pooled client. It follows no redirect.
pub(crate) struct Outbound {
    client: Client<Full<Bytes>>,
}

/// The answer of a service.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// Why there is no answer. The text is for the log.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OutboundError {
    #[error("no answer in time")]
    Timeout,
    #[error("no answer: {0}")]
    Failed(String),
    #[error(transparent)]
    Body(#[from] BodyError),
}

impl Outbound {
    pub(crate) fn new() -> Self {
        let connector = tls_client::connector(tls_client::dialer(), Versions::Http1And2);
        Self { client: tls_client::pool().build(connector) }
    }

    /// Sends a request. The whole answer must come within `time` and in at most `largest` bytes.
    ///
    /// # Errors
    /// [`OutboundError`]; a status of 4xx or 5xx is an answer and no error.
    pub(crate) async fn send(
        &self,
        request: Request<Full<Bytes>>,
        time: Duration,
        largest: usize,
    ) -> Result<Reply, OutboundError> {
        let exchange = async {
            let answer = self.client.request(request).await;
            let (head, body) = answer.map_err(|error| OutboundError::Failed(chain(&error)))?.into_parts();
            let body = read_body(body, largest).await?;
            Ok(Reply { status: head.status, headers: head.headers, body })
        };
        tokio::time::timeout(time, exchange).await.map_err(|_| OutboundError::Timeout)?
    }
}

/// An error with its causes, because the outermost says little.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
