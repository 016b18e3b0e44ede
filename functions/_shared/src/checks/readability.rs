//! Text that fits the class (V13).

use super::Finding;
use super::language::is_formula;
use crate::writing_system::Language;

/// V13: Flesch-Kincaid grade of pupils' text in English at most two above the class, Classes 3 to
/// 10.
pub fn readability(texts: &[&str], language: Language, class: u8) -> Option<Finding> {
    if language != Language::English || !(3..=10).contains(&class) {
        return None;
    }
    let grade = grade(&texts.join(". "))?;
    let problem = format!("pupils' text must be readable in Class {class}: shorter sentences, simpler words");
    (grade > f64::from(class) + 2.0).then(|| Finding::new("V13", problem))
}

/// The Flesch-Kincaid grade of an English text; nothing for texts too short to judge.
fn grade(text: &str) -> Option<f64> {
    let sentences =
        text.split(['.', '!', '?']).filter(|part| part.split_whitespace().count() > 1).count().max(1);
    let words: Vec<&str> = text.split_whitespace().filter(|word| !is_formula(word)).collect();
    if words.len() < 20 {
        return None;
    }
    let syllables: usize = words.iter().map(|word| syllables(word)).sum();
    let count = words.len() as f64;
    Some(0.39 * count / sentences as f64 + 11.8 * syllables as f64 / count - 15.59)
}

fn syllables(word: &str) -> usize {
    let letters: Vec<char> = word.to_lowercase().chars().filter(|c| c.is_ascii_alphabetic()).collect();
    let vowel = |c: char| "aeiouy".contains(c);
    let starts = letters
        .iter()
        .enumerate()
        .filter(|(at, c)| vowel(**c) && (*at == 0 || !vowel(letters[at - 1])))
        .count();
    let silent = letters.ends_with(&['e']) && !letters.ends_with(&['l', 'e']);
    starts.saturating_sub(usize::from(silent)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: V13
    #[test]
    fn hard_words_for_small_children_are_found() {
        let hard = "Notwithstanding considerable meteorological unpredictability, characterise agricultural productivity \
                    determinants systematically, differentiating irrigation infrastructure availability considerations \
                    from fertiliser application methodologies and institutional intermediation mechanisms throughout \
                    representative agroclimatic territories. Subsequently consolidate comparative \
                    documentation.";
        let easy = "Look at the leaf. Draw it in your book. Write two lines on it. Show it to your friend. Ask for one \
                    more leaf. Count the leaves. How many are there? Put them in a row. Say the names.";
        assert!(grade(hard).unwrap() > 12.0);
        assert!(grade(easy).unwrap() < 4.0);
    }
}
