//! Names of tests are sentences: they have no row ids, and are short enough to read.

use std::{collections::BTreeSet, path::Path};

use super::pages;

/// Most characters of a test's name.
const LONGEST: usize = 80;

/// Terms of the field that look like row ids. Codes of PostgREST are such terms too.
const TERMS: &[&str] = &["aal2", "es256", "http2", "ipv6", "md5", "s3"];

/// Checks the name of every test in Rust.
///
/// # Panics
/// When a name has a row id, or more than 80 characters.
pub fn check_names(root: &Path) {
    let rows: BTreeSet<String> =
        pages(root).values().flat_map(|page| &page.ids).filter_map(|id| bare(id)).collect();
    let tests = super::tests(root);
    let of_rust = tests.iter().filter(|test| test.file.extension().is_some_and(|end| end == "rs"));
    let wrong: Vec<_> = of_rust
        .filter_map(|test| Some(format!("{}: {}", test.file.display(), fault(&test.name, &rows)?)))
        .collect();
    assert!(rows.len() > 500 && tests.len() > 1_000, "the tree was not read");
    assert!(wrong.is_empty(), "names of tests: {wrong:#?}");
}

/// What is wrong with a name.
fn fault(name: &str, rows: &BTreeSet<String>) -> Option<String> {
    let is_term = |word: &str| TERMS.contains(&word) || word.starts_with("pgrst");
    let is_row = |word: &str| !is_term(word) && bare(word).is_some_and(|id| rows.contains(&id));
    if let Some(word) = name.split('_').find(|word| is_row(word)) {
        return Some(format!("{name} has the row id {word}; rows stand on the line above"));
    }
    let length = name.chars().count();
    (length > LONGEST).then(|| format!("{name} has {length} characters of {LONGEST}"))
}

/// The form in which an id is compared: `S-052` and `s52` are one. None for what is not letters and
/// a number.
fn bare(id: &str) -> Option<String> {
    let id = id.replace('-', "").to_lowercase();
    let (letters, number) = id.split_at(id.find(|c: char| c.is_ascii_digit())?);
    let number: u32 = number.parse().ok()?;
    (!letters.is_empty() && letters.chars().all(char::is_alphabetic)).then(|| format!("{letters}{number}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_id_in_a_name_is_found_however_it_is_written() {
        let rows: BTreeSet<String> =
            ["J04", "S-052", "S3", "PGRST100"].into_iter().filter_map(bare).collect();
        for name in ["options_j04_is_open", "s052_a_deep_link", "a_deep_link_s52"] {
            assert!(fault(name, &rows).is_some(), "{name}");
        }
        for name in [
            "an_object_of_s3",
            "a_network_of_ipv6",
            "j5_is_no_row",
            "the_status_of_pgrst100",
            "options_is_open",
        ] {
            assert_eq!(fault(name, &rows), None);
        }
        assert!(fault(&"a".repeat(81), &rows).is_some());
    }
}
