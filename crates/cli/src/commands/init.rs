//! `banyan init`: writes supabase/config.toml (stack.md 1.3).

use anyhow::{Context, bail};

use crate::{arguments::Global, output, project};

const TEMPLATE: &str = include_str!("init.toml");
/// Secrets, and what can be made again.
const IGNORED: &str =
    ".branches\n.temp\n.banyan\ntarget\n.env.keys\n.env.local\n.env.*.local\nsigning_keys.json\n";

pub(crate) fn run(global: &Global, force: bool) -> anyhow::Result<()> {
    let folder = project::folder(global)?;
    let supabase = folder.join("supabase");
    let config = supabase.join("config.toml");
    if config.exists() && !force {
        bail!("failed to create config file: {} exists (use --force to overwrite it)", config.display());
    }
    std::fs::create_dir_all(&supabase).with_context(|| format!("cannot make {}", supabase.display()))?;
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    std::fs::write(&config, TEMPLATE.replace("{project_id}", &sanitized(&name)))?;
    // Whoever makes a repository of the folder later means to keep secrets out of it just as much.
    let ignored = supabase.join(".gitignore");
    if !ignored.exists() {
        std::fs::write(&ignored, IGNORED).with_context(|| format!("cannot write {}", ignored.display()))?;
    }
    output::line("Finished banyan init.");
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

    #[test]
    fn stack_1_3_names_become_project_ids() {
        assert_eq!(sanitized("my app!"), "my_app_");
        assert_eq!(sanitized("._-x"), "x");
        assert_eq!(sanitized(&"a".repeat(60)).len(), 40);
        assert_eq!(sanitized("___"), "project");
    }
}
