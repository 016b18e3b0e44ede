//! The wrong codes that an address has seen (auth.md M9).
//!
//! A code of six digits is worth what the number of guesses makes it. Each client has [`OWN`] tries for one code.
//! Clients that did not ask for a code share [`FOREIGN`] in all, so a crowd gains nothing, while a client that asked
//! keeps its own tries: nobody elsewhere can lock it out, not by asking for another code either. A new code gives the
//! crowd its tries back, so how many codes an address is sent is bounded as well ([`crate::codes::allow`]). Tries are
//! counted for good before the code is looked at, and for unknown addresses as well, so neither parallel guesses nor
//! answers nor their time give anything away.

use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::{
    request::Context,
    state::Inner,
    store::code_tries::{self, Tries},
};

/// Tries of one client for one code.
const OWN: i32 = 5;
/// Tries for one code of all clients together that did not ask for it.
const FOREIGN: i32 = 20;

/// Counts a try of a client for an address, whatever becomes of the request; false when it has none left. No transaction
/// may be open.
pub(crate) async fn count(inner: &Inner, address: &str, context: &Context) -> Result<bool, sqlx::Error> {
    let (address, client) = (address_key(inner, address), client_key(inner, context));
    let tries = code_tries::count(&inner.pool, &address, &client, context.now).await?;
    Ok(is_within(&tries))
}

/// Begins anew for an address: a new code was made, which `asker` asked for.
pub(crate) async fn begin(
    inner: &Inner,
    db: &mut PgConnection,
    address: &str,
    asker: Option<&Context>,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let client = asker.map(|context| client_key(inner, context));
    let client = client.as_ref().map(<[u8; 32]>::as_slice);
    let life = inner.settings.otp.expiry.max(inner.settings.sms.otp_expiry);
    code_tries::begin(db, &address_key(inner, address), client, now - life, now).await
}

/// What stands for an address in the tables of codes.
pub(crate) fn address_key(inner: &Inner, address: &str) -> [u8; 32] {
    inner.keyed_hash("auth tries address", &[address.as_bytes()])
}

fn is_within(tries: &Tries) -> bool {
    tries.own <= OWN && (tries.asked || tries.foreign <= FOREIGN)
}

fn client_key(inner: &Inner, context: &Context) -> [u8; 32] {
    inner.keyed_hash("auth tries client", &[context.client_key().as_bytes()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auth_m9_the_client_that_asked_is_not_locked_out_by_others() {
        let within = |own, asked, foreign| is_within(&Tries { own, asked, foreign });
        assert!(within(5, true, 0));
        assert!(!within(6, true, 0));
        assert!(within(1, true, 1_000));
        assert!(within(1, false, 20));
        assert!(!within(1, false, 21));
        assert!(!within(6, false, 6));
    }
}
