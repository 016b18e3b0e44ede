//! The list of what a newcomer looked for: it is whole, and the code still stands where it says.

use super::glossary::place_exists;

const LIST: &str = include_str!("newcomer.md");

/// What was looked for: the cells of each line of the first table.
fn items() -> Vec<[&'static str; 4]> {
    rows(LIST.split("## Folders").next().expect("a table"))
}

/// Folders that were drawn: the cells of each line of the second table.
fn folders() -> Vec<[&'static str; 3]> {
    rows(LIST.split("## Folders").nth(1).expect("a table"))
}

/// The cells of each line of a table, without its head.
fn rows<const N: usize>(table: &'static str) -> Vec<[&'static str; N]> {
    let lines = table.lines().filter(|line| line.starts_with("| ")).skip(1);
    let cells = |line: &'static str| line.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>();
    lines.map(|line| cells(line).try_into().expect("a cell for each column")).collect()
}

#[test]
fn what_a_newcomer_looked_for_is_where_the_list_says() {
    let items = items();
    assert_eq!(items.len(), 20, "items");
    for (at, [number, what, _, places]) in items.iter().enumerate() {
        assert_eq!(*number, (at + 1).to_string(), "{what}");
        let mut places = places.split('`').skip(1).step_by(2).peekable();
        assert!(places.peek().is_some(), "{what}: no place");
        for place in places {
            assert!(place_exists(place), "{what}: there is no {place}");
        }
    }
}

#[test]
fn a_newcomer_found_18_of_20_at_the_first_guess() {
    let found = |at: &str| items().iter().filter(|[_, _, found, _]| *found == at).count();
    assert_eq!([found("first guess"), found("second guess"), found("missed")], [18, 1, 1]);
}

#[test]
fn of_twelve_folders_a_newcomer_said_what_belongs_there() {
    let folders = folders();
    assert_eq!(folders.len(), 12, "folders");
    for [folder, said, right] in folders {
        assert!(place_exists(folder.trim_matches('`')), "there is no {folder}");
        assert!(!said.is_empty() && (right == "yes" || right.starts_with("in part: ")), "{folder}: {right}");
    }
}
