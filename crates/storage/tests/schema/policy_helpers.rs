use banyan_db::Login;
use banyan_testkit::platform_database;

use super::{as_asha, run, texts};

// rows: Q11
#[tokio::test]
async fn parts_of_names_are_those_of_the_reference() {
    let database = platform_database().await;
    for (name, folders, file, extension) in [
        ("a/b/c.png", "{a,b}", "c.png", "png"),
        ("c.tar.gz", "{}", "c.tar.gz", "gz"),
        ("README", "{}", "README", "README"),
        ("a.b/c", "{a.b}", "c", "c"),
        ("a//b", "{a,\"\"}", "b", "b"),
        ("a/", "{a}", "", ""),
        ("", "null", "null", "null"),
    ] {
        let parts = format!(
            "select unnest(array[storage.foldername('{name}')::text, storage.filename('{name}'),
                storage.extension('{name}')])"
        );
        assert_eq!(texts(&database, &parts).await, [folders, file, extension], "{name}");
    }
    let changeable = "select proname::text from pg_proc where pronamespace = 'storage'::regnamespace
        and proname in ('foldername', 'filename', 'extension') and provolatile <> 'i'";
    assert_eq!(texts(&database, changeable).await, [""; 0]);
}

// rows: Q12
#[tokio::test]
async fn the_common_prefix_is_the_next_folder_with_its_delimiter() {
    let database = platform_database().await;
    for (key, prefix, delimiter, folder) in [
        ("data/tenant/file.txt", "data/", "/", "data/tenant/"),
        ("data/tenant/", "data/", "/", "data/tenant/"),
        ("data/file.txt", "data/", "/", "null"),
        ("data/a/b", "da", "/", "data/"),
        ("a//b", "a/", "/", "a//"),
        ("ab--cd--e", "ab--", "--", "ab--cd--"),
        ("a/b", "", "", "null"),
    ] {
        let asked = format!("select storage.get_common_prefix('{key}', '{prefix}', '{delimiter}')");
        assert_eq!(texts(&database, &asked).await, [folder], "{asked}");
    }
}

// rows: Q13 R07
#[tokio::test]
async fn policies_may_ask_what_the_request_does() {
    let database = platform_database().await;
    for (operation, expected) in [
        ("storage.object.upload", ["true", "true", "false", "true", "false"]),
        ("object.upload", ["true", "true", "false", "true", "false"]),
        ("storage.object.list", ["false", "false", "false", "true", "false"]),
        ("", ["false", "false", "false", "false", "false"]),
    ] {
        let asked = format!(
            "select unnest(array[
                storage.allow_only_operation('object.upload'), storage.allow_only_operation('storage.object.upload'),
                storage.allow_only_operation(''),
                storage.allow_any_operation(array['storage.object.list', null, 'object.upload']),
                storage.allow_any_operation(array[]::text[])
            ])::text from (select set_config('storage.operation', '{operation}', true) offset 0) as of_request"
        );
        assert_eq!(texts(&database, &asked).await, expected, "{operation}");
    }
    assert_eq!(
        texts(&database, "select storage.operation() from set_config('storage.operation', 'x', true)").await,
        ["x"]
    );
}

// rows: Q13
#[tokio::test]
async fn a_caller_may_ask_whether_he_may_insert_and_nothing_is_inserted() {
    let database = platform_database().await;
    let rows = "insert into storage.buckets (id, name) values ('b', 'b');
        create policy own on storage.objects for insert to authenticated with check (name like 'mine%')";
    run(&database, Login::Postgres, rows).await.expect("made");
    let asked = |name: &str| format!("select storage.can_insert_object('b', '{name}', null, '{{}}')::text");
    assert_eq!(as_asha(&database, &asked("mine")).await, Err("PT200".to_owned()));
    assert_eq!(as_asha(&database, &asked("other")).await, Err("42501".to_owned()));
    assert_eq!(texts(&database, "select count(*)::text from storage.objects").await, ["0"]);
}
