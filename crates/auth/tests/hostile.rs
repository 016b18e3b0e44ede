//! What a client may send, however odd, is its fault and no fault of the server (CONTRACT.md E1).

use http::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::{ASHA, RAVI, Stage};

const CONFIG: &str = "[auth]\nenable_anonymous_sign_ins = true\nenable_manual_linking = true\n\
    [auth.email]\nenable_confirmations = true\nmax_frequency = \"0s\"\n\
    [auth.sms]\nenable_signup = true\n[auth.sms.test_otp]\n919800000001 = \"123456\"\n\
    [auth.passkey]\nenabled = true\n[auth.webauthn]\nrp_id = \"localhost\"\nrp_origins = [\"http://localhost:3000\"]\n\
    [auth.mfa.totp]\nenroll_enabled = true\nverify_enabled = true\n\
    [auth.mfa.phone]\nenroll_enabled = true\nverify_enabled = true\n\
    [auth.mfa.web_authn]\nenroll_enabled = true\nverify_enabled = true\n\
    [auth.external.google]\nenabled = true\nclient_id = \"us\"\nsecret = \"kept\"\nurl = \"http://127.0.0.1:9\"\n\
    [auth.rate_limit]\nsign_in_sign_ups = 1000000\ntoken_verifications = 1000000\ntoken_refresh = 1000000\n\
    anonymous_users = 1000000\nemail_sent = 1000000\nsms_sent = 1000000\n";

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Nobody,
    User,
    Admin,
}
use By::{Admin, Nobody, User};

/// An endpoint, who asks there, and a body that is as it should be.
type Endpoint = (&'static str, &'static str, By, Value);

/// Method, path, who asks, and the body.
type Asked = (&'static str, String, By, Vec<u8>);

/// Every route with a body; `{user}` and `{factor}` are there, `{id}` is nobody's.
fn endpoints() -> Vec<Endpoint> {
    let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
    let account = json!({"email": "new@example.com", "phone": "919800000009", "password": "long enough", "role": "authenticated",
        "aud": "authenticated", "user_metadata": {"a": 1}, "app_metadata": {"a": 1}, "ban_duration": "none",
        "email_confirm": true, "phone_confirm": true, "nonce": "n"});
    let mut new_account = account.clone();
    new_account["id"] = json!("33333333-3333-4333-8333-333333333333");
    new_account["password_hash"] = json!("$2y$10$SXEz2HeT8PUIGQXo9yeUIem8KzNxgG0d7o/.eGj2rj8KbRgAuRVlq");
    let client = json!({"client_name": "c", "client_uri": "https://a.example", "logo_uri": "https://a.example/l.png",
        "redirect_uris": ["https://a.example/cb"], "grant_types": ["authorization_code"], "response_types": ["code"],
        "client_type": "public", "token_endpoint_auth_method": "none", "scope": "openid"});
    let credential = json!({"id": "AAAA", "rawId": "AAAA", "type": "public-key", "authenticatorAttachment": "platform",
        "clientExtensionResults": {}, "response": {"clientDataJSON": "e30", "attestationObject": "oA", "transports": ["usb"],
        "authenticatorData": "AA", "signature": "AA", "userHandle": "AA"}});
    let passkey = json!({"challenge_id": "33333333-3333-4333-8333-333333333333", "credential": credential,
        "friendly_name": "my phone"});
    let otp = json!({"email": ASHA, "create_user": false, "data": {"a": 1}, "channel": "sms",
        "code_challenge": challenge, "code_challenge_method": "s256", "gotrue_meta_security": {"captcha_token": "t"}});
    let verify =
        json!({"type": "email", "email": ASHA, "token": "000000", "redirect_to": "http://localhost:3000"});
    let phone = json!({"type": "sms", "phone": "919800000001", "token": "000000"});
    vec![
        ("POST", "/otp", Nobody, otp.clone()),
        ("POST", "/otp", Nobody, json!({"phone": "919800000001", "channel": "sms", "create_user": false})),
        ("POST", "/magiclink", Nobody, otp),
        (
            "POST",
            "/resend",
            Nobody,
            json!({"type": "signup", "email": RAVI, "code_challenge": challenge, "code_challenge_method": "s256"}),
        ),
        ("POST", "/resend", Nobody, json!({"type": "sms", "phone": "919800000001"})),
        (
            "POST",
            "/signup",
            Nobody,
            json!({"email": RAVI, "password": "long enough", "data": {"a": 1},
            "code_challenge": challenge, "code_challenge_method": "s256"}),
        ),
        (
            "POST",
            "/signup",
            Nobody,
            json!({"phone": "919800000001", "password": "long enough", "channel": "sms"}),
        ),
        (
            "POST",
            "/recover",
            Nobody,
            json!({"email": ASHA, "code_challenge": challenge, "code_challenge_method": "s256"}),
        ),
        ("POST", "/token?grant_type=password", Nobody, json!({"email": ASHA, "password": "wrong"})),
        ("POST", "/token?grant_type=refresh_token", Nobody, json!({"refresh_token": "aaaaaaaaaaaa"})),
        (
            "POST",
            "/token?grant_type=pkce",
            Nobody,
            json!({"auth_code": "33333333-3333-4333-8333-333333333333", "code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"}),
        ),
        (
            "POST",
            "/token?grant_type=id_token",
            Nobody,
            json!({"provider": "google", "id_token": "e30.e30.AA", "access_token": "a",
            "nonce": "n", "client_id": "us", "issuer": "https://a.example", "link_identity": false}),
        ),
        (
            "POST",
            "/token?grant_type=web3",
            Nobody,
            json!({"chain": "ethereum", "message": "m", "signature": "s"}),
        ),
        ("POST", "/verify", Nobody, verify),
        ("POST", "/verify", Nobody, phone),
        ("POST", "/verify", Nobody, json!({"type": "email", "token_hash": "pkce_0123456789abcdef"})),
        ("POST", "/callback", Nobody, json!({"state": "s", "code": "c"})),
        ("POST", "/invite", Admin, json!({"email": RAVI, "data": {"a": 1}})),
        (
            "PUT",
            "/user",
            User,
            json!({"email": "new@example.com", "phone": "919800000009", "password": "long enough",
            "current_password": "wrong", "nonce": "000000", "data": {"a": 1}, "app_metadata": {"a": 1},
            "code_challenge": challenge, "code_challenge_method": "s256", "channel": "sms"}),
        ),
        ("POST", "/factors", User, json!({"factor_type": "totp", "friendly_name": "f", "issuer": "i"})),
        (
            "POST",
            "/factors",
            User,
            json!({"factor_type": "phone", "friendly_name": "f", "phone": "919800000009"}),
        ),
        ("POST", "/factors", User, json!({"factor_type": "webauthn", "friendly_name": "f"})),
        (
            "POST",
            "/factors/{factor}/challenge",
            User,
            json!({"channel": "sms", "webauthn": {"rpId": "localhost", "rpOrigins": ["http://localhost:3000"]}}),
        ),
        (
            "POST",
            "/factors/{factor}/verify",
            User,
            json!({"challenge_id": "33333333-3333-4333-8333-333333333333", "code": "000000",
            "webauthn": {"rpId": "localhost", "rpOrigins": ["http://localhost:3000"], "type": "create", "credential_response": {"id": "A"}}}),
        ),
        ("POST", "/factors/{id}/challenge", User, json!({"channel": "sms"})),
        (
            "POST",
            "/factors/{id}/verify",
            User,
            json!({"challenge_id": "33333333-3333-4333-8333-333333333333", "code": "000000"}),
        ),
        ("PATCH", "/passkeys/{id}", User, json!({"friendly_name": "f"})),
        ("POST", "/passkeys/registration/options", User, json!({"a": 1})),
        ("POST", "/passkeys/registration/verify", User, passkey.clone()),
        ("POST", "/passkeys/authentication/options", Nobody, json!({"a": 1})),
        ("POST", "/passkeys/authentication/verify", Nobody, passkey),
        ("POST", "/admin/users", Admin, new_account),
        ("PUT", "/admin/users/{user}", Admin, account.clone()),
        ("PUT", "/admin/users/{id}", Admin, account),
        ("DELETE", "/admin/users/{id}", Admin, json!({"should_soft_delete": true})),
        (
            "PUT",
            "/admin/users/{user}/factors/{id}",
            Admin,
            json!({"friendly_name": "f", "phone": "919800000009"}),
        ),
        (
            "PUT",
            "/admin/users/{user}/factors/{factor}",
            Admin,
            json!({"friendly_name": "f", "phone": "919800000009"}),
        ),
        (
            "POST",
            "/admin/generate_link",
            Admin,
            json!({"type": "magiclink", "email": RAVI, "new_email": "new@example.com",
            "password": "long enough", "data": {"a": 1}, "redirect_to": "http://localhost:3000"}),
        ),
        (
            "POST",
            "/admin/generate_link",
            Admin,
            json!({"type": "signup", "email": "newer@example.com", "password": "long enough"}),
        ),
        (
            "POST",
            "/admin/generate_link",
            Admin,
            json!({"type": "email_change_new", "email": RAVI, "new_email": "newest@example.com"}),
        ),
        ("POST", "/admin/oauth/clients", Admin, client.clone()),
        ("PUT", "/admin/oauth/clients/{id}", Admin, client),
        ("POST", "/admin/oauth/clients/{id}/regenerate_secret", Admin, json!({})),
        ("POST", "/logout?scope=local", Nobody, json!({"scope": "local"})),
    ]
}

/// Routes that take what they are told by path and query, each with its parameters.
const ASKED: &[(&str, &str, By, &[&str])] = &[
    ("GET", "/settings", Nobody, &["a"]),
    ("GET", "/health", Nobody, &["a"]),
    ("GET", "/verify", Nobody, &["token", "type", "redirect_to", "email"]),
    (
        "GET",
        "/authorize",
        Nobody,
        &["provider", "redirect_to", "scopes", "invite_token", "code_challenge", "code_challenge_method"],
    ),
    ("GET", "/callback", Nobody, &["state", "code", "error", "error_description", "id_token"]),
    ("GET", "/user", User, &["a"]),
    ("GET", "/reauthenticate", User, &["a"]),
    ("GET", "/user/sessions", User, &["page"]),
    ("DELETE", "/user/sessions/{id}", User, &["a"]),
    (
        "GET",
        "/user/identities/authorize",
        User,
        &["provider", "redirect_to", "scopes", "skip_http_redirect", "code_challenge"],
    ),
    ("DELETE", "/user/identities/{id}", User, &["a"]),
    ("DELETE", "/factors/{id}", User, &["a"]),
    ("GET", "/passkeys", User, &["a"]),
    ("DELETE", "/passkeys/{id}", User, &["a"]),
    ("POST", "/token", Nobody, &["grant_type"]),
    ("POST", "/logout", Nobody, &["scope"]),
    (
        "GET",
        "/admin/users",
        Admin,
        &["page", "per_page", "sort", "filter", "email", "phone", "cursor", "limit", "audience"],
    ),
    ("GET", "/admin/users/{id}", Admin, &["a"]),
    ("GET", "/admin/users/{id}/sessions", Admin, &["page"]),
    ("DELETE", "/admin/users/{user}/sessions/{id}", Admin, &["a"]),
    ("GET", "/admin/users/{id}/factors", Admin, &["a"]),
    ("DELETE", "/admin/users/{user}/factors/{id}", Admin, &["a"]),
    ("GET", "/admin/users/{id}/passkeys", Admin, &["a"]),
    ("DELETE", "/admin/users/{user}/passkeys/{id}", Admin, &["a"]),
    ("GET", "/admin/audit", Admin, &["page", "per_page", "query"]),
    ("GET", "/admin/oauth/clients", Admin, &["page", "per_page"]),
    ("GET", "/admin/oauth/clients/{id}", Admin, &["a"]),
    ("DELETE", "/admin/oauth/clients/{id}", Admin, &["a"]),
];

/// Values that stand in place of one field, as they go over the wire.
fn hostile_values() -> Vec<String> {
    let long = "x".repeat(100_000);
    let mut values: Vec<String> = [
        "null",
        "true",
        "0",
        "-1",
        "1.5",
        "1e999",
        "99999999999999999999999",
        "[]",
        "{}",
        "[null]",
        r#"{"a":null}"#,
        r#""""#,
        r#"" ""#,
        r#""\u0000""#,
        r#""a\u0000b@example.com""#,
        r#"["a\u0000"]"#,
        r#"{"a\u0000":"b\u0000"}"#,
        r#""\ud800""#,
        r#""\udc00\ud800""#,
        r#""\uffff\ufffe""#,
        r#""'; drop table auth.users; --""#,
        r#""%00""#,
        r#""../../..""#,
        r#""00000000-0000-0000-0000-000000000000""#,
        r#""infinity""#,
        r#""\r\nBcc: a@example.com""#,
        r#""999999999999h""#,
        r#""-9223372036854775808ns""#,
        r#""\u202e\u0301""#,
        "[[[[[[[[[[1]]]]]]]]]]",
    ]
    .map(str::to_owned)
    .into();
    values.extend([
        format!("\"{long}\""),
        format!("[{}1]", "1,".repeat(5_000)),
        format!("\"{}\"", "न".repeat(30_000)),
    ]);
    values
}

/// Bodies that are none.
fn hostile_bodies() -> Vec<Vec<u8>> {
    let mut bodies: Vec<Vec<u8>> = [
        "",
        " ",
        "null",
        "true",
        "1",
        "\"x\"",
        "[]",
        "[1]",
        "{",
        "{}x",
        "{\"email\":",
        "\u{feff}{}",
        "\0",
        "email=a%00b",
        "{\"\":1}",
        r#"{"email":"a@example.com","email":"b@example.com"}"#,
        r#"{"email":"\u0000","phone":"\u0000"}"#,
    ]
    .map(|body| body.as_bytes().to_vec())
    .into();
    bodies.extend([
        vec![0xff, 0xfe],
        b"{\"email\":\"\xff\xed\xa0\x80\"}".to_vec(),
        "[".repeat(50_000).into_bytes(),
    ]);
    bodies.push(format!("{}1{}", "{\"a\":".repeat(10_000), "}".repeat(10_000)).into_bytes());
    bodies
}

const HOSTILE_TEXTS: [&str; 16] = [
    "",
    "%00",
    "a%00b",
    "%ff%fe",
    "%ed%a0%80",
    "-1",
    "0",
    "99999999999999999999",
    "9223372036854775807",
    "1e999",
    "%27%3b--",
    "00000000-0000-0000-0000-000000000000",
    "a%0d%0ab",
    "%F0%9F%98%80",
    "..%2f..",
    "null",
];

/// A service, somebody who is signed in, and an account that the admin works at, each with a
/// factor.
#[derive(Clone)]
struct Sweep {
    stage: Stage,
    token: String,
    factor: String,
    user: String,
    factor_of_user: String,
}

impl Sweep {
    async fn new() -> Self {
        let stage = Stage::with(CONFIG).await;
        let (token, _, factor) = Self::somebody(&stage, ASHA).await;
        let (_, user, factor_of_user) = Self::somebody(&stage, "worked-at@example.com").await;
        Self { stage, token, factor, user, factor_of_user }
    }

    /// Token, id and factor of a new account.
    async fn somebody(stage: &Stage, email: &str) -> (String, String, String) {
        let session = stage.sign_in(email).await;
        let token = session.field("access_token").to_owned();
        let body = json!({"factor_type": "totp", "friendly_name": "mine"});
        let factor = stage.post("/factors", &body).bearer(&token).await;
        assert_eq!(factor.status, 200, "{}", factor.json());
        let user = session["user"]["id"].as_str().expect("a user").to_owned();
        (token, user, factor.field("id").to_owned())
    }

    fn path(&self, path: &str) -> String {
        let factor = if path.starts_with("/admin") { &self.factor_of_user } else { &self.factor };
        let nobody = Uuid::from_u128(7).to_string();
        path.replace("{user}", &self.user).replace("{factor}", factor).replace("{id}", &nobody)
    }

    /// Sends it from an address of its own, so that no limit stands before what is tried.
    async fn send(&self, number: usize, (method, path, by, body): Asked) -> Option<String> {
        let call = self.stage.call(Method::from_bytes(method.as_bytes()).expect("a method"), &path);
        let call = match by {
            Nobody => call,
            User => call.bearer(&self.token),
            Admin => call.bearer(&self.stage.service_key()),
        };
        let [.., b, c, d] = number.to_be_bytes();
        let answer = call.from([10, b, c, d]).bytes(body.clone()).await;
        let shown = String::from_utf8_lossy(&body[..body.len().min(200)]).into_owned();
        (answer.status >= 500)
            .then(|| format!("{method} {path} {shown} -> {} {}", answer.status, answer.text()))
    }

    /// Sends all, some at a time, and says which of them were answered with a fault of the server.
    async fn faults(&self, requests: Vec<Asked>) -> Vec<String> {
        let requests = std::sync::Arc::new(std::sync::Mutex::new(requests));
        let workers = (0..8).map(|_| {
            let (sweep, requests) = (self.clone(), requests.clone());
            tokio::spawn(async move {
                let mut faults = Vec::new();
                loop {
                    let (number, next) = {
                        let mut left = requests.lock().unwrap();
                        (left.len(), left.pop())
                    };
                    let Some(asked) = next else { return faults };
                    faults.extend(sweep.send(number, asked).await);
                }
            })
        });
        let mut faults = Vec::new();
        for worker in workers.collect::<Vec<_>>() {
            faults.extend(worker.await.expect("no request ends its task"));
        }
        faults
    }

    /// The session was there until the end, or else nothing behind it was met.
    async fn is_still_there(&self) {
        let own = self.stage.get("/user").bearer(&self.token).await;
        assert_eq!(own.status, 200, "{}", own.json());
    }
}

fn written(fields: &Value, changed: &str, value: &str) -> Vec<u8> {
    let fields = fields.as_object().expect("an object").iter();
    let fields: Vec<String> = fields
        .map(|(name, valid)| {
            format!("{name:?}:{}", if name == changed { value.to_owned() } else { valid.to_string() })
        })
        .collect();
    format!("{{{}}}", fields.join(",")).into_bytes()
}

// rows: W5
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_field_of_any_body_makes_a_fault_of_the_server() {
    let sweep = Sweep::new().await;
    let mut requests = Vec::new();
    for (method, path, by, body) in endpoints() {
        let path = sweep.path(path);
        for name in body.as_object().expect("an object").keys() {
            for value in hostile_values() {
                requests.push((method, path.clone(), by, written(&body, name, &value)));
            }
        }
    }
    let faults = sweep.faults(requests).await;
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    sweep.is_still_there().await;
}

// rows: W5
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_body_makes_a_fault_of_the_server() {
    let sweep = Sweep::new().await;
    let mut requests = Vec::new();
    for (method, path, by, _) in endpoints() {
        for body in hostile_bodies() {
            requests.push((method, sweep.path(path), by, body));
        }
    }
    let faults = sweep.faults(requests).await;
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    sweep.is_still_there().await;
}

// rows: W5
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_path_and_no_query_makes_a_fault_of_the_server() {
    let sweep = Sweep::new().await;
    let mut requests = Vec::new();
    let with_ids = endpoints().into_iter().map(|(method, path, by, _)| (method, path, by));
    for (method, path, by) in with_ids.chain(ASKED.iter().map(|(method, path, by, _)| (*method, *path, *by)))
    {
        for text in HOSTILE_TEXTS.into_iter().filter(|text| path.contains('{') && !text.is_empty()) {
            let nobodys = path.replace("{id}", text).replace("{factor}", text);
            requests.push((method, sweep.path(&nobodys), by, b"{}".to_vec()));
            if path.starts_with("/admin/users/{user}/") {
                requests.push((method, sweep.path(&path.replace("{user}", text)), by, b"{}".to_vec()));
            }
        }
    }
    for (method, path, by, names) in ASKED {
        for (name, text) in names.iter().flat_map(|name| HOSTILE_TEXTS.map(|text| (name, text))) {
            requests.push((method, format!("{}?{name}={text}", sweep.path(path)), *by, Vec::new()));
        }
    }
    let faults = sweep.faults(requests).await;
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    sweep.is_still_there().await;
}
