//! Names of buckets and objects, and ids of versions.

use std::fmt;

use crate::error::StorageError;

/// Longest name of an object in bytes.
pub(crate) const LONGEST_OBJECT_NAME: usize = 1024;

/// Longest name of a bucket in characters.
const LONGEST_BUCKET_NAME: usize = 100;

/// A name that a bucket may be given (CONTRACT.md C12).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct BucketName(String);

impl BucketName {
    /// Checks a name for a new bucket.
    pub(crate) fn new(name: &str) -> Result<Self, StorageError> {
        let fits = !name.is_empty()
            && name.chars().count() <= LONGEST_BUCKET_NAME
            && name.trim() == name
            && !name.ends_with("--table-s3")
            && name.chars().all(|c| c != '/' && is_usual(c));
        if fits { Ok(Self(name.to_owned())) } else { Err(StorageError::InvalidBucketName) }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// A name that an object may be given (CONTRACT.md C12, B2).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ObjectName(String);

impl ObjectName {
    /// Checks a name for a new object. `unicode` also takes letters of every script.
    pub(crate) fn new(name: &str, unicode: bool) -> Result<Self, StorageError> {
        let is_taken = |c: char| is_usual(c) || (unicode && !c.is_ascii() && !c.is_control());
        let fits = !name.is_empty() && name.len() <= LONGEST_OBJECT_NAME && name.chars().all(is_taken);
        if fits { Ok(Self(name.to_owned())) } else { Err(StorageError::InvalidKey(name.to_owned())) }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Characters of names in the reference.
fn is_usual(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_/!.*'()&$@=;:+,?- ".contains(c)
}

/// The id of an object's bytes. Bytes of a version are written once and never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Version(pub(crate) uuid::Uuid);

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
