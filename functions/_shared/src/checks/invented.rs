//! Finds facts that a model must have invented, since nobody asked for them: links, e-mail
//! addresses, telephone numbers, pages of a book, circulars, codes of outcomes (V16).

use crate::sanitise::ascii_digit;

/// Returns whether a text names one of them.
pub fn is_invented(text: &str) -> bool {
    has_address(text) || names_source(text)
}

/// Links, e-mail addresses, telephone numbers.
pub fn has_address(text: &str) -> bool {
    let word_is = |is: fn(&str) -> bool| text.split(char::is_whitespace).any(is);
    word_is(is_link) || word_is(is_mail) || has_telephone(text)
}

/// Endings of hosts that stand for one without `http://`.
const ENDINGS: [&str; 14] =
    ["com", "in", "org", "net", "edu", "gov", "co", "io", "me", "ly", "info", "app", "dev", "example"];

fn is_link(word: &str) -> bool {
    let lower = word.to_lowercase();
    if ["http://", "https://", "www."].iter().any(|sign| lower.contains(sign)) {
        return true;
    }
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let (host, path) = word.split_once('/').map_or((word, None), |(host, path)| (host, Some(path)));
    let labels: Vec<&str> = host.split('.').collect();
    let named = |label: &&str| {
        !label.is_empty() && label.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
    };
    let [name, .., ending] = labels.as_slice() else { return false };
    // A full stop without a space behind it, as in `of it.in`, is a slip and no host.
    let is_host = path.is_some() || labels.len() > 2 || ending.len() > 2 || name.len() > 3;
    ENDINGS.contains(ending)
        && labels.iter().all(named)
        && is_host
        && name.chars().any(|c| c.is_ascii_lowercase())
}

fn is_mail(word: &str) -> bool {
    word.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.'))
}

/// Digits as a telephone number is written, in any of the scripts: an Indian mobile number, a line
/// with its area code, a number that is free of charge. Groups of two digits are data.
fn has_telephone(text: &str) -> bool {
    let mut groups: Vec<String> = Vec::new();
    let mut gap = String::new();
    for c in text.chars().chain(['\n']) {
        match ascii_digit(c) {
            Some(digit) => {
                if groups.is_empty() || !gap.is_empty() {
                    groups.push(String::new());
                }
                gap.clear();
                groups.last_mut().expect("there is one").push(digit);
            }
            None if matches!(c, ' ' | '-' | '(' | ')') && gap.len() < 2 && !groups.is_empty() => gap.push(c),
            None => {
                if is_telephone(&groups) {
                    return true;
                }
                groups.clear();
                gap.clear();
            }
        }
    }
    false
}

fn is_telephone(groups: &[String]) -> bool {
    (0..groups.len()).any(|at| {
        let groups = match groups[at].as_str() {
            "91" => &groups[at + 1..],
            _ => &groups[at..],
        };
        (1..=groups.len().min(3)).any(|count| is_number(&groups[..count]))
    })
}

fn is_number(groups: &[String]) -> bool {
    let joined = groups.concat();
    let joined = joined.strip_prefix("91").filter(|_| joined.len() == 12).unwrap_or(&joined);
    let is_grouped = groups.iter().all(|group| group.len() > 2);
    let mobile = joined.len() == 10 && joined.starts_with(['6', '7', '8', '9']);
    let line = groups.len() > 1 && matches!(joined.len(), 10 | 11) && joined.starts_with('0');
    let free = groups.len() > 1 && matches!(joined.len(), 10 | 11) && joined.starts_with("1800");
    is_grouped && (mobile || line || free)
}

/// A page of a book, the number of a circular or an affiliation, the code of an outcome.
fn names_source(text: &str) -> bool {
    let words: Vec<&str> = text
        .split_whitespace()
        .map(|word| word.trim_matches(['(', ')', ',', ':', '.', '“', '”', '"']))
        .collect();
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let names = |of: &[&str]| lower.iter().any(|word| of.contains(&word.as_str()));
    (0..words.len()).any(|at| {
        let mut rest = words[at + 1..].iter().copied().filter(|word| !word.is_empty());
        let next = rest.next().unwrap_or_default();
        match lower[at].as_str() {
            "page" | "pages" | "p" | "pg" | "पृष्ठ" | "पान" | "પાના" => {
                is_numeric(next) && names(&BOOKS)
            }
            "circular" | "affiliation" | "notification" | "परिपत्र" => {
                match NUMBER_OF.contains(&next.to_lowercase().trim_end_matches('.')) {
                    true => rest.next().is_some_and(is_code),
                    false => is_code(next) && next.contains(['/', '-']),
                }
            }
            "outcome" | "outcomes" | "competency" => {
                is_code(next) && next.starts_with(|c: char| c.is_ascii_uppercase())
            }
            _ => false,
        }
    })
}

const BOOKS: [&str; 9] =
    ["book", "textbook", "ncert", "workbook", "see", "refer", "पुस्तक", "पाठ्यपुस्तक", "પાઠ્યપુસ્તક"];
const NUMBER_OF: [&str; 5] = ["no", "number", "code", "संख्या", "क्रमांक"];

fn is_numeric(word: &str) -> bool {
    word.chars().next().is_some_and(|c| ascii_digit(c).is_some())
}

fn is_code(word: &str) -> bool {
    word.chars().any(|c| ascii_digit(c).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: V16
    #[test]
    fn what_nobody_asked_for_is_found_in_every_form() {
        for text in [
            "See https://example.com/x for more.",
            "Visit example.com/quiz for this.",
            "t.me/teacherhelp has more",
            "Go to diksha.gov.in, dear pupils.",
            "Mail me at a@b.in.",
            "Call 98765 43210 now!",
            "Call +91 98765-43210 now!",
            "Call ९८७६५४३२१०.",
            "Call 011-23456789 or come.",
            "Call 1800-180-1551.",
            "See page 42 of the NCERT book.",
            "As per CBSE circular Acad-12/2024.",
            "Affiliation No. 2130456.",
            "Learning outcome SCI-901.",
        ] {
            assert!(is_invented(text), "{text}");
        }
    }

    // rows: V16
    #[test]
    fn data_and_common_words_are_none() {
        for text in [
            "The marks are 72 85 64 90 55 and 61.",
            "The number is 3,60,00,000 J in 1.5 h.",
            "A circular park of radius 7 m has a path 3.5 m wide.",
            "A circular track, 400 m long.",
            "Ravi reads page 42 and page 43; what is their sum?",
            "He went out of it.in the end he came back, e.g. in May.",
            "The outcome 7 of a die is impossible.",
            "Numbers from 1 to 10000 and 0.0125 m.",
            "Solve x/y = 3/4 and a.b = 0.",
        ] {
            assert!(!is_invented(text), "{text}");
        }
    }
}
