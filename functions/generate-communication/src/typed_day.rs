//! The day of the event as teachers type it among the details.

use banyan_functions::dates::Day;
use banyan_functions::sanitise;

/// Whether a text is this day and nothing else: `10 Dec`, `10th December, 2026`,
/// `Thursday, 10/12/2026`, `१० डिसेंबर`. Two numbers alone may be classes or a time, and a day of
/// the week that is not that of the date is left to its reader.
pub(crate) fn is_day(text: &str, day: Day, weekday: &str) -> bool {
    let (date, weekday) = (day.to_string(), weekday.to_lowercase());
    let words = words_of(text);
    let words: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| !is_short_for(word, &weekday)).collect();
    let this_year = &date[6..];
    let typed = match words[..] {
        [year, month, day] if number(year) > Some(999) => (day, month, year),
        [month, day, year] if month_of(month).is_some() => (day, month, year),
        [day, month, year] => (day, month, year),
        [month, day] if month_of(month).is_some() => (day, month, this_year),
        [day, month] if month_of(month).is_some() => (day, month, this_year),
        _ => return false,
    };
    read(typed) == Some(day)
}

/// A text that begins with this day, cut behind all that is of it.
pub(crate) fn cut_behind_day<'t>(text: &'t str, day: Day, weekday: &str) -> Option<(&'t str, &'t str)> {
    let is_end = |at: &usize| text[..*at].ends_with(|c: char| !c.is_whitespace() && !"-–/|(&".contains(c));
    let spaces = text.match_indices(' ').map(|(at, _)| at).filter(is_end).take(DAY_WORDS);
    let cut =
        spaces.filter(|at| is_day(&text[..*at], day, weekday) && is_whole(&text[..*at], weekday)).last()?;
    Some((&text[..cut], text[cut..].trim_start()))
}

/// Whether what is taken for a day has nothing that may belong to what follows: the 26 of
/// `10 Dec 26 pupils`, or a second day of the week.
fn is_whole(typed: &str, weekday: &str) -> bool {
    let words = words_of(typed);
    let weekday = weekday.to_lowercase();
    let is_number_alone = typed
        .rsplit(char::is_whitespace)
        .next()
        .is_some_and(|word| word.chars().count() == 2 && word.chars().all(char::is_numeric));
    let names_month_before = words.iter().rev().skip(1).any(|word| month_of(word).is_some());
    let weekdays = words.iter().filter(|word| is_short_for(word, &weekday)).count();
    weekdays < 2 && !(is_number_alone && names_month_before)
}

/// Whether a text names a date, as `11 Dec`, `Dec 11` or `12/12/2026`.
pub(crate) fn names_date(text: &str) -> bool {
    let words = words_of(text);
    let is_date = |pair: &[String]| {
        let one = number(&pair[0]).is_some() && month_of(&pair[1]).is_some();
        one || (month_of(&pair[0]).is_some() && number(&pair[1]).is_some())
    };
    let in_numbers = |three: &[String]| {
        let parts: Vec<u16> = three.iter().filter_map(|word| number(word)).collect();
        matches!(parts[..], [day, month, year] if (1..=31).contains(&day) && (1..=12).contains(&month) && year > 2000)
    };
    words.windows(2).any(is_date) || words.windows(3).any(in_numbers)
}

/// The most words of a day: `Thursday, the 10th of December, 2026`, and a sign or two between them.
const DAY_WORDS: usize = 8;

fn read((day, month, year): (&str, &str, &str)) -> Option<Day> {
    let month = month_of(month).or_else(|| number(month))?;
    let year = number(year).map(|year| if year < 100 { 2000 + year } else { year })?;
    Day::parse(&format!("{}-{month}-{year}", number(day)?))
}

/// The words and numbers, in small letters and with the digits 0 to 9 whatever the script.
fn words_of(text: &str) -> Vec<String> {
    let text = sanitise::in_ascii_digits(text).to_lowercase();
    let parts = |c: char| c.is_whitespace() || ",.-/()।;|".contains(c);
    text.split(parts).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// `10`, and `10th`.
fn number(word: &str) -> Option<u16> {
    let bare = ["st", "nd", "rd", "th"].iter().find_map(|ending| word.strip_suffix(ending)).unwrap_or(word);
    bare.parse().ok()
}

fn month_of(word: &str) -> Option<u16> {
    (1..).zip(MONTHS).find(|(_, names)| names.iter().any(|name| is_short_for(word, name))).map(|(no, _)| no)
}

/// `dec` for `december`; in other scripts the word is whole.
fn is_short_for(word: &str, name: &str) -> bool {
    word == name || (word.is_ascii() && word.len() >= 3 && name.starts_with(word))
}

/// The months in the languages of the messages: English, Hindi, Marathi, Gujarati, Telugu, Kannada.
const MONTHS: [&[&str]; 12] = [
    &["january", "जनवरी", "जानेवारी", "જાન્યુઆરી", "జనవరి", "ಜನವರಿ"],
    &["february", "फरवरी", "फ़रवरी", "फेब्रुवारी", "ફેબ્રુઆરી", "ఫిబ్రవరి", "ಫೆಬ್ರವರಿ"],
    &["march", "मार्च", "માર્ચ", "మార్చి", "ಮಾರ್ಚ್"],
    &["april", "अप्रैल", "एप्रिल", "એપ્રિલ", "ఏప్రిల్", "ಏಪ್ರಿಲ್"],
    &["may", "मई", "मे", "મે", "మే", "ಮೇ"],
    &["june", "जून", "જૂન", "జూన్", "ಜೂನ್"],
    &["july", "जुलाई", "जुलै", "જુલાઈ", "జూలై", "ಜುಲೈ"],
    &["august", "अगस्त", "ऑगस्ट", "ઓગસ્ટ", "ఆగస్టు", "ಆಗಸ್ಟ್"],
    &["september", "सितंबर", "सितम्बर", "सप्टेंबर", "સપ્ટેમ્બર", "సెప్టెంబర్", "ಸೆಪ್ಟೆಂಬರ್"],
    &["october", "अक्टूबर", "अक्तूबर", "ऑक्टोबर", "ઓક્ટોબર", "అక్టోబర్", "ಅಕ್ಟೋಬರ್"],
    &["november", "नवंबर", "नवम्बर", "नोव्हेंबर", "નવેમ્બર", "నవంబర్", "ನವೆಂಬರ್"],
    &["december", "दिसंबर", "दिसम्बर", "डिसेंबर", "ડિસેમ્બર", "డిసెంబర్", "ಡಿಸೆಂಬರ್"],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_known_in_the_ways_teachers_write_it() {
        let day = Day::parse("2026-12-10").expect("a day");
        for text in [
            "10-12-2026",
            "10/12/26",
            "10 Dec",
            "10 Dec.",
            "10th December, 2026",
            "December 10",
            "Thursday, 10 Dec 2026",
            "10-12-2026 (Thu)",
            "2026-12-10",
            "१० डिसेंबर",
            "10 दिसंबर 2026",
            "૧૦ ડિસેમ્બર",
        ] {
            assert!(is_day(text, day, "Thursday"), "{text}");
        }
        for text in [
            "",
            "Thursday",
            "10",
            "10-12",
            "10.12",
            "11 Dec",
            "10 Dec 2027",
            "Friday, 10 Dec",
            "10 Dec, 9 a.m.",
            "10 to 12 Dec",
            "10-12-2026 to 12-12-2026",
            "December",
            "10 De",
        ] {
            assert!(!is_day(text, day, "Thursday"), "{text}");
        }
        assert!(is_day("गुरुवार, १० डिसेंबर २०२६", day, "गुरुवार"));
    }
}
