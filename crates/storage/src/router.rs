//! The routes, in one table.

use banyan_web::Body;
use http::{Method, Response};
use percent_encoding::percent_decode_str;

use crate::{
    context::Exchange,
    endpoints::{health, object},
    error::StorageError,
    wire::error_response,
};

/// Answers a request by the endpoint of its method and path.
pub(crate) async fn answer(exchange: Exchange) -> Response<Body> {
    routed(exchange).await.unwrap_or_else(|error| error_response(&error))
}

async fn routed(exchange: Exchange) -> Result<Response<Body>, StorageError> {
    let path = exchange.parts.uri.path().to_owned();
    let segments: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    let (group, rest) = segments.split_first().unwrap_or((&"", &[]));
    match (exchange.parts.method.as_str(), *group, rest) {
        ("GET" | "HEAD", "status", []) => Ok(health::status()),
        ("GET", "version", []) => Ok(health::version()),
        ("GET", "health", []) => health::health(&exchange).await,
        (_, "object", rest) => of_object(exchange, rest).await,
        _ => Err(no_route(&exchange)),
    }
}

async fn of_object(exchange: Exchange, path: &[&str]) -> Result<Response<Body>, StorageError> {
    of_bytes(exchange, path).await
}

/// The routes by which the bytes of an object come in and go out. Those with a fixed word come
/// before those that take the word for a bucket.
async fn of_bytes(mut exchange: Exchange, path: &[&str]) -> Result<Response<Body>, StorageError> {
    let method = exchange.parts.method.clone();
    let (operation, bucket, name) = match (method.as_str(), path) {
        (_, [_] | []) => return Err(no_route(&exchange)),
        ("GET", ["public", bucket, name @ ..]) => ("storage.object.get_public", bucket, name),
        ("HEAD", ["public", bucket, name @ ..]) => ("storage.object.info_public", bucket, name),
        ("GET" | "HEAD", ["sign", bucket, name @ ..]) => ("storage.object.get_signed", bucket, name),
        ("PUT", ["upload", "sign", bucket, name @ ..]) => ("storage.object.upload_signed", bucket, name),
        ("GET", ["authenticated", bucket, name @ ..] | [bucket, name @ ..]) => {
            ("storage.object.get_authenticated", bucket, name)
        }
        ("HEAD", ["authenticated", bucket, name @ ..] | [bucket, name @ ..]) => {
            ("object.head_authenticated_info", bucket, name)
        }
        ("POST", [bucket, name @ ..]) => ("storage.object.upload", bucket, name),
        ("PUT", [bucket, name @ ..]) => ("storage.object.upload_update", bucket, name),
        _ => return Err(no_route(&exchange)),
    };
    exchange.context.operation = operation;
    let (bucket, name) = (&decoded(bucket)?, &decoded(&name.join("/"))?);
    match operation {
        "storage.object.get_public" | "storage.object.info_public" => {
            object::public(&exchange, bucket, name).await
        }
        "storage.object.get_signed" => object::signed(&exchange, bucket, name).await,
        "storage.object.upload_signed" => object::upload_signed(exchange, bucket, name).await,
        "storage.object.upload" | "storage.object.upload_update" => {
            object::upload(exchange, bucket, name).await
        }
        _ if path[0] == "authenticated" => object::authenticated(&exchange, bucket, name).await,
        _ => object::download(&exchange, bucket, name).await,
    }
}

/// A name of the path, decoded. PostgreSQL takes no NUL, so no name has one.
fn decoded(name: &str) -> Result<String, StorageError> {
    let text =
        percent_decode_str(name).decode_utf8().map_err(|_| StorageError::InvalidKey(name.to_owned()))?;
    if text.contains('\0') { Err(StorageError::InvalidKey(name.to_owned())) } else { Ok(text.into_owned()) }
}

fn no_route(exchange: &Exchange) -> StorageError {
    StorageError::NoRoute(exchange.parts.method.clone(), exchange.parts.uri.path().to_owned())
}
