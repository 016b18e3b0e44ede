use banyan_testkit::Answer;
use http::Method;
use serde_json::{Value, json};

use crate::{
    passwords::{PASSWORD, sign_up},
    support::{ASHA, RAVI, Stage},
};

async fn create(stage: &Stage, body: &Value) -> Answer {
    stage.post("/admin/users", body).bearer(&stage.service_key()).await
}

async fn update(stage: &Stage, id: &str, body: &Value) -> Answer {
    stage.put(&format!("/admin/users/{id}"), body).bearer(&stage.service_key()).await
}

async fn list(stage: &Stage, query: &str) -> Answer {
    stage.get(&format!("/admin/users{query}")).bearer(&stage.service_key()).await
}

async fn sign_in(stage: &Stage, email: &str, password: &str) -> Answer {
    stage.post("/token?grant_type=password", json!({"email": email, "password": password})).await
}

fn emails(list: &Answer) -> Vec<&str> {
    let users = list["users"].as_array().unwrap_or_else(|| panic!("{}", list.json()));
    users.iter().map(|user| user["email"].as_str().unwrap()).collect()
}

// rows: D4 D5 H41
#[tokio::test]
async fn an_account_is_made_of_what_the_admin_says() {
    let stage = Stage::new().await;
    let id = "5b1f9f5e-5f0a-4a6a-9d0a-2f5e8f3c1a11";
    let body = json!({
        "id": id, "email": "Asha@Example.com", "phone": "+91 98000 00000", "password": PASSWORD, "role": "editor",
        "email_confirm": true, "phone_confirm": true, "user_metadata": {"name": "Asha"},
        "app_metadata": {"plan": "school"},
    });
    let made = create(&stage, &body).await;
    assert_eq!(made.status, 200, "{}", made.json());
    assert_eq!((&made["id"], &made["role"]), (&json!(id), &json!("editor")));
    assert_eq!((&made["email"], &made["phone"]), (&json!(ASHA), &json!("919800000000")));
    assert!(made["email_confirmed_at"].is_string() && made["phone_confirmed_at"].is_string());
    let providers = json!({"provider": "email", "providers": ["email", "phone"], "plan": "school"});
    assert_eq!(made["app_metadata"], providers);
    assert_eq!(made["identities"].as_array().unwrap().len(), 2);
    assert!(stage.mails(ASHA).await.is_empty(), "no mail is sent");
    assert_eq!(sign_in(&stage, ASHA, PASSWORD).await.status, 200);
    let plain = create(&stage, &json!({"email": RAVI, "user_metadata": {"a": 1}})).await;
    assert_eq!((&plain["user_metadata"], &plain["role"]), (&json!({"a": 1}), &json!("authenticated")));
    assert!(plain.json().get("email_confirmed_at").is_none(), "unconfirmed unless it is said");
    assert_eq!(
        sign_in(&stage, RAVI, "").await.error(),
        (400, "invalid_credentials"),
        "nobody knows its password"
    );
}

// rows: D4 H41
#[tokio::test]
async fn what_cannot_be_an_account_is_refused() {
    let stage = Stage::new().await;
    let first = create(&stage, &json!({"email": ASHA, "phone": "919800000000"})).await;
    let id = first.field("id");
    let cases = [
        (json!({"password": PASSWORD}), (400, "validation_failed")),
        (json!({"email": "asha"}), (400, "validation_failed")),
        (json!({"email": ASHA}), (422, "email_exists")),
        (json!({"phone": "+919800000000"}), (422, "phone_exists")),
        (json!({"email": RAVI, "id": "seven"}), (400, "validation_failed")),
        (json!({"email": RAVI, "id": uuid::Uuid::nil()}), (400, "validation_failed")),
        (json!({"email": RAVI, "id": id}), (422, "user_already_exists")),
        (json!({"email": RAVI, "ban_duration": "soon"}), (400, "validation_failed")),
    ];
    for (body, expected) in cases {
        assert_eq!(create(&stage, &body).await.error(), expected, "{body}");
    }
    assert_eq!(stage.number("select count(*) from auth.users").await, 1);
}

// rows: D6 S10 H42
#[tokio::test]
async fn an_update_counts_at_once_and_a_new_password_ends_all_sessions() {
    let stage = Stage::new().await;
    let session = sign_up(&stage, ASHA).await;
    let id = session["user"]["id"].as_str().unwrap();
    let change = json!({
        "email": RAVI, "phone": "919800000000", "role": "editor", "user_metadata": {"name": "R", "email": null},
    });
    let changed = update(&stage, id, &change).await;
    assert_eq!(changed.status, 200, "{}", changed.json());
    assert_eq!((&changed["email"], &changed["role"]), (&json!(RAVI), &json!("editor")));
    assert_eq!(changed["app_metadata"]["providers"], json!(["email", "phone"]));
    assert_eq!(changed["user_metadata"]["name"], "R");
    assert!(changed["user_metadata"].get("email").is_none(), "null removes");
    assert!(stage.mails(RAVI).await.is_empty());
    assert_eq!(stage.refresh(session.field("refresh_token")).await.status, 200);
    assert_eq!(update(&stage, id, &json!({"password": "another password"})).await.status, 200);
    let gone = stage.get("/user").bearer(session.field("access_token")).await;
    assert_eq!(gone.error(), (403, "session_not_found"));
    assert_eq!(sign_in(&stage, RAVI, "another password").await.status, 200);
    create(&stage, &json!({"email": "third@example.com", "phone": "14155550100"})).await;
    assert_eq!(
        update(&stage, id, &json!({"email": "third@example.com"})).await.error(),
        (422, "email_exists")
    );
    assert_eq!(update(&stage, id, &json!({"phone": "14155550100"})).await.error(), (422, "phone_exists"));
}

// rows: D6
#[tokio::test]
async fn an_admin_confirms_an_address() {
    let stage = Stage::new().await;
    let made = create(&stage, &json!({"email": ASHA, "password": PASSWORD})).await;
    assert_eq!(sign_in(&stage, ASHA, PASSWORD).await.error(), (400, "email_not_confirmed"));
    let confirmed = update(&stage, made.field("id"), &json!({"email_confirm": true})).await;
    assert!(confirmed["email_confirmed_at"].is_string(), "{}", confirmed.json());
    assert_eq!(sign_in(&stage, ASHA, PASSWORD).await.status, 200);
}

// rows: D7 B7 O17
#[tokio::test]
async fn a_ban_lasts_as_long_as_it_says_and_can_be_lifted() {
    let stage = Stage::new().await;
    let session = sign_up(&stage, ASHA).await;
    let id = session["user"]["id"].as_str().unwrap();
    let banned = update(&stage, id, &json!({"ban_duration": "1h30m"})).await;
    assert!(banned["banned_until"].is_string(), "{}", banned.json());
    let user = stage.get("/user").bearer(session.field("access_token")).await;
    assert_eq!(user.error(), (403, "user_banned"));
    assert_eq!(stage.refresh(session.field("refresh_token")).await.error(), (400, "user_banned"));
    assert_eq!(update(&stage, id, &json!({"ban_duration": "none"})).await.status, 200);
    assert_eq!(stage.get("/user").bearer(session.field("access_token")).await.status, 200);
    assert_eq!(update(&stage, id, &json!({"ban_duration": "x"})).await.error(), (400, "validation_failed"));
}

// rows: D9 H43
#[tokio::test]
async fn a_soft_deletion_leaves_a_row_that_says_nothing() {
    let stage = Stage::new().await;
    let session = sign_up(&stage, ASHA).await;
    let id = session["user"]["id"].as_str().unwrap().to_owned();
    update(&stage, &id, &json!({"phone": "919800000000", "app_metadata": {"plan": "x"}})).await;
    let delete = async || {
        let body = json!({"should_soft_delete": true});
        stage
            .call(Method::DELETE, &format!("/admin/users/{id}"))
            .json(&body)
            .bearer(&stage.service_key())
            .await
    };
    assert_eq!((delete().await.status, delete().await.status), (200, 200), "twice is once");
    let left = stage.get(&format!("/admin/users/{id}")).bearer(&stage.service_key()).await;
    assert!(left["deleted_at"].is_string(), "{}", left.json());
    let text = left.json().to_string();
    assert!(!text.contains("asha") && !text.contains("9198") && !text.contains("plan"), "{text}");
    assert_eq!(left["identities"][0]["identity_data"], json!({}));
    assert_ne!(left["identities"][0]["id"], left["id"]);
    assert_eq!(
        stage.get("/user").bearer(session.field("access_token")).await.error(),
        (403, "session_not_found")
    );
    assert_eq!(stage.refresh(session.field("refresh_token")).await.status, 400);
    assert_eq!(sign_in(&stage, ASHA, PASSWORD).await.error(), (400, "invalid_credentials"));
    let anew = sign_up(&stage, ASHA).await;
    assert_eq!(anew.status, 200, "the address is free: {}", anew.json());
    assert_ne!(anew["user"]["id"], json!(id));
    let number = create(&stage, &json!({"phone": "919800000000"})).await;
    assert_eq!(number.status, 200, "and so is the number: {}", number.json());
}

// rows: D8 H43
#[tokio::test]
async fn a_hard_deletion_takes_all_along_and_is_logged() {
    let stage = Stage::new().await;
    let session = sign_up(&stage, ASHA).await;
    let path = format!("/admin/users/{}", session["user"]["id"].as_str().unwrap());
    let deleted = stage.call(Method::DELETE, &path).bytes("").bearer(&stage.service_key()).await;
    assert_eq!((deleted.status, deleted.json()), (200, json!({})), "the body may be empty");
    for rest in [
        "select count(*) from auth.users",
        "select count(*) from auth.identities",
        "select count(*) from auth.sessions",
    ] {
        assert_eq!(stage.number(rest).await, 0, "{rest}");
    }
    let logged = "select count(*) from auth.audit_log_entries where payload ->> 'action' = 'user_deleted'";
    assert_eq!(stage.number(logged).await, 1);
    let again = stage.call(Method::DELETE, &path).bearer(&stage.service_key()).await;
    assert_eq!(again.error(), (404, "user_not_found"));
}

async fn five(stage: &Stage) {
    for number in 0..5 {
        stage.wait(1);
        let body = json!({"email": format!("t{number}@example.com"), "user_metadata": {"full_name": format!("Teacher {number}")}});
        create(stage, &body).await;
    }
}

// rows: D1 D2 D12
#[tokio::test]
async fn lists_are_sorted_filtered_and_paged() {
    let stage = Stage::new().await;
    five(&stage).await;
    let first = list(&stage, "?page=1&per_page=2").await;
    assert_eq!(emails(&first), ["t4@example.com", "t3@example.com"]);
    assert_eq!(first.header("x-total-count"), Some("5"));
    let link =
        "</admin/users?page=2&per_page=2>; rel=\"next\", </admin/users?page=3&per_page=2>; rel=\"last\"";
    assert_eq!(first.header("link").unwrap_or_default(), link);
    assert_eq!(emails(&list(&stage, "?page=3&per_page=2").await), ["t0@example.com"]);
    assert_eq!(emails(&list(&stage, "?sort=created_at%20asc&per_page=1").await), ["t0@example.com"]);
    assert_eq!(emails(&list(&stage, "?filter=t3%40").await), ["t3@example.com"]);
    assert_eq!(
        emails(&list(&stage, "?filter=teacher%202").await),
        ["t2@example.com"],
        "the name in any case"
    );
    assert_eq!(list(&stage, "").await["users"][0]["identities"], Value::Null, "O14");
    for bad in ["?page=-1", "?page=x", "?per_page=-5", "?sort=email%20desc"] {
        assert_eq!(list(&stage, bad).await.error(), (400, "validation_failed"), "{bad}");
    }
    assert_eq!(list(&stage, "/seven").await.error(), (404, "validation_failed"));
}

// rows: D3
#[tokio::test]
async fn a_cursor_goes_on_where_the_page_before_ended() {
    let stage = Stage::new().await;
    five(&stage).await;
    let mut seen = Vec::new();
    let mut query = "?limit=2".to_owned();
    loop {
        let page = list(&stage, &query).await;
        seen.extend(emails(&page).into_iter().map(str::to_owned));
        assert!(seen.len() <= 5, "{seen:?}");
        let pagination = &page["pagination"];
        let Some(next) = pagination["next_cursor"].as_str() else {
            assert_eq!(pagination["has_more"], json!(false));
            break;
        };
        // Somebody who comes meanwhile moves nobody.
        create(&stage, &json!({"email": format!("new{}@example.com", seen.len())})).await;
        query = format!("?limit=2&cursor={next}");
    }
    assert_eq!(
        seen,
        ["t4@example.com", "t3@example.com", "t2@example.com", "t1@example.com", "t0@example.com"]
    );
    for bad in ["?cursor=x", "?limit=0", "?limit=x"] {
        assert_eq!(list(&stage, bad).await.error(), (400, "validation_failed"), "{bad}");
    }
}

// rows: D13 C7
#[tokio::test]
async fn an_account_is_found_by_its_exact_address_or_number() {
    let stage = Stage::new().await;
    five(&stage).await;
    create(&stage, &json!({"phone": "919800000000", "email": ASHA})).await;
    assert_eq!(emails(&list(&stage, "?email=T1%40Example.com").await), ["t1@example.com"]);
    assert_eq!(emails(&list(&stage, "?phone=%2B919800000000").await), [ASHA]);
    assert!(emails(&list(&stage, "?email=t1").await).is_empty(), "no part of it");
    let plan: Vec<String> = {
        let mut transaction = stage.sql().begin().await.unwrap();
        sqlx::raw_sql("set local enable_seqscan = off").execute(&mut *transaction).await.unwrap();
        sqlx::query_scalar(
            "explain select from auth.users
            where instance_id = '00000000-0000-0000-0000-000000000000' and lower(email) = 'x' and aud = 'authenticated'",
        )
        .fetch_all(&mut *transaction)
        .await
        .unwrap()
    };
    assert!(plan.join("\n").contains("users_instance_id_email_idx"), "{plan:?}");
}

// rows: H28 U17
#[tokio::test]
async fn an_invitation_makes_an_account_that_its_code_opens() {
    let stage = Stage::new().await;
    let body = json!({"email": ASHA, "data": {"class": 7}});
    let invited = stage.post("/invite", &body).bearer(&stage.service_key()).await;
    assert_eq!(invited.status, 200, "{}", invited.json());
    assert!(invited["invited_at"].is_string() && invited.json().get("email_confirmed_at").is_none());
    assert_eq!(invited["user_metadata"], json!({"class": 7}));
    let (subject, text) = stage.mails(ASHA).await.remove(0);
    assert_eq!(subject, "You have been invited");
    assert!(text.contains(&stage.code(ASHA).await), "{text}");
    stage.wait(2);
    let again = stage.post("/invite", &body).bearer(&stage.service_key()).await;
    assert_eq!(again["id"], invited["id"], "an unconfirmed one is invited again: {}", again.json());
    let code = stage.code(ASHA).await;
    let session = stage.post("/verify", json!({"type": "invite", "email": ASHA, "token": code})).await;
    assert_eq!(session.status, 200, "{}", session.json());
    let stored: String =
        sqlx::query_scalar("select encrypted_password from auth.users").fetch_one(stage.sql()).await.unwrap();
    assert!(stored.starts_with("$argon2id$"), "V4: a password that nobody knows");
    let put = json!({"password": PASSWORD});
    assert_eq!(stage.put("/user", &put).bearer(session.field("access_token")).await.status, 200);
    assert_eq!(sign_in(&stage, ASHA, PASSWORD).await.status, 200);
    let taken = stage.post("/invite", &body).bearer(&stage.service_key()).await;
    assert_eq!(
        (taken.error(), taken.field("msg")),
        ((422, "email_exists"), "A user with this email address has already been registered")
    );
    let bad = stage.post("/invite", json!({"email": "xx:;x@x.x"})).bearer(&stage.service_key()).await;
    assert_eq!(
        (bad.error(), bad.field("msg")),
        ((400, "validation_failed"), "Unable to validate email address: invalid format")
    );
}

// rows: H28 H44 B8
#[tokio::test]
async fn only_admins_invite_and_make_links() {
    let stage = Stage::new().await;
    let session = stage.sign_in(RAVI).await;
    for path in ["/invite", "/admin/generate_link"] {
        let body = json!({"type": "magiclink", "email": ASHA});
        assert_eq!(stage.post(path, &body).await.error(), (401, "no_authorization"), "{path}");
        for token in [session.field("access_token"), stage.anon_key()] {
            assert_eq!(stage.post(path, &body).bearer(token).await.error(), (403, "not_admin"), "{path}");
        }
    }
    assert_eq!(stage.number("select count(*) from auth.users").await, 1);
}

async fn link(stage: &Stage, body: &Value) -> Answer {
    stage.post("/admin/generate_link", body).bearer(&stage.service_key()).await
}

// rows: H44 D10
#[tokio::test]
async fn links_of_every_type_say_what_a_mail_would() {
    let stage = Stage::new().await;
    create(&stage, &json!({"email": ASHA, "email_confirm": true})).await;
    let cases = [
        (
            json!({"type": "signup", "email": "new@example.com", "password": PASSWORD, "data": {"a": 1}}),
            "signup",
        ),
        (json!({"type": "invite", "email": "guest@example.com"}), "invite"),
        (json!({"type": "magiclink", "email": ASHA}), "magiclink"),
        (json!({"type": "recovery", "email": ASHA}), "recovery"),
        (json!({"type": "magiclink", "email": "third@example.com"}), "signup"),
    ];
    for (body, verification_type) in cases {
        stage.wait(2);
        let made = link(&stage, &body).await;
        assert_eq!(made.status, 200, "{body}: {}", made.json());
        assert_eq!(made["verification_type"], verification_type, "{body}");
        let (email, hash) = (made.field("email"), made.field("hashed_token"));
        assert_eq!((email, made.field("email_otp").len()), (body["email"].as_str().unwrap(), 6));
        let expected = format!(
            "http://127.0.0.1:54321/auth/v1/verify?token={hash}&type={verification_type}&redirect_to=http%3A%2F%2F127.0.0.1%3A3000"
        );
        assert_eq!(made.field("action_link"), expected);
        assert!(stage.mails(email).await.is_empty(), "no mail is sent");
        let by_hash = stage.post("/verify", json!({"type": verification_type, "token_hash": hash})).await;
        assert_eq!((by_hash.status, &by_hash["user"]["email"]), (200, &json!(email)), "{}", by_hash.json());
        let code = json!({"type": "email", "email": email, "token": made.field("email_otp")});
        assert_eq!(stage.post("/verify", &code).await.error(), (403, "otp_expired"), "used already");
    }
    let fresh = link(&stage, &json!({"type": "magiclink", "email": ASHA})).await;
    assert_eq!(stage.verify(ASHA, fresh.field("email_otp")).await.status, 200, "the code signs in as well");
    assert_eq!(sign_in(&stage, "new@example.com", PASSWORD).await.status, 200);
}

// rows: D10 D11 T-9
#[tokio::test]
async fn links_of_a_change_of_address_fit_their_addresses() {
    let stage = Stage::new().await;
    create(&stage, &json!({"email": ASHA, "email_confirm": true})).await;
    let of = |kind: &str| json!({"type": kind, "email": ASHA, "new_email": RAVI});
    let current = link(&stage, &of("email_change_current")).await;
    assert_eq!((&current["new_email"], current.status), (&json!(RAVI), 200), "{}", current.json());
    let new = link(&stage, &of("email_change_new")).await;
    assert!(new.field("action_link").contains("type=email_change&"), "{}", new.json());
    assert!(new.field("action_link").contains(new.field("hashed_token")), "D11");
    let body = json!({"type": "email_change", "token_hash": new.field("hashed_token")});
    let half = stage.post("/verify", &body).await;
    assert_eq!((half.status, &half["code"]), (200, &json!("200")), "C8: {}", half.json());
    let body = json!({"type": "email_change", "email": ASHA, "token": current.field("email_otp")});
    let done = stage.post("/verify", &body).await;
    assert_eq!(done["user"]["email"], RAVI, "{}", done.json());
}

/// The owner agreed to another address than the one that the admin has in mind.
// rows: D10 U2
#[tokio::test]
async fn a_code_of_an_earlier_change_does_not_agree_to_that_of_an_admin() {
    let stage = Stage::new().await;
    let session = stage.sign_in(ASHA).await;
    stage.wait(2);
    let change = json!({"email": "asha.new@example.com"});
    assert_eq!(stage.put("/user", &change).bearer(session.field("access_token")).await.status, 200);
    let earlier = stage.code(ASHA).await;
    link(&stage, &json!({"type": "email_change_new", "email": ASHA, "new_email": RAVI})).await;
    let body = json!({"type": "email_change", "email": ASHA, "token": earlier});
    assert_eq!(stage.post("/verify", &body).await.error(), (403, "otp_expired"));
}

// rows: H44 D10
#[tokio::test]
async fn links_that_cannot_be_are_refused() {
    let stage = Stage::with("[auth.email]\ndouble_confirm_changes = false\n").await;
    create(&stage, &json!({"email": ASHA, "email_confirm": true})).await;
    create(&stage, &json!({"email": RAVI})).await;
    let cases = [
        (json!({"type": "sms", "email": ASHA}), (400, "validation_failed")),
        (json!({"type": "signup", "email": "asha"}), (400, "validation_failed")),
        (json!({"type": "signup", "email": "new@example.com"}), (400, "validation_failed")),
        (json!({"type": "signup", "email": "new@example.com", "password": "x"}), (422, "weak_password")),
        (json!({"type": "signup", "email": ASHA, "password": PASSWORD}), (422, "email_exists")),
        (json!({"type": "invite", "email": ASHA}), (422, "email_exists")),
        (json!({"type": "recovery", "email": "new@example.com"}), (404, "user_not_found")),
        (
            json!({"type": "email_change_new", "email": "new@example.com", "new_email": ASHA}),
            (404, "user_not_found"),
        ),
        (json!({"type": "email_change_new", "email": ASHA, "new_email": RAVI}), (422, "email_exists")),
        (json!({"type": "email_change_new", "email": ASHA}), (400, "validation_failed")),
        (
            json!({"type": "email_change_current", "email": ASHA, "new_email": "x@example.com"}),
            (400, "validation_failed"),
        ),
    ];
    for (body, expected) in cases {
        assert_eq!(link(&stage, &body).await.error(), expected, "{body}");
    }
    assert_eq!(stage.number("select count(*) from auth.users").await, 2);
}

// rows: H44 W6 A5
#[tokio::test]
async fn the_target_of_a_link_is_read_from_the_body_and_checked() {
    let stage = Stage::new().await;
    create(&stage, &json!({"email": ASHA, "email_confirm": true})).await;
    let of = async |target: &str| {
        let body = json!({"type": "magiclink", "email": ASHA, "redirect_to": target});
        link(&stage, &body).await.field("redirect_to").to_owned()
    };
    assert_eq!(of("http://127.0.0.1:3000/welcome").await, "http://127.0.0.1:3000/welcome");
    assert_eq!(of("https://evil.example/").await, "http://127.0.0.1:3000");
}
