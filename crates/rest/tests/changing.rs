//! Upsert, PUT, update and delete (CONTRACT.md W01 to W13, M01 to M13), beside the tests in
//! `writing`.

use banyan_testkit::Answer;
use http::Method;
use serde_json::{Value, json};

use crate::{
    studio::studio,
    support::{Preferring, School},
};

const MERGE: &str = "resolution=merge-duplicates, return=representation";

async fn upsert(school: &School, path: &str, body: Value) -> Answer {
    school.post(path, body).prefer(MERGE).await
}

// rows: W03 W04
#[tokio::test]
async fn targets_may_be_quoted_and_nothing_new_is_200() {
    let school = studio().await;
    let path = "/rooms?on_conflict=building,\"door no\"";
    let body = json!([{"building": "a", "door no": "1", "seats": 2}]);
    assert_eq!(upsert(&school, path, body.clone()).await.status, 201);
    assert_eq!(upsert(&school, path, body).await.status, 200);
    let none = upsert(&school, "/rooms", json!([])).await;
    assert_eq!((none.status, none.json()), (200, json!([])));
    let ignored = school.post("/rooms", json!([{"building": "a", "door no": "1"}]));
    let ignored = ignored.prefer("resolution=ignore-duplicates, return=representation").await;
    assert_eq!((ignored.status, ignored.json()), (201, json!([])));
    assert_eq!(
        ignored.header("preference-applied"),
        Some("resolution=ignore-duplicates, return=representation")
    );
    let unknown =
        upsert(&school, "/rooms?on_conflict=seats", json!([{"building": "b", "door no": "1"}])).await;
    assert_eq!(unknown.error(), (400, "42P10"));
}

// rows: W05
#[tokio::test]
async fn without_a_key_the_preference_is_dropped() {
    let school = studio().await;
    let reply = school.post("/log", json!({"entry": "a"})).prefer("resolution=merge-duplicates").await;
    assert_eq!((reply.status, reply.header("preference-applied")), (201, None));
    let again =
        school.post("/log", json!({"entry": "a"})).prefer("resolution=merge-duplicates, return=minimal");
    assert_eq!(again.await.header("preference-applied"), Some("return=minimal"));
    assert_eq!(school.number("select count(*) from log").await, 2);
}

// rows: W06
#[tokio::test]
async fn only_the_key_or_nothing_at_all_changes_nothing() {
    let school = studio().await;
    assert_eq!(upsert(&school, "/papers", json!([{"id": 1}])).await.status, 201);
    let known = upsert(&school, "/papers?select=id,seen", json!([{"id": 1}])).await;
    assert_eq!((known.status, known.json()), (200, json!([{"id": 1, "seen": "no"}])));
    let defaults = upsert(&school, "/exams?select=id", json!([{}])).await;
    assert_eq!((defaults.status, defaults.json()), (201, json!([{"id": 10}])));
    let twice = upsert(&school, "/papers", json!([{"id": 1, "code": "a"}, {"id": 1, "code": "b"}])).await;
    assert_eq!(twice.error(), (500, "21000"));
}

// rows: W07 W13
#[tokio::test]
async fn upserts_meet_defaults_columns_partitions_and_views() {
    let school = studio().await;
    let first = upsert(&school, "/exams", json!([{"id": 1, "subject": "art", "mark": 2}])).await;
    assert_eq!(first.json()[0]["bonus"], json!(3), "left out of a new row: its default");
    let second = upsert(&school, "/exams?select=id,subject,mark", json!([{"id": 1, "mark": 5}])).await;
    assert_eq!(
        second.json(),
        json!([{"id": 1, "subject": "art", "mark": 5}]),
        "left out of a known row: unchanged"
    );
    let missing =
        school.post("/exams?columns=id,mark,hall&select=id,mark,hall", json!([{"id": 1, "hall": 4}]));
    let missing = missing.prefer("missing=default").prefer(MERGE).await;
    assert_eq!((missing.status, missing.json()), (200, json!([{"id": 1, "mark": 7, "hall": 4}])));
    let visits = json!([{"id": 1, "year": 2024, "note": "a"}, {"id": 1, "year": 2025, "note": "b"}]);
    assert_eq!(upsert(&school, "/visits", visits.clone()).await.status, 201);
    assert_eq!(upsert(&school, "/visits", visits).await.status, 200);
    let desk = upsert(&school, "/paper_desk", json!([{"id": 8, "code": "a"}])).await;
    assert_eq!(desk.status, 201, "{}", desk.text());
    let desk = upsert(&school, "/paper_desk", json!([{"id": 8, "code": "b"}])).await;
    assert_eq!((desk.status, desk.json()), (200, json!([{"id": 8, "code": "B"}])));
    let embed =
        upsert(&school, "/paints?select=name,subjects(name)", json!([{"id": 1, "name": "ruby"}])).await;
    assert_eq!(embed.json(), json!([{"name": "ruby", "subjects": {"name": "Maths"}}]));
}

// rows: W09 W10 W11
#[tokio::test]
async fn put_names_one_row_by_its_whole_key() {
    let school = studio().await;
    let put = |path: &str, body: Value| school.call(Method::PUT, path).json(body);
    let room = json!({"building": "a", "door no": "1", "seats": 3});
    assert_eq!(put("/rooms?building=eq.a&\"door no\"=eq.1", room.clone()).await.status, 204);
    for (path, expected) in [
        ("/rooms?building=eq.a", (405, "PGRST105")),
        ("/rooms?building=eq.a&\"door no\"=eq.1&seats=eq.3", (405, "PGRST105")),
        ("/rooms?building=eq.a&\"door no\"=not.eq.1", (405, "PGRST105")),
        ("/rooms?building=eq.a&\"door no\"=eq(any).{1}", (405, "PGRST105")),
        ("/rooms?building=eq.a&\"door no\"=eq.1&or=(seats.eq.3)", (405, "PGRST105")),
        ("/rooms?building=eq.a&\"door no\"=eq.1&offset=1", (400, "PGRST114")),
        ("/rooms?building=eq.b&\"door no\"=eq.1", (400, "PGRST115")),
    ] {
        let reply = put(path, room.clone()).await;
        assert_eq!(reply.error(), expected, "{path}");
    }
    let two = json!([room, {"building": "b", "door no": "1", "seats": 3}]);
    let one_of_two = put("/rooms?building=eq.a&\"door no\"=eq.1", two).await;
    assert_eq!(one_of_two.status, 204, "of several rows the one that the URL names: {}", one_of_two.text());
    assert_eq!(school.number("select count(*) from rooms").await, 1);
}

// rows: W12 W13
#[tokio::test]
async fn put_says_whether_the_row_is_new_and_leaves_what_it_does_not_name() {
    let school = studio().await;
    let put = |body: Value| school.call(Method::PUT, "/exams?id=eq.5&select=id,subject,mark").json(body);
    let new = put(json!({"id": 5, "mark": 1})).representation().await;
    assert_eq!((new.status, new.json()), (201, json!([{"id": 5, "subject": "maths", "mark": 1}])));
    let known = put(json!({"id": 5, "subject": "art"})).representation().await;
    assert_eq!((known.status, known.json()), (200, json!([{"id": 5, "subject": "art", "mark": 1}])));
    assert_eq!(known.header("content-range"), None);
    let minimal = put(json!({"id": 5, "mark": 2})).await;
    assert_eq!((minimal.status, minimal.text(), minimal.header("content-length")), (204, "", None));
}

// rows: M01 M04
#[tokio::test]
async fn bodies_of_updates_name_columns_or_take_defaults() {
    let school = studio().await;
    school.post("/exams", json!([{"id": 1, "mark": 1}, {"id": 2, "mark": 2}])).await;
    let array = school.patch("/exams?id=eq.1&select=mark", json!([{"mark": 9}])).representation().await;
    assert_eq!(array.ok(), json!([{"mark": 9}]));
    let columns =
        school.patch("/exams?id=eq.1&columns=mark&select=mark,subject", json!({"mark": 8, "subject": "x"}));
    assert_eq!(columns.representation().await.ok(), json!([{"mark": 8, "subject": "maths"}]));
    let missing = school.patch("/exams?id=eq.1&columns=mark,hall&select=mark,hall", json!({"hall": 3}));
    let missing = missing.prefer("missing=default, return=representation").await;
    assert_eq!(missing.ok(), json!([{"mark": 7, "hall": 3}]));
    assert_eq!(missing.header("preference-applied"), Some("missing=default, return=representation"));
    let unknown = school.patch("/exams?id=eq.1", json!({"nope": 1})).await;
    assert_eq!(unknown.error(), (400, "PGRST204"));
    let csv =
        school.call(Method::PATCH, "/exams?id=eq.2&select=mark").body("text/csv", "mark\n4").representation();
    assert_eq!(csv.await.ok(), json!([{"mark": 4}]));
}

// rows: M05 S17
#[tokio::test]
async fn representations_may_be_cut_down_to_what_may_be_read() {
    let school = studio().await;
    assert_eq!(school.post("/partly", json!({"id": 1, "shown": "1", "secret": "s"})).await.status, 201);
    let all = school.post("/partly", json!({"id": 2})).representation().await;
    assert_eq!(all.error(), (401, "42501"));
    let some = school.post("/partly?select=id", json!({"id": 2})).representation().await;
    assert_eq!((some.status, some.json()), (201, json!([{"id": 2}])));
    let cast =
        school.patch("/partly?id=eq.1&select=number:shown::int", json!({"shown": "12"})).representation();
    assert_eq!(cast.await.ok(), json!([{"number": 12}]));
    let ignored = school.patch("/partly?id=eq.1&select=nope", json!({"shown": "3"})).await;
    assert_eq!(ignored.status, 204, "select counts only where rows come back: {}", ignored.text());
}

// rows: M06 M07 M08
#[tokio::test]
async fn filters_choose_what_is_written_not_what_is_shown() {
    let school = studio().await;
    let path = "/lessons?or=(grade.eq.5,grade.eq.99)&select=id,grade,chapters(name)&chapters.number=eq.2&limit=0&offset=9";
    let moved = school.patch(path, json!({"grade": 1})).representation().await;
    assert_eq!(moved.ok(), json!([{"id": 1, "grade": 1, "chapters": [{"name": "Quarters"}]}]));
    let gone = school.call(Method::DELETE, "/chapters?and=(lesson_id.eq.1,number.eq.1)&select=name&limit=0");
    assert_eq!(gone.representation().await.ok(), json!([{"name": "Halves"}]));
}

// rows: M02 M03 M09
#[tokio::test]
async fn nothing_found_is_no_error() {
    let school = studio().await;
    let none = school.patch("/papers?id=eq.404", json!({"code": "x"})).representation().await;
    assert_eq!((none.ok(), none.header("content-range")), (json!([]), Some("*/*")));
    let minimal = school.patch("/papers?id=eq.404", json!({"code": "x"})).await;
    assert_eq!((minimal.status, minimal.header("content-length")), (204, None));
    let empty = school.patch("/papers", json!({})).prefer("count=exact").await;
    assert_eq!((empty.status, empty.header("content-range")), (204, Some("*/0")));
    let with_body = school.call(Method::DELETE, "/papers?id=eq.404").json(json!({"id": 1})).await;
    assert_eq!(with_body.status, 204);
    let odd_body = school.call(Method::DELETE, "/papers?id=eq.404").body("image/png", "x").representation();
    assert_eq!(odd_body.await.ok(), json!([]));
}

// rows: M10
#[tokio::test]
async fn a_guarded_table_wants_a_filter() {
    let school = studio().await;
    school.post("/guarded", json!([{"id": 1}, {"id": 2}])).await;
    let all = school.call(Method::DELETE, "/guarded").await;
    assert_eq!(all.error(), (400, "21000"));
    assert_eq!(all.json()["message"], "DELETE requires a WHERE clause");
    assert_eq!(school.call(Method::DELETE, "/guarded?id=eq.1").await.status, 204);
    let whole = school.call(Method::DELETE, "/chapters").prefer("count=exact").await;
    assert_eq!((whole.status, whole.header("content-range")), (204, Some("*/3")));
}

// rows: M10
#[tokio::test]
async fn changes_without_a_filter_are_refused_where_the_settings_say_so() {
    let settings = banyan_rest::Settings { unfiltered_writes: false, ..crate::support::settings() };
    let school = crate::studio::studio_with(settings).await;
    for (method, verb) in [(Method::DELETE, "DELETE"), (Method::PATCH, "UPDATE")] {
        for path in [
            "/chapters",
            "/chapters?limit=1&order=number",
            "/chapters?select=name,lessons(id)&lessons.id=eq.1",
        ] {
            let refused = school.call(method.clone(), path).json(json!({"name": "x"})).representation().await;
            assert_eq!(refused.error(), (400, "21000"), "{path}");
            assert_eq!(
                refused.json(),
                json!({"code": "21000", "details": null, "hint": null, "message": format!("{verb} requires a WHERE clause")})
            );
        }
    }
    assert_eq!(school.number("select count(*) from chapters where name is distinct from 'x'").await, 3);
    assert_eq!(school.patch("/chapters", json!({})).await.status, 204, "nothing is changed");
    assert_eq!(school.patch("/chapters?name=not.is.null", json!({"name": "y"})).await.status, 204);
    assert_eq!(school.call(Method::DELETE, "/chapters?or=(number.gt.0,number.is.null)").await.status, 204);
    assert_eq!(school.number("select count(*) from chapters").await, 0);
}

// rows: U05 M09
#[tokio::test]
async fn a_key_is_the_column_of_that_whole_name_or_it_is_refused() {
    let school = studio().await;
    school
        .sql(
            "create table public.plus (\"A\" int primary key, \"A+ve\" int);
             grant all on public.plus to anon;
             insert into public.plus values (1, 2), (2, 1), (3, 2);",
        )
        .await;
    assert!(school.state.load().await);
    let left = "select coalesce(sum(\"A\"), 0) from plus";
    assert_eq!(school.call(Method::DELETE, "/plus?A%2Bve=eq.2&A=eq.1").await.status, 204);
    assert_eq!(school.number(left).await, 5, "the row by the column A+ve");
    let long = format!("/plus?%22A%22={}", "eq.2");
    assert_eq!(school.get(&long).await.ok(), json!([{"A": 2, "A+ve": 1}]));
    for (path, code) in [
        ("/plus?A*=eq.2", "42703"),
        ("/plus?A%20=eq.2", "42703"),
        ("/plus?+A=eq.2", "42703"),
        ("/plus?A%C2%A0=eq.2", "42703"),
        ("/plus?A%20-%3Ex=eq.2", "42703"),
        ("/plus?A%C2%A0.or=(A.eq.2)", "PGRST108"),
        ("/plus?or=(A%C2%A0.eq.2)", "PGRST100"),
        ("/plus?%22A%22x=eq.2", "PGRST100"),
        ("/plus?A%00ve=eq.2", "PGRST100"),
        ("/plus?id=is.nullable", "PGRST100"),
        ("/plus?A=in.(2)x", "PGRST100"),
        ("/plus?or=(A.eq.2)x", "PGRST100"),
        ("/plus?or=(A%2Bve.eq.2)", "PGRST100"),
        ("/plus?A-%3Ex)=eq.2", "PGRST100"),
        ("/plus?A%2Bve.or=(A.eq.2)", "PGRST108"),
    ] {
        let reply = school.call(Method::DELETE, path).await;
        assert_eq!(reply.error(), (400, code), "{path}");
    }
    for parameter in ["columns=A%2Bve", "on_conflict=A%2Bve", "columns=A%00x", "on_conflict=A)"] {
        let path = format!("/plus?{parameter}");
        let reply = school.post(&path, json!({"A": 9})).prefer("resolution=merge-duplicates").await;
        assert_eq!(reply.error(), (400, "PGRST100"), "{path}");
    }
    for path in ["/plus?select=A%2Bve", "/plus?order=A%2Bve", "/plus?select=A%00"] {
        assert_eq!(school.get(path).await.error(), (400, "PGRST100"), "{path}");
    }
    for path in ["/plus?select=A%C2%A0", "/plus?order=A%C2%A0"] {
        assert_eq!(school.get(path).await.error(), (400, "PGRST100"), "{path}");
    }
    for path in ["/rpc/add?a%20=1&b=2", "/rpc/add?a%C2%A0=1&b=2"] {
        assert_eq!(school.get(path).await.error(), (404, "PGRST202"), "{path}");
    }
    assert_eq!(school.get("/rpc/add?a%2Bve=1").await.error(), (404, "PGRST202"));
    assert_eq!(school.get("/rpc/add?a.b=1").await.error(), (404, "PGRST202"));
    assert_eq!(school.get("/rpc/add?a-%3Eb=1").await.error(), (404, "PGRST202"));
    assert_eq!(school.number(left).await, 5);
}

// rows: U05
#[tokio::test]
async fn blanks_at_the_ends_of_a_key_belong_to_the_column_s_name() {
    let school = studio().await;
    school
        .sql(
            "create table public.bl (\"id\" int, \"id \" int, \"a-b\" int, \"a - b\" int, doc jsonb);
             grant all on public.bl to anon;
             insert into public.bl values (1, 2, 3, 4, '{\"k\": 1, \"k \": 2}'), (2, 1, 4, 3, '{}');",
        )
        .await;
    assert!(school.state.load().await);
    for query in [
        "id%20=eq.2",
        "%22id%20%22=eq.2",
        "or=(%22id%20%22.eq.2,id.eq.7)",
        "a-b=eq.3",
        "a%20-%20b=eq.4",
        "or=(a%20-%20b.eq.4)",
        "doc-%3E%3Ek%20=eq.2",
        "doc-%3E%3Ek=eq.1",
    ] {
        assert_eq!(school.ids(&format!("/bl?select=id&{query}")).await, [1], "{query}");
    }
    let rows = school.get("/bl?select=%20id%20,%22id%20%22,a%20-%20b,doc-%3Ek%20&id=eq.1").await.ok();
    assert_eq!(rows, json!([{"id": 1, "id ": 2, "a - b": 4, "k": 1}]));
    assert_eq!(school.call(Method::DELETE, "/bl?id%20=eq.2").await.status, 204);
    assert_eq!(school.number("select sum(id) from bl").await, 2, "the row by the other column");
}

// rows: U05
#[tokio::test]
async fn a_name_that_postgresql_would_cut_is_no_column() {
    let school = studio().await;
    let name = "n".repeat(63);
    let table = format!(
        "create table public.long (id int, {name} int); grant all on public.long to anon; \
                         insert into public.long values (1, 1)"
    );
    let table: &'static str = table.leak();
    school.sql(table).await;
    assert!(school.state.load().await);
    assert_eq!(school.ids(&format!("/long?{name}=eq.1")).await, [1]);
    let cut = school.call(Method::DELETE, &format!("/long?{name}x=eq.1")).await;
    assert_eq!(cut.error(), (400, "PGRST100"));
    assert_eq!(school.get(&format!("/long?select={name}x")).await.error(), (400, "PGRST100"));
}

// rows: M11 V10
#[tokio::test]
async fn max_affected_keeps_nothing_even_if_the_request_wants_to_commit() {
    let mut settings = crate::support::settings();
    settings.transaction_end.choice = true;
    let school = crate::studio::studio_with(settings).await;
    let strict = "handling=strict, max-affected=2, tx=commit";
    let refused = school.call(Method::DELETE, "/chapters").prefer(strict).await;
    assert_eq!(refused.error(), (400, "PGRST124"));
    let object = school.patch("/chapters", json!({"name": "x"})).prefer("tx=commit");
    let object = object.header("accept", "application/vnd.pgrst.object+json").await;
    assert_eq!(object.error(), (406, "PGRST116"));
    let put = school.call(Method::PUT, "/tags?id=eq.70").json(json!({"id": 71})).prefer("tx=commit").await;
    assert_eq!(put.error(), (400, "PGRST115"));
    assert_eq!(school.number("select count(*) from chapters where name <> 'x'").await, 3);
    assert_eq!(school.number("select count(*) from tags where id >= 70").await, 0);
    let enough = school.call(Method::DELETE, "/chapters?lesson_id=eq.1").prefer(strict).await;
    assert_eq!(enough.status, 204);
}
