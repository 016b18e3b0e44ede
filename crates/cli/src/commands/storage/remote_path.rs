//! Paths of the form `ss:///bucket/name`.

use anyhow::bail;

const SCHEME: &str = "ss:";

/// A path in storage, from its first `/` on: `/bucket/name`, `/bucket/`, or `/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RemotePath(pub(super) String);

impl RemotePath {
    /// # Errors
    /// The text has another form.
    pub(super) fn parse(text: &str) -> anyhow::Result<Self> {
        match Self::of(text) {
            Some(path) if path.0.starts_with('/') => Ok(path),
            _ => bail!("URL must match pattern ss:///bucket/[prefix]"),
        }
    }

    /// A path where the text names one; none for a path of this machine.
    pub(super) fn of(text: &str) -> Option<Self> {
        let scheme = text.get(..SCHEME.len())?;
        let rest = text[SCHEME.len()..].strip_prefix("//").filter(|_| scheme.eq_ignore_ascii_case(SCHEME))?;
        Some(Self(rest.to_owned()))
    }

    /// The bucket, and the name or prefix in it. Either may be empty.
    pub(super) fn split(&self) -> (&str, &str) {
        split(&self.0)
    }

    /// Whether it names all that lies below it, and no object.
    pub(super) fn is_folder(&self) -> bool {
        let (_, name) = self.split();
        name.is_empty() || name.ends_with('/')
    }
}

/// The bucket of a path, and what follows it.
pub(super) fn split(path: &str) -> (&str, &str) {
    let path = path.strip_prefix('/').unwrap_or(path);
    path.split_once('/').unwrap_or((path, ""))
}

/// The last part of a path, without a slash at its end.
pub(super) fn base(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
}

/// Two parts of a path with one slash between them.
pub(super) fn join(above: &str, below: &str) -> String {
    match above.trim_end_matches('/') {
        "" if above.is_empty() => below.to_owned(),
        above => format!("{above}/{below}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: CLI-STORAGE
    #[test]
    fn a_path_of_storage_has_a_bucket_and_a_name() {
        let parsed = |text| RemotePath::parse(text).expect("a path");
        assert_eq!(parsed("ss:///photos/a/b.jpg").split(), ("photos", "a/b.jpg"));
        assert_eq!(parsed("SS:///photos").split(), ("photos", ""));
        assert_eq!(parsed("ss:///").split(), ("", ""));
        for other in ["ss://photos/a", "ss:/photos", "photos/a", "s3:///photos", "ss://", "", "अअ"] {
            let error = RemotePath::parse(other).expect_err(other).to_string();
            assert_eq!(error, "URL must match pattern ss:///bucket/[prefix]");
        }
        assert!(RemotePath::of("./photos").is_none() && RemotePath::of("C:\\a").is_none());
    }

    // rows: CLI-STORAGE
    #[test]
    fn parts_of_a_path_are_joined_by_one_slash() {
        assert_eq!(join("/photos/", "a"), "/photos/a");
        assert_eq!(join("/photos", "a/b"), "/photos/a/b");
        assert_eq!((join("", "a").as_str(), join("/", "a").as_str()), ("a", "/a"));
        assert_eq!((base("/photos/a/"), base("/photos"), base("/")), ("a", "photos", ""));
    }
}
