//! Both lists.

use serde_json::{Value, json};

use crate::support::{ASHA, OWN_FOLDER, RAVI, Stage, Who};

const SERVICE: Who = Who::Service;

/// A bucket `a` with some names, each a second younger than the one before.
async fn bucket(names: &'static str) -> Stage {
    let stage = Stage::new().await;
    stage.bucket("a", false).await;
    sqlx::query(
        "insert into storage.objects (bucket_id, name, metadata, created_at, updated_at, last_accessed_at)
         select 'a', name, '{\"size\": 1}', at, at, at
         from unnest(string_to_array($1, ' ')) with ordinality as given (name, place),
              lateral (select timestamptz '2021-02-17 04:43:30.7702+00' + place * interval '1 second') as it (at)",
    )
    .bind(names)
    .execute(stage.pool())
    .await
    .expect("rows");
    stage
}

async fn list(stage: &Stage, body: Value) -> Value {
    stage.post_by(SERVICE, "/object/list/a", body).await.ok()
}

/// The names of a list; a folder's ends in a slash.
async fn names(stage: &Stage, body: Value) -> String {
    let entries = list(stage, body).await;
    let name = |entry: &Value| {
        let name = entry["name"].as_str().expect("a name");
        if entry["id"].is_null() { format!("{name}/") } else { name.to_owned() }
    };
    entries.as_array().expect("a list").iter().map(name).collect::<Vec<_>>().join(" ")
}

// rows: L01 L02 L03 L04 C08
#[tokio::test]
async fn a_level_has_files_and_folders() {
    let stage = bucket("k/l/x k/m/n/y k/z top").await;
    for prefix in ["k", "k/"] {
        assert_eq!(names(&stage, json!({"prefix": prefix})).await, "l/ m/ z", "{prefix}");
    }
    assert_eq!(names(&stage, json!({"prefix": ""})).await, "k/ top");
    let entries = list(&stage, json!({"prefix": ""})).await;
    let folder = json!({
        "name": "k", "id": null, "updated_at": null, "created_at": null, "last_accessed_at": null,
        "metadata": null,
    });
    assert_eq!(entries[0], folder);
    let at = "2021-02-17T04:43:34.770Z";
    let id = stage.text("select id::text from storage.objects where name = 'top'").await;
    let file = json!({
        "name": "top", "id": id, "updated_at": at, "created_at": at, "last_accessed_at": at,
        "metadata": {"size": 1},
    });
    assert_eq!(entries[1], file);
}

// rows: L05
#[tokio::test]
async fn a_level_is_sorted_and_cut_into_pages() {
    let stage = bucket("b C/1 a d/2").await;
    assert_eq!(names(&stage, json!({"prefix": ""})).await, "a b C/ d/");
    let by = |column: &str, order: &str| json!({"prefix": "", "sortBy": {"column": column, "order": order}});
    assert_eq!(names(&stage, by("name", "desc")).await, "d/ C/ b a");
    assert_eq!(names(&stage, by("created_at", "asc")).await, "C/ d/ b a");
    assert_eq!(names(&stage, by("updated_at", "desc")).await, "d/ C/ a b");
    assert_eq!(names(&stage, json!({"prefix": "", "limit": 2, "offset": 1})).await, "b C/");
    assert_eq!(names(&stage, json!({"prefix": "", "offset": 9})).await, "");
    assert_eq!(names(&stage, json!({"prefix": "none"})).await, "");
    let other = stage.post_by(SERVICE, "/object/list/none", json!({"prefix": ""})).await;
    assert_eq!(other.ok(), json!([]));
    let huge = json!({"prefix": "", "limit": 9_000_000_000_u64, "offset": 0});
    assert_eq!(names(&stage, huge).await, "a b C/ d/");
}

// rows: L06
#[tokio::test]
async fn a_search_is_the_beginning_of_the_next_part() {
    let stage = bucket("k/Water.txt k/wax k/fire k/w_x/1 k/l/water").await;
    let search = |search: &str| json!({"prefix": "k", "search": search});
    assert_eq!(names(&stage, search("wa")).await, "Water.txt wax");
    assert_eq!(names(&stage, search("w_")).await, "w_x/");
    assert_eq!(names(&stage, search("%")).await, "");
    assert_eq!(names(&stage, search("l/w")).await, "l/water");
    let by_time = json!({"prefix": "k", "search": "w_", "sortBy": {"column": "created_at", "order": "asc"}});
    assert_eq!(names(&stage, by_time).await, "w_x/");
}

// rows: L07 R03 R09
#[tokio::test]
async fn lists_hold_what_policies_let_see() {
    let stage = Stage::new().await;
    stage.bucket("a", false).await;
    stage.sql(OWN_FOLDER).await;
    for who in [ASHA, RAVI] {
        assert_eq!(stage.upload(Who::User(who), &format!("a/{who}/x"), "water").await.status, 200);
    }
    let list = async |who, path: &str| stage.post_by(who, path, json!({"prefix": ""})).await.ok();
    let seen = list(Who::User(ASHA), "/object/list/a").await;
    assert_eq!((seen.as_array().unwrap().len(), &seen[0]["name"]), (1, &json!(ASHA)));
    let seen = list(Who::User(RAVI), "/object/list-v2/a").await;
    assert_eq!(seen["objects"].as_array().unwrap().len(), 1);
    assert_eq!(list(Who::Anon, "/object/list/a").await, json!([]));
    let nothing = json!({"hasNext": false, "folders": [], "objects": []});
    assert_eq!(list(Who::Anon, "/object/list-v2/a").await, nothing);
}

// rows: L10 L11 L12 C08
#[tokio::test]
async fn the_second_list_takes_any_beginning_of_names() {
    let stage = bucket("k/l/x k/lx k/m other").await;
    let list = async |body: Value| stage.post_by(SERVICE, "/object/list-v2/a", body).await.ok();
    let deep = list(json!({"prefix": "k/l"})).await;
    let objects: Vec<_> = deep["objects"].as_array().unwrap().iter().map(|object| &object["name"]).collect();
    assert_eq!((objects, &deep["folders"]), (vec![&json!("k/l/x"), &json!("k/lx")], &json!([])));
    let at = "2021-02-17T04:43:32.770Z";
    let id = stage.text("select id::text from storage.objects where name = 'k/lx'").await;
    let file = json!({
        "name": "k/lx", "id": id, "updated_at": at, "created_at": at, "last_accessed_at": at,
        "metadata": {"size": 1},
    });
    assert_eq!(deep["objects"][1], file);
    let level = list(json!({"prefix": "k/l", "with_delimiter": true})).await;
    assert_eq!(level["folders"][0]["key"], "l");
    assert_eq!(level["folders"][0]["name"], "k/l/");
    assert_eq!((&level["objects"][0]["key"], &level["objects"][0]["name"]), (&json!("lx"), &json!("k/lx")));
    assert_eq!(list(json!({"limit": 5000})).await["objects"].as_array().unwrap().len(), 4);
}

// rows: L10 L13 L14
#[tokio::test]
async fn pages_of_the_second_list_hold_each_name_once() {
    let stage = bucket("d b a/1 a/2 c/1 e").await;
    stage
        .sql("update storage.objects set created_at = date_trunc('minute', created_at) where name < 'b'")
        .await;
    for (column, order, with_delimiter) in [
        ("name", "asc", false),
        ("name", "desc", false),
        ("created_at", "asc", false),
        ("created_at", "desc", false),
        ("updated_at", "desc", false),
        ("name", "asc", true),
        ("name", "desc", true),
        ("created_at", "asc", true),
        ("created_at", "desc", true),
    ] {
        let body = |limit: u64, cursor: Value| {
            let sort = json!({"column": column, "order": order});
            json!({"limit": limit, "sortBy": sort, "with_delimiter": with_delimiter, "cursor": cursor})
        };
        let (mut met, mut cursor) = (Vec::new(), Value::from(""));
        for page in 0.. {
            assert!(page < 10, "{column} {order} has no end");
            let answer = stage.post_by(SERVICE, "/object/list-v2/a", body(1, cursor)).await.ok();
            let entries = [&answer["folders"], &answer["objects"]];
            met.extend(entries.iter().flat_map(|entries| entries.as_array().unwrap().clone()));
            if answer["hasNext"] == false {
                break;
            }
            assert!(answer["nextCursorKey"].is_string());
            cursor = answer["nextCursor"].clone();
        }
        let whole = stage.post_by(SERVICE, "/object/list-v2/a", body(100, "".into())).await.ok();
        let count = whole["folders"].as_array().unwrap().len() + whole["objects"].as_array().unwrap().len();
        let mut names: Vec<_> = met.iter().map(|entry| entry["name"].to_string()).collect();
        assert_eq!(names.len(), count, "{column} {order} {with_delimiter}: {names:?}");
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count, "{column} {order} {with_delimiter}: {names:?}");
    }
    // The third has no time, and the last one a year that PostgreSQL does not know.
    let no_time = "bDphCmM6dXBkYXRlZF9hdAphOm5vdGF0aW1l";
    let no_year = "bDphCmM6dXBkYXRlZF9hdAphOjAwMDAtMDEtMDFUMDA6MDA6MDBa";
    for cursor in ["bad", "eDp5", no_time, no_year] {
        let answer = stage.post_by(SERVICE, "/object/list-v2/a", json!({"cursor": cursor})).await;
        assert_eq!(answer.error(), (400, "InvalidParameter"));
    }
}

// rows: L11 L13
#[tokio::test]
async fn the_second_list_tells_an_object_from_the_folder_of_its_name() {
    let stage = bucket("a a.txt a/1 a0 a//2").await;
    for (order, expected) in [("asc", ["a", "a.txt", "a/", "a0"]), ("desc", ["a0", "a/", "a.txt", "a"])] {
        let (mut met, mut cursor) = (Vec::new(), Value::from(""));
        while met.len() < 5 && cursor.is_string() {
            let body = json!({
                "limit": 1, "sortBy": {"column": "name", "order": order}, "with_delimiter": true, "cursor": cursor,
            });
            let answer = stage.post_by(SERVICE, "/object/list-v2/a", body).await.ok();
            for kind in ["folders", "objects"] {
                let entries = answer[kind].as_array().unwrap();
                met.extend(entries.iter().map(|entry| entry["name"].as_str().unwrap().to_owned()));
            }
            cursor = answer["nextCursor"].clone();
        }
        assert_eq!(met, expected, "{order}");
    }
    let body = json!({"prefix": "a/", "with_delimiter": true});
    let below = stage.post_by(SERVICE, "/object/list-v2/a", body).await.ok();
    assert_eq!(below["folders"][0]["name"], "a//");
}

// rows: L14
#[tokio::test]
async fn a_page_of_the_second_list_reads_no_more_of_a_large_bucket_than_it_shows() {
    let stage = Stage::new().await;
    stage.bucket("a", false).await;
    stage
        .sql(
            "insert into storage.objects (bucket_id, name)
             select 'a', lpad(number::text, 6, '0') from generate_series(1, 20000) as number;
             analyze storage.objects",
        )
        .await;
    let plan: Vec<String> = sqlx::query_scalar(
        "explain select * from storage.objects
         where bucket_id = 'a' and name collate \"C\" between '' and chr(1114111)
           and name collate \"C\" > '010000'
         order by name collate \"C\" limit 100",
    )
    .fetch_all(stage.pool())
    .await
    .expect("a plan");
    assert!(plan.join("\n").contains("Index Scan using idx_objects_bucket_id_name"), "{plan:#?}");
}
