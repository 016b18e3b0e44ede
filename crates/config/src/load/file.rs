//! One file, from its text to a table in which each key is known and each value of its type.

use std::{collections::BTreeSet, path::Path};

use serde::Deserialize as _;
use toml::{
    Table, Value,
    de::{DeTable, Deserializer},
};

use super::{Findings, unknown_keys};
use crate::{
    ConfigError, Environment,
    env_reference::{unset, variable},
    raw::{
        RawBanyan, RawConfig,
        shape::{Key, Shape, Shaped, quotes},
    },
};

/// A file of the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum File {
    /// config.toml, in the supabase CLI's format.
    Official,
    /// banyan.toml.
    Ours,
}

impl File {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Official => "config.toml",
            Self::Ours => "banyan.toml",
        }
    }

    pub(super) fn shape(self) -> Shape {
        match self {
            Self::Official => RawConfig::SHAPE,
            Self::Ours => RawBanyan::SHAPE,
        }
    }

    pub(super) fn other(self) -> Self {
        match self {
            Self::Official => Self::Ours,
            Self::Ours => Self::Official,
        }
    }
}

/// Reads a file of `folder`, a missing one as empty, and puts variables in the place of
/// `env(NAME)`. What is wrong in it is left out and told, slips in the syntax as well; `named`
/// learns the variables that it names.
///
/// # Errors
/// [`ConfigError`] when it cannot be read.
pub(super) fn read(
    file: File,
    folder: &Path,
    environment: &Environment,
    (named, findings): (&mut BTreeSet<String>, &mut Findings),
) -> Result<Table, ConfigError> {
    let path = folder.join(file.name());
    let text = match crate::text_file::read(&path) {
        Ok(text) => text,
        // The environment may still say something.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(source) => return Err(ConfigError::Read { path, source }),
    };
    let (written, slip) = parse(&text, file.shape());
    findings.errors.extend(slip.map(|message| ConfigError::Syntax { path, message }));
    Ok(Reader { file, environment, named, findings }.section(file.shape(), written, &[]))
}

/// The table of a text, and the first slip in its syntax: then as much of the table as can be told.
fn parse(text: &str, shape: Shape) -> (Table, Option<String>) {
    let (written, errors) = DeTable::parse_recoverable(text);
    let read = Table::deserialize(Deserializer::from(written));
    let slip = match (errors.first(), &read) {
        (Some(error), _) => Some(at(error, text, &reported(error, text, shape))),
        // Its message quotes the value.
        (None, Err(error)) => Some(at(error, text, "no value that can be read; a text stands in quotes")),
        (None, Ok(_)) => None,
    };
    (read.unwrap_or_default(), slip)
}

/// Returns the parser's message. For a duplicate key the message names the key, but only a key that
/// the file may have: a secret may stand in the place of any other.
fn reported(error: &toml::de::Error, text: &str, shape: Shape) -> String {
    let message = error.message();
    if message == "duplicate key"
        && let Some(header) = error.span().and_then(|span| header_at(text, span.start))
        && header
            .split('.')
            .try_fold(shape, |section, name| section.under(name.trim_matches(QUOTES)))
            .is_some()
    {
        return format!("{message} `{header}`");
    }
    let name = error
        .span()
        .and_then(|span| text.get(span))
        .map(|key| key.trim_matches(['[', ']']).trim_matches(QUOTES));
    match name.filter(|name| message == "duplicate key" && knows(shape, name)) {
        Some(name) => format!("{message} `{name}`"),
        None => message.to_owned(),
    }
}

/// Characters that may stand around a name.
const QUOTES: [char; 3] = ['"', '\'', ' '];

/// Returns the table header on this line. A name that the project chooses, such as a function's, is
/// returned whole.
fn header_at(text: &str, place: usize) -> Option<&str> {
    let start = text.get(..place)?.rfind('\n').map_or(0, |newline| newline + 1);
    let line = text[start..].lines().next()?.trim();
    let name = line.strip_prefix('[')?.split(']').next()?;
    Some(name.trim_matches(['[', ' ']))
}

/// Returns whether a section, or a section inside it, has a key of this name.
fn knows(shape: Shape, name: &str) -> bool {
    match shape {
        Shape::Section(keys) => shape.key(name).is_some() || keys.iter().any(|key| knows(key.shape, name)),
        Shape::Named(each) => knows(*each, name),
        _ => false,
    }
}

/// Says what is wrong and where. The parser's own message would show the line; lines with a slip
/// are often lines with a secret.
fn at(error: &toml::de::Error, text: &str, message: &str) -> String {
    let Some(before) = error.span().and_then(|span| text.get(..span.start)) else {
        return message.to_owned();
    };
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let (line, column) = (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1);
    format!("line {line}, column {column}: {message}")
}

struct Reader<'a> {
    file: File,
    environment: &'a Environment,
    named: &'a mut BTreeSet<String>,
    findings: &'a mut Findings,
}

impl Reader<'_> {
    /// Reads a section at `path`. Each key has its one name afterwards, however it was spelt.
    fn section(&mut self, shape: Shape, written: Table, path: &[&str]) -> Table {
        let mut read = Table::new();
        for (name, value) in written {
            let place = [path, &[name.as_str()]].concat();
            let Some(under) = shape.under(&name) else {
                self.findings.note(unknown_keys::judge(self.file, shape, &place));
                continue;
            };
            let Some(value) = self.value(under, value, &place) else { continue };
            let known = shape.key(&name);
            if read.insert(known.map_or(name.as_str(), |key| key.name).to_owned(), value).is_some() {
                let spellings: Vec<&str> = known.into_iter().flat_map(Key::spellings).collect();
                self.wrong(&place, format!("is there twice: {} are one key", spellings.join(" and ")));
            }
        }
        read
    }

    fn value(&mut self, shape: Shape, value: Value, place: &[&str]) -> Option<Value> {
        match (shape, value) {
            (Shape::Section(_) | Shape::Named(_), Value::Table(section)) => {
                Some(Value::Table(self.section(shape, section, place)))
            }
            (Shape::Texts, Value::Array(items)) => {
                let items = items.into_iter().map(|item| self.value(Shape::Text, item, place));
                items.collect::<Option<Vec<_>>>().map(Value::Array)
            }
            (_, Value::String(text)) if variable(&text).is_some() => self.substituted(shape, text, place),
            (_, value) if shape.fits(&value) => Some(value),
            _ => {
                self.wrong(place, format!("must be {}{}", shape.words(), quotes(shape)));
                None
            }
        }
    }

    /// Returns the value of the variable in `env(NAME)`. The text stays as it is if the variable is
    /// not set.
    fn substituted(&mut self, shape: Shape, text: String, place: &[&str]) -> Option<Value> {
        let name = variable(&text)?;
        self.named.insert(name.to_owned());
        match self.environment.get(name) {
            None if shape.fits(&Value::String(String::new())) => Some(Value::String(text)),
            None => {
                self.wrong(place, format!("must be {}: {}", shape.words(), unset(name)));
                None
            }
            Some(held) => {
                let read = shape.read(held);
                if read.is_none() {
                    self.wrong(place, format!("environment variable {name} must be {}", shape.words()));
                }
                read
            }
        }
    }

    fn wrong(&mut self, place: &[&str], message: String) {
        self.findings.errors.push(ConfigError::value(&place.join("."), message));
    }
}
