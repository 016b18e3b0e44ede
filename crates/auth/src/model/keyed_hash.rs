use hmac::{Hmac, Mac};
use secrecy::{ExposeSecret, SecretString};
use sha2::Sha256;

/// The key of what must not stand in a table, or with a client, as it is.
pub(crate) struct HashKey(SecretString);

impl HashKey {
    pub(crate) fn new(secret: SecretString) -> Self {
        Self(secret)
    }

    /// A keyed hash of `parts`. `purpose` keeps the uses apart.
    pub(crate) fn hash(&self, purpose: &str, parts: &[&[u8]]) -> [u8; 32] {
        let mut mac = Hmac::<Sha256>::new_from_slice(self.0.expose_secret().as_bytes())
            .expect("HMAC takes keys of any length");
        for part in std::iter::once(&purpose.as_bytes()).chain(parts) {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }
}
