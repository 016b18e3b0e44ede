//! One Cargo workspace for the functions of a project: what they share is compiled once (functions.md G11).

use std::path::Path;

use anyhow::Context;

use crate::output;

/// Puts a function that is about to be written into the workspace of its folder. The first function of a project begins one;
/// where crates are there already, or a workspace above, their author has decided otherwise.
pub(super) fn join(functions: &Path, slug: &str) -> anyhow::Result<()> {
    let path = functions.join("Cargo.toml");
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => match with_member(&text, slug) {
            Some(text) => text,
            None => return Ok(()),
        },
        Err(_) if has_crates(functions) || is_below_workspace(functions) => return Ok(()),
        Err(_) => format!("[workspace]\nresolver = \"3\"\nmembers = [\"{slug}\"]\n"),
    };
    std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// The workspace with one more member; none where it is no workspace or has it already.
fn with_member(text: &str, slug: &str) -> Option<String> {
    let table: toml::Table = text.parse().ok()?;
    let members = table.get("workspace")?.get("members").and_then(toml::Value::as_array);
    if members.into_iter().flatten().any(|member| member.as_str() == Some(slug)) {
        return None;
    }
    let begins_a_line = |at: usize| text[..at].rsplit('\n').next().is_some_and(|line| line.trim().is_empty());
    let key = text.match_indices("members").map(|(at, _)| at).find(|at| begins_a_line(*at));
    let before = key.and_then(|at| Some(at + text[at..].find('[')? + 1));
    let Some(before) = before else {
        output::note(format_args!("Add \"{slug}\" to the members of the functions' Cargo.toml."));
        return None;
    };
    let (head, tail) = text.split_at(before);
    let comma = if tail.trim_start().starts_with(']') { "" } else { ", " };
    Some(format!("{head}\"{slug}\"{comma}{tail}"))
}

fn has_crates(functions: &Path) -> bool {
    let entries = std::fs::read_dir(functions).into_iter().flatten().flatten();
    entries.into_iter().any(|entry| entry.path().join("Cargo.toml").exists())
}

fn is_below_workspace(functions: &Path) -> bool {
    let real = functions.canonicalize().unwrap_or_else(|_| functions.to_owned());
    real.ancestors().skip(1).any(|folder| {
        let text = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        text.parse::<toml::Table>().is_ok_and(|table| table.contains_key("workspace"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_g11_functions_that_are_written_share_a_workspace() {
        let project = tempfile::tempdir().expect("a folder");
        let text = || std::fs::read_to_string(project.path().join("Cargo.toml")).unwrap_or_default();
        join(project.path(), "one").expect("joined");
        join(project.path(), "two").expect("joined");
        join(project.path(), "two").expect("joined");
        assert_eq!(text(), "[workspace]\nresolver = \"3\"\nmembers = [\"two\", \"one\"]\n");
        assert_eq!(
            with_member("[workspace]\nmembers = []\n", "a").expect("new"),
            "[workspace]\nmembers = [\"a\"]\n"
        );
        assert_eq!(with_member("[package]\nname = \"members\"\n", "a"), None);
    }

    #[test]
    fn functions_g11_a_workspace_above_and_crates_that_stand_alone_are_left_as_they_are() {
        let project = tempfile::tempdir().expect("a folder");
        let functions = project.path().join("functions");
        std::fs::create_dir_all(functions.join("old")).expect("made");
        std::fs::write(project.path().join("Cargo.toml"), "[workspace]\n").expect("written");
        join(&functions, "new").expect("left alone");
        std::fs::remove_file(project.path().join("Cargo.toml")).expect("removed");
        std::fs::write(functions.join("old/Cargo.toml"), "[package]\n").expect("written");
        join(&functions, "new").expect("left alone");
        assert!(!functions.join("Cargo.toml").exists());
    }
}
