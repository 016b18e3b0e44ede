//! Which styles are headings.

use std::collections::HashMap;

use quick_xml::events::BytesStart;

use super::xml::{Piece, attribute, pieces};
use crate::error::SampleError;
use crate::limits::Meter;

/// How far a style is followed to the style that it is based on.
const LONGEST_CHAIN: usize = 10;

/// Styles that are kept at most, and bytes of their ids.
const MOST_STYLES: usize = 5_000;
const LONGEST_ID: usize = 250;

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
        let mut current: Option<(String, Style)> = None;
        pieces(xml, meter, |piece| {
            let Piece::Open(element) = piece else { return true };
            if element.local_name().as_ref() == b"style" {
                styles.styles.extend(current.take());
                let id = attribute(&element, b"styleId").filter(|id| id.len() <= LONGEST_ID);
                current = id.map(|id| (id, Style::default()));
            } else if let Some((_, style)) = &mut current {
                style.take(&element);
            }
            styles.styles.len() < MOST_STYLES
        })?;
        styles.styles.extend(current);
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

impl Style {
    /// Takes what an element says of the style.
    fn take(&mut self, element: &BytesStart<'_>) {
        let value = || attribute(element, b"val").filter(|value| value.len() <= LONGEST_ID);
        match element.local_name().as_ref() {
            b"name" => self.level = value().and_then(|name| level_of_name(&name)).or(self.level),
            b"outlineLvl" => self.level = self.level.or(value().and_then(|level| level_of_outline(&level))),
            b"basedOn" => self.based_on = value(),
            _ => {}
        }
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
