//! PDF files. Only the text layer is read, and a file's own index is not trusted: the objects are
//! found by looking through the file.

use crate::error::SampleError;
use crate::limits::{Limits, Meter};
use crate::text::SampleText;

/// Draws the text of a page and notes where it stands.
mod content;

/// From pieces of text on a page to lines and headings.
mod layout;

/// From codes to letters.
mod fonts;

/// Tables from codes to letters.
mod to_unicode;

/// Widths of letters.
mod widths;

/// Widths of the fonts that every reader has.
mod standard_widths;

/// The pages in their order.
mod pages;

/// The objects of a file.
mod file;

/// Unpacks streams.
mod filters;

/// Reads values.
mod values;

/// Reads the pages one by one until the text is long enough.
pub(crate) fn text_of(bytes: &[u8], limits: &Limits, meter: &mut Meter) -> Result<SampleText, SampleError> {
    let file = file::File::read(bytes, meter)?;
    let pages = pages::pages(&file, limits.pages, meter)?;
    let mut fonts = fonts::Fonts::default();
    let mut layout = layout::Layout::default();
    for page in &pages {
        content::draw(&file, page, &mut fonts, &mut layout, meter)?;
        layout.end_page();
        if layout.characters() > limits.characters {
            break;
        }
    }
    layout.check_fonts()?;
    let pages = u32::try_from(pages.len()).unwrap_or(u32::MAX);
    Ok(layout.into_text(limits.characters, pages))
}
