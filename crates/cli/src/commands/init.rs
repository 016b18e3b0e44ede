//! `banyan init`: writes supabase/config.toml (CONTRACT.md CLI-INIT).

use std::{io, path::Path};

use anyhow::{Context, bail};

use crate::{arguments::Global, output, project};

const TEMPLATE: &str = include_str!("init.toml");
/// Paths that no repository may hold: data, builds, secrets.
const IGNORED: [&str; 8] = [
    ".branches",
    ".temp",
    ".banyan",
    "target",
    ".env.keys",
    ".env.local",
    ".env.*.local",
    "signing_keys.json",
];

pub(crate) fn run(global: &Global, force: bool) -> anyhow::Result<()> {
    let folder = project::folder(global)?;
    let supabase = folder.join("supabase");
    let config = supabase.join("config.toml");
    if config.exists() && !force {
        bail!("failed to create config file: {} exists (use --force to overwrite it)", config.display());
    }
    std::fs::create_dir_all(&supabase).with_context(|| format!("cannot make {}", supabase.display()))?;
    // This comes first: if the file cannot be read, the command ends and can be run again.
    ignore(&supabase.join(".gitignore"))?;
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    std::fs::write(&config, TEMPLATE.replace("{project_id}", &sanitized(&name)))?;
    output::line("Finished supabase init.");
    Ok(())
}

/// Adds what no repository is to hold, also where there is none yet.
fn ignore(path: &Path) -> anyhow::Result<()> {
    let before = match std::fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        read => read.with_context(|| format!("cannot read {}", path.display()))?,
    };
    let missing = IGNORED.into_iter().filter(|name| before.lines().all(|line| line != *name));
    let missing: String = missing.map(|name| format!("{name}\n")).collect();
    let end = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
    if !missing.is_empty() {
        std::fs::write(path, format!("{before}{end}{missing}"))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Bad characters become `_`, leading `_.-` are cut, 40 characters at most.
fn sanitized(name: &str) -> String {
    let clean: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || "_.-".contains(c) { c } else { '_' }).collect();
    let clean: String = clean.trim_start_matches(['_', '.', '-']).chars().take(40).collect();
    if clean.is_empty() { "project".to_owned() } else { clean }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: CLI-INIT-IGNORE
    #[test]
    fn secrets_are_left_out_of_a_repository_beside_what_was_left_out_before() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(".gitignore");
        std::fs::write(&path, "mine\n.env.local").expect("written");
        for _ in 0..2 {
            ignore(&path).expect("written");
            let text = std::fs::read_to_string(&path).expect("read");
            assert!(text.starts_with("mine\n.env.local\n.branches\n"), "{text}");
            assert!(text.lines().any(|line| line == "signing_keys.json"), "{text}");
            assert_eq!(text.lines().filter(|line| *line == ".env.local").count(), 1, "{text}");
        }
    }

    // rows: CLI-INIT-IGNORE
    #[test]
    fn a_file_that_cannot_be_read_is_left_as_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(".gitignore");
        let latin_1 = b"sch\xfcler.csv\n";
        std::fs::write(&path, latin_1).expect("written");
        let message = ignore(&path).expect_err("it is no UTF-8").to_string();
        assert!(message.contains(".gitignore"), "{message}");
        assert_eq!(std::fs::read(&path).expect("read"), latin_1);
    }

    // rows: CLI-INIT-ID
    #[test]
    fn names_become_project_ids() {
        assert_eq!(sanitized("my app!"), "my_app_");
        assert_eq!(sanitized("._-x"), "x");
        assert_eq!(sanitized(&"a".repeat(60)).len(), 40);
        assert_eq!(sanitized("___"), "project");
    }
}
