//! Times as answers write them (CONTRACT.md C08).

use time::{
    OffsetDateTime, UtcOffset,
    format_description::{BorrowedFormatItem, well_known::Rfc3339},
    macros::format_description,
};

const MILLISECONDS: &[BorrowedFormatItem<'_>] =
    format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");

/// A time as answers write it: `2021-02-17T04:43:32.770Z`. What is shorter than a millisecond is
/// cut off.
pub(crate) fn timestamp(time: OffsetDateTime) -> String {
    time.to_offset(UtcOffset::UTC).format(MILLISECONDS).unwrap_or_default()
}

/// Whether a text is a time of the kind that answers write.
pub(crate) fn is_timestamp(text: &str) -> bool {
    OffsetDateTime::parse(text, &Rfc3339).is_ok()
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    // rows: L13
    #[test]
    fn a_time_that_was_written_is_one_and_another_text_is_none() {
        for time in ["2021-02-17T04:43:32.770Z", "2021-02-17T04:43:32Z", "2021-02-17T04:43:32.770999+05:30"] {
            assert!(is_timestamp(time), "{time}");
        }
        for other in ["", "notatime", "now", "infinity", "2021-02-17", "2021-02-30T04:43:32Z"] {
            assert!(!is_timestamp(other), "{other}");
        }
    }

    // rows: C08
    #[test]
    fn a_time_has_milliseconds_and_is_of_utc() {
        assert_eq!(timestamp(datetime!(2021-02-17 04:43:32.770999 UTC)), "2021-02-17T04:43:32.770Z");
        assert_eq!(timestamp(datetime!(2021-02-17 04:43:32 +05:30)), "2021-02-16T23:13:32.000Z");
    }
}
