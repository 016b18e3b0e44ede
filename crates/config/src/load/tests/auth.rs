//! The section `[auth]`.

use super::*;

// rows: auth/Q1 CFG-CLIENT-ADDRESS
#[test]
fn behind_a_public_server_it_has_to_be_said_how_clients_are_told_apart() {
    let demo = "[server]\ndemo_keys = true\n";
    for config in [PUBLIC_SITE, "[api]\nexternal_url = \"https://api.school.example\"\n"] {
        let error = load_text(config, demo, &[]).expect_err("whose requests are they?").to_string();
        assert!(error.starts_with("auth.client_address_header: must be set in banyan.toml"), "{error}");
        assert!(error.contains("school.example") && error.contains("X-Forwarded-For"), "{error}");
    }
    let header = |banyan: &str, variables: &[(&str, &str)]| {
        let loaded = load_text(PUBLIC_SITE, &format!("{demo}{banyan}"), variables).expect("loads");
        loaded.config.auth.client_address.header
    };
    let named = "[auth]\nclient_address_header = \"X-Real-IP\"\n";
    assert_eq!(header(named, &[]).as_deref(), Some("X-Real-IP"));
    assert_eq!(header("[auth]\nclient_address_header = \"none\"\n", &[]), None);
    for name in ["GOTRUE_RATE_LIMIT_HEADER", "SUPABASE_AUTH_CLIENT_ADDRESS_HEADER"] {
        assert_eq!(header("", &[(name, "X-Forwarded-For")]).as_deref(), Some("X-Forwarded-For"), "{name}");
    }
    let listener = format!("{demo}host = \"0.0.0.0\"\n");
    load_text(PUBLIC_SITE, &listener, &[]).expect("who answers everybody sees everybody");
    load_text("[auth]\nsite_url = \"http://localhost:5173\"\n", "", &[])
        .expect("local work needs no setting");
}

#[test]
fn a_start_that_others_reach_tells_that_addresses_need_no_proof() {
    let reported = |config: &str, banyan: &str| {
        let mut config = load_text(&format!("{PUBLIC_SITE}{config}"), banyan, &[]).expect("loads").config;
        assert_eq!(config.doubt_of_addresses(), None, "with the demo keys worse is told");
        // As with keys of its own.
        config.server.demo_keys = false;
        config.doubt_of_addresses().is_some()
    };
    let on = "[auth.email]\nenable_confirmations = true\n";
    assert!(reported("", DEMO) && !reported(on, DEMO));
    assert!(!reported("enable_signup = false\n", DEMO), "nobody signs up");
    assert!(
        !reported("", &format!("{DEMO}[auth.email]\nenable_password = false\n")),
        "no password is left behind"
    );
    let local = load_text("", "", &[]).expect("loads").config;
    assert_eq!(local.doubt_of_addresses(), None, "on this machine alone it is as in the supabase CLI");
}

#[test]
fn passwords_are_there_unless_the_project_switches_them_off() {
    let enabled = |banyan: &str| load_text("", banyan, &[]).expect("loads").config.auth.passwords.enabled;
    assert!(enabled(""));
    let off = "[auth.email]\nenable_password = false\n";
    assert!(!enabled(off));
    let variable = [("SUPABASE_AUTH_EMAIL_ENABLE_PASSWORD", "true")];
    let loaded = load_text("[auth.email]\notp_length = 6\n", off, &variable).expect("loads");
    assert!(loaded.config.auth.passwords.enabled, "the environment wins");
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
}

#[test]
fn a_project_with_a_public_address_is_not_for_this_machine_alone() {
    let is = |text: &str| load_text(text, DEMO, &[]).expect(text).config.is_for_this_machine();
    assert!(is(""));
    assert!(is("[auth]\nsite_url = \"http://[::1]:3000\"\n"));
    assert!(!is("[auth]\nsite_url = \"https://school.example\"\n"));
    assert!(!is("[auth]\nsite_url = \"http://localhost.school.example\"\n"));
}

// rows: CFG-AUTH CFG-RATES CFG-SESSIONS CFG-MFA CFG-CAPTCHA
#[test]
fn the_auth_section_of_an_empty_file_gives_the_documented_defaults() {
    let auth = load_text("", "", &[]).expect("loads").config.auth;
    assert_eq!((auth.passwords.min_length, auth.passwords.required_characters.len()), (6, 0));
    assert!(!auth.enable_anonymous_sign_ins && !auth.enable_manual_linking && !auth.passkeys_enabled);
    assert_eq!((auth.sessions.timebox, auth.sessions.inactivity_timeout), (None, None));
    assert!(!auth.mfa.totp.enroll && !auth.mfa.phone.verify && !auth.mfa.web_authn.enroll);
    assert_eq!((auth.mfa.max_enrolled_factors, auth.mfa.phone_code.length), (10, 6));
    assert!(auth.captcha.is_none() && auth.external.is_empty() && auth.notifications.is_empty());
    assert_eq!((auth.rate_limits.sms_sent, auth.rate_limits.anonymous_users), (30, 30));
    assert_eq!((auth.sms.max_frequency.as_secs(), auth.sms.otp_expiry.as_secs()), (5, 6000));
    assert_eq!(auth.max_request_duration.as_secs(), 10);
}

// rows: CFG-AUTH
#[test]
fn every_part_of_the_auth_section_is_read() {
    let config = r#"
[auth]
minimum_password_length = 9
password_requirements = "letters_digits"
enable_anonymous_sign_ins = true
[auth.sessions]
timebox = "24h"
[auth.captcha]
enabled = true
provider = "turnstile"
secret = "s"
[auth.mfa.totp]
enroll_enabled = true
verify_enabled = true
[auth.mfa.phone]
otp_length = 8
[auth.passkey]
enabled = true
[auth.webauthn]
rp_id = "school.example"
rp_origins = ["https://app.school.example"]
[auth.hook.before_user_created]
enabled = true
uri = "pg-functions://postgres/public/check_user"
[auth.external.google]
enabled = true
client_id = "a, b"
secret = "s"
[auth.sms]
enable_signup = true
[auth.sms.test_otp]
"+911234567890" = "123456"
[auth.email.notification.password_changed]
enabled = true
subject = "Changed"
"#;
    let banyan = "[auth]\nsingle_session_per_user = true\n[auth.email.template.magic_link.hi]\nsubject = \"Namaste\"\n";
    let variables = [("GOTRUE_PASSWORD_HIBP_ENABLED", "true"), ("GOTRUE_RATE_LIMIT_HEADER", "X-Real-IP")];
    let loaded = load_text(config, banyan, &variables).expect("loads");
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    let auth = loaded.config.auth;
    assert_eq!((auth.passwords.min_length, auth.passwords.required_characters.len()), (9, 2));
    assert!(auth.passwords.leaked.is_some() && auth.enable_anonymous_sign_ins);
    assert_eq!(auth.sessions.timebox.map(|limit| limit.as_secs()), Some(86_400));
    assert!(auth.sessions.single_per_user && auth.passkeys_enabled && auth.mfa.totp.enroll);
    assert_eq!(auth.mfa.phone_code.length, 8);
    assert_eq!(auth.captcha.map(|captcha| captcha.provider), Some(crate::CaptchaProvider::Turnstile));
    assert!(matches!(auth.hooks.before_user_created, Some(crate::Hook::Postgres { .. })));
    assert_eq!(auth.external["google"].client_ids, ["a", "b"]);
    assert_eq!(auth.sms.test_otp["911234567890"], "123456");
    assert_eq!(auth.notifications["password_changed"].subject.as_deref(), Some("Changed"));
    assert_eq!(auth.localized_templates["magic_link"]["hi"].subject.as_deref(), Some("Namaste"));
    assert_eq!(auth.client_address.header.as_deref(), Some("X-Real-IP"));
}

// rows: CFG-NOT-OFFERED
#[test]
fn what_is_switched_on_and_not_offered_is_said() {
    let loaded =
        load_text("[auth.oauth_server]\nenabled = true\n[auth.web3.solana]\nenabled = false\n", "", &[]);
    let warnings = loaded.expect("loads").warnings;
    assert_eq!(warnings, ["config.toml: `auth.oauth_server` is not offered by this version and stays off"]);
}

// rows: auth/G2 auth/G18 CFG-EXTERNAL
#[test]
fn a_provider_that_cannot_be_asked_is_said() {
    let on = |name: &str, more: &str| {
        let text =
            format!("[auth.external.{name}]\nenabled = true\nclient_id = \"a\"\nsecret = \"b\"\n{more}");
        load_text(&text, "", &[]).expect("loads")
    };
    let github = on("github", "");
    assert!(github.config.auth.external["github"].issuer.is_none());
    let [warning] = github.warnings.as_slice() else { panic!("{:?}", github.warnings) };
    assert_eq!(
        warning,
        "config.toml: `auth.external.github` stays off: this version offers providers of OpenID Connect alone, and github signs in \
         by OAuth 2"
    );
    assert!(on("slack", "").warnings[0].ends_with("by OAuth 2; `slack_oidc` is offered"));
    assert!(on("keycloak", "").warnings[0].ends_with("stays off: it needs `url`, the issuer of the realm"));
    let silent = "[auth.external.google]\nenabled = true\nclient_id = \"a\"\n";
    let said = load_text(silent, "", &[]).expect("id_tokens need none").warnings;
    assert!(said[0].starts_with("config.toml: `auth.external.google` has no `secret`: "), "{said:?}");
    let own = "url = \"https://login.school.example/\"\n";
    for (name, more, issuer) in [
        ("google", "", "https://accounts.google.com"),
        ("keycloak", own, "https://login.school.example"),
        ("google", own, "https://login.school.example"),
    ] {
        let loaded = on(name, more);
        assert_eq!(loaded.warnings, Vec::<String>::new(), "{name}");
        assert_eq!(loaded.config.auth.external[name].issuer.as_deref(), Some(issuer));
    }
    let off = load_text("[auth.external.github]\nenabled = false\n", "", &[]).expect("loads");
    assert_eq!(off.warnings, Vec::<String>::new());
}

// rows: auth/I2
#[test]
fn an_issuer_of_id_tokens_is_listed_with_our_client_ids_there() {
    let listed = "[auth.id_token_issuers]\n\"https://issuer.example/\" = [\"school\"]\n";
    let variables = [("GOTRUE_EXTERNAL_ALLOWED_ID_TOKEN_ISSUERS", "https://issuer.example")];
    let issuers = load_text("", listed, &variables).expect("loads").config.auth.id_token_issuers;
    assert_eq!(issuers["https://issuer.example"], ["school"]);
    let bare = load_text("", "", &variables).expect_err("whose tokens?");
    assert!(bare.to_string().contains("https://issuer.example"), "{bare}");
    let empty = "[auth.id_token_issuers]\n\"https://issuer.example\" = []\n";
    assert!(load_text("", empty, &[]).is_err());
}

#[test]
fn site_urls_are_urls_and_those_of_applications_are_no_address_of_the_stack() {
    for url in ["localhost:3000", "school.example", ""] {
        let refused =
            load_text(&format!("[auth]\nsite_url = \"{url}\"\n"), "", &[]).expect_err(url).to_string();
        assert!(refused.starts_with("auth.site_url: must be a URL with its scheme"), "{url}: {refused}");
    }
    for url in ["exp://127.0.0.1:8081", "myapp://login", "http://localhost:3000/"] {
        let loaded = load_text(&format!("[auth]\nsite_url = \"{url}\"\n"), "", &[]).expect(url);
        assert_eq!(loaded.config.auth.site_url, url.trim_end_matches('/'));
    }
}

#[test]
fn a_provider_in_capitals_is_asked_for_in_its_own_letters() {
    let google = "[auth.external.Google]\nenabled = true\nclient_id = \"a\"\nsecret = \"b\"\n";
    let refused = load_text(google, "", &[]).expect_err("no such provider").to_string();
    assert!(refused.contains("did you mean google?") && !refused.contains("OAuth 2"), "{refused}");
}

// rows: CFG-EMAIL
#[test]
fn the_section_of_mail_of_an_empty_file_gives_the_documented_defaults() {
    let auth = load_text("", "", &[]).expect("loads").config.auth;
    assert!(auth.email_enabled && auth.double_confirm_changes && !auth.confirm_email);
    assert!(!auth.passwords.require_reauthentication && !auth.passwords.require_current);
    let seconds = (auth.otp.expiry.as_secs(), auth.otp.max_frequency.as_secs());
    assert_eq!((auth.otp.length, seconds), (6, (3600, 1)));
}
