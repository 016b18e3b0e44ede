//! Proves that the row of an upload is of this service: its column `upload_signature`.
//!
//! Whoever may write to the table could else name a version that is not theirs, and read its bytes
//! by completing the upload, or make an upload their own. What a part adds to the size is counted
//! from the rows of the parts.

use ring::hmac::{self, HMAC_SHA256};
use secrecy::ExposeSecret;

use crate::{context::ServiceContext, error::StorageError, model::MultipartUpload};

/// The signature of a row.
pub(super) fn sign(service: &ServiceContext, upload: &MultipartUpload) -> String {
    hex::encode(hmac::sign(&key(service), &text(upload)))
}

/// Checks the signature of a row.
pub(super) fn check(service: &ServiceContext, upload: &MultipartUpload) -> Result<(), StorageError> {
    let tag = hex::decode(&upload.signature).unwrap_or_default();
    hmac::verify(&key(service), &text(upload), &tag).map_err(|_| StorageError::InvalidUploadSignature)
}

fn key(service: &ServiceContext) -> hmac::Key {
    let secret = service.settings.s3_protocol.secret_access_key.expose_secret();
    hmac::Key::new(HMAC_SHA256, format!("multipart upload {secret}").as_bytes())
}

/// A name cannot hold a zero.
fn text(upload: &MultipartUpload) -> Vec<u8> {
    let MultipartUpload { id, bucket_id, key, version, is_of_service, .. } = upload;
    let owner = upload.owner_id.as_deref().unwrap_or_default();
    format!("{id}\0{bucket_id}\0{key}\0{version}\0{owner}\0{is_of_service}").into_bytes()
}
