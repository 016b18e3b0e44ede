//! `ListObjects` and `ListObjectsV2` (CONTRACT.md X06).

use banyan_web::Body;
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use http::Response;
use serde::Serialize;

use super::object_page::ObjectPage;
use crate::{
    error::StorageError,
    s3::{
        listing::{CommonPrefix, Encoding},
        request::SignedRequest,
        xml,
    },
    store::delimited_lists::ListedObject,
};

/// An answer. Its fields differ between the versions of the operation.
#[derive(Serialize, Default)]
#[serde(rename_all = "PascalCase")]
struct ListBucketResult {
    name: String,
    prefix: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    marker: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_marker: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_after: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    continuation_token: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_continuation_token: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key_count: Option<usize>,
    max_keys: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    delimiter: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding_type: Option<&'static str>,
    is_truncated: bool,
    contents: Vec<Contents>,
    common_prefixes: Vec<CommonPrefix>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Contents {
    key: String,
    last_modified: String,
    #[serde(rename = "ETag")]
    e_tag: String,
    size: u64,
    storage_class: &'static str,
}

/// Lists objects behind `marker`.
pub(in crate::s3) async fn list_objects(request: SignedRequest) -> Result<Response<Body>, StorageError> {
    let marker = request.query.get("marker").unwrap_or_default();
    let page = ObjectPage::read(&request, marker).await?;
    let encoding = page.encoding;
    let result = ListBucketResult {
        marker: Some(encoding.encode(marker)),
        next_marker: page.next.as_deref().map(|next| encoding.encode(next)),
        ..result(&request, page)
    };
    Ok(xml::answer("ListBucketResult", &result))
}

/// Lists objects behind `continuation-token`, or else behind `start-after`.
pub(in crate::s3) async fn list_objects_v2(request: SignedRequest) -> Result<Response<Body>, StorageError> {
    let start_after = request.query.text("start-after");
    let token = request.query.text("continuation-token");
    let after = match token {
        Some(token) => read_token(token)?,
        None => start_after.unwrap_or_default().to_owned(),
    };
    let page = ObjectPage::read(&request, &after).await?;
    let result = ListBucketResult {
        start_after: start_after.map(|start_after| page.encoding.encode(start_after)),
        continuation_token: token.map(str::to_owned),
        next_continuation_token: page.next.as_deref().map(|next| BASE64_URL_SAFE_NO_PAD.encode(next)),
        key_count: Some(page.objects.len() + page.folders.len()),
        ..result(&request, page)
    };
    Ok(xml::answer("ListBucketResult", &result))
}

/// What both versions of the operation answer.
fn result(request: &SignedRequest, page: ObjectPage) -> ListBucketResult {
    let ObjectPage { encoding, limit, folders, objects, next } = page;
    ListBucketResult {
        name: request.bucket().to_owned(),
        prefix: encoding.encode(request.query.get("prefix").unwrap_or_default()),
        max_keys: limit,
        delimiter: request.query.text("delimiter").map(|delimiter| encoding.encode(delimiter)),
        encoding_type: encoding.name(),
        is_truncated: next.is_some(),
        contents: objects.into_iter().map(|object| contents(object, encoding)).collect(),
        common_prefixes: folders,
        ..ListBucketResult::default()
    }
}

fn contents(object: ListedObject, encoding: Encoding) -> Contents {
    Contents {
        key: encoding.encode(&object.name),
        last_modified: object.updated_at,
        e_tag: object.e_tag,
        size: object.size,
        storage_class: "STANDARD",
    }
}

/// A token is the name of the last entry.
fn read_token(token: &str) -> Result<String, StorageError> {
    let name = BASE64_URL_SAFE_NO_PAD.decode(token).ok().and_then(|name| String::from_utf8(name).ok());
    name.ok_or_else(|| StorageError::InvalidParameter("continuation-token".to_owned()))
}
