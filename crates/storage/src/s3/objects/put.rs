//! `PutObject`.

use banyan_web::{Body, empty};
use http::{HeaderMap, HeaderValue, Response, header::ETAG};

use crate::{
    domain::upload::{self, Declared, FOLDER_PLACEHOLDER, UploadRequest, Uploaded, owner_of},
    error::StorageError,
    s3::{
        headers::{cache_control, content_type},
        request::{SignedRequest, texts, user_metadata},
    },
};

/// Writes an object in place of the one that is there, or only where there is none.
pub(in crate::s3) async fn put(request: SignedRequest) -> Result<Response<Body>, StorageError> {
    let only_new = is_only_new(&request.exchange.parts.headers)?;
    let (size, bytes) = (request.payload.size, request.payload.take());
    let declared = Declared {
        mimetype: content_type(request.header("content-type")),
        cache_control: cache_control(request.header("cache-control")),
        size,
        content_length: None,
        user_metadata: user_metadata(texts(&request.exchange.parts.headers)),
        x_robots_tag: None,
    };
    let wanted = UploadRequest {
        bucket: request.bucket().to_owned(),
        name: name(request.key(), size),
        upsert: !only_new,
        owner: owner_of(request.caller()?),
        declared,
    };
    let exchange = &request.exchange;
    let plan = upload::plan(&exchange.service, &exchange.context, wanted).await?;
    let written = async {
        let plan = plan.rehearse(exchange.as_caller()?).await?;
        plan.store(&exchange.service, &exchange.context, bytes).await
    };
    match written.await {
        Err(StorageError::KeyAlreadyExists) if only_new => Err(StorageError::PreconditionFailed),
        written => Ok(with_tag(&written?)),
    }
}

/// Whether the object must not be there yet: `If-None-Match: *`. Other conditions are not offered,
/// and must not be passed over.
fn is_only_new(headers: &HeaderMap) -> Result<bool, StorageError> {
    if headers.contains_key("if-match") {
        return Err(StorageError::NotImplemented);
    }
    match headers.get("if-none-match") {
        None => Ok(false),
        Some(value) if value == "*" => Ok(true),
        Some(_) => Err(StorageError::NotImplemented),
    }
}

/// An empty object whose key ends with a slash is a folder, as Studio makes it.
fn name(key: &str, size: Option<u64>) -> String {
    let is_folder = key.ends_with('/') && size == Some(0);
    if is_folder { format!("{key}{FOLDER_PLACEHOLDER}") } else { key.to_owned() }
}

/// An answer that tells the tag of an object.
pub(super) fn with_tag(uploaded: &Uploaded) -> Response<Body> {
    let mut response = Response::new(empty());
    let e_tag = HeaderValue::from_str(&uploaded.e_tag).expect("an entity tag is a header");
    response.headers_mut().insert(ETAG, e_tag);
    response
}
