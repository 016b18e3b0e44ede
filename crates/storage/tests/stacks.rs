use std::{fs, path::Path, sync::Arc};

use banyan_config::StorageBackend;
use banyan_db::Login;
use banyan_storage::{KeptStack, sweep_now};
use banyan_testkit::TestDatabase;
use serde_json::json;
use tempfile::TempDir;
use time::{Duration, OffsetDateTime};

use crate::support::{Done, Stage, Who};

/// A time at which all that a test writes is older than a day.
pub(crate) fn tomorrow() -> OffsetDateTime {
    let path = TempDir::new().unwrap();
    OffsetDateTime::from(fs::metadata(path.path()).unwrap().modified().unwrap()) + Duration::hours(25)
}

async fn database() -> Arc<TestDatabase> {
    Arc::new(Box::pin(banyan_testkit::platform_database()).await)
}

/// The names in a folder, in order.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries: Vec<_> = fs::read_dir(folder).map(|entries| entries.flatten().collect()).unwrap_or_default();
    let mut names: Vec<_> = entries.iter().map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

async fn id(stage: &Stage) -> String {
    stage.text("select id::text from _banyan.storage_stack").await
}

// rows: K01 K08
#[tokio::test]
async fn a_new_database_has_a_folder_of_its_own() {
    let folder = TempDir::new().unwrap();
    let first = Stage::on_disk(folder.path()).await;
    let again = Stage::on_disk_with(Arc::clone(first.database()), folder.path()).await;
    let second = Stage::on_disk(folder.path()).await;
    let mut ids = [id(&first).await, id(&second).await];
    assert_eq!(id(&first).await, id(&again).await);
    assert_eq!(fs::read_to_string(folder.path().join(&ids[0]).join("stack")).unwrap(), ids[0]);
    ids.sort();
    assert_eq!(names(folder.path()), ids);
}

// rows: K01
#[tokio::test]
async fn bytes_lie_under_their_version() {
    let folder = TempDir::new().unwrap();
    let stage = Stage::on_disk(folder.path()).await;
    stage.bucket("files", false).await;
    let _ = stage.upload(Who::Service, "files/..%2F..%2Fname", "bytes").await.ok();
    let version = stage.text("select version from storage.objects").await;
    let path = folder.path().join(id(&stage).await).join("objects").join(&version[..2]).join(&version);
    assert_eq!(fs::read_to_string(&path).unwrap(), "bytes");
}

// rows: K08
#[tokio::test]
async fn an_emptied_back_end_is_marked_again() {
    let folder = TempDir::new().unwrap();
    let stage = Stage::on_disk(folder.path()).await;
    let own = folder.path().join(id(&stage).await);
    fs::remove_dir_all(&own).unwrap();
    Stage::on_disk_with(Arc::clone(stage.database()), folder.path()).await;
    assert_eq!(names(&own), ["stack", "tmp"]);
}

// rows: K08 K10
#[tokio::test]
async fn without_the_mark_requests_are_served_and_nothing_is_removed() {
    let folder = TempDir::new().unwrap();
    let stage = Stage::on_disk(folder.path()).await;
    stage.bucket("files", false).await;
    let _ = stage.upload(Who::Service, "files/a", "bytes").await.ok();
    let own = folder.path().join(id(&stage).await);
    let orphan = own.join("objects/00/00000000-0000-4000-8000-000000000001");
    fs::create_dir_all(orphan.parent().unwrap()).unwrap();
    fs::write(&orphan, "orphan").unwrap();
    for mark in [None, Some("00000000-0000-4000-8000-000000000002")] {
        fs::remove_file(own.join("stack")).ok();
        mark.inspect(|mark| fs::write(own.join("stack"), mark).unwrap());
        let stage = Stage::on_disk_with(Arc::clone(stage.database()), folder.path()).await;
        assert_eq!(stage.get_by(Who::Service, "/object/files/a").await.text(), "bytes");
        let swept = sweep_now(&stage.state, tomorrow()).await.unwrap();
        assert_eq!((swept.orphans, swept.discarded), (1, 0), "{mark:?}");
        assert!(orphan.exists());
    }
}

// rows: K08
#[tokio::test]
async fn another_database_takes_no_bytes_for_orphans() {
    let folder = TempDir::new().unwrap();
    let first = Stage::on_disk(folder.path()).await;
    first.bucket("files", false).await;
    let _ = first.upload(Who::Service, "files/a", "bytes").await.ok();
    let second = Stage::on_disk(folder.path()).await;
    let swept = sweep_now(&second.state, tomorrow()).await.unwrap();
    assert_eq!((swept.blobs, swept.orphans), (0, 0));
    // The wrong database under a service that runs.
    first.sql("update _banyan.storage_stack set id = gen_random_uuid()").await;
    first.sql("set storage.allow_delete_query = 'true'; truncate storage.objects").await;
    let swept = sweep_now(&first.state, tomorrow()).await.unwrap();
    assert_eq!((swept.orphans, swept.discarded), (1, 0));
}

// rows: K11
#[tokio::test]
async fn a_reset_keeps_the_stack_and_trashes_its_bytes() {
    let folder = TempDir::new().unwrap();
    let stage = Stage::on_disk(folder.path()).await;
    stage.bucket("files", false).await;
    for number in 0..30 {
        let _ = stage.upload(Who::Service, &format!("files/{number}"), "bytes").await.ok();
    }
    let own = folder.path().join(id(&stage).await);
    let later = tomorrow() - Duration::hours(24);
    let kept = KeptStack::before_reset(&stage.config().storage, stage.database(), later).await.unwrap();
    let anew = database().await;
    kept.unwrap().after_reset(&stage.config().storage, &anew).await.unwrap();
    let stage = Stage::on_disk_with(anew, folder.path()).await;
    assert_eq!(names(folder.path()).len(), 1);
    let swept = sweep_now(&stage.state, tomorrow()).await.unwrap();
    assert_eq!((swept.orphans, swept.discarded), (30, 30));
    assert_eq!(names(&own.join("trash")), [tomorrow().date().to_string()]);
}

/// How a dump holds a table, and how it is restored.
const DUMPED: [(&str, &str); 3] = [
    (
        "select jsonb_agg(t)::text from _banyan.storage_stack as t",
        "insert into _banyan.storage_stack select * from jsonb_populate_recordset(null::_banyan.storage_stack, $1::jsonb)",
    ),
    (
        "select jsonb_agg(t)::text from storage.buckets as t",
        "insert into storage.buckets select * from jsonb_populate_recordset(null::storage.buckets, $1::jsonb)",
    ),
    (
        "select jsonb_agg(t)::text from storage.objects as t",
        "insert into storage.objects (id, bucket_id, name, metadata, version)
         select id, bucket_id, name, metadata, version from jsonb_populate_recordset(null::storage.objects, $1::jsonb)",
    ),
];

// rows: K08 K11
#[tokio::test]
async fn a_restored_dump_finds_its_bytes_and_knows_which_are_gone() {
    let folder = TempDir::new().unwrap();
    let first = Stage::on_disk(folder.path()).await;
    first.bucket("files", false).await;
    for name in ["files/kept", "files/deleted"] {
        let _ = first.upload(Who::Service, name, "bytes").await.ok();
    }
    let anew = database().await;
    for (dump, restore) in DUMPED {
        let restored = sqlx::query(restore).bind(first.text(dump).await).execute(anew.pool(Login::Admin));
        restored.await.unwrap();
    }
    first.delete_by(Who::Service, "/object/files/deleted", json!({})).await.done();
    let restored = Stage::on_disk_with(anew, folder.path()).await;
    assert_eq!(restored.get_by(Who::Service, "/object/files/kept").await.text(), "bytes");
    let swept = sweep_now(&restored.state, tomorrow()).await.unwrap();
    assert_eq!((swept.blobs, swept.orphans, swept.missing), (1, 0, 1));
}

// rows: K11 B6 M05
#[tokio::test]
async fn a_reset_turns_on_again_what_the_settings_ask_for() {
    let folder = TempDir::new().unwrap();
    let stage = Stage::on_disk(folder.path()).await;
    let mut config = stage.config().storage.clone();
    (config.quota_per_user, config.webhook_url) = (Some(10), Some("http://localhost/".parse().unwrap()));
    let kept = KeptStack::before_reset(&config, stage.database(), tomorrow()).await.unwrap().unwrap();
    for is_on in [true, false] {
        kept.after_reset(&config, stage.database()).await.unwrap();
        let on = "select count(*) filter (where _banyan.storage_is_on(what)) from unnest(array['usage', 'events']) what";
        assert_eq!(stage.number(on).await, if is_on { 2 } else { 0 });
        (config.quota_per_user, config.webhook_url) = (None, None);
    }
}

// rows: K11
#[tokio::test]
async fn a_database_without_a_stack_has_nothing_to_keep() {
    let (database, folder) = (database().await, TempDir::new().unwrap());
    let mut config = banyan_testkit::config();
    config.storage.backend = StorageBackend::Disk { folder: folder.path().to_owned() };
    let kept = KeptStack::before_reset(&config.storage, &database, tomorrow()).await.unwrap();
    assert!(kept.is_none());
    assert_eq!(names(folder.path()).len(), 0);
}
