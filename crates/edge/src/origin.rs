//! Where a function's code comes from, and how a change is told (CONTRACT.md F02, G05, G13).

use std::{
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use crate::shelf::Deployed;

/// Where a function's code comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    Component(PathBuf),
    /// Only a source for Deno is there.
    TypeScript,
    /// It is configured and nothing more.
    Nowhere,
}

/// Tells a changed function without reading its component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) file: FileStamp,
    pub(crate) origin: Origin,
    pub(crate) revision: u64,
    pub(crate) deployed: Option<Arc<Deployed>>,
}

/// Tells a changed file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileStamp {
    modified: Option<SystemTime>,
    length: u64,
    inode: u64,
}

/// Bytes of the longest name: with what is put behind it, still the name of a file.
const LONGEST_NAME: usize = 128;

/// Whether a name can be a function's: `^[A-Za-z][A-Za-z0-9_-]*$` (F02), of at most 128 bytes.
#[must_use]
pub fn is_function_name(name: &str) -> bool {
    name.len() <= LONGEST_NAME
        && name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

pub(crate) fn is_typescript(folder: &Path) -> bool {
    !folder.join("Cargo.toml").is_file()
        && ["index.ts", "index.js"].iter().any(|entry| folder.join(entry).is_file())
}

/// Folders that change when a function of TypeScript comes or goes: that of all sources, or where it would be made, and those in
/// it.
pub(crate) fn folders_of_sources(sources: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(sources) else {
        return sources.parent().into_iter().map(Path::to_owned).collect();
    };
    let inside = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| {
        let name = path.file_name().and_then(|name| name.to_str());
        path.is_dir() && name.is_some_and(is_function_name)
    });
    inside.chain([sources.to_owned()]).collect()
}

impl FileStamp {
    /// That of no file. One that cannot be read has it as well, so that its return is noticed.
    pub(crate) const NONE: Self = Self { modified: None, length: 0, inode: 0 };

    pub(crate) fn of(origin: &Origin) -> Self {
        let Origin::Component(path) = origin else { return Self::NONE };
        fs::metadata(path).map_or(Self::NONE, |found| Self {
            modified: found.modified().ok(),
            length: found.len(),
            inode: found.ino(),
        })
    }

    /// Bytes of the file.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }
}

#[cfg(test)]
mod tests {
    use super::is_function_name;

    #[test]
    fn functions_f02_names_follow_the_pattern() {
        for good in ["hello", "a", "Send-mail_2"] {
            assert!(is_function_name(good), "{good}");
        }
        assert!(is_function_name(&"a".repeat(128)) && !is_function_name(&"a".repeat(129)));
        for bad in ["", "_shared", "1st", "a.b", "a/b", "ä", "-a"] {
            assert!(!is_function_name(bad), "{bad}");
        }
    }
}
