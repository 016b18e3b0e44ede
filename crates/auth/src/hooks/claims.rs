use serde_json::Value;

/// Whether the value of a claim will do.
type Fits = fn(&Value) -> bool;

/// What every access token must hold (CONTRACT.md T16).
const NEEDED: [(&str, Fits); 10] = [
    ("aud", |value| value.is_string() || value.is_array()),
    ("exp", Value::is_number),
    ("iat", Value::is_number),
    ("sub", Value::is_string),
    ("email", Value::is_string),
    ("phone", Value::is_string),
    ("role", Value::is_string),
    ("aal", Value::is_string),
    ("session_id", Value::is_string),
    ("is_anonymous", Value::is_boolean),
];

/// Checks the claims that a hook gave back; the error names all that is missing.
pub(super) fn check(claims: &Value) -> Result<(), String> {
    let Some(claims) = claims.as_object() else { return Err("output claims field is missing".to_owned()) };
    let wrong = NEEDED.iter().filter(|(name, fits)| !claims.get(*name).is_some_and(fits));
    let wrong: Vec<String> = wrong.map(|(name, _)| format!("{name} is required")).collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join(", ")) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // rows: T16
    #[test]
    fn a_token_must_hold_what_services_read() {
        let mut claims = json!({
            "aud": "authenticated", "exp": 2, "iat": 1, "sub": "a", "email": "", "phone": "", "role": "authenticated",
            "aal": "aal1", "session_id": "b", "is_anonymous": false, "plan": "school",
        });
        assert_eq!(check(&claims), Ok(()));
        claims["role"] = json!(7);
        claims.as_object_mut().unwrap().remove("sub");
        assert_eq!(check(&claims), Err("sub is required, role is required".to_owned()));
        assert!(check(&Value::Null).is_err());
    }
}
