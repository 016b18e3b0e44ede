//! Rows, filters, order (rest.md sections 1 to 5).

use http::{Method, StatusCode};
use serde_json::json;

use crate::support::school;

#[tokio::test]
async fn rest_p05_get_returns_rows_and_head_only_their_headers() {
    let school = school().await;
    let got = school.get("/tags?order=id").await;
    assert_eq!(got.ok(), json!([{"id": 1, "label": "new"}, {"id": 2, "label": "old"}]));
    assert_eq!(got.header("content-type"), Some("application/json; charset=utf-8"));
    assert_eq!(got.header("content-range"), Some("0-1/*"));
    assert_eq!(got.header("content-length"), Some(got.text.len().to_string().as_str()));
    let head = school.ask(Method::HEAD, "/tags?order=id").send().await;
    assert_eq!((head.status, head.text.as_str()), (StatusCode::OK, ""));
    assert_eq!(head.header("content-range"), Some("0-1/*"));
    assert_eq!(head.header("content-length"), None);
}

#[tokio::test]
async fn rest_p02_p04_unknown_paths_and_relations_are_refused() {
    let school = school().await;
    for path in ["/a/b/c", "/tags/"] {
        assert_eq!(school.get(path).await.refusal(), (404, "PGRST125".to_owned()), "{path}");
    }
    let unknown = school.get("/lesson").await;
    assert_eq!(unknown.refusal(), (404, "PGRST205".to_owned()));
    assert_eq!(unknown.json()["message"], "Could not find the table 'public.lesson' in the schema cache");
    assert_eq!(unknown.json()["hint"], "Perhaps you meant the table 'public.lessons'");
    for (method, path, expected) in [
        (Method::PATCH, "/rpc/add", (405, "PGRST101")),
        (Method::POST, "/", (405, "PGRST117")),
        (Method::TRACE, "/tags", (405, "PGRST117")),
    ] {
        let (status, code) = school.ask(method, path).send().await.refusal();
        assert_eq!((status, code.as_str()), expected, "{path}");
    }
}

#[tokio::test]
async fn rest_p02_unknown_column_is_refused() {
    let school = school().await;
    for query in ["select=nope", "nope=eq.1", "order=nope"] {
        let reply = school.get(&format!("/lessons?{query}")).await;
        assert_eq!(reply.refusal(), (400, "42703".to_owned()), "{query}");
        assert_eq!(reply.json()["message"], "column lessons.nope does not exist");
    }
}

#[tokio::test]
async fn rest_s02_to_s10_columns_are_renamed_cast_and_opened() {
    let school = school().await;
    for (select, expected) in [
        ("id,name:title", json!({"id": 1, "name": "Fractions"})),
        ("id::text", json!({"id": "1"})),
        ("data->pages->count", json!({"count": 3})),
        ("data->>kind", json!({"kind": "core"})),
        ("data->list->1", json!({"list": 20})),
        ("n:data->pages->>count::int", json!({"n": 3})),
        ("tags->0", json!({"tags": "a"})),
        ("odd name", json!({"odd name": "x"})),
        ("\"odd name\"", json!({"odd name": "x"})),
        ("shout", json!({"shout": "FRACTIONS"})),
        ("level, grade", json!({"level": "easy", "grade": 5})),
    ] {
        let path = format!("/lessons?id=eq.1&select={select}");
        assert_eq!(school.get(&path).await.ok(), json!([expected]), "{select}");
    }
    let all = school.get("/lessons?id=eq.2&select=").await.ok();
    assert_eq!(all[0]["title"], "Light");
    assert_eq!(school.get("/lessons?select=id::nope").await.refusal(), (400, "42704".to_owned()));
    assert_eq!(school.get("/lessons?select=id.sum()").await.refusal(), (400, "PGRST123".to_owned()));
}

#[tokio::test]
async fn rest_f02_to_f28_filters_choose_rows() {
    let school = school().await;
    for (filter, expected) in [
        ("id=eq.2", vec![2]),
        ("id=neq.2", vec![1, 3, 4]),
        ("id=gt.2", vec![3, 4]),
        ("id=gte.2&id=lte.3", vec![2, 3]),
        ("id=lt.2", vec![1]),
        ("title=like.*igh*", vec![2]),
        ("title=ilike.LIGHT", vec![2]),
        ("title=like(any).{F*,L*}", vec![1, 2]),
        ("title=like(all).{*i*,*g*}", vec![2]),
        ("title=match.^L", vec![2]),
        ("title=imatch.^l", vec![2]),
        ("id=in.(1,3)", vec![1, 3]),
        ("id=in.()", vec![]),
        ("title=in.(\"Heat, \\\"warm\\\"\",Light)", vec![2, 3]),
        ("grade=is.null", vec![4]),
        ("grade=is.not_null", vec![1, 2, 3]),
        ("grade=not.is.NULL", vec![1, 2, 3]),
        ("grade=isdistinct.6", vec![1, 4]),
        ("grade=eq(any).{5,6}", vec![1, 2, 3]),
        ("level=eq.hard", vec![2]),
        ("tags=cs.{b}", vec![1, 2]),
        ("tags=cd.{b,c}", vec![2, 3, 4]),
        ("tags=ov.{a,z}", vec![1]),
        ("words=fts.cake", vec![1]),
        ("words=plfts(english).ray", vec![2]),
        ("title=wfts(english).fraction", vec![1]),
        ("id=not.in.(1,2)", vec![3, 4]),
        ("data->pages->count=gt.3", vec![2]),
        ("data->>kind=eq.core", vec![1]),
        ("or=(id.eq.1,and(grade.eq.6,not.or(id.eq.2)))", vec![1, 3]),
        ("not.or=(id.eq.1,id.eq.2)", vec![3, 4]),
        ("and=(id.gt.1,id.lt.4)&grade=eq.6", vec![2, 3]),
        ("or=(title.eq.\"Heat, \\\"warm\\\"\",id.in.(1,4))", vec![1, 3, 4]),
        ("shout=eq.LIGHT", vec![2]),
        ("title=eq.", vec![]),
    ] {
        let rows = school.get(&format!("/lessons?select=id&order=id&{filter}")).await.ok();
        let ids: Vec<i64> =
            rows.as_array().expect("rows").iter().filter_map(|row| row["id"].as_i64()).collect();
        assert_eq!(ids, expected, "{filter}");
    }
    assert_eq!(school.get("/lessons?id=eq.x").await.refusal(), (400, "22P02".to_owned()));
    assert_eq!(school.get("/lessons?id=like.x").await.refusal(), (404, "42883".to_owned()));
    let noop = school.get("/lessons?id=noop.1").await;
    assert_eq!(noop.refusal(), (400, "PGRST100".to_owned()));
    assert_eq!(noop.json()["message"], "\"failed to parse filter (noop.1)\" (line 1, column 1)");
}

#[tokio::test]
async fn rest_o01_to_o05_rows_come_in_order() {
    let school = school().await;
    for (order, expected) in [
        ("id.desc", vec![4, 3, 2, 1]),
        ("grade.desc.nullslast,id", vec![2, 3, 1, 4]),
        ("grade.nullsfirst,id.desc", vec![4, 1, 3, 2]),
        ("data->pages->>count.desc.nullslast,id", vec![2, 1, 3, 4]),
        ("shout", vec![4, 1, 3, 2]),
        ("subject(name).desc.nullslast,id", vec![2, 3, 1, 4]),
    ] {
        let path = format!("/lessons?select=id,subject:subjects!subject_id(name)&order={order}");
        let rows = school.get(&path).await.ok();
        let ids: Vec<i64> =
            rows.as_array().expect("rows").iter().filter_map(|row| row["id"].as_i64()).collect();
        assert_eq!(ids, expected, "{order}");
    }
    let to_many = school.get("/lessons?select=id,chapters(name)&order=chapters(name)").await;
    assert_eq!(to_many.refusal(), (400, "PGRST118".to_owned()));
    assert_eq!(school.get("/lessons?order=tags(label)").await.refusal(), (400, "PGRST108".to_owned()));
    assert_eq!(school.get("/lessons?order=id.up").await.refusal(), (400, "PGRST100".to_owned()));
}

#[tokio::test]
async fn rest_v01_values_and_names_cannot_leave_their_place() {
    let school = school().await;
    for path in [
        "/lessons?title=eq.x'%20or%201=1--",
        "/lessons?select=id&%22id%22%22%20or%201=1--%22=eq.1",
        "/lessons?select=%22id%22%22;drop%20table%20tags;--%22",
        "/lessons?title=in.(%22a'%22,%22b%5C%22%22)",
        "/lessons?data-%3E%3E%22a'%22%22b%22=eq.1",
        "/lessons?order=%22id;drop%20table%20tags%22",
        "/lessons?select=id::int);drop%20table%20tags;--",
    ] {
        let reply = school.get(path).await;
        assert!(reply.status == StatusCode::BAD_REQUEST || reply.text == "[]", "{path}: {reply:?}");
    }
    assert_eq!(school.number("select count(*) from public.tags").await, 2);
}

#[tokio::test]
async fn rest_v02_a_read_cannot_write() {
    let school = school().await;
    let reply = school.get("/rpc/write_log?entry=x").await;
    assert_eq!(reply.refusal(), (405, "25006".to_owned()));
    assert_eq!(school.number("select count(*) from public.log").await, 0);
}

#[tokio::test]
async fn rest_y01_options_names_the_methods() {
    let school = school().await;
    for (path, allowed) in [
        ("/lessons", "OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE"),
        ("/log", "OPTIONS,GET,HEAD,POST,PATCH,DELETE"),
        ("/lesson_counts", "OPTIONS,GET,HEAD"),
        ("/rpc/add", "OPTIONS,GET,HEAD,POST"),
        ("/rpc/write_log", "OPTIONS,POST"),
        ("/", "OPTIONS,GET,HEAD"),
    ] {
        let reply = school.ask(Method::OPTIONS, path).send().await;
        assert_eq!((reply.status, reply.header("allow")), (StatusCode::OK, Some(allowed)), "{path}");
    }
}
