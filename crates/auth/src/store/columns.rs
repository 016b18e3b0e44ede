//! Rows of a pipeline: columns in PostgreSQL's text format, one after the other.

use banyan_db::{Rows, RunError};
use bytes::Bytes;
use serde::de::DeserializeOwned;
use time::OffsetDateTime;

use super::times;

/// The columns of a row.
pub(crate) struct Columns<'a>(std::slice::Iter<'a, Option<Bytes>>);

/// A column that cannot be read, such as JSON that is nested too deeply.
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

    /// A value that is parsed from text, such as an id or a number.
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
        self.text()?.map(|text| times::parse(text).ok_or(Unreadable)).transpose()
    }
}
