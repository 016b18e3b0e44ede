//! Codes of an authenticator application: RFC 6238 with SHA-1, 30 seconds and six digits
//! (CONTRACT.md F1).

use hmac::{Hmac, Mac};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use qrcode::{EcLevel, QrCode, render::svg};
use sha1::Sha1;
use subtle::ConstantTimeEq;
use time::OffsetDateTime;

use crate::wire::error::FactorError;

/// Seconds of a step.
const STEP: i64 = 30;
/// Letters of RFC 4648's base32.
const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// What is written in codes in a URI's label; what need not be is not, since some applications show
/// it as it is there.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'@');

/// What a new factor shows its owner, once.
pub(super) struct Key {
    pub(super) secret: String,
    pub(super) uri: String,
}

impl Key {
    /// A key of 160 bits.
    pub(super) fn new(bytes: [u8; 20], issuer: &str, account: &str) -> Self {
        let secret = base32(&bytes);
        let encoded = |text: &str| utf8_percent_encode(text, ENCODED).to_string();
        let (issuer, account) = (encoded(issuer), encoded(account));
        let uri = format!(
            "otpauth://totp/{issuer}:{account}?algorithm=SHA1&digits=6&issuer={issuer}&period=30&secret={secret}"
        );
        Self { secret, uri }
    }

    /// The URI as an SVG picture; clients put it into a data URI themselves.
    pub(super) fn qr_code(&self) -> Result<String, FactorError> {
        let code = QrCode::with_error_correction_level(self.uri.as_bytes(), EcLevel::M);
        let code = code.map_err(|_| FactorError::QrCode)?;
        Ok(code.render::<svg::Color<'_>>().min_dimensions(240, 240).build())
    }
}

/// The step whose code was entered: this one, the one before or the one after. Takes the same time
/// for every code.
pub(super) fn step_of(secret: &str, code: &str, now: OffsetDateTime) -> Option<i64> {
    let key = from_base32(secret)?;
    let current = now.unix_timestamp() / STEP;
    [current - 1, current, current + 1].into_iter().fold(None, |found, step| {
        let equal: bool = self::code(&key, step).as_bytes().ct_eq(code.as_bytes()).into();
        if equal { Some(step) } else { found }
    })
}

/// The code of a step (RFC 4226 section 5.3).
fn code(key: &[u8], step: i64) -> String {
    let mut mac = Hmac::<Sha1>::new_from_slice(key).expect("HMAC takes keys of any length");
    mac.update(&step.to_be_bytes());
    let hash = mac.finalize().into_bytes();
    let offset = usize::from(hash[19] & 0x0f);
    let number = hash[offset..offset + 4].iter().fold(0_u32, |number, byte| number << 8 | u32::from(*byte));
    format!("{:06}", (number & 0x7fff_ffff) % 1_000_000)
}

fn base32(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(5) * 8);
    let (mut buffer, mut bits) = (0_u32, 0);
    for byte in bytes {
        buffer = buffer << 8 | u32::from(*byte);
        bits += 8;
        while bits >= 5 {
            bits -= 5;
            text.push(char::from(ALPHABET[(buffer >> bits & 31) as usize]));
        }
    }
    if bits > 0 {
        text.push(char::from(ALPHABET[(buffer << (5 - bits) & 31) as usize]));
    }
    text
}

fn from_base32(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() * 5 / 8);
    let (mut buffer, mut bits) = (0_u32, 0);
    for email_message in text.trim_end_matches('=').bytes() {
        let value = ALPHABET.iter().position(|known| *known == email_message.to_ascii_uppercase())?;
        buffer = (buffer << 5 | u32::try_from(value).ok()?) & 0xfff;
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            bytes.push((buffer >> bits & 0xff) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RFC_KEY: &[u8] = b"12345678901234567890";

    /// RFC 6238 appendix B, cut to six digits.
    // rows: F1
    #[test]
    fn codes_are_those_of_the_rfc() {
        for (seconds, expected) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            assert_eq!(code(RFC_KEY, seconds / STEP), expected);
        }
    }

    // rows: F1
    #[test]
    fn one_step_to_either_side_is_accepted_and_no_more() {
        let secret = base32(RFC_KEY);
        let at = |seconds| OffsetDateTime::from_unix_timestamp(seconds).unwrap();
        let code = code(RFC_KEY, 1000);
        for (step, accepted) in [(998, false), (999, true), (1000, true), (1001, true), (1002, false)] {
            assert_eq!(step_of(&secret, &code, at(step * STEP + 7)).is_some(), accepted, "{step}");
        }
        assert_eq!(step_of(&secret, &code, at(1001 * STEP)), Some(1000));
        assert_eq!(step_of("not base32!", &code, at(30_000)), None);
    }

    // rows: F1
    #[test]
    fn keys_are_base32_and_their_uri_names_issuer_and_account() {
        let key = Key::new(*b"12345678901234567890", "a school:3000", "asha@example.com");
        assert_eq!(key.secret, "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
        assert_eq!(from_base32(&key.secret).unwrap(), RFC_KEY);
        assert!(key.uri.starts_with("otpauth://totp/a%20school%3A3000:asha@example.com?"), "{}", key.uri);
        let svg = key.qr_code().unwrap();
        assert!(svg.contains("<svg") && svg.ends_with("</svg>"), "{svg}");
    }
}
