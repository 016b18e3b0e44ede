//! `GetObjectTagging`.

use banyan_web::Body;
use http::Response;
use serde::Serialize;

use crate::{
    error::StorageError,
    s3::{request::SignedRequest, xml},
    store::objects,
};

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Tagging {
    tag_set: (),
}

/// Says that an object has no tags.
pub(in crate::s3) async fn tagging(request: SignedRequest) -> Result<Response<Body>, StorageError> {
    let object = objects::find(request.exchange.as_caller()?, &request.path()?).await?;
    object.ok_or(StorageError::NoSuchKey)?;
    Ok(xml::answer("Tagging", &Tagging { tag_set: () }))
}
