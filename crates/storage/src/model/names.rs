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
///
/// It is kept as it was sent and compared byte by byte. So two spellings of one text, with an
/// accent composed or as a mark of its own, are two names.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ObjectName(String);

impl ObjectName {
    /// Checks a name for a new object. `unicode` also takes letters of every script.
    pub(crate) fn new(name: &str, unicode: bool) -> Result<Self, StorageError> {
        let is_taken = |c: char| is_usual(c) || (unicode && is_shown(c));
        let fits = !name.is_empty() && name.len() <= LONGEST_OBJECT_NAME && name.chars().all(is_taken);
        if fits { Ok(Self(name.to_owned())) } else { Err(StorageError::InvalidKey(name.to_owned())) }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Characters beyond ASCII that a reader sees where they stand. Joiners are among them, since
/// scripts of India need them. Overrides of the direction are not: they show a name as another one,
/// such as `exe.pdf` for `fdp.exe`.
fn is_shown(c: char) -> bool {
    let is_direction =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let is_line_end = matches!(c, '\u{2028}' | '\u{2029}');
    let is_no_character =
        matches!(c, '\u{fdd0}'..='\u{fdef}' | '\u{feff}') || matches!(u32::from(c) & 0xffff, 0xfffe | 0xffff);
    !c.is_ascii() && !c.is_control() && !is_direction && !is_line_end && !is_no_character
}

/// Characters of names in the reference.
fn is_usual(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_/!.*'()&$@=;:+,?- ".contains(c)
}

/// The id of an object's bytes. Bytes of a version are written once and never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Version(pub(crate) uuid::Uuid);

impl Version {
    /// Reads a version in the one form that names bytes here: lower case, with hyphens. A column
    /// may hold any text, and another spelling must not name the bytes of somebody else.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let version = Self(text.parse().ok()?);
        (version.to_string() == text).then_some(version)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: C12 InvalidKey
    #[test]
    fn usual_names_are_of_letters_digits_and_some_signs() {
        for name in ["a", "a/b.txt", "A-Z_09/!.*'()&$@=;:+,? x", ".emptyFolderPlaceholder", "a//b", "../x"] {
            assert!(ObjectName::new(name, false).is_ok(), "{name}");
        }
        for name in ["", "a\\b", "a\0b", "a\nb", "a#b", "a%b", "a|b", "a\"b", "गणित.pdf", "größe", "a~b"]
        {
            assert!(ObjectName::new(name, false).is_err(), "{name}");
        }
    }

    // rows: B2
    #[test]
    fn letters_of_every_script_are_taken_where_the_setting_says_so() {
        for name in [
            "पाठ योजना/कक्षा ५.pdf",
            "கணிதம்.docx",
            "größe.png",
            "日本語/😀.jpg",
            // With a joiner, and an accent as a mark of its own.
            "क्\u{200d}ष.pdf",
            "e\u{301}.pdf",
        ] {
            let taken = ObjectName::new(name, true).unwrap();
            assert_eq!(taken.as_str(), name);
        }
        for name in [
            "a\u{202e}fdp.exe",
            "a\u{2066}b",
            "a\u{200f}b",
            "a\u{85}b",
            "a\u{2028}b",
            "a\u{feff}b",
            "a\u{ffff}b",
            "a\0b",
            "a\tb",
            "a\\b",
        ] {
            assert!(ObjectName::new(name, true).is_err(), "{name:?}");
        }
        assert_ne!(ObjectName::new("é", true).unwrap(), ObjectName::new("e\u{301}", true).unwrap());
    }

    // rows: K01
    #[test]
    fn a_version_has_one_spelling() {
        let version = "0a1b2c3d-0000-4000-8000-000000000000";
        assert_eq!(Version::read(version).unwrap().to_string(), version);
        let upper = version.to_uppercase();
        for other in [&upper, &format!("{{{version}}}"), &version.replace('-', ""), "1", ""] {
            assert_eq!(Version::read(other), None, "{other}");
        }
    }

    // rows: C12 B2
    #[test]
    fn a_name_has_at_most_1024_bytes() {
        assert!(ObjectName::new(&"a".repeat(1024), false).is_ok());
        assert!(ObjectName::new(&"a".repeat(1025), false).is_err());
        // Three bytes a letter.
        assert!(ObjectName::new(&"क".repeat(341), true).is_ok());
        assert!(ObjectName::new(&"क".repeat(342), true).is_err());
    }
}
