//! Requests whose `Host` is a name of this machine, such as localhost.

use banyan_config::is_of_this_machine;
use http::{HeaderMap, HeaderName, header::HOST};

const FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");

/// Whether every host that a request names is of this machine. A page that rebinds its own name to
/// loopback must not read what is here, and a proxy must not show it under a public name.
pub(crate) fn is_asked_for(headers: &HeaderMap) -> bool {
    let named = [HOST, FORWARDED_HOST].into_iter().flat_map(|name| headers.get_all(name));
    named.into_iter().all(|host| {
        let hosts = host.to_str().unwrap_or("?").split(',');
        hosts.into_iter().all(|host| is_usual(host) || is_of_this_machine(&format!("http://{}", host.trim())))
    })
}

/// What nearly all requests say; found without parsing an address.
fn is_usual(host: &str) -> bool {
    let name = host.rsplit_once(':').filter(|(_, port)| port.parse::<u16>().is_ok()).map(|(name, _)| name);
    ["localhost", "127.0.0.1"].contains(&name.unwrap_or(host))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    // rows: GW-ADMIN
    #[test]
    fn only_names_of_this_machine_are_its_own() {
        for (host, is_own) in [
            ("127.0.0.1:54328", true),
            ("localhost", true),
            ("localhost:54328", true),
            ("localhost:54328:80", false),
            ("localhost:x", false),
            ("evil.example:localhost", false),
            ("app.localhost:5173", true),
            ("[::1]:54328", true),
            ("evil.example", false),
            ("127.0.0.1.evil.example:80", false),
            ("localhost@evil.example", false),
            ("192.168.1.7:54321", false),
            ("", false),
            ("localhost, evil.example", false),
        ] {
            for name in [HOST, FORWARDED_HOST] {
                let headers = [(name.clone(), HeaderValue::from_static(host))].into_iter().collect();
                assert_eq!(is_asked_for(&headers), is_own, "{name}: {host}");
            }
        }
        assert!(is_asked_for(&HeaderMap::new()));
    }
}
