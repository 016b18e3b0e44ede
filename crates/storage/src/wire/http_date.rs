//! Times as headers have them, such as `Wed, 17 Feb 2021 04:43:32 GMT` (RFC 9110 section 5.6.7).

use http::HeaderValue;
use time::{
    OffsetDateTime, PrimitiveDateTime, UtcOffset, format_description::BorrowedFormatItem,
    macros::format_description,
};

const FORMAT: &[BorrowedFormatItem<'_>] =
    format_description!("[weekday repr:short], [day] [month repr:short] [year] [hour]:[minute]:[second] GMT");

/// A time as a header. None for a year that no header can tell.
pub(crate) fn http_date(time: OffsetDateTime) -> Option<HeaderValue> {
    HeaderValue::try_from(time.to_offset(UtcOffset::UTC).format(FORMAT).ok()?).ok()
}

/// Reads a time of a header; what is none is ignored.
pub(crate) fn parse_http_date(text: &str) -> Option<OffsetDateTime> {
    Some(PrimitiveDateTime::parse(text.trim(), FORMAT).ok()?.assume_utc())
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: D12 T04
    #[test]
    fn dates_of_headers_are_read_and_written_to_the_second() {
        let time = OffsetDateTime::from_unix_timestamp(1_613_537_012).expect("a time");
        assert_eq!(http_date(time).expect("a header"), "Wed, 17 Feb 2021 04:43:32 GMT");
        assert_eq!(parse_http_date("Wed, 17 Feb 2021 04:43:32 GMT"), Some(time));
        for text in ["", "yesterday", "2021-02-17T04:43:32Z", "Wed, 32 Feb 2021 04:43:32 GMT"] {
            assert_eq!(parse_http_date(text), None, "{text}");
        }
    }
}
