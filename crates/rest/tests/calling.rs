//! Functions (CONTRACT.md C01 to C35).

use http::Method;
use serde_json::{Value, json};

use crate::support::{Preferring, school};

// rows: C02 C04 C05 C06 C08 C10 C14 C15 C20 C21 C22 C23 C27
#[tokio::test]
async fn functions_are_called_and_answer_in_their_form() {
    let school = school().await;
    for (path, expected) in [
        ("/rpc/add?a=1&b=2", json!(3)),
        ("/rpc/add?a=1", json!(11)),
        ("/rpc/numbers?up_to=3", json!([1, 2, 3])),
        ("/rpc/pair", json!({"one": 1, "two": "two"})),
        ("/rpc/one_lesson?id=2&select=title", json!({"title": "Light"})),
        ("/rpc/lessons_of?subject=2&select=id&order=id.desc", json!([{"id": 3}, {"id": 2}])),
        ("/rpc/lessons_of?subject=2&select=id&level=eq.hard", json!([{"id": 2}])),
        (
            "/rpc/lessons_of?subject=2&select=id,chapters(name)&id=eq.2",
            json!([{"id": 2, "chapters": [{"name": "Rays"}]}]),
        ),
        (
            "/rpc/lessons_of?subject=2&select=title&order=id&limit=1&offset=1",
            json!([{"title": "Heat, \"warm\""}]),
        ),
        ("/rpc/sum_of?numbers=1&numbers=2&numbers=3", json!(6)),
        ("/rpc/overloaded?a=1&b=2", json!("two")),
    ] {
        assert_eq!(school.get(path).await.ok(), expected, "{path}");
    }
    for (path, body, expected) in [
        ("/rpc/add", json!({"a": 1, "b": 2}), json!(3)),
        ("/rpc/add", json!([{"a": 4}]), json!(14)),
        ("/rpc/sum_of", json!({"numbers": [4, 5]}), json!(9)),
        ("/rpc/whole", json!({"any": [1, {"thing": null}]}), json!({"any": [1, {"thing": null}]})),
        ("/rpc/lessons_of?select=id&order=id&id=gt.2", json!({"subject": 2}), json!([{"id": 3}])),
        ("/rpc/add?columns=a", json!({"a": 1, "b": 2}), json!(11)),
    ] {
        assert_eq!(school.post(path, body).await.ok(), expected, "{path}");
    }
    let form = school.call(Method::POST, "/rpc/add").body("application/x-www-form-urlencoded", "a=1&a=2&b=3");
    assert_eq!(form.await.ok(), json!(5));
    let raw = school.call(Method::POST, "/rpc/raw").body("application/octet-stream", &b"a\\b\x00c"[..]).await;
    assert_eq!(raw.ok(), json!(5));
}

// rows: C25
#[tokio::test]
async fn void_answers_with_nothing_but_was_done() {
    let school = school().await;
    let reply = school.post("/rpc/nothing", json!({})).await;
    assert_eq!((reply.status, reply.text(), reply.header("content-type")), (204, "", None));
    let empty = school.call(Method::POST, "/rpc/nothing").prefer("return=minimal").await;
    assert_eq!(empty.status, 204, "rest_cl4: {}", empty.text());
    assert_eq!(school.number("select count(*) from log").await, 2);
}

// rows: C13 C17 C18 C19
#[tokio::test]
async fn calls_that_fit_no_function_are_explained() {
    let school = school().await;
    let none = school.get("/rpc/ad?a=1").await;
    assert_eq!(none.error(), (404, "PGRST202"));
    assert_eq!(none.json()["message"], "Could not find the function public.ad(a) in the schema cache");
    let near = school.get("/rpc/numberss?x=1").await.json();
    assert_eq!(near["hint"], "Perhaps you meant to call the function public.numbers");
    let arguments = school.post("/rpc/add", json!({"a": 1, "c": 2})).await.json();
    assert_eq!(
        arguments["details"],
        "Searched for the function public.add with parameters a, c or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache."
    );
    assert_eq!(arguments["hint"], "Perhaps you meant to call the function public.add(a, b)");
    let bare = school.get("/rpc/add").await.json();
    assert_eq!(
        bare["message"],
        "Could not find the function public.add without parameters in the schema cache"
    );
    let several = school.get("/rpc/overloaded?a=1").await;
    assert_eq!(several.error(), (300, "PGRST203"));
    assert_eq!(
        several.json()["message"],
        "Could not choose the best candidate function between: public.overloaded(a => integer), public.overloaded(a => text)"
    );
}

// rows: C28 C33
#[tokio::test]
async fn ranges_counts_and_limits_of_calls() {
    let school = school().await;
    let single = school.get("/rpc/add?a=1").await;
    assert_eq!(single.header("content-range"), Some("0-0/*"));
    let counted = school.call(Method::GET, "/rpc/numbers?up_to=5&limit=2").prefer("count=exact").await;
    assert_eq!((counted.status, counted.header("content-range")), (206, Some("0-1/5")));
    let strict = "handling=strict, max-affected=1";
    let many = school.call(Method::GET, "/rpc/numbers?up_to=2").prefer(strict).await;
    assert_eq!(many.error(), (400, "PGRST124"));
    let one = school.call(Method::GET, "/rpc/add?a=2").prefer(strict).await;
    assert_eq!(one.error(), (400, "PGRST128"));
    let object = school
        .call(Method::GET, "/rpc/lessons_of?subject=2")
        .header("accept", "application/vnd.pgrst.object+json");
    assert_eq!(object.await.error(), (406, "PGRST116"));
}

// rows: C29
#[tokio::test]
async fn a_stable_function_cannot_write() {
    let school = school().await;
    school.sql("create function public.sly() returns void stable language plpgsql as $$ begin insert into public.log values ('x'); end $$;").await;
    assert!(school.state.load().await);
    let sly = school.post("/rpc/sly", json!({})).await;
    assert!(["0A000", "25006"].contains(&sly.error().1), "{sly:?}");
    assert_eq!(school.post("/rpc/write_log", json!({"entry": "x"})).await.status, 204);
    assert_eq!(school.number("select count(*) from log").await, 1);
}

// rows: C31
#[tokio::test]
async fn a_functions_own_timeout_holds() {
    let school = school().await;
    let reply = school.post("/rpc/slow", json!({})).await;
    assert_eq!(reply.error(), (500, "57014"));
}

// rows: G01 G02 G03 G04 G06 G08
#[tokio::test]
async fn functions_see_the_request() {
    let school = school().await;
    let reply = school
        .call(Method::GET, "/rpc/settings")
        .header("x-probe", "here")
        .header("cookie", "a=b; c=d")
        .prefer("timezone=Asia/Kolkata")
        .await;
    assert_eq!(
        reply.ok(),
        json!({
            "role": "anon", "method": "GET", "path": "/rpc/settings", "header": "here", "cookie": "b",
            "claims": "anon", "timezone": "Asia/Kolkata", "search_path": "\"public\", \"public\", \"extensions\""
        })
    );
    assert_eq!(reply.header("preference-applied"), Some("timezone=Asia/Kolkata"));
    let zone = school.call(Method::GET, "/rpc/settings").prefer("timezone=Nowhere").await;
    assert_eq!(zone.error(), (400, "22023"));
    let next: Value = school.get("/rpc/settings").await.ok();
    assert_eq!((&next["header"], &next["cookie"]), (&Value::Null, &Value::Null), "rest_v04");
}

// rows: G12 G13 G14
#[tokio::test]
async fn functions_may_set_status_and_headers() {
    let school = school().await;
    let call = |status: &str, headers: &str| {
        school.post("/rpc/answer", json!({"status": status, "headers": headers}))
    };
    let told = call("418", r#"[{"X-A": "1"}, {"Content-Type": "text/x"}, {"X-A": "2"}]"#).await;
    assert_eq!((told.status, told.header("content-type")), (418, Some("text/x")));
    assert_eq!(told.headers.get_all("x-a").iter().count(), 2);
    for (status, headers, code) in [
        ("x", "[]", "PGRST112"),
        ("99", "[]", "PGRST112"),
        ("200", "{}", "PGRST111"),
        ("200", r#"[{"a": 1}]"#, "PGRST111"),
        ("200", r#"[{"a": "1", "b": "2"}]"#, "PGRST111"),
        ("200", r#"[{"a": "x\r\nb: y"}]"#, "PGRST111"),
    ] {
        assert_eq!(call(status, headers).await.error(), (500, code), "{status} {headers}");
    }
}
