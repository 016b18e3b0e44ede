use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt, symlink},
    path::Path,
};

use futures_util::{StreamExt, TryStreamExt};
use rustix::io::Errno;
use tempfile::TempDir;

use super::{journal::Step, *};
use crate::blobs::{
    WHOLE,
    suite::{self, in_pieces, key, pattern, whole},
};

fn disk() -> (TempDir, Disk) {
    let folder = TempDir::new().unwrap();
    let disk = Disk::open(&folder.path().join("blobs")).unwrap();
    (folder, disk)
}

/// Every file and folder below a path.
fn all(path: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| if path.is_dir() { [vec![path.clone()], all(&path)].concat() } else { vec![path] })
        .collect()
}

fn files(path: &Path) -> usize {
    all(path).iter().filter(|path| path.is_file()).count()
}

async fn put(disk: &Disk, size: usize) -> Result<u64, BlobError> {
    disk.put(&key(1), in_pieces(&pattern(size, 0), 10_000), None).await
}

// rows: K02
#[tokio::test]
async fn the_disk_passes_the_suite() {
    let (folder, disk) = disk();
    suite::passes(&disk).await;
    assert_eq!(files(&folder.path().join("blobs/tmp")), 0, "files of uploads that ended early are gone");
}

// rows: K03
#[tokio::test]
async fn bytes_are_synced_before_their_name_and_the_name_before_the_answer() {
    use Step::{Create, Name, SyncFile, SyncFolder, Write};
    let (_folder, disk) = disk();
    put(&disk, 10).await.unwrap();
    disk.folder.journal.take();
    put(&disk, 10).await.unwrap();
    assert_eq!(disk.folder.journal.take(), [Create, Write, SyncFile, Name, SyncFolder]);
    disk.copy(&key(1), &key(2)).await.unwrap();
    assert!(disk.folder.journal.take().ends_with(&[Name, SyncFolder]));
    let upload = disk.begin_parts(&key(1)).await.unwrap();
    let mut parts = Vec::new();
    for number in [1, 2] {
        let bytes = in_pieces(&pattern(10, 0), 10);
        let (part, _) = disk.put_part((&key(1), &upload), number, bytes, None).await.unwrap();
        let steps = disk.folder.journal.take();
        assert!(steps.ends_with(&[Create, Write, SyncFile, SyncFolder]), "{steps:?}");
        parts.push((number, part));
    }
    disk.complete_parts((&key(1), &upload), &parts).await.unwrap();
    let steps = disk.folder.journal.take();
    assert!(steps.starts_with(&[Create, Write, Write, SyncFile, Name, SyncFolder]), "{steps:?}");
}

// rows: K03
#[tokio::test]
async fn new_folders_are_durable_before_the_first_blob_in_them() {
    use Step::{Create, MakeFolder, Name, SyncFile, SyncFolder, Write};
    let (_folder, disk) = disk();
    put(&disk, 10).await.unwrap();
    let made = [MakeFolder, SyncFolder];
    let expected = [&made[..], &[Create, Write, SyncFile], &made, &made, &[Name, SyncFolder]].concat();
    assert_eq!(disk.folder.journal.take(), expected);
}

// rows: K03
#[tokio::test]
async fn a_full_disk_is_told_and_leaves_nothing() {
    for step in [Step::MakeFolder, Step::Create, Step::Write, Step::SyncFile, Step::Name, Step::SyncFolder] {
        for size in [10, 200_000] {
            let (folder, disk) = disk();
            disk.folder.journal.refuse(step, Errno::NOSPC);
            assert!(matches!(put(&disk, size).await, Err(BlobError::NoSpace)), "{step:?}");
            assert_eq!(files(folder.path()), 0, "{step:?}");
        }
    }
}

// rows: K04
#[tokio::test]
async fn others_cannot_read_what_lies_there() {
    let (folder, disk) = disk();
    put(&disk, 10).await.unwrap();
    for path in all(folder.path()) {
        let mode = path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, if path.is_dir() { 0o700 } else { 0o600 }, "{}", path.display());
    }
}

// rows: K04
#[tokio::test]
async fn links_lead_nowhere() {
    let (folder, disk) = disk();
    let outside = folder.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("secret"), "secret").unwrap();
    let blobs = folder.path().join("blobs");
    // The name of a blob is a link to a file.
    fs::create_dir_all(blobs.join("objects/01")).unwrap();
    symlink(outside.join("secret"), blobs.join(key(1).to_string())).unwrap();
    assert!(whole(&disk, &key(1)).await.is_err());
    assert!(disk.size(&key(1)).await.is_err());
    assert_eq!(disk.list("objects/01/").await.unwrap(), []);
    put(&disk, 10).await.unwrap();
    assert_eq!(fs::read_to_string(outside.join("secret")).unwrap(), "secret");
    // A folder of blobs is a link to a folder.
    fs::rename(blobs.join("objects"), blobs.join("away")).unwrap();
    symlink(&outside, blobs.join("objects")).unwrap();
    assert!(put(&disk, 10).await.is_err());
    assert!(disk.list("objects/01/").await.is_err());
    assert_eq!(all(&outside).len(), 1);
}

// rows: K04
#[tokio::test]
async fn no_key_leads_out_of_the_folder() {
    let (folder, disk) = disk();
    fs::write(folder.path().join("secret"), "secret").unwrap();
    for key in ["../secret", "..", ".", "", "a//b", "/etc/passwd", "a\0b"] {
        assert!(disk.discard(key, "2026-11-27").await.is_err(), "{key:?}");
    }
    for id in ["..", "../..", "a/../b", ""] {
        let upload = PartsId(id.to_owned());
        assert!(disk.put_part((&key(1), &upload), 1, in_pieces(&pattern(1, 0), 1), None).await.is_err());
        assert!(disk.complete_parts((&key(1), &upload), &[(1, PartId("1.0".into()))]).await.is_err());
        assert!(disk.abort_parts((&key(1), &upload)).await.is_err());
    }
    let upload = disk.begin_parts(&key(1)).await.unwrap();
    disk.put_part((&key(1), &upload), 1, in_pieces(&pattern(1, 0), 1), None).await.unwrap();
    for part in ["../../../../secret", "..", ""] {
        let parts = [(1, PartId(part.to_owned()))];
        assert!(disk.complete_parts((&key(1), &upload), &parts).await.is_err());
    }
    disk.abort_parts((&key(1), &upload)).await.unwrap();
    assert_eq!(files(folder.path()), 1);
}

#[tokio::test]
async fn a_copy_shares_the_bytes_and_counts_as_new() {
    let (folder, disk) = disk();
    put(&disk, 10).await.unwrap();
    let path = |number| folder.path().join("blobs").join(key(number).to_string());
    let old = filetime(&path(1));
    disk.copy(&key(1), &key(2)).await.unwrap();
    let copy = fs::metadata(path(2)).unwrap();
    assert_eq!(copy.nlink(), 2);
    let listed = disk.list("objects/02/").await.unwrap();
    let modified = listed[0].modified.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    assert!(i64::try_from(modified).unwrap() == copy.ctime() && copy.mtime() == old);
    assert!(disk.copy(&key(1), &key(2)).await.is_err(), "a version is written once");
}

/// Makes the bytes of a file a day old, and says how old.
fn filetime(path: &Path) -> i64 {
    let old = fs::metadata(path).unwrap().modified().unwrap() - std::time::Duration::from_secs(86_400);
    fs::File::options().write(true).open(path).unwrap().set_modified(old).unwrap();
    fs::metadata(path).unwrap().mtime()
}

#[tokio::test]
async fn a_file_that_became_shorter_ends_its_stream_with_an_error() {
    let (folder, disk) = disk();
    put(&disk, 1_000_000).await.unwrap();
    let stream = disk.get(&key(1), WHOLE).await.unwrap();
    let path = folder.path().join("blobs").join(key(1).to_string());
    fs::File::options().write(true).open(path).unwrap().set_len(10).unwrap();
    let pieces: Vec<_> = stream.collect().await;
    assert!(matches!(pieces.last(), Some(Err(BlobError::Io(_)))));
}

#[tokio::test]
async fn many_readers_get_small_pieces_and_none_ahead() {
    let (_folder, disk) = disk();
    put(&disk, 300_000).await.unwrap();
    let mut streams = Vec::new();
    for _ in 0..40 {
        streams.push(disk.get(&key(1), WHOLE).await.unwrap());
    }
    let last = streams.pop().unwrap();
    let sizes: Vec<_> = last.map_ok(|piece| piece.len()).try_collect().await.unwrap();
    assert_eq!(sizes, [65_536, 65_536, 65_536, 65_536, 37_856]);
    drop(streams);
    let first = disk.get(&key(1), WHOLE).await.unwrap().next().await.unwrap();
    assert_eq!(first.unwrap().len(), 262_144);
}
