//! Wrong codes in a row. After five, each one more closes the factor for twice as long, up to an hour: the codes of an
//! authenticator change by themselves, so there is no new one to begin anew with.
//!
//! Clients that gave a right answer within [`KNOWN`] are counted each by itself, all others together: who has the
//! password alone can neither guess on from many machines, nor close the factor for its owner where that was of late. A
//! client is an address: who shares that with the owner has the tries of one more client, which come to three dozen a
//! day.

use sqlx::PgConnection;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::{
    context::ServiceContext,
    store::factor_attempts::{self, FactorAttempts},
    wire::{
        error::{AuthError, FactorError},
        request::RequestContext,
    },
};

/// Wrong codes that cost nothing.
const FREE: i32 = 5;
/// Time that the factor is closed after one more.
const FIRST: Duration = Duration::seconds(30);
const LONGEST: Duration = Duration::HOUR;
/// How long a client stays known.
const KNOWN: Duration = Duration::days(90);

/// The tries of a client, or of all that are not known, for a factor. They stay locked until the transaction ends.
pub(crate) struct LockedAttempts {
    factor: Uuid,
    client: [u8; 32],
    now: OffsetDateTime,
    known: FactorAttempts,
}

/// What is known of a factor; refuses while it is closed for the client.
pub(crate) async fn open(
    service: &ServiceContext,
    db: &mut PgConnection,
    context: &RequestContext,
    factor: Uuid,
) -> Result<LockedAttempts, AuthError> {
    let client = service.keyed_hash("auth factor client", &[context.client_key().as_bytes()]);
    let (now, known) = (context.now, factor_attempts::of_factor(db, factor, &client, context.now).await?);
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
        let tries = FactorAttempts { wrong, blocked_until, ..self.known };
        factor_attempts::wrong(db, self.factor, &self.client, &tries).await
    }

    /// Notes the right one, and its step.
    pub(crate) async fn right(self, db: &mut PgConnection, step: i64) -> Result<(), sqlx::Error> {
        let known_until = self.now + KNOWN;
        factor_attempts::right(db, self.factor, &self.client, (step, self.known.known), known_until).await
    }
}

fn pause(wrong: i32) -> Option<Duration> {
    let over = u32::try_from(wrong - FREE).ok()?;
    Some((FIRST * 2_i32.saturating_pow(over.min(8))).min(LONGEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auth_f4_wrong_codes_cost_more_and_more_time() {
        assert_eq!(pause(4), None);
        assert_eq!(pause(5), Some(Duration::seconds(30)));
        assert_eq!(pause(6), Some(Duration::seconds(60)));
        assert_eq!(pause(40), Some(Duration::HOUR));
        // A day of guessing: five at once, seven until the pause is an hour, then one an hour, three codes right at a
        // time.
        let tries_a_day = 5 + 7 + 24;
        assert!(f64::from(tries_a_day * 3) / 1e6 < 2e-4);
    }

    #[test]
    fn auth_f4_f7_a_million_guesses_in_a_row_take_more_than_a_century() {
        let pauses = (1..=1_000_000).map(|wrong| pause(wrong).unwrap_or_default());
        assert!(pauses.sum::<Duration>() > Duration::days(100 * 365));
    }
}
