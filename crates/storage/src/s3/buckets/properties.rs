//! `HeadBucket`, `GetBucketLocation` and `GetBucketVersioning`.

use banyan_web::{Body, empty};
use http::{HeaderValue, Response};
use serde::Serialize;

use crate::{
    error::StorageError,
    s3::{request::SignedRequest, xml},
    store::buckets,
};

/// A region as text of the root element.
#[derive(Serialize)]
struct LocationConstraint {
    #[serde(rename = "$text")]
    region: String,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct VersioningConfiguration {
    status: &'static str,
    mfa_delete: &'static str,
}

/// Says whether there is a bucket that the caller may see.
pub(in crate::s3) async fn head(request: SignedRequest) -> Result<Response<Body>, StorageError> {
    check_visible(&request).await?;
    let mut response = Response::new(empty());
    let region = HeaderValue::from_str(region(&request));
    let region = region.map_err(|_| StorageError::Internal("the region is no header"))?;
    response.headers_mut().insert("x-amz-bucket-region", region);
    Ok(response)
}

/// Says in which region a bucket is.
pub(in crate::s3) async fn location(request: SignedRequest) -> Result<Response<Body>, StorageError> {
    check_visible(&request).await?;
    let region = region(&request).to_owned();
    Ok(xml::answer("LocationConstraint", &LocationConstraint { region }))
}

/// Says that a bucket keeps no old versions.
pub(in crate::s3) async fn versioning(request: SignedRequest) -> Result<Response<Body>, StorageError> {
    check_visible(&request).await?;
    let versioning = VersioningConfiguration { status: "Suspended", mfa_delete: "Disabled" };
    Ok(xml::answer("VersioningConfiguration", &versioning))
}

async fn check_visible(request: &SignedRequest) -> Result<(), StorageError> {
    let bucket = buckets::get(request.exchange.as_caller()?, request.bucket()).await?;
    bucket.map(|_| ()).ok_or(StorageError::NoSuchBucket)
}

fn region(request: &SignedRequest) -> &str {
    &request.exchange.service.settings.s3_protocol.region
}
