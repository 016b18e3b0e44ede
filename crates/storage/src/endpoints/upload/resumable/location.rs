//! Where an upload can be reached (CONTRACT.md T03, C11).

use http::{HeaderMap, header::HOST};
use url::{Host, Url};

use crate::{context::Exchange, wire::tus::header_text};

/// The URL of the upload that a `POST` to this URL began.
pub(super) fn location(exchange: &Exchange, id: &str) -> String {
    let headers = &exchange.parts.headers;
    let origin = origin(&exchange.service.external_url, headers);
    let prefix = first(headers, "x-forwarded-prefix").filter(|prefix| is_path(prefix)).unwrap_or_default();
    let path = exchange.context.original_path.trim_end_matches('/');
    format!("{origin}{}{path}/{id}", prefix.trim_end_matches('/'))
}

/// The origin that clients see. It is `api.external_url`, if that is an address for others. On a
/// machine of a developer, or behind a proxy of which nobody told the stack, it is the address that
/// the client asked for.
fn origin(external_url: &str, headers: &HeaderMap) -> String {
    let configured = Url::parse(external_url).ok();
    if configured.as_ref().is_some_and(|url| !is_of_this_machine(url)) {
        return external_url.to_owned();
    }
    let Some(host) = host(headers) else { return external_url.to_owned() };
    let forwarded = first(headers, "x-forwarded-proto").filter(|proto| matches!(*proto, "http" | "https"));
    let proto = forwarded.or(configured.as_ref().map(Url::scheme)).unwrap_or("http");
    format!("{proto}://{host}")
}

/// The host that the client asked for, with its port.
fn host(headers: &HeaderMap) -> Option<String> {
    let Some(host) = first(headers, "x-forwarded-host").filter(|host| is_host(host)) else {
        return header_text(headers, HOST.as_str()).filter(|host| is_host(host)).map(str::to_owned);
    };
    let port = first(headers, "x-forwarded-port").filter(|port| port.parse::<u16>().is_ok());
    match port {
        Some(port) if port != "80" && port != "443" => {
            let is_port = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
            let name = host.rsplit_once(':').filter(|(_, port)| is_port(port)).map_or(host, |(name, _)| name);
            Some(format!("{name}:{port}"))
        }
        _ => Some(host.to_owned()),
    }
}

/// What the proxy nearest to the client wrote into a header.
fn first<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    header_text(headers, name)?.split(',').next().map(str::trim)
}

fn is_host(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte))
}

fn is_path(text: &str) -> bool {
    text.starts_with('/')
        && !text.starts_with("//")
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/.-_~%".contains(&byte))
}

fn is_of_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback() || address.is_unspecified(),
        Some(Host::Ipv6(address)) => address.is_loopback() || address.is_unspecified(),
        Some(Host::Domain(name)) => name == "localhost",
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};

    use super::*;

    const LOCAL: &str = "http://127.0.0.1:54321";

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pairs = pairs.iter();
        pairs.map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value))).collect()
    }

    // rows: T03 C11
    #[test]
    fn an_address_for_others_is_the_configured_one() {
        let sent = headers(&[("host", "10.0.0.7:54321"), ("x-forwarded-host", "evil.example")]);
        assert_eq!(origin("https://api.school.example", &sent), "https://api.school.example");
    }

    // rows: T03 C11
    #[test]
    fn else_it_is_the_address_that_was_asked_for() {
        for (sent, seen) in [
            (&[][..], LOCAL),
            (&[("host", "localhost:4000")], "http://localhost:4000"),
            (&[("host", "a b")], LOCAL),
            (&[("host", "h:1"), ("x-forwarded-host", "school.example")], "http://school.example"),
            (&[("x-forwarded-host", "s.example"), ("x-forwarded-proto", "https")], "https://s.example"),
            (&[("x-forwarded-host", "s.example"), ("x-forwarded-proto", "ftp")], "http://s.example"),
            (&[("x-forwarded-host", "s.example"), ("x-forwarded-port", "8443")], "http://s.example:8443"),
            (&[("x-forwarded-host", "s.example:1"), ("x-forwarded-port", "8443")], "http://s.example:8443"),
            (&[("x-forwarded-host", "[::1]"), ("x-forwarded-port", "8443")], "http://[::1]:8443"),
            (&[("x-forwarded-host", "s.example"), ("x-forwarded-port", "443")], "http://s.example"),
            (&[("x-forwarded-host", "s.example, proxy"), ("host", "h")], "http://s.example"),
        ] {
            assert_eq!(origin(LOCAL, &headers(sent)), seen, "{sent:?}");
        }
    }
}
