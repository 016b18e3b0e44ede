use std::{
    io::Cursor,
    ops::Range,
    sync::atomic::{AtomicUsize, Ordering},
};

use image::{DynamicImage, ImageFormat, RgbImage};
use uuid::Uuid;

use super::*;
use crate::blobs::{ByteStream, PartId, PartsId, StoredBlob};

/// A back end in memory that counts reads of sources.
#[derive(Debug, Default)]
struct Memory {
    blobs: Mutex<HashMap<BlobKey, Bytes>>,
    sources_read: AtomicUsize,
    is_full: bool,
}

impl Memory {
    fn with(version: Version, bytes: impl Into<Bytes>) -> Self {
        let blobs = HashMap::from([(BlobKey::Object(version), bytes.into())]);
        Self { blobs: Mutex::new(blobs), ..Self::default() }
    }

    fn found(&self, key: &BlobKey) -> Result<Bytes, BlobError> {
        self.blobs.lock().unwrap().get(key).cloned().ok_or(BlobError::NotFound)
    }

    fn count(&self) -> usize {
        self.blobs.lock().unwrap().len()
    }
}

impl BlobStore for Memory {
    fn put<'a>(
        &'a self,
        key: &'a BlobKey,
        bytes: ByteStream,
        _: Option<u64>,
    ) -> BoxFuture<'a, Result<u64, BlobError>> {
        async move {
            if self.is_full {
                return Err(BlobError::NoSpace);
            }
            let pieces: Vec<Bytes> = bytes.try_collect().await?;
            let bytes = Bytes::from(pieces.concat());
            let size = bytes.len() as u64;
            self.blobs.lock().unwrap().insert(key.clone(), bytes);
            Ok(size)
        }
        .boxed()
    }

    fn get<'a>(&'a self, key: &'a BlobKey, _: Range<u64>) -> BoxFuture<'a, Result<ByteStream, BlobError>> {
        async move {
            if matches!(key, BlobKey::Object(_)) {
                self.sources_read.fetch_add(1, Ordering::SeqCst);
                // Others come meanwhile.
                task::yield_now().await;
            }
            let bytes = self.found(key)?;
            Ok(stream::iter([Ok(bytes)]).boxed())
        }
        .boxed()
    }

    fn size<'a>(&'a self, key: &'a BlobKey) -> BoxFuture<'a, Result<u64, BlobError>> {
        async move { Ok(self.found(key)?.len() as u64) }.boxed()
    }

    fn copy<'a>(&'a self, _: &'a BlobKey, _: &'a BlobKey) -> BoxFuture<'a, Result<(), BlobError>> {
        unreachable!("a render copies nothing")
    }

    fn delete<'a>(&'a self, _: &'a BlobKey) -> BoxFuture<'a, Result<(), BlobError>> {
        unreachable!("a render deletes nothing")
    }

    fn list<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Vec<StoredBlob>, BlobError>> {
        unreachable!("a render lists nothing")
    }

    fn smallest_part(&self) -> u64 {
        0
    }

    fn begin_parts<'a>(&'a self, _: &'a BlobKey) -> BoxFuture<'a, Result<PartsId, BlobError>> {
        unreachable!("a render has no parts")
    }

    fn put_part<'a>(
        &'a self,
        _: (&'a BlobKey, &'a PartsId),
        _: u32,
        _: ByteStream,
        _: Option<u64>,
    ) -> BoxFuture<'a, Result<(PartId, u64), BlobError>> {
        unreachable!("a render has no parts")
    }

    fn complete_parts<'a>(
        &'a self,
        _: (&'a BlobKey, &'a PartsId),
        _: &'a [(u32, PartId)],
    ) -> BoxFuture<'a, Result<u64, BlobError>> {
        unreachable!("a render has no parts")
    }

    fn abort_parts<'a>(&'a self, _: (&'a BlobKey, &'a PartsId)) -> BoxFuture<'a, Result<(), BlobError>> {
        unreachable!("a render has no parts")
    }
}

const VERSION: Version = Version(Uuid::from_u128(7));

fn png() -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    DynamicImage::from(RgbImage::new(60, 40)).write_to(&mut bytes, ImageFormat::Png).unwrap();
    bytes.into_inner()
}

fn job(options: &str, size: usize) -> RenderJob {
    RenderJob {
        version: VERSION,
        size: size as u64,
        options: RenderOptions::from_signed(options).unwrap(),
        preference: Preference::default(),
    }
}

fn renderer(blobs: &Arc<Memory>) -> Renderer {
    Renderer::new(Arc::clone(blobs) as Arc<dyn BlobStore>, 1, 64 << 20)
}

// rows: B7
#[tokio::test]
async fn equal_requests_share_one_render_and_its_result_is_kept() {
    let image = png();
    let blobs = Arc::new(Memory::with(VERSION, image.clone()));
    let shared = renderer(&blobs);
    let renders = (0..20).map(|_| shared.render(job("width:30", image.len())));
    for rendered in futures_util::future::join_all(renders).await {
        assert_eq!(rendered.unwrap().media_type, "image/png");
    }
    assert_eq!(blobs.sources_read.load(Ordering::SeqCst), 1);
    // A start later the stored result is found.
    renderer(&blobs).render(job("width:30", image.len())).await.unwrap();
    assert_eq!(blobs.sources_read.load(Ordering::SeqCst), 1);
    renderer(&blobs).render(job("width:31", image.len())).await.unwrap();
    assert_eq!(blobs.sources_read.load(Ordering::SeqCst), 2);
    assert_eq!(blobs.count(), 3);
}

// rows: B7
#[tokio::test]
async fn a_full_disk_costs_the_stored_result_alone() {
    let image = png();
    let mut blobs = Memory::with(VERSION, image.clone());
    blobs.is_full = true;
    let blobs = Arc::new(blobs);
    let rendered = renderer(&blobs).render(job("width:30", image.len())).await;
    assert!(rendered.is_ok());
    assert_eq!(blobs.count(), 1);
}

// rows: I06
#[tokio::test]
async fn a_source_that_is_too_large_is_not_read() {
    let blobs = Arc::new(Memory::with(VERSION, png()));
    let refused = renderer(&blobs).render(job("", 25_000_001)).await;
    assert!(matches!(refused, Err(RenderError::TooManyBytes)));
    assert_eq!(blobs.sources_read.load(Ordering::SeqCst), 0);
}

// rows: I06 D17
#[tokio::test]
async fn bytes_that_are_gone_are_told_from_damaged_ones() {
    let refused = renderer(&Arc::default()).render(job("", 10)).await;
    assert!(matches!(refused, Err(RenderError::Source(error)) if matches!(*error, BlobError::NotFound)));
    let blobs = Arc::new(Memory::with(VERSION, "no image"));
    let refused = renderer(&blobs).render(job("", 8)).await;
    assert!(matches!(refused, Err(RenderError::Unreadable)));
    assert_eq!(blobs.count(), 1);
}

// rows: I06
#[tokio::test]
async fn more_renders_than_may_wait_are_refused() {
    let image = png();
    let blobs = Arc::new(Memory::with(VERSION, image.clone()));
    let renderer = renderer(&blobs);
    let renders = (1..=100).map(|width| renderer.render(job(&format!("width:{width}"), image.len())));
    let outcomes = futures_util::future::join_all(renders).await;
    let busy = outcomes.iter().filter(|outcome| matches!(outcome, Err(RenderError::Busy))).count();
    let done = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    assert_eq!((done, busy), (1 + MOST_WAITING, 100 - 1 - MOST_WAITING));
}

// rows: I06
#[tokio::test]
async fn a_render_that_takes_too_long_is_given_up() {
    let image = png();
    let blobs = Arc::new(Memory::with(VERSION, image.clone()));
    let mut renderer = renderer(&blobs);
    Arc::get_mut(&mut renderer.shared).unwrap().longest_wait = Duration::ZERO;
    let _others = Arc::clone(&renderer.shared.running).acquire_owned().await.unwrap();
    let outcome = renderer.render(job("", image.len())).await;
    assert!(matches!(outcome, Err(RenderError::TimedOut)));
    // It waits no more.
    assert_eq!(renderer.shared.admitted.available_permits(), 1 + MOST_WAITING);
}

// rows: I05
#[test]
fn a_name_is_one_of_the_options_and_the_type() {
    let plain = job("width:30", 1);
    assert_eq!(plain.name(), job("width:30,resize:cover", 2).name());
    assert_ne!(plain.name(), job("width:31", 1).name());
    let webp = RenderJob {
        preference: Preference::of(
            &RenderOptions::from_signed("format:webp").unwrap(),
            &http::HeaderMap::new(),
        ),
        ..plain.clone()
    };
    assert_ne!(plain.name(), webp.name());
}
