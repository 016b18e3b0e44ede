//! Which operation of S3 a request is.

use http::{HeaderMap, Method, header::CONTENT_TYPE};

use super::{listing::NULL_VERSION, query::Query, target::Target};
use crate::error::StorageError;

/// The operations, in the words of S3.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    ListBuckets,
    CreateBucket,
    DeleteBucket,
    HeadBucket,
    GetBucketLocation,
    GetBucketVersioning,
    ListObjects,
    ListObjectsV2,
    ListObjectVersions,
    GetObject,
    HeadObject,
    PutObject,
    PostObject,
    CopyObject,
    DeleteObject,
    DeleteObjects,
    GetObjectTagging,
    CreateMultipartUpload,
    UploadPart,
    UploadPartCopy,
    CompleteMultipartUpload,
    AbortMultipartUpload,
    ListParts,
    ListMultipartUploads,
}

/// Parts of a bucket or an object that S3 knows and this service does not have. A request for one
/// must not be taken for a request for the whole.
const UNKNOWN_PARTS: [&str; 21] = [
    "accelerate",
    "acl",
    "analytics",
    "attributes",
    "cors",
    "encryption",
    "intelligent-tiering",
    "inventory",
    "legal-hold",
    "lifecycle",
    "logging",
    "metrics",
    "notification",
    "object-lock",
    "ownershipControls",
    "policy",
    "policyStatus",
    "publicAccessBlock",
    "replication",
    "retention",
    "website",
];

impl Operation {
    /// Finds the operation by method, target, query and headers.
    pub(super) fn find(
        method: &Method,
        target: &Target,
        query: &Query,
        headers: &HeaderMap,
    ) -> Result<Self, StorageError> {
        let found = match target {
            Target::Service if method == Method::GET => Some(Self::ListBuckets),
            Target::Service => None,
            Target::Bucket(_) => Self::of_bucket(method, query, headers),
            Target::Object { .. } => Self::of_object(method, query, headers),
        };
        let has_unknown = UNKNOWN_PARTS.iter().any(|part| query.has(part));
        if query.text("versionId").is_some_and(|version| version != NULL_VERSION) {
            return Err(StorageError::NoSuchVersion);
        }
        found.filter(|_| !has_unknown).ok_or(StorageError::NotImplemented)
    }

    fn of_bucket(method: &Method, query: &Query, headers: &HeaderMap) -> Option<Self> {
        Some(match *method {
            Method::GET if query.has("location") => Self::GetBucketLocation,
            Method::GET if query.has("versioning") => Self::GetBucketVersioning,
            Method::GET if query.has("uploads") => Self::ListMultipartUploads,
            Method::GET if query.has("versions") => Self::ListObjectVersions,
            Method::GET if query.get("list-type") == Some("2") => Self::ListObjectsV2,
            Method::GET if !query.has("tagging") => Self::ListObjects,
            Method::HEAD => Self::HeadBucket,
            Method::PUT if !query.has("tagging") && !query.has("versioning") => Self::CreateBucket,
            Method::DELETE if !query.has("tagging") => Self::DeleteBucket,
            Method::POST if query.has("delete") => Self::DeleteObjects,
            Method::POST if is_form(headers) => Self::PostObject,
            _ => return None,
        })
    }

    fn of_object(method: &Method, query: &Query, headers: &HeaderMap) -> Option<Self> {
        let (upload, copies) = (query.has("uploadId"), headers.contains_key("x-amz-copy-source"));
        Some(match *method {
            Method::GET if upload => Self::ListParts,
            Method::GET if query.has("tagging") => Self::GetObjectTagging,
            Method::GET if !query.has("torrent") => Self::GetObject,
            Method::HEAD => Self::HeadObject,
            Method::PUT if upload && copies => Self::UploadPartCopy,
            Method::PUT if upload => Self::UploadPart,
            Method::PUT if query.has("tagging") => return None,
            Method::PUT if copies => Self::CopyObject,
            Method::PUT => Self::PutObject,
            Method::POST if query.has("uploads") => Self::CreateMultipartUpload,
            Method::POST if upload => Self::CompleteMultipartUpload,
            Method::DELETE if upload => Self::AbortMultipartUpload,
            Method::DELETE if !query.has("tagging") => Self::DeleteObject,
            _ => return None,
        })
    }

    /// Whether checksums in its headers are of its body. Those of a completed upload are of the
    /// object.
    pub(super) fn sums_its_body(self) -> bool {
        self != Self::CompleteMultipartUpload
    }

    /// Its name for `storage.operation()` (CONTRACT.md R08).
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::ListBuckets => "storage.s3.bucket.list",
            Self::CreateBucket => "storage.s3.bucket.create",
            Self::DeleteBucket => "storage.s3.bucket.delete",
            Self::HeadBucket => "storage.s3.bucket.head",
            Self::GetBucketLocation => "storage.s3.bucket.get_location",
            Self::GetBucketVersioning => "storage.s3.bucket.get_versioning",
            Self::ListObjects | Self::ListObjectsV2 | Self::ListObjectVersions => "storage.s3.object.list",
            Self::GetObject => "storage.s3.object.get",
            Self::HeadObject => "storage.s3.object.info",
            Self::PutObject | Self::PostObject => "storage.s3.upload",
            Self::CopyObject => "storage.s3.object.copy",
            Self::DeleteObject => "storage.s3.object.delete",
            Self::DeleteObjects => "storage.s3.object.delete_many",
            Self::GetObjectTagging => "storage.s3.object.get_tagging",
            Self::CreateMultipartUpload => "storage.s3.upload.create_multipart",
            Self::UploadPart => "storage.s3.upload.part",
            Self::UploadPartCopy => "storage.s3.upload.part_copy",
            Self::CompleteMultipartUpload => "storage.s3.upload.complete_multipart",
            Self::AbortMultipartUpload => "storage.s3.upload.abort_multipart",
            Self::ListParts => "storage.s3.upload.list_parts",
            Self::ListMultipartUploads => "storage.s3.upload.list_multipart",
        }
    }
}

fn is_form(headers: &HeaderMap) -> bool {
    let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.trim_start().to_ascii_lowercase().starts_with("multipart/form-data")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(request: &str, headers: &[(&'static str, &'static str)]) -> Option<Operation> {
        let (method, uri) = request.split_once(' ').unwrap();
        let (path, query) = uri.split_once('?').unwrap_or((uri, ""));
        let headers = headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
        Operation::find(
            &method.parse().unwrap(),
            &Target::of(path).unwrap(),
            &Query::of(query),
            &headers.collect(),
        )
        .ok()
    }

    // rows: X05 X06 X07 X08
    #[test]
    fn method_query_and_headers_say_which_operation_it_is() {
        for (request, operation) in [
            ("GET /s3", Operation::ListBuckets),
            ("PUT /s3/b", Operation::CreateBucket),
            ("GET /s3/b?location", Operation::GetBucketLocation),
            ("GET /s3/b?versioning=", Operation::GetBucketVersioning),
            ("GET /s3/b?prefix=x", Operation::ListObjects),
            ("GET /s3/b?list-type=2&prefix=x", Operation::ListObjectsV2),
            ("GET /s3/b?versions=&prefix=x", Operation::ListObjectVersions),
            ("GET /s3/b?uploads", Operation::ListMultipartUploads),
            ("POST /s3/b?delete", Operation::DeleteObjects),
            ("GET /s3/b/k", Operation::GetObject),
            ("GET /s3/b/k?uploadId=7", Operation::ListParts),
            ("PUT /s3/b/k?partNumber=1&uploadId=7", Operation::UploadPart),
            ("POST /s3/b/k?uploads", Operation::CreateMultipartUpload),
            ("POST /s3/b/k?uploadId=7", Operation::CompleteMultipartUpload),
            ("DELETE /s3/b/k?uploadId=7", Operation::AbortMultipartUpload),
            ("DELETE /s3/b/k?versionId=null", Operation::DeleteObject),
            ("DELETE /s3/b/k", Operation::DeleteObject),
        ] {
            assert_eq!(find(request, &[]), Some(operation), "{request}");
        }
        let copy = [("x-amz-copy-source", "b/other")];
        assert_eq!(find("PUT /s3/b/k", &copy), Some(Operation::CopyObject));
        assert_eq!(find("PUT /s3/b/k?partNumber=1&uploadId=7", &copy), Some(Operation::UploadPartCopy));
        let form = [("content-type", "multipart/form-data; boundary=x")];
        assert_eq!(find("POST /s3/b", &form), Some(Operation::PostObject));
    }

    // rows: X05 X07
    #[test]
    fn a_part_of_s3_that_is_not_there_is_not_taken_for_the_whole() {
        for request in [
            "GET /s3/b?acl",
            "DELETE /s3/b/k?versionId=7",
            "PUT /s3/b/k?acl",
            "DELETE /s3/b?policy",
            "PUT /s3/b/k?tagging",
            "POST /s3",
        ] {
            assert_eq!(find(request, &[]), None, "{request}");
        }
    }
}
