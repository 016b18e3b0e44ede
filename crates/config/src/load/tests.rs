use secrecy::ExposeSecret as _;

use super::*;

fn load_text(config: &str, banyan: &str, variables: &[(&str, &str)]) -> Result<Loaded, ConfigError> {
    let folder = tempfile::tempdir().expect("a folder");
    let supabase = folder.path().join("supabase");
    std::fs::create_dir(&supabase).expect("created");
    std::fs::write(supabase.join("config.toml"), config).expect("written");
    if !banyan.is_empty() {
        std::fs::write(supabase.join("banyan.toml"), banyan).expect("written");
    }
    load(folder.path(), Environment::of(variables.iter().copied()), 0)
}

/// A project whose application is for everybody.
const PUBLIC_SITE: &str = "[auth]\nsite_url = \"https://school.example\"\n";
/// What its developer says who means to show it with the demo keys, without a proxy.
const DEMO: &str = "[server]\ndemo_keys = true\n[auth]\nclient_address_header = \"none\"\n";
/// The warning that comes with it.
const KNOWN: &str = "banyan.toml: `server.demo_keys` lets others reach a stack whose `auth.jwt_secret` everybody knows: \
    whoever does so can read and change all that it holds";

/// The warning of a setting whose variable is not set.
fn not_set(key: &str, variable: &str) -> String {
    format!(
        "config.toml: `{key}`: environment variable {variable} is not set, or empty: {variable}=… in supabase/.env.local sets it"
    )
}

#[test]
fn rest_config_supabase_local_defaults_an_empty_file_gives_the_documented_defaults() {
    let config = load_text("", "", &[]).expect("loads").config;
    assert_eq!(config.api.port, 54321);
    assert_eq!(config.api_url(), "http://127.0.0.1:54321");
    assert_eq!(config.auth.jwt_issuer, "http://127.0.0.1:54321/auth/v1");
    assert_eq!(config.auth.otp.length, 6);
    assert_eq!(config.local_smtp.port, 54324);
    assert_eq!(config.api.schemas, ["public", "graphql_public"]);
    assert_eq!(config.api.extra_search_path, ["public", "extensions"]);
    assert_eq!(config.api.max_rows, 1000);
}

#[test]
fn the_old_and_the_new_spelling_of_the_inbox_are_read() {
    for section in ["inbucket", "local_smtp"] {
        let config = load_text(&format!("[{section}]\nport = 1234\n"), "", &[]).expect("loads").config;
        assert_eq!(config.local_smtp.port, 1234, "{section}");
    }
}

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

#[test]
fn all_that_is_wrong_is_said_at_once() {
    let config = "[auth]\njwt_expiry = \"1h\"\nenable_signup = \"no\"\n[auth.email]\notp_length = 4\n[auth.captcha]\n\
        enabled = true\nprovider = \"riddle\"\n[api]\nschemas = []\n[functions.hello]\nverify_jwt = 3\n";
    let error = load_text(config, "[server]\nhost = \"here\"\n", &[]).expect_err("refused").to_string();
    let lines: Vec<&str> = error.lines().collect();
    assert_eq!(lines.len(), 7, "{error}");
    for told in [
        "auth.jwt_expiry: must be a whole number, without quotes",
        "auth.enable_signup: must be true or false, without quotes",
        "auth.email.otp_length: must be from 6 to 10",
        "auth.captcha.provider: must be hcaptcha or turnstile",
        "api.schemas: name at least one schema, such as \"public\"",
        "functions.hello.verify_jwt: must be true or false, without quotes",
        "server.host: `here` is no IP address",
    ] {
        assert!(lines.contains(&told), "{told} is not in:\n{error}");
    }
}

#[test]
fn a_value_of_another_type_is_refused_and_never_shown() {
    let error =
        load_text("[auth]\njwt_secret = 12345678901234567\n", "", &[]).expect_err("no text").to_string();
    assert_eq!(error, "auth.jwt_secret: must be a text in quotes");
}

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
    for (name, value, told) in [
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
        assert!(error.starts_with(told), "{error}");
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
fn what_supabase_init_writes_loads_and_its_every_key_is_known() {
    let warnings = load_text(include_str!("fixtures/supabase_init.toml"), "", &[]).expect("loads").warnings;
    let left: Vec<&String> =
        warnings.iter().filter(|warning| !warning.ends_with(" is not used by this version")).collect();
    assert_eq!(left, Vec::<&String>::new());
    assert!(warnings.len() > 5, "{warnings:?}");
}

#[test]
fn what_banyan_init_writes_loads_with_all_that_its_comments_offer() {
    let written = include_str!("../../../cli/src/commands/init.toml").replace("{project_id}", "school");
    let offered = |line: &str| {
        line.strip_prefix("# ")
            .filter(|rest| rest.starts_with('[') || rest.contains(" = "))
            .map(str::to_owned)
    };
    let lines = written.lines().map(|line| offered(line).unwrap_or_else(|| line.to_owned()));
    // The template is the project's to write.
    let text: String =
        lines.filter(|line| !line.starts_with("content_path")).map(|line| line + "\n").collect();
    assert!(text.contains("\n[auth.email.template.magic_link]\nsubject"), "{text}");
    assert_eq!(load_text(&text, "", &[]).expect("loads").warnings, [""; 0]);
}

#[test]
fn keys_are_neither_made_nor_signed_with_where_another_may_be_meant() {
    let with = |config: &str, ask: fn(&Path) -> Option<ConfigError>| {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("supabase")).expect("created");
        std::fs::write(folder.path().join("supabase/config.toml"), config).expect("written");
        ask(folder.path()).map(|error| error.to_string())
    };
    let asked: [fn(&Path) -> Option<ConfigError>; 2] = [
        |folder| signing_keys_file(folder, Environment::of([])).err(),
        |folder| keys_so_far(folder, Environment::of([])).err(),
    ];
    for (config, told) in [
        ("[auth]\nsigning_key_path = \"a.json\"\n", "auth.signing_key_path: there is no such key"),
        ("[auth]\nsigning_keys_path = 3\n", "auth.signing_keys_path: must be a text in quotes"),
        ("[auth]\njwt_secret = 3\n", "auth.jwt_secret: must be a text in quotes"),
        ("[atuh]\nsigning_keys_path = \"a.json\"\n", "atuh: there is no such key"),
        ("signing_keys_path = \"a.json\"\n", "signing_keys_path: belongs below [auth]"),
        (
            "[auth]\nsigning_keys_path = \"env(KEYS)\"\n",
            "auth.signing_keys_path: environment variable KEYS is not set",
        ),
    ] {
        for ask in asked {
            let error = with(config, ask).expect(config);
            assert!(error.starts_with(told), "{error}");
        }
    }
    let elsewhere = "[auth]\njwt_expiry = \"no\"\nsecret_key = \"env(NOT_YET)\"\n[auth.hook.school]\n";
    assert_eq!(
        asked.map(|ask| with(elsewhere, ask)),
        [None, None],
        "what is wrong elsewhere is no hindrance"
    );
}

#[test]
fn a_file_of_keys_that_is_wrong_is_never_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("keys.json");
    std::fs::write(&path, "\"s3cret\"").expect("written");
    let error = crate::read_signing_keys(&path).expect_err("no list").to_string();
    assert!(!error.contains("s3cret") && error.contains("line 1, column "), "{error}");
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
    let told = |config: &str, banyan: &str| {
        let Stopping { paths, drain, mistakes } = ask(config, banyan).expect(config);
        assert_eq!(paths.state, home);
        (drain.as_secs(), mistakes.map(|error| error.to_string()).unwrap_or_default())
    };
    assert_eq!(told("", "[server]\ndrain = \"3s\"\n"), (3, String::new()));
    let (drain, mistakes) = told(slip, "[server]\ndrain = \"3s\"\n");
    assert!(drain == 3 && mistakes.contains("config.toml: line 2"), "{mistakes}");
    let (drain, mistakes) = told("[auth]\nenable_signups = true\n", "[server]\ndrain = \"long\"\n");
    assert!(
        drain == 15 && mistakes.contains("server.drain") && mistakes.contains("enable_signups"),
        "{mistakes}"
    );
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
fn a_setting_that_nothing_could_use_while_its_variable_is_not_set_is_refused_or_not_said() {
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
fn an_address_that_is_not_set_is_no_address_of_another_machine() {
    for text in [
        "[auth]\nsite_url = \"env(SITE_URL)\"\n",
        "[auth]\nexternal_url = \"env(SITE_URL)\"\n",
        "[api]\nexternal_url = \"env(SITE_URL)\"\n",
    ] {
        let loaded = load_text(text, "", &[]).expect(text);
        assert_eq!(loaded.warnings.len(), 1, "{:?}", loaded.warnings);
        assert!(loaded.warnings[0].contains("environment variable SITE_URL is not set"));
    }
}

#[test]
fn a_refusal_comes_with_what_is_doubtful() {
    let text = "[auth]\nsite_url = \"env(SITE_URL)\"\njwt_expiry = \"long\"\n";
    let error = load_text(text, "", &[]).expect_err("refused").to_string();
    let lines: Vec<&str> = error.lines().collect();
    assert_eq!(lines[0], "auth.jwt_expiry: must be a whole number, without quotes");
    assert_eq!(lines[1], format!("WARN: {}", not_set("auth.site_url", "SITE_URL")));
    assert_eq!(lines.len(), 2, "{error}");
}

#[test]
fn a_variable_in_the_file_is_read_as_what_its_key_is() {
    let text = "[auth]\nenable_signup = \"env(SIGNUP)\"\njwt_expiry = \"env(LIFE)\"\nadditional_redirect_urls = [\"env(APP)\"]\n";
    let variables = [("SIGNUP", "FALSE"), ("LIFE", "120"), ("APP", "https://app.example")];
    let auth = load_text(text, "", &variables).expect("loads").config.auth;
    assert_eq!((auth.enable_signup, auth.jwt_expiry.as_secs()), (false, 120));
    assert_eq!(auth.redirect_urls, ["https://app.example"]);
    let error = load_text(text, "", &[("SIGNUP", "off")]).expect_err("refused").to_string();
    let told = [
        "auth.enable_signup: environment variable SIGNUP must be true or false",
        "auth.jwt_expiry: must be a whole number: environment variable LIFE is not set, or empty: LIFE=… in \
         supabase/.env.local sets it",
        &format!("WARN: {}", not_set("auth.additional_redirect_urls", "APP")),
    ];
    assert_eq!(error.lines().collect::<Vec<_>>(), told);
}

#[test]
fn env_references_are_replaced_or_warned_about() {
    let text = "[edge_runtime.secrets]\nA = \"env(A)\"\nB = \"env(B)\"\nSUPABASE_X = \"no\"\n";
    let loaded = load_text(text, "", &[("A", "one")]).expect("loads");
    assert_eq!(loaded.config.edge_runtime.secrets.keys().collect::<Vec<_>>(), ["A"]);
    assert!(loaded.warnings.is_empty(), "an unset secret is simply not there");
    let loaded = load_text("[auth]\nsite_url = \"env(C)\"\n", DEMO, &[]).expect("loads");
    assert_eq!(loaded.warnings, [not_set("auth.site_url", "C").as_str(), KNOWN]);
}

#[test]
fn a_variable_of_a_section_that_is_off_is_missed_by_nobody() {
    let google = "[auth.external.google]\nclient_id = \"env(GOOGLE_CLIENT_ID)\"\nsecret = \"env(GOOGLE_CLIENT_SECRET)\"\n";
    let captcha = "[auth.captcha]\nprovider = \"turnstile\"\nsecret = \"env(CAPTCHA)\"\n";
    let warnings = |enabled: bool, variables: &[(&str, &str)]| {
        let text = [google, captcha].map(|section| format!("{section}enabled = {enabled}\n")).concat();
        load_text(&text, "", variables).expect("loads").warnings
    };
    assert_eq!(warnings(false, &[]), Vec::<String>::new());
    let all = [
        ("auth.captcha.secret", "CAPTCHA"),
        ("auth.external.google.client_id", "GOOGLE_CLIENT_ID"),
        ("auth.external.google.secret", "GOOGLE_CLIENT_SECRET"),
    ]
    .map(|(key, name)| not_set(key, name));
    assert_eq!(warnings(true, &[]), all);
    assert_eq!(
        warnings(false, &[("SUPABASE_AUTH_CAPTCHA_ENABLED", "true")]),
        all[..1],
        "the environment wins"
    );
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
    for (section, key) in [("auth", "jwt_issuer"), ("api", "external_url")] {
        let text = format!("[{section}]\nenabled = false\n{key} = \"env(X)\"\n");
        let unset = not_set(&format!("{section}.{key}"), "X");
        assert_eq!(load_text(&text, DEMO, &[]).expect("loads").warnings[..1], [unset], "{section}");
    }
    let smtp = "[auth.email]\nenabled = false\n[auth.email.smtp]\nhost = \"a\"\nadmin_email = \"b\"\npass = \"env(X)\"\n";
    let warnings = load_text(smtp, "", &[]).expect("loads").warnings;
    assert_eq!(warnings, [not_set("auth.email.smtp.pass", "X")]);
    assert_eq!(load_text(&format!("{smtp}enabled = false\n"), "", &[]).expect("loads").warnings, [""; 0]);
    let codes = "[auth.sms.test_otp]\n910000000001 = \"env(X)\"\n";
    let warnings = load_text(codes, "", &[]).expect("loads").warnings;
    assert_eq!(warnings, [not_set("auth.sms.test_otp.910000000001", "X")]);
}

#[test]
fn legacy_keys_that_are_not_given_are_signed_with_the_secret() {
    let head = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9";
    let anon = "eyJpc3MiOiJzdXBhYmFzZS1kZW1vIiwicm9sZSI6ImFub24iLCJleHAiOjE5ODM4MTI5OTZ9";
    let anon_key = |text: &str| load_text(text, "", &[]).expect("loads").config.keys.anon_key;
    // The key that every local Supabase stack shares, and one that openssl signed.
    assert_eq!(anon_key(""), format!("{head}.{anon}.CRXP1A7WOeoJeXxjNni43kdQwgnWNReilDMblYTn_I0"));
    let own = "[auth]\njwt_secret = \"0123456789abcdef0123456789abcdef0123\"\n";
    assert_eq!(anon_key(own), format!("{head}.{anon}.iEdj83S55r_lwqVkNn7i6hAXX6pnrwRUoKaBX8WC7Fc"));
    assert_eq!(anon_key(&format!("{own}anon_key = \"\"\n")), "");
    let service_role = |text: &str| load_text(text, "", &[]).expect("loads").config.keys.service_role_key;
    let [demo, own] = ["", own].map(|text| service_role(text).expose_secret().to_owned());
    assert!(demo.ends_with(".EGIM96RAZx35lJzdJsyH-qQwv8Hdp7fsn3W0YpN81IU") && own != demo, "{demo} {own}");
}

#[test]
fn a_key_whose_variable_is_not_set_ends_the_start() {
    for key in ["jwt_secret", "secret_key", "service_role_key", "publishable_key", "anon_key"] {
        for section in ["[auth]", "[auth]\nenabled = false"] {
            let text = format!("{section}\n{key} = \"env(MY_KEY_OF_THIS_STACK)\"\n");
            let refused = load_text(&text, "", &[]).expect_err("refused").to_string();
            assert!(refused.starts_with(&format!("auth.{key}: ")), "{refused}");
            assert!(refused.contains("MY_KEY_OF_THIS_STACK is not set"), "{refused}");
            load_text(&text, "", &[("MY_KEY_OF_THIS_STACK", "a-key-of-this-stack")]).expect("loads");
        }
    }
}

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

#[test]
fn both_files_describe_one_function() {
    let config = load_text(
        "[functions.hello]\nverify_jwt = false\n",
        "[functions.hello]\noutbound_hosts = [\"https://a.example\"]\nschedule = \"30s\"\n",
        &[],
    )
    .expect("loads")
    .config;
    let hello = &config.functions["hello"];
    assert!(!hello.verify_jwt);
    assert_eq!(hello.outbound_hosts[0].host, "a.example");
    assert_eq!(hello.schedule.map(|s| s.every.as_secs()), Some(30));
}

#[test]
fn a_function_has_no_span_of_nothing() {
    for key in ["schedule", "wall_clock", "body_idle"] {
        let banyan = format!("[functions.hello]\n{key} = \"0s\"\n");
        let error = load_text("", &banyan, &[]).expect_err("refused").to_string();
        assert!(error.starts_with(&format!("functions.hello.{key}")), "{error}");
    }
}

/// How the refusal of demo keys begins, after what others reach the stack by.
const REFUSED: &str = "and these of its keys are public demo values";

#[test]
fn demo_keys_are_refused_on_a_public_listener() {
    let error = load_text("", "[server]\nhost = \"0.0.0.0\"\n", &[]).expect_err("refused").to_string();
    assert!(
        error.starts_with(&format!("auth: others reach this stack by server.host 0.0.0.0, {REFUSED}")),
        "{error}"
    );
}

#[test]
fn all_keys_that_a_server_lacks_are_named_at_once_with_the_way_to_make_each() {
    let refused = |text: &str, variables: &[(&str, &str)]| {
        let error =
            load_text(&format!("{PUBLIC_SITE}{text}"), "", variables).expect_err("refused").to_string();
        assert!(error.contains("auth.client_address_header: must be set"), "{error}");
        error
    };
    let none = refused("", &[]);
    for line in [
        "jwt_secret = \"env(JWT_SECRET)\" echo \"JWT_SECRET=$(openssl rand -hex 32)\" >> supabase/.env.local",
        "secret_key = \"env(SECRET_KEY)\" echo \"SECRET_KEY=sb_secret_$(openssl rand -hex 24)\" >> supabase/.env.local",
        "signing_keys_path = \"./signing_keys.json\" banyan gen signing-key --append",
    ] {
        let is_it = |said: &str| said.split_whitespace().eq(line.split_whitespace());
        assert!(none.lines().any(is_it), "{line} is not in:\n{none}");
    }
    assert!(!none.contains("service_role_key = "), "it is made of another: {none}");

    let own = "jwt_secret = \"0123456789abcdef0123456789abcdef0123\"\n";
    let demo = load_text("", "", &[]).expect("loads").config.keys.service_role_key;
    let left = refused(&format!("{own}service_role_key = \"{}\"\n", demo.expose_secret()), &[]);
    assert!(!left.contains("jwt_secret = ") && left.contains("  service_role_key  "), "{left}");

    let unset = refused("jwt_secret = \"env(MY_JWT)\"\nanon_key = \"env(ANON)\"\n", &[("MY_JWT", "")]);
    for told in [
        "auth.jwt_secret: environment variable MY_JWT is not set, or empty: `echo \"MY_JWT=$(openssl rand -hex 32)\" >> \
         supabase/.env.local` makes one",
        "auth.anon_key: environment variable ANON is not set, or empty: strike the key out: it is made of jwt_secret then",
    ] {
        assert!(unset.lines().any(|said| said == told), "{told} is not in:\n{unset}");
    }
    assert!(unset.contains("secret_key = \"env(SECRET_KEY)\""), "{unset}");
}

#[test]
fn a_file_of_signing_keys_that_cannot_be_used_says_who_writes_it() {
    let path = "[auth]\nsigning_keys_path = \"./keys.json\"\n";
    let absent = load_text(path, "", &[]).expect_err("refused").to_string();
    assert!(absent.starts_with("auth.signing_keys_path: cannot read /"), "{absent}");
    assert!(absent.ends_with("; `banyan gen signing-key --append` writes one"), "{absent}");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("keys.json");
    std::fs::write(&file, crate::DEMO_SIGNING_KEY).expect("written");
    let single = crate::read_signing_keys(&file).expect_err("refused").to_string();
    assert!(single.contains("keys.json must hold a list of keys, [ {…} ], as `banyan gen"), "{single}");
}

#[test]
fn who_makes_keys_is_not_refused_for_the_lack_of_them() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("supabase")).expect("made");
    let text = format!("{PUBLIC_SITE}jwt_secret = \"env(MY_JWT)\"\nservice_role_key = \"env(SERVICE)\"\n");
    std::fs::write(folder.path().join("supabase/config.toml"), text).expect("written");
    let keys = keys_so_far(folder.path(), Environment::default()).expect("keys");
    assert_eq!(keys.signing_keys.len(), 1);
    assert_eq!(signing_keys_file(folder.path(), Environment::default()).expect("read"), None);
}

#[test]
fn demo_keys_are_refused_behind_a_public_address_too() {
    for text in [
        "[api]\nexternal_url = \"https://api.school.example\"\n",
        "[auth]\nexternal_url = \"https://school.example/auth/v1\"\n",
        "[api]\nexternal_url = \"http://127.0.0.1.school.example\"\n",
        // Behind a public server on one origin nothing else needs to be set.
        "[auth]\nsite_url = \"https://x.example\"\n",
        "[auth]\nsite_url = \"http://192.168.1.7:5173\"\n",
    ] {
        let error = load_text(text, "", &[]).expect_err(text);
        assert!(error.to_string().contains(REFUSED), "{error}");
    }
    for text in [
        "[api]\nexternal_url = \"http://localhost:54321\"\n",
        "[auth]\nsite_url = \"http://app.localhost:5173\"\n",
        "[auth]\nadditional_redirect_urls = [\"https://*.x.example/**\"]\n",
    ] {
        load_text(text, "", &[]).expect(text);
    }
}

#[test]
fn demo_keys_are_taken_anywhere_by_who_says_so() {
    let meant = "[server]\nhost = \"0.0.0.0\"\ndemo_keys = true\n";
    let config = load_text(PUBLIC_SITE, meant, &[]).expect("loads").config;
    assert!(!config.is_for_this_machine(), "errors still say as little as in public");
    assert!(load_text(PUBLIC_SITE, "[server]\ndemo_keys = false\n", &[]).is_err());
}

#[test]
fn demo_keys_are_warned_of_wherever_others_may_reach_them() {
    let warnings = |banyan: &str| load_text("", banyan, &[]).expect("loads").warnings;
    assert_eq!(warnings(DEMO), [KNOWN]);
    assert_eq!(warnings("[server]\nhost = \"0.0.0.0\"\ndemo_keys = true\n"), [KNOWN]);
    assert!(warnings("").is_empty(), "on this machine alone they are as they should be");
}

#[test]
fn auth_q1_behind_a_public_server_it_has_to_be_said_how_clients_are_told_apart() {
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
fn the_memory_of_all_functions_is_the_machines_business_unless_it_is_said() {
    let memory = |banyan: &str| load_text("", banyan, &[]).map(|loaded| loaded.config.edge_runtime.memory);
    assert_eq!(memory("").expect("loads"), None);
    assert_eq!(memory("[edge_runtime]\nmemory = \"2GiB\"\n").expect("loads"), Some(2 << 30));
    let error = memory("[edge_runtime]\nmemory = \"1MiB\"\n").expect_err("too little");
    assert!(error.to_string().starts_with("edge_runtime.memory"), "{error}");
}

#[test]
fn secrets_never_show_in_debug_output() {
    let shown = format!("{:?}", load_text("", "", &[]).expect("loads").config);
    assert!(!shown.contains("sb_secret_") && !shown.contains("super-secret"));
}

#[test]
fn a_port_chosen_by_the_system_reaches_every_derived_address() {
    let mut config = load_text("[api]\nport = 0\n[auth]\nsite_url = \"https://school.example\"\n", DEMO, &[])
        .expect("loads")
        .config;
    config.listening_on(40_001);
    assert_eq!(config.api_url(), "http://127.0.0.1:40001");
    assert_eq!(config.auth.jwt_issuer, "http://127.0.0.1:40001/auth/v1");
    assert_eq!(config.auth.site_url, "https://school.example");
}

#[test]
fn stack_2_the_environment_is_heard_without_a_banyan_toml() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("supabase")).expect("made");
    std::fs::write(folder.path().join("supabase/config.toml"), "").expect("written");
    let environment = Environment::of([("SUPABASE_SERVER_ADMIN_PORT", "4321")]);
    let config = load(folder.path(), environment, 0).expect("read").config;
    assert_eq!(config.server.admin_port, 4321);
}

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

#[test]
fn wrong_values_of_the_auth_section_name_their_key() {
    for (text, start) in [
        ("[auth]\njwt_expiry = 604801\n", "auth.jwt_expiry"),
        ("[auth]\npassword_requirements = \"strong\"\n", "auth.password_requirements"),
        ("[auth.captcha]\nenabled = true\nprovider = \"riddle\"\n", "auth.captcha.provider"),
        ("[auth.captcha]\nenabled = true\nprovider = \"hcaptcha\"\n", "auth.captcha.secret"),
        ("[auth.passkey]\nenabled = true\n", "auth.webauthn.rp_id"),
        (
            "[auth.webauthn]\nrp_id = \"a.example\"\nrp_origins = [\"https://b.example\"]\n",
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
        ("[auth.sessions]\ntimebox = \"long\"\n", "auth.sessions.timebox"),
    ] {
        let error = load_text(text, "", &[]).expect_err(text);
        assert!(error.to_string().starts_with(start), "{error}");
    }
}

#[test]
fn what_is_switched_on_and_not_offered_is_said() {
    let loaded =
        load_text("[auth.oauth_server]\nenabled = true\n[auth.web3.solana]\nenabled = false\n", "", &[]);
    let warnings = loaded.expect("loads").warnings;
    assert_eq!(warnings, ["config.toml: `auth.oauth_server` is not offered by this version and stays off"]);
}

#[test]
fn auth_g2_g18_a_provider_that_cannot_be_asked_is_said() {
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

#[test]
fn auth_i2_an_issuer_of_id_tokens_is_listed_with_our_client_ids_there() {
    let listed = "[auth.id_token_issuers]\n\"https://issuer.example/\" = [\"school\"]\n";
    let variables = [("GOTRUE_EXTERNAL_ALLOWED_ID_TOKEN_ISSUERS", "https://issuer.example")];
    let issuers = load_text("", listed, &variables).expect("loads").config.auth.id_token_issuers;
    assert_eq!(issuers["https://issuer.example"], ["school"]);
    let bare = load_text("", "", &variables).expect_err("whose tokens?");
    assert!(bare.to_string().contains("https://issuer.example"), "{bare}");
    let empty = "[auth.id_token_issuers]\n\"https://issuer.example\" = []\n";
    assert!(load_text("", empty, &[]).is_err());
}

/// A server's configuration whose keys are its own but for what `[auth]` says besides; the signing keys are in a file.
fn server_with(auth: &str, signing_keys: &str) -> Result<Loaded, ConfigError> {
    let folder = tempfile::tempdir().expect("a folder");
    let supabase = folder.path().join("supabase");
    std::fs::create_dir(&supabase).expect("created");
    let own = "signing_keys_path = \"./keys.json\"\njwt_secret = \"0123456789abcdef\"\n";
    std::fs::write(supabase.join("config.toml"), format!("{PUBLIC_SITE}{own}{auth}\n")).expect("written");
    std::fs::write(supabase.join("banyan.toml"), "[auth]\nclient_address_header = \"none\"\n")
        .expect("written");
    std::fs::write(supabase.join("keys.json"), signing_keys).expect("written");
    load(folder.path(), Environment::of([]), 0)
}

const OWN_SECRET: &str = "secret_key = \"sb_secret_0123456789abcdef\"";
const OWN_SIGNING: &str = r#"{"kty":"EC","crv":"P-256","x":"own","y":"own","d":"own"}"#;

#[test]
fn auth_j2_the_demo_signing_key_is_refused_wherever_it_stands_in_the_file() {
    let demo = crate::DEMO_SIGNING_KEY.trim();
    server_with(OWN_SECRET, &format!("[{OWN_SIGNING}]")).expect("keys of its own");
    let renamed = demo.replace("b81269f1", "00000000");
    for keys in [format!("[{demo}]"), format!("[{OWN_SIGNING},{demo}]"), format!("[{renamed}]")] {
        let refused = server_with(OWN_SECRET, &keys).expect_err("anybody could sign").to_string();
        assert!(refused.contains("take the demo key, which everybody has, out of the file"), "{refused}");
    }
}

#[test]
fn auth_j7_a_server_with_keys_of_its_own_never_takes_the_demo_key_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let supabase = folder.path().join("supabase");
    std::fs::create_dir(&supabase).expect("created");
    std::fs::write(supabase.join("config.toml"), "[auth]\nsigning_keys_path = \"./keys.json\"\n")
        .expect("written");
    let write = |text: &str| std::fs::write(supabase.join("keys.json"), text).expect("written");
    write(&format!("[{OWN_SIGNING}]"));
    let keys = load(folder.path(), Environment::of([]), 0).expect("loads").config.keys;
    write(&format!("[{OWN_SIGNING},{}]", crate::DEMO_SIGNING_KEY));
    assert!(keys.with_signing_keys_of_now().is_err());
    write(&format!("[{OWN_SIGNING},{OWN_SIGNING}]"));
    assert_eq!(keys.with_signing_keys_of_now().expect("taken").signing_keys.len(), 2);
}

#[test]
fn keys_that_are_weak_or_in_each_others_place_are_refused() {
    for (auth, told) in [
        ("secret_key = \"x\"", "auth.secret_key: must have 16 characters or more"),
        (
            "secret_key = \"0123456789abcdef\"\npublishable_key = \"0123456789abcdef\"",
            "auth.secret_key: must be another than publishable_key",
        ),
        ("secret_key = \"sb_publishable_0123456789\"", "auth.secret_key: is a publishable key"),
        ("publishable_key = \"sb_secret_0123456789abcdef0\"", "auth.publishable_key: is a secret key"),
        ("secret_key = \"${SECRET_KEY_OF_MINE}\"", "auth.secret_key: looks like the name of a variable"),
        ("secret_key = \"$SECRET_KEY_OF_MINE\"", "auth.secret_key: looks like the name of a variable"),
        ("secret_key = \"env(SECRET_KEY_OF_MINE\"", "auth.secret_key: looks like the name of a variable"),
        ("secret_key = \"ENV(SECRET_KEY_OF_MINE)\"", "auth.secret_key: looks like the name of a variable"),
        ("secret_key = \"env( SECRET_KEY )\"", "auth.secret_key: looks like the name of a variable"),
    ] {
        let refused = server_with(auth, &format!("[{OWN_SIGNING}]")).expect_err(auth).to_string();
        assert!(refused.contains(told), "{auth}: {refused}");
    }
    let guessed = r#"[{"kty":"oct","k":"aGVsbG8","alg":"HS256","kid":"z"}]"#;
    let refused = server_with(OWN_SECRET, guessed).expect_err("five bytes").to_string();
    assert!(refused.contains("fewer than 32 bytes"), "{refused}");
    server_with("secret_key = \"$tr0ng-and-long-enough\"", &format!("[{OWN_SIGNING}]")).expect("no name");
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
