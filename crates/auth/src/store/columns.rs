//! Rows as they come home from a flight: columns in PostgreSQL's text format, one after the other.

use banyan_db::{Rows, RunError};
use bytes::Bytes;
use serde::de::DeserializeOwned;
use time::{Date, Month, OffsetDateTime, Time, UtcOffset};

/// The columns of a row.
pub(crate) struct Columns<'a>(std::slice::Iter<'a, Option<Bytes>>);

/// A column holds what cannot be shown, such as a time without end: the slower way reads or refuses it.
#[derive(Debug)]
pub(crate) struct Unreadable;

impl From<Unreadable> for RunError {
    fn from(Unreadable: Unreadable) -> Self {
        Self::Protocol("a row that cannot be read".into())
    }
}

impl<'a> Columns<'a> {
    /// Those of the first row, if there is one.
    pub(crate) fn of_first(rows: &'a Rows) -> Option<Self> {
        rows.rows.first().map(|row| Self(row.iter()))
    }

    pub(crate) fn text(&mut self) -> Result<Option<&'a str>, Unreadable> {
        let column = self.0.next().ok_or(Unreadable)?;
        column.as_deref().map(std::str::from_utf8).transpose().map_err(|_| Unreadable)
    }

    pub(crate) fn string(&mut self) -> Result<Option<String>, Unreadable> {
        Ok(self.text()?.map(str::to_owned))
    }

    /// What has its form in a text: ids, numbers.
    pub(crate) fn parsed<T: std::str::FromStr>(&mut self) -> Result<Option<T>, Unreadable> {
        self.text()?.map(str::parse).transpose().map_err(|_| Unreadable)
    }

    pub(crate) fn flag(&mut self) -> Result<bool, Unreadable> {
        Ok(self.text()? == Some("t"))
    }

    pub(crate) fn json<T: DeserializeOwned>(&mut self) -> Result<Option<T>, Unreadable> {
        self.text()?.map(serde_json::from_str).transpose().map_err(|_| Unreadable)
    }

    pub(crate) fn time(&mut self) -> Result<Option<OffsetDateTime>, Unreadable> {
        self.text()?.map(|text| parse_time(text).ok_or(Unreadable)).transpose()
    }
}

/// Reads `2026-01-31 23:59:59.123456+05:30`; years before Christ, after 9999 and infinity are none.
fn parse_time(text: &str) -> Option<OffsetDateTime> {
    let (day, rest) = text.split_at_checked(10)?;
    let day = Date::from_calendar_date(
        number(day, 0..4)?.into(),
        Month::try_from(u8::try_from(number(day, 5..7)?).ok()?).ok()?,
        u8::try_from(number(day, 8..10)?).ok()?,
    );
    let (clock, rest) = rest.strip_prefix(' ')?.split_at_checked(8)?;
    let part = |range| number(clock, range).and_then(|number| u8::try_from(number).ok());
    let end = rest.find(['+', '-'])?;
    let (fraction, offset) = rest.split_at(end);
    let digits = fraction.strip_prefix('.').unwrap_or_default();
    let micros = match digits.len() {
        0 => 0,
        length @ 1..=6 => digits.parse::<u32>().ok()? * 10_u32.pow(6 - u32::try_from(length).ok()?),
        _ => return None,
    };
    let time = Time::from_hms_micro(part(0..2)?, part(3..5)?, part(6..8)?, micros).ok()?;
    Some(day.ok()?.with_time(time).assume_offset(parse_offset(offset)?).to_offset(UtcOffset::UTC))
}

/// Reads `+00`, `-03:30` or `+05:53:28`.
fn parse_offset(text: &str) -> Option<UtcOffset> {
    let (sign, rest) = text.split_at_checked(1)?;
    let mut parts = [0_i8; 3];
    let mut given = rest.split(':');
    for (part, text) in parts.iter_mut().zip(given.by_ref()) {
        let number: i8 = text.parse().ok().filter(|number| *number >= 0)?;
        *part = if sign == "-" { -number } else { number };
    }
    if given.next().is_some() {
        return None;
    }
    UtcOffset::from_hms(parts[0], parts[1], parts[2]).ok()
}

fn number(text: &str, range: std::ops::Range<usize>) -> Option<u16> {
    let digits = text.get(range)?;
    if digits.bytes().all(|digit| digit.is_ascii_digit()) { digits.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn a_time_is_read_as_the_server_writes_it() {
        for (text, time) in [
            ("2026-01-31 23:59:59+00", datetime!(2026-01-31 23:59:59 UTC)),
            ("2026-01-31 23:59:59.5+00", datetime!(2026-01-31 23:59:59.5 UTC)),
            ("2026-01-31 23:59:59.000123+00", datetime!(2026-01-31 23:59:59.000123 UTC)),
            ("2026-02-01 05:29:59.25+05:30", datetime!(2026-01-31 23:59:59.25 UTC)),
            ("2026-01-31 20:29:59-03:30", datetime!(2026-01-31 23:59:59 UTC)),
            ("1890-01-01 05:53:28+05:53:28", datetime!(1890-01-01 00:00 UTC)),
        ] {
            assert_eq!(parse_time(text), Some(time), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_of_ours_is_left_to_the_slower_way() {
        for text in [
            "infinity",
            "-infinity",
            "0044-03-15 12:00:00+00 BC",
            "12026-01-01 00:00:00+00",
            "",
            "2026-01-01",
        ] {
            assert_eq!(parse_time(text), None, "{text}");
        }
    }
}
