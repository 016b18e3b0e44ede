//! How often a client may ask: token buckets in bounded memory (auth.md section 22).
//!
//! Each node counts by itself. When more clients come than the memory holds, those seen longest ago start anew.

use std::sync::{Arc, Mutex, PoisonError};

use banyan_config::RateLimits;
use quick_cache::sync::Cache;
use time::{Duration, OffsetDateTime};

use crate::error::{AccountError, AuthError};

/// Clients remembered, over all limits; each costs about 200 bytes.
const REMEMBERED: usize = 50_000;
const FIVE_MINUTES: Duration = Duration::minutes(5);
/// Wrong codes that one client may enter for one address in an hour (auth.md M9).
const WRONG_CODES: u32 = 20;
/// Challenges and answers of second factors in a minute.
const FACTOR: u32 = 15;
/// Requests about passkeys in five minutes (auth.md Q7).
const PASSKEY: u32 = 30;
/// Burst of the limit of factors (auth.md Q11). A limit of the configuration may be used up at once: the reference's burst
/// of 30 would refuse what a limit of 100 allows, and grant what one of 10 does not (auth.md Q2).
const FACTOR_BURST: u32 = 30;

/// What is counted. Each has a bucket of its own for each client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Limit {
    /// `POST /signup`.
    SignUp,
    /// `POST /signup` without an address.
    Anonymous,
    /// `POST /otp`.
    Otp,
    /// `POST /magiclink`.
    Magiclink,
    /// `POST /recover`.
    Recover,
    /// `POST /resend`.
    Resend,
    /// `PUT /user`.
    UpdateUser,
    /// `/verify`.
    Verify,
    /// `POST /token`.
    Token,
    /// Wrong codes for one address by one client.
    WrongCode,
    /// Challenges and answers of second factors (auth.md F10, Q11).
    Factor,
    /// Passkeys.
    Passkey,
    /// Departures to providers.
    Authorize,
    /// Mails of the whole project.
    Mail,
    /// Text messages of the whole project.
    Sms,
}

/// The buckets.
pub(crate) struct Limits {
    rates: RateLimits,
    buckets: Cache<(Limit, String), Arc<Mutex<Bucket>>>,
}

struct Bucket {
    tokens: f64,
    at: OffsetDateTime,
}

impl Limits {
    pub(crate) fn new(rates: &RateLimits) -> Self {
        Self { rates: *rates, buckets: Cache::new(REMEMBERED) }
    }

    /// Counts one event of a client.
    ///
    /// # Errors
    /// [`AuthError::RequestLimit`] (429), or [`AuthError::MailLimit`] for the project's mails, with the seconds to wait.
    pub(crate) fn take(&self, limit: Limit, key: &str, now: OffsetDateTime) -> Result<(), AuthError> {
        self.with_bucket(limit, key, now, |bucket, rate| {
            if bucket.tokens < 1.0 {
                return Err(self.refusal(limit, (1.0 - bucket.tokens) / rate));
            }
            bucket.tokens -= 1.0;
            Ok(())
        })
    }

    /// Refuses a client whose bucket is empty, without counting.
    ///
    /// # Errors
    /// As [`Limits::take`].
    pub(crate) fn check(&self, limit: Limit, key: &str, now: OffsetDateTime) -> Result<(), AuthError> {
        self.with_bucket(limit, key, now, |bucket, rate| {
            if bucket.tokens < 1.0 { Err(self.refusal(limit, (1.0 - bucket.tokens) / rate)) } else { Ok(()) }
        })
    }

    fn with_bucket<T>(
        &self,
        limit: Limit,
        key: &str,
        now: OffsetDateTime,
        act: impl FnOnce(&mut Bucket, f64) -> T,
    ) -> T {
        let (events, period) = self.rate(limit);
        let burst = f64::from(if limit == Limit::Factor { FACTOR_BURST } else { events });
        let rate = f64::from(events) / period.as_seconds_f64();
        let fresh =
            || Ok::<_, std::convert::Infallible>(Arc::new(Mutex::new(Bucket { tokens: burst, at: now })));
        let bucket = self
            .buckets
            .get_or_insert_with(&(limit, key.to_owned()), fresh)
            .unwrap_or_else(|never| match never {});
        let mut bucket = bucket.lock().unwrap_or_else(PoisonError::into_inner);
        let elapsed = (now - bucket.at).as_seconds_f64().max(0.0);
        bucket.tokens = (bucket.tokens + elapsed * rate).min(burst);
        bucket.at = bucket.at.max(now);
        act(&mut bucket, rate)
    }

    fn rate(&self, limit: Limit) -> (u32, Duration) {
        match limit {
            Limit::Otp
            | Limit::Magiclink
            | Limit::SignUp
            | Limit::Recover
            | Limit::Resend
            | Limit::UpdateUser
            | Limit::Authorize => (self.rates.sign_in_sign_ups, FIVE_MINUTES),
            Limit::Verify => (self.rates.token_verifications, FIVE_MINUTES),
            Limit::Token => (self.rates.token_refresh, FIVE_MINUTES),
            Limit::WrongCode => (WRONG_CODES, Duration::HOUR),
            Limit::Factor => (FACTOR, Duration::MINUTE),
            Limit::Passkey => (PASSKEY, FIVE_MINUTES),
            Limit::Anonymous => (self.rates.anonymous_users, Duration::HOUR),
            Limit::Mail => (self.rates.email_sent, Duration::HOUR),
            Limit::Sms => (self.rates.sms_sent, Duration::HOUR),
        }
    }

    fn refusal(&self, limit: Limit, seconds: f64) -> AuthError {
        // A limit of 0 never refills; an hour is as good as any other time.
        let retry_after = if seconds.is_finite() { seconds.ceil() as u64 } else { 3600 };
        match limit {
            Limit::Mail => AuthError::MailLimit { retry_after },
            Limit::Sms => AccountError::SmsLimit { retry_after }.into(),
            _ => AuthError::RequestLimit { retry_after, limit: self.rate(limit).0 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(sign_in_sign_ups: u32) -> Limits {
        Limits::new(&RateLimits {
            email_sent: 2,
            sms_sent: 30,
            anonymous_users: 30,
            token_refresh: 150,
            sign_in_sign_ups,
            token_verifications: 30,
        })
    }

    #[test]
    fn auth_q2_a_limit_below_thirty_is_enforced_from_the_start() {
        let (limits, now) = (limits(3), OffsetDateTime::UNIX_EPOCH);
        let granted = (0..10).filter(|_| limits.take(Limit::Otp, "a", now).is_ok()).count();
        assert_eq!(granted, 3);
        assert!(limits.take(Limit::Otp, "b", now).is_ok(), "another client has its own bucket");
        assert!(limits.take(Limit::Otp, "a", now + Duration::seconds(99)).is_err());
        assert!(limits.take(Limit::Otp, "a", now + Duration::seconds(101)).is_ok());
    }

    #[test]
    fn auth_q12_the_refusal_says_how_long_to_wait() {
        let (limits, now) = (limits(3), OffsetDateTime::UNIX_EPOCH);
        for _ in 0..3 {
            limits.take(Limit::Otp, "a", now).unwrap();
        }
        let refused = limits.take(Limit::Otp, "a", now);
        assert!(
            matches!(refused, Err(AuthError::RequestLimit { retry_after: 100, limit: 3 })),
            "{refused:?}"
        );
    }

    #[test]
    fn a_clock_that_goes_back_gives_nothing_away() {
        let (limits, now) = (limits(1), OffsetDateTime::UNIX_EPOCH + Duration::hours(1));
        limits.take(Limit::Otp, "a", now).unwrap();
        assert!(limits.take(Limit::Otp, "a", now - Duration::minutes(30)).is_err());
        assert!(limits.take(Limit::Otp, "a", now + Duration::minutes(1)).is_err());
    }
}
