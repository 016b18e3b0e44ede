//! The built-in text of a language: headings, greetings, sentences by purpose and tone. One file
//! per language, all of one shape; a language may have fewer purposes, the general sentences stand
//! in.

use std::collections::BTreeMap;

use banyan_functions::words::{CommonWords, Labels};
use banyan_functions::writing_system::Language;
use serde::Deserialize;

use crate::audience::Audience;
use crate::purpose::Purpose;
use crate::request::Tone;

/// A sentence in each tone: formal, semi-formal, friendly.
pub type ByTone = [String; 3];

/// All built-in text of one language.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Words {
    /// Words of every kind of document.
    #[serde(skip)]
    pub common: CommonWords,
    /// Headings and small words of the layout, by name.
    pub headings: BTreeMap<String, String>,
    /// Recipients of a copy of a circular.
    pub copies: Vec<String>,
    /// From Monday on.
    pub weekdays: [String; 7],
    /// The honesty lines.
    pub labels: Labels,
    /// Warnings for the teacher.
    pub warnings: BTreeMap<String, String>,
    greetings: BTreeMap<String, ByTone>,
    closings: ByTone,
    thanks: ByTone,
    intro: ByTone,
    contact: ByTone,
    support: ByTone,
    /// For those who cannot come to a meeting.
    pub reschedule: String,
    /// Agenda of a meeting.
    pub agenda: Vec<String>,
    purposes: BTreeMap<String, Sentences>,
    students: Sentences,
    colleagues: Colleagues,
    thanks_begin: Vec<String>,
}

/// Sentences for colleagues, for every subject.
#[derive(Debug, Clone, Deserialize)]
struct Colleagues {
    #[serde(flatten)]
    sentences: Sentences,
    contact: ByTone,
    support: ByTone,
}

/// The sentences of a purpose.
#[derive(Debug, Clone, Deserialize)]
pub struct Sentences {
    /// The announcement.
    open: ByTone,
    /// The request to the readers: formal, and friendly.
    ask: [String; 2],
}

impl Sentences {
    /// The announcement.
    pub fn opening(&self, tone: Tone) -> &str {
        &self.open[place(tone)]
    }

    /// The request to the readers.
    pub fn request(&self, tone: Tone) -> &str {
        &self.ask[usize::from(tone == Tone::Friendly)]
    }
}

fn place(tone: Tone) -> usize {
    match tone {
        Tone::Formal => 0,
        Tone::SemiFormal => 1,
        Tone::Friendly => 2,
    }
}

impl Words {
    /// The text of a language. Nothing that is typed tells Sanskrit from Hindi, so Hindi stands for
    /// both.
    pub fn of(language: Language) -> Self {
        let text = match language {
            Language::English => include_str!("../data/languages/en.json"),
            Language::Hindi | Language::Sanskrit => include_str!("../data/languages/hi.json"),
            Language::Marathi => include_str!("../data/languages/mr.json"),
            Language::Gujarati => include_str!("../data/languages/gu.json"),
            Language::Telugu => include_str!("../data/languages/te.json"),
            Language::Kannada => include_str!("../data/languages/kn.json"),
        };
        let words: Self = serde_json::from_str(text).expect("every language file is read in a test");
        Self { common: CommonWords::of(language), ..words }
    }

    /// A heading or small word by its name.
    pub fn heading(&self, name: &str) -> &str {
        self.headings.get(name).map_or("", String::as_str)
    }

    /// A warning by its name.
    pub fn warning(&self, name: &str) -> String {
        self.warnings.get(name).cloned().unwrap_or_default()
    }

    /// The salutation.
    pub fn greeting(&self, audience: Audience, tone: Tone) -> &str {
        self.greetings.get(audience.key()).map_or("", |greetings| &greetings[place(tone)])
    }

    /// The words before the signature.
    pub fn closing(&self, tone: Tone) -> &str {
        &self.closings[place(tone)]
    }

    /// The thanks of a letter.
    pub fn thanks(&self, tone: Tone) -> &str {
        &self.thanks[place(tone)]
    }

    /// The line above the details of a letter.
    pub fn intro(&self, tone: Tone) -> &str {
        &self.intro[place(tone)]
    }

    /// The person to ask.
    pub fn contact(&self, audience: Audience, tone: Tone) -> &str {
        let own = audience == Audience::Teachers;
        &(if own { &self.colleagues.contact } else { &self.contact })[place(tone)]
    }

    /// The courteous last sentence of a letter.
    pub fn support(&self, audience: Audience, tone: Tone) -> &str {
        let own = audience == Audience::Teachers;
        &(if own { &self.colleagues.support } else { &self.support })[place(tone)]
    }

    /// Returns whether a typed line thanks, so that the closing does not thank again.
    pub fn thanks_already(&self, line: &str) -> bool {
        let line = line.to_lowercase();
        self.thanks_begin.iter().any(|word| line.contains(word.as_str())) || line.contains("thank")
    }

    /// The sentences of a purpose for some readers.
    pub fn sentences(&self, purpose: Purpose, audience: Audience) -> &Sentences {
        if audience == Audience::Students && purpose != Purpose::Ptm {
            return &self.students;
        }
        if audience == Audience::Teachers {
            return &self.colleagues.sentences;
        }
        let known = self.purposes.get(purpose.key()).or_else(|| self.purposes.get("general"));
        known.unwrap_or(&self.students)
    }
}

#[cfg(test)]
mod tests {
    use banyan_functions::words::without_places;
    use banyan_functions::writing_system::ScriptCount;

    use super::*;

    /// The languages that something typed can lead to.
    const LANGUAGES: [Language; 6] = [
        Language::English,
        Language::Hindi,
        Language::Marathi,
        Language::Gujarati,
        Language::Telugu,
        Language::Kannada,
    ];

    #[test]
    fn every_language_has_text_of_the_same_shape() {
        let english = Words::of(Language::English);
        for language in LANGUAGES {
            let words = Words::of(language);
            assert!(words.headings.keys().eq(english.headings.keys()), "{language:?}");
            assert!(words.warnings.keys().eq(english.warnings.keys()), "{language:?}");
            assert!(words.greetings.keys().eq(english.greetings.keys()), "{language:?}");
            assert_eq!((words.copies.len(), words.agenda.len()), (3, 4), "{language:?}");
            assert!(words.purposes.contains_key("general") && words.purposes.contains_key("ptm"));
            if !matches!(language, Language::Telugu | Language::Kannada) {
                assert!(words.purposes.keys().eq(english.purposes.keys()), "{language:?}");
            }
        }
        assert_eq!(english.purposes.len(), 15);
    }

    #[test]
    fn no_sentence_makes_the_teacher_a_man() {
        for (text, teacher) in [
            (include_str!("../data/languages/hi.json"), "अध्यापक"),
            (include_str!("../data/languages/mr.json"), "वर्गशिक्षक"),
            (include_str!("../data/languages/gu.json"), "વર્ગશિક્ષક"),
        ] {
            let lines: Vec<&str> = text.lines().filter(|line| line.contains(teacher)).collect();
            // A copy goes to the class teacher, and names both.
            assert!(
                matches!(lines[..], [copies] if copies.contains("\"copies\"") && copies.contains('/')),
                "{lines:?}"
            );
        }
    }

    // rows: D19
    #[test]
    fn every_language_file_is_in_its_own_script_and_keeps_to_the_tones() {
        for language in LANGUAGES {
            let words = Words::of(language);
            let sentences = words.purposes.values().chain([&words.students, &words.colleagues.sentences]);
            let mut texts: Vec<&String> =
                sentences.clone().flat_map(|s| s.open.iter().chain(&s.ask)).collect();
            texts.extend(words.headings.values().chain(words.warnings.values()).chain(&words.weekdays));
            texts.extend(words.colleagues.contact.iter().chain(&words.colleagues.support));
            texts.extend(words.greetings.values().flatten().chain(&words.agenda).chain(&words.copies));
            for text in texts {
                let count = ScriptCount::of(&without_places(text));
                assert!(count.total() == 0 || count.share(language.script()) >= 0.85, "{language:?}: {text}");
            }
            for sentence in sentences {
                for plain in [&sentence.open[0], &sentence.open[1], &sentence.ask[0]] {
                    assert!(!plain.contains(['!', '’']) && !plain.contains("n't"), "{plain}");
                }
            }
        }
    }
}
