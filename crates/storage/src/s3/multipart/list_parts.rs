//! `ListParts`.

use banyan_web::Body;
use http::Response;
use serde::Serialize;

use super::Found;
use crate::{
    error::StorageError,
    model::UploadedPart,
    s3::{listing::limit, request::SignedRequest, xml},
    store::multipart_uploads,
    wire::timestamp,
};

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct ListPartsResult {
    bucket: String,
    key: String,
    upload_id: String,
    part_number_marker: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_part_number_marker: Option<u32>,
    max_parts: u32,
    is_truncated: bool,
    storage_class: &'static str,
    part: Vec<Part>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Part {
    part_number: u32,
    last_modified: String,
    #[serde(rename = "ETag")]
    e_tag: String,
    size: u64,
}

/// Lists the parts of an upload, which whoever may write its object may see.
pub(in crate::s3) async fn list_parts(request: SignedRequest) -> Result<Response<Body>, StorageError> {
    let (marker, limit) = (request.number("part-number-marker", 0)?, limit(&request, "max-parts")?);
    let upload = Found::of(&request, None).await?.upload;
    let db = request.exchange.as_service();
    let mut parts = multipart_uploads::parts(db, &upload.id, marker, limit + 1).await?;
    let is_truncated = parts.len() > limit as usize;
    parts.truncate(limit as usize);
    let result = ListPartsResult {
        bucket: upload.bucket_id,
        key: upload.key,
        upload_id: upload.id,
        part_number_marker: marker,
        next_part_number_marker: parts.last().filter(|_| is_truncated).map(|part| part.number),
        max_parts: limit,
        is_truncated,
        storage_class: "STANDARD",
        part: parts.into_iter().map(Part::from).collect(),
    };
    Ok(xml::answer("ListPartsResult", &result))
}

impl From<UploadedPart> for Part {
    fn from(part: UploadedPart) -> Self {
        let last_modified = timestamp(part.created_at);
        Self { part_number: part.number, last_modified, e_tag: part.e_tag, size: part.size }
    }
}
