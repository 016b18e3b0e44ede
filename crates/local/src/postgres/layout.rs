use std::{
    fs::{DirBuilder, File, OpenOptions},
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use rustix::fs::{FlockOperation, flock};

use super::{Purpose, owner::Owner};
use crate::LocalError;

/// A socket's full path may have 107 bytes; its name is at most `/.s.PGSQL.65535`.
const LONGEST_SOCKET_DIR: usize = 107 - 15;

/// The files of one server. Only `postgres/` and the socket's folder belong to the server's user;
/// all that we write ourselves lies in the state folder, where under root that user can plant no
/// link for us to follow.
#[derive(Debug)]
pub(super) struct Layout {
    /// The state folder itself.
    pub(super) state: PathBuf,
    /// `postgres/`, which only the server's user may enter.
    pub(super) root: PathBuf,
    /// PostgreSQL's data, in `postgres/`.
    pub(super) data: PathBuf,
    /// Rules of who may connect (`pg_hba.conf`).
    pub(super) access: PathBuf,
    /// Certificate for TLS.
    pub(super) certificate: PathBuf,
    /// Its private key.
    pub(super) key: PathBuf,
    /// The superuser's password while `initdb` reads it.
    pub(super) password: PathBuf,
    /// Folder of the Unix socket.
    pub(super) socket: PathBuf,
    /// Log of the server.
    pub(super) log: PathBuf,
    lock: PathBuf,
}

impl Layout {
    /// Makes the folders with their owner and modes. The state folder lets others through but shows
    /// them nothing when PostgreSQL runs as another user, and is closed to all others when it does
    /// not.
    pub(super) fn prepare(state: &Path, owner: Owner) -> Result<Self, LocalError> {
        std::fs::create_dir_all(state).map_err(LocalError::file("make", state))?;
        let state = state.canonicalize().map_err(LocalError::file("find", state))?;
        super::owner::set_mode(&state, if owner == Owner::Nobody { 0o711 } else { 0o700 })?;
        let root = state.join("postgres");
        owner.make_folder(&root, 0o700)?;
        owner.check_enters(&root)?;
        let socket = socket_dir(&state, owner)?;
        Ok(Self {
            data: root.join("data"),
            access: state.join("postgres.hba"),
            certificate: state.join("postgres.crt"),
            key: state.join("postgres.key"),
            password: state.join("postgres.pwd"),
            log: state.join("postgres.log"),
            lock: state.join("postgres.lock"),
            root,
            socket,
            state,
        })
    }

    /// Locks the project against a second process. A shared test server waits for its turn instead.
    pub(super) async fn lock(&self, purpose: Purpose) -> Result<File, LocalError> {
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(&self.lock)
            .map_err(LocalError::file("open", &self.lock))?;
        match purpose {
            Purpose::Stack => try_lock(file, &self.lock),
            Purpose::Tests => wait_for_lock(file, &self.lock).await,
        }
    }

    /// Removes the server with its data, unless a process runs it.
    pub(super) fn remove_all(&self) -> Result<(), LocalError> {
        let file = File::create(&self.lock).map_err(LocalError::file("open", &self.lock))?;
        let _lock = try_lock(file, &self.lock)?;
        for folder in [&self.root, &self.socket] {
            if folder.exists() {
                std::fs::remove_dir_all(folder).map_err(LocalError::file("remove", folder))?;
            }
        }
        let passwords = super::passwords::file(&self.state);
        match std::fs::remove_file(&passwords) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(LocalError::File { action: "remove", path: passwords, source: error })
            }
            _ => Ok(()),
        }
    }
}

fn try_lock(file: File, path: &Path) -> Result<File, LocalError> {
    flock(&file, FlockOperation::NonBlockingLockExclusive).map_err(|_| LocalError::InUse(path.to_owned()))?;
    Ok(file)
}

/// Waits, off the runtime's own threads, until nobody else holds the lock.
pub(super) async fn wait_for_lock(file: File, path: &Path) -> Result<File, LocalError> {
    tokio::task::spawn_blocking(move || flock(&file, FlockOperation::LockExclusive).map(|()| file))
        .await
        .map_err(std::io::Error::other)
        .and_then(|locked| locked.map_err(std::io::Error::from))
        .map_err(LocalError::file("lock", path))
}

/// `socket/` of the state folder, or a short folder under `/tmp` when that path is too long for a
/// socket.
fn socket_dir(state: &Path, owner: Owner) -> Result<PathBuf, LocalError> {
    let beside = state.join("socket");
    if beside.as_os_str().len() <= LONGEST_SOCKET_DIR {
        owner.make_folder(&beside, 0o700)?;
        return Ok(beside);
    }
    let short = PathBuf::from(format!("/tmp/banyan-{}-{:016x}", owner.uid(), fingerprint(state)));
    make_private(&short, owner)?;
    Ok(short)
}

/// Makes a folder in a place where others could have put one before us, and trusts it only if it is
/// ours and closed.
fn make_private(path: &Path, owner: Owner) -> Result<(), LocalError> {
    match DirBuilder::new().mode(0o700).create(path) {
        Ok(()) => return owner.own(path),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
        Err(source) => return Err(LocalError::File { action: "make", path: path.to_owned(), source }),
    }
    let found = std::fs::symlink_metadata(path).map_err(LocalError::file("read", path))?;
    if found.is_dir() && found.uid() == owner.uid() && found.mode() & 0o077 == 0 {
        Ok(())
    } else {
        Err(LocalError::ForeignFolder(path.to_owned()))
    }
}

/// FNV-1a of the path: one short folder for each project, nothing more.
fn fingerprint(path: &Path) -> u64 {
    path.as_os_str()
        .as_encoded_bytes()
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
