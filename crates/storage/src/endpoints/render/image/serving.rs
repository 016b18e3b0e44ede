//! Answers that are a rendered image (CONTRACT.md I05).

use banyan_web::{Body, full};
use http::{
    HeaderMap, HeaderName, HeaderValue, Response, StatusCode,
    header::{ACCEPT, VARY},
};

use crate::{
    context::Exchange,
    domain::download::{self, is_known},
    domain::served::{self, Rights},
    endpoints::object::serving::{download_parameter, not_modified, with_length},
    error::StorageError,
    render::{Preference, RenderJob, RenderOptions},
    wire::{Fields, Kind, SafeType, ServedObject, Shown, object_headers},
};

const X_TRANSFORMATIONS: HeaderName = HeaderName::from_static("x-transformations");

/// What a request asks for.
pub(super) struct Wanted {
    pub(super) options: RenderOptions,
    pub(super) shown: Shown,
}

impl Wanted {
    /// What the query asks for.
    pub(super) fn of_query(exchange: &Exchange) -> Result<Self, StorageError> {
        let uri = &exchange.parts.uri;
        let options = RenderOptions::read(&Fields::of_query(uri))?;
        Ok(Self { options, shown: Shown { download: download_parameter(uri), expires: None } })
    }
}

/// Answers with the rendered image of an object that these rights find.
///
/// # Errors
/// `NoSuchKey`, `SlowDown`, those of a render, of the database and of the back end.
pub(super) async fn serve(
    exchange: &Exchange,
    rights: Rights,
    (bucket, name): (&str, &str),
    wanted: &Wanted,
) -> Result<Response<Body>, StorageError> {
    check_rate(exchange)?;
    let object = served::object(exchange, rights, bucket, name).await?;
    match respond(exchange, &object, wanted).await {
        Err(StorageError::NoBytes) => {
            // The row may have been replaced, and its bytes deleted, since it was read.
            exchange.service.caches.rows.forget_object(bucket, name);
            let current = served::object(exchange, rights, bucket, name).await?;
            respond(exchange, &current, wanted).await
        }
        other => other,
    }
}

fn check_rate(exchange: &Exchange) -> Result<(), StorageError> {
    let context = &exchange.context;
    let rate = exchange.service.render_rate.as_ref();
    let is_slow = rate.is_none_or(|rate| rate.allows(&context.original_path, context.now));
    if is_slow { Ok(()) } else { Err(StorageError::SlowDown) }
}

async fn respond(
    exchange: &Exchange,
    object: &ServedObject,
    wanted: &Wanted,
) -> Result<Response<Body>, StorageError> {
    let request = &exchange.parts.headers;
    let job = RenderJob {
        version: object.version.ok_or(StorageError::NoBytes)?,
        size: download::size(&exchange.service, object).await?,
        options: wanted.options.clone(),
        preference: Preference::of(&wanted.options, request),
    };
    let e_tag = object.e_tag.as_ref().and_then(|tag| variant_tag(tag, &job.name()));
    let mut image = ServedObject { e_tag, ..object.clone() };
    if is_known(request, &image) {
        return Ok(not_modified(headers(&image, request, wanted), &image));
    }
    let rendered = exchange.service.renderer.render(job).await?;
    image.content_type = SafeType::of(rendered.media_type);
    let size = rendered.bytes.len() as u64;
    Ok(with_length(StatusCode::OK, headers(&image, request, wanted), size, full(rendered.bytes)))
}

/// The headers of an object, and what was done to it.
fn headers(image: &ServedObject, request: &HeaderMap, wanted: &Wanted) -> HeaderMap {
    let mut headers = object_headers(image, request, Kind::Get, &wanted.shown);
    headers.insert(VARY, ACCEPT.into());
    let transformations = wanted.options.transformations();
    if let Some(value) = HeaderValue::from_str(&transformations).ok().filter(|value| !value.is_empty()) {
        headers.insert(X_TRANSFORMATIONS, value);
    }
    headers
}

/// The tag of one variant of an object, such as `"<tag of the object>-<name of the variant>"`.
fn variant_tag(tag: &HeaderValue, variant: &str) -> Option<HeaderValue> {
    let tag = tag.to_str().ok()?.trim_start_matches("W/").trim_matches('"');
    HeaderValue::from_str(&format!("\"{tag}-{variant}\"")).ok()
}
