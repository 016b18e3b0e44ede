//! What a running stack tells other commands about itself: a lock that says that it runs, and a record of where.
//!
//! The lock is the system's, so it is gone with the process however that ends; the record is believed only under it.

use std::{
    fs::{File, OpenOptions},
    io::Write,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

/// Where a running stack answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// Id of its process.
    pub(crate) pid: u32,
    /// Origin of the API.
    pub(crate) api_url: String,
    /// Origin of the admin listener.
    pub(crate) admin_url: String,
    /// Origin of the mail inbox, when it runs.
    pub(crate) mail_url: Option<String>,
    /// TCP port of the embedded PostgreSQL; none for an external one.
    pub(crate) db_port: Option<u16>,
    /// Folder of its Unix socket.
    pub(crate) db_socket: Option<PathBuf>,
}

/// The lock of the process that runs the stack.
#[derive(Debug)]
pub(crate) struct Lock {
    record: PathBuf,
    _file: File,
}

impl Lock {
    /// Takes the lock of the project's state folder, or fails when a stack runs or starts there.
    pub(crate) fn take(state: &Path) -> anyhow::Result<Self> {
        std::fs::create_dir_all(state).with_context(|| format!("cannot make {}", state.display()))?;
        let mut file = open_lock(state)?;
        if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
            bail!("another banyan runs this project already (process {})", holder(state).unwrap_or_default());
        }
        let record = record_path(state);
        // What is there was left by a process that ended without saying so.
        let _ = std::fs::remove_file(&record);
        file.set_len(0)?;
        write!(file, "{}", std::process::id())?;
        Ok(Self { record, _file: file })
    }

    /// Publishes the record: from now on the stack counts as running.
    pub(crate) fn publish(&self, record: &Record) -> anyhow::Result<()> {
        let new = self.record.with_extension("new");
        let mut file = OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&new)?;
        file.write_all(&serde_json::to_vec_pretty(record)?)?;
        std::fs::rename(&new, &self.record)?;
        Ok(())
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // The lock itself says that nothing runs; a record left behind would mislead nobody.
        let _ = std::fs::remove_file(&self.record);
    }
}

/// The running stack of the project; none when nothing runs or it is not ready yet.
pub(crate) fn running(state: &Path) -> Option<Record> {
    holder(state)?;
    let text = std::fs::read(record_path(state)).ok()?;
    serde_json::from_slice(&text).ok()
}

/// The running stack, or the words of the supabase CLI that there is none.
pub(crate) fn require(state: &Path) -> anyhow::Result<Record> {
    running(state).context("banyan start is not running.")
}

/// Id of the process that holds the lock, ready or not.
pub(crate) fn holder(state: &Path) -> Option<u32> {
    let path = lock_path(state);
    let file = File::open(&path).ok()?;
    if flock(&file, FlockOperation::NonBlockingLockShared).is_ok() {
        return None;
    }
    std::fs::read_to_string(&path).ok()?.trim().parse().ok()
}

fn open_lock(state: &Path) -> anyhow::Result<File> {
    let path = lock_path(state);
    OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .open(&path)
        .with_context(|| format!("cannot open {}", path.display()))
}

fn lock_path(state: &Path) -> PathBuf {
    state.join("banyan.lock")
}

fn record_path(state: &Path) -> PathBuf {
    state.join("running.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        Record {
            pid: 1,
            api_url: "http://127.0.0.1:1".to_owned(),
            admin_url: "http://127.0.0.1:2".to_owned(),
            mail_url: None,
            db_port: Some(3),
            db_socket: None,
        }
    }

    #[test]
    fn a_stack_counts_as_running_from_its_record_to_the_end_of_its_lock() {
        let state = tempfile::tempdir().expect("a folder");
        assert_eq!(running(state.path()), None);
        let lock = Lock::take(state.path()).expect("the lock");
        assert_eq!((holder(state.path()), running(state.path())), (Some(std::process::id()), None));
        lock.publish(&record()).expect("published");
        assert_eq!(running(state.path()), Some(record()));
        assert!(Lock::take(state.path()).is_err());
        drop(lock);
        assert_eq!((holder(state.path()), running(state.path())), (None, None));
    }

    #[test]
    fn a_record_left_behind_is_not_believed() {
        let state = tempfile::tempdir().expect("a folder");
        std::fs::write(record_path(state.path()), serde_json::to_vec(&record()).expect("JSON"))
            .expect("written");
        assert_eq!(running(state.path()), None);
        assert!(require(state.path()).expect_err("none").to_string().contains("is not running"));
    }
}
