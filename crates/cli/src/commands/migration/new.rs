//! `banyan migration new`: writes an empty migration, or what comes on standard input (CONTRACT.md
//! CLI-MIGRATION-NEW).

use std::io::{IsTerminal, Read};

use anyhow::{Context, bail};
use banyan_identity::Clock;
use time::macros::format_description;

use crate::{arguments::Global, output, project};

pub(super) fn run(global: &Global, name: &str) -> anyhow::Result<()> {
    if name.is_empty() || name.contains(['/', '\\', '\0']) {
        bail!("the name of a migration is part of a file name: {name:?} cannot be");
    }
    let config = project::load(global)?;
    let folder = config.paths.migrations();
    let version =
        Clock::system().now().format(format_description!("[year][month][day][hour][minute][second]"))?;
    let mut sql = String::new();
    if !std::io::stdin().is_terminal() {
        std::io::stdin().read_to_string(&mut sql).context("cannot read standard input")?;
    }
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let file = folder.join(format!("{version}_{name}.sql"));
    std::fs::write(&file, sql).with_context(|| format!("cannot write {}", file.display()))?;
    let shown = file.strip_prefix(&config.paths.project).unwrap_or(&file);
    output::line(format_args!("Created new migration at {}", shown.display()));
    Ok(())
}
