//! The routes, in one table.

use banyan_web::Body;
use http::{Method, Response};
use percent_encoding::percent_decode_str;

use crate::{
    context::Exchange,
    endpoints::{health, upload::resumable},
    error::StorageError,
    wire::error_response,
};

/// Answers a request by the endpoint of its method and path.
pub(crate) async fn answer(exchange: Exchange) -> Response<Body> {
    routed(exchange).await.unwrap_or_else(|error| error_response(&error))
}

/// The path is split at its first slashes; the name of an object is all that is left
/// (CONTRACT.md C06).
async fn routed(exchange: Exchange) -> Result<Response<Body>, StorageError> {
    let path = exchange.parts.uri.path().to_owned();
    let path = percent_decode_str(&path)
        .decode_utf8()
        .map_err(|_| StorageError::InvalidKey(path.clone()))?
        .into_owned();
    let method = exchange.parts.method.clone();
    let rest = path.strip_prefix('/').unwrap_or(&path);
    let (group, rest) = rest.split_once('/').unwrap_or((rest, ""));
    match (&method, group, rest) {
        (&Method::GET | &Method::HEAD, "status", "") => Ok(health::status()),
        (&Method::GET, "health", "") => health::health(&exchange).await,
        (&Method::GET, "version", "") => Ok(health::version()),
        (_, "upload", rest) => Ok(resumable::answer(exchange, rest).await),
        _ => Err(StorageError::NoRoute(method, path)),
    }
}
