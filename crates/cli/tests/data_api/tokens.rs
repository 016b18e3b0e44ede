use serde_json::{Value, json};

use crate::support::{SECRET, Stage, signed};

// rows: rest/T01 rest/T02
#[tokio::test]
async fn without_a_token_the_anonymous_role_serves_or_nobody() {
    let stage = Stage::new().await;
    let api = stage.serve("");
    assert_eq!(api.get("/rpc/whoami").await.json()["role"], format!("{}_anon", stage.name));
    let closed = stage.serve_with(&stage.lines("").replace("db-anon-role", "app.settings.unused"), &[]);
    let refused = closed.get("/lessons").await;
    assert_eq!(refused.refusal(), (401, "PGRST302".to_owned(), "Anonymous access is disabled".to_owned()));
    assert_eq!(refused.header("www-authenticate"), "Bearer");
    assert_eq!(closed.get_as("/lessons", &stage.teacher()).await.status, 200);
}

// rows: rest/T03 rest/G03
#[tokio::test]
async fn the_role_comes_from_the_claim_that_is_named_and_the_old_form_is_warned_about() {
    let stage = Stage::new().await;
    let teacher = format!("{}_teacher", stage.name);
    let claims = json!({"realm": {"roles": ["other", teacher]}, "sub": "7"});
    let api = stage.serve("jwt-role-claim-key = \"$.realm.roles[?(@ != 'other')]\"");
    let seen = api.get_as("/rpc/whoami", &stage.token(&claims)).await.json();
    assert_eq!(
        (&seen["role"], &seen["claims"]["role"], &seen["claims"]["sub"]),
        (&json!(teacher), &json!(teacher), &json!("7"))
    );
    let old = stage.serve("jwt-role-claim-key = \".realm.roles[1]\"");
    assert_eq!(old.get_as("/rpc/whoami", &stage.token(&claims)).await.json()["role"], json!(teacher));
    assert!(old.wait_for_notes(|notes| notes.contains("old form")), "{}", old.notes());
}

// rows: rest/T06 rest/PGRST300
#[tokio::test]
async fn without_a_secret_no_token_can_be_checked() {
    let stage = Stage::new().await;
    let lines = stage.lines("").replace("jwt-secret", "app.settings.unused");
    let api = stage.serve_with(&lines, &[]);
    let refused = api.get_as("/lessons", &stage.teacher()).await;
    assert_eq!(refused.refusal(), (500, "PGRST300".to_owned(), "Server lacks JWT secret".to_owned()));
    assert_eq!(api.get("/lessons").await.status, 200);
}

// rows: rest/T08 rest/T10 rest/T11 rest/T12 rest/T14 rest/T15 rest/T19 rest/T20 rest/T21 rest/T28
#[tokio::test]
async fn refusals_have_their_words_and_challenge() {
    let stage = Stage::new().await;
    let api = stage.serve("jwt-aud = \"school\"");
    let none = "eyJ0eXAiOiJKV1QiLCJhbGciOiJub25lIn0.e30.";
    for (token, code, message, details) in [
        (String::new(), "PGRST301", "Empty JWT is sent in Authorization header", Value::Null),
        ("a.b".to_owned(), "PGRST301", "Expected 3 parts in JWT; got 2", Value::Null),
        (
            signed(&json!({}), "some other secret, just as long as ours"),
            "PGRST301",
            "No suitable key or wrong key type",
            json!("None of the keys was able to decode the JWT"),
        ),
        ("xx.yy.zz".to_owned(), "PGRST301", "JWT cryptographic operation failed", Value::Null),
        (
            none.to_owned(),
            "PGRST301",
            "Wrong or unsupported encoding algorithm",
            json!("JWT is unsecured but expected 'alg' was not 'none'"),
        ),
        (stage.token(&json!([1])), "PGRST303", "Parsing claims failed", Value::Null),
        (stage.token(&json!({"exp": 1})), "PGRST303", "JWT expired", Value::Null),
        (stage.token(&json!({"nbf": 9_000_000_000_i64})), "PGRST303", "JWT not yet valid", Value::Null),
        (stage.token(&json!({"iat": 9_000_000_000_i64})), "PGRST303", "JWT issued at future", Value::Null),
        (stage.token(&json!({"exp": "x"})), "PGRST303", "The JWT 'exp' claim must be a number", Value::Null),
        (stage.token(&json!({"aud": "shop"})), "PGRST303", "JWT not in audience", Value::Null),
        (
            stage.token(&json!({"aud": 1})),
            "PGRST303",
            "The JWT 'aud' claim must be a string or an array of strings",
            Value::Null,
        ),
    ] {
        let refused = api.get_as("/lessons", &token).await;
        assert_eq!(refused.refusal(), (401, code.to_owned(), message.to_owned()), "{token}");
        assert_eq!(refused.json()["details"], details, "{token}");
        let challenge = format!("Bearer error=\"invalid_token\", error_description=\"{message}\"");
        assert_eq!(refused.header("www-authenticate"), challenge);
    }
    for passes in [json!({"aud": ["school"]}), json!({"url": "lessons/a.pdf"})] {
        assert_eq!(api.get_as("/lessons", &stage.token(&passes)).await.status, 200, "{passes}");
    }
}

// rows: rest/T22 rest/T23 rest/T24
#[tokio::test]
async fn roles_that_are_unknown_not_granted_or_not_allowed() {
    let stage = Stage::new().await;
    let api = stage.serve("");
    for role in ["nobody_at_all", "none"] {
        let unknown = api.get_as("/lessons", &stage.token(&json!({ "role": role }))).await;
        let message = format!("role \"{role}\" does not exist");
        assert_eq!(unknown.refusal(), (401, "22023".to_owned(), message));
    }
    let stranger = stage.token(&json!({"role": format!("{}_stranger", stage.name)}));
    let stranger = api.get_as("/lessons", &stranger).await;
    assert_eq!((stranger.status, stranger.refusal().1.as_str()), (403, "42501"));
    let anonymous = api.get("/marks").await;
    assert_eq!((anonymous.status, anonymous.refusal().1.as_str()), (401, "42501"));
    assert_eq!(anonymous.header("www-authenticate"), "Bearer");
    let teacher = api.get_as("/marks", &stage.teacher()).await;
    assert_eq!((teacher.status, teacher.header("www-authenticate")), (403, ""));
}

// rows: rest/T25
#[tokio::test]
async fn another_secret_in_the_database_forgets_what_the_old_one_proved() {
    let stage = Stage::new().await;
    let api = stage.serve("");
    let token = stage.teacher();
    for _ in 0..3 {
        assert_eq!(api.get_as("/lessons", &token).await.status, 200);
    }
    assert_eq!(api.metric("pgrst_jwt_cache_hits_total").await, 2.0);
    assert_eq!(api.metric("pgrst_jwt_cache_requests_total").await, 3.0);
    let next = "another secret of the school, long enough";
    stage
        .execute(&format!(
            "alter role ROLE_login set pgrst.jwt_secret = '{next}'; notify pgrst, 'reload config'"
        ))
        .await;
    let end = std::time::Instant::now() + std::time::Duration::from_secs(10);
    while api.get_as("/lessons", &token).await.status == 200 {
        assert!(std::time::Instant::now() < end, "the old token is still good");
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let role = json!({"role": format!("{}_teacher", stage.name)});
    assert_eq!(api.get_as("/lessons", &signed(&role, next)).await.status, 200);
    assert_ne!(next, SECRET);
}

// rows: rest/T26 rest/P11
#[tokio::test]
async fn a_bad_token_is_told_before_a_bad_path_and_takes_no_connection() {
    let stage = Stage::new().await;
    let api = stage.serve("db-pool = 1");
    assert_eq!(api.get_as("/a/b/c", "a.b").await.refusal().1, "PGRST301");
    assert_eq!(api.get_as("/nothing", "a.b").await.refusal().1, "PGRST301");
    let busy = {
        let (client, url) = (reqwest::Client::new(), api.url.clone());
        tokio::spawn(async move { client.get(format!("{url}/rpc/nap?seconds=2")).send().await })
    };
    stage.until_napping(&busy).await;
    assert_eq!(api.get_as("/lessons", "a.b").await.status, 401);
    assert_eq!(api.get("/a/b/c").await.refusal().1, "PGRST125");
    assert!(!busy.is_finished(), "neither waited for the connection");
    busy.abort();
}
