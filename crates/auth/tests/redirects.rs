//! Where a browser may be sent (CONTRACT.md A1 to A6).

use banyan_testkit::Answer;
use serde_json::json;

use crate::{
    browser::{Landing, World},
    support::{ASHA, Stage},
};

const SITE: &str = "http://127.0.0.1:3000/";

async fn world() -> World {
    let mut world = World::new("").await;
    let mut config = world.stage.config().clone();
    config.auth.rate_limits.sign_in_sign_ups = 1000;
    config.auth.redirect_urls = [
        "https://*.example.com/**",
        "https://exact.example.org/done",
        "myapp://**",
        "https://class-[ab].example.net/?",
        "https://one.example.net/{left,right}",
        "https://user.example.io/app/**",
        "https://star.example.io/app/*/x",
    ]
    .map(str::to_owned)
    .into();
    world.stage = Stage::of(config).await;
    world
}

/// Where a sign-in that asks for this target would end.
async fn chosen(world: &World, target: &str) -> (String, bool) {
    let encoded: String = url::form_urlencoded::byte_serialize(target.as_bytes()).collect();
    let away = world.stage.get(&format!("/authorize?provider=google&redirect_to={encoded}")).await;
    assert_eq!(away.status, 302, "{}", away.json());
    let stored: String = sqlx::query_scalar(
        "select referrer from auth.flow_state order by created_at desc, updated_at desc, ctid desc limit 1",
    )
    .fetch_one(world.stage.sql())
    .await
    .unwrap();
    (stored, away.header("x-sb-redirect-refused").unwrap_or_default().is_empty())
}

// rows: A1 A3 A4 K9
#[tokio::test]
async fn targets_of_the_site_and_of_the_list_are_allowed() {
    let world = world().await;
    for target in [
        "http://127.0.0.1:3000/deep/path?x=1#fragment",
        "https://app.example.com/welcome?sb_flow_id=1",
        "https://exact.example.org/done",
        "https://exact.example.org/done#fragment",
        "myapp://callback?sb_flow_id=7",
        "https://class-a.example.net/x",
        "https://one.example.net/right",
        "https://user.example.io/app/a..b/.x?to=/../y",
    ] {
        assert_eq!(chosen(&world, target).await, (target.to_owned(), true), "{target}");
    }
}

// rows: A1
#[tokio::test]
async fn on_localhost_any_port_is_the_sites() {
    let mut config = banyan_testkit::config();
    config.auth.site_url = "http://localhost:3000".into();
    let stage = Stage::of(config).await;
    for (target, allowed) in [
        ("http://localhost:5173/x", true),
        ("https://localhost:5173/x", false),
        ("http://localhost.evil.example/", false),
    ] {
        let answer = stage
            .post(
                &format!("/otp?redirect_to={target}"),
                json!({"email": format!("{}@example.com", target.len())}),
            )
            .await;
        assert_eq!(
            answer.header("x-sb-redirect-refused").unwrap_or_default().is_empty(),
            allowed,
            "{target}"
        );
    }
}

// rows: A2 A3 A4 A5
#[tokio::test]
async fn bypasses_of_the_list_lead_to_the_site() {
    let world = world().await;
    for target in [
        "https://evil.example/",
        "https://a.b.example.com.evil.example/",
        "https://evil.example/.example.com/",
        "https://evil.example?.example.com/",
        "https://evil%2Eexample?.example.com/",
        "https://evil%2eexample?.example.com/x",
        "https://evil%2Eexample.example.com/",
        "https://evil?.example.com/x",
        "https://evil\u{3002}example?.example.com/",
        "https://evil%EF%BC%8Eexample?.example.com/",
        "https://evil.example#.example.com/",
        "https://evil.example\\.example.com/",
        "https://app.example.com@evil.example/",
        "https://evil.example@app.example.com/",
        "https://user:password@app.example.com/x",
        "https://a.b.example.com/x",
        "https://exact.example.org/done?x=1",
        "https://exact.example.org/done/",
        "https://exact.example.org./done",
        "http://exact.example.org/done",
        "http://127.0.0.1:3001/",
        "http://127.0.0.2:3000/",
        "http://2130706433:3000/",
        "http://0x7f000001:3000/",
        "http://017700000001:3000/",
        "http://127.1:3000/",
        "http://192.0.2.7/",
        "http://127.0.0.1:3000@evil.example/",
        "javascript:alert(1)",
        "data:text/html,<script>",
        "//evil.example/",
        "/relative",
        "https://class-c.example.net/x",
        "https://class-a.example.net/xy",
        "https://one.example.net/up",
        "https://app.example.com/\r\nSet-Cookie: a=b",
        "\thttps://evil.example/",
        "https://user.example.io/app/../other/x",
        "https://user.example.io/app/%2e%2e/other/x",
        "https://user.example.io/app/.%2E/other",
        "https://user.example.io/app/..",
        "https://user.example.io/app/..;x=1/other",
        "https://user.example.io/app/..%2Fother",
        "https://user.example.io/app/..%5Cother",
        "https://user.example.io//app/x",
        "https://star.example.io/app/%2e%2e/x",
    ] {
        let (stored, shown_as_allowed) = chosen(&world, target).await;
        assert_eq!((stored.as_str(), shown_as_allowed), ("http://127.0.0.1:3000", false), "{target:?}");
    }
}

// rows: W6
#[tokio::test]
async fn the_header_counts_before_the_query_and_the_body_never() {
    let world = world().await;
    let stored = |answer: Answer| async move {
        assert_eq!(answer.status, 302);
        sqlx::query_scalar::<_, String>("select referrer from auth.flow_state order by ctid desc limit 1")
    };
    let both = world
        .stage
        .get("/authorize?provider=google&redirect_to=myapp://query")
        .header("redirect_to", "myapp://header")
        .await;
    let query = stored(both).await;
    assert_eq!(query.fetch_one(world.stage.sql()).await.unwrap(), "myapp://header");
    let referer = world
        .stage
        .get("/authorize?provider=google&redirect_to=https://evil.example/")
        .header("referer", "https://app.example.com/from")
        .await;
    let query = stored(referer).await;
    assert_eq!(query.fetch_one(world.stage.sql()).await.unwrap(), "https://app.example.com/from", "A5");
    let stage = links_stage().await;
    stage.post("/otp", json!({"email": ASHA, "redirect_to": "http://localhost:5173/body"})).await;
    assert!(!link(&stage).await.contains("body"));
}

/// A service whose mails have their link as subject.
async fn links_stage() -> Stage {
    Stage::with(
        "[auth]\nadditional_redirect_urls = [\"http://localhost:5173/**\"]\n
        [auth.email.template.magic_link]\nsubject = \"{{ .ConfirmationURL }}\"",
    )
    .await
}

async fn link(stage: &Stage) -> String {
    stage.mails(ASHA).await.pop().unwrap().0
}

// rows: W12
#[tokio::test]
async fn links_lead_to_the_host_of_the_request_only_where_the_project_lists_it() {
    let mut config = banyan_testkit::config_with(
        "[auth.email.template.magic_link]\nsubject = \"{{ .ConfirmationURL }}\"\n",
    );
    config.auth.mail_hosts = vec!["school.example".into(), "school.example:8443".into()];
    let stage = Stage::of(config).await;
    for (host, begin) in [
        ("school.example", "http://school.example/auth/v1/verify?"),
        ("School.Example", "http://school.example/auth/v1/verify?"),
        ("school.example:8443", "http://school.example:8443/auth/v1/verify?"),
        ("school.example:9", "http://127.0.0.1:54321/auth/v1/verify?"),
        ("evil.example", "http://127.0.0.1:54321/auth/v1/verify?"),
        ("school.example, evil.example", "http://127.0.0.1:54321/auth/v1/verify?"),
        ("evil.example/school.example", "http://127.0.0.1:54321/auth/v1/verify?"),
    ] {
        stage.wait(2);
        let asked = stage.post("/otp", json!({"email": ASHA})).header("x-forwarded-host", host).await;
        assert_eq!(asked.status, 200, "{}", asked.json());
        let address = link(&stage).await;
        assert!(address.starts_with(begin), "{host}: {address}");
    }
}

// rows: A6 W12
#[tokio::test]
async fn the_target_of_a_link_is_judged_again_when_it_is_followed() {
    let stage = links_stage().await;
    let ask = |stage: Stage| async move {
        stage.wait(2);
        let asked = stage
            .post("/otp?redirect_to=http://localhost:5173/home", json!({"email": ASHA}))
            .header("x-forwarded-host", "evil.example")
            .await;
        assert_eq!(asked.status, 200, "{}", asked.json());
        link(&stage).await
    };
    let address = ask(stage.clone()).await;
    assert!(address.starts_with("http://127.0.0.1:54321/auth/v1/verify?"), "W12: {address}");
    let path = address.replace("http://127.0.0.1:54321/auth/v1", "");
    let landing = Landing::of(&stage.get(&path).await);
    assert_eq!(landing.place, "http://localhost:5173/home");
    let path = ask(stage.clone()).await.replace("http://127.0.0.1:54321/auth/v1", "");
    let target = url::form_urlencoded::byte_serialize(b"http://localhost:5173/home").collect::<String>();
    let changed = path
        .replace(&target, "https%3A%2F%2Fevil.example%2F")
        .replace("http://localhost:5173/home", "https://evil.example/");
    assert_ne!(changed, path);
    let landing = Landing::of(&stage.get(&changed).await);
    assert_eq!(landing.place, SITE, "whoever changes the link gets no session");
}
