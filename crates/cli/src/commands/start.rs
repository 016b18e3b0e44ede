//! `banyan start`: starts the stack and leaves it running (stack.md 1.3, decisions P02).

use std::{
    fs::OpenOptions,
    io::{BufRead, BufReader},
    os::unix::{fs::OpenOptionsExt, process::CommandExt},
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use banyan_config::Config;

use super::status;
use crate::{
    arguments::{Global, Output},
    instance::{self, Record},
    output, project, values,
};

/// How long functions are waited for.
const LONGEST: Duration = Duration::from_secs(300);

pub(crate) async fn run(global: &Global) -> anyhow::Result<()> {
    let config = project::load_with_warnings(global)?;
    let state = &config.paths.state;
    let record = match instance::alive(state).await? {
        Some(record) => {
            output::note("banyan start is already running.");
            record
        }
        None => start(global, state).await?,
    };
    wait_for_functions(&record).await;
    show(global, &config, &record);
    Ok(())
}

/// Waits until the functions are compiled, which takes seconds after the first start and after one with another engine, so
/// that who comes next finds them. The stack answers meanwhile, and goes on with it when this is broken off.
async fn wait_for_functions(record: &Record) {
    let end = Instant::now() + LONGEST;
    let mut told = None;
    while let Some(left) = instance::functions_to_compile(record).await {
        if Instant::now() >= end {
            output::note(format_args!(
                "{left} functions are still to be compiled and answer 503 until then."
            ));
            return;
        }
        if told.replace(left) != Some(left) {
            output::note(format_args!("Compiling functions: {left} to go"));
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    if told.is_some() {
        output::note("The functions are compiled.");
    }
}

fn show(global: &Global, config: &Config, record: &Record) {
    match global.output {
        Output::Env => output::raw(&values::as_env(&values::of(config, record))),
        Output::Json => output::raw(&values::as_json(&values::of(config, record))),
        Output::Pretty => output::raw(&status::overview(config, record)),
    }
}

/// Spawns `serve` apart from this terminal and passes on what it says until it is ready.
async fn start(global: &Global, state: &Path) -> anyhow::Result<Record> {
    std::fs::create_dir_all(state).with_context(|| format!("cannot make {}", state.display()))?;
    let log = state.join("banyan.log");
    let mut child = spawn(global, &log)?;
    let said = child.stdout.take().expect("its output is a pipe");
    // Ends with the pipe, which the child closes at the latest when it ends.
    std::thread::spawn(move || BufReader::new(said).lines().map_while(Result::ok).for_each(output::note));
    loop {
        if let Some(record) = instance::running(state).filter(|record| record.pid == child.id()) {
            return Ok(record);
        }
        if let Some(ended) = child.try_wait()? {
            // Its last words are on their way through the pipe.
            tokio::time::sleep(Duration::from_millis(50)).await;
            bail!("the stack did not start ({ended}). The end of {}:\n{}", log.display(), tail(&log, 15));
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

fn spawn(global: &Global, log: &Path) -> anyhow::Result<Child> {
    let file = OpenOptions::new()
        .create(true)
        .truncate(true)
        .write(true)
        .mode(0o600)
        .open(log)
        .with_context(|| format!("cannot open {}", log.display()))?;
    let mut command = Command::new(std::env::current_exe().context("cannot find this program")?);
    command.args(["serve", "--detached", "--port-offset"]).arg(global.port_offset.to_string());
    if let Some(folder) = &global.workdir {
        command.arg("--workdir").arg(folder);
    }
    if global.debug {
        command.arg("--debug");
    }
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(file)
        .process_group(0)
        .spawn()
        .context("cannot start the stack's process")
}

/// The last lines of a file.
fn tail(path: &Path, count: usize) -> String {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let lines: Vec<&str> = text.trim_end().lines().collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}
