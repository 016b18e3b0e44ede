//! The name most like one that was not found (CONTRACT.md C19, J08, X10).

/// The candidate most like `wanted`, if at least `floor` (0 to 1) like it. `wanted` itself does not
/// count.
pub(crate) fn most_similar<'a>(
    wanted: &str,
    candidates: impl Iterator<Item = &'a str>,
    floor: f64,
) -> Option<&'a str> {
    let length = wanted.chars().count();
    let near =
        candidates.filter(|name| *name != wanted && may_be_similar(length, name.chars().count(), floor));
    let scored = near.map(|name| (similarity(wanted, name), name));
    let best = scored.filter(|(score, _)| *score >= floor).max_by(|one, two| one.0.total_cmp(&two.0));
    best.map(|(_, name)| name)
}

/// Returns whether two names of these lengths can be similar enough: every missing character counts
/// as an edit. A client may send a name of any length, and a full comparison takes time and memory.
fn may_be_similar(one: usize, two: usize, floor: f64) -> bool {
    one.min(two) as f64 >= floor * one.max(two) as f64
}

/// One minus the edits between two names, in parts of the longer one; case does not count.
fn similarity(one: &str, two: &str) -> f64 {
    let one: Vec<char> = one.to_lowercase().chars().collect();
    let two: Vec<char> = two.to_lowercase().chars().collect();
    let longer = one.len().max(two.len());
    if longer == 0 { 1.0 } else { 1.0 - distance(&one, &two) as f64 / longer as f64 }
}

/// Levenshtein's distance.
fn distance(one: &[char], two: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=two.len()).collect();
    for (i, a) in one.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in two.iter().enumerate() {
            let substitution = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = substitution.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[two.len()]
}

#[cfg(test)]
mod tests {
    use super::{may_be_similar, most_similar};

    // rows: X10
    #[test]
    fn the_closest_name_above_the_floor_is_suggested() {
        let names = ["items", "lessons", "chapters"];
        assert_eq!(most_similar("lesons", names.into_iter(), 0.75), Some("lessons"));
        assert_eq!(most_similar("unlike", names.into_iter(), 0.75), None);
        assert_eq!(most_similar("items", ["items"].into_iter(), 0.75), None);
    }

    // rows: X10 V09
    #[test]
    fn names_of_very_different_lengths_are_not_compared() {
        assert!(may_be_similar(3, 4, 0.75) && may_be_similar(4, 3, 0.75) && may_be_similar(0, 0, 0.75));
        assert!(!may_be_similar(1_000_000, 63, 0.33) && !may_be_similar(2, 4, 0.75));
    }
}
