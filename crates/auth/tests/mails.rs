use banyan_config::EmailTemplate;
use banyan_testkit::Answer;
use serde_json::{Value, json};

use crate::{
    passwords::{PASSWORD, sign_up},
    support::{ASHA, RAVI, Stage},
};

/// All variables, so that a test can read each.
const ALL: &str = "{{ .SiteURL }}|{{ .ConfirmationURL }}|{{ .Email }}|{{ .Token }}|{{ .TokenHash }}|{{ .Data.name }}|{{ .RedirectTo }}|{{ .NewEmail }}|{{ .OldEmail }}|{{ .SendingTo }}";

fn template(subject: &str, content: &str) -> EmailTemplate {
    EmailTemplate { subject: Some(subject.into()), content: Some(content.into()) }
}

/// The last mail to somebody, cut at the bars.
async fn parts(stage: &Stage, to: &str) -> Vec<String> {
    let (_, text) = stage.mails(to).await.pop().unwrap();
    text.split('|').map(str::to_owned).collect()
}

async fn put(stage: &Stage, session: &Answer, body: Value) -> Answer {
    stage.put("/user", &body).bearer(session.field("access_token")).await
}

// rows: M2 M3 M21 M37
#[tokio::test]
async fn a_mail_knows_every_common_variable() {
    let mut config = banyan_testkit::config();
    config.auth.redirect_urls.push("https://app.example.com/**".into());
    for name in ["magic_link", "confirmation", "recovery", "invite"] {
        config.auth.templates.insert(name.into(), template("x", ALL));
    }
    config.auth.confirm_email = true;
    let stage = Stage::of(config).await;
    let data = json!({"name": "Asha"});
    let sign_up = json!({"email": ASHA, "password": PASSWORD, "data": data});
    let target = "?redirect_to=https%3A%2F%2Fapp.example.com%2Fwelcome";
    stage.post(&format!("/signup{target}"), &sign_up).await;
    let invited = json!({"email": RAVI, "data": data});
    stage.post(&format!("/invite{target}"), &invited).bearer(&stage.service_key()).await;
    for (to, kind) in [(ASHA, "signup"), (RAVI, "invite")] {
        let parts = parts(&stage, to).await;
        assert_eq!((parts[0].as_str(), parts[2].as_str()), ("http://127.0.0.1:3000", to));
        assert_eq!(parts[3].len(), 6, "{parts:?}");
        assert_eq!((parts[4].len(), parts[5].as_str()), (56, "Asha"));
        assert_eq!(parts[6], "https://app.example.com/welcome");
        let expected = format!(
            "http://127.0.0.1:54321/auth/v1/verify?token={}&type={kind}&redirect_to=https%3A%2F%2Fapp.example.com%2Fwelcome",
            parts[4]
        );
        assert_eq!(parts[1], expected);
        let stored =
            sqlx::query_scalar::<_, i64>("select count(*) from auth.one_time_tokens where token_hash = $1")
                .bind(&parts[4])
                .fetch_one(stage.sql())
                .await
                .unwrap();
        assert_eq!(stored, 0, "M3: what the mail says is of no use to who reads the table");
    }
    stage.verify(ASHA, &parts(&stage, ASHA).await[3]).await;
    stage.wait(2);
    stage.post("/recover", json!({"email": ASHA})).await;
    assert!(parts(&stage, ASHA).await[1].contains("type=recovery"));
    stage.wait(2);
    stage.post("/magiclink", json!({"email": ASHA})).await;
    assert!(parts(&stage, ASHA).await[1].contains("type=magiclink"), "H9");
}

// rows: M34 U2
#[tokio::test]
async fn both_mails_of_a_change_know_both_addresses() {
    let mut config = banyan_testkit::config();
    config.auth.templates.insert("email_change".into(), template("x", ALL));
    let stage = Stage::of(config).await;
    let session = sign_up(&stage, ASHA).await;
    put(&stage, &session, json!({"email": RAVI})).await;
    for to in [ASHA, RAVI] {
        let parts = parts(&stage, to).await;
        assert_eq!((parts[7].as_str(), parts[8].as_str(), parts[9].as_str()), (RAVI, ASHA, to));
        assert!(parts[1].contains("type=email_change"));
    }
    assert_ne!(parts(&stage, ASHA).await[4], parts(&stage, RAVI).await[4]);
}

// rows: M36
#[tokio::test]
async fn notices_are_sent_when_they_are_switched_on() {
    let quiet = Stage::new().await;
    let session = sign_up(&quiet, ASHA).await;
    assert_eq!(put(&quiet, &session, json!({"password": "another password"})).await.status, 200);
    assert!(quiet.mails(ASHA).await.is_empty(), "off by default");

    let mut config = banyan_testkit::config();
    config.auth.double_confirm_changes = false;
    config.auth.sms.enabled = true;
    for name in ["password_changed", "email_changed", "phone_changed"] {
        config.auth.notifications.insert(name.into(), EmailTemplate::default());
    }
    let stage = Stage::of(config).await;
    let session = sign_up(&stage, ASHA).await;
    put(&stage, &session, json!({"password": "another password"})).await;
    let (subject, text) = stage.mails(ASHA).await.pop().unwrap();
    assert_eq!(subject, "Your password was changed");
    assert!(text.contains(ASHA), "{text}");
    for phone in ["919800000000", "919800000001"] {
        stage.wait(2);
        put(&stage, &session, json!({"phone": phone})).await;
    }
    let (_, text) = stage.mails(ASHA).await.pop().unwrap();
    assert!(text.contains("from 919800000000 to 919800000001"), "{text}");
    stage.wait(2);
    put(&stage, &session, json!({"email": RAVI})).await;
    let body = json!({"type": "email_change", "email": RAVI, "token": stage.code(RAVI).await});
    assert_eq!(stage.post("/verify", &body).await.status, 200);
    let (subject, text) = stage.mails(ASHA).await.pop().unwrap();
    assert_eq!(subject, "Your e-mail address was changed", "U6: the old address is told");
    assert!(text.contains(&format!("from {ASHA} to {RAVI}")), "{text}");
}

// rows: M35 M41
#[tokio::test]
async fn a_mail_of_reauthentication_has_a_code_and_no_link() {
    let stage = Stage::new().await;
    let session = sign_up(&stage, ASHA).await;
    stage.get("/reauthenticate").bearer(session.field("access_token")).await;
    let (subject, _) = stage.mails(ASHA).await.pop().unwrap();
    assert_eq!(subject, format!("{} is your verification code", stage.code(ASHA).await));
    let html: String =
        sqlx::query_scalar("select html_body from mail.messages order by created_at desc limit 1")
            .fetch_one(stage.sql())
            .await
            .unwrap();
    assert!(!html.contains("/verify"), "{html}");
}

// rows: M39 C10
#[tokio::test]
async fn a_mail_is_in_the_language_of_its_reader() {
    let mut config = banyan_testkit::config();
    let hindi = template("{{ .Token }} आपका कोड है", "<p>नमस्ते {{ .Token }}</p>");
    let marathi =
        EmailTemplate { subject: Some("{{ .Token }} तुमचा कोड".into()), content: None };
    let by_locale = [("hi".to_owned(), hindi), ("mr-IN".to_owned(), marathi)].into();
    config.auth.localized_templates.insert("magic_link".into(), by_locale);
    let stage = Stage::of(config).await;
    let of = async |email: &str, data: Value, header: &str| {
        let body = json!({"email": email, "data": data});
        stage.post("/otp", &body).header("accept-language", header).await;
        stage.mails(email).await.pop().unwrap()
    };
    let (subject, text) = of("a@example.com", json!({"lang": "hi"}), "en").await;
    assert!(subject.ends_with("आपका कोड है") && text.starts_with("नमस्ते"), "{subject} {text}");
    let (subject, text) = of("b@example.com", json!({}), "fr;q=0.9, mr-IN;q=0.8, hi;q=0.1").await;
    assert!(subject.ends_with("तुमचा कोड"), "{subject}");
    assert!(text.contains("Enter this code"), "what a language leaves out is said in general: {text}");
    let (subject, _) = of("c@example.com", json!({"lang": "fr"}), "").await;
    assert!(subject.ends_with("is your sign-in code"), "{subject}");
}

// rows: M40
#[tokio::test]
async fn the_projects_headers_name_the_kind_of_mail() {
    let mut config = banyan_testkit::config();
    config.auth.mail_headers.insert("X-Kind".into(), vec!["auth-$messageType".into(), "banyan".into()]);
    let stage = Stage::of(config).await;
    stage.ask(ASHA).await;
    let headers: Value =
        sqlx::query_scalar("select headers from mail.messages").fetch_one(stage.sql()).await.unwrap();
    assert_eq!(headers, json!([["X-Kind", "auth-magic_link"], ["X-Kind", "banyan"]]));
}

// rows: M22
#[tokio::test]
async fn a_mail_that_cannot_be_written_keeps_nothing() {
    let mut config = banyan_testkit::config();
    let without_subject = template("{{ .Data.nothing }}", "{{ .Token }}");
    config.auth.templates.insert("magic_link".into(), without_subject.clone());
    config.auth.templates.insert("recovery".into(), without_subject);
    let stage = Stage::of(config).await;
    sign_up(&stage, ASHA).await;
    let silent = stage.post("/recover", json!({"email": ASHA})).await;
    assert_eq!(
        (silent.status, silent.json()),
        (200, json!({})),
        "M16: nobody learns that there is an account"
    );
    stage.wait(2);
    let failed = stage.ask(ASHA).await;
    assert_eq!((failed.error(), failed.field("msg")), ((500, "unexpected_failure"), "Error sending email"));
    assert_eq!(
        stage.number("select count(*) from auth.one_time_tokens").await,
        0,
        "no code without its mail"
    );
    assert_eq!(stage.number("select count(*) from mail.messages").await, 0);
}

// rows: M19
#[tokio::test]
async fn addresses_and_names_cannot_bring_lines_of_their_own() {
    let stage = Stage::new().await;
    for email in
        ["a@example.com\r\nBcc: b@example.com", "a@example.com\u{0}", "a@exa\nmple.com", "\"a\"@example.com>"]
    {
        let body = json!({"email": email, "password": PASSWORD});
        for path in ["/signup", "/otp", "/recover"] {
            assert_eq!(stage.post(path, &body).await.error(), (400, "validation_failed"), "{path} {email:?}");
        }
    }
    let mut config = banyan_testkit::config();
    config.auth.templates.insert("magic_link".into(), template("Hello {{ .Data.name }}", "{{ .Data.name }}"));
    let stage = Stage::of(config).await;
    let data = json!({"name": "A\r\nBcc: b@example.com\r\n\r\n<script>x</script>"});
    stage.post("/otp", json!({"email": ASHA, "data": data})).await;
    let (subject, html): (String, String) =
        sqlx::query_as("select subject, html_body from mail.messages").fetch_one(stage.sql()).await.unwrap();
    assert!(!subject.contains(['\r', '\n']), "{subject:?}");
    assert!(!html.contains("<script>"), "{html}");
}

// rows: M1
#[tokio::test]
async fn codes_have_the_length_that_the_project_wants() {
    let stage = Stage::with("[auth.email]\notp_length = 8\n").await;
    stage.ask(ASHA).await;
    let (subject, _) = stage.mails(ASHA).await.pop().unwrap();
    let code = subject.split(' ').next().unwrap();
    assert!(code.len() == 8 && code.bytes().all(|b| b.is_ascii_digit()), "{subject}");
    assert_eq!(stage.verify(ASHA, code).await.status, 200);
}

// rows: M5 M10 V3
#[tokio::test]
async fn a_right_code_uses_all_of_the_users_codes_up() {
    let stage = Stage::new().await;
    let session = sign_up(&stage, ASHA).await;
    put(&stage, &session, json!({"email": RAVI})).await;
    let change = stage.code(RAVI).await;
    stage.wait(2);
    stage.ask(ASHA).await;
    let body = json!({"type": "magiclink", "email": ASHA, "token": stage.code(ASHA).await});
    assert_eq!(stage.post("/verify", &body).await.status, 200, "M10: of a known user also as magiclink");
    let body = json!({"type": "email_change", "email": RAVI, "token": change});
    assert_eq!(stage.post("/verify", &body).await.error(), (403, "otp_expired"));
}

// rows: V4 V13 B7
#[tokio::test]
async fn effects_of_a_right_code() {
    let stage = Stage::with("[auth.email]\nenable_confirmations = true\n").await;
    stage.ask(ASHA).await;
    let session = stage.verify(ASHA, &stage.code(ASHA).await).await;
    assert!(
        session["user"]["email_confirmed_at"].is_string() && session["user"]["last_sign_in_at"].is_string()
    );
    assert_eq!(stage.claims(session.field("access_token"))["amr"][0]["method"], "otp", "T14");
    let logged = "select count(*) from auth.audit_log_entries where payload ->> 'action' = 'user_signedup'";
    assert!(stage.number(logged).await >= 1);
    stage.wait(2);
    stage.ask(ASHA).await;
    let code = stage.code(ASHA).await;
    stage.execute("update auth.users set banned_until = '2099-01-01'").await;
    assert_eq!(stage.verify(ASHA, &code).await.error(), (403, "user_banned"));
}

// rows: U4 U8 C8 T-9
#[tokio::test]
async fn one_of_two_codes_never_suffices() {
    for confirm in [false, true] {
        let stage = Stage::with(&format!("[auth.email]\nenable_confirmations = {confirm}\n")).await;
        let session = stage.sign_in(ASHA).await;
        stage.wait(2);
        put(&stage, &session, json!({"email": RAVI})).await;
        let verify = async |email: &str, token: &str| {
            stage.post("/verify", json!({"type": "email_change", "email": email, "token": token})).await
        };
        let (old, new) = (stage.code(ASHA).await, stage.code(RAVI).await);
        if old != new {
            assert_eq!(
                verify(RAVI, &old).await.error(),
                (403, "otp_expired"),
                "U8: each address has its own code"
            );
        }
        assert_eq!(verify(RAVI, &new).await["code"], "200", "V10: confirmations {confirm}");
        assert_eq!(
            verify(RAVI, &new).await.error(),
            (403, "otp_expired"),
            "nor does one of them count twice"
        );
        let user = stage.get("/user").bearer(session.field("access_token")).await;
        assert_eq!((&user["email"], &user["new_email"]), (&json!(ASHA), &json!(RAVI)));
        assert_eq!(verify(ASHA, &old).await["user"]["email"], RAVI);
    }
}

// rows: U6
#[tokio::test]
async fn somebody_without_an_address_gets_its_identity_by_the_change() {
    let stage = Stage::new().await;
    let made = stage
        .post("/admin/users", json!({"phone": "919800000000", "phone_confirm": true}))
        .bearer(&stage.service_key())
        .await;
    let path = format!("/admin/users/{}", made.field("id"));
    stage.wait(1);
    let changed =
        stage.put(&path, json!({"email": ASHA, "email_confirm": true})).bearer(&stage.service_key()).await;
    let providers: Vec<_> =
        changed["identities"].as_array().unwrap().iter().map(|one| one["provider"].clone()).collect();
    assert_eq!(providers, [json!("phone"), json!("email")], "{}", changed.json());
    assert_eq!(changed["app_metadata"]["provider"], "phone", "O12: the first stays the first");
}

// rows: M22
#[tokio::test]
async fn a_mail_goes_out_as_soon_as_its_code_is_stored() {
    let stage = Stage::new().await;
    let server = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let inbox = &stage.config().local_smtp;
    let smtp = banyan_mail::SmtpSettings::inbox(inbox, server.local_addr().unwrap()).unwrap();
    let stop = tokio_util::sync::CancellationToken::new();
    let stop = banyan_mail::Shutdown::within(std::time::Duration::from_secs(15), stop);
    let drain = tokio::spawn(banyan_mail::drain(stage.mail.clone(), smtp, stage.clock.clone(), stop));
    // The drain's first look is over, and its next one is seconds away.
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    assert_eq!(stage.post("/otp", json!({"email": ASHA})).await.status, 200);
    let called = tokio::time::timeout(std::time::Duration::from_secs(3), server.accept()).await;
    assert!(called.is_ok(), "nobody was woken");
    drain.abort();
}

// rows: M38
#[tokio::test]
async fn a_template_that_cannot_be_read_is_told_before_anybody_asks_for_a_mail() {
    let stage = Stage::new().await;
    for content in ["{{ .Token", "{{ range $k, $v := .Data }}{{ $k }}{{ end }}"] {
        let mut config = banyan_testkit::config();
        config.auth.templates.insert("recovery".into(), template("x", content));
        let problem = stage.refused_with(&config);
        assert!(
            problem.starts_with("auth.email.template.recovery.content_path: this template cannot be used: "),
            "{problem}"
        );
    }
}
