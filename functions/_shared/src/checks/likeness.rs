//! The same question in the same or nearly the same words (V10).

/// Words that make no question another one, in the languages of the documents.
const SMALL: &[&str] = &[
    "a",
    "an",
    "the",
    "of",
    "in",
    "on",
    "at",
    "to",
    "for",
    "and",
    "or",
    "is",
    "are",
    "was",
    "were",
    "be",
    "by",
    "with",
    "what",
    "which",
    "how",
    "it",
    "its",
    "this",
    "that",
    "these",
    "those",
    "from",
    "as",
    "do",
    "does",
    "has",
    "have",
    "का",
    "की",
    "के",
    "को",
    "में",
    "से",
    "पर",
    "है",
    "हैं",
    "और",
    "या",
    "एक",
    "क्या",
    "कौन",
    "यह",
    "वह",
    "इस",
    "उस",
    "आहे",
    "आहेत",
    "आणि",
    "किंवा",
    "हे",
    "ही",
    "हा",
    "काय",
    "છે",
    "અને",
    "કે",
    "માં",
    "શું",
    "એક",
    "આ",
];

/// The words of a question in order, each once, without digits and small words; and its numbers with their units.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wording {
    words: Vec<String>,
    numbers: Vec<String>,
    /// All words, numbers among them.
    all: Vec<String>,
}

impl Wording {
    /// The words of a text.
    pub fn of(text: &str) -> Self {
        let text = text.to_lowercase();
        let split = || text.split(|c: char| !c.is_alphanumeric());
        let letters = |word: &str| word.chars().filter(|c| !c.is_numeric()).collect::<String>();
        let of = |small: bool| {
            let mut words: Vec<String> = split()
                .map(letters)
                .filter(|word| !word.is_empty() && (small || !SMALL.contains(&word.as_str())))
                .collect();
            words.sort_unstable();
            words.dedup();
            words
        };
        let words = Some(of(false)).filter(|words| !words.is_empty()).unwrap_or_else(|| of(true));
        let mut all: Vec<String> = split().filter(|word| !word.is_empty()).map(str::to_owned).collect();
        all.sort_unstable();
        all.dedup();
        Self { words, numbers: numbers(&text), all }
    }

    /// Whether two questions are one: 65 % of their words are shared, or their numbers and units are the same (V10).
    pub fn repeats(&self, other: &Self) -> bool {
        // Without a unit they may be those of the chapter's name.
        let measured = self.numbers.iter().any(|number| !number.ends_with(' '));
        let same_numbers = self.numbers.len() > 1 && measured && self.numbers == other.numbers;
        let both_of_numbers = self.words.is_empty() && other.words.is_empty() && !self.numbers.is_empty();
        let by_words = if both_of_numbers { self.numbers == other.numbers } else { self.shares_words(other) };
        same_numbers || by_words
    }

    /// Whether two sums that are reckoned are of one kind with other numbers: practice, which a paper may hold some of.
    pub fn is_drill_beside(&self, other: &Self) -> bool {
        let reckoned = !self.numbers.is_empty() && !other.numbers.is_empty();
        reckoned && self.numbers != other.numbers
    }

    fn shares_words(&self, other: &Self) -> bool {
        share(&self.words, &other.words, 65)
    }

    /// Whether two texts are one apart from a word or two: 85 % are shared, numbers among them. Of few words a single other
    /// one makes another text.
    fn is_nearly(&self, other: &Self) -> bool {
        let same = !self.all.is_empty() && self.all == other.all;
        same || (self.all.len() >= 5 && share(&self.all, &other.all, 85))
    }
}

/// Whether two lists in order share so many of their words.
fn share(one: &[String], two: &[String], percent: usize) -> bool {
    let (lengths, shared) = ((one.len(), two.len()), common(one, two));
    let all = lengths.0 + lengths.1 - shared;
    all > 0 && shared * 100 >= all * percent
}

/// The numbers of a text in order, each with the short word behind it: its unit.
fn numbers(text: &str) -> Vec<String> {
    let is_number = |c: char| c.is_numeric();
    let words: Vec<&str> = text.split_whitespace().collect();
    let ends = |c: char| ".,?;:()!।".contains(c);
    let with_unit = |(at, word): (usize, &&str)| {
        let number = word.trim_matches(ends);
        let unit =
            words.get(at + 1).filter(|_| !word.ends_with(ends)).map(|next| next.trim_end_matches(ends));
        let unit = unit
            .filter(|unit| unit.chars().count() <= 3 && !unit.contains(is_number) && !SMALL.contains(unit));
        format!("{number} {}", unit.unwrap_or_default())
    };
    let numbered = words.iter().enumerate().filter(|(_, word)| word.contains(is_number));
    let mut numbers: Vec<String> = numbered.map(with_unit).collect();
    numbers.sort_unstable();
    numbers
}

/// How many words two lists in order have in common.
fn common(one: &[String], two: &[String]) -> usize {
    let mut rest = two.iter().peekable();
    let stands_there = |word: &&String| {
        while rest.next_if(|other| other < word).is_some() {}
        rest.next_if_eq(word).is_some()
    };
    one.iter().filter(stands_there).count()
}

/// Pairs of places, the later one first, whose questions are one and no practice with other numbers.
pub fn asked_twice(texts: &[&str]) -> Vec<(usize, usize)> {
    pairs(texts, |one, other| one.repeats(other) && !one.is_drill_beside(other))
}

/// Pairs of places, the later one first, whose texts are one but for a word or two. For sheets and lessons, which repeat
/// the wording of their tasks on purpose.
pub fn repeated(texts: &[&str]) -> Vec<(usize, usize)> {
    pairs(texts, Wording::is_nearly)
}

fn pairs(texts: &[&str], are_one: impl Fn(&Wording, &Wording) -> bool) -> Vec<(usize, usize)> {
    let wordings: Vec<Wording> = texts.iter().map(|text| Wording::of(text)).collect();
    let mut pairs = Vec::new();
    for (at, one) in wordings.iter().enumerate() {
        let earlier = wordings[..at].iter().enumerate().filter(|(_, other)| are_one(one, other));
        pairs.extend(earlier.map(|(before, _)| (at, before)));
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn v10_the_same_question_with_other_numbers_is_one() {
        let one = "What is the current in 4 ohm at 12 V?";
        assert!(Wording::of(one).repeats(&Wording::of("What is the current in 6 ohm at 18 V?")));
        assert_eq!(asked_twice(&[one, "What is the current in 4 ohm at 12 V"]), [(1, 0)]);
        // Practice of one kind is no fault of a document that means to drill.
        assert_eq!(asked_twice(&[one, "What is the current in 6 ohm at 18 V?"]), []);
        assert!(Wording::of(one).is_drill_beside(&Wording::of("What is the current in 6 ohm at 18 V?")));
        assert!(!Wording::of(one).is_drill_beside(&Wording::of("What is the current in 4 ohm at 12 V")));
        assert!(!Wording::of("Define mass.").is_drill_beside(&Wording::of("Define the mass")));
    }

    #[test]
    fn v10_the_same_numbers_with_their_units_are_one_question() {
        let one = "A lamp draws 0.5 A at 220 V. Find its power.";
        assert_eq!(
            asked_twice(&[one, "At 220 V a current of 0.5 A flows: how much energy is this a second?"]),
            [(1, 0)]
        );
        assert_eq!(asked_twice(&[one, "How long does a journey of 220 km and 0.5 m last?"]), []);
        // One number alone many questions have in common.
        assert_eq!(asked_twice(&["Find the square root of 676.", "Write all factors of 676."]), []);
    }

    #[test]
    fn v10_few_words_are_one_question_where_they_are_the_same() {
        assert_eq!(asked_twice(&["Define gravity.", "Define mass.", "define gravity"]), [(2, 0)]);
        assert_eq!(asked_twice(&["?", "!"]), []);
    }

    #[test]
    fn v10_order_and_repetition_of_words_count_for_nothing() {
        let one = Wording::of("the sum of the angles of a triangle");
        assert_eq!(one.words, Wording::of("a triangle: of angles the sum").words);
        // Small words do not count: three against the same and one more, then two.
        assert!(one.repeats(&Wording::of("What is the sum of the angles of a plane triangle?")));
        assert!(!one.repeats(&Wording::of("What is the sum of the outer angles of a plane triangle?")));
        assert!(!Wording::of("?").repeats(&Wording::of("")));
    }

    #[test]
    fn v10_a_question_with_another_article_is_the_first() {
        let one = Wording::of("How is an ammeter connected?");
        assert!(one.repeats(&Wording::of("How is the ammeter connected")));
        assert!(!one.repeats(&Wording::of("What is measured by it?")));
    }
}
