//! Checks on the text around the facts (SPECIFICATION.md GEN-7), and on the finished communication.

use banyan_functions::checks::{self, Finding};
use banyan_functions::moderation::forbidden_requests;

use crate::content::Content;
use crate::request::{CommunicationRequest, Medium, Tone};

/// Problems of a model's text; none means that it can be printed.
pub fn content(text: &Content, request: &CommunicationRequest) -> Vec<Finding> {
    let mut findings = Vec::new();
    let texts = text.texts();
    if text.opening.is_empty() || text.request.is_empty() {
        findings.push(Finding::new("V02", "opening and request must not be empty"));
    }
    let agenda = if request.medium == Medium::Ptm { 3..=5 } else { 0..=0 };
    if !agenda.contains(&text.agenda.len()) || text.agenda.iter().any(String::is_empty) {
        let problem = "agenda must have 3 to 5 points for a parent-teacher meeting and none otherwise";
        findings.push(Finding::new("V02", problem));
    }
    if texts.iter().any(|text| text.chars().any(char::is_numeric)) {
        let problem = "no dates, times, sums or numbers: the program prints the facts of the form itself";
        findings.push(Finding::new("V19", problem));
    }
    let words: usize = texts.iter().map(|text| text.split_whitespace().count()).sum();
    let band = if request.medium == Medium::Whatsapp { 15..=70 } else { 30..=150 };
    if !band.contains(&words) {
        let problem = format!("the text must have {} to {} words, not {words}", band.start(), band.end());
        findings.push(Finding::new("V19", problem));
    }
    if request.tone != Tone::Friendly && texts.iter().any(|text| is_casual(text)) {
        findings.push(Finding::new("V19", "this tone has no contractions, exclamation marks or emoji"));
    }
    if texts.iter().any(|text| asks_for_secrets(text))
        || forbidden_requests::is_improper(&texts, request.readers())
    {
        findings.push(Finding::new("V16", "never ask for Aadhaar, an OTP, a password or bank details"));
    }
    findings.extend(checks::common(&texts, &request.typed(), request.language));
    findings
}

fn is_casual(text: &str) -> bool {
    let lower = text.to_lowercase().replace('’', "'");
    let contractions = ["n't", "'ll", "'re", "'ve", "let's", "it's", "i'm", "we'd"];
    text.contains('!')
        || text.chars().any(is_emoji)
        || contractions.iter().any(|contraction| lower.contains(contraction))
}

/// Signs that only a friendly message has.
pub(crate) fn is_emoji(c: char) -> bool {
    matches!(c, '\u{1F000}'..='\u{1FAFF}' | '\u{2600}'..='\u{27BF}')
}

fn asks_for_secrets(text: &str) -> bool {
    let lower = text.to_lowercase();
    ["aadhaar", "aadhar", "otp", "password", "bank account", "आधार", "ओटीपी", "આધાર", "ઓટીપી"]
        .iter()
        .any(|word| crate::purpose::has_word(&lower, word))
}
