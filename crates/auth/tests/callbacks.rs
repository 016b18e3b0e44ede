//! What a return from a provider may cost (CONTRACT.md G5, G9, H25).

use std::time::{Duration, Instant};

use serde_json::json;

use crate::{
    browser::{Landing, Return, World},
    fake_server::{Fake, Said},
    support::Stage,
};

/// How often the provider was asked about a code.
fn exchanges(world: &World) -> usize {
    world.google.asked().iter().filter(|path| *path == "/token").count()
}

/// The same return with another code.
fn guessed(back: &Return) -> Return {
    let state = back.path.split(['?', '&']).find(|pair| pair.starts_with("state=")).expect("a state");
    Return { path: format!("/callback?{state}&code=junk"), ..back.clone() }
}

// rows: G5 G9
#[tokio::test]
async fn a_state_has_one_try_with_the_provider() {
    let world = World::new("").await;
    for more in ["", "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=s256"]
    {
        let before = exchanges(&world);
        let back = world.leave(&World::authorize(more)).await;
        let first = world.enter(&guessed(&back)).await;
        assert_eq!(first.error(), ("server_error", "unexpected_failure"), "{first:?}");
        let second = world.enter(&guessed(&back)).await;
        assert_eq!(second.error(), ("invalid_request", "flow_state_already_used"));
        assert_eq!(world.enter(&back).await.error(), ("invalid_request", "flow_state_already_used"));
        assert_eq!(exchanges(&world), before + 1, "each costs a request with the project's secret");
    }
}

// rows: G5
#[tokio::test]
async fn however_many_return_with_one_state_at_a_time_one_is_asked_about() {
    let world = World::new("").await;
    let back = world.leave(&World::authorize("")).await;
    let mut signed_in = 0;
    let all = (0..8).map(|_| {
        let (stage, back) = (world.stage.clone(), back.clone());
        tokio::spawn(async move { Landing::of(&stage.get(&back.path).header("cookie", &back.cookie).await) })
    });
    for one in all.collect::<Vec<_>>() {
        signed_in += u32::from(one.await.unwrap().fragment.contains_key("access_token"));
    }
    assert_eq!((signed_in, exchanges(&world)), (1, 1));
}

// rows: H25 Q2 C14
#[tokio::test]
async fn returns_are_limited_as_departures_are() {
    let stage = Stage::with("[auth.rate_limit]\nsign_in_sign_ups = 2\n").await;
    let path = "/callback?state=5f0c8e1e-0000-4000-8000-000000000001&code=junk";
    for _ in 0..2 {
        assert_eq!(stage.get(path).await.status, 303);
    }
    assert_eq!(stage.get(path).await.error(), (429, "over_request_rate_limit"));
    let page = stage.get(path).header("accept", "text/html").await;
    assert_eq!(
        (page.status, page.header("x-sb-error-code").unwrap_or_default()),
        (429, "over_request_rate_limit")
    );
    assert!(page.text().contains("<h1>"), "a browser reads a page: {}", page.text());
    assert_eq!(stage.get(path).from([192, 0, 2, 9]).await.status, 303);
}

/// A provider that takes its time over codes, and then knows none.
async fn slow_provider(pause: Duration) -> Fake {
    Fake::start(move |asked, _| {
        let issuer = format!("http://{}", asked.headers["host"]);
        match asked.path.as_str() {
            "/.well-known/openid-configuration" => Said::json(
                200,
                &json!({
                    "issuer": issuer,
                    "authorization_endpoint": format!("{issuer}/authorize"),
                    "token_endpoint": format!("{issuer}/token"),
                    "jwks_uri": format!("{issuer}/keys"),
                }),
            ),
            "/keys" => Said::json(200, &json!({"keys": []})),
            _ => Said::json(400, &json!({"error": "invalid_grant"})).after(pause),
        }
    })
    .await
}

// rows: G5
#[tokio::test]
async fn a_slow_provider_is_asked_by_so_many_at_a_time() {
    const PLACES: usize = 32;
    const MORE: usize = 8;
    let pause = Duration::from_secs(4);
    let fake = slow_provider(pause).await;
    let stage = Stage::with(&format!(
        "[auth.rate_limit]\nsign_in_sign_ups = 1000\n[auth.external.google]\nenabled = true\nclient_id = \"a\"\n\
         secret = \"b\"\nurl = \"{}\"\n",
        fake.url
    ))
    .await;
    let mut returning = Vec::new();
    for _ in 0..PLACES + MORE {
        let away = stage.get("/authorize?provider=google").await;
        let url = url::Url::parse(away.header("location").unwrap_or_default()).expect("an address");
        let state = url.query_pairs().find(|(name, _)| name == "state").expect("a state").1.into_owned();
        let cookie =
            away.header("set-cookie").unwrap_or_default().split(';').next().unwrap_or_default().to_owned();
        let stage = stage.clone();
        returning.push(async move {
            let began = Instant::now();
            let path = format!("/callback?state={state}&code=junk");
            let answer = stage.get(&path).header("cookie", &cookie).await;
            assert_eq!(Landing::of(&answer).error().0, "server_error");
            began.elapsed()
        });
    }
    let running: Vec<_> = returning.into_iter().map(tokio::spawn).collect();
    let mut refused = 0;
    for one in running {
        refused += usize::from(one.await.unwrap() < pause);
    }
    let asked = fake.asked().iter().filter(|asked| asked.path == "/token").count();
    assert_eq!((asked, refused), (PLACES, MORE), "the others are told in time");
}
