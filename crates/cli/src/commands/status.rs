//! `banyan status`: addresses and keys of the running stack (CONTRACT.md CLI-STATUS).

use std::path::PathBuf;

use banyan_config::{Config, Paths};

use crate::{
    arguments::{Global, Output},
    instance::{self, Record},
    output, project, values,
};

pub(crate) fn run(global: &Global, overrides: &[String]) -> anyhow::Result<()> {
    let config = project::load_beside_running(global)?;
    let record = instance::require(&config.paths.state)?;
    let mut values = values::of(&config, &record);
    values::rename(&mut values, overrides)?;
    match global.output {
        Output::Env => output::raw(&values::as_env(&values)),
        Output::Json => output::raw(&values::as_json(&values)),
        Output::Pretty => {
            output::note("banyan local development setup is running.\n");
            output::raw(&overview(&config, &record));
        }
    }
    Ok(())
}

/// What `status` shows a person, and `start` and `serve` close with: where to look first, then the boxes.
pub(crate) fn overview(config: &Config, record: &Record) -> String {
    let mut text = String::new();
    let mut first = Vec::new();
    let sign_in = format!("{}/auth", record.api_url);
    if config.server.site.is_some() {
        first.extend([("App", record.api_url.as_str()), ("Sign in", &sign_in)]);
    }
    if let Some(mail) = &record.mail_url {
        first.push(("Mail inbox", mail));
    }
    if !first.is_empty() {
        text += &values::boxed("Open in a browser", &first);
    }
    text + &values::as_boxes(&values::of(config, record)) + &files(&config.paths)
}

/// Where the stack keeps what is looked for by hand.
fn files(paths: &Paths) -> String {
    let shown = |path: PathBuf| path.display().to_string();
    let rows = [
        ("Data", shown(paths.state.clone())),
        ("Log", shown(paths.log())),
        ("Access token", shown(paths.access_token())),
    ];
    values::boxed("Files of the stack", &rows.each_ref().map(|(label, path)| (*label, path.as_str())))
}
