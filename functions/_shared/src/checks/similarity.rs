//! Finds questions with the same or nearly the same words (V10).

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

/// Numbers of words, the same for the same word.
type Numbers = BuildHasherDefault<DefaultHasher>;

/// The words of a question in order, each once, as numbers of 64 bits: a paper compares them
/// hundreds of thousands of times. Numbers count as words, so that two sums of one kind are two
/// questions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wording {
    words: Vec<u64>,
    /// A bit for every word: one that the other question lacks tells that it lacks the word.
    marks: u64,
}

impl Wording {
    /// The words of a text.
    pub fn of(text: &str) -> Self {
        let text = text.to_lowercase();
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let mut words: Vec<u64> = words.map(|word| Numbers::default().hash_one(word)).collect();
        words.sort_unstable();
        words.dedup();
        let marks = words.iter().fold(0, |marks, word| marks | 1 << (word % 64));
        Self { words, marks }
    }

    /// Returns whether two questions are the same apart from small words: they share 85 % of them.
    /// In a short question one different word makes another question.
    pub fn repeats(&self, other: &Self) -> bool {
        let is_same = !self.words.is_empty() && self == other;
        is_same || (self.words.len() >= 5 && self.shares(other, 85))
    }

    /// Returns whether two questions ask for the same in other words: they share 65 % of them.
    pub fn resembles(&self, other: &Self) -> bool {
        self.shares(other, 65)
    }

    fn shares(&self, other: &Self, percent: usize) -> bool {
        let all = self.words.len() + other.words.len();
        let is_enough = |shared: usize| shared > 0 && shared * 100 >= (all - shared) * percent;
        // Most questions differ in length or in these bits, and their words need not be looked at.
        is_enough(self.most_shared(other).min(other.most_shared(self)))
            && is_enough(common(&self.words, &other.words))
    }

    /// The most words that another question can have in common with this one.
    fn most_shared(&self, other: &Self) -> usize {
        self.words.len() - (self.marks & !other.marks).count_ones() as usize
    }
}

/// How many words two lists in order have in common.
fn common(one: &[u64], two: &[u64]) -> usize {
    let mut rest = two.iter().peekable();
    let stands_there = |word: &&u64| {
        while rest.next_if(|other| other < word).is_some() {}
        rest.next_if_eq(word).is_some()
    };
    one.iter().filter(stands_there).count()
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

    // rows: V10
    #[test]
    fn two_sums_of_one_kind_are_two_questions_and_the_same_words_are_one() {
        let one = "What is the current in 4 ohm at 12 V?";
        assert_eq!(repeated(&[one, "What is the current in 6 ohm at 18 V?"]), []);
        assert_eq!(repeated(&[one, "What is the current in 4 ohm at 12 V"]), [(1, 0)]);
    }

    // rows: V10
    #[test]
    fn few_words_are_one_question_where_they_are_the_same() {
        assert_eq!(repeated(&["Define gravity.", "Define mass.", "define gravity"]), [(2, 0)]);
        assert_eq!(repeated(&["?", "!"]), []);
    }

    // rows: V10
    #[test]
    fn order_and_repetition_of_words_count_for_nothing() {
        let one = Wording::of("the sum of the angles of a triangle");
        assert_eq!(one, Wording::of("a triangle: of angles the sum"));
        // Six words against the same and three more: 66 % are shared.
        let longer = Wording::of("the sum of the angles of a triangle is two right");
        assert!(one.resembles(&longer) && !one.repeats(&longer));
        assert!(!one.resembles(&Wording::of("the sum of the angles of a triangle is two right ones")));
        assert!(!Wording::of("?").resembles(&Wording::of("")));
    }

    // rows: V10
    #[test]
    fn a_question_with_another_article_resembles_the_first() {
        let one = Wording::of("How is an ammeter connected?");
        assert!(one.resembles(&Wording::of("How is the ammeter connected")));
        assert!(!one.resembles(&Wording::of("What is measured by it?")));
    }
}
