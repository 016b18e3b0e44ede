//! Firebase's variant of scrypt: the derived key encrypts the project's signer key, and that is the
//! hash.

use aes::cipher::{KeyIvInit, StreamCipher};
use base64::{Engine, engine::general_purpose::STANDARD};
use subtle::ConstantTimeEq;

/// 128 bytes times N times r: what one verification may take at most.
const MOST_MEMORY: u64 = 1 << 30;

/// `$fbscrypt$v=1,n=14,r=8,p=1,ss=<separator>,sk=<signer key>$<salt>$<hash>`.
pub(super) struct Hash {
    params: scrypt::Params,
    salt: Vec<u8>,
    signer_key: Vec<u8>,
    expected: Vec<u8>,
}

impl Hash {
    /// Reads a hash; none when it has another form or costs too much.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.strip_prefix("$fbscrypt$")?.split('$');
        let (settings, salt, hash) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() {
            return None;
        }
        let setting = |name: &str| {
            settings
                .split(',')
                .find_map(|pair| pair.strip_prefix(name).and_then(|rest| rest.strip_prefix('=')))
        };
        let number = |name: &str| setting(name)?.parse::<u32>().ok();
        let bytes = |name: &str| STANDARD.decode(setting(name).unwrap_or_default()).ok();
        let (power, block, lanes) = (number("n")?, number("r")?, number("p")?);
        let affordable = (1..=24).contains(&power)
            && (1..=64).contains(&block)
            && (1..=16).contains(&lanes)
            && (128 * u64::from(block)) << power <= MOST_MEMORY;
        if setting("v") != Some("1") || !affordable {
            return None;
        }
        let mut salt = STANDARD.decode(salt).ok()?;
        salt.extend(bytes("ss")?);
        let (signer_key, expected) = (bytes("sk")?, STANDARD.decode(hash).ok()?);
        let params = scrypt::Params::new(u8::try_from(power).ok()?, block, lanes, 32).ok()?;
        (!expected.is_empty() && expected.len() == signer_key.len()).then_some(Self {
            params,
            salt,
            signer_key,
            expected,
        })
    }

    /// Whether the hash was made of this password.
    pub(super) fn is(&self, password: &str) -> bool {
        let mut key = [0; 32];
        if scrypt::scrypt(password.as_bytes(), &self.salt, &self.params, &mut key).is_err() {
            return false;
        }
        let mut made = self.signer_key.clone();
        ctr::Ctr128BE::<aes::Aes256>::new(&key.into(), &[0; 16].into()).apply_keystream(&mut made);
        made.ct_eq(&self.expected).into()
    }
}
