//! `ListObjectVersions` (CONTRACT.md X06).

use banyan_web::Body;
use http::Response;
use serde::Serialize;

use super::object_page::ObjectPage;
use crate::{
    error::StorageError,
    s3::{
        listing::{CommonPrefix, Encoding, NULL_VERSION},
        request::SignedRequest,
        xml,
    },
    store::delimited_lists::ListedObject,
};

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct ListVersionsResult {
    name: String,
    prefix: String,
    key_marker: String,
    version_id_marker: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_key_marker: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_version_id_marker: Option<&'static str>,
    max_keys: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    delimiter: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding_type: Option<&'static str>,
    is_truncated: bool,
    version: Vec<Version>,
    common_prefixes: Vec<CommonPrefix>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Version {
    key: String,
    version_id: &'static str,
    is_latest: bool,
    last_modified: String,
    #[serde(rename = "ETag")]
    e_tag: String,
    size: u64,
    storage_class: &'static str,
}

/// Lists objects behind `key-marker`. No bucket keeps versions, so each object is its only one.
pub(in crate::s3) async fn list_versions(request: SignedRequest) -> Result<Response<Body>, StorageError> {
    let parameter = |name| request.query.get(name).unwrap_or_default();
    let marker = parameter("key-marker");
    let ObjectPage { encoding, limit, folders, objects, next } = ObjectPage::read(&request, marker).await?;
    let result = ListVersionsResult {
        name: request.bucket().to_owned(),
        prefix: encoding.encode(parameter("prefix")),
        key_marker: encoding.encode(marker),
        version_id_marker: parameter("version-id-marker").to_owned(),
        next_key_marker: next.as_deref().map(|next| encoding.encode(next)),
        next_version_id_marker: next.as_ref().map(|_| NULL_VERSION),
        max_keys: limit,
        delimiter: request.query.text("delimiter").map(|delimiter| encoding.encode(delimiter)),
        encoding_type: encoding.name(),
        is_truncated: next.is_some(),
        version: objects.into_iter().map(|object| version(object, encoding)).collect(),
        common_prefixes: folders,
    };
    Ok(xml::answer("ListVersionsResult", &result))
}

fn version(object: ListedObject, encoding: Encoding) -> Version {
    Version {
        key: encoding.encode(&object.name),
        version_id: NULL_VERSION,
        is_latest: true,
        last_modified: object.updated_at,
        e_tag: object.e_tag,
        size: object.size,
        storage_class: "STANDARD",
    }
}
