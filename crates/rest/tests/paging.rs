//! Ranges and counts (CONTRACT.md R01 to R21).

use banyan_rest::Settings;
use banyan_testkit::Answer;
use http::Method;
use serde_json::json;

use crate::support::{Preferring, School, school, school_with, settings};

async fn ask(school: &School, path: &str, headers: &[(&str, &str)]) -> Answer {
    let start = school.call(Method::GET, path);
    headers.iter().fold(start, |ask, (name, value)| ask.header(name, value)).await
}

/// A header of a request.
type Header = (&'static str, &'static str);

/// Query, headers, and what comes of them: status, range, rows.
type Page = (&'static str, Vec<Header>, u16, &'static str, usize);

const EXACT: Header = ("prefer", "count=exact");

async fn pages(school: &School, table: Vec<Page>) {
    for (query, headers, status, range, rows) in table {
        let reply = ask(school, &format!("/lessons?select=id&order=id{query}"), &headers).await;
        assert_eq!(reply.status, status, "{query} {headers:?}");
        assert_eq!(reply.header("content-range"), Some(range), "{query} {headers:?}");
        assert_eq!(reply.json().as_array().map(Vec::len), Some(rows), "{query} {headers:?}");
    }
}

// rows: R01 R06
#[tokio::test]
async fn limit_and_offset_choose_rows() {
    let school = school().await;
    pages(
        &school,
        vec![
            ("", vec![], 200, "0-3/*", 4),
            ("&limit=2", vec![], 200, "0-1/*", 2),
            ("&limit=2&offset=1", vec![], 200, "1-2/*", 2),
            ("&offset=3", vec![], 200, "3-3/*", 1),
            ("&limit=+2+", vec![], 200, "0-1/*", 2),
            ("&limit=0", vec![], 200, "*/*", 0),
            ("&limit=0&offset=2", vec![], 200, "*/*", 0),
            ("&offset=10", vec![], 200, "*/*", 0),
            ("&limit=9223372036854775807&offset=1", vec![], 200, "1-3/*", 3),
        ],
    )
    .await;
    let path = "/lessons?select=id,chapters(number)&id=in.(1,2)&order=id&chapters.order=number&chapters.limit=1&chapters.offset=1";
    assert_eq!(
        school.get(path).await.ok(),
        json!([{"id": 1, "chapters": [{"number": 2}]}, {"id": 2, "chapters": []}])
    );
    let none = school.get("/lessons?select=id,chapters(number)&id=eq.1&chapters.limit=0").await;
    assert_eq!(none.ok(), json!([{"id": 1, "chapters": []}]));
}

// rows: R01
#[tokio::test]
async fn a_limit_or_offset_that_is_no_whole_number_is_refused() {
    let school = school().await;
    for query in [
        "limit=1x",
        "offset=1x",
        "limit=",
        "limit=1.5",
        "limit=Infinity",
        "limit=1-",
        "limit=%2B1",
        "select=id,chapters(number)&chapters.limit=1x",
        "select=id,chapters(number)&chapters.offset=-",
    ] {
        let reply = school.get(&format!("/lessons?{query}")).await;
        assert_eq!(reply.error(), (400, "PGRST100"), "{query}");
    }
    assert_eq!(school.call(Method::DELETE, "/tags?limit=1x").await.error().0, 400);
}

// rows: R02 R03
#[tokio::test]
async fn the_header_is_for_get_alone_and_meets_the_query() {
    let school = school().await;
    pages(
        &school,
        vec![
            ("", vec![("range", "1-2")], 200, "1-2/*", 2),
            ("", vec![("range", "2-")], 200, "2-3/*", 2),
            ("", vec![("range-unit", "items"), ("range", "0-0")], 200, "0-0/*", 1),
            ("&limit=5", vec![("range", "2-")], 200, "2-3/*", 2),
            ("&limit=2&offset=1", vec![("range", "0-1")], 200, "1-1/*", 1),
            ("", vec![("range", "items=0-1")], 200, "0-3/*", 4),
            ("", vec![("range", "-5")], 200, "0-3/*", 4),
            ("", vec![("range", "a-b")], 200, "0-3/*", 4),
        ],
    )
    .await;
    let head = school.call(Method::HEAD, "/lessons").header("range", "0-0").await;
    assert_eq!(head.header("content-range"), Some("0-3/*"));
    let post = school.post("/tags", json!({"id": 7})).header("range", "5-9").representation().await;
    assert_eq!(post.status, 201);
}

// rows: R04 R05 PGRST103
#[tokio::test]
async fn ranges_that_cannot_be_are_refused() {
    let school = school().await;
    let backwards = ask(&school, "/lessons", &[("range", "5-2")]).await;
    assert_eq!(backwards.error(), (416, "PGRST103"));
    assert_eq!(
        backwards.json()["details"],
        "The lower boundary must be lower than or equal to the upper boundary in the Range header."
    );
    for path in ["/lessons?limit=-1", "/lessons?limit=-9223372036854775808"] {
        let negative = school.get(path).await;
        assert_eq!(negative.error(), (416, "PGRST103"), "{path}");
        assert_eq!(negative.json()["message"], "Requested range not satisfiable");
        assert_eq!(negative.json()["details"], "Limit should be greater than or equal to zero.");
    }
    let apart = ask(&school, "/lessons?limit=1", &[("range", "5-9")]).await;
    assert_eq!(apart.error(), (416, "PGRST103"));
}

// rows: R07 R08
#[tokio::test]
async fn content_range_tells_first_last_and_total() {
    let school = school().await;
    pages(
        &school,
        vec![
            ("", vec![EXACT], 200, "0-3/4", 4),
            ("&limit=2", vec![EXACT], 206, "0-1/4", 2),
            ("&limit=2&offset=2", vec![EXACT], 206, "2-3/4", 2),
            ("", vec![EXACT, ("range", "1-1")], 206, "1-1/4", 1),
            ("&id=gt.9", vec![EXACT], 200, "*/0", 0),
            ("&offset=4", vec![EXACT], 206, "*/4", 0),
            ("&limit=0", vec![EXACT], 206, "*/4", 0),
        ],
    )
    .await;
}

// rows: R09 PGRST103
#[tokio::test]
async fn an_offset_past_the_counted_end_is_refused() {
    let school = school().await;
    let past = ask(&school, "/lessons?offset=9", &[EXACT]).await;
    assert_eq!(past.error(), (416, "PGRST103"));
    assert_eq!(past.header("content-range"), Some("*/4"));
    assert_eq!(past.json()["details"], "An offset of 9 was requested, but there are only 4 rows.");
}

// rows: R11
#[tokio::test]
async fn the_exact_count_is_of_the_filtered_rows_without_limit() {
    let school = school().await;
    for (query, total) in [
        ("grade=eq.6&limit=1", "2"),
        ("select=id,chapters!inner(number)&chapters.number=eq.2&limit=1", "1"),
        ("select=id,chapters(number)&chapters.number=eq.2&limit=1", "4"),
        ("select=id,chapters()&chapters=is.null&limit=1", "2"),
        ("select=id,chapters(),plans()&or=(plans.not.is.null,chapters.not.is.null)&limit=1", "2"),
        ("select=id,l:lesson_tags!inner(tags!inner(label))&l.tags.label=eq.new&limit=1", "1"),
    ] {
        let reply = ask(&school, &format!("/lessons?{query}"), &[EXACT]).await;
        let range = reply.header("content-range").expect("a range");
        assert_eq!(range.split_once('/').map(|(_, total)| total), Some(total), "{query}");
        let head = school.call(Method::HEAD, &format!("/lessons?{query}")).prefer("count=exact").await;
        assert_eq!(head.header("content-range"), Some(range), "{query}");
    }
}

// rows: R12 R13
#[tokio::test]
async fn the_planner_may_count() {
    let school = school_with(Settings { max_rows: Some(2), ..settings() }).await;
    let many =
        "insert into public.tags select n, n::text from generate_series(10, 500) n; analyze public.tags;";
    school.sql(many).await;
    let planned = ask(&school, "/tags?limit=1", &[("prefer", "count=planned")]).await;
    assert_eq!(planned.header("content-range"), Some("0-0/493"));
    assert_eq!(planned.status, 206);
    let estimated = ask(&school, "/tags", &[("prefer", "count=estimated")]).await;
    assert_eq!(estimated.header("content-range"), Some("0-1/493"));
    let few = ask(&school, "/tags?id=lt.3", &[("prefer", "count=estimated")]).await;
    assert_eq!(few.header("content-range"), Some("0-1/2"));
    let unlimited = school_with(Settings { max_rows: None, ..settings() }).await;
    unlimited.sql(many).await;
    unlimited.sql("delete from public.tags where id > 20").await;
    let larger = ask(&unlimited, "/tags?limit=1", &[("prefer", "count=estimated")]).await;
    let total: i64 = larger
        .header("content-range")
        .and_then(|it| it.strip_prefix("0-0/"))
        .expect("a total")
        .parse()
        .expect("a number");
    assert!(total >= 13, "the larger of the exact number and the estimate: {total}");
}

// rows: R14
#[tokio::test]
async fn results_of_functions_are_counted_exactly() {
    let school = school_with(Settings { max_rows: Some(2), ..settings() }).await;
    for (preference, range) in
        [("count=exact", "0-1/5"), ("count=estimated", "0-1/5"), ("count=planned", "0-1/*")]
    {
        let reply = ask(&school, "/rpc/numbers?up_to=5", &[("prefer", preference)]).await;
        assert_eq!(reply.header("content-range"), Some(range), "{preference}");
    }
}

// rows: R15
#[tokio::test]
async fn writes_count_what_they_touched() {
    let school = school().await;
    let range = |reply: Answer| reply.header("content-range").map(str::to_owned);
    for (preference, inserted, updated, deleted) in [
        ("count=exact", "*/2", "0-1/2", "*/2"),
        ("count=estimated", "*/2", "0-1/2", "*/2"),
        ("count=planned", "*/*", "0-1/*", "*/*"),
        ("return=minimal", "*/*", "0-1/*", "*/*"),
    ] {
        let rows = json!([{"id": 8, "label": "x"}, {"id": 9, "label": "y"}]);
        let made = range(school.post("/tags", rows).prefer(preference).await);
        assert_eq!(made.as_deref(), Some(inserted), "{preference}");
        let changed = school.patch("/tags?id=gte.8", json!({"label": null})).prefer(preference).await;
        assert_eq!(range(changed).as_deref(), Some(updated), "{preference}");
        let gone = school.call(Method::DELETE, "/tags?id=gte.8").prefer(preference).await;
        assert_eq!(range(gone).as_deref(), Some(deleted), "{preference}");
    }
    let none = school.patch("/tags?id=gt.99", json!({"label": "z"})).await;
    assert_eq!(range(none).as_deref(), Some("*/*"));
    let put = school.call(Method::PUT, "/tags?id=eq.9").json(json!({"id": 9, "label": "z"})).await;
    assert_eq!((put.status, range(put)), (204, None));
}

// rows: R17
#[tokio::test]
async fn count_none_is_no_preference() {
    let school = school().await;
    let reply = ask(&school, "/tags", &[("prefer", "count=none")]).await;
    assert_eq!(reply.header("content-range"), Some("0-1/*"));
    assert_eq!(reply.header("preference-applied"), None);
    let strict = ask(&school, "/tags", &[("prefer", "count=none, handling=strict")]).await;
    assert_eq!(strict.error(), (400, "PGRST122"));
}

// rows: R18
#[tokio::test]
async fn max_rows_caps_every_level_of_reads_but_no_writes() {
    let school = school_with(Settings { max_rows: Some(1), ..settings() }).await;
    let got = school.get("/lessons?select=id,chapters(number)&order=id").await.ok();
    assert_eq!(got, json!([{"id": 1, "chapters": [{"number": 1}]}]));
    let got = school.get("/lessons?select=id,chapters(number)&order=id&limit=5&chapters.limit=5").await.ok();
    assert_eq!(got, json!([{"id": 1, "chapters": [{"number": 1}]}]));
    assert_eq!(school.get("/rpc/numbers?up_to=5").await.ok(), json!([1]));
    let written =
        school.patch("/chapters?lesson_id=eq.1&select=name", json!({"name": "same"})).representation();
    assert_eq!(written.await.ok(), json!([{"name": "same"}, {"name": "same"}]));
}

// rows: R19
#[tokio::test]
async fn to_one_relations_are_not_emptied_by_max_rows_but_by_an_offset() {
    let school = school_with(Settings { max_rows: Some(0), ..settings() }).await;
    let written = school.patch("/chapters?lesson_id=eq.2&select=lessons(id)", json!({"name": "x"}));
    assert_eq!(written.representation().await.ok(), json!([{"lessons": {"id": 2}}]));
    let school = school_with(Settings { max_rows: Some(1), ..settings() }).await;
    let path = "/chapters?select=number,lessons(id)&lesson_id=eq.2";
    assert_eq!(school.get(path).await.ok(), json!([{"number": 1, "lessons": {"id": 2}}]));
    let skipped = school.get(&format!("{path}&lessons.offset=1")).await;
    assert_eq!(skipped.ok(), json!([{"number": 1, "lessons": null}]));
}

// rows: R20
#[tokio::test]
async fn content_location_has_the_parameters_in_order() {
    let school = school().await;
    let reply = school.get("/lessons?select=id&order=id.desc&id=in.(1,2)").await;
    assert_eq!(reply.header("content-location"), Some("/lessons?id=in.%281%2C2%29&order=id.desc&select=id"));
    assert_eq!(school.get("/tags").await.header("content-location"), Some("/tags"));
    assert_eq!(school.get("/rpc/add?a=1").await.header("content-location"), None);
    let head = school.call(Method::HEAD, "/tags?select=id").await;
    assert_eq!(head.header("content-location"), Some("/tags?select=id"));
}

// rows: R21
#[tokio::test]
async fn without_range_and_cap_the_page_is_the_total() {
    let school = school_with(Settings { max_rows: None, ..settings() }).await;
    let reply = ask(&school, "/lessons?grade=eq.6", &[EXACT]).await;
    assert_eq!((reply.status, reply.header("content-range")), (200, Some("0-1/2")));
}
