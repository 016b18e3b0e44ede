//! The table of words in crates/README.md: its order, and that what it points at is there.

const MAP: &str = include_str!("../../../README.md");

/// A line of the table: its words, and the files and folders it points at.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    words: String,
    places: Vec<String>,
}

/// The lines of the table under `## Words`.
fn entries(map: &str) -> Vec<Entry> {
    let section = map.split("\n## ").find_map(|section| section.strip_prefix("Words\n"));
    let lines = section.expect("a section Words").lines();
    lines.filter(|line| line.starts_with("| ")).skip(1).map(entry).collect()
}

fn entry(line: &str) -> Entry {
    let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
    let [words, _meaning, places] = cells[..] else { panic!("not three cells: {line}") };
    let places = places.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    Entry { words: words.to_lowercase(), places }
}

/// Whether a file or folder is there, told by its path in `crates/` or in the repository.
pub(super) fn place_exists(place: &str) -> bool {
    let root = super::root();
    [root.join("crates"), root].iter().any(|base| base.join(place).exists())
}

#[test]
fn words_stand_in_order_and_once() {
    let words: Vec<String> = entries(MAP).into_iter().map(|entry| entry.words).collect();
    assert!(words.len() > 20, "the table was not read");
    for pair in words.windows(2) {
        assert!(pair[0] < pair[1], "{:?} stands before {:?}", pair[0], pair[1]);
    }
}

#[test]
fn what_a_word_points_at_exists() {
    for entry in entries(MAP) {
        for place in &entry.places {
            assert!(place_exists(place), "{}: there is no {place}", entry.words);
        }
    }
}

#[test]
fn a_line_of_the_table_is_read() {
    let map = "# Map\n\n## Words\n\n| word | meaning | where |\n|---|---|---|\n| Guest | code | `edge/src/host`, `x` |\n";
    let places = vec!["edge/src/host".to_owned(), "x".to_owned()];
    assert_eq!(entries(map), [Entry { words: "guest".to_owned(), places }]);
}
