//! What a message may not ask of its readers (generation.md 8): secrets of any kind, numbers of identity and bank in a
//! reply, caste in a group, the health of a named child, and threats.
//!
//! A sentence is refused for what it asks, not for what it mentions: it takes a word that asks, close to what is asked for,
//! without a word that forbids it. What is brought to the office on paper is no message. The lists hold the languages that
//! messages are written in, Hindi in Latin letters, and Tamil, which is printed as it was typed.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::safety::{any, places, sentences};

/// Where the answers would be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    /// A group, in which everybody reads what one writes.
    Group,
    /// Those whom a letter goes to.
    Letter,
}

/// Whether these texts, which go out as one message, ask for what no message may ask for, or threaten.
pub fn is_improper(texts: &[&str], readers: Readers) -> bool {
    let sentences: Vec<Sentence> = texts.iter().flat_map(|text| sentences(text)).map(Sentence::of).collect();
    let named = texts.iter().any(|text| names_a_child(text));
    sentences.iter().any(|sentence| {
        sentence.asks_for_secrets()
            || sentence.asks_for_numbers(readers)
            || sentence.threatens()
            || (readers == Readers::Group && sentence.asks_for_caste())
            || (readers == Readers::Group
                && (named || sentence.has(&LISTS.one_child))
                && sentence.asks_for_health())
    }) || announces_a_list(&sentences, readers)
}

/// The lists of `data/asked-for-words.json`: entries match whole words, from the beginning of a word on where they end with
/// a star.
#[derive(Deserialize)]
struct Lists<'a> {
    /// Secrets: nobody may have them, whichever way.
    #[serde(borrow)]
    secrets: Vec<&'a str>,
    /// Numbers of identity and bank.
    #[serde(borrow)]
    numbers: Vec<&'a str>,
    /// Words that ask, in English: what they ask for may stand on both sides, what forbids it right before them.
    #[serde(borrow)]
    asking: Vec<&'a str>,
    /// Those whose object stands behind them alone.
    #[serde(borrow)]
    asking_ahead: Vec<&'a str>,
    /// What is told about a thing is not the thing.
    #[serde(borrow)]
    about: Vec<&'a str>,
    /// Right behind a secret: it is the subject, and not asked for.
    #[serde(borrow)]
    subject: Vec<&'a str>,
    /// Words that ask for an answer in writing, wherever one is.
    #[serde(borrow)]
    answering: Vec<&'a str>,
    /// Words that ask, in the other languages; one that forbids may stand anywhere in the sentence.
    #[serde(borrow)]
    asking_elsewhere: Vec<&'a str>,
    /// Words that forbid what they stand right before, in English.
    #[serde(borrow)]
    forbidding: Vec<&'a str>,
    /// Between a word that forbids and what is asked, these say that it is asked all the same.
    #[serde(borrow)]
    asked_all_the_same: Vec<&'a str>,
    /// Whoever is spoken of before the word that asks is somebody else, or asks for nothing.
    #[serde(borrow)]
    not_the_reader: Vec<&'a str>,
    /// Words that forbid, anywhere in a sentence of the other languages.
    #[serde(borrow)]
    forbidding_elsewhere: Vec<&'a str>,
    /// Whoever is told not to forget is told to do it.
    #[serde(borrow)]
    not_to_forget: Vec<&'a str>,
    /// What is handed over by hand, on paper or by whoever comes.
    #[serde(borrow)]
    by_hand: Vec<&'a str>,
    /// What stands right behind an account that something is paid into.
    #[serde(borrow)]
    into: Vec<&'a str>,
    /// What stands right before one.
    #[serde(borrow)]
    paid_to: Vec<&'a str>,
    /// How an account that something is paid into ends.
    #[serde(borrow)]
    into_it: Vec<&'a str>,
    /// Words between those and the account.
    #[serde(borrow)]
    of_the_account: Vec<&'a str>,
    /// Caste and faith.
    #[serde(borrow)]
    caste: Vec<&'a str>,
    /// What the health of a child is.
    #[serde(borrow)]
    health: Vec<&'a str>,
    /// Who asks so asks about one child.
    #[serde(borrow)]
    one_child: Vec<&'a str>,
    /// Violence that is announced.
    #[serde(borrow)]
    threats: Vec<&'a str>,
    /// It does not happen, or it happens to a team.
    #[serde(borrow)]
    no_threat: Vec<&'a str>,
    /// The same in the other languages, right beside it.
    #[serde(borrow)]
    no_threat_elsewhere: Vec<&'a str>,
    /// These announce violence by what they deny.
    #[serde(borrow)]
    denied_safety: Vec<&'a str>,
    /// What announces a list of what is asked for.
    #[serde(borrow)]
    list: Vec<&'a str>,
    /// What has a number.
    #[serde(borrow)]
    numbered: Vec<&'a str>,
    /// What stands before the name of a child.
    #[serde(borrow)]
    titles: Vec<&'a str>,
    /// Words that begin with a capital letter, or follow a title, and are no names.
    #[serde(borrow)]
    no_names: Vec<&'a str>,
}

static LISTS: LazyLock<Lists<'static>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../data/asked-for-words.json")).expect("the lists are read in a test")
});

/// A sentence in small letters.
struct Sentence {
    words: Vec<String>,
}

/// How far what is asked for may stand from the word that asks.
const REACH: usize = 14;

impl Sentence {
    /// "Aadhaar no" is a number, and forbids nothing.
    fn of(mut words: Vec<String>) -> Self {
        for at in 1..words.len() {
            if words[at] == "no" && LISTS.numbered.contains(&words[at - 1].as_str()) {
                words[at] = "number".to_owned();
            }
        }
        Self { words }
    }

    fn has(&self, entries: &[&str]) -> bool {
        any(&self.words, entries)
    }

    fn places(&self, entries: &'static [&'static str]) -> impl Iterator<Item = (usize, usize)> {
        entries.iter().flat_map(|entry| places(&self.words, entry))
    }

    /// Whether a word of another language forbids what is asked, other than to forget it.
    fn is_forbidden_elsewhere(&self) -> bool {
        self.has(&LISTS.forbidding_elsewhere) && !self.has(&LISTS.not_to_forget)
    }

    /// Where the sentence asks its readers for something.
    fn askings(&self) -> Vec<(usize, usize)> {
        if self.is_forbidden_elsewhere() {
            return Vec::new();
        }
        let english = self.places(&LISTS.asking).filter(|(at, end)| self.asks_the_reader(*at, *end));
        english.chain(self.places(&LISTS.asking_elsewhere)).collect()
    }

    /// Whether an English word asks the reader, and asks to do it.
    fn asks_the_reader(&self, at: usize, end: usize) -> bool {
        let before = self.words[at.saturating_sub(4)..at].iter().rev().map(String::as_str);
        for word in before {
            if LISTS.asked_all_the_same.contains(&word) {
                break;
            }
            if LISTS.forbidding.contains(&word) || LISTS.not_the_reader.contains(&word) {
                return false;
            }
        }
        let behind = &self.words[end..self.words.len().min(end + 4)];
        !any(behind, &["nobody", "none", "no one", "no body"])
    }

    /// Whether one of these is asked for: close to a word that asks, and nothing forbidden in between.
    fn asks_for(&self, items: &'static [&'static str]) -> bool {
        let items: Vec<(usize, usize)> = self
            .places(items)
            .filter(|place| !self.is_paid_into(*place) && !self.is_subject(*place))
            .collect();
        let ahead: Vec<(usize, usize)> = self.places(&LISTS.asking_ahead).collect();
        self.askings().iter().any(|asking| {
            items.iter().any(|item| {
                let between = match asking.1 <= item.0 {
                    true => asking.1..item.0,
                    false if ahead.contains(asking) => return false,
                    false => item.1.min(asking.0)..asking.0,
                };
                let free = |word: &String| {
                    !LISTS.forbidding.contains(&word.as_str()) && !LISTS.about.contains(&word.as_str())
                };
                between.len() <= REACH && self.words[between].iter().all(free)
            })
        })
    }

    /// Whether something is said of it, as of the safety of passwords.
    fn is_subject(&self, (_, end): (usize, usize)) -> bool {
        self.words.get(end).is_some_and(|word| {
            LISTS
                .subject
                .iter()
                .any(|subject| word.strip_suffix('s').unwrap_or(word) == *subject || word == subject)
        })
    }

    /// Whether an account is where a fee goes.
    fn is_paid_into(&self, (at, end): (usize, usize)) -> bool {
        let into = self.words.get(end).is_some_and(|word| LISTS.into.contains(&word.as_str()));
        let last = self.words[end - 1].as_str();
        let inflected = LISTS.into_it.iter().any(|ending| last.ends_with(ending)) && !last.is_ascii();
        let mut before = self.words[..at].iter().rev().map(String::as_str);
        let first = before.find(|word| !LISTS.of_the_account.contains(word) || LISTS.paid_to.contains(word));
        into || inflected || first.is_some_and(|word| LISTS.paid_to.contains(&word))
    }

    fn asks_for_secrets(&self) -> bool {
        self.asks_for(&LISTS.secrets)
    }

    /// A number in a reply is read by whoever has the telephone; on paper it goes to the office.
    fn asks_for_numbers(&self, readers: Readers) -> bool {
        self.asks_for(&LISTS.numbers) && self.wants_it_written(readers)
    }

    fn asks_for_caste(&self) -> bool {
        self.asks_for(&LISTS.caste) && self.wants_it_written(Readers::Group)
    }

    fn asks_for_health(&self) -> bool {
        self.asks_for(&LISTS.health) && self.wants_it_written(Readers::Group)
    }

    fn wants_it_written(&self, readers: Readers) -> bool {
        self.has(&LISTS.answering) || (readers == Readers::Group && !self.has(&LISTS.by_hand))
    }

    fn threatens(&self) -> bool {
        self.has(&LISTS.denied_safety) || self.places(&LISTS.threats).any(|place| !self.is_no_threat(place))
    }

    /// Whether it says close by that it does not happen; a fee that is not paid is no such word.
    fn is_no_threat(&self, (at, end): (usize, usize)) -> bool {
        let near = &self.words[at.saturating_sub(2)..self.words.len().min(end + 1)];
        let beside = &self.words[at.saturating_sub(1)..self.words.len().min(end + 1)];
        let has = |words: &[String], list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        has(near, &LISTS.no_threat)
            || has(beside, &LISTS.no_threat_elsewhere)
            || has(&self.words[..1], &LISTS.no_threat)
    }

    /// Whether it asks for what the lines behind it name.
    fn announces(&self) -> bool {
        self.has(&LISTS.list) && !self.askings().is_empty()
    }
}

/// Whether one sentence asks for a list, and a later one is of secrets or numbers.
fn announces_a_list(sentences: &[Sentence], readers: Readers) -> bool {
    let Some(at) = sentences.iter().position(Sentence::announces) else { return false };
    let written = sentences[at].wants_it_written(readers);
    sentences[at + 1..].iter().any(|line| {
        let is_forbidden = line.has(&LISTS.forbidding) || line.is_forbidden_elsewhere();
        !is_forbidden
            && (line.has(&LISTS.secrets)
                || (written && line.has(&LISTS.numbers) && !line.has(&LISTS.by_hand)))
    })
}

/// Whether a text names a child: behind a title, or by what is the child's (`Rohan's`).
fn names_a_child(text: &str) -> bool {
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || ",.;:()!?".contains(c))
        .filter(|word| !word.is_empty())
        .collect();
    let is_name = |word: &str| {
        let is_latin = word.is_ascii();
        word.chars().count() > 1
            && !LISTS.no_names.contains(&word)
            && (!is_latin || word.starts_with(|c: char| c.is_ascii_uppercase()))
    };
    let titled = words.windows(2).any(|pair| LISTS.titles.contains(&pair[0]) && is_name(pair[1]));
    let owning = words.iter().any(|word| {
        let name = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s"));
        name.is_some_and(is_name)
    });
    let of_somebody = words.windows(3).any(|three| {
        ["of", "for"].contains(&three[0])
            && three[1].is_ascii()
            && is_name(three[1])
            && three[2].is_ascii()
            && is_name(three[2])
    });
    titled || owning || of_somebody
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[derive(serde::Deserialize)]
    struct Table {
        refused: Vec<String>,
        passes: Vec<String>,
    }

    fn tables() -> BTreeMap<String, Table> {
        serde_json::from_str(include_str!("../data/asked-for.json")).expect("a table for each language")
    }

    fn goes_wrong(wanted: bool, of: fn(&Table) -> &Vec<String>) -> Vec<String> {
        let mut wrong = Vec::new();
        for (language, table) in &tables() {
            assert!(of(table).len() >= 8, "{language} has too few sentences");
            let lines = of(table).iter().filter(|line| is_improper(&[line], Readers::Group) != wanted);
            wrong.extend(lines.map(|line| format!("{language}: {line}")));
        }
        wrong
    }

    #[test]
    fn what_no_message_may_ask_for_is_refused_in_every_language() {
        let wrong = goes_wrong(true, |table| &table.refused);
        assert!(wrong.is_empty(), "they pass:\n{}", wrong.join("\n"));
    }

    #[test]
    fn what_a_school_writes_every_day_passes_in_every_language() {
        let wrong = goes_wrong(false, |table| &table.passes);
        assert!(wrong.is_empty(), "they are refused:\n{}", wrong.join("\n"));
    }

    #[test]
    fn every_language_of_a_message_has_its_table() {
        let tables = tables();
        for language in crate::script::Language::ALL {
            assert!(tables.contains_key(language.code()), "{}", language.code());
        }
        assert!(tables.contains_key("hi-Latn"));
    }

    #[test]
    fn a_list_that_is_asked_for_counts_line_by_line() {
        let texts = [
            "Please reply with the following details",
            "Name of the ward\nAadhaar number\nBank account number",
        ];
        assert!(is_improper(&texts, Readers::Group));
        let texts = ["कृपया निम्न जानकारी भेजें", "विद्यार्थी का नाम\nबैंक खाता संख्या"];
        assert!(is_improper(&texts, Readers::Group));
        let texts =
            ["Please send the following things", "Water bottle\nHat\nNever carry an OTP or a password"];
        assert!(!is_improper(&texts, Readers::Group));
    }

    #[test]
    fn a_letter_may_ask_for_a_number_on_paper_and_for_no_secret() {
        let form = ["Please provide the Aadhaar number of your ward in the enclosed form."];
        assert!(!is_improper(&form, Readers::Letter));
        assert!(is_improper(&["Kindly share the OTP with the class teacher."], Readers::Letter));
        assert!(is_improper(
            &["Please reply to this number with your bank account number."],
            Readers::Letter
        ));
    }
}
