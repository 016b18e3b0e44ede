//! Comments are narrow enough to read.

use std::path::{Path, PathBuf};

use crate::root;

/// Folders whose comments have at most [`COMMENT_COLUMNS`].
const NARROW_COMMENTS: &[&str] = &[
    "crates/auth",
    "crates/cli",
    "crates/config",
    "crates/db",
    "crates/edge",
    "crates/identity",
    "crates/local",
    "crates/mail",
    "crates/realtime",
    "crates/rest",
    "crates/schemas",
    "crates/server",
    "crates/storage",
    "crates/testkit",
    "crates/web",
    "functions",
];

/// Most columns of a line that is a comment. A line of rows is one list and stays whole.
const COMMENT_COLUMNS: usize = 100;

#[test]
fn comments_of_these_folders_have_at_most_100_columns() {
    let mut lines = 0;
    for folder in NARROW_COMMENTS {
        for file in rust_files(&root().join(folder)) {
            let text = std::fs::read_to_string(&file).expect("a source");
            for (at, line) in text.lines().enumerate().filter(|(_, line)| is_comment(line)) {
                lines += 1;
                let columns = line.chars().count();
                assert!(columns <= COMMENT_COLUMNS, "{}:{}: {columns} columns", file.display(), at + 1);
            }
        }
    }
    assert!(lines > 5_000, "the comments were not read: {lines}");
}

/// The sources below a folder, without those of builds.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let sources = files.into_iter().filter(|file| file.extension().is_some_and(|end| end == "rs"));
    let below = folders.iter().filter(|folder| !folder.ends_with("target")).flat_map(|it| rust_files(it));
    sources.chain(below).collect()
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("//") && !line.starts_with("// rows:")
}
