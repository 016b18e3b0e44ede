//! How to reach the project's database, and how it is made.

use std::path::Path;

use anyhow::{Context, bail};
use banyan_config::Config;
use banyan_db::{
    Address, Database, DatabaseSettings, Tls,
    migrations::{self, Order, Progress},
    platform,
};
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};

use crate::instance::Record;

/// Password of every role of the embedded PostgreSQL (stack.md 4.1). It listens on loopback only.
pub(crate) const LOCAL_PASSWORD: &str = "postgres";

/// Settings for the embedded server behind its socket.
pub(crate) fn embedded(config: &Config, folder: &Path, port: u16) -> DatabaseSettings {
    let address = Address::Socket { folder: folder.to_owned(), port };
    DatabaseSettings {
        pool_size: config.database.pool_size,
        ..DatabaseSettings::new(address, SecretString::from(LOCAL_PASSWORD.to_owned()))
    }
}

/// Settings for an external server, from `postgresql://user:password@host:port/database?sslmode=…`.
///
/// The stack's own roles get a password made from the given one, so that every node knows it and none of them is the
/// superuser's.
pub(crate) fn external(config: &Config, url: &SecretString) -> anyhow::Result<DatabaseSettings> {
    let url = url::Url::parse(url.expose_secret()).context("BANYAN_DATABASE_URL is no URL")?;
    if !matches!(url.scheme(), "postgres" | "postgresql") {
        bail!("BANYAN_DATABASE_URL must start with postgresql://");
    }
    let host = url.host_str().context("BANYAN_DATABASE_URL names no host")?.to_owned();
    let decode = |text: &str| percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned();
    let admin_password = decode(url.password().unwrap_or_default());
    let settings = DatabaseSettings::new(
        Address::Tcp { port: url.port().unwrap_or(5432), host: host.clone() },
        SecretString::from(derived_password(&admin_password)),
    );
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

/// Without a word about it, only this machine is spoken to in plain text.
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
    Sha256::digest(format!("banyan roles\0{admin}")).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The database of the running stack, or the external one.
pub(crate) fn connect(config: &Config, state: &Path) -> anyhow::Result<Database> {
    let settings = match &config.database.url {
        Some(url) => external(config, url)?,
        None => running(config, &crate::instance::require(state)?)?,
    };
    Ok(Database::connect(&settings)?)
}

fn running(config: &Config, record: &Record) -> anyhow::Result<DatabaseSettings> {
    let (Some(folder), Some(port)) = (&record.db_socket, record.db_port) else {
        bail!("the running stack has a database of its own elsewhere: give BANYAN_DATABASE_URL here as well");
    };
    Ok(embedded(config, folder, port))
}

/// Brings roles, schemas and the services' own tables up to date. Done at every start.
pub(crate) async fn prepare(database: &Database, config: &Config) -> anyhow::Result<()> {
    platform::bootstrap(database, config).await.context("the database could not be prepared")?;
    for (service, owner, changes) in banyan_server::stack_migrations() {
        migrations::stack(database, service, owner, changes).await?;
    }
    Ok(())
}

/// Applies the project's migrations up to a version, then its seeds, telling each step.
pub(crate) async fn fill(
    database: &Database,
    config: &Config,
    up_to: Option<&str>,
    seeds: &[String],
    tell: &(dyn Fn(Progress) + Send + Sync),
) -> anyhow::Result<()> {
    let mut tell = |step: Progress| tell(step);
    if config.database.migrations_enabled {
        migrations::apply(database, &config.paths.migrations(), Order::IncludeAll, up_to, &mut tell).await?;
    }
    migrations::seed(database, &config.paths.project, seeds, &mut tell).await?;
    Ok(())
}

/// The seeds that a start or a reset runs.
pub(crate) fn seeds(config: &Config) -> Vec<String> {
    if config.database.seed.enabled { config.database.seed.sql_paths.clone() } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn the_roles_of_an_external_server_do_not_get_its_superusers_password() {
        assert_ne!(derived_password("secret"), "secret");
        assert_eq!(derived_password("secret"), derived_password("secret"));
        assert_ne!(derived_password("secret"), derived_password("other"));
    }
}
