//! Words that are spelt out: `O.T.P.`, `O T P` and `ओ.टी.पी.`.

use unicode_segmentation::UnicodeSegmentation;

use crate::moderation::rules::count_steps;

/// A word, and what stands between it and the next one.
type Piece<'a> = (&'a str, &'a str);

/// Joins single letters that dots, hyphens or, in Latin script, spaces part.
pub(super) fn joined(text: &str) -> String {
    let pieces = pieces(text);
    let mut joined = String::with_capacity(text.len());
    let mut at = 0;
    while at < pieces.len() {
        let is_owning = at > 0 && pieces[at - 1].1.ends_with(['\'', '’']);
        let end = if is_owning { at } else { end_of_run(&pieces, at) };
        pieces[at..=end].iter().for_each(|(word, _)| joined.push_str(word));
        let is_inside = end > at && !ends_a_sentence(&pieces, end);
        joined.push_str(if is_inside { " " } else { pieces[end].1 });
        at = end + 1;
    }
    joined
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let word = rest.find(is_gap).unwrap_or(rest.len());
        let gap = rest[word..].find(|c| !is_gap(c)).unwrap_or(rest.len() - word);
        pieces.push((&rest[..word], &rest[word..word + gap]));
        rest = &rest[word + gap..];
    }
    pieces
}

fn is_gap(c: char) -> bool {
    c.is_whitespace() || c.is_ascii_punctuation() || ['।', '’'].contains(&c)
}

/// Returns where the joined letters end that begin here. A single word is its own end. No step is
/// taken twice: visited letters are joined, except a single letter behind this one.
fn end_of_run(pieces: &[Piece<'_>], at: usize) -> usize {
    let run = |gaps: &[&str], is_letter: fn(&str) -> bool| {
        let goes_on = |pair: &[Piece<'_>]| {
            count_steps(1);
            gaps.contains(&pair[0].1) && is_letter(pair[0].0) && is_letter(pair[1].0)
        };
        at + pieces[at..].windows(2).take_while(|pair| goes_on(pair)).count()
    };
    let (dotted, hyphened) = (run(&["."], is_letter), run(&["-"], is_latin_letter));
    let spaced = run(&[".", "-", ". ", " "], is_latin_letter);
    let is_latin = is_latin_letter(pieces[at].0);
    match dotted.max(hyphened) {
        tight if tight >= at + 2 || !is_latin => tight,
        _ if spaced >= at + 2 => spaced,
        _ => dotted,
    }
}

fn is_letter(word: &str) -> bool {
    word.graphemes(true).nth(1).is_none() && word.starts_with(char::is_alphabetic)
}

fn is_latin_letter(word: &str) -> bool {
    word.len() == 1 && word.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// Returns whether the character behind the letters ends the sentence, and is not the dot of the
/// last letter.
fn ends_a_sentence(pieces: &[Piece<'_>], end: usize) -> bool {
    let is_dot = matches!(pieces[end].1, "." | ". ");
    let next = pieces.get(end + 1);
    !is_dot || next.is_none_or(|(word, _)| begins_a_sentence(word))
}

/// A capital letter begins a sentence; a word all in capitals, such as "PIN", may stand anywhere.
fn begins_a_sentence(word: &str) -> bool {
    let is_shouted = word.len() > 1 && word.chars().all(char::is_uppercase);
    word.starts_with(char::is_uppercase) && !is_shouted
}

#[cfg(test)]
mod tests {
    use super::joined;
    use crate::moderation::rules::STEPS;

    #[test]
    fn letters_that_spell_a_word_are_one_word() {
        for (text, wanted) in [
            ("Forward the O.T.P. you get", "Forward the OTP you get"),
            ("Send the O T P now", "Send the OTP now"),
            ("Your A.T.M. PIN", "Your ATM PIN"),
            ("C-V-V please", "CVV please"),
            ("S-e-n-d y-o-u-r O-T-P", "Send your OTP"),
            ("S.e.n.d y.o.u.r O.T.P", "Send your OTP"),
            ("ओ.टी.पी. भेजें", "ओटीपी भेजें"),
            ("Come at 5 p.m. Bring a hat.", "Come at 5 pm. Bring a hat."),
            ("The child's O T P", "The child's OTP"),
            ("The child’s O T P", "The child’s OTP"),
            ("न दे तो", "न दे तो"),
            ("Plan A. I will come.", "Plan A. I will come."),
        ] {
            assert_eq!(joined(text), wanted);
        }
    }

    #[test]
    fn twice_as_many_letters_are_joined_in_twice_the_steps() {
        let steps = |text: &str| {
            STEPS.set(0);
            joined(text);
            STEPS.get()
        };
        for letter in ["જ ", "ન ", "ज.", "a ", "a-", "a. ", "ﷺ "] {
            let (once, twice) = (steps(&letter.repeat(1000)), steps(&letter.repeat(2000)));
            assert!(once > 0 && twice * 10 <= once * 21, "{letter:?}: {once} and {twice} steps");
        }
    }
}
