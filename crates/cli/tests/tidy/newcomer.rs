//! The list of what a newcomer looked for: it is whole, and the code still stands where it says.

use super::glossary::place_exists;

const LIST: &str = include_str!("newcomer.md");

/// The cells of each line of the table.
fn items() -> Vec<[&'static str; 4]> {
    let lines = LIST.lines().filter(|line| line.starts_with("| ")).skip(1);
    let cells = |line: &'static str| line.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>();
    lines.map(|line| cells(line).try_into().expect("four cells")).collect()
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
