//! Identities linked and unlinked by hand (CONTRACT.md H26, H27, I7, I8).

use banyan_testkit::Answer;
use serde_json::json;

use crate::{
    browser::{APP, Landing, Return, World},
    support::{ASHA, RAVI},
};

const ON: &str = "enable_manual_linking = true\nenable_anonymous_sign_ins = true";

impl World {
    /// A link begun by a script: the provider's address, and the cookie that a browser keeps from a
    /// request to its own origin.
    pub(crate) async fn begin_link(&self, token: &str, more: &str) -> (String, String) {
        let path = World::authorize(&format!("&skip_http_redirect=true{more}")).replacen(
            "/authorize",
            "/user/identities/authorize",
            1,
        );
        let begun = self.stage.get(&path).bearer(token).await;
        assert_eq!(begun.status, 200, "{}", begun.json());
        let cookie =
            begun.header("set-cookie").unwrap_or_default().split(';').next().unwrap_or_default().to_owned();
        (begun.field("url").to_owned(), cookie)
    }

    pub(crate) async fn link(&self, token: &str) -> crate::browser::Landing {
        let (address, cookie) = self.begin_link(token, "").await;
        let back = self.come_back(&address, cookie).await;
        self.enter(&back).await
    }

    async fn user(&self, token: &str) -> Answer {
        self.stage.get("/user").bearer(token).await
    }

    async fn unlink(&self, token: &str, identity: &str) -> Answer {
        self.stage.call(http::Method::DELETE, &format!("/user/identities/{identity}")).bearer(token).await
    }
}

fn identity(user: &Answer, provider: &str) -> String {
    let identities = user["identities"].as_array().unwrap();
    let found = identities.iter().find(|identity| identity["provider"] == provider);
    found.unwrap_or_else(|| panic!("{provider}: {identities:?}"))["identity_id"].as_str().unwrap().to_owned()
}

// rows: H26 JS12 I7
#[tokio::test]
async fn a_user_adds_an_identity() {
    let world = World::new(ON).await;
    let ravi = world.stage.sign_in(RAVI).await;
    let landing = world.link(ravi.field("access_token")).await;
    assert_eq!((landing.status, landing.place.as_str()), (302, APP));
    let user = world.user(ravi.field("access_token")).await;
    assert_eq!(user["app_metadata"]["providers"], json!(["email", "google"]));
    assert_eq!(user["email"], RAVI, "the account keeps its address");
    assert_eq!(world.stage.claims(landing.token())["sub"], user["id"]);
    let path = World::authorize("").replacen("/authorize", "/user/identities/authorize", 1);
    let redirect = world.stage.get(&path).bearer(ravi.field("access_token")).await;
    assert_eq!(redirect.status, 302, "without skip_http_redirect the browser is sent");
    assert_eq!(world.stage.get(&path).await.error(), (401, "no_authorization"));
}

const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str =
    "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=s256";
const GOOGLES: &str = "select count(*) from auth.identities where provider = 'google'";

async fn exchange(world: &World, code: &str, verifier: &str) -> Answer {
    let body = json!({"auth_code": code, "code_verifier": verifier});
    world.stage.post("/token?grant_type=pkce", &body).await
}

/// The page that asks about a link, as a browser without a cookie of the flow gets it: its form,
/// and the cookie that came along.
struct Question {
    page: Answer,
    form: String,
    cookie: String,
}

/// A link begun by unmodified auth-js in an application on another origin: no challenge, and its
/// request keeps no cookie.
async fn asked(world: &World, token: &str) -> Question {
    let (address, _) = world.begin_link(token, "").await;
    let back = world.come_back(&address, String::new()).await;
    let page = world.stage.get(&back.path).await;
    assert_eq!(page.status, 200, "{}", page.header("location").unwrap_or_default());
    let value = |name: &str| {
        let from = page.text().split_once(&format!("name=\"{name}\" value=\"")).expect("a field").1;
        from.split_once('"').expect("a value").0.to_owned()
    };
    let form = format!("state={}&link_token={}", value("state"), value("link_token"));
    let cookie =
        page.header("set-cookie").unwrap_or_default().split(';').next().unwrap_or_default().to_owned();
    Question { page, form, cookie }
}

async fn press(world: &World, form: &str, headers: &[(&str, &str)]) -> Landing {
    let mut call = world.stage.call(http::Method::POST, "/callback").bytes(form.to_owned());
    for (name, value) in headers {
        call = call.header(name, value);
    }
    Landing::of(&call.await)
}

// rows: H26 JS12 I7
#[tokio::test]
async fn a_link_begun_on_another_origin_ends_at_the_button() {
    let world = World::new(ON).await;
    let ravi = world.stage.sign_in(RAVI).await;
    let Question { page, form, cookie } = asked(&world, ravi.field("access_token")).await;
    for part in [ASHA, RAVI, "today, ", "type=\"checkbox\"", "required", "formnovalidate"] {
        assert!(page.text().contains(part), "{part}: {}", page.text());
    }
    let policy = page.header("content-security-policy").unwrap_or_default();
    for part in ["default-src 'none'", "frame-ancestors 'none'", "form-action 'self' http://localhost:5173"] {
        assert!(policy.contains(part), "{part}: {policy}");
    }
    assert_eq!(
        (
            page.header("x-frame-options").unwrap_or_default(),
            page.header("cache-control").unwrap_or_default()
        ),
        ("DENY", "no-store")
    );
    assert!(
        page.header("set-cookie").unwrap_or_default().contains("HttpOnly; SameSite=Lax"),
        "{}",
        page.header("set-cookie").unwrap_or_default()
    );
    assert_eq!(world.stage.number(GOOGLES).await, 0, "nothing is linked before somebody says so");
    let linking = format!("{form}&mine=yes&answer=link");
    let headers = [
        ("cookie", cookie.as_str()),
        ("sec-fetch-site", "same-origin"),
        ("origin", "http://127.0.0.1:54321"),
    ];
    let landing = press(&world, &linking, &headers).await;
    assert_eq!((landing.status, landing.place.as_str()), (303, APP));
    assert!(landing.fragment.contains_key("message"), "{landing:?}");
    assert!(!landing.fragment.contains_key("access_token"), "the application has a session: {landing:?}");
    assert_eq!(world.stage.number("select count(*) from auth.sessions").await, 1);
    let user = world.user(ravi.field("access_token")).await;
    assert_eq!(user["app_metadata"]["providers"], json!(["email", "google"]));
    let again = press(&world, &linking, &headers).await;
    assert_eq!(again.query["error_code"], "bad_oauth_state", "once only: {again:?}");
    assert_eq!(world.stage.number("select count(*) from auth.banyan_pending_links").await, 0);
}

/// An attacker begins to link and has a victim's browser, which the provider knows, open the
/// address.
// rows: I7 G3
#[tokio::test]
async fn whoever_is_made_to_open_a_link_decides_on_our_page_alone() {
    let world = World::new(ON).await;
    let alike = "adele@example.com";
    let attacker = world.stage.sign_in(alike).await;
    let token = attacker.field("access_token");
    let Question { page, form, cookie } = asked(&world, token).await;
    assert!(
        page.text().contains(ASHA) && page.text().contains(alike),
        "no part of it is kept back: {}",
        page.text()
    );
    // The attacker's own browser, at another state of theirs.
    world.google.person("666", "mallory@example.com", true, &json!({}));
    let other = asked(&world, token).await;
    let linking = format!("{form}&mine=yes&answer=link");
    let forged = linking.replacen("link_token=", "link_token=0", 1);
    let swapped = other.form.split_once('&').map(|(_, token)| {
        format!("{}&{token}&mine=yes&answer=link", form.split_once('&').expect("two fields").0)
    });
    for (form, headers) in [
        (linking.as_str(), vec![]),
        (&linking, vec![("cookie", other.cookie.as_str())]),
        (&linking, vec![("cookie", cookie.as_str()), ("sec-fetch-site", "cross-site")]),
        (&linking, vec![("cookie", cookie.as_str()), ("sec-fetch-site", "same-site")]),
        (&linking, vec![("cookie", cookie.as_str()), ("origin", "https://evil.example")]),
        (&forged, vec![("cookie", cookie.as_str())]),
        (swapped.as_deref().expect("two fields"), vec![("cookie", cookie.as_str())]),
    ] {
        let refused = press(&world, form, &headers).await;
        assert_eq!(
            (refused.status, refused.query["error_code"].as_str()),
            (303, "bad_oauth_state"),
            "{form}"
        );
    }
    assert_eq!(world.stage.number(GOOGLES).await, 0);
    let declined = press(&world, &format!("{form}&answer=no"), &[("cookie", &cookie)]).await;
    assert_eq!(declined.error(), ("access_denied", "identity_linking_declined"));
    let late = press(&world, &linking, &[("cookie", &cookie)]).await;
    assert_eq!(late.query["error_code"], "bad_oauth_state", "a no is a no: {late:?}");
    let unsaid = format!("{}&answer=link", other.form);
    let unsaid = press(&world, &unsaid, &[("cookie", &other.cookie)]).await;
    assert_eq!(unsaid.error(), ("access_denied", "identity_linking_declined"), "whose account it is");
    assert_eq!(world.stage.number(GOOGLES).await, 0);
}

// rows: I7 G3
#[tokio::test]
async fn a_state_is_asked_about_once_and_not_for_long() {
    let world = World::new(ON).await;
    let ravi = world.stage.sign_in(RAVI).await;
    let (address, _) = world.begin_link(ravi.field("access_token"), "").await;
    let first = world.come_back(&address, String::new()).await;
    let second = world.come_back(&address, String::new()).await;
    let page = world.stage.get(&first.path).await;
    assert_eq!(page.status, 200);
    assert_eq!(world.enter(&second).await.error(), ("invalid_request", "flow_state_already_used"));
    let cookie = page.header("set-cookie").unwrap_or_default().split(';').next().unwrap_or_default();
    let reloaded = world.stage.get(&first.path).header("cookie", cookie).await;
    assert_eq!((reloaded.status, &reloaded.text()), (200, &page.text()), "to who has it already");
    let exchanged = world.google.asked().iter().filter(|path| *path == "/token").count();
    assert_eq!(exchanged, 1);
    let form = first.path.split_once('?').expect("a query").1;
    let posted = world.stage.call(http::Method::POST, "/callback").bytes(form.to_owned()).await;
    assert_eq!(posted.status, 303, "a provider's form is asked to come again: {}", posted.json());
    assert!(
        posted.header("location").unwrap_or_default().contains("/auth/v1/callback?"),
        "{}",
        posted.header("location").unwrap_or_default()
    );
    let slow = asked(&world, ravi.field("access_token")).await;
    world.wait(601);
    let late =
        press(&world, &format!("{}&mine=yes&answer=link", slow.form), &[("cookie", &slow.cookie)]).await;
    assert_eq!(late.query["error_code"], "bad_oauth_state");
    assert_eq!(world.stage.number(GOOGLES).await, 0);
}

/// A sign-in without the cookie of its flow is nobody's to agree to.
// rows: G3
#[tokio::test]
async fn only_links_are_asked_about() {
    let world = World::new(ON).await;
    let back = world.leave(&World::authorize("")).await;
    let landing = world.enter(&Return { cookie: String::new(), ..back }).await;
    assert_eq!((landing.status, landing.query["error_code"].as_str()), (303, "bad_oauth_state"));
}

/// A thief of a session begins a link; its owner ends that session, and no other.
// rows: I7 C11 S8
#[tokio::test]
async fn a_link_ends_with_the_session_that_began_it() {
    for by in ["list", "logout", "admin"] {
        let world = World::new(ON).await;
        let owner = world.stage.sign_in(RAVI).await;
        let thief = world.stage.sign_in(RAVI).await;
        let token = thief.field("access_token");
        let session = world.stage.claims(token)["session_id"].as_str().expect("a session").to_owned();
        let half_way = world.begin_link(token, CHALLENGE).await.0;
        let back = world.come_back(&half_way, String::new()).await;
        let code = world.enter(&back).await.query["code"].clone();
        let key = world.stage.service_key();
        let delete = |path: String| world.stage.call(http::Method::DELETE, &path);
        let ended = match by {
            "list" => delete(format!("/user/sessions/{session}")).bearer(owner.field("access_token")).await,
            "logout" => world.stage.post("/logout?scope=local", json!({})).bearer(token).await,
            _ => {
                let user = owner["user"]["id"].as_str().expect("an id");
                delete(format!("/admin/users/{user}/sessions/{session}")).bearer(&key).await
            }
        };
        assert_eq!(ended.status, 204, "{by}: {}", ended.json());
        assert_eq!(exchange(&world, &code, VERIFIER).await.error(), (404, "flow_state_not_found"), "{by}");
        assert_eq!(world.stage.number(GOOGLES).await, 0);
    }
}

// rows: I7 K4
#[tokio::test]
async fn with_a_challenge_an_identity_is_linked_by_who_has_the_verifier() {
    let world = World::new(ON).await;
    let ravi = world.stage.sign_in(RAVI).await;
    let (address, cookie) = world.begin_link(ravi.field("access_token"), CHALLENGE).await;
    assert_eq!(cookie, "", "no cookie: the application may be served from anywhere");
    let back = world.come_back(&address, String::new()).await;
    let landing = world.enter(&back).await;
    let code = landing.query["code"].clone();
    assert_eq!(world.stage.number(GOOGLES).await, 0, "whoever came back need not be who began");
    assert_eq!(exchange(&world, &code, CHALLENGE).await.error(), (400, "bad_code_verifier"));
    assert_eq!(world.stage.number(GOOGLES).await, 0);
    let linked = exchange(&world, &code, VERIFIER).await;
    assert_eq!(linked.status, 200, "{}", linked.json());
    assert_eq!(linked["user"]["id"], ravi["user"]["id"]);
    assert_eq!(linked["user"]["app_metadata"]["providers"], json!(["email", "google"]));
    assert!(linked["provider_token"].is_string(), "O31");
    assert_eq!(world.stage.number("select count(*) from auth.banyan_pending_links").await, 0);
    let again = exchange(&world, &code, VERIFIER).await;
    assert_eq!(again.error(), (404, "flow_state_not_found"));
}

// rows: I7
#[tokio::test]
async fn with_a_challenge_an_identity_of_somebody_else_is_refused_in_the_redirect_too() {
    let world = World::new(ON).await;
    let ravi = world.stage.sign_in(RAVI).await;
    let back = |challenge| world.begin_link(ravi.field("access_token"), challenge);
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

// rows: U13 I7 I8
#[tokio::test]
async fn with_a_second_factor_identities_come_and_go_at_aal2_only() {
    let world = World::new(ON).await;
    let ravi = world.stage.sign_in(RAVI).await;
    let token = ravi.field("access_token");
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
        world.stage.get(&path).bearer(token).await,
        world.stage.post("/token?grant_type=id_token", &body).bearer(token).await,
    ] {
        assert_eq!(refused.error(), (401, "insufficient_aal"), "{}", refused.json());
    }
    world.stage.execute("update auth.sessions set aal = 'aal2'").await;
    assert_eq!(world.unlink(token, &google).await.status, 200);
}

// rows: I7
#[tokio::test]
async fn an_identity_of_somebody_else_is_refused_in_the_redirect() {
    let world = World::new(ON).await;
    world.sign_in("").await;
    let ravi = world.stage.sign_in(RAVI).await;
    let landing = world.link(ravi.field("access_token")).await;
    assert_eq!(landing.error(), ("server_error", "identity_already_exists"));
    assert_eq!(landing.query["error_description"], "Identity is already linked to another user");
    let again = {
        world.google.person("118", RAVI, true, &json!({}));
        world.link(ravi.field("access_token")).await;
        world.link(ravi.field("access_token")).await
    };
    assert_eq!(again.query["error_description"], "Identity is already linked");
}

// rows: I7
#[tokio::test]
async fn two_users_who_link_one_identity_at_a_time_do_not_both_get_it() {
    let world = World::new(ON).await;
    let (asha, ravi) = (world.stage.sign_in(ASHA).await, world.stage.sign_in(RAVI).await);
    world.google.person("999", "third@example.com", true, &json!({}));
    let (first, second) =
        tokio::join!(world.link(asha.field("access_token")), world.link(ravi.field("access_token")));
    let sessions =
        [&first, &second].iter().filter(|landing| landing.fragment.contains_key("access_token")).count();
    assert_eq!(sessions, 1, "{first:?} {second:?}");
    assert_eq!(world.stage.number("select count(*) from auth.identities where provider = 'google'").await, 1);
}

// rows: AN2
#[tokio::test]
async fn an_anonymous_user_becomes_a_known_one_by_linking() {
    let world = World::new(ON).await;
    let nobody = world.stage.post("/signup", json!({})).await;
    assert_eq!(nobody["user"]["is_anonymous"], true, "{}", nobody.json());
    let landing = world.link(nobody.field("access_token")).await;
    let user = world.user(landing.token()).await;
    assert_eq!((&user["id"], &user["email"]), (&nobody["user"]["id"], &json!(ASHA)));
    assert_eq!(user["is_anonymous"], false);
    let other = world.stage.post("/signup", json!({})).await;
    world.stage.sign_in(RAVI).await;
    world.google.person("118", RAVI, true, &json!({}));
    let taken = world.link(other.field("access_token")).await;
    assert_eq!(taken.error(), ("invalid_request", "email_exists"));
}

// rows: H27 I8
#[tokio::test]
async fn an_identity_is_taken_away_but_never_the_last() {
    let world = World::new(ON).await;
    let ravi = world.stage.sign_in(RAVI).await;
    let token = ravi.field("access_token");
    let own = identity(&world.user(token).await, "email");
    assert_eq!(world.unlink(token, &own).await.error(), (422, "single_identity_not_deletable"));
    world.link(token).await;
    let user = world.user(token).await;
    let google = identity(&user, "google");
    let asha = world.stage.sign_in("third@example.com").await;
    let foreign = identity(&world.user(asha.field("access_token")).await, "email");
    for (id, expected) in [
        ("nonsense", (404, "validation_failed")),
        ("5f0c8e1e-0000-4000-8000-000000000001", (422, "identity_not_found")),
        (foreign.as_str(), (422, "identity_not_found")),
    ] {
        assert_eq!(world.unlink(token, id).await.error(), expected, "{id}");
    }
    let done = world.unlink(token, &google).await;
    assert_eq!((done.status, done.json()), (200, json!({})));
    let user = world.user(token).await;
    assert_eq!(user["app_metadata"]["providers"], json!(["email"]));
    assert_eq!(world.unlink("a.b.c", &own).await.error(), (403, "bad_jwt"));
}

// rows: I8
#[tokio::test]
async fn the_address_of_the_identity_that_goes_is_replaced_by_anothers() {
    let world = World::new(ON).await;
    let ravi = world.stage.sign_in(RAVI).await;
    world.link(ravi.field("access_token")).await;
    let token = ravi.field("access_token");
    let own = identity(&world.user(token).await, "email");
    assert_eq!(world.unlink(token, &own).await.status, 200);
    let user = world.user(token).await;
    assert_eq!(user["email"], ASHA);
    assert!(user["email_confirmed_at"].is_string(), "the provider vouched for it");
    assert_eq!(user["app_metadata"], json!({"provider": "google", "providers": ["google"]}));
}

// rows: I8
#[tokio::test]
async fn an_address_that_somebody_else_has_cannot_take_the_place() {
    let world = World::new(ON).await;
    let ravi = world.stage.sign_in(RAVI).await;
    world.link(ravi.field("access_token")).await;
    world.stage.execute("update auth.identities set identity_data = identity_data || '{\"email\": \"kept@example.com\"}' where provider = 'google'").await;
    world.stage.sign_in("kept@example.com").await;
    let token = ravi.field("access_token");
    let own = identity(&world.user(token).await, "email");
    assert_eq!(world.unlink(token, &own).await.error(), (422, "email_conflict_identity_not_deletable"));
    assert_eq!(world.user(token).await["identities"].as_array().unwrap().len(), 2, "nothing changed");
}

// rows: H26 H27
#[tokio::test]
async fn linking_is_off_unless_the_project_switches_it_on() {
    let world = World::new("").await;
    let ravi = world.stage.sign_in(RAVI).await;
    let path = World::authorize("").replacen("/authorize", "/user/identities/authorize", 1);
    let refused = world.stage.get(&path).bearer(ravi.field("access_token")).await;
    assert_eq!(refused.error(), (404, "manual_linking_disabled"));
    assert_eq!(refused["msg"], "Manual linking is disabled");
    let own = identity(&world.user(ravi.field("access_token")).await, "email");
    assert_eq!(
        world.unlink(ravi.field("access_token"), &own).await.error(),
        (404, "manual_linking_disabled")
    );
}

// rows: M36
#[tokio::test]
async fn notices_tell_of_identities_that_come_and_go() {
    let world = World::with(
        ON,
        "",
        "[auth.email.notification.identity_linked]\nenabled = true\nsubject = \"linked {{ .Provider }}\"\n
        [auth.email.notification.identity_unlinked]\nenabled = true\nsubject = \"unlinked {{ .Provider }}\"",
    )
    .await;
    let ravi = world.stage.sign_in(RAVI).await;
    world.link(ravi.field("access_token")).await;
    let google = identity(&world.user(ravi.field("access_token")).await, "google");
    world.unlink(ravi.field("access_token"), &google).await;
    let subjects: Vec<String> =
        world.stage.mails(RAVI).await.into_iter().map(|(subject, _)| subject).collect();
    assert!(
        subjects.contains(&"linked google".to_owned()) && subjects.contains(&"unlinked google".to_owned()),
        "{subjects:?}"
    );
}
