//! The product's own settings: teachers sign in by code, and nobody has a password.

use std::path::Path;

use banyan_config::Environment;
use banyan_testkit::Answer;
use serde_json::json;

use crate::support::{ASHA, RAVI, Stage};

async fn product() -> Stage {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let loaded = banyan_config::load(&root, Environment::of([]), 0).expect("the product's settings");
    Stage::of(loaded.config).await
}

async fn sign_in(stage: &Stage, email: &str) -> Answer {
    assert_eq!(stage.ask(email).await.status, 200);
    let session = stage.verify(email, &stage.code(email).await).await;
    assert_eq!(session.status, 200, "{}", session.json());
    session
}

// rows: PW1
#[tokio::test]
async fn nobody_has_a_password_where_the_project_has_none() {
    let stage = product().await;
    let session = sign_in(&stage, ASHA).await;
    let body = json!({"email": RAVI, "password": "a long enough password"});
    let refusals = [
        stage.post("/signup", &body).await,
        stage.post("/token?grant_type=password", &body).await,
        stage
            .put("/user", json!({"password": "a long enough password"}))
            .bearer(session.field("access_token"))
            .await,
    ];
    for refused in refusals {
        assert_eq!(refused.error(), (422, "password_provider_disabled"), "{}", refused.json());
    }
    let with = "select count(*) from auth.users where coalesce(encrypted_password, '') <> ''";
    assert_eq!((stage.number("select count(*) from auth.users").await, stage.number(with).await), (1, 0));
    let named =
        stage.put("/user", json!({"data": {"name": "Asha"}})).bearer(session.field("access_token")).await;
    assert_eq!(named.status, 200, "{}", named.json());
}

// rows: PW1 D3
#[tokio::test]
async fn an_admin_may_still_set_one_that_signs_nobody_in() {
    let stage = product().await;
    let body = json!({"email": ASHA, "password": "a long enough password", "email_confirm": true});
    let made = stage.post("/admin/users", &body).bearer(&stage.service_key()).await;
    assert_eq!(made.status, 200, "{}", made.json());
    let tried = stage.post("/token?grant_type=password", &body).await;
    assert_eq!(tried.error(), (422, "password_provider_disabled"));
}

// rows: M11
#[tokio::test]
async fn an_address_is_nobodys_until_its_code_is_typed() {
    let stage = product().await;
    let body = json!({"email": ASHA, "data": {"name": "somebody else"}});
    assert_eq!(stage.post("/otp", &body).await.status, 200);
    let confirmed = "select count(*) from auth.users where email_confirmed_at is not null";
    assert_eq!(
        (stage.number("select count(*) from auth.users").await, stage.number(confirmed).await),
        (1, 0)
    );
    let (subject, _) = stage.mails(ASHA).await.pop().expect("a mail");
    let code = stage.code(ASHA).await;
    assert_eq!(subject, format!("{code} is your sign-in code"));
    assert_eq!(stage.verify(ASHA, &code).await.status, 200);
    assert_eq!(stage.number(confirmed).await, 1);
}
