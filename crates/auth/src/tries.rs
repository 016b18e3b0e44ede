//! The wrong codes that an address has seen (auth.md M9).
//!
//! A code of six digits is worth what the number of guesses makes it. Each client has [`OWN`] tries for one code.
//! Clients that did not ask for the code share [`FOREIGN`] in all, so a crowd gains nothing, while the client that asked
//! keeps its own tries: nobody elsewhere can lock it out. A new code starts anew. Tries are counted before they are
//! judged and for unknown addresses as well, so neither parallel guesses nor answers nor their time give anything away.

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
const FOREIGN: i64 = 20;

/// Counts a try of a client for an address; false when it has none left.
pub(crate) async fn count(
    inner: &Inner,
    db: &mut PgConnection,
    address: &str,
    context: &Context,
) -> Result<bool, sqlx::Error> {
    let (address, client) = (address_key(inner, address), client_key(inner, context));
    let lock = i64::from_be_bytes(address[..8].try_into().expect("the hash has 32 bytes"));
    let tries = code_tries::count(db, &address, &client, lock, context.now).await?;
    Ok(is_within(&tries))
}

/// Begins anew for an address: a new code was asked for by `context`, or the right one was entered.
pub(crate) async fn begin(
    inner: &Inner,
    db: &mut PgConnection,
    address: &str,
    context: Option<&Context>,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let client = context.map(|context| client_key(inner, context));
    code_tries::begin(db, &address_key(inner, address), client.as_ref().map(<[u8; 32]>::as_slice), now).await
}

fn is_within(tries: &Tries) -> bool {
    tries.own <= OWN && (tries.asked || tries.foreign <= FOREIGN)
}

fn address_key(inner: &Inner, address: &str) -> [u8; 32] {
    inner.keyed_hash("auth tries address", &[address.as_bytes()])
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
