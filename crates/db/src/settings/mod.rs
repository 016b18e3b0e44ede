//! Where PostgreSQL is and how to log in.

/// From a URL.
mod url;

/// From what libpq takes: a URI, words, variables.
mod libpq;

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use secrecy::SecretString;

/// Everything needed to open connections.
#[derive(Debug, Clone)]
pub struct DatabaseSettings {
    /// Where the server listens.
    pub address: Address,
    /// Other servers of the same database, tried in this order where `address` is away or not as
    /// wanted.
    pub further: Vec<Address>,
    /// What a server must be like.
    pub wanted: Wanted,
    /// Name of the database.
    pub database: String,
    /// The superuser that prepares the platform: `supabase_admin` on a server of our own.
    pub admin_user: String,
    /// Password of `admin_user`.
    pub admin_password: SecretString,
    /// Password of every other login role; the platform sets it, but for `postgres` where that has
    /// one.
    pub password: SecretString,
    /// Passwords of logins that have one of their own in place of the two above; the platform sets
    /// these in any case.
    pub own_passwords: BTreeMap<Login, SecretString>,
    /// Major version of a server of the stack's own; none where the server is somebody else's, or
    /// its version is not known.
    pub own_version: Option<u32>,
    /// The one role that every connection logs in as, with `password`, on a database that has none
    /// of the stack's own logins; none uses those.
    pub only_user: Option<String>,
    /// What the server's list of activities calls every connection.
    pub application_name: String,
    /// Most connections of each pool that pipelines run on: of callers, and of each service that
    /// has one.
    pub pool_size: u32,
    /// Most connections of each sqlx pool.
    pub service_pool_size: u32,
    /// How long a request waits for a free connection, and a start for a lock.
    pub acquire_timeout: Duration,
    /// How long opening a connection may take, login included.
    pub connect_timeout: Duration,
    /// A connection unused for longer is closed.
    pub idle_timeout: Duration,
    /// A connection older than this is closed after use.
    pub max_lifetime: Duration,
    /// Statements kept prepared on each connection. 0 sends every statement unnamed and leaves the
    /// types of parameters to the server, as poolers need that give each transaction another server
    /// connection.
    pub prepared_statements: usize,
    /// Most bytes of one result.
    pub max_result_bytes: usize,
    /// A reader of a large result that takes nothing for so long is given up.
    pub longest_stall: Duration,
    /// Encryption.
    pub tls: Tls,
}

/// Where the server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// A Unix socket `<folder>/.s.PGSQL.<port>`.
    Socket {
        /// The folder.
        folder: PathBuf,
        /// The port in the socket's name.
        port: u16,
    },
    /// TCP.
    Tcp {
        /// Name or address.
        host: String,
        /// Port.
        port: u16,
    },
}

/// What a server must be like to be used: libpq's `target_session_attrs`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// `any`
    Any,
    /// `read-write`
    ReadWrite,
    /// `read-only`
    ReadOnly,
    /// `primary`
    Primary,
    /// `standby`
    Standby,
    /// `prefer-standby`: a standby, or any where there is none.
    PreferStandby,
}

/// Encryption of TCP connections; Unix sockets are never encrypted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tls {
    /// Plain text.
    Off,
    /// Encrypted where the server offers it, as libpq's `prefer`: keeps nobody out who can meddle.
    Preferred,
    /// Encrypted without a look at the certificate, as libpq's `require`: keeps listeners out, not
    /// impostors.
    Unverified,
    /// Encrypted, with a certificate for the host's name from a public authority or from this PEM
    /// file.
    Verified {
        /// PEM file of the authorities to trust in place of the public ones.
        root_certificate: Option<PathBuf>,
    },
}

/// A setting and its value.
pub(crate) type Setting = (&'static str, &'static str);

/// Work that a start waits for is done as who logged in, writes, and is never broken off.
const UNDISTURBED: &[Setting] = &[
    ("role", "none"),
    ("local_preload_libraries", ""),
    ("default_transaction_read_only", "off"),
    ("default_transaction_isolation", "read committed"),
    ("default_transaction_deferrable", "off"),
    ("default_tablespace", ""),
    ("default_table_access_method", "heap"),
    ("standard_conforming_strings", "on"),
    ("idle_session_timeout", "0"),
    ("idle_in_transaction_session_timeout", "0"),
    ("statement_timeout", "0"),
    ("lock_timeout", "0"),
];
/// How long a pipeline of a service waits for each lock: it holds one of few connections meanwhile.
const LOCK_TIMEOUT: Setting = ("lock_timeout", "5s");
/// A statement that took this back would run under it. Servers below 17 do not know the setting.
const ENDLESS: Setting = ("transaction_timeout", "0");

/// The roles that the stack logs in as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Login {
    /// `authenticator`: what `run_as` uses; may become anon, authenticated or service_role and is
    /// nothing by itself.
    Authenticator,
    /// `supabase_auth_admin`: owns the tables of auth.
    AuthAdmin,
    /// `supabase_storage_admin`: owns the tables of storage.
    StorageAdmin,
    /// `supabase_realtime_admin`: owns the tables of realtime.
    RealtimeAdmin,
    /// The superuser, `supabase_admin` on a server of our own.
    Admin,
    /// `postgres`: the project's own role, no superuser.
    Postgres,
}

impl Login {
    /// Every login, in the order of their declaration.
    pub const ALL: [Self; 6] = [
        Self::Authenticator,
        Self::AuthAdmin,
        Self::StorageAdmin,
        Self::RealtimeAdmin,
        Self::Admin,
        Self::Postgres,
    ];

    /// Whether it owns the tables of a service.
    fn is_service(self) -> bool {
        matches!(self, Self::AuthAdmin | Self::StorageAdmin | Self::RealtimeAdmin)
    }

    /// What its sessions begin with, whatever a role or a database says. The superuser's search
    /// path is empty: a project may put functions and operators of its own into `public` and
    /// `extensions`, and must not have the superuser run them. Nor may settings of the database,
    /// which belongs to the project, keep the stack from starting, or make the superuser somebody
    /// else.
    ///
    /// `authenticator` has none, since a pooler takes none.
    fn session(self) -> Vec<Setting> {
        match self {
            Self::Admin => [&[("search_path", "")], UNDISTURBED].concat(),
            Self::AuthAdmin | Self::StorageAdmin | Self::RealtimeAdmin => vec![
                ("role", "none"),
                ("local_preload_libraries", ""),
                ("default_transaction_read_only", "off"),
                ("row_security", "on"),
            ],
            // Whose settings they are has to get in to take them back.
            Self::Postgres => vec![("local_preload_libraries", "")],
            Self::Authenticator => Vec::new(),
        }
    }
}

impl DatabaseSettings {
    /// Settings with the defaults for an address and one password for all roles.
    #[must_use]
    pub fn new(address: Address, password: SecretString) -> Self {
        Self {
            address,
            further: Vec::new(),
            wanted: Wanted::Any,
            database: "postgres".to_owned(),
            admin_user: "supabase_admin".to_owned(),
            admin_password: password.clone(),
            password,
            own_passwords: BTreeMap::new(),
            own_version: None,
            only_user: None,
            application_name: "banyan".to_owned(),
            pool_size: 16,
            service_pool_size: 8,
            acquire_timeout: Duration::from_secs(10),
            connect_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(600),
            max_lifetime: Duration::from_secs(1800),
            prepared_statements: 256,
            max_result_bytes: 64 << 20,
            longest_stall: Duration::from_secs(30),
            tls: Tls::Off,
        }
    }

    /// Settings for a database of somebody else's, reached by one login that need not be a
    /// superuser: what the data API alone runs on. The password may be empty where the server asks
    /// for none.
    #[must_use]
    pub fn of_one_login(address: Address, user: impl Into<String>, password: SecretString) -> Self {
        let user = user.into();
        Self { admin_user: user.clone(), only_user: Some(user), ..Self::new(address, password) }
    }

    /// Every server, in the order in which they are tried.
    pub fn addresses(&self) -> impl Iterator<Item = &Address> {
        std::iter::once(&self.address).chain(&self.further)
    }

    /// Most connections that a node of the stack has open at once: pipelines of callers and of
    /// auth, the sqlx pools of both and of the superuser, and three that listen.
    #[must_use]
    pub const fn most_connections(&self) -> u32 {
        2 * self.pool_size + 3 * self.service_pool_size + 3
    }

    /// The role name of a login.
    #[must_use]
    pub fn user(&self, login: Login) -> &str {
        match login {
            _ if self.only_user.is_some() => self.only_user.as_deref().unwrap_or_default(),
            Login::Authenticator => "authenticator",
            Login::AuthAdmin => "supabase_auth_admin",
            Login::StorageAdmin => "supabase_storage_admin",
            Login::RealtimeAdmin => "supabase_realtime_admin",
            Login::Admin => &self.admin_user,
            Login::Postgres => "postgres",
        }
    }

    /// What the sessions of a login begin with: nothing where one login stands for all.
    pub(crate) fn session(&self, login: Login) -> Vec<Setting> {
        if self.only_user.is_some() {
            return Vec::new();
        }
        let mut session = login.session();
        if login == Login::Admin {
            session.extend(self.endless());
        }
        session
    }

    /// What the sessions begin with that pipelines of a login run in. Those of a service have a
    /// bound on waiting for locks, as those of `authenticator` have by its role.
    pub(crate) fn session_of_pipelines(&self, login: Login) -> Vec<Setting> {
        let mut session = self.session(login);
        if self.only_user.is_none() && login.is_service() {
            session.push(LOCK_TIMEOUT);
        }
        session
    }

    /// What those begin with that bring the database up to date, as a service or with the
    /// project's files. On a server of our own no setting of the project may keep a start from its
    /// end: nobody could take it back then.
    pub(crate) fn session_of_changes(&self, login: Login) -> Vec<Setting> {
        let mut session = self.session(login);
        if self.is_own_server() && login != Login::Admin {
            session.retain(|(name, _)| UNDISTURBED.iter().all(|(other, _)| other != name));
            session.extend(UNDISTURBED);
            session.extend(self.endless());
        }
        session
    }

    /// Whether the server is one that the stack itself runs.
    pub(crate) fn is_own_server(&self) -> bool {
        self.own_passwords.contains_key(&Login::Postgres)
    }

    /// Whether sessions can begin without a bound on transactions.
    pub(crate) fn endless(&self) -> Option<Setting> {
        self.own_version.is_some_and(|version| version >= 17).then_some(ENDLESS)
    }

    /// The password of a login.
    #[must_use]
    pub fn password(&self, login: Login) -> &SecretString {
        if let Some(own) = self.own_passwords.get(&login) {
            own
        } else if self.only_user.is_none() && self.user(login) == self.admin_user {
            &self.admin_password
        } else {
            &self.password
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Login;

    #[test]
    fn logins_stand_in_the_order_of_their_declaration() {
        for (place, login) in Login::ALL.into_iter().enumerate() {
            assert_eq!(login as usize, place, "{login:?}");
        }
    }
}
