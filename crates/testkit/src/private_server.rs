//! A PostgreSQL server of one test's own, to be killed.

use std::{ffi::OsStr, fs::OpenOptions, io::Write as _, process::Command};

use anyhow::{Context as _, ensure};
use banyan_db::{Database, DatabaseSettings, Login, platform};
use banyan_local::{PostgresServer, PostgresSettings};
use sqlx::{AssertSqlSafe, Executor as _};

use crate::shared_server;

/// A server with the platform in its database `postgres`. It ends with the value.
#[derive(Debug)]
pub struct PrivateServer {
    wanted: PostgresSettings,
    server: Option<PostgresServer>,
    settings: DatabaseSettings,
    _folder: tempfile::TempDir,
}

impl PrivateServer {
    /// Starts one.
    ///
    /// # Panics
    /// When PostgreSQL cannot be started.
    pub async fn start() -> Self {
        Box::pin(Self::try_start()).await.expect("a server of one's own")
    }

    async fn try_start() -> anyhow::Result<Self> {
        let folder = folder()?;
        let wanted = shared_server::wanted(folder.path().join("state"))?;
        std::fs::create_dir_all(&wanted.state)?;
        let own = Self::run(wanted, folder).await?;
        let database = Database::connect(&own.settings)?;
        platform::bootstrap(&database, &crate::config()).await.context("the platform")?;
        database.close().await;
        Ok(own)
    }

    async fn run(mut wanted: PostgresSettings, folder: tempfile::TempDir) -> anyhow::Result<Self> {
        let server = PostgresServer::start(&wanted, &|_| ()).await?;
        wanted.port = server.port();
        let settings = shared_server::settings_of(&server)?;
        Ok(Self { wanted, server: Some(server), settings, _folder: folder })
    }

    /// How to reach it.
    #[must_use]
    pub fn settings(&self) -> &DatabaseSettings {
        &self.settings
    }

    /// A second server that follows this one through archived write-ahead log: it reads along after
    /// each `select pg_switch_wal()` here, takes no writes, and cancels at once what a change from
    /// here conflicts with.
    ///
    /// # Panics
    /// When either server cannot be started.
    pub async fn standby(&mut self) -> Self {
        self.try_standby().await.expect("a standby")
    }

    async fn try_standby(&mut self) -> anyhow::Result<Self> {
        let folder = folder()?;
        let archive = folder.path().join("archive");
        std::fs::create_dir(&archive)?;
        std::fs::set_permissions(&archive, std::os::unix::fs::PermissionsExt::from_mode(0o777))?;
        let archive = archive.display();
        self.alter(&[("archive_mode", "on".into()), ("archive_command", format!("cp %p {archive}/%f"))])
            .await?;
        self.server.take().context("it runs")?.stop().await?;
        let wanted = shared_server::wanted(folder.path().join("state"))?;
        std::fs::create_dir_all(&wanted.state)?;
        let (from, to) = (self.wanted.state.join("postgres"), wanted.state.join("postgres"));
        run("cp", &["-a".as_ref(), from.as_os_str(), to.as_os_str()])?;
        let passwords = "postgres.passwords";
        std::fs::copy(self.wanted.state.join(passwords), wanted.state.join(passwords))?;
        // What the file holds does not matter, whose it is does.
        let data = to.join("data");
        run(
            "cp",
            &["-a".as_ref(), data.join("PG_VERSION").as_os_str(), data.join("standby.signal").as_os_str()],
        )?;
        let follow = format!(
            "restore_command = 'cp {archive}/%f %p'\nwal_retrieve_retry_interval = 100\nmax_standby_archive_delay = 0\n"
        );
        OpenOptions::new()
            .append(true)
            .open(data.join("postgresql.auto.conf"))?
            .write_all(follow.as_bytes())?;
        self.start_again().await;
        Self::run(wanted, folder).await
    }

    async fn alter(&self, settings: &[(&str, String)]) -> anyhow::Result<()> {
        let database = Database::connect(&self.settings)?;
        for (name, value) in settings {
            let statement = format!("alter system set {name} = '{value}'");
            database.pool(Login::Admin).execute(AssertSqlSafe(statement)).await?;
        }
        database.close().await;
        Ok(())
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

impl Drop for PrivateServer {
    fn drop(&mut self) {
        if let Some(server) = &self.server {
            // "Immediate": its data are thrown away with the folder.
            let _ = signal("-QUIT", server.pid());
        }
    }
}

fn signal(signal: &str, pid: u32) -> anyhow::Result<()> {
    run("kill", &[signal.as_ref(), pid.to_string().as_ref()])
}

fn run(program: &str, arguments: &[&OsStr]) -> anyhow::Result<()> {
    let status = Command::new(program).args(arguments).status()?;
    ensure!(status.success(), "{program} failed");
    Ok(())
}

/// A folder whose name is short enough for a socket's path, open to the server's user.
fn folder() -> anyhow::Result<tempfile::TempDir> {
    let folder = tempfile::Builder::new().prefix("banyan-own").tempdir_in("/var/tmp")?;
    std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    Ok(folder)
}
