//! Public keys as `auth.webauthn_credentials` holds them: COSE (RFC 9053), in the one form that
//! authenticators write.

use webauthn_rp::response::register::{
    CompressedP256PubKey, CompressedP384PubKey, CompressedPubKey, Ed25519PubKey, RsaPubKey,
    UncompressedPubKey,
};

/// A key that signatures are checked with.
pub(super) type PublicKey = CompressedPubKey<[u8; 32], [u8; 32], [u8; 48], Vec<u8>>;

/// Writes a key.
pub(super) fn encode(key: UncompressedPubKey<'_>) -> Vec<u8> {
    match key {
        UncompressedPubKey::Ed25519(key) => {
            map(&[(1, Item::Int(1)), (3, Item::Int(-8)), (-1, Item::Int(6)), (-2, Item::Bytes(key.inner()))])
        }
        UncompressedPubKey::P256(key) => curve(-7, 1, key.x(), key.y()),
        UncompressedPubKey::P384(key) => curve(-35, 2, key.x(), key.y()),
        UncompressedPubKey::Rsa(key) => {
            let exponent = key.e().to_be_bytes();
            let exponent = &exponent[exponent.iter().take_while(|byte| **byte == 0).count()..];
            map(&[
                (1, Item::Int(3)),
                (3, Item::Int(-257)),
                (-1, Item::Bytes(key.n())),
                (-2, Item::Bytes(exponent)),
            ])
        }
    }
}

fn curve(algorithm: i64, curve: i64, x: &[u8], y: &[u8]) -> Vec<u8> {
    map(&[
        (1, Item::Int(2)),
        (3, Item::Int(algorithm)),
        (-1, Item::Int(curve)),
        (-2, Item::Bytes(x)),
        (-3, Item::Bytes(y)),
    ])
}

/// Reads a key; none for another form or another algorithm.
pub(super) fn decode(bytes: &[u8]) -> Option<PublicKey> {
    let entries = read_map(bytes)?;
    let find = |name: i64| entries.iter().find(|(key, _)| *key == name).map(|(_, item)| *item);
    let int = |name| match find(name)? {
        Item::Int(value) => Some(value),
        Item::Bytes(_) => None,
    };
    let text = |name| match find(name)? {
        Item::Bytes(value) => Some(value),
        Item::Int(_) => None,
    };
    let is_odd = || Some(text(-3)?.last()? & 1 == 1);
    Some(match int(3)? {
        -8 => CompressedPubKey::Ed25519(Ed25519PubKey::from(<[u8; 32]>::try_from(text(-2)?).ok()?)),
        -7 => CompressedPubKey::P256(CompressedP256PubKey::from((
            <[u8; 32]>::try_from(text(-2)?).ok()?,
            is_odd()?,
        ))),
        -35 => CompressedPubKey::P384(CompressedP384PubKey::from((
            <[u8; 48]>::try_from(text(-2)?).ok()?,
            is_odd()?,
        ))),
        -257 => {
            let exponent = text(-2)?;
            let padded = exponent.len().checked_sub(4).map_or(exponent, |start| &exponent[start..]);
            let exponent = padded.iter().fold(0_u32, |number, byte| (number << 8) | u32::from(*byte));
            CompressedPubKey::Rsa(RsaPubKey::try_from((text(-1)?.to_vec(), exponent)).ok()?)
        }
        _ => return None,
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Item<'a> {
    Int(i64),
    Bytes(&'a [u8]),
}

fn map(entries: &[(i64, Item<'_>)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    head(&mut bytes, 5, entries.len() as u64);
    for (key, item) in entries {
        write_int(&mut bytes, *key);
        match item {
            Item::Int(value) => write_int(&mut bytes, *value),
            Item::Bytes(value) => {
                head(&mut bytes, 2, value.len() as u64);
                bytes.extend_from_slice(value);
            }
        }
    }
    bytes
}

fn write_int(bytes: &mut Vec<u8>, value: i64) {
    match u64::try_from(value) {
        Ok(value) => head(bytes, 0, value),
        Err(_) => head(bytes, 1, (-1 - value).unsigned_abs()),
    }
}

/// A CBOR head: three bits of type, then the number in the shortest form.
fn head(bytes: &mut Vec<u8>, kind: u8, value: u64) {
    let kind = kind << 5;
    match value {
        0..24 => bytes.push(kind | value as u8),
        24..0x100 => bytes.extend_from_slice(&[kind | 24, value as u8]),
        _ => {
            bytes.push(kind | 25);
            bytes.extend_from_slice(&(value as u16).to_be_bytes());
        }
    }
}

fn read_map(bytes: &[u8]) -> Option<Vec<(i64, Item<'_>)>> {
    let mut rest = bytes;
    let (5, count) = read_head(&mut rest)? else { return None };
    let mut entries = Vec::new();
    for _ in 0..count.min(16) {
        let Item::Int(key) = read_item(&mut rest)? else { return None };
        entries.push((key, read_item(&mut rest)?));
    }
    rest.is_empty().then_some(entries)
}

fn read_item<'a>(rest: &mut &'a [u8]) -> Option<Item<'a>> {
    match read_head(rest)? {
        (0, value) => Some(Item::Int(i64::from(value))),
        (1, value) => Some(Item::Int(-1 - i64::from(value))),
        (2, length) => {
            let (value, after) = rest.split_at_checked(length as usize)?;
            *rest = after;
            Some(Item::Bytes(value))
        }
        _ => None,
    }
}

fn read_head(rest: &mut &[u8]) -> Option<(u8, u16)> {
    let (first, after) = rest.split_first()?;
    let (value, after) = match first & 31 {
        short @ 0..24 => (u16::from(short), after),
        24 => (u16::from(*after.first()?), &after[1..]),
        25 => {
            let (bytes, after) = after.split_first_chunk::<2>()?;
            (u16::from_be_bytes(*bytes), after)
        }
        _ => return None,
    };
    *rest = after;
    Some((first >> 5, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: Z12
    #[test]
    fn keys_are_read_as_they_were_written() {
        let (x, y) = ([7_u8; 32], [9_u8; 32]);
        let bytes = curve(-7, 1, &x, &y);
        assert_eq!(bytes[..7], [0xa5, 1, 2, 3, 0x26, 0x20, 1]);
        assert!(
            matches!(decode(&bytes), Some(CompressedPubKey::P256(key)) if *key.x() == x && key.y_is_odd())
        );
        let rsa = map(&[
            (1, Item::Int(3)),
            (3, Item::Int(-257)),
            (-1, Item::Bytes(&[0x91; 256])),
            (-2, Item::Bytes(&[1, 0, 1])),
        ]);
        assert!(matches!(decode(&rsa), Some(CompressedPubKey::Rsa(key)) if key.e() == 65_537));
    }

    // rows: Z12
    #[test]
    fn what_is_no_key_is_refused() {
        let bytes = curve(-7, 1, &[7; 32], &[9; 32]);
        for wrong in [&[][..], &[0xff], &bytes[..bytes.len() - 1], &[bytes.as_slice(), &[0]].concat()] {
            assert!(decode(wrong).is_none());
        }
        assert!(decode(&curve(-7, 1, &[7; 31], &[9; 32])).is_none());
        assert!(decode(&curve(-99, 1, &[7; 32], &[9; 32])).is_none());
    }
}
