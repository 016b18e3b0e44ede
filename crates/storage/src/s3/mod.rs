//! Objects by the protocol of S3, at `/s3` (CONTRACT.md X01 to X11).
//!
//! [`answer`] is the way of a request: its operation is found by method, path and query; its
//! signature says who calls; the operation answers. Operations lie in `buckets/`, `objects/` and
//! `multipart/`, a file for each. They write and read objects in the way of REST.

/// Operations on buckets, and lists of objects.
mod buckets;

/// Operations on objects.
mod objects;

/// Objects that are uploaded in parts.
mod multipart;

/// From a request to its caller.
mod authentication;

/// The object that a copy is of.
mod copy_source;

/// What all lists have in common.
mod listing;

/// A request whose signature was checked.
mod request;

/// Who holds an access key.
mod credentials;

/// The body of a request, checked as it is read.
mod payload;

/// Which operation a request is.
mod operation;

/// Signatures by AWS Signature Version 4.
mod signature;

/// The query of a request, decoded once.
mod query;

/// What a request is about: the service, a bucket or an object.
mod target;

/// What headers say of an object that is written.
mod headers;

/// Errors as answers.
mod error_body;

/// Bodies in XML.
mod xml;

use banyan_web::Body;
use http::Response;

use self::{operation::Operation, query::Query, request::SignedRequest, target::Target};
use crate::{context::Exchange, error::StorageError};

/// Answers a request below `/s3`. Errors are answers too.
pub(crate) async fn answer(exchange: Exchange) -> Response<Body> {
    let method = exchange.parts.method.clone();
    let target = match Target::of(exchange.parts.uri.path()) {
        Ok(target) => target,
        Err(error) => return error_body::answer(&error, String::new(), &method),
    };
    let resource = target.to_string();
    let answered = answered(exchange, target).await;
    answered.unwrap_or_else(|error| error_body::answer(&error, resource, &method))
}

async fn answered(mut exchange: Exchange, target: Target) -> Result<Response<Body>, StorageError> {
    let query = Query::of(exchange.parts.uri.query().unwrap_or_default());
    let parts = &exchange.parts;
    let operation = Operation::find(&parts.method, &target, &query, &parts.headers)?;
    exchange.context.operation = operation.name();
    if operation == Operation::PostObject {
        return objects::post(exchange, target).await;
    }
    let request = authentication::authenticate(exchange, operation, target, query)?;
    perform(operation, request).await
}

async fn perform(operation: Operation, request: SignedRequest) -> Result<Response<Body>, StorageError> {
    match operation {
        Operation::ListBuckets => buckets::list(request).await,
        Operation::CreateBucket => buckets::create(request).await,
        Operation::DeleteBucket => buckets::delete(request).await,
        Operation::HeadBucket => buckets::head(request).await,
        Operation::GetBucketLocation => buckets::location(request).await,
        Operation::GetBucketVersioning => buckets::versioning(request).await,
        Operation::ListObjects => buckets::list_objects(request).await,
        Operation::ListObjectsV2 => buckets::list_objects_v2(request).await,
        Operation::ListObjectVersions => buckets::list_versions(request).await,
        Operation::GetObject | Operation::HeadObject => objects::get(request).await,
        Operation::PutObject => objects::put(request).await,
        Operation::CopyObject => objects::copy(request).await,
        Operation::DeleteObject => objects::delete(request).await,
        Operation::DeleteObjects => objects::delete_many(request).await,
        Operation::GetObjectTagging => objects::tagging(request).await,
        Operation::CreateMultipartUpload => multipart::create(request).await,
        Operation::UploadPart => multipart::upload_part(request).await,
        Operation::UploadPartCopy => multipart::upload_part_copy(request).await,
        Operation::CompleteMultipartUpload => multipart::complete(request).await,
        Operation::AbortMultipartUpload => multipart::abort(request).await,
        Operation::ListParts => multipart::list_parts(request).await,
        Operation::ListMultipartUploads => multipart::list_uploads(request).await,
        // Its signature stands in its body.
        Operation::PostObject => Err(StorageError::NotImplemented),
    }
}
