//! Where a function's code comes from, and how a change of it is noticed (CONTRACT.md G05, G13).

use std::{
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use crate::{deployments::record::DeploymentRecord, function_name::is_function_name};

/// Where a function's code comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Origin {
    Component(PathBuf),
    /// There is a source for Deno, and nothing else.
    TypeScript,
    /// The function is configured, and nothing else.
    Nowhere,
}

/// What changes when a function changes. Comparing it needs no look into the component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) file: FileStamp,
    pub(super) origin: Origin,
    /// The revision of the settings.
    pub(super) revision: u64,
    pub(super) deployed: Option<Arc<DeploymentRecord>>,
}

/// What changes when a file changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileStamp {
    modified: Option<SystemTime>,
    length: u64,
    inode: u64,
}

/// Whether a folder holds a function for Deno, and no Rust crate.
pub(super) fn is_typescript(folder: &Path) -> bool {
    !folder.join("Cargo.toml").is_file()
        && ["index.ts", "index.js"].iter().any(|entry| folder.join(entry).is_file())
}

/// Folders that change when a TypeScript function comes or goes: the folder of all sources and the
/// folders in it. If that folder does not exist, its parent.
pub(super) fn folders_of_sources(sources: &Path) -> Vec<PathBuf> {
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
    /// The stamp of no file. A file that cannot be read has it too, so that its return is noticed.
    pub(super) const NONE: Self = Self { modified: None, length: 0, inode: 0 };

    pub(super) fn of(origin: &Origin) -> Self {
        let Origin::Component(path) = origin else { return Self::NONE };
        fs::metadata(path).map_or(Self::NONE, |found| Self {
            modified: found.modified().ok(),
            length: found.len(),
            inode: found.ino(),
        })
    }

    /// Bytes of the file.
    pub(super) fn length(&self) -> u64 {
        self.length
    }
}
