//! Where an object is: its bucket and its name.

use std::fmt;

use super::{BucketName, ObjectName};
use crate::error::StorageError;

/// Where an object is. `Display` gives `bucket/name`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ObjectPath {
    pub(crate) bucket: BucketName,
    pub(crate) name: ObjectName,
}

impl ObjectPath {
    /// Checks both names. `unicode` also takes letters of every script in the object's.
    pub(crate) fn new(bucket: &str, name: &str, unicode: bool) -> Result<Self, StorageError> {
        Ok(Self { bucket: BucketName::new(bucket)?, name: ObjectName::new(name, unicode)? })
    }
}

impl fmt::Display for ObjectPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.bucket.as_str(), self.name.as_str())
    }
}
