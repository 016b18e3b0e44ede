//! `banyan functions serve`: builds again whenever a source changes. The running stack watches the
//! components and takes each success over; after a failure the last good ones go on
//! (edge/CONTRACT.md G04, G05).

use std::{
    convert::Infallible,
    fs::{File, TryLockError},
    path::Path,
    time::Duration,
};

use anyhow::{Context, bail};
use banyan_config::{
    Config,
    environment::{EnvFile, read_env_file},
};
use http::Method;
use serde_json::json;
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::mpsc,
    time::timeout,
};

use super::{
    build,
    function_sources::{self, Source},
    unbuilt_functions, watch, workspace,
};
use crate::{
    arguments::{Global, ServeFunctions, Target},
    management::Management,
    output, project, running_stack,
};

/// Changes that come closer together are one.
const QUIET: Duration = Duration::from_millis(500);
/// Between two words to the stack that this command lives; a third of the time that it waits for
/// one.
const RENEWAL: Duration = Duration::from_secs(5);

pub(super) async fn run(global: &Global, asked: ServeFunctions) -> anyhow::Result<()> {
    refuse_deno(&asked)?;
    if let Some(slug) = asked.slugs.first() {
        bail!(
            "`functions serve` serves every function and takes no name; `banyan functions build {slug}` builds that one alone"
        );
    }
    let mut config = project::load(global)?;
    let record = running_stack::require(&config.paths.state)?;
    let _only = only_one(&config.paths.state)?;
    let own = Target { url: None, access_token: None, project_ref: None };
    let stack = Management::of(global, &own)?;
    let (changed, mut changes) = mpsc::channel(1);
    let _watcher = watch::sources(&config, changed)?;
    let (edited, mut edits) = mpsc::channel(1);
    let _settings = watch::config(&config, edited)?;
    let mut stop = Stop::listen()?;
    variables(&asked)?.doubts.iter().for_each(output::note);
    begin_session(&stack, &asked).await?;
    let building = async {
        rebuild(&config).await?;
        tell(&config, &record.api_url)?;
        loop {
            tokio::select! {
                change = changes.recv() => change.context("the watch on the functions ended")?,
                edit = edits.recv() => {
                    edit.context("the watch on the configuration ended")?;
                    while let Ok(Some(())) = timeout(QUIET, edits.recv()).await {}
                    // A function may have a folder of its own by now.
                    let Some(edited) = edited_config(global) else { continue };
                    config = edited;
                }
            }
            while let Ok(Some(())) = timeout(QUIET, changes.recv()).await {}
            output::note("Building...");
            rebuild(&config).await?;
        }
    };
    let outcome = tokio::select! {
        outcome = building => outcome,
        never = go_on(&stack, &asked) => match never {},
        () = stop.is_asked() => Ok(()),
    };
    // This runs however the command ends: its settings, such as functions without a token, hold
    // only while it runs.
    stack.send(Method::DELETE, "/serve", None).await?;
    outcome
}

/// Held by the one that serves: two would take what they ask for from each other, again and again.
fn only_one(state: &Path) -> anyhow::Result<File> {
    let path = state.join("functions-serve.lock");
    let lock = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => {
            bail!("`functions serve` is running for this project already; end it first")
        }
        Err(TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("cannot lock {}", path.display()))
        }
    }
}

/// Signals that end this command: Ctrl-C, `kill`, and a terminal that closes.
struct Stop([Signal; 3]);

impl Stop {
    fn listen() -> anyhow::Result<Self> {
        let listen = |kind| signal(kind).context("cannot wait for signals");
        let (interrupt, terminate) = (listen(SignalKind::interrupt())?, listen(SignalKind::terminate())?);
        Ok(Self([interrupt, terminate, listen(SignalKind::hangup())?]))
    }

    async fn is_asked(&mut self) {
        let [interrupt, terminate, hangup] = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    }
}

/// Flags that only Deno supports are refused, not ignored silently.
fn refuse_deno(asked: &ServeFunctions) -> anyhow::Result<()> {
    if asked.import_map.is_some() {
        bail!(
            "--import-map is for Deno, and this server runs WebAssembly components: cargo reads Cargo.toml"
        );
    }
    if asked.inspect || asked.inspect_mode.is_some() || asked.inspect_main {
        bail!(
            "--inspect is for Deno, and this server runs WebAssembly components: see `banyan functions logs --follow`"
        );
    }
    Ok(())
}

/// Tells the running stack what this command was asked for; it forgets it at the end.
async fn begin_session(stack: &Management, asked: &ServeFunctions) -> anyhow::Result<()> {
    let session = json!({"no_verify_jwt": asked.no_verify_jwt, "env": variables(asked)?.variables});
    stack.change(Method::PUT, "/serve", &session).await
}

/// The variables of `--env-file`.
fn variables(asked: &ServeFunctions) -> anyhow::Result<EnvFile> {
    match &asked.env_file {
        None => Ok(EnvFile::default()),
        Some(path) if !path.is_file() => bail!("there is no file {}", path.display()),
        Some(path) => Ok(read_env_file(path)?),
    }
}

/// Asks the stack for the same again and again: it forgets what a killed command wanted.
async fn go_on(stack: &Management, asked: &ServeFunctions) -> Infallible {
    loop {
        tokio::time::sleep(RENEWAL).await;
        // A stack that is away, or a file that is being written, is there the next time.
        let _ = begin_session(stack, asked).await;
    }
}

fn tell(config: &Config, api_url: &str) -> anyhow::Result<()> {
    output::line(format_args!("Serving functions on {api_url}/functions/v1/<function-name>"));
    for function in function_sources::list(config)? {
        let enabled = config.functions.get(&function.slug).is_none_or(|policy| policy.enabled);
        match function.source {
            _ if !enabled => output::line(format_args!("Skipped serving Function: {}", function.slug)),
            Source::Crate(_) if !unbuilt_functions::is_there(config, &function.slug) => {
                output::line(format_args!("Not built, so not served: {}", function.slug));
            }
            Source::Crate(_) => output::line(format_args!(" - {api_url}/functions/v1/{}", function.slug)),
            Source::TypeScript(_) => {}
        }
    }
    output::note("Watching for changes. Ctrl-C ends this; the stack goes on.");
    Ok(())
}

/// Reads a changed configuration and says what the running stack does with it: it applies the
/// settings of functions, or keeps the previous ones.
fn edited_config(global: &Global) -> Option<Config> {
    match project::load_with_warnings(global) {
        Ok(config) => {
            output::note("The configuration of functions is up to date.");
            Some(config)
        }
        Err(error) => {
            output::note(format_args!("The changed configuration is not used: {error:#}"));
            None
        }
    }
}

/// Builds the current functions. A failure is only reported.
async fn rebuild(config: &Config) -> anyhow::Result<()> {
    let config = config.clone();
    let build = move || {
        workspace::tell_gone(&config.paths.functions());
        let built = function_sources::list(&config).and_then(|functions| build::build(&config, &functions));
        match built {
            Ok(()) => {
                output::note("Functions are built; what changed is served once the stack has compiled it.")
            }
            Err(error) => output::note(format_args!("{error:#}")),
        }
    };
    Ok(tokio::task::spawn_blocking(build).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: edge/G04
    #[test]
    fn a_second_one_is_refused_while_the_first_serves() {
        let state = tempfile::tempdir().expect("a folder");
        let first = only_one(state.path()).expect("nobody serves");
        let refused = only_one(state.path()).expect_err("somebody serves").to_string();
        assert!(refused.contains("is running for this project already"), "{refused}");
        drop(first);
        only_one(state.path()).expect("the first has ended, however it did");
    }
}
