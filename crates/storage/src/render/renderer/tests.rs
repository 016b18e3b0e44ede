use std::io::Cursor;

use futures_util::{StreamExt, stream};
use image::{DynamicImage, ImageFormat, RgbImage};
use uuid::Uuid;

use super::*;
use crate::blobs::Blobs;

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

/// A renderer of one render at once, and a back end that holds one object.
async fn renderer(bytes: impl Into<Bytes>) -> Renderer {
    let blobs = Blobs::in_memory().store;
    let bytes = stream::iter([Ok(bytes.into())]).boxed();
    blobs.put(&BlobKey::Object(VERSION), bytes, None).await.unwrap();
    Renderer::new(blobs, 1, 64 << 20)
}

/// All turns are taken until the permit is dropped.
async fn held_up(renderer: &Renderer) -> tokio::sync::OwnedSemaphorePermit {
    Arc::clone(&renderer.shared.running).acquire_owned().await.unwrap()
}

// rows: B7
#[tokio::test]
async fn equal_requests_share_one_render() {
    let image = png();
    let renderer = renderer(image.clone()).await;
    let others = held_up(&renderer).await;
    let renders = (0..20).map(|_| renderer.render(job("width:30", image.len())));
    let mut renders = Box::pin(futures_util::future::join_all(renders));
    assert!((&mut renders).now_or_never().is_none());
    // One of them waits for its turn.
    assert_eq!(renderer.shared.admitted.available_permits(), MOST_WAITING);
    drop(others);
    for rendered in renders.await {
        assert_eq!(rendered.unwrap().media_type, "image/png");
    }
    assert_eq!(renderer.shared.results.count(), 1);
}

// rows: B7
#[tokio::test]
async fn a_result_is_kept_in_memory_alone() {
    let image = png();
    let renderer = renderer(image.clone()).await;
    let first = renderer.render(job("width:30", image.len())).await.unwrap();
    let source = BlobKey::Object(VERSION);
    let stored = renderer.shared.blobs.list("").await.unwrap();
    assert_eq!(stored.into_iter().map(|blob| blob.key).collect::<Vec<_>>(), [source.to_string()]);
    // Nothing is left to render it of.
    renderer.shared.blobs.delete(&source).await.unwrap();
    let second = renderer.render(job("width:30", image.len())).await.unwrap();
    assert_eq!(first.bytes, second.bytes);
    assert!(renderer.render(job("width:31", image.len())).await.is_err());
}

// rows: I06
#[tokio::test]
async fn a_source_that_is_too_large_is_not_read() {
    let renderer = renderer(png()).await;
    let mut large = job("", 25_000_001);
    large.version = Version(Uuid::from_u128(8));
    assert!(matches!(renderer.render(large).await, Err(RenderError::TooManyBytes)));
}

// rows: I06 D17
#[tokio::test]
async fn bytes_that_are_gone_are_told_from_damaged_ones() {
    let renderer = renderer("no image").await;
    let mut gone = job("", 8);
    gone.version = Version(Uuid::from_u128(8));
    let refused = renderer.render(gone).await;
    assert!(matches!(refused, Err(RenderError::Source(error)) if matches!(*error, BlobError::NotFound)));
    assert!(matches!(renderer.render(job("", 8)).await, Err(RenderError::Unreadable)));
    assert_eq!(renderer.shared.results.count(), 0);
}

// rows: I06
#[tokio::test]
async fn more_renders_than_may_wait_are_refused() {
    let image = png();
    let renderer = renderer(image.clone()).await;
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
    let mut renderer = renderer(image.clone()).await;
    Arc::get_mut(&mut renderer.shared).unwrap().longest_wait = Duration::ZERO;
    let _others = held_up(&renderer).await;
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
