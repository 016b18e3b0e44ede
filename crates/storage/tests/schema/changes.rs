use banyan_config::StorageBackend;
use banyan_db::{
    Login,
    listen::{Notice, Notifications},
};
use banyan_testkit::{TestDatabase, platform_database};
use rand::{SeedableRng, rngs::StdRng};
use serde_json::{Value, json};

use super::{as_anon, as_asha, as_service, begin, run, sqlstate, texts};
use crate::support::ASHA;

const BUCKETS: &str = "insert into storage.buckets (id, name) values ('b', 'b'), ('c', 'c')";
const GARBAGE: &str = "select version::text from _banyan.storage_garbage order by version";

async fn with_buckets() -> TestDatabase {
    let database = platform_database().await;
    run(&database, Login::Postgres, BUCKETS).await.expect("made");
    database
}

/// The version of a number.
fn version(number: u128) -> String {
    uuid::Uuid::from_u128(number).to_string()
}

fn insert(name: &str, number: u128) -> String {
    format!(
        "insert into storage.objects (bucket_id, name, version) values ('b', '{name}', '{}')",
        version(number)
    )
}

// rows: K03
#[tokio::test]
async fn a_version_that_was_replaced_or_deleted_is_queued_with_the_change() {
    let database = with_buckets().await;
    for (name, number) in [("a", 1), ("b", 2), ("c", 3)] {
        run(&database, Login::Postgres, &insert(name, number)).await.expect("inserted");
    }
    assert_eq!(texts(&database, GARBAGE).await, [""; 0]);
    let upsert =
        format!("{} on conflict (bucket_id, name) do update set version = excluded.version", insert("a", 4));
    run(&database, Login::Postgres, &upsert).await.expect("replaced");
    assert_eq!(texts(&database, GARBAGE).await, [version(1)]);
    for kept in
        ["update storage.objects set metadata = '{}'", "update storage.objects set name = name || '/moved'"]
    {
        run(&database, Login::Postgres, kept).await.expect(kept);
    }
    assert_eq!(texts(&database, GARBAGE).await, [version(1)]);
    let delete =
        "set local storage.allow_delete_query = 'true'; delete from storage.objects where name <> 'b/moved'";
    run(&database, Login::Postgres, &format!("begin; {delete}; rollback")).await.expect("taken back");
    assert_eq!(texts(&database, GARBAGE).await, [version(1)]);
    run(&database, Login::Postgres, &format!("begin; {delete}; commit")).await.expect("deleted");
    assert_eq!(texts(&database, GARBAGE).await, [version(1), version(3), version(4)]);
}

// rows: K03
#[tokio::test]
async fn a_version_that_another_object_has_or_that_is_no_uuid_is_not_queued() {
    let database = with_buckets().await;
    let rows = format!(
        "{}; {}; insert into storage.objects (bucket_id, name, version)
         values ('b', 'c', '1'), ('b', 'd', null), ('b', 'e', '{{{}}}')",
        insert("a", 1),
        insert("b", 1),
        version(9)
    );
    run(&database, Login::Postgres, &rows).await.expect("inserted");
    run(&database, Login::Postgres, "update storage.objects set version = 'x' where name <> 'a'")
        .await
        .expect("replaced");
    assert_eq!(texts(&database, GARBAGE).await, [""; 0]);
    run(&database, Login::Postgres, "update storage.objects set version = 'x'").await.expect("replaced");
    assert_eq!(texts(&database, GARBAGE).await, [version(1)]);
}

// rows: K03
#[tokio::test]
async fn what_users_and_restored_dumps_delete_is_queued_too() {
    let database = with_buckets().await;
    let rows = format!("{}; {}; {}", insert("a", 1), insert("b", 2), insert("c", 3));
    run(&database, Login::Postgres, &rows).await.expect("inserted");
    let policy =
        "create policy of_a on storage.objects to authenticated using (name = 'a') with check (true)";
    run(&database, Login::Postgres, policy).await.expect("made");
    let delete = "delete from storage.objects returning name";
    assert_eq!(as_anon(&database, delete).await, Ok(vec![]));
    assert_eq!(texts(&database, GARBAGE).await, [""; 0]);
    assert_eq!(as_asha(&database, delete).await, Ok(vec!["a".to_owned()]));
    let as_a_dump = "begin; set local session_replication_role = replica; delete from storage.objects where name = 'b'; commit";
    run(&database, Login::Postgres, as_a_dump).await.expect("deleted");
    assert_eq!(as_service(&database, delete).await, Ok(vec!["c".to_owned()]));
    assert_eq!(texts(&database, GARBAGE).await, [version(1), version(2), version(3)]);
}

// rows: K03
#[tokio::test]
async fn a_change_of_one_object_does_not_read_all_after_a_change_of_many() {
    let database = with_buckets().await;
    let rows = "insert into storage.objects (bucket_id, name, version)
        select 'b', 'o' || g, gen_random_uuid() from generate_series(1, 5000) as g";
    run(&database, Login::Postgres, rows).await.expect("inserted");
    let mut transaction = begin(&database, "service_role", ASHA).await;
    let mut touched = Vec::new();
    for names in ["name like 'o1%'", "name = 'o2'"] {
        let sql = format!(
            "update storage.objects set version = gen_random_uuid() where bucket_id = 'b' and {names}"
        );
        sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&mut *transaction).await.expect("updated");
        // Rows that scans of the whole table read.
        let read = "select pg_stat_get_xact_tuples_returned('storage.objects'::regclass)";
        touched.push(sqlx::query_scalar::<_, i64>(read).fetch_one(&mut *transaction).await.expect("counted"));
    }
    assert!(touched[1] - touched[0] < 100, "{touched:?}");
}

/// The payloads of some notices.
async fn payloads(notices: &mut Notifications, count: usize) -> Vec<Value> {
    let mut read = Vec::new();
    while read.len() < count {
        match notices.next().await {
            Notice::Payload(payload) => read.push(serde_json::from_str(&payload).expect("JSON")),
            other => panic!("{other:?}"),
        }
    }
    read
}

// rows: K07
#[tokio::test]
async fn every_node_is_told_once_of_what_a_statement_changed() {
    let database = platform_database().await;
    let mut notices = database.listen("banyan_storage");
    assert!(matches!(notices.next().await, Notice::Connected));
    for statement in [
        BUCKETS,
        "update storage.buckets set public = true where id = 'c'",
        // An object that is new is in no cache.
        "insert into storage.objects (bucket_id, name) select id, names.name from storage.buckets,
         unnest(array['x', 'y \"', 'क']) as names (name)",
        "insert into storage.objects (bucket_id, name) values ('b', 'new')
         on conflict (bucket_id, name) do update set version = 'v'",
        "update storage.objects set version = 'v' where name = 'nothing'",
        "update storage.objects set version = 'v' where name = 'x' and bucket_id = 'b'",
        "update storage.objects set name = 'क2' where name = 'क'",
        "begin; update storage.objects set version = 'w'; rollback",
        "begin; set local storage.allow_delete_query = 'true'; delete from storage.objects where bucket_id = 'c'; commit",
        "truncate storage.objects",
        "begin; set local storage.allow_delete_query = 'true'; delete from storage.buckets where id = 'c'; commit",
    ] {
        run(&database, Login::Postgres, statement).await.expect(statement);
    }
    assert_eq!(
        payloads(&mut notices, 7).await,
        [
            json!({"buckets": {"b": null, "c": null}}),
            json!({"buckets": {"c": null}}),
            json!({"objects": {"b": ["x"]}}),
            json!({"objects": {"b": ["क", "क2"], "c": ["क", "क2"]}}),
            json!({"objects": {"c": ["x", "y \"", "क2"]}}),
            json!({"objects": null}),
            json!({"buckets": {"c": null}}),
        ]
    );
}

// rows: K07
#[tokio::test]
async fn a_notice_that_is_too_long_names_the_bucket_alone() {
    let database = with_buckets().await;
    let rows = "insert into storage.objects (bucket_id, name)
        select 'b', g || repeat('x', 400) from generate_series(1, 30) as g
        union all select 'c', 'n' || g from generate_series(1, 101) as g;
        insert into storage.buckets (id, name) select repeat('k', 95) || g, repeat('k', 95) || g from generate_series(1, 100) as g;
        insert into storage.objects (bucket_id, name) select id, 'n' from storage.buckets where id like 'k%'";
    run(&database, Login::Postgres, rows).await.expect("made");
    let mut notices = database.listen("banyan_storage");
    assert!(matches!(notices.next().await, Notice::Connected));
    for statement in [
        "update storage.objects set version = 'v' where bucket_id = 'b'",
        "update storage.objects set version = 'v' where bucket_id = 'c'",
        "update storage.objects set version = 'v' where bucket_id like 'k%'",
        "update storage.buckets set public = true",
    ] {
        run(&database, Login::Postgres, statement).await.expect(statement);
    }
    assert_eq!(
        payloads(&mut notices, 4).await,
        [
            json!({"objects": {"b": null}}),
            json!({"objects": {"c": null}}),
            json!({"objects": null}),
            json!({"buckets": null}),
        ]
    );
}

const USAGE: &str = "select concat_ws(' ', owner_id, bytes) from _banyan.storage_usage order by 1";

async fn set_usage(database: &TestDatabase, counted: bool) {
    let sql = format!("select _banyan.storage_set_usage({counted})");
    run(database, Login::StorageAdmin, &sql).await.expect("set");
}

fn sized(name: &str, owner: &str, metadata: &str) -> String {
    format!(
        "insert into storage.objects (bucket_id, name, owner_id, metadata) values ('b', '{name}', '{owner}', '{metadata}')
         on conflict (bucket_id, name) do update set owner_id = excluded.owner_id, metadata = excluded.metadata"
    )
}

// rows: B6
#[tokio::test]
async fn usage_is_counted_from_when_it_is_asked_for_until_it_is_not() {
    let database = with_buckets().await;
    run(&database, Login::Postgres, &sized("a", "asha", r#"{"size": 10}"#)).await.expect("made");
    assert_eq!(texts(&database, USAGE).await, [""; 0]);
    set_usage(&database, true).await;
    set_usage(&database, true).await;
    assert_eq!(texts(&database, USAGE).await, ["asha 10"]);
    for (statement, usage) in [
        (sized("b", "asha", r#"{"size": 5}"#), vec!["asha 15"]),
        (sized("b", "asha", r#"{"size": 7}"#), vec!["asha 17"]),
        (sized("b", "ravi", r#"{"size": 7}"#), vec!["asha 10", "ravi 7"]),
        (sized("c", "ravi", r#"{"size": "many"}"#), vec!["asha 10", "ravi 7"]),
        (sized("c", "ravi", r#"{"size": -4}"#), vec!["asha 10", "ravi 7"]),
        (sized("c", "ravi", r#"{"contentLength": 3}"#), vec!["asha 10", "ravi 10"]),
        ("update storage.objects set version = 'v'".to_owned(), vec!["asha 10", "ravi 10"]),
        ("insert into storage.objects (bucket_id, name) values ('b', 'nobody''s')".to_owned(), vec!["asha 10", "ravi 10"]),
        (
            "begin; set local storage.allow_delete_query = 'true'; delete from storage.objects where name = 'b'; commit".to_owned(),
            vec!["asha 10", "ravi 3"],
        ),
        ("truncate storage.objects".to_owned(), vec![]),
    ] {
        run(&database, Login::Postgres, &statement).await.expect(&statement);
        assert_eq!(texts(&database, USAGE).await, usage, "{statement}");
    }
    run(&database, Login::Postgres, &sized("d", "asha", r#"{"size": 1}"#)).await.expect("made");
    set_usage(&database, false).await;
    assert_eq!(texts(&database, USAGE).await, [""; 0]);
    run(&database, Login::Postgres, &sized("e", "asha", r#"{"size": 1}"#)).await.expect("made");
    assert_eq!(texts(&database, USAGE).await, [""; 0]);
}

// rows: B6
#[tokio::test]
async fn a_change_that_adds_beyond_the_quota_is_refused_and_one_that_frees_is_not() {
    let database = with_buckets().await;
    set_usage(&database, true).await;
    let within =
        |quota: u64, statement: &str| format!("set local banyan.storage_quota = '{quota}'; {statement}");
    let of_asha = |name, size: u64| sized(name, "asha", &json!({"size": size}).to_string());
    run(&database, Login::Postgres, &within(100, &of_asha("a", 100))).await.expect("all of it");
    let error = run(&database, Login::Postgres, &within(100, &of_asha("b", 1))).await.expect_err("too much");
    assert_eq!(sqlstate(&error), "53400");
    assert_eq!(texts(&database, USAGE).await, ["asha 100"]);
    run(&database, Login::Postgres, &within(100, &sized("c", "ravi", r#"{"size": 100}"#)))
        .await
        .expect("another's quota");
    run(&database, Login::Postgres, &within(10, &of_asha("a", 50))).await.expect("less than before");
    run(&database, Login::Postgres, &of_asha("b", 1000)).await.expect("no quota is set");
    assert_eq!(texts(&database, USAGE).await, ["asha 1050", "ravi 100"]);
}

// rows: B6
#[tokio::test]
async fn a_start_begins_and_ends_the_count_as_the_settings_say() {
    let database = platform_database().await;
    let folder = tempfile::tempdir().expect("a folder");
    let mut settings = banyan_testkit::config().storage;
    settings.backend = StorageBackend::Disk { folder: folder.path().to_owned() };
    for quota in [None, Some(10), Some(20), None] {
        settings.quota_per_user = quota;
        banyan_storage::open(&settings, &database, &mut StdRng::from_os_rng()).await.expect("opened");
        let is_on = texts(&database, "select _banyan.storage_is_on('usage')::text").await;
        assert_eq!(is_on, [quota.is_some().to_string()]);
    }
}

// rows: M05
#[tokio::test]
async fn events_are_noted_with_the_change_while_a_webhook_is_set() {
    let database = with_buckets().await;
    run(&database, Login::StorageAdmin, "select _banyan.storage_set_events(true)").await.expect("set");
    for (operation, statement) in [
        ("storage.bucket.create", "insert into storage.buckets (id, name) values ('new', 'new')"),
        (
            "storage.object.upload",
            "insert into storage.objects (bucket_id, name, version) values ('b', 'a', '1')",
        ),
        ("storage.tus.upload.part", "update storage.objects set version = '2'"),
        ("storage.object.move", "update storage.objects set name = 'z'"),
        (
            "storage.object.copy",
            "insert into storage.objects (bucket_id, name, version) values ('c', 'z', '3')",
        ),
        ("storage.s3.object.upload", "update storage.objects set version = '4' where bucket_id = 'c'"),
        ("", "update storage.objects set user_metadata = '{}' where bucket_id = 'c'"),
        ("", "update storage.objects set last_accessed_at = now()"),
        ("storage.object.delete", "delete from storage.objects where bucket_id = 'c'"),
        ("storage.bucket.delete", "delete from storage.buckets where id = 'new'"),
    ] {
        let told = format!(
            "begin; set local storage.allow_delete_query = 'true'; set local storage.operation = '{operation}'; {statement}; commit"
        );
        run(&database, Login::Postgres, &told).await.expect(&told);
    }
    let events =
        "select concat_ws(' ', type, payload ->> 'bucketId', payload ->> 'name', payload ->> 'version',
        payload ->> 'uploadType', payload -> 'oldObject' ->> 'name') from _banyan.storage_events order by id";
    assert_eq!(
        texts(&database, events).await,
        [
            "Bucket:Created new",
            "ObjectCreated:Post b a 1 standard",
            "ObjectCreated:Put b a 2 resumable",
            "ObjectRemoved:Move b a 2",
            "ObjectCreated:Move b z 2 standard a",
            "ObjectCreated:Copy c z 3 standard",
            "ObjectCreated:Put c z 4 s3",
            "ObjectUpdated:Metadata c z 4",
            "ObjectRemoved:Delete c z 4",
            "Bucket:Deleted new",
        ]
    );
    let off = "select _banyan.storage_set_events(false); update storage.objects set version = '9'; truncate _banyan.storage_events";
    run(&database, Login::Admin, off).await.expect("set");
    run(&database, Login::Postgres, "update storage.objects set version = '10'").await.expect("changed");
    assert_eq!(texts(&database, events).await, [""; 0]);
}
