use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, PgPool};
use tokio::sync::OnceCell;

static TEMPLATE: OnceCell<()> = OnceCell::const_new();
static NUMBER: AtomicU32 = AtomicU32::new(0);

/// A database of its own with the platform and the product's schema, entered as the role that owns the product.
pub(crate) async fn product_database() -> PgPool {
    product_database_for(5).await
}

/// The same for that many connections at once.
pub(crate) async fn product_database_for(connections: u32) -> PgPool {
    TEMPLATE.get_or_init(make_template).await;
    let name = format!("product_{}", NUMBER.fetch_add(1, Ordering::Relaxed));
    remake(&name, "product_template").await;
    PgPoolOptions::new()
        .max_connections(connections)
        .connect_with(server().username("postgres").database(&name))
        .await
        .expect("the new database can be entered")
}

/// An empty server whose superuser is `supabase_admin` with the password `postgres`, as the local stack makes it.
#[expect(clippy::disallowed_methods, reason = "tests are told their server by the environment")]
fn server() -> PgConnectOptions {
    std::env::var("BANYAN_TEST_SERVER_URL")
        .expect("BANYAN_TEST_SERVER_URL names a scratch server")
        .parse()
        .expect("BANYAN_TEST_SERVER_URL is a PostgreSQL URL")
}

async fn make_template() {
    let mut server = enter("postgres", "supabase_admin").await;
    let roles: bool = sqlx::query_scalar("select exists (select from pg_roles where rolname = 'anon')")
        .fetch_one(&mut server)
        .await
        .expect("roles can be read");
    if !roles {
        server.execute(include_str!("platform_roles.sql")).await.expect("the roles are made");
    }
    remake("product_template", "template0").await;
    let mut owner = enter("product_template", "supabase_admin").await;
    owner.execute(include_str!("platform.sql")).await.expect("the platform is made");
    owner.close().await.expect("the connection closes");
    let mut owner = enter("product_template", "postgres").await;
    for migration in migrations() {
        owner.execute(AssertSqlSafe(migration)).await.expect("every migration applies");
    }
    owner.close().await.expect("the connection closes");
}

fn migrations() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the migrations are there")
        .map(|entry| entry.expect("an entry can be read").path())
        .collect();
    files.sort();
    files.iter().map(|file| std::fs::read_to_string(file).expect("a migration is text")).collect()
}

async fn remake(name: &str, template: &str) {
    let mut server = enter("postgres", "supabase_admin").await;
    for statement in [
        format!("drop database if exists {name} with (force)"),
        format!("create database {name} template {template}"),
        format!("alter database {name} owner to postgres"),
    ] {
        server.execute(AssertSqlSafe(statement)).await.expect("the database is made");
    }
}

async fn enter(database: &str, role: &str) -> PgConnection {
    let options = server().username(role).database(database);
    PgConnection::connect_with(&options).await.expect("the server lets us in")
}
