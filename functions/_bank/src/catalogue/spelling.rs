/// The sign that joins two consonants.
const HALANT: char = '\u{094D}';

/// The dot for a nasal before a consonant.
const ANUSVARA: char = '\u{0902}';

/// The nasals of the five rows of consonants; the four others of a row stand right before it.
const NASALS: [char; 5] = ['ङ', 'ञ', 'ण', 'न', 'म'];

/// A text in the one spelling that its many spellings share: small letters; letters of the Indian
/// scripts as those of Devanagari, since Unicode has them all in one order; no nukta and no
/// joiners; a nasal before a consonant of its own row, and a chandrabindu, as anusvara (सम्बन्ध,
/// संबंध); no halant at the end of a word (विद्युत्, विद्युत).
pub fn folded(text: &str) -> String {
    let letters: Vec<char> = text.to_lowercase().chars().filter_map(plain).collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(letter) = letters.get(at) {
        let after = |steps: usize| letters.get(at + steps).copied();
        if is_row_nasal(*letter, after(1), after(2)) {
            out.push(ANUSVARA);
            at += 1;
        } else if *letter != HALANT || after(1).is_some_and(is_devanagari) {
            out.push(*letter);
        }
        at += 1;
    }
    out
}

/// Whether the letter is a nasal joined to a consonant of its row.
fn is_row_nasal(letter: char, next: Option<char>, joined: Option<char>) -> bool {
    let row = |consonant: char| (1..=4).contains(&(u32::from(letter).wrapping_sub(u32::from(consonant))));
    NASALS.contains(&letter) && next == Some(HALANT) && joined.is_some_and(row)
}

fn is_devanagari(letter: char) -> bool {
    ('\u{0900}'..='\u{097F}').contains(&letter)
}

/// A letter without what is left out as often as written; nothing for a sign that is only that.
fn plain(letter: char) -> Option<char> {
    let letter = match letter {
        '\u{0900}'..='\u{0D7F}' => char::from_u32(0x0900 + (u32::from(letter) - 0x0900) % 0x80)?,
        _ => letter,
    };
    match letter {
        '\u{093C}' | '\u{200B}'..='\u{200D}' => None,
        '\u{0901}' => Some(ANUSVARA),
        'ऩ' => Some('न'),
        'ऱ' => Some('र'),
        'ऴ' => Some('ळ'),
        '\u{0958}'..='\u{095F}' => {
            ['क', 'ख', 'ग', 'ज', 'ड', 'ढ', 'फ', 'य'].get((u32::from(letter) - 0x0958) as usize).copied()
        }
        _ => Some(letter),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_word_fold_to_one() {
        let table = [
            ("विद्युत", "विद्युत्"),
            ("सम्बन्धित", "संबंधित"),
            ("चुम्बकीय", "चुंबकीय"),
            ("संख्याएँ", "संख्याएं"),
            ("श्रेढ़ी", "श्रेढी"),
            ("श्रे\u{0922}\u{093C}ी", "श्रे\u{095D}ी"),
            ("क्\u{200D}षेत्र", "क्षेत्र"),
            ("વિદ્યુત", "विद्युत"),
            ("ELECTRICITY", "electricity"),
        ];
        for (one, other) in table {
            assert_eq!(folded(one), folded(other));
        }
    }

    #[test]
    fn a_nasal_before_another_row_and_joined_letters_stay() {
        for text in ["जन्म", "मान्य", "तुम्हारा", "विज्ञान", "अम्ल"]
        {
            assert_eq!(folded(text), text);
        }
    }
}
