//! Unpacks streams.

use std::borrow::Cow;
use std::io::Read as _;

use flate2::read::ZlibDecoder;

use super::values::{Dictionary, Value, hex};
use crate::error::SampleError;
use crate::limits::Meter;

/// Filters that one stream goes through at most.
const MOST_FILTERS: usize = 4;

/// Unpacks a stream. Text is never behind the filters of pictures: such a stream is empty.
///
/// # Errors
/// `TooLargeUnpacked`. A stream that breaks off is unpacked as far as it goes.
pub(crate) fn unpack(dictionary: &Dictionary, raw: &[u8], meter: &mut Meter) -> Result<Vec<u8>, SampleError> {
    let filters = match dictionary.get(&b"Filter"[..]) {
        Some(Value::List(filters)) => filters.as_slice(),
        Some(filter) => std::slice::from_ref(filter),
        None => &[],
    };
    meter.unpack(raw.len())?;
    let mut bytes = Cow::Borrowed(raw);
    for filter in filters.iter().take(MOST_FILTERS) {
        let Value::Name(name) = filter else { return Ok(Vec::new()) };
        let unpacked = match name.as_slice() {
            b"FlateDecode" | b"Fl" => inflate(&bytes, meter)?,
            b"ASCIIHexDecode" | b"AHx" => {
                meter.unpack(bytes.len())?;
                hex(bytes.split(|byte| *byte == b'>').next().unwrap_or_default())
            }
            b"ASCII85Decode" | b"A85" => {
                meter.unpack(bytes.iter().map(|byte| if *byte == b'z' { 4 } else { 1 }).sum())?;
                ascii85(&bytes)
            }
            _ => Vec::new(),
        };
        bytes = Cow::Owned(unpacked);
    }
    Ok(bytes.into_owned())
}

fn inflate(packed: &[u8], meter: &mut Meter) -> Result<Vec<u8>, SampleError> {
    let mut decoder = ZlibDecoder::new(packed);
    let mut bytes = Vec::new();
    let mut chunk = [0; 16 * 1024];
    while let Ok(read @ 1..) = decoder.read(&mut chunk) {
        meter.unpack(read)?;
        bytes.extend_from_slice(&chunk[..read]);
    }
    Ok(bytes)
}

fn ascii85(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut group = Vec::with_capacity(5);
    for byte in text.iter().copied().take_while(|byte| *byte != b'~') {
        match byte {
            b'z' if group.is_empty() => bytes.extend([0; 4]),
            b'!'..=b'u' => group.push(byte - b'!'),
            _ => {}
        }
        if group.len() == 5 {
            bytes.extend(group_of_four(&group));
            group.clear();
        }
    }
    if group.len() > 1 {
        let kept = group.len() - 1;
        group.resize(5, 84);
        bytes.extend(&group_of_four(&group)[..kept]);
    }
    bytes
}

fn group_of_four(digits: &[u8]) -> [u8; 4] {
    let value = digits.iter().fold(0_u32, |sum, digit| sum.wrapping_mul(85).wrapping_add(u32::from(*digit)));
    value.to_be_bytes()
}
