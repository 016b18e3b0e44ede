use http::Method;
use serde_json::json;

use crate::support::{ASHA, RAVI, Stage};

// rows: B8
#[tokio::test]
async fn only_a_service_key_may_administer() {
    let stage = Stage::new().await;
    let session = stage.sign_in(ASHA).await;
    let id = session["user"]["id"].as_str().unwrap().to_owned();
    let one = format!("/admin/users/{id}");
    for (method, path) in [
        (Method::GET, "/admin/users"),
        (Method::POST, "/admin/users"),
        (Method::GET, one.as_str()),
        (Method::PUT, one.as_str()),
        (Method::DELETE, one.as_str()),
    ] {
        let of = |token: &str| stage.call(method.clone(), path).bearer(token).into_future();
        assert_eq!(of(session.field("access_token")).await.error(), (403, "not_admin"), "{path}");
        assert_eq!(of(stage.anon_key()).await.error(), (403, "not_admin"), "{path}");
        let nobody = stage.call(method.clone(), path).await;
        assert_eq!(nobody.error(), (401, "no_authorization"), "{path}");
    }
    assert_eq!(stage.number("select count(*) from auth.users").await, 1);
}

// rows: H41 H42
#[tokio::test]
async fn accounts_are_made_shown_and_changed() {
    let stage = Stage::new().await;
    let key = stage.service_key();
    let body = json!({"email": ASHA, "user_metadata": {"name": "Asha"}, "app_metadata": {"plan": "free"}});
    let made = stage.post("/admin/users", &body).bearer(&key).await;
    assert_eq!(made.status, 200, "{}", made.json());
    assert_eq!(made["app_metadata"], json!({"provider": "email", "providers": ["email"], "plan": "free"}));
    assert!(made.json().get("email_confirmed_at").is_none());
    assert!(stage.mails(ASHA).await.is_empty(), "D4: no mail is sent");
    let path = format!("/admin/users/{}", made.field("id"));
    let change = json!({"email": RAVI, "app_metadata": {"plan": null, "beta": true}, "ban_duration": "24h"});
    let changed = stage.put(&path, &change).bearer(&key).await;
    assert_eq!(changed["email"], RAVI, "{}", changed.json());
    assert_eq!(changed["identities"][0]["email"], RAVI);
    assert_eq!(changed["app_metadata"], json!({"provider": "email", "providers": ["email"], "beta": true}));
    assert!(changed["banned_until"].is_string());
    let shown = stage.get(&path).bearer(&key).await;
    assert_eq!(shown["user_metadata"]["name"], "Asha");
    let twice = stage.post("/admin/users", json!({"email": RAVI})).bearer(&key).await;
    assert_eq!(twice.error(), (422, "email_exists"));
    assert_eq!(stage.get("/admin/users/seven").bearer(&key).await.error(), (404, "validation_failed"));
    let none = format!("/admin/users/{}", uuid::Uuid::from_u128(7));
    assert_eq!(stage.get(&none).bearer(&key).await.error(), (404, "user_not_found"));
}

// rows: H40
#[tokio::test]
async fn the_list_has_pages() {
    let stage = Stage::new().await;
    let key = stage.service_key();
    for number in 0..5 {
        stage.wait(1);
        stage.post("/admin/users", json!({"email": format!("t{number}@example.com")})).bearer(&key).await;
    }
    let list = stage.get("/admin/users?page=2&per_page=2").bearer(&key).await;
    assert_eq!(list.header("x-total-count"), Some("5"));
    assert_eq!(
        list.header("link").unwrap_or_default(),
        "</admin/users?page=3&per_page=2>; rel=\"next\", </admin/users?page=3&per_page=2>; rel=\"last\""
    );
    let emails: Vec<_> = list["users"].as_array().unwrap().iter().map(|user| user["email"].clone()).collect();
    assert_eq!(emails, [json!("t2@example.com"), json!("t1@example.com")], "newest first");
    let found = stage.get("/admin/users?email=T3%40example.com").bearer(&key).await;
    assert_eq!(found["users"].as_array().unwrap().len(), 1, "D13");
    assert_eq!(stage.get("/admin/users?page=-1").bearer(&key).await.error(), (400, "validation_failed"));
}

// rows: T-11 Z19
#[tokio::test]
async fn a_deleted_user_is_gone_from_the_projects_tables_too() {
    let stage = Stage::new().await;
    stage
        .execute(
            "create table public.notes (user_id uuid not null references auth.users (id) on delete cascade);
            alter table public.notes enable row level security;",
        )
        .await;
    let session = stage.sign_in(ASHA).await;
    stage.execute("insert into public.notes select id from auth.users").await;
    let path = format!("/admin/users/{}", session["user"]["id"].as_str().unwrap());
    let deleted = stage.call(Method::DELETE, &path).bearer(&stage.service_key()).await;
    assert_eq!((deleted.status, deleted.json()), (200, json!({})));
    assert_eq!(stage.number("select count(*) from public.notes").await, 0);
    let user = stage.get("/user").bearer(session.field("access_token")).await;
    assert_eq!(user.error(), (403, "user_not_found"));
    assert_eq!(stage.refresh(session.field("refresh_token")).await.error(), (400, "refresh_token_not_found"));
}
