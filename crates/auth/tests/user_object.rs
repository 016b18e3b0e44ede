use serde_json::{Value, json};

use crate::{
    passwords::{PASSWORD, sign_up},
    support::{ASHA, RAVI, Stage},
};

/// A moment in UTC, as clients read it.
fn is_moment(value: &Value) -> bool {
    value.as_str().is_some_and(|text| {
        text.ends_with('Z')
            && time::OffsetDateTime::parse(text, &time::format_description::well_known::Rfc3339).is_ok()
    })
}

// rows: O1 O2 O4 O6 O7 O11 O12 O14 O16 O18 W8
#[tokio::test]
async fn the_user_object() {
    let stage = Stage::new().await;
    let session = sign_up(&stage, "Asha@Example.com").await;
    let user = stage.get("/user").bearer(session.field("access_token")).await.json();
    let id: uuid::Uuid = user["id"].as_str().unwrap().parse().unwrap();
    assert_eq!(id.get_version_num(), 4);
    assert_eq!((&user["aud"], &user["role"]), (&json!("authenticated"), &json!("authenticated")));
    assert_eq!((&user["email"], &user["phone"]), (&json!(ASHA), &json!("")));
    for field in ["email_confirmed_at", "confirmed_at", "last_sign_in_at", "created_at", "updated_at"] {
        assert!(is_moment(&user[field]), "{field}: {user}");
    }
    for absent in [
        "phone_confirmed_at",
        "new_email",
        "new_phone",
        "invited_at",
        "banned_until",
        "deleted_at",
        "factors",
    ] {
        assert!(user.get(absent).is_none(), "{absent}: {user}");
    }
    assert_eq!(user["app_metadata"], json!({"provider": "email", "providers": ["email"]}));
    assert_eq!(user["is_anonymous"], json!(false));
    assert_eq!(user["identities"].as_array().unwrap().len(), 1);
    let list = stage.get("/admin/users").bearer(&stage.service_key()).await;
    assert_eq!(list["users"][0]["identities"], Value::Null, "lists leave them out");
}

// rows: O8 O9 O17
#[tokio::test]
async fn times_and_pending_changes_show_while_they_last() {
    let stage = Stage::with("[auth.email]\nenable_confirmations = true\n").await;
    let user = sign_up(&stage, ASHA).await;
    assert!(is_moment(&user["confirmation_sent_at"]), "{}", user.json());
    let session = stage.verify(ASHA, &stage.code(ASHA).await).await;
    stage.wait(2);
    stage.post("/recover", json!({"email": ASHA})).await;
    stage.get("/reauthenticate").bearer(session.field("access_token")).await;
    let put = stage.put("/user", json!({"email": RAVI})).bearer(session.field("access_token")).await;
    assert_eq!(put["new_email"], RAVI);
    for field in ["recovery_sent_at", "reauthentication_sent_at", "email_change_sent_at"] {
        assert!(is_moment(&put[field]), "{field}: {}", put.json());
    }
    let invited = stage.post("/invite", json!({"email": "c@example.com"})).bearer(&stage.service_key()).await;
    assert!(is_moment(&invited["invited_at"]), "{}", invited.json());
}

// rows: O19 O20 O21 O22 O23
#[tokio::test]
async fn the_identity_object() {
    let stage = Stage::new().await;
    let session = sign_up(&stage, ASHA).await;
    let user = &session["user"];
    let identity = &user["identities"][0];
    let key: uuid::Uuid = identity["identity_id"].as_str().unwrap().parse().unwrap();
    assert_ne!(json!(key), user["id"], "the row has a key of its own");
    assert_eq!(
        (&identity["id"], &identity["user_id"]),
        (&user["id"], &user["id"]),
        "of an address: the user's id"
    );
    assert_eq!((&identity["provider"], &identity["email"]), (&json!("email"), &json!(ASHA)));
    let expected = json!({"sub": user["id"], "email": ASHA, "email_verified": true, "phone_verified": false});
    assert_eq!(identity["identity_data"], expected);
    for field in ["last_sign_in_at", "created_at", "updated_at"] {
        assert!(is_moment(&identity[field]), "{field}: {identity}");
    }
}

// rows: O26 O28 O29 O30 O31 H15
#[tokio::test]
async fn the_session_object() {
    let stage = Stage::new().await;
    let signed_up = sign_up(&stage, ASHA).await;
    let refreshed = stage.refresh(signed_up.field("refresh_token")).await;
    for session in [&signed_up, &refreshed] {
        assert_eq!((&session["token_type"], &session["expires_in"]), (&json!("bearer"), &json!(3600)));
        assert_eq!(session["expires_at"], json!(stage.now().unix_timestamp() + 3600));
        assert_eq!(session.field("access_token").split('.').count(), 3);
        assert!(session.field("refresh_token").len() >= 12);
        assert_eq!(session["user"]["email"], ASHA);
        assert!(session.json().get("provider_token").is_none(), "only after a provider");
    }
    assert_ne!(signed_up.field("refresh_token"), refreshed.field("refresh_token"));
}

// rows: H21 U1
#[tokio::test]
async fn put_user_answers_with_the_bare_user_and_leaves_the_rest_alone() {
    let stage = Stage::new().await;
    let session = sign_up(&stage, ASHA).await;
    let put = async |body: Value| stage.put("/user", &body).bearer(session.field("access_token")).await;
    let user = put(json!({"data": {"name": "Asha"}, "unknown": 1})).await;
    assert_eq!((user.status, &user["user_metadata"]["name"]), (200, &json!("Asha")), "{}", user.json());
    assert!(user.json().get("access_token").is_none() && user["id"] == session["user"]["id"]);
    let same = put(json!({"email": ASHA})).await;
    assert!(same.json().get("new_email").is_none(), "the address it has is no change: {}", same.json());
    assert_eq!(put(json!({"email": "no address"})).await.error(), (400, "validation_failed"));
    assert_eq!(put(json!({"data": 7})).await.error(), (400, "bad_json"));
    assert_eq!(stage.put("/user", json!({})).await.error(), (401, "no_authorization"));
}

// rows: H9
#[tokio::test]
async fn the_older_name_of_the_code_by_mail() {
    let stage = Stage::new().await;
    let asked = stage.post("/magiclink", json!({"email": ASHA, "data": {"a": 1}})).await;
    assert_eq!((asked.status, asked.json()), (200, json!({})));
    let body = json!({"type": "magiclink", "email": ASHA, "token": stage.code(ASHA).await});
    let session = stage.post("/verify", &body).await;
    assert_eq!(session["user"]["user_metadata"]["a"], json!(1), "{}", session.json());
}

// rows: V9
#[tokio::test]
async fn a_link_without_type_or_token_is_an_error_of_the_api() {
    let stage = Stage::new().await;
    for link in ["/verify", "/verify?token=x", "/verify?type=signup", "/verify?token=x&type=magic"] {
        let refused = stage.get(link).await;
        assert_eq!(refused.error(), (400, "validation_failed"), "{link}");
    }
}

// rows: M20
#[tokio::test]
async fn a_project_can_refuse_domains() {
    let mut config = banyan_testkit::config();
    config.auth.refused_domains = vec!["mailinator.test".into()];
    let stage = Stage::of(config).await;
    for email in ["a@mailinator.test", "a@sub.Mailinator.test"] {
        let refused = stage.ask(email).await;
        assert_eq!(refused.error(), (400, "email_address_invalid"), "{email}");
        assert!(refused.field("msg").contains("is invalid"), "{}", refused.json());
    }
    assert_eq!(stage.number("select count(*) from auth.users").await, 0, "nothing of it is kept");
    assert_eq!(stage.ask("a@notmailinator.test").await.status, 200);
}

// rows: C15 PW8
#[tokio::test]
async fn no_connection_is_held_while_a_password_is_hashed() {
    let stage = Stage::new().await;
    sign_up(&stage, ASHA).await;
    let burst: Vec<_> = (0..8)
        .map(|_| {
            let stage = stage.clone();
            let body = json!({"email": ASHA, "password": PASSWORD});
            tokio::spawn(async move { stage.post("/token?grant_type=password", &body).await.status })
        })
        .collect();
    let mut most = 0;
    while burst.iter().any(|one| !one.is_finished()) {
        let open = stage
            .number("select count(*) from pg_stat_activity where usename = 'supabase_auth_admin' and state = 'idle in transaction'")
            .await;
        most = most.max(open);
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    for one in burst {
        assert_eq!(one.await.unwrap(), 200);
    }
    assert!(most <= 3, "eight sign-ins are in flight, {most} transactions wait");
}
