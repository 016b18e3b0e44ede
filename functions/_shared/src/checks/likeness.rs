//! The same question in the same or nearly the same words (V10).

use std::collections::BTreeSet;

/// Pairs of places, the later one first, whose texts are one. Numbers count as words, so that two sums of
/// one kind are two questions.
pub fn repeated(texts: &[&str]) -> Vec<(usize, usize)> {
    let sets: Vec<BTreeSet<String>> = texts.iter().map(|text| words(text)).collect();
    let mut pairs = Vec::new();
    for (at, one) in sets.iter().enumerate() {
        for (before, other) in sets[..at].iter().enumerate() {
            let (shared, all) = (one.intersection(other).count(), one.union(other).count());
            if one.len() >= 5 && shared * 100 >= all * 85 {
                pairs.push((at, before));
            }
        }
    }
    pairs
}

/// Whether two questions are one for a pupil: at least 65 % of their words are shared, numbers counted as
/// words.
pub fn same_question(one: &str, other: &str) -> bool {
    let (one, other) = (words(one), words(other));
    let (shared, all) = (one.intersection(&other).count(), one.union(&other).count());
    all > 0 && shared * 100 >= all * 65
}

fn words(text: &str) -> BTreeSet<String> {
    let parts = text.to_lowercase();
    parts.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn v10_two_sums_of_one_kind_are_two_questions_and_the_same_words_are_one() {
        let one = "What is the current in 4 ohm at 12 V?";
        assert_eq!(repeated(&[one, "What is the current in 6 ohm at 18 V?"]), []);
        assert_eq!(repeated(&[one, "What is the current in 4 ohm at 12 V"]), [(1, 0)]);
        assert!(same_question("How is an ammeter connected?", "How is the ammeter connected"));
        assert!(!same_question("How is an ammeter connected?", "What is measured by it?"));
    }
}
