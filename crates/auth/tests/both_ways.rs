//! A code is sent and entered in one pipeline each, or in a transaction: both write the same rows
//! (CONTRACT.md M22, S1, L1).

use std::time::Duration;

use banyan_testkit::Answer;
use serde_json::{Value, json};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use crate::support::{ASHA, Stage};

/// Columns of which it counts only whether they hold something.
const OWN: [&str; 6] = ["id", "session_id", "token_hash", "refresh_token_hmac_key", "fingerprint", "client"];

/// For pipelines an account always seems to have changed since it was read.
const FOR_TRANSACTIONS_ALONE: &str = "alter table auth.users enable row level security, force row level security;
    create policy seen on auth.users for select using (true);
    create policy added on auth.users for insert with check (true);
    create policy changed on auth.users for update using (current_query() not like 'with unchanged%') with check (true);";

const ASKED: [&str; 4] = [
    "select to_jsonb(r) from auth.one_time_tokens as r",
    "select to_jsonb(r) from auth.users as r",
    "select to_jsonb(r) from auth.audit_log_entries as r
        where payload ->> 'action' = 'user_recovery_requested' order by created_at desc limit 1",
    "select to_jsonb(r) from mail.messages as r order by created_at desc limit 1",
];

const ENTERED: [&str; 6] = [
    "select to_jsonb(r) from auth.sessions as r order by created_at desc limit 1",
    "select to_jsonb(r) from auth.mfa_amr_claims as r order by created_at desc limit 1",
    "select to_jsonb(r) from auth.users as r",
    "select to_jsonb(r) from auth.audit_log_entries as r
        where payload ->> 'action' = 'login' order by created_at desc limit 1",
    "select to_jsonb(r) from auth.banyan_code_clients as r where sent_at is not null",
    "select to_jsonb(r) from auth.banyan_code_addresses as r",
];

/// Whether one statement wrote the code and the newest entry of the log.
const ASKED_BY_ONE_STATEMENT: &str =
    "select ((r.xmin, r.cmin) is not distinct from (l.xmin, l.cmin))::int::bigint
    from auth.one_time_tokens as r,
        (select xmin, cmin from auth.audit_log_entries order by created_at desc limit 1) as l";
/// Whether one statement wrote the newest session and its entry.
const ENTERED_BY_ONE_STATEMENT: &str =
    "select ((r.xmin, r.cmin) is not distinct from (l.xmin, l.cmin))::int::bigint
    from (select xmin, cmin from auth.sessions order by created_at desc limit 1) as r,
        (
            select xmin, cmin from auth.audit_log_entries where payload ->> 'action' = 'login'
            order by created_at desc limit 1
        ) as l";

/// A time in JSON; columns without a zone hold those of UTC.
fn time(text: &str) -> Option<OffsetDateTime> {
    OffsetDateTime::parse(text, &Rfc3339)
        .or_else(|_| OffsetDateTime::parse(&format!("{text}Z"), &Rfc3339))
        .ok()
}

/// A value as two requests write it alike: times by how far they are from the request's.
fn comparable(stage: &Stage, began: OffsetDateTime, (name, value): (&str, &Value)) -> Value {
    let text = value.as_str().unwrap_or_default();
    match (time(text), name) {
        (Some(time), _) if time > began => json!((time - stage.now()).to_string()),
        (Some(_), _) => json!("before"),
        (None, "subject" | "text_body" | "html_body") => {
            let words = text.split(' ').filter(|word| !word.contains("://"));
            json!(words.collect::<Vec<_>>().join(" ").replace(|c: char| c.is_ascii_digit(), "0"))
        }
        (None, name) if OWN.contains(&name) && !value.is_null() => json!("there"),
        (None, _) => value.clone(),
    }
}

/// The rows that a request wrote.
async fn rows(stage: &Stage, began: OffsetDateTime, tables: &[&'static str]) -> Vec<Value> {
    let mut rows = Vec::new();
    for table in tables {
        let row: Value = sqlx::query_scalar(*table).fetch_one(stage.sql()).await.unwrap();
        let columns = row.as_object().unwrap().iter();
        let columns = columns.map(|(name, value)| (name.clone(), comparable(stage, began, (name, value))));
        rows.push(Value::Object(columns.collect()));
    }
    rows
}

/// A request that does not end is no answer.
async fn answered(call: banyan_testkit::Call) -> Answer {
    let call = call.header("user-agent", "a browser").into_future();
    tokio::time::timeout(Duration::from_secs(30), call).await.expect("it ends")
}

/// The rows of a code that was asked for and of its entry, each written by one statement or by
/// several.
async fn asked_and_entered(stage: &Stage, by_one_statement: bool) -> [Vec<Value>; 2] {
    // What an earlier code spent is given back by then.
    stage.wait(3600);
    let began = stage.now();
    stage.wait(2);
    let asked = answered(stage.post("/otp", json!({"email": ASHA}))).await;
    assert_eq!(asked.status, 200, "{}", asked.json());
    assert_eq!(stage.number(ASKED_BY_ONE_STATEMENT).await, i64::from(by_one_statement), "asked");
    let asked = rows(stage, began, &ASKED).await;
    let code = stage.code(ASHA).await;
    let entered =
        answered(stage.post("/verify", json!({"type": "email", "email": ASHA, "token": code}))).await;
    assert_eq!(entered.status, 200, "{}", entered.json());
    assert_eq!(stage.number(ENTERED_BY_ONE_STATEMENT).await, i64::from(by_one_statement), "entered");
    [asked, rows(stage, began, &ENTERED).await]
}

/// An account that changes each time that a request has read it is waited for in a transaction.
// rows: M22 S1 L1 V4
#[tokio::test]
async fn a_transaction_writes_the_rows_that_a_pipeline_writes() {
    let stage = Stage::new().await;
    stage.sign_in(ASHA).await;
    let by_pipelines = asked_and_entered(&stage, true).await;
    stage.execute(FOR_TRANSACTIONS_ALONE).await;
    let by_transactions = asked_and_entered(&stage, false).await;
    for (left, right) in by_pipelines.iter().flatten().zip(by_transactions.iter().flatten()) {
        assert_eq!(left, right);
    }
}
