//! API keys and token keys.

use super::*;

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
    for (config, expected) in [
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
            assert!(error.starts_with(expected), "{error}");
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

// rows: CFG-LEGACY-OFF
#[test]
fn where_legacy_keys_are_off_their_names_stand_for_keys_that_work() {
    let toml = "[auth]\nanon_key = \"a.b.c\"\nsecret_key = \"sb_secret_0123456789abcdef\"\n";
    let keys = |ours: &str| load_text(toml, ours, &[]).expect("loads").config.keys;
    assert_eq!(keys("").anon_key, "a.b.c");
    let keys = keys("[auth]\nlegacy_keys = false\n");
    assert_eq!(keys.anon_key, keys.publishable_key);
    assert_eq!(keys.service_role_key.expose_secret(), "sb_secret_0123456789abcdef");
}

// rows: CFG-LEGACY-KEYS
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

// rows: CFG-ENV-VALUES
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

/// How the refusal of demo keys begins, after what others reach the stack by.
const REFUSED: &str = "and these of its keys are public demo values";

// rows: CFG-DEMO-KEYS
#[test]
fn demo_keys_are_refused_on_a_public_listener() {
    let error = load_text("", "[server]\nhost = \"0.0.0.0\"\n", &[]).expect_err("refused").to_string();
    assert!(
        error.starts_with(&format!("auth: others reach this stack by server.host 0.0.0.0, {REFUSED}")),
        "{error}"
    );
}

// rows: CFG-DEMO-KEYS
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
    for expected in [
        "auth.jwt_secret: environment variable MY_JWT is not set, or empty: `echo \"MY_JWT=$(openssl rand -hex 32)\" >> \
         supabase/.env.local` makes one",
        "auth.anon_key: environment variable ANON is not set, or empty: strike the key out: it is made of jwt_secret then",
    ] {
        assert!(unset.lines().any(|said| said == expected), "{expected} is not in:\n{unset}");
    }
    assert!(unset.contains("secret_key = \"env(SECRET_KEY)\""), "{unset}");
    assert!(!unset.contains("WARN") && !unset.contains("MY_JWT=… in"), "told once: {unset}");
}

#[test]
fn an_empty_path_of_signing_keys_names_no_file() {
    let empty = "signing_keys_path = \"\"\n";
    let keys = load_text(&format!("[auth]\n{empty}"), "", &[]).expect("loads").config.keys;
    assert!(keys.signing_keys_file.is_none() && !keys.own_signing_keys);
    let refused = load_text(&format!("{PUBLIC_SITE}{empty}"), "", &[]).expect_err("demo keys").to_string();
    assert!(refused.contains("banyan gen signing-key --append"), "{refused}");
}

// rows: CFG-SIGNING-KEYS
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

// rows: CFG-DEMO-KEYS
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

// rows: CFG-DEMO-KEYS
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

// rows: CFG-SECRETS-HIDDEN
#[test]
fn secrets_never_show_in_debug_output() {
    let shown = format!("{:?}", load_text("", "", &[]).expect("loads").config);
    assert!(!shown.contains("sb_secret_") && !shown.contains("super-secret"));
}

/// A server's configuration whose keys are its own but for what `[auth]` says besides; the signing
/// keys are in a file.
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

// rows: auth/J2 CFG-SIGNING-KEYS
#[test]
fn the_demo_signing_key_is_refused_wherever_it_stands_in_the_file() {
    let demo = crate::DEMO_SIGNING_KEY.trim();
    server_with(OWN_SECRET, &format!("[{OWN_SIGNING}]")).expect("keys of its own");
    let renamed = demo.replace("b81269f1", "00000000");
    let secret = r#"{"kty":"oct","alg":"HS256","k":"c3VwZXItc2VjcmV0LWp3dC10b2tlbi13aXRoLWF0LWxlYXN0LTMyLWNoYXJhY3RlcnMtbG9uZw"}"#;
    for keys in [demo, &format!("{OWN_SIGNING},{demo}"), &renamed, &format!("{OWN_SIGNING},{secret}")] {
        let refused =
            server_with(OWN_SECRET, &format!("[{keys}]")).expect_err("anybody could sign").to_string();
        assert!(refused.contains("take the demo key, which everybody has, out of the file"), "{refused}");
    }
}

// rows: auth/J7
#[test]
fn a_server_with_keys_of_its_own_never_takes_the_demo_key_over() {
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

// rows: CFG-KEYS CFG-JWT-SECRET
#[test]
fn keys_that_are_weak_or_in_each_others_place_are_refused() {
    for (auth, expected) in [
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
        assert!(refused.contains(expected), "{auth}: {refused}");
    }
    let guessed = r#"[{"kty":"oct","k":"aGVsbG8","alg":"HS256","kid":"z"}]"#;
    let refused = server_with(OWN_SECRET, guessed).expect_err("five bytes").to_string();
    assert!(refused.contains("fewer than 32 bytes"), "{refused}");
    server_with("secret_key = \"$tr0ng-and-long-enough\"", &format!("[{OWN_SIGNING}]")).expect("no name");
}
