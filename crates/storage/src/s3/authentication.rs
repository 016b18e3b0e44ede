//! From a request to its caller.

use super::{
    credentials,
    operation::Operation,
    payload::Payload,
    query::Query,
    request::SignedRequest,
    signature::{Claim, Signed},
    target::Target,
};
use crate::{context::Exchange, error::StorageError};

/// Checks the signature of a request. Its caller is whom the signature proves, whoever else the
/// request may name.
pub(super) fn authenticate(
    mut exchange: Exchange,
    operation: Operation,
    target: Target,
    query: Query,
) -> Result<SignedRequest, StorageError> {
    let (parts, context) = (&exchange.parts, &exchange.context);
    let claim = Claim::of_request(&parts.headers, &query)?;
    let (key, caller) = credentials::find(&exchange.service, &claim, context.now)?;
    let signed = Signed {
        method: &parts.method,
        path: &context.original_path,
        query: &query,
        headers: &parts.headers,
        host: parts.uri.authority().map(http::uri::Authority::as_str),
    };
    signed.check(&claim, &key, context.now)?;
    let headers = &exchange.parts.headers;
    let mut payload = Payload::new(exchange.take_body(), headers, &claim, key)?;
    if operation.sums_its_body() {
        payload = payload.checked(headers)?;
    }
    exchange.context.caller = Ok(caller);
    Ok(SignedRequest { exchange, target, query, payload })
}
