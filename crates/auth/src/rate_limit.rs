//! How often a client may ask: token buckets in bounded memory (CONTRACT.md Q2 to Q11).
//!
//! Each node counts by itself. If there are more clients than the memory holds, those not seen for
//! the longest time start anew.

use std::sync::{Arc, Mutex, PoisonError};

use banyan_config::RateLimits;
use quick_cache::sync::Cache;
use time::{Duration, OffsetDateTime};

use crate::wire::{
    client_address,
    error::{AccountError, AuthError},
};

/// Clients remembered, over all limits; each costs about 200 bytes.
const REMEMBERED: usize = 50_000;
const FIVE_MINUTES: Duration = Duration::minutes(5);
/// Challenges and answers of second factors in a minute.
const FACTOR: u32 = 15;
/// Requests about passkeys in five minutes (CONTRACT.md Q7).
const PASSKEY: u32 = 30;
/// Captchas per request that the guarded routes accept. A corrected form comes again with a new
/// captcha.
const CAPTCHAS: u32 = 4;
/// Wrong link tokens of a client in a day. Beyond that, tokens of the reference's form do not count
/// from there, because anybody can make them from an address and each of a million codes.
const WRONG_LINKS: u32 = 20;
/// A customer usually has a whole IPv6 network of 65,536 clients. That network has the limits of
/// this many.
const NETWORK: u32 = 8;
/// The share of the project's mails and messages that one client may ask for, and its least number.
const SHARE: u32 = 10;
const LEAST_SHARE: u32 = 10;
/// Burst of the limit of factors (CONTRACT.md Q11). Configured limits may be used up at once: the
/// reference's burst of 30 would refuse what a limit of 100 allows, and allow what one of 10 does
/// not (CONTRACT.md Q2).
const FACTOR_BURST: u32 = 30;

/// What is counted. Each client has a bucket of each.
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
    /// Challenges and answers of second factors (CONTRACT.md F10, Q11).
    Factor,
    /// Passkeys.
    Passkey,
    /// Solved captchas.
    Captcha,
    /// Redirects to OAuth providers.
    Authorize,
    /// Mails of the project.
    Mail,
    /// Messages of the project.
    Sms,
    /// Callbacks from OAuth providers.
    Callback,
    /// Wrong tokens of links.
    WrongLink,
}

/// What is counted for the whole project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProjectLimit {
    Mail,
    Sms,
}

impl ProjectLimit {
    fn share(self) -> Limit {
        match self {
            Self::Mail => Limit::Mail,
            Self::Sms => Limit::Sms,
        }
    }

    fn refused(self, retry_after: u64) -> AuthError {
        match self {
            Self::Mail => AuthError::MailLimit { retry_after },
            Self::Sms => AccountError::SmsLimit { retry_after }.into(),
        }
    }
}

/// The buckets.
pub(crate) struct Limits {
    rates: RateLimits,
    buckets: Cache<(Limit, String), Arc<Mutex<Bucket>>>,
    /// Kept apart, so that clients cannot push them out of the cache.
    mails: Mutex<Option<Bucket>>,
    messages: Mutex<Option<Bucket>>,
}

/// How many events there may be.
#[derive(Debug, Clone, Copy)]
struct Rate {
    events: u32,
    period: Duration,
    burst: u32,
}

impl Rate {
    /// A rate that may be used up at once.
    fn new(events: u32, period: Duration) -> Self {
        Self { events, period, burst: events }
    }

    /// The rate of a network whose hosts have this rate each.
    fn of_network(self) -> Self {
        let (events, burst) = (self.events.saturating_mul(NETWORK), self.burst.saturating_mul(NETWORK));
        Self { events, burst, ..self }
    }

    fn per_second(self) -> f64 {
        f64::from(self.events) / self.period.as_seconds_f64()
    }
}

struct Bucket {
    tokens: f64,
    at: OffsetDateTime,
}

impl Bucket {
    fn full(rate: Rate, now: OffsetDateTime) -> Self {
        Self { tokens: f64::from(rate.burst), at: now }
    }

    /// Whether there is a token left now, else the seconds until there is one.
    fn refill(&mut self, rate: Rate, now: OffsetDateTime) -> Result<(), f64> {
        let elapsed = (now - self.at).as_seconds_f64().max(0.0);
        self.tokens = (self.tokens + elapsed * rate.per_second()).min(f64::from(rate.burst));
        self.at = self.at.max(now);
        if self.tokens < 1.0 { Err((1.0 - self.tokens) / rate.per_second()) } else { Ok(()) }
    }
}

/// Names a bucket: what it counts, for which client or network, and at what rate.
struct BucketOf {
    limit: Limit,
    key: String,
    rate: Rate,
}

/// There is nothing left in a bucket.
struct EmptyBucket {
    /// Seconds until there is something again.
    retry_after: u64,
    /// Events of a client in the limit's period.
    limit: u32,
}

impl From<EmptyBucket> for AuthError {
    fn from(EmptyBucket { retry_after, limit }: EmptyBucket) -> Self {
        Self::RequestLimit { retry_after, limit }
    }
}

impl Limits {
    pub(crate) fn new(rates: &RateLimits) -> Self {
        Self {
            rates: *rates,
            buckets: Cache::new(REMEMBERED),
            mails: Mutex::new(None),
            messages: Mutex::new(None),
        }
    }

    /// Counts one event of a client, and of its network where one customer has many of those
    /// (CONTRACT.md Q1).
    ///
    /// # Errors
    /// [`AuthError::RequestLimit`] (429) with the seconds to wait.
    pub(crate) fn take(&self, limit: Limit, key: &str, now: OffsetDateTime) -> Result<(), AuthError> {
        Ok(self.take_from_all(limit, key, now)?)
    }

    /// Counts one event of the whole project.
    ///
    /// # Errors
    /// 429 `over_email_send_rate_limit` or `over_sms_send_rate_limit` with the seconds to wait.
    pub(crate) fn take_for_project(
        &self,
        project_limit: ProjectLimit,
        now: OffsetDateTime,
    ) -> Result<(), AuthError> {
        self.take_from_project(project_limit, now, 1.0)
    }

    /// Counts one event of a network's share.
    ///
    /// # Errors
    /// As [`Limits::take_for_project`].
    pub(crate) fn take_share(
        &self,
        project_limit: ProjectLimit,
        key: &str,
        now: OffsetDateTime,
    ) -> Result<(), AuthError> {
        self.take_from_all(project_limit.share(), key, now)
            .map_err(|empty| project_limit.refused(empty.retry_after))
    }

    /// Gives back what [`Limits::take_share`] took for something that was not sent.
    pub(crate) fn give_share_back(&self, project_limit: ProjectLimit, key: &str, now: OffsetDateTime) {
        for of in self.buckets_of(project_limit.share(), key) {
            let burst = f64::from(of.rate.burst);
            let bucket = self.bucket(of, now);
            let mut bucket = bucket.lock().unwrap_or_else(PoisonError::into_inner);
            bucket.tokens = (bucket.tokens + 1.0).min(burst);
        }
    }

    /// Refuses if the project has none left, without counting.
    ///
    /// # Errors
    /// As [`Limits::take_for_project`].
    pub(crate) fn check_project(
        &self,
        project_limit: ProjectLimit,
        now: OffsetDateTime,
    ) -> Result<(), AuthError> {
        self.take_from_project(project_limit, now, 0.0)
    }

    /// Gives back what [`Limits::take_for_project`] took for something that was not sent. A request
    /// in between may find the hour spent: for milliseconds, or for as long as another waits for a
    /// connection.
    pub(crate) fn give_back_to_project(&self, project_limit: ProjectLimit) {
        let (bucket, rate) = self.project_limit(project_limit);
        let mut bucket = bucket.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bucket) = bucket.as_mut() {
            bucket.tokens = (bucket.tokens + 1.0).min(f64::from(rate.burst));
        }
    }

    fn project_limit(&self, project_limit: ProjectLimit) -> (&Mutex<Option<Bucket>>, Rate) {
        let (bucket, events) = match project_limit {
            ProjectLimit::Mail => (&self.mails, self.rates.email_sent),
            ProjectLimit::Sms => (&self.messages, self.rates.sms_sent),
        };
        (bucket, Rate::new(events, Duration::HOUR))
    }

    fn take_from_project(
        &self,
        project_limit: ProjectLimit,
        now: OffsetDateTime,
        taken: f64,
    ) -> Result<(), AuthError> {
        let (bucket, rate) = self.project_limit(project_limit);
        let mut bucket = bucket.lock().unwrap_or_else(PoisonError::into_inner);
        let bucket = bucket.get_or_insert_with(|| Bucket::full(rate, now));
        bucket.refill(rate, now).map_err(|seconds| project_limit.refused(whole_seconds(seconds)))?;
        bucket.tokens -= taken;
        Ok(())
    }

    /// Counts a wrong token of a link.
    pub(crate) fn wrong_link(&self, client: &str, now: OffsetDateTime) {
        // Beyond the last there is nothing to count.
        let _ = self.wrong_links_bucket(client, now, 1.0);
    }

    /// Whether tokens of the reference's form still count for a client, after its recent wrong
    /// ones.
    pub(crate) fn takes_links_of_reference(&self, client: &str, now: OffsetDateTime) -> bool {
        self.wrong_links_bucket(client, now, 0.0).is_ok()
    }

    fn wrong_links_bucket(&self, client: &str, now: OffsetDateTime, taken: f64) -> Result<(), EmptyBucket> {
        let key = network_of(client).unwrap_or_else(|| client.to_owned());
        let (limit, rate) = (Limit::WrongLink, self.rate(Limit::WrongLink));
        self.take_from(BucketOf { limit, key, rate }, taken, now)
    }

    /// The buckets that an event of a client is taken from. That of its network comes first: once
    /// it is full, its clients get no buckets.
    fn buckets_of(&self, limit: Limit, client: &str) -> impl Iterator<Item = BucketOf> {
        let rate = self.rate(limit);
        let network = network_of(client).map(|key| BucketOf { limit, key, rate: rate.of_network() });
        network.into_iter().chain([BucketOf { limit, key: client.to_owned(), rate }])
    }

    fn take_from_all(&self, limit: Limit, client: &str, now: OffsetDateTime) -> Result<(), EmptyBucket> {
        self.buckets_of(limit, client).try_for_each(|of| self.take_from(of, 1.0, now))
    }

    fn take_from(&self, of: BucketOf, taken: f64, now: OffsetDateTime) -> Result<(), EmptyBucket> {
        let (limit, rate) = (of.limit, of.rate);
        let bucket = self.bucket(of, now);
        let mut bucket = bucket.lock().unwrap_or_else(PoisonError::into_inner);
        bucket.refill(rate, now).map_err(|seconds| EmptyBucket {
            retry_after: whole_seconds(seconds),
            limit: self.rate(limit).events,
        })?;
        bucket.tokens -= taken;
        Ok(())
    }

    fn bucket(&self, BucketOf { limit, key, rate }: BucketOf, now: OffsetDateTime) -> Arc<Mutex<Bucket>> {
        let fresh = || Ok::<_, std::convert::Infallible>(Arc::new(Mutex::new(Bucket::full(rate, now))));
        self.buckets.get_or_insert_with(&(limit, key), fresh).unwrap_or_else(|never| match never {})
    }

    fn rate(&self, limit: Limit) -> Rate {
        match limit {
            Limit::Otp
            | Limit::Magiclink
            | Limit::SignUp
            | Limit::Recover
            | Limit::Resend
            | Limit::UpdateUser
            | Limit::Authorize
            | Limit::Callback => Rate::new(self.rates.sign_in_sign_ups, FIVE_MINUTES),
            Limit::Verify => Rate::new(self.rates.token_verifications, FIVE_MINUTES),
            Limit::Token => Rate::new(self.rates.token_refresh, FIVE_MINUTES),
            Limit::Factor => Rate { burst: FACTOR_BURST, ..Rate::new(FACTOR, Duration::MINUTE) },
            Limit::Passkey => Rate::new(PASSKEY, FIVE_MINUTES),
            Limit::Captcha => Rate::new(self.rates.sign_in_sign_ups.saturating_mul(CAPTCHAS), FIVE_MINUTES),
            Limit::Mail => share(self.rates.email_sent),
            Limit::Sms => share(self.rates.sms_sent),
            Limit::Anonymous => Rate::new(self.rates.anonymous_users, Duration::HOUR),
            Limit::WrongLink => Rate::new(WRONG_LINKS, Duration::DAY),
        }
    }
}

/// The key of the network around that of an IPv6 client.
pub(crate) fn network_of(key: &str) -> Option<String> {
    let (network, _) = key.strip_suffix(client_address::NETWORK)?.rsplit_once(':')?;
    Some(format!("{network}::/48"))
}

/// The share of one network in an hour.
fn share(of_all: u32) -> Rate {
    Rate::new((of_all / SHARE).max(LEAST_SHARE), Duration::HOUR)
}

/// A limit of 0 never refills; an hour is as good as any other time.
fn whole_seconds(seconds: f64) -> u64 {
    if seconds.is_finite() { seconds.ceil() as u64 } else { 3600 }
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

    // rows: Q2
    #[test]
    fn a_limit_below_thirty_is_enforced_from_the_start() {
        let (limits, now) = (limits(3), OffsetDateTime::UNIX_EPOCH);
        let granted = (0..10).filter(|_| limits.take(Limit::Otp, "a", now).is_ok()).count();
        assert_eq!(granted, 3);
        assert!(limits.take(Limit::Otp, "b", now).is_ok(), "another client has its own bucket");
        assert!(limits.take(Limit::Otp, "a", now + Duration::seconds(99)).is_err());
        assert!(limits.take(Limit::Otp, "a", now + Duration::seconds(101)).is_ok());
    }

    // rows: Q12
    #[test]
    fn the_refusal_says_how_long_to_wait() {
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
