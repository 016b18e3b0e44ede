//! A PostgreSQL server of one test's own, to be killed.

use std::{path::Path, process::Command};

use anyhow::{Context as _, ensure};
use banyan_db::{Address, Database, DatabaseSettings, platform};
use banyan_local::{PostgresServer, PostgresSettings};

use crate::server;

/// A server with the platform in its database `postgres`. It ends with the value.
#[derive(Debug)]
pub struct OwnServer {
    wanted: PostgresSettings,
    server: Option<PostgresServer>,
    settings: DatabaseSettings,
    _folder: tempfile::TempDir,
}

impl OwnServer {
    /// Starts one.
    ///
    /// # Panics
    /// When PostgreSQL cannot be started.
    pub async fn start() -> Self {
        Self::try_start().await.expect("a server of one's own")
    }

    async fn try_start() -> anyhow::Result<Self> {
        // Short enough for a socket's path, and open to the server's user.
        let folder = tempfile::Builder::new().prefix("banyan-own").tempdir_in("/var/tmp")?;
        open_to_all(folder.path())?;
        let mut wanted = server::wanted(folder.path().join("state"))?;
        std::fs::create_dir_all(&wanted.state)?;
        let server = PostgresServer::start(&wanted, &|_| ()).await?;
        wanted.port = server.port();
        let address = Address::Socket { folder: server.socket_dir().to_owned(), port: server.port() };
        let mut settings = DatabaseSettings::new(address, wanted.password.clone());
        settings.pool_size = 10;
        settings.service_pool_size = 4;
        let database = Database::connect(&settings)?;
        platform::bootstrap(&database, &crate::config()).await.context("the platform")?;
        database.close().await;
        Ok(Self { wanted, server: Some(server), settings, _folder: folder })
    }

    /// How to reach it.
    #[must_use]
    pub fn settings(&self) -> &DatabaseSettings {
        &self.settings
    }

    /// Kills the first process as `kill -9` does; the others of the server end when they see it.
    ///
    /// # Panics
    /// When it does not run.
    pub async fn kill(&mut self) {
        let mut server = self.server.take().expect("it runs");
        signal("-KILL", server.pid()).expect("killed");
        server.ended().await;
    }

    /// Starts it again, on the same data and address.
    ///
    /// # Panics
    /// When PostgreSQL cannot be started.
    pub async fn start_again(&mut self) {
        // Processes that outlived the first one hold the data for a moment.
        for _ in 0..100 {
            if let Ok(server) = PostgresServer::start(&self.wanted, &|_| ()).await {
                self.server = Some(server);
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
        panic!("the server does not start again");
    }
}

impl Drop for OwnServer {
    fn drop(&mut self) {
        if let Some(server) = &self.server {
            // "Immediate": its data are thrown away with the folder.
            let _ = signal("-QUIT", server.pid());
        }
    }
}

fn signal(signal: &str, pid: u32) -> anyhow::Result<()> {
    let sent = Command::new("kill").args([signal, &pid.to_string()]).status()?;
    ensure!(sent.success(), "no signal was sent");
    Ok(())
}

fn open_to_all(folder: &Path) -> anyhow::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755))?;
    Ok(())
}
