use std::collections::HashMap;

use banyan_testkit::Answer;
use http::Method;
use serde_json::json;

use crate::support::{ASHA, Stage};

const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/// The path of the link in the newest mail; the subject of these tests' template is the link.
async fn link(stage: &Stage) -> String {
    let (subject, _) = stage.mails(ASHA).await.pop().unwrap();
    subject.strip_prefix("http://127.0.0.1:54321/auth/v1").unwrap_or_else(|| panic!("{subject}")).to_owned()
}

async fn stage() -> Stage {
    let mut config = banyan_testkit::config();
    config.auth.redirect_urls.push("http://localhost:5173/**".into());
    config.auth.templates.insert(
        "magic_link".into(),
        banyan_config::EmailTemplate {
            subject: Some("{{ .ConfirmationURL }}".into()),
            content: Some("{{ .TokenHash }}".into()),
        },
    );
    Stage::of(config).await
}

/// Where the browser is sent, and the pairs of query and fragment.
fn location(answer: &Answer) -> (String, HashMap<String, String>, HashMap<String, String>) {
    assert_eq!(answer.status, 303, "{}", answer.json());
    let url = url::Url::parse(answer.header("location").unwrap_or_default()).unwrap();
    let pairs = |text: &str| url::form_urlencoded::parse(text.as_bytes()).into_owned().collect();
    let (query, fragment) =
        (pairs(url.query().unwrap_or_default()), pairs(url.fragment().unwrap_or_default()));
    (format!("{}{}", url.origin().ascii_serialization(), url.path()), query, fragment)
}

// rows: V6 V8 V11 H11 C2 JS5
#[tokio::test]
async fn a_link_brings_a_session_in_the_fragment_once() {
    let stage = stage().await;
    stage.ask(ASHA).await;
    let link = link(&stage).await;
    assert_eq!(stage.call(Method::HEAD, &link).await.status, 200, "V11: a scanner looks");
    assert_eq!(stage.get(&link).header("sec-purpose", "prefetch").await.status, 204);
    let (target, query, fragment) = location(&stage.get(&link).await);
    assert_eq!(target, "http://127.0.0.1:3000/");
    assert!(query.is_empty());
    assert_eq!((fragment["token_type"].as_str(), fragment["type"].as_str()), ("bearer", "magiclink"));
    assert!(fragment.contains_key("sb"));
    let user = stage.get("/user").bearer(&fragment["access_token"]).await;
    assert_eq!(user["email"], ASHA);
    let (_, _, again) = location(&stage.get(&link).await);
    assert_eq!((again["error"].as_str(), again["error_code"].as_str()), ("access_denied", "otp_expired"));
    assert_eq!(again["error_description"], "Email link is invalid or has expired");
}

// rows: V2
#[tokio::test]
async fn the_hash_of_a_link_can_be_posted() {
    let stage = stage().await;
    stage.ask(ASHA).await;
    let (_, text) = stage.mails(ASHA).await.pop().unwrap();
    let session = stage.post("/verify", json!({"type": "magiclink", "token_hash": text})).await;
    assert_eq!(session.status, 200, "{}", session.json());
    let again = stage.post("/verify", json!({"type": "magiclink", "token_hash": text})).await;
    assert_eq!(again.error(), (403, "otp_expired"));
    assert_eq!(again["msg"], "Email link is invalid or has expired");
}

// rows: A5
#[tokio::test]
async fn a_target_that_is_not_allowed_becomes_the_site() {
    let stage = stage().await;
    let cases = [
        ("http://localhost:5173/welcome", "http://localhost:5173/welcome"),
        ("https://evil.example/", "http://127.0.0.1:3000/"),
        ("http://127.0.0.1:3000@evil.example/", "http://127.0.0.1:3000/"),
        ("javascript:alert(1)", "http://127.0.0.1:3000/"),
        ("http://2130706433:3000/", "http://127.0.0.1:3000/"),
        ("http://127.0.0.1:3000/deep", "http://127.0.0.1:3000/deep"),
    ];
    for (asked, expected) in cases {
        stage.wait(2);
        let query =
            url::form_urlencoded::Serializer::new(String::new()).append_pair("redirect_to", asked).finish();
        stage.post(&format!("/otp?{query}"), json!({"email": ASHA})).await;
        let (target, ..) = location(&stage.get(&link(&stage).await).await);
        assert_eq!(target, expected, "{asked}");
    }
}

// rows: V7
#[tokio::test]
async fn a_link_with_a_challenge_brings_a_code_for_its_verifier() {
    let stage = stage().await;
    let body = json!({"email": ASHA, "code_challenge": CHALLENGE, "code_challenge_method": "s256"});
    stage.post("/otp", &body).await;
    let link = link(&stage).await;
    assert!(link.contains("token=pkce_"), "{link}");
    stage.wait(1800);
    let (_, query, fragment) = location(&stage.get(&link).await);
    assert!(fragment.is_empty());
    let exchange = |code: &str, verifier: &str| {
        let body = json!({"auth_code": code, "code_verifier": verifier});
        let stage = stage.clone();
        async move { stage.post("/token?grant_type=pkce", &body).await }
    };
    assert_eq!(exchange("nothing", VERIFIER).await.error(), (404, "flow_state_not_found"));
    assert_eq!(exchange(&query["code"], CHALLENGE).await.error(), (400, "bad_code_verifier"));
    let session = exchange(&query["code"], VERIFIER).await;
    assert_eq!(session.status, 200, "{}", session.json());
    let claims = stage.claims(session.field("access_token"));
    assert_eq!(claims["amr"][0]["method"], "magiclink");
    assert_eq!(exchange(&query["code"], VERIFIER).await.error(), (404, "flow_state_not_found"));
}

// rows: V11
#[tokio::test]
async fn neither_head_nor_prefetch_use_a_link_up() {
    let stage = stage().await;
    stage.ask(ASHA).await;
    let link = link(&stage).await;
    assert_eq!(stage.call(http::Method::HEAD, &link).await.status, 200);
    for header in ["purpose", "sec-purpose", "x-purpose", "x-moz"] {
        let looked = stage.get(&link).header(header, "prefetch;prerender").await;
        assert_eq!((looked.status, looked.header("location").unwrap_or_default()), (204, ""), "{header}");
    }
    assert_eq!(stage.number("select count(*) from auth.sessions").await, 0);
    let (_, _, fragment) = location(&stage.get(&link).await);
    assert!(fragment.contains_key("access_token"), "{fragment:?}");
}

// rows: M7 K4
#[tokio::test]
async fn who_signs_in_by_links_is_sent_as_many_as_they_follow() {
    let stage = stage().await;
    for round in 0..12 {
        stage.wait(60);
        let body = json!({"email": ASHA, "code_challenge": CHALLENGE, "code_challenge_method": "s256"});
        let asked = stage.post("/otp", &body).await;
        assert_eq!(asked.status, 200, "{round}: {}", asked.json());
        let (_, query, _) = location(&stage.get(&link(&stage).await).await);
        let body = json!({"auth_code": query["code"], "code_verifier": VERIFIER});
        assert_eq!(stage.post("/token?grant_type=pkce", &body).await.status, 200, "{round}");
    }
    for round in 0..12 {
        stage.wait(60);
        assert_eq!(stage.ask(ASHA).await.status, 200, "{round}");
        let (_, _, fragment) = location(&stage.get(&link(&stage).await).await);
        assert!(fragment.contains_key("access_token"), "{round}");
    }
}

// rows: K6
#[tokio::test]
async fn the_code_of_a_link_lives_five_minutes_from_the_click() {
    let stage = stage().await;
    let body = json!({"email": ASHA, "code_challenge": CHALLENGE, "code_challenge_method": "s256"});
    stage.post("/otp", &body).await;
    let (_, query, _) = location(&stage.get(&link(&stage).await).await);
    stage.wait(301);
    let body = json!({"auth_code": query["code"], "code_verifier": VERIFIER});
    let late = stage.post("/token?grant_type=pkce", &body).await;
    assert_eq!(late.error(), (422, "flow_state_expired"));
}

#[tokio::test]
async fn a_code_before_the_click_is_worth_nothing() {
    let stage = stage().await;
    let body = json!({"email": ASHA, "code_challenge": CHALLENGE, "code_challenge_method": "s256"});
    stage.post("/otp", &body).await;
    let code: String =
        sqlx::query_scalar("select auth_code from auth.flow_state").fetch_one(stage.sql()).await.unwrap();
    let body = json!({"auth_code": code, "code_verifier": VERIFIER});
    let early = stage.post("/token?grant_type=pkce", &body).await;
    assert_eq!(early.error(), (404, "flow_state_not_found"));
}

#[tokio::test]
async fn a_code_of_a_request_with_a_challenge_can_be_entered_too() {
    let stage = Stage::new().await;
    let body = json!({"email": ASHA, "code_challenge": CHALLENGE, "code_challenge_method": "s256"});
    stage.post("/otp", &body).await;
    let session = stage.verify(ASHA, &stage.code(ASHA).await).await;
    assert_eq!(session.status, 200, "V1: compared with and without the prefix: {}", session.json());
}
