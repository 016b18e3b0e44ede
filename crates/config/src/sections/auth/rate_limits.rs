//! How often a client may ask.

use std::net::IpAddr;

use super::Words;
use crate::{
    ConfigError,
    env_reference::variable,
    raw::{RawBanyanAuth, RawRateLimit},
    sections::reachability::Reachability,
};

/// `[auth.rate_limit]` (auth/CONTRACT.md Q3 to Q7).
#[derive(Debug, Clone, Copy)]
pub struct RateLimits {
    /// Mails an hour, for the whole project.
    pub email_sent: u32,
    /// Text messages an hour, for the whole project.
    pub sms_sent: u32,
    /// Anonymous accounts an hour for each address.
    pub anonymous_users: u32,
    /// Refreshes in five minutes for each address.
    pub token_refresh: u32,
    /// Sign-ins and sign-ups in five minutes for each address.
    pub sign_in_sign_ups: u32,
    /// Code checks in five minutes for each address.
    pub token_verifications: u32,
}

/// How the client's address is known (auth/CONTRACT.md Q1).
#[derive(Debug, Clone, Default)]
pub struct ClientAddress {
    /// Header that names the clients of proxies, the nearest last; none means the peer's address
    /// counts.
    pub header: Option<String>,
    /// Peers whose header counts.
    pub trusted_proxies: Vec<Network>,
}

/// In place of a header: nothing stands before the listener, or all its clients may be counted as
/// one.
const NO_HEADER: &str = "none";

/// A range of addresses, such as `10.0.0.0/8`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    address: u128,
    prefix: u32,
}

impl RateLimits {
    pub(super) fn check(raw: &RawRateLimit, has_mail_server: bool) -> Self {
        Self {
            // The reference's 2 an hour protects its shared mail server; the local inbox needs
            // none.
            email_sent: if has_mail_server { raw.email_sent.unwrap_or(2) } else { 360_000 },
            sms_sent: raw.sms_sent,
            anonymous_users: raw.anonymous_users,
            token_refresh: raw.token_refresh,
            sign_in_sign_ups: raw.sign_in_sign_ups,
            token_verifications: raw.token_verifications,
        }
    }
}

impl ClientAddress {
    pub(super) fn check(
        ours: &RawBanyanAuth,
        words: &Words<'_>,
        reachability: &Reachability,
    ) -> Result<Self, ConfigError> {
        let said = words.text("RATE_LIMIT_HEADER").unwrap_or(&ours.client_address_header);
        // A variable that is not set says nothing, and nobody sends a header of that name.
        let said = if variable(said).is_none() { said } else { "" };
        let trusted_proxies = ours
            .trusted_proxies
            .iter()
            .map(|text| {
                Network::parse(text).ok_or_else(|| {
                    ConfigError::value(
                        "auth.trusted_proxies",
                        format!("`{text}` is no range such as 10.0.0.0/8"),
                    )
                })
            })
            .collect::<Result<_, _>>()?;
        match reachability.proxied().filter(|_| said.is_empty()) {
            Some(public) => Err(must_be_said(public, reachability.host)),
            None => {
                let header = Some(said.to_owned()).filter(|said| !said.is_empty() && said != NO_HEADER);
                Ok(Self { header, trusted_proxies })
            }
        }
    }
}

/// Nobody guesses where a public server must stand before the listener: by the peer's address all
/// clients would be one, and what one of them uses up, or spoils, would be so for everybody.
fn must_be_said(public: &str, host: IpAddr) -> ConfigError {
    ConfigError::value(
        "auth.client_address_header",
        format!(
            "must be set in banyan.toml: others reach this stack by {public}, while it listens on {host} alone, so each request seems to come from the proxy before it, and limits would count all clients as one. Name the header in which that proxy says who asks, such as \"X-Forwarded-For\"; \"{NO_HEADER}\" means that there is none"
        ),
    )
}

impl Network {
    /// Reads `address/bits`, or one address.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits.parse::<u32>().ok()?)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().ok()?;
        let (shift, most) = if address.is_ipv4() { (96, 32) } else { (0, 128) };
        let bits = bits.unwrap_or(most);
        (bits <= most).then(|| Self { address: number(address), prefix: shift + bits })
    }

    /// Whether the address lies in the range; an IPv4 address written as IPv6 counts as what it is.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        let mask = u128::MAX.checked_shl(128 - self.prefix).unwrap_or(0);
        number(address) & mask == self.address & mask
    }
}

fn number(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
        IpAddr::V6(address) => address.to_bits(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: auth/Q1
    #[test]
    fn a_range_holds_its_addresses_and_no_others() {
        let ten = Network::parse("10.0.0.0/8").expect("a range");
        for (address, inside) in
            [("10.255.0.1", true), ("11.0.0.1", false), ("::ffff:10.1.1.1", true), ("::1", false)]
        {
            assert_eq!(ten.contains(address.parse().expect("an address")), inside, "{address}");
        }
        assert!(Network::parse("::/0").expect("all").contains("1.2.3.4".parse().expect("an address")));
        assert!(Network::parse("10.0.0.0/33").is_none() && Network::parse("here").is_none());
    }
}
