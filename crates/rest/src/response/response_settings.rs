//! Status and headers that functions and triggers set by `response.headers` and `response.status`
//! (CONTRACT.md G12 to G15).

use http::{HeaderName, HeaderValue, StatusCode};
use serde_json::{Map, Value};

use super::Draft;
use crate::error::Error;

/// Puts the settings in the place of the service's own headers and status.
pub(super) fn apply(draft: &mut Draft, headers: Option<&[u8]>, status: Option<&str>) -> Result<(), Error> {
    let own = headers.map(parse).transpose()?.unwrap_or_default();
    for (name, _) in &own {
        draft.headers.remove(name);
    }
    for (name, value) in own {
        draft.headers.append(name, value);
    }
    if let Some(status) = status {
        draft.status = parse_status(status)?;
    }
    Ok(())
}

fn parse_status(text: &str) -> Result<StatusCode, Error> {
    let number = text.trim().parse().map_err(|_| Error::ResponseStatus)?;
    StatusCode::from_u16(number).map_err(|_| Error::ResponseStatus)
}

/// An array of objects with one member each. A value that cannot stand in a header, such as one
/// with a line end, is refused, so that no answer can be split (CONTRACT.md V11).
fn parse(json: &[u8]) -> Result<Vec<(HeaderName, HeaderValue)>, Error> {
    let objects: Vec<Map<String, Value>> =
        serde_json::from_slice(json).map_err(|_| Error::ResponseHeaders)?;
    objects.iter().map(|object| header(object).ok_or(Error::ResponseHeaders)).collect()
}

fn header(object: &Map<String, Value>) -> Option<(HeaderName, HeaderValue)> {
    let mut members = object.iter();
    let (Some((name, value)), None) = (members.next(), members.next()) else { return None };
    let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
    Some((name, HeaderValue::from_str(value.as_str()?).ok()?))
}
