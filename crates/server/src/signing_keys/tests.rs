use std::sync::atomic::{AtomicUsize, Ordering};

use banyan_config::Environment;
use banyan_identity::{NewKey, OsRng};
use serde_json::{Value, json};

use super::*;

fn key() -> Value {
    NewKey::Es256.make(uuid::Uuid::new_v4(), &mut OsRng).expect("a key")
}

/// `key_ops` of a key that only verifies.
fn kept(mut key: Value) -> Value {
    key["key_ops"] = json!(["verify"]);
    key
}

async fn wait_for(mut is_so: impl FnMut() -> bool) {
    for _ in 0..100 {
        if is_so() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("it did not become so in ten seconds");
}

// rows: auth/J2 auth/J5 auth/J7 realtime/M9
#[tokio::test]
async fn a_rotation_reaches_everybody_without_a_restart() {
    let project = tempfile::tempdir().expect("a folder");
    let folder = project.path().join("supabase");
    std::fs::create_dir(&folder).expect("created");
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("written");
    let (old, new) = (key(), key());
    let list = |keys: &[&Value]| json!(keys).to_string();
    write("config.toml", "[auth]\nsigning_keys_path = \"./keys.json\"\n");
    write("keys.json", &list(&[&old, &kept(new.clone())]));
    let keys = banyan_config::load(project.path(), Environment::of([]), 0).expect("loads").config.keys;
    let keyring = Arc::new(Keyring::new(&keys).expect("usable"));
    let stop = CancellationToken::new();
    let changes = Arc::<AtomicUsize>::default();
    let changed = Arc::clone(&changes);
    let changed = move || {
        changed.fetch_add(1, Ordering::SeqCst);
    };
    let task = tokio::spawn(follow(keys, Arc::clone(&keyring), changed, stop.clone()));

    let published = keyring.public_jwks().to_string();
    assert!(
        published.contains(new["kid"].as_str().expect("an id")),
        "standby keys are published before they sign"
    );
    let before = keyring.sign(&json!({"role": "authenticated"})).expect("signed");

    write("keys.json", &list(&[&kept(old.clone()), &new, &kept(key())]));
    wait_for(|| keyring.public_jwks()["keys"].as_array().is_some_and(|keys| keys.len() == 3)).await;
    let after = keyring.sign(&json!({"role": "authenticated"})).expect("signed");
    assert_ne!(before.split('.').next(), after.split('.').next(), "another key signs");
    assert!(keyring.check_signature(&before).is_ok(), "what the earlier key signed still counts");

    write("keys.json", "no list at all");
    tokio::time::sleep(INTERVAL * 2).await;
    assert!(keyring.check_signature(&after).is_ok(), "a broken file changes nothing");
    assert_eq!(changes.load(Ordering::SeqCst), 1, "sockets are told of one change");

    write("keys.json", &list(&[&new]));
    wait_for(|| keyring.check_signature(&before).is_err()).await;
    assert!(
        keyring.check_signature(&after).is_ok(),
        "only the key that is gone is refused, though its token was remembered"
    );
    stop.cancel();
    task.await.expect("ended");
}
