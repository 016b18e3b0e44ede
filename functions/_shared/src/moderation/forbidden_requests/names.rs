//! Names of children.

use super::lists::LISTS;
use super::sentence::Sentence;
use crate::moderation::rules::any;

/// How far an illness may stand behind whom it befell.
const REACH_OF_ILLNESS: usize = 4;

impl Sentence {
    /// "राहुल को मिर्गी है": scripts without capital letters tell by the ending who is meant.
    pub(super) fn tells_who_is_ill(&self) -> bool {
        let is_ill =
            || self.befalls_somebody_ill(&LISTS.illnesses) || self.befalls_somebody_ill(&LISTS.health);
        self.has(&LISTS.being) && is_ill()
    }

    /// Whether one of these illnesses befalls somebody who is named.
    pub(super) fn befalls_somebody_ill(&self, illnesses: &[&str]) -> bool {
        (0..self.words.len()).any(|at| {
            self.is_dative(at)
                && !any(self.before(at + 1, 1), &LISTS.general_nouns)
                && any(self.behind(at + 1, REACH_OF_ILLNESS), illnesses)
        })
    }

    fn is_dative(&self, at: usize) -> bool {
        let word = self.word(at);
        let ends = |ending: &&str| word.len() > ending.len() && word.ends_with(*ending);
        ["को", "ko"].contains(&self.word(at + 1)) || (!word.is_ascii() && LISTS.dative.iter().any(ends))
    }
}

/// Whether a text names a child: behind a title, or by what is the child's (`Rohan's`).
pub(super) fn names_a_child(text: &str) -> bool {
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || ",.;:()!?".contains(c))
        .filter(|word| !word.is_empty())
        .collect();
    let is_name = |word: &str| {
        let is_latin = word.is_ascii();
        word.chars().count() > 1
            && !LISTS.no_names.contains(&word)
            && (!is_latin || word.starts_with(|c: char| c.is_ascii_uppercase()))
    };
    let titled = words.windows(2).any(|pair| LISTS.titles.contains(&pair[0]) && is_name(pair[1]));
    let owning = words.iter().any(|word| {
        let name = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s"));
        name.is_some_and(is_name)
    });
    let is_capital = |word: &str| word.is_ascii() && is_name(word);
    let of_somebody = words
        .windows(3)
        .any(|three| ["of", "for"].contains(&three[0]) && is_capital(three[1]) && is_capital(three[2]));
    let told_of = words.windows(3).any(|three| {
        is_capital(three[0]) && is_capital(three[1]) && ["has", "have", "suffers"].contains(&three[2])
    });
    let has_it = words.windows(2).any(|pair| {
        is_capital(pair[0])
            && !LISTS.pronouns.contains(&pair[0])
            && ["has", "had", "have", "suffers", "takes", "gets"].contains(&pair[1])
    });
    let owning_in_hindi =
        words.windows(2).any(|pair| is_capital(pair[0]) && ["ka", "ki", "ke"].contains(&pair[1]));
    titled || owning || owning_in_hindi || of_somebody || told_of || has_it
}
