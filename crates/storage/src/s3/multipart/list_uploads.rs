//! `ListMultipartUploads`.

use banyan_web::Body;
use http::Response;
use serde::Serialize;

use crate::{
    domain::served,
    error::StorageError,
    s3::{
        listing::{CommonPrefix, Encoding, cut, limit, split},
        request::SignedRequest,
        xml,
    },
    store::delimited_lists::{self, Entry, ListedUpload, Page},
};

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct ListMultipartUploadsResult {
    bucket: String,
    key_marker: String,
    upload_id_marker: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_key_marker: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_upload_id_marker: Option<String>,
    prefix: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    delimiter: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding_type: Option<&'static str>,
    max_uploads: u32,
    is_truncated: bool,
    upload: Vec<Upload>,
    common_prefixes: Vec<CommonPrefix>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Upload {
    key: String,
    upload_id: String,
    initiated: String,
    storage_class: &'static str,
}

/// Lists the unfinished uploads that the caller may see: those that policies on the table show.
pub(in crate::s3) async fn list_uploads(request: SignedRequest) -> Result<Response<Body>, StorageError> {
    let (encoding, limit) = (Encoding::of(&request)?, limit(&request, "max-uploads")?);
    let exchange = &request.exchange;
    served::bucket(&exchange.service, &exchange.context, request.bucket())
        .await?
        .ok_or(StorageError::NoSuchBucket)?;
    let parameter = |name| request.query.get(name).unwrap_or_default();
    let (key_marker, id_marker) = (parameter("key-marker"), parameter("upload-id-marker"));
    let page = Page {
        bucket: request.bucket(),
        prefix: parameter("prefix"),
        delimiter: parameter("delimiter"),
        after: key_marker,
        limit: limit + 1,
    };
    let mut entries = delimited_lists::uploads(exchange.as_caller()?, &page, id_marker).await?;
    let is_truncated = cut(&mut entries, limit) && limit > 0;
    let (next_key, next_id) = entries.last().filter(|_| is_truncated).map(place).unzip();
    let (common_prefixes, uploads) = split(entries, encoding);
    let result = ListMultipartUploadsResult {
        bucket: request.bucket().to_owned(),
        key_marker: encoding.encode(key_marker),
        upload_id_marker: id_marker.to_owned(),
        next_key_marker: next_key.map(|key| encoding.encode(&key)),
        next_upload_id_marker: next_id,
        prefix: encoding.encode(page.prefix),
        delimiter: request.query.text("delimiter").map(|delimiter| encoding.encode(delimiter)),
        encoding_type: encoding.name(),
        max_uploads: limit,
        is_truncated,
        upload: uploads.into_iter().map(|upload| written(upload, encoding)).collect(),
        common_prefixes,
    };
    Ok(xml::answer("ListMultipartUploadsResult", &result))
}

/// Where the next page begins: behind a key and an id, or behind a folder.
fn place(entry: &Entry<ListedUpload>) -> (String, String) {
    match entry {
        Entry::Folder(name) => (name.clone(), String::new()),
        Entry::Item(upload) => (upload.key.clone(), upload.id.clone()),
    }
}

fn written(upload: ListedUpload, encoding: Encoding) -> Upload {
    Upload {
        key: encoding.encode(&upload.key),
        upload_id: upload.id,
        initiated: upload.created_at,
        storage_class: "STANDARD",
    }
}
