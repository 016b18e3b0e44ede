//! Log lines in the Apache combined form (rest/CONTRACT.md Z07).

use std::sync::Arc;

use arc_swap::ArcSwap;
use banyan_config::postgrest::{DataApi, LogLevel};
use banyan_identity::Clock;
use banyan_web::Body;
use http::{HeaderValue, Response, StatusCode, header::CONTENT_LENGTH};
use http_body::Body as _;
use time::{OffsetDateTime, format_description::BorrowedFormatItem, macros::format_description};

use super::{Output, metrics::Metrics};
use crate::observer::{Answered, CallerRole, Observer, RequestHead};

const TIME: &[BorrowedFormatItem<'_>] =
    format_description!("[day]/[month repr:short]/[year]:[hour]:[minute]:[second] +0000");

/// Counts requests, and logs those that the options ask for.
pub(super) struct AccessLog {
    pub(super) options: Arc<ArcSwap<DataApi>>,
    pub(super) output: Output,
    pub(super) clock: Clock,
    pub(super) metrics: Arc<Metrics>,
}

impl Observer for AccessLog {
    fn observe(&self, answered: &Answered, response: &Response<Body>) {
        let Answered { head, role, is_preflight, .. } = answered;
        self.metrics.observe(response);
        // A preflight is not logged (rest/CONTRACT.md Y05).
        if *is_preflight || !is_logged(self.options.load().log_level, response.status()) {
            return;
        }
        (self.output.access)(&line(head, role, response, self.clock.now()));
        if let Some(sent) = response.extensions().get::<banyan_rest::Sent>() {
            (self.output.queries)(&query(&sent.0, self.clock.now()));
        }
    }
}

/// Whether a request with this answer is logged at this level.
fn is_logged(level: LogLevel, status: StatusCode) -> bool {
    match level {
        LogLevel::Critical => false,
        LogLevel::Error => status.is_server_error(),
        LogLevel::Warning => status.is_server_error() || status.is_client_error(),
        LogLevel::Info | LogLevel::Debug => true,
    }
}

/// The line of a request, with its end.
fn line(head: &RequestHead, role: &CallerRole, response: &Response<Body>, now: OffsetDateTime) -> String {
    let RequestHead { peer, method, uri, version, referer, user_agent } = head;
    let role = match role {
        CallerRole::Known(role) => quotable(role),
        CallerRole::NotAsked | CallerRole::Refused => "-".to_owned(),
    };
    let request = quotable(&format!("{method} {uri} {version:?}"));
    let (time, status, size) = (at(now), response.status().as_u16(), size(response));
    let (referer, agent) = (text(referer.as_ref()), text(user_agent.as_ref()));
    format!("{peer} - {role} [{time}] \"{request}\" {status} {size} \"{referer}\" \"{agent}\"\n")
}

/// The SQL of a request in one line.
fn query(sql: &str, now: OffsetDateTime) -> String {
    format!("{}: {}", at(now), sql.lines().map(str::trim).collect::<Vec<_>>().join(" "))
}

fn at(now: OffsetDateTime) -> String {
    now.to_offset(time::UtcOffset::UTC).format(TIME).expect("every time has these parts")
}

fn text(header: Option<&HeaderValue>) -> String {
    quotable(&header.map(|value| String::from_utf8_lossy(value.as_bytes())).unwrap_or_default())
}

/// Nothing that a client sends ends a line or a quoted part of it.
fn quotable(text: &str) -> String {
    text.chars().map(|sign| if sign == '"' || sign.is_control() { '_' } else { sign }).collect()
}

fn size(response: &Response<Body>) -> String {
    let declared = response.headers().get(CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    match (declared, response.body().size_hint().exact()) {
        (Some(declared), _) => declared.to_owned(),
        (None, Some(size)) if size > 0 => size.to_string(),
        (None, _) => "-".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use banyan_identity::Peer;
    use banyan_web::full;
    use http::Request;
    use time::macros::datetime;

    use super::*;

    // rows: rest/Z07
    #[test]
    fn a_line_has_the_apache_combined_form_with_role_and_size() {
        let request = Request::get("/items?id=eq.1")
            .header("user-agent", "a \"b\"")
            .header("referer", "http://r/")
            .body(())
            .expect("a request");
        let head = RequestHead::of(&request, Peer::Tcp("127.0.0.1:5".parse().expect("an address")));
        let mut response = Response::new(full("12345"));
        *response.status_mut() = StatusCode::NOT_FOUND;
        let (now, role) = (datetime!(2026-11-05 07:08:09 UTC), CallerRole::Known("web_anon".to_owned()));
        assert_eq!(
            line(&head, &role, &response, now),
            "127.0.0.1 - web_anon [05/Nov/2026:07:08:09 +0000] \"GET /items?id=eq.1 HTTP/1.1\" 404 5 \"http://r/\" \"a _b_\"\n"
        );
        for unknown in [CallerRole::Refused, CallerRole::NotAsked] {
            assert!(line(&head, &unknown, &Response::new(full("")), now).contains(" - - ["));
        }
    }

    // rows: rest/Z07
    #[test]
    fn the_level_chooses_by_status() {
        use LogLevel::{Critical, Debug, Error, Info, Warning};
        for (level, statuses) in [
            (Critical, [false, false, false]),
            (Error, [false, false, true]),
            (Warning, [false, true, true]),
            (Info, [true, true, true]),
            (Debug, [true, true, true]),
        ] {
            let logged =
                [200, 404, 503].map(|status| is_logged(level, StatusCode::from_u16(status).expect("one")));
            assert_eq!(logged, statuses, "{level:?}");
        }
    }
}
