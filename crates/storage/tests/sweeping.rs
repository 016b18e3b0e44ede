use std::{
    fs,
    path::{Path, PathBuf},
};

use banyan_storage::{Swept, sweep_now};
use http::Method;
use serde_json::json;
use tempfile::TempDir;
use time::Duration;

use crate::{
    stacks::{names, tomorrow},
    support::{Stage, Who},
};

/// A service with a bucket and one object, and the folder of its stack.
async fn stage() -> (TempDir, Stage, PathBuf) {
    let folder = TempDir::new().unwrap();
    let stage = Stage::on_disk(folder.path()).await;
    stage.bucket("files", false).await;
    let _ = stage.upload(Who::Service, "files/kept", "bytes").await.ok();
    let own = folder.path().join(stage.text("select id::text from _banyan.storage_stack").await);
    (folder, stage, own)
}

/// A blob of a version that nothing names.
fn orphan(own: &Path, area: &str, number: u32) -> PathBuf {
    let path = own.join(format!("{area}/{:02x}/{number:08x}-0000-4000-8000-000000000000", number >> 24));
    let path = if area == "parts" { path.join("1.0") } else { path };
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, "orphan").unwrap();
    path
}

fn blobs(own: &Path) -> usize {
    let objects = own.join("objects");
    names(&objects).iter().map(|shard| names(&objects.join(shard)).len()).sum()
}

async fn sweep(stage: &Stage) -> Swept {
    sweep_now(&stage.state, tomorrow()).await.unwrap()
}

// rows: K03 K09 O07
#[tokio::test]
async fn bytes_of_what_was_removed_are_deleted_at_once_or_by_the_sweep() {
    let (_folder, stage, own) = stage().await;
    let _ = stage.by(Who::Service, Method::DELETE, "/object/files/kept").await.ok();
    assert_eq!(blobs(&own), 0);
    assert_eq!(stage.number("select count(*) from _banyan.storage_garbage").await, 0);
    // By hands that no endpoint sees.
    let _ = stage.upload(Who::Service, "files/second", "bytes").await.ok();
    stage.sql("set storage.allow_delete_query = 'true'; delete from storage.objects").await;
    assert_eq!(blobs(&own), 1);
    assert_eq!(sweep(&stage).await, Swept { garbage: 1, ..Swept::default() });
    assert_eq!(blobs(&own), 0);
    assert_eq!(stage.number("select count(*) from _banyan.storage_garbage").await, 0);
}

// rows: K09 O07
#[tokio::test]
async fn a_delete_keeps_the_bytes_that_another_row_names() {
    let (_folder, stage, own) = stage().await;
    stage
        .sql(
            "insert into storage.objects (bucket_id, name, version)
             select 'files', 'alias', version from storage.objects
             union all
             select 'files', 'other spelling', upper(version) from storage.objects",
        )
        .await;
    for name in ["alias", "other%20spelling"] {
        let _ = stage.by(Who::Service, Method::DELETE, &format!("/object/files/{name}")).await.ok();
        assert_eq!(stage.get_by(Who::Service, "/object/files/kept").await.text(), "bytes", "{name}");
    }
    stage
        .sql(
            "insert into storage.s3_multipart_uploads (id, upload_signature, bucket_id, key, version)
             select 'a', '', 'files', 'a', version from storage.objects",
        )
        .await;
    let _ = stage.by(Who::Service, Method::DELETE, "/object/files/kept").await.ok();
    assert_eq!(blobs(&own), 1, "of an unfinished upload");
    stage.sql("delete from storage.s3_multipart_uploads").await;
    assert_eq!(sweep(&stage).await.garbage, 1);
    assert_eq!(blobs(&own), 0);
}

// rows: K09
#[tokio::test]
async fn a_version_that_an_object_has_after_all_keeps_its_bytes() {
    let (_folder, stage, own) = stage().await;
    stage
        .sql("insert into _banyan.storage_garbage (version) select version::uuid from storage.objects")
        .await;
    let swept = sweep(&stage).await;
    assert_eq!((swept.garbage, swept.missing), (1, 0));
    assert_eq!(blobs(&own), 1);
}

// rows: K10
#[tokio::test]
async fn orphans_lie_in_the_trash_for_seven_days() {
    let (_folder, stage, own) = stage().await;
    let orphans: Vec<_> = ["objects", "tails", "parts"].map(|area| orphan(&own, area, 0x0102_0304)).into();
    let leftover = own.join("tmp/1.1");
    fs::write(&leftover, "half an upload").unwrap();
    assert_eq!(sweep_now(&stage.state, tomorrow() - Duration::hours(2)).await.unwrap().orphans, 0);
    let swept = sweep(&stage).await;
    assert_eq!((swept.blobs, swept.orphans, swept.discarded, swept.missing), (5, 4, 4, 0));
    assert!(orphans.iter().chain([&leftover]).all(|path| !path.exists()));
    assert!(!own.join("parts/01/01020304-0000-4000-8000-000000000000").exists());
    let trash = own.join("trash").join(tomorrow().date().to_string());
    assert_eq!(names(&trash), ["objects", "parts", "tails", "tmp"]);
    for (days, is_there) in [(7, true), (8, false)] {
        sweep_now(&stage.state, tomorrow() + Duration::days(days)).await.unwrap();
        assert_eq!(trash.exists(), is_there, "after {days} days");
    }
    assert_eq!(stage.get_by(Who::Service, "/object/files/kept").await.text(), "bytes");
}

// rows: K10
#[tokio::test]
async fn an_object_has_no_use_for_parts_and_tails_of_its_version() {
    let (_folder, stage, own) = stage().await;
    let parts = ["parts", "tails"].map(|area| orphan(&own, area, 0x0102_0304));
    stage
        .sql(
            "insert into storage.objects (bucket_id, name, version)
            values ('files', 'a', '01020304-0000-4000-8000-000000000000')",
        )
        .await;
    let swept = sweep(&stage).await;
    assert_eq!((swept.orphans, swept.discarded), (2, 2));
    assert!(parts.iter().all(|part| !part.exists()));
}

// rows: K08 K09
#[tokio::test]
async fn the_queue_waits_for_the_right_back_end_and_for_unfinished_uploads() {
    let (_folder, stage, own) = stage().await;
    let bytes = orphan(&own, "objects", 0x0102_0304);
    stage
        .sql("insert into _banyan.storage_garbage (version) values ('01020304-0000-4000-8000-000000000000')")
        .await;
    let mark = fs::read(own.join("stack")).unwrap();
    fs::write(own.join("stack"), "00000000-0000-4000-8000-000000000002").unwrap();
    assert_eq!(sweep(&stage).await.garbage, 0);
    fs::write(own.join("stack"), mark).unwrap();
    stage
        .sql(
            "insert into storage.s3_multipart_uploads (id, upload_signature, bucket_id, key, version)
            values ('1', '', 'files', 'a', '01020304-0000-4000-8000-000000000000')",
        )
        .await;
    assert_eq!(sweep(&stage).await.garbage, 1, "it leaves the queue");
    assert!(bytes.exists());
}

// rows: K10
#[tokio::test]
async fn more_orphans_than_a_few_stop_the_sweep() {
    let (_folder, stage, own) = stage().await;
    for number in 0..20 {
        orphan(&own, "objects", number);
    }
    assert_eq!(sweep(&stage).await.discarded, 20, "twenty are few");
    for number in 0..21 {
        orphan(&own, "objects", number);
    }
    let swept = sweep(&stage).await;
    assert_eq!((swept.orphans, swept.discarded), (21, 0));
    assert_eq!(blobs(&own), 22);
}

// rows: K10
#[tokio::test]
async fn objects_without_bytes_are_counted() {
    let (_folder, stage, own) = stage().await;
    fs::remove_dir_all(own.join("objects")).unwrap();
    stage.sql("insert into storage.objects (bucket_id, name, version) values ('files', 'seeded', '1'), ('files', 'none', null)").await;
    assert_eq!(sweep(&stage).await.missing, 1);
}

// rows: K10 K12
#[tokio::test]
async fn unfinished_uploads_of_s3_keep_their_parts_for_seven_days() {
    let (_folder, stage, own) = stage().await;
    let part = orphan(&own, "parts", 0x0102_0304);
    stage
        .sql(
            "insert into storage.s3_multipart_uploads (id, upload_signature, bucket_id, key, version)
            values ('01020304-0000-4000-8000-000000000000', '', 'files', 'a', '01020304-0000-4000-8000-000000000000')",
        )
        .await;
    assert_eq!(sweep(&stage).await.orphans, 0);
    assert!(part.exists());
    let swept = sweep_now(&stage.state, tomorrow() + Duration::days(7)).await.unwrap();
    assert_eq!((swept.uploads, swept.orphans), (1, 0));
    assert!(!part.exists());
    assert_eq!(stage.number("select count(*) from storage.s3_multipart_uploads").await, 0);
}

// rows: K01 K09
#[tokio::test]
async fn moves_keep_the_bytes_and_copies_have_their_own() {
    let (_folder, stage, own) = stage().await;
    let copy = json!({"bucketId": "files", "sourceKey": "kept", "destinationKey": "copy"});
    let _ = stage.post_by(Who::Service, "/object/copy", copy).await.ok();
    let to = json!({"bucketId": "files", "sourceKey": "kept", "destinationKey": "moved"});
    let _ = stage.post_by(Who::Service, "/object/move", to).await.ok();
    assert_eq!(blobs(&own), 2);
    let _ = stage.by(Who::Service, Method::DELETE, "/object/files/moved").await.ok();
    assert_eq!(sweep(&stage).await, Swept { blobs: 1, ..Swept::default() });
    assert_eq!(stage.get_by(Who::Service, "/object/files/copy").await.text(), "bytes");
}
