//! Which account somebody at a provider has (CONTRACT.md G11, G12, G17).

use serde_json::json;

use crate::{
    browser::{Landing, World},
    providers::{CHALLENGE, user},
    support::{ASHA, RAVI},
};

// rows: G11 T-7
#[tokio::test]
async fn a_known_identity_signs_in_again_and_is_brought_up_to_date() {
    let world = World::new("").await;
    let first = world.sign_in("").await;
    world.wait(60);
    world.google.person("117", "asha.new@example.com", true, &json!({"name": "Asha Kumar"}));
    let second = world.sign_in("").await;
    let (before, after) = (world.stage.claims(first.token()), user(&world, &second).await);
    assert_eq!(before["sub"], after["id"]);
    assert_eq!(after["user_metadata"]["full_name"], "Asha Kumar");
    assert_eq!(after["identities"][0]["identity_data"]["email"], "asha.new@example.com");
    assert_eq!(after["email"], ASHA, "the account's own address does not change by itself");
    assert_eq!(world.stage.number("select count(*) from auth.users").await, 1);
}

// rows: G11 T-7
#[tokio::test]
async fn an_address_that_the_provider_vouches_for_links_to_its_account() {
    let world = World::new("").await;
    let by_code = world.stage.sign_in(ASHA).await;
    let landing = world.sign_in("").await;
    let user = user(&world, &landing).await;
    assert_eq!(user["id"], by_code["user"]["id"]);
    assert_eq!(user["app_metadata"]["providers"], json!(["email", "google"]));
    assert_eq!(user["identities"].as_array().unwrap().len(), 2);
    let old = world.stage.get("/user").bearer(by_code.field("access_token")).await;
    assert_eq!(old.status, 200, "an account that its owner confirmed keeps its sessions");
}

// rows: G12
#[tokio::test]
async fn an_address_that_the_provider_does_not_vouch_for_never_links() {
    let world = World::with("", "", "[auth.email]\nenable_confirmations = true").await;
    let by_code = world.stage.sign_in(ASHA).await;
    world.google.person("666", ASHA, false, &json!({"name": "Mallory"}));
    let landing = world.sign_in("").await;
    assert_eq!(landing.error(), ("access_denied", "provider_email_needs_verification"));
    assert_eq!(
        landing.query["error_description"],
        "Unverified email with google. Verify the email with google in order to sign in"
    );
    let asha = world.stage.get("/user").bearer(by_code.field("access_token")).await.json();
    assert_eq!(asha["identities"].as_array().unwrap().len(), 1);
    let stranger: Option<String> = sqlx::query_scalar(
        "select users.email from auth.users join auth.identities on identities.user_id = users.id where provider = 'google'",
    )
    .fetch_one(world.stage.sql())
    .await
    .unwrap();
    assert_eq!(stranger, None, "the new account comes without the address");
}

// rows: G12
#[tokio::test]
async fn where_addresses_need_no_confirmation_a_foreign_address_is_not_handed_out_either() {
    let world = World::new("").await;
    world.stage.sign_in(ASHA).await;
    world.google.person("666", ASHA, false, &json!({}));
    let landing = world.sign_in("").await;
    let user = world.stage.get("/user").bearer(landing.token()).await.json();
    assert_eq!(user["email"], "");
    assert_eq!(world.stage.number("select count(*) from auth.users").await, 2);
}

// rows: G12
#[tokio::test]
async fn an_unverified_address_is_confirmed_by_the_mail_of_its_own_sign_in() {
    let world = World::with("", "", "[auth.email]\nenable_confirmations = true").await;
    world.google.person("117", ASHA, false, &json!({}));
    let landing = world.sign_in(CHALLENGE).await;
    assert_eq!(landing.error(), ("access_denied", "provider_email_needs_verification"));
    assert!(
        landing.query["error_description"]
            .ends_with("A confirmation email has been sent to your google email")
    );
    let session = world.stage.verify(ASHA, &world.stage.code(ASHA).await).await;
    assert_eq!(session.status, 200, "{}", session.json());
    world.wait(60);
    let again = world.sign_in("").await;
    assert_eq!(world.stage.claims(again.token())["sub"], session["user"]["id"]);
}

/// Somebody whose provider does not vouch for the address signs in before its owner does.
// rows: G12
#[tokio::test]
async fn an_unverified_identity_does_not_outlive_a_code_that_the_owner_asked_for() {
    for again in [false, true] {
        let world = World::with("", "", "[auth.email]\nenable_confirmations = true").await;
        world.google.person("666", ASHA, false, &json!({"name": "Mallory"}));
        world.sign_in("").await;
        world.wait(60);
        assert_eq!(world.stage.ask(ASHA).await.status, 200);
        if again {
            // A newer mail of theirs takes the place of the one that the owner asked for.
            world.wait(60);
            assert_eq!(world.sign_in("").await.error().1, "provider_email_needs_verification");
        }
        let session = world.stage.verify(ASHA, &world.stage.code(ASHA).await).await;
        assert_eq!(session.status, 200, "{}", session.json());
        assert_eq!(session["user"]["app_metadata"]["providers"], json!(["email"]), "{}", session.json());
        assert!(session["user"]["user_metadata"].get("full_name").is_none(), "{}", session.json());
        world.wait(60);
        let landing = world.sign_in("").await;
        assert_eq!(landing.error(), ("access_denied", "provider_email_needs_verification"));
        assert_eq!(world.stage.number("select count(*) from auth.sessions").await, 1, "the owner's alone");
    }
}

/// The owner signed in by phone; an admin wrote an address on the account that nobody confirmed
/// yet.
// rows: G12 F6
#[tokio::test]
async fn an_account_that_is_confirmed_loses_nothing_to_a_provider() {
    let world = World::with("", "", "[auth.email]\nenable_confirmations = true").await;
    world.sign_in("").await;
    world
        .stage
        .execute(
            "update auth.users set phone = '919800000000', phone_confirmed_at = now(), email_confirmed_at = null,
                encrypted_password = 'kept';
            insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
            select gen_random_uuid(), id, 'totp', 'verified', now(), now() from auth.users",
        )
        .await;
    let kept = "select (select count(*) from auth.users where phone is not null and encrypted_password = 'kept') * 100
        + (select count(*) from auth.mfa_factors) * 10 + (select count(*) from auth.sessions)";
    for verified in [false, true] {
        world.google.person("117", ASHA, verified, &json!({}));
        world.wait(60);
        let landing = world.sign_in("").await;
        assert_eq!(landing.fragment.contains_key("access_token"), verified, "{landing:?}");
        let sessions = 1 + i64::from(verified);
        assert_eq!(world.stage.number(kept).await, 110 + sessions, "verified: {verified}");
    }
}

/// An attacker signs up with somebody's address and waits for them.
// rows: G12
#[tokio::test]
async fn an_account_that_nobody_confirmed_is_taken_over_by_the_owner_of_its_address() {
    let world = World::with("", "", "[auth.email]\nenable_confirmations = true").await;
    let trap = json!({"email": ASHA, "password": "attacker's password", "data": {"role": "trap"}});
    let trap = world.stage.post("/signup", &trap).await;
    assert_eq!(trap.status, 200, "{}", trap.json());
    let landing = world.sign_in("").await;
    let user = user(&world, &landing).await;
    assert!(user["user_metadata"].get("role").is_none(), "metadata of whoever signed up is gone");
    assert_eq!(user["app_metadata"]["providers"], json!(["google"]), "and their identities");
    let password = json!({"email": ASHA, "password": "attacker's password"});
    let refused = world.stage.post("/token?grant_type=password", &password).await;
    assert_eq!(refused.error(), (400, "invalid_credentials"), "and their password");
    let late = world.stage.verify(ASHA, &world.stage.code(ASHA).await).await;
    assert_eq!(late.error(), (403, "otp_expired"), "and the code that was sent");
}

/// An attacker makes an account with an address that their provider does not vouch for, and has it
/// confirmed by another.
// rows: G12
#[tokio::test]
async fn the_word_for_one_address_confirms_no_other() {
    let world = World::with("", "", "[auth.email]\nenable_confirmations = true").await;
    world.google.person("666", ASHA, false, &json!({}));
    world.sign_in("").await;
    world.wait(60);
    world.google.person("666", "mallory@example.com", true, &json!({}));
    let landing = world.sign_in("").await;
    assert_eq!(landing.error().1, "provider_email_needs_verification");
    let confirmed =
        world.stage.number("select count(*) from auth.users where email_confirmed_at is not null").await;
    assert_eq!(confirmed, 0);
}

// rows: G11
#[tokio::test]
async fn parallel_first_sign_ins_of_one_person_make_one_account() {
    let world = World::new("").await;
    let mut tasks = Vec::new();
    for _ in 0..6 {
        let back = world.leave(&World::authorize("")).await;
        let stage = world.stage.clone();
        tasks.push(tokio::spawn(async move {
            Landing::of(&stage.get(&back.path).header("cookie", &back.cookie).await)
        }));
    }
    for task in tasks {
        assert!(task.await.unwrap().fragment.contains_key("access_token"));
    }
    let counts = world
        .stage
        .number("select count(*) * 100 + (select count(*) from auth.identities) from auth.users")
        .await;
    assert_eq!(counts, 101);
}

// rows: G17
#[tokio::test]
async fn an_invitation_is_accepted_with_a_provider_of_the_same_address() {
    let world = World::with(
        "",
        "",
        "[auth.email]\nenable_confirmations = true\n[auth.email.template.invite]\nsubject = \"{{ .TokenHash }}\"",
    )
    .await;
    let invite = |email: &'static str| {
        let stage = world.stage.clone();
        async move {
            let answer = stage.post("/invite", json!({"email": email})).bearer(&stage.service_key()).await;
            assert_eq!(answer.status, 200, "{}", answer.json());
            stage.mails(email).await.pop().unwrap().0
        }
    };
    let unknown = world.stage.get(&World::authorize("&invite_token=unknown")).await;
    assert_eq!(unknown.error(), (404, "user_not_found"));
    let token = invite(RAVI).await;
    let wrong = world.sign_in(&format!("&invite_token={token}")).await;
    assert_eq!(wrong.error(), ("invalid_request", "validation_failed"));
    let token = invite(ASHA).await;
    let landing = world.sign_in(&format!("&invite_token={token}")).await;
    let asha = user(&world, &landing).await;
    assert_eq!((&asha["email"], &asha["app_metadata"]["providers"]), (&json!(ASHA), &json!(["google"])));
    assert!(asha["email_confirmed_at"].is_string() && asha["invited_at"].is_string());
}

// rows: G17 M3
#[tokio::test]
async fn a_flow_keeps_nothing_of_an_invitation_that_opens_an_account() {
    let world = World::with(
        "",
        "",
        "[auth.email]\nenable_confirmations = true\n[auth.email.template.invite]\nsubject = \"{{ .TokenHash }}\"",
    )
    .await;
    world.stage.post("/invite", json!({"email": ASHA})).bearer(&world.stage.service_key()).await;
    let token = world.stage.mails(ASHA).await.pop().unwrap().0;
    let back = world.leave(&World::authorize(&format!("&invite_token={token}"))).await;
    let kept: String = sqlx::query_scalar("select invite_token from auth.flow_state")
        .fetch_one(world.stage.sql())
        .await
        .unwrap();
    assert_ne!(kept, token);
    let opened = world.stage.post("/verify", json!({"type": "invite", "token_hash": kept})).await;
    assert_eq!(opened.error(), (403, "otp_expired"));
    assert!(world.enter(&back).await.fragment.contains_key("access_token"));
}

/// Anybody may sign up with an address that was invited, or ask for its codes.
// rows: G17 U17
#[tokio::test]
async fn nobody_voids_somebody_elses_invitation() {
    let toml = "[auth.email]\nenable_confirmations = true\n[auth.email.template.invite]\nsubject = \"{{ .TokenHash }}\"";
    let stranger = [198, 51, 100, 1];
    for (path, body, sent) in [
        ("/otp", json!({"email": ASHA}), 1),
        ("/recover", json!({"email": ASHA}), 1),
        ("/signup", json!({"email": ASHA, "password": "a stranger's"}), 2),
        ("/resend", json!({"type": "signup", "email": ASHA}), 2),
    ] {
        let world = World::with("", "", toml).await;
        let invite = json!({"email": ASHA});
        world.stage.post("/invite", &invite).bearer(&world.stage.service_key()).await;
        world.wait(60);
        let asked = world.stage.post(path, &body).from(stranger).await;
        assert_eq!(asked.status, 200, "{path}: {}", asked.json());
        let mails = world.stage.mails(ASHA).await;
        let invitations: Vec<_> = mails.iter().filter(|(subject, _)| subject.len() == 56).collect();
        assert_eq!((mails.len(), invitations.len()), (2, sent), "{path}: {mails:?}");
        let landing = world.sign_in(&format!("&invite_token={}", invitations[sent - 1].0)).await;
        assert!(landing.fragment.contains_key("access_token"), "{path}: {landing:?}");
    }
}

// rows: G17
#[tokio::test]
async fn the_mail_of_a_sign_up_is_no_invitation() {
    let world = World::with(
        "",
        "",
        "[auth.email]\nenable_confirmations = true\n[auth.email.template.confirmation]\nsubject = \"{{ .TokenHash }}\"",
    )
    .await;
    world.stage.ask(ASHA).await;
    let token = world.stage.mails(ASHA).await.pop().unwrap().0;
    let landing = world.sign_in(&format!("&invite_token={token}")).await;
    assert_eq!(landing.error(), ("server_error", "invite_not_found"), "this is a sign-in code");
}

// rows: G13
#[tokio::test]
async fn an_account_of_single_sign_on_is_linked_to_by_no_other_provider() {
    let world = World::new("").await;
    world
        .stage
        .execute(
            "insert into auth.users (id, instance_id, aud, role, email, email_confirmed_at, is_sso_user)
            values (gen_random_uuid(), '00000000-0000-0000-0000-000000000000', 'authenticated', 'authenticated',
                'asha@example.com', now(), true)",
        )
        .await;
    let landing = world.sign_in("").await;
    let own = user(&world, &landing).await;
    assert_eq!(own["email"], ASHA, "{own}");
    let of_sso = "select count(*) from auth.users as u join auth.identities as i on i.user_id = u.id where is_sso_user";
    assert_eq!(world.stage.number(of_sso).await, 0, "nothing was added to it");
    assert_eq!(world.stage.number("select count(*) from auth.users").await, 2);
}
