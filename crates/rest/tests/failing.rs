//! Errors, by code (CONTRACT.md X01 to X10).

use banyan_rest::{Settings, settings::TransactionEnd};
use banyan_testkit::Answer;
use http::Method;
use serde_json::{Value, json};

use crate::{
    studio::{studio, studio_with},
    support::{School, settings},
};

async fn raised(school: &School, code: &str, message: &str, detail: Option<&str>) -> Answer {
    school.post("/rpc/fail_with", json!({"code": code, "message": message, "detail": detail})).await
}

// rows: X01 X02 X04
#[tokio::test]
async fn postgresql_errors_pass_on_with_detail_and_hint() {
    let school = studio().await;
    let reply = school.post("/tags", json!({"id": 1})).await;
    assert_eq!(
        reply.text(),
        r#"{"code":"23505","details":"Key (id)=(1) already exists.","hint":null,"message":"duplicate key value violates unique constraint \"tags_pkey\""}"#
    );
    assert_eq!(reply.header("content-length"), Some(reply.text().len().to_string().as_str()));
    assert_eq!(reply.header("proxy-status"), Some("PostgREST; error=23505"));
    assert_eq!((reply.header("vary"), reply.header("server-timing")), (None, None));
    let hint = school.get("/lessons?titel=eq.x").await.json();
    assert_eq!(hint["code"], "42703");
    assert_eq!(hint["hint"], "Perhaps you meant to reference the column \"lessons.title\".");
    let head = school.call(Method::HEAD, "/nope").await;
    assert_eq!((head.status, head.text()), (404, ""));
    assert_eq!(head.header("proxy-status"), Some("PostgREST; error=PGRST205"));
}

// rows: X03
#[tokio::test]
async fn short_errors_say_only_code_and_message() {
    let school = studio_with(Settings { verbose_errors: false, ..settings() }).await;
    let service = school.get("/lesons").await;
    assert_eq!(
        service.text(),
        r#"{"code":"PGRST205","message":"Could not find the table 'public.lesons' in the schema cache"}"#
    );
    assert_eq!(service.header("content-length"), Some(service.text().len().to_string().as_str()));
    let database = school.post("/tags", json!({"id": 1})).await;
    assert_eq!(
        database.text(),
        r#"{"code":"23505","message":"duplicate key value violates unique constraint \"tags_pkey\""}"#
    );
}

// rows: X05 X09 SQLSTATE-PTxyz
#[tokio::test]
async fn pt_codes_are_the_status() {
    let school = studio().await;
    for (code, status) in [("PT402", 402), ("PT200", 200), ("PT503", 503), ("PTABC", 500), ("PT999", 500)] {
        let reply = raised(&school, code, "own words", Some("more")).await;
        assert_eq!((reply.status, reply.json()["message"].as_str()), (status, Some("own words")), "{code}");
        assert_eq!((reply.json()["code"].as_str(), &reply.json()["details"]), (Some(code), &json!("more")));
        assert_eq!(reply.header("retry-after").is_some(), status == 503, "rest_x09: {code}");
    }
}

// rows: X05 X06
#[tokio::test]
async fn the_reason_is_what_the_function_said() {
    let school = studio().await;
    let reason = async |body: Value| {
        let request = school.post("/rpc/fail_with", body).response().await;
        let reason = request.extensions().get::<hyper::ext::ReasonPhrase>();
        (request.status().as_u16(), reason.map(|it| String::from_utf8_lossy(it.as_bytes()).into_owned()))
    };
    assert_eq!(
        reason(json!({"code": "PT402", "message": "Pay first"})).await,
        (402, Some("Pay first".to_owned()))
    );
    let own = json!({
        "code": "PGRST", "message": r#"{"code":"1","message":"m"}"#,
        "detail": r#"{"status":333,"status_text":"Elsewhere","headers":{}}"#,
    });
    assert_eq!(reason(own).await, (333, Some("Elsewhere".to_owned())));
    assert_eq!(reason(json!({"code": "PT402", "message": "two\nlines"})).await, (402, None));
}

// rows: X06 X09 SQLSTATE-PGRST
#[tokio::test]
async fn raise_controls_the_whole_answer() {
    let school = studio().await;
    let reply = raised(
        &school,
        "PGRST",
        r#"{"code":"123","message":"ABC","details":"DEF","hint":"XYZ"}"#,
        Some(r#"{"status":432,"headers":{"X-Header":"str","Proxy-Status":"own"}}"#),
    )
    .await;
    assert_eq!((reply.status, reply.header("x-header")), (432, Some("str")));
    assert_eq!(reply.json(), json!({"code": "123", "message": "ABC", "details": "DEF", "hint": "XYZ"}));
    assert_eq!(reply.header("proxy-status"), Some("own"));
    let short =
        raised(&school, "PGRST", r#"{"code":"1","message":"m"}"#, Some(r#"{"status":503,"headers":{}}"#))
            .await;
    assert_eq!(short.json(), json!({"code": "1", "message": "m", "details": null, "hint": null}));
    assert!(short.header("retry-after").is_some(), "rest_x09");
}

// rows: X07 PGRST121
#[tokio::test]
async fn bad_json_in_a_raise_is_explained() {
    let school = studio().await;
    let message = r#"{"code":"1","message":"m"}"#;
    let message_hint = "MESSAGE must be a JSON object with obligatory keys: 'code', 'message' and optional keys: 'details', 'hint'.";
    let detail_hint = "DETAIL must be a JSON object with obligatory keys: 'status', 'headers' and optional key: 'status_text'.";
    for (text, detail, details, hint) in [
        ("INVALID", Some("{}"), "Invalid JSON value for MESSAGE: 'INVALID'", message_hint),
        (r#"{"code":"1"}"#, Some("{}"), "Invalid JSON value for MESSAGE: '{\"code\":\"1\"}'", message_hint),
        (message, Some("INVALID"), "Invalid JSON value for DETAIL: 'INVALID'", detail_hint),
        (
            message,
            Some(r#"{"status":400}"#),
            "Invalid JSON value for DETAIL: '{\"status\":400}'",
            detail_hint,
        ),
        (
            message,
            Some(r#"{"status":400,"headers":{"X":1}}"#),
            "Invalid JSON value for DETAIL: '{\"status\":400,\"headers\":{\"X\":1}}'",
            detail_hint,
        ),
        (message, None, "DETAIL is missing in the RAISE statement", detail_hint),
    ] {
        let reply = raised(&school, "PGRST", text, detail).await;
        assert_eq!(reply.error(), (500, "PGRST121"), "{text} {detail:?}");
        assert_eq!(reply.json()["message"], "Could not parse JSON in the \"RAISE SQLSTATE 'PGRST'\" error");
        assert_eq!(
            (reply.json()["details"].as_str(), reply.json()["hint"].as_str()),
            (Some(details), Some(hint))
        );
    }
}

// rows: X10 V03 PGRST205
#[tokio::test]
async fn hints_name_visible_tables_that_are_alike() {
    let school = studio().await;
    let near = school.get("/lessns").await;
    assert_eq!(near.error(), (404, "PGRST205"));
    assert_eq!(near.json()["message"], "Could not find the table 'public.lessns' in the schema cache");
    assert_eq!(near.json()["hint"], "Perhaps you meant the table 'public.lessons'");
    assert_eq!(school.get("/qqqqq").await.json()["hint"], Value::Null);
    let hidden = school.get("/secrets").await;
    let unknown = school.get("/secretz").await;
    let without_name = |reply: &Answer| reply.text().replace("secrets", "it").replace("secretz", "it");
    assert_eq!(without_name(&hidden), without_name(&unknown), "hidden and unknown tables answer alike");
}

// rows: X10
#[tokio::test]
async fn large_schemas_get_no_hint() {
    let school = studio().await;
    school
        .sql("do $$ begin for i in 1..500 loop execute format('create table public.many_%s (id int)', i); end loop; end $$")
        .await;
    assert!(school.state.load().await);
    assert_eq!(school.get("/lessns").await.json()["hint"], Value::Null);
}

/// One request for each code that the service itself gives, with its message.
const REFUSED: &[(&str, &str, &str, &str, u16, &str, &str)] = &[
    (
        "GET",
        "/tags?select=(",
        "",
        "",
        400,
        "PGRST100",
        "\"failed to parse select parameter (()\" (line 1, column 1)",
    ),
    ("DELETE", "/rpc/add", "", "", 405, "PGRST101", "Cannot use the DELETE method on RPC"),
    ("POST", "/tags", "", "{", 400, "PGRST102", "Empty or invalid json"),
    ("GET", "/tags?limit=-1", "", "", 416, "PGRST103", "Requested range not satisfiable"),
    (
        "PUT",
        "/tags?label=eq.x",
        "",
        "{\"id\":1}",
        405,
        "PGRST105",
        "Filters must include all and only primary key columns with 'eq' operators",
    ),
    ("GET", "/tags", "accept-profile: auth", "", 406, "PGRST106", "Invalid schema: auth"),
    ("GET", "/tags", "accept: a/b", "", 406, "PGRST107", "None of these media types are available: a/b"),
    ("GET", "/tags?x.id=eq.1", "", "", 400, "PGRST108", "'x' is not an embedded resource in this request"),
    (
        "PUT",
        "/tags?id=eq.1&limit=1",
        "",
        "{\"id\":1}",
        400,
        "PGRST114",
        "limit/offset querystring parameters are not allowed for PUT",
    ),
    (
        "PUT",
        "/tags?id=eq.1",
        "",
        "{\"id\":2}",
        400,
        "PGRST115",
        "Payload values do not match URL in primary key column(s)",
    ),
    (
        "GET",
        "/tags",
        "accept: application/vnd.pgrst.object+json",
        "",
        406,
        "PGRST116",
        "Cannot coerce the result to a single JSON object",
    ),
    ("TRACE", "/tags", "", "", 405, "PGRST117", "Unsupported HTTP method: TRACE"),
    (
        "GET",
        "/lessons?select=id,chapters(*)&order=chapters(number)",
        "",
        "",
        400,
        "PGRST118",
        "A related order on 'chapters' is not possible",
    ),
    (
        "GET",
        "/tags",
        "prefer: handling=strict, odd",
        "",
        400,
        "PGRST122",
        "Invalid preferences given with handling=strict",
    ),
    ("GET", "/tags?select=id.count()", "", "", 400, "PGRST123", "Use of aggregate functions is not allowed"),
    (
        "DELETE",
        "/chapters",
        "prefer: handling=strict, max-affected=1",
        "",
        400,
        "PGRST124",
        "Query result exceeds max-affected preference constraint",
    ),
    ("GET", "/a/b/c", "", "", 404, "PGRST125", "Invalid path specified in request URL"),
    (
        "GET",
        "/rpc/one_out",
        "prefer: handling=strict, max-affected=1",
        "",
        400,
        "PGRST128",
        "Function must return SETOF or TABLE when max-affected preference is used with handling=strict",
    ),
    (
        "GET",
        "/tags?select=*,log(*)",
        "",
        "",
        400,
        "PGRST200",
        "Could not find a relationship between 'tags' and 'log' in the schema cache",
    ),
    (
        "GET",
        "/lessons?select=*,subjects(*)",
        "",
        "",
        300,
        "PGRST201",
        "Could not embed because more than one relationship was found for 'lessons' and 'subjects'",
    ),
    (
        "GET",
        "/rpc/nope",
        "",
        "",
        404,
        "PGRST202",
        "Could not find the function public.nope without parameters in the schema cache",
    ),
    (
        "GET",
        "/rpc/overloaded?a=1",
        "",
        "",
        300,
        "PGRST203",
        "Could not choose the best candidate function between: public.overloaded(a => integer), public.overloaded(a => text)",
    ),
    (
        "POST",
        "/tags",
        "",
        "{\"x\":1}",
        400,
        "PGRST204",
        "Could not find the 'x' column of 'tags' in the schema cache",
    ),
    ("GET", "/nope", "", "", 404, "PGRST205", "Could not find the table 'public.nope' in the schema cache"),
];

// rows: PGRST100 PGRST101 PGRST102 PGRST103 PGRST105 PGRST106 PGRST107 PGRST108
#[tokio::test]
async fn refusals_pgrst100_to_pgrst108_have_their_status() {
    codes(&REFUSED[..8]).await;
}

// rows: PGRST114 PGRST115 PGRST116 PGRST117 PGRST118 PGRST122 PGRST123 PGRST124
#[tokio::test]
async fn refusals_pgrst114_to_pgrst124_have_their_status() {
    codes(&REFUSED[8..16]).await;
}

// rows: PGRST125 PGRST128 PGRST200 PGRST201 PGRST202 PGRST203 PGRST204 PGRST205
#[tokio::test]
async fn refusals_pgrst125_to_pgrst205_have_their_status() {
    codes(&REFUSED[16..]).await;
}

async fn codes(requests: &[(&str, &str, &str, &str, u16, &str, &str)]) {
    let school = studio().await;
    assert_eq!(requests.len(), 8);
    for (method, path, header, body, status, code, message) in requests {
        let mut ask = school.call(Method::from_bytes(method.as_bytes()).expect("a method"), path);
        if let Some((name, value)) = header.split_once(": ") {
            ask = ask.header(name, value);
        }
        let reply = ask.bytes(body.to_string()).await;
        assert_eq!(reply.error(), (*status, *code), "{method} {path}");
        assert_eq!(reply.json()["message"], *message, "{method} {path}");
        assert_eq!(reply.header("proxy-status"), Some(format!("PostgREST; error={code}").as_str()));
    }
}

// rows: PGRST120
#[tokio::test]
async fn operators_on_embedded_relations_are_left_to_postgresql() {
    let school = studio().await;
    let reply = school.get("/lessons?select=id,chapters(name)&chapters=eq.1").await;
    assert_eq!(reply.error(), (400, "42703"));
}

// rows: PGRST126 Q02
#[tokio::test]
async fn the_root_may_be_switched_off() {
    let off = Settings { document: banyan_rest::settings::DocumentMode::Disabled, ..settings() };
    let school = studio_with(off).await;
    for method in [Method::GET, Method::HEAD, Method::POST] {
        let reply = school.call(method.clone(), "/").await;
        assert_eq!(reply.status, 404, "{method}");
        assert_eq!(reply.header("proxy-status"), Some("PostgREST; error=PGRST126"));
    }
    assert_eq!(school.get("/").await.json()["message"], "Root endpoint metadata is disabled");
}

// rows: SQLSTATE-23503 SQLSTATE-23505 SQLSTATE-25006 SQLSTATE-42883 SQLSTATE-42P01 SQLSTATE-P0001
#[tokio::test]
async fn have_a_status_of_their_own() {
    let school = studio().await;
    for (code, message, status) in [
        ("23503", "m", 409),
        ("23505", "m", 409),
        ("25006", "m", 405),
        ("42883", "function f() does not exist", 404),
        ("42883", "function xmlagg(record) does not exist", 406),
        ("42P01", "m", 404),
        ("42P17", "m", 500),
        ("P0001", "m", 400),
        ("57014", "m", 500),
    ] {
        assert_eq!(raised(&school, code, message, None).await.error(), (status, code), "{message}");
    }
}

// rows: SQLSTATE-21000 SQLSTATE-22023 SQLSTATE-42501
#[tokio::test]
async fn depend_on_the_message_or_the_caller() {
    let school = studio().await;
    for (code, message, status) in [
        ("21000", "UPDATE requires a WHERE clause", 400),
        ("21000", "m", 500),
        ("22023", "role \"x\" does not exist", 401),
        ("22023", "invalid value for parameter", 400),
        ("42501", "m", 401),
    ] {
        let reply = raised(&school, code, message, None).await;
        assert_eq!(reply.error(), (status, code), "{message}");
        assert_eq!(reply.header("www-authenticate"), (code == "42501").then_some("Bearer"), "{message}");
    }
    let user = banyan_testkit::user(uuid::Uuid::from_u128(3));
    let known = school.post("/rpc/fail_with", json!({"code": "42501", "message": "m"})).by(user).await;
    assert_eq!((known.error(), known.header("www-authenticate")), ((403, "42501"), None));
}

// rows: SQLSTATE-0L SQLSTATE-0P SQLSTATE-28 SQLSTATE-08 SQLSTATE-53 SQLSTATE-57P01 SQLSTATE-53400
#[tokio::test]
async fn classes_have_a_status() {
    let school = studio().await;
    for (code, status) in [
        ("0L000", 403),
        ("0P000", 403),
        ("28000", 403),
        ("28P01", 403),
        ("08000", 503),
        ("08006", 503),
        ("53000", 503),
        ("53300", 503),
        ("53400", 500),
        ("57P01", 503),
    ] {
        let reply = raised(&school, code, "m", None).await;
        assert_eq!(reply.error(), (status, code), "{code}");
        assert_eq!(reply.header("retry-after").is_some(), status == 503, "{code}");
    }
}

// rows: SQLSTATE-09 SQLSTATE-25 SQLSTATE-2D SQLSTATE-38 SQLSTATE-39 SQLSTATE-3B SQLSTATE-40 SQLSTATE-54 SQLSTATE-55 SQLSTATE-57 SQLSTATE-58 SQLSTATE-F0 SQLSTATE-HV SQLSTATE-P0 SQLSTATE-XX SQLSTATE-42P17 SQLSTATE-others
#[tokio::test]
async fn are_500_and_400() {
    let school = studio().await;
    for code in [
        "09000", "25000", "2D000", "38000", "39000", "3B000", "40001", "54000", "55000", "57000", "58000",
        "F0000", "HV000", "P0002", "XX000", "42P17",
    ] {
        assert_eq!(raised(&school, code, "m", None).await.error(), (500, code));
    }
    for code in ["22003", "22P02", "23502", "23514", "42601", "42703", "44000", "ZZ999"] {
        assert_eq!(raised(&school, code, "m", None).await.error(), (400, code));
    }
}

// rows: V14
#[tokio::test]
async fn errors_of_the_service_hold_no_sql() {
    let school = studio_with(Settings {
        transaction_end: TransactionEnd { rollback: false, choice: true },
        ..settings()
    })
    .await;
    for path in [
        "/lessons?nope=eq.1",
        "/lessons?id=eq.x",
        "/lessons?select=id::nope",
        "/rpc/fail?kind=plain",
        "/lessons?order=nope",
    ] {
        let reply = school.get(path).await;
        assert_ne!(reply.status, 200);
        let text = reply.text().to_lowercase();
        assert!(
            !text.contains("select ") && !text.contains("pgrst_source") && !text.contains("$1"),
            "{path}: {text}"
        );
    }
}
