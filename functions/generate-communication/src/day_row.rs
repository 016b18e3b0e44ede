//! The row of the day of the event, which every communication has once.

use banyan_functions::dates::Day;
use banyan_functions::sanitise;

use crate::purpose::Purpose;
use crate::request::CommunicationRequest;
use crate::rows::{Row, rows_of};
use crate::typed_day::{cut_behind_day, is_day, names_date};
use crate::words::Words;

/// The facts with the day and its weekday: in place of one that is or begins with the date of the
/// event, since every fact appears once, or else first.
pub(crate) fn with_day(
    request: &CommunicationRequest,
    words: &Words,
    purpose: Purpose,
    mut facts: Vec<Row>,
) -> Vec<Row> {
    let event = Event { day: request.event, weekday: &words.weekdays[request.event.weekday()] };
    let is_it = |fact: &Row| {
        let (label, value) = label_and_value(fact);
        let is_of_event = purpose.is_deadline() || label.is_empty() || names_day(label);
        (is_of_event && event.is(value)).then(|| vec![event.row(label)])
    };
    let begins_with_it = |fact: &Row| {
        let (label, value) = label_and_value(fact);
        let is_of_event = !label.is_empty() && (purpose.is_deadline() || names_day(label));
        event.rows(label, value).filter(|_| is_of_event)
    };
    let first = |rows: &dyn Fn(&Row) -> Option<Vec<Row>>| {
        facts.iter().enumerate().find_map(|(at, fact)| Some((at, rows(fact)?)))
    };
    match first(&is_it).or_else(|| first(&begins_with_it)) {
        Some((at, rows)) => drop(facts.splice(at..=at, rows)),
        None => {
            let is_last = purpose.is_deadline() && !names_last_date(&request.key_details);
            facts.insert(0, event.row(words.heading(if is_last { "lastDate" } else { "date" })));
        }
    }
    facts
}

/// The day of the event, as it is printed.
struct Event<'a> {
    day: Day,
    weekday: &'a str,
}

impl Event<'_> {
    fn is(&self, text: &str) -> bool {
        is_day(text, self.day, self.weekday)
    }

    fn row(&self, label: &str) -> Row {
        Row { label: label.to_owned(), value: format!("{} ({})", self.day, self.weekday) }
    }

    /// The day in its row and what was typed behind it in rows of its own; an hour stays with the
    /// day. Nothing for several days.
    fn rows(&self, label: &str, text: &str) -> Option<Vec<Row>> {
        let (typed, behind) = cut_behind_day(text, self.day, self.weekday)?;
        let rest = behind.trim_start_matches(STOPS).trim_start();
        let is_parted = typed.ends_with(STOPS) || rest.len() < behind.len();
        let first = rest.split_whitespace().next()?.to_lowercase();
        let is_hour = is_hour(rest) || BEFORE_HOUR.contains(&first.as_str());
        // Text that may belong to the date, or is another date, stays as typed.
        let is_number = rest.starts_with(char::is_numeric) && !is_hour;
        let is_sign = !rest.starts_with(char::is_alphanumeric) && !is_hour;
        if is_number || is_sign || UP_TO.contains(&first.as_str()) || is_of_several_days(rest) {
            return None;
        }
        let begins = rest.starts_with(char::is_uppercase) || !Row::of(rest).label.is_empty();
        let mut row = self.row(label);
        if is_hour || !(is_parted || begins) {
            let stop = if is_parted { "," } else { "" };
            row.value = format!("{}{stop} {rest}", row.value);
            return Some(vec![row]);
        }
        Some(std::iter::once(row).chain(rows_of(rest)).collect())
    }
}

/// Returns whether a text begins with an hour: `9 a.m.`, `7:15`, `९ बजे`.
fn is_hour(text: &str) -> bool {
    let text = sanitise::in_ascii_digits(text).to_lowercase();
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = text.len() - rest.len();
    let has_minutes =
        rest.strip_prefix([':', '.']).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let names_hour = HOURS.iter().any(|word| rest.trim_start().starts_with(word));
    (1..=2).contains(&digits) && (has_minutes || names_hour)
}

/// Words behind an hour.
const HOURS: [&str; 8] = ["a.m", "p.m", "am", "pm", "o'clock", "बजे", "वा", "વાગ"];

/// Returns whether the first row of a text names another date. A date behind a label belongs to the
/// label.
fn is_of_several_days(text: &str) -> bool {
    rows_of(text).first().is_some_and(|row| row.label.is_empty() && names_date(&row.value))
}

/// Characters that may stand between the day and the text after it.
const STOPS: [char; 5] = [',', ';', '|', '.', '।'];

/// Words behind the first of several days.
const UP_TO: [&str; 19] = [
    "to",
    "upto",
    "through",
    "till",
    "until",
    "and",
    "or",
    "&",
    "-",
    "–",
    "से",
    "तक",
    "और",
    "या",
    "ते",
    "आणि",
    "થી",
    "અને",
    "నుండి",
];

/// Words before an hour.
const BEFORE_HOUR: [&str; 4] = ["at", "from", "by", "@"];

/// A fact's label and what it says of it, also where the label has no colon: `Date 12 Dec 2026`.
fn label_and_value(fact: &Row) -> (&str, &str) {
    let in_front = fact.value.split_once(' ').filter(|(word, _)| DAY.contains(&word.to_lowercase().as_str()));
    match in_front.filter(|_| fact.label.is_empty()) {
        Some((label, value)) => (label, value.trim_start()),
        None => (&fact.label, &fact.value),
    }
}

/// Words of a label that is of the day.
const DAY: [&str; 11] =
    ["date", "day", "when", "दिनांक", "तारीख", "तिथि", "दिन", "दिवस", "તારીખ", "తేదీ", "ದಿನಾಂಕ"];

/// Returns whether a label names the day of the event, and not a last date before it.
fn names_day(label: &str) -> bool {
    let lower = label.to_lowercase();
    DAY.iter().any(|word| lower.contains(word)) && !names_last_date(label)
}

/// Returns whether the details name a last date.
fn names_last_date(details: &str) -> bool {
    const LAST: [&str; 9] = [
        "last date",
        "last day",
        "due date",
        "अंतिम ति",
        "अंतिम ता",
        "शेवटची ता",
        "છેલ્લી તા",
        "చివరి తేదీ",
        "ಕೊನೆಯ ದಿನಾಂಕ",
    ];
    let details = details.to_lowercase();
    LAST.iter().any(|words| details.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_behind_the_day_is_kept_beside_it() {
        let day = Day::parse("2026-12-10").expect("a day");
        let event = Event { day, weekday: "Thursday" };
        let table: [(&str, &str, &[&str]); 8] = [
            ("10 DEC 2026 From 9 AM", "10-12-2026 (Thursday) From 9 AM", &[]),
            (
                "Thursday, 10th December 2026 Last date to register: 5/12/2026",
                "10-12-2026 (Thursday)",
                &["Last date to register: 5/12/2026"],
            ),
            ("10 Dec 2026, reporting time 7.15 am", "10-12-2026 (Thursday)", &[": reporting time 7.15 am"]),
            ("10/12/2026; Bring a cap", "10-12-2026 (Thursday)", &[": Bring a cap"]),
            ("10.12.2026 | Reporting time: 8 am", "10-12-2026 (Thursday)", &["Reporting time: 8 am"]),
            ("10th Dec. 2026 (Thu), 9 a.m.", "10-12-2026 (Thursday), 9 a.m.", &[]),
            ("10 Dec 2026 at 9 a.m. sharp", "10-12-2026 (Thursday) at 9 a.m. sharp", &[]),
            ("10 Dec 2026 को सुबह 9 बजे", "10-12-2026 (Thursday) को सुबह 9 बजे", &[]),
        ];
        for (text, value, others) in table {
            let rows = event.rows("Date", text).expect("it begins with the day");
            assert_eq!((rows[0].label.as_str(), rows[0].value.as_str()), ("Date", value), "{text}");
            let found: Vec<String> =
                rows[1..].iter().map(|row| format!("{}: {}", row.label, row.value)).collect();
            assert_eq!(found, others, "{text}");
        }
        for text in [
            "10 Dec to 12 Dec",
            "10 DEC 2026 TO 12 DEC 2026",
            "10 Dec 2026–12 Dec 2026",
            "10 Dec 2026-12 Dec 2026",
            "10 Dec 2026/11 December 2026",
            "10 Dec 2026 / 11 Dec 2026",
            "10 Dec 2026, 11 Dec 2026",
            "10 Dec 2026 Maths, 11 Dec 2026 Science",
            "10 Dec 2027",
            "10 Dec 26 students of Class 6",
            "10 Dec (Friday) 9 a.m.",
            "Thursday Thursday market",
            "10-12-2026 - 12-12-2026",
            "10 Dec. and 12 Dec.",
            "Friday, 9 a.m.",
            "9 Dec, 9 a.m.",
        ] {
            assert_eq!(event.rows("Date", text), None, "{text}");
        }
    }
}
