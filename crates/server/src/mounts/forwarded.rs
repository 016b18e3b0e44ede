//! The headers that tell a function where its request came from.

use banyan_identity::Peer;
use banyan_web::Body;
use http::{HeaderName, HeaderValue, Request, header::HOST};

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
const FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");
const FORWARDED_PORT: HeaderName = HeaderName::from_static("x-forwarded-port");

/// Tells a function where its request came from (edge/CONTRACT.md T01). What a proxy before this
/// listener has said stays; the address that connected is added. A call that never left the process
/// has none: what it says of its own client is all that is known.
pub(super) fn forwarded(mut request: Request<Body>) -> Request<Body> {
    let peer = request.extensions().get::<Peer>().and_then(Peer::address);
    let headers = request.headers_mut();
    if let Some(peer) = peer {
        let peer = peer.to_canonical().to_string();
        // A proxy may add a line of its own; each counts, in their order.
        let before = headers.get_all(&FORWARDED_FOR).iter().filter_map(|value| value.to_str().ok());
        let before = before.filter(|line| !line.trim().is_empty());
        let all = before.chain([peer.as_str()]).collect::<Vec<_>>().join(", ");
        headers.insert(FORWARDED_FOR, HeaderValue::try_from(all).expect("addresses are header values"));
    }
    let host = headers.get(HOST).cloned().unwrap_or(HeaderValue::from_static("localhost"));
    let port = host.to_str().ok().and_then(|host| host.rsplit_once(':')?.1.parse::<u16>().ok());
    let https = headers.get(&FORWARDED_PROTO).is_some_and(|proto| proto == "https");
    let port = port.unwrap_or(if https { 443 } else { 80 });
    headers.entry(FORWARDED_PROTO).or_insert(HeaderValue::from_static("http"));
    headers.entry(FORWARDED_HOST).or_insert(host);
    headers.entry(FORWARDED_PORT).or_insert(HeaderValue::from(port));
    request
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: edge/T01
    #[test]
    fn every_line_of_those_before_counts_and_who_connected_is_the_last() {
        let mut request = Request::new(banyan_web::full(""));
        for line in ["203.0.113.7", "", "198.51.100.2, 10.0.0.3"] {
            request.headers_mut().append(&FORWARDED_FOR, HeaderValue::from_static(line));
        }
        request.extensions_mut().insert(Peer::Tcp(([127, 0, 0, 1], 4000).into()));
        let forwarded = forwarded(request);
        let all: Vec<_> = forwarded.headers().get_all(&FORWARDED_FOR).iter().collect();
        assert_eq!(all, ["203.0.113.7, 198.51.100.2, 10.0.0.3, 127.0.0.1"]);
    }

    // rows: edge/T01
    #[test]
    fn a_function_that_calls_another_is_no_address() {
        let forwarded_for = |lines: &[&'static str]| {
            let mut request = Request::new(banyan_web::full(""));
            for line in lines {
                request.headers_mut().append(&FORWARDED_FOR, HeaderValue::from_static(line));
            }
            request.extensions_mut().insert(Peer::Function("lesson".into()));
            let request = forwarded(request);
            request.headers().get(&FORWARDED_FOR).map(|value| value.to_str().unwrap().to_owned())
        };
        assert_eq!(forwarded_for(&["203.0.113.7"]).as_deref(), Some("203.0.113.7"));
        assert_eq!(forwarded_for(&[]), None);
    }
}
