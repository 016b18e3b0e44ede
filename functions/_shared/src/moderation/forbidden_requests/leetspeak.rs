//! Digits and signs that stand for letters: `P1N` and `p@ssword`.

use super::lists::LISTS;

/// Letters that a sign may stand for. A sign that looks like two letters is tried as each.
const SIGNS: [[(char, char); 7]; 2] = [
    [('0', 'o'), ('1', 'i'), ('3', 'e'), ('4', 'a'), ('5', 's'), ('@', 'a'), ('$', 's')],
    [('0', 'o'), ('1', 'l'), ('3', 'e'), ('7', 't'), ('5', 's'), ('@', 'a'), ('$', 's')],
];

/// The text with such words in letters, where they are words that the rules look for.
pub(super) fn undisguised(text: &str) -> String {
    text.split_inclusive(char::is_whitespace)
        .map(|word| plain(word).unwrap_or_else(|| word.to_owned()))
        .collect()
}

fn plain(word: &str) -> Option<String> {
    let signs = |c: char| SIGNS.iter().flatten().any(|(sign, _)| *sign == c);
    if !word.contains(signs) || !word.contains(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let letters = |table: &[(char, char)]| -> String {
        let letter = |c| table.iter().find(|(sign, _)| *sign == c).map_or(c, |(_, letter)| *letter);
        word.chars().map(letter).collect()
    };
    SIGNS.iter().map(|table| letters(table)).find(|word| is_listed(word))
}

fn is_listed(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let lists = [&LISTS.secrets, &LISTS.numbers, &LISTS.asking, &LISTS.entering];
    lists.iter().any(|list| {
        list.iter().any(|entry| {
            word.strip_prefix(entry.trim_end_matches('*')).is_some_and(|end| ["", "s"].contains(&end))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::undisguised;

    #[test]
    fn a_sign_is_a_letter_where_it_makes_a_word_that_is_looked_for() {
        for (text, wanted) in [
            ("Send your P1N now", "Send your PiN now"),
            ("p@ssword, pa55word and pas$word!", "password, password and password!"),
            ("5end 0TP", "send oTP"),
            ("Room 1B at 10 a.m., Rs 500, form 4A", "Room 1B at 10 a.m., Rs 500, form 4A"),
        ] {
            assert_eq!(undisguised(text), wanted);
        }
    }
}
