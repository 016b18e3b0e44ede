//! `banyan gen bearer-jwt`: a token for the data API (CONTRACT.md CLI-BEARER-JWT).

use anyhow::{Context, ensure};
use banyan_identity::Keyring;
use serde_json::{Map, Value, json};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use crate::{
    arguments::{BearerJwt, Global},
    output, project,
};

/// Signs with the key that signs the stack's own tokens; `--payload` wins over the other flags.
pub(crate) fn run(global: &Global, wanted: &BearerJwt, now: OffsetDateTime) -> anyhow::Result<()> {
    let claims = claims(wanted, now)?;
    let keys = project::keys_so_far(global)?;
    output::line(&Keyring::new(&keys)?.sign(&claims)?);
    if let Some(role) = claims["role"].as_str().filter(|role| !ROLES.contains(role)) {
        output::note(format_args!(
            "The role {role} is none that the stack makes: the database needs it, with `grant \"{}\" to authenticator`.",
            role.replace('"', "\"\"")
        ));
    }
    if !keys.own_signing_keys {
        output::note("Signed with the demo key, which everybody has: for a stack on this machine alone.");
    }
    Ok(())
}

/// Roles that requests come in with everywhere.
const ROLES: [&str; 3] = ["anon", "authenticated", "service_role"];

fn claims(wanted: &BearerJwt, now: OffsetDateTime) -> anyhow::Result<Value> {
    let valid_for = banyan_config::duration("--valid-for", &wanted.valid_for)?;
    ensure!(!valid_for.is_zero(), "--valid-for must be more than 0s: the token would have ended already");
    let (issued, expires) = match &wanted.exp {
        None => (now, now + valid_for),
        Some(text) => {
            let expires = OffsetDateTime::parse(text, &Rfc3339)
                .context("--exp is no time such as 2026-12-31T00:00:00Z")?;
            (expires - valid_for, expires)
        }
    };
    let mut claims = Map::new();
    claims.insert("role".to_owned(), json!(wanted.role));
    claims.insert("iat".to_owned(), json!(issued.unix_timestamp()));
    claims.insert("exp".to_owned(), json!(expires.unix_timestamp()));
    match &wanted.sub {
        Some(sub) => drop(claims.insert("sub".to_owned(), json!(sub))),
        // Nobody in particular signed in: an anonymous user.
        None if wanted.role.eq_ignore_ascii_case("authenticated") => {
            claims.insert("is_anonymous".to_owned(), json!(true));
        }
        None => {}
    }
    let more: Map<String, Value> =
        serde_json::from_str(&wanted.payload).context("--payload is no JSON object")?;
    claims.extend(more);
    Ok(Value::Object(claims))
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    fn of(sub: Option<&str>, exp: Option<&str>, payload: &str) -> Value {
        let wanted = BearerJwt {
            role: "authenticated".into(),
            sub: sub.map(str::to_owned),
            exp: exp.map(str::to_owned),
            valid_for: "1h".into(),
            payload: payload.into(),
        };
        claims(&wanted, datetime!(2026-01-01 12:00 UTC)).expect("claims")
    }

    // rows: CLI-BEARER-JWT
    #[test]
    fn the_claims_are_those_of_the_supabase_cli() {
        let plain = of(None, None, "{}");
        assert_eq!(plain["exp"].as_i64().expect("exp") - plain["iat"].as_i64().expect("iat"), 3600);
        assert_eq!((&plain["is_anonymous"], &plain["role"]), (&json!(true), &json!("authenticated")));
        let named =
            of(Some("somebody"), Some("2026-02-01T00:00:00Z"), r#"{"aal": "aal2", "role": "editor"}"#);
        assert_eq!(
            (&named["sub"], &named["aal"], &named["role"]),
            (&json!("somebody"), &json!("aal2"), &json!("editor"))
        );
        assert_eq!(named["exp"], json!(datetime!(2026-02-01 00:00 UTC).unix_timestamp()));
        assert!(named.get("is_anonymous").is_none());
    }
}
