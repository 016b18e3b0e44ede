//! How often a code may be guessed at an address (CONTRACT.md M9).
//!
//! The strength of a code of six digits is the number of guesses against it, and a new code does
//! not change that. So the guesses are limited, over all codes, and only time gives them back:
//!
//! - One network has [`PER_CODE`] guesses for each code that it asks for, and [`PER_CLIENT`] in
//!   all. A browser that asked there counts as that network everywhere
//!   ([`crate::wire::device_cookie`]).
//! - All unknown networks share [`REQUESTERS`] if they asked for a code lately, and [`STRANGERS`]
//!   if they did not. So a guesser who asks for no code takes nothing from those who do.
//! - A network or a browser that sent a right code lately is known. Each has its own guesses,
//!   whatever the others do.
//!
//! In a year one network has 750 guesses, one chance in 1,300. All networks have 3,505 together,
//! one in 285. Nobody can close an account for a network from which its owner signed in. To close
//! it for new networks takes ten others at once, which all ask for codes, and five that go on. A
//! right code costs nothing.
//!
//! The statement that looks the code up counts the guess for good, before anything compares it, and
//! for unknown addresses as well. So parallel guesses, answers and their time give nothing away.

use banyan_db::RunError;
use time::{Duration, OffsetDateTime};
use tracing::Instrument as _;
use uuid::Uuid;

use crate::{
    context::ServiceContext,
    rate_limit,
    store::{
        code_clients::{self, Entry, Guessed, Guesses, Quota},
        one_time_tokens::Pending,
        pipelines::{self, AccountVersion},
    },
    tx::Tx,
    wire::{
        device_cookie::{CookieKey, CookieSubject, KNOWN, NewCookie},
        request::RequestContext,
    },
};

/// Guesses of one network for one code that it asked for.
const PER_CODE: i32 = 5;
const PER_CLIENT: Bucket = Bucket { burst: 20, refill: Duration::hours(12) };
const STRANGERS: Bucket = Bucket { burst: 20, refill: Duration::DAY };
const REQUESTERS: Bucket = Bucket { burst: 200, refill: Duration::hours(3) };

/// A token bucket: `burst` at once, and one more after each `refill`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bucket {
    pub(crate) burst: i32,
    pub(crate) refill: Duration,
}

impl Bucket {
    /// Seconds that one event costs.
    pub(crate) fn cost(self) -> f64 {
        self.refill.as_seconds_f64()
    }

    /// Time that may already be spent when one more event comes.
    pub(crate) fn headroom(self) -> Duration {
        self.refill * (self.burst - 1)
    }

    pub(crate) fn quota(self, now: OffsetDateTime) -> Quota {
        Quota { cost: self.cost(), spent_before: now + self.headroom() }
    }
}

/// How a right code came to the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CodeSource {
    /// Typed in. It was counted as a guess.
    Typed,
    /// By the application of the client, in another way.
    Exchanged,
    /// By the link of a mail. Programs that scan mails follow links, too.
    Followed,
}

/// Counts a guess at the code of an address, whatever happens to the request. Returns the code that
/// the guess names, with its account, or none if the client has no guess left. The caller must hold
/// no transaction.
pub(crate) async fn guess(
    service: &ServiceContext,
    context: &RequestContext,
    guessed: &Guessed<'_>,
) -> Result<Option<(Pending, AccountVersion)>, RunError> {
    let address = address_key(service, guessed.sent_to);
    let client = client_key(service, context, &address);
    let guesses = guesses(service, context.now);
    let guess = pipelines::guess((&address, &client), &guesses, guessed, context.now);
    let (database, network) = (service.database.clone(), context.client_key());
    count_to_the_end(async move {
        let counted = guess.counted(&database).await?;
        if let Some(user) = counted.ended {
            log_last_attempt(user, &network);
        }
        Ok(counted.found)
    })
    .await
}

/// Counts to the end, even if the client hangs up.
async fn count_to_the_end<T: Send + 'static>(
    counting: impl Future<Output = Result<T, RunError>> + Send + 'static,
) -> Result<T, RunError> {
    let counted = tokio::spawn(counting.in_current_span()).await;
    counted.unwrap_or_else(|_| Err(RunError::Protocol("a guess could not be counted".into())))
}

/// Logs that a wrong guess was the last one of its network for a code. Nobody else says so, and
/// that network is now refused even with the right digits.
fn log_last_attempt(user: Uuid, network: &str) {
    tracing::info!(
        user.id = %user,
        client.address = network,
        "{PER_CODE} wrong guesses ended a code for the network that they came from; its link works on, and so does the next code"
    );
}

/// A right code of a client, to be stored.
pub(crate) struct CorrectCode {
    address: [u8; 32],
    client: [u8; 32],
    /// What the code had cost.
    code: f64,
    guess: Option<Guesses>,
    browser: Option<[u8; 32]>,
}

impl CorrectCode {
    /// A code that cost `code` seconds of the client's quota, and how it came.
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

    /// Address and client, and what is stored of them.
    pub(crate) fn entry(&self, now: OffsetDateTime) -> (&[u8], &[u8], Entry<'_>) {
        let entry = Entry {
            code: self.code,
            guess: self.guess.as_ref(),
            known: self.browser.as_ref().map(|browser| (browser.as_slice(), now + KNOWN)),
        };
        (&self.address, &self.client, entry)
    }

    /// Sets the device cookie, once the code is stored.
    pub(crate) fn set_device_cookie(&self, service: &ServiceContext, context: &RequestContext) {
        if let Some(browser) = self.browser {
            let subject = CookieSubject::Browser(browser);
            let cookie = NewCookie { address: &self.address, subject, life: KNOWN };
            context.device_cookies.set(cookie_key(service), cookie, context.now);
        }
    }
}

/// Gives back what a right code had cost. From now on its network and browser are known.
pub(crate) async fn entered(tx: &mut Tx<'_>, entered: &CorrectCode) -> Result<(), sqlx::Error> {
    let (address, client, entry) = entered.entry(tx.context.now);
    code_clients::entered(tx.db, (address, client), &entry, tx.context.now).await?;
    entered.set_device_cookie(tx.service, tx.context);
    Ok(())
}

/// The key of an address in the tables of codes.
pub(crate) fn address_key(service: &ServiceContext, address: &str) -> [u8; 32] {
    service.keyed_hash("auth tries address", &[address.as_bytes()])
}

/// The key of a client that types a code: what its cookie names, else its network.
pub(crate) fn client_key(service: &ServiceContext, context: &RequestContext, address: &[u8; 32]) -> [u8; 32] {
    let subject = context.device_cookies.at(cookie_key(service), address, context.now);
    subject.map_or_else(|| network_key(service, context), CookieSubject::key)
}

/// The key of a client that asks for a code: its browser if that is known, else its network. A
/// cookie that names another network counts for typing alone.
pub(crate) fn requester_key(
    service: &ServiceContext,
    context: &RequestContext,
    address: &[u8; 32],
) -> [u8; 32] {
    match context.device_cookies.at(cookie_key(service), address, context.now) {
        Some(browser @ CookieSubject::Browser(_)) => browser.key(),
        Some(CookieSubject::Network(_)) | None => network_key(service, context),
    }
}

/// Sets the cookie of a client that asked for a code. It counts as the same client wherever it
/// types the code.
pub(crate) fn code_requested(service: &ServiceContext, context: &RequestContext, address: &[u8; 32]) {
    let subject = context.device_cookies.at(cookie_key(service), address, context.now);
    if !matches!(subject, Some(CookieSubject::Browser(_))) {
        let subject = CookieSubject::Network(network_key(service, context));
        let cookie = NewCookie { address, subject, life: code_lifetime(service) };
        context.device_cookies.set(cookie_key(service), cookie, context.now);
    }
}

/// The key of a browser that sent a right code.
fn browser_key(service: &ServiceContext, context: &RequestContext, address: &[u8; 32]) -> [u8; 32] {
    match context.device_cookies.at(cookie_key(service), address, context.now) {
        Some(CookieSubject::Browser(key)) => key,
        Some(CookieSubject::Network(_)) | None => service.random(),
    }
}

fn cookie_key(service: &ServiceContext) -> CookieKey<'_> {
    CookieKey { key: &service.hash_key, is_behind_tls: service.is_behind_tls() }
}

/// The key of a client without a cookie: its address, or the network that one customer usually has.
fn network_key(service: &ServiceContext, context: &RequestContext) -> [u8; 32] {
    let client = context.client_key();
    let client = rate_limit::network_of(&client).unwrap_or(client);
    service.keyed_hash("auth tries client", &[client.as_bytes()])
}

fn guesses(service: &ServiceContext, now: OffsetDateTime) -> Guesses {
    Guesses {
        per_code: PER_CODE,
        per_client: PER_CLIENT.quota(now),
        of_strangers: STRANGERS.quota(now),
        of_requesters: REQUESTERS.quota(now),
        requested_since: now - code_lifetime(service),
    }
}

/// How long a code may be entered.
fn code_lifetime(service: &ServiceContext) -> Duration {
    let longest = service.settings.otp.expiry.max(service.settings.sms.otp_expiry);
    Duration::try_from(longest).unwrap_or(Duration::HOUR)
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: M9 C3
    #[test]
    fn a_year_of_guesses_finds_one_code_in_hundreds() {
        let of_year = |bucket: Bucket| {
            f64::from(bucket.burst) + Duration::days(365).as_seconds_f64() / bucket.refill.as_seconds_f64()
        };
        let combinations = 1e6;
        assert!(of_year(PER_CLIENT) / combinations < 1.0 / 1300.0, "one network");
        assert!(
            (of_year(STRANGERS) + of_year(REQUESTERS)) / combinations < 1.0 / 285.0,
            "all that are not known"
        );
    }

    // rows: M9
    #[test]
    fn to_close_an_address_for_new_networks_takes_ten_at_once_and_five_that_go_on() {
        assert_eq!(REQUESTERS.burst / PER_CLIENT.burst, 10);
        assert!(PER_CLIENT.refill >= REQUESTERS.refill * 4);
    }
}
