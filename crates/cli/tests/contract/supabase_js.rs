//! The published `@supabase/supabase-js`, as a process: each file of `supabase_js/` is one trial.

use std::{path::Path, process::Command};

use anyhow::{Context, ensure};

use crate::{NamedTrial, stack::Stack};

/// Name and body of each trial.
pub(crate) const TRIALS: &[NamedTrial] = &[
    ("supabase_js::teacher", |stack| run(stack, "teacher.test.mjs")),
    ("supabase_js::wallet", |stack| run(stack, "wallet.test.mjs")),
    ("supabase_js::progress", |stack| run(stack, "progress.test.mjs")),
    ("supabase_js::mails", |stack| run(stack, "mails.test.mjs")),
    ("supabase_js::storage", |stack| run_after(stack, "storage.sql", "storage.test.mjs")),
    ("supabase_js::realtime", |stack| run_after(stack, "realtime.sql", "realtime.test.mjs")),
    ("supabase_js::resumable", |stack| run(stack, "resumable.test.mjs")),
];

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/contract/supabase_js");

/// Runs one file of tests once SQL has made what it needs.
fn run_after(stack: &Stack, sql: &str, file: &str) -> anyhow::Result<()> {
    let made = stack.command().args(["db", "query", "--file"]).arg(Path::new(FOLDER).join(sql)).output();
    let made = made.context("banyan db query runs")?;
    ensure!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    run(stack, file)
}

/// Runs one file of tests against a stack; fails with what it printed.
pub(crate) fn run(stack: &Stack, file: &str) -> anyhow::Result<()> {
    run_with(stack, file, &[])
}

/// The same with places that the tests are told beside.
pub(crate) fn run_with(stack: &Stack, file: &str, places: &[(&str, &Path)]) -> anyhow::Result<()> {
    run_in(stack, Path::new(FOLDER), file, places)
}

/// The same for a file of another folder, which has packages of its own.
pub(crate) fn run_in(
    stack: &Stack,
    folder: &Path,
    file: &str,
    places: &[(&str, &Path)],
) -> anyhow::Result<()> {
    let output = Command::new(node()?)
        .args(["--test", "--test-reporter=spec", file])
        .current_dir(folder)
        .envs(stack.values())
        .envs(places.iter().copied())
        .output()
        .context("node runs")?;
    let text = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success(), "{file} failed:\n{text}\n{}", String::from_utf8_lossy(&output.stderr));
    ensure!(text.contains("ℹ fail 0") && !text.contains("ℹ tests 0"), "{file} ran no test:\n{text}");
    Ok(())
}

/// The Node version the client asks for, from the npm registry, so that an older one on the machine
/// does not matter.
fn node() -> anyhow::Result<std::path::PathBuf> {
    let packages = Path::new(FOLDER).join("node_modules");
    ["x64", "arm64"]
        .map(|machine| packages.join(format!("node-linux-{machine}/bin/node")))
        .into_iter()
        .find(|path| path.is_file())
        .context(
            "npm packages are missing: run scripts/lib/npm-install.sh crates/cli/tests/contract/supabase_js",
        )
}
