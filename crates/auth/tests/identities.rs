//! Identities linked and unlinked by hand (auth.md H26, H27, I7, I8).

use serde_json::json;

use crate::{
    browser::{APP, World},
    stage::{ASHA, Answer, RAVI},
};

const ON: &str = "enable_manual_linking = true\nenable_anonymous_sign_ins = true";

impl World {
    /// A link begun by a script: the provider's address, and the cookie that a browser keeps from a request to its own origin.
    pub(crate) async fn begin_link(&self, token: &str, more: &str) -> (String, String) {
        let path = World::authorize(&format!("&skip_http_redirect=true{more}")).replacen(
            "/authorize",
            "/user/identities/authorize",
            1,
        );
        let begun = self.stage.get(&path).bearer(token).send().await;
        assert_eq!(begun.status, 200, "{}", begun.body);
        let cookie = begun.header("set-cookie").split(';').next().unwrap_or_default().to_owned();
        (begun.text("url").to_owned(), cookie)
    }

    pub(crate) async fn link(&self, token: &str) -> crate::browser::Landing {
        let (address, cookie) = self.begin_link(token, "").await;
        let back = self.come_back(&address, cookie).await;
        self.enter(&back).await
    }

    async fn user(&self, token: &str) -> Answer {
        self.stage.get("/user").bearer(token).send().await
    }

    async fn unlink(&self, token: &str, identity: &str) -> Answer {
        self.stage
            .call(http::Method::DELETE, &format!("/user/identities/{identity}"))
            .bearer(token)
            .send()
            .await
    }
}

fn identity(user: &Answer, provider: &str) -> String {
    let identities = user.body["identities"].as_array().unwrap();
    let found = identities.iter().find(|identity| identity["provider"] == provider);
    found.unwrap_or_else(|| panic!("{provider}: {identities:?}"))["identity_id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn auth_h26_js12_i7_a_user_adds_an_identity() {
    let world = World::new(ON).await;
    let ravi = world.stage.sign_in(RAVI).await;
    let landing = world.link(ravi.text("access_token")).await;
    assert_eq!((landing.status, landing.place.as_str()), (302, APP));
    let user = world.user(ravi.text("access_token")).await;
    assert_eq!(user.body["app_metadata"]["providers"], json!(["email", "google"]));
    assert_eq!(user.body["email"], RAVI, "the account keeps its address");
    assert_eq!(world.stage.claims(landing.token())["sub"], user.body["id"]);
    let path = World::authorize("").replacen("/authorize", "/user/identities/authorize", 1);
    let redirect = world.stage.get(&path).bearer(ravi.text("access_token")).send().await;
    assert_eq!(redirect.status, 302, "without skip_http_redirect the browser is sent");
    assert_eq!(world.stage.get(&path).send().await.error(), (401, "no_authorization"));
}

const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str =
    "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=s256";
const GOOGLES: &str = "select count(*) from auth.identities where provider = 'google'";

async fn exchange(world: &World, code: &str, verifier: &str) -> Answer {
    let body = json!({"auth_code": code, "code_verifier": verifier});
    world.stage.post("/token?grant_type=pkce", &body).send().await
}

/// An attacker begins to link and has a victim's browser, which the provider knows, open the address.
#[tokio::test]
async fn auth_i7_g3_a_link_ends_only_in_the_browser_that_began_it() {
    let world = World::new(ON).await;
    let attacker = world.stage.sign_in(RAVI).await;
    let (address, cookie) = world.begin_link(attacker.text("access_token"), "").await;
    let victims = world.come_back(&address, String::new()).await;
    let landing = world.enter(&victims).await;
    assert_eq!((landing.status, landing.query["error_code"].as_str()), (303, "bad_oauth_state"));
    assert!(!landing.fragment.contains_key("access_token"));
    let form = victims.path.split_once('?').unwrap().1.to_owned();
    let posted = world.stage.call(http::Method::POST, "/callback").raw(&form).send().await;
    assert_eq!(posted.status, 303, "a form without a cookie is asked to come again: {}", posted.body);
    assert!(posted.header("location").contains("/auth/v1/callback?"), "{}", posted.header("location"));
    assert_eq!(world.stage.number(GOOGLES).await, 0);
    let victim = world.sign_in("").await;
    assert_ne!(world.stage.claims(victim.token())["sub"], attacker.body["user"]["id"]);
    // The redirect without a script ties the browser in the same way, and it may end where it began.
    let path = World::authorize("").replacen("/authorize", "/user/identities/authorize", 1);
    let redirect = world.stage.get(&path).bearer(attacker.text("access_token")).send().await;
    assert!(redirect.header("set-cookie").contains("sb-flow-"), "{:?}", redirect.headers);
    world.google.person("118", RAVI, true, &json!({}));
    let own = world.come_back(&address, cookie).await;
    assert!(world.enter(&own).await.fragment.contains_key("access_token"), "the state is not used up");
}

#[tokio::test]
async fn auth_i7_k4_with_a_challenge_an_identity_is_linked_by_who_has_the_verifier() {
    let world = World::new(ON).await;
    let ravi = world.stage.sign_in(RAVI).await;
    let (address, cookie) = world.begin_link(ravi.text("access_token"), CHALLENGE).await;
    assert_eq!(cookie, "", "no cookie: the application may be served from anywhere");
    let back = world.come_back(&address, String::new()).await;
    let landing = world.enter(&back).await;
    let code = landing.query["code"].clone();
    assert_eq!(world.stage.number(GOOGLES).await, 0, "whoever came back need not be who began");
    assert_eq!(exchange(&world, &code, CHALLENGE).await.error(), (400, "bad_code_verifier"));
    assert_eq!(world.stage.number(GOOGLES).await, 0);
    let linked = exchange(&world, &code, VERIFIER).await;
    assert_eq!(linked.status, 200, "{}", linked.body);
    assert_eq!(linked.body["user"]["id"], ravi.body["user"]["id"]);
    assert_eq!(linked.body["user"]["app_metadata"]["providers"], json!(["email", "google"]));
    assert!(linked.body["provider_token"].is_string(), "O31");
    assert_eq!(world.stage.number("select count(*) from auth.banyan_pending_links").await, 0);
    let again = exchange(&world, &code, VERIFIER).await;
    assert_eq!(again.error(), (404, "flow_state_not_found"));
}

#[tokio::test]
async fn auth_i7_with_a_challenge_an_identity_of_somebody_else_is_refused_in_the_redirect_too() {
    let world = World::new(ON).await;
    let ravi = world.stage.sign_in(RAVI).await;
    let back = |challenge| world.begin_link(ravi.text("access_token"), challenge);
    let early = back(CHALLENGE).await.0;
    let early = world.come_back(&early, String::new()).await;
    let early = world.enter(&early).await;
    world.sign_in("").await;
    let late = back(CHALLENGE).await.0;
    let late = world.come_back(&late, String::new()).await;
    assert_eq!(world.enter(&late).await.error(), ("server_error", "identity_already_exists"));
    let raced = exchange(&world, &early.query["code"], VERIFIER).await;
    assert_eq!(raced.error(), (422, "identity_already_exists"), "taken before the exchange");
    assert_eq!(world.stage.number(GOOGLES).await, 1);
}

#[tokio::test]
async fn auth_u13_i7_i8_with_a_second_factor_identities_come_and_go_at_aal2_only() {
    let world = World::new(ON).await;
    let ravi = world.stage.sign_in(RAVI).await;
    let token = ravi.text("access_token");
    world.link(token).await;
    world
        .stage
        .execute(
            "insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
            select gen_random_uuid(), id, 'totp', 'verified', now(), now() from auth.users",
        )
        .await;
    let google = identity(&world.user(token).await, "google");
    let path = World::authorize("").replacen("/authorize", "/user/identities/authorize", 1);
    let id_token = world.google.id_token(&json!({"sub": "119", "email": ASHA, "email_verified": true}));
    let body = json!({"provider": "google", "id_token": id_token, "link_identity": true});
    for refused in [
        world.unlink(token, &google).await,
        world.stage.get(&path).bearer(token).send().await,
        world.stage.post("/token?grant_type=id_token", &body).bearer(token).send().await,
    ] {
        assert_eq!(refused.error(), (401, "insufficient_aal"), "{}", refused.body);
    }
    world.stage.execute("update auth.sessions set aal = 'aal2'").await;
    assert_eq!(world.unlink(token, &google).await.status, 200);
}

#[tokio::test]
async fn auth_i7_an_identity_of_somebody_else_is_refused_in_the_redirect() {
    let world = World::new(ON).await;
    world.sign_in("").await;
    let ravi = world.stage.sign_in(RAVI).await;
    let landing = world.link(ravi.text("access_token")).await;
    assert_eq!(landing.error(), ("server_error", "identity_already_exists"));
    assert_eq!(landing.query["error_description"], "Identity is already linked to another user");
    let again = {
        world.google.person("118", RAVI, true, &json!({}));
        world.link(ravi.text("access_token")).await;
        world.link(ravi.text("access_token")).await
    };
    assert_eq!(again.query["error_description"], "Identity is already linked");
}

#[tokio::test]
async fn auth_i7_two_users_who_link_one_identity_at_a_time_do_not_both_get_it() {
    let world = World::new(ON).await;
    let (asha, ravi) = (world.stage.sign_in(ASHA).await, world.stage.sign_in(RAVI).await);
    world.google.person("999", "third@example.com", true, &json!({}));
    let (first, second) =
        tokio::join!(world.link(asha.text("access_token")), world.link(ravi.text("access_token")));
    let sessions =
        [&first, &second].iter().filter(|landing| landing.fragment.contains_key("access_token")).count();
    assert_eq!(sessions, 1, "{first:?} {second:?}");
    assert_eq!(world.stage.number("select count(*) from auth.identities where provider = 'google'").await, 1);
}

#[tokio::test]
async fn auth_an2_an_anonymous_user_becomes_a_known_one_by_linking() {
    let world = World::new(ON).await;
    let nobody = world.stage.post("/signup", &json!({})).send().await;
    assert_eq!(nobody.body["user"]["is_anonymous"], true, "{}", nobody.body);
    let landing = world.link(nobody.text("access_token")).await;
    let user = world.user(landing.token()).await;
    assert_eq!((&user.body["id"], &user.body["email"]), (&nobody.body["user"]["id"], &json!(ASHA)));
    assert_eq!(user.body["is_anonymous"], false);
    let other = world.stage.post("/signup", &json!({})).send().await;
    world.stage.sign_in(RAVI).await;
    world.google.person("118", RAVI, true, &json!({}));
    let taken = world.link(other.text("access_token")).await;
    assert_eq!(taken.error(), ("invalid_request", "email_exists"));
}

#[tokio::test]
async fn auth_h27_i8_an_identity_is_taken_away_but_never_the_last() {
    let world = World::new(ON).await;
    let ravi = world.stage.sign_in(RAVI).await;
    let token = ravi.text("access_token");
    let own = identity(&world.user(token).await, "email");
    assert_eq!(world.unlink(token, &own).await.error(), (422, "single_identity_not_deletable"));
    world.link(token).await;
    let user = world.user(token).await;
    let google = identity(&user, "google");
    let asha = world.stage.sign_in("third@example.com").await;
    let foreign = identity(&world.user(asha.text("access_token")).await, "email");
    for (id, expected) in [
        ("nonsense", (404, "validation_failed")),
        ("5f0c8e1e-0000-4000-8000-000000000001", (422, "identity_not_found")),
        (foreign.as_str(), (422, "identity_not_found")),
    ] {
        assert_eq!(world.unlink(token, id).await.error(), expected, "{id}");
    }
    let done = world.unlink(token, &google).await;
    assert_eq!((done.status, done.body), (200, json!({})));
    let user = world.user(token).await;
    assert_eq!(user.body["app_metadata"]["providers"], json!(["email"]));
    assert_eq!(world.unlink("a.b.c", &own).await.error(), (403, "bad_jwt"));
}

#[tokio::test]
async fn auth_i8_the_address_of_the_identity_that_goes_is_replaced_by_anothers() {
    let world = World::new(ON).await;
    let ravi = world.stage.sign_in(RAVI).await;
    world.link(ravi.text("access_token")).await;
    let token = ravi.text("access_token");
    let own = identity(&world.user(token).await, "email");
    assert_eq!(world.unlink(token, &own).await.status, 200);
    let user = world.user(token).await;
    assert_eq!(user.body["email"], ASHA);
    assert!(user.body["email_confirmed_at"].is_string(), "the provider vouched for it");
    assert_eq!(user.body["app_metadata"], json!({"provider": "google", "providers": ["google"]}));
}

#[tokio::test]
async fn auth_i8_an_address_that_somebody_else_has_cannot_take_the_place() {
    let world = World::new(ON).await;
    let ravi = world.stage.sign_in(RAVI).await;
    world.link(ravi.text("access_token")).await;
    world.stage.execute("update auth.identities set identity_data = identity_data || '{\"email\": \"kept@example.com\"}' where provider = 'google'").await;
    world.stage.sign_in("kept@example.com").await;
    let token = ravi.text("access_token");
    let own = identity(&world.user(token).await, "email");
    assert_eq!(world.unlink(token, &own).await.error(), (422, "email_conflict_identity_not_deletable"));
    assert_eq!(world.user(token).await.body["identities"].as_array().unwrap().len(), 2, "nothing changed");
}

#[tokio::test]
async fn auth_h26_h27_linking_is_off_unless_the_project_switches_it_on() {
    let world = World::new("").await;
    let ravi = world.stage.sign_in(RAVI).await;
    let path = World::authorize("").replacen("/authorize", "/user/identities/authorize", 1);
    let refused = world.stage.get(&path).bearer(ravi.text("access_token")).send().await;
    assert_eq!(refused.error(), (404, "manual_linking_disabled"));
    assert_eq!(refused.body["msg"], "Manual linking is disabled");
    let own = identity(&world.user(ravi.text("access_token")).await, "email");
    assert_eq!(world.unlink(ravi.text("access_token"), &own).await.error(), (404, "manual_linking_disabled"));
}

#[tokio::test]
async fn auth_m36_notices_tell_of_identities_that_come_and_go() {
    let world = World::with(
        ON,
        "",
        "[auth.email.notification.identity_linked]\nenabled = true\nsubject = \"linked {{ .Provider }}\"\n
        [auth.email.notification.identity_unlinked]\nenabled = true\nsubject = \"unlinked {{ .Provider }}\"",
    )
    .await;
    let ravi = world.stage.sign_in(RAVI).await;
    world.link(ravi.text("access_token")).await;
    let google = identity(&world.user(ravi.text("access_token")).await, "google");
    world.unlink(ravi.text("access_token"), &google).await;
    let subjects: Vec<String> =
        world.stage.mails(RAVI).await.into_iter().map(|(subject, _)| subject).collect();
    assert!(
        subjects.contains(&"linked google".to_owned()) && subjects.contains(&"unlinked google".to_owned()),
        "{subjects:?}"
    );
}
