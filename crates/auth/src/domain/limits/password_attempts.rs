//! How often the password of an address may be guessed (CONTRACT.md PW1).
//!
//! A password is stronger than a code of six digits. So only one client at one address is limited,
//! and no network is in the way of another. Clients that share a network with a guesser wait with
//! them, or sign in by a code. One client has 20 wrong passwords at once and 288 a day. A right one
//! costs nothing.
//!
//! Attempts are counted for good before the password is compared, and for unknown addresses as
//! well. Parallel attempts beyond the limit are not compared, and a refusal does not tell who has
//! an account.

use sqlx::PgExecutor;
use time::Duration;

use crate::{
    context::ServiceContext,
    domain::limits::otp_attempts::{self, Bucket},
    store::password_attempts,
    wire::{error::AuthError, request::RequestContext},
};

/// Wrong passwords of one client for one address.
const PER_CLIENT: Bucket = Bucket { burst: 20, refill: Duration::minutes(5) };

/// Counts an attempt, whatever happens to the request. The caller must hold no transaction.
///
/// # Errors
/// 429 `over_request_rate_limit` with the seconds to wait.
pub(crate) async fn count(
    service: &ServiceContext,
    context: &RequestContext,
    address: &str,
) -> Result<(), AuthError> {
    let ((address, client), now) = (keys(service, context, address), context.now);
    let allowance = (PER_CLIENT.cost(), now + PER_CLIENT.headroom());
    if password_attempts::count(&service.pool, (&address, &client), allowance, now).await? {
        return Ok(());
    }
    let spent_until = password_attempts::spent_until(&service.pool, (&address, &client)).await?;
    let wait = spent_until.map_or(Duration::ZERO, |until| until - PER_CLIENT.headroom() - now);
    let retry_after = wait.whole_seconds().unsigned_abs() + 1;
    Err(AuthError::RequestLimit { retry_after, limit: PER_CLIENT.burst.unsigned_abs() })
}

/// Gives back what a right password had cost.
pub(crate) async fn give_back(
    service: &ServiceContext,
    executor: impl PgExecutor<'_>,
    context: &RequestContext,
    address: &str,
) -> Result<(), sqlx::Error> {
    let (address, client) = keys(service, context, address);
    password_attempts::give_back(executor, (&address, &client), PER_CLIENT.cost()).await
}

/// The keys of an address and a client in the table.
fn keys(service: &ServiceContext, context: &RequestContext, address: &str) -> ([u8; 32], [u8; 32]) {
    let client = otp_attempts::client_key(service, context, &otp_attempts::address_key(service, address));
    (service.keyed_hash("auth password address", &[address.as_bytes()]), client)
}
