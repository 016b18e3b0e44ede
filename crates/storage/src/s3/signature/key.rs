//! Keys that are made of a secret for a day and a region.

use ring::hmac::{self, HMAC_SHA256};

use super::Scope;

/// The key that signs for one day, one region and S3.
#[derive(Clone)]
pub(in crate::s3) struct SigningKey(hmac::Key);

impl SigningKey {
    pub(in crate::s3) fn new(secret: &str, scope: &Scope) -> Self {
        let first = hmac::Key::new(HMAC_SHA256, format!("AWS4{secret}").as_bytes());
        let parts = [scope.day.as_str(), &scope.region, "s3", "aws4_request"];
        Self(
            parts.iter().fold(first, |key, part| {
                hmac::Key::new(HMAC_SHA256, hmac::sign(&key, part.as_bytes()).as_ref())
            }),
        )
    }

    /// Whether `signature` is this key's signature of a text. Takes equal time for all wrong ones.
    pub(in crate::s3) fn signed(&self, text: &str, signature: &str) -> bool {
        let tag = hex::decode(signature).unwrap_or_default();
        hmac::verify(&self.0, text.as_bytes(), &tag).is_ok()
    }
}
