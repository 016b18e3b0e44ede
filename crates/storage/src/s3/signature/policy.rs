//! What a signed form may hold (CONTRACT.md X02).

use std::ops::RangeInclusive;

use base64::{Engine, prelude::BASE64_STANDARD};
use serde::Deserialize;
use serde_json::Value;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use crate::error::StorageError;

/// Fields that carry the signature itself, and need no condition.
const NEED_NO_CONDITION: [&str; 6] = [
    "policy",
    "x-amz-signature",
    "x-amz-algorithm",
    "x-amz-credential",
    "x-amz-date",
    "x-amz-security-token",
];

const INVALID: StorageError = StorageError::InvalidSignature("Invalid POST policy");

/// The policy of a form: until when it is valid, and what its fields may be.
#[derive(Deserialize)]
pub(in crate::s3) struct Policy {
    expiration: String,
    conditions: Vec<Value>,
}

impl Policy {
    /// Reads a policy as a form has it, in base64.
    pub(in crate::s3) fn read(encoded: &str) -> Result<Self, StorageError> {
        let json = BASE64_STANDARD.decode(encoded).map_err(|_| INVALID)?;
        serde_json::from_slice(&json).map_err(|_| INVALID)
    }

    /// Checks that the form is in time, that its fields meet every condition, and that every field
    /// has one. Returns the sizes that the file may have.
    pub(in crate::s3) fn check(
        &self,
        fields: &[(String, String)],
        now: OffsetDateTime,
    ) -> Result<RangeInclusive<u64>, StorageError> {
        let expiration = OffsetDateTime::parse(&self.expiration, &Rfc3339).map_err(|_| INVALID)?;
        if expiration < now {
            return Err(StorageError::ExpiredToken("The provided token has expired."));
        }
        let mut sizes = 0..=u64::MAX;
        let mut covered = Vec::new();
        for condition in &self.conditions {
            match Condition::read(condition)? {
                Condition::Size(range) => sizes = range,
                Condition::Field { name, value, is_prefix } => {
                    let sent = fields.iter().find(|(found, _)| *found == name).map(|(_, sent)| sent);
                    let fits =
                        |sent: &String| if is_prefix { sent.starts_with(&value) } else { *sent == value };
                    if !sent.is_some_and(fits) {
                        return Err(failed(&name, "does not match"));
                    }
                    covered.push(name);
                }
            }
        }
        let is_free =
            |name: &String| NEED_NO_CONDITION.contains(&name.as_str()) || name.starts_with("x-ignore-");
        match fields.iter().find(|(name, _)| !is_free(name) && !covered.contains(name)) {
            Some((name, _)) => Err(failed(name, "is not covered by the policy")),
            None => Ok(sizes),
        }
    }
}

/// A condition of a policy.
enum Condition {
    /// The field is `value`, or begins with it. Its name is in lower case.
    Field { name: String, value: String, is_prefix: bool },
    /// Bytes of the file.
    Size(RangeInclusive<u64>),
}

impl Condition {
    fn read(value: &Value) -> Result<Self, StorageError> {
        match value {
            Value::Object(map) if map.len() == 1 => {
                let (name, value) = map.iter().next().expect("one of one");
                let value = value.as_str().ok_or(INVALID)?.to_owned();
                Ok(Self::Field { name: name.to_ascii_lowercase(), value, is_prefix: false })
            }
            Value::Array(parts) => Self::read_parts(parts),
            _ => Err(INVALID),
        }
    }

    /// Reads `["eq", "$key", "a"]`, `["starts-with", "$key", "a/"]` or
    /// `["content-length-range", 1, 100]`.
    fn read_parts(parts: &[Value]) -> Result<Self, StorageError> {
        let [operator, second, third] = parts else { return Err(INVALID) };
        let operator = operator.as_str().unwrap_or_default().to_ascii_lowercase();
        if operator == "content-length-range" {
            let (least, most) = (second.as_u64().ok_or(INVALID)?, third.as_u64().ok_or(INVALID)?);
            return Ok(Self::Size(least..=most));
        }
        let name = second.as_str().and_then(|name| name.strip_prefix('$')).ok_or(INVALID)?;
        let (name, value) = (name.to_ascii_lowercase(), third.as_str().ok_or(INVALID)?.to_owned());
        match operator.as_str() {
            "eq" => Ok(Self::Field { name, value, is_prefix: false }),
            "starts-with" => Ok(Self::Field { name, value, is_prefix: true }),
            _ => Err(INVALID),
        }
    }
}

fn failed(name: &str, how: &str) -> StorageError {
    StorageError::AccessDenied(format!("Policy condition failed: \"{name}\" {how}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NOW: OffsetDateTime = time::macros::datetime!(2026-01-01 00:00 UTC);

    fn check(conditions: &Value, fields: &[(&str, &str)]) -> Result<RangeInclusive<u64>, StorageError> {
        let policy = json!({"expiration": "2026-01-01T01:00:00Z", "conditions": conditions});
        let policy = Policy::read(&BASE64_STANDARD.encode(policy.to_string())).expect("a policy");
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        policy.check(&fields.iter().map(owned).collect::<Vec<_>>(), NOW)
    }

    // rows: X02
    #[test]
    fn every_field_of_a_form_meets_a_condition() {
        let conditions =
            json!([{"bucket": "b"}, ["starts-with", "$Key", "user/"], ["content-length-range", 1, 9]]);
        let fits = [("bucket", "b"), ("key", "user/a"), ("policy", "…"), ("x-ignore-me", "1")];
        assert_eq!(check(&conditions, &fits).expect("fits"), 1..=9);
        assert!(check(&conditions, &[("bucket", "b"), ("key", "other/a")]).is_err(), "another prefix");
        assert!(check(&conditions, &[("bucket", "c"), ("key", "user/a")]).is_err(), "another bucket");
        assert!(check(&conditions, &[("bucket", "b")]).is_err(), "a field is missing");
        let more = [("bucket", "b"), ("key", "user/a"), ("x-amz-meta-a", "1")];
        assert!(check(&conditions, &more).is_err(), "a field without a condition");
        for unknown in
            [json!(["in", "$key", "a"]), json!(["eq", "key", "a"]), json!({"a": "1", "b": "2"}), json!(7)]
        {
            assert!(check(&json!([unknown]), &[]).is_err(), "{unknown}");
        }
    }

    // rows: X02
    #[test]
    fn a_policy_expires_and_says_when() {
        for text in [r#"{"conditions":[]}"#, r#"{"expiration":"2026-01-01T01:00:00Z"}"#, "[]", ""] {
            assert!(Policy::read(&BASE64_STANDARD.encode(text)).is_err(), "{text}");
        }
        for expiration in ["2025-12-31T23:59:59Z", "soon"] {
            let policy = json!({"expiration": expiration, "conditions": []}).to_string();
            assert!(Policy::read(&BASE64_STANDARD.encode(policy)).unwrap().check(&[], NOW).is_err());
        }
    }
}
