//! Files that are written whole or not at all, and digests of their content.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, Permissions},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt},
    path::Path,
    sync::{
        LazyLock,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

use sha2::{Digest, Sha256};

/// SHA-256 of bytes in hexadecimal digits.
pub(crate) fn digest(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// Makes a folder that only its owner may read or write, if it does not exist.
pub(crate) fn create_private_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    fs::set_permissions(folder, Permissions::from_mode(0o700))
}

/// Writes a file in one step, readable by its owner only. The file survives a power cut. Several
/// threads and processes may write the same file at once.
pub(crate) fn write_atomically(path: &Path, content: &[u8]) -> io::Result<()> {
    static DRAFTS: AtomicU64 = AtomicU64::new(0);
    let number = DRAFTS.fetch_add(1, Relaxed);
    let draft = path.with_extension(format!("{}-{number}.draft", *DRAFT_PREFIX));
    let written =
        write_draft(&draft, content).and_then(|()| fs::rename(&draft, path)).and_then(|()| sync_folder(path));
    if written.is_err() {
        // The rest of the draft is useless, and the disk may be full.
        let _ = fs::remove_file(draft);
    }
    written
}

/// A new file name survives a power cut only once its folder is written.
fn sync_folder(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

fn write_draft(draft: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(draft)?;
    file.write_all(content)?;
    file.sync_data()
}

/// Tells drafts of this process from those of a process that died. A process id cannot: in a
/// container every process has the same.
static DRAFT_PREFIX: LazyLock<String> = LazyLock::new(|| uuid::Uuid::new_v4().simple().to_string());

/// Whether the extensions of a file are those of a draft that another process left.
pub(crate) fn is_stale_draft(extensions: &str) -> bool {
    extensions.ends_with(".draft") && !extensions.starts_with(DRAFT_PREFIX.as_str())
}
