//! Redirects that carry parameters.

use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};

use crate::wire::error::AuthError;

/// Parameters of a redirect.
pub(crate) type Pairs = Vec<(&'static str, String)>;

/// A redirect with parameters in query and fragment. The fragment of the target itself is dropped.
/// No cache may keep it.
///
/// # Errors
/// 400 `validation_failed` for a target that is no address.
pub(crate) fn to(
    status: StatusCode,
    target: &str,
    query: &Pairs,
    fragment: &Pairs,
) -> Result<Response, AuthError> {
    let encode =
        |pairs: &Pairs| url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
    let mut location = target.split('#').next().unwrap_or_default().to_owned();
    if !query.is_empty() {
        location.push(if location.contains('?') { '&' } else { '?' });
        location.push_str(&encode(query));
    }
    if !fragment.is_empty() {
        location.push('#');
        location.push_str(&encode(fragment));
    }
    let location = HeaderValue::from_str(&location)
        .map_err(|_| AuthError::validation("the redirect target is no valid address"))?;
    let no_store = HeaderValue::from_static("no-store");
    Ok((status, [(header::LOCATION, location), (header::CACHE_CONTROL, no_store)]).into_response())
}
