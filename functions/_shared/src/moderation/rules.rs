//! Word lists that keep unsafe requests away from children (SPECIFICATION.md GEN-8). The curriculum
//! passes: reproduction, wars, drugs awareness, caste and gender, acids and predators. A wish to do
//! harm is refused, and so is self-harm in depth.

use super::confusables::folded;
use super::verdict::{Guidance, Verdict};

/// A harmful act only counts together with the wish to do it, which stands at most so many words
/// before it.
const INTENT: [(&str, usize); 26] = [
    ("how to hack", 6),
    ("how to make", 6),
    ("how to build", 6),
    ("how to commit", 6),
    ("how to kill", 6),
    ("how to get", 3),
    ("how to buy", 6),
    ("how to use", 3),
    ("how to", 0),
    ("ways to", 3),
    ("make a", 3),
    ("make an", 3),
    ("build a", 3),
    ("build an", 3),
    ("recipe for", 6),
    ("steps to", 6),
    ("teach students to", 6),
    ("instructions for", 6),
    ("making of", 4),
    ("guide to making", 4),
    ("guide to", 4),
    ("teach me to", 6),
    ("to make", 4),
    ("how to smoke", 3),
    ("how to take", 3),
    ("explain how", 4),
];

/// Indian languages put the wish behind what is wished for, and English may.
const INTENT_AFTER: [(&str, usize); 28] = [
    ("कैसे बनाएं", 3),
    ("कैसे बनाये", 3),
    ("कैसे बनाएँ", 3),
    ("कैसे बनाते", 3),
    ("कैसे बनाया", 3),
    ("कैसे बनता", 3),
    ("बनाने की विधि", 3),
    ("बनाने का तरीका", 3),
    ("बनाने के तरीके", 3),
    ("बनाना सिखा*", 3),
    ("कसा बनव*", 3),
    ("कसे बनव*", 3),
    ("कशी बनव*", 3),
    ("कसा तयार", 3),
    ("बनवण्याची पद्धत", 3),
    ("तयार करण्याची पद्धत", 3),
    ("કેવી રીતે બનાવ*", 3),
    ("બનાવવાની રીત", 3),
    ("ఎలా తయారు", 3),
    ("ఎలా చేయాలి", 3),
    ("తయారు చేయడం", 3),
    ("తయారీ విధానం", 3),
    ("ಹೇಗೆ ಮಾಡು*", 3),
    ("ಹೇಗೆ ತಯಾರಿಸು*", 3),
    ("ಮಾಡುವ ವಿಧಾನ", 3),
    ("ತಯಾರಿಸುವ ವಿಧಾನ", 3),
    ("making", 1),
    ("made at home", 4),
];

/// Words for school work about a danger, or against it. Between a wish and a harm, or right behind
/// the harm, they show that the harm is the subject and not the aim.
const HARMLESS: [&str; 39] = [
    "aware",
    "awareness",
    "prevent",
    "prevention",
    "avoid",
    "stop",
    "refuse",
    "resist",
    "report",
    "against",
    "danger",
    "effect",
    "help",
    "rid",
    "proof",
    "survivor",
    "victim",
    "disposal",
    "calorimeter",
    "timeline",
    "map",
    "poster",
    "chart",
    "graph",
    "table",
    "diagram",
    "speech",
    "skit",
    "play",
    "presentation",
    "campaign",
    "slogan",
    "summary",
    "comparison",
    "model",
    "shelter",
    "squad",
    "history",
    "impact",
];

/// Entries match whole words, with a plural "s"; from the beginning of a word on where they end
/// with a star.
const HARM: [&str; 57] = [
    "bomb",
    "explosive device",
    "grenade",
    "gunpowder at home",
    "molotov",
    "pistol",
    "firearm",
    "weapon at home",
    "chemical weapon",
    "nerve gas*",
    "poison someone",
    "poison a person",
    "kill someone",
    "kill a person",
    "murder someone",
    "methamphetamine",
    "cocaine",
    "heroin",
    "ganja",
    "how to hack",
    "hack into",
    "hack an account",
    "counterfeit*",
    "fake currency",
    "fake currencies",
    "बम",
    "बमों",
    "ज़हर देना",
    "explosive",
    "rdx",
    "gun",
    "meth",
    "charas",
    "poison my",
    "poison your",
    "poison the teacher",
    "विस्फोटक*",
    "बंदूक*",
    "पिस्तौल*",
    "गांजा",
    "गाँजा",
    "चरस",
    "हेरोइन",
    "बॉम्ब*",
    "स्फोटके",
    "બોમ્બ*",
    "વિસ્ફોટક*",
    "બંદૂક*",
    "ગાંજો",
    "బాంబు*",
    "పేలుడు*",
    "తుపాకీ*",
    "గంజాయి*",
    "ಬಾಂಬ್*",
    "ಸ್ಫೋಟಕ*",
    "ಬಂದೂಕು*",
    "ಗಾಂಜಾ*",
];

/// Refused however they are put.
const ALWAYS_TOXIC: [&str; 15] = [
    "child porn",
    "sexual content about children",
    "sex with child*",
    "sex with a minor",
    "nude children",
    "rape jokes",
    "kill all muslims",
    "kill all hindus",
    "kill all christians",
    "kill all dalits",
    "ethnic cleansing is good",
    "बच्चों का अश्लील",
    "sexual story",
    "sexual stories",
    "erotic",
];

const ALWAYS_SENSITIVE: [&str; 26] = [
    "suicide method",
    "how to commit suicide",
    "how to kill myself",
    "ways to kill myself",
    "how to self harm",
    "cutting myself",
    "strangulation technique",
    "pro ana",
    "आत्महत्या कैसे",
    "how to kill yourself",
    "how to hang oneself",
    "how to hang myself",
    "way to commit suicide",
    "ways to commit suicide",
    "painless suicide",
    "ways to self harm",
    "आत्महत्या करने का",
    "आत्महत्या के तरीके",
    "आत्महत्या कशी",
    "आत्महत्या करण्याच*",
    "આત્મહત્યા કેવી રીતે",
    "આત્મહત્યા કરવાની",
    "ఆత్మహత్య ఎలా",
    "ఆత్మహత్య చేసుకోవడం ఎలా",
    "ಆತ್ಮಹತ್ಯೆ ಹೇಗೆ",
    "ಆತ್ಮಹತ್ಯೆ ಮಾಡಿಕೊಳ್ಳು*",
];

const DELICATE: [&str; 30] = [
    "reproduc*",
    "adolescen*",
    "puberty*",
    "menstrua*",
    "sexual*",
    "hiv",
    "aids and",
    "drug",
    "alcohol*",
    "tobacco",
    "mental health",
    "depression",
    "suicide*",
    "partition*",
    "holocaust*",
    "nazi*",
    "genocide*",
    "world war",
    "terroris*",
    "riot*",
    "caste*",
    "gender*",
    "discriminat*",
    "untouchab*",
    "slavery*",
    "प्रजनन*",
    "किशोर*",
    "जाति*",
    "विभाजन*",
    "भेदभाव*",
];

const PRACTICAL: [&str; 24] = [
    "acid*",
    "base",
    "chemical reaction",
    "combustion*",
    "flame",
    "electric*",
    "magnetic effect",
    "circuit",
    "metals",
    "heat",
    "separation",
    "salts",
    "carbon and its",
    "dissect*",
    "solution",
    "lens*",
    "athletics",
    "javelin",
    "shot put",
    "अम्ल*",
    "क्षार*",
    "विद्युत*",
    "दहन*",
    "ऊष्मा*",
];

/// Judges the teacher's text, each field alone.
pub fn judge(texts: &[&str]) -> Verdict {
    let sentences: Vec<Vec<String>> = texts.iter().flat_map(|text| sentences(text)).collect();
    let any = |list: &[&str]| sentences.iter().any(|sentence| any(sentence, list));
    if let Some(refused) = sentences.iter().find_map(|sentence| refusal(sentence)) {
        refused
    } else if any(&DELICATE) {
        Verdict::Guidance(Guidance::Delicate)
    } else if any(&PRACTICAL) {
        Verdict::Guidance(Guidance::Practical)
    } else {
        Verdict::Safe
    }
}

/// Returns whether one of these texts would be refused.
pub fn refuses_any(texts: &[String]) -> bool {
    texts.iter().flat_map(|text| sentences(text)).any(|sentence| refusal(&sentence).is_some())
}

/// The words of each sentence, in small letters.
fn sentences(text: &str) -> Vec<Vec<String>> {
    let ends = ['.', '!', '?', ';', '।', '\n'];
    folded(text).to_lowercase().split(ends).map(words).filter(|words| !words.is_empty()).collect()
}

pub(crate) fn words(sentence: &str) -> Vec<String> {
    // Nukta, virama and joiners stand within a word and are no letters of their own.
    let signs = [
        '\u{93C}', '\u{94D}', '\u{ABC}', '\u{ACD}', '\u{BCD}', '\u{C4D}', '\u{CBC}', '\u{CCD}', '\u{200C}',
        '\u{200D}',
    ];
    let within = |c: char| c.is_alphanumeric() || signs.contains(&c);
    sentence.split(|c| !within(c)).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn refusal(sentence: &[String]) -> Option<Verdict> {
    if any(sentence, &ALWAYS_TOXIC) || wishes_harm(sentence) {
        return Some(Verdict::Toxic);
    }
    any(sentence, &ALWAYS_SENSITIVE).then_some(Verdict::Sensitive)
}

/// Returns whether a text wishes for a harm: the wish stands close by, and nothing harmless stands
/// between them or right behind the harm.
fn wishes_harm(sentence: &[String]) -> bool {
    let harmless = |words: &[String]| any(words, &HARMLESS);
    HARM.iter().flat_map(|harm| places(sentence, harm)).any(|(begin, end)| {
        let next = &sentence[end..sentence.len().min(end + 1)];
        let before = INTENT.iter().any(|(wish, reach)| {
            // "how to hack" is wish and harm in one.
            places(sentence, wish).any(|(at, stop)| {
                at <= begin && begin <= stop + reach && !harmless(&sentence[stop.min(begin)..begin])
            })
        });
        let after = INTENT_AFTER
            .iter()
            .any(|(wish, reach)| places(sentence, wish).any(|(at, _)| end <= at && at <= end + reach));
        (before || after) && !harmless(next)
    })
}

/// Counts, in tests, how often a word is looked at.
pub(crate) fn count_steps(_steps: usize) {
    #[cfg(test)]
    STEPS.set(STEPS.get() + _steps);
}

#[cfg(test)]
std::thread_local! {
    pub(crate) static STEPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

pub(crate) fn any(sentence: &[String], entries: &[&str]) -> bool {
    entries.iter().any(|entry| places(sentence, entry).next().is_some())
}

/// Positions of an entry's words: the first one, and the one behind the last.
pub(crate) fn places<'a>(
    sentence: &'a [String],
    entry: &'a str,
) -> impl Iterator<Item = (usize, usize)> + 'a {
    let (entry, open) = entry.strip_suffix('*').map_or((entry, false), |stem| (stem, true));
    let wanted: Vec<&str> = entry.split(' ').collect();
    let length = wanted.len();
    count_steps(sentence.len());
    sentence.windows(length).enumerate().filter_map(move |(at, words)| {
        let (last, first) = wanted.split_last()?;
        let ending = words[length - 1].strip_prefix(last)?;
        let same = first.iter().zip(words).all(|(wanted, word)| wanted == word);
        (same && (open || matches!(ending, "" | "s"))).then_some((at, at + length))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curriculum_passes() {
        let chapters = [
            "How do Organisms Reproduce?",
            "Reproduction in Plants",
            "Reaching the Age of Adolescence",
            "Adolescence: A Stage of Growth and Change",
            "The World Wars",
            "Nazism and the Rise of Hitler",
            "Understanding Partition",
            "Partition of India 1947",
            "Drug abuse: prevention and awareness",
            "HIV and AIDS awareness",
            "Caste, Class and Gender",
            "Gender, Religion and Caste",
            "Untouchability and the Constitution",
            "Acids, Bases and Salts",
            "Metals and Non-metals",
            "Explosion of ideas: the printing press",
            "Predators and prey in a food chain",
            "Nuclear energy and the atom bomb on Hiroshima",
            "The Rising of 1857: guns and grease",
            "Poisonous and non-poisonous snakes",
            "Combustion and Flame",
            "Suicide prevention and mental health",
            "The Death of a Tree",
            "Weapons of the Stone Age",
            "Bombardment of alpha particles",
            "How to make a bar magnet",
            "How to build a model volcano",
            "Cyber safety and hacking awareness",
            "विभाजन की विभीषिका",
            "अम्ल, क्षारक और लवण",
            "Making a model of the atom bomb's chain reaction",
            "How to make a model volcano and explain how it erupts",
            "To make a poster against drugs",
            "Gunpowder and the Mughal empire",
            "हिरोशिमा पर परमाणु बम",
            "मंगल पांडे और बंदूक की नई कारतूस",
        ];
        for chapter in chapters {
            assert!(judge(&[chapter]).allowed().is_ok(), "{chapter}");
        }
    }

    #[test]
    fn a_harmless_word_beside_a_task_passes() {
        for typed in [
            ["The Age of Industrialisation", "Cotton mills of Bombay; make a map"],
            ["The Bombay Presidency", "make a timeline"],
            ["Heroines of the freedom struggle", "make a poster"],
            ["Districts of Odisha: Ganjam", "make a map"],
            ["Bombay", "How to get there"],
            ["Hiroshima: the atom bomb", "make a timeline"],
            ["The Second World War", "Make a timeline of the atom bomb on Hiroshima"],
            ["Drugs awareness: cocaine, heroin", "make a poster"],
            ["Drugs awareness", "Make a poster on the dangers of heroin"],
            ["Cyber safety", "How to hack-proof accounts"],
            ["Thermochemistry", "How to use a bomb calorimeter"],
            ["बम्बई का इतिहास", "मानचित्र बनाने की विधि"],
            ["Study skills", "Make a list of study hacks"],
            ["Maps", "Make a map of the mills of Bombay."],
        ] {
            assert!(judge(&typed).allowed().is_ok(), "{typed:?}");
            assert!(!refuses_any(&typed.map(str::to_owned)), "{typed:?}");
        }
    }

    #[test]
    fn the_lists_are_written_in_the_letters_that_texts_are_read_in() {
        let lists = [&HARM[..], &ALWAYS_TOXIC, &ALWAYS_SENSITIVE, &DELICATE, &PRACTICAL, &HARMLESS];
        let wishes = INTENT.iter().chain(&INTENT_AFTER).map(|(wish, _)| *wish);
        for entry in lists.concat().into_iter().chain(wishes) {
            assert_eq!(folded(entry), entry);
        }
    }

    #[test]
    fn a_note_comes_for_whole_words_only() {
        for text in ["Bees and their hives", "A play based on a story", "Baseball"] {
            assert_eq!(judge(&[text]), Verdict::Safe, "{text}");
        }
        assert_eq!(judge(&["Acids and bases"]), Verdict::Guidance(Guidance::Practical));
    }

    #[test]
    fn wishes_to_do_harm_are_refused_without_a_charge() {
        for text in [
            "How to make a bomb at home",
            "Recipe for cocaine",
            "ways to kill someone quietly",
            "बम बनाने की विधि",
            "how to hack into the school server",
            "How to hack an account",
            "Make a map. Then learn how to make a small pipe bomb",
            "Make a poster that says how to make bombs",
            "make an explosive device",
            "How to make counterfeit notes",
            "Learn how  to\tmake a bomb at home.",
            "बम कैसे बनाएं",
            "बम बनाने का तरीका",
            "बम कैसे बनाया जाता है",
            "बॉम्ब कसा बनवायचा",
            "બોમ્બ કેવી રીતે બનાવવો",
            "బాంబు ఎలా తయారు చేయాలి",
            "ಬಾಂಬ್ ಹೇಗೆ ತಯಾರಿಸುವುದು",
            "Bomb making",
            "Making of a pipe bomb at home",
            "Guide to making bombs",
            "Teach me to make explosives",
            "Explain how explosives like RDX are made at home",
            "How to make a gun",
            "How to make meth",
            "How to smoke ganja",
            "How to poison my teacher",
            "A sexual story about a schoolgirl",
            "How to make a bоmb at home",
            "How to make a ｂｏｍｂ at home",
            "How to make a b\u{200b}omb at home",
        ] {
            assert_eq!(judge(&[text]), Verdict::Toxic, "{text}");
            assert_eq!(judge(&[text]).allowed().unwrap_err().code(), "unsafe_request");
        }
        for text in [
            "suicide methods",
            "ways to self harm",
            "how to hang oneself",
            "how to kill yourself",
            "best way to commit suicide",
            "painless suicide",
            "आत्महत्या कशी करावी",
        ] {
            assert_eq!(judge(&[text]), Verdict::Sensitive, "{text}");
        }
    }

    #[test]
    fn delicate_and_practical_topics_bring_a_note() {
        assert_eq!(judge(&["Reaching the Age of Adolescence"]), Verdict::Guidance(Guidance::Delicate));
        assert_eq!(judge(&["Acids, Bases and Salts"]), Verdict::Guidance(Guidance::Practical));
        assert_eq!(judge(&["Fractions"]), Verdict::Safe);
    }
}
