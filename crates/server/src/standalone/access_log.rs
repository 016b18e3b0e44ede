//! Log lines in the Apache combined form (rest/CONTRACT.md Z07).

use banyan_config::postgrest::LogLevel;
use banyan_identity::Peer;
use http::{
    HeaderMap, HeaderName, Request, Response, StatusCode,
    header::{CONTENT_LENGTH, REFERER, USER_AGENT},
};
use http_body::Body as _;
use time::{OffsetDateTime, format_description::BorrowedFormatItem, macros::format_description};

use crate::Body;

const TIME: &[BorrowedFormatItem<'_>] =
    format_description!("[day]/[month repr:short]/[year]:[hour]:[minute]:[second] +0000");

/// Whether any request is logged at this level.
pub(super) fn is_wanted(level: LogLevel) -> bool {
    level > LogLevel::Critical
}

/// Whether a request with this answer is logged at this level.
pub(super) fn is_logged(level: LogLevel, status: StatusCode) -> bool {
    match level {
        LogLevel::Critical => false,
        LogLevel::Error => status.is_server_error(),
        LogLevel::Warning => status.is_server_error() || status.is_client_error(),
        LogLevel::Info | LogLevel::Debug => true,
    }
}

/// What a line says of the request.
pub(super) struct Line {
    peer: String,
    request: String,
    referer: String,
    agent: String,
}

impl Line {
    pub(super) fn of<B>(request: &Request<B>, peer: &Peer) -> Self {
        Self {
            peer: peer.to_string(),
            request: format!("{} {} {:?}", request.method(), request.uri(), request.version()),
            referer: header(request.headers(), &REFERER),
            agent: header(request.headers(), &USER_AGENT),
        }
    }

    /// The line, with its end.
    pub(super) fn render(
        &self,
        role: Option<&str>,
        response: &Response<Body>,
        now: OffsetDateTime,
    ) -> String {
        let Self { peer, request, referer, agent } = self;
        let (role, status, size) =
            (quotable(role.unwrap_or("-")), response.status().as_u16(), size(response));
        format!(
            "{peer} - {role} [{}] \"{}\" {status} {size} \"{referer}\" \"{agent}\"\n",
            at(now),
            quotable(request)
        )
    }
}

/// The SQL of a request in one line.
pub(super) fn query(sql: &str, now: OffsetDateTime) -> String {
    format!("{}: {}", at(now), sql.lines().map(str::trim).collect::<Vec<_>>().join(" "))
}

fn at(now: OffsetDateTime) -> String {
    now.to_offset(time::UtcOffset::UTC).format(TIME).expect("every time has these parts")
}

fn header(headers: &HeaderMap, name: &HeaderName) -> String {
    quotable(&headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes())).unwrap_or_default())
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
    use time::macros::datetime;

    use super::*;
    use crate::full;

    // rows: rest/Z07
    #[test]
    fn a_line_has_the_apache_combined_form_with_role_and_size() {
        let request = Request::get("/items?id=eq.1")
            .header("user-agent", "a \"b\"")
            .header("referer", "http://r/")
            .body(())
            .expect("a request");
        let line = Line::of(&request, &Peer::Tcp("127.0.0.1:5".parse().expect("an address")));
        let mut response = Response::new(full("12345"));
        *response.status_mut() = StatusCode::NOT_FOUND;
        assert_eq!(
            line.render(Some("web_anon"), &response, datetime!(2026-11-05 07:08:09 UTC)),
            "127.0.0.1 - web_anon [05/Nov/2026:07:08:09 +0000] \"GET /items?id=eq.1 HTTP/1.1\" 404 5 \"http://r/\" \"a _b_\"\n"
        );
        assert!(
            line.render(None, &Response::new(full("")), datetime!(2026-11-05 07:08:09 UTC))
                .contains(" - - [")
        );
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
