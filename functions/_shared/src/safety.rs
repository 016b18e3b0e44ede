//! Rules that keep unsafe requests away from children (generation.md 8). Curriculum is not harm:
//! reproduction, wars, drugs awareness, caste and gender, acids and predators pass. What is refused are
//! wishes to do harm, and self-harm in depth.

use crate::error::FunctionError;

/// How a request was judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing to say.
    Safe,
    /// Allowed, with a note to the teacher in the document.
    Guidance(Guidance),
    /// Refused, with a pointer to the school counsellor.
    Sensitive,
    /// Refused.
    Toxic,
}

/// What a teacher is reminded of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guidance {
    /// Body and adolescence, mental health, discrimination, violence in history.
    Delicate,
    /// Flames, acids, electricity, sharp tools, outdoor work.
    Practical,
}

impl Verdict {
    /// The refusal for the client, where there is one.
    ///
    /// # Errors
    /// [`FunctionError::UnsafeRequest`] for what is refused.
    pub fn allowed(self) -> Result<(), FunctionError> {
        let message = match self {
            Self::Safe | Self::Guidance(_) => return Ok(()),
            Self::Sensitive => {
                "This topic needs a trained person. Please speak to your school counsellor; no document was made and no credits were used."
            }
            Self::Toxic => {
                "This request is not suitable for a classroom. No document was made and no credits were used."
            }
        };
        Err(FunctionError::UnsafeRequest { message: message.to_owned() })
    }
}

/// A harmful act only counts together with the wish to do it.
const INTENT: [&str; 18] = [
    "how to hack",
    "how to make",
    "how to build",
    "how to commit",
    "how to kill",
    "how to get",
    "how to buy",
    "how to use",
    "ways to",
    "make a",
    "build a",
    "recipe for",
    "steps to",
    "teach students to",
    "instructions for",
    "कैसे बनाएं",
    "कैसे बनाये",
    "बनाने की विधि",
];

const HARM: [&str; 26] = [
    "bomb",
    "explosive device",
    "grenade",
    "gunpowder at home",
    "molotov",
    "pistol",
    "firearm",
    "weapon at home",
    "chemical weapon",
    "nerve gas",
    "poison someone",
    "poison a person",
    "kill someone",
    "kill a person",
    "murder someone",
    "methamphetamine",
    "cocaine",
    "heroin",
    "ganja",
    "hack an account",
    "hack into",
    "how to hack",
    "counterfeit",
    "fake currency",
    "बम",
    "ज़हर देना",
];

/// Refused however they are put.
const ALWAYS_TOXIC: [&str; 12] = [
    "child porn",
    "sexual content about children",
    "sex with child",
    "sex with a minor",
    "nude children",
    "rape jokes",
    "kill all muslims",
    "kill all hindus",
    "kill all christians",
    "kill all dalits",
    "ethnic cleansing is good",
    "बच्चों का अश्लील",
];

const ALWAYS_SENSITIVE: [&str; 11] = [
    "suicide method",
    "suicide methods",
    "how to commit suicide",
    "how to kill myself",
    "ways to kill myself",
    "how to self-harm",
    "how to self harm",
    "cutting myself",
    "strangulation technique",
    "pro-ana",
    "आत्महत्या कैसे",
];

const DELICATE: [&str; 30] = [
    "reproduc",
    "adolescen",
    "puberty",
    "menstrua",
    "sexual",
    "hiv",
    "aids and",
    "drug",
    "alcohol",
    "tobacco",
    "mental health",
    "depression",
    "suicide",
    "partition",
    "holocaust",
    "nazi",
    "genocide",
    "world war",
    "terroris",
    "riot",
    "caste",
    "gender",
    "discriminat",
    "untouchab",
    "slavery",
    "प्रजनन",
    "किशोर",
    "जाति",
    "विभाजन",
    "भेदभाव",
];

const PRACTICAL: [&str; 24] = [
    "acid",
    "base",
    "chemical reaction",
    "combustion",
    "flame",
    "electric",
    "magnetic effect",
    "circuit",
    "metals",
    "heat",
    "separation",
    "salts",
    "carbon and its",
    "dissect",
    "solution",
    "lens",
    "athletics",
    "javelin",
    "shot put",
    "अम्ल",
    "क्षार",
    "विद्युत",
    "दहन",
    "ऊष्मा",
];

/// Judges what the teacher typed.
pub fn judge(texts: &[&str]) -> Verdict {
    let text = joined(texts);
    refusal(&text).unwrap_or_else(|| {
        if any(&text, &DELICATE) {
            Verdict::Guidance(Guidance::Delicate)
        } else if any(&text, &PRACTICAL) {
            Verdict::Guidance(Guidance::Practical)
        } else {
            Verdict::Safe
        }
    })
}

/// Whether one of these texts would be refused.
pub fn refuses_any(texts: &[String]) -> bool {
    let refused = |texts: &[&str]| refusal(&joined(texts)).is_some();
    // A text that is refused makes the whole refused: one look at it is enough for nearly every document.
    let all: Vec<&str> = texts.iter().map(String::as_str).collect();
    refused(&all) && all.iter().any(|text| refused(&[text]))
}

fn joined(texts: &[&str]) -> String {
    texts.join(" \n ").to_lowercase()
}

fn refusal(text: &str) -> Option<Verdict> {
    if any(text, &ALWAYS_TOXIC) || (any(text, &HARM) && any(text, &INTENT)) {
        return Some(Verdict::Toxic);
    }
    any(text, &ALWAYS_SENSITIVE).then_some(Verdict::Sensitive)
}

fn any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| contains_word(text, word))
}

/// A word list entry matches from the beginning of a word on, so that "bomb" is not found in "aplomb".
fn contains_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        before.is_none_or(|c| !c.is_alphanumeric())
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
        ];
        for chapter in chapters {
            assert!(judge(&[chapter]).allowed().is_ok(), "{chapter}");
        }
    }

    #[test]
    fn wishes_to_do_harm_are_refused_without_a_charge() {
        for text in [
            "How to make a bomb at home",
            "Recipe for cocaine",
            "ways to kill someone quietly",
            "बम बनाने की विधि",
            "how to hack into the school server",
        ] {
            assert_eq!(judge(&[text]), Verdict::Toxic, "{text}");
            assert_eq!(judge(&[text]).allowed().unwrap_err().code(), "unsafe_request");
        }
        assert_eq!(judge(&["suicide methods"]), Verdict::Sensitive);
    }

    #[test]
    fn delicate_and_practical_topics_bring_a_note() {
        assert_eq!(judge(&["Reaching the Age of Adolescence"]), Verdict::Guidance(Guidance::Delicate));
        assert_eq!(judge(&["Acids, Bases and Salts"]), Verdict::Guidance(Guidance::Practical));
        assert_eq!(judge(&["Fractions"]), Verdict::Safe);
    }
}
