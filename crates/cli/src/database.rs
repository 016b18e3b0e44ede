//! How to reach the project's database, and how it is made.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use banyan_config::Config;
use banyan_db::{
    Address, Database, DatabaseSettings, Login, Tls,
    migrations::{self, LocalFile, Order, Progress},
    platform,
};
use banyan_local::{Passwords, PostgresServer, postgres::PUBLISHED};
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};

use crate::running_stack::Record;

/// Settings for the embedded server behind its socket. A server that an older version runs has no
/// list of passwords, and the published one for every role.
pub(crate) fn embedded(
    config: &Config,
    (folder, port): (&Path, u16),
    passwords: &Passwords,
) -> DatabaseSettings {
    let address = Address::Socket { folder: folder.to_owned(), port };
    let mut settings = DatabaseSettings {
        pool_size: config.database.pool_size,
        ..DatabaseSettings::new(address, SecretString::from(PUBLISHED))
    };
    let own = Login::ALL.into_iter().filter_map(|login| {
        let password = passwords.of(settings.user(login))?;
        Some((login, password.clone()))
    });
    settings.own_passwords = own.collect();
    settings.own_version = PostgresServer::version_of_data(&config.paths.state);
    settings
}

/// Connections that the embedded server takes beside the stack's own, for people and their tools.
const CONNECTIONS_OF_PEOPLE: u32 = 40;

/// Connections that the embedded server has to take: the larger the pools, the more.
pub(crate) fn connections_of_embedded(config: &Config) -> u32 {
    let nowhere = Address::Socket { folder: PathBuf::new(), port: 0 };
    let settings = DatabaseSettings::new(nowhere, SecretString::from(PUBLISHED));
    let pools = DatabaseSettings { pool_size: config.database.pool_size, ..settings };
    pools.most_connections() + CONNECTIONS_OF_PEOPLE
}

/// Says it where the server takes fewer connections than this node's pools may open.
pub(crate) async fn too_few_connections(database: &Database) -> anyhow::Result<Option<String>> {
    let limit = database.connection_limit().await.context("the server was not asked for its connections")?;
    Ok(fewer_than_pools(database.settings(), limit))
}

fn fewer_than_pools(settings: &DatabaseSettings, limit: u32) -> Option<String> {
    let (most, pool) = (settings.most_connections(), settings.pool_size);
    (most > limit).then(|| {
        format!(
            "PostgreSQL takes {limit} connections, and this node may open {most}. Requests beyond them fail. \
             Raise max_connections of the server, or lower BANYAN_DATABASE_POOL (now {pool})"
        )
    })
}

/// Settings for an external server, from `postgresql://user:password@host:port/database?sslmode=…`.
/// With `host=/folder` behind the question mark, that is the folder of its Unix socket.
///
/// The stack's own roles get a password made from the given one, so that every node knows it and
/// none of them is the superuser's.
pub(crate) fn external(config: &Config, url: &SecretString) -> anyhow::Result<DatabaseSettings> {
    let url = url::Url::parse(url.expose_secret()).context("BANYAN_DATABASE_URL is no URL")?;
    if !matches!(url.scheme(), "postgres" | "postgresql") {
        bail!("BANYAN_DATABASE_URL must start with postgresql://");
    }
    let host = url.host_str().context("BANYAN_DATABASE_URL names no host")?.to_owned();
    let decode = |text: &str| percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned();
    let admin_password = decode(url.password().unwrap_or_default());
    let port = url.port().unwrap_or(5432);
    let socket = url.query_pairs().find(|(key, value)| key == "host" && value.starts_with('/'));
    let address = match socket {
        Some((_, folder)) => Address::Socket { folder: folder.into_owned().into(), port },
        None => Address::Tcp { port, host: host.clone() },
    };
    let settings = DatabaseSettings::new(address, SecretString::from(derived_password(&admin_password)));
    Ok(DatabaseSettings {
        database: match url.path().trim_start_matches('/') {
            "" => "postgres".to_owned(),
            name => decode(name),
        },
        admin_user: decode(url.username()),
        admin_password: SecretString::from(admin_password),
        pool_size: config.database.pool_size,
        tls: tls(&url, &host)?,
        ..settings
    })
}

/// Unless the address says otherwise, only connections to this machine are unencrypted.
fn tls(url: &url::Url, host: &str) -> anyhow::Result<Tls> {
    let parameter =
        |name| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
    let root_certificate = parameter("sslrootcert").map(Into::into);
    let here = matches!(host, "localhost" | "127.0.0.1" | "[::1]");
    Ok(match parameter("sslmode").as_deref() {
        Some("disable") => Tls::Off,
        Some("require" | "prefer" | "allow") => Tls::Unverified,
        Some("verify-full" | "verify-ca") => Tls::Verified { root_certificate },
        Some(other) => bail!("BANYAN_DATABASE_URL: sslmode={other} is not known"),
        None if here => Tls::Off,
        None => Tls::Verified { root_certificate },
    })
}

fn derived_password(admin: &str) -> String {
    hex::encode(Sha256::digest(format!("banyan roles\0{admin}")))
}

/// The database of the running stack, or the external one.
pub(crate) fn connect(config: &Config, state: &Path) -> anyhow::Result<Database> {
    let settings = match &config.database.url {
        Some(url) => external(config, url)?,
        None => running(config, state)?,
    };
    Ok(Database::connect(&settings)?)
}

fn running(config: &Config, state: &Path) -> anyhow::Result<DatabaseSettings> {
    let record: Record = crate::running_stack::require(state)?;
    let (Some(folder), Some(port)) = (&record.db_socket, record.db_port) else {
        bail!("the running stack has a database of its own elsewhere: give BANYAN_DATABASE_URL here as well");
    };
    let passwords = Passwords::read(state)?.unwrap_or_default();
    Ok(embedded(config, (folder, port), &passwords))
}

/// Brings roles, schemas and the services' own tables up to date. Done at every start.
pub(crate) async fn prepare(database: &Database, config: &Config) -> anyhow::Result<()> {
    platform::bootstrap(database, config).await.context("the database could not be prepared")?;
    for schema in banyan_schemas::SERVICES {
        migrations::stack(database, schema).await?;
    }
    Ok(())
}

/// Selects the project's files to run.
pub(crate) struct Files<'f> {
    /// Decides about migrations that are older than the newest applied one.
    pub(crate) order: Order,
    /// The newest migration; none means all.
    pub(crate) up_to: Option<&'f str>,
    /// Patterns of the seeds.
    pub(crate) seeds: &'f [String],
}

/// Applies the project's new migrations, telling each step, and which tables are open after them.
pub(crate) async fn migrate(
    database: &Database,
    config: &Config,
    files: &Files<'_>,
    tell: &mut (dyn FnMut(Progress) + Send),
) -> anyhow::Result<Vec<LocalFile>> {
    let folder = config.paths.migrations();
    let applied = migrations::apply(database, &folder, files.order, files.up_to, tell).await?;
    if !applied.is_empty() {
        platform::open_again(database).await?;
        match migrations::open_tables(database, &config.api.schemas).await {
            Ok(open) => open.into_iter().for_each(tell),
            // The files are applied, and this is a remark.
            Err(error) => tell(Progress::OpenTablesUnknown { reason: error.to_string() }),
        }
    }
    Ok(applied)
}

/// Applies the project's migrations, then its seeds, telling each step.
pub(crate) async fn fill(
    database: &Database,
    config: &Config,
    files: &Files<'_>,
    tell: &(dyn Fn(Progress) + Send + Sync),
) -> anyhow::Result<()> {
    let mut tell = |step: Progress| tell(step);
    if config.database.migrations_enabled {
        migrate(database, config, files, &mut tell).await?;
    }
    if migrations::seed(database, &config.paths.project, files.seeds, &mut tell).await? > 0 {
        platform::open_again(database).await?;
    }
    Ok(())
}

/// The seeds that a start or a reset runs.
pub(crate) fn seeds(config: &Config) -> Vec<String> {
    if config.database.seed.enabled { config.database.seed.sql_paths.clone() } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: config/CFG-DATABASE-URL
    #[test]
    fn only_this_machine_is_spoken_to_in_plain_text_by_default() {
        for (text, expected) in [
            ("postgresql://u:p@127.0.0.1/d", Tls::Off),
            ("postgresql://u:p@db.example/d", Tls::Verified { root_certificate: None }),
            ("postgresql://u:p@db.example/d?sslmode=require", Tls::Unverified),
            ("postgresql://u:p@db.example/d?sslmode=disable", Tls::Off),
            (
                "postgresql://u:p@db.example/d?sslmode=verify-full&sslrootcert=/ca.pem",
                Tls::Verified { root_certificate: Some("/ca.pem".into()) },
            ),
        ] {
            let url = url::Url::parse(text).expect("a URL");
            assert_eq!(tls(&url, url.host_str().expect("a host")).expect("known"), expected, "{text}");
        }
        let url = url::Url::parse("postgresql://db.example/?sslmode=perhaps").expect("a URL");
        assert!(tls(&url, "db.example").is_err());
    }

    // rows: local/LOC-SETTINGS config/CFG-DATABASE-URL
    #[test]
    fn the_embedded_server_takes_all_connections_of_the_pools_and_another_is_warned_of() {
        let mut config = banyan_testkit::config();
        for pool in [1, 16, 1000] {
            config.database.pool_size = pool;
            let url = SecretString::from("postgresql://u:p@localhost/d");
            let settings = external(&config, &url).expect("settings");
            let most = settings.most_connections();
            assert!(connections_of_embedded(&config) > most, "{pool}");
            assert_eq!(fewer_than_pools(&settings, most), None, "{pool}");
            let warning = fewer_than_pools(&settings, most - 1).expect("one is missing");
            assert!(warning.contains(&format!("lower BANYAN_DATABASE_POOL (now {pool})")), "{warning}");
        }
    }

    // rows: local/LOC-PASSWORDS
    #[test]
    fn each_login_of_the_embedded_server_has_the_password_of_the_list() {
        let state = tempfile::tempdir().expect("a folder");
        let list = "authenticator=a\npostgres=p\nsupabase_admin=s\nsupabase_auth_admin=b\n";
        std::fs::write(state.path().join("postgres.passwords"), list).expect("written");
        let passwords = Passwords::read(state.path()).expect("read").expect("there");
        let settings = embedded(&banyan_testkit::config(), (state.path(), 1), &passwords);
        let given = [Login::Authenticator, Login::AuthAdmin, Login::Admin, Login::Postgres]
            .map(|login| settings.password(login).expose_secret());
        assert_eq!(given, ["a", "b", "s", "p"]);
    }

    // rows: config/CFG-DATABASE-URL
    #[test]
    fn an_external_server_on_this_machine_may_be_reached_by_its_socket() {
        let url = SecretString::from("postgresql://u:p@localhost:5433/d?host=%2Frun%2Fpostgresql");
        let settings = external(&banyan_testkit::config(), &url).expect("settings");
        assert_eq!(settings.address, Address::Socket { folder: "/run/postgresql".into(), port: 5433 });
    }

    // rows: db/PG-PASSWORDS
    #[test]
    fn the_roles_of_an_external_server_do_not_get_its_superusers_password() {
        assert_ne!(derived_password("secret"), "secret");
        assert_eq!(derived_password("secret"), derived_password("secret"));
        assert_ne!(derived_password("secret"), derived_password("other"));
    }
}
