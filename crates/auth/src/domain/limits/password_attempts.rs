//! How often the password of an address may be guessed (CONTRACT.md PW1).
//!
//! A password is worth more than a code of six digits, so what is bounded is one client at one address, and no network is
//! in another's way; who shares one with somebody who guesses waits with them, or signs in by a code. One
//! client has 20 wrong ones at once and 288 a day; without this it had 43,200. A right one costs nothing.
//!
//! Tries are counted for good before the password is compared, and for unknown addresses as well: parallel ones are not
//! looked at beyond the last, and who is refused learns nothing of who has an account.

use sqlx::PgExecutor;
use time::Duration;

use crate::{
    context::ServiceContext,
    domain::limits::otp_attempts::{self, Bucket},
    store::password_attempts,
    wire::{error::AuthError, request::RequestContext},
};

/// Wrong passwords of one client for one address.
const OF_CLIENT: Bucket = Bucket { at_once: 20, each: Duration::minutes(5) };

/// Counts a try, whatever becomes of the request. No transaction may be open.
///
/// # Errors
/// 429 `over_request_rate_limit` with the seconds to wait.
pub(crate) async fn count(
    service: &ServiceContext,
    context: &RequestContext,
    address: &str,
) -> Result<(), AuthError> {
    let ((address, client), now) = (keys(service, context, address), context.now);
    let allowance = (OF_CLIENT.cost(), now + OF_CLIENT.ahead());
    if password_attempts::count(&service.pool, (&address, &client), allowance, now).await? {
        return Ok(());
    }
    let spent_until = password_attempts::spent_until(&service.pool, (&address, &client)).await?;
    let wait = spent_until.map_or(Duration::ZERO, |until| until - OF_CLIENT.ahead() - now);
    let retry_after = wait.whole_seconds().unsigned_abs() + 1;
    Err(AuthError::RequestLimit { retry_after, limit: OF_CLIENT.at_once.unsigned_abs() })
}

/// Gives back what a right password had cost.
pub(crate) async fn give_back(
    service: &ServiceContext,
    executor: impl PgExecutor<'_>,
    context: &RequestContext,
    address: &str,
) -> Result<(), sqlx::Error> {
    let (address, client) = keys(service, context, address);
    password_attempts::give_back(executor, (&address, &client), OF_CLIENT.cost()).await
}

/// What stands for an address and a client there.
fn keys(service: &ServiceContext, context: &RequestContext, address: &str) -> ([u8; 32], [u8; 32]) {
    let client = otp_attempts::client_key(service, context, &otp_attempts::address_key(service, address));
    (service.keyed_hash("auth password address", &[address.as_bytes()]), client)
}
