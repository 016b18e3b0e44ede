//! Times as the tables hold them. PostgreSQL has times that no answer can show: `infinity`, years
//! before Christ and of five digits. A dump or an admin may write them into tables that the
//! reference has too. So every time from such a table is read here, and these become the first or
//! the last day there is. The tables `banyan_*` are the service's own.

use serde::{
    Deserializer,
    de::{Error, Visitor},
};
use sqlx::{
    Decode, Postgres, Type, ValueRef as _,
    error::BoxDynError,
    postgres::{PgTypeInfo, PgValueFormat, PgValueRef},
};
use time::{Date, Duration, Month, OffsetDateTime, Time, UtcOffset, macros::datetime};

/// The first day.
pub(crate) const FIRST: OffsetDateTime = datetime!(0001-01-01 00:00 UTC);
/// The last day.
pub(crate) const LAST: OffsetDateTime = datetime!(9999-12-31 00:00 UTC);
/// The moment from which PostgreSQL counts.
const EPOCH: OffsetDateTime = datetime!(2000-01-01 00:00 UTC);

/// A time that is always there: `created_at as "created_at!: At"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct At(OffsetDateTime);

/// A time that may be absent: `not_after as "not_after!: MaybeAt"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MaybeAt(Option<OffsetDateTime>);

impl From<At> for OffsetDateTime {
    fn from(At(time): At) -> Self {
        time
    }
}

impl From<MaybeAt> for Option<OffsetDateTime> {
    fn from(MaybeAt(time): MaybeAt) -> Self {
        time
    }
}

impl Type<Postgres> for At {
    fn type_info() -> PgTypeInfo {
        OffsetDateTime::type_info()
    }
}

impl Type<Postgres> for MaybeAt {
    fn type_info() -> PgTypeInfo {
        OffsetDateTime::type_info()
    }
}

impl<'r> Decode<'r, Postgres> for At {
    fn decode(value: PgValueRef<'r>) -> Result<Self, BoxDynError> {
        match value.format() {
            PgValueFormat::Binary => Ok(Self(of_micros(Decode::<Postgres>::decode(value)?))),
            PgValueFormat::Text => parse(value.as_str()?).map(Self).ok_or_else(|| UNREADABLE.into()),
        }
    }
}

impl<'r> Decode<'r, Postgres> for MaybeAt {
    fn decode(value: PgValueRef<'r>) -> Result<Self, BoxDynError> {
        if value.is_null() {
            return Ok(Self(None));
        }
        At::decode(value).map(|At(time)| Self(Some(time)))
    }
}

/// The error for a text that is no time.
const UNREADABLE: &str = "a time that cannot be read";

/// PostgreSQL sends `infinity` as the largest number.
fn of_micros(micros: i64) -> OffsetDateTime {
    let beyond = if micros < 0 { FIRST } else { LAST };
    EPOCH.checked_add(Duration::microseconds(micros)).unwrap_or(beyond).clamp(FIRST, LAST)
}

/// A time in JSON from PostgreSQL, for `deserialize_with`.
pub(crate) fn in_json<'de, D: Deserializer<'de>>(json: D) -> Result<OffsetDateTime, D::Error> {
    json.deserialize_str(Reader)
}

/// As [`in_json`], for one that may be null.
pub(crate) fn maybe_in_json<'de, D: Deserializer<'de>>(json: D) -> Result<Option<OffsetDateTime>, D::Error> {
    json.deserialize_option(MaybeReader)
}

/// Reads a text in place, because every shown account has several times.
struct Reader;

impl Visitor<'_> for Reader {
    type Value = OffsetDateTime;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a time as the server writes it")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<OffsetDateTime, E> {
        parse(text).ok_or_else(|| E::custom(UNREADABLE))
    }
}

struct MaybeReader;

impl<'de> Visitor<'de> for MaybeReader {
    type Value = Option<OffsetDateTime>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a time as the server writes it, or null")
    }

    fn visit_none<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        in_json(json).map(Some)
    }
}

/// Whether something happened since a time, for example whether a code still lives. Nothing happens
/// on the last day, so an unreadable time opens no limit.
pub(crate) fn is_since(at: OffsetDateTime, then: OffsetDateTime) -> bool {
    then <= at && at < LAST
}

/// Reads `2026-01-31 23:59:59.123456+05:30`, in JSON with a `T`.
pub(crate) fn parse(text: &str) -> Option<OffsetDateTime> {
    match text {
        "infinity" => return Some(LAST),
        "-infinity" => return Some(FIRST),
        _ if text.ends_with(" BC") => return Some(FIRST),
        _ if text.find('-')? > 4 => return Some(LAST),
        _ => {}
    }
    let (day, rest) = text.split_at_checked(10)?;
    let day = Date::from_calendar_date(
        number(day, 0..4)?.into(),
        Month::try_from(u8::try_from(number(day, 5..7)?).ok()?).ok()?,
        u8::try_from(number(day, 8..10)?).ok()?,
    );
    let (clock, rest) = rest.strip_prefix([' ', 'T'])?.split_at_checked(8)?;
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
    let local = day.ok()?.with_time(time).assume_offset(parse_offset(offset)?);
    Some(local.checked_to_offset(UtcOffset::UTC).map_or(LAST, |time| time.clamp(FIRST, LAST)))
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
    use super::*;

    #[test]
    fn a_time_is_read_as_the_server_writes_it() {
        for (text, time) in [
            ("2026-01-31 23:59:59+00", datetime!(2026-01-31 23:59:59 UTC)),
            ("2026-01-31 23:59:59.5+00", datetime!(2026-01-31 23:59:59.5 UTC)),
            ("2026-01-31 23:59:59.000123+00", datetime!(2026-01-31 23:59:59.000123 UTC)),
            ("2026-01-31T23:59:59.000123+00:00", datetime!(2026-01-31 23:59:59.000123 UTC)),
            ("2026-02-01 05:29:59.25+05:30", datetime!(2026-01-31 23:59:59.25 UTC)),
            ("2026-01-31 20:29:59-03:30", datetime!(2026-01-31 23:59:59 UTC)),
            // What PostgreSQL writes for the year after the last one, west of Greenwich.
            ("9999-12-31T19:00:00-05:00", LAST),
            ("1890-01-01 05:53:28+05:53:28", datetime!(1890-01-01 00:00 UTC)),
        ] {
            assert_eq!(parse(text), Some(time), "{text}");
        }
        for text in ["", "2026-01-01", "2026-13-01 00:00:00+00", "soon-ish"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_time_in_json_is_read_with_and_without_escapes_and_may_be_null() {
        #[derive(serde::Deserialize)]
        struct Row {
            #[serde(deserialize_with = "in_json")]
            made: OffsetDateTime,
            #[serde(default, deserialize_with = "maybe_in_json")]
            ended: Option<OffsetDateTime>,
        }
        let time = datetime!(2026-01-31 23:59:59 UTC);
        let read = |text: &str| serde_json::from_str::<Row>(text);
        let plain = read(r#"{"made": "2026-01-31T23:59:59+00:00", "ended": null}"#).unwrap();
        assert_eq!((plain.made, plain.ended), (time, None));
        let escaped = read(r#"{"made": "2026-01-31T23:59:59\u002b00:00", "ended": "infinity"}"#).unwrap();
        assert_eq!((escaped.made, escaped.ended), (time, Some(LAST)));
        assert_eq!(read(r#"{"made": "2026-01-31T23:59:59+00:00"}"#).unwrap().ended, None);
        for wrong in [r#"{"made": "soon"}"#, r#"{"made": 1}"#, r#"{"made": null}"#] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn nothing_happened_on_the_last_day() {
        let then = datetime!(2026-01-01 00:00 UTC);
        assert!(is_since(then, then));
        assert!(!is_since(then - Duration::MICROSECOND, then));
        assert!(!is_since(LAST, then));
    }

    #[test]
    fn a_time_that_no_answer_can_show_is_the_first_or_the_last_day() {
        for text in ["-infinity", "0044-03-15 12:00:00+00 BC", "0044-03-15T12:00:00+00:00 BC"] {
            assert_eq!(parse(text), Some(FIRST), "{text}");
        }
        for text in ["infinity", "12026-01-01 00:00:00+00", "12026-01-01T00:00:00+00:00"] {
            assert_eq!(parse(text), Some(LAST), "{text}");
        }
        assert_eq!([i64::MIN, i64::MAX].map(of_micros), [FIRST, LAST]);
        assert_eq!(of_micros(-63_113_904_000_000_001), FIRST, "the year before the first");
        assert_eq!(of_micros(1), datetime!(2000-01-01 00:00:00.000001 UTC));
    }
}
