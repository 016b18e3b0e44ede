//! The files of documents, read strictly: what a lenient office program would forgive is a failure
//! here.

use std::fmt::Write as _;
use std::io::{Cursor, Read as _};

/// The control words that the writer of rich text uses; another one would be text that became one.
const CONTROL_WORDS: &[&str] = &[
    "ab",
    "af",
    "afs",
    "ai",
    "alang",
    "ansi",
    "ansicpg",
    "b",
    "blue",
    "brdrb",
    "brdrl",
    "brdrr",
    "brdrs",
    "brdrt",
    "brdrw",
    "brsp",
    "cell",
    "cellx",
    "cf",
    "clbrdrb",
    "clbrdrl",
    "clbrdrr",
    "clbrdrt",
    "clcbpat",
    "clpadfr",
    "clpadft",
    "clpadr",
    "clpadt",
    "colortbl",
    "company",
    "deff",
    "deflang",
    "f",
    "falt",
    "fcharset",
    "fcs",
    "fi",
    "field",
    "fldinst",
    "fldrslt",
    "fnil",
    "fonttbl",
    "footer",
    "froman",
    "fs",
    "green",
    "i",
    "info",
    "intbl",
    "keep",
    "keepn",
    "lang",
    "li",
    "line",
    "ltrch",
    "margb",
    "margl",
    "margr",
    "margt",
    "outlinelevel",
    "page",
    "paperh",
    "paperw",
    "par",
    "pard",
    "plain",
    "qc",
    "ql",
    "red",
    "ri",
    "row",
    "rtf",
    "rtlch",
    "sa",
    "sb",
    "sl",
    "slmult",
    "title",
    "tqr",
    "trgaph",
    "trhdr",
    "trkeep",
    "trleft",
    "trowd",
    "trpaddfl",
    "trpaddfr",
    "trpaddl",
    "trpaddr",
    "trrh",
    "tx",
    "uc",
];

/// Groups that are no part of the text.
const DESTINATIONS: [&str; 5] = ["fonttbl", "colortbl", "info", "footer", "company"];

/// Asserts that a file is a whole and valid one of its kind and says what the text says, spaces
/// aside.
pub(crate) fn assert_says(file: &[u8], text: &str, what: &dyn std::fmt::Display) {
    let read = if file.starts_with(b"PK\x03\x04") { docx(file) } else { rtf(file) };
    let read = read.unwrap_or_else(|fault| panic!("{what}: {fault}"));
    let (file, text) = (words(&read), words(text));
    let first = file.iter().zip(&text).position(|(one, other)| one != other);
    let around = |words: &[String]| first.map(|at| words[at..(at + 5).min(words.len())].to_vec());
    assert_eq!(around(&file), around(&text), "{what}: the file and the text");
    assert_eq!(file.len(), text.len(), "{what}: words of the file and of the text");
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// The text of a .docx; every part of it must be well-formed XML, and properties stand in the order
/// of the schema.
pub(crate) fn docx(file: &[u8]) -> Result<String, String> {
    let mut zip = zip::ZipArchive::new(Cursor::new(file)).map_err(|error| error.to_string())?;
    let mut text = None;
    for at in 0..zip.len() {
        let mut entry = zip.by_index(at).map_err(|error| error.to_string())?;
        let name = entry.name().map_err(|error| error.to_string())?.into_owned();
        let mut part = String::new();
        entry.read_to_string(&mut part).map_err(|error| format!("{name}: {error}"))?;
        let xml = roxmltree::Document::parse(&part).map_err(|error| format!("{name}: {error}"))?;
        in_order(&xml).map_err(|fault| format!("{name}: {fault}"))?;
        if name == "word/document.xml" {
            text = Some(text_of(&xml));
        }
    }
    text.ok_or_else(|| "there is no word/document.xml".to_owned())
}

fn text_of(xml: &roxmltree::Document<'_>) -> String {
    let mut text = String::new();
    for node in xml.descendants() {
        match node.tag_name().name() {
            "t" => text.push_str(node.text().unwrap_or_default()),
            "tab" if node.parent().is_some_and(|parent| parent.tag_name().name() == "r") => text.push('\t'),
            "p" | "br" => text.push('\n'),
            _ => {}
        }
    }
    text
}

/// The children of these elements in the order that the schema wants; Word calls a file with
/// another one damaged.
fn in_order(xml: &roxmltree::Document<'_>) -> Result<(), String> {
    const ORDERS: [(&str, &[&str]); 4] = [
        ("pPr", &["pStyle", "keepNext", "keepLines", "pBdr", "tabs", "spacing", "ind", "jc", "outlineLvl"]),
        ("rPr", &["rFonts", "b", "bCs", "i", "iCs", "color", "sz", "szCs", "cs", "lang"]),
        ("tblPr", &["tblW", "tblBorders", "tblLayout"]),
        ("tcPr", &["tcW", "shd"]),
    ];
    for node in xml.descendants() {
        let Some((name, order)) = ORDERS.iter().find(|(name, _)| *name == node.tag_name().name()) else {
            continue;
        };
        let mut last = 0;
        for child in node.children() {
            let child = child.tag_name().name();
            let at = order.iter().position(|known| *known == child);
            let at = at.ok_or_else(|| format!("{child} is not expected in {name}"))?;
            if at < last {
                return Err(format!("{child} stands too late in {name}"));
            }
            last = at;
        }
    }
    Ok(())
}

/// The text of rich text: pure ASCII, every group closed, no words of control but the writer's own.
pub(crate) fn rtf(file: &[u8]) -> Result<String, String> {
    let source =
        std::str::from_utf8(file).ok().filter(|text| text.is_ascii()).ok_or("it is not pure ASCII")?;
    if !source.starts_with("{\\rtf1") {
        return Err("it does not begin as rich text".to_owned());
    }
    let mut reader = Rtf { rest: source, groups: Vec::new(), units: Vec::new(), text: String::new() };
    while !reader.rest.is_empty() {
        reader.step()?;
    }
    reader.whole_characters()?;
    if reader.groups.is_empty() { Ok(reader.text) } else { Err("a group is not closed".to_owned()) }
}

struct Rtf<'a> {
    rest: &'a str,
    /// The open groups; whether each is no part of the text.
    groups: Vec<bool>,
    /// UTF-16 that is not text yet.
    units: Vec<u16>,
    text: String,
}

impl Rtf<'_> {
    fn step(&mut self) -> Result<(), String> {
        let c = self.rest.chars().next().unwrap_or_default();
        if c == '\\' {
            return self.control();
        }
        self.rest = &self.rest[1..];
        match c {
            '{' => self.groups.push(self.groups.last().copied().unwrap_or_default()),
            '}' => drop(self.groups.pop().ok_or("a group is closed that was not opened")?),
            '\n' => {}
            _ => self.say(c)?,
        }
        if self.groups.is_empty() && !self.rest.trim().is_empty() {
            return Err(format!("text behind the end: {:.40}", self.rest));
        }
        Ok(())
    }

    fn control(&mut self) -> Result<(), String> {
        let rest = &self.rest[1..];
        let first = rest.chars().next().ok_or("it ends in a control word")?;
        if !first.is_ascii_alphabetic() {
            self.rest = &rest[1..];
            return match first {
                '\\' | '{' | '}' => self.say(first),
                '*' => self.skip_group(),
                _ => Err(format!("\\{first} is not used here")),
            };
        }
        let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let (word, rest) = rest.split_at(end);
        let digits = rest.find(|c: char| !(c.is_ascii_digit() || c == '-')).unwrap_or(rest.len());
        let (number, rest) = rest.split_at(digits);
        self.rest = rest.strip_prefix(' ').unwrap_or(rest);
        self.word(word, number)
    }

    fn word(&mut self, word: &str, number: &str) -> Result<(), String> {
        match word {
            "u" => {
                let unit: i16 = number.parse().map_err(|_| format!("\\u{number} is no unit of UTF-16"))?;
                // One character follows for readers that know no Unicode.
                self.rest = self.rest.strip_prefix('?').ok_or("\\u without its stand-in")?;
                if !self.is_skipped() {
                    self.units.push(unit.cast_unsigned());
                }
                Ok(())
            }
            "tab" | "par" | "cell" | "row" | "line" | "page" => self.say('\n'),
            _ if DESTINATIONS.contains(&word) => self.skip_group(),
            _ if CONTROL_WORDS.contains(&word) => Ok(()),
            _ => Err(format!("\\{word} is none of the writer's words")),
        }
    }

    fn is_skipped(&self) -> bool {
        self.groups.last().copied().unwrap_or_default()
    }

    fn skip_group(&mut self) -> Result<(), String> {
        *self.groups.last_mut().ok_or("a destination outside of all groups")? = true;
        Ok(())
    }

    fn say(&mut self, c: char) -> Result<(), String> {
        if !self.is_skipped() {
            self.whole_characters()?;
            self.text.push(c);
        }
        Ok(())
    }

    /// Turns the units so far into text; half a pair is a fault.
    fn whole_characters(&mut self) -> Result<(), String> {
        for c in char::decode_utf16(self.units.drain(..)) {
            write!(self.text, "{}", c.map_err(|_| "half of a character")?).expect("text takes everything");
        }
        Ok(())
    }
}
