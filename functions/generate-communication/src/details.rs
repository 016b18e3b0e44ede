//! The facts that were typed: a line each, or several with labels of their own in one, printed as
//! they are. In a message to a group no child is named together with marks, health or conduct
//! (SPECIFICATION.md GEN-8.5).

use banyan_functions::moderation::forbidden_requests::names_an_illness;

use crate::purpose::has_word;
use crate::request::{CommunicationRequest, Medium};
use crate::rows::{Row, rows_of};

/// The facts of a request, and whether a child's name was taken out of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyDetails {
    /// In the order of the form.
    pub facts: Vec<Row>,
    /// A child was named.
    pub named_child: bool,
}

impl KeyDetails {
    /// Reads the key details; `ward` stands in the place of a child's name in a group message.
    pub fn of(request: &CommunicationRequest, ward: &str) -> Self {
        let mut named_child = false;
        let mut facts = Vec::new();
        for line in request.key_details.lines().map(without_bullet).filter(|line| !line.is_empty()) {
            let unnamed = (request.medium == Medium::Whatsapp).then(|| without_name(line, ward)).flatten();
            named_child |= unnamed.is_some();
            facts.extend(rows_of(unnamed.as_deref().unwrap_or(line)));
        }
        Self { facts, named_child }
    }

    /// Returns whether they hold a time of the day.
    pub fn have_time(request: &CommunicationRequest) -> bool {
        let text = request.key_details.to_lowercase();
        let clock = text.as_bytes().windows(4).any(|window| {
            matches!(window, [h, b':' | b'.', m1, m2] if [h, m1, m2].iter().all(|b| b.is_ascii_digit()))
        });
        let words = ["a.m", "p.m", "am", "pm", "noon", "o'clock", "बजे", "वाजता", "વાગ્યે", "గంటల", "ಗಂಟೆ"];
        clock || words.iter().any(|word| text.contains(&format!(" {word}")) || after_digit(&text, word))
    }

    /// Returns whether they mention something that no school should ask for in a message.
    pub fn have_secrets(request: &CommunicationRequest) -> bool {
        let text = request.key_details.to_lowercase();
        [
            "aadhaar",
            "aadhar",
            "otp",
            "account number",
            "account no",
            "cvv",
            "upi pin",
            "आधार",
            "ओटीपी",
            "આધાર",
            "ઓટીપી",
        ]
        .iter()
        .any(|word| has_word(&text, word))
    }
}

fn after_digit(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| text[..at].ends_with(|c: char| c.is_ascii_digit()))
}

fn without_bullet(line: &str) -> &str {
    line.trim_start_matches(['-', '*', '•', '–', '·', '>', ' ']).trim()
}

/// Words of marks, health and conduct; illnesses are known to all tools.
const SENSITIVE: &[&str] = &[
    "scored",
    "marks",
    "failed",
    "fail",
    "percent",
    "ill",
    "fever",
    "medicine",
    "misbehav",
    "suspend",
    "bully",
    "fight",
    "fought",
    "cheat",
    "punish",
    "absent",
    "weak in",
    "अंक",
    "फेल",
    "अनुत्तीर्ण",
    "बीमार",
    "बुखार",
    "गुण",
    "नापास",
    "ગુણ",
    "નાપાસ",
    "બીમાર",
];

/// Words before a pupil's name.
const TITLES: &[&str] = &[
    "Master",
    "Miss",
    "Kumari",
    "Kum.",
    "student",
    "Student",
    "pupil",
    "छात्र",
    "छात्रा",
    "कुमारी",
    "कुमार",
    "विद्यार्थी",
];

/// Words that may follow one.
const VERBS: &[&str] =
    &["scored", "failed", "has", "is", "was", "got", "secured", "misbehaved", "fought", "cheated", "who"];

/// Words that begin with a capital letter and are no names.
const NO_NAMES: &[&str] = &[
    "The",
    "School",
    "Class",
    "Parents",
    "Students",
    "All",
    "Every",
    "PTM",
    "It",
    "This",
    "There",
    "Attendance",
];

/// The line with `ward` in the place of a child's name, if it names one beside something sensitive.
fn without_name(line: &str, ward: &str) -> Option<String> {
    let lower = line.to_lowercase();
    if !SENSITIVE.iter().any(|word| has_word(&lower, word)) && !names_an_illness(line) {
        return None;
    }
    let words: Vec<&str> = line.split(' ').collect();
    let (start, end) = after_title(&words).or_else(|| before_verb(&words))?;
    let tail: String =
        words[end - 1].chars().rev().take_while(|c| [',', '.', ';', ':'].contains(c)).collect();
    let ward = format!("{ward}{}", tail.chars().rev().collect::<String>());
    let kept = words[..start].iter().copied().chain([ward.as_str()]).chain(words[end..].iter().copied());
    Some(kept.collect::<Vec<_>>().join(" "))
}

fn is_name(word: &str) -> bool {
    let bare = word.trim_end_matches([',', '.', ';', ':']);
    bare.chars().count() > 1 && bare.starts_with(char::is_uppercase) && !NO_NAMES.contains(&bare)
}

/// `Master Rohan Gupta`, with the title.
fn after_title(words: &[&str]) -> Option<(usize, usize)> {
    let start = words.iter().position(|word| TITLES.contains(word))?;
    let latin = words[start].is_ascii();
    let names = words[start + 1..].iter().take(3).take_while(|word| is_name(word)).count();
    match (latin, names) {
        (true, 0) => None,
        (true, names) => Some((start, start + 1 + names)),
        (false, _) => (start + 1 < words.len()).then_some((start, start + 2)),
    }
}

/// `Rohan Gupta scored`.
fn before_verb(words: &[&str]) -> Option<(usize, usize)> {
    let end = words.iter().position(|word| VERBS.contains(word))?;
    let names = words[..end].iter().rev().take(3).take_while(|word| is_name(word)).count();
    (names > 0).then_some((end - names, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_is_not_named_beside_marks_health_or_conduct() {
        let table = [
            ("Master Rohan Gupta scored 12 marks", Some("your ward scored 12 marks")),
            ("Rohan Gupta failed in Science", Some("your ward failed in Science")),
            ("We saw that Asha, has a fever", Some("We saw that your ward, has a fever")),
            ("Rohan Gupta has thalassemia", Some("your ward has thalassemia")),
            ("Master Rohan Gupta, क्षयरोग", Some("your ward, क्षयरोग")),
            ("The student has to bring medicine", None),
            ("Prize for Rohan Gupta, who is the captain", None),
            ("Pass marks are 33", None),
        ];
        for (line, expected) in table {
            assert_eq!(without_name(line, "your ward").as_deref(), expected, "{line}");
        }
    }
}
