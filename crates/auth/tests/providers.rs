//! Sign-in with a provider (CONTRACT.md G1 to G19).

use std::collections::HashMap;

use banyan_testkit::CapturedLog;
use serde_json::{Value, json};

use crate::{
    browser::{APP, Landing, World},
    support::{ASHA, RAVI, Stage},
};

const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
pub(crate) const CHALLENGE: &str =
    "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=s256";
const SITE: &str = "http://127.0.0.1:3000/";

fn pairs_of(address: &str) -> HashMap<String, String> {
    url::Url::parse(address).unwrap().query_pairs().into_owned().collect()
}

pub(crate) async fn user(world: &World, landing: &Landing) -> Value {
    world.stage.get("/user").bearer(landing.token()).await.json()
}

// rows: H24 G1 G4 JS4
#[tokio::test]
async fn the_browser_is_sent_to_the_provider() {
    let world = World::new("").await;
    let path = World::authorize(
        "&scopes=calendar%20drive&hd=example.com&prompt=consent&client_id=evil&state=evil&redirect_uri=evil",
    );
    let away = world.stage.get(&path).await;
    assert_eq!(away.status, 302);
    let location = away.header("location").unwrap_or_default().to_owned();
    assert!(location.starts_with(&format!("{}/authorize?", world.google.issuer())), "{location}");
    let pairs = pairs_of(&location);
    assert_eq!(pairs["client_id"], banyan_testkit::oidc::CLIENT_ID);
    assert_eq!(pairs["redirect_uri"], "http://127.0.0.1:54321/auth/v1/callback");
    assert_eq!(
        (pairs["response_type"].as_str(), pairs["scope"].as_str()),
        ("code", "email profile calendar drive")
    );
    assert_eq!((pairs["hd"].as_str(), pairs["prompt"].as_str()), ("example.com", "consent"));
    assert!(pairs["state"].parse::<uuid::Uuid>().is_ok());
    assert!(!location.contains("evil") && !pairs.contains_key("redirect_to"), "{location}");
    assert_eq!(away.header("cache-control"), Some("no-store"));
    world.stage.get(&path).await;
    let asked = world.google.asked();
    assert_eq!(
        asked.iter().filter(|path| path.contains("openid-configuration")).count(),
        1,
        "G4: remembered"
    );
}

// rows: G2 C14
#[tokio::test]
async fn a_provider_that_is_off_or_unknown_is_json_for_scripts_and_a_page_for_people() {
    let world = World::new("").await;
    for (provider, text) in [
        ("github", "Unsupported provider: provider is not enabled"),
        ("apple", "Unsupported provider: provider is not enabled"),
        ("nobody", "Unsupported provider: Provider nobody could not be found"),
        ("", "Unsupported provider: Provider  could not be found"),
    ] {
        let refused = world.stage.get(&format!("/authorize?provider={provider}")).await;
        assert_eq!(refused.error(), (400, "validation_failed"));
        assert_eq!(refused["msg"], text);
    }
    let page = world
        .stage
        .get("/authorize?provider=%3Cscript%3E")
        .header("accept", "text/html,application/xhtml+xml,*/*;q=0.8")
        .await;
    assert_eq!(
        (page.status, page.header("content-type").unwrap_or_default()),
        (400, "text/html; charset=utf-8"),
        "C14"
    );
    assert!(
        page.header("content-security-policy")
            .unwrap_or_default()
            .starts_with("default-src 'none'; base-uri 'none'; frame-anc")
    );
}

// rows: H25 G5 G6 G14 O31 T-7
#[tokio::test]
async fn the_implicit_flow_brings_a_session_and_the_providers_tokens() {
    let world = World::new("enable_signup = true").await;
    let landing = world.sign_in("").await;
    assert_eq!((landing.status, landing.place.as_str()), (302, APP));
    assert!(landing.query.is_empty());
    for name in [
        "access_token",
        "refresh_token",
        "expires_in",
        "expires_at",
        "provider_token",
        "provider_refresh_token",
        "sb",
    ] {
        assert!(landing.fragment.contains_key(name), "{name}: {landing:?}");
    }
    assert_eq!(landing.fragment["token_type"], "bearer");
    let user = user(&world, &landing).await;
    assert_eq!(
        (&user["email"], &user["app_metadata"]),
        (&json!(ASHA), &json!({"provider": "google", "providers": ["google"]}))
    );
    assert!(user["email_confirmed_at"].is_string(), "G14: the provider vouches for the address");
    for (name, value) in [
        ("full_name", json!("Asha K")),
        ("avatar_url", json!("https://pictures.example/a.png")),
        ("email_verified", json!(true)),
        ("sub", json!("117")),
        ("provider_id", json!("117")),
        ("iss", json!(world.google.issuer())),
    ] {
        assert_eq!(user["user_metadata"][name], value, "{name}");
        assert_eq!(user["identities"][0]["identity_data"][name], value, "{name}");
    }
    assert_eq!(
        (&user["identities"][0]["provider"], &user["identities"][0]["id"]),
        (&json!("google"), &json!("117"))
    );
    let claims = world.stage.claims(landing.token());
    assert_eq!((&claims["amr"][0]["method"], &claims["aal"]), (&json!("oauth"), &json!("aal1")));
    let stored = world.stage.number("select count(*) from auth.flow_state").await;
    assert_eq!(stored, 0, "G15: nothing of the provider's tokens is kept");
    let refreshed = world.stage.refresh(&landing.fragment["refresh_token"]).await;
    assert!(refreshed.json().get("provider_token").is_none(), "R13");
}

// rows: H16 G7 K3 K4 JS10 G15
#[tokio::test]
async fn with_a_challenge_a_code_comes_and_the_tokens_follow_its_exchange_once() {
    let world = World::new("").await;
    let landing = world.sign_in(CHALLENGE).await;
    assert_eq!((landing.status, landing.place.as_str()), (302, APP));
    assert!(landing.fragment.is_empty(), "{landing:?}");
    let exchange = |verifier: &str| {
        let body = json!({"auth_code": landing.query["code"], "code_verifier": verifier});
        let stage = world.stage.clone();
        async move { stage.post("/token?grant_type=pkce", &body).await }
    };
    assert_eq!(exchange(CHALLENGE).await.error(), (400, "bad_code_verifier"));
    let session = exchange(VERIFIER).await;
    assert_eq!(session.status, 200, "{}", session.json());
    assert!(session["provider_token"].is_string() && session["provider_refresh_token"].is_string());
    assert_eq!(world.stage.claims(session.field("access_token"))["amr"][0]["method"], "oauth");
    assert_eq!(exchange(VERIFIER).await.error(), (404, "flow_state_not_found"), "K4: the flow is over");
    assert_eq!(world.stage.number("select count(*) from auth.flow_state").await, 0);
}

// rows: G3 K6 T-8
#[tokio::test]
async fn a_state_counts_once_and_for_five_minutes() {
    let world = World::new("").await;
    let back = world.leave(&World::authorize("")).await;
    assert!(world.enter(&back).await.fragment.contains_key("access_token"));
    let replay = world.enter(&back).await;
    assert_eq!((replay.status, replay.place.as_str()), (303, SITE), "G9");
    assert_eq!(replay.query["error_code"], "bad_oauth_state");
    assert!(replay.fragment.is_empty(), "in the query only");
    let late = world.leave(&World::authorize("")).await;
    world.wait(301);
    assert_eq!(world.enter(&late).await.query["error_description"], "OAuth state has expired");
    let used = world.leave(&World::authorize(CHALLENGE)).await;
    world.enter(&used).await;
    assert_eq!(world.enter(&used).await.query["error_code"], "flow_state_already_used");
}

// rows: G9
#[tokio::test]
async fn a_state_that_is_missing_malformed_or_made_up_leads_to_the_site() {
    let world = World::new("").await;
    for (path, code) in [
        ("/callback?code=1", "bad_oauth_callback"),
        ("/callback?code=1&state=", "bad_oauth_callback"),
        ("/callback?code=1&state=nonsense", "bad_oauth_state"),
        ("/callback?code=1&state=5f0c8e1e-0000-4000-8000-000000000001", "bad_oauth_state"),
    ] {
        let landing = Landing::of(&world.stage.get(path).await);
        assert_eq!((landing.status, landing.place.as_str()), (303, SITE), "{path}");
        assert_eq!(
            (landing.query["error"].as_str(), landing.query["error_code"].as_str()),
            ("invalid_request", code),
            "{path}"
        );
    }
}

/// A page of the attacker's sends a victim's browser through the attacker's own sign-in.
// rows: G3
#[tokio::test]
async fn an_implicit_flow_ends_only_in_the_browser_that_began_it() {
    let world = World::new("").await;
    let back = world.leave(&World::authorize("")).await;
    let other = world.leave(&World::authorize("")).await;
    for cookie in ["", "sb-flow-x=1", &other.cookie] {
        let forged = crate::browser::Return { path: back.path.clone(), cookie: cookie.to_owned() };
        let landing = world.enter(&forged).await;
        assert_eq!(
            (landing.status, landing.query["error_code"].as_str()),
            (303, "bad_oauth_state"),
            "{cookie}"
        );
        assert!(!landing.fragment.contains_key("access_token"));
    }
    assert!(world.enter(&back).await.fragment.contains_key("access_token"), "its own browser still may");
    assert_eq!(world.stage.number("select count(*) from auth.sessions").await, 1);
}

// rows: G3 G6
#[tokio::test]
async fn two_parallel_returns_with_one_state_bring_one_session() {
    let world = World::new("").await;
    let back = world.leave(&World::authorize(CHALLENGE)).await;
    let twice = futures(&world, &back, 8).await;
    let codes = twice.iter().filter(|landing| landing.query.contains_key("code")).count();
    assert_eq!(codes, 1, "{twice:?}");
    assert_eq!(world.stage.number("select count(*) from auth.users").await, 1);
}

async fn futures(world: &World, back: &crate::browser::Return, count: usize) -> Vec<Landing> {
    let tasks: Vec<_> = (0..count)
        .map(|_| {
            let (stage, back) = (world.stage.clone(), back.clone());
            tokio::spawn(
                async move { Landing::of(&stage.get(&back.path).header("cookie", &back.cookie).await) },
            )
        })
        .collect();
    let mut landings = Vec::new();
    for task in tasks {
        landings.push(task.await.unwrap());
    }
    landings
}

// rows: C13 G15
#[tokio::test]
async fn the_tokens_of_a_provider_are_handed_out_once_and_kept_nowhere() {
    let world = World::new("").await;
    let landing = world.sign_in("").await;
    let token = landing.fragment["provider_token"].clone();
    let refreshed = world.stage.refresh(&landing.fragment["refresh_token"]).await;
    assert_eq!(refreshed.status, 200, "{}", refreshed.json());
    assert!(
        refreshed.json().get("provider_token").is_none()
            && refreshed.json().get("provider_refresh_token").is_none()
    );
    let kept: i64 = sqlx::query_scalar(
        "select (select count(*) from auth.flow_state as r where strpos(r::text, $1) > 0)
            + (select count(*) from auth.sessions as r where strpos(r::text, $1) > 0)
            + (select count(*) from auth.identities as r where strpos(r::text, $1) > 0)
            + (select count(*) from auth.users as r where strpos(r::text, $1) > 0)
            + (select count(*) from auth.audit_log_entries as r where strpos(r::text, $1) > 0)",
    )
    .bind(&token)
    .fetch_one(world.stage.sql())
    .await
    .unwrap();
    assert_eq!(kept, 0);
}

// rows: G8 E9 T-8
#[tokio::test]
async fn what_the_provider_refuses_comes_back_unchanged_in_query_and_fragment() {
    let world = World::new("").await;
    world.google.behave(|google| google.refuses = Some("access_denied".into()));
    let back = world.leave(&World::authorize("")).await;
    let landing = world.enter(&back).await;
    assert_eq!((landing.status, landing.place.as_str()), (302, APP));
    assert_eq!(landing.error(), ("access_denied", ""), "no error_code of ours");
    assert_eq!(landing.query["error_description"], "The person said no");
    assert!(landing.fragment.contains_key("sb"));
    assert_eq!(world.enter(&back).await.query["error_code"], "bad_oauth_state", "the state is used up");
}

// rows: G8 G10
#[tokio::test]
async fn a_return_without_a_code_and_a_code_that_is_refused_are_told_to_the_application() {
    let world = World::new("").await;
    let back = world.leave(&World::authorize("")).await;
    let state = &pairs_of(&format!("http://x{}", back.path))["state"];
    let bare =
        crate::browser::Return { path: format!("/callback?state={state}"), cookie: back.cookie.clone() };
    assert_eq!(world.enter(&bare).await.error(), ("invalid_request", "bad_oauth_callback"));
    let forged = crate::browser::Return { path: format!("/callback?state={state}&code=forged"), ..bare };
    let landing = world.enter(&forged).await;
    assert_eq!(landing.error(), ("server_error", "unexpected_failure"));
    assert_eq!(landing.query["error_description"], "Unable to exchange external code: forg");
    assert!(landing.fragment.contains_key("sb"));
    world.google.behave(|google| google.broken = true);
    assert_eq!(world.sign_in("").await.error(), ("server_error", "unexpected_failure"));
}

// rows: G10
#[tokio::test]
async fn sign_ups_that_are_off_and_bans_deny_access() {
    let world = World::new("enable_signup = false").await;
    assert_eq!(world.sign_in("").await.error(), ("access_denied", "signup_disabled"));
    assert_eq!(world.stage.number("select count(*) from auth.users").await, 0);
    let world = World::new("").await;
    world.sign_in("").await;
    world.stage.execute("update auth.users set banned_until = '2100-01-01'").await;
    assert_eq!(world.sign_in("").await.error(), ("access_denied", "user_banned"));
}

// rows: G5
#[tokio::test]
async fn an_id_token_that_is_not_right_ends_the_sign_in() {
    let world = World::new("").await;
    for claims in [
        json!({"iss": "https://evil.example"}),
        json!({"aud": "somebody-else"}),
        json!({"aud": ["banyan-client", "evil"], "azp": "evil"}),
        json!({"exp": 1_700_000_000}),
        json!({"iat": 1_900_000_000}),
        json!({"sub": ""}),
        json!({"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"}),
    ] {
        world.google.behave(|google| google.id_token = claims.as_object().unwrap().clone());
        let landing = world.sign_in("").await;
        assert_eq!(landing.error(), ("server_error", "unexpected_failure"), "{claims}");
        assert_eq!(landing.query["error_description"], "Error getting user profile from external provider");
    }
    assert_eq!(world.stage.number("select count(*) from auth.users").await, 0);
}

// rows: G5
#[tokio::test]
async fn without_an_id_token_userinfo_says_who_it_is() {
    let world = World::new("").await;
    world.google.behave(|google| google.without_id_token = true);
    let landing = world.sign_in("").await;
    assert_eq!(user(&world, &landing).await["user_metadata"]["full_name"], "Asha K");
    assert!(world.google.asked().contains(&"/userinfo".to_owned()));
}

// rows: G16
#[tokio::test]
async fn an_account_without_an_address_needs_leave_to_be() {
    let world = World::new("").await;
    world.google.person("117", "", false, &json!({"name": "Asha"}));
    let landing = world.sign_in("").await;
    assert_eq!(landing.query["error_description"], "Error getting user email from external provider");
    let world = World::with("", "email_optional = true", "").await;
    world.google.person("117", "", false, &json!({"name": "Asha"}));
    let landing = world.sign_in("").await;
    assert_eq!(user(&world, &landing).await["email"], "");
}

// rows: G19
#[tokio::test]
async fn a_form_is_answered_as_a_redirect_is() {
    let world = World::new("").await;
    let back = world.leave(&World::authorize(CHALLENGE)).await;
    let form = back.path.split_once('?').unwrap().1.to_owned();
    let posted = world.stage.call(http::Method::POST, "/callback").bytes(form).await;
    assert!(Landing::of(&posted).query.contains_key("code"));
    // Browsers send no cookie with a form from elsewhere: they are asked to come again by
    // themselves.
    let back = world.leave(&World::authorize("")).await;
    let form = back.path.split_once('?').unwrap().1.to_owned();
    let posted = world.stage.call(http::Method::POST, "/callback").bytes(form).await;
    assert_eq!(posted.status, 303);
    let again = posted
        .header("location")
        .unwrap_or_default()
        .strip_prefix("http://127.0.0.1:54321/auth/v1")
        .unwrap()
        .to_owned();
    let landing = world.enter(&crate::browser::Return { path: again, cookie: back.cookie }).await;
    assert!(landing.fragment.contains_key("access_token"));
}

// rows: H24 Q3
#[tokio::test]
async fn departures_are_limited_before_the_provider_is_asked() {
    let world = World::new("").await;
    let mut config = world.stage.config().clone();
    config.auth.rate_limits.sign_in_sign_ups = 2;
    let stage = Stage::of(config).await;
    for _ in 0..2 {
        assert_eq!(stage.get("/authorize?provider=google").await.status, 302);
    }
    let asked = world.google.asked().len();
    let refused = stage.get("/authorize?provider=google").await;
    assert_eq!(refused.error(), (429, "over_request_rate_limit"));
    assert_eq!(refused.header("retry-after"), Some("150"));
    assert_eq!(world.google.asked().len(), asked);
    assert_eq!(stage.number("select count(*) from auth.flow_state").await, 2, "and no row is kept");
    assert_eq!(stage.get("/authorize?provider=google").from([192, 0, 2, 99]).await.status, 302);
}

// rows: H16 H17
#[tokio::test]
async fn a_banned_user_is_told_with_the_status_of_the_token_endpoint() {
    let world = World::new("").await;
    let landing = world.sign_in(CHALLENGE).await;
    world.stage.execute("update auth.users set banned_until = '2100-01-01'").await;
    let body = json!({"auth_code": landing.query["code"], "code_verifier": VERIFIER});
    let exchanged = world.stage.post("/token?grant_type=pkce", &body).await;
    assert_eq!(exchanged.error(), (400, "user_banned"));
    let token = world.google.id_token(&json!({"sub": "117", "email": ASHA, "email_verified": true}));
    let body = json!({"provider": "google", "id_token": token});
    let granted = world.stage.post("/token?grant_type=id_token", &body).await;
    assert_eq!(granted.error(), (400, "user_banned"));
}

// rows: Z4
#[tokio::test]
async fn a_trigger_of_the_project_sees_the_metadata_and_may_say_no() {
    let world = World::new("").await;
    world
        .stage
        .execute(
            "create table public.seen (name text, role text);
            create function public.note() returns trigger language plpgsql security definer as $$
            begin
                if new.raw_user_meta_data ->> 'full_name' = 'Nobody' then
                    raise exception 'not here' using errcode = 'PT403';
                end if;
                insert into public.seen values (new.raw_user_meta_data ->> 'full_name', new.role);
                return new;
            end $$;
            create trigger note after insert on auth.users for each row execute function public.note();",
        )
        .await;
    world.sign_in("").await;
    let seen: (String, String) =
        sqlx::query_as("select name, role from public.seen").fetch_one(world.stage.sql()).await.unwrap();
    assert_eq!(seen, ("Asha K".to_owned(), String::new()));
    world.google.person("118", RAVI, true, &json!({"name": "Nobody"}));
    assert_eq!(world.sign_in("").await.error().0, "access_denied");
    assert_eq!(world.stage.number("select count(*) from auth.identities").await, 1);
}

// rows: T-8 C14
#[tokio::test]
async fn a_redirect_that_is_not_allowed_is_replaced_and_named() {
    let world = World::new("").await;
    let path = "/authorize?provider=google&redirect_to=https%3A%2F%2Fevil.example%2F";
    let away = world.stage.get(path).await;
    assert_eq!(away.header("x-sb-redirect-refused"), Some("https://evil.example/"));
    let back = world.leave(path).await;
    assert_eq!(world.enter(&back).await.place, SITE);
    let fine = world.stage.get(&World::authorize("")).await;
    assert_eq!(fine.header("x-sb-redirect-refused"), None);
}

// rows: A5 C14
#[tokio::test]
async fn a_redirect_that_is_not_allowed_is_named_in_the_log() {
    let world = World::new("").await;
    let (written, _listening) = CapturedLog::listen();
    world.stage.get(&World::authorize("")).await;
    assert_eq!(written.warnings(), Vec::<String>::new(), "one that is allowed");
    for path in [
        "/authorize?provider=google&redirect_to=https%3A%2F%2Fevil.example%2F",
        "/verify?type=signup&token=nothing&redirect_to=https%3A%2F%2Fevil.example%2F",
    ] {
        let before = written.warnings().len();
        world.stage.get(path).await;
        let warnings = written.warnings().split_off(before).join("");
        assert!(warnings.contains("not in the allow-list"), "{path}: {warnings}");
        assert!(warnings.contains("https://evil.example/"), "{path}: {warnings}");
    }
}

// rows: J1 H2
#[tokio::test]
async fn settings_tell_what_is_on() {
    let world = World::new("").await;
    let settings = world.stage.get("/settings").await.json();
    let external = settings["external"].as_object().unwrap();
    assert_eq!(external["google"], true);
    assert_eq!(external.values().filter(|on| **on == true).count(), 2, "google and email: {external:?}");
    for name in [
        "anonymous_users",
        "apple",
        "azure",
        "bitbucket",
        "discord",
        "facebook",
        "figma",
        "fly",
        "github",
        "gitlab",
        "kakao",
        "keycloak",
        "linkedin",
        "linkedin_oidc",
        "notion",
        "slack",
        "slack_oidc",
        "snapchat",
        "spotify",
        "twitch",
        "twitter",
        "workos",
        "zoom",
        "email",
        "phone",
    ] {
        assert!(external.contains_key(name), "{name}");
    }
    for name in [
        "disable_signup",
        "mailer_autoconfirm",
        "phone_autoconfirm",
        "saml_enabled",
        "saml_private_key_next_configured",
        "passkeys_enabled",
    ] {
        assert!(settings[name].is_boolean(), "{name}");
    }
    assert!(settings["sms_provider"].is_string());
}

// rows: K1
#[tokio::test]
async fn a_challenge_needs_its_method() {
    let stage = World::new("").await.stage;
    let half = stage.get(&World::authorize(&CHALLENGE[..60])).await;
    assert_eq!(half.error(), (400, "validation_failed"));
    assert_eq!(half["msg"], "PKCE flow requires code_challenge_method and code_challenge");
    let _: &Stage = &stage;
}
