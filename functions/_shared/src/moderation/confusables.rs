//! A text as its readers see it: other forms of a letter, look-alikes of other scripts and signs
//! that nobody sees (UTS 39).

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{decompose_compatible, is_combining_mark};

// `build.rs` makes them of the tables of UTS 39.
include!(concat!(env!("OUT_DIR"), "/look_alikes.rs"));

/// The text in plain letters. Indian scripts keep theirs, without joiners.
pub(crate) fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.split_inclusive(char::is_whitespace).map(without_nought).collect();
    }
    let mut plain = String::with_capacity(text.len());
    for c in text.chars().flat_map(taken_apart) {
        let is_mark = is_combining_mark(c) && plain.ends_with(|c: char| c.is_ascii_alphabetic());
        if !is_mark {
            push_plain(&mut plain, c);
        }
    }
    plain.nfc().collect::<String>().split_inclusive(char::is_whitespace).map(without_nought).collect()
}

/// How many letters one letter may become: `ﷺ` is 18 of them, and no word that anybody looks for.
const MOST: usize = 4;

fn taken_apart(c: char) -> Vec<char> {
    let mut parts = Vec::new();
    decompose_compatible(c, |part| parts.push(part));
    if parts.len() > MOST { vec![c] } else { parts }
}

fn push_plain(text: &mut String, c: char) {
    if c.is_ascii() || is_indian(c) {
        text.push(c);
    } else if let Ok(at) = LOOK_ALIKES.binary_search_by_key(&c, |(letter, _)| *letter) {
        text.push_str(LOOK_ALIKES[at].1);
    } else if !is_unseen(c) {
        text.push(c);
    }
}

fn is_unseen(c: char) -> bool {
    UNSEEN.iter().any(|(first, last)| (*first..=*last).contains(&c))
}

fn is_indian(c: char) -> bool {
    ('\u{900}'..='\u{D7F}').contains(&c)
}

/// `0TP` is read as letters; a word with other digits stays as it is.
fn without_nought(word: &str) -> String {
    let digits: String = word.matches(|c: char| c.is_ascii_digit()).collect();
    let is_disguised = digits == "0" && word.chars().filter(|c| c.is_ascii_alphabetic()).count() > 1;
    if is_disguised { word.replace('0', "O") } else { word.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::folded;

    #[test]
    fn a_text_is_read_as_its_readers_see_it() {
        for (text, wanted) in [
            ("Ｓｅｎｄ ｙｏｕｒ ＯＴＰ", "Send your OTP"),
            ("Send ОТР", "Send OTP"),
            ("Send ΟΤΡ", "Send OTP"),
            ("ѕеnd thе раѕѕwоrd and the РІN", "send the password and the PIN"),
            ("O\u{200b}T\u{200d}P and pass\u{ad}word", "OTP and password"),
            ("O\u{332}T\u{332}P\u{332}", "OTP"),
            ("𝗢𝗧𝗣 or Ⓞⓣⓟ or 0TP", "OTP or Otp or OTP"),
            ("పాస్\u{200c}వర్డ్", "పాస్వర్డ్"),
            ("पढ़ाई ૧૨ – “हाँ” 100 SBIN0001234", "पढ़ाई ૧૨ – “हाँ” 100 SBIN0001234"),
        ] {
            let wanted: String = unicode_normalization::UnicodeNormalization::nfkc(wanted).collect();
            assert_eq!(folded(text), wanted);
        }
    }
}
