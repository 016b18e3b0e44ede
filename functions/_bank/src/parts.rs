//! The parts that chapters and documents are made of: text only, no numbers that a plan decides.

use serde::{Deserialize, Serialize};

use crate::catalogue;

/// A level of Bloom's taxonomy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Bloom {
    /// Recall.
    Remember,
    /// Explain in one's own words.
    Understand,
    /// Use.
    Apply,
    /// Take apart, compare.
    Analyse,
    /// Judge.
    Evaluate,
    /// Make something new.
    Create,
}

impl Bloom {
    /// All levels, lowest first.
    pub const ALL: [Self; 6] =
        [Self::Remember, Self::Understand, Self::Apply, Self::Analyse, Self::Evaluate, Self::Create];
}

/// A learning outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// A statement with a measurable verb.
    pub text: String,
    /// Its level.
    pub bloom: Bloom,
}

/// A calculation that the program can repeat (V14).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// Numbers, `+ - * / ^`, `sqrt` and parentheses.
    pub expression: String,
    /// What it comes to.
    pub value: f64,
}

/// A question and its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Qa {
    /// The question.
    pub q: String,
    /// The expected answer.
    pub a: String,
    /// The calculation behind the answer, where there is one.
    #[serde(default, skip_serializing)]
    pub check: Option<Check>,
}

/// A term and its meaning in one line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Term {
    /// The term.
    pub term: String,
    /// Its meaning.
    pub meaning: String,
    /// Something of daily life that is one, or has it.
    #[serde(default, skip_serializing)]
    pub example: Option<String>,
    /// The numbers of the pack's terms whose meaning is true of it, too: a square is a rectangle.
    #[serde(default, skip_serializing, rename = "kindOf")]
    pub kind_of: Vec<usize>,
}

impl Term {
    /// The meaning as a question may print it that asks for the term: without the clauses that name
    /// the term, its symbol or its abbreviation. Nothing where the first clause does, since the
    /// others do not stand alone.
    pub fn description(&self) -> Option<String> {
        let mut clauses = self.meaning.split("; ");
        let first = clauses.next().filter(|clause| !self.is_named_in(clause))?;
        let longer = |kept: String, clause: &str| {
            // Two clauses may name it together.
            let whole = format!("{kept}; {clause}");
            if self.is_named_in(&whole) { kept } else { whole }
        };
        Some(clauses.fold(first.to_owned(), longer))
    }

    /// Returns whether a text reveals the term: by the text in its brackets, or by all words of its
    /// name.
    pub fn is_named_in(&self, text: &str) -> bool {
        let (name, symbol) = match self.term.split_once(" (") {
            Some((name, rest)) => (name, rest.split(')').next()),
            None => (self.term.as_str(), None),
        };
        let said = catalogue::words(text);
        let name = catalogue::words(name);
        let by_name = !name.is_empty() && name.iter().all(|word| said.contains(word));
        by_name || symbol.is_some_and(|symbol| stands_in(symbol, text))
    }
}

/// Whether a symbol stands in a text as a word of its own.
fn stands_in(symbol: &str, text: &str) -> bool {
    let apart = |c: Option<char>| c.is_none_or(|c| !c.is_alphabetic());
    !symbol.is_empty()
        && text.match_indices(symbol).any(|(at, _)| {
            apart(text[..at].chars().next_back()) && apart(text[at + symbol.len()..].chars().next())
        })
}

/// A common error and its correction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Misconception {
    /// What pupils think.
    pub wrong: String,
    /// What is right.
    pub right: String,
}

/// The same lesson for different pupils.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Differentiation {
    /// For pupils who need support.
    pub support: String,
    /// For pupils on level.
    pub core: String,
    /// For pupils ready for more.
    pub extension: String,
    /// For children with special needs.
    pub inclusive: String,
}

/// A link to another subject, to art, sport or life.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// What it links to.
    pub kind: String,
    /// How.
    pub text: String,
}

/// A summative item and the outcome that it tests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AssessmentItem {
    /// Number of the outcome, from 1.
    pub outcome: usize,
    /// The question.
    pub q: String,
    /// The expected answer.
    pub a: String,
    /// The calculation behind the answer, where there is one.
    #[serde(default, skip_serializing)]
    pub check: Option<Check>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_does_not_name_its_term() {
        let described = |term: &str, meaning: &str| {
            let (term, meaning) = (term.to_owned(), meaning.to_owned());
            Term { term, meaning, example: None, kind_of: Vec::new() }.description()
        };
        let table = [
            (
                "Kilowatt hour (kWh)",
                "the commercial unit of energy; 1 kWh = 3.6 × 10⁶ J",
                Some("the commercial unit of energy"),
            ),
            (
                "Electric current (I)",
                "charge that flows; I = Q/t; measured in series",
                Some("charge that flows; measured in series"),
            ),
            ("Linear polynomial", "a polynomial of degree 1", Some("a polynomial of degree 1")),
            ("Square number", "a number times itself; a perfect square", Some("a number times itself")),
            ("Prime factor", "a factor that is a prime number", None),
            ("Lime water", "a solution of slaked lime in water", None),
            ("Work (W)", "force times displacement", Some("force times displacement")),
        ];
        for (term, meaning, description) in table {
            assert_eq!(described(term, meaning).as_deref(), description, "{term}");
        }
    }
}
