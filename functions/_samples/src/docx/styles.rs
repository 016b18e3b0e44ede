//! Which styles are headings.

use std::collections::HashMap;

use super::xml::{Piece, attribute, pieces};
use crate::error::SampleError;
use crate::limits::Meter;

/// How far a style is followed to the style that it is based on.
const LONGEST_CHAIN: usize = 10;

/// The paragraph styles of a document by their ids.
#[derive(Debug, Default)]
pub(crate) struct Styles {
    styles: HashMap<String, Style>,
}

#[derive(Debug, Default)]
struct Style {
    level: Option<u8>,
    based_on: Option<String>,
}

impl Styles {
    /// Reads `word/styles.xml`; nothing comes of an empty part.
    pub(crate) fn read(xml: &[u8], meter: &mut Meter) -> Result<Self, SampleError> {
        let mut styles = Self::default();
        let mut id = String::new();
        pieces(xml, meter, |piece| {
            let Piece::Open(element) = piece else { return true };
            let value = || attribute(&element, b"val");
            if element.local_name().as_ref() == b"style" {
                id = attribute(&element, b"styleId").unwrap_or_default();
                return true;
            }
            let style = styles.styles.entry(id.clone()).or_default();
            match element.local_name().as_ref() {
                b"name" => style.level = value().and_then(|name| level_of_name(&name)).or(style.level),
                b"outlineLvl" => {
                    style.level = style.level.or(value().and_then(|level| level_of_outline(&level)))
                }
                b"basedOn" => style.based_on = value(),
                _ => {}
            }
            true
        })?;
        Ok(styles)
    }

    /// The level of headings in this style; `None` for other text.
    pub(crate) fn level(&self, id: &str) -> Option<u8> {
        let mut style = self.styles.get(id)?;
        for _ in 0..LONGEST_CHAIN {
            match (&style.level, &style.based_on) {
                (Some(level), _) => return Some(*level),
                (None, Some(parent)) => style = self.styles.get(parent)?,
                (None, None) => return None,
            }
        }
        None
    }
}

/// `heading 2` is the name in every language of the word processor; a title is the first heading.
fn level_of_name(name: &str) -> Option<u8> {
    let name = name.to_lowercase();
    match name.strip_prefix("heading ") {
        Some(level) => level.parse().ok().filter(|level| (1..=9).contains(level)),
        None => (name == "title").then_some(1),
    }
}

/// The level of an outline level, which counts from 0; 9 is body text.
pub(crate) fn level_of_outline(level: &str) -> Option<u8> {
    level.parse::<u8>().ok().filter(|level| *level < 9).map(|level| level + 1)
}
