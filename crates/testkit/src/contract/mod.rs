//! Holds the contract pages against the tests of the tree.
//!
//! A page is a crate's `CONTRACT.md`, or one of the two `SPECIFICATION.md`. Its rows stand in
//! tables whose first column is `id`. A test names the rows that it shows on a comment line above
//! its attributes:
//!
//! ```text
//! // rows: P02 P11 auth/M7
//! #[test]
//! fn other_paths_need_no_connection() {
//! ```
//!
//! A test of JavaScript has the line above its `test("...")`.
//!
//! An id alone is a row of the page of the test's own crate. `auth/M7` is a row of another page:
//! the folder of a crate, `app` or `functions`.

/// What the names of tests may be.
mod names;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

pub use self::names::check_names;

/// Row ids of one page, and the names of the tests that show each.
type Shown = BTreeMap<String, BTreeSet<String>>;

/// Checks every page below `root`, which is the top of the checkout.
///
/// # Panics
/// When a test names a row that no page has. When a row of a table with a column `tests` has
/// neither a test nor a reason *in stars*, and when such a column is stale: the renewed page is
/// then in `scratch`.
pub fn check(root: &Path, scratch: &Path) {
    let pages = pages(root);
    let tests = tests(root);
    assert!(!tests.is_empty() && pages.contains_key("rest"), "the tree was not read");
    let mut shown: BTreeMap<&str, Shown> = BTreeMap::new();
    for test in &tests {
        for named in &test.rows {
            let (file, name, page, id) = (test.file.display(), &test.name, &named.page, &named.id);
            let known = pages.get(page).is_some_and(|page| page.ids.contains(id));
            assert!(known, "{file}: {name} names {page}/{id}, and no page has that row");
            let of_page = shown.entry(page).or_default();
            of_page.entry(id.clone()).or_default().insert(name.clone());
        }
    }
    for (name, page) in &pages {
        page.check(shown.get(name.as_str()).unwrap_or(&Shown::new()), &scratch.join(format!("{name}.md")));
    }
}

/// Checks that every citation of a page names rows that the page has.
///
/// # Panics
/// When one does not, with all of them.
pub fn check_citations(root: &Path) {
    let pages = pages(root);
    let mut read = 0;
    let mut lost = Vec::new();
    for folder in ["crates", "functions", "app/src", "app/e2e", "migrations", "scripts"] {
        for file in files(&root.join(folder)) {
            let Ok(text) = std::fs::read_to_string(&file) else { continue };
            if !file.iter().any(|folder| folder == "migrations") {
                lost.extend(former(&text).map(|page| format!("{}: {page}", file.display())));
            }
            let own = own_page(file.strip_prefix(root).expect("a file lies below the root"));
            for cited in citations(&text, &own) {
                read += 1;
                let page = pages.get(&cited.page);
                if !page.is_some_and(|page| page.ids.contains(&cited.id)) {
                    lost.push(format!("{}: {}/{}", file.display(), cited.page, cited.id));
                }
            }
        }
    }
    assert!(read > 500, "only {read} citations were read");
    assert!(lost.is_empty(), "no page has these rows: {lost:#?}");
}

/// Pages that were named otherwise before they came into the repository, as a text cites them.
/// Applied migrations keep their text.
fn former(text: &str) -> impl Iterator<Item = String> + '_ {
    let names = ["rest", "auth", "functions", "stack", "screens", "generation", "domain", "decisions"];
    let cited = |name: &&str| {
        let page = format!("{name}.md ");
        text.match_indices(&page)
            .any(|(at, _)| !text[..at].ends_with(|c: char| c == '/' || c.is_alphanumeric()))
    };
    names.into_iter().filter(move |name| cited(name)).map(|name| format!("{name}.md"))
}

/// The rows that a text cites. They follow the name of the page: `P02, P11 and M7` are three rows,
/// `J2 to J5` are the first and the last of a range. A page without a folder is the own one.
fn citations(text: &str, own_page: &str) -> Vec<Named> {
    let joined = without_comment_signs(text);
    let mut found = Vec::new();
    for name in ["CONTRACT.md ", "SPECIFICATION.md "] {
        let mut rest = joined.as_str();
        while let Some((before, after)) = rest.split_once(name) {
            let path = before.rsplit(|c: char| !(c.is_ascii_alphanumeric() || "/_-.".contains(c)));
            let page = path.into_iter().next().unwrap_or_default().trim_end_matches('/');
            let page = page.rsplit('/').next().filter(|page| !page.is_empty()).unwrap_or(own_page);
            for id in ids_cited(after) {
                found.push(Named { page: page.to_owned(), id });
            }
            rest = after;
        }
    }
    found
}

/// The ids at the beginning of a text, up to the first word that is none.
fn ids_cited(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut kind = "";
    for word in text.split_whitespace().take(12) {
        let id = word.trim_end_matches(['.', ',', ';', ':', ')', '`', '"']);
        match id {
            "to" | "and" => continue,
            "config" | "SQLSTATE" => kind = id,
            _ if !kind.is_empty() => found.push(format!("{}-{id}", std::mem::take(&mut kind))),
            _ if is_id(id) => found.push(id.to_owned()),
            _ => break,
        }
        if word.ends_with([')', '.', ';', ':', '`']) && kind.is_empty() {
            break;
        }
    }
    found
}

/// `P02`, `S-370`, `GEN-5.3`, `CLI-START`, `LIMIT_LOG`.
fn is_id(word: &str) -> bool {
    let is_of_ids = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || "-._".contains(c);
    word.starts_with(|c: char| c.is_ascii_uppercase())
        && word.chars().all(is_of_ids)
        && word.contains(|c: char| c.is_ascii_digit() || c == '-' || c == '_')
}

/// A text as one line, without the signs that begin a line of a comment.
fn without_comment_signs(text: &str) -> String {
    let signs = ['/', '!', '*', '#', '-', ' '];
    text.lines().map(|line| line.trim().trim_start_matches(signs)).collect::<Vec<_>>().join(" ")
}

/// A page and the ids of its rows.
struct Page {
    path: PathBuf,
    text: String,
    ids: BTreeSet<String>,
}

impl Page {
    fn read(path: PathBuf) -> Option<Self> {
        let text = std::fs::read_to_string(&path).ok()?;
        let rows = lines(&text).filter_map(|line| Some(line.row?.ids())).flatten();
        let ids = rows.chain(text.lines().filter_map(section).map(str::to_owned)).collect();
        Some(Self { path, text, ids })
    }

    fn check(&self, shown: &Shown, fresh: &Path) {
        let renewed: String = lines(&self.text).map(|line| line.renewed(shown) + "\n").collect();
        if renewed != self.text {
            std::fs::write(fresh, &renewed).expect("the renewed page can be written");
        }
        let bare: Vec<_> = renewed.lines().filter(|line| line.ends_with("|  |")).collect();
        assert!(bare.is_empty(), "rows without a test or a reason in *stars*: {bare:#?}");
        let (path, fresh) = (self.path.display(), fresh.display());
        assert!(renewed == self.text, "{path} is stale: cp {fresh} {path}");
    }
}

/// The id of a section: `## GEN-8 The two gates` is GEN-8.
fn section(line: &str) -> Option<&str> {
    let id = line.strip_prefix('#')?.trim_start_matches('#').split_whitespace().next()?;
    (id.starts_with("GEN-") || id.starts_with("DOM-")).then_some(id)
}

/// The pages by the names that tests use.
fn pages(root: &Path) -> BTreeMap<String, Page> {
    let mut found = BTreeMap::new();
    for krate in std::fs::read_dir(root.join("crates")).expect("the crates can be read") {
        let krate = krate.expect("an entry can be read");
        let name = krate.file_name().to_string_lossy().into_owned();
        found.extend(Page::read(krate.path().join("CONTRACT.md")).map(|page| (name, page)));
    }
    for name in ["app", "functions"] {
        let page = Page::read(root.join(name).join("SPECIFICATION.md"));
        found.insert(name.to_owned(), page.expect("the specification can be read"));
    }
    found
}

/// A line of a page, and the row that it is.
struct Line<'a> {
    text: &'a str,
    row: Option<Row<'a>>,
}

/// A row of a table: `| ids | promise | tests |`.
#[derive(Clone, Copy)]
struct Row<'a> {
    key: &'a str,
    /// What stands between the ids and the tests, and the tests; none in a table without them.
    tests: Option<(&'a str, &'a str)>,
}

/// The lines of a page. A table begins with its header, whose last cell tells whether it has tests.
fn lines(page: &str) -> impl Iterator<Item = Line<'_>> {
    let mut header: Option<&str> = None;
    page.lines().map(move |text| {
        let table = text.strip_prefix("| ").and_then(|line| line.strip_suffix('|'));
        let Some(cells) = table else {
            header = header.filter(|_| text.starts_with('|'));
            return Line { text, row: None };
        };
        match header {
            None => {
                header = Some(cells);
                Line { text, row: None }
            }
            Some(header) if is_head_of_rows(header) && !cells.starts_with('-') => {
                Line { text, row: Some(row(cells, header.trim_end().ends_with("| tests"))) }
            }
            Some(_) => Line { text, row: None },
        }
    })
}

fn is_head_of_rows(header: &str) -> bool {
    header.split('|').next().is_some_and(|cell| cell.trim().eq_ignore_ascii_case("id"))
}

fn row(cells: &str, has_tests: bool) -> Row<'_> {
    let (key, rest) = cells.split_once('|').unwrap_or((cells, ""));
    let tests = has_tests.then(|| rest.rsplit_once('|')).flatten();
    Row { key: key.trim(), tests: tests.map(|(promise, tests)| (promise.trim(), tests.trim())) }
}

impl Row<'_> {
    /// The ids of a row. `SQLSTATE 08, 53` has two: `SQLSTATE-08` and `SQLSTATE-53`.
    fn ids(&self) -> Vec<String> {
        let (kind, ids) = match self.key.split_once(' ') {
            Some((kind @ ("SQLSTATE" | "config"), ids)) => (format!("{kind}-"), ids),
            _ => (String::new(), self.key),
        };
        ids.split(',').map(|id| format!("{kind}{}", id.trim())).collect()
    }

    /// The tests of the tree. A row of several ids needs a test for each of them, a row of options
    /// a test of any.
    fn shown(&self, shown: &Shown) -> Option<String> {
        let tests: Vec<_> = self.ids().iter().map(|id| shown.get(id)).collect();
        let names: BTreeSet<&String> = tests.iter().copied().flatten().flatten().collect();
        let is_shown = match self.key.starts_with("config ") {
            true => !names.is_empty(),
            false => tests.iter().all(Option::is_some),
        };
        let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
        is_shown.then(|| names.join(", "))
    }
}

impl Line<'_> {
    /// The line with the tests of the tree, or with its reason *in stars*.
    fn renewed(&self, shown: &Shown) -> String {
        let Some(Row { key, tests: Some((promise, tests)) }) = self.row else {
            return self.text.to_owned();
        };
        let reason = if tests.starts_with('*') { tests } else { "" };
        let tests = self.row.and_then(|row| row.shown(shown)).unwrap_or_else(|| reason.to_owned());
        format!("| {key} | {promise} | {tests} |")
    }
}

/// A test of the tree and the rows that it names.
struct Test {
    file: PathBuf,
    name: String,
    rows: Vec<Named>,
}

/// A row that a test names.
#[derive(Debug, PartialEq)]
struct Named {
    page: String,
    id: String,
}

/// Every test of the stack and of the functions, in Rust and in JavaScript.
fn tests(root: &Path) -> Vec<Test> {
    let mut found = Vec::new();
    for file in ["crates", "functions"].into_iter().flat_map(|folder| files(&root.join(folder))) {
        let own = own_page(file.strip_prefix(root).expect("a source lies below the root"));
        let read = || std::fs::read_to_string(&file).expect("a source can be read");
        let of_file = match file.extension().and_then(|it| it.to_str()) {
            Some("rs") => tests_of(&read(), &own),
            Some("mjs") => tests_of_javascript(&read(), &own),
            _ => continue,
        };
        found.extend(of_file.into_iter().map(|(name, rows)| Test { file: file.clone(), name, rows }));
    }
    found
}

/// The page of a source: its crate's, or that of all functions.
fn own_page(file: &Path) -> String {
    let mut folders = file.iter().map(|folder| folder.to_string_lossy());
    let top = folders.next().unwrap_or_default();
    if top == "crates" { folders.next().unwrap_or_default().into_owned() } else { top.into_owned() }
}

/// Functions under a `#[test]` of any kind, with the rows of the `rows:` line above it.
fn tests_of(source: &str, own_page: &str) -> Vec<(String, Vec<Named>)> {
    let mut found = Vec::new();
    let mut rows = Vec::new();
    let mut is_test = false;
    for line in source.lines().map(str::trim) {
        let function = line.strip_prefix("async ").unwrap_or(line).strip_prefix("fn ");
        if let Some(named) = rows_of(line, own_page) {
            rows = named;
        } else if line.starts_with("#[") {
            is_test |= line.contains("test");
        } else if let Some(name) = function.filter(|_| is_test) {
            let name = name.split('(').next().unwrap_or_default().to_owned();
            found.push((name, std::mem::take(&mut rows)));
            is_test = false;
        }
    }
    found
}

/// Tests of Node's runner, by the titles that their calls of `test` begin with.
fn tests_of_javascript(source: &str, own_page: &str) -> Vec<(String, Vec<Named>)> {
    let mut found = Vec::new();
    let mut rows = Vec::new();
    for line in source.lines().map(str::trim) {
        if let Some(named) = rows_of(line, own_page) {
            rows = named;
        } else if let Some(call) = line.strip_prefix("test(") {
            let quote = call.chars().next().filter(|c| "\"'`".contains(*c));
            let title = quote.and_then(|quote| call.get(1..)?.split(quote).next());
            found.extend(title.map(|title| (title.replace('`', ""), std::mem::take(&mut rows))));
        }
    }
    found
}

/// The rows of a line `// rows: P02 auth/M7`.
fn rows_of(line: &str, own_page: &str) -> Option<Vec<Named>> {
    let named = line.strip_prefix("// rows:")?;
    Some(named.split_whitespace().map(|row| named_row(row, own_page)).collect())
}

/// `P02` is a row of the own page, `auth/M7` one of another.
fn named_row(row: &str, own_page: &str) -> Named {
    let (page, id) = row.split_once('/').unwrap_or((own_page, row));
    Named { page: page.to_owned(), id: id.to_owned() }
}

/// Every file below a folder, what is built or installed left out.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder can be read") {
        let path = entry.expect("an entry can be read").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match path.is_dir() {
            true if name != "target" && name != "node_modules" => found.extend(files(&path)),
            true => {}
            false => found.push(path),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(page: &str, id: &str) -> Named {
        Named { page: page.to_owned(), id: id.to_owned() }
    }

    fn renewed(page: &str, shown: &[(&str, &str)]) -> String {
        let mut by_id = Shown::new();
        for (id, test) in shown {
            by_id.entry((*id).to_owned()).or_default().insert((*test).to_owned());
        }
        lines(page).map(|line| line.renewed(&by_id) + "\n").collect()
    }

    #[test]
    fn a_test_names_its_rows_on_the_line_above() {
        let source = "
            // ROWS: P02 auth/M7
            #[tokio::test]
            async fn other_paths_need_no_connection() {}
            #[test]
            fn this_one_shows_no_row() {}
            fn this_is_no_test() {}
        "
        .replace("ROWS", "rows");
        let rows = vec![named("rest", "P02"), named("auth", "M7")];
        let expected = [
            ("other_paths_need_no_connection".to_owned(), rows),
            ("this_one_shows_no_row".to_owned(), vec![]),
        ];
        assert_eq!(tests_of(&source, "rest"), expected);
    }

    #[test]
    fn a_test_of_javascript_has_its_title_as_a_name() {
        let source = "
            // ROWS: edge/C01
            test(\"a call is a POST\", async () => {});
              test(`${tool.name}: it is answered`, async () => {});
            other(\"no test\");
        "
        .replace("ROWS", "rows");
        let expected = [
            ("a call is a POST".to_owned(), vec![named("edge", "C01")]),
            ("${tool.name}: it is answered".to_owned(), vec![]),
        ];
        assert_eq!(tests_of_javascript(&source, "cli"), expected);
    }

    #[test]
    fn a_row_of_several_ids_needs_a_test_for_each() {
        let page = "| id | promise | tests |\n|---|---|---|\n| SQLSTATE 08, 53 | it fails |  |\n";
        assert_eq!(renewed(page, &[("SQLSTATE-08", "one")]), page);
        let both = renewed(page, &[("SQLSTATE-08", "one"), ("SQLSTATE-53", "two")]);
        assert!(both.ends_with("| it fails | `one`, `two` |\n"), "{both}");
    }

    #[test]
    fn a_row_of_options_needs_a_test_of_any() {
        let page = "| id | promise | tests |\n|---|---|---|\n| config db-uri, db-pool | it connects | |\n";
        assert!(renewed(page, &[("config-db-uri", "one")]).ends_with("| it connects | `one` |\n"));
    }

    #[test]
    fn a_citation_may_name_several_rows_and_another_page() {
        let text = "/// Refused (PAGE.md P02,\n/// P11). See auth/PAGE.md J2 to J5, and\n\
                    -- rest/PAGE.md config db-uri; `PAGE.md` is a page."
            .replace("PAGE", "CONTRACT");
        let expected = [
            named("edge", "P02"),
            named("edge", "P11"),
            named("auth", "J2"),
            named("auth", "J5"),
            named("rest", "config-db-uri"),
        ];
        assert_eq!(citations(&text, "edge"), expected);
    }

    #[test]
    fn a_table_without_tests_stays_as_it_is() {
        let page =
            "| id | promise |\n|---|---|\n| GW-ROUTES | paths |\n\n| word | tests |\n|---|---|\n| a | b |\n";
        assert_eq!(renewed(page, &[("GW-ROUTES", "one")]), page);
        let ids: Vec<_> = lines(page).filter_map(|line| Some(line.row?.ids())).flatten().collect();
        assert_eq!(ids, ["GW-ROUTES"]);
    }
}
