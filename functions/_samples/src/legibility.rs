//! Whether the letters of a file came out right.

use banyan_functions::writing_system::Script;

use crate::error::SampleError;
use crate::text::SampleText;

/// Checks that at most 5 % of the letters are broken (SPECIFICATION.md GEN-5.3.5).
///
/// # Errors
/// `BrokenLetters`.
pub(crate) fn check(text: &SampleText) -> Result<(), SampleError> {
    let (mut letters, mut broken) = (0_usize, 0_usize);
    for line in &text.lines {
        let mut before = ' ';
        for c in line.text.chars() {
            letters += usize::from(!c.is_whitespace());
            broken += usize::from(is_broken(before, c));
            before = c;
        }
    }
    if broken * 20 > letters { Err(SampleError::BrokenLetters) } else { Ok(()) }
}

/// A sign that no letter carries, or a sign that stands for no letter.
fn is_broken(before: char, c: char) -> bool {
    let is_private = matches!(c, char::REPLACEMENT_CHARACTER | '\u{E000}'..='\u{F8FF}');
    is_private || (is_vowel_sign(c) && !Script::of(before).is_some_and(Script::is_indic))
}

/// A dependent vowel sign or virama of one of the scripts of India. Their blocks have one plan.
fn is_vowel_sign(c: char) -> bool {
    matches!(c, '\u{0900}'..='\u{0D7F}') && matches!(c as u32 & 0x7F, 0x3E..=0x4D)
}

/// Letters by the font that they are set in.
#[derive(Debug, Default)]
pub(crate) struct FontCount {
    all: usize,
    old: usize,
}

impl FontCount {
    /// Counts the letters of `text`, set in the font `name`.
    pub(crate) fn add(&mut self, text: &str, is_old: bool) {
        let letters = text.chars().filter(|c| c.is_alphabetic()).count();
        self.all += letters;
        if is_old {
            self.old += text.chars().filter(char::is_ascii_alphabetic).count();
        }
    }

    /// Checks that fonts from before Unicode set less than 30 % of the letters (DOM-10.2.2).
    ///
    /// # Errors
    /// `OldFont`.
    pub(crate) fn check(&self) -> Result<(), SampleError> {
        if self.old * 10 > self.all * 3 { Err(SampleError::OldFont) } else { Ok(()) }
    }
}

/// Returns whether a font of this name gives Latin codes the shapes of another script.
pub(crate) fn is_old_font(name: &str) -> bool {
    const OLD: [&str; 11] = [
        "kruti",
        "devlys",
        "shreelipi",
        "shree-lipi",
        "shree lipi",
        "nudi",
        "baraha",
        "chanakya",
        "shusha",
        "akruti",
        "walkman",
    ];
    let name = name.to_lowercase();
    OLD.iter().any(|old| name.contains(old)) && !name.contains("unicode")
}
