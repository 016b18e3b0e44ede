//! What all lists have in common: limits, encoded names, the end of a page.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;

use super::request::SignedRequest;
use crate::{error::StorageError, store::delimited_lists::Entry};

/// Most entries of a page.
pub(super) const LARGEST_PAGE: u32 = 1000;

/// The version of an object in a bucket that keeps none.
pub(super) const NULL_VERSION: &str = "null";

/// Characters that `encoding-type=url` leaves as they are.
const ESCAPED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/').remove(b'*');

/// How names are written in an answer.
#[derive(Clone, Copy)]
pub(super) struct Encoding {
    is_url: bool,
}

impl Encoding {
    /// Reads `encoding-type`.
    pub(super) fn of(request: &SignedRequest) -> Result<Self, StorageError> {
        match request.query.text("encoding-type") {
            None => Ok(Self { is_url: false }),
            Some("url") => Ok(Self { is_url: true }),
            Some(_) => Err(StorageError::InvalidParameter("encoding-type".to_owned())),
        }
    }

    pub(super) fn encode(self, name: &str) -> String {
        if self.is_url { utf8_percent_encode(name, ESCAPED).to_string() } else { name.to_owned() }
    }

    /// What an answer says of it.
    pub(super) fn name(self) -> Option<&'static str> {
        self.is_url.then_some("url")
    }
}

/// An element `CommonPrefixes`.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct CommonPrefix {
    prefix: String,
}

/// Reads a limit of entries. One that is larger is cut.
pub(super) fn limit(request: &SignedRequest, name: &'static str) -> Result<u32, StorageError> {
    Ok(request.number(name, LARGEST_PAGE)?.min(LARGEST_PAGE))
}

/// Cuts entries, of which one more than the limit was read; says whether there are more.
pub(super) fn cut<T>(entries: &mut Vec<Entry<T>>, limit: u32) -> bool {
    let has_more = entries.len() > limit as usize;
    entries.truncate(limit as usize);
    has_more
}

/// Takes folders and items apart.
pub(super) fn split<T>(entries: Vec<Entry<T>>, encoding: Encoding) -> (Vec<CommonPrefix>, Vec<T>) {
    let (mut folders, mut items) = (Vec::new(), Vec::new());
    for entry in entries {
        match entry {
            Entry::Folder(name) => folders.push(CommonPrefix { prefix: encoding.encode(&name) }),
            Entry::Item(item) => items.push(item),
        }
    }
    (folders, items)
}
