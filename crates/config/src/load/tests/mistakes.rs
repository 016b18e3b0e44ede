//! What is wrong in the files, and how it is said.

use super::*;

// rows: CFG-UNKNOWN
#[test]
fn an_unknown_key_is_a_warning_and_no_error() {
    let official = "[api]\nprot = 1\n[studio]\nenabled = true\n[school]\n";
    let loaded = load_text(official, "[server]\nport = 1\n", &[]).expect("loads");
    assert_eq!(
        loaded.warnings,
        [
            "config.toml: unknown key `api.prot`; did you mean `port`?",
            "config.toml: unknown key `school`",
            "config.toml: `studio` is not used by this version",
            "banyan.toml: unknown key `server.port`",
        ]
    );
}

// rows: CFG-UNKNOWN
#[test]
fn a_misspelt_setting_of_auth_ends_the_start() {
    for (config, banyan, key) in [
        ("[auth.hook.before_user_create]\nenabled = true\n", "", "auth.hook.before_user_create"),
        ("[auth.captca]\nenabled = true\n", "", "auth.captca"),
        ("[auth]\nenable_signups = false\n", "", "auth.enable_signups"),
        ("[auth.mfa.totp]\nverify_enable = true\n", "", "auth.mfa.totp.verify_enable"),
        ("", "[auth]\nclient_adress_header = \"x\"\n", "auth.client_adress_header"),
        ("[auth]\nclient_address_header = \"x\"\n", "", "auth.client_address_header"),
        ("[hook.before_user_created]\nenabled = true\n", "", "hook"),
        ("", "[server]\nrequire_apikey = true\n", "server.require_apikey"),
        ("", "[functions.x]\nrole = [\"service_role\"]\n", "functions.x.role"),
    ] {
        let error = load_text(config, banyan, &[]).expect_err(key).to_string();
        assert!(error.starts_with(&format!("{key}: ")), "{error}");
    }
    load_text("[auth]\nschool = 1\n", "", &[]).expect("what is near nothing is a warning");
}

// rows: CFG-VALUES
#[test]
fn all_that_is_wrong_is_said_at_once() {
    let config = "[auth]\njwt_expiry = \"1h\"\nenable_signup = \"no\"\n[auth.email]\notp_length = 4\n[auth.captcha]\n\
        enabled = true\nprovider = \"riddle\"\n[api]\nschemas = []\n[functions.hello]\nverify_jwt = 3\n";
    let error = load_text(config, "[server]\nhost = \"here\"\n", &[]).expect_err("refused").to_string();
    let lines: Vec<&str> = error.lines().collect();
    assert_eq!(lines.len(), 7, "{error}");
    for expected in [
        "auth.jwt_expiry: must be a whole number, without quotes",
        "auth.enable_signup: must be true or false, without quotes",
        "auth.email.otp_length: must be from 6 to 10",
        "auth.captcha.provider: must be hcaptcha or turnstile",
        "api.schemas: name at least one schema, such as \"public\"",
        "functions.hello.verify_jwt: must be true or false, without quotes",
        "server.host: `here` is no IP address",
    ] {
        assert!(lines.contains(&expected), "{expected} is not in:\n{error}");
    }
}

#[test]
fn all_that_is_wrong_in_sections_of_one_kind_is_said_at_once() {
    let config = "[auth.hook.send_email]\nenabled = true\nuri = \"http://a.example\"\n[auth.hook.send_sms]\nenabled = true\n\
        [auth.email.template.invite]\ncontent_path = \"a.html\"\n[auth.email.template.recovery]\ncontent_path = \"b.html\"\n\
        [auth.external.gihtub]\nenabled = true\n[auth.external.googel]\nenabled = true\n";
    let error = load_text(config, "", &[]).expect_err("refused").to_string();
    let keys: Vec<&str> = error.lines().filter_map(|line| Some(line.split_once(": ")?.0)).collect();
    assert_eq!(
        keys,
        [
            "auth.email.template.invite.content_path",
            "auth.email.template.recovery.content_path",
            "auth.external.gihtub",
            "auth.external.googel",
            "auth.hook.send_email.uri",
            "auth.hook.send_email.secrets",
            "auth.hook.send_sms.uri",
        ]
    );
}

// rows: CFG-VALUES
#[test]
fn a_value_of_another_type_is_refused_and_never_shown() {
    let error =
        load_text("[auth]\njwt_secret = 12345678901234567\n", "", &[]).expect_err("no text").to_string();
    assert_eq!(error, "auth.jwt_secret: must be a text in quotes");
}

// rows: CFG-SPELLINGS
#[test]
fn both_spellings_of_one_key_are_refused() {
    let both = "[auth.email]\nenabled = true\nenable_signup = false\n";
    let error = load_text(both, "", &[]).expect_err("which one?").to_string();
    assert_eq!(error, "auth.email.enabled: is there twice: enabled and enable_signup are one key");
}

#[test]
fn a_misspelt_limit_of_a_function_is_named_whichever_file_holds_it() {
    let ours = "[functions.y]\nwall_clok = \"1s\"\noutbound_host = [\"a\"]\nmemory_mb = 64\nenv.A = \"b\"\n";
    let loaded = load_text("[functions.y]\nverify_jwtt = false\n", ours, &[]).expect("loads");
    assert_eq!(
        loaded.warnings,
        [
            "config.toml: unknown key `functions.y.verify_jwtt`; did you mean `verify_jwt`?",
            "banyan.toml: unknown key `functions.y.outbound_host`; did you mean `outbound_hosts`?",
            "banyan.toml: unknown key `functions.y.wall_clok`; did you mean `wall_clock`?",
        ]
    );
    assert_eq!(loaded.config.functions["y"].memory_mb, 64);
}

#[test]
fn all_that_is_wrong_about_one_function_is_said_at_once() {
    let ours = "[functions.users]\nmemory_mb = 1024\ncpu_ms = \"fast\"\nschedule = \"soon\"\nwall_clock = \"0s\"\n\
        concurrency = 0\nmax_body = \"big\"\nbody_idle = \"long\"\npreflight = \"me\"\noutbound_hosts = [\"a b\"]\n\
        [edge_runtime]\nmemory = \"1MiB\"\n";
    let error = load_text("", ours, &[]).expect_err("refused").to_string();
    let mut keys: Vec<&str> = error.lines().filter_map(|line| Some(line.split_once(": ")?.0)).collect();
    keys.sort_unstable();
    let of_users = [
        "body_idle",
        "concurrency",
        "cpu_ms",
        "max_body",
        "memory_mb",
        "outbound_hosts",
        "preflight",
        "schedule",
        "wall_clock",
    ];
    let wanted: Vec<_> = of_users.iter().map(|key| format!("functions.users.{key}")).collect();
    assert_eq!(keys[0], "edge_runtime.memory");
    assert_eq!(keys[1..], wanted);
}

// rows: CFG-EDGE
#[test]
fn no_function_may_take_all_places_or_have_no_time() {
    for (line, expected) in [
        ("concurrency = 501", "functions.users.concurrency: must be from 1 to 500"),
        ("cpu_ms = 0", "functions.users.cpu_ms: must be at least 1"),
    ] {
        let error =
            load_text("", &format!("[functions.users]\n{line}\n"), &[]).expect_err("refused").to_string();
        assert!(error.contains(expected), "{line}: {error}");
    }
}

// rows: CFG-TEMPLATES
#[test]
fn a_mail_that_nobody_sends_ends_the_start() {
    let official = "[auth.email.template.magiclink]\nsubject = \"a\"\n[auth.email.template.magic_link]\nsubject = \"b\"\n\
        [auth.email.notification.password_change]\nenabled = true\n[auth.email.notification.password_changed]\nenabled = true\n";
    let ours = "[auth.email.template.invites.kn]\nsubject = \"c\"\n[auth.email.template.password_changed.kn]\nsubject = \"d\"\n";
    let error = load_text(official, ours, &[]).expect_err("refused").to_string();
    assert_eq!(
        error.lines().collect::<Vec<_>>(),
        [
            "auth.email.template.magiclink: there is no such mail with a template; did you mean magic_link?",
            "auth.email.notification.password_change: there is no such notice; did you mean password_changed?",
            "auth.email.template.invites: there is no such mail; did you mean invite?",
        ]
    );
    let far = load_text("[auth.email.template.school]\n", "", &[]).expect_err("refused").to_string();
    assert!(
        far.ends_with("There are confirmation, magic_link, recovery, invite, email_change, reauthentication"),
        "{far}"
    );
}

#[test]
fn a_template_in_the_file_itself_is_sent_to_a_file_of_its_own() {
    let inline = "[auth.email.template.magic_link]\ncontent = \"<b>{{ .Token }}</b>\"\n";
    let error = load_text(inline, "", &[]).expect_err("refused").to_string();
    assert!(
        error.starts_with("auth.email.template.magic_link.content: is read from a file alone"),
        "{error}"
    );
    assert!(error.contains("`content_path`"), "{error}");
}

#[test]
fn a_stop_is_told_what_it_needs_past_all_mistakes() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir_all(folder.path().join("supabase")).expect("created");
    let home = folder.path().join("home");
    let ask = |config: &str, banyan: &str| {
        std::fs::write(folder.path().join("supabase/config.toml"), config).expect("written");
        std::fs::write(folder.path().join("supabase/banyan.toml"), banyan).expect("written");
        stopping(folder.path(), Environment::of([("BANYAN_HOME", home.to_str().expect("a path"))]))
    };
    let slip = "[auth]\njwt_secret = 's3cret\n";
    ask(slip, "").expect_err("without a folder of data a slip may hide the project's name");
    std::fs::create_dir(&home).expect("created");
    let reported = |config: &str, banyan: &str| {
        let Stopping { paths, drain, mistakes, .. } = ask(config, banyan).expect(config);
        assert_eq!(paths.state, home);
        (drain.as_secs(), mistakes.map(|error| error.to_string()).unwrap_or_default())
    };
    assert_eq!(reported("", "[server]\ndrain = \"3s\"\n"), (3, String::new()));
    let (drain, mistakes) = reported(slip, "[server]\ndrain = \"3s\"\n");
    assert!(drain == 3 && mistakes.contains("config.toml: line 2"), "{mistakes}");
    let (drain, mistakes) = reported("[auth]\nenable_signups = true\n", "[server]\ndrain = \"long\"\n");
    assert!(
        drain == 15 && mistakes.contains("server.drain") && mistakes.contains("enable_signups"),
        "{mistakes}"
    );
}

// rows: CFG-VALUES
#[test]
fn a_slip_in_the_syntax_is_told_by_its_place_and_never_shown() {
    for line in [
        r#"jwt_secret = "s3cret-\d-and-more""#,
        "jwt_secret = 987654321098765432109876543210",
        "jwt_secret = 's3cret",
        "jwt_secret = s3cret",
        "jwt_secret = \"\"\"s3cret",
        "jwt_secret s3cret",
        "jwt_secret = \"a\" s3cret",
        "[s3cret",
        "jwt_secret = {s3cret}",
        "s3cret = 1\ns3cret = 2",
    ] {
        let text = format!("# keys\n[auth]\n{line}\n");
        let error = load_text(&text, "", &[]).expect_err(line).to_string();
        assert!(!error.contains("s3cret") && !error.contains("98765"), "{error}");
        assert!(error.contains("config.toml: line "), "{error}");
    }
}

#[test]
fn a_key_that_is_there_twice_is_named() {
    for (text, expected) in [
        ("[auth]\n[api]\n[auth]\n", "config.toml: line 3, column 2: duplicate key `auth`"),
        (
            "[functions.lab]\n[api]\n[functions.lab] # again\n",
            "config.toml: line 3, column 12: duplicate key `functions.lab`",
        ),
        (
            "[auth.email]\n[api]\n[ auth.email ]\n",
            "config.toml: line 3, column 8: duplicate key `auth.email`",
        ),
        ("[nobody.knows]\n[nobody.knows]\n", "config.toml: line 2, column 9: duplicate key"),
        (
            "[auth]\nsite_url = \"a\"\nsite_url = \"b\"\n",
            "config.toml: line 3, column 1: duplicate key `site_url`",
        ),
    ] {
        let error = load_text(text, "", &[]).expect_err(text).to_string();
        assert!(error.ends_with(expected), "{error}");
    }
}

#[test]
fn a_refusal_comes_with_what_is_doubtful() {
    let text = "[auth]\njwt_issuer = \"env(ISSUER)\"\njwt_expiry = \"long\"\n";
    let error = load_text(text, "", &[]).expect_err("refused").to_string();
    let lines: Vec<&str> = error.lines().collect();
    assert_eq!(lines[0], "auth.jwt_expiry: must be a whole number, without quotes");
    assert_eq!(lines[1], format!("WARN: {}", not_set("auth.jwt_issuer", "ISSUER")));
    assert_eq!(lines.len(), 2, "{error}");
}

// rows: CFG-PATHS
#[test]
fn a_template_that_is_not_there_names_its_key() {
    let missing = "content_path = \"./supabase/templates/none.html\"\n";
    for (config, banyan, key) in [
        (format!("[auth.email.template.magic_link]\n{missing}"), String::new(), "template.magic_link"),
        (
            format!("[auth.email.notification.password_changed]\nenabled = true\n{missing}"),
            String::new(),
            "notification.password_changed",
        ),
        (String::new(), format!("[auth.email.template.magic_link.hi]\n{missing}"), "template.magic_link.hi"),
    ] {
        let error = load_text(&config, &banyan, &[]).expect_err("refused").to_string();
        assert!(error.starts_with(&format!("auth.email.{key}.content_path: cannot read /")), "{error}");
        assert!(error.contains("/supabase/templates/none.html: ") && !error.contains("/./"), "{error}");
    }
}

// rows: CFG-VALUES
#[test]
fn wrong_values_name_their_key() {
    for (text, start) in [
        ("[auth.email]\notp_length = 4\n", "auth.email.otp_length"),
        ("[auth.email]\nmax_frequency = \"soon\"\n", "auth.email.max_frequency"),
        ("[api]\nschemas = []\n", "api.schemas"),
        ("[auth]\njwt_secret = \"short\"\n", "auth.jwt_secret"),
    ] {
        let error = load_text(text, "", &[]).expect_err(text);
        assert!(error.to_string().starts_with(start), "{error}");
    }
}

#[test]
fn wrong_values_of_the_auth_section_name_their_key() {
    for (text, start) in [
        ("[auth]\njwt_expiry = 604801\n", "auth.jwt_expiry"),
        ("[auth]\npassword_requirements = \"strong\"\n", "auth.password_requirements"),
        ("[auth.captcha]\nenabled = true\nprovider = \"riddle\"\n", "auth.captcha.provider"),
        ("[auth.captcha]\nenabled = true\nprovider = \"hcaptcha\"\n", "auth.captcha.secret"),
        ("[auth.passkey]\nenabled = true\n", "auth.webauthn.rp_id"),
        (
            "[auth.passkey]\nenabled = true\n[auth.webauthn]\nrp_id = \"http://localhost\"\nrp_origins = [\"http://localhost\"]\n",
            "auth.webauthn.rp_id: must be a domain alone",
        ),
        (
            "[auth.passkey]\nenabled = true\n[auth.webauthn]\nrp_id = \"a.example\"\nrp_origins = [\"https://b.example\"]\n",
            "auth.webauthn.rp_origins",
        ),
        (
            "[auth.mfa.web_authn]\nverify_enabled = true\n[auth.webauthn]\nrp_id = \"a.example\"\n",
            "auth.webauthn.rp_origins",
        ),
        ("[auth.external.google]\nenabled = true\n", "auth.external.google.client_id"),
        (
            "[auth.external.gihtub]\nenabled = true\n",
            "auth.external.gihtub: there is no such provider. If github is meant: this version offers providers of OpenID Connect alone",
        ),
        ("[auth.external.school]\nenabled = true\n", "auth.external.school: there is no such provider. "),
        (
            "[auth.external.googel]\nenabled = true\n",
            "auth.external.googel: there is no such provider; did you mean google? ",
        ),
        (
            "[auth.external.school]\nenabled = true\nurl = \"login.school.example\"\n",
            "auth.external.school.url: must begin with https://",
        ),
        (
            "[auth.external.school]\nenabled = true\nurl = \"http://login.school.example\"\n",
            "auth.external.school.url: must begin with https://",
        ),
        ("[auth.hook.send_sms]\nenabled = true\nuri = \"http://a.example\"\n", "auth.hook.send_sms.uri"),
        ("[auth.hook.send_sms]\nenabled = true\nuri = \"https://a.example\"\n", "auth.hook.send_sms.secrets"),
    ] {
        let error = load_text(text, "", &[]).expect_err(text);
        assert!(error.to_string().starts_with(start), "{error}");
    }
    let error = load_text("[auth.sessions]\ntimebox = \"1x\"\n", "", &[]).expect_err("no time").to_string();
    assert_eq!(error, "auth.sessions.timebox: `1x` is no duration such as 1s, 2m or 24h");
}

#[test]
fn what_nobody_is_asked_for_is_not_judged() {
    let webauthn = "[auth.webauthn]\nrp_id = \"a.example\"\nrp_origins = [\"https://b.example\"]\n";
    let config = load_text(webauthn, "", &[]).expect("passkeys are off").config;
    assert!(config.auth.relying_party.is_none());
}

#[test]
fn security_keys_as_a_factor_need_a_domain_as_passkeys_do() {
    for key in ["enroll_enabled", "verify_enabled"] {
        let text = format!("[auth.mfa.web_authn]\n{key} = true\n");
        let error = load_text(&text, "", &[]).expect_err(key).to_string();
        let expected = format!("auth.webauthn.rp_id: is required while auth.mfa.web_authn.{key} is true");
        assert_eq!(error, expected);
    }
}

// rows: CFG-SMS
#[test]
fn what_needs_text_messages_is_named_while_nothing_sends_them() {
    for (text, name) in [
        ("[auth.sms]\nenable_signup = true\n", "`auth.sms.enable_signup`"),
        ("[auth.sms.twilio]\nenabled = true\n", "`auth.sms.twilio`"),
        ("[auth.mfa.phone]\nenroll_enabled = true\n", "`auth.mfa.phone`"),
        ("[auth.mfa.phone]\nverify_enabled = true\n", "`auth.mfa.phone`"),
    ] {
        let warnings = load_text(text, "", &[]).expect(text).warnings;
        assert!(matches!(&warnings[..], [one] if one.contains(name)), "{text}: {warnings:?}");
        let hook = "[auth.hook.send_sms]\nenabled = true\nuri = \"pg-functions://postgres/public/send\"\n";
        let warnings = load_text(&format!("{text}{hook}"), "", &[]).expect(text).warnings;
        assert_eq!(warnings, [""; 0], "{text}");
    }
    let tested = "[auth.sms]\nenable_signup = true\n[auth.sms.test_otp]\n910000000001 = \"123456\"\n";
    assert_eq!(load_text(tested, "", &[]).expect("loads").warnings, [""; 0], "a fixed code needs no message");
}

// rows: CFG-SMTP
#[test]
fn when_tls_begins_follows_from_the_port_unless_it_is_told() {
    use crate::SmtpTls::{Implicit, Opportunistic, StartTls};
    let tls = |port: u16, word: &str| {
        let text = format!("[auth.email.smtp]\nhost = \"a\"\nadmin_email = \"b\"\nport = {port}\n");
        let ours = format!("[auth.email.smtp]\ntls = \"{word}\"\n");
        load_text(&text, &ours, &[]).map(|loaded| loaded.config.auth.smtp.expect("a server").tls)
    };
    for (port, word, expected) in [
        (465, "auto", Implicit),
        (587, "auto", Opportunistic),
        (2465, "implicit", Implicit),
        (465, "starttls", StartTls),
    ] {
        assert_eq!(tls(port, word).expect(word), expected, "{port} {word}");
    }
    let error = tls(587, "ssl").expect_err("no such word").to_string();
    assert_eq!(error, "auth.email.smtp.tls: must be auto, starttls or implicit");
}
