//! `banyan status`: addresses and keys of the running stack (CONTRACT.md CLI-STATUS).

use std::path::PathBuf;

use banyan_config::{Config, Paths};

use crate::{
    arguments::{Global, Output},
    output, project,
    running_stack::{self, Record},
    status_values,
};

pub(crate) fn run(global: &Global, overrides: &[String]) -> anyhow::Result<()> {
    let config = project::load_beside_running(global)?;
    let record = running_stack::require(&config.paths.state)?;
    let mut values = status_values::of(&config, &record);
    status_values::rename(&mut values, overrides)?;
    match global.output {
        Output::Env => output::raw(&status_values::as_env(&values)),
        Output::Json => output::raw(&status_values::as_json(&values)),
        Output::Pretty => {
            output::note("banyan local development setup is running.\n");
            output::raw(&overview(&config, &record));
        }
    }
    Ok(())
}

/// The text of `status` for a person: where to look first, then the boxes.
fn overview(config: &Config, record: &Record) -> String {
    let pages = pages(config, record);
    let first = if pages.is_empty() { String::new() } else { boxed("Open in a browser", &pages) };
    first + &status_values::as_boxes(&status_values::of(config, record)) + &files(&config.paths)
}

/// The last lines of `start` and `serve`: one box with addresses and keys. Private keys and
/// passwords are shown by `status` only, since these lines may be kept in a journal.
pub(crate) fn summary(config: &Config, record: &Record) -> String {
    let values = status_values::of(config, record);
    let of_status = |is_public: bool, key: &str| {
        let value = values.iter().find(|value| value.key == key && is_public);
        value.map_or("`banyan status` shows it", |value| value.value.as_str()).to_owned()
    };
    let keys = &config.keys;
    let is_open_database = config.database.url.is_none() && keys.everybody_knows().is_some();
    let mut rows = pages(config, record);
    rows.push(("API", record.api_url.clone()));
    rows.push(("Database", of_status(is_open_database, "db.url")));
    rows.push(("Publishable key", of_status(true, "auth.publishable_key")));
    rows.push(("Secret key", of_status(keys.has_demo_secret_key(), "auth.secret_key")));
    boxed("The stack is running", &rows)
}

/// Addresses for a browser.
fn pages(config: &Config, record: &Record) -> Vec<(&'static str, String)> {
    let mut pages = Vec::new();
    if config.server.site.is_some() {
        pages.push(("App", record.api_url.clone()));
        pages.push(("Sign in", format!("{}/auth", record.api_url)));
    }
    pages.extend(record.mail_url.clone().map(|mail| ("Mail inbox", mail)));
    pages
}

fn boxed(title: &str, rows: &[(&str, String)]) -> String {
    let rows: Vec<_> = rows.iter().map(|(label, value)| (*label, value.as_str())).collect();
    status_values::boxed(title, &rows)
}

/// Folders and files that a person may look for.
fn files(paths: &Paths) -> String {
    let shown = |path: PathBuf| path.display().to_string();
    let rows = [
        ("Data", shown(paths.state.clone())),
        ("Log", shown(paths.log())),
        ("Access token", shown(paths.access_token())),
    ];
    boxed("Files of the stack", &rows)
}
