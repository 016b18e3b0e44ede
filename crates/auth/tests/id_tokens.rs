//! Sign-in with an id_token that the application got by itself (CONTRACT.md I1 to I6).

use banyan_testkit::Answer;
use banyan_testkit::oidc::{CLIENT_ID, CLIENT_SECRET, OidcProvider};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::{
    browser::World,
    support::{ASHA, RAVI, Stage},
};

async fn grant(stage: &Stage, body: &Value) -> Answer {
    stage.post("/token?grant_type=id_token", body).await
}

fn asha() -> Value {
    json!({"sub": "117", "email": ASHA, "email_verified": true, "name": "Asha K"})
}

fn with(mut claims: Value, name: &str, value: Value) -> Value {
    claims[name] = value;
    claims
}

/// Status, `error` and `error_description`.
fn oauth(answer: &Answer) -> (u16, &str, &str) {
    (answer.status, answer.field("error"), answer.field("error_description"))
}

// rows: H17 I1 I2
#[tokio::test]
async fn a_token_of_the_provider_signs_in() {
    let world = World::new("").await;
    let session =
        grant(&world.stage, &json!({"provider": "google", "id_token": world.google.id_token(&asha())})).await;
    assert_eq!(session.status, 200, "{}", session.json());
    assert_eq!(session["user"]["app_metadata"]["provider"], "google");
    assert_eq!(session["user"]["user_metadata"]["full_name"], "Asha K");
    assert_eq!(world.stage.claims(session.field("access_token"))["amr"][0]["method"], "oauth");
    assert_eq!(session.header("cache-control"), Some("no-store"));
    let by_issuer = json!({"client_id": CLIENT_ID, "issuer": world.google.issuer(), "id_token": world.google.id_token(&asha())});
    let again = grant(&world.stage, &by_issuer).await;
    assert_eq!(again["user"]["id"], session["user"]["id"]);
    let other_client = world.google.id_token(&with(asha(), "aud", json!("other-client")));
    let again = grant(&world.stage, &json!({"provider": "google", "id_token": other_client})).await;
    assert_eq!(again.status, 200, "G4: every client id of the list is accepted");
}

// rows: I1 I5 E4
#[tokio::test]
async fn what_is_missing_is_told_in_the_words_of_oauth() {
    let world = World::new("").await;
    for (body, text) in [
        (json!({"provider": "google"}), "id_token required"),
        (json!({"id_token": "x"}), "provider or client_id and issuer required"),
        (
            json!({"id_token": "x", "issuer": "https://accounts.google.com"}),
            "provider or client_id and issuer required",
        ),
        (json!({"provider": "google", "id_token": "mock-id-token", "nonce": "mock-nonce"}), "Bad ID token"),
        (json!({"provider": "google", "id_token": "a.b.c"}), "Bad ID token"),
    ] {
        let refused = grant(&world.stage, &body).await;
        assert_eq!(oauth(&refused), (400, "invalid request", text));
    }
    assert!(world.google.asked().is_empty(), "a token that cannot be one costs no call to the provider");
    let newer = world
        .stage
        .post("/token?grant_type=id_token", json!({"provider": "google"}))
        .header("x-supabase-api-version", "2024-01-01")
        .await;
    assert_eq!(oauth(&newer), (400, "invalid request", "id_token required"));
}

// rows: I3 I5
#[tokio::test]
async fn a_token_that_is_not_right_is_refused() {
    let world = World::new("").await;
    let foreign = OidcProvider::start(0, 1_790_000_000).await;
    let token = |name: &str, value: Value| world.google.id_token(&with(asha(), name, value));
    for (token, text) in [
        (token("iss", json!("https://evil.example")), "Bad ID token"),
        (token("exp", json!(1_789_999_000)), "Bad ID token"),
        (token("exp", Value::Null), "Bad ID token"),
        (token("iat", json!(1_790_009_000)), "Bad ID token"),
        (token("sub", Value::Null), "Missing sub claim in id_token"),
        (token("aud", json!("somebody-else")), "Unacceptable audience in id_token: [somebody-else]"),
        (token("aud", json!(["evil", CLIENT_ID])), ""),
        (foreign.id_token(&with(asha(), "iss", json!(world.google.issuer()))), "Bad ID token"),
    ] {
        let answer = grant(&world.stage, &json!({"provider": "google", "id_token": token})).await;
        match text {
            "" => assert_eq!(answer.status, 200, "one of several audiences is ours"),
            text => assert_eq!(oauth(&answer), (400, "invalid request", text)),
        }
    }
}

// rows: I3
#[tokio::test]
async fn algorithm_tricks_do_not_work() {
    let world = World::new("").await;
    let genuine = world.google.id_token(&asha());
    let (head, _) = genuine.rsplit_once('.').unwrap();
    let payload = head.split_once('.').unwrap().1;
    let header = |header: Value| URL_SAFE_NO_PAD.encode(header.to_string());
    let hmac = |text: &str| {
        use hmac::{Hmac, Mac};
        let mut mac = Hmac::<Sha256>::new_from_slice(CLIENT_SECRET.as_bytes()).unwrap();
        mac.update(text.as_bytes());
        URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes())
    };
    let none = format!("{}.{payload}.", header(json!({"alg": "none"})));
    let symmetric = format!("{}.{payload}", header(json!({"alg": "HS256"})));
    let symmetric = format!("{symmetric}.{}", hmac(&symmetric));
    let stranger = format!("{}.{payload}.AAAA", header(json!({"alg": "ES256", "kid": "../../etc/passwd"})));
    let rsa = format!("{}.{payload}.AAAA", header(json!({"alg": "RS256"})));
    for token in [none, symmetric, stranger, rsa, format!("{head}.AAAA")] {
        let refused = grant(&world.stage, &json!({"provider": "google", "id_token": token})).await;
        assert_eq!(oauth(&refused), (400, "invalid request", "Bad ID token"), "{token}");
    }
    assert_eq!(world.stage.number("select count(*) from auth.users").await, 0);
}

// rows: I3
#[tokio::test]
async fn an_access_token_has_to_be_the_one_of_the_id_token() {
    let world = World::new("").await;
    let hash = Sha256::digest("the access token");
    let token = world.google.id_token(&with(asha(), "at_hash", json!(URL_SAFE_NO_PAD.encode(&hash[..16]))));
    let body =
        |access_token: &str| json!({"provider": "google", "id_token": token, "access_token": access_token});
    assert_eq!(oauth(&grant(&world.stage, &body("another")).await).2, "Bad ID token");
    assert_eq!(grant(&world.stage, &body("the access token")).await.status, 200);
}

// rows: I4
#[tokio::test]
async fn token_and_request_have_the_same_nonce_or_none() {
    let world = World::new("").await;
    let hashed: String = Sha256::digest("my nonce").iter().map(|byte| format!("{byte:02x}")).collect();
    let bound = world.google.id_token(&with(asha(), "nonce", json!(hashed)));
    let body = |token: &str, nonce: &str| json!({"provider": "google", "id_token": token, "nonce": nonce});
    let both = "Passed nonce and nonce in id_token should either both exist or not.";
    assert_eq!(oauth(&grant(&world.stage, &body(&bound, "")).await), (400, "invalid request", both));
    let unbound = world.google.id_token(&asha());
    assert_eq!(
        oauth(&grant(&world.stage, &body(&unbound, "my nonce")).await),
        (400, "invalid request", both)
    );
    assert_eq!(
        oauth(&grant(&world.stage, &body(&bound, "another")).await),
        (400, "invalid nonce", "Nonces mismatch")
    );
    assert_eq!(grant(&world.stage, &body(&bound, "my nonce")).await.status, 200);
    let lenient = World::with("", "skip_nonce_check = true", "").await;
    let bound = lenient.google.id_token(&with(asha(), "nonce", json!(hashed)));
    assert_eq!(grant(&lenient.stage, &body(&bound, "")).await.status, 200, "where the project says so");
}

// rows: I2
#[tokio::test]
async fn providers_that_are_off_and_issuers_that_are_not_listed_are_refused() {
    let world = World::new("").await;
    let stranger = OidcProvider::start(0, 1_790_000_000).await;
    let token = stranger.id_token(&asha());
    let off = grant(&world.stage, &json!({"provider": "apple", "id_token": token})).await;
    assert_eq!(off.error(), (400, "provider_disabled"));
    for (provider, token, who) in [
        ("apple", "no token", "issuer \"https://appleid.apple.com\"".to_owned()),
        ("Github", token.as_str(), format!("issuer \"{}\"", stranger.issuer())),
        // Its own issuer is that of everybody; the token says whose it is.
        ("azure", token.as_str(), format!("issuer \"{}\"", stranger.issuer())),
        ("Github", "no token", "github".to_owned()),
    ] {
        let off = grant(&world.stage, &json!({"provider": provider, "id_token": token})).await;
        assert_eq!(off.field("msg"), format!("Provider ({who}) is not enabled"));
    }
    let unlisted = json!({"client_id": CLIENT_ID, "issuer": stranger.issuer(), "id_token": token});
    assert_eq!(grant(&world.stage, &unlisted).await.error(), (400, "validation_failed"));
    let mut config = banyan_testkit::config();
    config.auth.id_token_issuers.insert(stranger.issuer().to_owned(), vec![CLIENT_ID.to_owned()]);
    let stage = Stage::of(config).await;
    let session = grant(&stage, &unlisted).await;
    assert_eq!(session.status, 200, "{}", session.json());
    assert_eq!(session["user"]["identities"][0]["provider"], stranger.issuer());
    let mismatch = json!({"client_id": "another", "issuer": stranger.issuer(), "id_token": token});
    assert!(oauth(&grant(&stage, &mismatch).await).2.starts_with("Unacceptable audience"));
    let slash = format!("{}/", stranger.issuer());
    let again = json!({"client_id": CLIENT_ID, "issuer": slash, "id_token": token});
    assert_eq!(grant(&stage, &again).await["user"]["id"], session["user"]["id"], "one issuer, one identity");
    assert_eq!(stage.number("select count(*) from auth.identities").await, 1);
}

/// The owner of another application has tokens of people who signed in there, and names that
/// application.
// rows: I2 I3
#[tokio::test]
async fn a_token_for_somebody_elses_application_opens_nothing_here() {
    let stranger = OidcProvider::start(0, 1_790_000_000).await;
    let mut config = banyan_testkit::config();
    config.auth.id_token_issuers.insert(stranger.issuer().to_owned(), vec![CLIENT_ID.to_owned()]);
    let stage = Stage::of(config).await;
    stage.sign_in(ASHA).await;
    let stolen = stranger.id_token(&with(asha(), "aud", json!("games.example")));
    let body = json!({"client_id": "games.example", "issuer": stranger.issuer(), "id_token": stolen});
    let refused = grant(&stage, &body).await;
    assert_eq!(
        oauth(&refused),
        (400, "invalid request", "Unacceptable audience in id_token: [games.example]")
    );
    assert_eq!(stage.number("select count(*) from auth.identities where provider <> 'email'").await, 0);
}

// rows: I6
#[tokio::test]
async fn a_signed_in_user_links_an_identity_by_its_token() {
    let world = World::new("enable_manual_linking = true").await;
    let ravi = world.stage.sign_in(RAVI).await;
    let body =
        json!({"provider": "google", "id_token": world.google.id_token(&asha()), "link_identity": true});
    let nobody = grant(&world.stage, &body).await;
    assert_eq!(oauth(&nobody).2, "Linking requires a valid user access token in Authorization");
    let link =
        |token: &str| world.stage.post("/token?grant_type=id_token", &body).bearer(token).into_future();
    let forged = link("a.b.c").await;
    assert_eq!(forged.error(), (403, "bad_jwt"));
    let linked = link(ravi.field("access_token")).await;
    assert_eq!(linked.status, 200, "{}", linked.json());
    assert_eq!(linked["user"]["id"], ravi["user"]["id"]);
    assert_eq!(linked["user"]["app_metadata"]["providers"], json!(["email", "google"]));
    assert_eq!(link(ravi.field("access_token")).await.error(), (422, "identity_already_exists"));
    let asha = world.stage.sign_in(ASHA).await;
    assert_eq!(
        link(asha.field("access_token")).await.error(),
        (422, "identity_already_exists"),
        "somebody else has it"
    );
    let off = World::new("").await;
    let ravi = off.stage.sign_in(RAVI).await;
    let body = json!({"provider": "google", "id_token": off.google.id_token(&json!({"sub": "1", "email": ASHA})), "link_identity": true});
    let refused =
        off.stage.post("/token?grant_type=id_token", &body).bearer(ravi.field("access_token")).await;
    assert_eq!(refused.error(), (404, "manual_linking_disabled"));
}

// rows: X11 H18
#[tokio::test]
async fn the_web3_grant_is_answered_as_switched_off() {
    let stage = Stage::new().await;
    let refused = stage.post("/token?grant_type=web3", json!({"chain": "solana"})).await;
    assert_eq!(refused.error(), (422, "web3_provider_disabled"));
    assert_eq!(refused["msg"], "Web3 provider is disabled");
}

// rows: G4
#[tokio::test]
async fn tokens_with_made_up_keys_make_one_call_to_the_provider_between_them() {
    let world = World::new("").await;
    let right = world.google.id_token(&asha());
    assert_eq!(grant(&world.stage, &json!({"provider": "google", "id_token": right})).await.status, 200);
    let (asked, parts) = (world.google.asked().len(), right.split('.').collect::<Vec<_>>());
    world.stage.wait(60);
    let mut running = Vec::new();
    for number in 0..10 {
        let head =
            URL_SAFE_NO_PAD.encode(format!(r#"{{"alg":"ES256","kid":"made up {number}","typ":"JWT"}}"#));
        let token = format!("{head}.{}.{}", parts[1], parts[2]);
        let stage = world.stage.clone();
        running.push(tokio::spawn(async move {
            grant(&stage, &json!({"provider": "google", "id_token": token})).await.status
        }));
    }
    for one in running {
        assert_eq!(one.await.unwrap(), 400);
    }
    assert_eq!(world.google.asked().len(), asked + 1, "{:?}", world.google.asked());
}

// rows: G4
#[tokio::test]
async fn a_provider_that_is_away_is_remembered_for_a_day() {
    let World { stage, google } = World::new("").await;
    let of = |at: i64| {
        google.set_time(at);
        json!({"provider": "google", "id_token": google.id_token(&asha())})
    };
    let start = stage.now().unix_timestamp();
    let tokens = [of(start), of(start + 2 * 3600), of(start + 27 * 3600)];
    assert_eq!(grant(&stage, &tokens[0]).await.status, 200);
    google.behave(|behaviour| behaviour.away = true);
    stage.wait(2 * 3600);
    assert_eq!(grant(&stage, &tokens[1]).await.status, 200, "its keys of before still count");
    stage.wait(25 * 3600);
    assert_ne!(grant(&stage, &tokens[2]).await.status, 200);
}

/// The admin of a tenant writes any address into the tokens of its people; who owns the domain,
/// Microsoft says.
// rows: G12 G18
#[tokio::test]
async fn azure_vouches_for_an_address_by_the_owner_of_its_domain_alone() {
    let azure = OidcProvider::start(0, 1_790_000_000).await;
    let toml = format!(
        "[auth.email]\nenable_confirmations = true\n[auth.external.azure]\nenabled = true\nclient_id = \"{CLIENT_ID}\"\nsecret = \"{CLIENT_SECRET}\"\nurl = \"{}\"\n",
        azure.issuer()
    );
    let stage = Stage::with(&toml).await;
    let owner = stage.sign_in(ASHA).await;
    let of = async |subject: &str, domain_owner: Value| {
        let mut claims = with(with(asha(), "sub", json!(subject)), "xms_edov", domain_owner);
        claims["tid"] = json!("9188040d-6c67-4c5b-b112-36a304b66dad");
        grant(&stage, &json!({"provider": "azure", "id_token": azure.id_token(&claims)})).await
    };
    for (subject, said) in
        [("666", Value::Null), ("667", json!(false)), ("668", json!("0")), ("669", json!(0))]
    {
        let foreign = of(subject, said.clone()).await;
        assert_ne!(foreign["user"]["id"], owner["user"]["id"], "{said}: {}", foreign.json());
    }
    for (subject, said) in
        [("117", json!(true)), ("118", json!("1")), ("119", json!(1)), ("120", json!("true"))]
    {
        let own = of(subject, said.clone()).await;
        assert_eq!(own["user"]["id"], owner["user"]["id"], "{said}: {}", own.json());
    }
}
