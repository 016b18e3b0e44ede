//! Ranges and counts (rest.md section 6).

use http::Method;
use serde_json::json;

use crate::support::{Reply, School, school, school_with, settings};

async fn ask(school: &School, path: &str, headers: &[(&str, &str)]) -> Reply {
    let start = school.ask(Method::GET, path);
    headers.iter().fold(start, |ask, (name, value)| ask.header(name, value)).send().await
}

#[tokio::test]
async fn rest_r01_to_r09_ranges_choose_rows_and_say_so() {
    let school = school().await;
    let count = ("prefer", "count=exact");
    for (query, headers, status, range, rows) in [
        ("", vec![], 200, "0-3/*", 4),
        ("&limit=2", vec![], 200, "0-1/*", 2),
        ("&limit=2&offset=1", vec![], 200, "1-2/*", 2),
        ("&limit=x", vec![], 200, "0-3/*", 4),
        ("&limit=0", vec![], 200, "*/*", 0),
        ("&offset=10", vec![], 200, "*/*", 0),
        ("", vec![("range", "1-2")], 200, "1-2/*", 2),
        ("&limit=5", vec![("range", "2-")], 200, "2-3/*", 2),
        ("", vec![("range", "items=0-1")], 200, "0-3/*", 4),
        ("&limit=2", vec![count], 206, "0-1/4", 2),
        ("", vec![count], 200, "0-3/4", 4),
        ("&id=gt.9", vec![count], 200, "*/0", 0),
        ("&offset=4", vec![count], 206, "*/4", 0),
    ] {
        let reply = ask(&school, &format!("/lessons?select=id&order=id{query}"), &headers).await;
        assert_eq!(reply.status.as_u16(), status, "{query} {headers:?}");
        assert_eq!(reply.header("content-range"), Some(range), "{query} {headers:?}");
        assert_eq!(reply.json().as_array().map(Vec::len), Some(rows), "{query} {headers:?}");
    }
    let past = ask(&school, "/lessons?offset=9", &[count]).await;
    assert_eq!(past.refusal(), (416, "PGRST103".to_owned()));
    assert_eq!(past.header("content-range"), Some("*/4"));
    assert_eq!(past.json()["details"], "An offset of 9 was requested, but there are only 4 rows.");
    assert_eq!(ask(&school, "/lessons", &[("range", "5-2")]).await.refusal(), (416, "PGRST103".to_owned()));
    assert_eq!(ask(&school, "/lessons?limit=-1", &[]).await.refusal(), (416, "PGRST103".to_owned()));
}

#[tokio::test]
async fn rest_r02_range_is_for_get_alone() {
    let school = school().await;
    let head = school.ask(Method::HEAD, "/lessons").header("range", "0-0").send().await;
    assert_eq!(head.header("content-range"), Some("0-3/*"));
}

#[tokio::test]
async fn rest_r12_r13_the_planner_may_count() {
    let school = school_with(banyan_rest::Settings { max_rows: Some(2), ..settings() }).await;
    school
        .sql(
            "insert into public.tags select n, n::text from generate_series(10, 500) n; analyze public.tags;",
        )
        .await;
    let planned = ask(&school, "/tags?limit=1", &[("prefer", "count=planned")]).await;
    assert_eq!(planned.header("content-range"), Some("0-0/493"));
    let estimated = ask(&school, "/tags", &[("prefer", "count=estimated")]).await;
    assert_eq!(estimated.header("content-range"), Some("0-1/493"), "rest_r18: two rows at most");
    let few = ask(&school, "/tags?id=lt.3", &[("prefer", "count=estimated")]).await;
    assert_eq!(few.header("content-range"), Some("0-1/2"));
}

#[tokio::test]
async fn rest_r18_max_rows_caps_every_level_of_reads_but_no_writes() {
    let school = school_with(banyan_rest::Settings { max_rows: Some(1), ..settings() }).await;
    let got = school.get("/lessons?select=id,chapters(number)&order=id").await.ok();
    assert_eq!(got, json!([{"id": 1, "chapters": [{"number": 1}]}]));
    let written =
        school.patch("/chapters?lesson_id=eq.1&select=name", json!({"name": "same"})).representation();
    assert_eq!(written.send().await.ok(), json!([{"name": "same"}, {"name": "same"}]));
}

#[tokio::test]
async fn rest_r20_content_location_has_the_parameters_in_order() {
    let school = school().await;
    let reply = school.get("/lessons?select=id&order=id.desc&id=in.(1,2)").await;
    assert_eq!(reply.header("content-location"), Some("/lessons?id=in.%281%2C2%29&order=id.desc&select=id"));
    assert_eq!(school.get("/tags").await.header("content-location"), Some("/tags"));
}
