//! The header `Range` (CONTRACT.md D13, B4).

use std::ops::Range;

use crate::error::StorageError;

/// More ranges than this are merged where they touch, and else answered with the whole object.
const MOST_RANGES: usize = 16;

/// What of an object is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// All of it.
    Whole,
    /// One range.
    Part(Range<u64>),
    /// Several ranges, each not empty.
    Parts(Vec<Range<u64>>),
}

/// Reads the header for an object of `size` bytes. Ranges beyond its end are cut or left out.
///
/// # Errors
/// `InvalidRange` for a malformed header, and when no range lies within the object.
pub(crate) fn wanted(header: &str, size: u64) -> Result<Wanted, StorageError> {
    let list =
        header.trim().strip_prefix("bytes").map(str::trim_start).and_then(|rest| rest.strip_prefix('='));
    let mut ranges = Vec::new();
    for spec in
        list.ok_or(StorageError::InvalidRange)?.split(',').map(str::trim).filter(|spec| !spec.is_empty())
    {
        ranges.extend(range(spec, size).ok_or(StorageError::InvalidRange)?);
    }
    if is_wasteful(&ranges) {
        ranges = merged(ranges);
    }
    match ranges.len() {
        0 => Err(StorageError::InvalidRange),
        1 => Ok(Wanted::Part(ranges.swap_remove(0))),
        count if count > MOST_RANGES => Ok(Wanted::Whole),
        _ => Ok(Wanted::Parts(ranges)),
    }
}

/// One range: outer none for a malformed one, inner none for one outside of the object.
fn range(spec: &str, size: u64) -> Option<Option<Range<u64>>> {
    let (first, last) = spec.split_once('-')?;
    if first.is_empty() {
        let length = number(last)?.min(size);
        return Some((length > 0).then(|| size - length..size));
    }
    let first = number(first)?;
    let last = if last.is_empty() { u64::MAX } else { number(last)? };
    if last < first {
        return None;
    }
    Some((first < size).then(|| first..last.saturating_add(1).min(size)))
}

/// Digits alone: no sign, no space. A number that is too large is the largest.
fn number(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().unwrap_or(u64::MAX))
}

/// Whether bytes would be sent twice, or in very many pieces.
fn is_wasteful(ranges: &[Range<u64>]) -> bool {
    let overlap = |(place, range): (usize, &Range<u64>)| {
        ranges[..place].iter().any(|other| range.start < other.end && other.start < range.end)
    };
    ranges.len() > MOST_RANGES || ranges.iter().enumerate().any(overlap)
}

/// In order, and those that touch as one.
fn merged(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.sort_by_key(|range| range.start);
    let mut all: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        match all.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => all.push(range),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: D13
    #[test]
    fn one_range_is_cut_at_the_end() {
        for (header, range) in [
            ("bytes=0-4", 0..5),
            ("bytes=2-", 2..10),
            ("bytes=-3", 7..10),
            ("bytes=-30", 0..10),
            ("bytes=5-500", 5..10),
            ("bytes=9-9", 9..10),
            ("bytes=0-99999999999999999999999", 0..10),
            ("bytes = 1-2", 1..3),
            ("bytes=1-2,", 1..3),
            ("bytes=1-2, 90-99", 1..3),
        ] {
            assert_eq!(wanted(header, 10).ok(), Some(Wanted::Part(range)), "{header}");
        }
    }

    // rows: D13 InvalidRange
    #[test]
    fn what_is_malformed_or_outside_is_refused() {
        for header in [
            "bytes=10-",
            "bytes=10-20",
            "bytes=-0",
            "bytes=5-4",
            "bytes=",
            "bytes=-",
            "bytes",
            "bytes=a-b",
            "bytes=1-b",
            "bytes=+1-2",
            "bytes=1--2",
            "bytes=1",
            "bytes=0x1-2",
            "bytes=1-2,x",
            "items=0-1",
            "",
        ] {
            assert!(matches!(wanted(header, 10), Err(StorageError::InvalidRange)), "{header}");
        }
        for header in ["bytes=0-", "bytes=0-0", "bytes=-1"] {
            assert!(wanted(header, 0).is_err(), "nothing lies within an empty object: {header}");
        }
    }

    // rows: B4
    #[test]
    fn several_ranges_come_in_the_order_asked_for_and_never_twice() {
        assert_eq!(wanted("bytes=8-9,0-1", 10).ok(), Some(Wanted::Parts(vec![8..10, 0..2])));
        assert_eq!(wanted("bytes=0-0, -1", 10).ok(), Some(Wanted::Parts(vec![0..1, 9..10])));
        assert_eq!(wanted("bytes=4-6,5-9,0-1", 10).ok(), Some(Wanted::Parts(vec![0..2, 4..10])));
        assert_eq!(wanted("bytes=0-,0-,0-", 10).ok(), Some(Wanted::Part(0..10)));
        let many = |step: u64| {
            let specs: Vec<_> = (0..40).map(|n| format!("{0}-{0}", n * step)).collect();
            wanted(&format!("bytes={}", specs.join(",")), 1000).ok()
        };
        assert_eq!(many(1), Some(Wanted::Part(0..40)));
        assert_eq!(many(2), Some(Wanted::Whole));
    }
}
