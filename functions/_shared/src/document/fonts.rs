//! Chooses the font of a piece of text. Word processors need Indian scripts and symbols in runs of
//! their own (SPECIFICATION.md DOM-10.3 to DOM-10.5).

use crate::writing_system::{Language, Script};

/// A font, by what it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Font {
    /// Latin letters, digits, punctuation.
    Latin,
    /// An Indian script.
    Indic(Script),
    /// Arrows, signs, emoji.
    Symbol,
}

/// Cuts a text into runs of one font.
pub(super) fn split(text: &str) -> Vec<(Font, String)> {
    let mut runs: Vec<(Font, String)> = Vec::new();
    for c in text.chars() {
        let font = font_of(c, runs.last().map(|(font, _)| *font));
        match runs.last_mut() {
            Some((last, run)) if *last == font => run.push(c),
            _ => runs.push((font, c.to_string())),
        }
    }
    runs
}

/// Spaces, digits and punctuation stay in the run they stand in; symbols have a font of their own.
fn font_of(c: char, current: Option<Font>) -> Font {
    match Script::of(c) {
        Some(Script::Latin) => Font::Latin,
        Some(script) => Font::Indic(script),
        None if is_symbol(c) => Font::Symbol,
        // Characters that join or shape a sign belong to it.
        None if current == Some(Font::Symbol) && matches!(c, '\u{200D}' | '\u{FE0E}' | '\u{FE0F}') => {
            Font::Symbol
        }
        None if matches!(c, '\u{0964}' | '\u{0965}' | '\u{200C}' | '\u{200D}') => match current {
            Some(Font::Indic(script)) => Font::Indic(script),
            _ => Font::Indic(Script::Devanagari),
        },
        None if current == Some(Font::Symbol) => Font::Latin,
        None => current.unwrap_or(Font::Latin),
    }
}

fn is_symbol(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{22FF}' | '\u{2300}'..='\u{27BF}' | '\u{1F000}'..='\u{1FAFF}')
}

/// The language of a run in a script: the document's own where it fits.
pub(super) fn indic_language(script: Script, document: Language) -> Language {
    if document.script() == script {
        return document;
    }
    match script {
        Script::Gujarati => Language::Gujarati,
        Script::Telugu => Language::Telugu,
        Script::Kannada => Language::Kannada,
        Script::Devanagari | Script::OtherIndic | Script::Latin => Language::Hindi,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_and_what_shapes_it_are_one_run() {
        let runs = split("a 🏛\u{FE0F} b 👩\u{200D}🏫");
        let fonts: Vec<(Font, &str)> = runs.iter().map(|(font, text)| (*font, text.as_str())).collect();
        let (latin, symbol) = (Font::Latin, Font::Symbol);
        assert_eq!(fonts, [(latin, "a "), (symbol, "🏛\u{FE0F}"), (latin, " b "), (symbol, "👩\u{200D}🏫")]);
    }
}
