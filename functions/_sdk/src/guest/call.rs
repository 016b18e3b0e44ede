//! A call as it comes in.

use http::{HeaderMap, HeaderName, HeaderValue, Method, Request};
use wstd::__internal::wasip2::http::types::{Fields, IncomingRequest as WasiRequest, Method as WasiMethod};
use wstd::__internal::wasip2::io::streams::{InputStream, StreamError};
use wstd::http::request::try_from_incoming;
use wstd::http::{Body, Error};
use wstd::runtime::AsyncPollable;

use crate::handler::IncomingRequest;

/// Most bytes that are taken from the host at a time.
const PIECE: u64 = 64 * 1024;

/// A call before its body is read.
#[derive(Debug)]
pub struct Call(WasiRequest);

impl Call {
    pub(super) fn new(request: WasiRequest) -> Self {
        Self(request)
    }

    /// The path and the query that were asked for: `/name/more?x=1`.
    pub fn path(&self) -> String {
        self.0.path_with_query().unwrap_or_default()
    }

    /// Reads it to its end; a body over `limit` bytes is left unread.
    ///
    /// # Errors
    /// The host's error if the body breaks off.
    pub async fn receive(self, limit: usize) -> Result<IncomingRequest, Error> {
        let (method, headers) = (method(self.0.method())?, headers(&self.0.headers())?);
        let body = self.0.consume().expect("taken once");
        let stream = body.stream().expect("taken once");
        let body = read(&stream, limit).await?;
        Ok(IncomingRequest { method, headers, body })
    }

    /// Returns the request with its address, and a body that is read piece by piece.
    ///
    /// # Errors
    /// An error if the host hands over something that is no HTTP.
    pub fn into_request(self) -> Result<Request<Body>, Error> {
        try_from_incoming(self.0)
    }
}

async fn read(stream: &InputStream, limit: usize) -> Result<Option<Vec<u8>>, Error> {
    let mut read = Vec::new();
    loop {
        match stream.read(PIECE) {
            Ok(piece) if piece.is_empty() => AsyncPollable::new(stream.subscribe()).wait_for().await,
            Ok(piece) if read.len() + piece.len() > limit => return Ok(None),
            Ok(piece) => read.extend_from_slice(&piece),
            Err(StreamError::Closed) => return Ok(Some(read)),
            Err(StreamError::LastOperationFailed(error)) => return Err(Error::msg(error.to_debug_string())),
        }
    }
}

fn headers(fields: &Fields) -> Result<HeaderMap, Error> {
    let entries = fields.entries().into_iter().map(|(name, value)| {
        Ok((HeaderName::from_bytes(name.as_bytes())?, HeaderValue::from_maybe_shared(value)?))
    });
    entries.collect()
}

fn method(method: WasiMethod) -> Result<Method, Error> {
    Ok(match method {
        WasiMethod::Get => Method::GET,
        WasiMethod::Head => Method::HEAD,
        WasiMethod::Post => Method::POST,
        WasiMethod::Put => Method::PUT,
        WasiMethod::Delete => Method::DELETE,
        WasiMethod::Connect => Method::CONNECT,
        WasiMethod::Options => Method::OPTIONS,
        WasiMethod::Trace => Method::TRACE,
        WasiMethod::Patch => Method::PATCH,
        WasiMethod::Other(name) => Method::from_bytes(name.as_bytes())?,
    })
}
