//! `banyan start`: starts the stack and leaves it running (CONTRACT.md CLI-START).

use std::{
    fs::{File, OpenOptions},
    io::{BufRead, BufReader, Read, Seek, SeekFrom},
    os::unix::{fs::OpenOptionsExt, process::CommandExt},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use banyan_config::Config;
use banyan_local::logs;

use super::{db, functions, status};
use crate::{
    arguments::{Global, Output},
    bucket_seeds, database, output, project,
    reset_marker::ResetMarker,
    running_stack::{self, Functions, Record},
    schema_reload, status_values,
};

/// How long functions are waited for.
const LONGEST: Duration = Duration::from_secs(300);
/// Size of the end of a log from which the last lines are shown, in bytes.
const MOST_SHOWN: u64 = 64 << 10;

pub(crate) async fn run(global: &Global, new_data: bool) -> anyhow::Result<()> {
    let mut config = project::load_to_start(global, new_data)?;
    let state = &config.paths.state;
    let (record, log) = match running_stack::alive(state).await? {
        Some(record) => {
            output::note("banyan start is already running.");
            complete_reset(&config, &record).await?;
            // Another terminal may show what that one says.
            (record, None)
        }
        None => {
            let (record, log) = start(global, state, config.paths.log()).await?;
            (record, Some(log))
        }
    };
    wait_for_functions(state, &record, log.as_ref()).await?;
    functions::warn_of_unbuilt(&config);
    project::note_password_of_list(&mut config);
    show(global, &config, &record);
    Ok(())
}

/// Completes a reset of the running stack's own database that was broken off.
async fn complete_reset(config: &Config, record: &Record) -> anyhow::Result<()> {
    let state = &config.paths.state;
    if config.database.url.is_some() {
        return Ok(());
    }
    let Some(marker) = ResetMarker::left(state)? else { return Ok(()) };
    let database = database::connect(config, state)?;
    Box::pin(db::complete_reset(&database, config, marker, &|step| output::note(step))).await?;
    schema_reload::wait(config, &database).await;
    database.close().await;
    bucket_seeds::seed_new(config, &record.api_url, &|step| output::note(step)).await;
    Ok(())
}

/// Waits until the functions are compiled, so that the first caller finds them. It takes seconds
/// after the first start and after a change of the engine. The stack answers during that time, and
/// continues if this wait is interrupted.
///
/// # Errors
/// The stack has ended, or does not answer any more.
async fn wait_for_functions(state: &Path, record: &Record, log: Option<&Log>) -> anyhow::Result<()> {
    let end = Instant::now() + LONGEST;
    let mut told = None;
    loop {
        let said = running_stack::functions(record).await;
        if said.is_err() && running_stack::alive(state).await?.is_none_or(|alive| alive.pid != record.pid) {
            let log = log.map(Log::end).unwrap_or_default();
            bail!("the stack ended while its functions were being compiled. {log}");
        }
        match said {
            Ok(Functions { to_compile: 0, broken }) => {
                tell_of_the_end(told.is_some(), &broken);
                return Ok(());
            }
            Ok(Functions { to_compile, .. }) if Instant::now() >= end => {
                output::note(not_compiled(to_compile, "still to be"));
                return Ok(());
            }
            Ok(Functions { to_compile, .. }) => {
                if told.replace(to_compile) != Some(to_compile) {
                    output::note(format_args!("Compiling functions: {to_compile} to go"));
                }
            }
            Err(error) if Instant::now() >= end => {
                output::note(format_args!(
                    "The stack does not say whether its functions are compiled: {error}"
                ));
                return Ok(());
            }
            Err(_) => {}
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Says that so many functions cannot be called yet.
pub(super) fn not_compiled(left: u64, are: &str) -> String {
    match left {
        1 => format!("1 function is {are} compiled and answers 503 until then."),
        _ => format!("{left} functions are {are} compiled and answer 503 until then."),
    }
}

/// Says that functions are compiled where somebody has waited for them, and names those that cannot
/// be loaded.
pub(super) fn tell_of_the_end(was_waited_for: bool, broken: &[String]) {
    if was_waited_for && broken.is_empty() {
        output::note("✓ The functions are compiled.");
    }
    for name in broken {
        output::note(format_args!("WARN: {name} cannot be loaded: `banyan functions logs {name}` says why"));
    }
}

fn show(global: &Global, config: &Config, record: &Record) {
    match global.output {
        Output::Env => output::raw(&status_values::as_env(&status_values::of(config, record))),
        Output::Json => output::raw(&status_values::as_json(&status_values::of(config, record))),
        Output::Pretty => show_to_a_person(config, record),
    }
}

fn show_to_a_person(config: &Config, record: &Record) {
    output::raw(&status::summary(config, record));
    output::note("`banyan status` shows all addresses, keys and files. `banyan stop` stops the stack.");
}

/// Spawns `serve` apart from this terminal and passes on what it says until it is ready.
async fn start(global: &Global, state: &Path, log: PathBuf) -> anyhow::Result<(Record, Log)> {
    std::fs::create_dir_all(state).with_context(|| format!("cannot make {}", state.display()))?;
    let (log, file) = Log::open(log, logs::LARGEST)?;
    let mut child = spawn(global, file)?;
    let said = child.stdout.take().expect("its output is a pipe");
    // Ends with the pipe, which the child closes at the latest when it ends.
    std::thread::spawn(move || BufReader::new(said).lines().map_while(Result::ok).for_each(output::note));
    loop {
        if let Some(record) = running_stack::running(state).filter(|record| record.pid == child.id()) {
            return Ok((record, log));
        }
        if let Some(ended) = child.try_wait()? {
            // Its last words are on their way through the pipe.
            tokio::time::sleep(Duration::from_millis(50)).await;
            bail!("the stack did not start ({ended}). {}", log.end());
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

fn spawn(global: &Global, log: File) -> anyhow::Result<Child> {
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
        .stderr(log)
        .process_group(0)
        .spawn()
        .context("cannot start the stack's process")
}

/// The stack's log across starts: people often look for lines of the previous run.
#[derive(Debug)]
struct Log {
    path: PathBuf,
    /// Position of this start's first line.
    begin: u64,
}

impl Log {
    /// Opens it for one more start. One that is larger than `limit` is put aside first.
    fn open(path: PathBuf, limit: u64) -> anyhow::Result<(Self, File)> {
        let cannot = || format!("cannot open {}", path.display());
        logs::put_aside_unopened(&path, limit).with_context(cannot)?;
        let file =
            OpenOptions::new().create(true).append(true).mode(0o600).open(&path).with_context(cannot)?;
        let begin = file.metadata().with_context(cannot)?.len();
        Ok((Self { path, begin }, file))
    }

    /// The last lines of this start, and whose they are.
    fn end(&self) -> String {
        let mut said = Vec::new();
        let read = File::open(&self.path).and_then(|mut file| {
            let length = file.metadata()?.len();
            // If the log was put aside since, the lines before this start went with it.
            let begin = if self.begin > length { 0 } else { self.begin };
            file.seek(SeekFrom::Start(begin.max(length.saturating_sub(MOST_SHOWN))))?;
            file.read_to_end(&mut said)
        });
        // Without it, the position alone has to do.
        drop(read);
        let text = String::from_utf8_lossy(&said);
        let lines: Vec<&str> = text.trim_end().lines().collect();
        let last = lines[lines.len().saturating_sub(15)..].join("\n");
        format!("The end of {}:\n{last}", self.path.display())
    }
}

#[cfg(test)]
mod tests {
    use std::{io::Write as _, os::unix::fs::MetadataExt as _};

    use super::*;

    // rows: CLI-LOG
    #[test]
    fn a_log_is_gone_on_with_and_put_aside_once_it_is_large() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("banyan.log");
        let write = |text: &str| {
            let (log, mut file) = Log::open(path.clone(), 10).expect("opened");
            file.write_all(text.as_bytes()).expect("written");
            log.end()
        };
        write("first\n");
        assert!(
            write("second\n").ends_with("banyan.log:\nsecond"),
            "an error is told by its own start alone"
        );
        assert_eq!(std::fs::read_to_string(&path).expect("read"), "first\nsecond\n");
        let inode = |path: &Path| std::fs::metadata(path).expect("there").ino();
        let before = inode(&path);
        write("third\n");
        assert_eq!(std::fs::read_to_string(&path).expect("read"), "third\n");
        let aside = folder.path().join("banyan.log.1");
        assert_eq!(inode(&aside), before, "a large one is not copied");
        assert_eq!(std::fs::read_to_string(aside).expect("read"), "first\nsecond\n");
    }

    // rows: edge/FUNCTION_NOT_READY
    #[test]
    fn one_function_is_no_plural() {
        assert_eq!(not_compiled(1, "being"), "1 function is being compiled and answers 503 until then.");
        assert_eq!(
            not_compiled(2, "still to be"),
            "2 functions are still to be compiled and answer 503 until then."
        );
    }
}
