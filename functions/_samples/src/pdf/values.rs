//! Reads values: numbers, names, strings, lists, dictionaries, references and bare words.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::error::SampleError;
use crate::limits::Meter;

/// How deep lists and dictionaries stand in one another at most.
const DEEPEST: usize = 32;

/// Parts that one value has at most, and all operands of an operator together; they take memory.
const MOST_PARTS: usize = 20_000;

/// Steps for each part beside those for its bytes.
const STEPS_OF_PART: usize = 8;

/// The entries of a dictionary by their names.
pub(crate) type Dictionary = BTreeMap<Vec<u8>, Value>;

/// A value of a file or of a page's content. Its copies share lists and dictionaries.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Number(f64),
    Name(Vec<u8>),
    Text(Vec<u8>),
    List(Rc<Vec<Value>>),
    Dictionary(Rc<Dictionary>),
    /// The number of an object.
    Reference(u32),
    /// `true`, `null`, an operator, or a sign that belongs nowhere.
    Word(Vec<u8>),
}

impl Value {
    /// The bytes that a copy takes.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Name(bytes) | Self::Text(bytes) | Self::Word(bytes) => bytes.len(),
            Self::Number(_) | Self::List(_) | Self::Dictionary(_) | Self::Reference(_) => 1,
        }
    }

    pub(crate) fn number(&self) -> Option<f64> {
        if let Self::Number(number) = self { Some(*number) } else { None }
    }

    pub(crate) fn is_name(&self, name: &[u8]) -> bool {
        matches!(self, Self::Name(it) if it == name)
    }

    pub(crate) fn is_word(&self, word: &[u8]) -> bool {
        matches!(self, Self::Word(it) if it == word)
    }
}

/// Reads values one after another.
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Parts of this value, in content since the last operator.
    parts: usize,
    /// A number, a number and `R` are a reference. In a page's content they are not.
    has_references: bool,
}

impl<'a> Reader<'a> {
    /// Reads a part of a file.
    pub(crate) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at, parts: 0, has_references: true }
    }

    /// Reads the content of a page.
    pub(crate) fn of_content(bytes: &'a [u8]) -> Self {
        Self { has_references: false, ..Self::new(bytes, 0) }
    }

    /// Where the next value begins, at the latest.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    pub(crate) fn skip_to(&mut self, at: usize) {
        self.at = at.min(self.bytes.len());
    }

    /// The next value; `None` at the end.
    pub(crate) fn next(&mut self, meter: &mut Meter) -> Result<Option<Value>, SampleError> {
        let before = self.at;
        let value = self.value(0, meter);
        meter.step(self.at - before)?;
        let value = value?;
        if self.has_references || matches!(value, Some(Value::Word(_))) {
            self.parts = 0;
        }
        Ok(value)
    }

    fn value(&mut self, depth: usize, meter: &mut Meter) -> Result<Option<Value>, SampleError> {
        meter.step(STEPS_OF_PART)?;
        self.parts += 1;
        if depth > DEEPEST || self.parts > MOST_PARTS {
            return Err(SampleError::TooComplex);
        }
        self.skip_space();
        let Some(first) = self.peek(0) else { return Ok(None) };
        Ok(Some(match first {
            b'/' => Value::Name(self.name()),
            b'(' => Value::Text(self.string()),
            b'<' if self.peek(1) == Some(b'<') => self.dictionary(depth, meter)?,
            b'<' => Value::Text(self.hex_string()),
            b'[' => self.list(depth, meter)?,
            b'0'..=b'9' | b'+' | b'-' | b'.' => self.number_or_reference(),
            b'>' if self.peek(1) == Some(b'>') => self.sign(2),
            b']' | b'>' | b')' | b'{' | b'}' => self.sign(1),
            _ => Value::Word(self.regular().to_vec()),
        }))
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn sign(&mut self, length: usize) -> Value {
        let sign = self.bytes[self.at..self.at + length].to_vec();
        self.at += length;
        Value::Word(sign)
    }

    fn skip_space(&mut self) {
        while let Some(byte) = self.peek(0) {
            if byte == b'%' {
                let rest = &self.bytes[self.at..];
                self.at += rest.iter().position(|byte| matches!(byte, b'\r' | b'\n')).unwrap_or(rest.len());
            } else if is_space(byte) {
                self.at += 1;
            } else {
                return;
            }
        }
    }

    /// Bytes up to the next space or delimiter.
    fn regular(&mut self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|byte| !is_regular(*byte)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn name(&mut self) -> Vec<u8> {
        self.at += 1;
        let raw = self.regular();
        let mut name = Vec::with_capacity(raw.len());
        let mut at = 0;
        while let Some(byte) = raw.get(at) {
            let escaped = (*byte == b'#').then(|| raw.get(at + 1..at + 3).and_then(hex_byte)).flatten();
            name.push(escaped.unwrap_or(*byte));
            at += if escaped.is_some() { 3 } else { 1 };
        }
        name
    }

    fn number_or_reference(&mut self) -> Value {
        let start = self.at;
        let raw = self.regular();
        let Some(number) = number(raw) else { return Value::Word(raw.to_vec()) };
        let end = self.at;
        let object = (self.has_references && raw.iter().all(u8::is_ascii_digit) && end - start < 10)
            .then(|| self.rest_of_reference().then_some(number as u32))
            .flatten();
        if object.is_none() {
            self.at = end;
        }
        object.map_or(Value::Number(number), Value::Reference)
    }

    /// Reads ` 0 R`.
    fn rest_of_reference(&mut self) -> bool {
        let space = |reader: &mut Self| {
            let before = reader.at;
            while reader.at - before < 20 && reader.peek(0).is_some_and(is_space) {
                reader.at += 1;
            }
            reader.at > before
        };
        let digits = |reader: &mut Self| {
            let before = reader.at;
            while reader.at - before < 6 && reader.peek(0).is_some_and(|byte| byte.is_ascii_digit()) {
                reader.at += 1;
            }
            reader.at > before
        };
        let is_reference = space(self)
            && digits(self)
            && space(self)
            && self.peek(0) == Some(b'R')
            && !self.peek(1).is_some_and(is_regular);
        self.at += usize::from(is_reference);
        is_reference
    }

    fn string(&mut self) -> Vec<u8> {
        self.at += 1;
        let mut text = Vec::new();
        let mut open = 1_usize;
        loop {
            let rest = &self.bytes[self.at..];
            let plain = rest.iter().position(|byte| matches!(byte, b'\\' | b'(' | b')'));
            let plain = plain.unwrap_or(rest.len());
            text.extend_from_slice(&rest[..plain]);
            self.at = (self.at + plain + 1).min(self.bytes.len());
            match rest.get(plain) {
                Some(b'\\') => text.extend(self.escaped()),
                Some(b'(') => open += 1,
                Some(_) if open > 1 => open -= 1,
                _ => return text,
            }
            if let Some(sign @ (b'(' | b')')) = rest.get(plain) {
                text.push(*sign);
            }
        }
    }

    /// The byte that stands behind a backslash; none for a line break.
    fn escaped(&mut self) -> Option<u8> {
        let byte = self.peek(0)?;
        self.at += 1;
        match byte {
            b'n' => Some(b'\n'),
            b'r' => Some(b'\r'),
            b't' => Some(b'\t'),
            b'b' => Some(8),
            b'f' => Some(12),
            b'\r' => {
                self.at += usize::from(self.peek(0) == Some(b'\n'));
                None
            }
            b'\n' => None,
            b'0'..=b'7' => {
                let mut code = u32::from(byte - b'0');
                for _ in 0..2 {
                    let Some(digit @ b'0'..=b'7') = self.peek(0) else { break };
                    code = code * 8 + u32::from(digit - b'0');
                    self.at += 1;
                }
                Some(code as u8)
            }
            other => Some(other),
        }
    }

    fn hex_string(&mut self) -> Vec<u8> {
        self.at += 1;
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|byte| *byte == b'>').unwrap_or(rest.len());
        self.at = (self.at + length + 1).min(self.bytes.len());
        hex(&rest[..length])
    }

    fn list(&mut self, depth: usize, meter: &mut Meter) -> Result<Value, SampleError> {
        self.at += 1;
        let mut list = Vec::new();
        while let Some(value) = self.value(depth + 1, meter)? {
            if value.is_word(b"]") {
                break;
            }
            list.push(value);
        }
        Ok(Value::List(Rc::new(list)))
    }

    fn dictionary(&mut self, depth: usize, meter: &mut Meter) -> Result<Value, SampleError> {
        self.at += 2;
        let mut dictionary = Dictionary::new();
        while let Some(key) = self.value(depth + 1, meter)? {
            match key {
                Value::Word(word) if word == b">>" => break,
                Value::Name(name) => {
                    let Some(value) = self.value(depth + 1, meter)? else { break };
                    if value.is_word(b">>") {
                        break;
                    }
                    dictionary.insert(name, value);
                }
                _ => {}
            }
        }
        Ok(Value::Dictionary(Rc::new(dictionary)))
    }
}

/// The bytes of pairs of hexadecimal digits; what is no digit is passed over.
pub(crate) fn hex(digits: &[u8]) -> Vec<u8> {
    let digits: Vec<u8> = digits.iter().copied().filter(u8::is_ascii_hexdigit).collect();
    digits.chunks(2).map(|pair| hex_byte(&[pair[0], *pair.get(1).unwrap_or(&b'0')]).unwrap_or(0)).collect()
}

fn hex_byte(pair: &[u8]) -> Option<u8> {
    let digit = |byte: u8| (byte as char).to_digit(16);
    Some((digit(*pair.first()?)? * 16 + digit(*pair.get(1)?)?) as u8)
}

fn number(raw: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(raw).ok().filter(|text| text.len() <= 40)?;
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, 0 | b'\t' | b'\n' | 12 | b'\r' | b' ')
}

fn is_regular(byte: u8) -> bool {
    !is_space(byte) && !matches!(byte, b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%')
}
