//! OPTIONS, and the headers of every answer (CONTRACT.md Y01 to Y11).

use std::time::Duration;

use banyan_rest::{Settings, TokenTime};
use http::Method;
use serde_json::json;

use crate::{
    studio::{studio, studio_with},
    support::settings,
};

// rows: Y01 Y02 P09
#[tokio::test]
async fn options_lists_what_can_be_done_to_a_relation() {
    let school = studio().await;
    school
        .sql(
            "create view public.only_insert as select id, code from public.papers limit 9; \
             create trigger i instead of insert on public.only_insert for each row execute function public.desk_insert(); \
             create view public.only_delete as select id, code from public.papers limit 9; \
             create trigger d instead of delete on public.only_delete for each row execute function public.desk_insert(); \
             create view public.keyless as select code from public.papers;",
        )
        .await;
    assert!(school.state.load().await);
    for (path, allowed) in [
        ("/papers", "OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE"),
        ("/visits", "OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE"),
        ("/log", "OPTIONS,GET,HEAD,POST,PATCH,DELETE"),
        ("/paper_desk", "OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE"),
        ("/keyless", "OPTIONS,GET,HEAD,POST,PATCH,DELETE"),
        ("/only_insert", "OPTIONS,GET,HEAD,POST"),
        ("/only_delete", "OPTIONS,GET,HEAD,DELETE"),
        ("/lesson_counts", "OPTIONS,GET,HEAD"),
    ] {
        let reply = school.call(Method::OPTIONS, path).await;
        assert_eq!((reply.status, reply.text()), (200, ""), "{path}");
        assert_eq!(reply.header("allow"), Some(allowed), "{path}");
        assert_eq!(reply.header("content-length"), Some("0"));
        assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
        assert_eq!(reply.header("content-type"), None);
    }
    let unknown = school.call(Method::OPTIONS, "/nope").await;
    assert_eq!(unknown.error(), (404, "PGRST205"));
}

// rows: Y03
#[tokio::test]
async fn options_of_functions_follow_their_volatility() {
    let school = studio().await;
    for (path, allowed) in [
        ("/rpc/add_exams", "OPTIONS,POST"),
        ("/rpc/access_mode_stable", "OPTIONS,GET,HEAD,POST"),
        ("/rpc/one_out", "OPTIONS,GET,HEAD,POST"),
        ("/", "OPTIONS,GET,HEAD"),
    ] {
        let reply = school.call(Method::OPTIONS, path).await;
        assert_eq!((reply.status, reply.header("allow")), (200, Some(allowed)), "{path}");
    }
    let unknown = school.call(Method::OPTIONS, "/rpc/nope").await;
    assert_eq!(unknown.error(), (404, "PGRST202"));
}

// rows: Y09
#[tokio::test]
async fn every_answer_names_the_server() {
    let school = studio().await;
    for path in ["/tags", "/nope", "/a/b"] {
        let server = school.get(path).await.header("server").map(str::to_owned);
        assert!(server.as_deref().is_some_and(|name| name.starts_with("banyan/")), "{path}: {server:?}");
    }
}

// rows: Y10 X02 config-server-timing-enabled
#[tokio::test]
async fn successful_answers_tell_how_long_each_stage_took() {
    let school = studio_with(Settings { timing: true, ..settings() }).await;
    for (method, path) in [
        (Method::GET, "/tags"),
        (Method::HEAD, "/tags"),
        (Method::POST, "/papers"),
        (Method::PATCH, "/papers?id=eq.0"),
        (Method::DELETE, "/papers"),
        (Method::OPTIONS, "/papers"),
        (Method::GET, "/"),
        (Method::POST, "/rpc/one_out"),
    ] {
        let body = if path == "/papers" && method == Method::POST { json!({"id": 1}) } else { json!({}) };
        let reply = school.call(method.clone(), path).json(body).await;
        assert!(reply.status < 300, "{method} {path} {}", reply.text());
        let header = reply.header("server-timing").unwrap_or_default();
        let stages: Vec<&str> =
            header.split(", ").filter_map(|stage| stage.split_once(";dur=")).map(|it| it.0).collect();
        assert_eq!(stages, ["jwt", "parse", "plan", "transaction", "response"], "{method} {path}: {header}");
        let times = header.split(", ").filter_map(|stage| stage.split_once(";dur=")).map(|it| it.1);
        assert!(
            times.into_iter().all(|time| time.split_once('.').is_some_and(|(_, part)| part.len() == 1)),
            "{header}"
        );
    }
    let slept = school.call(Method::GET, "/tags").extension(TokenTime(Duration::from_millis(25))).await;
    assert!(slept.header("server-timing").is_some_and(|it| it.starts_with("jwt;dur=25.0, parse;dur=")));
    assert_eq!(school.get("/nope").await.header("server-timing"), None, "not with errors");
    let off = studio().await;
    assert_eq!(off.get("/tags").await.header("server-timing"), None);
}

// rows: Y11 config-server-trace-header
#[tokio::test]
async fn it_comes_back_with_errors_too() {
    let school = studio_with(Settings { trace_header: Some("X-Request-Id".to_owned()), ..settings() }).await;
    for path in ["/tags", "/nope", "/lessons?id=eq.x", "/a/b"] {
        let traced = school.call(Method::GET, path).header("x-request-id", "abc-1").await;
        assert_eq!(traced.header("x-request-id"), Some("abc-1"), "{path}");
        assert_eq!(school.get(path).await.header("x-request-id"), None, "{path}");
    }
    let off = studio().await;
    let silent = off.call(Method::GET, "/tags").header("x-request-id", "abc-1").await;
    assert_eq!(silent.header("x-request-id"), None);
}
