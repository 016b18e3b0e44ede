//! DOCX files: a ZIP archive whose parts are XML.

use std::io::{Cursor, Read as _};

use zip::ZipArchive;
use zip::result::ZipError;

use crate::error::SampleError;
use crate::limits::{Limits, Meter};
use crate::text::{SampleKind, SampleText};

/// The paragraphs and tables of a document.
mod body;

/// Which styles are headings.
mod styles;

/// A reader of XML that counts its work.
mod xml;

/// Entries that an archive has at most.
const MOST_ENTRIES: usize = 500;

/// Places where an archive can end; each that is tried costs a look at the whole archive.
const MOST_ENDS: usize = 20;

/// How many times larger than its packed form a part may be. XML rarely passes 30.
const HIGHEST_RATIO: u64 = 100;

/// Small parts may pass the ratio.
const SMALL: u64 = 100_000;

/// Reads the document's body. Macros, objects, links, headers and footers are not looked at.
pub(crate) fn text_of(bytes: &[u8], limits: &Limits, meter: &mut Meter) -> Result<SampleText, SampleError> {
    let mut archive = open(bytes, meter)?;
    let body = part(&mut archive, "word/document.xml", meter)?.ok_or(SampleError::NotADocument)?;
    let styles = part(&mut archive, "word/styles.xml", meter)?.unwrap_or_default();
    let styles = styles::Styles::read(&xml::in_utf8(&styles, meter)?, meter)?;
    let document = body::read(&xml::in_utf8(&body, meter)?, &styles, limits, meter)?;
    if document.pages > limits.pages {
        return Err(SampleError::TooManyPages { limit: limits.pages });
    }
    document.fonts.check()?;
    Ok(document.lines.finish(SampleKind::Docx, document.pages))
}

/// Opens the archive. Its entries are counted first, since a list of many takes much memory.
fn open<'a>(bytes: &'a [u8], meter: &mut Meter) -> Result<ZipArchive<Cursor<&'a [u8]>>, SampleError> {
    meter.step(bytes.len())?;
    let (mut entries, mut ends) = (0, 0);
    for window in bytes.windows(4) {
        entries += usize::from(window == b"PK\x01\x02");
        ends += usize::from(window == b"PK\x05\x06" || window == b"PK\x06\x06");
    }
    if entries > MOST_ENTRIES || ends > MOST_ENDS {
        return Err(SampleError::TooComplex);
    }
    meter.step(ends * bytes.len())?;
    ZipArchive::new(Cursor::new(bytes)).map_err(|_| SampleError::Damaged)
}

/// The unpacked bytes of a part; `None` for a part that is not there.
fn part(
    archive: &mut ZipArchive<Cursor<&[u8]>>,
    name: &str,
    meter: &mut Meter,
) -> Result<Option<Vec<u8>>, SampleError> {
    let mut file = match archive.by_name(name) {
        Ok(file) => file,
        Err(ZipError::FileNotFound) => return Ok(None),
        Err(ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED)) => return Err(SampleError::Locked),
        Err(_) => return Err(SampleError::Damaged),
    };
    let most = file.compressed_size().saturating_mul(HIGHEST_RATIO).max(SMALL);
    let mut bytes = Vec::new();
    let mut chunk = [0; 16 * 1024];
    loop {
        let read = file.read(&mut chunk).map_err(|_| SampleError::Damaged)?;
        if read == 0 {
            return Ok(Some(bytes));
        }
        meter.unpack(read)?;
        bytes.extend_from_slice(&chunk[..read]);
        if bytes.len() as u64 > most {
            return Err(SampleError::TooLargeUnpacked);
        }
    }
}
