//! The acceptance list of the contract, and what the JavaScript client relies on
//! (CONTRACT.md T-1 to T-13, JS2 to JS13).

use banyan_testkit::Answer;
use serde_json::{Value, json};

use crate::support::{ASHA, RAVI, Stage, wrong};

const CONFIRM: &str = "[auth.email]\nenable_confirmations = true\n";

// rows: T-1 M10 M11 M13
#[tokio::test]
async fn a_new_address_gets_one_mail_and_one_account() {
    for (toml, confirmed, subject) in [(CONFIRM, 0, "confirmation"), ("", 1, "sign-in")] {
        let stage = Stage::with(toml).await;
        stage
            .execute(
                "create table public.seen (id uuid);
                create function public.seen() returns trigger language plpgsql security definer as $$
                begin insert into public.seen values (new.id); return new; end $$;
                create trigger seen after insert on auth.users for each row execute function public.seen();",
            )
            .await;
        let asked = stage.ask(ASHA).await;
        assert_eq!((asked.status, &asked.json()), (200, &json!({})));
        let mails = stage.mails(ASHA).await;
        assert_eq!(mails.len(), 1);
        assert!(mails[0].0.contains(subject), "{mails:?}");
        assert_eq!(stage.code(ASHA).await.len(), 6);
        assert_eq!(
            stage.number("select count(*) from auth.users where email_confirmed_at is not null").await,
            confirmed
        );
        assert_eq!(stage.number("select count(*) from auth.identities where provider = 'email'").await, 1);
        assert_eq!(stage.number("select count(*) from public.seen").await, 1, "the trigger ran once");
        let session = stage.verify(ASHA, &stage.code(ASHA).await).await;
        assert_eq!(session.status, 200, "{}", session.json());
    }
}

// rows: T-2 V1 V5
#[tokio::test]
async fn a_wrong_code_the_right_one_and_the_right_one_again() {
    let stage = Stage::new().await;
    stage.ask(ASHA).await;
    let code = stage.code(ASHA).await;
    let refused = stage.verify(ASHA, &wrong(&code, 1)).await;
    assert_eq!(
        (refused.error(), refused.field("msg")),
        ((403, "otp_expired"), "Token has expired or is invalid")
    );
    assert_eq!(stage.verify(ASHA, &code).await.status, 200);
    assert_eq!(stage.verify(ASHA, &code).await.error(), (403, "otp_expired"));
}

// rows: T-3 M7
#[tokio::test]
async fn a_second_mail_within_the_shortest_time_waits() {
    let stage = Stage::with("[auth.email]\nmax_frequency = \"60s\"\n").await;
    assert_eq!(stage.ask(ASHA).await.status, 200);
    stage.wait(20);
    let refused = stage.ask(ASHA).await;
    assert_eq!(refused.error(), (429, "over_email_send_rate_limit"));
    assert_eq!(refused.field("msg"), "For security purposes, you can only request this after 40 seconds.");
    assert_eq!(refused.header("retry-after"), Some("40"));
}

// rows: T-4 JS2
#[tokio::test]
async fn the_user_and_its_claims_agree_and_the_claims_check_with_published_keys() {
    let stage = Stage::new().await;
    let session = stage.sign_in(ASHA).await;
    let token = session.field("access_token");
    let user = stage.get("/user").bearer(token).await;
    assert_eq!(user["id"], stage.claims(token)["sub"]);
    let header: Value = {
        use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(token.split('.').next().unwrap()).unwrap()).unwrap()
    };
    assert_eq!(header["alg"], "ES256", "so that clients need not ask");
    let keys = stage.get("/.well-known/jwks.json").await;
    let known = keys["keys"].as_array().unwrap();
    assert!(known.iter().any(|key| key["kid"] == header["kid"] && key.get("d").is_none()), "{}", keys.json());
}

// rows: T-5 R10 C1
#[tokio::test]
async fn twenty_parallel_refreshes_end_with_one_token() {
    let stage = Stage::new().await;
    let session = stage.sign_in(ASHA).await;
    let tries: Vec<_> = (0..20)
        .map(|_| {
            let (stage, token) = (stage.clone(), session.field("refresh_token").to_owned());
            tokio::spawn(async move { stage.refresh(&token).await })
        })
        .collect();
    let mut tokens = std::collections::BTreeSet::new();
    for one in tries {
        let answer = one.await.unwrap();
        assert_eq!(answer.status, 200, "{}", answer.json());
        tokens.insert(answer.field("refresh_token").to_owned());
    }
    assert_eq!(tokens.len(), 1);
    let next = stage.refresh(tokens.first().unwrap()).await;
    assert_eq!(next.status, 200, "the session is alive");
}

// rows: T-6 R8
#[tokio::test]
async fn an_old_token_after_the_interval_ends_its_session_and_no_other() {
    let stage = Stage::new().await;
    let (stolen, other) = (stage.sign_in(ASHA).await, stage.sign_in(ASHA).await);
    let mut token = stolen.field("refresh_token").to_owned();
    for _ in 0..2 {
        stage.wait(60);
        token = stage.refresh(&token).await.field("refresh_token").to_owned();
    }
    stage.wait(11);
    let replayed = stage.refresh(stolen.field("refresh_token")).await;
    assert_eq!(replayed.error(), (400, "refresh_token_already_used"));
    assert_eq!(replayed.field("msg"), "Invalid Refresh Token: Already Used");
    assert_eq!(stage.refresh(&token).await.error(), (400, "refresh_token_not_found"));
    assert_eq!(stage.refresh(other.field("refresh_token")).await.status, 200);
}

// rows: T-9 U2 U6 U8 V10
#[tokio::test]
async fn both_addresses_agree_to_a_change() {
    let stage = Stage::with("[auth.email]\ndouble_confirm_changes = true\n").await;
    let session = stage.sign_in(ASHA).await;
    let token = session.field("access_token");
    stage.wait(5);
    let put = stage.put("/user", json!({"email": RAVI})).bearer(token).await;
    assert_eq!(put.field("new_email"), RAVI);
    let confirm = |email: &'static str, code: String| {
        let stage = stage.clone();
        async move { stage.post("/verify", json!({"type": "email_change", "email": email, "token": code})).await }
    };
    let first = confirm(ASHA, stage.code(ASHA).await).await;
    assert_eq!(first.status, 200);
    assert!(first.field("msg").starts_with("Confirmation link accepted."), "{}", first.json());
    assert!(first.json().get("access_token").is_none(), "JS6 reads answers without a session");
    let second = confirm(RAVI, stage.code(RAVI).await).await;
    assert_eq!(second["user"]["email"], RAVI, "{}", second.json());
    let refreshed = stage.refresh(session.field("refresh_token")).await;
    assert_eq!(stage.claims(refreshed.field("access_token"))["email"], RAVI);
}

// rows: T-10 B6 S8 S9 JS3
#[tokio::test]
async fn signing_out_ends_what_its_scope_says() {
    for (scope, this, other) in [("local", 403, 200), ("others", 200, 403), ("global", 403, 403)] {
        let stage = Stage::new().await;
        let (own, second) = (stage.sign_in(ASHA).await, stage.sign_in(ASHA).await);
        let out = format!("/logout?scope={scope}");
        let signed_out = stage.post(&out, json!({})).bearer(own.field("access_token")).await;
        assert_eq!(signed_out.status, 204);
        let read = async |session: &Answer| stage.get("/user").bearer(session.field("access_token")).await;
        let (mine, theirs) = (read(&own).await, read(&second).await);
        assert_eq!((mine.status, theirs.status), (this, other), "{scope}");
        for gone in [&mine, &theirs] {
            assert!(gone.status == 200 || gone.error() == (403, "session_not_found"));
        }
        if this == 403 {
            let again = stage.post(&out, json!({})).bearer(own.field("access_token")).await;
            assert_eq!(again.status, 403, "which clients ignore");
            assert_eq!(
                stage.refresh(own.field("refresh_token")).await.error(),
                (400, "refresh_token_not_found")
            );
        }
    }
}

// rows: T-11 D8
#[tokio::test]
async fn a_deleted_user_is_gone_everywhere() {
    let stage = Stage::new().await;
    stage
        .execute("create table public.profiles (user_id uuid references auth.users (id) on delete cascade)")
        .await;
    let session = stage.sign_in(ASHA).await;
    stage.execute("insert into public.profiles select id from auth.users").await;
    let key = stage.service_key();
    let user = session["user"]["id"].as_str().unwrap();
    let delete = stage.call(http::Method::DELETE, &format!("/admin/users/{user}"));
    assert_eq!(delete.header("apikey", &key).bearer(&key).await.status, 200);
    assert_eq!(stage.number("select count(*) from public.profiles").await, 0);
    let read = stage.get("/user").bearer(session.field("access_token")).await;
    assert_eq!(read.error(), (403, "user_not_found"));
    assert_eq!(stage.refresh(session.field("refresh_token")).await.error(), (400, "refresh_token_not_found"));
}

// rows: T-12 E1 E2
#[tokio::test]
async fn errors_have_the_form_that_the_version_header_asks_for() {
    let stage = Stage::new().await;
    let calls: [(&str, Value, u16, &str); 4] = [
        ("/verify", json!({"type": "email", "email": ASHA, "token": "000000"}), 403, "otp_expired"),
        (
            "/token?grant_type=refresh_token",
            json!({"refresh_token": "abcdefghijkl"}),
            400,
            "refresh_token_not_found",
        ),
        ("/otp", json!({"email": ASHA, "create_user": false}), 422, "otp_disabled"),
        ("/otp", json!({"email": "nonsense"}), 400, "validation_failed"),
    ];
    for (path, body, status, code) in calls {
        let older = stage.post(path, &body).await;
        assert_eq!((older.status, &older["code"]), (status, &json!(status)), "{}", older.json());
        assert_eq!(
            (older.field("error_code"), older.header("x-sb-error-code").unwrap_or_default()),
            (code, code)
        );
        let newer = stage.post(path, &body).header("x-supabase-api-version", "2024-01-01").await;
        assert_eq!((newer.status, newer.field("code")), (status, code));
        assert_eq!(newer["message"], older["msg"]);
        assert_eq!(newer.header("x-supabase-api-version"), Some("2024-01-01"));
    }
}

// rows: T-13
#[tokio::test]
async fn policies_filter_by_the_claims_of_a_token() {
    let stage = Stage::new().await;
    let session = stage.sign_in(ASHA).await;
    stage.sign_in(RAVI).await;
    stage
        .execute(
            "create table public.notes (owner uuid, text text);
            alter table public.notes enable row level security;
            create policy own on public.notes using (owner = (select auth.uid())
                and (select auth.jwt() ->> 'aal') in ('aal1', 'aal2'));
            grant select on public.notes to anon, authenticated;
            insert into public.notes select id, email from auth.users",
        )
        .await;
    let seen = async |role: &str, claims: &str| {
        let mut request = stage.sql().begin().await.unwrap();
        sqlx::query("select set_config('role', $1, true), set_config('request.jwt.claims', $2, true)")
            .bind(role)
            .bind(claims)
            .fetch_one(&mut *request)
            .await
            .unwrap();
        sqlx::query_scalar::<_, String>("select text from public.notes")
            .fetch_all(&mut *request)
            .await
            .unwrap()
    };
    let claims = stage.claims(session.field("access_token"));
    assert_eq!(seen(claims["role"].as_str().unwrap(), &claims.to_string()).await, [ASHA]);
    assert!(seen("anon", "{\"role\": \"anon\"}").await.is_empty());
}

// rows: JS6 H9
#[tokio::test]
async fn answers_have_the_shapes_that_clients_unwrap() {
    let stage = Stage::new().await;
    let session = stage.sign_in(ASHA).await;
    let put = stage.put("/user", json!({"data": {"a": 1}})).bearer(session.field("access_token")).await;
    assert_eq!(put["user_metadata"]["a"], 1, "the bare user");
    for (path, body) in [
        ("/otp", json!({"email": ASHA})),
        ("/magiclink", json!({"email": RAVI})),
        ("/resend", json!({"type": "signup", "email": ASHA})),
    ] {
        stage.wait(2);
        let answer = stage.post(path, &body).await;
        assert_eq!((answer.status, answer.json()), (200, json!({})), "{path}");
    }
    let weak = stage.put("/user", json!({"password": "abc"})).bearer(session.field("access_token")).await;
    assert_eq!(weak.error(), (422, "weak_password"));
    assert_eq!(weak["weak_password"]["reasons"], json!(["length"]));
}

// rows: JS8
#[tokio::test]
async fn the_admin_api_takes_the_secret_key_as_bearer() {
    let stage = Stage::new().await;
    let key = stage.service_key();
    let session = stage.sign_in(ASHA).await;
    let list = stage.get("/admin/users").header("apikey", &key).bearer(&key).await;
    assert_eq!(list["users"][0]["email"], ASHA, "{}", list.json());
    let anon = stage.anon_key().to_owned();
    let refused = stage.get("/admin/users").header("apikey", &anon).bearer(&anon).await;
    assert_eq!(refused.error(), (403, "not_admin"));
    let out =
        stage.post("/logout", json!({})).header("apikey", &key).bearer(session.field("access_token")).await;
    assert_eq!(out.status, 204, "JS13: admin.signOut has the user's token as bearer");
}

// rows: JS13 H22
#[tokio::test]
async fn reauthentication_is_asked_for_by_get() {
    let stage = Stage::new().await;
    let session = stage.sign_in(ASHA).await;
    stage.wait(2);
    let asked = stage.get("/reauthenticate").bearer(session.field("access_token")).await;
    assert_eq!((asked.status, asked.json()), (200, json!({})));
    assert_eq!(stage.mails(ASHA).await.len(), 2);
}

// rows: T13 T14
#[tokio::test]
async fn a_session_says_how_it_was_signed_in() {
    let stage = Stage::with("[auth]\nenable_anonymous_sign_ins = true\n").await;
    let method = |answer: &Answer| {
        let claims = stage.claims(answer.field("access_token"));
        claims["amr"][0]["method"].as_str().unwrap().to_owned()
    };
    assert_eq!(method(&stage.sign_in(ASHA).await), "otp");
    let body = json!({"email": RAVI, "password": "long enough"});
    assert_eq!(method(&stage.post("/signup", &body).await), "password");
    assert_eq!(method(&stage.post("/token?grant_type=password", &body).await), "password");
    assert_eq!(method(&stage.post("/signup", json!({})).await), "anonymous");
}
