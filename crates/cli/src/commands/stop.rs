//! `banyan stop`: stops the stack, and what a killed one left behind (stack.md 1.3).

use std::{path::Path, time::Duration};

use anyhow::{Context, bail};
use banyan_config::Config;
use banyan_local::PostgresServer;
use rustix::process::{Pid, Signal, kill_process};
use tokio::time::{Instant, sleep};

use super::serve;
use crate::{arguments::Global, instance, output, project};

pub(crate) async fn run(global: &Global, no_backup: bool) -> anyhow::Result<()> {
    let config = project::load(global)?;
    let state = &config.paths.state;
    if let Some(pid) = instance::holder(state) {
        stop_process(state, pid, longest(&config)).await?;
    }
    if let Some(left) = PostgresServer::adopt(&serve::postgres_settings(&config)).await? {
        left.stop().await?;
    }
    if no_backup {
        delete_data(state)?;
    }
    output::note("Stopped banyan local development setup.");
    Ok(())
}

/// Requests get their grace twice, once for functions, and PostgreSQL a minute.
fn longest(config: &Config) -> Duration {
    config.server.drain * 2 + Duration::from_secs(70)
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
