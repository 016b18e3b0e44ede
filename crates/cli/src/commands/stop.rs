//! `banyan stop`: stops the stack, and what a killed one left behind (stack.md 1.3).

use std::{path::Path, time::Duration};

use anyhow::{Context, bail};
use banyan_config::{Paths, Stopping};
use banyan_local::{Install, PostgresServer, PostgresSettings, Purpose};
use rustix::process::{Pid, Signal, kill_process};
use tokio::time::{Instant, sleep};

use super::serve;
use crate::{arguments::Global, database, instance, output, project};

pub(crate) async fn run(global: &Global, no_backup: bool) -> anyhow::Result<()> {
    let Stopping { paths, drain, .. } = project::stopping(global)?;
    let state = &paths.state;
    if let Some(pid) = instance::holder(state) {
        stop_process(state, pid, longest(drain)).await?;
    }
    if let Some(left) = PostgresServer::adopt(&whatever_runs(&paths)).await? {
        left.stop().await?;
    }
    if no_backup {
        delete_data(state)?;
    }
    output::note("Stopped banyan local development setup.");
    Ok(())
}

/// Requests get their grace twice, once for functions, and PostgreSQL a minute.
fn longest(drain: Duration) -> Duration {
    drain * 2 + Duration::from_secs(70)
}

/// The server that is left of a stack, on whatever port and of whatever version.
fn whatever_runs(paths: &Paths) -> PostgresSettings {
    PostgresSettings {
        state: paths.state.clone(),
        cache: paths.cache.clone(),
        port: 0,
        major_version: 0,
        password: database::LOCAL_PASSWORD.to_owned().into(),
        purpose: Purpose::Stack,
        install: Install::OwnCache,
    }
}

async fn stop_process(state: &Path, pid: u32, limit: Duration) -> anyhow::Result<()> {
    let id = i32::try_from(pid).ok().and_then(Pid::from_raw).context("the lock names no process")?;
    kill_process(id, Signal::TERM).with_context(|| format!("cannot stop process {pid}"))?;
    let end = Instant::now() + limit;
    while instance::holder(state) == Some(pid) {
        if Instant::now() >= end {
            bail!("process {pid} did not stop within {} s", limit.as_secs());
        }
        sleep(Duration::from_millis(10)).await;
    }
    Ok(())
}

fn delete_data(state: &Path) -> anyhow::Result<()> {
    PostgresServer::delete_data(state)?;
    for left in ["inbox", serve::PREPARED] {
        let path = state.join(left);
        let removed =
            if path.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) };
        match removed {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("cannot remove {}", path.display()));
            }
            _ => {}
        }
    }
    Ok(())
}
