//! A request to one upload.

use banyan_web::Body;
use http::{HeaderMap, Response, StatusCode};

use super::access::Access;
use crate::{
    context::Exchange,
    domain::upload::{self, UploadPlan, UploadRequest},
    error::{StorageError, TusRefusal},
    model::ResumableUpload,
    resumable::{Metadata, Session, UploadId},
    store::resumable_uploads,
    wire::{
        http_date,
        tus::{TUS_COMPLETE, UPLOAD_EXPIRES, UPLOAD_OFFSET, tus_answer},
    },
};

/// A request to one upload, from somebody whose token was checked.
pub(super) struct TusRequest {
    exchange: Exchange,
    access: Access,
    id: UploadId,
}

impl TusRequest {
    /// A request to the upload of this name.
    ///
    /// # Errors
    /// `NoUpload` for what names none, and those of [`Access::of`].
    pub(super) fn of(exchange: Exchange, is_signed: bool, id: &str) -> Result<Self, StorageError> {
        let id = UploadId::decode(id)?;
        let access = Access::of(&exchange, is_signed, &id.path())?;
        Ok(Self { exchange, access, id })
    }

    pub(super) fn headers(&self) -> &HeaderMap {
        &self.exchange.parts.headers
    }

    /// The body, which can be had once.
    pub(super) fn take_body(&mut self) -> Body {
        self.exchange.take_body()
    }

    /// The upload, if this request may know of it.
    ///
    /// # Errors
    /// `NoUpload`, also for an upload of somebody else; `Expired`.
    pub(super) async fn find(&self) -> Result<ResumableUpload, StorageError> {
        let upload = resumable_uploads::find(&self.exchange.service.own_database(), self.id.version).await?;
        if !self.id.names(&upload) || !self.access.may_continue(&upload) {
            return Err(TusRefusal::NoUpload.into());
        }
        if upload.expires_at <= self.exchange.context.now {
            return Err(TusRefusal::Expired.into());
        }
        Ok(upload)
    }

    /// Checks limits and policies for an upload of this length (CONTRACT.md T08).
    ///
    /// # Errors
    /// As [`upload::plan`] and [`UploadPlan::rehearse`].
    pub(super) async fn plan(
        &self,
        upload: &ResumableUpload,
        length: Option<u64>,
    ) -> Result<UploadPlan, StorageError> {
        let request = UploadRequest {
            bucket: upload.bucket_id.clone(),
            name: upload.name.clone(),
            upsert: upload.upsert,
            owner: upload.owner_id.clone(),
            declared: Metadata::parse(&upload.metadata)?.declare(length),
        };
        let plan = upload::plan(&self.exchange.service, &self.exchange.context, request).await?;
        self.access.rehearse(&self.exchange, plan).await
    }

    /// Becomes the writer of the upload.
    ///
    /// # Errors
    /// As [`Session::open`].
    pub(super) async fn open(&self) -> Result<Session, StorageError> {
        Session::open(&self.exchange.service, self.id.version).await
    }

    /// As [`Session::finish`].
    pub(super) async fn finish(&self, session: &mut Session, plan: UploadPlan) -> Result<(), StorageError> {
        session.finish(&self.exchange.context, plan).await
    }
}

/// An answer that says how far an upload is: until when it may go on, or that it is complete.
pub(super) fn progress_answer(status: StatusCode, upload: &ResumableUpload) -> Response<Body> {
    let mut answer = tus_answer(status);
    let headers = answer.headers_mut();
    headers.insert(UPLOAD_OFFSET, upload.received.into());
    if upload.is_finished {
        headers.insert(TUS_COMPLETE, 1.into());
    } else if let Some(date) = http_date(upload.expires_at) {
        headers.insert(UPLOAD_EXPIRES, date);
    }
    answer
}
