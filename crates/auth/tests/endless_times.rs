//! Times that no calendar here has, in whichever column a dump or an admin put them.

use banyan_testkit::Answer;
use http::Method;
use serde_json::json;
use sqlx::AssertSqlSafe;

use crate::{
    factors,
    passwords::PASSWORD,
    support::{ASHA, RAVI, Stage},
};

const ON: &str = "[auth.sessions]\ntimebox = \"24h\"\ninactivity_timeout = \"8h\"\n[auth.rate_limit]\n\
    sign_in_sign_ups = 100000\ntoken_verifications = 100000\ntoken_refresh = 100000\n[auth.oauth_server]\nenabled = true\n\
    [auth.mfa.totp]\nenroll_enabled = true\nverify_enabled = true\n[auth.passkey]\nenabled = true\n[auth.webauthn]\n\
    rp_id = \"localhost\"\nrp_origins = [\"http://localhost:3000\"]\n";

/// What the tables hold before each time is put into one.
const KEPT: &str = "
create schema kept;
create table kept.columns as
    select c.relname as name, string_agg(quote_ident(a.attname), ', ') as list
    from pg_class as c
    join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relnamespace = 'auth'::regnamespace and c.relkind = 'r'
    group by c.relname;
do $$ declare t record; begin
    for t in table kept.columns loop
        execute format('create table kept.%I as select %s from auth.%I', t.name || '_rows', t.list, t.name);
    end loop;
end $$;
create procedure kept.restore() language plpgsql set session_replication_role = replica as $$ declare t record; begin
    for t in table kept.columns loop
        execute format('delete from auth.%I', t.name);
        execute format('insert into auth.%I (%s) select * from kept.%I', t.name, t.list, t.name || '_rows');
    end loop;
    delete from mail.messages;
end $$;";

/// Rows as only a hosted project writes them.
const HOSTED: &str = "
insert into auth.sessions (id, user_id, created_at, updated_at, aal)
select '5a0b8f5c-0000-4000-8000-000000000004', id, created_at - interval '1 hour', created_at, 'aal1'
from auth.users where email = 'asha@example.com';
insert into auth.refresh_tokens (instance_id, id, token, user_id, revoked, created_at, updated_at, session_id)
select '00000000-0000-0000-0000-000000000000', 1, 'abcdefgh2345', id, false, created_at, created_at,
    '5a0b8f5c-0000-4000-8000-000000000004'
from auth.users where email = 'asha@example.com';
insert into auth.flow_state (id, user_id, auth_code, code_challenge, code_challenge_method, provider_type,
    authentication_method, auth_code_issued_at, created_at, updated_at)
select '5a0b8f5c-0000-4000-8000-000000000005', id, 'a-code', 'a-challenge', 'plain', 'email', 'magiclink', created_at,
    created_at, created_at
from auth.users where email = 'asha@example.com';
insert into auth.flow_state (id, provider_type, authentication_method, created_at, updated_at)
select '5a0b8f5c-0000-4000-8000-000000000006', 'github', 'oauth', created_at, created_at
from auth.users where email = 'asha@example.com';
insert into auth.webauthn_credentials (user_id, credential_id, public_key)
select id, '\\x00', '\\x00' from auth.users where email = 'asha@example.com';";

const REFRESH: &str = "/token?grant_type=refresh_token";

/// What requests need of one account with everything that an account can have.
struct Account {
    id: String,
    session: Answer,
    factor: String,
    challenge: String,
    question: String,
    code: String,
}

async fn account(stage: &Stage) -> Account {
    let body = json!({"email": ASHA, "password": PASSWORD, "email_confirm": true});
    let made = stage.post("/admin/users", &body).bearer(&stage.service_key()).await;
    assert_eq!(made.status, 200, "{}", made.json());
    stage.post("/admin/users", json!({"email": RAVI})).bearer(&stage.service_key()).await;
    let (factor, _, session) = factors::with_factor(stage, ASHA).await;
    let token = session.field("access_token");
    let challenge = factors::challenge(stage, token, &factor).await.field("id").to_owned();
    let question = stage.post("/passkeys/authentication/options", json!({})).await;
    let client = json!({"client_name": "a", "redirect_uris": ["https://a.example/callback"]});
    let client = stage.post("/admin/oauth/clients", &client).bearer(&stage.service_key()).await;
    assert_eq!(client.status, 201, "{}", client.json());
    stage.execute(HOSTED).await;
    stage.wait(60);
    assert_eq!(stage.ask(ASHA).await.status, 200);
    let code = stage.code(ASHA).await;
    // The next code may be asked for.
    stage.wait(2);
    Account {
        id: made.field("id").to_owned(),
        factor,
        challenge,
        question: question.field("challenge_id").to_owned(),
        code,
        session,
    }
}

/// Every request that reads the account, or what belongs to it, with what it comes to where nothing
/// was put into a column.
async fn answers(stage: &Stage, account: &Account, single_per_user: bool) -> Vec<(String, u16, Answer)> {
    let (key, token) = (stage.service_key(), account.session.field("access_token").to_owned());
    let (id, factor) = (&account.id, &account.factor);
    let refresh = |token: &str| json!({"refresh_token": token});
    let requests = [
        (Method::GET, "/user", json!({}), &token, 200),
        (Method::GET, "/user/sessions", json!({}), &token, 200),
        (Method::GET, "/passkeys", json!({}), &token, 200),
        (Method::GET, "/reauthenticate", json!({}), &token, 200),
        (
            Method::POST,
            &format!("/factors/{factor}/verify"),
            json!({"challenge_id": account.challenge, "code": "000000"}),
            &token,
            422,
        ),
        (Method::POST, &format!("/factors/{factor}/challenge"), json!({}), &token, 200),
        (Method::POST, REFRESH, refresh(account.session.field("refresh_token")), &token, 200),
        (Method::POST, REFRESH, refresh("abcdefgh2345"), &token, if single_per_user { 400 } else { 200 }),
        (
            Method::POST,
            "/verify",
            json!({"type": "email", "email": ASHA, "token": account.code}),
            &token,
            200,
        ),
        (Method::POST, "/otp", json!({"email": ASHA}), &token, 200),
        (
            Method::POST,
            "/token?grant_type=password",
            json!({"email": ASHA, "password": PASSWORD}),
            &token,
            200,
        ),
        (
            Method::POST,
            "/token?grant_type=pkce",
            json!({"auth_code": "a-code", "code_verifier": "x"}),
            &token,
            400,
        ),
        (
            Method::POST,
            "/passkeys/authentication/verify",
            json!({"challenge_id": account.question, "credential": {}}),
            &token,
            400,
        ),
        (Method::GET, "/callback?state=5a0b8f5c-0000-4000-8000-000000000006&code=x", json!({}), &token, 303),
        (Method::PUT, "/user", json!({"data": {"a": 1}}), &token, 200),
        (Method::GET, "/admin/users", json!({}), &key, 200),
        (Method::GET, "/admin/users?limit=1", json!({}), &key, 200),
        (Method::GET, &format!("/admin/users/{id}"), json!({}), &key, 200),
        (Method::PUT, &format!("/admin/users/{id}"), json!({"user_metadata": {"b": 1}}), &key, 200),
        (Method::GET, &format!("/admin/users/{id}/sessions"), json!({}), &key, 200),
        (Method::GET, &format!("/admin/users/{id}/factors"), json!({}), &key, 200),
        (Method::GET, &format!("/admin/users/{id}/passkeys"), json!({}), &key, 200),
        (Method::GET, "/admin/audit", json!({}), &key, 200),
        (Method::GET, "/admin/oauth/clients", json!({}), &key, 200),
    ];
    let mut answers = Vec::new();
    for (method, path, body, bearer, usual) in requests {
        // A second code from the same place would come too soon.
        let place = if path == "/otp" { [198, 51, 100, 1] } else { [192, 0, 2, 1] };
        let answer = stage.call(method, path).json(&body).bearer(bearer).from(place).await;
        answers.push((path.to_owned(), usual, answer));
    }
    answers
}

/// The columns of the reference's tables that hold times.
async fn columns(stage: &Stage) -> Vec<(String, String)> {
    sqlx::query_as(
        "select c.relname::text, a.attname::text
        from pg_attribute as a
        join pg_class as c on c.oid = a.attrelid
        where c.relnamespace = 'auth'::regnamespace
            and c.relkind = 'r'
            and c.relname not like 'banyan\\_%'
            and a.attnum > 0
            and a.attgenerated = ''
            and a.atttypid in ('timestamptz'::regtype, 'timestamp'::regtype)
        order by 1, 2",
    )
    .fetch_all(stage.sql())
    .await
    .unwrap()
}

/// Puts each time into each column, and asks everything.
async fn walk(single_per_user: bool) {
    let mut config = banyan_testkit::config_with(ON);
    (config.auth.rate_limits.email_sent, config.auth.sessions.single_per_user) = (100_000, single_per_user);
    let stage = Stage::of(config).await;
    let account = account(&stage).await;
    stage.execute(KEPT).await;
    for (path, usual, answer) in answers(&stage, &account, single_per_user).await {
        assert_eq!(answer.status, usual, "{path}: {}", answer.text());
    }
    let columns = columns(&stage).await;
    assert!(columns.len() > 40, "{columns:?}");
    for (table, column) in columns {
        for time in ["infinity", "-infinity"] {
            let statement = format!("call kept.restore(); update auth.{table} set {column} = '{time}'");
            sqlx::raw_sql(AssertSqlSafe(statement)).execute(stage.sql()).await.unwrap();
            for (path, _, answer) in answers(&stage, &account, single_per_user).await {
                assert!(answer.status < 500, "{table}.{column} = {time}, {path}: {}", answer.text());
            }
        }
    }
}

// rows: Z3 E6
#[tokio::test]
async fn a_time_that_no_calendar_has_keeps_nobody_from_an_account() {
    walk(false).await;
}

/// Then nothing is refreshed in a pipeline.
// rows: Z3 E6 S4
#[tokio::test]
async fn nor_where_an_account_has_one_session() {
    walk(true).await;
}

// rows: V5 K5 R8
#[tokio::test]
async fn what_lives_for_a_while_does_not_live_for_ever() {
    let stage = Stage::of(banyan_testkit::config_with(ON)).await;
    let account = account(&stage).await;
    let token = account.session.field("access_token");
    stage.execute("update auth.users set recovery_sent_at = 'infinity'").await;
    assert_eq!(stage.verify(ASHA, &account.code).await.error(), (403, "otp_expired"));
    stage.execute("update auth.mfa_challenges set created_at = 'infinity'").await;
    let body = json!({"challenge_id": account.challenge, "code": "000000"});
    let answer = stage.post(&format!("/factors/{}/verify", account.factor), &body).bearer(token).await;
    assert_eq!(answer.error(), (422, "mfa_challenge_expired"));
    stage.execute("update auth.flow_state set auth_code_issued_at = 'infinity'").await;
    let body = json!({"auth_code": "a-code", "code_verifier": "a-challenge"});
    let answer = stage.post("/token?grant_type=pkce", &body).await;
    assert_eq!(answer.error(), (422, "flow_state_expired"));
    let used = account.session.field("refresh_token");
    let second = stage.refresh(used).await;
    let third = stage.refresh(second.field("refresh_token")).await;
    assert_eq!(third.status, 200, "{}", third.text());
    stage.execute("update auth.sessions set refreshed_at = 'infinity'").await;
    assert_eq!(stage.refresh(used).await.error(), (400, "refresh_token_already_used"));
}

// rows: H22
#[tokio::test]
async fn a_pause_that_never_ends_is_none() {
    let stage = Stage::of(banyan_testkit::config_with(ON)).await;
    let account = account(&stage).await;
    stage.execute("update auth.users set reauthentication_sent_at = 'infinity'").await;
    let answer = stage.get("/reauthenticate").bearer(account.session.field("access_token")).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
}

// rows: O16 D3
#[tokio::test]
async fn such_a_time_is_shown_as_the_first_or_the_last_day_and_pages_go_on_past_it() {
    let stage = Stage::new().await;
    for email in ["a@example.com", "b@example.com", "c@example.com"] {
        stage.post("/admin/users", json!({"email": email})).bearer(&stage.service_key()).await;
    }
    for (time, shown) in [("infinity", "9999-12-31T00:00:00Z"), ("-infinity", "0001-01-01T00:00:00Z")] {
        let statement = format!("update auth.users set created_at = '{time}' where email <> 'c@example.com'");
        sqlx::raw_sql(AssertSqlSafe(statement)).execute(stage.sql()).await.unwrap();
        for sort in ["created_at+asc", "created_at+desc"] {
            let (mut query, mut seen) = (format!("?limit=1&sort={sort}"), Vec::new());
            for _ in 0..3 {
                let page = stage.get(&format!("/admin/users{query}")).bearer(&stage.service_key()).await;
                assert_eq!(page.status, 200, "{}", page.json());
                let user = &page["users"][0];
                seen.push(user["email"].clone());
                if user["email"] != "c@example.com" {
                    assert_eq!(user["created_at"], shown);
                }
                let next = page["pagination"]["next_cursor"].as_str().unwrap_or_default();
                query = format!("?limit=1&sort={sort}&cursor={next}");
            }
            seen.sort_by_key(ToString::to_string);
            assert_eq!(
                json!(seen),
                json!(["a@example.com", "b@example.com", "c@example.com"]),
                "{time} {sort}"
            );
        }
    }
}
