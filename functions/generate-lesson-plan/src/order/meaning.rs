//! What a heading of a sample means.

use super::Part;
use super::names::{BESIDE_NUMBERS, HEAD, NAMES, Names, STEPS};

/// What a heading is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// It names a part.
    Part(Part),
    /// It is a step of a lesson.
    Step,
    /// It belongs to the head of the plan.
    Head,
    /// It is none that we know.
    Unknown,
}

impl Meaning {
    /// Whole words count: "priority" names no prior knowledge.
    pub(super) fn of(heading: &str) -> Self {
        let words = words(heading);
        let is_bare = |word: &&String| !is_number(word) && !BESIDE_NUMBERS.contains(&word.as_str());
        let bare: Vec<String> = words.iter().filter(is_bare).cloned().collect();
        let is_alone = |name: &&&str| is(&bare, name);
        if STEPS.iter().any(|step| is_alone(&step)) {
            return Self::Step;
        }
        let is_named = |names: &&Names| {
            names.anywhere.iter().any(|name| has(&words, name))
                || names.alone.iter().any(|name| is_alone(&name))
        };
        match NAMES.iter().find(is_named) {
            Some(names) => Self::Part(names.part),
            None if bare.first().is_none_or(|word| HEAD.contains(&word.as_str())) => Self::Head,
            None => Self::Unknown,
        }
    }
}

/// The words of a heading in small letters. The signs of Indian scripts belong to their words.
fn words(heading: &str) -> Vec<String> {
    let is_of_word = |c: char| {
        c.is_alphanumeric()
            || matches!(c, '\u{900}'..='\u{963}' | '\u{966}'..='\u{d7f}' | '\u{200c}' | '\u{200d}')
    };
    let words = heading.split(|c| !is_of_word(c)).filter(|word| !word.is_empty());
    words.map(|word| word.replace(['\u{200c}', '\u{200d}'], "").to_lowercase()).collect()
}

/// A number, a Roman number, or the letter of a list.
fn is_number(word: &str) -> bool {
    word.chars().all(|c| c.is_numeric() || "ivx".contains(c)) || (word.len() == 1 && word.is_ascii())
}

fn has(words: &[String], name: &str) -> bool {
    words.windows(name.split(' ').count()).any(|window| is(window, name))
}

fn is(words: &[String], name: &str) -> bool {
    words.len() == name.split(' ').count()
        && words.iter().zip(name.split(' ')).all(|(word, of_name)| {
            word == of_name || (of_name.is_ascii() && word.strip_suffix('s') == Some(of_name))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: GEN-5.3.6
    #[test]
    fn the_headings_of_teachers_name_the_parts() {
        for (heading, part) in [
            ("Learning Objectives", Part::Outcomes),
            ("3. Teaching Aids", Part::Resources),
            ("पूर्व ज्ञान", Part::PriorKnowledge),
            ("मूल्यांकन:", Part::Assessment),
            ("Previous knowledge", Part::PriorKnowledge),
            ("Aim", Part::Outcomes),
            ("Learning Goals", Part::Outcomes),
            ("Pedagogical Process", Part::Periods),
            ("Teaching-learning process", Part::Periods),
            ("Materials", Part::Resources),
            ("5. Evaluate (10 min)", Part::Assessment),
            ("प्रस्तुतिकरण", Part::Periods),
            ("હેતુઓ", Part::Outcomes),
            ("શૈક્ષણિક સાધનો", Part::Resources),
            ("शैक्षणिक साहित्य", Part::Resources),
            ("अध्ययन निष्पत्ती", Part::Outcomes),
        ] {
            assert_eq!(Meaning::of(heading), Meaning::Part(part), "{heading}");
        }
    }

    // rows: GEN-5.3.6
    #[test]
    fn a_part_of_a_word_names_no_part() {
        for heading in [
            "Priority tasks of the week",
            "Blinking bulbs",
            "Materials around us",
            "Integration by parts",
            "समशब्दावली",
            "પૂર્વજ્ઞાની",
            "अपूर्व ज्ञान",
        ] {
            assert_eq!(Meaning::of(heading), Meaning::Unknown, "{heading}");
        }
        assert_eq!(Meaning::of("Chapter 4"), Meaning::Head);
    }

    // rows: GEN-5.3.6
    #[test]
    fn steps_of_a_lesson_are_known() {
        for heading in
            ["Engage", "Step 2: Explore", "Home Work", "Recapitulation", "प्रस्तावना", "गृहकार्य", "પુનરાવર્તન"]
        {
            assert_eq!(Meaning::of(heading), Meaning::Step, "{heading}");
        }
        assert_eq!(Meaning::of("Introduction to electricity"), Meaning::Unknown);
    }
}
