//! Checks that a text is in the requested language (V12).

use crate::writing_system::{Language, ScriptCount};

/// V12: 85 % of the letters for Indian scripts (symbols and units stay Latin), 95 % for English;
/// Marathi is told from Hindi by its function words.
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
        Language::Sanskrit => right_script && hindi <= count_words(text, SANSKRIT).max(1),
        Language::English => right_script && !is_romanised(text),
        _ => right_script,
    }
}

/// Returns whether a text in Latin letters is Hindi as people type it on a telephone.
fn is_romanised(text: &str) -> bool {
    let text = text.to_lowercase();
    let (hindi, english) = (count_words(&text, ROMANISED), count_words(&text, ENGLISH));
    hindi >= 3 && hindi > english
}

const ROMANISED: &[&str] = &[
    "hai", "hain", "mein", "ke", "ka", "ki", "aur", "kya", "kaise", "kyon", "apne", "nahin", "karo",
    "kijiye", "likhiye", "likho", "bataiye", "batao", "hota", "hoti", "hote", "liye", "baare",
];
const ENGLISH: &[&str] = &[
    "the", "of", "is", "are", "a", "an", "in", "to", "and", "what", "how", "why", "which", "for", "with",
    "by", "on", "from", "it", "as", "be",
];
const SANSKRIT: &[&str] =
    &["अस्ति", "सन्ति", "च", "इति", "एव", "अपि", "किम्", "भवति", "तत्", "सः", "कः", "का", "न"];

const HINDI: &[&str] = &["है", "हैं", "का", "की", "के", "में", "और", "से"];
const MARATHI: &[&str] = &["आहे", "आहेत", "चा", "ची", "चे", "मध्ये", "आणि", "व"];

/// Tells Hindi from Marathi: by words, then by letters that only one of them has, then by the words
/// and letters of neighbouring texts. Without any sign the answer is Hindi (SPECIFICATION.md D19).
pub fn in_devanagari(text: &str, beside: &str) -> Language {
    let lead = marathi_lead(text).then_with(|| marathi_lead(beside));
    if lead.is_gt() { Language::Marathi } else { Language::Hindi }
}

/// Returns whether more signs speak for Marathi than for Hindi.
fn marathi_lead(text: &str) -> std::cmp::Ordering {
    let marathi = words(text).filter(|word| is_marathi(word)).count();
    let letters = |letters: &[char]| text.chars().filter(|c| letters.contains(c)).count();
    marathi
        .cmp(&count_words(text, TYPED_HINDI))
        .then_with(|| letters(&['ळ', 'ऱ', 'ॲ']).cmp(&letters(&['।', '\u{093C}'])))
}

/// A word of Marathi alone, or one with an ending that Hindi does not have, unless it is a place
/// that both name.
fn is_marathi(word: &str) -> bool {
    let inflected = |ending: &&str| word.len() > ending.len() && word.ends_with(*ending);
    TYPED_MARATHI.contains(&word) || (!PLACES.contains(&word) && MARATHI_ENDINGS.iter().any(inflected))
}

const TYPED_HINDI: &[&str] = &[
    "है",
    "हैं",
    "का",
    "की",
    "के",
    "में",
    "और",
    "से",
    "को",
    "पर",
    "होगा",
    "होगी",
    "होंगे",
    "लिए",
    "बजे",
    "रहेगा",
    "ने",
    "तक",
    "नहीं",
    "कक्षा",
    "समय",
    "सुबह",
    "शाम",
    "छुट्टी",
    "अभिभावक",
    "अभिभावकों",
    "आपके",
    "अपने",
];
const TYPED_MARATHI: &[&str] = &[
    "आहे",
    "आहेत",
    "आणि",
    "व",
    "होणार",
    "होईल",
    "येईल",
    "यावे",
    "आणावे",
    "करावे",
    "भरावे",
    "राहावे",
    "द्यावे",
    "घ्यावे",
    "साठी",
    "मध्ये",
    "सकाळी",
    "दुपारी",
    "वाजता",
    "सभा",
    "शाळेत",
    "शाळेची",
    "राहील",
    "पालकवर्ग",
    "चा",
    "ची",
    "चे",
    "च्या",
    "ते",
    "इयत्ता",
    "ठिकाण",
    "येथे",
    "किंवा",
    "नाही",
    "तसेच",
    "आपला",
    "आपल्या",
    "शेवटचा",
    "शेवटची",
    "शेवटचे",
    "पहिली",
    "पांढरा",
    "सहल",
    "सुट्टी",
    "लसीकरण",
    "स्नेहसंमेलन",
    "जानेवारी",
    "फेब्रुवारी",
    "एप्रिल",
    "जुलै",
    "ऑगस्ट",
    "सप्टेंबर",
    "ऑक्टोबर",
    "नोव्हेंबर",
    "डिसेंबर",
];
const MARATHI_ENDINGS: &[&str] = &["णे", "ण्यात", "ण्याचे", "ांनी", "ांना", "ांच्या", "साठी", "मध्ये", "तील", "पासून"];
/// Places with such an ending.
const PLACES: [&str; 2] = ["पुणे", "ठाणे"];

fn count_words(text: &str, words: &[&str]) -> usize {
    self::words(text).filter(|word| words.contains(word)).count()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || c.is_ascii_punctuation() || c == '।')
}

/// Letters of mathematics, in every script.
const NOTATION: [&str; 15] = [
    "sin",
    "cos",
    "tan",
    "cot",
    "sec",
    "cosec",
    "sine",
    "cosine",
    "tangent",
    "cotangent",
    "secant",
    "cosecant",
    "log",
    "hcf",
    "lcm",
];

/// A word with a digit or an operator, a symbol of one or two letters, or the name of a function.
pub(super) fn is_formula(word: &str) -> bool {
    let name = word.trim_matches(|c: char| !c.is_alphanumeric()).to_ascii_lowercase();
    NOTATION.contains(&name.as_str())
        || word.chars().any(|c| c.is_ascii_digit() || "=+×÷^/²³₂".contains(c))
        || (word.is_ascii() && word.chars().filter(char::is_ascii_alphabetic).count() <= 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::writing_system::typed_language;

    /// A line of the table that the app's own rule is held to, too.
    #[derive(serde::Deserialize)]
    struct Line {
        typed: String,
        #[serde(default)]
        beside: String,
        language: String,
    }

    // rows: V12
    #[test]
    fn notation_is_of_no_language() {
        let text = "यदि sin A = 3/5 और cosec A + cot A = 3, तो cos A ÷ tan A ज्ञात कीजिए।";
        assert!(written_in(text, Language::Hindi));
        assert!(!written_in(
            "Find the cosine and the tangent of the given angle without a table.",
            Language::Hindi
        ));
    }

    // rows: D19
    #[test]
    fn hindi_and_marathi_are_told_apart_without_a_board() {
        let table: Vec<Line> =
            serde_json::from_str(include_str!("../../data/typed-languages.json")).expect("a table");
        for Line { typed, beside, language } in table {
            assert_eq!(typed_language(&typed, &beside).language.code(), language, "{typed} ({beside})");
        }
    }

    // rows: V12
    #[test]
    fn languages_of_one_script_are_told_apart_by_their_function_words() {
        let hindi = "विद्युत धारा आवेश का प्रवाह है और इसकी इकाई एम्पियर है। तार में धारा बहती है।";
        let marathi = "विद्युत धारा हे प्रभाराचे वहन आहे आणि तिचे एकक अँपिअर आहे. तारेमध्ये धारा वाहते आणि दिवा लागतो.";
        assert!(written_in(hindi, Language::Hindi) && !written_in(hindi, Language::Marathi));
        assert!(written_in(marathi, Language::Marathi) && !written_in(marathi, Language::Hindi));
        assert!(!written_in(hindi, Language::English));
        assert!(!written_in("This is plainly English text, not Hindi at all.", Language::Hindi));
    }

    // rows: V12
    #[test]
    fn hindi_in_latin_letters_is_no_english_and_hindi_no_sanskrit() {
        assert!(!written_in("Gravitation ke baare mein apne shabdon mein likhiye.", Language::English));
        assert!(written_in(
            "Ravi and his sister Mein live in Ka, and the hai of it is told.",
            Language::English
        ));
        assert!(!written_in("गुरुत्वाकर्षण के बारे में अपने शब्दों में लिखिए और समझाइए।", Language::Sanskrit));
        assert!(written_in("रामः वनं गच्छति। सः पितुः आज्ञां पालयति। का तस्य माता अस्ति?", Language::Sanskrit));
    }

    // rows: V12
    #[test]
    fn formulae_and_units_may_stay_latin() {
        assert!(written_in("धारा I = Q/t है, जहाँ Q आवेश है और t समय है; 2 A × 5 s = 10 C", Language::Hindi));
    }
}
