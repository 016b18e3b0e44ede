//! The search words of Mailpit that clients use: `to:`, `from:`, `subject:`, `is:read`,
//! `is:unread`, quoted text, `!` or `-` before a word to turn it round. All words must fit; letter
//! case is ignored.

use super::mail::{Mailbox, Summary};

/// A parsed query.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Query(Vec<Word>);

#[derive(Debug, PartialEq, Eq)]
struct Word {
    negated: bool,
    test: Test,
}

#[derive(Debug, PartialEq, Eq)]
enum Test {
    To(String),
    From(String),
    Subject(String),
    Read(bool),
    Anywhere(String),
}

impl Query {
    /// Every text is a query; an empty one fits every mail.
    pub(super) fn parse(text: &str) -> Self {
        Self(split(&text.to_lowercase()).iter().map(|word| Word::parse(word)).collect())
    }

    pub(super) fn fits(&self, mail: &Summary) -> bool {
        self.0.iter().all(|word| word.test.fits(mail) != word.negated)
    }
}

impl Word {
    fn parse(word: &str) -> Self {
        let (negated, word) = match word.strip_prefix(['!', '-']) {
            Some(rest) => (true, rest),
            None => (false, word),
        };
        let test = match word.split_once(':') {
            Some(("to", text)) => Test::To(text.to_owned()),
            Some(("from", text)) => Test::From(text.to_owned()),
            Some(("subject", text)) => Test::Subject(text.to_owned()),
            Some(("is", "read")) => Test::Read(true),
            Some(("is", "unread")) => Test::Read(false),
            _ => Test::Anywhere(word.to_owned()),
        };
        Self { negated, test }
    }
}

impl Test {
    fn fits(&self, mail: &Summary) -> bool {
        match self {
            Self::To(text) => mail.to.iter().any(|to| names(to, text)),
            Self::From(text) => names(&mail.from, text),
            Self::Subject(text) => mail.subject.to_lowercase().contains(text),
            Self::Read(read) => mail.read == *read,
            Self::Anywhere(text) => {
                mail.subject.to_lowercase().contains(text)
                    || mail.snippet.to_lowercase().contains(text)
                    || names(&mail.from, text)
                    || mail.to.iter().chain(&mail.cc).chain(&mail.bcc).any(|who| names(who, text))
            }
        }
    }
}

fn names(who: &Mailbox, text: &str) -> bool {
    who.address.to_lowercase().contains(text) || who.name.to_lowercase().contains(text)
}

/// Splits at spaces outside of double quotes, and takes the quotes off.
fn split(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for letter in text.chars() {
        match letter {
            '"' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            letter => words.last_mut().expect("never empty").push(letter),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use time::OffsetDateTime;

    use super::*;
    use crate::inbox::mail::summarize;

    // rows: LOC-INBOX-TERMS
    #[test]
    fn search_words_pick_by_place_and_all_must_fit() {
        let raw = b"From: Stack <noreply@s.in>\r\nTo: Asha Rao <Asha@School.in>\r\nSubject: Your login code\r\n\r\n123456 is it\r\n";
        let mail = summarize("x", raw, &["asha@school.in".to_owned()], OffsetDateTime::UNIX_EPOCH);
        for (query, fits) in [
            ("", true),
            ("to:asha@school.in", true),
            ("to:\"asha rao\"", true),
            ("to:noreply@s.in", false),
            ("from:noreply subject:LOGIN", true),
            ("subject:\"login code\"", true),
            ("subject:\"code login\"", false),
            ("is:unread", true),
            ("is:read", false),
            ("!to:asha", false),
            ("-from:asha 123456", true),
            ("to:asha to:other", false),
        ] {
            assert_eq!(Query::parse(query).fits(&mail), fits, "{query}");
        }
    }
}
