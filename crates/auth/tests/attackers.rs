use std::collections::HashSet;

use serde_json::json;

use crate::support::{ASHA, RAVI, Stage, wrong};

async fn guess(stage: &Stage, code: &str, ip: [u8; 4]) -> u16 {
    let body = json!({"type": "email", "email": ASHA, "token": code});
    stage.post("/verify", &body).from(ip).await.status
}

// rows: M9 C3
#[tokio::test]
async fn five_wrong_codes_and_the_right_one_no_longer_helps() {
    let stage = Stage::new().await;
    stage.ask(ASHA).await;
    let code = stage.code(ASHA).await;
    for step in 1..=5 {
        assert_eq!(stage.verify(ASHA, &wrong(&code, step)).await.error(), (403, "otp_expired"));
    }
    assert_eq!(stage.verify(ASHA, &code).await.error(), (403, "otp_expired"));
    stage.wait(2);
    stage.ask(ASHA).await;
    assert_eq!(stage.verify(ASHA, &stage.code(ASHA).await).await.status, 200, "a new code starts anew");
}

// rows: M9
#[tokio::test]
async fn an_attacker_elsewhere_cannot_lock_out_who_asked() {
    let stage = Stage::new().await;
    stage.ask(ASHA).await;
    let code = stage.code(ASHA).await;
    for machine in 1..=6 {
        for step in 1..=6 {
            assert_eq!(guess(&stage, &wrong(&code, step), [198, 51, 100, machine]).await, 403);
        }
    }
    assert_eq!(guess(&stage, &code, [198, 51, 100, 99]).await, 403, "the crowd has no tries left");
    assert_eq!(stage.verify(ASHA, &code).await.status, 200, "who asked still gets in");
}

// rows: M9
#[tokio::test]
async fn parallel_guesses_have_no_more_tries() {
    let stage = Stage::with("[auth.rate_limit]\ntoken_verifications = 1000\n").await;
    stage.ask(ASHA).await;
    let code = stage.code(ASHA).await;
    let tries: Vec<_> = (1..=20)
        .map(|step| {
            let (stage, guessed) = (stage.clone(), wrong(&code, step));
            tokio::spawn(async move { guess(&stage, &guessed, [198, 51, 100, 7]).await })
        })
        .collect();
    for one in tries {
        assert!(matches!(one.await.unwrap(), 403 | 429));
    }
    let counted = stage.number("select max(tries)::bigint from auth.banyan_code_clients").await;
    assert_eq!(counted, 5, "no more are judged");
    assert_ne!(guess(&stage, &code, [198, 51, 100, 7]).await, 200);
}

// rows: M9
#[tokio::test]
async fn one_client_has_twenty_wrong_codes_for_one_address_and_one_more_in_twelve_hours() {
    let stage = Stage::with("[auth.rate_limit]\ntoken_verifications = 1000\nsign_in_sign_ups = 1000\n").await;
    for _ in 0..5 {
        stage.wait(2);
        stage.ask(ASHA).await;
        let code = stage.code(ASHA).await;
        for step in 1..=4 {
            assert_eq!(stage.verify(ASHA, &wrong(&code, step)).await.status, 403);
        }
    }
    let fresh = async || {
        stage.wait(2);
        assert_eq!(stage.ask(ASHA).await.status, 200);
        stage.code(ASHA).await
    };
    assert_eq!(stage.verify(ASHA, &fresh().await).await.error(), (403, "otp_expired"));
    stage.wait(12 * 3600);
    let code = fresh().await;
    assert_eq!(stage.verify(ASHA, &wrong(&code, 1)).await.status, 403);
    assert_eq!(stage.verify(ASHA, &code).await.error(), (403, "otp_expired"), "there was one");
    let elsewhere = guess(&stage, &code, [203, 0, 113, 5]).await;
    assert_eq!(elsewhere, 200, "the owner elsewhere is not held back");
}

// rows: V5
#[tokio::test]
async fn unknown_and_known_addresses_are_answered_alike() {
    let stage = Stage::new().await;
    stage.ask(ASHA).await;
    let code = stage.code(ASHA).await;
    let known = stage.verify(ASHA, &wrong(&code, 1)).await;
    let unknown = stage.verify("nobody@example.com", &wrong(&code, 1)).await;
    assert_eq!((known.status, &known.json()), (unknown.status, &unknown.json()));
    let asked_known = stage.post("/otp", json!({"email": RAVI})).await;
    let asked_unknown = stage.post("/otp", json!({"email": "new@example.com"})).await;
    assert_eq!((asked_known.status, asked_known.json()), (asked_unknown.status, asked_unknown.json()));
    for kind in ["signup", "email_change"] {
        stage.wait(2);
        let resent = stage.post("/resend", json!({"type": kind, "email": "nobody@example.com"})).await;
        assert_eq!((resent.status, resent.json()), (200, json!({})), "M16");
    }
}

// rows: V14
#[tokio::test]
async fn a_try_for_an_unknown_address_does_the_same_work() {
    let stage = Stage::new().await;
    stage.ask(ASHA).await;
    let code = stage.code(ASHA).await;
    // Statements are prepared once.
    stage.verify(RAVI, "000000").await;
    let statements = "select coalesce(string_agg(format('%s %s', s.queryid, s.calls), ',' order by s.queryid), '')
        from extensions.pg_stat_statements as s join pg_roles as r on r.oid = s.userid
        where r.rolname = 'supabase_auth_admin' and s.dbid = (select oid from pg_database where datname = current_database())";
    let mut done = Vec::new();
    for email in [ASHA, "nobody@example.com"] {
        stage.execute("select extensions.pg_stat_statements_reset()").await;
        let refused = stage.verify(email, &wrong(&code, 1)).await;
        assert_eq!(refused.error(), (403, "otp_expired"));
        let counted: String = sqlx::query_scalar(statements).fetch_one(stage.sql()).await.unwrap();
        assert!(!counted.is_empty());
        done.push(counted);
    }
    assert_eq!(done[0], done[1], "the very same statements, as often");
}

#[tokio::test]
async fn a_code_of_one_address_is_nothing_for_another() {
    let stage = Stage::new().await;
    stage.ask(ASHA).await;
    stage.ask(RAVI).await;
    let code = stage.code(ASHA).await;
    if code != stage.code(RAVI).await {
        assert_eq!(stage.verify(RAVI, &code).await.error(), (403, "otp_expired"));
    }
    assert_eq!(stage.verify(ASHA, &code).await.status, 200);
}

// rows: M5 V4
#[tokio::test]
async fn one_code_entered_in_parallel_opens_one_session() {
    let stage = Stage::new().await;
    stage.ask(ASHA).await;
    let code = stage.code(ASHA).await;
    let tries: Vec<_> = (0..5)
        .map(|_| {
            let (stage, code) = (stage.clone(), code.clone());
            tokio::spawn(async move { stage.verify(ASHA, &code).await.status })
        })
        .collect();
    let mut granted = 0;
    for one in tries {
        granted += usize::from(one.await.unwrap() == 200);
    }
    assert_eq!(granted, 1);
    assert_eq!(stage.number("select count(*) from auth.sessions").await, 1);
}

#[tokio::test]
async fn codes_do_not_repeat_in_a_pattern() {
    let stage = Stage::with("[auth.rate_limit]\nsign_in_sign_ups = 1000\n").await;
    let mut codes = HashSet::new();
    for round in 0..30 {
        let email = format!("asha{round}@example.com");
        stage.ask(&email).await;
        codes.insert(stage.code(&email).await);
    }
    assert!(codes.len() >= 28, "{codes:?}");
}

#[tokio::test]
async fn metadata_that_would_outgrow_every_token_is_refused() {
    let stage = Stage::new().await;
    for data in [json!({"a": "y".repeat(5 * 1024)}), json!({"a": "\u{0}"})] {
        let refused = stage.post("/otp", json!({"email": ASHA, "data": data})).await;
        assert_eq!(refused.error(), (400, "validation_failed"), "{}", refused.json());
    }
    let session = stage.sign_in(ASHA).await;
    for piece in ["a", "b"] {
        let data = json!({"data": {piece: "y".repeat(4 * 1024)}});
        let put = stage.put("/user", &data).bearer(session.field("access_token")).await;
        assert_eq!(put.status, if piece == "a" { 200 } else { 400 }, "grown in steps: {}", put.json());
    }
    let refreshed = stage.refresh(session.field("refresh_token")).await;
    let read = stage.get("/user").bearer(refreshed.field("access_token")).await;
    assert_eq!(read.status, 200, "the owner still gets in");
}
