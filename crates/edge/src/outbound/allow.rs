//! Which hosts a function may call (CONTRACT.md H02, H04).

use std::{fmt, net::IpAddr};

use banyan_config::OutboundHost;
use http::Uri;

/// Scheme, host and port of a call. The host is lower-case, without brackets around an IPv6 address
/// and without a final dot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    scheme: &'static str,
    host: String,
    port: u16,
}

/// Where a call may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// To the stack itself, in process.
    Own,
    /// To the public addresses of a listed name.
    ByName,
    /// To an address that is listed literally, private or not. `localhost` counts as one.
    ByAddress,
    /// Nowhere.
    Denied,
}

/// Written as in a list of hosts.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scheme, host, port } = self;
        match host.contains(':') {
            true => write!(f, "{scheme}://[{host}]:{port}"),
            false => write!(f, "{scheme}://{host}:{port}"),
        }
    }
}

impl Target {
    /// Reads an absolute `http` or `https` URI. Returns nothing for any other URI, or for one with
    /// user information.
    pub(crate) fn of(uri: &Uri) -> Option<Self> {
        let (scheme, default_port) = match uri.scheme_str()? {
            "http" => ("http", 80),
            "https" => ("https", 443),
            _ => return None,
        };
        let authority = uri.authority().filter(|authority| !authority.as_str().contains('@'))?;
        let host = authority.host().trim_start_matches('[').trim_end_matches(']');
        let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
        let port = authority.port_u16().unwrap_or(default_port);
        (!host.is_empty()).then_some(Self { scheme, host, port })
    }

    fn is_literal(&self) -> bool {
        self.host == "localhost" || self.host.parse::<IpAddr>().is_ok()
    }
}

/// Decides about a call by the function's list. A host that is not listed is denied.
pub(super) fn judge(target: &Target, own: &Target, listed: &[OutboundHost]) -> Verdict {
    if target == own {
        return Verdict::Own;
    }
    match listed.iter().any(|host| fits(target, host)) {
        false => Verdict::Denied,
        true if target.is_literal() => Verdict::ByAddress,
        true => Verdict::ByName,
    }
}

fn fits(target: &Target, listed: &OutboundHost) -> bool {
    let scheme = listed.scheme.as_deref().unwrap_or("https");
    let default_port = if scheme == "http" { 80 } else { 443 };
    // A port of a mail server is the default of neither scheme, so it has to be listed (H04).
    target.scheme == scheme
        && target.port == listed.port.unwrap_or(default_port)
        && host_fits(&target.host, listed.host.trim_start_matches('[').trim_end_matches(']'))
}

/// `*.example.com` matches any subdomain, but neither `example.com` itself nor an address.
fn host_fits(host: &str, listed: &str) -> bool {
    match listed.strip_prefix("*.") {
        None => host == listed,
        Some(domain) => host
            .strip_suffix(domain)
            .is_some_and(|rest| rest.len() > 1 && rest.ends_with('.') && host.parse::<IpAddr>().is_err()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(uri: &str) -> Target {
        Target::of(&uri.parse().unwrap()).unwrap()
    }

    fn listed(scheme: Option<&str>, host: &str, port: Option<u16>) -> OutboundHost {
        OutboundHost { scheme: scheme.map(str::to_owned), host: host.to_owned(), port }
    }

    fn verdict(uri: &str) -> Verdict {
        let hosts = [
            listed(Some("https"), "api.example.com", None),
            listed(None, "*.wild.example", None),
            listed(Some("http"), "127.0.0.1", Some(9999)),
            listed(Some("http"), "[::1]", Some(9999)),
            listed(Some("https"), "mail.example.com", Some(465)),
            listed(Some("http"), "plain.example.com", None),
        ];
        judge(&target(uri), &target("http://127.0.0.1:54321"), &hosts)
    }

    // rows: H02
    #[test]
    fn only_listed_hosts_may_be_called() {
        for (uri, expected) in [
            ("https://api.example.com/v1", Verdict::ByName),
            ("https://API.example.com:443/", Verdict::ByName),
            ("https://api.example.com./", Verdict::ByName),
            ("http://api.example.com/", Verdict::Denied),
            ("https://api.example.com:8443/", Verdict::Denied),
            ("https://api.example.com.evil.org/", Verdict::Denied),
            ("https://evilapi.example.com/", Verdict::Denied),
            ("https://a.b.wild.example/", Verdict::ByName),
            ("https://wild.example/", Verdict::Denied),
            ("https://evilwild.example/", Verdict::Denied),
            ("http://plain.example.com/", Verdict::ByName),
        ] {
            assert_eq!(verdict(uri), expected, "{uri}");
        }
    }

    // rows: H05
    #[test]
    fn the_own_origin_is_own_and_no_other_loopback_port_is() {
        assert_eq!(verdict("http://127.0.0.1:54321/rest/v1/x"), Verdict::Own);
        assert_eq!(verdict("https://127.0.0.1:54321/"), Verdict::Denied);
        assert_eq!(verdict("http://127.0.0.1:5432/"), Verdict::Denied);
        assert_eq!(verdict("http://localhost:54321/"), Verdict::Denied);
    }

    // rows: H04
    #[test]
    fn addresses_count_only_when_listed_literally_and_mail_ports_only_when_named() {
        assert_eq!(verdict("http://127.0.0.1:9999/"), Verdict::ByAddress);
        assert_eq!(verdict("http://[::1]:9999/"), Verdict::ByAddress);
        assert_eq!(verdict("https://mail.example.com:465/"), Verdict::ByName);
        assert_eq!(verdict("https://mail.example.com:587/"), Verdict::Denied);
    }

    // rows: H04
    #[test]
    fn user_information_is_no_way_to_hide_a_host() {
        assert_eq!(Target::of(&"https://api.example.com@evil.org/".parse().unwrap()), None);
    }
}
