//! How bytes become an object: the one way for REST, signed URLs, TUS, S3 and copies.
//!
//! 1. [`plan`] checks what a request declares: name, bucket, size, type (CONTRACT.md U07, U08).
//! 2. [`UploadPlan::rehearse`] asks the policies, before the body is read (CONTRACT.md U10).
//! 3. [`UploadPlan::store`] writes the bytes under a new version and measures them as they pass.
//! 4. [`UploadPlan::commit`] writes the row (CONTRACT.md U11). `store` does it itself; who has
//!    durable bytes already, such as a finished resumable upload, calls it alone.
//!
//! A failure at any step leaves no row and no bytes.

/// What a request declares of an object.
mod declared;

/// Limits of size and type.
mod limits;

/// Measures bytes as they pass: size and MD5.
mod meter;

/// What the first bytes say of the type.
mod sniffing;

/// From the durable bytes to the row.
mod commit;

/// What the token of a signed URL says of an upload.
mod signed;

/// The header `x-robots-tag`.
mod x_robots_tag;

pub(crate) use commit::{StoredBytes, Uploaded, is_final};
pub(crate) use declared::{Declared, decode_user_metadata, parse_user_metadata};
pub(crate) use limits::{FOLDER_PLACEHOLDER, MOST_UNFINISHED, check_mime_type, size_limit};
pub(crate) use meter::{body_error, body_stream, measured};
pub(crate) use signed::SignedUpload;
pub(crate) use x_robots_tag::check_x_robots_tag;

pub(crate) use crate::store::owner_of;

use std::sync::Arc;

use futures_util::TryStreamExt as _;

use crate::{
    blobs::{BlobKey, ByteStream},
    context::ServiceContext,
    domain::served,
    error::StorageError,
    model::{Bucket, ObjectName, Version},
    request_context::RequestContext,
    store::{
        Db,
        uploads::{self, Replaceable},
    },
};

/// An object that a request wants to write.
#[derive(Debug, Clone)]
pub(crate) struct UploadRequest {
    pub(crate) bucket: String,
    pub(crate) name: String,
    /// Whether an object of this name is replaced (CONTRACT.md U02).
    pub(crate) upsert: bool,
    /// Whom the object will belong to; see [`owner_of`].
    pub(crate) owner: Option<String>,
    pub(crate) declared: Declared,
}

/// An upload that name, size and type allow.
#[derive(Debug, Clone)]
pub(crate) struct UploadPlan {
    bucket: Arc<Bucket>,
    name: ObjectName,
    upsert: bool,
    owner: Option<String>,
    declared: Declared,
    /// Most bytes that it may have.
    limit: u64,
    /// What it may replace. Nothing, before the rehearsal.
    replaceable: Replaceable,
    /// Whether policies were asked when a URL was signed, and are not asked again.
    is_signed: bool,
    /// Whether a refused commit leaves the bytes where they are.
    keeps_bytes: bool,
    /// The upload of S3 whose bytes they are, which must be there still.
    multipart: Option<String>,
}

/// Checks an upload, as far as its request declares it.
///
/// # Errors
/// `InvalidKey`, `NoSuchBucket`, `InvalidMimeType`, `EntityTooLarge`, and those of the database.
pub(crate) async fn plan(
    service: &ServiceContext,
    context: &RequestContext,
    request: UploadRequest,
) -> Result<UploadPlan, StorageError> {
    let UploadRequest { bucket, name, upsert, owner, declared } = request;
    let name = ObjectName::new(&name, service.settings.unicode_names)?;
    let bucket = served::bucket(service, context, &bucket).await?.ok_or(StorageError::NoSuchBucket)?;
    let limit = size_limit(&bucket, &name, service.settings.file_size_limit);
    if declared.size.is_some_and(|size| size > limit) {
        return Err(StorageError::EntityTooLarge);
    }
    check_mime_type(&bucket, &name, &declared.mimetype)?;
    Ok(UploadPlan {
        bucket,
        name,
        upsert,
        owner,
        declared,
        limit,
        replaceable: Replaceable::Nothing,
        is_signed: false,
        keeps_bytes: false,
        multipart: None,
    })
}

impl UploadPlan {
    /// Most bytes that the object may have (CONTRACT.md U07).
    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    /// The same upload, whose bytes are kept if its commit is refused: the commit can be tried
    /// again.
    pub(crate) fn keeping_bytes(self) -> Self {
        Self { keeps_bytes: true, ..self }
    }

    /// The same upload, made of the parts of an upload of S3. Its bytes are kept as well.
    pub(crate) fn of_multipart(self, id: &str) -> Self {
        Self { multipart: Some(id.to_owned()), ..self.keeping_bytes() }
    }

    /// Checks the first bytes of a blob whose bytes did not pass here (CONTRACT.md B3).
    ///
    /// # Errors
    /// `InvalidMimeType`, and those of the back end.
    pub(crate) async fn check_content(
        &self,
        service: &ServiceContext,
        version: Version,
        size: u64,
    ) -> Result<(), StorageError> {
        if !service.settings.content_sniffing || size == 0 {
            return Ok(());
        }
        let first = service.blobs.get(&BlobKey::Object(version), 0..size.min(sniffing::TELLING)).await?;
        let mut checked = sniffing::checked(first, true, &self.declared.mimetype);
        while checked.try_next().await?.is_some() {}
        Ok(())
    }

    /// `bucket/name`, as answers call the object.
    pub(crate) fn key(&self) -> String {
        format!("{}/{}", self.bucket.id, self.name.as_str())
    }

    /// Asks the policies, and whether the name is taken: as the caller, and rolled back
    /// (CONTRACT.md U10, R01, R02). The upload may replace what was met then.
    ///
    /// # Errors
    /// `AccessDenied`, `KeyAlreadyExists` without `upsert`, and those of the database.
    pub(crate) async fn rehearse(self, db: Db<'_>) -> Result<Self, StorageError> {
        Ok(Self { replaceable: self.ask(db).await?, ..self })
    }

    /// The same for a signed URL: policies were asked when it was signed. Of an object that came
    /// since they were not asked, so it is replaced only if it belongs to who signed.
    ///
    /// # Errors
    /// `KeyAlreadyExists`, and those of the database.
    pub(crate) async fn rehearse_signed(
        self,
        service: &ServiceContext,
        context: &RequestContext,
        signed: &SignedUpload,
    ) -> Result<Self, StorageError> {
        let db = Db::as_service(&service.database, context);
        let met = self.try_row(db).await?;
        if let Some(id) = met.id() {
            let is_own = signed.owner.is_some() && uploads::owner(db, id).await? == signed.owner;
            if !is_own && !signed.may_replace(id) {
                return Err(StorageError::KeyAlreadyExists);
            }
        }
        Ok(Self { replaceable: met, is_signed: true, ..self })
    }

    /// What the caller may replace.
    async fn ask(&self, db: Db<'_>) -> Result<Replaceable, StorageError> {
        let met = self.try_row(db).await?;
        Ok(if db.caller().is_service() { Replaceable::Anything } else { met })
    }

    async fn try_row(&self, db: Db<'_>) -> Result<Replaceable, StorageError> {
        uploads::rehearse(db, self.row(), &self.declared.as_rehearsed()).await
    }

    /// Writes the bytes under a new version, then the row.
    ///
    /// # Errors
    /// `EntityTooLarge` above the limit, what the stream ended in, and those of
    /// [`UploadPlan::commit`]. Neither row nor bytes are left.
    pub(crate) async fn store(
        self,
        service: &Arc<ServiceContext>,
        context: &RequestContext,
        bytes: ByteStream,
    ) -> Result<Uploaded, StorageError> {
        let version = service.new_version();
        let (bytes, meter) = measured(bytes, self.limit);
        let bytes = sniffing::checked(bytes, service.settings.content_sniffing, &self.declared.mimetype);
        let key = BlobKey::Object(version);
        service.blobs.put(&key, bytes, self.declared.size).await?;
        let receipt = meter.receipt();
        let stored = StoredBytes { version, size: receipt.size, e_tag: receipt.e_tag() };
        self.commit(service, context, stored).await
    }

    /// Writes the row of bytes that are durable, and deletes the bytes that it replaces. It goes on
    /// when the future is dropped.
    ///
    /// # Errors
    /// `KeyAlreadyExists` without `upsert`, `QuotaExceeded`, `NoSuchUpload`, those of
    /// [`UploadPlan::rehearse`] when another row has the name by now, and those of the database.
    /// The bytes are deleted then, unless the row may have been written or the plan keeps them.
    pub(crate) async fn commit(
        self,
        service: &Arc<ServiceContext>,
        context: &RequestContext,
        stored: StoredBytes,
    ) -> Result<Uploaded, StorageError> {
        commit::in_a_task(self, service, context, stored).await
    }

    fn row(&self) -> uploads::NewRow<'_> {
        uploads::NewRow {
            bucket: &self.bucket.id,
            name: self.name.as_str(),
            owner: self.owner.as_deref(),
            user_metadata: self.declared.user_metadata.as_ref(),
            upsert: self.upsert,
        }
    }
}
