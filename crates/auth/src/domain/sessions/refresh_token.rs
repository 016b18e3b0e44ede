//! Refresh tokens that carry their own proof (CONTRACT.md R2): base64url of a zero byte, the
//! session, a counter, sixteen bytes of HMAC-SHA256 under the session's key, and four bytes of
//! checksum. No row is written per token.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use uuid::Uuid;

const SIGNATURE: usize = 16;
const CHECKSUM: usize = 4;
const SHORTEST: usize = 1 + 16 + 1 + SIGNATURE + CHECKSUM;

/// A token of a request. Its form is right; its signature is not checked yet.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RefreshToken {
    pub(crate) session: Uuid,
    pub(crate) counter: i64,
    sign: Vec<u8>,
    signature: [u8; SIGNATURE],
}

impl RefreshToken {
    /// Reads a token. None if it has another form.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        if bytes.len() < SHORTEST || bytes[0] != 0 {
            return None;
        }
        let (body, checksum) = bytes.split_at(bytes.len() - CHECKSUM);
        if Sha256::digest(body)[..CHECKSUM] != *checksum {
            return None;
        }
        let (sign, signature) = body.split_at(body.len() - SIGNATURE);
        let session = Uuid::from_slice(&sign[1..17]).ok()?;
        let counter = read_varint(&sign[17..])?;
        Some(Self { session, counter, sign: sign.to_vec(), signature: signature.try_into().ok()? })
    }

    /// Whether the key of the session signed it.
    pub(crate) fn is_signed_by(&self, key: &[u8]) -> bool {
        sign(key, &self.sign).ct_eq(&self.signature).into()
    }
}

/// Writes the token for a counter of a session.
pub(crate) fn encode(session: Uuid, counter: i64, key: &[u8]) -> String {
    let mut bytes = vec![0];
    bytes.extend_from_slice(session.as_bytes());
    write_varint(&mut bytes, u64::try_from(counter).unwrap_or_default());
    let signature = sign(key, &bytes);
    bytes.extend_from_slice(&signature);
    let checksum = Sha256::digest(&bytes);
    bytes.extend_from_slice(&checksum[..CHECKSUM]);
    URL_SAFE_NO_PAD.encode(bytes)
}

fn sign(key: &[u8], bytes: &[u8]) -> [u8; SIGNATURE] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    mac.update(bytes);
    let mut signature = [0; SIGNATURE];
    signature.copy_from_slice(&mac.finalize().into_bytes()[..SIGNATURE]);
    signature
}

fn write_varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// A number that fills `bytes` exactly.
fn read_varint(bytes: &[u8]) -> Option<i64> {
    let mut value: u64 = 0;
    for (i, byte) in bytes.iter().enumerate() {
        let shifted = u64::from(byte & 0x7f).checked_shl(u32::try_from(i).ok()?.checked_mul(7)?)?;
        value |= shifted;
        if byte & 0x80 == 0 {
            return if i + 1 == bytes.len() { i64::try_from(value).ok() } else { None };
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: R2
    #[test]
    fn a_token_is_read_as_it_was_written() {
        let session = Uuid::from_u128(0x1234_5678_9abc_def0);
        for counter in [0, 1, 127, 128, 300, 1 << 40, i64::MAX] {
            let token = RefreshToken::parse(&encode(session, counter, b"key")).unwrap();
            assert_eq!((token.session, token.counter), (session, counter));
            assert!(token.is_signed_by(b"key"));
            assert!(!token.is_signed_by(b"other"));
        }
    }

    /// The bytes one by one, as the row of the contract has them.
    // rows: R2
    #[test]
    fn a_token_has_the_references_form() {
        let session = Uuid::from_u128(0x0011_2233_4455_6677_8899_aabb_ccdd_eeff);
        for (counter, varint) in [(5, vec![0x05]), (300, vec![0xac, 0x02])] {
            let mut bytes = vec![0x00];
            bytes.extend((0..16).map(|byte| byte * 0x11_u8));
            bytes.extend(varint);
            let mut mac = Hmac::<Sha256>::new_from_slice(b"key of the session").unwrap();
            mac.update(&bytes);
            bytes.extend(&mac.finalize().into_bytes()[..16]);
            let checksum = Sha256::digest(&bytes);
            bytes.extend(&checksum[..4]);
            let token = encode(session, counter, b"key of the session");
            assert_eq!(URL_SAFE_NO_PAD.decode(&token).unwrap(), bytes);
            assert!(!token.contains('='));
        }
    }

    // rows: R4
    #[test]
    fn what_is_malformed_is_no_token() {
        let token = encode(Uuid::from_u128(7), 3, b"key");
        assert!(RefreshToken::parse("").is_none());
        assert!(RefreshToken::parse("abcdefghijkl").is_none());
        assert!(RefreshToken::parse(&token[1..]).is_none());
        let mut changed = token.into_bytes();
        changed[10] = if changed[10] == b'A' { b'B' } else { b'A' };
        assert!(RefreshToken::parse(&String::from_utf8(changed).unwrap()).is_none(), "the checksum tells");
    }
}
