//! What a request is about: the service, a bucket or an object.

use std::fmt;

use percent_encoding::percent_decode_str;

use crate::error::StorageError;

/// The bucket and the key in the path of a request. Buckets are never part of the host name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    Service,
    Bucket(String),
    Object { bucket: String, key: String },
}

impl Target {
    /// Reads a path such as `/s3/bucket/folder/name`, decoded once. A key keeps inner slashes.
    /// PostgreSQL takes no NUL, so no name has one.
    pub(super) fn of(path: &str) -> Result<Self, StorageError> {
        let path = path.strip_prefix("/s3").unwrap_or(path);
        let path = path.strip_prefix('/').unwrap_or(path);
        let (bucket, key) = path.split_once('/').unwrap_or((path, ""));
        let (bucket, key) = (decoded(bucket)?, decoded(key)?);
        Ok(match (bucket.is_empty(), key.is_empty()) {
            (true, true) => Self::Service,
            (true, false) => return Err(StorageError::InvalidBucketName),
            (false, true) => Self::Bucket(bucket),
            (false, false) => Self::Object { bucket, key },
        })
    }

    /// The bucket; an empty name where there is none, which no bucket has.
    pub(super) fn bucket(&self) -> &str {
        match self {
            Self::Service => "",
            Self::Bucket(bucket) | Self::Object { bucket, .. } => bucket,
        }
    }

    /// The key; an empty one where there is none, which no object has.
    pub(super) fn key(&self) -> &str {
        match self {
            Self::Service | Self::Bucket(_) => "",
            Self::Object { key, .. } => key,
        }
    }
}

/// `bucket/key`, as errors name it (CONTRACT.md X04).
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Service => Ok(()),
            Self::Bucket(bucket) => f.write_str(bucket),
            Self::Object { bucket, key } => write!(f, "{bucket}/{key}"),
        }
    }
}

fn decoded(part: &str) -> Result<String, StorageError> {
    let text = percent_decode_str(part).decode_utf8().ok().filter(|text| !text.contains('\0'));
    text.map(|text| text.into_owned()).ok_or_else(|| StorageError::InvalidKey(part.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: X02
    #[test]
    fn a_path_is_read_as_bucket_and_key() {
        let object = |bucket: &str, key: &str| Target::Object { bucket: bucket.into(), key: key.into() };
        for (path, target) in [
            ("/s3", Target::Service),
            ("/s3/", Target::Service),
            ("/s3/b", Target::Bucket("b".into())),
            ("/s3/b/", Target::Bucket("b".into())),
            ("/s3/b/k", object("b", "k")),
            ("/s3/b/a//k%20%2f+", object("b", "a//k /+")),
            ("/s3/b/%2e%2e/k", object("b", "../k")),
        ] {
            assert_eq!(Target::of(path).expect("a target"), target, "{path}");
        }
        assert!(Target::of("/s3//k").is_err());
        assert!(Target::of("/s3/b/%ff").is_err());
        assert!(Target::of("/s3/b/a%00").is_err());
    }
}
