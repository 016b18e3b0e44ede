//! A database of one test's own.

use std::{
    ops::Deref,
    sync::atomic::{AtomicU64, Ordering},
};

use anyhow::Context as _;
use banyan_db::{Database, DatabaseSettings};
use sqlx::Connection as _;

use crate::{shared_server, template::Template};

/// A database that only one test uses; it is dropped with the value. It can be used as the
/// [`Database`] it holds.
#[derive(Debug)]
pub struct TestDatabase {
    database: Database,
}

/// A database with platform, services' schemas and the product's migrations.
///
/// # Panics
/// When PostgreSQL cannot be started, or a migration fails; the message says which statement.
pub async fn database() -> TestDatabase {
    TestDatabase::clone_of(Template::Product).await.expect("a database like the product's")
}

/// A database with platform and services' schemas, but nothing of the product.
///
/// # Panics
/// As [`database`].
pub async fn platform_database() -> TestDatabase {
    TestDatabase::clone_of(Template::Platform).await.expect("a database with the platform")
}

/// An empty database, for tests of what fills it.
///
/// # Panics
/// When PostgreSQL cannot be started.
pub async fn bare_database() -> TestDatabase {
    TestDatabase::clone_of(Template::Bare).await.expect("an empty database")
}

impl TestDatabase {
    async fn clone_of(template: Template) -> anyhow::Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let source = template.database().await?;
        let name = format!("test_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let mut admin = shared_server::connect().await?;
        let owner = if template == Template::Bare { "" } else { "owner postgres" };
        shared_server::execute(
            &mut admin,
            &format!("create database {name} template {source} strategy file_copy {owner}"),
        )
        .await?;
        admin.close().await?;
        let settings = DatabaseSettings { database: name, ..shared_server::settings().await?.clone() };
        Ok(Self { database: Database::connect(&settings).context("settings of the test server")? })
    }

    /// The handle.
    #[must_use]
    pub fn database(&self) -> &Database {
        &self.database
    }
}

impl Deref for TestDatabase {
    type Target = Database;

    fn deref(&self) -> &Database {
        &self.database
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        shared_server::drop_later(self.database.settings().database.clone());
    }
}
