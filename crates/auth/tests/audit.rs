use banyan_testkit::Answer;
use banyan_testkit::CapturedLog;
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;

use crate::{
    fake_server::{Fake, Said},
    passwords::PASSWORD,
    support::{ASHA, RAVI, Stage},
};

async fn log(stage: &Stage, query: &str) -> Answer {
    let key = stage.service_key();
    stage.get(&format!("/admin/audit{query}")).header("apikey", &key).bearer(&key).await
}

fn actions(answer: &Answer) -> Vec<String> {
    let entries = answer.json();
    let actions = entries.as_array().unwrap().iter().map(|entry| &entry["payload"]["action"]);
    actions.map(|action| action.as_str().unwrap().to_owned()).collect()
}

// rows: L1 H47 D14
#[tokio::test]
async fn entries_say_who_did_what_from_where_newest_first() {
    let stage = Stage::new().await;
    stage.post("/otp", json!({"email": ASHA, "data": {"full_name": "Asha K"}})).await;
    stage.wait(5);
    let session = stage.sign_in(ASHA).await;
    stage.wait(5);
    stage.post("/logout", json!({})).bearer(session.field("access_token")).await;
    let found = log(&stage, "").await;
    assert_eq!(found.status, 200, "{}", found.json());
    assert_eq!(actions(&found)[0], "logout");
    let entry = &found[0];
    assert_eq!(entry["ip_address"], "192.0.2.1");
    assert!(entry["created_at"].as_str().unwrap().ends_with('Z'));
    let payload = &entry["payload"];
    assert_eq!((&payload["actor_username"], &payload["log_type"]), (&json!(ASHA), &json!("account")));
    assert_eq!((&payload["actor_id"], &payload["actor_via_sso"]), (&session["user"]["id"], &json!(false)));
    assert_eq!(payload["actor_name"], "Asha K");
    assert_eq!(
        found.header("x-total-count").unwrap_or_default(),
        found.json().as_array().unwrap().len().to_string()
    );
    let page = log(&stage, "?page=2&per_page=1").await;
    assert_eq!(page.json().as_array().unwrap().len(), 1);
    assert!(
        page.header("link").unwrap_or_default().starts_with("</admin/audit?page="),
        "{}",
        page.header("link").unwrap_or_default()
    );
    assert_eq!(log(&stage, "?page=-1").await.status, 400);
    let as_user = stage.get("/admin/audit").bearer(session.field("access_token")).await;
    assert_eq!(as_user.error(), (403, "not_admin"));
}

// rows: D14
#[tokio::test]
async fn the_log_is_searched_by_author_action_and_type() {
    let stage = Stage::new().await;
    stage.sign_in(ASHA).await;
    stage.sign_in(RAVI).await;
    let by_ravi = log(&stage, "?query=author:ravi").await;
    let all_ravis = |answer: &Answer| {
        answer
            .json()
            .as_array()
            .unwrap()
            .iter()
            .all(|entry: &Value| entry["payload"]["actor_username"] == RAVI)
    };
    assert!(!by_ravi.json().as_array().unwrap().is_empty() && all_ravis(&by_ravi));
    assert_eq!(actions(&log(&stage, "?query=action:login").await), ["login", "login"]);
    let teams = log(&stage, "?query=type:team").await;
    assert_eq!(actions(&teams), ["user_signedup", "user_signedup"]);
    assert_eq!(log(&stage, "?query=colour:red").await.status, 400);
}

// rows: L2
#[tokio::test]
async fn actions_have_the_references_words() {
    let stage = Stage::with("[auth.mfa.totp]\nenroll_enabled = true\nverify_enabled = true\n").await;
    let key = stage.service_key();
    let (factor, _, raised) = crate::factors::with_factor(&stage, ASHA).await;
    stage.wait(60);
    let refreshed = stage.refresh(raised.field("refresh_token")).await;
    let token = refreshed.field("access_token");
    stage.put("/user", json!({"data": {"a": 1}})).bearer(token).await;
    stage.post("/recover", json!({"email": ASHA})).await;
    stage.post("/invite", json!({"email": "new@example.com"})).header("apikey", &key).bearer(&key).await;
    stage.call(http::Method::DELETE, &format!("/factors/{factor}")).bearer(token).await;
    let user = raised["user"]["id"].as_str().unwrap().to_owned();
    let delete = stage.call(http::Method::DELETE, &format!("/admin/users/{user}"));
    assert_eq!(delete.header("apikey", &key).bearer(&key).await.status, 200);
    let found = log(&stage, "?per_page=100").await;
    let known = actions(&found);
    for action in [
        "user_signedup",
        "login",
        "factor_in_progress",
        "challenge_created",
        "verification_attempted",
        "token_refreshed",
        "token_revoked",
        "user_modified",
        "user_recovery_requested",
        "user_invited",
        "factor_unenrolled",
        "user_deleted",
    ] {
        assert!(known.contains(&action.to_owned()), "{action} is missing in {known:?}");
    }
    let entries = found.json();
    let entries = entries.as_array().unwrap();
    let unenrolled = entries.iter().find(|entry| entry["payload"]["action"] == "factor_unenrolled").unwrap();
    assert_eq!(unenrolled["payload"]["traits"]["factor_id"], factor.as_str());
}

// rows: L7
#[tokio::test]
async fn the_table_can_be_switched_off() {
    let mut config = banyan_testkit::config();
    config.auth.audit_log.postgres = false;
    let stage = Stage::of(config).await;
    stage.sign_in(ASHA).await;
    assert_eq!(stage.number("select count(*) from auth.audit_log_entries").await, 0);
}

// rows: L7
#[tokio::test]
async fn entries_go_when_their_time_is_over() {
    let mut config = banyan_testkit::config();
    config.auth.audit_log.retention = Some(std::time::Duration::from_secs(3600));
    let stage = Stage::of(config).await;
    stage.sign_in(ASHA).await;
    banyan_auth::clean(stage.state(), stage.now()).await;
    assert!(stage.number("select count(*) from auth.audit_log_entries").await > 0);
    stage.wait(3601);
    banyan_auth::clean(stage.state(), stage.now()).await;
    assert_eq!(stage.number("select count(*) from auth.audit_log_entries").await, 0);
}

fn claims_hook(uri: &str) -> String {
    let secret = "v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    format!("[auth.hook.custom_access_token]\nenabled = true\nuri = \"{uri}\"\nsecrets = \"{secret}\"\n")
}

// rows: L1 C15
#[tokio::test]
async fn what_was_undone_stands_neither_in_the_log_nor_in_the_table() {
    let fake = Fake::start(|_, _| Said::json(500, &json!({}))).await;
    for uri in ["pg-functions://postgres/public/missing", fake.url.as_str()] {
        let stage = Stage::with(&claims_hook(uri)).await;
        let (written, _listening) = CapturedLog::listen();
        let refused = stage.post("/signup", json!({"email": ASHA, "password": PASSWORD})).await;
        assert!(refused.status >= 400, "{uri}: {}", refused.json());
        assert_eq!(stage.number("select count(*) from auth.users").await, 0, "{uri}");
        assert_eq!(stage.number("select count(*) from auth.audit_log_entries").await, 0, "{uri}");
        // Elsewhere it is asked after the commit: the log says then what became of it.
        let told = usize::from(uri == fake.url);
        for line in ["user_signedup", "an account was taken back"] {
            assert_eq!(written.lines(line).len(), told, "{uri}: {:?}", written.lines(""));
        }
    }
}

/// Two accounts that are there before anybody signs in.
async fn known(stage: &Stage) {
    for email in [ASHA, RAVI] {
        let body = json!({"email": email, "password": PASSWORD, "email_confirm": true});
        let made = stage.post("/admin/users", &body).bearer(&stage.service_key()).await;
        assert_eq!(made.status, 200, "{}", made.text());
    }
}

const LOGINS: &str = "select count(*) from auth.audit_log_entries where payload ->> 'action' = 'login'";

// rows: L1 C15
#[tokio::test]
async fn a_session_that_gets_no_token_is_said_to_be_taken_back() {
    let fake = Fake::start(|_, _| Said::json(403, &json!({}))).await;
    let stage = Stage::with(&claims_hook(&fake.url)).await;
    known(&stage).await;
    let (written, _listening) = CapturedLog::listen();
    let body = json!({"email": ASHA, "password": PASSWORD});
    let refused = stage.post("/token?grant_type=password", &body).await;
    assert!(refused.status >= 400, "{}", refused.json());
    assert_eq!(stage.number("select count(*) from auth.sessions").await, 0);
    for line in ["a session was taken back", "login"] {
        assert_eq!(written.lines(line).len(), 1, "{:?}", written.lines(""));
    }
    assert_eq!(stage.number(LOGINS).await, 0);
}

// rows: L1 V4
#[tokio::test]
async fn a_session_of_an_account_that_cannot_be_read_leaves_no_entry() {
    let stage = Stage::new().await;
    known(&stage).await;
    stage.ask(RAVI).await;
    let code = stage.code(RAVI).await;
    // The account is read once its session is there.
    stage
        .execute(
            "create function public.unreadable() returns trigger language plpgsql security definer as $$
            declare deep jsonb := (repeat('[', 200) || repeat(']', 200))::jsonb;
            begin update auth.users set raw_app_meta_data = deep where id = new.user_id; return null; end $$;
            create trigger unreadable after insert on auth.sessions for each row execute function public.unreadable()",
        )
        .await;
    let (written, _listening) = CapturedLog::listen();
    let answer = stage.verify(RAVI, &code).await;
    assert_eq!(answer.error(), (500, "unexpected_failure"), "{}", answer.text());
    assert_eq!(stage.number("select count(*) from auth.sessions").await, 0);
    for line in ["a session was taken back", "login"] {
        assert_eq!(written.lines(line).len(), 1, "{:?}", written.lines(""));
    }
    assert_eq!(stage.number(LOGINS).await, 0);
}

// rows: L1
#[tokio::test]
async fn a_session_that_cannot_be_taken_back_keeps_its_entry() {
    let fake = Fake::start(|_, _| Said::json(403, &json!({}))).await;
    let stage = Stage::with(&claims_hook(&fake.url)).await;
    known(&stage).await;
    stage
        .execute(
            "create function public.keep() returns trigger language plpgsql as $$
            begin raise exception 'sessions stay'; end $$;
            create trigger keep before delete on auth.sessions for each row execute function public.keep()",
        )
        .await;
    let (written, _listening) = CapturedLog::listen();
    let body = json!({"email": ASHA, "password": PASSWORD});
    let refused = stage.post("/token?grant_type=password", &body).await;
    assert!(refused.status >= 400, "{}", refused.json());
    assert_eq!(stage.number("select count(*) from auth.sessions").await, 1);
    assert_eq!(stage.number(LOGINS).await, 1);
    assert_eq!(written.lines("a session was taken back"), Vec::<String>::new());
}

// rows: L1
#[tokio::test]
async fn what_is_done_stands_in_the_log_once() {
    let stage = Stage::new().await;
    let (written, _listening) = CapturedLog::listen();
    stage.sign_in(ASHA).await;
    stage.sign_in(ASHA).await;
    let entries = stage.number("select count(*) from auth.audit_log_entries").await;
    assert!(entries > 2);
    assert_eq!(
        i64::try_from(written.lines("audit.action").len()).unwrap(),
        entries,
        "{:?}",
        written.lines("")
    );
}

/// Has every change of an account's data do something at the commit.
async fn at_commit(stage: &Stage, statement: &str) {
    let trigger = format!(
        "create function public.at_commit() returns trigger language plpgsql as $$ begin {statement}; return null; end $$;
        create constraint trigger at_commit after update of raw_user_meta_data on auth.users
        deferrable initially deferred for each row execute function public.at_commit()"
    );
    sqlx::raw_sql(AssertSqlSafe(trigger)).execute(stage.sql()).await.unwrap();
}

// rows: L1
#[tokio::test]
async fn who_hangs_up_during_the_commit_leaves_a_line_in_the_log() {
    let mut config = banyan_testkit::config();
    config.auth.audit_log.postgres = false;
    let stage = Stage::of(config).await;
    let session = stage.sign_in(ASHA).await;
    at_commit(&stage, "perform pg_advisory_xact_lock(1)").await;
    let mut holder = stage.sql().acquire().await.expect("a connection");
    sqlx::query("select pg_advisory_lock(1)").execute(&mut *holder).await.expect("the lock");
    let (written, _listening) = CapturedLog::listen();
    let body = json!({"data": {"a": 1}});
    let request = stage.put("/user", &body).bearer(session.field("access_token")).into_future();
    let commits = "select count(*) from pg_stat_activity
        where datname = current_database() and wait_event = 'advisory' and query ilike 'commit%'";
    let committing = async {
        while stage.number(commits).await == 0 {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        answer = request => panic!("answered before: {}", answer.text()),
        () = committing => {}
    }
    assert_eq!(written.lines("user_modified").len(), 1, "{:?}", written.lines(""));
    sqlx::query("select pg_advisory_unlock(1)").execute(&mut *holder).await.expect("unlocked");
    while stage.number("select count(*) from auth.users where raw_user_meta_data ->> 'a' = '1'").await == 0 {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}

// rows: L1
#[tokio::test]
async fn a_commit_that_is_refused_leaves_no_line() {
    let stage = Stage::new().await;
    let session = stage.sign_in(ASHA).await;
    at_commit(&stage, "raise exception 'not today'").await;
    let (written, _listening) = CapturedLog::listen();
    let body = json!({"data": {"a": 1}});
    let answer = stage.put("/user", &body).bearer(session.field("access_token")).await;
    assert!(answer.status >= 400, "{}", answer.text());
    assert_eq!(written.lines("audit.action"), Vec::<String>::new());
}
