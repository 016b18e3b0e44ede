//! Holds a crate's `CONTRACT.md`, the list of the rows of its contract, against the tests of the tree: each row has a
//! test that names it, or says why it has none, and no test names a row that does not exist.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

/// Ids of rows, in lower case and with `_`, and the tests that name them.
type Shown = BTreeMap<String, BTreeSet<String>>;

/// Checks `crates/<krate>/CONTRACT.md` against the tests below `crates/` whose names begin with `<krate>_`.
///
/// # Panics
/// When a row has neither a test nor a reason *in stars*, when a test names no row, and when the last column is stale;
/// the renewed list is then in `scratch`.
pub fn check(crates: &Path, krate: &str, scratch: &Path) {
    check_area(crates, krate, krate, scratch);
}

/// The same for a crate whose tests are named after its area: those of `edge` begin with `functions_`.
///
/// # Panics
/// As [`check`].
pub fn check_area(crates: &Path, krate: &str, area: &str, scratch: &Path) {
    let path = crates.join(krate).join("CONTRACT.md");
    let list = std::fs::read_to_string(&path).expect("the list can be read");
    let ids = ids_of_list(&list);
    let mut shown = Shown::new();
    for file in sources(crates) {
        let source = std::fs::read_to_string(&file).expect("a source can be read");
        for name in test_names(&source, &format!("{area}_")) {
            let named = rows_named(area, &name, &ids);
            assert!(!named.is_empty(), "{}: {name} names no row of {krate}/CONTRACT.md", file.display());
            for id in named {
                shown.entry(id).or_default().insert(name.clone());
            }
        }
    }
    let renewed: String = list
        .lines()
        .map(|line| row(line).map_or(line.to_owned(), |row| row.renewed(&shown)) + "\n")
        .collect();
    if renewed != list {
        let fresh = scratch.join("CONTRACT.md");
        std::fs::write(&fresh, &renewed).expect("the renewed list can be written");
        let unexplained: Vec<_> = renewed.lines().filter(|line| line.ends_with("|  |")).collect();
        assert!(unexplained.is_empty(), "rows without a test or a reason in *stars*: {unexplained:#?}");
        panic!("{} is stale: cp {} {}", path.display(), fresh.display(), path.display());
    }
    let unexplained: Vec<_> = renewed.lines().filter(|line| line.ends_with("|  |")).collect();
    assert!(unexplained.is_empty(), "rows without a test or a reason in *stars*: {unexplained:#?}");
}

/// Checks a `CONTRACT.md` whose tests are not named after its rows: where a table has a column
/// `tests`, the last cell of each row names its tests, and nothing but tests of the tree.
///
/// # Panics
/// When a row names no test, or one that does not exist.
pub fn check_names(crates: &Path, krate: &str) {
    let path = crates.join(krate).join("CONTRACT.md");
    let list = std::fs::read_to_string(&path).expect("the list can be read");
    let read = |file: PathBuf| std::fs::read_to_string(file).expect("a source can be read");
    let tests: BTreeSet<String> =
        sources(crates).into_iter().flat_map(|file| test_names(&read(file), "")).collect();
    let rows = cells_of_tests(&list);
    assert!(!rows.is_empty(), "{} has rows", path.display());
    for row in rows {
        let names: Vec<&str> = row.split(", ").map(|name| name.trim_matches('`')).collect();
        let unknown: Vec<_> = names.iter().filter(|name| !tests.contains(**name)).collect();
        assert!(unknown.is_empty(), "{}: no such tests: {unknown:?}", path.display());
    }
}

/// The last cells of the rows of every table whose last column is `tests`.
fn cells_of_tests(list: &str) -> Vec<&str> {
    let mut names_tests = None;
    let mut found = Vec::new();
    for line in list.lines() {
        if !line.starts_with('|') {
            names_tests = None;
            continue;
        }
        let row = line.strip_prefix("| ").and_then(|row| row.strip_suffix(" |"));
        let Some((_, last)) = row.and_then(|row| row.rsplit_once(" | ")) else { continue };
        match names_tests {
            None => names_tests = Some(last == "tests"),
            Some(true) => found.push(last),
            Some(false) => {}
        }
    }
    found
}

/// The ids of all rows of a list.
fn ids_of_list(list: &str) -> BTreeSet<String> {
    list.lines().filter_map(row).flat_map(|row| row.ids()).collect()
}

/// A line of the list: `| ids | what | tests |`.
struct Row<'a> {
    key: &'a str,
    what: &'a str,
    tests: &'a str,
}

fn row(line: &str) -> Option<Row<'_>> {
    let mut cells = line.strip_prefix("| ")?.strip_suffix('|')?.split('|').map(str::trim);
    let row = Row { key: cells.next()?, what: cells.next()?, tests: cells.next()? };
    (row.key != "id" && !row.key.starts_with('-')).then_some(row)
}

impl Row<'_> {
    /// `SQLSTATE 08, 53` has two: `sqlstate_08` and `sqlstate_53`.
    fn ids(&self) -> Vec<String> {
        let key = self.key.to_lowercase().replace('-', "_");
        let (kind, ids) = match key.split_once(' ') {
            Some((kind @ ("sqlstate" | "config"), ids)) => (format!("{kind}_"), ids),
            _ => (String::new(), key.as_str()),
        };
        ids.split(',').map(|id| format!("{kind}{}", id.trim())).collect()
    }

    /// The line with the tests that the tree has; a row of several ids needs one for each, one of options for any.
    fn renewed(&self, shown: &Shown) -> String {
        let tests: Vec<_> = self.ids().iter().map(|id| shown.get(id)).collect();
        let names: BTreeSet<&String> = tests.iter().copied().flatten().flatten().collect();
        let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
        let reason = if self.tests.starts_with('*') { self.tests } else { "" };
        let shown = match self.key.starts_with("config ") {
            true => !names.is_empty(),
            false => tests.iter().all(Option::is_some),
        };
        let tests = if shown { names.join(", ") } else { reason.to_owned() };
        format!("| {} | {} | {tests} |", self.key, self.what)
    }
}

/// The ids that a test's name begins with. After `sqlstate_` come codes, after `config_` options, until one is none.
fn rows_named(krate: &str, name: &str, ids: &BTreeSet<String>) -> Vec<String> {
    let mut rest = name.strip_prefix(krate).and_then(|rest| rest.strip_prefix('_')).unwrap_or_default();
    let mut found = Vec::new();
    let mut kind = "";
    loop {
        for begun in ["sqlstate_", "config_"] {
            if let Some(after) = rest.strip_prefix(begun) {
                (kind, rest) = (begun, after);
            }
        }
        match longest(rest, kind, ids) {
            Some(id) => {
                rest = rest[id.len() - kind.len()..].trim_start_matches('_');
                found.push(id.clone());
            }
            None if kind.is_empty() => return found,
            None => kind = "",
        }
    }
}

/// The longest id of a kind that `rest` begins with, whole words only.
fn longest<'a>(rest: &str, kind: &str, ids: &'a BTreeSet<String>) -> Option<&'a String> {
    let begins = |id: &&String| {
        let after = id.strip_prefix(kind).and_then(|id| rest.strip_prefix(id));
        after.is_some_and(|after| after.is_empty() || after.starts_with('_'))
    };
    ids.iter().filter(begins).max_by_key(|id| id.len())
}

/// Functions under a `#[test]` of any kind whose names begin with `prefix`.
fn test_names(source: &str, prefix: &str) -> Vec<String> {
    let mut marked = false;
    let mut names = Vec::new();
    for line in source.lines().map(str::trim) {
        let function =
            line.trim_start_matches("async ").strip_prefix("fn ").filter(|name| name.starts_with(prefix));
        if let (true, Some(name)) = (marked, function) {
            names.push(name.split('(').next().unwrap_or_default().to_owned());
        }
        marked = line.starts_with("#[") && (marked || line.contains("test"));
    }
    names
}

/// Every Rust file below a folder, the builder's own left out.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder can be read") {
        let path = entry.expect("an entry can be read").path();
        if path.is_dir() && path.file_name().is_some_and(|name| name != "target" && name != "node_modules") {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tables_with_a_column_for_them_name_tests() {
        let list = "| id | what it promises |\n|---|---|\n| A | no test |\n\n\
                    | id | what it promises | tests |\n|---|---|---|\n| B | one | `b` |\n| C | none |  |\n";
        assert_eq!(cells_of_tests(list), ["`b`", ""]);
    }

    #[test]
    fn names_of_tests_begin_with_the_rows_they_show() {
        let ids: BTreeSet<String> =
            ["p02", "p04", "pgrst116", "sqlstate_08", "sqlstate_57p01", "config_db_uri", "config_db_pool"]
                .map(str::to_owned)
                .into();
        assert_eq!(rows_named("rest", "rest_p02_p04_unknown_paths", &ids), ["p02", "p04"]);
        assert_eq!(
            rows_named("rest", "rest_sqlstate_08_57p01_p02_p_is_no_row", &ids),
            ["sqlstate_08", "sqlstate_57p01", "p02"]
        );
        assert_eq!(
            rows_named("rest", "rest_config_db_uri_db_pool_p02_are_read", &ids),
            ["config_db_uri", "config_db_pool", "p02"]
        );
        assert!(rows_named("rest", "rest_p022_is_another_row", &ids).is_empty());
    }
}
