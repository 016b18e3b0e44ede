//! `CompleteMultipartUpload`.

use std::sync::Arc;

use banyan_web::Body;
use http::Response;
use md5::{Digest, Md5};
use serde::{Deserialize, Serialize};

use super::Found;
use crate::{
    blobs::{BlobError, PartId},
    context::ServiceContext,
    domain::{
        garbage,
        upload::{StoredBytes, UploadPlan, is_final},
    },
    error::StorageError,
    model::{MultipartUpload, UploadedPart},
    request_context::RequestContext,
    s3::{request::SignedRequest, xml},
    store::multipart_uploads,
};

/// Parts that an upload may have.
const MOST_PARTS: u32 = 10_000;

/// What a client says of the parts.
#[derive(Deserialize)]
struct CompleteMultipartUpload {
    #[serde(rename = "Part", default)]
    parts: Vec<NamedPart>,
}

#[derive(Deserialize)]
struct NamedPart {
    #[serde(rename = "PartNumber")]
    number: u32,
    #[serde(rename = "ETag", default)]
    e_tag: String,
}

#[derive(Serialize)]
struct CompleteMultipartUploadResult {
    #[serde(rename = "Location")]
    location: String,
    #[serde(rename = "Bucket")]
    bucket: String,
    #[serde(rename = "Key")]
    key: String,
    #[serde(rename = "ETag")]
    e_tag: String,
}

/// Makes an object of the parts. A client that did not hear of the end may ask again, as long as
/// the row of the upload is there. So a refused commit keeps the bytes: an earlier request may have
/// written their row.
pub(in crate::s3) async fn complete(request: SignedRequest) -> Result<Response<Body>, StorageError> {
    let document = request.exchange.patience.whole(request.payload.document()).await?;
    let named =
        if document.is_empty() { Vec::new() } else { xml::read::<CompleteMultipartUpload>(&document)?.parts };
    let (service, db) = (request.exchange.service.clone(), request.exchange.as_service());
    let written = multipart_uploads::parts(db, request.needed("uploadId")?, 0, MOST_PARTS).await?;
    let parts = chosen(&named, written);
    let size = |parts: &Vec<UploadedPart>| parts.iter().map(|part| part.size).sum::<u64>();
    // Only who may write the object is told what is wrong with the parts.
    let found = Found::of(&request, parts.as_ref().ok().map(size)).await?;
    let parts = parts?;
    let size = size(&parts);
    check_sizes(&parts, service.blobs.smallest_part())?;
    join(&service, &found, &parts, size).await?;
    let e_tag = e_tag(&parts);
    let stored = StoredBytes { version: found.upload.version, size, e_tag: e_tag.clone() };
    let Found { upload, plan } = found;
    commit(&service, &request.exchange.context, &upload, (plan, stored)).await?;
    multipart_uploads::delete(&service.own_database(), &upload.id).await?;
    let (bucket, key) = (upload.bucket_id, upload.key);
    let result = CompleteMultipartUploadResult { location: format!("{bucket}/{key}"), bucket, key, e_tag };
    Ok(xml::answer("CompleteMultipartUploadResult", &result))
}

/// Writes the row of the object. A refusal that will not go away ends the upload: its parts are one
/// blob by now.
async fn commit(
    service: &Arc<ServiceContext>,
    context: &RequestContext,
    upload: &MultipartUpload,
    (plan, stored): (UploadPlan, StoredBytes),
) -> Result<(), StorageError> {
    let committed = match plan.check_content(service, stored.version, stored.size).await {
        Ok(()) => plan.of_multipart(&upload.id).commit(service, context, stored).await.map(drop),
        refused => refused,
    };
    if committed.as_ref().is_err_and(is_final) {
        multipart_uploads::delete(&service.own_database(), &upload.id).await?;
        garbage::discard(service, upload.version).await;
    }
    committed
}

/// The parts that the client names, in its order; all of them where it names none.
fn chosen(named: &[NamedPart], written: Vec<UploadedPart>) -> Result<Vec<UploadedPart>, StorageError> {
    if named.is_empty() && !written.is_empty() {
        return Ok(written);
    }
    if named.is_empty() {
        return Err(StorageError::MissingPart(1));
    }
    if !named.is_sorted_by(|one, next| one.number < next.number) {
        return Err(StorageError::InvalidPartOrder);
    }
    let find = |named: &NamedPart| {
        let e_tag = named.e_tag.trim_matches('"');
        let fits = |part: &&UploadedPart| {
            part.number == named.number && (e_tag.is_empty() || part.e_tag.trim_matches('"') == e_tag)
        };
        written.iter().find(fits).cloned().ok_or(StorageError::MissingPart(named.number))
    };
    named.iter().map(find).collect()
}

/// Only the last part may be small.
fn check_sizes(parts: &[UploadedPart], smallest: u64) -> Result<(), StorageError> {
    let others = parts.split_last().map(|(_, others)| others).unwrap_or_default();
    if others.iter().any(|part| part.size < smallest) { Err(StorageError::EntityTooSmall) } else { Ok(()) }
}

/// Makes one blob of the parts, unless an earlier request did.
async fn join(
    service: &ServiceContext,
    found: &Found,
    parts: &[UploadedPart],
    size: u64,
) -> Result<(), StorageError> {
    let (key, parts_id) = found.blob();
    let parts: Vec<_> = parts.iter().map(|part| (part.number, PartId(part.id.clone()))).collect();
    match service.blobs.complete_parts((&key, &parts_id), &parts).await {
        Err(BlobError::NotFound) => {
            let is_joined = service.blobs.size(&key).await.is_ok_and(|joined| joined == size);
            if is_joined { Ok(()) } else { Err(StorageError::NoSuchUpload) }
        }
        joined => Ok(joined.map(|_| ())?),
    }
}

/// The MD5 of the parts' MD5s, and how many parts there are (CONTRACT.md D11).
fn e_tag(parts: &[UploadedPart]) -> String {
    let mut md5 = Md5::new();
    for part in parts {
        md5.update(hex::decode(part.e_tag.trim_matches('"')).unwrap_or_default());
    }
    format!("\"{}-{}\"", hex::encode(md5.finalize()), parts.len())
}

#[cfg(test)]
mod tests {
    use time::OffsetDateTime;

    use super::*;

    fn part(number: u32, size: u64, e_tag: &str) -> UploadedPart {
        let created_at = OffsetDateTime::UNIX_EPOCH;
        UploadedPart { number, size, e_tag: format!("\"{e_tag}\""), id: number.to_string(), created_at }
    }

    fn named(parts: &[(u32, &str)]) -> Vec<NamedPart> {
        parts.iter().map(|(number, e_tag)| NamedPart { number: *number, e_tag: (*e_tag).into() }).collect()
    }

    // rows: X08
    #[test]
    fn the_parts_that_are_named_make_the_object() {
        let written = || vec![part(1, 9, "aa"), part(2, 9, "bb"), part(7, 1, "cc")];
        let numbers = |parts: &[(u32, &str)]| {
            let chosen = chosen(&named(parts), written());
            chosen.map(|parts| parts.iter().map(|part| part.number).collect::<Vec<_>>()).ok()
        };
        assert_eq!(numbers(&[(1, "aa"), (7, "\"cc\"")]), Some(vec![1, 7]));
        assert_eq!(numbers(&[]), Some(vec![1, 2, 7]), "all of them");
        assert_eq!(numbers(&[(2, "bb"), (1, "aa")]), None, "another order");
        assert_eq!(numbers(&[(1, "aa"), (1, "aa")]), None, "twice");
        assert_eq!(numbers(&[(1, "bb")]), None, "another tag");
        assert_eq!(numbers(&[(3, "aa")]), None, "not written");
        assert!(chosen(&[], vec![]).is_err(), "no part at all");
    }

    // rows: X08
    #[test]
    fn only_the_last_part_may_be_small() {
        assert!(check_sizes(&[part(1, 5, ""), part(2, 1, "")], 5).is_ok());
        assert!(check_sizes(&[part(1, 4, ""), part(2, 5, "")], 5).is_err());
        assert!(check_sizes(&[part(1, 0, "")], 5).is_ok());
    }

    // rows: X08 D11
    #[test]
    fn the_tag_is_of_the_tags_of_the_parts() {
        let empty = "d41d8cd98f00b204e9800998ecf8427e";
        assert_eq!(e_tag(&[part(1, 0, empty)]), "\"59adb24ef3cdbe0297f05b395827453f-1\"");
    }
}
