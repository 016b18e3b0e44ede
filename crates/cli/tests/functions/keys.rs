//! The signing keys change while requests run (auth/CONTRACT.md J2, J5, J7).

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use crate::{
    project::Project,
    support::{Answer, Stage, append, eventually},
};

/// Writes the list of keys: the first signs, the others verify.
fn write(project: &Project, keys: &[&Value]) {
    let mut list = json!(keys);
    for key in list.as_array_mut().expect("a list").iter_mut().skip(1) {
        key["key_ops"] = json!(["verify"]);
    }
    // Whoever reads meanwhile finds the old list or the new one.
    let path = project.path().join("supabase/signing_keys.json");
    std::fs::write(path.with_extension("new"), list.to_string()).expect("written");
    std::fs::rename(path.with_extension("new"), path).expect("renamed");
}

fn made(project: &Project) -> Value {
    serde_json::from_str(&project.succeed(&["gen", "signing-key"]).out).expect("a key")
}

/// The ids of the keys that verifiers find.
fn published(stage: &Stage) -> Vec<String> {
    let keys = stage.get("/auth/v1/.well-known/jwks.json").json()["keys"].take();
    let keys = keys.as_array().expect("a list").iter();
    keys.map(|key| key["kid"].as_str().expect("an id").to_owned()).collect()
}

fn kid(key: &Value) -> &str {
    key["kid"].as_str().expect("an id")
}

/// What the three services answer to a token: REST, auth, a function.
fn answers(stage: &Stage, token: &str) -> [Answer; 3] {
    let key = format!("apikey: {}", stage.value("PUBLISHABLE_KEY"));
    let bearer = format!("authorization: Bearer {token}");
    ["/rest/v1/notes", "/auth/v1/user", "/functions/v1/hello"]
        .map(|path| stage.send("GET", path, &[&key, &bearer], ""))
}

fn statuses(stage: &Stage, token: &str) -> [u16; 3] {
    answers(stage, token).map(|answer| answer.status)
}

/// A new access token, and the id of the key that signed it.
fn signed_in(stage: &Stage) -> (String, String) {
    let key = format!("apikey: {}", stage.value("PUBLISHABLE_KEY"));
    let body = json!({"email": "asha@example.com", "password": "long enough"}).to_string();
    let path = "/auth/v1/token?grant_type=password";
    let session = stage.send("POST", path, &[&key, "content-type: application/json"], &body);
    assert_eq!(session.status, 200, "{session:?}");
    let token = session.json()["access_token"].as_str().expect("a token").to_owned();
    let head = URL_SAFE_NO_PAD.decode(token.split('.').next().expect("a head")).expect("base64url");
    let head: Value = serde_json::from_slice(&head).expect("JSON");
    (token, kid(&head).to_owned())
}

// rows: auth/J2 auth/J5 auth/J7
#[test]
fn keys_rotate_through_rest_auth_and_functions_without_a_restart() {
    let project = Project::new();
    let (old, new) = (made(&project), made(&project));
    let config = project.path().join("supabase/config.toml");
    let text = std::fs::read_to_string(&config).expect("read");
    let text = text.replacen("[auth]\n", "[auth]\nsigning_keys_path = \"./signing_keys.json\"\n", 1);
    std::fs::write(&config, text).expect("written");
    append(&project, "config.toml", "\n[functions.hello]\nverify_jwt = true\n");
    project.migration(
        "20260101000000",
        "create table public.notes (body text); grant select on public.notes to authenticated;",
    );
    write(&project, &[&old, &new]);
    let stage = Stage::of(project, &[("hello", "hello")]);
    let account = json!({"email": "asha@example.com", "password": "long enough", "email_confirm": true});
    let secret = [format!("apikey: {}", stage.value("SECRET_KEY")), "content-type: application/json".into()];
    let secret = secret.each_ref().map(String::as_str);
    assert_eq!(stage.send("POST", "/auth/v1/admin/users", &secret, &account.to_string()).status, 200);

    assert_eq!(published(&stage), [kid(&old), kid(&new)], "the standby key is found before it signs");
    let (before, signer) = signed_in(&stage);
    assert_eq!(signer, kid(&old));
    assert_eq!(statuses(&stage, &before), [200; 3], "{:?}", answers(&stage, &before));

    write(&stage.project, &[&new, &old]);
    // Sign-ins are limited; what is published is not.
    eventually("the new key", || published(&stage) == [kid(&new), kid(&old)]);
    let (after, signer) = signed_in(&stage);
    assert_eq!(signer, kid(&new));
    assert_eq!(statuses(&stage, &after), [200; 3], "what the new key signs counts everywhere");
    assert_eq!(statuses(&stage, &before), [200; 3], "so does what the earlier one signed");

    write(&stage.project, &[&new]);
    eventually("the end of the old key", || published(&stage) == [kid(&new)]);
    assert_eq!(statuses(&stage, &before), [401, 403, 401], "{:?}", answers(&stage, &before));
    assert_eq!(statuses(&stage, &after), [200; 3]);
}
