//! Wrong codes in a row. After five, each further one closes the factor for twice as long, up to an
//! hour. Codes of an authenticator change by themselves, so there is no new one to ask for.
//!
//! A client that gave a right answer within [`KNOWN`] is counted by itself, all others together. So
//! somebody who has only the password can neither guess from many machines nor close the factor for
//! its owner. A client is an address: somebody who shares it with the owner has the attempts of one
//! more client, about three dozen a day.

use sqlx::PgConnection;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::{
    store::factor_attempts::{self, FactorAttempts, RightCode},
    tx::Tx,
    wire::error::{AuthError, FactorError},
};

/// Wrong codes that cost nothing.
const FREE_ATTEMPTS: i32 = 5;
/// How long the factor is closed after one more wrong code.
const FIRST_PAUSE: Duration = Duration::seconds(30);
const LONGEST_PAUSE: Duration = Duration::HOUR;
/// How long a client stays known.
const KNOWN: Duration = Duration::days(90);

/// The attempts of a client, or of all unknown ones, at a factor. Their row stays locked until the
/// transaction ends.
pub(crate) struct LockedAttempts {
    factor: Uuid,
    client: [u8; 32],
    now: OffsetDateTime,
    known: FactorAttempts,
}

/// Reads the attempts at a factor. Refuses while it is closed for the client.
pub(crate) async fn open(tx: &mut Tx<'_>, factor: Uuid) -> Result<LockedAttempts, AuthError> {
    let client = tx.service.keyed_hash("auth factor client", &[tx.context.client_key().as_bytes()]);
    let (now, known) =
        (tx.context.now, factor_attempts::of_factor(tx.db, factor, &client, tx.context.now).await?);
    match known.blocked_until {
        Some(until) if until > now => {
            let left = (until - now).whole_seconds() + 1;
            Err(FactorError::Blocked { retry_after: left.unsigned_abs() }.into())
        }
        _ => Ok(LockedAttempts { factor, client, now, known }),
    }
}

impl LockedAttempts {
    /// The newest step whose code was accepted.
    pub(crate) fn last_step(&self) -> i64 {
        self.known.last_step
    }

    /// Notes a wrong code.
    pub(crate) async fn wrong(self, db: &mut PgConnection) -> Result<(), sqlx::Error> {
        let wrong = self.known.wrong.saturating_add(1);
        let blocked_until = pause(wrong).map(|pause| self.now + pause);
        let attempts = FactorAttempts { wrong, blocked_until, ..self.known };
        factor_attempts::wrong(db, self.factor, &self.client, &attempts).await
    }

    /// Notes the right one, and its step.
    pub(crate) async fn right(self, db: &mut PgConnection, step: i64) -> Result<(), sqlx::Error> {
        let right = RightCode { step, is_known: self.known.known, known_until: self.now + KNOWN };
        factor_attempts::right(db, self.factor, &self.client, &right).await
    }
}

fn pause(wrong: i32) -> Option<Duration> {
    let over = u32::try_from(wrong - FREE_ATTEMPTS).ok()?;
    Some((FIRST_PAUSE * 2_i32.saturating_pow(over.min(8))).min(LONGEST_PAUSE))
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: F4
    #[test]
    fn wrong_codes_cost_more_and_more_time() {
        assert_eq!(pause(4), None);
        assert_eq!(pause(5), Some(Duration::seconds(30)));
        assert_eq!(pause(6), Some(Duration::seconds(60)));
        assert_eq!(pause(40), Some(Duration::HOUR));
        // A day of guessing: five at once, seven until the pause is an hour, then one an hour,
        // three codes right at a time.
        let tries_a_day = 5 + 7 + 24;
        assert!(f64::from(tries_a_day * 3) / 1e6 < 2e-4);
    }

    // rows: F4 F7
    #[test]
    fn a_million_guesses_in_a_row_take_more_than_a_century() {
        let pauses = (1..=1_000_000).map(|wrong| pause(wrong).unwrap_or_default());
        assert!(pauses.sum::<Duration>() > Duration::days(100 * 365));
    }
}
