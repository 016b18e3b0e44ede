//! Databases to clone from.

use anyhow::Context as _;
use banyan_db::{Database, DatabaseSettings, Login, migrations, platform};
use banyan_schemas::SERVICES;
use sha2::{Digest, Sha256};
use sqlx::{Connection as _, Executor as _};
use tokio::sync::OnceCell;

use crate::{checkout, shared_server};

/// What a test's database starts with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Template {
    /// Nothing: a database as `create database` makes it.
    Bare,
    /// The platform and the services' schemas.
    Platform,
    /// That and the product's migrations.
    Product,
}

/// Key of the advisory lock under which templates are made.
const LOCK: i64 = 0x7465_6d70;

static PLATFORM: OnceCell<String> = OnceCell::const_new();
static PRODUCT: OnceCell<String> = OnceCell::const_new();

impl Template {
    /// The name of the database to clone, made first when the SQL of the checkout has changed.
    pub(crate) async fn database(self) -> anyhow::Result<&'static str> {
        let cell = match self {
            Self::Bare => return Ok("template0"),
            Self::Platform => &PLATFORM,
            Self::Product => &PRODUCT,
        };
        cell.get_or_try_init(|| make(self)).await.map(String::as_str)
    }
}

async fn make(template: Template) -> anyhow::Result<String> {
    let name = format!("template_{}", fingerprint(template)?);
    let mut admin = shared_server::connect().await?;
    sqlx::query("select pg_advisory_lock($1)").bind(LOCK).execute(&mut admin).await?;
    let exists: bool = sqlx::query_scalar("select exists (select from pg_database where datname = $1)")
        .bind(&name)
        .fetch_one(&mut admin)
        .await?;
    if !exists {
        shared_server::execute(&mut admin, "drop database if exists template_unfinished with (force)")
            .await?;
        shared_server::execute(&mut admin, "create database template_unfinished template template0").await?;
        Box::pin(fill(template)).await?;
        shared_server::execute(&mut admin, &format!("alter database template_unfinished rename to {name}"))
            .await?;
    }
    admin.close().await?;
    Ok(name)
}

async fn fill(template: Template) -> anyhow::Result<()> {
    let settings = DatabaseSettings {
        database: "template_unfinished".to_owned(),
        ..shared_server::settings().await?.clone()
    };
    let database = Database::connect(&settings)?;
    let config = match template {
        // What the product opens, it grants.
        Template::Product => crate::config_with("[api]\nauto_expose_new_tables = false\n"),
        Template::Platform | Template::Bare => crate::config(),
    };
    platform::bootstrap(&database, &config).await.context("the platform")?;
    for schema in SERVICES {
        migrations::stack(&database, schema)
            .await
            .with_context(|| format!("migrations of {}", schema.name))?;
    }
    if template == Template::Product {
        let folder = checkout::product_migrations();
        let mut tell = |_| ();
        migrations::apply(&database, &folder, migrations::Order::Strict, None, &mut tell)
            .await
            .context("the product's migrations")?;
    }
    // Statistics of empty tables would make every plan of the clones a guess.
    database.pool(Login::Admin).execute("analyze").await?;
    database.close().await;
    Ok(())
}

/// Of everything a template is made from.
fn fingerprint(template: Template) -> anyhow::Result<String> {
    let mut files = checkout::entries(&checkout::root().join("crates/db/src/platform"))?;
    if template == Template::Product {
        files.extend(checkout::entries(&checkout::product_migrations())?);
    }
    let mut hash = Sha256::new();
    // Two kinds of templates have the same files where the product has none.
    hash.update(format!("{template:?} with closed tables of the product"));
    // Who owns what is part of it.
    hash.update(format!("{SERVICES:?}"));
    for file in files {
        hash.update(file.file_name().unwrap_or_default().as_encoded_bytes());
        hash.update(std::fs::read(&file)?);
    }
    Ok(hex::encode(&hash.finalize()[..8]))
}
