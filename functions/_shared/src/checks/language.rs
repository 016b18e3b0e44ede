//! Whether a text is in the language that was asked for (V12).

use crate::script::{Language, ScriptCount};

/// V12: 85 % of the letters for Indian scripts (symbols and units stay Latin), 95 % for English; Marathi
/// is told from Hindi by its function words.
pub fn written_in(text: &str, language: Language) -> bool {
    let words: String =
        text.split_whitespace().filter(|word| !is_formula(word)).collect::<Vec<_>>().join(" ");
    let count = ScriptCount::of(&words);
    if count.total() < 20 {
        return true;
    }
    let least = if language == Language::English { 0.95 } else { 0.85 };
    let right_script = count.share(language.script()) >= least;
    let (hindi, marathi) = (count_words(text, HINDI), count_words(text, MARATHI));
    match language {
        Language::Hindi => right_script && hindi >= marathi,
        Language::Marathi => right_script && marathi >= hindi,
        _ => right_script,
    }
}

const HINDI: &[&str] = &["है", "हैं", "का", "की", "के", "में", "और", "से"];
const MARATHI: &[&str] = &["आहे", "आहेत", "चा", "ची", "चे", "मध्ये", "आणि", "व"];

fn count_words(text: &str, words: &[&str]) -> usize {
    text.split(|c: char| c.is_whitespace() || c.is_ascii_punctuation() || c == '।')
        .filter(|word| words.contains(word))
        .count()
}

/// A word with a digit or an operator, or a symbol of one or two letters.
pub(super) fn is_formula(word: &str) -> bool {
    word.chars().any(|c| c.is_ascii_digit() || "=+×÷^/²³₂".contains(c))
        || (word.is_ascii() && word.chars().filter(char::is_ascii_alphabetic).count() <= 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn v12_languages_of_one_script_are_told_apart_by_their_function_words() {
        let hindi = "विद्युत धारा आवेश का प्रवाह है और इसकी इकाई एम्पियर है। तार में धारा बहती है।";
        let marathi = "विद्युत धारा हे प्रभाराचे वहन आहे आणि तिचे एकक अँपिअर आहे. तारेमध्ये धारा वाहते आणि दिवा लागतो.";
        assert!(written_in(hindi, Language::Hindi) && !written_in(hindi, Language::Marathi));
        assert!(written_in(marathi, Language::Marathi) && !written_in(marathi, Language::Hindi));
        assert!(!written_in(hindi, Language::English));
        assert!(!written_in("This is plainly English text, not Hindi at all.", Language::Hindi));
    }

    #[test]
    fn v12_formulae_and_units_may_stay_latin() {
        assert!(written_in("धारा I = Q/t है, जहाँ Q आवेश है और t समय है; 2 A × 5 s = 10 C", Language::Hindi));
    }
}
