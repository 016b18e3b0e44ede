//! Blobs in a folder of this machine.
//!
//! `object_store::local` was weighed and not taken. It reads in pieces of 8 KiB, joins parts by
//! writing their bytes again from memory, follows symbolic links, makes files that others may read,
//! and tells a full disk as any other error. It is kept for S3, where it is good.
//!
//! What makes a blob durable, in this order: the file is synced, it gets its name, the folder of
//! the name is synced. Only then `put` answers, so that the row which names the version commits
//! last. Bytes of an upload that ends early lie in `tmp/` without a name and are removed.
//!
//! | folder | what lies there |
//! |---|---|
//! | `objects/ab/<version>` | the bytes of an object |
//! | `tails/ab/<version>` | what an unfinished upload has received and that is no part yet |
//! | `parts/ab/<version>/<number>.<n>` | a part of an unfinished upload |
//! | `tmp/<process>.<n>` | a file that is being written |
//! | `trash/<date>/objects/ab/<version>` | what the sweeper found without a row |

use std::{io, ops::Range, path::Path, sync::Arc};

use futures_util::future::BoxFuture;
use rustix::fs::FileType;
use tokio::{sync::Semaphore, task::spawn_blocking};

use super::{BlobError, BlobKey, BlobStore, ByteStream, PartId, PartsId, StoredBlob};
use batch::Batch;
use folder::Folder;
use location::Location;
use new_file::NewFile;
use reader::Readers;

/// Bytes of a stream, gathered for one write.
mod batch;

/// Names below the folder: where a key lies.
mod location;

/// Blobs as a stream of pieces, each read ahead of its use.
mod reader;

/// A file on its way to its name.
mod new_file;

/// All blobs below a folder.
mod listing;

/// Folders, whose entries are reached without following a link.
mod folder;

/// The calls that change the disk, as tests see them.
mod journal;

/// How many threads work on the disk at a time. A disk gains little by more, and each has a stack.
const MOST_THREADS: usize = 64;

/// A folder that holds the blobs of one stack.
#[derive(Debug)]
pub(crate) struct Disk {
    folder: Folder,
    threads: Arc<Semaphore>,
    readers: Readers,
}

impl Disk {
    /// The back end in the folder at `path`, which is made if it is not there.
    ///
    /// # Errors
    /// The folder cannot be made or opened.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self::over(Folder::at(path)?))
    }

    /// Names of the folders in it.
    ///
    /// # Errors
    /// [`BlobError::Io`].
    pub(crate) async fn folders(&self) -> Result<Vec<String>, BlobError> {
        self.run(|root| {
            let entries = root.entries()?.into_iter().filter(|entry| entry.kind == FileType::Directory);
            Ok(entries.map(|entry| entry.name).collect())
        })
        .await
    }

    fn over(folder: Folder) -> Self {
        Self { folder, threads: Arc::new(Semaphore::new(MOST_THREADS)), readers: Readers::default() }
    }

    /// Works on the disk on a thread that may block. The work goes on if the future is dropped.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Folder) -> io::Result<T> + Send + 'static,
    ) -> Result<T, BlobError> {
        let permit = Arc::clone(&self.threads).acquire_owned().await.expect("it is never closed");
        let folder = self.folder.clone();
        let worked = spawn_blocking(move || {
            let _permit = permit;
            work(&folder)
        });
        Ok(worked.await.map_err(io::Error::other)??)
    }

    /// Writes a stream into a file that `create` makes, and has `keep` make it durable. A stream
    /// that fits one batch is one piece of work.
    async fn write<T: Send + 'static>(
        &self,
        mut bytes: ByteStream,
        create: impl FnOnce(&Folder) -> io::Result<NewFile> + Send + 'static,
        keep: impl FnOnce(NewFile, &Folder) -> io::Result<T> + Send + 'static,
    ) -> Result<T, BlobError> {
        let first = Batch::gather(&mut bytes).await?;
        if first.is_last {
            return self.run(move |root| keep(create(root)?.append(&first.pieces)?, root)).await;
        }
        let mut file = self.run(move |root| create(root)?.append(&first.pieces)).await?;
        loop {
            let batch = Batch::gather(&mut bytes).await?;
            if batch.is_last {
                return self.run(move |root| keep(file.append(&batch.pieces)?, root)).await;
            }
            file = self.run(move |_| file.append(&batch.pieces)).await?;
        }
    }
}

impl BlobStore for Disk {
    fn put<'a>(
        &'a self,
        key: &'a BlobKey,
        bytes: ByteStream,
        _: Option<u64>,
    ) -> BoxFuture<'a, Result<u64, BlobError>> {
        let key = key.to_string();
        Box::pin(self.write(bytes, NewFile::in_tmp, move |file, root| {
            let size = file.written();
            file.keep_as(root, &key).map(|()| size)
        }))
    }

    fn get<'a>(
        &'a self,
        key: &'a BlobKey,
        range: Range<u64>,
    ) -> BoxFuture<'a, Result<ByteStream, BlobError>> {
        let key = key.to_string();
        Box::pin(async move {
            let reader = self.readers.begin();
            let (reader, first) = self.run(move |root| reader.open(root, &key, range)).await?;
            Ok(reader.into_stream(first))
        })
    }

    fn size<'a>(&'a self, key: &'a BlobKey) -> BoxFuture<'a, Result<u64, BlobError>> {
        let key = key.to_string();
        Box::pin(self.run(move |root| {
            let at = Location::of(&key)?;
            Ok(at.open(root)?.file(at.name)?.metadata()?.len())
        }))
    }

    /// Gives the bytes a second name, as they never change. Where the file system cannot, they are
    /// written again.
    fn copy<'a>(&'a self, from: &'a BlobKey, to: &'a BlobKey) -> BoxFuture<'a, Result<(), BlobError>> {
        let (from, to) = (from.to_string(), to.to_string());
        Box::pin(self.run(move |root| {
            let source = Location::of(&from)?;
            let folder = source.open(root)?;
            let linked =
                Location::of(&to)?.name_durably(root, |target, name| folder.link(source.name, target, name));
            match linked {
                Err(error) if cannot_link(&error) => {
                    NewFile::in_tmp(root)?.append_file(&folder.file(source.name)?)?.keep_as(root, &to)
                }
                linked => linked,
            }
        }))
    }

    fn delete<'a>(&'a self, key: &'a BlobKey) -> BoxFuture<'a, Result<(), BlobError>> {
        let text = key.to_string();
        Box::pin(async move { absent_is_fine(self.run(move |root| remove(root, &text)).await) })
    }

    fn list<'a>(&'a self, prefix: &'a str) -> BoxFuture<'a, Result<Vec<StoredBlob>, BlobError>> {
        let prefix = prefix.to_owned();
        Box::pin(self.run(move |root| listing::below(root, &prefix)))
    }

    fn smallest_part(&self) -> u64 {
        1
    }

    /// An upload lies in a folder of its own, which its first part makes.
    fn begin_parts<'a>(&'a self, key: &'a BlobKey) -> BoxFuture<'a, Result<PartsId, BlobError>> {
        let key = key.to_string();
        Box::pin(async move { Ok(PartsId(Location::of(&key)?.name.to_owned())) })
    }

    fn put_part<'a>(
        &'a self,
        (_, id): (&'a BlobKey, &'a PartsId),
        number: u32,
        bytes: ByteStream,
        _: Option<u64>,
    ) -> BoxFuture<'a, Result<(PartId, u64), BlobError>> {
        let folder = parts_of(id);
        let create =
            move |root: &Folder| NewFile::create(Location::of(&folder)?.make_all(root)?, &number.to_string());
        Box::pin(self.write(bytes, create, |file, _| {
            let size = file.written();
            Ok((PartId(file.keep()?), size))
        }))
    }

    fn delete_part<'a>(
        &'a self,
        (_, id): (&'a BlobKey, &'a PartsId),
        part: &'a PartId,
    ) -> BoxFuture<'a, Result<(), BlobError>> {
        let file = format!("{}/{}", parts_of(id), part.0);
        Box::pin(async move { absent_is_fine(self.run(move |root| remove(root, &file)).await) })
    }

    /// The kernel copies the parts into one file. One part alone only gets the name.
    fn complete_parts<'a>(
        &'a self,
        (key, id): (&'a BlobKey, &'a PartsId),
        parts: &'a [(u32, PartId)],
    ) -> BoxFuture<'a, Result<u64, BlobError>> {
        let (folder, key) = (parts_of(id), key.to_string());
        let parts: Vec<String> = parts.iter().map(|(_, part)| part.0.clone()).collect();
        Box::pin(self.run(move |root| {
            let at = Location::of(&folder)?;
            let above = at.open(root)?;
            let size = join(root, &above.open(at.name)?, &parts, &key)?;
            above.remove_tree(at.name)?;
            Ok(size)
        }))
    }

    fn abort_parts<'a>(
        &'a self,
        (_, id): (&'a BlobKey, &'a PartsId),
    ) -> BoxFuture<'a, Result<(), BlobError>> {
        let folder = parts_of(id);
        Box::pin(async move {
            let removed = self.run(move |root| {
                let at = Location::of(&folder)?;
                at.open(root)?.remove_tree(at.name)
            });
            absent_is_fine(removed.await)
        })
    }

    fn discard<'a>(&'a self, key: &'a str, date: &'a str) -> BoxFuture<'a, Result<(), BlobError>> {
        let (key, discarded) = (key.to_owned(), format!("trash/{date}/{key}"));
        Box::pin(self.run(move |root| {
            let at = Location::of(&key)?;
            let folder = at.open(root)?;
            Location::of(&discarded)?
                .name_durably(root, |trash, name| folder.rename(at.name, trash, name))?;
            remove_if_empty(root, &key)
        }))
    }

    fn discarded<'a>(&'a self) -> BoxFuture<'a, Result<Vec<String>, BlobError>> {
        Box::pin(self.run(|root| match root.open("trash") {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            trash => Ok(trash?.entries()?.into_iter().map(|entry| entry.name).collect()),
        }))
    }

    fn delete_discarded<'a>(&'a self, date: &'a str) -> BoxFuture<'a, Result<(), BlobError>> {
        let date = date.to_owned();
        Box::pin(
            async move { absent_is_fine(self.run(move |root| root.open("trash")?.remove_tree(&date)).await) },
        )
    }
}

/// The folder of the parts of an upload.
fn parts_of(PartsId(id): &PartsId) -> String {
    format!("parts/{}/{id}", id.get(..2).unwrap_or("none"))
}

/// Makes one file of parts, and gives it the name of `key`.
fn join(root: &Folder, folder: &Folder, parts: &[String], key: &str) -> io::Result<u64> {
    if let [only] = parts {
        let size = folder.file(only)?.metadata()?.len();
        Location::of(key)?.name_durably(root, |target, name| folder.rename(only, target, name))?;
        return Ok(size);
    }
    let joined = parts
        .iter()
        .try_fold(NewFile::in_tmp(root)?, |joined, part| joined.append_file(&folder.file(part)?))?;
    let size = joined.written();
    joined.keep_as(root, key).map(|()| size)
}

/// Removes a blob.
fn remove(root: &Folder, key: &str) -> io::Result<()> {
    let at = Location::of(key)?;
    at.open(root)?.remove_file(at.name)?;
    remove_if_empty(root, key)
}

/// Removes the folder of a version that has lost its last part.
fn remove_if_empty(root: &Folder, key: &str) -> io::Result<()> {
    let Some((version, _)) = key.rsplit_once('/').filter(|(above, _)| above.matches('/').count() == 2) else {
        return Ok(());
    };
    let at = Location::of(version)?;
    // It fails while there are others.
    let _ = at.open(root)?.remove_folder(at.name);
    Ok(())
}

/// Whether a file system has no second names, or no more of them for this file.
fn cannot_link(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::TooManyLinks | io::ErrorKind::Unsupported | io::ErrorKind::PermissionDenied
    )
}

fn absent_is_fine(done: Result<(), BlobError>) -> Result<(), BlobError> {
    match done {
        Err(BlobError::NotFound) => Ok(()),
        done => done,
    }
}

#[cfg(test)]
mod tests;
