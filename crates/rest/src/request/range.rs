//! `limit`, `offset` and the header `Range` (CONTRACT.md R01 to R06).

use http::{HeaderMap, Method, header::RANGE};

use super::ValueIndex;
use crate::error::{Error, RangeFault};

/// Says which of the two numbers of a range are given. The numbers themselves stand among the
/// request's values, so that all pages of a relation have one shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Window {
    /// Rows left out at the beginning; PostgreSQL refuses a negative number.
    pub offset: Option<ValueIndex>,
    /// Most rows.
    pub limit: Option<ValueIndex>,
}

impl Window {
    /// Whether it is all rows.
    #[must_use]
    pub fn is_all(self) -> bool {
        self == Self::default()
    }
}

/// `limit` and `offset` at the top, as asked for.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RequestedWindow {
    pub(super) offset: Option<i64>,
    pub(super) limit: Option<i64>,
}

/// Some rows of many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Range {
    /// Rows left out at the beginning.
    pub offset: i64,
    /// Most rows; none is no limit.
    pub limit: Option<i64>,
}

impl Range {
    fn last(self) -> Option<i64> {
        // Taken off first, so that the last of all numbers is not cut to the one before it.
        self.limit.map(|limit| self.offset.saturating_add(limit.saturating_sub(1)))
    }

    /// The rows of both (CONTRACT.md R03); none when there is no row in both.
    fn intersection(self, other: Self) -> Option<Self> {
        let offset = self.offset.max(other.offset);
        let last = match (self.last(), other.last()) {
            (Some(one), Some(two)) => Some(one.min(two)),
            (one, two) => one.or(two),
        };
        match last {
            Some(last) if last < offset => None,
            Some(last) => Some(Self { offset, limit: Some((last - offset).saturating_add(1)) }),
            None => Some(Self { offset, limit: None }),
        }
    }

    /// Puts the numbers among the values. An offset that was given has a place even if it is 0, so
    /// that the first page has the shape of the others.
    fn window(self, offset_given: bool, values: &mut Vec<String>) -> Window {
        let mut keep = |number: i64| {
            values.push(number.to_string());
            ValueIndex(values.len() - 1)
        };
        let offset = (offset_given || self.offset != 0).then_some(self.offset).map(&mut keep);
        Window { offset, limit: self.limit.map(keep) }
    }
}

/// The rows asked for at the top by the query string and the header together.
pub(super) fn top(
    method: &Method,
    headers: &HeaderMap,
    asked: RequestedWindow,
    values: &mut Vec<String>,
) -> Result<(Range, Window), Error> {
    let by_query = Range { offset: asked.offset.unwrap_or_default(), limit: asked.limit };
    if method == Method::PUT && by_query != Range::default() {
        return Err(Error::PutRange);
    }
    if asked.limit == Some(0) {
        let none = Range { offset: 0, limit: Some(0) };
        return Ok((none, none.window(asked.offset.is_some(), values)));
    }
    let by_header = if method == Method::GET { header(headers)? } else { Range::default() };
    let Some(range) = by_header.intersection(by_query) else {
        return Err(Error::Range(RangeFault::NegativeLimit));
    };
    Ok((range, range.window(asked.offset.is_some(), values)))
}

/// `0-24` or `10-`; other forms are ignored (CONTRACT.md R02).
fn header(headers: &HeaderMap) -> Result<Range, Error> {
    let value = headers.get(RANGE).and_then(|value| value.to_str().ok());
    let Some((first, last)) = value.and_then(|value| value.split_once('-')) else {
        return Ok(Range::default());
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if first.is_empty() || !digits(first) || !digits(last) {
        return Ok(Range::default());
    }
    let offset = first.parse().unwrap_or(i64::MAX);
    let last = last.parse::<i64>().ok();
    if last.is_some_and(|last| last < offset) {
        return Err(Error::Range(RangeFault::LowerAboveUpper));
    }
    Ok(Range { offset, limit: last.map(|last| (last - offset).saturating_add(1)) })
}
