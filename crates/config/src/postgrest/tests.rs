use secrecy::ExposeSecret;

use super::*;
use crate::{ConfigError, Environment};

fn layers(text: &str, variables: &[(&str, &str)]) -> Result<Layers, ConfigError> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("api.conf");
    std::fs::write(&path, text).expect("written");
    Layers::read(Some(&path), &Environment::of(variables.iter().copied()))
}

fn check(text: &str, variables: &[(&str, &str)]) -> Result<DataApi, ConfigError> {
    layers(text, variables)?.check(&[])
}

fn refused(text: &str) -> String {
    check(text, &[]).expect_err(text).to_string()
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

// rows: rest/config-db-uri rest/config-db-schemas rest/config-db-tx-end rest/config-db-pool rest/config-openapi-mode rest/config-server-host rest/config-log-level
#[test]
fn have_their_defaults() {
    let api = Layers::default().check(&[]).expect("defaults");
    assert_eq!(api.database.expose_secret(), "postgresql://");
    assert_eq!((api.schemas, api.extra_search_path), (vec!["public".to_owned()], vec!["public".to_owned()]));
    assert_eq!((api.anonymous_role, api.pre_request, api.max_rows, api.root_spec), (None, None, None, None));
    assert_eq!(api.transaction_end, TransactionEnd { rollback: false, choice: false });
    assert_eq!((api.aggregates, api.plans, api.prepared_statements), (false, false, true));
    assert_eq!(
        api.hoisted_settings,
        ["statement_timeout", "plan_filter.statement_cost_limit", "default_transaction_isolation"]
    );
    assert!(api.in_database && api.pre_config.is_none() && api.app_settings.is_empty());
    assert_eq!((api.channel.as_str(), api.channel_enabled), ("pgrst", true));
    let pool = Pool {
        size: 10,
        acquisition_timeout: Duration::from_secs(10),
        max_lifetime: Duration::from_secs(1800),
        max_idletime: Duration::from_secs(30),
        automatic_recovery: true,
    };
    assert_eq!(api.pool, pool);
    assert!(api.tokens.secret.is_none() && api.tokens.audience.is_none());
    assert_eq!((api.tokens.role_claim.as_str(), api.tokens.cache_entries), ("$.role", 1000));
    assert_eq!(api.document, DocumentMode::FollowPrivileges);
    assert!(!api.document_security && api.public_url.is_none());
    assert_eq!(api.listener, Listener { host: "!4".to_owned(), port: 3000, socket: None });
    assert!(!api.reuse_port && api.allowed_origins.is_none() && !api.timing && api.trace_header.is_none());
    assert_eq!(api.admin, None);
    assert_eq!((api.log_level, api.log_query), (LogLevel::Error, false));
    assert!(api.verbose_errors && api.legacy_target_names);
}

// rows: rest/config-server-host rest/config-admin-server-host rest/config-log-level rest/config-client-error-verbosity
#[test]
fn are_read_from_the_file() {
    let api = check(
        r#"
        # every option that has a word or a number
        db-schemas = "multi,   tenant,setup" # and a comment behind it
        db-extra-search-path = ""
        db-tx-end = "rollback-allow-override"
        db-aggregates-enabled = on
        db-hoisted-tx-settings = "work_mem"
        db-max-rows = 1000
        db-pool = 3
        db-pool-automatic-recovery = false
        jwt-role-claim-key = "$$.user[0].real_role"
        openapi-mode = "ignore-privileges"
        openapi-server-proxy-uri = "https://example.org/api"
        server-host = "127.0.0.1"
        server-port = 80
        server-unix-socket = "/run/api.sock"
        server-unix-socket-mode = "777"
        server-cors-allowed-origins = "http://a.example, http://b.example"
        admin-server-port = 3001
        log-level = "warn"
        client-error-verbosity = "minimal"
        app { settings { motto = "learn\nto \"teach\"" } }
        "#,
        &[],
    )
    .expect("checked");
    assert_eq!(api.schemas, ["multi", "tenant", "setup"]);
    assert!(api.extra_search_path.is_empty() && api.aggregates && !api.pool.automatic_recovery);
    assert_eq!(api.transaction_end, TransactionEnd { rollback: true, choice: true });
    assert_eq!(
        (api.hoisted_settings, api.max_rows, api.pool.size),
        (vec!["work_mem".to_owned()], Some(1000), 3)
    );
    assert_eq!(api.tokens.role_claim, "$.user[0].real_role");
    assert_eq!(api.public_url.as_deref(), Some("https://example.org/api"));
    assert_eq!(api.listener.socket, Some(("/run/api.sock".into(), 0o777)));
    assert_eq!(api.allowed_origins.expect("given"), ["http://a.example", "http://b.example"]);
    let admin = Listener { host: "127.0.0.1".to_owned(), port: 3001, socket: None };
    assert_eq!(api.admin, Some(admin));
    assert_eq!((api.log_level, api.verbose_errors), (LogLevel::Warning, false));
    assert_eq!(api.app_settings, pairs(&[("app.settings.motto", "learn\nto \"teach\"")]));
}

// rows: rest/config-db-schemas
#[test]
fn database_wins_over_environment_and_environment_over_file() {
    let layers = layers(
        "db-schemas = \"file\"\ndb-max-rows = 1\ndb-anon-role = \"file\"\nserver-port = 1\n",
        &[("PGRST_DB_SCHEMAS", "environment"), ("PGRST_DB_MAX_ROWS", "2"), ("PGRST_SERVER_PORT", "2")],
    )
    .expect("read");
    let of_database = pairs(&[("pgrst.db_schemas", "database, other"), ("pgrst.server_port", "3")]);
    let api = layers.check(&of_database).expect("checked");
    assert_eq!(api.schemas, ["database", "other"]);
    assert_eq!((api.max_rows, api.anonymous_role.as_deref()), (Some(2), Some("file")));
    assert_eq!(api.listener.port, 2, "the database does not say where to listen");
}

// rows: rest/config-db-schema rest/config-pre-request rest/config-max-rows rest/config-root-spec rest/config-db-pool-timeout
#[test]
fn are_old_names() {
    let api = check(
        r#"
        db-schema = "old"
        pre-request = "check"
        max-rows = 7
        root-spec = "root"
        db-pool-timeout = 5
        role-claim-key = ".old"
        secret-is-base64 = true
        jwt-secret = "c2VjdXJpdHl0aHJvdWdob2JzY3VyaXR5aW5iYXNlNjQ="
        "#,
        &[],
    )
    .expect("checked");
    assert_eq!((api.schemas, api.max_rows), (vec!["old".to_owned()], Some(7)));
    assert_eq!((api.pre_request.as_deref(), api.root_spec.as_deref()), (Some("check"), Some("root")));
    assert_eq!((api.pool.max_idletime, api.tokens.role_claim.as_str()), (Duration::from_secs(5), ".old"));
    let secret = api.tokens.secret.expect("given");
    assert_eq!(secret.expose_secret(), b"securitythroughobscurityinbase64");
}

// rows: rest/config-booleans
#[test]
fn true_false_in_any_case_or_a_number_and_unknown_words_stop_the_start() {
    for (words, expected) in [
        ("true", true),
        ("\"TRUE\"", true),
        ("\"\\\"true\\\"\"", true),
        ("2", true),
        ("\"0\"", false),
        ("off", false),
    ] {
        let api = check(&format!("db-aggregates-enabled = {words}\n"), &[]).expect(words);
        assert_eq!(api.aggregates, expected, "{words}");
    }
    for (option, word) in [
        ("db-tx-end", "maybe"),
        ("log-level", "loud"),
        ("openapi-mode", "hidden"),
        ("client-error-verbosity", "silent"),
        ("server-unix-socket-mode", "599"),
        ("admin-server-unix-socket-mode", "a"),
        ("openapi-server-proxy-uri", "ftp://x"),
        ("jwt-aud", "no uri:"),
    ] {
        assert!(refused(&format!("{option} = \"{word}\"\n")).contains(option), "{option}");
    }
    let of_database = pairs(&[("pgrst.db_tx_end", "maybe")]);
    assert!(Layers::default().check(&of_database).is_err());
}

// rows: rest/K07
#[test]
fn schemas_of_postgresql_itself_are_refused() {
    assert!(
        refused("db-schemas = \"api, pg_catalog\"\n")
            .contains("db-schemas does not allow schema: 'pg_catalog'")
    );
    assert!(refused("db-schemas = \"information_schema\"\n").contains("'information_schema'"));
}

// rows: rest/Z01
#[test]
fn the_admin_port_is_another_than_the_servers() {
    assert!(
        refused("server-port = 80\nadmin-server-port = 80\n").contains("cannot be the same as server-port")
    );
    assert!(refused("admin-server-port = 3000\n").contains("cannot be the same as server-port"));
    let api = check("admin-server-unix-socket = \"/run/a.sock\"\n", &[]).expect("checked");
    assert_eq!(api.admin.expect("a socket is enough").socket, Some(("/run/a.sock".into(), 0o660)));
}

// rows: rest/T04 rest/V07
#[test]
fn the_database_names_no_file_to_read() {
    let said = [("pgrst.jwt_secret".to_owned(), "@/dev/zero".to_owned())];
    let refused = Layers::default().check(&said).expect_err("refused");
    assert!(refused.to_string().contains("jwt-secret"), "{refused}");
}

// rows: rest/T04 rest/V05 rest/config-jwt-secret rest/config-jwt-secret-is-base64
#[test]
fn it_comes_from_a_file_too_and_a_short_one_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("secret");
    std::fs::write(&path, "reallyreallyreallyreallyverysafe\n").expect("written");
    let secret = |text: String| check(&text, &[]).expect("checked").tokens.secret.expect("given");
    let of_file = secret(format!("jwt-secret = \"@{}\"\n", path.display()));
    assert_eq!(of_file.expose_secret(), b"reallyreallyreallyreallyverysafe");
    let url_alphabet =
        "jwt-secret-is-base64 = true\njwt-secret = \"_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-.\"\n";
    assert!(refused(url_alphabet).contains("not base64"), "a misplaced pad is seen");
    let url_alphabet = format!("jwt-secret-is-base64 = true\njwt-secret = \"{}\"\n", "_-_-".repeat(12));
    assert_eq!(secret(url_alphabet).expose_secret(), [0xff, 0xef, 0xfe].repeat(12));
    assert!(refused("jwt-secret = \"too short\"\n").contains("at least 32 characters"));
    let jwk = secret("jwt-secret = \"{\\\"kty\\\":\\\"oct\\\",\\\"k\\\":\\\"AA\\\"}\"\n".to_owned());
    assert_eq!(jwk.expose_secret(), br#"{"kty":"oct","k":"AA"}"#);
}

// rows: rest/config-db-uri
#[test]
fn comes_from_a_file_too_and_debug_shows_no_secret() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("uri");
    std::fs::write(&path, " postgresql://u:s3cret@h/d\n").expect("written");
    let api = check(&format!("db-uri = \"@{}\"\n", path.display()), &[]).expect("checked");
    assert_eq!(api.database.expose_secret(), "postgresql://u:s3cret@h/d");
    assert!(!format!("{api:?}").contains("s3cret"));
    assert!(refused("db-uri = \"@/no/such/file\"\n").contains("/no/such/file"));
}

// rows: rest/config-app-settings
#[test]
fn come_from_file_and_environment() {
    let api = check(
        "app.settings.a = \"file\"\napp.settings.b = 2\n",
        &[("PGRST_APP_SETTINGS_a", "environment"), ("PGRST_APP_SETTINGS_cC", "3")],
    )
    .expect("checked");
    let expected = [("app.settings.a", "environment"), ("app.settings.b", "2"), ("app.settings.cC", "3")];
    assert_eq!(api.app_settings, pairs(&expected));
}

#[test]
fn a_value_may_name_a_variable_and_an_import_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let (main, other) = (folder.path().join("a.conf"), folder.path().join("b.conf"));
    std::fs::write(&main, "import \"b.conf\"\ndb-anon-role = \"$(WHO)_$(db-channel)\"\n").expect("written");
    std::fs::write(&other, "db-channel = \"bell\"\n").expect("written");
    let api = Layers::read(Some(&main), &Environment::of([("WHO", "nobody")])).expect("read").check(&[]);
    assert_eq!(api.expect("checked").anonymous_role.as_deref(), Some("nobody_bell"));
    std::fs::write(&other, "import \"a.conf\"\n").expect("written");
    assert!(Layers::read(Some(&main), &Environment::default()).is_err(), "files that import each other");
}

#[test]
fn a_broken_file_is_refused_with_its_line_and_without_its_text() {
    for text in
        ["a = \"s3cret\n", "\n= 3\n", "a = s3cret\n", "a { b = 1\n", "a = \"$(s3cret)\"\n", "a = \"\\x\"\n"]
    {
        let error = layers(text, &[]).expect_err(text).to_string();
        assert!(error.contains("line "), "{error}");
    }
    assert!(!refused("a = s3cret\n").contains("s3cret"));
}
