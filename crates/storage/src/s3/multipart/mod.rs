//! Objects that are uploaded in parts (CONTRACT.md X08).
//!
//! An upload and its parts are rows, so any node can take the next part. Its bytes are parts of the
//! back end under the version that the object will have.

/// `CreateMultipartUpload`.
mod create;

/// `UploadPart` and `UploadPartCopy`.
mod part;

/// `CompleteMultipartUpload`.
mod complete;

/// `AbortMultipartUpload`.
mod abort;

/// `ListParts`.
mod list_parts;

/// `ListMultipartUploads`.
mod list_uploads;

/// Proves that the row of an upload is of this service.
mod seal;

pub(super) use abort::abort;
pub(super) use complete::complete;
pub(super) use create::create;
pub(super) use list_parts::list_parts;
pub(super) use list_uploads::list_uploads;
pub(super) use part::{upload_part, upload_part_copy};

use banyan_identity::Caller;

use super::request::SignedRequest;
use crate::{
    blobs::{BlobError, BlobKey, PartsId},
    context::ServiceContext,
    domain::{
        garbage,
        upload::{self, Declared, UploadPlan, UploadRequest},
    },
    error::StorageError,
    model::MultipartUpload,
    store::multipart_uploads,
};

/// An upload of the target, as the request names it; and the plan of its object, which the caller
/// may write.
struct Found {
    upload: MultipartUpload,
    plan: UploadPlan,
}

impl Found {
    /// Finds the upload, and asks the policies again. `size` is that of the object, where it is
    /// known.
    ///
    /// # Errors
    /// `NoSuchUpload`, also for an upload of somebody else; those of the plan and the policies.
    async fn of(request: &SignedRequest, size: Option<u64>) -> Result<Self, StorageError> {
        let id = request.needed("uploadId")?;
        let db = request.exchange.as_service();
        let upload = multipart_uploads::find(db, id, request.bucket(), request.key()).await?;
        seal::check(&request.exchange.service, &upload)?;
        if !may_continue(request.caller()?, &upload) {
            return Err(StorageError::NoSuchUpload);
        }
        let plan = planned(request, &upload, size).await?;
        Ok(Self { upload, plan })
    }

    /// What the back end calls it.
    fn blob(&self) -> (BlobKey, PartsId) {
        (BlobKey::Object(self.upload.version), PartsId(self.upload.id.clone()))
    }

    /// Gives the upload up: its parts first, then the row by which they are found.
    async fn give_up(&self, service: &ServiceContext) -> Result<(), StorageError> {
        let (key, parts_id) = self.blob();
        match service.blobs.abort_parts((&key, &parts_id)).await {
            Ok(()) | Err(BlobError::NotFound) => {}
            Err(error) => return Err(error.into()),
        }
        multipart_uploads::delete(&service.own_database(), &self.upload.id).await?;
        garbage::discard(service, self.upload.version).await;
        Ok(())
    }
}

/// Whether a caller may go on with an upload: an upload of somebody is of nobody else.
fn may_continue(caller: &Caller, upload: &MultipartUpload) -> bool {
    let is_own = !upload.is_of_service && upload.owner_id == upload::owner_of(caller);
    is_own || caller.is_service()
}

/// The plan of an upload's object, which the caller may write.
async fn planned(
    request: &SignedRequest,
    upload: &MultipartUpload,
    size: Option<u64>,
) -> Result<UploadPlan, StorageError> {
    let exchange = &request.exchange;
    let declared = Declared {
        mimetype: upload.mimetype.clone(),
        cache_control: upload.cache_control.clone(),
        size,
        content_length: None,
        user_metadata: upload.user_metadata.clone(),
        x_robots_tag: None,
    };
    let wanted = UploadRequest {
        bucket: upload.bucket_id.clone(),
        name: upload.key.clone(),
        upsert: true,
        owner: upload.owner_id.clone(),
        declared,
    };
    let plan = upload::plan(&exchange.service, &exchange.context, wanted).await?;
    plan.rehearse(exchange.as_caller()?).await
}
