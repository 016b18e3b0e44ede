//! Tables from codes to letters (`/ToUnicode`).

use std::collections::BTreeMap;

use super::values::{Reader, Value};
use crate::error::SampleError;
use crate::limits::Meter;

/// Bytes of the letters that one code stands for at most.
const LONGEST: usize = 64;

/// Letters by codes. A range gives consecutive letters to consecutive codes.
#[derive(Debug, Default)]
pub(crate) struct ToUnicode {
    ranges: BTreeMap<u32, (u32, String)>,
}

impl ToUnicode {
    /// Reads a table of at most `most` ranges.
    ///
    /// # Errors
    /// `TooComplex` for a longer one.
    pub(crate) fn read(bytes: &[u8], most: usize, meter: &mut Meter) -> Result<Self, SampleError> {
        let mut table = Self::default();
        let mut reader = Reader::of_content(bytes);
        let mut operands = Vec::new();
        while let Some(value) = reader.next(meter)? {
            let word = if let Value::Word(word) = &value { word.as_slice() } else { b"" };
            match word {
                b"endbfchar" => table.add_letters(&operands),
                b"endbfrange" => table.add_ranges(&operands),
                _ => {}
            }
            if word.is_empty() {
                operands.push(value)
            } else {
                operands.clear()
            }
            if operands.len() + table.ranges.len() > most {
                return Err(SampleError::TooComplex);
            }
        }
        Ok(table)
    }

    fn add_letters(&mut self, operands: &[Value]) {
        for pair in operands.chunks_exact(2) {
            if let [Value::Text(code), Value::Text(letters)] = pair {
                self.add(number(code), number(code), letters);
            }
        }
    }

    fn add_ranges(&mut self, operands: &[Value]) {
        for range in operands.chunks_exact(3) {
            match range {
                [Value::Text(low), Value::Text(high), Value::Text(letters)] => {
                    self.add(number(low), number(high), letters);
                }
                [Value::Text(low), Value::Text(_), Value::List(list)] => {
                    for (code, letters) in (number(low)..=u32::MAX).zip(list.iter()) {
                        if let Value::Text(letters) = letters {
                            self.add(code, code, letters);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn add(&mut self, low: u32, high: u32, letters: &[u8]) {
        self.insert(low, high, utf16(&letters[..letters.len().min(LONGEST)]));
    }

    /// Adds a range of codes.
    pub(crate) fn insert(&mut self, low: u32, high: u32, letters: String) {
        self.ranges.insert(low, (high, letters));
    }

    pub(crate) fn len(&self) -> usize {
        self.ranges.len()
    }

    /// The letters of a code.
    pub(crate) fn letters(&self, code: u32) -> Option<String> {
        let (low, (high, letters)) = self.ranges.range(..=code).next_back()?;
        if code > *high {
            return None;
        }
        let mut letters = letters.clone();
        if code > *low {
            let last = letters.pop()?;
            letters.push(char::from_u32((last as u32).checked_add(code - low)?)?);
        }
        Some(letters)
    }
}

/// The first four bytes as a number.
fn number(code: &[u8]) -> u32 {
    code.iter().take(4).fold(0, |sum, byte| sum << 8 | u32::from(*byte))
}

/// UTF-16 with the high byte first.
pub(crate) fn utf16(bytes: &[u8]) -> String {
    let units = bytes.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// A text of the file's own: UTF-16 behind its mark, else one byte a letter.
pub(crate) fn text(bytes: &[u8]) -> String {
    match bytes.strip_prefix(b"\xFE\xFF") {
        Some(units) => utf16(units),
        None => bytes.iter().map(|byte| *byte as char).collect(),
    }
}
