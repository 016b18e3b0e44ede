//! The kept mails: the newest ones, on disk, each in a file that is itself a mail.
//!
//! A file is `<arrival in ns>-<id>[.read].eml` and opens with the lines `Return-Path` and
//! `X-Envelope-To`.

use std::{
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use sha2::{Digest, Sha256};
use time::OffsetDateTime;
use tokio::fs;

use super::{
    mail::{self, Summary},
    smtp::Envelope,
};
use crate::LocalError;

/// Mails kept.
const MOST_MAILS: usize = 500;

/// Bytes kept.
const MOST_BYTES: usize = 200 << 20;

/// The mails, newest first.
#[derive(Debug)]
pub(super) struct Store {
    folder: PathBuf,
    mails: Mutex<Vec<StoredMail>>,
}

#[derive(Debug, Clone)]
struct StoredMail {
    /// File name without `.eml` or `.read.eml`.
    stem: String,
    summary: Summary,
    return_path: String,
}

impl StoredMail {
    fn file(&self) -> String {
        file_name(&self.stem, self.summary.read)
    }
}

/// A mail as it was sent, with what the list says of it.
#[derive(Debug)]
pub(super) struct Whole {
    pub(super) summary: Summary,
    pub(super) return_path: String,
    pub(super) raw: Vec<u8>,
}

impl Store {
    /// Reads the mails that earlier runs kept; files that are none are left alone.
    pub(super) async fn open(folder: &Path) -> Result<Self, LocalError> {
        fs::create_dir_all(folder).await.map_err(LocalError::file("make", folder))?;
        // Mails carry codes and links that open accounts.
        fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700))
            .await
            .map_err(LocalError::file("set the mode of", folder))?;
        let mut entries = fs::read_dir(folder).await.map_err(LocalError::file("read", folder))?;
        let mut mails = Vec::new();
        while let Some(entry) = entries.next_entry().await.map_err(LocalError::file("read", folder))? {
            let name = entry.file_name().to_string_lossy().into_owned();
            if let Ok(raw) = fs::read(entry.path()).await {
                mails.extend(parse_file(&name, &raw));
            }
        }
        mails.sort_by(|one, other| other.stem.cmp(&one.stem));
        Ok(Self { folder: folder.to_owned(), mails: Mutex::new(mails) })
    }

    /// Keeps a mail and drops the oldest beyond the bounds. Gives its id.
    pub(super) async fn add(
        &self,
        envelope: &Envelope,
        raw: &[u8],
        now: OffsetDateTime,
    ) -> Result<String, LocalError> {
        let head =
            format!("Return-Path: <{}>\r\nX-Envelope-To: {}\r\n", envelope.from, envelope.to.join(", "));
        let whole = [head.as_bytes(), raw].concat();
        let stem = self.unused_stem(&whole, now);
        let kept = parse_file(&file_name(&stem, false), &whole).expect("the name has its own form");
        let id = kept.summary.id.clone();
        let (path, part) = (self.folder.join(kept.file()), self.folder.join(format!("{stem}.part")));
        fs::write(&part, &whole).await.map_err(LocalError::file("write", &part))?;
        fs::rename(&part, &path).await.map_err(LocalError::file("write", &path))?;
        let dropped = {
            let mut mails = self.locked();
            let place = mails.partition_point(|other| other.stem > kept.stem);
            mails.insert(place, kept);
            let keep = bound(&mails);
            mails.split_off(keep)
        };
        self.remove_files(&dropped).await;
        Ok(id)
    }

    /// The entries that `wanted` picks, newest first.
    pub(super) fn list(&self, wanted: impl Fn(&Summary) -> bool) -> Vec<Summary> {
        self.locked().iter().map(|kept| &kept.summary).filter(|summary| wanted(summary)).cloned().collect()
    }

    /// Number of mails, and of unread ones.
    pub(super) fn counts(&self) -> (usize, usize) {
        let mails = self.locked();
        (mails.len(), mails.iter().filter(|kept| !kept.summary.read).count())
    }

    /// Bytes of all mails.
    pub(super) fn bytes(&self) -> usize {
        self.locked().iter().map(|kept| kept.summary.size).sum()
    }

    /// One mail by its id, or the newest by `latest`.
    pub(super) async fn get(&self, id: &str) -> Option<Whole> {
        let kept = {
            let mails = self.locked();
            mails.iter().find(|kept| id == "latest" || kept.summary.id == id)?.clone()
        };
        let raw = fs::read(self.folder.join(kept.file())).await.ok()?;
        let (_, raw) = split_head(&raw)?;
        Some(Whole { raw: raw.to_vec(), summary: kept.summary, return_path: kept.return_path })
    }

    /// Sets the read flag of the mails that `wanted` picks.
    pub(super) async fn mark(&self, read: bool, wanted: impl Fn(&Summary) -> bool) {
        let renamed: Vec<(String, String)> = {
            let mut mails = self.locked();
            mails
                .iter_mut()
                .filter(|kept| kept.summary.read != read && wanted(&kept.summary))
                .map(|kept| {
                    let before = kept.file();
                    kept.summary.read = read;
                    (before, kept.file())
                })
                .collect()
        };
        for (before, after) in renamed {
            if let Err(error) = fs::rename(self.folder.join(before), self.folder.join(&after)).await {
                tracing::warn!(%error, mail.file = after, "the read flag of a mail could not be kept");
            }
        }
    }

    /// Deletes the mails that `wanted` picks.
    pub(super) async fn delete(&self, wanted: impl Fn(&Summary) -> bool) {
        let removed: Vec<StoredMail> = {
            let mut mails = self.locked();
            let (removed, kept) =
                std::mem::take(&mut *mails).into_iter().partition(|kept| wanted(&kept.summary));
            *mails = kept;
            removed
        };
        self.remove_files(&removed).await;
    }

    async fn remove_files(&self, mails: &[StoredMail]) {
        for kept in mails {
            if let Err(error) = fs::remove_file(self.folder.join(kept.file())).await {
                tracing::warn!(%error, mail.id = kept.summary.id, "a dropped mail's file stays");
            }
        }
    }

    /// Arrival and fingerprint; a second mail of the same bytes in the same instant is moved on by
    /// a nanosecond.
    fn unused_stem(&self, whole: &[u8], now: OffsetDateTime) -> String {
        let mut nanoseconds = now.unix_timestamp_nanos();
        let mails = self.locked();
        loop {
            let mut hash = Sha256::new();
            hash.update(nanoseconds.to_be_bytes());
            hash.update(whole);
            let id = hex::encode(&hash.finalize()[..11]);
            let stem = format!("{nanoseconds:020}-{id}");
            if !mails.iter().any(|kept| kept.stem == stem) {
                return stem;
            }
            nanoseconds += 1;
        }
    }

    fn locked(&self) -> MutexGuard<'_, Vec<StoredMail>> {
        // Every change is one step, so a panic elsewhere leaves a whole list behind.
        self.mails.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How many of the mails, newest first, are within the bounds; the newest always is.
fn bound(mails: &[StoredMail]) -> usize {
    let mut bytes = 0;
    let within = mails.iter().take(MOST_MAILS).take_while(|kept| {
        bytes += kept.summary.size;
        bytes <= MOST_BYTES
    });
    within.count().max(1)
}

fn file_name(stem: &str, read: bool) -> String {
    format!("{stem}{}.eml", if read { ".read" } else { "" })
}

fn parse_file(name: &str, content: &[u8]) -> Option<StoredMail> {
    let base = name.strip_suffix(".eml")?;
    let stem = base.strip_suffix(".read").unwrap_or(base);
    let (arrived, id) = stem.split_once('-')?;
    let created = OffsetDateTime::from_unix_timestamp_nanos(arrived.parse().ok()?).ok()?;
    let (envelope, raw) = split_head(content)?;
    let mut summary = mail::summarize(id, raw, &envelope.to, created);
    summary.read = base != stem;
    Some(StoredMail { stem: stem.to_owned(), summary, return_path: envelope.from })
}

/// The two lines of ours, and the mail as it was sent.
fn split_head(content: &[u8]) -> Option<(Envelope, &[u8])> {
    let (first, rest) = split_line(content)?;
    let (second, raw) = split_line(rest)?;
    let from = first.strip_prefix("Return-Path: <")?.strip_suffix('>')?.to_owned();
    let to = second.strip_prefix("X-Envelope-To: ")?.split(", ").map(str::to_owned).collect();
    Some((Envelope { from, to }, raw))
}

fn split_line(content: &[u8]) -> Option<(&str, &[u8])> {
    let end = content.windows(2).position(|pair| pair == b"\r\n")?;
    Some((std::str::from_utf8(&content[..end]).ok()?, &content[end + 2..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn envelope(to: &str) -> Envelope {
        Envelope { from: "a@b.c".to_owned(), to: vec![to.to_owned()] }
    }

    fn at(second: i64) -> OffsetDateTime {
        OffsetDateTime::from_unix_timestamp(second).expect("a time")
    }

    // rows: LOC-INBOX
    #[tokio::test]
    async fn mails_are_there_again_after_a_restart() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path()).await.expect("open");
        let first = store.add(&envelope("x@y.z"), b"Subject: 1\r\n\r\none\r\n", at(10)).await.expect("kept");
        let second = store.add(&envelope("x@y.z"), b"Subject: 2\r\n\r\ntwo\r\n", at(20)).await.expect("kept");
        store.mark(true, |summary| summary.id == first).await;

        let again = Store::open(folder.path()).await.expect("open");
        let ids: Vec<_> =
            again.list(|_| true).into_iter().map(|summary| (summary.id, summary.read)).collect();
        assert_eq!(ids, [(second.clone(), false), (first, true)]);
        let whole = again.get("latest").await.expect("the newest");
        assert_eq!((whole.summary.id, whole.return_path.as_str()), (second, "a@b.c"));
        assert_eq!(whole.raw, b"Subject: 2\r\n\r\ntwo\r\n");
    }

    #[tokio::test]
    async fn equal_mails_of_one_instant_are_two_mails() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path()).await.expect("open");
        let one = store.add(&envelope("x@y.z"), b"Subject: 1\r\n\r\n", at(10)).await.expect("kept");
        let other = store.add(&envelope("x@y.z"), b"Subject: 1\r\n\r\n", at(10)).await.expect("kept");
        assert_ne!(one, other);
        assert_eq!(store.counts(), (2, 2));
    }

    // rows: LOC-INBOX
    #[tokio::test]
    async fn the_oldest_mails_are_dropped_beyond_the_bound() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path()).await.expect("open");
        for second in 0..=MOST_MAILS {
            store
                .add(&envelope("x@y.z"), b"Subject: 1\r\n\r\n", at(i64::try_from(second).expect("small")))
                .await
                .expect("kept");
        }
        assert_eq!(store.counts().0, MOST_MAILS);
        assert_eq!(std::fs::read_dir(folder.path()).expect("read").count(), MOST_MAILS);
        assert!(store.list(|_| true).iter().all(|summary| summary.created != "1970-01-01T00:00:00Z"));
    }

    // rows: LOC-INBOX-DELETE
    #[tokio::test]
    async fn deleted_mails_leave_no_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path()).await.expect("open");
        store.add(&envelope("x@y.z"), b"Subject: 1\r\n\r\n", at(1)).await.expect("kept");
        store.delete(|_| true).await;
        assert_eq!(store.counts(), (0, 0));
        assert_eq!(std::fs::read_dir(folder.path()).expect("read").count(), 0);
    }
}
