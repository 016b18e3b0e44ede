//! What every back end promises. Disk and S3 pass the same functions.

use std::{collections::BTreeSet, pin::pin};

use bytes::Bytes;
use futures_util::{FutureExt, StreamExt, TryStreamExt, future::join_all, stream};
use uuid::Uuid;

use super::{BlobError, BlobKey, BlobStore, ByteStream, WHOLE};
use crate::{error::StorageError, model::Version};

/// Passes all promises on a back end that is empty.
pub(super) async fn passes(store: &dyn BlobStore) {
    bytes_come_back(store).await;
    ranges_are_cut(store).await;
    what_is_absent_is_told(store).await;
    a_second_put_replaces(store).await;
    a_stream_that_fails_leaves_nothing(store).await;
    a_dropped_put_leaves_nothing(store).await;
    a_copy_stands_alone(store).await;
    lists_name_what_lies_there(store).await;
    parts_become_one_blob(store).await;
    parts_are_replaced_and_given_up(store).await;
    parts_that_no_blob_has_are_deleted(store).await;
    trash_lies_apart_until_it_is_deleted(store).await;
    uploads_do_not_mix(store).await;
}

/// A key that no other test has.
pub(super) fn key(number: u128) -> BlobKey {
    BlobKey::Object(Version(Uuid::from_u128((number << 120) | number)))
}

/// Bytes that differ from place to place.
pub(super) fn pattern(size: usize, seed: usize) -> Bytes {
    (0..size).map(|at| (at / 251 + at * 7 + seed) as u8).collect::<Vec<u8>>().into()
}

/// A stream of pieces of this size.
pub(super) fn in_pieces(bytes: &Bytes, piece: usize) -> ByteStream {
    let pieces: Vec<_> = bytes.chunks(piece.max(1)).map(|piece| Ok(bytes.slice_ref(piece))).collect();
    stream::iter(pieces).boxed()
}

/// A stream that ends with an error.
fn broken(bytes: &Bytes) -> ByteStream {
    let refusal = BlobError::Source(Box::new(StorageError::EntityTooLarge));
    in_pieces(bytes, 4096).chain(stream::iter([Err(refusal)])).boxed()
}

pub(super) async fn whole(store: &dyn BlobStore, key: &BlobKey) -> Result<Vec<u8>, BlobError> {
    read(store, key, WHOLE).await
}

async fn read(
    store: &dyn BlobStore,
    key: &BlobKey,
    range: std::ops::Range<u64>,
) -> Result<Vec<u8>, BlobError> {
    let pieces = store.get(key, range).await?;
    pieces.try_fold(Vec::new(), async |whole, piece| Ok([whole, piece.to_vec()].concat())).await
}

async fn put(store: &dyn BlobStore, key: &BlobKey, bytes: &Bytes) {
    let size = bytes.len() as u64;
    assert_eq!(store.put(key, in_pieces(bytes, 10_000), Some(size)).await.unwrap(), size);
}

async fn is_absent(store: &dyn BlobStore, key: &BlobKey) -> bool {
    matches!(store.get(key, WHOLE).await.err(), Some(BlobError::NotFound))
        && matches!(store.size(key).await, Err(BlobError::NotFound))
}

async fn bytes_come_back(store: &dyn BlobStore) {
    for (size, piece) in [(0, 1), (1, 1), (3000, 7), (65_536, 65_536), (65_537, 9000), (6_000_000, 50_000)] {
        let (key, bytes) = (key(1), pattern(size, size));
        for announced in [Some(size as u64), None] {
            let written = store.put(&key, in_pieces(&bytes, piece), announced).await.unwrap();
            assert_eq!(written, size as u64);
            assert_eq!(store.size(&key).await.unwrap(), size as u64);
            assert!(whole(store, &key).await.unwrap() == bytes, "{size} bytes");
        }
    }
}

async fn ranges_are_cut(store: &dyn BlobStore) {
    let (key, bytes) = (key(2), pattern(600_000, 3));
    put(store, &key, &bytes).await;
    for (start, end) in [(0, 600_000), (0, 1), (599_999, 600_000), (262_143, 524_289), (5, 5)] {
        let expected = &bytes[start..end];
        assert!(read(store, &key, start as u64..end as u64).await.unwrap() == expected, "{start}..{end}");
    }
}

async fn what_is_absent_is_told(store: &dyn BlobStore) {
    let key = key(3);
    assert!(is_absent(store, &key).await);
    assert!(matches!(store.get(&key, 0..0).await.err(), Some(BlobError::NotFound)));
    assert!(matches!(store.copy(&key, &self::key(4)).await, Err(BlobError::NotFound)));
    store.delete(&key).await.unwrap();
    let upload = store.begin_parts(&key).await.unwrap();
    store.abort_parts((&key, &upload)).await.unwrap();
    store.abort_parts((&key, &upload)).await.unwrap();
}

async fn a_second_put_replaces(store: &dyn BlobStore) {
    let key = BlobKey::Tail(Version(Uuid::from_u128(5)));
    for size in [20_000, 10] {
        put(store, &key, &pattern(size, size)).await;
        assert!(whole(store, &key).await.unwrap() == pattern(size, size));
    }
    store.delete(&key).await.unwrap();
    assert!(is_absent(store, &key).await);
}

async fn a_stream_that_fails_leaves_nothing(store: &dyn BlobStore) {
    for size in [10, 200_000, 6_000_000] {
        let (key, bytes) = (key(6), pattern(size, 1));
        let refused = store.put(&key, broken(&bytes), None).await;
        assert!(
            matches!(&refused, Err(BlobError::Source(cause)) if matches!(**cause, StorageError::EntityTooLarge)),
            "{refused:?}"
        );
        assert!(is_absent(store, &key).await);
    }
}

async fn a_dropped_put_leaves_nothing(store: &dyn BlobStore) {
    let (key, bytes) = (key(7), pattern(300_000, 1));
    let stuck = in_pieces(&bytes, 4096).chain(stream::pending()).boxed();
    {
        let mut put = pin!(store.put(&key, stuck, None));
        for _ in 0..100 {
            assert!(put.as_mut().now_or_never().is_none());
            tokio::task::yield_now().await;
        }
    }
    assert!(is_absent(store, &key).await);
}

async fn a_copy_stands_alone(store: &dyn BlobStore) {
    let (from, to, bytes) = (key(8), key(9), pattern(70_000, 8));
    put(store, &from, &bytes).await;
    store.copy(&from, &to).await.unwrap();
    store.delete(&from).await.unwrap();
    assert!(is_absent(store, &from).await);
    assert!(whole(store, &to).await.unwrap() == bytes);
}

async fn lists_name_what_lies_there(store: &dyn BlobStore) {
    let object = key(10);
    let tails = [1, 2].map(|number| BlobKey::Tail(Version(Uuid::from_u128((10 << 120) + number))));
    put(store, &object, &pattern(11, 0)).await;
    for key in &tails {
        put(store, key, &pattern(12, 0)).await;
    }
    let listed = async |prefix: &str| {
        let blobs = store.list(prefix).await.unwrap();
        blobs.into_iter().map(|blob| (blob.key, blob.size)).collect::<BTreeSet<_>>()
    };
    assert_eq!(listed("objects/0a/").await, [(object.to_string(), 11)].into());
    assert_eq!(listed("objects/ff/").await, BTreeSet::new());
    let all = BTreeSet::from(tails.clone().map(|key| (key.to_string(), 12)));
    assert_eq!(listed("tails/0a/").await, all);
    for key in &tails {
        store.delete(key).await.unwrap();
    }
    assert_eq!(listed("tails/0a/").await, BTreeSet::new());
}

async fn parts_become_one_blob(store: &dyn BlobStore) {
    let key = key(11);
    let smallest = usize::try_from(store.smallest_part()).unwrap();
    let (first, last) = (pattern(smallest, 1), pattern(1000, 2));
    let upload = store.begin_parts(&key).await.unwrap();
    let mut parts = Vec::new();
    // Numbers may have gaps, and parts come in any order.
    for (number, bytes) in [(7, &last), (3, &first)] {
        let size = bytes.len() as u64;
        let part = store.put_part((&key, &upload), number, in_pieces(bytes, 30_000), Some(size)).await;
        let (part, written) = part.unwrap();
        assert_eq!(written, size);
        parts.push((number, part));
    }
    parts.reverse();
    assert!(is_absent(store, &key).await);
    let size = store.complete_parts((&key, &upload), &parts).await.unwrap();
    assert_eq!(size, (first.len() + last.len()) as u64);
    assert!(whole(store, &key).await.unwrap() == [first, last].concat());
    // Some services of S3 answer as they did before.
    let again = store.complete_parts((&key, &upload), &parts).await;
    assert!(matches!(again, Err(BlobError::NotFound)) || again.as_ref().is_ok_and(|again| *again == size));
}

async fn parts_are_replaced_and_given_up(store: &dyn BlobStore) {
    let key = key(12);
    let upload = store.begin_parts(&key).await.unwrap();
    let mut parts = Vec::new();
    for seed in [1, 2] {
        let bytes = in_pieces(&pattern(5000, seed), 1000);
        let (part, _) = store.put_part((&key, &upload), 1, bytes, Some(5000)).await.unwrap();
        parts = vec![(1, part)];
    }
    let refused = store.put_part((&key, &upload), 2, broken(&pattern(9000, 1)), None).await;
    assert!(matches!(refused, Err(BlobError::Source(_))));
    store.complete_parts((&key, &upload), &parts).await.unwrap();
    assert!(whole(store, &key).await.unwrap() == pattern(5000, 2));
    let key = self::key(15);
    let upload = store.begin_parts(&key).await.unwrap();
    let given_up = store.put_part((&key, &upload), 1, in_pieces(&pattern(10, 1), 10), Some(10)).await;
    store.abort_parts((&key, &upload)).await.unwrap();
    let given_up = [(1, given_up.unwrap().0)];
    assert!(store.complete_parts((&key, &upload), &given_up).await.is_err());
    assert!(is_absent(store, &key).await);
}

async fn parts_that_no_blob_has_are_deleted(store: &dyn BlobStore) {
    let key = key(15);
    let upload = store.begin_parts(&key).await.unwrap();
    let put = async |seed| {
        let bytes = in_pieces(&pattern(5000, seed), 1000);
        store.put_part((&key, &upload), 1, bytes, Some(5000)).await.map(|(part, _)| part)
    };
    let (replaced, kept) = (put(1).await.unwrap(), put(2).await.unwrap());
    for _ in 0..2 {
        store.delete_part((&key, &upload), &replaced).await.unwrap();
    }
    assert!(store.list("parts/").await.unwrap().len() <= 1);
    store.complete_parts((&key, &upload), &[(1, kept)]).await.unwrap();
    assert!(whole(store, &key).await.unwrap() == pattern(5000, 2));
    // Services of S3 refuse a part that comes too late.
    if let Ok(late) = put(3).await {
        store.delete_part((&key, &upload), &late).await.unwrap();
    }
    assert_eq!(store.list("parts/").await.unwrap(), []);
}

async fn trash_lies_apart_until_it_is_deleted(store: &dyn BlobStore) {
    let (key, kept) = (key(13), key(14));
    for key in [&key, &kept] {
        put(store, key, &pattern(100, 1)).await;
    }
    assert_eq!(store.discarded().await.unwrap(), Vec::<String>::new());
    store.discard(&key.to_string(), "2026-11-27").await.unwrap();
    assert!(is_absent(store, &key).await);
    assert_eq!(store.discarded().await.unwrap(), ["2026-11-27"]);
    let trash = store.list("trash/2026-11-27/").await.unwrap();
    assert_eq!(trash[0].key, format!("trash/2026-11-27/{key}"));
    for _ in 0..2 {
        store.delete_discarded("2026-11-27").await.unwrap();
    }
    assert_eq!(store.discarded().await.unwrap(), Vec::<String>::new());
    assert!(!is_absent(store, &kept).await);
}

async fn uploads_do_not_mix(store: &dyn BlobStore) {
    let each = (0..20).map(async |number| {
        let (key, bytes) = (key(100 + number), pattern(150_000, number as usize));
        put(store, &key, &bytes).await;
        assert!(whole(store, &key).await.unwrap() == bytes);
    });
    join_all(each).await;
}
