use futures_util::stream;

use super::{versitygw::Versitygw, *};
use crate::blobs::suite::{self, in_pieces, key, pattern, whole};

/// The suite and what S3 alone does. One test, as the service takes a while to start.
// rows: K02
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s3_passes_the_suite() {
    let service = match Versitygw::start() {
        Ok(service) => service,
        Err(reason) => {
            println!("left out: s3_passes_the_suite: versitygw cannot be had: {reason}");
            return;
        }
    };
    let s3 = S3::new(&service.settings("a/prefix")).unwrap();
    suite::passes(&s3.below("first")).await;
    large_blobs_are_sent_in_parts_of_bounded_memory(&s3.below("second")).await;
    a_large_part_is_streamed(&s3.below("third")).await;
    gathered_bytes_count_once(&s3.below("third")).await;
    assert_eq!(s3.folders("").await.unwrap(), ["first", "second", "third"]);
    s3.delete_below("first").await.unwrap();
    assert_eq!(s3.folders("").await.unwrap(), ["second", "third"]);
    a_service_that_is_gone_is_an_error(service).await;
}

async fn large_blobs_are_sent_in_parts_of_bounded_memory(s3: &S3) {
    let bytes = pattern(11_000_000, 1);
    let uploads = (0..6).map(async |number| {
        let announced = (number % 2 == 0).then_some(11_000_000);
        s3.put(&key(number), in_pieces(&bytes, 100_000), announced).await.unwrap();
        assert!(whole(s3, &key(number)).await.unwrap() == bytes);
    });
    futures_util::future::join_all(uploads).await;
    assert_eq!(s3.memory.free(), 16 * 1024 * 1024, "memory is given back");
}

async fn a_large_part_is_streamed(s3: &S3) {
    let (key, bytes) = (key(1), pattern(17_000_000, 2));
    let upload = s3.begin_parts(&key).await.unwrap();
    let broken = in_pieces(&bytes, 60_000).take(5).chain(stream::iter([Err(BlobError::NoSpace)])).boxed();
    let refused = s3.put_part((&key, &upload), 1, broken, Some(17_000_000)).await;
    assert!(matches!(refused, Err(BlobError::NoSpace)), "{refused:?}");
    let part = s3.put_part((&key, &upload), 1, in_pieces(&bytes, 60_000), Some(17_000_000)).await;
    s3.complete_parts((&key, &upload), &[(1, part.unwrap().0)]).await.unwrap();
    assert!(whole(s3, &key).await.unwrap() == bytes);
}

/// The share holds all the memory there is, so that nothing else could be taken.
async fn gathered_bytes_count_once(s3: &S3) {
    let (key, bytes) = (key(2), pattern(300_000, 3));
    let all = s3.memory.free() as u64;
    let memory = s3.memory(all).await;
    assert_eq!(s3.memory.free(), 0);
    s3.put_gathered(&key, in_pieces(&bytes, 60_000), 300_000, memory).await.unwrap();
    assert!(whole(s3, &key).await.unwrap() == bytes);
    assert_eq!(s3.memory.free() as u64, all, "memory is given back");
    let upload = s3.begin_parts(&key).await.unwrap();
    let memory = s3.memory(all).await;
    let gathered = (in_pieces(&bytes, 60_000), 300_000);
    let part = s3.put_gathered_part((&key, &upload), 1, gathered, memory).await;
    s3.complete_parts((&key, &upload), &[(1, part.unwrap().0)]).await.unwrap();
    assert!(whole(s3, &key).await.unwrap() == bytes);
}

async fn a_service_that_is_gone_is_an_error(service: Versitygw) {
    let mut settings = service.settings("");
    settings.secret_access_key = "another".into();
    let refused = S3::new(&settings).unwrap().size(&key(1)).await;
    assert!(matches!(refused, Err(BlobError::Service(_))), "{refused:?}");
}

#[test]
fn the_bucket_is_in_the_path_or_in_the_host() {
    let mut settings = StorageS3 {
        endpoint: Some("https://s3.example.org:9000/".parse().unwrap()),
        region: "r".to_owned(),
        bucket: "b".to_owned(),
        prefix: String::new(),
        access_key_id: String::new(),
        secret_access_key: "".into(),
        path_style: true,
        upload_memory: 0,
    };
    assert_eq!(endpoint(&settings).unwrap(), "https://s3.example.org:9000");
    settings.path_style = false;
    assert_eq!(endpoint(&settings).unwrap(), "https://b.s3.example.org:9000");
    settings.endpoint = None;
    assert_eq!(endpoint(&settings), None);
}

#[test]
fn parts_suffice_for_a_blob_of_any_size() {
    assert_eq!(part_size(Some(50_000_000), 0), SMALLEST_PART);
    let largest = 5 * 1024_u64.pow(4);
    assert!(part_size(Some(largest), 0) * MOST_PARTS >= largest);
    assert_eq!(part_size(None, 0), SMALLEST_PART);
    assert_eq!(part_size(None, 5000), SMALLEST_PART * 10);
}
