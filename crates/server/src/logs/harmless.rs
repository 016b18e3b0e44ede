//! Text from elsewhere, made safe for a terminal.

use std::borrow::Cow;

/// Writes out the control characters of a text, and those that change the direction of writing: on
/// a terminal they could hide lines or forge them. Line ends and tabs stay.
#[must_use]
pub fn harmless(text: &str) -> Cow<'_, str> {
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

/// Whether it is of Unicode's `Bidi_Control`, or ends a line or a paragraph.
fn turns(c: char) -> bool {
    matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
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

    // rows: GW-LOG
    #[test]
    fn no_sign_that_changes_the_direction_of_writing_reaches_a_terminal() {
        let marks = ['\u{061c}', '\u{200e}', '\u{200f}'];
        for c in marks.into_iter().chain('\u{202a}'..='\u{202e}').chain('\u{2066}'..='\u{2069}') {
            assert_eq!(harmless(&format!("a{c}b")), format!("a{}b", c.escape_unicode()));
        }
        let joined = "क\u{94d}\u{200d}ष ن\u{200c}ه";
        assert_eq!(harmless(joined), joined, "what joins letters stays");
    }
}
