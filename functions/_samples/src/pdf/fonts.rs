//! From codes to letters and widths.

use std::collections::HashMap;
use std::rc::Rc;

use super::file::File;
use super::to_unicode::ToUnicode;
use super::values::{Dictionary, Value};
use super::widths::Widths;
use crate::error::SampleError;
use crate::legibility::is_old_font;
use crate::limits::Meter;

/// Entries that a font counts beside its letters and widths.
const ENTRIES_OF_FONT: usize = 16;

/// Letters and widths that all fonts of a file have together at most; they take memory.
const MOST_ENTRIES: usize = 150_000;

/// The fonts that were read so far, by their objects. All that were read are counted, also those
/// that a drawing keeps.
#[derive(Default)]
pub(crate) struct Fonts {
    fonts: HashMap<u32, Option<Rc<Font>>>,
    entries: usize,
}

/// A font.
pub(crate) struct Font {
    letters: ToUnicode,
    widths: Widths,
    /// A code has two bytes.
    is_wide: bool,
    pub(crate) is_bold: bool,
    pub(crate) is_old: bool,
}

impl Fonts {
    /// The font of an object, which is read once; `None` for an object that is no font.
    pub(crate) fn font(
        &mut self,
        file: &File<'_>,
        number: u32,
        meter: &mut Meter,
    ) -> Result<Option<Rc<Font>>, SampleError> {
        if let Some(font) = self.fonts.get(&number) {
            return Ok(font.clone());
        }
        let font = self.read(file, &Value::Reference(number), meter)?;
        self.fonts.insert(number, font.clone());
        Ok(font)
    }

    /// Reads a font anew.
    ///
    /// # Errors
    /// `TooComplex` once all that were read have too many letters and widths.
    pub(crate) fn read(
        &mut self,
        file: &File<'_>,
        value: &Value,
        meter: &mut Meter,
    ) -> Result<Option<Rc<Font>>, SampleError> {
        let Some(Value::Dictionary(dictionary)) = file.resolve(value, meter)? else { return Ok(None) };
        let font = Font::read(file, &dictionary, MOST_ENTRIES.saturating_sub(self.entries), meter)?;
        self.entries += ENTRIES_OF_FONT + font.letters.len() + font.widths.len();
        if self.entries > MOST_ENTRIES { Err(SampleError::TooComplex) } else { Ok(Some(Rc::new(font))) }
    }
}

impl Font {
    fn read(
        file: &File<'_>,
        dictionary: &Dictionary,
        most: usize,
        meter: &mut Meter,
    ) -> Result<Self, SampleError> {
        let is_wide = dictionary.get(&b"Subtype"[..]).is_some_and(|it| it.is_name(b"Type0"));
        let table = match dictionary.get(&b"ToUnicode"[..]) {
            Some(stream) => file.stream(stream, meter)?,
            None => None,
        };
        let letters = match table {
            Some((_, bytes)) => ToUnicode::read(&bytes, most, meter)?,
            None if is_wide => ToUnicode::default(),
            None => encoding(file, dictionary, meter)?,
        };
        let name = match dictionary.get(&b"BaseFont"[..]) {
            Some(Value::Name(name)) => String::from_utf8_lossy(name).to_lowercase(),
            _ => String::new(),
        };
        let most = most.saturating_sub(letters.len());
        let widths = match is_wide {
            true => Widths::read_wide(file, dictionary, most, meter)?,
            false => Widths::read(file, dictionary, &name, most, meter)?,
        };
        let is_bold = ["bold", "black", "heavy"].iter().any(|word| name.contains(word));
        Ok(Self { letters, widths, is_wide, is_bold, is_old: is_old_font(&name) })
    }

    /// The codes of a string.
    pub(crate) fn codes<'a>(&self, text: &'a [u8]) -> impl Iterator<Item = u32> + use<'a> {
        let length = if self.is_wide { 2 } else { 1 };
        text.chunks(length).map(|code| code.iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte)))
    }

    /// The letters of a code; the replacement character where the font does not tell.
    pub(crate) fn letters(&self, code: u32) -> String {
        match self.letters.letters(code) {
            Some(letters) => letters,
            None if self.is_wide => char::REPLACEMENT_CHARACTER.to_string(),
            None => windows_letter(code as u8).to_string(),
        }
    }

    /// The width of a code, in parts of the font size.
    pub(crate) fn width(&self, code: u32) -> f64 {
        self.widths.of(code) / 1000.0
    }

    /// Returns whether this code is a space that word spacing widens.
    pub(crate) fn is_space(&self, code: u32) -> bool {
        !self.is_wide && code == 32
    }
}

/// The letters of `/Differences`.
fn encoding(file: &File<'_>, font: &Dictionary, meter: &mut Meter) -> Result<ToUnicode, SampleError> {
    let mut table = ToUnicode::default();
    let encoding = file.sub(font, b"Encoding", meter)?;
    let Some(Value::List(list)) = file.entry(&encoding, b"Differences", meter)? else { return Ok(table) };
    let mut code = 0_u32;
    for value in list.iter().take(1000) {
        match value {
            Value::Number(first) => code = *first as u32,
            Value::Name(name) => {
                let name = String::from_utf8_lossy(name);
                table.insert(code, code, letter_of_glyph(&name).to_string());
                code = code.saturating_add(1);
            }
            _ => {}
        }
    }
    Ok(table)
}

/// The letter of a glyph by its name.
fn letter_of_glyph(name: &str) -> char {
    let name = name.split('.').next().unwrap_or_default();
    let mut letters = name.chars();
    if let (Some(letter), None) = (letters.next(), letters.next()) {
        return letter;
    }
    let code = name.strip_prefix("uni").or_else(|| name.strip_prefix('u'));
    if let Some(letter) = code.and_then(|code| u32::from_str_radix(code, 16).ok()).and_then(char::from_u32) {
        return letter;
    }
    let found = GLYPHS.iter().find(|(known, _)| *known == name);
    found.map_or(char::REPLACEMENT_CHARACTER, |(_, letter)| *letter)
}

/// Names of glyphs that are no letters of their own.
const GLYPHS: &[(&str, char)] = &[
    ("space", ' '),
    ("nbspace", ' '),
    ("exclam", '!'),
    ("quotedbl", '"'),
    ("numbersign", '#'),
    ("dollar", '$'),
    ("percent", '%'),
    ("ampersand", '&'),
    ("quotesingle", '\''),
    ("parenleft", '('),
    ("parenright", ')'),
    ("asterisk", '*'),
    ("plus", '+'),
    ("comma", ','),
    ("hyphen", '-'),
    ("minus", '−'),
    ("period", '.'),
    ("slash", '/'),
    ("zero", '0'),
    ("one", '1'),
    ("two", '2'),
    ("three", '3'),
    ("four", '4'),
    ("five", '5'),
    ("six", '6'),
    ("seven", '7'),
    ("eight", '8'),
    ("nine", '9'),
    ("colon", ':'),
    ("semicolon", ';'),
    ("less", '<'),
    ("equal", '='),
    ("greater", '>'),
    ("question", '?'),
    ("at", '@'),
    ("bracketleft", '['),
    ("backslash", '\\'),
    ("bracketright", ']'),
    ("underscore", '_'),
    ("grave", '`'),
    ("braceleft", '{'),
    ("bar", '|'),
    ("braceright", '}'),
    ("asciitilde", '~'),
    ("quoteleft", '‘'),
    ("quoteright", '’'),
    ("quotedblleft", '“'),
    ("quotedblright", '”'),
    ("endash", '–'),
    ("emdash", '—'),
    ("bullet", '•'),
    ("ellipsis", '…'),
    ("degree", '°'),
    ("multiply", '×'),
    ("divide", '÷'),
    ("plusminus", '±'),
    ("onehalf", '½'),
    ("onequarter", '¼'),
    ("threequarters", '¾'),
    ("fi", 'ﬁ'),
    ("fl", 'ﬂ'),
    ("ff", 'ﬀ'),
    ("ffi", 'ﬃ'),
    ("ffl", 'ﬄ'),
    ("eacute", 'é'),
    ("pi", 'π'),
    ("alpha", 'α'),
    ("beta", 'β'),
    ("theta", 'θ'),
    ("radical", '√'),
];

/// The letter of a code of Windows' Latin letters.
fn windows_letter(code: u8) -> char {
    const HIGH: [char; 32] = [
        '€', '•', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '•', 'Ž', '•', '•', '‘', '’', '“',
        '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '•', 'ž', 'Ÿ',
    ];
    match code {
        0x80..=0x9F => HIGH[usize::from(code - 0x80)],
        _ => code as char,
    }
}
