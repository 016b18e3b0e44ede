//! Which address a request comes from (CONTRACT.md Q1).

use std::net::IpAddr;

use banyan_config::ClientAddress;
use http::HeaderMap;

/// Suffix of the key of an IPv6 client: the network in which a host chooses its addresses.
pub(crate) const NETWORK: &str = "::/64";

/// The client's address: what a trusted proxy says in the configured header, else the peer's.
pub(crate) fn find(settings: &ClientAddress, headers: &HeaderMap, peer: Option<IpAddr>) -> Option<IpAddr> {
    let peer = peer?;
    let Some(name) = &settings.header else { return Some(peer) };
    if !settings.trusted_proxies.iter().any(|network| network.contains(peer)) {
        return Some(peer);
    }
    let said = headers.get_all(name.as_str()).into_iter().filter_map(|value| value.to_str().ok());
    let said: Vec<&str> = said.flat_map(|value| value.split(',')).collect();
    // Each proxy appends the address of its client. What precedes the last untrusted address may be
    // written by the client itself.
    let mut client = peer;
    for text in said.into_iter().rev() {
        let Some(address) = parse(text) else { break };
        client = address;
        if !settings.trusted_proxies.iter().any(|network| network.contains(address)) {
            break;
        }
    }
    Some(client)
}

/// The user for whom a server asks, as the server says. It counts only with the service key.
pub(crate) fn of_user(headers: &HeaderMap) -> Option<IpAddr> {
    parse(headers.get("sb-forwarded-for")?.to_str().ok()?.split(',').next()?)
}

/// The key of a client in limits: its address, or its network if one host owns many addresses. All
/// clients of a function are one, unless it names them by `Sb-Forwarded-For`.
pub(crate) fn key(client: Option<IpAddr>, function: Option<&str>) -> String {
    match client {
        None => function.map_or_else(|| "unknown".to_owned(), |name| format!("function {name}")),
        Some(IpAddr::V4(address)) => address.to_string(),
        Some(IpAddr::V6(address)) => match address.to_ipv4_mapped() {
            Some(mapped) => mapped.to_string(),
            None => {
                let [a, b, c, d, ..] = address.segments();
                format!("{a:x}:{b:x}:{c:x}:{d:x}{NETWORK}")
            }
        },
    }
}

/// An address, with or without a port.
fn parse(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let bare = text.strip_prefix('[').and_then(|text| text.split(']').next()).unwrap_or(text);
    bare.parse().ok().or_else(|| text.parse::<std::net::SocketAddr>().ok().map(|address| address.ip()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(proxies: &[&str]) -> ClientAddress {
        let parse = |text: &&str| banyan_config::Network::parse(text).unwrap();
        ClientAddress {
            header: Some("x-forwarded-for".into()),
            trusted_proxies: proxies.iter().map(parse).collect(),
        }
    }

    // rows: Q1
    #[test]
    fn only_a_trusted_proxy_says_where_a_client_is() {
        let mut headers = HeaderMap::new();
        headers.insert("x-forwarded-for", "203.0.113.9, 10.0.0.1".parse().unwrap());
        let peer = Some("10.0.0.1".parse().unwrap());
        assert_eq!(find(&settings(&["10.0.0.0/8"]), &headers, peer), "203.0.113.9".parse().ok());
        assert_eq!(find(&settings(&["127.0.0.1"]), &headers, peer), peer, "anybody can write a header");
        assert_eq!(find(&ClientAddress::default(), &headers, peer), peer);
        headers.insert("x-forwarded-for", "nonsense".parse().unwrap());
        assert_eq!(find(&settings(&["10.0.0.0/8"]), &headers, peer), peer);
        headers.insert("x-forwarded-for", "203.0.113.9, nonsense".parse().unwrap());
        assert_eq!(find(&settings(&["10.0.0.0/8"]), &headers, peer), peer);
    }

    // rows: Q1
    #[test]
    fn what_a_client_writes_before_its_proxys_word_counts_for_nothing() {
        let mut headers = HeaderMap::new();
        let peer = Some("10.0.0.1".parse().unwrap());
        headers.insert("x-forwarded-for", "198.51.100.1, 203.0.113.9, 10.0.0.2".parse().unwrap());
        assert_eq!(find(&settings(&["10.0.0.0/8"]), &headers, peer), "203.0.113.9".parse().ok());
        headers.insert("x-forwarded-for", "198.51.100.1".parse().unwrap());
        headers.append("x-forwarded-for", "203.0.113.9".parse().unwrap());
        assert_eq!(
            find(&settings(&["10.0.0.0/8"]), &headers, peer),
            "203.0.113.9".parse().ok(),
            "two headers are one"
        );
        headers.insert("x-forwarded-for", "10.0.0.3, 10.0.0.2".parse().unwrap());
        assert_eq!(
            find(&settings(&["10.0.0.0/8"]), &headers, peer),
            "10.0.0.3".parse().ok(),
            "a client of the inner net"
        );
    }

    // rows: Q1
    #[test]
    fn addresses_come_with_and_without_ports() {
        for (text, ip) in
            [("1.2.3.4:99", "1.2.3.4"), ("[::2]:80", "::2"), ("::2", "::2"), ("1.2.3.4", "1.2.3.4")]
        {
            assert_eq!(parse(text), ip.parse().ok(), "{text}");
        }
    }
}
