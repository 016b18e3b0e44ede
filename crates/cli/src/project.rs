//! The project that a command works on.

use std::{net::Ipv4Addr, path::PathBuf};

use anyhow::{Context, bail};
use banyan_config::{Config, Environment, Keys, Loaded, Paths, Stopping};
use banyan_identity::Clock;
use banyan_local::{Passwords, postgres::OWNER};
use banyan_mail::{MailError, SmtpSettings};

use crate::{arguments::Global, database, output, running_stack};

/// The folder that a command starts from.
pub(crate) fn folder(global: &Global) -> anyhow::Result<PathBuf> {
    match &global.workdir {
        Some(folder) => folder.canonicalize().with_context(|| format!("cannot find {}", folder.display())),
        None => std::env::current_dir().context("cannot find the working folder"),
    }
}

/// Loads the configuration for a command about a running stack. If the files are wrong, the error
/// also says whether a stack runs: it keeps the settings that it started with.
pub(crate) fn load_beside_running(global: &Global) -> anyhow::Result<Config> {
    load(global).map_err(|error| match runs(global) {
        Some(sentence) => anyhow::anyhow!("{error:#}\n{sentence}"),
        None => error,
    })
}

fn runs(global: &Global) -> Option<String> {
    let mut stopping = banyan_config::stopping(&folder(global).ok()?, Environment::of_process()).ok()?;
    look_where_it_runs(&mut stopping.paths, &stopping.others);
    Some(match running_stack::running(&stopping.paths.state) {
        Some(record) => format!(
            "The stack runs at {} (process {}), with the settings that it began with.",
            record.api_url, record.pid
        ),
        None => "No stack of this project runs.".to_owned(),
    })
}

/// Reads the configuration of the project at or above the folder.
pub(crate) fn load(global: &Global) -> anyhow::Result<Config> {
    Ok(read(global)?.config)
}

/// Loads the configuration, and returns settings without effect for the caller to report.
pub(crate) fn load_with_doubts(global: &Global) -> anyhow::Result<(Config, Vec<String>)> {
    let Loaded { config, warnings, .. } = read(global)?;
    Ok((config, warnings))
}

fn read(global: &Global) -> anyhow::Result<Loaded> {
    let mut loaded = banyan_config::load(&folder(global)?, Environment::of_process(), global.port_offset)?;
    look_where_it_runs(&mut loaded.config.paths, &loaded.others);
    note_password_of_list(&mut loaded.config);
    Ok(loaded)
}

/// Sets the current password of the embedded database from the list. A start makes the list and
/// renews it, so code that waited for a start calls this again.
pub(crate) fn note_password_of_list(config: &mut Config) {
    // A user who may not read the list does not get the password.
    let passwords = Passwords::read(&config.paths.state).ok().flatten().unwrap_or_default();
    note_password(config, &passwords);
}

/// Notes by which password people and functions reach the embedded database.
pub(crate) fn note_password(config: &mut Config, passwords: &Passwords) {
    if let Some(password) = passwords.of(OWNER) {
        config.database.password = password.clone();
    }
}

/// Turns to the folder of this project in which a stack runs, where none runs in the one to use:
/// every command speaks of the same.
fn look_where_it_runs(paths: &mut Paths, others: &[PathBuf]) {
    let runs = |state: &&PathBuf| running_stack::holder(state).is_some();
    if let Some(state) = std::iter::once(&paths.state).chain(others).find(runs) {
        paths.state = state.clone();
    }
}

/// Loads the configuration and reports settings without effect. Mail templates, keys and public
/// addresses are judged here too, so that all mistakes are reported before anything runs.
pub(crate) fn load_with_warnings(global: &Global) -> anyhow::Result<Config> {
    Ok(read_with_warnings(global)?.config)
}

/// Loads the configuration for a start, which makes data for a project that has none. If there are
/// data that are likely its own, the person has to decide: new data would hide them.
pub(crate) fn load_to_start(global: &Global, new_data: bool) -> anyhow::Result<Config> {
    let Loaded { config, left, .. } = read_with_warnings(global)?;
    match left.filter(|_| !new_data && config.database.url.is_none()) {
        Some(left) => {
            bail!(
                "{left}\nIf it was not, this starts with new data:\n  banyan start --new-data\n\
                 or, in the checkout of the stack:\n  scripts/start --new-data\nNothing was started."
            )
        }
        None => Ok(config),
    }
}

fn read_with_warnings(global: &Global) -> anyhow::Result<Loaded> {
    let mut loaded = read(global)?;
    if let Some(unset) = loaded.unset.take() {
        return Err(unset.into());
    }
    let doubts = refuse_unusable(&loaded.config)?;
    for warning in loaded.warnings.iter().chain(&doubts) {
        output::note(format_args!("WARN: {warning}"));
    }
    Ok(loaded)
}

/// Refuses values that are of the right form, and that the part of the stack which they are for
/// could not begin with. Gives what is doubtful about the others.
fn refuse_unusable(config: &Config) -> anyhow::Result<Vec<String>> {
    let problems = banyan_identity::key_problems(&config.keys, Clock::system().now());
    let (untimely, problems): (Vec<_>, Vec<_>) = problems.into_iter().partition(|problem| problem.is_of_time);
    let mut faults: Vec<String> = problems.iter().map(ToString::to_string).collect();
    let mut untimely: Vec<String> = untimely.iter().map(ToString::to_string).collect();
    faults.extend(sender(config).err().map(|error| error.to_string()));
    let url = config.database.url.as_ref();
    faults
        .extend(url.and_then(|url| database::external(config, url).err()).map(|error| format!("{error:#}")));
    match banyan_server::template_warnings(&config.auth) {
        Ok(doubts) if faults.is_empty() => {
            untimely.extend(doubts);
            Ok(untimely)
        }
        templates => {
            faults.extend(templates.err().map(|error| error.to_string()));
            bail!("{}", faults.join("\n"))
        }
    }
}

/// Checks that mails can be sent under the sender name of the project.
fn sender(config: &Config) -> Result<(), MailError> {
    match &config.auth.smtp {
        Some(smtp) => SmtpSettings::server(smtp).map(drop),
        None => SmtpSettings::inbox(&config.local_smtp, (Ipv4Addr::LOCALHOST, 0).into()).map(drop),
    }
}

/// The file of `auth.signing_keys_path`, whether or not it exists yet.
pub(crate) fn signing_keys_file(global: &Global) -> anyhow::Result<Option<PathBuf>> {
    Ok(banyan_config::signing_keys_file(&folder(global)?, Environment::of_process())?)
}

/// Loads the settings that a stop needs. Mistakes elsewhere are warnings.
pub(crate) fn stopping(global: &Global) -> anyhow::Result<Stopping> {
    let mut stopping = banyan_config::stopping(&folder(global)?, Environment::of_process())?;
    look_where_it_runs(&mut stopping.paths, &stopping.others);
    for mistake in stopping
        .mistakes
        .iter()
        .flat_map(|error| error.to_string().lines().map(str::to_owned).collect::<Vec<_>>())
    {
        output::note(format_args!("WARN: {mistake}"));
    }
    Ok(stopping)
}

/// The keys as far as they are there, whatever else the configuration lacks.
pub(crate) fn keys_so_far(global: &Global) -> anyhow::Result<Keys> {
    Ok(banyan_config::keys_so_far(&folder(global)?, Environment::of_process())?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::running_stack::Lock;

    #[tokio::test]
    async fn every_command_speaks_of_the_folder_in_which_a_stack_of_the_project_runs() {
        let root = tempfile::tempdir().expect("a folder");
        let [school, other] = ["school", "other"].map(|name| root.path().join(name));
        let looked = || {
            let mut paths = Paths { project: PathBuf::new(), state: school.clone(), cache: PathBuf::new() };
            look_where_it_runs(&mut paths, std::slice::from_ref(&other));
            paths.state
        };
        assert_eq!(looked(), school, "nothing runs");
        let _of_another_id = Lock::take(&other).await.expect("the lock");
        assert_eq!(looked(), other);
        let _own = Lock::take(&school).await.expect("the lock");
        assert_eq!(looked(), school);
    }
}
