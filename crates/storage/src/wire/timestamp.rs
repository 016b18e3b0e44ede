//! Times as answers write them (CONTRACT.md C08).

use time::{OffsetDateTime, UtcOffset, format_description::BorrowedFormatItem, macros::format_description};

const MILLISECONDS: &[BorrowedFormatItem<'_>] =
    format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");

/// A time as answers write it: `2021-02-17T04:43:32.770Z`. What is shorter than a millisecond is
/// cut off.
pub(crate) fn timestamp(time: OffsetDateTime) -> String {
    time.to_offset(UtcOffset::UTC).format(MILLISECONDS).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    // rows: C08
    #[test]
    fn a_time_has_milliseconds_and_is_of_utc() {
        assert_eq!(timestamp(datetime!(2021-02-17 04:43:32.770999 UTC)), "2021-02-17T04:43:32.770Z");
        assert_eq!(timestamp(datetime!(2021-02-17 04:43:32 +05:30)), "2021-02-16T23:13:32.000Z");
    }
}
