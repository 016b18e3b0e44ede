use std::time::Duration;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::Value;

use crate::project::Project;

/// A part of a token, by its place.
fn part(token: &str, n: usize) -> Value {
    let part = token.trim().split('.').nth(n).expect("a part");
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).expect("base64url")).expect("JSON")
}

/// `[auth]` of the project names a file of keys, which need not be there yet.
fn with_keys_file(project: &Project) {
    let path = project.path().join("supabase/config.toml");
    let text = std::fs::read_to_string(&path).expect("read");
    let line = "[auth]\nsigning_keys_path = \"./signing_keys.json\"";
    assert!(text.contains("[auth]\n"), "{text}");
    std::fs::write(&path, text.replacen("[auth]\n", &format!("{line}\n"), 1)).expect("written");
}

fn keys(project: &Project) -> Vec<Value> {
    let text = std::fs::read_to_string(project.path().join("supabase/signing_keys.json")).expect("read");
    serde_json::from_str(&text).expect("a list")
}

// rows: auth/J3 CLI-SIGNING-KEY
#[test]
fn a_signing_key_is_printed_or_added_to_its_file() {
    let project = Project::new();
    let printed: Value = serde_json::from_str(&project.succeed(&["gen", "signing-key"]).out).expect("a JWK");
    assert_eq!(
        (&printed["kty"], &printed["alg"], &printed["crv"]),
        (&"EC".into(), &"ES256".into(), &"P-256".into())
    );
    assert!(["kid", "x", "y", "d"].iter().all(|member| printed[member].is_string()), "{printed}");

    with_keys_file(&project);
    let said = project.succeed(&["gen", "signing-key"]).notes;
    assert!(said.contains("/supabase/signing_keys.json now holds one key."), "{said}");
    let first = keys(&project);
    let refused = project.run(&["gen", "signing-key"]);
    assert!(
        refused.code == 1 && refused.notes.contains("--append"),
        "keys are not overwritten unasked: {}",
        refused.notes
    );
    let said = project.succeed(&["gen", "signing-key", "--algorithm", "RS256", "--append"]).notes;
    assert!(said.contains("now holds 2 keys."), "{said}");
    let both = keys(&project);
    assert_eq!((both.len(), &both[0], &both[1]["alg"]), (2, &first[0], &"RS256".into()));
    project.succeed(&["gen", "signing-key", "--yes"]);
    assert_eq!(keys(&project).len(), 1);
}

// rows: CLI-BEARER-JWT
#[test]
fn a_token_that_nobody_would_take_is_not_made_without_a_word() {
    let project = Project::new();
    let ended = project.run(&["gen", "bearer-jwt", "--role", "anon", "--valid-for", "0s"]);
    assert_eq!((ended.code, ended.out.as_str()), (1, ""));
    assert!(ended.notes.contains("--valid-for must be more than 0s"), "{}", ended.notes);
    let notes = |role: &str| project.succeed(&["gen", "bearer-jwt", "--role", role]).notes;
    assert!(notes("editor").contains("`grant \"editor\" to authenticator`"));
    assert!(!notes("service_role").contains("grant"));
}

// rows: CLI-SIGNING-KEY
#[test]
fn a_key_is_not_added_to_a_file_that_no_setting_names() {
    let project = Project::new();
    let refused = project.run(&["gen", "signing-key", "--append"]);
    assert_eq!((refused.code, refused.out.as_str()), (1, ""), "no private key on the terminal");
    assert!(refused.notes.contains("set signing_keys_path = "), "{}", refused.notes);
}

// rows: CLI-SIGNING-KEY
#[test]
fn keys_of_a_server_are_made_before_it_has_any() {
    let project = Project::new();
    let path = project.path().join("supabase/config.toml");
    let text = std::fs::read_to_string(&path).expect("read").replace(
        "http://127.0.0.1:3000\"\nadditional",
        "https://school.example\"\nservice_role_key = \"env(NOT_YET)\"\nsigning_keys_path = \"./signing_keys.json\"\nadditional",
    );
    std::fs::write(&path, text).expect("written");
    let refused = project.run(&["start"]);
    assert_eq!(refused.code, 1, "{}", refused.notes);
    for told in
        ["NOT_YET", "openssl rand -hex 32", "sb_secret_", "auth.signing_keys_path", "client_address_header"]
    {
        assert!(refused.notes.contains(told), "{told} is not in {}", refused.notes);
    }
    project.succeed(&["gen", "signing-key", "--append"]);
    project.succeed(&["gen", "signing-key", "--append"]);
    let token = project.succeed(&["gen", "bearer-jwt", "--role", "service_role"]).out;
    assert_eq!(part(&token, 0)["kid"], keys(&project)[0]["kid"]);
}

// rows: auth/J4 auth/J7 CLI-ROTATION
#[test]
fn keys_are_rotated_without_a_restart_and_rest_follows() {
    let project = Project::new();
    with_keys_file(&project);
    project.succeed(&["gen", "signing-key"]);
    let token = project.succeed(&["gen", "bearer-jwt", "--role", "service_role", "--valid-for", "1h"]).out;
    assert_eq!(part(&token, 0)["kid"], keys(&project)[0]["kid"]);
    assert_eq!(part(&token, 1)["role"], "service_role");

    project.succeed(&["start"]);
    let url = project.status()["API_URL"].as_str().expect("an address").to_owned();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let ask = |token: &str| {
        let request = reqwest::Client::new().get(format!("{url}/rest/v1/")).bearer_auth(token.trim());
        runtime.block_on(async { request.send().await.expect("an answer").status().as_u16() })
    };
    assert_eq!(ask(&token), 200, "REST accepts what the first key signed");

    project.succeed(&["gen", "signing-key", "--yes"]);
    let next = project.succeed(&["gen", "bearer-jwt", "--role", "service_role"]).out;
    assert_ne!(part(&token, 0)["kid"], part(&next, 0)["kid"]);
    let followed = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(200));
        ask(&next) == 200
    });
    assert!(followed, "the running stack takes the new key over");
    assert_eq!(ask(&token), 401, "a key that is gone counts no more");
    let legacy = project.status()["SERVICE_ROLE_KEY"].as_str().expect("a key").to_owned();
    assert_eq!(ask(&legacy), 200, "J4: keys of the legacy secret stay valid");
}

// rows: auth/J3 auth/J4
#[test]
fn what_no_part_could_begin_with_is_told_by_its_setting_before_anything_runs() {
    let project = Project::new();
    let path = project.path().join("supabase/config.toml");
    let text = std::fs::read_to_string(&path).expect("read");
    let keys = "[auth]\njwt_secret = \"0123456789abcdef0123456789abcdef\"\nanon_key = \"abc\"\n";
    let smtp = "\n[auth.email.smtp]\nhost = \"127.0.0.1\"\nadmin_email = \"nobody\"\n";
    std::fs::write(&path, text.replacen("[auth]\n", keys, 1) + smtp).expect("written");
    for command in ["start", "serve"] {
        let refused =
            project.command(&[command]).env("BANYAN_DATABASE_URL", "school").output().expect("runs");
        assert_eq!(refused.status.code(), Some(1), "{command}");
        let told = String::from_utf8_lossy(&refused.stderr).into_owned();
        let lines: Vec<&str> = told.lines().collect();
        assert_eq!(lines.len(), 3, "{told}");
        assert!(lines[0].starts_with("auth.anon_key: is no token that this project accepts"), "{told}");
        assert_eq!(lines[1], "auth.email.smtp.admin_email: is no e-mail address");
        assert!(lines[2].starts_with("BANYAN_DATABASE_URL is no URL"), "{told}");
    }
    assert!(!project.path().join("state").exists(), "nothing was begun");
}
