//! Makes a database with the platform and the schemas of all services, prints its URL, and drops it
//! when standard input ends. `scripts/prepare-queries` checks the SQL of the crates against it.

use std::io::{Read as _, Write as _};

use anyhow::Context as _;
use banyan_db::Address;
use secrecy::ExposeSecret as _;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let database = banyan_testkit::platform_database().await;
    let settings = database.settings();
    let Address::Socket { folder, port } = &settings.address else {
        anyhow::bail!("the test server has a socket and a port");
    };
    let url = format!(
        "postgresql://{}:{}@localhost:{port}/{}?host={}",
        settings.admin_user,
        settings.admin_password.expose_secret(),
        settings.database,
        folder.display()
    );
    let mut out = std::io::stdout();
    writeln!(out, "{url}").and_then(|()| out.flush()).context("the URL has a reader")?;
    tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new())).await??;
    Ok(())
}
