//! What generated SQL may be made of: quoted identifiers, parameters, and words, numbers, literals
//! and operators that stand in the renderer's own source or in the catalog. A request's text is in
//! neither, so it shows wherever it slips out of a parameter or a quoted identifier.

use std::collections::HashSet;

/// Words and numbers, in lower case.
pub struct Vocabulary(HashSet<String>);

const OPERATORS: &[&str] = &[
    "=", "<>", ">", ">=", "<", "<=", "~", "~*", "@@", "@>", "<@", "&&", "<<", ">>", "&<", "&>", "-|-", "->",
    "->>", "#>>", "::", ":=", "=>", "*", "+", "-", "||", "%",
];

impl Vocabulary {
    /// The words of these texts.
    pub fn of(texts: impl IntoIterator<Item = String>) -> Self {
        Self(texts.into_iter().flat_map(|text| words(&text).collect::<Vec<_>>()).collect())
    }

    /// Whether a text is made of what SQL may be made of, and uses exactly `params` parameters.
    pub fn check(&self, sql: &str, params: usize) -> Result<(), String> {
        let mut rest = sql;
        let mut highest = 0;
        while let Some(first) = rest.chars().next() {
            let length = match first {
                ' ' | '\n' | '(' | ')' | ',' | '.' | '[' | ']' => 1,
                '"' => quoted_identifier(rest)?,
                '\'' => self.literal(rest, false)?,
                'E' if rest.starts_with("E'") => 1 + self.literal(&rest[1..], true)?,
                '$' => {
                    let digits = run(&rest[1..], |c| c.is_ascii_digit());
                    let number: usize =
                        rest[1..=digits].parse().map_err(|_| format!("no parameter: {rest:.40}"))?;
                    highest = highest.max(number);
                    1 + digits
                }
                // Groups are told by the places of their columns.
                'G' if rest.starts_with("GROUP BY ") => 9 + run(&rest[9..], |c| "0123456789, ".contains(c)),
                '0'..='9' | 'a'..='z' | 'A'..='Z' | '_' => self.word(rest)?,
                _ => operator(rest)?,
            };
            rest = &rest[length..];
        }
        if highest == params {
            Ok(())
        } else {
            Err(format!("{params} parameters, but ${highest} is the last"))
        }
    }

    fn word(&self, rest: &str) -> Result<usize, String> {
        let length = run(rest, is_word);
        let word = rest[..length].to_ascii_lowercase();
        match self.0.contains(&word) {
            true => Ok(length),
            false => Err(format!("no word of ours: {word}")),
        }
    }

    /// A literal holds words of ours alone, too.
    fn literal(&self, rest: &str, escapes: bool) -> Result<usize, String> {
        let length = delimited(rest, '\'', escapes).ok_or_else(|| format!("open literal: {rest:.40}"))?;
        let text = &rest[1..length - 1];
        let text = if escapes { text.replace("\\n", "\n") } else { text.to_owned() };
        match words(&text).find(|word| !self.0.contains(word)) {
            None => Ok(length),
            Some(word) => Err(format!("no word of ours in a literal: {word}")),
        }
    }
}

fn quoted_identifier(rest: &str) -> Result<usize, String> {
    match delimited(rest, '"', false) {
        Some(length) if length > 2 => Ok(length),
        _ => Err(format!("no identifier: {rest:.40}")),
    }
}

/// Length of what stands between two delimiters, them included; doubled ones belong to it.
fn delimited(text: &str, delimiter: char, escapes: bool) -> Option<usize> {
    let mut characters = text.char_indices().skip(1).peekable();
    while let Some((at, character)) = characters.next() {
        if character == '\0' {
            return None;
        }
        if escapes && character == '\\' {
            characters.next();
        } else if character == delimiter {
            match characters.peek() {
                Some((_, next)) if *next == delimiter => drop(characters.next()),
                _ => return Some(at + 1),
            }
        }
    }
    None
}

/// The whole run of operator characters, as PostgreSQL reads it, has to be one operator of ours: so
/// no comment begins.
fn operator(rest: &str) -> Result<usize, String> {
    let length = run(rest, |c| "+-*/<>=~!@#%^&|`?:".contains(c));
    match OPERATORS.contains(&&rest[..length]) {
        true => Ok(length),
        false => Err(format!("no operator of ours: {rest:.40}")),
    }
}

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c| !is_word(c)).filter(|word| !word.is_empty()).map(str::to_ascii_lowercase)
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn run(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|c| !belongs(c)).unwrap_or(text.len())
}
