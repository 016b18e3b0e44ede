//! What came back.

use std::{fmt, ops::Index, sync::OnceLock};

use bytes::Bytes;
use http::{HeaderMap, Response};
use http_body_util::BodyExt;
use serde_json::Value;

/// An answer, read to its end.
pub struct Answer {
    /// Its status.
    pub status: u16,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub bytes: Bytes,
    /// The body, parsed.
    parsed: OnceLock<Value>,
}

impl Answer {
    /// Reads an answer to its end.
    ///
    /// # Panics
    /// Where the body breaks off.
    pub async fn read<B>(response: Response<B>) -> Self
    where
        B: http_body::Body<Error: fmt::Debug>,
    {
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.expect("a whole body").to_bytes();
        Self { status: parts.status.as_u16(), headers: parts.headers, bytes, parsed: OnceLock::new() }
    }

    /// The body, which is text.
    ///
    /// # Panics
    /// Where it is none.
    #[must_use]
    #[track_caller]
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes).unwrap_or_else(|_| panic!("no text: {self:?}"))
    }

    /// The body, which is JSON.
    ///
    /// # Panics
    /// Where it is none.
    #[must_use]
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    /// A text of the body, which is a JSON object.
    ///
    /// # Panics
    /// Where it has no such text.
    #[must_use]
    #[track_caller]
    pub fn field(&self, name: &str) -> &str {
        self[name].as_str().unwrap_or_else(|| panic!("no {name}: {self:?}"))
    }

    /// The body of an answer whose status is 200.
    ///
    /// # Panics
    /// At another status.
    #[must_use]
    #[track_caller]
    pub fn ok(&self) -> Value {
        assert_eq!(self.status, 200, "{self:?}");
        self.json()
    }

    /// Status and code of an error: `error_code` before `code`.
    #[must_use]
    pub fn error(&self) -> (u16, &str) {
        let code = self["error_code"].as_str().or(self["code"].as_str());
        (self.status, code.unwrap_or_default())
    }

    /// The value of a header, which is text.
    ///
    /// # Panics
    /// Where the header appears twice.
    #[must_use]
    #[track_caller]
    pub fn header(&self, name: &str) -> Option<&str> {
        let all = self.all(name);
        assert!(all.len() < 2, "{name} appears twice: {self:?}");
        all.first().copied()
    }

    /// Every value of a header.
    ///
    /// # Panics
    /// Where one is no text.
    #[must_use]
    pub fn all(&self, name: &str) -> Vec<&str> {
        self.headers.get_all(name).iter().map(|value| value.to_str().expect("a text")).collect()
    }
}

/// A member or an entry of the body; null where the body has none.
impl<I: serde_json::value::Index> Index<I> for Answer {
    type Output = Value;

    fn index(&self, name: I) -> &Value {
        let parsed = self.parsed.get_or_init(|| serde_json::from_slice(&self.bytes).unwrap_or_default());
        &parsed[name]
    }
}

impl fmt::Debug for Answer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = String::from_utf8_lossy(&self.bytes);
        write!(formatter, "{} {:?} {text}", self.status, self.headers)
    }
}
