//! A cursor over one value of the query string. A value that cannot be read is read once more by a
//! cursor that remembers the furthest mismatch, so that the refusal can say where it happened and
//! what would have been possible there (CONTRACT.md U10, U12); a value that can be read pays
//! nothing for that.

use std::borrow::Cow;

use crate::error::{Error, Parse, excerpt};

/// How deep logic trees may nest before a value is refused (CONTRACT.md F20, V09).
pub(super) const DEEPEST_TREE: usize = 256;

/// How deep embedded relations may nest before a value is refused (CONTRACT.md J06, V09).
pub(super) const DEEPEST_EMBED: usize = 64;

/// The text at the cursor has another form. Where and why stands in the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mismatch;

/// The result of a rule.
pub(crate) type Parsed<T> = Result<T, Mismatch>;

/// Most relations that one request may embed: PostgreSQL plans their joins before any statement
/// timeout counts, and the time grows with the cube of their number (CONTRACT.md V09).
const MOST_EMBEDS: usize = 64;

/// Reads a text from its beginning, rule by rule.
pub(crate) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    embeds: usize,
    explains: bool,
    furthest: Furthest,
    /// Values found so far; the syntax tree refers to them by place, so that equal shapes have
    /// equal trees.
    pub(crate) values: &'a mut Vec<String>,
}

#[derive(Debug, Default, Clone)]
struct Furthest {
    at: usize,
    unexpected: Option<char>,
    end_expected: bool,
    expected: Vec<Cow<'static, str>>,
}

/// Reads a text by a rule, or nothing where it has another form; values found are added to
/// `values`.
pub(super) fn read<T>(
    text: &str,
    values: &mut Vec<String>,
    rule: impl Fn(&mut Cursor<'_>) -> Parsed<T>,
) -> Option<T> {
    let kept = values.len();
    let found = rule(&mut Cursor::new(text, false, values)).ok();
    if found.is_none() {
        values.truncate(kept);
    }
    found
}

/// Like [`read`], but refuses where that returns nothing: `what` names the kind of parameter,
/// `shown` is its text (CONTRACT.md U11).
pub(super) fn read_or_refuse<T>(
    what: &str,
    shown: &str,
    text: &str,
    values: &mut Vec<String>,
    rule: impl Fn(&mut Cursor<'_>) -> Parsed<T>,
) -> Result<T, Error> {
    if let Some(found) = read(text, values, &rule) {
        return Ok(found);
    }
    let mut cursor = Cursor::new(text, true, values);
    rule(&mut cursor).map_err(|Mismatch| cursor.refusal(what, shown))
}

impl<'a> Cursor<'a> {
    fn new(text: &'a str, explains: bool, values: &'a mut Vec<String>) -> Self {
        Self { text, at: 0, depth: 0, embeds: 0, explains, furthest: Furthest::default(), values }
    }

    pub(crate) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(crate) fn at_end(&self) -> bool {
        self.at == self.text.len()
    }

    /// Takes everything that is left.
    pub(crate) fn take_rest(&mut self) -> &'a str {
        let rest = self.rest();
        self.at = self.text.len();
        rest
    }

    pub(crate) fn char(&mut self, wanted: char) -> Parsed<()> {
        if self.peek() == Some(wanted) {
            self.at += wanted.len_utf8();
            return Ok(());
        }
        self.mismatch(self.peek(), || Some(format!("\"{wanted}\"").into()))
    }

    pub(crate) fn string(&mut self, wanted: &'static str) -> Parsed<()> {
        if self.rest().starts_with(wanted) {
            self.at += wanted.len();
            return Ok(());
        }
        if !self.explains {
            return Err(Mismatch);
        }
        let differs = self.rest().chars().zip(wanted.chars()).find(|(have, want)| have != want);
        let unexpected = differs.map(|(have, _)| have);
        self.mismatch(unexpected, || Some(format!("\"{wanted}\"").into()))
    }

    /// One character that `accepts` takes; `label` says what it would have been, or nothing.
    pub(crate) fn satisfy(
        &mut self,
        label: Option<&'static str>,
        accepts: impl Fn(char) -> bool,
    ) -> Parsed<char> {
        match self.peek() {
            Some(found) if accepts(found) => {
                self.at += found.len_utf8();
                Ok(found)
            }
            found => self.mismatch(found, || label.map(Cow::Borrowed)),
        }
    }

    pub(crate) fn end(&mut self) -> Parsed<()> {
        if self.at_end() {
            return Ok(());
        }
        let _ = self.mismatch::<()>(self.peek(), || Some("end of input".into()));
        self.furthest.end_expected |= self.furthest.at == self.at;
        Err(Mismatch)
    }

    /// Succeeds where one of `ends`, or the end of the text, comes next; takes nothing.
    pub(crate) fn before(&mut self, ends: &[&'static str]) -> Parsed<()> {
        let start = self.at;
        for end in ends {
            if self.string(end).is_ok() {
                self.at = start;
                return Ok(());
            }
        }
        self.end()
    }

    /// Tries a rule and, where it does not fit, goes back to where it began.
    pub(crate) fn attempt<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let (at, values) = (self.at, self.values.len());
        rule(self).inspect_err(|_| {
            self.at = at;
            self.values.truncate(values);
        })
    }

    /// Tries a rule that may be left out.
    pub(crate) fn optional<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parsed<T>) -> Option<T> {
        self.attempt(rule).ok()
    }

    /// Gives a rule a name: a mismatch says the name in place of the rule's parts.
    pub(crate) fn named<T>(
        &mut self,
        name: &'static str,
        rule: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<T> {
        if !self.explains {
            return rule(self);
        }
        let before = std::mem::take(&mut self.furthest);
        let start = self.at;
        let result = rule(self);
        let mut inner = std::mem::replace(&mut self.furthest, before);
        if result.is_err() && self.at == start {
            inner.expected = vec![name.into()];
        }
        self.furthest.merge(inner);
        result
    }

    /// One more embedded relation.
    pub(crate) fn embed(&mut self) -> Parsed<()> {
        if self.embeds == MOST_EMBEDS {
            return self.mismatch(self.peek(), || Some("fewer embedded relations".into()));
        }
        self.embeds += 1;
        Ok(())
    }

    /// Goes one level of parentheses deeper, of `deepest` at most.
    pub(crate) fn nested<T>(
        &mut self,
        deepest: usize,
        rule: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<T> {
        if self.depth == deepest {
            return self.mismatch(self.peek(), || Some("fewer levels of parentheses".into()));
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }

    /// Keeps a value apart from the shape; the result is its place.
    pub(crate) fn keep(&mut self, value: impl Into<String>) -> super::ValueIndex {
        self.values.push(value.into());
        super::ValueIndex(self.values.len() - 1)
    }

    /// The refusal for the furthest mismatch; `what` names the parameter's kind (CONTRACT.md U11).
    fn refusal(&self, what: &str, shown: &str) -> Error {
        let column = self.text[..self.furthest.at].chars().count() + 1;
        Error::Parse(Parse {
            message: format!("\"failed to parse {what} ({})\" (line 1, column {column})", excerpt(shown)),
            details: self.furthest.describe(),
        })
    }

    fn mismatch<T>(
        &mut self,
        unexpected: Option<char>,
        expected: impl FnOnce() -> Option<Cow<'static, str>>,
    ) -> Parsed<T> {
        if self.explains {
            let expected = expected().into_iter().collect();
            self.furthest.merge(Furthest { at: self.at, unexpected, end_expected: false, expected });
        }
        Err(Mismatch)
    }
}

impl Furthest {
    fn merge(&mut self, other: Self) {
        if other.at < self.at {
            return;
        }
        if other.at > self.at || self.expected.is_empty() && self.unexpected.is_none() {
            *self = other;
            return;
        }
        self.end_expected |= other.end_expected;
        self.unexpected = self.unexpected.or(other.unexpected);
        for expected in other.expected {
            if !self.expected.contains(&expected) {
                self.expected.push(expected);
            }
        }
    }

    fn describe(&self) -> String {
        let unexpected = match self.unexpected {
            None => "unexpected end of input".to_owned(),
            Some(found) if self.end_expected => format!("unexpected '{found}'"),
            Some(found) => format!("unexpected \"{found}\""),
        };
        match self.expected.split_last() {
            None => unexpected,
            Some((only, [])) => format!("{unexpected} expecting {only}"),
            Some((last, others)) => format!("{unexpected} expecting {} or {last}", others.join(", ")),
        }
    }
}
