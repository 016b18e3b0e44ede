//! Wrong codes in a row. After five, each one more closes the factor for twice as long, up to an hour: the codes of an
//! authenticator change by themselves, so there is no new one to begin anew with.

use sqlx::PgConnection;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::{
    error::FactorError,
    store::factor_tries::{self, FactorTries},
};

/// Wrong codes that cost nothing.
const FREE: i32 = 5;
/// Time that the factor is closed after one more.
const FIRST: Duration = Duration::seconds(30);
const LONGEST: Duration = Duration::HOUR;

/// What is known of a factor; refuses while it is closed.
pub(super) async fn open(
    db: &mut PgConnection,
    factor: Uuid,
    now: OffsetDateTime,
) -> Result<FactorTries, crate::error::AuthError> {
    let tries = factor_tries::of_factor(db, factor).await?;
    match tries.blocked_until {
        Some(until) if until > now => {
            let left = (until - now).whole_seconds() + 1;
            Err(FactorError::Blocked { retry_after: left.unsigned_abs() }.into())
        }
        _ => Ok(tries),
    }
}

/// Notes a wrong code.
pub(super) async fn wrong(
    db: &mut PgConnection,
    factor: Uuid,
    tries: FactorTries,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let wrong = tries.wrong.saturating_add(1);
    let blocked_until = pause(wrong).map(|pause| now + pause);
    factor_tries::put(db, factor, &FactorTries { wrong, blocked_until, ..tries }).await
}

/// Notes the right one, and its step.
pub(super) async fn right(db: &mut PgConnection, factor: Uuid, step: i64) -> Result<(), sqlx::Error> {
    factor_tries::put(db, factor, &FactorTries { last_step: step, wrong: 0, blocked_until: None }).await
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
        // A day of guessing: five at once, seven until the pause is an hour, then one an hour, three codes right at a time.
        let tries_a_day = 5 + 7 + 24;
        assert!(f64::from(tries_a_day * 3) / 1e6 < 2e-4);
    }
}
