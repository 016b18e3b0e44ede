//! A code is sent and entered in one pipeline each, or in steps: both leave the same rows
//! (CONTRACT.md M22, S1).

use serde_json::{Value, json};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use crate::{
    pipelines::answer_after,
    stage::{ASHA, Answer, Stage},
};

/// What a request wrote into a table. Ids, hashes and codes are only told to be there, and so are
/// times from before the way `began`; the others by how far they are from the request's.
async fn newest(stage: &Stage, began: OffsetDateTime, rows: &'static str) -> Value {
    let mut row: Value = sqlx::query_scalar(rows).fetch_one(stage.sql()).await.unwrap();
    for (name, value) in row.as_object_mut().unwrap() {
        let text = value.as_str().unwrap_or_default();
        let is_own = ["id", "session_id", "token_hash", "refresh_token_hmac_key", "fingerprint", "client"];
        if let Some(time) = time(text) {
            let told = if time > began { (time - stage.now()).to_string() } else { "before".to_owned() };
            *value = json!(told);
        } else if is_own.contains(&name.as_str()) && !value.is_null() {
            *value = json!("there");
        } else if matches!(name.as_str(), "subject" | "text_body" | "html_body") {
            let words = text.split(' ').filter(|word| !word.contains("://"));
            *value = json!(words.collect::<Vec<_>>().join(" ").replace(|c: char| c.is_ascii_digit(), "0"));
        }
    }
    row
}

/// A time in JSON; columns without a zone hold those of UTC.
fn time(text: &str) -> Option<OffsetDateTime> {
    OffsetDateTime::parse(text, &Rfc3339)
        .or_else(|_| OffsetDateTime::parse(&format!("{text}Z"), &Rfc3339))
        .ok()
}

/// The rows of a code that was asked for.
async fn of_asking(stage: &Stage, began: OffsetDateTime) -> Vec<Value> {
    let mut rows = Vec::new();
    for table in [
        "select to_jsonb(r) from auth.one_time_tokens as r",
        "select to_jsonb(r) from auth.users as r",
        "select to_jsonb(r) from auth.audit_log_entries as r
            where payload ->> 'action' = 'user_recovery_requested' order by created_at desc limit 1",
        "select to_jsonb(r) from mail.messages as r order by created_at desc limit 1",
    ] {
        rows.push(newest(stage, began, table).await);
    }
    rows
}

/// The rows of a code that was entered.
async fn of_entering(stage: &Stage, began: OffsetDateTime) -> Vec<Value> {
    let mut rows = Vec::new();
    for table in [
        "select to_jsonb(r) from auth.sessions as r order by created_at desc limit 1",
        "select to_jsonb(r) from auth.mfa_amr_claims as r order by created_at desc limit 1",
        "select to_jsonb(r) from auth.users as r",
        "select to_jsonb(r) from auth.audit_log_entries as r
            where payload ->> 'action' = 'login' order by created_at desc limit 1",
        "select to_jsonb(r) from auth.banyan_code_clients as r where sent_at is not null",
        "select to_jsonb(r) from auth.banyan_code_addresses as r",
    ] {
        rows.push(newest(stage, began, table).await);
    }
    rows
}

/// Whether one statement wrote the code and the newest entry of the log.
const ASKED_AT_ONCE: &str = "select (r.xmin, r.cmin) is not distinct from (l.xmin, l.cmin)
    from auth.one_time_tokens as r,
        (select xmin, cmin from auth.audit_log_entries order by created_at desc limit 1) as l";
/// Whether one statement wrote the newest session and its entry.
const ENTERED_AT_ONCE: &str = "select (r.xmin, r.cmin) is not distinct from (l.xmin, l.cmin)
    from (select xmin, cmin from auth.sessions order by created_at desc limit 1) as r,
        (
            select xmin, cmin from auth.audit_log_entries where payload ->> 'action' = 'login'
            order by created_at desc limit 1
        ) as l";

async fn holds(stage: &Stage, question: &'static str) -> bool {
    sqlx::query_scalar(question).fetch_one(stage.sql()).await.unwrap()
}

/// The answer to what finds the account locked for a while, though nobody changes it.
async fn by_steps(stage: &Stage, asked: impl Future<Output = Answer>) -> Answer {
    answer_after(stage, "select from auth.users for update", asked, "select").await
}

async fn ask(stage: &Stage) -> Answer {
    stage.post("/otp", &json!({"email": ASHA})).header("user-agent", "a browser").send().await
}

async fn enter(stage: &Stage, code: &str) -> Answer {
    let body = json!({"type": "email", "email": ASHA, "token": code});
    stage.post("/verify", &body).header("user-agent", "a browser").send().await
}

fn assert_same(at_once: &[Value], by_steps: &[Value]) {
    for (left, right) in at_once.iter().zip(by_steps) {
        assert_eq!(left, right);
    }
}

// rows: M22 S1 L1
#[tokio::test]
async fn a_flight_writes_the_rows_that_the_steps_write() {
    let stage = Stage::new().await;
    stage.sign_in(ASHA).await;

    // What an earlier code spent is given back by then.
    stage.wait(3600);
    let began = stage.now();
    stage.wait(2);
    assert_eq!(ask(&stage).await.status, 200);
    assert!(holds(&stage, ASKED_AT_ONCE).await, "the usual way is a pipeline");
    let asked = of_asking(&stage, began).await;
    let entered = enter(&stage, &stage.code(ASHA).await).await;
    assert_eq!(entered.status, 200, "{}", entered.body);
    assert!(holds(&stage, ENTERED_AT_ONCE).await, "the usual way is a pipeline");
    let signed_in = of_entering(&stage, began).await;

    stage.wait(3600);
    let began = stage.now();
    stage.wait(2);
    assert_eq!(by_steps(&stage, Box::pin(ask(&stage))).await.status, 200);
    assert!(!holds(&stage, ASKED_AT_ONCE).await, "who finds the account locked goes by steps");
    assert_same(&asked, &of_asking(&stage, began).await);
    let code = stage.code(ASHA).await;
    let entered = by_steps(&stage, Box::pin(enter(&stage, &code))).await;
    assert_eq!(entered.status, 200, "{}", entered.body);
    assert!(!holds(&stage, ENTERED_AT_ONCE).await, "who finds the account locked goes by steps");
    assert_same(&signed_in, &of_entering(&stage, began).await);
}
