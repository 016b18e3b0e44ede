//! `limit`, `offset` and the header `Range` (rest.md section 6).

use http::{HeaderMap, Method, header::RANGE};

use super::query::Query;
use crate::error::{Error, RangeFault};

/// Some rows of many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Range {
    /// Rows left out at the beginning; PostgreSQL refuses a negative number.
    pub offset: i64,
    /// Most rows; none is no limit.
    pub limit: Option<i64>,
}

impl Range {
    /// Whether it is all rows.
    #[must_use]
    pub fn is_all(self) -> bool {
        self == Self::default()
    }

    /// The same range with at most `rows` rows (rest.md R18).
    #[must_use]
    pub fn at_most(self, rows: Option<i64>) -> Self {
        let limit = match (self.limit, rows) {
            (Some(limit), Some(rows)) => Some(limit.min(rows)),
            (limit, rows) => limit.or(rows),
        };
        Self { limit, ..self }
    }

    fn last(self) -> Option<i64> {
        self.limit.map(|limit| self.offset.saturating_add(limit) - 1)
    }

    /// The rows of both (rest.md R03); none when there is no row in both.
    fn intersection(self, other: Self) -> Option<Self> {
        let offset = self.offset.max(other.offset);
        let last = match (self.last(), other.last()) {
            (Some(one), Some(two)) => Some(one.min(two)),
            (one, two) => one.or(two),
        };
        match last {
            Some(last) if last < offset => None,
            Some(last) => Some(Self { offset, limit: Some(last - offset + 1) }),
            None => Some(Self { offset, limit: None }),
        }
    }
}

/// The rows asked for at the top, taken out of the query and joined with the header.
pub(super) fn top(method: &Method, headers: &HeaderMap, mut query: Query) -> Result<(Range, Query), Error> {
    let asked = query.ranges.remove(&Vec::new()).unwrap_or_default();
    if method == Method::PUT && !asked.is_all() {
        return Err(Error::PutRange);
    }
    if asked.limit == Some(0) {
        return Ok((Range { offset: 0, limit: Some(0) }, query));
    }
    let header = if method == Method::GET { header(headers)? } else { Range::default() };
    match header.intersection(asked) {
        Some(range) => Ok((range, query)),
        None => Err(Error::Range(RangeFault::NegativeLimit)),
    }
}

/// `0-24` or `10-`; other forms are ignored (rest.md R02).
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
