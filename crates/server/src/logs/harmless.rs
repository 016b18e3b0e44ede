//! Text from elsewhere, made safe for a terminal.

use std::borrow::Cow;

/// Writes out the control characters of a text, and those that turn the direction of writing
/// around: on a terminal they could hide lines or forge them. Line ends and tabs stay.
#[must_use]
pub fn harmless(text: &str) -> Cow<'_, str> {
    let turns =
        |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}');
    let harms = |c: char| turns(c) || c.is_control() && c != '\n' && c != '\t';
    if !text.contains(harms) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if harms(c) { shown.extend(c.escape_unicode()) } else { shown.push(c) }
    }
    shown.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_from_elsewhere_moves_no_cursor() {
        let forged = "Asha\u{1b}]0;title\u{7}\rfine\u{9b}2J";
        assert_eq!(harmless(forged), "Asha\\u{1b}]0;title\\u{7}\\u{d}fine\\u{9b}2J");
        assert_eq!(harmless("exe.\u{202e}fdp"), "exe.\\u{202e}fdp");
        assert_eq!(harmless("नमस्ते\tfirst\nsecond"), "नमस्ते\tfirst\nsecond");
    }
}
