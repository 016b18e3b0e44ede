//! Blobs in memory, for tests of what stands above the back ends.

use std::{
    collections::{BTreeMap, HashMap},
    ops::Range,
    sync::{Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use bytes::Bytes;
use futures_util::{FutureExt, StreamExt, TryStreamExt, future::BoxFuture, stream};

use super::{BlobError, BlobKey, BlobStore, ByteStream, PartId, PartsId, StoredBlob};

/// Blobs in memory. They are lost with the process.
#[derive(Debug)]
pub(crate) struct Memory {
    kept: Mutex<Kept>,
    smallest_part: u64,
}

#[derive(Debug, Default)]
struct Kept {
    blobs: BTreeMap<String, Bytes>,
    uploads: HashMap<String, BTreeMap<u32, Bytes>>,
    begun: u64,
}

impl Memory {
    /// A back end that refuses to join parts which are smaller, but for the last one.
    pub(crate) fn with_smallest_part(smallest_part: u64) -> Self {
        Self { kept: Mutex::default(), smallest_part }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn blob(&self, key: &BlobKey) -> Result<Bytes, BlobError> {
        self.kept().blobs.get(&key.to_string()).cloned().ok_or(BlobError::NotFound)
    }
}

impl BlobStore for Memory {
    fn put<'a>(
        &'a self,
        key: &'a BlobKey,
        bytes: ByteStream,
        _size: Option<u64>,
    ) -> BoxFuture<'a, Result<u64, BlobError>> {
        async move {
            let bytes = collect(bytes).await?;
            let size = bytes.len() as u64;
            self.kept().blobs.insert(key.to_string(), bytes);
            Ok(size)
        }
        .boxed()
    }

    fn get<'a>(
        &'a self,
        key: &'a BlobKey,
        range: Range<u64>,
    ) -> BoxFuture<'a, Result<ByteStream, BlobError>> {
        async move {
            let blob = self.blob(key)?;
            let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(blob.len());
            let part = blob.slice(place(range.start)..place(range.end));
            Ok(stream::iter([Ok(part)]).boxed())
        }
        .boxed()
    }

    fn size<'a>(&'a self, key: &'a BlobKey) -> BoxFuture<'a, Result<u64, BlobError>> {
        async move { Ok(self.blob(key)?.len() as u64) }.boxed()
    }

    fn copy<'a>(&'a self, from: &'a BlobKey, to: &'a BlobKey) -> BoxFuture<'a, Result<(), BlobError>> {
        async move {
            let blob = self.blob(from)?;
            self.kept().blobs.insert(to.to_string(), blob);
            Ok(())
        }
        .boxed()
    }

    fn delete<'a>(&'a self, key: &'a BlobKey) -> BoxFuture<'a, Result<(), BlobError>> {
        async move {
            self.kept().blobs.remove(&key.to_string());
            Ok(())
        }
        .boxed()
    }

    fn list<'a>(&'a self, prefix: &'a str) -> BoxFuture<'a, Result<Vec<StoredBlob>, BlobError>> {
        async move {
            let kept = self.kept();
            let found = kept.blobs.iter().filter(|(key, _)| key.starts_with(prefix));
            let modified = SystemTime::UNIX_EPOCH;
            Ok(found
                .map(|(key, blob)| StoredBlob { key: key.clone(), size: blob.len() as u64, modified })
                .collect())
        }
        .boxed()
    }

    fn smallest_part(&self) -> u64 {
        self.smallest_part
    }

    fn begin_parts<'a>(&'a self, _key: &'a BlobKey) -> BoxFuture<'a, Result<PartsId, BlobError>> {
        async move {
            let mut kept = self.kept();
            kept.begun += 1;
            let id = kept.begun.to_string();
            kept.uploads.insert(id.clone(), BTreeMap::new());
            Ok(PartsId(id))
        }
        .boxed()
    }

    fn put_part<'a>(
        &'a self,
        (_, upload): (&'a BlobKey, &'a PartsId),
        number: u32,
        bytes: ByteStream,
        _size: Option<u64>,
    ) -> BoxFuture<'a, Result<(PartId, u64), BlobError>> {
        async move {
            let bytes = collect(bytes).await?;
            let size = bytes.len() as u64;
            let mut kept = self.kept();
            kept.uploads.get_mut(&upload.0).ok_or(BlobError::NotFound)?.insert(number, bytes);
            Ok((PartId(number.to_string()), size))
        }
        .boxed()
    }

    fn delete_part<'a>(
        &'a self,
        _upload: (&'a BlobKey, &'a PartsId),
        _part: &'a PartId,
    ) -> BoxFuture<'a, Result<(), BlobError>> {
        async { Ok(()) }.boxed()
    }

    fn complete_parts<'a>(
        &'a self,
        (key, upload): (&'a BlobKey, &'a PartsId),
        parts: &'a [(u32, PartId)],
    ) -> BoxFuture<'a, Result<u64, BlobError>> {
        async move {
            let mut kept = self.kept();
            let written = kept.uploads.remove(&upload.0).ok_or(BlobError::NotFound)?;
            let mut whole = Vec::new();
            for (place, (number, _)) in parts.iter().enumerate() {
                let part = written.get(number).ok_or(BlobError::NotFound)?;
                if place + 1 < parts.len() && (part.len() as u64) < self.smallest_part {
                    return Err(BlobError::Service("a part is too small".to_owned()));
                }
                whole.extend_from_slice(part);
            }
            let size = whole.len() as u64;
            kept.blobs.insert(key.to_string(), whole.into());
            Ok(size)
        }
        .boxed()
    }

    fn abort_parts<'a>(
        &'a self,
        (_, upload): (&'a BlobKey, &'a PartsId),
    ) -> BoxFuture<'a, Result<(), BlobError>> {
        async move {
            self.kept().uploads.remove(&upload.0);
            Ok(())
        }
        .boxed()
    }

    fn discard<'a>(&'a self, key: &'a str, date: &'a str) -> BoxFuture<'a, Result<(), BlobError>> {
        async move {
            let blob = self.kept().blobs.remove(key).ok_or(BlobError::NotFound)?;
            self.kept().blobs.insert(format!("trash/{date}/{key}"), blob);
            Ok(())
        }
        .boxed()
    }

    fn discarded<'a>(&'a self) -> BoxFuture<'a, Result<Vec<String>, BlobError>> {
        async move {
            let kept = self.kept();
            let trash = kept.blobs.keys().filter_map(|key| key.strip_prefix("trash/")?.split_once('/'));
            let mut dates: Vec<String> = trash.map(|(date, _)| date.to_owned()).collect();
            dates.dedup();
            Ok(dates)
        }
        .boxed()
    }

    fn delete_discarded<'a>(&'a self, date: &'a str) -> BoxFuture<'a, Result<(), BlobError>> {
        async move {
            self.kept().blobs.retain(|key, _| !key.starts_with(&format!("trash/{date}/")));
            Ok(())
        }
        .boxed()
    }
}

async fn collect(bytes: ByteStream) -> Result<Bytes, BlobError> {
    let whole = bytes.try_fold(Vec::new(), |mut whole, piece| async move {
        whole.extend_from_slice(&piece);
        Ok(whole)
    });
    Ok(whole.await?.into())
}
