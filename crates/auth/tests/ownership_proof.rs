//! What the first proof of an address takes from an account (CONTRACT.md G12, M18, U17): attackers
//! make accounts with addresses of others and wait.

use banyan_testkit::Answer;
use banyan_testkit::CapturedLog;
use serde_json::{Value, json};

use crate::{
    browser::World,
    passwords::{PASSWORD, sign_up},
    support::{ASHA, RAVI, Stage},
};

const CONFIRM: &str = "[auth.email]\nenable_confirmations = true\n";
const TRAP: &str = "attacker's password";
const PHONE: &str = "919800000000";

const ATTACKER: [u8; 4] = [198, 51, 100, 66];

/// An attacker signs up with the owner's address.
async fn trap(stage: &Stage) -> Answer {
    let body = json!({"email": ASHA, "password": TRAP, "data": {"role": "trap"}});
    let trapped = stage.post("/signup", &body).from(ATTACKER).await;
    assert_eq!(trapped.status, 200, "{}", trapped.json());
    stage.wait(2);
    trapped
}

async fn ask(stage: &Stage, path: &str, body: &Value) {
    let asked = stage.post(path, body).await;
    assert_eq!(asked.status, 200, "{path} {body}: {}", asked.json());
    stage.wait(2);
}

async fn by_password(stage: &Stage, password: &str) -> Answer {
    stage.post("/token?grant_type=password", json!({"email": ASHA, "password": password})).await
}

/// The owner types the newest code in and finds nothing of the attacker's.
async fn assert_clean(stage: &Stage, what: &str) -> Answer {
    let session = stage.verify(ASHA, &stage.code(ASHA).await).await;
    assert_eq!(session.status, 200, "{what}: {}", session.json());
    let user = &session["user"];
    assert!(user["user_metadata"].get("role").is_none(), "{what}: {user}");
    assert_eq!(user["app_metadata"]["providers"], json!(["email"]), "{what}");
    assert_eq!(user["identities"][0]["identity_data"]["email_verified"], true, "{what}: {user}");
    assert_eq!(by_password(stage, TRAP).await.error(), (400, "invalid_credentials"), "{what}");
    session
}

// rows: G12 M11
#[tokio::test]
async fn a_code_that_the_owner_asked_for_voids_the_password_of_who_signed_up_before() {
    for path in ["/otp", "/magiclink", "/recover"] {
        let stage = Stage::with(CONFIRM).await;
        let trapped = trap(&stage).await;
        ask(&stage, path, &json!({"email": ASHA})).await;
        let session = assert_clean(&stage, path).await;
        assert_eq!(session["user"]["id"], trapped["id"], "the account is the owner's now");
        let set = json!({"password": PASSWORD});
        let set = stage.put("/user", &set).bearer(session.field("access_token")).await;
        assert_eq!(set.status, 200, "{}", set.json());
        assert_eq!(by_password(&stage, PASSWORD).await.status, 200);
    }
}

// rows: M18 G12
#[tokio::test]
async fn a_password_that_the_proof_drops_is_told_to_the_project_and_one_that_stays_is_not() {
    for (second, is_dropped) in [(PASSWORD, false), ("another password", true)] {
        let stage = Stage::with(CONFIRM).await;
        for password in [PASSWORD, second] {
            ask(&stage, "/signup", &json!({"email": ASHA, "password": password})).await;
        }
        let (written, _listening) = CapturedLog::listen();
        let session = stage.verify(ASHA, &stage.code(ASHA).await).await;
        assert_eq!(session.status, 200, "{}", session.json());
        let told = written.lines("a password was dropped");
        assert_eq!(told.len(), usize::from(is_dropped), "{told:?}");
        let id = session["user"]["id"].as_str().unwrap();
        let is_right = |line: &String| line.contains(" WARN ") && line.contains(id) && !line.contains(ASHA);
        assert!(told.iter().all(is_right), "{told:?}");
        for password in [PASSWORD, second] {
            assert_eq!(by_password(&stage, password).await.status, if is_dropped { 400 } else { 200 });
        }
    }
}

/// The owner asks in the pause that the attacker began, is refused, and types in the code that lies
/// in the inbox.
// rows: G12 M7
#[tokio::test]
async fn who_asks_and_is_refused_voids_the_attackers_password_all_the_same() {
    for (path, body) in [
        ("/otp", json!({"email": ASHA})),
        ("/magiclink", json!({"email": ASHA})),
        ("/recover", json!({"email": ASHA})),
        ("/signup", json!({"email": ASHA, "password": PASSWORD})),
    ] {
        let stage = Stage::with(&format!("{CONFIRM}max_frequency = \"60s\"\n")).await;
        trap(&stage).await;
        let refused = stage.post(path, &body).await;
        assert_eq!(refused.error(), (429, "over_email_send_rate_limit"), "{path}");
        assert_eq!(stage.mails(ASHA).await.len(), 1, "{path}: the attacker's alone");
        assert_clean(&stage, path).await;
    }
}

// rows: G12 M7
#[tokio::test]
async fn who_asks_and_is_refused_voids_the_attackers_identity_all_the_same() {
    for (path, body) in [
        ("/otp", json!({"email": ASHA})),
        ("/recover", json!({"email": ASHA})),
        ("/signup", json!({"email": ASHA, "password": PASSWORD})),
    ] {
        let world = World::with("", "", &format!("{CONFIRM}max_frequency = \"60s\"\n")).await;
        let owner = [203, 0, 113, 1];
        world.google.person("666", ASHA, false, &json!({"role": "trap"}));
        let landing = world.sign_in("").await;
        assert_eq!(landing.error().1, "provider_email_needs_verification");
        let refused = world.stage.post(path, &body).from(owner).await;
        assert_eq!(refused.error(), (429, "over_email_send_rate_limit"), "{path}");
        assert_clean(&world.stage, path).await;
    }
}

/// No mail comes, and the same person asks for another, who shows the challenge of the sign-up. A
/// network shows nothing: the neighbours in a school have the same.
// rows: M18 G12
#[tokio::test]
async fn who_shows_the_challenge_of_the_sign_up_again_keeps_the_password() {
    let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
    let with_challenge = |mut body: Value| {
        body["code_challenge"] = json!(challenge);
        body["code_challenge_method"] = json!("s256");
        body
    };
    let sign_up = json!({"email": ASHA, "password": PASSWORD, "data": {"name": "Asha"}});
    let plain = json!({"email": ASHA});
    let (here, elsewhere) = ([192, 0, 2, 1], [203, 0, 113, 9]);
    for (begun, asked, from, wait, keeps) in [
        (sign_up.clone(), plain.clone(), here, 60, false),
        (sign_up.clone(), plain.clone(), elsewhere, 60, false),
        (with_challenge(sign_up.clone()), with_challenge(plain.clone()), elsewhere, 660, true),
        (sign_up, with_challenge(plain), elsewhere, 660, false),
    ] {
        for path in ["/otp", "/recover"] {
            let stage = Stage::with(CONFIRM).await;
            ask(&stage, "/signup", &begun).await;
            stage.wait(wait);
            let again = stage.post(path, &asked).from(from).await;
            assert_eq!(again.status, 200, "{}", again.json());
            let session = stage.verify(ASHA, &stage.code(ASHA).await).await;
            assert_eq!(session.status, 200, "{}", session.json());
            let name = &session["user"]["user_metadata"]["name"];
            assert_eq!(name == "Asha", keeps, "{path} {from:?} after {wait} s: {name}");
            let entered = by_password(&stage, PASSWORD).await.status;
            assert_eq!(entered == 200, keeps, "{path} {from:?} after {wait} s");
        }
    }
}

// rows: G12 K7
#[tokio::test]
async fn a_link_with_a_challenge_goes_on_after_the_account_was_stripped() {
    let toml =
        format!("{CONFIRM}[auth.email.template.confirmation]\nsubject = \"{{{{ .ConfirmationURL }}}}\"\n");
    let stage = Stage::with(&toml).await;
    trap(&stage).await;
    let (verifier, challenge) = ("a-verifier-that-is-long-enough-for-a-plain-challenge", "plain");
    let body = json!({"email": ASHA, "code_challenge": verifier, "code_challenge_method": challenge});
    ask(&stage, "/otp", &body).await;
    let link = stage.mails(ASHA).await.pop().unwrap().0;
    let followed = stage.get(link.strip_prefix("http://127.0.0.1:54321/auth/v1").unwrap()).await;
    let landing = crate::browser::Landing::of(&followed);
    let body = json!({"auth_code": landing.query["code"], "code_verifier": verifier});
    let session = stage.post("/token?grant_type=pkce", &body).await;
    assert_eq!(session.status, 200, "{}", session.json());
    assert_eq!(by_password(&stage, TRAP).await.error(), (400, "invalid_credentials"));
}

// rows: G12 M15
#[tokio::test]
async fn a_later_mail_of_the_attackers_sign_up_does_not_bring_their_password_back() {
    let again = json!({"email": ASHA, "password": TRAP});
    for (path, body) in [("/signup", &again), ("/resend", &json!({"type": "signup", "email": ASHA}))] {
        let stage = Stage::with(CONFIRM).await;
        trap(&stage).await;
        ask(&stage, "/otp", &json!({"email": ASHA})).await;
        ask(&stage, path, body).await;
        assert_clean(&stage, path).await;
    }
}

// rows: M18 G12
#[tokio::test]
async fn of_two_sign_ups_with_two_passwords_neither_password_outlives_the_code() {
    let stage = Stage::with(CONFIRM).await;
    trap(&stage).await;
    sign_up(&stage, ASHA).await;
    let stored: (bool, String) = sqlx::query_as(
        "select encrypted_password <> '', raw_user_meta_data ->> 'role' from auth.users where email = 'asha@example.com'",
    )
    .fetch_one(stage.sql())
    .await
    .unwrap();
    assert_eq!(stored, (true, "trap".to_owned()), "M18: until then nothing changes");
    assert_clean(&stage, "two sign-ups").await;
    assert_eq!(by_password(&stage, PASSWORD).await.error(), (400, "invalid_credentials"));
}

// rows: M15 M18
#[tokio::test]
async fn a_sign_up_that_is_repeated_with_its_own_password_keeps_it() {
    let again = json!({"email": ASHA, "password": PASSWORD});
    for (path, body) in [("/signup", &again), ("/resend", &json!({"type": "signup", "email": ASHA}))] {
        let stage = Stage::with(CONFIRM).await;
        ask(&stage, "/signup", &json!({"email": ASHA, "password": PASSWORD, "data": {"name": "Asha"}})).await;
        ask(&stage, path, body).await;
        let session = stage.verify(ASHA, &stage.code(ASHA).await).await;
        assert_eq!(session["user"]["user_metadata"]["name"], "Asha", "{path}: {}", session.json());
        assert_eq!(by_password(&stage, PASSWORD).await.status, 200, "{path}");
    }
}

// rows: M18
#[tokio::test]
async fn two_sign_ups_at_one_moment_with_one_password_keep_it() {
    let stage = Stage::with("[auth.email]\nenable_confirmations = true\nmax_frequency = \"0s\"\n").await;
    let (first, second) = tokio::join!(sign_up(&stage, ASHA), sign_up(&stage, ASHA));
    assert_eq!((first.status, second.status), (200, 200), "{} {}", first.json(), second.json());
    let mut opened = 0;
    for (_, text) in stage.mails(ASHA).await {
        let code = text.split(|c: char| !c.is_ascii_digit()).find(|word| word.len() == 6).unwrap();
        opened += usize::from(stage.verify(ASHA, code).await.status == 200);
    }
    assert_eq!(opened, 1, "the newer of two mails");
    assert_eq!(by_password(&stage, PASSWORD).await.status, 200);
}

// rows: M14
#[tokio::test]
async fn an_account_that_a_code_made_keeps_what_came_with_the_first_request() {
    let stage = Stage::with(CONFIRM).await;
    ask(&stage, "/otp", &json!({"email": ASHA, "data": {"name": "Asha"}})).await;
    ask(&stage, "/otp", &json!({"email": ASHA})).await;
    sign_up(&stage, ASHA).await;
    let session = stage.verify(ASHA, &stage.code(ASHA).await).await;
    assert_eq!(session["user"]["user_metadata"]["name"], "Asha", "{}", session.json());
    assert_eq!(by_password(&stage, PASSWORD).await.error(), (400, "invalid_credentials"), "M18");
}

// rows: G12
#[tokio::test]
async fn a_number_is_no_less_its_owners_than_an_address() {
    let toml = "[auth.sms]\nenable_signup = true\nenable_confirmations = true\n[auth.sms.test_otp]\n919800000000 = \"123456\"\n";
    for owner_asks in [true, false] {
        let stage = Stage::with(toml).await;
        let body = json!({"phone": PHONE, "password": TRAP, "data": {"role": "trap"}});
        assert_eq!(stage.post("/signup", &body).from(ATTACKER).await.status, 200);
        stage.wait(6);
        if owner_asks {
            ask(&stage, "/otp", &json!({"phone": PHONE})).await;
        }
        let verify = json!({"type": "sms", "phone": PHONE, "token": "123456"});
        let session = stage.post("/verify", &verify).await;
        assert_eq!(session.status, 200, "{}", session.json());
        assert_eq!(session["user"]["user_metadata"].get("role").is_none(), owner_asks);
        let by_password = stage.post("/token?grant_type=password", &body).await.status;
        assert_eq!(by_password, if owner_asks { 400 } else { 200 }, "its own code keeps its own password");
    }
}

// rows: U17 V4
#[tokio::test]
async fn an_accepted_invitation_replaces_the_password_whoever_set_it() {
    let invite = json!({"email": ASHA});
    for by_admin in [false, true] {
        let stage = Stage::with(CONFIRM).await;
        if by_admin {
            let body = json!({"email": ASHA, "password": TRAP, "user_metadata": {"class": 7}});
            stage.post("/admin/users", &body).bearer(&stage.service_key()).await;
        } else {
            trap(&stage).await;
        }
        let invited = stage.post("/invite", &invite).bearer(&stage.service_key()).await;
        assert_eq!(invited.status, 200, "{}", invited.json());
        let body = json!({"type": "invite", "email": ASHA, "token": stage.code(ASHA).await});
        let session = stage.post("/verify", &body).await;
        assert_eq!(session.status, 200, "{}", session.json());
        assert_eq!(by_password(&stage, TRAP).await.error(), (400, "invalid_credentials"), "{by_admin}");
        let metadata = &session["user"]["user_metadata"];
        assert!(metadata.get("role").is_none(), "{metadata}");
        assert_eq!(
            metadata["class"],
            if by_admin { json!(7) } else { Value::Null },
            "the admin's word stays"
        );
    }
}

// rows: D10 D4
#[tokio::test]
async fn what_an_admin_put_there_outlives_codes_that_anybody_asks_for() {
    let stage = Stage::with(CONFIRM).await;
    let body = json!({"email": ASHA, "password": PASSWORD, "user_metadata": {"class": 7}});
    stage.post("/admin/users", &body).bearer(&stage.service_key()).await;
    ask(&stage, "/otp", &json!({"email": ASHA})).await;
    let session = stage.verify(ASHA, &stage.code(ASHA).await).await;
    assert_eq!(session["user"]["user_metadata"]["class"], 7);
    assert_eq!(by_password(&stage, PASSWORD).await.status, 200);
}

// rows: D10
#[tokio::test]
async fn an_admins_link_for_an_account_that_somebody_made_is_the_owners_alone() {
    for kind in ["signup", "magiclink", "recovery"] {
        let stage = Stage::with(CONFIRM).await;
        trap(&stage).await;
        let body = json!({"type": kind, "email": ASHA, "password": PASSWORD, "data": {"class": 7}});
        let link = stage.post("/admin/generate_link", &body).bearer(&stage.service_key()).await;
        assert_eq!(link.status, 200, "{}", link.json());
        let body = json!({"type": kind, "token_hash": link.field("hashed_token")});
        let session = stage.post("/verify", &body).await;
        assert_eq!(session.status, 200, "{kind}: {}", session.json());
        assert!(session["user"]["user_metadata"].get("role").is_none(), "{kind}");
        assert_eq!(by_password(&stage, TRAP).await.error(), (400, "invalid_credentials"), "{kind}");
        if kind == "signup" {
            assert_eq!(session["user"]["user_metadata"]["class"], 7, "what the admin said stays");
        }
    }
}

const LINKING: &str = "enable_manual_linking = true\nenable_anonymous_sign_ins = true";

/// An attacker who is signed in links an identity whose provider says any address.
// rows: I7 AN2
#[tokio::test]
async fn an_unproven_address_never_becomes_that_of_an_account_that_is_signed_in() {
    let world = World::with(LINKING, "", CONFIRM).await;
    let attacker = world.stage.post("/signup", json!({})).await;
    world.google.person("666", RAVI, false, &json!({}));
    let landing = world.link(attacker.field("access_token")).await;
    assert_eq!(landing.error(), ("server_error", "email_not_confirmed"));
    let refreshed = world.stage.refresh(attacker.field("refresh_token")).await;
    let claims = world.stage.claims(refreshed.field("access_token"));
    assert_eq!((&claims["email"], &claims["is_anonymous"]), (&json!(""), &json!(true)));
    let owner = world.stage.sign_in(RAVI).await;
    assert_ne!(owner["user"]["id"], attacker["user"]["id"], "the owner has an account of their own");
    let own = world.stage.get("/user").bearer(refreshed.field("access_token")).await;
    assert_eq!((own.status, &own["email"]), (200, &json!("")));
}

// rows: I7 AN2
#[tokio::test]
async fn the_owner_of_an_unproven_address_agrees_to_it_as_to_any_change() {
    let world = World::with(LINKING, "", CONFIRM).await;
    let nobody = world.stage.post("/signup", json!({})).await;
    world.google.person("118", RAVI, false, &json!({}));
    world.link(nobody.field("access_token")).await;
    let body = json!({"type": "email_change", "email": RAVI, "token": world.stage.code(RAVI).await});
    let session = world.stage.post("/verify", &body).await;
    assert_eq!(session.status, 200, "{}", session.json());
    let user = &session["user"];
    assert_eq!((&user["id"], &user["email"]), (&nobody["user"]["id"], &json!(RAVI)));
    assert_eq!((&user["is_anonymous"], user["identities"].as_array().unwrap().len()), (&json!(false), 2));
}

// rows: I8
#[tokio::test]
async fn an_unproven_address_does_not_take_the_place_of_one_that_goes() {
    let world = World::with(LINKING, "", CONFIRM).await;
    let attacker = world.stage.sign_in(ASHA).await;
    let token = attacker.field("access_token");
    world.google.person("666", RAVI, false, &json!({}));
    world.link(token).await;
    let identities = world.stage.get("/user").bearer(token).await["identities"].clone();
    let own = identities.as_array().unwrap().iter().find(|one| one["provider"] == "email").unwrap();
    let path = format!("/user/identities/{}", own["identity_id"].as_str().unwrap());
    let refused = world.stage.call(http::Method::DELETE, &path).bearer(token).await;
    assert_eq!(refused.error(), (422, "email_conflict_identity_not_deletable"));
    let user = world.stage.get("/user").bearer(token).await;
    assert_eq!(user["email"], ASHA, "nothing changed");
}

// rows: M13
#[tokio::test]
async fn where_addresses_count_at_once_asking_confirms_nobodys_but_a_new_account() {
    let stage = Stage::new().await;
    stage.post("/invite", json!({"email": ASHA})).bearer(&stage.service_key()).await;
    stage.wait(2);
    ask(&stage, "/otp", &json!({"email": ASHA})).await;
    let confirmed = "select count(*) from auth.users where email_confirmed_at is not null";
    assert_eq!(stage.number(confirmed).await, 0, "anybody could have asked");
    let body = json!({"type": "magiclink", "email": ASHA, "token": stage.code(ASHA).await});
    assert_eq!(stage.post("/verify", &body).await.status, 200);
    assert_eq!(stage.number(confirmed).await, 1);
}

// rows: M11
#[tokio::test]
async fn where_sign_ups_are_off_one_that_was_left_does_not_go_on() {
    let mut config = banyan_testkit::config_with(CONFIRM);
    config.auth.enable_signup = false;
    let stage = Stage::of(config).await;
    stage
        .execute(
            "insert into auth.users (id, instance_id, aud, role, email)
            values (gen_random_uuid(), '00000000-0000-0000-0000-000000000000', 'authenticated', 'authenticated',
                'ravi@example.com')",
        )
        .await;
    assert_eq!(stage.ask(RAVI).await.error(), (422, "signup_disabled"));
    stage.post("/invite", json!({"email": ASHA})).bearer(&stage.service_key()).await;
    stage.wait(2);
    assert_eq!(stage.ask(ASHA).await.status, 200, "who is invited may come");
}

/// A row is corrected from the address of somebody else to the owner's.
// rows: D6 V5
#[tokio::test]
async fn what_was_sent_to_the_former_address_opens_nothing() {
    for by_admin in [true, false] {
        let toml = format!("{CONFIRM}[auth.email.template.magic_link]\nsubject = \"{{{{ .TokenHash }}}}\"\n");
        let stage = Stage::with(&toml).await;
        let session = stage.sign_in(RAVI).await;
        stage.wait(2);
        stage.ask(RAVI).await;
        let (hash, code) = (stage.mails(RAVI).await.pop().unwrap().0, stage.code(RAVI).await);
        let id = session["user"]["id"].as_str().unwrap();
        if by_admin {
            let path = format!("/admin/users/{id}");
            stage.put(&path, json!({"email": ASHA})).bearer(&stage.service_key()).await;
        } else {
            stage.execute("update auth.users set email = 'asha@example.com'").await;
        }
        assert_eq!(stage.verify(RAVI, &code).await.error(), (403, "otp_expired"), "{by_admin}");
        let by_hash = stage.post("/verify", json!({"type": "email", "token_hash": hash})).await;
        assert_eq!(by_hash.error(), (403, "otp_expired"), "{by_admin}");
    }
}

// rows: D6 G12
#[tokio::test]
async fn who_signed_up_with_the_former_address_keeps_nothing_of_a_corrected_account() {
    let stage = Stage::with(CONFIRM).await;
    let body = json!({"email": RAVI, "password": TRAP, "data": {"role": "trap"}});
    let trapped = stage.post("/signup", &body).await;
    let path = format!("/admin/users/{}", trapped.field("id"));
    stage.put(&path, json!({"email": ASHA})).bearer(&stage.service_key()).await;
    stage.wait(2);
    ask(&stage, "/resend", &json!({"type": "signup", "email": ASHA})).await;
    assert_clean(&stage, "corrected").await;
}

/// A neighbour uses up what their network may ask for, so that the owner's own request is refused,
/// and has the service send the code of the neighbour's sign-up once more.
// rows: G12 Q1
#[tokio::test]
async fn who_asks_beyond_the_limit_of_a_route_voids_the_attackers_password_all_the_same() {
    for path in ["/otp", "/recover", "/signup"] {
        let stage = Stage::with(&format!("{CONFIRM}[auth.rate_limit]\nsign_in_sign_ups = 3\n")).await;
        trap(&stage).await;
        for number in 0..3 {
            let body = json!({"email": format!("u{number}@example.com"), "password": TRAP});
            stage.post(path, &body).from(ATTACKER).await;
        }
        let body = json!({"email": ASHA, "password": PASSWORD});
        let refused = stage.post(path, &body).from(ATTACKER).await;
        assert_eq!(refused.error(), (429, "over_request_rate_limit"), "{path}");
        let body = json!({"email": ASHA, "type": "signup"});
        assert_eq!(stage.post("/resend", &body).from(ATTACKER).await.status, 200);
        assert_clean(&stage, path).await;
    }
}
