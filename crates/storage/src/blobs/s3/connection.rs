//! How requests reach the service: the client of crate web, as `object_store` asks for it.

use std::{pin::Pin, time::Duration};

use banyan_web::{
    Body,
    tls_client::{self, Client, Versions},
};
use http::{Request, Response};
use http_body_util::BodyExt;
use object_store::{
    ClientOptions,
    client::{
        HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpResponseBody,
        HttpService,
    },
};

use crate::blobs::BlobError;

/// How long a connection may take to open.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// How long the service may take to receive a part that is in memory, and to answer it.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

/// Sends requests over pooled connections.
#[derive(Debug, Clone)]
pub(super) struct Connection(Client<Body>);

impl Connection {
    pub(super) fn new() -> Self {
        let mut dialer = tls_client::dialer();
        dialer.set_connect_timeout(Some(CONNECT_TIMEOUT));
        dialer.set_nodelay(true);
        Self(tls_client::pool().build(tls_client::connector(dialer, Versions::Http1)))
    }

    /// Sends a request whose body may take as long as its source does. It is not sent again.
    pub(super) async fn send(&self, request: Request<Body>) -> Result<Response<Body>, BlobError> {
        let sent = self.0.request(request).await;
        let answer = sent.map_err(|error| BlobError::Service(error.to_string()))?;
        Ok(answer.map(|body| body.map_err(Into::into).boxed_unsync()))
    }

    /// Sends a request of `object_store`, which sends it again where that may help.
    async fn exchange(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let request = request.map(|body| body.map_err(Into::into).boxed_unsync());
        let sent = tokio::time::timeout(ANSWER_TIMEOUT, self.0.request(request)).await;
        let answer = sent.map_err(|late| HttpError::new(HttpErrorKind::Timeout, late))?;
        let answer = answer.map_err(|error| match error.is_connect() {
            true => HttpError::new(HttpErrorKind::Connect, error),
            false => HttpError::new(HttpErrorKind::Interrupted, error),
        })?;
        Ok(answer.map(|body| {
            HttpResponseBody::new(body.map_err(|error| HttpError::new(HttpErrorKind::Interrupted, error)))
        }))
    }
}

impl HttpService for Connection {
    fn call<'a, 'b>(
        &'a self,
        request: HttpRequest,
    ) -> Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'b>>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(self.exchange(request))
    }
}

impl HttpConnector for Connection {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.clone()))
    }
}
