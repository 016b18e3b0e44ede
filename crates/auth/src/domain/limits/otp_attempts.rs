//! How often a code may be guessed at an address (CONTRACT.md M9).
//!
//! A code of six digits is worth what the number of guesses makes it, and no new code makes guesses worth less. So guesses
//! are what is bounded, over all codes, and the bound comes back by time alone:
//!
//! - One network has [`OF_CODE`] for each code it asks for, and [`OF_CLIENT`] in all. Who asked there takes them along
//!   ([`crate::wire::device_cookie`]).
//! - All networks that are not known share [`OF_ASKERS`] where they asked for a code lately, and [`OF_CROWD`] where they
//!   did not: who guesses without asking takes nothing from who asks.
//! - A network that a right code came from lately is known, and so is the browser: each has its own guesses, whatever the
//!   others do.
//!
//! In a year one network has 750 guesses, one chance in 1,300; all that there are have 3,505 together, one in 285. Nobody
//! closes an account for a network that its owner signed in from; to close it for new ones takes ten others at once, all of
//! which ask for codes, and five that go on. A right code costs nothing.
//!
//! Guesses are counted for good by the statement that looks the code up, before anybody judges what it found, and for unknown
//! addresses as well, so neither parallel guesses nor answers nor their time give anything away.

use banyan_db::RunError;
use sqlx::PgConnection;
use time::{Duration, OffsetDateTime};
use tracing::Instrument as _;
use uuid::Uuid;

use crate::{
    context::ServiceContext,
    rate_limit,
    store::{
        code_clients::{self, Entry, Guessed, Guesses, Quota},
        one_time_tokens::Pending,
        pipelines::{self, AsRead},
    },
    wire::{
        device_cookie::{CookieKey, CookieSubject, KNOWN},
        request::RequestContext,
    },
};

/// Guesses of one network for one code it asked for.
const OF_CODE: i32 = 5;
const OF_CLIENT: Bucket = Bucket { at_once: 20, each: Duration::hours(12) };
const OF_CROWD: Bucket = Bucket { at_once: 20, each: Duration::DAY };
const OF_ASKERS: Bucket = Bucket { at_once: 200, each: Duration::hours(3) };

/// What there may be at once, and the time after which there may be one more.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bucket {
    pub(crate) at_once: i32,
    pub(crate) each: Duration,
}

impl Bucket {
    /// Seconds that one costs.
    pub(crate) fn cost(self) -> f64 {
        self.each.as_seconds_f64()
    }

    /// Time that may be spent already when one more is asked for.
    pub(crate) fn ahead(self) -> Duration {
        self.each * (self.at_once - 1)
    }

    pub(crate) fn quota(self, now: OffsetDateTime) -> Quota {
        Quota { cost: self.cost(), spent_before: now + self.ahead() }
    }
}

/// How a right code was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CodeSource {
    /// Typed in, which was counted as a guess.
    Typed,
    /// In another way that the client's own application took part in.
    Exchanged,
    /// By the link of a mail, which programs follow too that look through mails.
    Followed,
}

/// Counts a guess of a client at the code of an address, whatever becomes of the request, and finds the code that it names, and
/// its account; none when the client has no guess left. No transaction may be open.
pub(crate) async fn guess(
    service: &ServiceContext,
    context: &RequestContext,
    guessed: &Guessed<'_>,
) -> Result<Option<(Pending, Option<AsRead>)>, RunError> {
    let address = address_key(service, guessed.sent_to);
    let client = client_key(service, context, &address);
    let guesses = guesses(service, context.now);
    let guess = pipelines::guess((&address, &client), &guesses, guessed, context.now);
    let (database, network) = (service.database.clone(), context.client_key());
    for_good(async move {
        let counted = guess.counted(&database).await?;
        if let Some(user) = counted.ended {
            log_last_attempt(user, &network);
        }
        Ok(counted.found)
    })
    .await
}

/// Counts to the end, though who asked hangs up: what is counted is counted.
async fn for_good<T: Send + 'static>(
    counting: impl Future<Output = Result<T, RunError>> + Send + 'static,
) -> Result<T, RunError> {
    let counted = tokio::spawn(counting.in_current_span()).await;
    counted.unwrap_or_else(|_| Err(RunError::Protocol("a guess could not be counted".into())))
}

/// Has the log tell that a wrong guess was the last one of its network for a code that it asked for, which nobody else hears: its
/// right digits are refused there from now on.
fn log_last_attempt(user: Uuid, network: &str) {
    tracing::info!(
        user.id = %user,
        client.address = network,
        "{OF_CODE} wrong guesses ended a code for the network that they came from; its link works on, and so does the next code"
    );
}

/// A right code that came from a client, to be noted.
pub(crate) struct CorrectCode {
    address: [u8; 32],
    client: [u8; 32],
    /// What it had cost.
    code: f64,
    guess: Option<Guesses>,
    browser: Option<[u8; 32]>,
}

impl CorrectCode {
    /// A code of `code` seconds of the client's codes, and how it was shown.
    pub(crate) fn new(
        service: &ServiceContext,
        address: &str,
        context: &RequestContext,
        (shown, code): (CodeSource, f64),
    ) -> Self {
        let address = address_key(service, address);
        Self {
            client: client_key(service, context, &address),
            code,
            guess: (shown == CodeSource::Typed).then(|| guesses(service, context.now)),
            browser: (shown != CodeSource::Followed).then(|| browser_key(service, context, &address)),
            address,
        }
    }

    /// Address and client, and what is noted of them.
    pub(crate) fn entry(&self, now: OffsetDateTime) -> (&[u8], &[u8], Entry<'_>) {
        let entry = Entry {
            code: self.code,
            guess: self.guess.as_ref(),
            known: self.browser.as_ref().map(|browser| (browser.as_slice(), now + KNOWN)),
        };
        (&self.address, &self.client, entry)
    }

    /// Leaves who typed it with a mark, once it is noted.
    pub(crate) fn set_device_cookie(&self, service: &ServiceContext, context: &RequestContext) {
        if let Some(browser) = self.browser {
            context.device_cookies.set(
                cookie_key(service),
                &self.address,
                CookieSubject::Browser(browser),
                (context.now, KNOWN),
            );
        }
    }
}

/// Gives back what a right code had cost; who typed it is known from then on, by network and by a mark.
pub(crate) async fn entered(
    service: &ServiceContext,
    db: &mut PgConnection,
    context: &RequestContext,
    entered: &CorrectCode,
) -> Result<(), sqlx::Error> {
    let (address, client, entry) = entered.entry(context.now);
    code_clients::entered(db, (address, client), &entry, context.now).await?;
    entered.set_device_cookie(service, context);
    Ok(())
}

/// What stands for an address in the tables of codes.
pub(crate) fn address_key(service: &ServiceContext, address: &str) -> [u8; 32] {
    service.keyed_hash("auth tries address", &[address.as_bytes()])
}

/// What stands for a client that types a code: what its mark names, else its network.
pub(crate) fn client_key(service: &ServiceContext, context: &RequestContext, address: &[u8; 32]) -> [u8; 32] {
    let subject = context.device_cookies.at(cookie_key(service), address, context.now);
    subject.map_or_else(|| network_key(service, context), CookieSubject::key)
}

/// What stands for a client that asks for a code: its browser where that is known, else the network it is in. A mark of
/// another network is for typing alone: who was there once must not go on as if they were.
pub(crate) fn asker_key(service: &ServiceContext, context: &RequestContext, address: &[u8; 32]) -> [u8; 32] {
    match context.device_cookies.at(cookie_key(service), address, context.now) {
        Some(browser @ CookieSubject::Browser(_)) => browser.key(),
        _ => network_key(service, context),
    }
}

/// Notes that a client asked for a code: it is counted as the same one wherever it is when it enters that.
pub(crate) fn asked(service: &ServiceContext, context: &RequestContext, address: &[u8; 32]) {
    let subject = context.device_cookies.at(cookie_key(service), address, context.now);
    if !matches!(subject, Some(CookieSubject::Browser(_))) {
        let asker = CookieSubject::CodeRequester(network_key(service, context));
        context.device_cookies.set(cookie_key(service), address, asker, (context.now, asked_within(service)));
    }
}

/// What stands for a browser that a right code came from.
fn browser_key(service: &ServiceContext, context: &RequestContext, address: &[u8; 32]) -> [u8; 32] {
    match context.device_cookies.at(cookie_key(service), address, context.now) {
        Some(CookieSubject::Browser(key)) => key,
        _ => service.random(),
    }
}

fn cookie_key(service: &ServiceContext) -> CookieKey<'_> {
    CookieKey { key: &service.hash_key, is_behind_tls: service.is_behind_tls() }
}

/// What stands for a client without a mark: its address, or the network that one customer commonly has.
fn network_key(service: &ServiceContext, context: &RequestContext) -> [u8; 32] {
    let client = context.client_key();
    let client = rate_limit::network_of(&client).unwrap_or(client);
    service.keyed_hash("auth tries client", &[client.as_bytes()])
}

fn guesses(service: &ServiceContext, now: OffsetDateTime) -> Guesses {
    Guesses {
        of_code: OF_CODE,
        of_client: OF_CLIENT.quota(now),
        of_crowd: OF_CROWD.quota(now),
        of_askers: OF_ASKERS.quota(now),
        asked_since: now - asked_within(service),
    }
}

/// Time in which who asked for a code may enter it.
fn asked_within(service: &ServiceContext) -> Duration {
    let longest = service.settings.otp.expiry.max(service.settings.sms.otp_expiry);
    Duration::try_from(longest).unwrap_or(Duration::HOUR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auth_m9_c3_a_year_of_guesses_finds_one_code_in_hundreds() {
        let of_year = |bucket: Bucket| {
            f64::from(bucket.at_once) + Duration::days(365).as_seconds_f64() / bucket.each.as_seconds_f64()
        };
        let combinations = 1e6;
        assert!(of_year(OF_CLIENT) / combinations < 1.0 / 1300.0, "one network");
        assert!(
            (of_year(OF_CROWD) + of_year(OF_ASKERS)) / combinations < 1.0 / 285.0,
            "all that are not known"
        );
    }

    #[test]
    fn auth_m9_to_close_an_address_for_new_networks_takes_ten_at_once_and_five_that_go_on() {
        assert_eq!(OF_ASKERS.at_once / OF_CLIENT.at_once, 10);
        assert!(OF_CLIENT.each >= OF_ASKERS.each * 4);
    }
}
