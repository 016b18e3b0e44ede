//! The rows of a line: a fact with its label, or several facts behind one another, and sentences
//! between them.

use serde::Serialize;

/// A row: a fact, with its label where it has one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Row {
    /// The text before the colon; empty without one.
    pub label: String,
    /// The fact.
    pub value: String,
}

impl Row {
    /// `Venue: School hall`: a label of at most four words, and something behind it that is no time
    /// or address. A well-known one may have a hyphen for its colon.
    pub(crate) fn of(line: &str) -> Self {
        let colon = line.split_once(':').filter(|(label, value)| {
            let words = label.split_whitespace().count();
            (1..=4).contains(&words)
                && label.chars().count() <= 30
                && !label.ends_with(|c: char| c.is_numeric())
                && !value.trim().is_empty()
                && !value.starts_with("//")
        });
        match dashed(line).or(colon) {
            Some((label, value)) => Self { label: label.trim().to_owned(), value: value.trim().to_owned() },
            None => Self { label: String::new(), value: line.to_owned() },
        }
    }
}

/// `Venue - School hall`, and `Date-10.12.2026`, but no word with a hyphen in it.
fn dashed(line: &str) -> Option<(&str, &str)> {
    let (label, value) = line.split_once(['-', '–'])?;
    let is_apart = label.ends_with(' ') || value.starts_with(|c: char| c == ' ' || c.is_numeric());
    (is_apart && is_known(label.trim()) && !value.trim().is_empty()).then_some((label, value))
}

/// The facts of a line, each with its label: `Time: 9 a.m. Venue: School hall` has two, and a
/// sentence behind a fact is a row of its own. Where something within a fact looks like a label,
/// too, as in a list of days with their times, it is one fact up to the next full stop.
pub(crate) fn rows_of(line: &str) -> Vec<Row> {
    let goes_on =
        |fact: &&mut String| !Row::of(&Row::of(fact).value).label.is_empty() && !ends_a_sentence(fact);
    let mut facts: Vec<String> = Vec::new();
    for piece in pieces(line) {
        match facts.last_mut().filter(goes_on) {
            Some(list) => *list = format!("{list} {piece}"),
            None => facts.push(piece.to_owned()),
        }
    }
    if facts.iter().filter(|fact| !Row::of(fact).label.is_empty()).count() < 2 {
        return vec![Row::of(line)];
    }
    let rows: Vec<&str> = facts.iter().flat_map(|fact| fact_and_sentence(fact)).collect();
    let last = rows.len() - 1;
    let row = |(at, row): (usize, &str)| {
        let ends_a_sentence = is_sentence(row) && (at == last || Row::of(row).label.is_empty());
        Row::of(if ends_a_sentence { row.trim_end_matches([',', ';', '|']) } else { without_stop(row) })
    };
    rows.into_iter().enumerate().map(row).collect()
}

/// The most words of a fact that is no sentence.
const FACT: usize = 6;

/// Whether a row ends with the stop of a sentence, and not with one that parts it from the next.
fn is_sentence(row: &str) -> bool {
    let Row { label, value } = Row::of(row);
    let words = value.split_whitespace().count();
    if label.is_empty() { words >= least(&value) } else { words > FACT }
}

/// The fewest words of a sentence that is a row of its own.
const SENTENCE: usize = 3;

/// The same in Indian languages, where endings stand for small words.
const SENTENCE_WITH_ENDINGS: usize = 2;

fn least(text: &str) -> usize {
    if text.is_ascii() { SENTENCE } else { SENTENCE_WITH_ENDINGS }
}

/// A fact, and the sentence behind it where there is one:
/// `Venue: School hall. Each pupil brings a model` has both. The stop of an hour is its own, so
/// that a sentence behind it shows by a word more.
fn fact_and_sentence(piece: &str) -> Vec<&str> {
    let begins = |text: &str, least: usize| {
        text.starts_with(|c: char| c.is_alphabetic() && !c.is_lowercase())
            && text.split_whitespace().count() >= least
    };
    let is_cut = |at: &usize| {
        let (before, behind) = (&piece[..*at], &piece[at + 1..]);
        let is_fact = || !Row::of(behind).label.is_empty();
        let after_hour = || ends_with_hour(before) && begins(behind, least(behind) + 1) && !is_fact();
        (ends_a_sentence(before) && begins(behind, least(behind))) || after_hour()
    };
    let cut = piece.match_indices(' ').map(|(at, _)| at).find(is_cut);
    match cut.filter(|_| !Row::of(piece).label.is_empty()) {
        Some(at) => vec![&piece[..at], &piece[at + 1..]],
        None => vec![piece],
    }
}

/// Whether a text ends with an hour whose last word is shortened: `8.45 a.m.`, `9pm.`, `३ वा.`.
fn ends_with_hour(text: &str) -> bool {
    let mut words = text.split_whitespace().rev();
    let word = words.next().unwrap_or_default();
    let bare = word.trim_start_matches(|c: char| c.is_numeric() || ".:".contains(c));
    let has_number =
        bare.len() < word.len() || words.next().is_some_and(|word| word.ends_with(char::is_numeric));
    has_number && SHORT_HOURS.contains(&bare.to_lowercase().as_str())
}

/// Shortened words behind an hour.
const SHORT_HOURS: &[&str] = &["a.m.", "p.m.", "am.", "pm.", VA];

/// The Marathi one, of `वाजता`.
const VA: &str = "वा.";

/// The fewest letters and signs of a word in front of a full stop, since a shorter one may be
/// shortened.
const WORD: usize = 4;

/// Whether a text ends with a full stop that is no part of a shortened word.
fn ends_a_sentence(text: &str) -> bool {
    let mut words = text.split_whitespace().rev();
    let word = words.next().unwrap_or_default();
    let bare = word.trim_end_matches('.');
    let is_whole = !SHORTENED.contains(&word) && !is_initial(word, words.next());
    let is_word = bare.chars().count() >= WORD && !bare.contains('.') && is_whole;
    text.ends_with('।') || (text.ends_with('.') && is_word)
}

/// Characters that may end a fact before the label of the next one.
const STOPS: &[char] = &['.', '।', ';', ',', '|'];

/// Words that end with a point and no sentence with it.
const SHORTENED: &[&str] = &[
    "Dr.",
    "Mr.",
    "Mrs.",
    "Ms.",
    "Shri.",
    "Smt.",
    "Prof.",
    "St.",
    "No.",
    "Mob.",
    "Ph.",
    "Tel.",
    "Rs.",
    "डॉ.",
    "श्री.",
    "सौ.",
    "प्रा.",
    "रु.",
    "ડૉ.",
    "શ્રી.",
    "રૂ.",
];

/// A line cut before every label behind a stop, and before every well-known one.
fn pieces(line: &str) -> Vec<&str> {
    let ends = |before: &str| {
        let mut words = before.split_whitespace().rev();
        let word = words.next().unwrap_or_default();
        before.ends_with(STOPS) && !SHORTENED.contains(&word) && !is_initial(word, words.next())
    };
    let is_cut = |at: &usize| {
        let (before, behind) = (line[..*at].trim_end(), &line[at + 1..]);
        (ends(before) && begins_with_label(behind)) || (may_end(before) && begins_with_known_label(behind))
    };
    let mut pieces = Vec::new();
    let mut from = 0;
    for at in line.match_indices(' ').map(|(at, _)| at).filter(is_cut) {
        pieces.push(line[from..at].trim());
        from = at + 1;
    }
    pieces.push(line[from..].trim());
    pieces
}

/// Whether a word is an initial of a name, as the one in `Dr. S. Rao`: behind a title or another
/// initial.
fn is_initial(word: &str, before: Option<&str>) -> bool {
    before.is_some_and(|before| {
        let is_title =
            SHORTENED.iter().any(|title| title.trim_end_matches('.') == before.trim_end_matches('.'));
        is_letters(word) && (is_title || is_letters(before))
    })
}

/// `S.` or `A.P.J.`, also as Indian scripts write Latin letters.
fn is_letters(word: &str) -> bool {
    let is_latin = |letter: &str| letter.len() == 1 && letter.starts_with(|c: char| c.is_ascii_uppercase());
    let is_indian = |letter: &str| {
        let is_short = !letter.is_ascii() && letter.chars().count() <= SYLLABLE;
        is_short || LETTERS.contains(&letter)
    };
    word.strip_suffix('.')
        .is_some_and(|letters| letters.split('.').all(|letter| is_latin(letter) || is_indian(letter)))
}

/// The most letters and signs of one syllable of Indian scripts, as names in them are shortened to.
const SYLLABLE: usize = 2;

/// Longer names of Latin letters in Devanagari and Gujarati.
const LETTERS: &[&str] = &[
    "एफ",
    "एच",
    "आई",
    "आय",
    "एल",
    "एम",
    "एन",
    "क्यू",
    "आर",
    "एस",
    "व्ही",
    "डब्ल्यू",
    "डब्लू",
    "एक्स",
    "वाई",
    "वाय",
    "ज़ेड",
    "जेड",
    "झेड",
    "એફ",
    "એચ",
    "આઈ",
    "એલ",
    "એમ",
    "એન",
    "ક્યુ",
    "આર",
    "એસ",
    "ડબલ્યુ",
    "ડબ્લ્યુ",
    "એક્સ",
    "વાય",
    "ઝેડ",
];

/// At most three words with a colon behind them, the first one with a capital letter where the
/// script has any.
fn begins_with_label(text: &str) -> bool {
    let label = Row::of(text).label;
    let begins = label.starts_with(|c: char| c.is_alphabetic() && !c.is_lowercase());
    let mut words = label.split_whitespace();
    begins
        && words.clone().count() <= 3
        && words.all(|word| SHORTENED.contains(&word) || !word.contains(STOPS))
}

/// A label that stands before nothing but a fact of its own, so that it needs no stop before it.
fn begins_with_known_label(text: &str) -> bool {
    let label = Row::of(text).label;
    !label.starts_with(char::is_lowercase) && is_known(&label)
}

fn is_known(label: &str) -> bool {
    KNOWN_LABELS.contains(&label.to_lowercase().as_str())
}

/// Whether a fact may end here without a stop: with a word that can be no part of the label behind
/// it, as `Last` of `Last Date:`.
fn may_end(before: &str) -> bool {
    let word = before.split_whitespace().next_back().unwrap_or_default();
    word.starts_with(char::is_lowercase) || word.contains(char::is_numeric) || HOURS.contains(&word)
}

/// Words behind an hour.
const HOURS: &[&str] = &["बजे", "तक", "वाजता", "वाजेपर्यंत", "વાગ્યે", "સુધી"];

/// Labels of the facts of nearly every message.
const KNOWN_LABELS: &[&str] = &[
    "date",
    "time",
    "venue",
    "place",
    "contact",
    "fee",
    "दिनांक",
    "समय",
    "स्थान",
    "शुल्क",
    "संपर्क",
    "वेळ",
    "ठिकाण",
    "તારીખ",
    "સમય",
    "સ્થળ",
    "ફી",
    "સંપર્ક",
];

/// A fact without the stop that parted it from the next one; the one of `9 a.m.` is its own.
fn without_stop(piece: &str) -> &str {
    let piece = piece.trim_end_matches([',', ';', '|', '।']).trim_end();
    let word = piece.split_whitespace().next_back().unwrap_or_default();
    let is_shortened = SHORTENED.contains(&word) || word == VA || word.trim_end_matches('.').contains('.');
    if is_shortened { piece } else { piece.trim_end_matches('.') }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_a_short_label_become_rows() {
        let table = [
            ("Venue: School hall", ("Venue", "School hall")),
            ("10:00 a.m. to 12:00 noon", ("", "10:00 a.m. to 12:00 noon")),
            ("see https://school.example/x", ("", "see https://school.example/x")),
            ("https://school.example/x", ("", "https://school.example/x")),
            ("समय: प्रातः 10:00 बजे", ("समय", "प्रातः 10:00 बजे")),
            (
                "Please remember one very important thing: water",
                ("", "Please remember one very important thing: water"),
            ),
        ];
        for (line, (label, value)) in table {
            assert_eq!(Row::of(line), Row { label: label.to_owned(), value: value.to_owned() }, "{line}");
        }
    }

    #[test]
    fn facts_in_one_line_are_one_row_each() {
        let table: [(&str, &[(&str, &str)]); 21] = [
            (
                "Date - 10.12.2026, Time - 9 a.m., Venue - School hall",
                &[("Date", "10.12.2026"), ("Time", "9 a.m."), ("Venue", "School hall")],
            ),
            (
                "Fee – Rs. 50; Place-wise list: see below",
                &[("Fee", "Rs. 50"), ("Place-wise list", "see below")],
            ),
            (
                "Reporting time: 8.45 a.m. Pupils must bring I.D. cards. Venue: School hall",
                &[
                    ("Reporting time", "8.45 a.m."),
                    ("", "Pupils must bring I.D. cards."),
                    ("Venue", "School hall"),
                ],
            ),
            (
                "Time: 9 a.m. Monday to Friday. Venue: Hall",
                &[("Time", "9 a.m. Monday to Friday"), ("Venue", "Hall")],
            ),
            ("वेळ: दु. ३ वा., स्थळ: शाळेचे मैदान", &[("वेळ", "दु. ३ वा."), ("स्थळ", "शाळेचे मैदान")]),
            (
                "ठिकाण: मैदान. वेळ: दु. ३ वा. सर्वांनी गणवेशात यावे.",
                &[("ठिकाण", "मैदान"), ("वेळ", "दु. ३ वा."), ("", "सर्वांनी गणवेशात यावे.")],
            ),
            ("वेळ: सकाळी ११ वाजता. ठिकाण: शाळेचे सभागृह.", &[("वेळ", "सकाळी ११ वाजता"), ("ठिकाण", "शाळेचे सभागृह")]),
            (
                "Time: 9 a.m. to 1:30 p.m. Venue: School hall; Chief guest: Dr. Rao",
                &[("Time", "9 a.m. to 1:30 p.m."), ("Venue", "School hall"), ("Chief guest", "Dr. Rao")],
            ),
            (
                "समय: सुबह 9:30 से 12 बजे तक स्थान: कक्षा 8-अ।",
                &[("समय", "सुबह 9:30 से 12 बजे तक"), ("स्थान", "कक्षा 8-अ")],
            ),
            (
                "समय: प्रातः 10:00 बजे। स्थान: सभागार। शुल्क: ₹ 50",
                &[("समय", "प्रातः 10:00 बजे"), ("स्थान", "सभागार"), ("शुल्क", "₹ 50")],
            ),
            (
                "We go by bus. Time: 8 a.m., Bring: cap, bottle and lunch",
                &[("", "We go by bus."), ("Time", "8 a.m."), ("Bring", "cap, bottle and lunch")],
            ),
            ("Fee: ₹ 500, Last Date: 15 January", &[("Fee", "₹ 500"), ("Last Date", "15 January")]),
            ("Fee: ₹ 1,200 | Last date: 20 January", &[("Fee", "₹ 1,200"), ("Last date", "20 January")]),
            (
                "Date: 10.12.2026 Time: 9 a.m. Venue: School hall. Each pupil brings one model. Contact: Mr. A. Sharma",
                &[
                    ("Date", "10.12.2026"),
                    ("Time", "9 a.m."),
                    ("Venue", "School hall"),
                    ("", "Each pupil brings one model."),
                    ("Contact", "Mr. A. Sharma"),
                ],
            ),
            (
                "पाहुणे: श्री. डब्ल्यू. एस. राव. समय: सकाळी १० वाजता. ठिकाण: सभागृह",
                &[("पाहुणे", "श्री. डब्ल्यू. एस. राव"), ("समय", "सकाळी १० वाजता"), ("ठिकाण", "सभागृह")],
            ),
            (
                "Guest: Dr. S. Rao Topic: Robots. Time: 9:30 am",
                &[("Guest", "Dr. S. Rao Topic: Robots"), ("Time", "9:30 am")],
            ),
            (
                "Guest: Shri A.P.J. Kumar, poet. Class: VII A. Mob. No.: 98250",
                &[("Guest", "Shri A.P.J. Kumar, poet"), ("Class", "VII A"), ("Mob. No.", "98250")],
            ),
            (
                "Time: 10 a.m. Venue: School hall. Each pupil brings one model. Entry fee Rs. 50.",
                &[
                    ("Time", "10 a.m."),
                    ("Venue", "School hall"),
                    ("", "Each pupil brings one model. Entry fee Rs. 50."),
                ],
            ),
            (
                "वेळ: सकाळी ११ वाजता. ठिकाण: शाळेचे सभागृह. प्रगतिपुस्तक मिळेल. शुल्क: ₹ 50",
                &[
                    ("वेळ", "सकाळी ११ वाजता"),
                    ("ठिकाण", "शाळेचे सभागृह"),
                    ("", "प्रगतिपुस्तक मिळेल."),
                    ("शुल्क", "₹ 50"),
                ],
            ),
            (
                "स्थान: मैदान। अतिथि: डॉ. ए. के. सिंह, सभी विद्यार्थी वर्दी में आएँ।",
                &[("स्थान", "मैदान"), ("अतिथि", "डॉ. ए. के. सिंह, सभी विद्यार्थी वर्दी में आएँ।")],
            ),
            (
                "Account No.: 123. Last date: 15 June. Timings: Mon to Fri: 9 a.m. Sat: 10 a.m.",
                &[
                    ("Account No.", "123"),
                    ("Last date", "15 June"),
                    ("Timings", "Mon to Fri: 9 a.m. Sat: 10 a.m."),
                ],
            ),
        ];
        for (line, expected) in table {
            let found = rows_of(line);
            let found: Vec<(&str, &str)> =
                found.iter().map(|fact| (fact.label.as_str(), fact.value.as_str())).collect();
            assert_eq!(found, expected, "{line}");
        }
    }

    #[test]
    fn a_line_that_only_looks_like_several_facts_stays_whole() {
        for line in [
            "Timings: Monday: 9 a.m., Tuesday: 10 a.m.",
            "Chief guest: Dr. Rao: a poet of our town",
            "Please come at 9:30. We begin at 10:00.",
            "Bring: pens, paper. the rest: from school",
            "Theme: water. See https://school.example/x",
            "Please come early. Parking: behind the school",
            "Winners: Asha: first, Ravi: second",
            "Note: the Reporting Time: 8 a.m.",
            "Contact: Mr. A. Sharma Mobile: 9876543210",
            "Contact: Mr A. Sharma Mobile: 9876543210",
            "Note: Please come early. Parking is behind the school.",
        ] {
            assert_eq!(rows_of(line), [Row::of(line)], "{line}");
        }
    }
}
