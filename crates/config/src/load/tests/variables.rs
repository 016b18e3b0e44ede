//! Variables of the environment.

use super::*;

// rows: CFG-ORDER
#[test]
fn the_environment_wins_over_the_file() {
    let variables = [("SUPABASE_AUTH_SITE_URL", "https://school.example"), ("SUPABASE_API_MAX_ROWS", "5")];
    let config = load_text("[auth]\nsite_url = \"http://x\"\n", DEMO, &variables).expect("loads").config;
    assert_eq!((config.auth.site_url.as_str(), config.api.max_rows), ("https://school.example", 5));
}

#[test]
fn the_environment_overrules_keys_that_have_no_default_and_names_that_the_file_has() {
    let text = "[auth.external.google]\nclient_id = \"a\"\n[functions.hello]\n[edge_runtime.secrets]\nTOKEN = \"file\"\n";
    let variables = [
        ("SUPABASE_AUTH_JWT_SECRET", "0123456789abcdef0123456789abcdef0123"),
        ("SUPABASE_AUTH_EXTERNAL_GOOGLE_ENABLED", "t"),
        ("SUPABASE_AUTH_EXTERNAL_GOOGLE_SECRET", "b"),
        ("SUPABASE_FUNCTIONS_HELLO_VERIFY_JWT", "False"),
        ("SUPABASE_EDGE_RUNTIME_SECRETS_TOKEN", "variable"),
        ("SUPABASE_AUTH_EMAIL_ENABLE_SIGNUP", "0"),
        ("SUPABASE_INBUCKET_PORT", "1234"),
        ("SUPABASE_API_SCHEMAS", "school, public"),
        ("SUPABASE_AUTH_SITE_URL", ""),
    ];
    let loaded = load_text(text, "[functions.hello]\nverify_jwt = true\n", &variables).expect("loads");
    let config = loaded.config;
    assert_eq!(config.keys.jwt_secret.expose_secret(), "0123456789abcdef0123456789abcdef0123");
    assert_eq!(config.auth.external["google"].secret.expose_secret(), "b");
    assert!(!config.functions["hello"].verify_jwt, "the environment wins over both files");
    assert_eq!(config.edge_runtime.secrets["TOKEN"].expose_secret(), "variable");
    assert!(!config.auth.email_enabled);
    assert_eq!(
        (config.local_smtp.port, config.api.schemas.as_slice()),
        (1234, &["school".into(), "public".into()][..])
    );
    assert_eq!(config.auth.site_url, "http://127.0.0.1:3000", "an empty variable says nothing");
    assert_eq!(loaded.warnings, [""; 0]);
}

#[test]
fn a_variable_that_cannot_be_read_is_refused_by_its_name() {
    for (name, value, expected) in [
        (
            "SUPABASE_AUTH_ENABLE_SIGNUP",
            "no",
            "auth.enable_signup: environment variable SUPABASE_AUTH_ENABLE_SIGNUP must be true or false",
        ),
        (
            "SUPABASE_AUTH_JWT_EXPIRY",
            "abc",
            "auth.jwt_expiry: environment variable SUPABASE_AUTH_JWT_EXPIRY must be a whole number",
        ),
        (
            "SUPABASE_API_PORT",
            "65536",
            "api.port: environment variable SUPABASE_API_PORT must be a whole number from 0 to 65535",
        ),
    ] {
        let error = load_text("", "", &[(name, value)]).expect_err(name).to_string();
        assert!(error.starts_with(expected), "{error}");
    }
    for off in ["0", "f", "F", "FALSE", "false", "False"] {
        let config = load_text("", "", &[("SUPABASE_AUTH_ENABLE_SIGNUP", off)]).expect(off).config;
        assert!(!config.auth.enable_signup, "{off}");
    }
}

#[test]
fn a_variable_that_is_nearly_a_key_is_named() {
    let said = |name: &str| load_text("", "", &[(name, "1")]).expect("loads").warnings;
    assert_eq!(
        said("SUPABASE_AUTH_JWT_EXPIRRY"),
        [
            "environment variable SUPABASE_AUTH_JWT_EXPIRRY overrules no key; did you mean SUPABASE_AUTH_JWT_EXPIRY?"
        ]
    );
    assert_eq!(said("SUPABASE_SERVER_HOTS").len(), 1, "keys of banyan.toml as well");
    assert_eq!(
        said("SUPABASE_AUHT_X"),
        ["environment variable SUPABASE_AUHT_X overrules no key; did you mean SUPABASE_AUTH_…?"]
    );
    for other in [
        "ACCESS_TOKEN",
        "ANON_KEY",
        "API_HOST",
        "API_URL",
        "AUTH_ADMIN_KEY",
        "AUTH_PORT",
        "DB_HOST",
        "DB_PASSWORD",
        "DB_URL",
        "ENV",
        "HOME",
        "JWT_SECRET",
        "PROFILE",
        "PROJECT_REF",
        "PUBLISHABLE_KEY",
        "SECRET_KEY",
        "SERVER_PORT",
        "SERVICE_ROLE_KEY",
        "URL",
        "WORKDIR",
        "YES",
    ] {
        assert_eq!(said(&format!("SUPABASE_{other}")), [""; 0], "{other} is of another world");
    }
    let named = "[auth.external.apple]\nsecret = \"env(SUPABASE_AUTH_EXTERNAL_APPLE_SECRETS)\"\n";
    let variable = [("SUPABASE_AUTH_EXTERNAL_APPLE_SECRETS", "1")];
    assert_eq!(load_text(named, "", &variable).expect("loads").warnings, [""; 0], "the file names it");
}

#[test]
fn a_variable_of_a_section_that_no_file_has_and_one_that_is_nearly_ours_are_named() {
    let said = |config: &str, name: &str| load_text(config, "", &[(name, "1")]).expect("loads").warnings;
    let name = "SUPABASE_AUTH_EXTERNAL_GIHTUB_ENABLED";
    let expected =
        format!("environment variable {name} overrules no key: the files have no such [auth.external.…]");
    assert_eq!(said("", name), [expected]);
    assert_eq!(said("[auth.external.gitlab]\n", "SUPABASE_AUTH_EXTERNAL_GITLAB_ENABLED_X").len(), 1);
    let named = "[edge_runtime.secrets]\nX = \"env(SUPABASE_AUTH_EXTERNAL_GIHTUB_ENABLED)\"\n";
    assert_eq!(said(named, name), [""; 0], "the file names it");
    assert_eq!(
        said("", "BANYAN_HOMEE"),
        ["environment variable BANYAN_HOMEE says nothing; did you mean BANYAN_HOME?"]
    );
    for other in ["BANYAN_ADMIN_URL", "BANYAN_AUTH_URL", "BANYAN_TEST_POSTGRES", "BANYAN_DATABASE_POOL"] {
        assert_eq!(said("", other), [""; 0], "{other}");
    }
}

#[test]
fn a_variable_that_is_a_key_overrules_it_though_the_files_name_it_elsewhere() {
    let named = "[edge_runtime.secrets]\nSIGNUP = \"env(SUPABASE_AUTH_ENABLE_SIGNUP)\"\n[functions.hello]\n\
        env.SITE = \"env(SUPABASE_AUTH_SITE_URL)\"\n";
    let variables =
        [("SUPABASE_AUTH_ENABLE_SIGNUP", "false"), ("SUPABASE_AUTH_SITE_URL", "http://127.0.0.1:4000")];
    let config = load_text(named, "", &variables).expect("loads").config;
    assert!(!config.auth.enable_signup, "sign-ups are closed");
    assert_eq!(config.auth.site_url, "http://127.0.0.1:4000");
    assert_eq!(config.edge_runtime.secrets["SIGNUP"].expose_secret(), "false", "both hear of it");
}

#[test]
fn a_port_that_an_orchestrator_set_for_another_service_overrules_nothing() {
    let variables = [("SUPABASE_DB_PORT", "tcp://10.0.0.7:5432"), ("SUPABASE_API_PORT", "udp://10.0.0.8:80")];
    let loaded = load_text("[db]\nport = 5555\n", "", &variables).expect("loads");
    assert_eq!((loaded.config.database.port, loaded.config.api.port), (5555, 54321));
    assert_eq!(loaded.warnings.len(), 2, "{:?}", loaded.warnings);
    assert!(loaded.warnings[0].starts_with("environment variable SUPABASE_API_PORT overrules nothing: "));
}

#[test]
fn a_setting_whose_variable_is_not_set_is_refused_or_left_out() {
    let leaked = "[auth.leaked_passwords]\nenabled = true\nurl = \"env(LEAKED)\"\n";
    let error = load_text("", leaked, &[]).expect_err("nobody answers there").to_string();
    assert!(
        error.starts_with("auth.leaked_passwords.url: environment variable LEAKED is not set"),
        "{error}"
    );
    let header = "[auth]\nclient_address_header = \"env(HEADER)\"\n";
    let config = load_text("", header, &[]).expect("loads").config;
    assert_eq!(config.auth.client_address.header, None);
    let demo = format!("{header}[server]\ndemo_keys = true\n");
    let error = load_text(PUBLIC_SITE, &demo, &[]).expect_err("which header?").to_string();
    assert!(error.starts_with("auth.client_address_header: must be set"), "{error}");
}

/// The refusal of a setting whose variable is not set.
fn needed(key: &str, variable: &str) -> String {
    format!(
        "{key}: environment variable {variable} is not set, or empty: {variable}=… in supabase/.env.local sets it"
    )
}

#[test]
fn an_address_whose_variable_is_not_set_ends_the_start_for_that_reason_alone() {
    for (section, key) in [("auth", "site_url"), ("auth", "external_url"), ("api", "external_url")] {
        for off in ["", "enabled = false\n"] {
            let text = format!("[{section}]\n{off}{key} = \"env(SITE_URL)\"\n");
            let error = load_text(&text, "", &[]).expect(&text).unset.expect("needed").to_string();
            assert_eq!(error, needed(&format!("{section}.{key}"), "SITE_URL"), "{text}");
        }
    }
}

// rows: CFG-ENV-VALUES
#[test]
fn what_is_on_and_could_serve_nobody_without_its_variable_ends_the_start() {
    let text = "[auth.captcha]\nenabled = true\nprovider = \"turnstile\"\nsecret = \"env(CAPTCHA)\"\n\
        [auth.external.google]\nenabled = true\nclient_id = \"env(GOOGLE_ID)\"\nsecret = \"env(GOOGLE)\"\n\
        [auth.external.school]\nenabled = true\nurl = \"https://a.example\"\nclient_id = \"a\"\nsecret = \"env(SCHOOL)\"\n\
        [auth.email.smtp]\nhost = \"env(HOST)\"\nuser = \"env(USER_NAME)\"\npass = \"env(PASS)\"\nadmin_email = \"env(FROM)\"\n";
    let error = load_text(text, "", &[]).expect("other commands go on").unset.expect("needed").to_string();
    let expected = [
        ("auth.captcha.secret", "CAPTCHA"),
        ("auth.email.smtp.admin_email", "FROM"),
        ("auth.email.smtp.host", "HOST"),
        ("auth.email.smtp.pass", "PASS"),
        ("auth.email.smtp.user", "USER_NAME"),
        ("auth.external.google.client_id", "GOOGLE_ID"),
        ("auth.external.google.secret", "GOOGLE"),
        ("auth.external.school.secret", "SCHOOL"),
    ];
    let mut lines: Vec<&str> = error.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, expected.map(|(key, name)| needed(key, name)));
    let wrong = format!("{text}[api]\nmax_rows = \"many\"\n");
    let error = load_text(&wrong, "", &[]).expect_err("wrong besides").to_string();
    assert_eq!(error.lines().count(), expected.len() + 1, "all at once: {error}");
}

#[test]
fn a_provider_that_is_not_offered_stays_off_without_its_variables() {
    let github = "[auth.external.github]\nenabled = true\nclient_id = \"a\"\nsecret = \"env(GITHUB)\"\n";
    let Loaded { warnings, unset, .. } = load_text(github, "", &[]).expect("loads");
    assert!(unset.is_none(), "{unset:?}");
    assert_eq!(warnings[0], not_set("auth.external.github.secret", "GITHUB"));
    assert!(warnings[1].contains("stays off"), "{warnings:?}");
}

// rows: CFG-ENV-VALUES
#[test]
fn a_variable_in_the_file_is_read_as_what_its_key_is() {
    let text = "[auth]\nenable_signup = \"env(SIGNUP)\"\njwt_expiry = \"env(LIFE)\"\nadditional_redirect_urls = [\"env(APP)\"]\n";
    let variables = [("SIGNUP", "FALSE"), ("LIFE", "120"), ("APP", "https://app.example")];
    let auth = load_text(text, "", &variables).expect("loads").config.auth;
    assert_eq!((auth.enable_signup, auth.jwt_expiry.as_secs()), (false, 120));
    assert_eq!(auth.redirect_urls, ["https://app.example"]);
    let error = load_text(text, "", &[("SIGNUP", "off")]).expect_err("refused").to_string();
    let expected = [
        "auth.enable_signup: environment variable SIGNUP must be true or false",
        "auth.jwt_expiry: must be a whole number: environment variable LIFE is not set, or empty: LIFE=… in \
         supabase/.env.local sets it",
        &format!("WARN: {}", not_set("auth.additional_redirect_urls", "APP")),
    ];
    assert_eq!(error.lines().collect::<Vec<_>>(), expected);
}

// rows: CFG-ENV-VALUES
#[test]
fn env_references_are_replaced_or_warned_about() {
    let text = "[edge_runtime.secrets]\nA = \"env(A)\"\nB = \"env(B)\"\nSUPABASE_X = \"no\"\n";
    let loaded = load_text(text, "", &[("A", "one")]).expect("loads");
    assert_eq!(loaded.config.edge_runtime.secrets.keys().collect::<Vec<_>>(), ["A"]);
    assert!(loaded.warnings.is_empty(), "an unset secret is simply not there");
    let loaded = load_text("[auth]\njwt_issuer = \"env(C)\"\n", DEMO, &[]).expect("loads");
    assert_eq!(loaded.warnings, [not_set("auth.jwt_issuer", "C").as_str(), KNOWN]);
}

// rows: CFG-ENV-VALUES
#[test]
fn a_variable_of_a_section_that_is_off_is_missed_by_nobody() {
    let google = "[auth.external.google]\nclient_id = \"env(GOOGLE_CLIENT_ID)\"\nsecret = \"env(GOOGLE_CLIENT_SECRET)\"\n";
    let captcha = "[auth.captcha]\nprovider = \"turnstile\"\nsecret = \"env(CAPTCHA)\"\n";
    let load = |enabled: bool, variables: &[(&str, &str)]| {
        let text = [google, captcha].map(|section| format!("{section}enabled = {enabled}\n")).concat();
        load_text(&text, "", variables)
    };
    assert_eq!(load(false, &[]).expect("loads").warnings, [""; 0]);
    let needed_by =
        |loaded: Result<Loaded, ConfigError>| loaded.expect("loads").unset.map(|error| error.to_string());
    assert_eq!(needed_by(load(false, &[])), None);
    let error = needed_by(load(true, &[])).expect("refused");
    assert_eq!(error.lines().count(), 3, "{error}");
    let error =
        needed_by(load(false, &[("SUPABASE_AUTH_CAPTCHA_ENABLED", "true")])).expect("the environment wins");
    assert_eq!(error, needed("auth.captcha.secret", "CAPTCHA"));
}

#[test]
fn a_variable_of_a_section_that_is_off_by_itself_is_missed_by_nobody() {
    for section in ["auth.external.google", "auth.hook.send_email", "auth.sms.twilio", "auth.third_party.a"] {
        let text = format!("[{section}]\nschool = \"env(X)\"\n");
        let warnings = load_text(&text, "", &[]).expect("loads").warnings;
        assert!(!warnings.iter().any(|one| one.contains("is not set")), "{section}: {warnings:?}");
    }
}

#[test]
fn a_variable_of_a_section_that_is_read_although_it_is_off_is_missed() {
    let issuer = "[auth]\nenabled = false\njwt_issuer = \"env(X)\"\n";
    assert_eq!(load_text(issuer, "", &[]).expect("loads").warnings, [not_set("auth.jwt_issuer", "X")]);
    let smtp = "[auth.email]\nenabled = false\n[auth.email.smtp]\nhost = \"a\"\nadmin_email = \"b\"\npass = \"env(X)\"\n";
    let unset = load_text(smtp, "", &[]).expect("loads").unset.expect("functions send mails as well");
    assert_eq!(unset.to_string(), needed("auth.email.smtp.pass", "X"));
    assert_eq!(load_text(&format!("{smtp}enabled = false\n"), "", &[]).expect("loads").warnings, [""; 0]);
    let codes = "[auth.sms.test_otp]\n910000000001 = \"env(X)\"\n";
    let warnings = load_text(codes, "", &[]).expect("loads").warnings;
    assert_eq!(warnings, [not_set("auth.sms.test_otp.910000000001", "X")]);
}

// rows: CFG-ORDER
#[test]
fn the_environment_is_heard_without_a_banyan_toml() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("supabase")).expect("made");
    std::fs::write(folder.path().join("supabase/config.toml"), "").expect("written");
    let environment = Environment::of([("SUPABASE_SERVER_ADMIN_PORT", "4321")]);
    let config = load(folder.path(), environment, 0).expect("read").config;
    assert_eq!(config.server.admin_port, 4321);
}
