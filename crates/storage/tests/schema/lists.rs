use std::collections::BTreeMap;

use banyan_db::{Database, Login};
use banyan_testkit::{TestDatabase, platform_database};
use serde_json::Value;

use super::{as_anon, as_asha, as_service, begin, run, texts};
use crate::support::ASHA;

/// Names that lists get wrong easily: characters around the slash, wildcards, case, empty parts.
const NAMES: [&str; 26] = [
    "A/w",
    "B/q",
    "Z.txt",
    "a",
    "a!",
    "a-1",
    "a.txt",
    "a/",
    "a/x",
    "a/y/z",
    "a0",
    "b.txt",
    "c//d",
    "c/e",
    "c/e/f",
    "c/é.png",
    "100%/x",
    "100_/y",
    "1000",
    "100a/z",
    "back\\slash",
    "it's",
    "z",
    "zz/top",
    "zz/Top2",
    "é/x",
];

async fn with_names() -> TestDatabase {
    let database = platform_database().await;
    run(
        &database,
        Login::Admin,
        "insert into storage.buckets (id, name) values ('b', 'b'), ('other', 'other')",
    )
    .await
    .expect("made");
    sqlx::query(
        "insert into storage.objects (bucket_id, name, created_at, updated_at, last_accessed_at)
         select bucket, name, '2024-01-01'::timestamptz + place * 7 % 5 * interval '1 hour',
             '2024-02-01'::timestamptz + place * 3 % 7 * interval '1 hour', '2024-03-01'::timestamptz - place * interval '1 hour'
         from unnest($1::text[]) with ordinality as of_name (name, place), unnest(array['b', 'other']) as bucket",
    )
    .bind(&NAMES[..])
    .execute(database.pool(Login::Admin))
    .await
    .expect("inserted");
    database
}

/// One level by hand: objects as they are, folders with a slash, in the order of `key`.
fn level(prefix: &str, key: impl Fn(&str) -> String) -> Vec<String> {
    let mut found = BTreeMap::new();
    for name in NAMES {
        let folded = key(name);
        let Some(rest) = folded.strip_prefix(&key(prefix)) else { continue };
        let entry = match rest.split_once('/') {
            Some((folder, _)) => key(prefix) + folder + "/",
            None => folded,
        };
        found.insert(entry.clone(), entry);
    }
    found.into_values().collect()
}

/// What `storage.search` gives, folders with a slash, in lower case.
async fn search(database: &Database, arguments: &str) -> Vec<String> {
    let sql = format!(
        "select lower(name) || case when id is null then '/' else '' end from storage.search({arguments})
         with ordinality order by ordinality"
    );
    as_service(database, &sql).await.expect(&sql)
}

// rows: Q12
#[tokio::test]
async fn a_search_by_name_gives_one_level_without_regard_to_case() {
    let database = with_names().await;
    for prefix in ["", "a/", "A/", "c/", "c//", "zz/", "nowhere/"] {
        for search_for in ["", "a", "A", "100", "100%", "100_", "é", "y/", "it''s", "back\\", "t"] {
            let below = format!("{prefix}{}", search_for.replace("''", "'"));
            let relative = |entry: &String| entry[prefix.len()..].to_owned();
            let mut expected: Vec<_> = level(&below, str::to_lowercase).iter().map(relative).collect();
            let ascending = format!("'{prefix}', 'b', search => '{search_for}'");
            assert_eq!(search(&database, &ascending).await, expected, "{ascending}");
            expected.reverse();
            let descending = format!("{ascending}, sortorder => 'desc'");
            assert_eq!(search(&database, &descending).await, expected, "{descending}");
        }
    }
    assert_eq!(search(&database, "'', 'nowhere'").await, [""; 0]);
}

// rows: Q12
#[tokio::test]
async fn pages_of_a_search_are_parts_of_the_whole() {
    let database = with_names().await;
    for order in ["asc", "desc"] {
        for column in ["name", "created_at"] {
            let sorted = format!("sortorder => '{order}', sortcolumn => '{column}'");
            let whole = search(&database, &format!("'', 'b', {sorted}")).await;
            for size in [1, 3, 7] {
                let mut pages = Vec::new();
                for offset in (0..=whole.len()).step_by(size) {
                    let page = search(&database, &format!("'', 'b', {size}, 1, {offset}, {sorted}")).await;
                    assert!(page.len() <= size);
                    pages.extend(page);
                }
                assert_eq!(pages, whole, "{sorted} by {size}");
            }
        }
    }
    assert_eq!(search(&database, "'', 'b', 0").await, [""; 0]);
    assert_eq!(
        search(&database, "null, 'b', null, null, null, null, null, null").await,
        search(&database, "'', 'b'").await
    );
}

// rows: Q12
#[tokio::test]
async fn a_search_by_time_gives_folders_first_and_then_objects_by_time() {
    let database = with_names().await;
    for column in ["created_at", "updated_at", "last_accessed_at"] {
        for (order, sign) in [("asc", 1), ("desc", -1)] {
            let sql = format!(
                "select concat_ws('|', case when id is null then 'folder' else 'object' end,
                    case when id is null then name end, {sign} * extract(epoch from {column})::bigint)
                 from storage.search('', 'b', sortcolumn => '{column}', sortorder => '{order}') with ordinality
                 order by ordinality"
            );
            let rows = as_service(&database, &sql).await.expect(&sql);
            let (folders, objects): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.starts_with("folder"));
            assert_eq!([folders.clone(), objects.clone()].concat(), rows.iter().collect::<Vec<_>>());
            assert_eq!((folders.len(), objects.len()), (8, 11));
            let times: Vec<i64> =
                objects.iter().map(|row| row["object|".len()..].parse().expect("a time")).collect();
            assert!(times.is_sorted(), "{column} {order}: {times:?}");
            let mut names: Vec<_> = folders.iter().map(|row| row.to_lowercase()).collect();
            if sign < 0 {
                names.reverse();
            }
            assert!(names.is_sorted(), "{names:?}");
        }
    }
}

/// What `storage.list_objects_with_delimiter` gives, folders with the delimiter.
async fn list(database: &Database, arguments: &str, delimiter: &str) -> Vec<String> {
    let sql = format!(
        "select name || case when id is null then '{delimiter}' else '' end
         from storage.list_objects_with_delimiter({arguments}) with ordinality order by ordinality"
    );
    as_service(database, &sql).await.expect(&sql)
}

// rows: Q12 L12 L14
#[tokio::test]
async fn a_list_with_a_delimiter_gives_folders_once_and_its_pages_lose_nothing() {
    let database = with_names().await;
    for prefix in ["", "a", "a/", "c/", "c//", "z", "100", "nowhere"] {
        let mut expected = level(prefix, str::to_owned);
        for order in ["asc", "desc"] {
            let whole =
                list(&database, &format!("'b', '{prefix}', '/', 1000, sort_order => '{order}'"), "/").await;
            assert_eq!(whole, expected, "{prefix} {order}");
            for size in [1, 2, 5] {
                let mut pages: Vec<String> = Vec::new();
                loop {
                    let after = pages.last().cloned().unwrap_or_default().replace('\'', "''");
                    let page = format!("'b', '{prefix}', '/', {size}, '', '{after}', '{order}'");
                    let page = list(&database, &page, "/").await;
                    if page.is_empty() {
                        break;
                    }
                    pages.extend(page);
                }
                assert_eq!(pages, expected, "{prefix} {order} by {size}");
            }
            expected.reverse();
        }
    }
}

// rows: Q12
#[tokio::test]
async fn a_list_takes_any_delimiter_none_and_a_place_to_start() {
    let database = with_names().await;
    let mut all: Vec<_> = NAMES.map(str::to_owned).to_vec();
    all.sort();
    assert_eq!(list(&database, "'b', '', '', 1000", "").await, all);
    assert_eq!(list(&database, "'b', 'c', '//', 1000", "//").await, ["c//", "c/e", "c/e/f", "c/é.png"]);
    // A folder may be given as it is listed: the page begins after it.
    assert_eq!(list(&database, "'b', '', '/', 2, 'c'", "/").await, ["it's", "z"]);
    assert_eq!(list(&database, "'b', '', '/', 2, 'b'", "/").await, ["b.txt", "back\\slash"]);
    // By the token an object is told from the folder of its name.
    assert_eq!(list(&database, "'b', '', '/', 2, '', 'a'", "/").await, ["a!", "a-1"]);
    assert_eq!(list(&database, "'b', '', '/', 2, '', 'a/'", "/").await, ["a0", "b.txt"]);
    // Before the prefix is at its beginning.
    assert_eq!(list(&database, "'b', 'z', '/', 2, '', 'a'", "/").await, ["z", "zz/"]);
}

// rows: Q12 L11
#[tokio::test]
async fn the_second_version_gives_whole_names_and_the_part_at_the_level() {
    let database = with_names().await;
    let sql = "select concat_ws('|', key, name, id is null) from storage.search_v2('c/', 'b', 10, 2)";
    assert_eq!(
        as_service(&database, sql).await.expect("listed"),
        ["|c/|t", "e|c/e|f", "e|c/e|t", "é.png|c/é.png|f"]
    );
    for (column, order) in
        [("created_at", "asc"), ("created_at", "desc"), ("updated_at", "asc"), ("updated_at", "desc")]
    {
        let entry = |row: &str| format!("concat_ws('|', {row}.name, {row}.id is null, {row}.{column})");
        let page = |size: usize, after: &str, time: &str| {
            format!(
                "select {} from storage.search_v2('', 'b', {size}, 1, '{after}', '{order}', '{column}', '{time}')
                 with ordinality as l order by l.ordinality",
                entry("l"),
            )
        };
        let whole = as_service(&database, &page(1000, "", "")).await.expect("listed");
        assert_eq!(whole.len(), 20);
        let mut pages: Vec<String> = Vec::new();
        loop {
            let last = pages.last().cloned().unwrap_or_default().replace('\'', "''");
            let mut parts = last.split('|');
            let (after, time) = (parts.next().unwrap_or_default(), parts.nth(1).unwrap_or_default());
            let rows = as_service(&database, &page(4, after, time)).await.expect("listed");
            if rows.is_empty() {
                break;
            }
            pages.extend(rows);
        }
        assert_eq!(pages, whole, "{column} {order}");
    }
}

// rows: Q12 X08
#[tokio::test]
async fn unfinished_uploads_are_listed_by_key_and_age() {
    let database = platform_database().await;
    let rows = "insert into storage.buckets (id, name) values ('b', 'b');
        insert into storage.s3_multipart_uploads (id, upload_signature, bucket_id, key, version, created_at)
        select 'u' || place, '', 'b', key, '', '2024-01-01'::timestamptz - place * interval '1 hour'
        from unnest(array['a', 'a', 'a/x', 'a/y', 'b', 'c/z']) with ordinality as of_key (key, place)";
    run(&database, Login::Admin, rows).await.expect("made");
    let page = |delimiter: &str, size: usize, key: &str, id: &str| {
        format!(
            "select concat_ws(' ', key, id)
             from storage.list_multipart_uploads_with_delimiter('b', '', '{delimiter}', {size}, '{key}', '{id}')"
        )
    };
    let by = async |delimiter, size, key, id| {
        as_service(&database, &page(delimiter, size, key, id)).await.expect("listed")
    };
    assert_eq!(by("/", 10, "", "").await, ["a u2", "a u1", "a/", "b u5", "c/"]);
    assert_eq!(by("", 10, "", "").await, ["a u2", "a u1", "a/x u3", "a/y u4", "b u5", "c/z u6"]);
    assert_eq!(by("/", 2, "a", "u2").await, ["a u1", "a/"]);
    assert_eq!(by("/", 2, "a", "").await, ["a/", "b u5"]);
    assert_eq!(by("/", 2, "a/", "").await, ["b u5", "c/"]);
    assert_eq!(as_anon(&database, &page("/", 10, "", "")).await, Ok(vec![]));
}

// rows: Q12 L07
#[tokio::test]
async fn a_list_shows_what_policies_show() {
    let database = with_names().await;
    let policy =
        "create policy below_c on storage.objects for select to authenticated using (name like 'c/e%')";
    run(&database, Login::Postgres, policy).await.expect("made");
    for listed in [
        "storage.search('', 'b')",
        "storage.search('', 'b', sortcolumn => 'created_at')",
        "storage.search_v2('', 'b')",
    ] {
        let sql = format!("select name from {listed}");
        assert_eq!(as_asha(&database, &sql).await, Ok(vec!["c".to_owned()]), "{sql}");
        assert_eq!(as_anon(&database, &sql).await, Ok(vec![]), "{sql}");
    }
    let below = "select name from storage.search('c/', 'b')";
    assert_eq!(as_asha(&database, below).await, Ok(vec!["e".to_owned(), "e".to_owned()]));
}

/// Pages of memory that a statement touches, once its plans are made.
async fn buffers(database: &Database, sql: &str) -> u64 {
    let mut transaction = begin(database, "authenticated", ASHA).await;
    let explain = format!("explain (analyze, buffers, timing off, format json) {sql}");
    let mut touched = 0;
    for _ in 0..3 {
        let plan: Value = sqlx::query_scalar(sqlx::AssertSqlSafe(explain.clone()))
            .fetch_one(&mut *transaction)
            .await
            .expect(sql);
        let of = |kind: &str| plan[0]["Plan"][kind].as_u64().expect("a number");
        touched = of("Shared Hit Blocks") + of("Shared Read Blocks");
    }
    touched
}

// rows: L14 Q12
#[tokio::test]
async fn a_page_touches_no_more_of_a_large_bucket_than_of_a_small_one() {
    let database = platform_database().await;
    let rows = "insert into storage.buckets (id, name) values ('large', 'large'), ('small', 'small');
        insert into storage.objects (bucket_id, name)
        select 'large', 'flat/' || g from generate_series(1, 20000) as g
        union all select 'large', format('deep/%s/%s', g % 40, g) from generate_series(1, 20000) as g
        union all select 'small', 'flat/' || g from generate_series(1, 30) as g
        union all select 'small', format('deep/%s/%s', g % 40, g) from generate_series(1, 40) as g;
        create policy all_of_it on storage.objects for select to authenticated
        using ((storage.foldername(name))[1] in ('flat', 'deep'))";
    run(&database, Login::Postgres, rows).await.expect("made");
    for list in [
        "storage.search('flat/', '{}', 20)",
        "storage.search('flat/', '{}', 20, sortorder => 'desc')",
        "storage.search('deep/', '{}', 20)",
        "storage.search('deep/', '{}', 20, sortorder => 'desc')",
        "storage.search('', '{}', 20, search => 'fl')",
        "storage.search_v2('flat/', '{}', 20, 2, 'flat/15')",
        "storage.search_v2('flat/', '{}', 20, 2, 'flat/25', 'desc')",
        "storage.search_v2('deep/', '{}', 20, 2, 'deep/15')",
        "storage.list_objects_with_delimiter('{}', '', '/', 20)",
        "storage.list_objects_with_delimiter('{}', '', '', 20, '', 'flat/15')",
    ] {
        let of = async |bucket: &str| {
            buffers(&database, &format!("select * from {}", list.replace("{}", bucket))).await
        };
        let (small, large) = (of("small").await, of("large").await);
        assert!(large <= 3 * small + 20 && large < 300, "{list}: {small} and {large}");
    }
}

// rows: Q12
#[tokio::test]
async fn names_that_differ_in_case_alone_are_all_listed() {
    let database = platform_database().await;
    let rows = "insert into storage.buckets (id, name) values ('b', 'b');
        insert into storage.objects (bucket_id, name) select 'b', name
        from unnest(array['A.txt', 'a.txt', 'Dir/x', 'dir/y', 'Z']) as name";
    run(&database, Login::Admin, rows).await.expect("made");
    let searched = "select name || case when id is null then '/' else '' end from storage.search('', 'b')";
    let mut names = as_service(&database, searched).await.expect("listed");
    assert_eq!(names.len(), 4, "{names:?}");
    names[..2].sort();
    assert_eq!(names[..2], ["A.txt", "a.txt"]);
    assert_eq!(names[2].to_lowercase(), "dir/");
    let both = texts(&database, "select name from storage.search('DIR/', 'b')").await;
    assert_eq!(both, ["x", "y"]);
}
