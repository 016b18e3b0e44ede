//! The file format: `name = "value"` lines, comments from `#` on, groups `name { … }`,
//! `import "file"`, and `$(NAME)` in a value for another option or a variable of the environment,
//! with `$$` for the sign itself.

use std::{
    collections::BTreeMap,
    iter::Peekable,
    path::{Path, PathBuf},
    str::Chars,
};

use crate::{ConfigError, Environment};

/// Imports deeper than this import themselves.
const DEEPEST_IMPORT: usize = 8;

/// Reads a file and what it imports: options by name, groups joined to names by dots. Later lines
/// win.
pub(super) fn read(path: &Path, environment: &Environment) -> Result<BTreeMap<String, String>, ConfigError> {
    let mut options = BTreeMap::new();
    read_into(path, environment, 0, &mut options)?;
    Ok(options)
}

fn read_into(
    path: &Path,
    environment: &Environment,
    depth: usize,
    options: &mut BTreeMap<String, String>,
) -> Result<(), ConfigError> {
    let text =
        crate::text_file::read(path).map_err(|source| ConfigError::Read { path: path.to_owned(), source })?;
    let mut parser = Parser { path, line: 1, rest: text.chars().peekable(), environment, depth, options };
    parser.bindings("", None)
}

struct Parser<'a> {
    path: &'a Path,
    line: usize,
    rest: Peekable<Chars<'a>>,
    environment: &'a Environment,
    depth: usize,
    options: &'a mut BTreeMap<String, String>,
}

impl Parser<'_> {
    /// Bindings up to `end`, or to the end of the file.
    fn bindings(&mut self, group: &str, end: Option<char>) -> Result<(), ConfigError> {
        loop {
            self.skip_blank();
            match self.rest.peek() {
                None if end.is_none() => return Ok(()),
                None => return Err(self.wrong("a group is not closed by }")),
                Some(sign) if Some(*sign) == end => {
                    self.next();
                    return Ok(());
                }
                Some(_) => self.binding(group)?,
            }
        }
    }

    fn binding(&mut self, group: &str) -> Result<(), ConfigError> {
        let name = self.name()?;
        self.skip_blank();
        match self.rest.peek() {
            Some('=') => {
                self.next();
                self.skip_blank();
                let value = self.value()?;
                self.options.insert(format!("{group}{name}"), value);
                Ok(())
            }
            Some('{') => {
                self.next();
                self.bindings(&format!("{group}{name}."), Some('}'))
            }
            Some('"') if name == "import" => self.import(),
            _ => Err(self.wrong(format!("expected = after {name}"))),
        }
    }

    fn name(&mut self) -> Result<String, ConfigError> {
        let name = self.word(|sign| sign.is_alphanumeric() || "-_.".contains(sign));
        match name.chars().next().is_some_and(char::is_alphabetic) {
            true => Ok(name),
            false => Err(self.wrong("expected the name of an option")),
        }
    }

    /// A string, or a bare word: a number, `true`, `false`, `on`, `off`.
    fn value(&mut self) -> Result<String, ConfigError> {
        if self.rest.peek() == Some(&'"') {
            return self.string();
        }
        match self.word(|sign| sign.is_alphanumeric() || "-_.+".contains(sign)).as_str() {
            "on" => Ok("true".to_owned()),
            "off" => Ok("false".to_owned()),
            word if word == "true" || word == "false" || word.parse::<f64>().is_ok() => Ok(word.to_owned()),
            _ => Err(self.wrong("expected a text in quotes, a number, true or false")),
        }
    }

    fn string(&mut self) -> Result<String, ConfigError> {
        self.next();
        let mut text = String::new();
        loop {
            match self.next() {
                None => return Err(self.wrong("a text is not closed by a quote")),
                Some('"') => return Ok(text),
                Some('\\') => text.push(self.escaped()?),
                Some('$') => self.dollar(&mut text)?,
                Some(sign) => text.push(sign),
            }
        }
    }

    fn escaped(&mut self) -> Result<char, ConfigError> {
        match self.next() {
            Some('n') => Ok('\n'),
            Some('r') => Ok('\r'),
            Some('t') => Ok('\t'),
            Some('u') => {
                let digits: String = (0..4).filter_map(|_| self.next()).collect();
                let sign = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                sign.ok_or_else(|| self.wrong("\\u needs the four digits of a character"))
            }
            Some(sign @ ('"' | '\\')) => Ok(sign),
            _ => Err(self.wrong("after \\ comes one of n, r, t, u, \" or \\")),
        }
    }

    /// `$$`, `$(NAME)`, or the sign itself, so that a path such as `$.role` need not double it.
    fn dollar(&mut self, text: &mut String) -> Result<(), ConfigError> {
        match self.rest.peek() {
            Some('$') => {
                self.next();
                text.push('$');
            }
            Some('(') => {
                self.next();
                let name = self.word(|sign| sign != ')' && sign != '"');
                if self.next() != Some(')') {
                    return Err(self.wrong("$( is not closed by )"));
                }
                let value = self.options.get(&name).map(String::as_str).or(self.environment.get(&name));
                let value = value.map(str::to_owned);
                text.push_str(&value.ok_or_else(|| self.wrong(format!("$({name}) is not known")))?);
            }
            _ => text.push('$'),
        }
        Ok(())
    }

    fn import(&mut self) -> Result<(), ConfigError> {
        let name = PathBuf::from(self.string()?);
        if self.depth == DEEPEST_IMPORT {
            return Err(self.wrong("files import each other"));
        }
        let path = self.path.parent().map_or(name.clone(), |folder| folder.join(&name));
        read_into(&path, self.environment, self.depth + 1, self.options)
    }

    fn word(&mut self, belongs: impl Fn(char) -> bool) -> String {
        let mut word = String::new();
        while let Some(sign) = self.rest.next_if(|sign| belongs(*sign)) {
            word.push(sign);
        }
        word
    }

    fn skip_blank(&mut self) {
        while let Some(sign) = self.rest.peek().copied() {
            match sign {
                '#' => while self.rest.next_if(|sign| *sign != '\n').is_some() {},
                sign if sign.is_whitespace() => {
                    self.next();
                }
                _ => return,
            }
        }
    }

    fn next(&mut self) -> Option<char> {
        let sign = self.rest.next();
        self.line += usize::from(sign == Some('\n'));
        sign
    }

    /// Says where, never what stands there: it may be a secret.
    fn wrong(&self, message: impl std::fmt::Display) -> ConfigError {
        ConfigError::Syntax { path: self.path.to_owned(), message: format!("line {}: {message}", self.line) }
    }
}
