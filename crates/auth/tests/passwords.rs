use std::time::{Duration, Instant};

use banyan_testkit::Answer;
use serde_json::{Value, json};

use crate::support::{ASHA, RAVI, Stage};

/// What answers take at least that must not tell who has an account.
pub(crate) const LEAST_TIME: Duration = Duration::from_millis(300);
pub(crate) const PASSWORD: &str = "correct horse battery";

pub(crate) async fn sign_up(stage: &Stage, email: &str) -> Answer {
    stage.post("/signup", json!({"email": email, "password": PASSWORD})).await
}

async fn sign_in(stage: &Stage, email: &str, password: &str) -> Answer {
    stage.post("/token?grant_type=password", json!({"email": email, "password": password})).await
}

async fn admin(stage: &Stage, body: &Value) -> Answer {
    stage.post("/admin/users", body).bearer(&stage.service_key()).await
}

async fn stored_hash(stage: &Stage, email: &str) -> String {
    sqlx::query_scalar("select coalesce(encrypted_password, '') from auth.users where email = $1")
        .bind(email)
        .fetch_one(stage.sql())
        .await
        .unwrap()
}

// rows: H14 PW1 PW2
#[tokio::test]
async fn a_right_password_signs_in() {
    let stage = Stage::new().await;
    sign_up(&stage, ASHA).await;
    let session = sign_in(&stage, " Asha@Example.com", PASSWORD).await;
    assert_eq!(session.status, 200, "{}", session.json());
    assert_eq!(session["user"]["email"], ASHA);
    assert_eq!(stage.claims(session.field("access_token"))["amr"][0]["method"], "password");
    assert!(session.json().get("weak_password").is_none());
    assert!(stored_hash(&stage, ASHA).await.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
}

/// A refusal for too many tries says nothing of whose address it is either.
// rows: PW1 PW9 C12
#[tokio::test]
async fn one_try_too_many_is_refused_as_slowly_where_nobody_is() {
    let mut config = banyan_testkit::config();
    config.auth.rate_limits.sign_in_sign_ups = 1000;
    let stage = Stage::of(config).await;
    sign_up(&stage, ASHA).await;
    for email in [ASHA, "nobody@example.com"] {
        for _ in 0..5 {
            let one = || sign_in(&stage, email, "wrong horse");
            tokio::join!(one(), one(), one(), one());
        }
        let began = Instant::now();
        let refused = sign_in(&stage, email, "wrong horse").await;
        assert_eq!(refused.error(), (429, "over_request_rate_limit"), "{email}");
        assert!(began.elapsed() >= LEAST_TIME, "{email}: {:?}", began.elapsed());
    }
}

// rows: PW1 PW9 C12
#[tokio::test]
async fn unknown_users_and_wrong_passwords_cannot_be_told_apart() {
    let stage = Stage::new().await;
    sign_up(&stage, ASHA).await;
    stage.sign_in(RAVI).await;
    let timed = async |email: &'static str| {
        let began = Instant::now();
        let refused = sign_in(&stage, email, "wrong horse").await;
        assert_eq!(refused.error(), (400, "invalid_credentials"), "{email}");
        (refused.json(), began.elapsed())
    };
    let (known, known_time) = timed(ASHA).await;
    assert_eq!(known["msg"], "Invalid login credentials");
    for email in ["nobody@example.com", RAVI, "no address"] {
        let (body, time) = timed(email).await;
        assert_eq!(body, known, "{email}");
        // Both are held back to one time, far above what the work takes.
        assert!(time.min(known_time) >= LEAST_TIME, "{email}: {time:?} and {known_time:?}");
    }
}

// rows: PW1
#[tokio::test]
async fn only_the_holder_of_the_password_learns_of_a_ban_or_a_missing_confirmation() {
    let stage = Stage::with("[auth.email]\nenable_confirmations = true\n").await;
    sign_up(&stage, ASHA).await;
    assert_eq!(sign_in(&stage, ASHA, "wrong horse").await.error(), (400, "invalid_credentials"));
    let unconfirmed = sign_in(&stage, ASHA, PASSWORD).await;
    assert_eq!(
        (unconfirmed.error(), unconfirmed.field("msg")),
        ((400, "email_not_confirmed"), "Email not confirmed")
    );
    let body = json!({"email": RAVI, "password": PASSWORD, "email_confirm": true, "ban_duration": "1h"});
    assert_eq!(admin(&stage, &body).await.status, 200);
    assert_eq!(sign_in(&stage, RAVI, "wrong horse").await.error(), (400, "invalid_credentials"));
    assert_eq!(sign_in(&stage, RAVI, PASSWORD).await.error(), (400, "user_banned"));
    stage.wait(3601);
    assert_eq!(sign_in(&stage, RAVI, PASSWORD).await.status, 200, "D7: a ban ends");
}

// rows: PW2 PW3
#[tokio::test]
async fn hashes_that_are_brought_along_sign_in_and_are_renewed() {
    let stage = Stage::new().await;
    let hashes = [
        ("a@example.com", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "U*U"),
        ("b@example.com", "$argon2i$v=19$m=16,t=2,p=1$bGJRWThNOHJJTVBSdHl2dQ$NfEnUOuUpb7F2fQkgFUG4g", "test"),
        (
            "c@example.com",
            "$argon2id$v=19$m=32,t=3,p=2$SFVpOWJ0eXhjRzVkdGN1RQ$RXnb8rh7LaDcn07xsssqqulZYXOM/EUCEFMVcAcyYVk",
            "test",
        ),
        (
            "d@example.com",
            "$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=ou9tdYTGyYm8kuR6Dt0Bp0kDuAYoXrK16mbZO4yGwAn3oLspjnN0/c41v8xZnO1n14J3MjKj1b2g6AUCAlFwMw==$C0sHCg9ek77hsg==$zKVTMvnWVw5BBOZNUdnsalx4c4c7y/w7IS5p6Ut2+CfEFFlz37J9huyQfov4iizN8dbjvEJlM5tQaJP84+hfTw==",
            "mytestpassword",
        ),
    ];
    for (email, hash, password) in hashes {
        let body = json!({"email": email, "password_hash": hash, "email_confirm": true});
        let made = admin(&stage, &body).await;
        assert_eq!(made.status, 200, "{email}: {}", made.json());
        assert_eq!(stored_hash(&stage, email).await, hash, "stored as it came");
        assert_eq!(sign_in(&stage, email, "other").await.error(), (400, "invalid_credentials"), "{email}");
        assert_eq!(stored_hash(&stage, email).await, hash, "a wrong password renews nothing");
        assert_eq!(sign_in(&stage, email, password).await.status, 200, "{email}");
        assert!(stored_hash(&stage, email).await.starts_with("$argon2id$v=19$m=19456,"), "{email}");
        assert_eq!(sign_in(&stage, email, password).await.status, 200, "{email}: and it still counts");
    }
    for hash in ["plain", "$1$md5", "$2a$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"] {
        let body = json!({"email": ASHA, "password_hash": hash});
        assert_eq!(admin(&stage, &body).await.error(), (400, "validation_failed"), "{hash}");
    }
    let both = json!({"email": ASHA, "password_hash": "x", "password": PASSWORD});
    assert_eq!(admin(&stage, &both).await.error(), (400, "validation_failed"));
}

// rows: Z20
#[tokio::test]
async fn a_seeded_user_with_a_crypt_password_signs_in() {
    let stage = Stage::new().await;
    stage
        .execute(
            "insert into auth.users (id, instance_id, aud, role, email, encrypted_password, email_confirmed_at)
            values ('00000000-0000-0000-0000-000000000008', '00000000-0000-0000-0000-000000000000',
                'authenticated', 'authenticated', 'asha@example.com',
                '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', now())",
        )
        .await;
    assert_eq!(sign_in(&stage, ASHA, "U*U").await.status, 200);
}

// rows: E3 PW4 PW5 PW7
#[tokio::test]
async fn every_reason_against_a_password_is_named() {
    let stage = Stage::with(
        "[auth]\nminimum_password_length = 8\npassword_requirements = \"lower_upper_letters_digits\"\n",
    )
    .await;
    let of = async |password: &str| stage.post("/signup", json!({"email": ASHA, "password": password})).await;
    let weak = of("abc").await;
    assert_eq!(weak.error(), (422, "weak_password"));
    assert_eq!(weak["weak_password"]["reasons"], json!(["length", "characters"]));
    assert!(
        weak.field("msg").starts_with("Password should be at least 8 characters. Password should contain")
    );
    let newer = stage
        .post("/signup", json!({"email": ASHA, "password": "abcdefgh"}))
        .header("X-Supabase-Api-Version", "2024-01-01")
        .await;
    assert_eq!((newer.status, &newer["code"]), (422, &json!("weak_password")));
    assert_eq!(newer["weak_password"]["reasons"], json!(["characters"]));
    assert_eq!(of(&"Aa1".repeat(25)).await.error(), (400, "validation_failed"), "PW2: more than 72 bytes");
    assert_eq!(of("").await.error(), (400, "validation_failed"));
    assert_eq!(stage.number("select count(*) from auth.users").await, 0);
    let good = of("Abcdefg7").await;
    assert_eq!(good.status, 200, "{}", good.json());
    let by_admin = admin(&stage, &json!({"email": RAVI, "password": "abc"})).await;
    assert_eq!(by_admin.error(), (422, "weak_password"), "also for admins");
    let path = format!("/admin/users/{}", good["user"]["id"].as_str().unwrap());
    let by_admin = stage.put(&path, json!({"password": "abc"})).bearer(&stage.service_key()).await;
    assert_eq!(by_admin.error(), (422, "weak_password"));
    let own = stage.put("/user", json!({"password": "abc"})).bearer(good.field("access_token")).await;
    assert_eq!(own.error(), (422, "weak_password"));
}

// rows: O32
#[tokio::test]
async fn a_password_that_became_too_weak_warns_and_signs_in() {
    let stage = Stage::with("[auth]\nminimum_password_length = 12\n").await;
    let hash = "$argon2i$v=19$m=16,t=2,p=1$bGJRWThNOHJJTVBSdHl2dQ$NfEnUOuUpb7F2fQkgFUG4g";
    admin(&stage, &json!({"email": ASHA, "password_hash": hash, "email_confirm": true})).await;
    let session = sign_in(&stage, ASHA, "test").await;
    assert_eq!(session.status, 200, "{}", session.json());
    assert_eq!(session["weak_password"]["reasons"], json!(["length"]));
    assert!(session["weak_password"]["message"].is_string());
}

// rows: PW8
#[tokio::test]
async fn a_burst_of_sign_ins_leaves_other_requests_alone() {
    let stage = Stage::new().await;
    let session = sign_up(&stage, ASHA).await;
    let token = session.field("access_token").to_owned();
    let burst: Vec<_> = (0..12)
        .map(|_| {
            let stage = stage.clone();
            tokio::spawn(async move { sign_in(&stage, ASHA, PASSWORD).await.status })
        })
        .collect();
    for _ in 0..10 {
        assert_eq!(stage.get("/user").bearer(&token).await.status, 200);
    }
    let waiting = burst.iter().filter(|one| !one.is_finished()).count();
    assert!(waiting > 0, "others are answered while passwords wait for their turn");
    for one in burst {
        assert_eq!(one.await.unwrap(), 200);
    }
}

async fn from(stage: &Stage, email: &str, password: &str, ip: [u8; 4]) -> Answer {
    let body = json!({"email": email, "password": password});
    stage.post("/token?grant_type=password", &body).from(ip).await
}

// rows: PW1 Q5
#[tokio::test]
async fn wrong_passwords_are_bounded_for_each_client_and_are_in_nobody_elses_way() {
    let stage = Stage::with("[auth.rate_limit]\ntoken_refresh = 1000\n").await;
    sign_up(&stage, ASHA).await;
    sign_up(&stage, RAVI).await;
    let attacker = [198, 51, 100, 7];
    for email in [ASHA, "nobody@example.com"] {
        let tries: Vec<_> = (0..24)
            .map(|number| {
                let stage = stage.clone();
                tokio::spawn(
                    async move { from(&stage, email, &format!("wrong one {number}"), attacker).await },
                )
            })
            .collect();
        let (mut judged, mut refused) = (0, 0);
        for one in tries {
            let answer = one.await.unwrap();
            match answer.header("ratelimit-limit").unwrap_or_default() {
                "20" => refused += 1,
                // On a busy machine some hashes do not get their turn; those tries are spent all
                // the same.
                _ => judged += 1,
            }
            assert!(matches!(answer.status, 400 | 429), "{email}: {}", answer.json());
        }
        assert_eq!((judged, refused), (20, 4), "{email}");
    }
    let right = from(&stage, ASHA, PASSWORD, attacker).await;
    assert_eq!(right.error(), (429, "over_request_rate_limit"), "the right one is not looked at either");
    assert_eq!(right.header("retry-after"), Some("301"));
    assert_eq!(from(&stage, RAVI, PASSWORD, attacker).await.status, 200, "other accounts are not closed");
    for _ in 0..30 {
        assert_eq!(
            sign_in(&stage, ASHA, PASSWORD).await.status,
            200,
            "nor this one for others; right ones are free"
        );
    }
    stage.wait(301);
    assert_eq!(from(&stage, ASHA, "wrong again", attacker).await.status, 400, "one more each five minutes");
    assert_eq!(from(&stage, ASHA, PASSWORD, attacker).await.status, 429);
    stage.wait(86_400);
    banyan_auth::clean(stage.state(), stage.now()).await;
    assert_eq!(stage.number("select count(*) from auth.banyan_password_tries").await, 0);
}

// rows: W5
#[tokio::test]
async fn addresses_of_a_sign_in_are_one_of_two() {
    let stage = Stage::new().await;
    let of = async |body: Value| stage.post("/token?grant_type=password", &body).await;
    let both = json!({"email": ASHA, "phone": "919800000000", "password": "x"});
    assert_eq!(of(both).await.error(), (400, "validation_failed"));
    assert_eq!(of(json!({"password": "x"})).await.error(), (400, "validation_failed"));
    let phone = json!({"phone": "919800000000", "password": "x"});
    assert_eq!(of(phone).await.error(), (422, "phone_provider_disabled"));
    let stage = Stage::with("[auth.email]\nenable_signup = false\n").await;
    let off = stage.post("/token?grant_type=password", json!({"email": ASHA, "password": "x"})).await;
    assert_eq!(off.error(), (422, "email_provider_disabled"));
}

#[tokio::test]
async fn a_password_that_is_changed_while_it_is_judged_no_longer_signs_in() {
    let stage = Stage::new().await;
    let session = sign_up(&stage, ASHA).await;
    let path = format!("/admin/users/{}", session["user"]["id"].as_str().unwrap());
    let (key, mut granted_after) = (stage.service_key(), 0);
    for round in 0..3 {
        let old = if round == 0 { PASSWORD.to_owned() } else { format!("new password {round}") };
        let tries: Vec<_> = (0..4)
            .map(|_| {
                let (stage, old) = (stage.clone(), old.clone());
                tokio::spawn(async move { sign_in(&stage, ASHA, &old).await })
            })
            .collect();
        let next = json!({"password": format!("new password {}", round + 1)});
        assert_eq!(stage.put(&path, &next).bearer(&key).await.status, 200);
        for one in tries {
            let one = one.await.unwrap();
            if one.status == 200 {
                let alive = stage.get("/user").bearer(one.field("access_token")).await.status;
                granted_after += usize::from(alive == 200);
            }
        }
    }
    assert_eq!(granted_after, 0, "S10: no session of an old password outlives the change");
}

// rows: PW6
#[tokio::test]
async fn a_leaked_password_is_refused() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    // SHA-1 of "correct horse battery": the service is told its first five digits only.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/range/", listener.local_addr().unwrap());
    let hash = sha1_hex(PASSWORD);
    let rest = hash[5..].to_owned();
    let asked = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let mut request = vec![0; 4096];
        let length = socket.read(&mut request).await.unwrap();
        let body = format!("0000000000000000000000000000000000A:1\r\n{rest}:42\r\n");
        let answer =
            format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len());
        socket.write_all(answer.as_bytes()).await.unwrap();
        String::from_utf8_lossy(&request[..length]).into_owned()
    });
    let leaked = |url: &str, fail_closed| {
        let mut config = banyan_testkit::config();
        config.auth.passwords.leaked =
            Some(banyan_config::LeakedPasswords { url: url.to_owned(), fail_closed });
        config
    };
    let stage = Stage::of(leaked(&url, false)).await;
    let refused = sign_up(&stage, ASHA).await;
    assert_eq!(refused.error(), (422, "weak_password"));
    assert_eq!(refused["weak_password"]["reasons"], json!(["pwned"]));
    let request = asked.await.unwrap();
    assert!(request.starts_with(&format!("GET /range/{} ", &hash[..5])), "{request}");
    assert!(!request.contains(&hash[5..]));
    assert_eq!(sign_up(&stage, ASHA).await.status, 200, "the service is gone: fail-open");
    let stage = Stage::of(leaked(&url, true)).await;
    assert_eq!(sign_up(&stage, ASHA).await.error(), (500, "unexpected_failure"), "fail-closed");
}

fn sha1_hex(text: &str) -> String {
    use sha1::Digest;
    sha1::Sha1::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02X}")).collect()
}

// rows: PW6 O32
#[tokio::test]
async fn a_sign_in_does_not_wait_for_who_knows_leaked_passwords() {
    let rest = sha1_hex(PASSWORD)[5..].to_owned();
    let fake = crate::fake_server::Fake::start(move |_, index| {
        let pause = std::time::Duration::from_secs(if index < 2 { 0 } else { 3 });
        let list = if index == 0 { String::new() } else { format!("{rest}:42\r\n") };
        crate::fake_server::Said::text(200, "text/plain", &list).after(pause)
    })
    .await;
    let mut config = banyan_testkit::config();
    let url = format!("{}/range/", fake.url);
    config.auth.passwords.leaked = Some(banyan_config::LeakedPasswords { url, fail_closed: true });
    let stage = Stage::of(config).await;
    assert_eq!(sign_up(&stage, ASHA).await.status, 200);
    let sign_in = async || {
        let began = std::time::Instant::now();
        let body = json!({"email": ASHA, "password": PASSWORD});
        let answer = stage.post("/token?grant_type=password", &body).await;
        assert_eq!(answer.status, 200, "{}", answer.json());
        (answer["weak_password"]["reasons"].clone(), began.elapsed())
    };
    assert_eq!(sign_in().await.0, json!(["pwned"]));
    let (reasons, time) = sign_in().await;
    assert!(time < std::time::Duration::from_millis(1500), "{time:?}");
    assert_eq!(reasons, serde_json::Value::Null, "the warning is for who answers in time");
}
