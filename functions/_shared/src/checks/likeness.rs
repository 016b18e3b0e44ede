//! The same question in the same or nearly the same words (V10).

use std::collections::BTreeSet;

/// The words of a question. Numbers count as words, so that two sums of one kind are two questions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wording(BTreeSet<String>);

impl Wording {
    /// The words of a text.
    pub fn of(text: &str) -> Self {
        let text = text.to_lowercase();
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        Self(words.map(str::to_owned).collect())
    }

    /// Whether two questions are one apart from small words: 85 % are shared.
    pub fn repeats(&self, other: &Self) -> bool {
        self.0.len() >= 5 && self.shares(other, 85)
    }

    /// Whether two questions ask for the same in other words: 65 % are shared.
    pub fn resembles(&self, other: &Self) -> bool {
        self.shares(other, 65)
    }

    fn shares(&self, other: &Self, percent: usize) -> bool {
        let (shared, all) = (self.0.intersection(&other.0).count(), self.0.union(&other.0).count());
        all > 0 && shared * 100 >= all * percent
    }
}

/// Pairs of places, the later one first, whose texts are one.
pub fn repeated(texts: &[&str]) -> Vec<(usize, usize)> {
    let wordings: Vec<Wording> = texts.iter().map(|text| Wording::of(text)).collect();
    let mut pairs = Vec::new();
    for (at, one) in wordings.iter().enumerate() {
        let earlier = wordings[..at].iter().enumerate().filter(|(_, other)| one.repeats(other));
        pairs.extend(earlier.map(|(before, _)| (at, before)));
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn v10_two_sums_of_one_kind_are_two_questions_and_the_same_words_are_one() {
        let one = "What is the current in 4 ohm at 12 V?";
        assert_eq!(repeated(&[one, "What is the current in 6 ohm at 18 V?"]), []);
        assert_eq!(repeated(&[one, "What is the current in 4 ohm at 12 V"]), [(1, 0)]);
    }

    #[test]
    fn v10_a_question_with_another_article_resembles_the_first() {
        let one = Wording::of("How is an ammeter connected?");
        assert!(one.resembles(&Wording::of("How is the ammeter connected")));
        assert!(!one.resembles(&Wording::of("What is measured by it?")));
    }
}
