//! Built-in text that every kind of document needs, by language, and the filling of places in it.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::writing_system::{Language, StandIn};

/// The text of a language's file `data/languages/<code>.json`, beside the `src` folder of the file
/// that says so.
#[macro_export]
macro_rules! language_file {
    ($language:expr) => {
        match $language {
            $crate::writing_system::Language::English => include_str!("../data/languages/en.json"),
            $crate::writing_system::Language::Hindi => include_str!("../data/languages/hi.json"),
            $crate::writing_system::Language::Marathi => include_str!("../data/languages/mr.json"),
            $crate::writing_system::Language::Gujarati => include_str!("../data/languages/gu.json"),
            $crate::writing_system::Language::Telugu => include_str!("../data/languages/te.json"),
            $crate::writing_system::Language::Kannada => include_str!("../data/languages/kn.json"),
            $crate::writing_system::Language::Sanskrit => include_str!("../data/languages/sa.json"),
        }
    };
}

/// Text of one language that no kind of document has for itself.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CommonWords {
    /// Names of the form's subjects, by their English names in small letters.
    pub subjects: BTreeMap<String, String>,
    /// The page numbers' words.
    pub page: String,
    /// The footer's sentence.
    pub made_with: String,
    /// Warnings of the response.
    pub warnings: Warnings,
    /// A note for the teacher: the topic can touch pupils personally.
    pub delicate: String,
}

/// Warnings of the response.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Warnings {
    /// The sample is none of the caller's.
    pub sample: String,
    /// The sample shows no headings.
    pub sample_order: String,
    /// None of the sample's headings is known.
    pub sample_unknown: String,
    /// So few of the sample's headings are known that they are no order.
    pub sample_few: String,
    /// Most of the sample's headings are not known.
    pub sample_partly: String,
    /// The sample shows no questions.
    pub sample_without_questions: String,
    /// The form asks for another pattern than that of the sample.
    pub sample_pattern: String,
    /// The script has no built-in text.
    pub stand_in: String,
    /// The chapter is known in English only.
    pub only_english: String,
    /// The same, where the bank only stands in for a model.
    pub may_be_english: String,
    /// The chapter is in another class's book.
    pub other_class: String,
}

impl Warnings {
    /// Collects warnings for the teacher: the honesty line if no model wrote, and parts of the
    /// request that could not be used. `chapter` comes with the class whose book has it, if that is
    /// another class. If English replaces a language, the warning is in that language.
    pub fn collect(
        &self,
        honesty: Option<&str>,
        sample: Option<&str>,
        stand_in: Option<StandIn>,
        (chapter, other_class): (&str, Option<u8>),
    ) -> Vec<String> {
        let mut warnings: Vec<String> = honesty.map(str::to_owned).into_iter().collect();
        warnings.extend(sample.map(str::to_owned));
        warnings.extend(self.other_language(stand_in, chapter));
        if let Some(class) = other_class {
            warnings.push(fill(&self.other_class, &[("chapter", chapter), ("class", &class.to_string())]));
        }
        warnings
    }

    /// That English stands in for the language of the request, and why: said before, and in the
    /// document.
    pub fn other_language(&self, stand_in: Option<StandIn>, chapter: &str) -> Option<String> {
        Some(match stand_in? {
            StandIn::Script => self.stand_in.clone(),
            StandIn::Chapter(asked) => {
                fill(&CommonWords::of(asked).warnings.only_english, &[("chapter", chapter)])
            }
        })
    }
}

/// The honesty lines of a kind of document (SPECIFICATION.md GEN-11.3).
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Labels {
    /// Coverage of 0.8 and more.
    pub bank: String,
    /// 0.3 to 0.8; empty for documents that are never partly prepared.
    #[serde(default)]
    pub partly: String,
    /// Below 0.3; as above.
    #[serde(default)]
    pub frame: String,
    /// Text by a model.
    pub model: String,
}

impl Labels {
    /// The honesty line for a share of text about this very chapter, 0 to 1.
    pub fn for_coverage(&self, coverage: f64) -> &str {
        match coverage {
            c if c >= 0.8 => &self.bank,
            c if is_frame(c) => &self.frame,
            _ => &self.partly,
        }
    }
}

/// Returns whether so small a share of text about the chapter makes a document a frame
/// (SPECIFICATION.md GEN-11.3).
pub fn is_frame(coverage: f64) -> bool {
    coverage < 0.3
}

impl CommonWords {
    /// The text of a language.
    pub fn of(language: Language) -> Self {
        let text = crate::language_file!(language);
        serde_json::from_str(text).expect("every language file is read in a test")
    }

    /// A subject of the form in this language, any other as typed.
    pub fn subject<'a>(&'a self, typed: &'a str) -> &'a str {
        self.subjects.get(&typed.to_lowercase()).map_or(typed, String::as_str)
    }

    /// The line at the foot of every page. It has room for the beginning of the label; the whole of
    /// it stands under the title.
    pub fn footer(&self, product: &str, label: &str) -> String {
        fill(&self.made_with, &[("product", product), ("label", first_clause(label))])
    }
}

/// The beginning of a sentence, up to the first stop.
pub fn first_clause(label: &str) -> &str {
    label.split(['.', '।', ';']).next().unwrap_or(label)
}

/// Names of placeholders and what stands in their place.
pub type Places<'a> = [(&'a str, &'a str)];

/// The names of the places in a template.
pub fn places(template: &str) -> Vec<&str> {
    template.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0)).collect()
}

/// A template without its places.
pub fn without_places(template: &str) -> String {
    let bare = |(at, piece): (usize, &str)| match at {
        0 => piece.to_owned(),
        _ => piece.split_once('}').map_or("", |(_, rest)| rest).to_owned(),
    };
    template.split('{').enumerate().map(bare).collect()
}

/// Replaces `{name}` by text, in one pass, so that braces in the teacher's text stay as they are.
/// Unknown names stay too.
pub fn fill(template: &str, places: &Places<'_>) -> String {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(start) = rest.find('{') {
        let (before, from_brace) = rest.split_at(start);
        out.push_str(before);
        let hit = from_brace.find('}').and_then(|end| {
            let place = places.iter().find(|(name, _)| *name == &from_brace[1..end])?;
            Some((place.1, end))
        });
        match hit {
            Some((value, end)) => {
                out.push_str(value);
                rest = &from_brace[end + 1..];
            }
            None => {
                out.push('{');
                rest = &from_brace[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::writing_system::ScriptCount;

    #[test]
    fn placeholders_are_filled_once_and_typed_braces_stay() {
        let places = [("chapter", "{book} {"), ("book", "B")];
        assert_eq!(fill("‘{chapter}’ in {book} {other} {", &places), "‘{book} {’ in B {other} {");
    }

    // rows: D19
    #[test]
    fn a_subject_of_the_form_is_named_in_the_language_and_another_as_typed() {
        let hindi = CommonWords::of(Language::Hindi);
        assert_eq!((hindi.subject("Science"), hindi.subject("maths")), ("विज्ञान", "गणित"));
        assert_eq!(
            (hindi.subject("Robotics"), CommonWords::of(Language::English).subject("Science")),
            ("Robotics", "Science")
        );
    }

    // rows: D19
    #[test]
    fn every_language_names_the_subjects_in_its_own_script() {
        let hindi = CommonWords::of(Language::Hindi);
        for language in Language::ALL {
            let words = CommonWords::of(language);
            assert!(
                language == Language::English || words.subjects.keys().eq(hindi.subjects.keys()),
                "{language:?}"
            );
            for text in words.subjects.values().chain([
                &words.delicate,
                &words.warnings.only_english,
                &words.warnings.may_be_english,
            ]) {
                let text = without_places(text);
                assert!(ScriptCount::of(&text).share(language.script()) >= 0.85, "{language:?}: {text}");
            }
        }
    }
}
