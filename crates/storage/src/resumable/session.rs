//! An upload in the hands of its one writer.

use std::sync::Arc;

use banyan_web::Body;

use super::{finish, incoming::Incoming, pieces, running_md5::RunningMd5};
use crate::{
    context::ServiceContext,
    domain::upload::UploadPlan,
    error::{StorageError, TusRefusal},
    model::{ResumableUpload, Version},
    request_context::RequestContext,
    store::resumable_uploads,
    writers::Writer,
};

/// An upload in the hands of its one writer, until this is dropped or a newer writer comes.
pub(crate) struct Session {
    service: Arc<ServiceContext>,
    upload: ResumableUpload,
    writer: Writer,
}

impl Session {
    /// Becomes the writer of an upload (CONTRACT.md T11). A writer of this node is asked to stop
    /// and waited for; one of another node fails at its next piece.
    ///
    /// # Errors
    /// `ResourceLocked`, `NoUpload`, and those of the database.
    pub(crate) async fn open(service: &Arc<ServiceContext>, version: Version) -> Result<Self, StorageError> {
        let writer = service.writers.take_over(version).await?;
        let upload = resumable_uploads::take(&service.own_database(), version).await?;
        Ok(Self { service: Arc::clone(service), upload, writer })
    }

    /// The upload as it is now.
    pub(crate) fn upload(&self) -> &ResumableUpload {
        &self.upload
    }

    /// Notes the length of an upload that began without one (CONTRACT.md T02).
    ///
    /// # Errors
    /// `NoLength` if it has another length, or more bytes already; `QuotaExceeded`.
    pub(crate) async fn declare_length(&mut self, length: u64) -> Result<(), StorageError> {
        match self.upload.length {
            Some(known) if known == length => return Ok(()),
            None if length >= self.upload.received => {}
            _ => return Err(TusRefusal::NoLength.into()),
        }
        let (db, quota) = (self.service.own_database(), self.service.settings.quota_per_user);
        resumable_uploads::declare_length(&db, &self.upload, length, quota).await?;
        self.upload.length = Some(length);
        Ok(())
    }

    /// Makes a body of at most `limit` bytes in all durable, piece by piece (CONTRACT.md T05). It
    /// goes on when the future is dropped, until the body ends: so each piece is noted or deleted.
    ///
    /// # Errors
    /// `LengthExceeded`, `Superseded`, what a lost connection means, and those of the back end and
    /// of the database. The pieces before are kept. `QuotaExceeded`: the upload is given up.
    pub(crate) async fn receive(mut self, body: Body, limit: u64) -> Result<Self, StorageError> {
        let task = tokio::spawn(async move {
            match self.receive_pieces(body, limit).await {
                Err(StorageError::QuotaExceeded) => {
                    super::abort::abort(&self.service, &self.upload).await?;
                    Err(StorageError::QuotaExceeded)
                }
                received => received.map(|()| self),
            }
        });
        task.await.map_err(|_| StorageError::Internal("the task of an upload ended early"))?
    }

    async fn receive_pieces(&mut self, body: Body, limit: u64) -> Result<(), StorageError> {
        let room = self.upload.length.unwrap_or(limit).saturating_sub(self.upload.received);
        let md5 = RunningMd5::from_state(&self.upload.md5)?;
        let incoming = Incoming::new(body, room, md5, self.writer.asked_to_stop());
        while incoming.has_more().await {
            pieces::write(&self.service, &mut self.upload, &incoming).await?;
        }
        let end = incoming.end();
        // Who has all bytes does not ask how their connection ended.
        if self.upload.is_whole() { Ok(()) } else { end }
    }

    /// Makes the object, if all bytes are there and it is not made yet.
    ///
    /// # Errors
    /// As [`UploadPlan::commit`]; the upload is given up then, unless the row may have been
    /// written.
    pub(crate) async fn finish(
        &mut self,
        context: &RequestContext,
        plan: UploadPlan,
    ) -> Result<(), StorageError> {
        if self.upload.is_whole() && !self.upload.is_finished {
            finish::finish(&self.service, context, &mut self.upload, plan).await?;
            self.upload.is_finished = true;
        }
        Ok(())
    }

    /// Gives the upload up (CONTRACT.md T06).
    ///
    /// # Errors
    /// `Finished` for an upload that is an object, and those of back end and database.
    pub(crate) async fn abort(self) -> Result<(), StorageError> {
        if self.upload.is_finished {
            return Err(TusRefusal::Finished.into());
        }
        super::abort::abort(&self.service, &self.upload).await
    }
}
