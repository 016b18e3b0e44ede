//! What a caller hands to a procedure or a table, however odd, is the caller's fault and no fault
//! of the server.

use banyan_db::Login;
use banyan_identity::Caller;
use banyan_rest::{Settings, State};
use banyan_testkit::TestDatabase;
use banyan_web::full;
use http::{Method, Request};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::callers::{sign_up, sign_up_admin};
use crate::wallet_calls::teacher;

/// The REST service on the product's schema.
struct Service {
    state: State,
    /// An administrator, a teacher, and the service key.
    callers: Vec<Caller>,
    teacher: Uuid,
    database: TestDatabase,
}

impl Service {
    async fn new() -> Self {
        let database = banyan_testkit::database().await;
        let pool = database.pool(Login::Postgres);
        let (admin, teacher) = (sign_up_admin(pool).await, teacher(pool).await);
        let of = |role: &str, id| banyan_testkit::caller(role, id, json!({}));
        let callers = vec![
            of("authenticated", Some(admin)),
            of("authenticated", Some(teacher)),
            of("service_role", None),
        ];
        let settings = Settings {
            schemas: vec!["public".to_owned()],
            extra_search_path: vec!["public".to_owned()],
            anonymous_role: Some("anon".to_owned()),
            ..Settings::default()
        };
        let state = State::new(database.database().clone(), settings);
        assert!(Box::pin(state.load()).await, "the schema can be read");
        Self { state, callers, teacher, database }
    }

    fn pool(&self) -> &PgPool {
        self.database.pool(Login::Postgres)
    }

    /// Status and body of one request.
    async fn ask(&self, caller: &Caller, method: &Method, path: &str, body: Vec<u8>) -> (u16, String) {
        let body = full(body);
        let request = Request::builder().method(method).uri(format!("/{path}"));
        let request = request.header("content-type", "application/json").body(body).expect("a request");
        let answer =
            banyan_rest::handle(&self.state, Ok(caller.clone()), request, OffsetDateTime::UNIX_EPOCH).await;
        let (parts, body) = answer.into_parts();
        let body = body.collect().await.expect("a whole body").to_bytes();
        (parts.status.as_u16(), String::from_utf8_lossy(&body).into_owned())
    }

    /// The faults of the server that a request meets, whoever asks.
    async fn faults(&self, method: &Method, path: &str, body: &[u8], faults: &mut Vec<String>) {
        for caller in &self.callers {
            let (status, answer) = self.ask(caller, method, path, body.to_vec()).await;
            if status >= 500 {
                let shown = String::from_utf8_lossy(&body[..body.len().min(160)]).into_owned();
                faults.push(format!("{method} {path} {shown} -> {status} {answer}"));
            }
        }
    }

    /// A value of that type as it should be.
    fn valid(&self, name: &str, kind: &str) -> Value {
        match (name, kind) {
            (_, "uuid") => json!(self.teacher),
            ("tool", _) => json!("generate-question-paper"),
            (_, "integer" | "bigint" | "numeric") => json!(20),
            (_, "boolean") => json!(true),
            (_, "jsonb") => json!({}),
            _ => json!("moderator"),
        }
    }
}

/// Values in place of one argument, as they go over the wire.
fn hostile_values() -> Vec<String> {
    let mut values: Vec<String> = [
        "null",
        "true",
        "-1",
        "0",
        "2147483647",
        "2147483648",
        "99999999999999999999999",
        "1.5",
        "1e999",
        "[]",
        "{}",
        "[null]",
        r#""""#,
        r#"" ""#,
        r#""\u0000""#,
        r#"{"a\u0000":"\u0000"}"#,
        r#""\ud800""#,
        r#""'; drop table profiles; --""#,
        r#""infinity""#,
        r#""00000000-0000-0000-0000-000000000000""#,
        r#""33333333-3333-4333-8333-333333333333""#,
        r#""{a,b}""#,
        r#""NaN""#,
    ]
    .map(str::to_owned)
    .into();
    values.extend([format!("\"{}\"", "x".repeat(100_000)), format!("[{}1]", "1,".repeat(5_000))]);
    values
}

fn hostile_bodies() -> Vec<Vec<u8>> {
    let mut bodies: Vec<Vec<u8>> =
        ["", "null", "1", "\"x\"", "[]", "[{}]", "[null]", "{", "{}x", "{\"\":1}", "\u{feff}{}", "\0"]
            .map(|body| body.as_bytes().to_vec())
            .into();
    bodies.extend([vec![0xff, 0xfe], b"{\"owner\":\"\xff\xed\xa0\x80\"}".to_vec()]);
    bodies
}

/// Every procedure that the API shows, with names and types of its arguments.
async fn procedures(pool: &PgPool) -> Vec<(String, Vec<String>, Vec<String>)> {
    sqlx::query_as(
        "select proname::text, coalesce(proargnames[1:pronargs], '{}'),
             array(select format_type(kind, null) from unnest(proargtypes) with ordinality as of (kind, place) order by place)
         from pg_proc
         where pronamespace = 'public'::regnamespace and prorettype <> 'trigger'::regtype
         order by proname",
    )
    .fetch_all(pool)
    .await
    .expect("the catalog can be read")
}

/// Every table that the API shows, with names and types of its columns.
async fn tables(pool: &PgPool) -> Vec<(String, Vec<String>, Vec<String>)> {
    sqlx::query_as(
        "select relname::text, array_agg(attname::text order by attnum), array_agg(format_type(atttypid, null) order by attnum)
         from pg_class
         join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
         where relnamespace = 'public'::regnamespace and relkind in ('r', 'v')
         group by relname
         order by relname",
    )
    .fetch_all(pool)
    .await
    .expect("the catalog can be read")
}

fn written(fields: &[(&str, Value)], changed: &str, value: &str) -> Vec<u8> {
    let of = |(name, valid): &(&str, Value)| {
        format!("{name:?}:{}", if *name == changed { value.to_owned() } else { valid.to_string() })
    };
    format!("{{{}}}", fields.iter().map(of).collect::<Vec<_>>().join(",")).into_bytes()
}

#[tokio::test]
async fn access_no_argument_of_any_procedure_makes_a_fault_of_the_server() {
    let service = Service::new().await;
    let procedures = procedures(service.pool()).await;
    assert!(procedures.iter().any(|(name, ..)| name == "admin_update_user_credits"), "{procedures:?}");
    let mut faults = Vec::new();
    for (name, names, kinds) in &procedures {
        let path = format!("rpc/{name}");
        let arguments: Vec<(&str, Value)> =
            names.iter().zip(kinds).map(|(name, kind)| (name.as_str(), service.valid(name, kind))).collect();
        for body in hostile_bodies() {
            service.faults(&Method::POST, &path, &body, &mut faults).await;
        }
        for argument in names {
            for value in hostile_values() {
                let body = written(&arguments, argument, &value);
                service.faults(&Method::POST, &path, &body, &mut faults).await;
            }
            for text in ["", "%00", "%ff", "null", "-1", "99999999999999999999", "%7B%7D"] {
                let path = format!("{path}?{argument}={text}");
                service.faults(&Method::GET, &path, b"", &mut faults).await;
            }
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

#[tokio::test]
async fn access_no_column_of_any_table_makes_a_fault_of_the_server() {
    let service = Service::new().await;
    let mut faults = Vec::new();
    for (table, names, kinds) in tables(service.pool()).await {
        let columns: Vec<(&str, Value)> =
            names.iter().zip(&kinds).map(|(name, kind)| (name.as_str(), service.valid(name, kind))).collect();
        for (name, valid) in &columns {
            let others = [("user_id", json!(service.teacher)), (*name, valid.clone())];
            for value in hostile_values() {
                let row = written(&others, name, &value);
                service.faults(&Method::POST, &table, &row, &mut faults).await;
                let nobodys = format!("{table}?user_id=eq.33333333-3333-4333-8333-333333333333");
                service
                    .faults(&Method::PATCH, &nobodys, &written(&others[1..], name, &value), &mut faults)
                    .await;
            }
            for text in ["", "%00", "%ff", "null", "-1", "99999999999999999999", "%7B%7D"] {
                let filtered = format!("{table}?{name}=eq.{text}");
                service.faults(&Method::GET, &filtered, b"", &mut faults).await;
            }
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

// rows: app/S-384
#[tokio::test]
async fn what_is_done_to_an_unknown_user_is_not_found() {
    let service = Service::new().await;
    let bare = sign_up(service.pool()).await;
    let nobody = Uuid::new_v4();
    for (name, body) in [
        ("admin_update_user_credits", json!({"target_user_id": nobody, "credit_change": 10})),
        ("admin_update_user_credits", json!({"target_user_id": bare, "credit_change": 10})),
        ("admin_delete_user", json!({"target_user_id": nobody})),
        ("assign_user_role", json!({"target_user_id": nobody, "new_role": "user"})),
        ("admin_settle_payment", json!({"payer": nobody, "payment_id": "UPI_1", "approved_credits": 20})),
        ("admin_reject_payment", json!({"payer": nobody, "payment_id": "UPI_1", "reason": "No."})),
    ] {
        let path = format!("rpc/{name}");
        let (status, answer) =
            service.ask(&service.callers[0], &Method::POST, &path, body.to_string().into_bytes()).await;
        assert_eq!(status, 404, "{name}: {answer}");
    }
}
