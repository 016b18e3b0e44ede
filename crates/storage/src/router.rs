//! The routes, in one table.
//!
//! A path is split at its slashes as it was sent; only then are names decoded, once, so that an
//! encoded slash or question mark belongs to a name (CONTRACT.md C06).

use banyan_web::{Body, empty};
use http::{Method, Response};
use percent_encoding::percent_decode_str;

use crate::{
    context::Exchange,
    endpoints::{bucket, cdn, health, object, render, upload::resumable},
    error::StorageError,
    model::ObjectPath,
    s3,
    wire::error_response,
};

/// Answers a request by the endpoint of its method and path.
pub(crate) async fn answer(exchange: Exchange) -> Response<Body> {
    let real_status = exchange.service.settings.real_status_codes;
    let is_head = exchange.parts.method == Method::HEAD;
    let answer = routed(exchange).await.unwrap_or_else(|error| error_response(&error, real_status));
    if is_head { answer.map(|_| empty()) } else { answer }
}

/// What writes, and whole protocols, are boxed: the future of a small read is moved often, and
/// should be small.
async fn routed(exchange: Exchange) -> Result<Response<Body>, StorageError> {
    let path = exchange.parts.uri.path().to_owned();
    let segments: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    let (group, rest) = segments.split_first().unwrap_or((&"", &[]));
    match (exchange.parts.method.as_str(), *group, rest) {
        ("GET" | "HEAD", "status", []) => Ok(health::status()),
        ("GET", "version", []) => Ok(health::version()),
        ("GET", "health", []) => health::health(exchange).await,
        (_, "bucket", rest) => Box::pin(of_bucket(exchange, rest)).await,
        (_, "object", rest) => of_object(exchange, rest).await,
        (_, "upload", rest) => Ok(Box::pin(resumable::answer(exchange, rest)).await),
        (_, "cdn", rest) => of_cdn(exchange, rest),
        (_, "render", ["image", rest @ ..]) if exchange.service.settings.image_transformation => {
            Box::pin(of_images(exchange, rest)).await
        }
        (_, "render", ["image", ..]) => Err(StorageError::ImagesOff),
        (_, "render", _) => Err(no_route(&exchange)),
        (_, "s3", _) if exchange.service.settings.s3_protocol.enabled => {
            Ok(Box::pin(s3::answer(exchange)).await)
        }
        (_, "s3", _) => Err(no_route(&exchange)),
        (_, "iceberg", _) => Err(StorageError::FeatureNotEnabled("Analytics buckets are not enabled")),
        (_, "vector", _) => Err(StorageError::FeatureNotEnabled("Vector buckets are not enabled")),
        (_, "status" | "version" | "health", _) => Err(no_route(&exchange)),
        _ => Err(StorageError::NoGroup(exchange.parts.method, path)),
    }
}

async fn of_bucket(exchange: Exchange, path: &[&str]) -> Result<Response<Body>, StorageError> {
    match (exchange.parts.method.as_str(), path) {
        ("POST", [] | [""]) => bucket::create(exchange.doing("storage.bucket.create")).await,
        ("GET", [] | [""]) => bucket::list(exchange.doing("storage.bucket.list")).await,
        ("GET", [id]) => bucket::get(exchange.doing("storage.bucket.get"), decoded(id)?).await,
        ("PUT", [id]) => bucket::update(exchange.doing("storage.bucket.update"), decoded(id)?).await,
        ("DELETE", [id]) => bucket::delete(exchange.doing("storage.bucket.delete"), decoded(id)?).await,
        ("POST", [id, "empty"]) => bucket::empty(exchange.doing("storage.bucket.empty"), decoded(id)?).await,
        _ => Err(no_route(&exchange)),
    }
}

/// Routes with a fixed word come before those that take the word for a bucket.
async fn of_object(exchange: Exchange, path: &[&str]) -> Result<Response<Body>, StorageError> {
    let unicode = exchange.service.settings.unicode_names;
    let at =
        |bucket: &str, name: &[&str]| ObjectPath::new(&decoded(bucket)?, &decoded(&name.join("/"))?, unicode);
    match (exchange.parts.method.as_str(), path) {
        ("POST", ["copy"]) => Box::pin(object::copy(exchange.doing("storage.object.copy"))).await,
        ("POST", ["move"]) => object::move_(exchange.doing("storage.object.move")).await,
        ("POST", ["list", bucket]) => {
            object::list(exchange.doing("storage.object.list"), decoded(bucket)?).await
        }
        ("POST", ["list-v2", bucket]) => {
            object::list_v2(exchange.doing("storage.object.list_v2"), decoded(bucket)?).await
        }
        ("POST", ["sign", bucket]) => {
            object::sign_many(exchange.doing("storage.object.sign_many"), decoded(bucket)?).await
        }
        ("POST", ["sign", bucket, name @ ..]) => {
            object::sign(exchange.doing("storage.object.sign"), at(bucket, name)?).await
        }
        ("POST", ["upload", "sign", bucket, name @ ..]) if !name.is_empty() => {
            object::sign_upload(exchange.doing("storage.object.sign_upload_url"), at(bucket, name)?).await
        }
        ("GET", ["info", "public", bucket, name @ ..]) if !name.is_empty() => {
            object::info_public(exchange.doing("storage.object.info_public"), at(bucket, name)?).await
        }
        ("GET", ["info", "authenticated", bucket, name @ ..]) if !name.is_empty() => {
            let exchange = exchange.doing("object.get_authenticated_info");
            object::info_authenticated(exchange, at(bucket, name)?).await
        }
        ("GET", ["info", bucket, name @ ..]) if !name.is_empty() => {
            object::info(exchange.doing("object.get_authenticated_info"), at(bucket, name)?).await
        }
        ("DELETE", [bucket]) => {
            object::remove_many(exchange.doing("storage.object.delete_many"), decoded(bucket)?).await
        }
        ("DELETE", [bucket, name @ ..]) => {
            object::remove(exchange.doing("storage.object.delete"), at(bucket, name)?).await
        }
        _ => of_bytes(exchange, path).await,
    }
}

/// The routes by which the bytes of an object come in and go out.
async fn of_bytes(exchange: Exchange, path: &[&str]) -> Result<Response<Body>, StorageError> {
    let name_of = |name: &[&str]| decoded(&name.join("/"));
    match (exchange.parts.method.as_str(), path) {
        (_, [] | [_]) => Err(no_route(&exchange)),
        ("GET", ["public", bucket, name @ ..]) if !name.is_empty() => {
            let exchange = exchange.doing("storage.object.get_public");
            object::public(&exchange, &decoded(bucket)?, &name_of(name)?).await
        }
        ("HEAD", ["public", bucket, name @ ..]) if !name.is_empty() => {
            let exchange = exchange.doing("storage.object.info_public");
            object::public(&exchange, &decoded(bucket)?, &name_of(name)?).await
        }
        ("GET" | "HEAD", ["sign", bucket, name @ ..]) if !name.is_empty() => {
            let exchange = exchange.doing("storage.object.get_signed");
            object::signed(&exchange, &decoded(bucket)?, &name_of(name)?).await
        }
        ("PUT", ["upload", "sign", bucket, name @ ..]) if !name.is_empty() => {
            let exchange = exchange.doing("storage.object.upload_signed");
            Box::pin(object::upload_signed(exchange, &decoded(bucket)?, &name_of(name)?)).await
        }
        ("GET", ["authenticated", bucket, name @ ..]) if !name.is_empty() => {
            let exchange = exchange.doing("storage.object.get_authenticated");
            object::authenticated(&exchange, &decoded(bucket)?, &name_of(name)?).await
        }
        ("HEAD", ["authenticated", bucket, name @ ..]) if !name.is_empty() => {
            let exchange = exchange.doing("object.head_authenticated_info");
            object::authenticated(&exchange, &decoded(bucket)?, &name_of(name)?).await
        }
        ("GET", [bucket, name @ ..]) => {
            let exchange = exchange.doing("storage.object.get_authenticated");
            object::download(&exchange, &decoded(bucket)?, &name_of(name)?).await
        }
        ("HEAD", [bucket, name @ ..]) => {
            let exchange = exchange.doing("object.head_authenticated_info");
            object::download(&exchange, &decoded(bucket)?, &name_of(name)?).await
        }
        ("POST", [bucket, name @ ..]) => {
            let exchange = exchange.doing("storage.object.upload");
            Box::pin(object::upload(exchange, &decoded(bucket)?, &name_of(name)?)).await
        }
        ("PUT", [bucket, name @ ..]) => {
            let exchange = exchange.doing("storage.object.upload_update");
            Box::pin(object::upload(exchange, &decoded(bucket)?, &name_of(name)?)).await
        }
        _ => Err(no_route(&exchange)),
    }
}

/// The routes by which an object is rendered as an image (CONTRACT.md I01).
async fn of_images(exchange: Exchange, path: &[&str]) -> Result<Response<Body>, StorageError> {
    let name_of = |name: &[&str]| decoded(&name.join("/"));
    match (exchange.parts.method.as_str(), path) {
        (_, [] | [_] | [_, _]) => Err(no_route(&exchange)),
        ("GET", ["public", bucket, name @ ..]) => {
            let exchange = exchange.doing("storage.render.image_public");
            render::image::public(&exchange, &decoded(bucket)?, &name_of(name)?).await
        }
        ("GET", ["authenticated", bucket, name @ ..]) => {
            let exchange = exchange.doing("storage.render.image_authenticated");
            render::image::authenticated(&exchange, &decoded(bucket)?, &name_of(name)?).await
        }
        ("GET", ["sign", bucket, name @ ..]) => {
            let exchange = exchange.doing("storage.render.image_sign");
            render::image::signed(&exchange, &decoded(bucket)?, &name_of(name)?).await
        }
        _ => Err(no_route(&exchange)),
    }
}

fn of_cdn(exchange: Exchange, path: &[&str]) -> Result<Response<Body>, StorageError> {
    let operation = match (exchange.parts.method.as_str(), path) {
        ("DELETE", [] | [""]) => "storage.cdn.purge_tenant_cache",
        ("DELETE", [_]) => "storage.cdn.purge_bucket_cache",
        ("DELETE", [_, _, ..]) => "storage.cdn.purge_object_cache",
        _ => return Err(no_route(&exchange)),
    };
    cdn::purge(&exchange.doing(operation))
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
