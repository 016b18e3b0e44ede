//! From bytes to a request: a line `METHOD target`, lines `name: value`, an empty line, the body.

use bytes::Bytes;
use http::{Request, request::Parts};

/// The request that the bytes write down; none when no server would let them through.
pub fn request(bytes: &[u8]) -> Option<(Parts, Bytes)> {
    let (head, body) = match bytes.windows(2).position(|pair| pair == b"\n\n") {
        Some(end) => (&bytes[..end], &bytes[end + 2..]),
        None => (bytes.strip_suffix(b"\n").unwrap_or(bytes), &[][..]),
    };
    let mut lines = head.split(|byte| *byte == b'\n');
    let first = lines.next()?;
    let space = first.iter().position(|byte| *byte == b' ')?;
    let mut request = Request::builder().method(&first[..space]).uri(encoded(&first[space + 1..]));
    for line in lines {
        let colon = line.iter().position(|byte| *byte == b':')?;
        request = request.header(&line[..colon], line[colon + 1..].trim_ascii());
    }
    let (parts, ()) = request.body(()).ok()?.into_parts();
    Some((parts, Bytes::copy_from_slice(body)))
}

/// Encodes what a request line cannot hold, so that most mutations stay requests.
fn encoded(target: &[u8]) -> Vec<u8> {
    let mut written = Vec::with_capacity(target.len());
    for &byte in target {
        if byte <= b' ' || byte >= 0x7f || b"\"<>\\^`{|}#".contains(&byte) {
            written.extend_from_slice(format!("%{byte:02X}").as_bytes());
        } else {
            written.push(byte);
        }
    }
    written
}
