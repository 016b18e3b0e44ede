//! Preferences, and what the database is told and says (CONTRACT.md H01 to H09, G01 to G18), beside
//! the tests in `calling`.

use banyan_rest::{Settings, settings::TransactionEnd};
use http::Method;
use serde_json::{Value, json};

use crate::{
    studio::{studio, studio_with},
    support::{Preferring, School, settings},
};

fn ending(rollback: bool, choice: bool) -> Settings {
    Settings { transaction_end: TransactionEnd { rollback, choice }, ..settings() }
}

async fn setting(school: &School, name: &str) -> Value {
    school.get(&format!("/rpc/setting?name={name}")).await.ok()
}

// rows: H01 H02 H03 H04
#[tokio::test]
async fn applied_preferences_are_named_in_order() {
    let school = studio_with(ending(false, true)).await;
    let all = "max-affected=9 ,timezone=UTC,handling=strict,tx=commit,count=exact,return=minimal,missing=null,resolution=merge-duplicates";
    let post = school.post("/papers", json!({"id": 1})).prefer(all).await;
    assert_eq!(
        post.header("preference-applied"),
        Some(
            "resolution=merge-duplicates, missing=null, return=minimal, count=exact, tx=commit, handling=strict, timezone=UTC"
        )
    );
    let patch = school.patch("/papers", json!({"code": "x"})).prefer(all).await;
    assert_eq!(
        patch.header("preference-applied"),
        Some(
            "missing=null, return=minimal, count=exact, tx=commit, handling=strict, timezone=UTC, max-affected=9"
        )
    );
    let put = school.call(Method::PUT, "/papers?id=eq.1").json(json!({"id": 1})).prefer(all).await;
    assert_eq!(
        put.header("preference-applied"),
        Some("return=minimal, count=exact, tx=commit, handling=strict, timezone=UTC")
    );
    let delete = school.call(Method::DELETE, "/papers").prefer(all).await;
    assert_eq!(
        delete.header("preference-applied"),
        Some("return=minimal, count=exact, tx=commit, handling=strict, timezone=UTC, max-affected=9")
    );
    let get = school.call(Method::GET, "/papers").prefer(all).await;
    assert_eq!(
        get.header("preference-applied"),
        Some("count=exact, tx=commit, handling=strict, timezone=UTC")
    );
    let call = school.call(Method::GET, "/rpc/numbers?up_to=1").prefer(all).await;
    assert_eq!(
        call.header("preference-applied"),
        Some("count=exact, tx=commit, handling=strict, timezone=UTC, max-affected=9")
    );
    let headers =
        school.call(Method::GET, "/tags").prefer("count=planned").prefer("count=exact, handling=lenient");
    assert_eq!(headers.await.header("preference-applied"), Some("count=planned, handling=lenient"));
    let error = school.call(Method::GET, "/nope").prefer("count=exact").await;
    assert_eq!(error.header("preference-applied"), None);
    let none = school.call(Method::GET, "/tags").prefer("return=minimal, odd=1, count=none").await;
    assert_eq!((none.status, none.header("preference-applied")), (200, None));
}

// rows: H06 PGRST122
#[tokio::test]
async fn strict_handling_refuses_what_it_does_not_know() {
    let school = studio().await;
    for (method, path) in [
        (Method::GET, "/papers"),
        (Method::POST, "/papers"),
        (Method::PATCH, "/papers"),
        (Method::DELETE, "/papers"),
        (Method::POST, "/rpc/one_out"),
    ] {
        let ask =
            school.call(method.clone(), path).json(json!({})).prefer("odd, handling=strict, return=some");
        let refused = ask.await;
        assert_eq!(refused.error(), (400, "PGRST122"), "{method} {path}");
        assert_eq!(refused.json()["message"], "Invalid preferences given with handling=strict");
        assert_eq!(refused.json()["details"], "Invalid preferences: odd, return=some");
    }
    let lenient = school.call(Method::GET, "/papers").prefer("odd, handling=lenient").await;
    assert_eq!((lenient.status, lenient.header("preference-applied")), (200, Some("handling=lenient")));
}

// rows: H07
#[tokio::test]
async fn timezones_are_names_or_offsets_and_wrong_ones_are_refused() {
    let school = studio().await;
    school.sql("insert into public.kinds (id, at) values (1, '2024-01-01 12:00:00+00')").await;
    let at = async |preference: &str| school.call(Method::GET, "/kinds?select=at").prefer(preference).await;
    for (zone, expected) in [
        ("America/Los_Angeles", "2024-01-01T04:00:00-08:00"),
        ("05:30", "2024-01-01T06:30:00-05:30"),
        ("-4", "2024-01-01T08:00:00-04:00"),
        ("utc", "2024-01-01T12:00:00+00:00"),
    ] {
        let reply = at(&format!("timezone={zone}")).await;
        assert_eq!(reply.ok(), json!([{"at": expected}]), "{zone}");
        assert_eq!(reply.header("preference-applied"), Some(format!("timezone={zone}").as_str()));
    }
    for handling in ["strict", "lenient"] {
        let refused = at(&format!("handling={handling}, timezone=Jupiter/Red_Spot")).await;
        assert_eq!(refused.error(), (400, "22023"), "{handling}");
    }
}

// rows: H08
#[tokio::test]
async fn the_end_of_a_transaction_is_chosen_only_where_that_is_allowed() {
    for (end, preference, kept, applied) in [
        (ending(false, false), "tx=rollback", 1, None),
        (ending(false, true), "tx=rollback", 0, Some("tx=rollback")),
        (ending(false, true), "tx=commit", 1, Some("tx=commit")),
        (ending(false, true), "handling=lenient", 1, Some("handling=lenient")),
        (ending(true, false), "tx=commit", 0, None),
        (ending(true, true), "tx=commit", 1, Some("tx=commit")),
        (ending(true, true), "handling=lenient", 0, Some("handling=lenient")),
    ] {
        let school = studio_with(end.clone()).await;
        let reply = school.post("/papers", json!({"id": 1})).prefer(preference).await;
        let found = (reply.status, reply.header("preference-applied"));
        assert_eq!(found, (201, applied), "{:?} {preference}", end.transaction_end);
        assert_eq!(
            school.number("select count(*) from papers").await,
            kept,
            "{:?} {preference}",
            end.transaction_end
        );
    }
}

// rows: H09
#[tokio::test]
async fn a_rollback_answers_as_usual_and_shows_deferred_errors() {
    let school = studio_with(ending(false, true)).await;
    let rollback = "tx=rollback, return=representation, count=exact";
    let post = school.post("/papers?select=id,code", json!({"id": 1, "code": "a"})).prefer(rollback).await;
    assert_eq!((post.status, post.json()), (201, json!([{"id": 1, "code": "A"}])));
    assert_eq!(post.header("content-range"), Some("*/1"));
    let patch = school.patch("/chapters?lesson_id=eq.1&select=number", json!({"name": "x"})).prefer(rollback);
    assert_eq!(patch.await.ok(), json!([{"number": 1}, {"number": 2}]));
    let delete = school.call(Method::DELETE, "/chapters").prefer(rollback).await;
    assert_eq!(delete.header("content-range"), Some("*/3"));
    let call = school.post("/rpc/write_log", json!({"entry": "x"})).prefer("tx=rollback").await;
    assert_eq!(call.status, 204);
    assert_eq!(school.number("select (select count(*) from log) + (select count(*) from papers)").await, 0);
    assert_eq!(school.number("select count(*) from chapters where name <> 'x'").await, 3);
    let deferred = school.post("/duties", json!({"id": 1, "after": 2})).prefer("tx=rollback").await;
    assert_eq!(deferred.error(), (409, "23503"));
    let committed = school.post("/duties", json!({"id": 1, "after": 2})).await;
    assert_eq!(committed.error(), (409, "23503"), "as a commit shows them");
    let after = school.post("/duties", json!({"id": 1, "after": 1})).await;
    assert_eq!(after.status, 201, "the connection is as good as new: {}", after.text());
}

// rows: G01 G06 config-db-extra-search-path config-app-settings
#[tokio::test]
async fn the_database_is_told_them_and_the_request() {
    let mut told = settings();
    told.schemas.push("hidden".to_owned());
    told.app_settings.push(("app.settings.greeting".to_owned(), "hello, \"you\"".to_owned()));
    let school = studio_with(told).await;
    assert_eq!(setting(&school, "app.settings.greeting").await, json!("hello, \"you\""));
    assert_eq!(setting(&school, "request.path").await, json!("/rpc/setting"));
    assert_eq!(setting(&school, "request.method").await, json!("GET"));
    school
        .sql(
            "create function hidden.path() returns text stable language sql as $$ select current_setting('search_path') $$; \
             create function public.\"a b\"() returns text stable language sql as $$ select current_setting('request.path') $$; \
             grant usage on schema hidden to anon;",
        )
        .await;
    assert!(school.state.load().await);
    let other = school.call(Method::GET, "/rpc/path").header("accept-profile", "hidden").await;
    assert!(
        other.ok().as_str().is_some_and(|path| path.starts_with("\"hidden\", \"public\"")),
        "{}",
        other.text()
    );
    assert_eq!(
        school.get("/rpc/a%20b?select=*").await.ok(),
        json!("/rpc/a%20b"),
        "as received, without the query"
    );
}

// rows: G02 G03 G09 G10
#[tokio::test]
async fn the_role_brings_its_claims_and_its_settings() {
    let school = studio().await;
    let admin = school.database.pool(banyan_db::Login::Admin);
    let script = "do $$ begin
        execute format('alter role authenticated in database %I set statement_timeout = ''7s''', current_database());
        execute format('alter role authenticated in database %I set default_transaction_isolation = ''repeatable read''', current_database());
    end $$;
    create function public.slower() returns text language sql set statement_timeout = '9s'
        as $$ select current_setting('statement_timeout') $$;";
    sqlx::raw_sql(script).execute(admin).await.expect("an admin may");
    assert!(school.state.load().await);
    let user = banyan_testkit::user(uuid::Uuid::from_u128(7));
    let seen = async |name: &str| {
        let path = format!("/rpc/setting?name={name}");
        school.call(Method::GET, &path).by(user.clone()).await.ok()
    };
    assert_eq!(seen("role").await, json!("authenticated"));
    assert_eq!(seen("statement_timeout").await, json!("7s"));
    assert_eq!(seen("transaction_isolation").await, json!("repeatable read"), "rest_g16");
    let claims: Value =
        serde_json::from_str(seen("request.jwt.claims").await.as_str().expect("a text")).expect("JSON");
    assert_eq!(
        (&claims["role"], &claims["sub"]),
        (&json!("authenticated"), &json!(uuid::Uuid::from_u128(7)))
    );
    let function_wins = school.call(Method::GET, "/rpc/slower").by(user.clone()).await.ok();
    assert_eq!(function_wins, json!("9s"));
    assert_ne!(setting(&school, "statement_timeout").await, json!("7s"), "anon has its own");
    assert_eq!(setting(&school, "transaction_isolation").await, json!("read committed"));
    let anonymous: Value =
        serde_json::from_str(setting(&school, "request.jwt.claims").await.as_str().expect("a text"))
            .expect("JSON");
    assert_eq!(anonymous["role"], "anon");
}

// rows: G04 G08 V12
#[tokio::test]
async fn headers_are_lower_case_without_cookies_and_gone_afterwards() {
    let school = studio().await;
    let ask = |name: &str| {
        school
            .call(Method::GET, &format!("/rpc/setting?name={name}"))
            .header("X-Some", "A; b")
            .header("Cookie", "session=abc; theme=dark")
            .header("Authorization", "Bearer x")
    };
    let headers: Value =
        serde_json::from_str(ask("request.headers").await.ok().as_str().expect("a text")).expect("JSON");
    assert_eq!((&headers["x-some"], &headers["cookie"]), (&json!("A; b"), &Value::Null));
    assert_eq!(headers["authorization"], "Bearer x", "functions must not log headers");
    let cookies: Value =
        serde_json::from_str(ask("request.cookies").await.ok().as_str().expect("a text")).expect("JSON");
    assert_eq!(cookies, json!({"session": "abc", "theme": "dark"}));
    let pool = school.database.pool(banyan_db::Login::Authenticator);
    let left: String = sqlx::query_scalar("select coalesce(current_setting('request.headers', true), '')")
        .fetch_one(pool)
        .await
        .expect("a text");
    assert_eq!(left, "");
}

// rows: G11
#[tokio::test]
async fn pre_request_runs_before_everything_and_may_refuse_or_change_the_role() {
    let checked = Settings { pre_request: Some("public.before_each".to_owned()), ..settings() };
    let school = studio_with(checked).await;
    for (method, path, body) in [
        (Method::GET, "/tags", json!(null)),
        (Method::POST, "/papers", json!({"id": 1})),
        (Method::PATCH, "/papers", json!({"code": "x"})),
        (Method::POST, "/rpc/one_out", json!({})),
        (Method::GET, "/rpc/one_out", json!(null)),
        (Method::GET, "/", json!(null)),
        (Method::DELETE, "/papers", json!(null)),
    ] {
        let done = school.call(method.clone(), path).json(body.clone()).await;
        assert!(done.status < 300, "{method} {path}: {}", done.text());
        assert_eq!(done.header("x-checked"), Some("yes"), "{method} {path}");
        let blocked = school.call(method.clone(), path).json(body).header("x-blocked", "1").await;
        assert_eq!(blocked.error(), (403, "PT403"), "{method} {path}");
    }
    let options = school.call(Method::OPTIONS, "/tags").header("x-blocked", "1").await;
    assert_eq!(options.status, 200, "no transaction, no check");
    let role = school.call(Method::GET, "/rpc/setting?name=role").header("x-role", "service_role").await;
    assert_eq!(role.ok(), json!("service_role"));
    assert_eq!(setting(&school, "role").await, json!("anon"), "for that one request");
    let unknown = Settings { pre_request: Some("public.nowhere".to_owned()), ..settings() };
    let school = studio_with(unknown).await;
    assert_eq!(school.get("/tags").await.error(), (404, "42883"));
}

// rows: G18
#[tokio::test]
async fn connections_bear_the_name_of_the_service() {
    let school = studio().await;
    let name = setting(&school, "application_name").await;
    assert!(name.as_str().is_some_and(|name| name.to_lowercase().contains("banyan")), "{name}");
}

// rows: G12 G15
#[tokio::test]
async fn reads_writes_and_void_calls_may_set_headers_and_status() {
    let school = studio().await;
    let written = school.post("/announced", json!({"id": 1})).await;
    assert_eq!((written.status, written.header("x-trigger")), (202, Some("ran")));
    let changed = school.patch("/announced?id=eq.1", json!({"id": 2})).representation().await;
    assert_eq!(
        (changed.status, changed.header("x-trigger"), changed.json()),
        (202, Some("ran"), json!([{"id": 2}]))
    );
    let void = school.post("/rpc/announce_nothing", json!({})).await;
    assert_eq!((void.status, void.header("x-void")), (204, Some("yes")));
    let read = school.get("/rpc/announce_read?select=id&limit=1").await;
    assert_eq!((read.ok(), read.header("cache-control")), (json!([{"id": 1}]), Some("public")));
    let many = school.post(
        "/rpc/answer",
        json!({"status": "201", "headers": r#"[{"Set-Cookie": "a=1"}, {"Set-Cookie": "b=2"}, {"content-range": "own"}]"#}),
    );
    let many = many.await;
    assert_eq!((many.status, many.header("content-range")), (201, Some("own")));
    assert_eq!(many.headers.get_all("set-cookie").iter().count(), 2);
}

// rows: G13 G14 V11 PGRST111 PGRST112
#[tokio::test]
async fn settings_that_are_no_headers_or_status_are_refused() {
    let school = studio().await;
    let call = |status: &str, headers: &str| {
        school.post("/rpc/answer", json!({"status": status, "headers": headers}))
    };
    let headers = call("200", "[{\"X\": 1}]").await;
    assert_eq!(headers.error(), (500, "PGRST111"));
    assert_eq!(
        headers.json()["message"],
        "response.headers guc must be a JSON array composed of objects with a single key and a string value"
    );
    let status = call("many", "[]").await;
    assert_eq!(status.error(), (500, "PGRST112"));
    assert_eq!(status.json()["message"], "response.status guc must be a valid status code");
    for split in [r#"[{"X-A": "1\r\nSet-Cookie: a=b"}]"#, r#"[{"X-A\r\nB": "1"}]"#, r#"[{"X-A": "1\n"}]"#] {
        assert_eq!(call("200", split).await.error(), (500, "PGRST111"), "{split}");
    }
    let raised = json!({
        "code": "PGRST",
        "message": r#"{"code":"X","message":"m"}"#,
        "detail": r#"{"status":400,"headers":{"X-A":"1\r\nSet-Cookie: a=b","X-B":"fine"}}"#,
    });
    let raised = school.post("/rpc/fail_with", raised).await;
    assert_eq!(
        (raised.header("x-a"), raised.header("set-cookie"), raised.header("x-b")),
        (None, None, Some("fine"))
    );
}
