//! Insert (CONTRACT.md I01 to I21), beside the tests in `writing`.

use http::Method;
use serde_json::{Value, json};

use crate::{
    studio::studio,
    support::{Preferring, School},
};

async fn inserted(school: &School, path: &str, body: Value) -> (u16, Value) {
    let reply = school.post(path, body).representation().await;
    (reply.status, reply.json())
}

// rows: I01 I03 I04 I12 I13
#[tokio::test]
async fn bodies_without_a_header_are_json() {
    let school = studio().await;
    let without_header = |body: &'static str| {
        let ask = school.call(Method::POST, "/papers?select=id");
        ask.bytes(body).representation()
    };
    let object = without_header("{\"id\":1}").await;
    assert_eq!((object.status, object.json()), (201, json!([{"id": 1}])));
    let array = without_header("[{\"id\":2},{\"id\":3}]").await;
    assert_eq!((array.status, array.json()), (201, json!([{"id": 2}, {"id": 3}])));
    assert_eq!(without_header("").await.error(), (400, "PGRST102"));
    let scalar = without_header("\"text\"").await;
    assert_eq!((scalar.status, scalar.json()), (201, json!([])));
    let charset = school
        .call(Method::POST, "/papers?select=code")
        .body("application/x-www-form-urlencoded; charset=utf-8", "id=4&code=a%26b")
        .representation();
    assert_eq!(charset.await.json(), json!([{"code": "A&B"}]));
    let parameters = school.call(Method::POST, "/papers").body("text/yaml; version=1", "id: 5").await;
    assert_eq!(parameters.json()["message"], "Content-Type not acceptable: text/yaml; version=1");
}

// rows: I08 I09
#[tokio::test]
async fn columns_choose_the_keys_and_their_absence_is_null() {
    let school = studio().await;
    let mixed = json!([{"id": 1, "code": "a"}, {"id": 2, "seen": "yes", "unknown": true}]);
    assert_eq!(
        inserted(&school, "/papers?columns=id,seen&select=id,code,seen", mixed).await,
        (201, json!([{"id": 1, "code": null, "seen": null}, {"id": 2, "code": null, "seen": "yes"}]))
    );
    let unknown = school.post("/papers?columns=id,nope", json!({"id": 3})).await;
    assert_eq!(unknown.error(), (400, "PGRST204"));
    assert_eq!(unknown.json()["message"], "Could not find the 'nope' column of 'papers' in the schema cache");
    let empty = school.post("/papers?columns=", json!({"id": 3})).await;
    assert_eq!(empty.error(), (400, "PGRST100"));
    let broken = school.call(Method::POST, "/papers?columns=id").body("application/json", "{\"id\": 3").await;
    assert_eq!(broken.error(), (400, "22P02"), "PostgreSQL reads it, not the service");
}

// rows: I10
#[tokio::test]
async fn defaults_come_from_the_column_then_the_domain_then_the_sequence() {
    let school = studio().await;
    let body = json!([{"subject": "art"}, {"mark": 1}, {"id": 77, "bonus": 9}]);
    let path = "/exams?columns=id,subject,mark,bonus,taken&select=id,subject,mark,bonus,taken";
    let reply = school.post(path, body).prefer("missing=default, return=representation").await;
    assert_eq!(
        reply.json(),
        json!([
            {"id": 10, "subject": "art", "mark": 7, "bonus": 3, "taken": null},
            {"id": 11, "subject": "maths", "mark": 1, "bonus": 3, "taken": null},
            {"id": 77, "subject": "maths", "mark": 7, "bonus": 9, "taken": null},
        ])
    );
    let null = school.post(path, json!([{"id": 5}])).prefer("missing=null, return=representation").await;
    assert_eq!(null.json()[0]["mark"], Value::Null);
    assert_eq!(null.header("preference-applied"), Some("missing=null, return=representation"));
}

// rows: I11
#[tokio::test]
async fn csv_knows_null_and_the_empty_text() {
    let school = studio().await;
    let csv = |text: &'static str| {
        school.call(Method::POST, "/papers?select=id,code,seen").body("text/csv", text).representation()
    };
    let reply = csv("id,code,seen\n1,\"\",NULL\n2,\"x,y\",no\n3,,\"NULL\"").await;
    assert_eq!(
        (reply.status, reply.json()),
        (
            201,
            json!([
                {"id": 1, "code": "", "seen": null},
                {"id": 2, "code": "X,Y", "seen": "no"},
                {"id": 3, "code": null, "seen": "NULL"},
            ])
        )
    );
    let uneven = csv("id,code\n3,a,b").await;
    assert_eq!(uneven.error(), (400, "PGRST102"));
    assert_eq!(uneven.json()["message"], "All lines must have same number of fields");
}

// rows: I11
#[tokio::test]
async fn csv_of_old_line_ends_and_without_rows_loses_nothing_in_silence() {
    let school = studio().await;
    let csv = |path: &str, text: &'static str| {
        school.call(Method::POST, path).body("text/csv", text).representation()
    };
    let old = csv("/papers?select=id,code", "id,code\r1,a\r2,b\r").await;
    assert_eq!((old.status, old.json()), (201, json!([{"id": 1, "code": "A"}, {"id": 2, "code": "B"}])));
    let none = csv("/papers", "id,code\n").await;
    assert_eq!((none.status, none.json()), (201, json!([])));
    let unknown = csv("/papers", "id,nope\n").await;
    assert_eq!(unknown.error(), (400, "PGRST204"));
}

// rows: I07 V09
#[tokio::test]
async fn columns_of_csv_are_judged_before_anything_is_built() {
    let school = studio().await;
    let csv = format!("id,{}\n{}", "n".repeat(100 << 10), "1,2\n".repeat(1500));
    let reply = school.call(Method::POST, "/papers").body("text/csv", csv).await;
    assert_eq!(reply.error(), (400, "PGRST204"));
    assert!(reply.text().len() < 1000, "a long name is not told as a whole");
    let call = school.post("/rpc/add", json!({"n".repeat(100 << 10): 1})).await;
    assert_eq!(call.error(), (404, "PGRST202"));
    assert!(call.text().len() < 1500, "{}", call.text().len());
    let twice = school.call(Method::POST, "/papers").body("text/csv", "id,code,code\n1,a,b").await;
    assert_eq!(twice.error(), (400, "PGRST102"));
}

// rows: I14 N24
#[tokio::test]
async fn a_plain_insert_answers_nothing_and_heeds_no_filter() {
    let school = studio().await;
    let none = school.post("/papers?id=eq.99&code=is.null&limit=0", json!({"id": 1})).await;
    assert_eq!((none.status, none.text()), (201, ""));
    assert_eq!((none.header("content-length"), none.header("content-type")), (Some("0"), None));
    let minimal = school.post("/papers", json!({"id": 2})).prefer("return=minimal").await;
    assert_eq!(minimal.header("preference-applied"), Some("return=minimal"));
    assert_eq!(school.number("select count(*) from papers").await, 2);
}

// rows: I15
#[tokio::test]
async fn the_address_of_the_one_new_row_has_all_of_its_key() {
    let school = studio().await;
    let location = async |path: &str, body: Value| {
        let reply = school.post(path, body).prefer("return=headers-only").await;
        (reply.status, reply.header("location").map(str::to_owned))
    };
    assert_eq!(
        location("/rooms", json!({"building": "Ü & co", "door no": "1/2"})).await,
        (201, Some("/rooms?building=eq.%C3%9C%20%26%20co&door%20no=eq.1%2F2".to_owned()))
    );
    assert_eq!(
        location("/paper_tray", json!({"id": null, "code": "x"})).await,
        (201, Some("/paper_tray?id=is.null".to_owned()))
    );
    let two = json!([{"building": "a", "door no": "1"}, {"building": "a", "door no": "2"}]);
    assert_eq!(location("/rooms", two).await, (201, None), "only for one row");
    assert_eq!(
        location("/log", json!({"entry": "x"})).await,
        (201, None),
        "without a key there is no address"
    );
    let unreadable = school.post("/write_only", json!({"id": 1})).prefer("return=headers-only").await;
    assert_eq!(unreadable.error(), (401, "42501"), "the key has to be readable");
    assert_eq!(school.post("/write_only", json!({"id": 1})).await.status, 201, "minimal needs no reading");
}

// rows: I16 O08
#[tokio::test]
async fn the_representation_shows_what_triggers_made_in_the_order_asked_for() {
    let school = studio().await;
    let rows = json!([{"id": 1, "code": "a"}, {"id": 2, "code": "c"}, {"id": 3, "code": "b"}]);
    assert_eq!(
        inserted(&school, "/papers?select=code,state:seen&order=code.desc", rows).await,
        (
            201,
            json!([{"code": "C", "state": "no"}, {"code": "B", "state": "no"}, {"code": "A", "state": "no"}])
        )
    );
    let csv = school.post("/papers?select=id,code", json!({"id": 4, "code": "d"})).representation();
    let csv = csv.header("accept", "text/csv").await;
    assert_eq!((csv.status, csv.text()), (201, "id,code\n4,D"));
    let embed = json!({"id": 9, "name": "green", "subject_id": 2});
    assert_eq!(
        inserted(&school, "/paints?select=name,subjects(name)", embed).await,
        (201, json!([{"name": "green", "subjects": {"name": "Science"}}]))
    );
}

// rows: I18
#[tokio::test]
async fn views_take_rows_by_themselves_by_triggers_and_by_rules() {
    let school = studio().await;
    for (view, id, code) in [("paper_desk", 1, "X"), ("paper_tray", 2, "x"), ("paper_shelf", 3, "X")] {
        assert_eq!(
            inserted(&school, &format!("/{view}"), json!({"id": id, "code": "x"})).await,
            (201, json!([{"id": id, "code": code}])),
            "{view}"
        );
    }
    assert_eq!(
        school.get("/papers?select=id,code&order=id").await.ok(),
        json!([{"id": 1, "code": "X"}, {"id": 2, "code": "DESK-X"}, {"id": 3, "code": "X"}])
    );
}

// rows: I19
#[tokio::test]
async fn values_come_as_json_or_as_postgresql_writes_them() {
    let school = studio().await;
    let as_json = json!({
        "id": 1, "list": [1, 2], "size": {"w": 2, "h": 3}, "span": "[1,5)", "body": {"a": [null]},
        "doc": [1, {"b": 2}], "level": "hard", "price": 12.5, "flags": "101",
        "at": "2024-02-03T04:05:06+00:00", "raw": "\\x00ff", "yes": true,
    });
    let as_text = json!({
        "id": 2, "list": "{1,2}", "size": "(2,3)", "span": "[1,4]", "body": {"a": [null]},
        "doc": [1, {"b": 2}], "level": "hard", "price": "12.5", "flags": "101",
        "at": "2024-02-03 04:05:06Z", "raw": "\\x00ff", "yes": "on",
    });
    let path = "/kinds?select=list,size,span,body,doc,level,price,flags,at,raw,yes";
    let one = inserted(&school, path, as_json).await;
    let two = inserted(&school, path, as_text).await;
    assert_eq!(one, two);
    assert_eq!(
        one.1,
        json!([{
            "list": [1, 2], "size": {"w": 2, "h": 3}, "span": "[1,5)", "body": {"a": [null]},
            "doc": [1, {"b": 2}], "level": "hard", "price": 12.50, "flags": "101",
            "at": "2024-02-03T04:05:06+00:00", "raw": "\\x00ff", "yes": true,
        }])
    );
}

// rows: I20
#[tokio::test]
async fn checks_domains_and_generated_columns_are_postgresql_errors() {
    let school = studio().await;
    for (path, body, expected) in [
        ("/exams", json!({"subject": "sleeping"}), (400, "23514")),
        ("/exams", json!({"mark": 11}), (400, "23514")),
        ("/papers", json!({"code": "no key"}), (400, "23502")),
        ("/visits", json!({"id": 1, "year": 1999}), (400, "23514")),
        ("/kinds", json!({"id": 1, "level": "odd"}), (400, "22P02")),
    ] {
        let reply = school.post(path, body).await;
        assert_eq!(reply.error(), expected, "{path}");
    }
}
