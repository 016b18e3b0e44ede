//! `ListBuckets`.

use banyan_web::Body;
use http::Response;
use serde::{Deserialize, Serialize};

use crate::{
    error::StorageError,
    s3::{request::SignedRequest, xml},
    store::buckets::{self, Page},
};

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct ListAllMyBucketsResult {
    buckets: Buckets,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Buckets {
    bucket: Vec<Bucket>,
}

/// A bucket of an answer, as the store writes it.
#[derive(Serialize, Deserialize)]
struct Bucket {
    #[serde(rename(serialize = "Name", deserialize = "name"))]
    name: String,
    #[serde(rename(serialize = "CreationDate", deserialize = "created_at"))]
    creation_date: Option<String>,
}

/// Lists the buckets that the caller may see.
pub(in crate::s3) async fn list(request: SignedRequest) -> Result<Response<Body>, StorageError> {
    let page = Page {
        limit: None,
        offset: None,
        column: Some("name"),
        is_descending: false,
        search: String::new(),
        has_type: false,
    };
    let json = buckets::list(request.exchange.as_caller()?, &page).await?;
    let bucket = serde_json::from_slice(&json)
        .map_err(|_| StorageError::Internal("a list of buckets cannot be read"))?;
    Ok(xml::answer("ListAllMyBucketsResult", &ListAllMyBucketsResult { buckets: Buckets { bucket } }))
}
