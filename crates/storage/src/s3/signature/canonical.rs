//! The text that a client signs: method, path, query, headers, payload.

use http::header::HOST;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::{Claim, Signed};
use crate::error::StorageError;

/// All bytes but those that RFC 3986 calls unreserved.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
const RESERVED_IN_PATH: &AsciiSet = &RESERVED.remove(b'/');

/// Headers of S3 that need no signature: they say how a body is checked, or nothing that counts.
/// The hash of the payload is signed in a place of its own.
const NEED_NO_SIGNATURE: [&str; 4] =
    ["x-amz-content-sha256", "x-amz-sdk-checksum-algorithm", "x-amz-trailer", "x-amz-user-agent"];

/// Checks that the host and whatever changes the meaning of a request were signed. Without this,
/// somebody who was given a signed URL for an upload could make it a copy by `x-amz-copy-source`.
pub(super) fn check_signed_headers(signed: &Signed<'_>, claim: &Claim) -> Result<(), StorageError> {
    let is_signed = |name: &str| claim.signed_headers.iter().any(|found| found == name);
    let needs_signature = |name: &&str| {
        name.starts_with("x-amz-")
            && !name.starts_with("x-amz-checksum-")
            && !NEED_NO_SIGNATURE.contains(name)
    };
    let mut needed = signed.headers.keys().map(http::HeaderName::as_str).filter(needs_signature);
    if is_signed("host") && needed.all(is_signed) {
        return Ok(());
    }
    let message = "There were headers present in the request which were not signed";
    Err(StorageError::AccessDenied(message.to_owned()))
}

/// The forms of a path that clients sign: each byte escaped in the one way of S3, and as it was
/// sent.
pub(super) fn paths(sent: &str) -> Vec<String> {
    let escaped = encode(&percent_decode_str(sent).collect::<Vec<u8>>(), RESERVED_IN_PATH);
    if escaped == sent { vec![escaped] } else { vec![escaped, sent.to_owned()] }
}

/// The canonical request, as Signature Version 4 describes it.
pub(super) fn request(signed: &Signed<'_>, claim: &Claim, path: &str) -> String {
    let mut names = claim.signed_headers.clone();
    names.sort_unstable();
    let headers: String = names.iter().map(|name| format!("{name}:{}\n", header(signed, name))).collect();
    let (method, query, names) = (signed.method, query(signed), names.join(";"));
    format!("{method}\n{path}\n{query}\n{headers}\n{names}\n{}", claim.payload)
}

fn query(signed: &Signed<'_>) -> String {
    let parameters = signed.query.iter().filter(|(name, _)| *name != "X-Amz-Signature");
    let escape = |text: &str| utf8_percent_encode(text, RESERVED).to_string();
    let mut parameters: Vec<_> = parameters.map(|(name, value)| (escape(name), escape(value))).collect();
    parameters.sort_unstable();
    let parameters: Vec<String> =
        parameters.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
    parameters.join("&")
}

/// The value of a header: several are joined by commas, blanks are squeezed.
fn header(signed: &Signed<'_>, name: &str) -> String {
    let values = signed.headers.get_all(name).iter();
    let values: Vec<String> = values
        .map(|value| {
            String::from_utf8_lossy(value.as_bytes()).split_whitespace().collect::<Vec<_>>().join(" ")
        })
        .collect();
    if values.is_empty() && name == HOST {
        return signed.host.unwrap_or_default().to_owned();
    }
    values.join(",")
}

fn encode(bytes: &[u8], set: &'static AsciiSet) -> String {
    percent_encoding::percent_encode(bytes, set).to_string()
}
