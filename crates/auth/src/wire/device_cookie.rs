//! The cookie by which a browser is recognised at an address (CONTRACT.md M9).
//!
//! Codes and guesses are counted by network ([`crate::domain::limits::otp_attempts`]). But people
//! change networks between asking and typing, and share them with others. So a request for a code
//! sets a cookie that names the network; the browser is counted there from any network. A right
//! code sets another cookie that names the browser alone, for [`KNOWN`]; guesses of neighbours do
//! not count against it. A cookie holds for one address. It is signed and tells its reader nothing.
//!
//! Browsers keep the cookie if application and service share an origin. All others are counted by
//! network.

use std::sync::{Arc, Mutex, PoisonError};

use hex::FromHex;
use http::{HeaderMap, HeaderValue, header};
use subtle::ConstantTimeEq;
use time::{Duration, OffsetDateTime};

use crate::model::keyed_hash::HashKey;

/// How long a browser or a network stays known after a right code.
pub(crate) const KNOWN: Duration = Duration::days(90);
/// Most cookies in one browser. They travel with every request, and proxies limit the size of
/// headers.
const MOST: usize = 8;
const NAME: &str = "sb-mark-";
/// With TLS, the prefix keeps neighbouring hosts from setting the cookie.
const HOST: &str = "__Host-";

/// The cookies of a request, and those that its answer sets.
#[derive(Debug, Clone, Default)]
pub(crate) struct DeviceCookies {
    sent: Arc<[(String, String)]>,
    set_cookies: Arc<Mutex<Vec<HeaderValue>>>,
}

/// The key that signs the cookies.
#[derive(Clone, Copy)]
pub(crate) struct CookieKey<'a> {
    pub(crate) key: &'a HashKey,
    /// Whether clients reach the service by TLS, so that its cookies need it.
    pub(crate) is_behind_tls: bool,
}

/// Whom a cookie names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CookieSubject {
    /// The network from which somebody asked for a code.
    Network([u8; 32]),
    /// A browser that sent a right code.
    Browser([u8; 32]),
}

impl CookieSubject {
    /// Its key in the tables of codes.
    pub(crate) fn key(self) -> [u8; 32] {
        match self {
            Self::Network(key) | Self::Browser(key) => key,
        }
    }

    fn kind(self) -> &'static str {
        match self {
            Self::Network(_) => "asker",
            Self::Browser(_) => "browser",
        }
    }
}

/// A cookie to set: the address that it is for, whom it names, and how long it lives.
pub(crate) struct NewCookie<'a> {
    pub(crate) address: &'a [u8; 32],
    pub(crate) subject: CookieSubject,
    pub(crate) life: Duration,
}

impl DeviceCookies {
    /// Reads them from the headers of a request.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|cookies| cookies.to_str().ok());
        let pairs =
            cookies.flat_map(|cookies| cookies.split(';')).filter_map(|one| one.trim().split_once('='));
        let sent = pairs
            .filter(|(name, _)| name.strip_prefix(HOST).unwrap_or(name).starts_with(NAME))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        Self { sent, set_cookies: Arc::default() }
    }

    /// Whom the valid cookie for an address names, if there is one.
    pub(crate) fn at(
        &self,
        cookie_key: CookieKey<'_>,
        address: &[u8; 32],
        now: OffsetDateTime,
    ) -> Option<CookieSubject> {
        let name = name(cookie_key, address);
        let (_, value) = self.sent.iter().find(|(sent, _)| *sent == name)?;
        read(cookie_key, address, value, now)
    }

    /// Sets the cookie for an address, in place of the one that the request sent.
    pub(crate) fn set(
        &self,
        cookie_key: CookieKey<'_>,
        NewCookie { address, subject, life }: NewCookie<'_>,
        now: OffsetDateTime,
    ) {
        let name = name(cookie_key, address);
        let cookie = |name: &str, value: &str, life: Duration| {
            let (life, secure) =
                (life.whole_seconds(), if cookie_key.is_behind_tls { "; Secure" } else { "" });
            let cookie = format!("{name}={value}; Path=/; Max-Age={life}; HttpOnly; SameSite=Lax{secure}");
            HeaderValue::try_from(cookie).ok()
        };
        let given = cookie(&name, &written(cookie_key, address, subject, now + life), life);
        let taken = self.beyond(&name).into_iter().map(|name| cookie(name, "", Duration::ZERO));
        let mut set_cookies = self.set_cookies.lock().unwrap_or_else(PoisonError::into_inner);
        set_cookies.extend(taken.chain([given]).flatten());
    }

    /// The cookies that must go before one more is set: those that expire first.
    fn beyond(&self, more: &str) -> Vec<&str> {
        let until =
            |value: &str| value.split('.').nth(2).and_then(|until| until.parse().ok()).unwrap_or(0_i64);
        let mut others: Vec<_> = self.sent.iter().filter(|(name, _)| name != more).collect();
        others.sort_by_key(|(_, value)| std::cmp::Reverse(until(value)));
        others.iter().skip(MOST - 1).map(|(name, _)| name.as_str()).collect()
    }

    /// Writes the cookies to an answer.
    pub(crate) fn write_to(&self, headers: &mut HeaderMap) {
        for cookie in self.set_cookies.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            headers.append(header::SET_COOKIE, cookie);
        }
    }
}

fn name(cookie_key: CookieKey<'_>, address: &[u8; 32]) -> String {
    let prefix = if cookie_key.is_behind_tls { HOST } else { "" };
    format!("{prefix}{NAME}{}", hex::encode(&address[..6]))
}

fn written(
    cookie_key: CookieKey<'_>,
    address: &[u8; 32],
    subject: CookieSubject,
    until: OffsetDateTime,
) -> String {
    let until = until.unix_timestamp();
    let signature = signature(cookie_key, address, subject, until);
    format!("{}.{}.{until}.{}", subject.kind(), hex::encode(subject.key()), hex::encode(signature))
}

fn read(
    cookie_key: CookieKey<'_>,
    address: &[u8; 32],
    value: &str,
    now: OffsetDateTime,
) -> Option<CookieSubject> {
    let [kind, key, until, given]: [&str; 4] = value.split('.').collect::<Vec<_>>().try_into().ok()?;
    let key = <[u8; 32]>::from_hex(key).ok()?;
    let subject = match kind {
        "asker" => CookieSubject::Network(key),
        "browser" => CookieSubject::Browser(key),
        _ => return None,
    };
    let until: i64 = until.parse().ok()?;
    let right = signature(cookie_key, address, subject, until).ct_eq(&<[u8; 32]>::from_hex(given).ok()?);
    (bool::from(right) && now.unix_timestamp() < until).then_some(subject)
}

fn signature(cookie_key: CookieKey<'_>, address: &[u8; 32], subject: CookieSubject, until: i64) -> [u8; 32] {
    let (kind, key) = (subject.kind().as_bytes(), subject.key());
    cookie_key.key.hash("auth mark", &[address, kind, &key, &until.to_be_bytes()])
}
