//! Blobs in a bucket of a service of S3.
//!
//! `object_store` signs, sends again and lists. Its parts are memory, since it sends them again
//! when the service falters; what all uploads hold together has a bound, `[storage.s3]
//! upload_memory`. A larger part of a client's own multipart upload is streamed, and is not sent
//! again. Nothing is written to the disk of this machine (CONTRACT.md K02).
//!
//! The service itself keeps parts of uploads that nobody completes. The sweeper aborts those that
//! have a row; a rule of the bucket, such as `AbortIncompleteMultipartUpload` after seven days,
//! removes those of a node that died before it wrote the row.

use std::{ops::Range, time::Duration};

use banyan_config::StorageS3;
use futures_util::{StreamExt, TryStreamExt, future::BoxFuture};
use object_store::{
    GetOptions, GetRange, ObjectStore, ObjectStoreExt, RetryConfig,
    aws::{AmazonS3, AmazonS3Builder},
    multipart::MultipartStore,
    path::Path,
};
use secrecy::ExposeSecret;

use super::{BlobError, BlobKey, BlobStore, ByteStream, MemoryShare, PartId, PartsId, StoredBlob, WHOLE};
use connection::Connection;
use held_part::{HeldPart, Memory, Source};
use upload::Upload;

/// One upload in parts.
mod upload;

/// Parts in memory. What all uploads hold together has a bound.
mod held_part;

/// How requests reach the service.
mod connection;

/// Smallest part that is not the last one.
const SMALLEST_PART: u64 = 5 * 1024 * 1024;

/// Most parts of an upload.
const MOST_PARTS: u64 = 10_000;

/// Largest part of a client's own upload that is held in memory, so that it can be sent again.
const LARGEST_HELD: u64 = 16 * 1024 * 1024;

/// Largest blob that the service copies in one request.
const LARGEST_COPY: u64 = 5 * 1024 * 1024 * 1024;

/// How often a request is sent again.
const RETRIES: usize = 3;

/// How long after the first try a request is still sent again.
const RETRY_FOR: Duration = Duration::from_secs(30);

/// Keys that are deleted at a time.
const DELETES: usize = 16;

/// A bucket, below a prefix.
#[derive(Debug, Clone)]
pub(crate) struct S3 {
    client: AmazonS3,
    connection: Connection,
    memory: Memory,
    /// It ends without a slash, and may be empty.
    prefix: String,
}

impl S3 {
    /// The bucket of the settings. Nothing is sent yet.
    ///
    /// # Errors
    /// The settings do not fit together.
    pub(crate) fn new(settings: &StorageS3) -> Result<Self, BlobError> {
        let connection = Connection::new();
        let mut builder = AmazonS3Builder::new()
            .with_region(&settings.region)
            .with_bucket_name(&settings.bucket)
            .with_access_key_id(&settings.access_key_id)
            .with_secret_access_key(settings.secret_access_key.expose_secret())
            .with_virtual_hosted_style_request(!settings.path_style)
            .with_allow_http(true)
            .with_disable_bulk_delete(true)
            .with_retry(RetryConfig { max_retries: RETRIES, retry_timeout: RETRY_FOR, ..Default::default() })
            .with_http_connector(connection.clone());
        if let Some(endpoint) = endpoint(settings) {
            builder = builder.with_endpoint(endpoint);
        }
        Ok(Self {
            client: builder.build()?,
            connection,
            memory: Memory::new(settings.upload_memory, SMALLEST_PART),
            prefix: settings.prefix.clone(),
        })
    }

    /// What lies below a folder of this prefix. Memory for uploads is shared.
    pub(crate) fn below(&self, folder: &str) -> Self {
        Self { prefix: self.path(folder).to_string(), ..self.clone() }
    }

    fn path(&self, key: impl std::fmt::Display) -> Path {
        if self.prefix.is_empty() {
            Path::from(key.to_string())
        } else {
            Path::from(format!("{}/{key}", self.prefix))
        }
    }

    /// Names of the folders in a folder; the empty one is the prefix itself.
    ///
    /// # Errors
    /// [`BlobError::Service`].
    pub(crate) async fn folders(&self, folder: &str) -> Result<Vec<String>, BlobError> {
        let listed = self.client.list_with_delimiter(Some(&self.path(folder))).await?;
        let names = listed.common_prefixes.iter().filter_map(|folder| folder.filename());
        Ok(names.map(str::to_owned).collect())
    }

    /// Deletes all that lies below a folder.
    async fn delete_below(&self, folder: &str) -> Result<(), BlobError> {
        let listed = self.client.list(Some(&self.path(folder)));
        let deleted = listed.try_for_each_concurrent(DELETES, async |blob| {
            absent_is_fine(self.client.delete(&blob.location).await)
        });
        Ok(deleted.await?)
    }

    async fn put_whole(&self, key: &BlobKey, bytes: ByteStream, size: Option<u64>) -> Result<u64, BlobError> {
        let mut source = Source::new(bytes);
        let part = part_size(size, 0);
        let memory = self.memory.take(size.unwrap_or(part).min(part)).await;
        let first = source.part(part, memory).await?;
        if first.is_last {
            self.client.put(&self.path(key), first.payload).await?;
            return Ok(first.size);
        }
        let upload = Upload::begin(self, key).await?;
        self.put_parts(upload, first, source, size).await
    }

    /// Sends a stream that is larger than a part.
    async fn put_parts(
        &self,
        upload: Upload<'_>,
        first: HeldPart,
        mut source: Source,
        size: Option<u64>,
    ) -> Result<u64, BlobError> {
        let (mut sent, mut parts, mut part) = (0, Vec::new(), first);
        loop {
            let number = u32::try_from(parts.len() + 1).unwrap_or(u32::MAX);
            sent += part.size;
            let is_last = part.is_last;
            parts.push((number, upload.put_held(number, part).await?));
            if is_last {
                upload.complete(&parts).await?;
                return Ok(sent);
            }
            let next = part_size(size, number.into());
            part = source.part(next, self.memory.take(next).await).await?;
        }
    }

    async fn copy_blob(&self, from: &BlobKey, to: &BlobKey) -> Result<(), BlobError> {
        let copied = self.client.copy(&self.path(from), &self.path(to)).await;
        match copied {
            Err(error) if !matches!(error, object_store::Error::NotFound { .. }) => {
                let size = self.size(from).await?;
                if size <= LARGEST_COPY {
                    return Err(error.into());
                }
                let bytes = self.get(from, WHOLE).await?;
                self.put_whole(to, bytes, Some(size)).await.map(drop)
            }
            copied => Ok(copied?),
        }
    }

    /// All of a stream, in the share of memory that its bytes have already.
    async fn held(
        &self,
        bytes: ByteStream,
        size: u64,
        MemoryShare(memory): MemoryShare,
    ) -> Result<HeldPart, BlobError> {
        let memory = match memory {
            Some(memory) => memory,
            None => self.memory.take(size).await,
        };
        Source::new(bytes).part(size, memory).await
    }

    /// The range is left out for the whole, as no range fits an empty blob.
    async fn read(&self, key: &BlobKey, range: Range<u64>) -> Result<ByteStream, BlobError> {
        if range.is_empty() {
            self.size(key).await?;
            return Ok(futures_util::stream::empty().boxed());
        }
        let range = (range != WHOLE).then_some(GetRange::Bounded(range));
        let options = GetOptions { range, ..GetOptions::default() };
        let got = self.client.get_opts(&self.path(key), options).await?;
        Ok(got.into_stream().map_err(BlobError::from).boxed())
    }

    async fn list_below(&self, prefix: &str) -> Result<Vec<StoredBlob>, BlobError> {
        let own = if self.prefix.is_empty() { 0 } else { self.prefix.len() + 1 };
        let listed = self.client.list(Some(&self.path(prefix.trim_end_matches('/'))));
        let blobs = listed.map_ok(|blob| StoredBlob {
            key: blob.location.as_ref()[own..].to_owned(),
            size: blob.size,
            modified: blob.last_modified.into(),
        });
        Ok(blobs.try_collect().await?)
    }
}

impl BlobStore for S3 {
    fn put<'a>(
        &'a self,
        key: &'a BlobKey,
        bytes: ByteStream,
        size: Option<u64>,
    ) -> BoxFuture<'a, Result<u64, BlobError>> {
        Box::pin(self.put_whole(key, bytes, size))
    }

    fn get<'a>(
        &'a self,
        key: &'a BlobKey,
        range: Range<u64>,
    ) -> BoxFuture<'a, Result<ByteStream, BlobError>> {
        Box::pin(self.read(key, range))
    }

    fn size<'a>(&'a self, key: &'a BlobKey) -> BoxFuture<'a, Result<u64, BlobError>> {
        Box::pin(async move { Ok(self.client.head(&self.path(key)).await?.size) })
    }

    fn copy<'a>(&'a self, from: &'a BlobKey, to: &'a BlobKey) -> BoxFuture<'a, Result<(), BlobError>> {
        Box::pin(self.copy_blob(from, to))
    }

    fn delete<'a>(&'a self, key: &'a BlobKey) -> BoxFuture<'a, Result<(), BlobError>> {
        Box::pin(async move { Ok(absent_is_fine(self.client.delete(&self.path(key)).await)?) })
    }

    fn list<'a>(&'a self, prefix: &'a str) -> BoxFuture<'a, Result<Vec<StoredBlob>, BlobError>> {
        Box::pin(self.list_below(prefix))
    }

    fn smallest_part(&self) -> u64 {
        SMALLEST_PART
    }

    fn begin_parts<'a>(&'a self, key: &'a BlobKey) -> BoxFuture<'a, Result<PartsId, BlobError>> {
        Box::pin(async move { Ok(PartsId(self.client.create_multipart(&self.path(key)).await?)) })
    }

    fn put_part<'a>(
        &'a self,
        (key, id): (&'a BlobKey, &'a PartsId),
        number: u32,
        bytes: ByteStream,
        size: Option<u64>,
    ) -> BoxFuture<'a, Result<(PartId, u64), BlobError>> {
        Box::pin(async move { Upload::of(self, key, id).put(number, bytes, size).await })
    }

    fn memory(&self, bytes: u64) -> BoxFuture<'_, MemoryShare> {
        Box::pin(async move { MemoryShare(Some(self.memory.take(bytes).await)) })
    }

    fn put_gathered<'a>(
        &'a self,
        key: &'a BlobKey,
        bytes: ByteStream,
        size: u64,
        memory: MemoryShare,
    ) -> BoxFuture<'a, Result<u64, BlobError>> {
        Box::pin(async move {
            let held = self.held(bytes, size, memory).await?;
            self.client.put(&self.path(key), held.payload).await?;
            Ok(held.size)
        })
    }

    fn put_gathered_part<'a>(
        &'a self,
        (key, id): (&'a BlobKey, &'a PartsId),
        number: u32,
        (bytes, size): (ByteStream, u64),
        memory: MemoryShare,
    ) -> BoxFuture<'a, Result<(PartId, u64), BlobError>> {
        Box::pin(async move {
            let held = self.held(bytes, size, memory).await?;
            Ok((Upload::of(self, key, id).put_held(number, held).await?, size))
        })
    }

    /// The service itself drops a part that is replaced, and takes none once the upload is over.
    fn delete_part<'a>(
        &'a self,
        _upload: (&'a BlobKey, &'a PartsId),
        _part: &'a PartId,
    ) -> BoxFuture<'a, Result<(), BlobError>> {
        Box::pin(async { Ok(()) })
    }

    fn complete_parts<'a>(
        &'a self,
        (key, id): (&'a BlobKey, &'a PartsId),
        parts: &'a [(u32, PartId)],
    ) -> BoxFuture<'a, Result<u64, BlobError>> {
        Box::pin(async move {
            Upload::of(self, key, id).complete(parts).await?;
            self.size(key).await
        })
    }

    fn abort_parts<'a>(
        &'a self,
        (key, id): (&'a BlobKey, &'a PartsId),
    ) -> BoxFuture<'a, Result<(), BlobError>> {
        Box::pin(
            async move { Ok(absent_is_fine(self.client.abort_multipart(&self.path(key), &id.0).await)?) },
        )
    }

    fn discard<'a>(&'a self, key: &'a str, date: &'a str) -> BoxFuture<'a, Result<(), BlobError>> {
        Box::pin(async move {
            let (from, to) = (self.path(key), self.path(format!("trash/{date}/{key}")));
            self.client.copy(&from, &to).await?;
            Ok(self.client.delete(&from).await?)
        })
    }

    fn discarded<'a>(&'a self) -> BoxFuture<'a, Result<Vec<String>, BlobError>> {
        Box::pin(self.folders("trash"))
    }

    fn delete_discarded<'a>(&'a self, date: &'a str) -> BoxFuture<'a, Result<(), BlobError>> {
        Box::pin(async move { self.delete_below(&format!("trash/{date}")).await })
    }
}

/// The endpoint as `object_store` takes it: with the bucket in its host, unless that is in the
/// path.
fn endpoint(settings: &StorageS3) -> Option<String> {
    let mut endpoint = settings.endpoint.clone()?;
    if !settings.path_style {
        let host = format!("{}.{}", settings.bucket, endpoint.host_str()?);
        endpoint.set_host(Some(&host)).ok()?;
    }
    Some(endpoint.as_str().trim_end_matches('/').to_owned())
}

/// The size of the next part. It grows with a stream of unknown size, so that the parts suffice.
fn part_size(size: Option<u64>, parts_before: u64) -> u64 {
    match size {
        Some(size) => SMALLEST_PART.max(size.div_ceil(MOST_PARTS)),
        None if parts_before < MOST_PARTS / 10 => SMALLEST_PART,
        None => SMALLEST_PART * 10,
    }
}

fn absent_is_fine(done: object_store::Result<()>) -> object_store::Result<()> {
    match done {
        Err(object_store::Error::NotFound { .. }) => Ok(()),
        done => done,
    }
}

impl From<object_store::Error> for BlobError {
    fn from(error: object_store::Error) -> Self {
        match error {
            object_store::Error::NotFound { .. } => Self::NotFound,
            other => Self::Service(other.to_string()),
        }
    }
}

/// A service of S3 for tests.
#[cfg(test)]
mod versitygw;

#[cfg(test)]
mod tests;
