//! A reader of XML that counts its work. It knows no entities but those of XML itself.

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};

use crate::error::SampleError;
use crate::limits::Meter;

/// How deep elements stand in one another at most.
const DEEPEST: usize = 200;

/// One piece of a part.
pub(crate) enum Piece<'a> {
    /// An element begins.
    Open(BytesStart<'a>),
    /// The element of this local name ends.
    Close(Vec<u8>),
    /// Text.
    Text(String),
}

/// Calls `take` with each piece until the end, or until it answers `false`.
///
/// # Errors
/// `Damaged` for what is no XML, `TooComplex` for deep nesting, and what `take` fails with.
pub(crate) fn pieces(
    xml: &[u8],
    meter: &mut Meter,
    mut take: impl FnMut(Piece<'_>) -> bool,
) -> Result<(), SampleError> {
    let mut reader = Reader::from_reader(xml);
    reader.config_mut().expand_empty_elements = true;
    let mut depth = 0_usize;
    let mut before = 0;
    loop {
        let event = reader.read_event().map_err(|_| SampleError::Damaged)?;
        let at = reader.buffer_position();
        meter.step(usize::try_from(at.saturating_sub(before)).unwrap_or(usize::MAX).saturating_add(1))?;
        before = at;
        let goes_on = match event {
            Event::Start(element) => {
                depth += 1;
                if depth > DEEPEST {
                    return Err(SampleError::TooComplex);
                }
                take(Piece::Open(element))
            }
            Event::End(element) => {
                depth = depth.saturating_sub(1);
                take(Piece::Close(element.local_name().as_ref().to_vec()))
            }
            Event::Text(text) => take(Piece::Text(text_of(&text))),
            Event::CData(text) => take(Piece::Text(text_of(&text))),
            Event::GeneralRef(name) => match character(&name) {
                Some(c) => take(Piece::Text(c)),
                None => true,
            },
            Event::Eof if depth > 0 => return Err(SampleError::Damaged),
            Event::Eof => return Ok(()),
            _ => true,
        };
        if !goes_on {
            return Ok(());
        }
    }
}

/// XML as UTF-8, whichever of the two forms of Unicode it is in.
///
/// # Errors
/// `TooComplex` once the steps are used up.
pub(crate) fn in_utf8<'a>(xml: &'a [u8], meter: &mut Meter) -> Result<Cow<'a, [u8]>, SampleError> {
    let unit: fn([u8; 2]) -> u16 = match xml {
        [0xFF, 0xFE, ..] | [b'<', 0, ..] => u16::from_le_bytes,
        [0xFE, 0xFF, ..] | [0, b'<', ..] => u16::from_be_bytes,
        _ => return Ok(Cow::Borrowed(xml)),
    };
    meter.unpack(xml.len())?;
    let units = xml.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    let text: String = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    Ok(Cow::Owned(text.into_bytes()))
}

/// The value of the attribute of this local name.
pub(crate) fn attribute(element: &BytesStart<'_>, name: &[u8]) -> Option<String> {
    let mut attributes = element.attributes();
    let mut known = attributes.with_checks(false).flatten();
    let found = known.find(|attribute| attribute.key.local_name().as_ref() == name);
    found.map(|attribute| text_of(&attribute.value))
}

/// Returns whether a switch such as `w:b` is on: it is, unless its value says no.
pub(crate) fn is_on(element: &BytesStart<'_>) -> bool {
    !matches!(attribute(element, b"val").as_deref(), Some("0" | "false" | "off" | "none"))
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What a reference such as `&amp;` or `&#2309;` stands for. Entities that a file defines stand for
/// nothing.
fn character(reference: &quick_xml::events::BytesRef<'_>) -> Option<String> {
    if let Ok(Some(c)) = reference.resolve_char_ref() {
        return Some(c.to_string());
    }
    resolve_predefined_entity(&text_of(reference)).map(str::to_owned)
}
