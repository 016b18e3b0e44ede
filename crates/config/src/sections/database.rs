//! `[db]`: embedded or external PostgreSQL.

use secrecy::{ExposeSecret, SecretString};

use crate::{ConfigError, Environment, raw::RawDb};

/// The address of PostgreSQL, and the files that are applied to it.
#[derive(Debug, Clone)]
pub struct Database {
    /// An external server (`BANYAN_DATABASE_URL`); none means the embedded one.
    pub url: Option<SecretString>,
    /// TCP port of the embedded server; 0 lets the stack choose a free one.
    pub port: u16,
    /// Password of the role `postgres` in the embedded server. The files do not hold it. If the
    /// project has keys of its own, the stack generates the password and sets it here.
    pub password: SecretString,
    /// Major version promised to the project.
    pub major_version: u32,
    /// `true`: `db reset` and the first start apply migrations.
    pub migrations_enabled: bool,
    /// Seed files.
    pub seed: Seed,
    /// Most connections for requests to the data API, and as many for those to auth
    /// (`BANYAN_DATABASE_POOL`).
    pub pool_size: u32,
}

/// `[db.seed]`.
#[derive(Debug, Clone)]
pub struct Seed {
    /// `true`: seeds are applied.
    pub enabled: bool,
    /// Globs, relative to `supabase/`.
    pub sql_paths: Vec<String>,
}

/// Password of the embedded server's role `postgres` in every local stack of the supabase CLI.
pub(crate) const LOCAL_PASSWORD: &str = "postgres";

impl Database {
    /// The address that people and functions are given: the external server's, or the embedded
    /// one's on loopback.
    #[must_use]
    pub fn address(&self) -> SecretString {
        match &self.url {
            Some(url) => url.clone(),
            None => {
                let password = self.password.expose_secret();
                format!("postgresql://postgres:{password}@127.0.0.1:{}/postgres", self.port).into()
            }
        }
    }

    pub(crate) fn check(
        raw: RawDb,
        environment: &Environment,
        port_offset: u16,
    ) -> Result<Self, ConfigError> {
        let pool_size = match environment.get("BANYAN_DATABASE_POOL") {
            None => 16,
            Some(text) => text.parse().ok().filter(|size| (1..=1000).contains(size)).ok_or_else(|| {
                ConfigError::value("BANYAN_DATABASE_POOL", "must be a number from 1 to 1000")
            })?,
        };
        Ok(Self {
            url: environment.get("BANYAN_DATABASE_URL").map(SecretString::from),
            port: if raw.port == 0 { 0 } else { super::offset("db.port", raw.port, port_offset)? },
            password: SecretString::from(LOCAL_PASSWORD),
            major_version: raw.major_version,
            migrations_enabled: raw.migrations.enabled,
            seed: Seed { enabled: raw.seed.enabled, sql_paths: raw.seed.sql_paths },
            pool_size,
        })
    }
}
