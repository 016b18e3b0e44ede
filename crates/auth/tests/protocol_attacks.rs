//! What somebody sends who knows the protocol better than the server hopes.

use base64::{
    Engine,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use hmac::{Hmac, Mac};
use http::Method;
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use sha2::Sha256;

use crate::support::{ASHA, RAVI, Stage};

fn part(value: &Value) -> String {
    URL_SAFE_NO_PAD.encode(value.to_string())
}

/// A token with this header, signed by HS256 with a key of the attacker's choice.
fn forged(header: &Value, claims: &Value, key: &[u8]) -> String {
    let signed = format!("{}.{}", part(header), part(claims));
    let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
    mac.update(signed.as_bytes());
    format!("{signed}.{}", URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes()))
}

/// A signed-in user's token, and its header and claims.
async fn genuine(stage: &Stage) -> (String, Value, Value) {
    let token = stage.sign_in(ASHA).await.field("access_token").to_owned();
    let read = |number: usize| -> Value {
        let text = token.split('.').nth(number).unwrap();
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).unwrap()).unwrap()
    };
    let (header, claims) = (read(0), read(1));
    (token, header, claims)
}

async fn is_refused(stage: &Stage, what: &str, token: &str) {
    for path in ["/user", "/admin/users"] {
        let answer = stage.get(path).bearer(token).await;
        assert_eq!(answer.error(), (403, "bad_jwt"), "{what} at {path}: {}", answer.json());
    }
}

// rows: B2 B3
#[tokio::test]
async fn another_algorithm_is_no_way_in() {
    let stage = Stage::new().await;
    let (token, header, claims) = genuine(&stage).await;
    let admin =
        json!({"role": "service_role", "sub": claims["sub"], "exp": claims["exp"], "aud": claims["aud"]});
    let published = stage.get("/.well-known/jwks.json").await.json();
    let key = &published["keys"][0];
    let point = |name: &str| URL_SAFE_NO_PAD.decode(key[name].as_str().unwrap()).unwrap();
    let raw = [vec![4], point("x"), point("y")].concat();
    // RFC 5480: what says that a point of P-256 follows.
    let der = [b"\x30\x59\x30\x13\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07\x03\x42\x00", &raw[..]].concat();
    let lines = STANDARD.encode(&der);
    let (first, second) = lines.split_at(64);
    let pem = format!("-----BEGIN PUBLIC KEY-----\n{first}\n{second}\n-----END PUBLIC KEY-----");
    for claims in [&claims, &admin] {
        for algorithm in ["none", "None", "nOnE", "", "HS384", "HS512", "ES384", "RS256", "PS256", "EdDSA"] {
            let header = json!({"alg": algorithm, "typ": "JWT", "kid": header["kid"]});
            is_refused(&stage, algorithm, &format!("{}.{}.", part(&header), part(claims))).await;
            is_refused(&stage, algorithm, &forged(&header, claims, b"")).await;
        }
        // Whatever is published about the key that verifies is no secret to sign with.
        let header = json!({"alg": "HS256", "typ": "JWT", "kid": header["kid"]});
        for (what, secret) in [
            ("the key as JSON", key.to_string().into_bytes()),
            ("the set as JSON", published.to_string().into_bytes()),
            ("the key as PEM", pem.clone().into_bytes()),
            ("the key as PEM with its last line ended", format!("{pem}\n").into_bytes()),
            ("the key as DER", der.clone()),
            ("its point", raw.clone()),
            ("its x", point("x")),
            ("its x as text", key["x"].as_str().unwrap().as_bytes().to_vec()),
            ("nothing", Vec::new()),
        ] {
            is_refused(&stage, what, &forged(&header, claims, &secret)).await;
        }
    }
    assert_eq!(stage.get("/user").bearer(&token).await.status, 200, "the token itself is good");
}

// rows: B3 J4
#[tokio::test]
async fn the_header_of_a_token_chooses_no_key_of_its_own() {
    let stage = Stage::new().await;
    let (token, header, claims) = genuine(&stage).await;
    let own =
        json!({"kty": "oct", "k": URL_SAFE_NO_PAD.encode("attacker"), "alg": "HS256", "kid": "attacker"});
    for (name, value) in [
        ("kid", json!("../../../../../../dev/null")),
        ("kid", json!("' union select 'attacker' --")),
        ("kid", json!("/proc/sys/kernel/randomize_va_space")),
        ("kid", json!(["attacker"])),
        ("kid", json!("\u{0}")),
        ("kid", json!("x".repeat(4096))),
        ("jwk", own.clone()),
        ("jku", json!("http://127.0.0.1:1/keys")),
        ("x5u", json!("http://127.0.0.1:1/certificate")),
        ("x5c", json!(["MIIB"])),
    ] {
        for key in [b"attacker".as_slice(), b""] {
            let mut header = json!({"alg": "HS256", "typ": "JWT"});
            header[name] = value.clone();
            is_refused(&stage, name, &forged(&header, &claims, key)).await;
        }
    }
    // A signature holds for the header that it was made with, too.
    let [_, body, signature] = token.split('.').collect::<Vec<_>>()[..] else { panic!("three parts") };
    for change in [json!({"kid": "other"}), json!({"typ": "at+jwt"}), json!({"alg": "HS256"})] {
        let mut changed = header.clone();
        changed.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        is_refused(&stage, "a changed header", &format!("{}.{body}.{signature}", part(&changed))).await;
    }
}

// rows: B2 T5
#[tokio::test]
async fn tokens_of_another_time_and_changed_ones_are_refused() {
    let stage = Stage::new().await;
    let (token, header, claims) = genuine(&stage).await;
    let secret = stage.config().keys.jwt_secret.expose_secret().as_bytes().to_vec();
    let legacy = json!({"alg": "HS256", "typ": "JWT"});
    let with = |change: Value| {
        let mut changed = claims.clone();
        changed.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        forged(&legacy, &changed, &secret)
    };
    let now = stage.now().unix_timestamp();
    assert_eq!(stage.get("/user").bearer(&with(json!({}))).await.status, 200, "the secret itself signs");
    for (what, change) in [
        ("expired", json!({"exp": now - 31})),
        ("expired a moment ago", json!({"exp": now - 1})),
        ("expired right now", json!({"exp": now})),
        ("expired long ago", json!({"exp": 0})),
        ("before the epoch", json!({"exp": -1})),
        ("not yet valid", json!({"nbf": now + 3600})),
        ("issued in the future", json!({"iat": now + 3600})),
        ("an end that is no number", json!({"exp": "never"})),
    ] {
        is_refused(&stage, what, &with(change)).await;
    }
    let last = stage.get("/user").bearer(&with(json!({"exp": now + 1}))).await;
    assert_eq!(last.status, 200, "its last second: {}", last.json());
    let [_, _, signature] = token.split('.').collect::<Vec<_>>()[..] else { panic!("three parts") };
    let mut promoted = claims.clone();
    promoted["role"] = json!("service_role");
    is_refused(&stage, "changed claims", &format!("{}.{}.{signature}", part(&header), part(&promoted))).await;
    let flipped = if signature.starts_with('A') { "B" } else { "A" };
    let changed = format!("{}.{}.{flipped}{}", part(&header), part(&claims), &signature[1..]);
    is_refused(&stage, "a changed signature", &changed).await;
    for text in ["..", "a.b", "a.b.c.d", "eyJ9.eyJ9.", "=.=.=", &"x.".repeat(5000)] {
        let answer = stage.get("/user").bearer(text).await;
        assert_eq!(answer.error(), (403, "bad_jwt"), "{text:.20}");
    }
}

// rows: W5
#[tokio::test]
async fn a_body_may_be_as_deep_and_odd_as_it_likes() {
    let stage = Stage::with("[auth.rate_limit]\nsign_in_sign_ups = 1000\ntoken_refresh = 1000\n").await;
    let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let nested = |depth: usize| {
        format!("{{\"email\": \"{ASHA}\", \"data\": {}1{}}}", "{\"a\":".repeat(depth), "}".repeat(depth))
    };
    for path in ["/otp", "/signup", "/recover", "/verify", "/resend", "/token?grant_type=password"] {
        for body in [deep(100_000), nested(100_000), "[".repeat(1_000_000), "{\"a\":".repeat(150_000)] {
            let answer = stage.call(Method::POST, path).bytes(body).await;
            assert_eq!(answer.error(), (400, "bad_json"), "{path}");
        }
        for body in [
            "null",
            "true",
            "[]",
            "7",
            "\"text\"",
            "{\"email\": {\"a\": 1}}",
            "{\"email\": [1]}",
            "\u{feff}{}",
        ] {
            let answer = stage.call(Method::POST, path).bytes(body.to_owned()).await;
            assert!((400..500).contains(&answer.status), "{path} {body}: {}", answer.json());
        }
    }
    // What is deep and still read is kept as metadata, comes back, and is bounded by its size.
    let kept = stage.call(Method::POST, "/otp").bytes(nested(50)).await;
    assert_eq!(kept.status, 200, "{}", kept.json());
    let twice = format!("{{\"email\": \"{ASHA}\", \"email\": \"{RAVI}\"}}");
    let answer = stage.call(Method::POST, "/otp").bytes(twice).await;
    assert_eq!(answer.error(), (400, "bad_json"), "two addresses are none: {}", answer.json());
}

// rows: M40 M21
#[tokio::test]
async fn headers_of_a_request_write_no_line_of_a_mail() {
    let stage = Stage::with(
        "[auth]\nadditional_redirect_urls = [\"http://localhost:5173/**\"]
        [auth.email.template.magic_link]\nsubject = \"{{ .RedirectTo }} {{ .ConfirmationURL }}\"",
    )
    .await;
    let target = "http://localhost:5173/a%0D%0ABcc:%20b@example.com";
    let encoded: String = url::form_urlencoded::byte_serialize(target.as_bytes()).collect();
    for path in [
        format!("/otp?redirect_to={encoded}"),
        "/otp?redirect_to=http://localhost:5173/a%0D%0ABcc:%20b@example.com".to_owned(),
        "/otp?redirect_to=http://localhost:5173/%E2%80%A8Bcc:%20b@example.com".to_owned(),
    ] {
        stage.wait(2);
        let asked =
            stage.post(&path, json!({"email": ASHA})).header("accept-language", "en, x\tBcc: b").await;
        assert_eq!(asked.status, 200, "{}", asked.json());
    }
    for (subject, _) in stage.mails(ASHA).await {
        assert!(!subject.chars().any(char::is_control), "{subject:?}");
    }
    let other = stage
        .number("select count(*) from mail.messages where recipients <> array['asha@example.com']")
        .await;
    assert_eq!(other, 0, "nobody else is written to");
}

/// What looks like an address, or becomes it where letters are lowered or normalised, is none and
/// belongs to nobody.
// rows: M19
#[tokio::test]
async fn addresses_that_look_like_another_are_refused_by_every_route() {
    let mut config = banyan_testkit::config_with("[auth.rate_limit]\nsign_in_sign_ups = 1000\n");
    config.auth.rate_limits.token_verifications = 1000;
    let stage = Stage::of(config).await;
    let (own, key) = ("karina@example.com", stage.service_key());
    let session = stage.sign_in(own).await;
    stage.wait(2);
    stage.ask(own).await;
    let code = stage.code(own).await;
    let look_alikes = [
        ("a Cyrillic letter", "k\u{430}rina@example.com"),
        ("the sign for Kelvin, a k when it is lowered", "\u{212a}arina@example.com"),
        ("an i without a dot", "kar\u{131}na@example.com"),
        ("an I with one, an i and a mark when it is lowered", "KAR\u{130}NA@example.com"),
        ("wide letters", "\u{ff4b}arina@example.com"),
        ("a mark that is put on a letter", "k\u{e1}rina@example.com"),
        ("the same, apart from its letter", "ka\u{301}rina@example.com"),
        ("a space of no width", "kar\u{200b}ina@example.com"),
        ("a joiner of no width", "kar\u{200d}ina@example.com"),
        ("a word that reads the other way", "\u{202e}anirak@example.com"),
        ("a soft hyphen", "kar\u{ad}ina@example.com"),
        ("a domain with a Cyrillic letter", "karina@ex\u{430}mple.com"),
        ("a wide dot", "karina@example\u{ff0e}com"),
        ("an at sign of small form", "karina\u{fe6b}example.com"),
        ("U+0000", "karina@example.com\u{0}"),
    ];
    for (what, email) in look_alikes {
        for (path, body) in [
            ("/otp", json!({"email": email})),
            ("/signup", json!({"email": email, "password": "long enough"})),
            ("/recover", json!({"email": email})),
            ("/resend", json!({"email": email, "type": "signup"})),
            ("/verify", json!({"email": email, "type": "email", "token": code})),
            ("/invite", json!({"email": email})),
            ("/admin/users", json!({"email": email})),
            ("/admin/generate_link", json!({"email": email, "type": "magiclink"})),
        ] {
            let refused = stage.post(path, &body).bearer(&key).await;
            assert!(
                matches!(refused.status, 400 | 422),
                "{what}: {path}: {} {}",
                refused.status,
                refused.json()
            );
            assert_eq!(refused.error().1, "validation_failed", "{what}: {path}");
        }
        let body = json!({"email": email, "password": "long enough"});
        let by_password = stage.post("/token?grant_type=password", &body).await;
        // A text with U+0000 is refused before anybody asks whose it is.
        let code = if email.contains('\0') { "validation_failed" } else { "invalid_credentials" };
        assert_eq!(by_password.error(), (400, code), "{what}");
        let put = stage.put("/user", json!({"email": email})).bearer(session.field("access_token"));
        assert_eq!(put.await.error().1, "validation_failed", "{what}");
    }
    assert_eq!(stage.number("select count(*) from auth.users").await, 1);
    let upper = stage.verify("KARINA@Example.COM", &code).await;
    assert_eq!(upper["user"]["id"], session["user"]["id"], "capitals are the same address");
}

// rows: B11
#[tokio::test]
async fn who_asks_is_found_by_one_statement() {
    let stage = Stage::new().await;
    let session = stage.sign_in(ASHA).await;
    let (token, asked) = (session.field("access_token"), "select coalesce(sum(calls), 0)::bigint
        from extensions.pg_stat_statements as s join pg_roles as r on r.oid = s.userid
        where r.rolname = 'supabase_auth_admin' and s.dbid = (select oid from pg_database where datname = current_database())");
    let read = stage.get("/user").bearer(token).await;
    assert_eq!(read.status, 200, "{}", read.json());
    let before = stage.number(asked).await;
    for _ in 0..5 {
        let again = stage.get("/user").bearer(token).await;
        assert_eq!(again.json(), read.json());
    }
    assert_eq!(stage.number(asked).await - before, 5);
    // An endpoint that reads the account in a transaction says the same.
    let put = stage.put("/user", json!({})).bearer(token).await;
    let (mut put, mut read) = (put.json(), read.json());
    for body in [&mut put, &mut read] {
        body.as_object_mut().unwrap().remove("updated_at");
    }
    assert_eq!(put, read);
}
