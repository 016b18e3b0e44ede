//! Keys of a configuration that cannot work, named before anything runs.

use std::fmt;

use banyan_config::Keys;
use secrecy::ExposeSecret;
use time::OffsetDateTime;

use crate::{Keyring, TokenError, claims::LEEWAY_SECONDS};

/// A setting whose key cannot work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyProblem {
    /// Its setting, as a key of config.toml.
    pub setting: &'static str,
    /// What is wrong with it; no part of the key.
    pub problem: String,
    /// Whether the key would work at another time, by the machine's clock.
    pub is_of_time: bool,
}

impl fmt::Display for KeyProblem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.setting, self.problem)
    }
}

/// What is wrong with the keys of a project: signing keys that cannot sign, and keys of its own for
/// `anon` and `service_role` that its other keys refuse.
#[must_use]
pub fn key_problems(keys: &Keys, now: OffsetDateTime) -> Vec<KeyProblem> {
    let keyring = match Keyring::new(keys) {
        Ok(keyring) => keyring,
        Err(error) => {
            let file = keys.signing_keys_file.as_ref().map(|file| format!("{}: ", file.display()));
            let problem = format!("{}{error}", file.unwrap_or_default());
            return vec![KeyProblem { setting: "auth.signing_keys_path", problem, is_of_time: false }];
        }
    };
    let legacy = [
        ("auth.anon_key", keys.anon_key.as_str(), "anon"),
        ("auth.service_role_key", keys.service_role_key.expose_secret(), "service_role"),
    ];
    // Where legacy keys are off, others stand in their place.
    let written = legacy.into_iter().filter(|(_, key, _)| keys.legacy && !key.is_empty());
    let problems = written.filter_map(|(setting, key, role)| {
        let (reason, is_of_time) = refusal(&keyring, key, role, now)?;
        let problem = format!("{reason}; struck out, it is made of jwt_secret");
        Some(KeyProblem { setting, problem, is_of_time })
    });
    problems.collect()
}

/// Why a token is no key of a role, and whether that is a matter of time alone.
fn refusal(keyring: &Keyring, token: &str, role: &str, now: OffsetDateTime) -> Option<(String, bool)> {
    let claims = keyring.check_signature(token);
    let claims = claims.and_then(|claims| claims.check_times(now, LEEWAY_SECONDS).map(|()| claims));
    let error = match claims {
        Ok(claims) if claims.text("role") == Some(role) => return None,
        Ok(_) => return Some((format!("is no token of the role {role}"), false)),
        Err(error) => error,
    };
    Some(match error {
        TokenError::WrongKey | TokenError::NoKey => {
            let reason = "does not fit: neither jwt_secret nor a signing key of the project signed it";
            (reason.to_owned(), false)
        }
        TokenError::Expired => ("has expired".to_owned(), true),
        TokenError::NotYetValid | TokenError::IssuedInFuture => {
            (format!("is not good yet, by the clock of this machine: {error}"), true)
        }
        error => (format!("is no token that this project accepts: {error}"), false),
    })
}

#[cfg(test)]
mod tests {
    use secrecy::SecretString;
    use serde_json::{Value, json};
    use time::{Duration, macros::datetime};

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-01-01 12:00 UTC);

    fn keys(auth: &str) -> Keys {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("supabase")).expect("created");
        std::fs::write(folder.path().join("supabase/config.toml"), format!("[auth]\n{auth}\n"))
            .expect("written");
        let environment = banyan_config::Environment::of([]);
        banyan_config::load(folder.path(), environment, 0).expect("loads").config.keys
    }

    fn texts(keys: &Keys) -> Vec<String> {
        key_problems(keys, NOW)
            .iter()
            .map(|problem| format!("{} {}", problem.setting, problem.problem))
            .collect()
    }

    // rows: auth/J4
    #[test]
    fn keys_of_a_project_that_its_secret_did_not_sign_are_named() {
        let (demo, own) = (keys(""), keys("jwt_secret = \"0123456789abcdef0123456789abcdef0123\""));
        assert_eq!((texts(&demo), texts(&own)), (vec![], vec![]), "what is made of the secret fits");
        let copied = Keys {
            anon_key: demo.anon_key.clone(),
            service_role_key: SecretString::from("abc"),
            ..own.clone()
        };
        let found = texts(&copied);
        assert!(found[0].starts_with("auth.anon_key does not fit: neither jwt_secret nor "), "{found:?}");
        assert!(found[1].starts_with("auth.service_role_key is no token that this project"), "{found:?}");
        assert!(!found.concat().contains(&demo.anon_key), "{found:?}");
        let swapped = Keys {
            anon_key: own.service_role_key.expose_secret().to_owned(),
            service_role_key: SecretString::from(own.anon_key.clone()),
            ..own.clone()
        };
        let found = texts(&swapped);
        assert!(found[0].starts_with("auth.anon_key is no token of the role anon;"), "{found:?}");
        assert!(found[1].starts_with("auth.service_role_key is no token of the role service_role;"));
        assert_eq!(texts(&Keys { anon_key: String::new(), ..own }), [""; 0], "none is none");
    }

    // rows: auth/J4
    #[test]
    fn keys_of_a_project_may_be_signed_by_its_signing_key_and_end() {
        let demo = keys("");
        let keyring = Keyring::new(&demo).expect("the demo keys work");
        let claims = json!({"role": "anon", "exp": (NOW + Duration::HOUR).unix_timestamp(), "nbf": NOW.unix_timestamp()});
        let own = Keys { anon_key: keyring.sign(&claims).expect("signed"), ..demo };
        assert_eq!(texts(&own), [""; 0]);
        let slow = key_problems(&own, NOW - Duration::DAY);
        assert!(slow[0].is_of_time && slow[0].problem.starts_with("is not good yet"), "{slow:?}");
        let later = key_problems(&own, NOW + Duration::HOUR * 2);
        assert_eq!(
            later[0],
            KeyProblem {
                setting: "auth.anon_key",
                problem: "has expired; struck out, it is made of jwt_secret".to_owned(),
                is_of_time: true,
            }
        );
    }

    // rows: auth/J3
    #[test]
    fn a_file_whose_keys_cannot_sign_is_named() {
        let mut keys = keys("");
        let mut public: Value = serde_json::from_str(banyan_config::DEMO_SIGNING_KEY).expect("JSON");
        public.as_object_mut().expect("a key").remove("d");
        keys.signing_keys_file = Some("/school/keys.json".into());
        for (key, problem) in [
            (public.to_string(), "no key of the list can sign"),
            (json!({"a": 1}).to_string(), "key 1 of the list is no usable private JWK: `kty` is missing"),
        ] {
            keys.signing_keys = vec![SecretString::from(key)];
            let found = texts(&keys);
            assert!(found[0].starts_with("auth.signing_keys_path /school/keys.json: "), "{found:?}");
            assert!(found.len() == 1 && found[0].ends_with(problem), "{found:?}");
        }
    }
}
