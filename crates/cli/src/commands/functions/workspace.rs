//! Keeps one Cargo workspace for the functions of a project, so that shared crates are compiled
//! once (edge/CONTRACT.md G11).

use std::{
    ops::Range,
    path::{Path, PathBuf},
};

use anyhow::Context;

use crate::output;

/// The key that lists the members of a workspace.
const LISTS: [&str; 2] = ["members", "default-members"];

/// Adds a function that is about to be written to the workspace of its folder. The first function
/// of a project creates the workspace. If there are crates already, or a workspace above, their
/// author has decided otherwise and nothing changes.
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
    let Some(list) = list(text, "members") else {
        output::note(format_args!("Add \"{slug}\" to the members of the functions' Cargo.toml."));
        return None;
    };
    let (head, tail) = text.split_at(list.start);
    let comma = if tail.trim_start().starts_with(']') { "" } else { ", " };
    Some(format!("{head}\"{slug}\"{comma}{tail}"))
}

/// Takes members out of the workspace whose folder is gone: cargo builds none of the others for as
/// long as it names them.
pub(super) fn take_out_gone(functions: &Path) -> anyhow::Result<()> {
    let Some(Gone { path, text, members }) = gone(functions) else { return Ok(()) };
    let (names, path_shown) = (members.join(", "), path.display());
    let text = without_members(&text, &members).with_context(|| {
        format!("{path_shown} names members whose folder is gone, take them out: {names}")
    })?;
    std::fs::write(&path, text).with_context(|| format!("cannot write {path_shown}"))?;
    output::note(format_args!("Taken out of {path_shown}, since the folder is gone: {names}"));
    Ok(())
}

/// Reports members whose folder is gone, and changes nothing: a folder may be about to come back,
/// as when a branch is switched during `functions serve`.
pub(super) fn tell_gone(functions: &Path) {
    if let Some(Gone { path, members, .. }) = gone(functions) {
        output::note(format_args!(
            "{} names members whose folder is gone, so that nothing is built: {}. `banyan functions build` takes them out.",
            path.display(),
            members.join(", ")
        ));
    }
}

/// A workspace, and those of its members whose folder is gone.
struct Gone {
    path: PathBuf,
    text: String,
    members: Vec<String>,
}

fn gone(functions: &Path) -> Option<Gone> {
    let path = functions.join("Cargo.toml");
    let text = std::fs::read_to_string(&path).ok()?;
    let mut members = members(&text.parse().ok()?);
    members.retain(|member| is_gone(functions, member));
    members.sort();
    members.dedup();
    (!members.is_empty()).then_some(Gone { path, text, members })
}

/// Names that are in both lists.
fn members(table: &toml::Table) -> Vec<String> {
    let workspace = table.get("workspace");
    let lists = LISTS.iter().filter_map(|list| workspace?.get(list)?.as_array());
    lists.flatten().filter_map(|member| member.as_str().map(str::to_owned)).collect()
}

/// Returns whether nothing exists at the path of a member. A pattern is no path.
fn is_gone(functions: &Path, member: &str) -> bool {
    let found = std::fs::symlink_metadata(functions.join(member));
    !member.contains(['*', '?', '['])
        && found.is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
}

/// The workspace without some members; none where a list is not as plain as one that was written
/// here.
fn without_members(text: &str, gone: &[String]) -> Option<String> {
    let mut wanted: toml::Table = text.parse().ok()?;
    let workspace = wanted.get_mut("workspace")?.as_table_mut()?;
    let mut left = text.to_owned();
    let is_gone = |member: &toml::Value| gone.iter().any(|gone| member.as_str() == Some(gone));
    for name in LISTS {
        let Some(members) = workspace.get_mut(name).and_then(toml::Value::as_array_mut) else { continue };
        if members.iter().any(is_gone) {
            members.retain(|member| !is_gone(member));
            left = without(&left, name, gone)?;
        }
    }
    // Lists of that name may stand in other tables as well, or a member be written in another way.
    (left.parse::<toml::Table>().ok()? == wanted).then_some(left)
}

/// The text without some members of one list.
fn without(text: &str, name: &str, gone: &[String]) -> Option<String> {
    let list = list(text, name)?;
    let (head, members, tail) = (&text[..list.start], &text[list.clone()], &text[list.end..]);
    if members.contains('#') {
        return None;
    }
    let stays = |member: &&str| {
        !member.is_empty() && gone.iter().all(|gone| member.trim_matches(['"', '\'']) != gone)
    };
    let left: Vec<&str> = members.split(',').map(str::trim).filter(stays).collect();
    let left = match members.contains('\n') {
        true => left.iter().map(|member| format!("\n    {member},")).collect::<String>() + "\n",
        false => left.join(", "),
    };
    Some(format!("{head}{left}{tail}"))
}

/// Position of a list, without its brackets.
fn list(text: &str, name: &str) -> Option<Range<usize>> {
    let begins_a_line = |at: usize| text[..at].rsplit('\n').next().is_some_and(|line| line.trim().is_empty());
    let key = text.match_indices(name).map(|(at, _)| at).find(|at| begins_a_line(*at))?;
    let start = key + text[key..].find('[')? + 1;
    Some(start..start + text[start..].find(']')?)
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

    // rows: edge/G11
    #[test]
    fn functions_that_are_written_share_a_workspace() {
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

    // rows: edge/G11
    #[test]
    fn a_member_whose_folder_is_gone_is_taken_out_and_others_stay() {
        let project = tempfile::tempdir().expect("a folder");
        let path = project.path().join("Cargo.toml");
        std::fs::create_dir(project.path().join("here")).expect("made");
        let left = |text: &str| {
            std::fs::write(&path, text).expect("written");
            take_out_gone(project.path()).expect("taken out");
            std::fs::read_to_string(&path).expect("read")
        };
        let of = |members: &str| format!("[workspace]\nresolver = \"3\"\nmembers = [{members}]\n");
        for (before, after) in [
            (r#""here""#, r#""here""#),
            (r#""here", "gone""#, r#""here""#),
            (r#""gone", 'here', "too""#, "'here'"),
            (r#""gone""#, ""),
            ("\n    \"here\",\n    \"gone\"\n", "\n    \"here\",\n"),
            (r#""here", "crates/*""#, r#""here", "crates/*""#),
        ] {
            assert_eq!(left(&of(before)), of(after), "{before}");
        }
        let both = |members: &str| format!("{}default-members = [{members}]\n", of(members));
        assert_eq!(left(&both(r#""here", "gone""#)), both(r#""here""#), "cargo stops at either");
        let without_a_line_of_its_own = "workspace = { members = [\"gone\"] }\n".to_owned();
        let in_another_table =
            "[workspace]\nmetadata.x = 1\n\"members\" = [\"gone\"]\n[other]\nmembers = [\"gone\"]\n"
                .to_owned();
        let noted = of("\n    \"here\", # ours\n    \"gone\",\n");
        for before in [noted, without_a_line_of_its_own, in_another_table] {
            std::fs::write(&path, &before).expect("written");
            let message = take_out_gone(project.path()).expect_err("it is not as plain").to_string();
            assert!(message.contains("gone"), "{message}");
            assert_eq!(std::fs::read_to_string(&path).expect("read"), before);
        }
    }

    // rows: edge/G11
    #[test]
    fn a_workspace_above_and_crates_that_stand_alone_are_left_as_they_are() {
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
