use http::{HeaderMap, Version, header::HOST, uri::Authority};

/// What is wrong with the header `Host` (RFC 9112 section 3.2). Two readers of such a request may
/// see two hosts in it.
#[must_use]
pub fn host_fault(version: Version, headers: &HeaderMap) -> Option<&'static str> {
    let mut hosts = headers.get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (None, _) if version == Version::HTTP_11 => Some("The request has no Host header."),
        (Some(_), Some(_)) => Some("The request has more than one Host header."),
        (Some(host), None) if !is_host(host.as_bytes()) => Some("The Host header is not a host and a port."),
        _ => None,
    }
}

/// Nothing, or a host and perhaps a port.
fn is_host(host: &[u8]) -> bool {
    if host.is_empty() {
        return true;
    }
    let Ok(authority) = Authority::try_from(host) else { return false };
    let rest = authority.as_str().strip_prefix(authority.host());
    match rest.map(|rest| rest.strip_prefix(':').unwrap_or(rest)) {
        Some("") => true,
        Some(port) => port.parse::<u16>().is_ok() && port.bytes().all(|byte| byte.is_ascii_digit()),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn is_faulty(version: Version, hosts: &[&'static str]) -> bool {
        let hosts = hosts.iter().map(|host| (HOST, HeaderValue::from_static(host)));
        host_fault(version, &hosts.collect()).is_some()
    }

    // rows: server/GW-HTTP local/LOC-INBOX-DOORS
    #[test]
    fn a_request_needs_one_host_header_with_a_host_and_perhaps_a_port() {
        assert!(is_faulty(Version::HTTP_11, &[]));
        assert!(!is_faulty(Version::HTTP_10, &[]));
        assert!(is_faulty(Version::HTTP_10, &["a", "a"]));
        for host in ["", "localhost", "127.0.0.1:54321", "[::1]:54321", "a.example:", "x_y.example"] {
            assert!(!is_faulty(Version::HTTP_11, &[host]), "{host}");
        }
        for host in ["a b", "a/b", "u@a.example", "a:b", "a:1:2", "a, b", "a:+1", "[::1", "a?b", "http://a"] {
            assert!(is_faulty(Version::HTTP_11, &[host]), "{host}");
        }
    }
}
