//! Renders within bounds (CONTRACT.md I06, B7).
//!
//! A few renders run at once, each in a share of the memory for all. Others wait, up to a bound.
//! Requests for the same result share one render. Results are kept in memory up to a bound, so that
//! nobody fills the disk by asking for ever other sizes.

use std::{
    collections::HashMap,
    fmt,
    num::NonZero,
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use futures_util::{
    FutureExt, TryStreamExt,
    future::{BoxFuture, Shared, WeakShared},
};
use ring::digest::{SHA256, digest};
use tokio::{sync::Semaphore, task};

use super::{RenderError, RenderOptions, output::Preference, pipeline};
use crate::{
    blobs::{BlobError, BlobKey, BlobStore},
    model::Version,
};
use results::{Rendered, Results, Variant};

/// Rendered images, in memory.
mod results;

/// Largest source in bytes.
const LARGEST_SOURCE: u64 = 25_000_000;

/// How long a client waits for a render.
const LONGEST_WAIT: Duration = Duration::from_secs(15);

/// How many renders may wait for others.
const MOST_WAITING: usize = 64;

/// Memory of one render, if there is enough for several: 20 megapixels of photograph.
const USUAL_MEMORY: u64 = 256 << 20;

/// Part of the machine's memory that all renders have together.
const PART_OF_MEMORY: u64 = 8;

/// Part of the renders' memory that is for their results.
const PART_FOR_RESULTS: u64 = 4;

/// What is to be rendered.
#[derive(Debug, Clone)]
pub(crate) struct RenderJob {
    pub(crate) version: Version,
    /// Bytes of the source.
    pub(crate) size: u64,
    pub(crate) options: RenderOptions,
    pub(crate) preference: Preference,
}

impl RenderJob {
    /// A name for the result among those of its version, for entity tags.
    pub(crate) fn name(&self) -> String {
        let text = format!("{}|{}", self.options.transformations(), self.preference.name());
        hex::encode(&digest(&SHA256, text.as_bytes()).as_ref()[..16])
    }

    fn variant(&self) -> Variant {
        Variant { version: self.version, name: self.name() }
    }
}

/// Renders images. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Renderer {
    shared: Arc<Inner>,
}

struct Inner {
    blobs: Arc<dyn BlobStore>,
    /// Renders that run.
    running: Arc<Semaphore>,
    /// Renders that run or wait.
    admitted: Arc<Semaphore>,
    /// Bytes that one render may take.
    memory: u64,
    longest_wait: Duration,
    results: Results,
    under_way: Mutex<HashMap<Variant, WeakShared<RenderFuture>>>,
}

type RenderFuture = BoxFuture<'static, Result<Rendered, RenderError>>;

impl fmt::Debug for Renderer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Renderer").finish_non_exhaustive()
    }
}

impl Renderer {
    /// A renderer for this machine: one core is left to others.
    pub(crate) fn for_this_machine(blobs: Arc<dyn BlobStore>) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        Self::new(blobs, cores.saturating_sub(1), banyan_config::machine::memory() / PART_OF_MEMORY)
    }

    /// A renderer that runs at most `cores` renders at once, in `memory` bytes together.
    fn new(blobs: Arc<dyn BlobStore>, cores: usize, memory: u64) -> Self {
        let with_usual_memory = usize::try_from(memory / USUAL_MEMORY).unwrap_or(usize::MAX);
        let renders = cores.min(with_usual_memory).max(1);
        let for_results = memory / PART_FOR_RESULTS;
        Self {
            shared: Arc::new(Inner {
                blobs,
                running: Arc::new(Semaphore::new(renders)),
                admitted: Arc::new(Semaphore::new(renders + MOST_WAITING)),
                memory: (memory - for_results) / renders as u64,
                longest_wait: LONGEST_WAIT,
                results: Results::new(for_results),
                under_way: Mutex::default(),
            }),
        }
    }

    /// Renders an image, or finds it rendered. Dropping the future is safe: a render that has begun
    /// ends, and others may still wait for it.
    pub(crate) async fn render(&self, job: RenderJob) -> Result<Rendered, RenderError> {
        let render = self.shared_render(job);
        tokio::time::timeout(self.shared.longest_wait, render).await.unwrap_or(Err(RenderError::TimedOut))
    }

    /// The render of a job that is under way, or a new one.
    fn shared_render(&self, job: RenderJob) -> Shared<RenderFuture> {
        let mut under_way = self.shared.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        let variant = job.variant();
        if let Some(render) = under_way.get(&variant).and_then(WeakShared::upgrade) {
            return render;
        }
        // Renders that nobody waits for any more.
        under_way.retain(|_, render| render.upgrade().is_some());
        let inner = Arc::clone(&self.shared);
        let render = async move { inner.find_or_render(job).await }.boxed().shared();
        under_way.extend(render.downgrade().map(|weak| (variant, weak)));
        render
    }
}

impl Inner {
    async fn find_or_render(&self, job: RenderJob) -> Result<Rendered, RenderError> {
        let variant = job.variant();
        if let Some(rendered) = self.results.get(&variant) {
            return Ok(rendered);
        }
        let rendered = Rendered::from(self.run(job).await?);
        self.results.keep(variant, rendered.clone());
        Ok(rendered)
    }

    /// Renders once it is the job's turn. The permit goes with the work, which no time-out ends.
    async fn run(&self, job: RenderJob) -> Result<Bytes, RenderError> {
        if job.size > LARGEST_SOURCE {
            return Err(RenderError::TooManyBytes);
        }
        let _admitted = Arc::clone(&self.admitted).try_acquire_owned().map_err(|_| RenderError::Busy)?;
        let permit = Arc::clone(&self.running).acquire_owned().await.map_err(|_| RenderError::Busy)?;
        let source = self.bytes(&BlobKey::Object(job.version), 0..job.size).await;
        let source = source.map_err(|error| RenderError::Source(Arc::new(error)))?;
        let memory = self.memory;
        let work = task::spawn_blocking(move || {
            let _permit = permit;
            pipeline::render(&source, &job.options, job.preference, memory)
        });
        // A decoder that panics has met a damaged image.
        work.await.unwrap_or(Err(RenderError::Unreadable))
    }

    async fn bytes(&self, key: &BlobKey, range: Range<u64>) -> Result<Bytes, BlobError> {
        let stream = self.blobs.get(key, range).await?;
        let bytes = stream.try_fold(BytesMut::new(), |mut bytes, piece| async move {
            bytes.extend_from_slice(&piece);
            Ok(bytes)
        });
        bytes.await.map(BytesMut::freeze)
    }
}

#[cfg(test)]
mod tests;
