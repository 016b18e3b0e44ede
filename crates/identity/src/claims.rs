//! The claims of a checked token.

use serde_json::{Map, Value};
use time::OffsetDateTime;

use crate::TokenError;

/// Clocks of two machines may differ by this many seconds (rest/CONTRACT.md T15).
pub(crate) const LEEWAY_SECONDS: u32 = 30;

/// The claims of a token whose signature was checked.
#[derive(Debug, Clone)]
pub struct Claims {
    /// An object.
    value: Value,
    json: String,
}

impl Claims {
    /// Claims from a JSON object.
    #[must_use]
    pub fn from_map(map: Map<String, Value>) -> Self {
        let value = Value::Object(map);
        Self { json: value.to_string(), value }
    }

    /// The claims as JSON text, for `request.jwt.claims`.
    #[must_use]
    pub fn json(&self) -> &str {
        &self.json
    }

    /// One claim.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.value.get(name)
    }

    /// All of them, as a map.
    #[must_use]
    pub(crate) fn into_map(self) -> Map<String, Value> {
        match self.value {
            Value::Object(map) => map,
            _ => Map::new(),
        }
    }

    /// All of them, as an object.
    pub(crate) fn value(&self) -> &Value {
        &self.value
    }

    /// The same with this role in the claim `role`, whatever stood there.
    #[must_use]
    pub(crate) fn with_role(&self, role: &str) -> Self {
        let mut map = self.value.as_object().cloned().unwrap_or_default();
        map.insert("role".to_owned(), Value::from(role));
        Self::from_map(map)
    }

    /// About how many bytes they take in memory: short numbers in a list take many times what they
    /// are long.
    #[must_use]
    pub(crate) fn weight(&self) -> u64 {
        (size_of::<Self>() + size(&self.value) + self.json.len()) as u64
    }

    /// One claim that is a text.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name).and_then(Value::as_str)
    }

    /// The user the token speaks for: claim `sub`.
    #[must_use]
    pub fn subject(&self) -> Option<uuid::Uuid> {
        self.text("sub").and_then(|sub| sub.parse().ok())
    }

    /// Whether the time that `exp` names has come, by this machine's clock alone: for the service
    /// that signs tokens, and takes those of others no longer than its own (auth/CONTRACT.md B2).
    #[must_use]
    pub fn has_expired(&self, now: OffsetDateTime) -> bool {
        self.get("exp").and_then(Value::as_f64).is_some_and(|exp| exp <= now.unix_timestamp() as f64)
    }

    /// The time that `exp` names; none where there is none, or none that a calendar holds.
    #[must_use]
    pub fn expires_at(&self) -> Option<OffsetDateTime> {
        let exp = self.get("exp").and_then(Value::as_f64)?;
        OffsetDateTime::from_unix_timestamp(exp as i64).ok()
    }

    /// Checks `exp`, `nbf` and `iat` against `now`, for clocks that differ by `leeway` seconds at
    /// most (rest/CONTRACT.md T15).
    ///
    /// # Errors
    /// [`TokenError`] with the claim that fails.
    pub(crate) fn check_times(&self, now: OffsetDateTime, leeway: u32) -> Result<(), TokenError> {
        let (now, leeway) = (now.unix_timestamp() as f64, f64::from(leeway));
        let claim = |name: &'static str| match self.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => value.as_f64().map(Some).ok_or(TokenError::NotANumber(name)),
        };
        if claim("exp")?.is_some_and(|exp| exp < now - leeway) {
            return Err(TokenError::Expired);
        }
        if claim("nbf")?.is_some_and(|nbf| nbf > now + leeway) {
            return Err(TokenError::NotYetValid);
        }
        if claim("iat")?.is_some_and(|iat| iat > now + leeway) {
            return Err(TokenError::IssuedInFuture);
        }
        Ok(())
    }
}

fn size(value: &Value) -> usize {
    let inside = match value {
        Value::String(text) => text.len(),
        Value::Array(all) => all.iter().map(size).sum(),
        Value::Object(all) => {
            all.iter().map(|(name, one)| size_of::<String>() + name.len() + size(one)).sum()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    };
    size_of::<Value>() + inside
}
