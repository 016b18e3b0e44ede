//! `CreateBucket`.

use banyan_web::{Body, empty};
use http::{HeaderValue, Response, header::LOCATION};

use crate::{
    error::StorageError,
    model::BucketName,
    s3::request::SignedRequest,
    store::buckets::{self, NewBucket, Settings},
};

/// Makes a bucket. One that everybody may read is public. Where the body wants it to lie does not
/// count.
pub(in crate::s3) async fn create(request: SignedRequest) -> Result<Response<Body>, StorageError> {
    let name = BucketName::new(request.bucket())?;
    let public = request.header("x-amz-acl").is_some_and(|acl| acl.starts_with("public-read"));
    let settings = Settings { public: Some(public), ..Settings::default() };
    let bucket = NewBucket { id: &name, name: &name, settings: &settings };
    buckets::insert(request.exchange.as_caller()?, &bucket).await?;
    let mut response = Response::new(empty());
    let location = HeaderValue::from_str(&format!("/{}", name.as_str()));
    response.headers_mut().insert(LOCATION, location.expect("a name of a bucket is ASCII"));
    Ok(response)
}
