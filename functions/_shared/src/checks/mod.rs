//! Checks on the text in the slots of any kind of document (SPECIFICATION.md GEN-7). Sums, counts
//! and minutes cannot be wrong, since a plan computes them; these look at what was written.

/// Cleaning that needs no second try (V16, V17).
pub mod cleaning;

/// Invented facts (V16).
pub mod invented;

/// The right language (V12).
pub mod language;

/// Text that fits the class (V13).
pub mod readability;

/// Text that has room on its page (V22).
pub mod length;

/// Repeated questions (V10).
pub mod similarity;

use crate::moderation::rules;
use crate::writing_system::Language;

/// A rule that a text breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The check's id, such as `V14`.
    pub id: &'static str,
    /// The problem, in words that a model can act on.
    pub problem: String,
}

impl Finding {
    /// A finding.
    pub fn new(id: &'static str, problem: impl Into<String>) -> Self {
        Self { id, problem: problem.into() }
    }

    /// The finding that a text repeats the teacher's sample.
    pub fn copied() -> Self {
        Self::new("V16", "no sentence of the sample may be repeated: write it in other words")
    }

    /// `true`: a document with this finding must not be delivered. Other findings are wishes.
    pub fn blocks(&self) -> bool {
        !matches!(self.id, "V10" | "V11" | "V13")
    }
}

/// Checks that every text must pass: language (V12), addresses (V16), markup (V17), safety (V20).
/// The first three leave out the teacher's own words. Safety judges the whole text, since harm is
/// harm whoever wrote it.
pub fn common(texts: &[&str], typed: &[&str], language: Language) -> Vec<Finding> {
    let mut findings = Vec::new();
    let own: Vec<String> = texts.iter().map(|text| without_typed(text, typed)).collect();
    if !language::written_in(&own.join(" "), language) {
        findings.push(Finding::new("V12", format!("the text must be written in {}", language.name())));
    }
    if own.iter().any(|text| invented::is_invented(text)) {
        findings.push(Finding::new(
            "V16",
            "no links, e-mail addresses, telephone or page numbers, circulars or codes",
        ));
    }
    if own.iter().any(|text| cleaning::has_markup(text)) {
        findings.push(Finding::new("V17", "plain text only: no Markdown, LaTeX or HTML"));
    }
    let whole: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    if rules::refuses_any(&whole) {
        findings.push(Finding::new("V20", "the text is not suitable for children; write it differently"));
    }
    findings
}

/// A text without what was typed, where that stands in it as whole words; the longest first, since
/// one may hold another.
fn without_typed(text: &str, typed: &[&str]) -> String {
    let mut typed: Vec<&str> = typed.iter().copied().filter(|typed| !typed.is_empty()).collect();
    typed.sort_by_key(|typed| std::cmp::Reverse(typed.len()));
    typed.iter().fold(text.to_owned(), |text, typed| without_words(&text, typed))
}

fn without_words(text: &str, words: &str) -> String {
    let (mut own, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(words) {
        let (before, found) = rest.split_at(at);
        let after = &found[words.len()..];
        own.push_str(before);
        if is_cut(own.chars().next_back(), words.chars().next())
            || is_cut(words.chars().next_back(), after.chars().next())
        {
            // A part of a longer word stays, and the search continues after its first letter.
            let first = found.chars().next().map_or(0, char::len_utf8);
            own.push_str(&found[..first]);
            rest = &found[first..];
        } else {
            rest = after;
        }
    }
    own + rest
}

/// Returns whether both letters belong to one word.
fn is_cut(one: Option<char>, next: Option<char>) -> bool {
    one.zip(next).is_some_and(|(one, next)| within_word(one) && within_word(next))
}

/// Letters and digits, and the signs of Indian scripts that stand within a word and are no letters
/// of their own.
fn within_word(c: char) -> bool {
    c.is_alphanumeric()
        || unicode_normalization::char::is_combining_mark(c)
        || matches!(c, '\u{200C}' | '\u{200D}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(texts: &[&str], typed: &[&str]) -> Vec<&'static str> {
        common(texts, typed, Language::English).iter().map(|finding| finding.id).collect()
    }

    // rows: V20
    #[test]
    fn what_was_typed_takes_no_letters_out_of_a_harm() {
        for typed in [["om", "VIII"], ["bomb", "x"], ["a bomb", "home"], ["omb", "make a"]] {
            assert_eq!(ids(&["Learn how to make a bomb at home."], &typed), ["V20"], "{typed:?}");
        }
    }

    // rows: V12 V16 V17
    #[test]
    fn what_was_typed_is_not_judged_where_it_stands_as_whole_words() {
        let typed = ["सरस्वती विद्या मंदिर", "98765 43210", "**Sports Day**", "विद्या"];
        let text = "The pupils of सरस्वती विद्या मंदिर meet for **Sports Day**; call 98765 43210 to come along.";
        assert_eq!(ids(&[text], &typed), Vec::<&str>::new());
        assert_eq!(ids(&[text], &[]), ["V12", "V16", "V17"]);
        assert_eq!(ids(&["Any one of them from ‘`’ is right."], &["`"]), Vec::<&str>::new());
    }

    // rows: V16
    #[test]
    fn a_part_of_a_word_is_left_where_it_is() {
        assert_eq!(without_typed("Romans roam om Om", &["om", "roam"]), "Romans   Om");
        assert_eq!(without_typed("a stool, a toolbox, a tool", &["tool"]), "a stool, a toolbox, a ");
        assert_eq!(without_typed("कमल कमला कम", &["कमल"]), " कमला कम");
        assert_eq!(without_typed("aaaa aa a", &["aa"]), "aaaa  a");
        assert_eq!(ids(&["See www.toolschool.example now, dear pupils."], &["school"]), ["V16"]);
    }
}
