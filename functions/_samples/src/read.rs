//! From the bytes of a file to its text.

use crate::error::SampleError;
use crate::legibility;
use crate::limits::{Limits, Meter};
use crate::text::{SampleKind, SampleText};
use crate::{docx, pdf};

/// Letters and digits that a file with text has at least.
const FEWEST_LETTERS: usize = 20;

/// Returns the text of a sample. What the file is, its bytes say; its name does not count.
///
/// # Errors
/// Why the sample cannot be used. Each limit of `limits` but `characters` has an error of its own.
pub fn text_of(bytes: &[u8], limits: &Limits) -> Result<SampleText, SampleError> {
    if bytes.len() > limits.bytes {
        return Err(SampleError::TooLarge { limit: limits.bytes });
    }
    let mut meter = Meter::new(limits);
    let text = match kind_of(bytes)? {
        SampleKind::Pdf => pdf::text_of(bytes, limits, &mut meter)?,
        SampleKind::Docx => docx::text_of(bytes, limits, &mut meter)?,
    };
    let characters = text.lines.iter().flat_map(|line| line.text.chars());
    if characters.filter(|c| c.is_alphanumeric() || *c == char::REPLACEMENT_CHARACTER).count()
        < FEWEST_LETTERS
    {
        return Err(SampleError::NoText);
    }
    legibility::check(&text)?;
    Ok(text)
}

/// What the first bytes say.
fn kind_of(bytes: &[u8]) -> Result<SampleKind, SampleError> {
    let head = &bytes[..bytes.len().min(1024)];
    if bytes.starts_with(b"PK\x03\x04") {
        return Ok(SampleKind::Docx);
    }
    if contains(head, b"%PDF-") {
        return Ok(SampleKind::Pdf);
    }
    // Word locks a DOCX by putting it into a container of the format before.
    if bytes.starts_with(b"\xD0\xCF\x11\xE0") && contains(bytes, &utf16("EncryptedPackage")) {
        return Err(SampleError::Locked);
    }
    Err(SampleError::NotADocument)
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}
