//! `banyan stop`: stops the stack, and what a killed one left behind (CONTRACT.md CLI-STOP).

use std::{path::Path, time::Duration};

use anyhow::{Context, bail};
use banyan_config::{Paths, Stopping};
use banyan_local::{Install, PostgresServer, PostgresSettings, Purpose};
use rustix::process::{Pid, Signal, kill_process};
use tokio::time::{Instant, sleep};

use super::serve;
use crate::{arguments::Global, output, project, reset_marker, running_stack};

pub(crate) async fn run(global: &Global, no_backup: bool) -> anyhow::Result<()> {
    let Stopping { paths, others, drain, .. } = project::stopping(global)?;
    let mut stopped = None;
    for state in std::iter::once(&paths.state).chain(&others) {
        // A stop of the stack with the project's present name leaves stacks that were started under
        // other names on purpose.
        if stopped.is_none() && stop_in(state, &paths.cache, longest(drain)).await? {
            stopped = Some(state);
        }
    }
    if no_backup {
        // The data of the stack that was stopped, and of no other.
        let state = stopped.unwrap_or(&paths.state);
        delete_data(state)?;
        output::note(format_args!("Deleted the data in {}.", state.display()));
    }
    match stopped {
        Some(_) => output::note("Stopped banyan local development setup."),
        None => output::note(format_args!(
            "No stack of this project was running with data in {}.",
            paths.state.display()
        )),
    }
    Ok(())
}

/// Stops the stack in a folder of data, and what a killed one left there. Tells whether anything
/// ran.
async fn stop_in(state: &Path, cache: &Path, limit: Duration) -> anyhow::Result<bool> {
    let holder = running_stack::holder(state);
    if let Some(pid) = holder {
        running_stack::ask_to_stop(state);
        let stopped = stop_process(state, pid, limit).await;
        if stopped.is_err() {
            // The next signal is of somebody else.
            let _ = running_stack::take_request(state);
        }
        stopped?;
    }
    let left = PostgresServer::adopt(&whatever_runs(state, cache)).await?;
    let has_stopped = holder.is_some() || left.is_some();
    if let Some(left) = left {
        left.stop().await?;
    }
    Ok(has_stopped)
}

/// Requests get their grace twice, once for functions, and PostgreSQL a minute.
fn longest(drain: Duration) -> Duration {
    drain * 2 + Duration::from_secs(70)
}

/// The server that is left of a stack, on whatever port and of whatever version.
fn whatever_runs(state: &Path, cache: &Path) -> PostgresSettings {
    PostgresSettings {
        state: state.to_owned(),
        cache: cache.to_owned(),
        port: 0,
        major_version: 0,
        logins: &[],
        published_password: true,
        purpose: Purpose::Stack,
        connections: 0,
        install: Install::OwnCache,
    }
}

async fn stop_process(state: &Path, pid: u32, limit: Duration) -> anyhow::Result<()> {
    let id = i32::try_from(pid).ok().and_then(Pid::from_raw).context("the lock names no process")?;
    kill_process(id, Signal::TERM).with_context(|| format!("cannot stop process {pid}"))?;
    let end = Instant::now() + limit;
    while running_stack::holder(state) == Some(pid) {
        if Instant::now() >= end {
            bail!("process {pid} did not stop within {} s", limit.as_secs());
        }
        sleep(Duration::from_millis(10)).await;
    }
    Ok(())
}

fn delete_data(state: &Path) -> anyhow::Result<()> {
    PostgresServer::delete_data(state)?;
    // The file with the project's name is removed last: data without it may be taken for those of
    // another project.
    for left in ["inbox", Paths::OBJECTS, serve::PREPARED, reset_marker::FILE, Paths::ORIGIN] {
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
