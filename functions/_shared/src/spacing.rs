//! Spaces at which no line may end: between a number and its unit, and before what a sign, a label
//! or a currency stands for. A line that begins with `Ω` or ends with `Section` is read twice.

use serde::Serialize;
use serde_json::Value;

/// The space that holds two words together on one line.
const BOUND: char = '\u{A0}';

/// What a number counts or measures.
const UNITS: [&str; 68] = [
    "%",
    "°C",
    "°F",
    "A",
    "C",
    "D",
    "GHz",
    "Hz",
    "J",
    "K",
    "MHz",
    "MJ",
    "MW",
    "N",
    "Pa",
    "V",
    "W",
    "Wh",
    "cm",
    "dB",
    "dm",
    "eV",
    "g",
    "h",
    "kHz",
    "kJ",
    "kN",
    "kPa",
    "kV",
    "kW",
    "kWh",
    "kg",
    "km",
    "kΩ",
    "m",
    "mA",
    "mL",
    "mV",
    "mg",
    "min",
    "ml",
    "mm",
    "mol",
    "ms",
    "s",
    "u",
    "L",
    "l",
    "t",
    "Ω",
    "µm",
    "nm",
    "a.m",
    "p.m",
    "IST",
    "lakh",
    "crore",
    "mark",
    "marks",
    "minute",
    "minutes",
    "hour",
    "hours",
    "बजे",
    "वाजता",
    "વાગ્યે",
    "अंक",
    "गुण",
];

/// Months, behind a day.
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// What a number or a letter follows.
const LABELS: [&str; 14] = [
    "Section",
    "Class",
    "Rs.",
    "₹",
    "No.",
    "खंड",
    "विभाग",
    "खण्डः",
    "વિભાગ",
    "విభాగం",
    "ವಿಭಾಗ",
    "कक्षा",
    "इयत्ता",
    "ધોરણ",
];

/// Signs that stay with what follows them, so that a formula is broken before its sign.
const SIGNS: [&str; 8] = ["=", "×", "÷", "+", "−", "≈", "→", "·"];

/// Makes such spaces unbreakable. The rest of the text and its number of letters stay.
pub fn bound(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut words = text.split(' ').peekable();
    while let Some(word) = words.next() {
        out.push_str(word);
        if let Some(next) = words.peek() {
            out.push(if belong_together(word, next) { BOUND } else { ' ' });
        }
    }
    out
}

/// A structure as JSON with every text of it [`bound`], for a screen that shows it as the file
/// does.
pub fn in_structure(structure: &impl Serialize) -> Value {
    let mut value = serde_json::to_value(structure).expect("documents are maps with names as keys");
    bind(&mut value);
    value
}

fn bind(value: &mut Value) {
    match value {
        Value::String(text) => *text = bound(text),
        Value::Array(items) => items.iter_mut().for_each(bind),
        Value::Object(fields) => fields.values_mut().for_each(bind),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn belong_together(word: &str, next: &str) -> bool {
    if word.is_empty() || next.is_empty() {
        return false;
    }
    let opened = word.trim_start_matches(['(', '[', '“', '‘']);
    let closed = next.trim_end_matches(['.', ',', ';', ':', ')', ']', '?', '!', '।', '”', '’']);
    match word.chars().next_back() {
        _ if SIGNS.contains(&word) => true,
        _ if LABELS.contains(&opened) => is_name(closed),
        _ if opened == "Ω" => is_unit(closed),
        Some(last) if is_digit(last) => is_unit(closed) || MONTHS.contains(&closed),
        _ => false,
    }
}

/// The number or the letter of a part.
fn is_name(word: &str) -> bool {
    word.starts_with(is_digit) || (word.len() == 1 && word.starts_with(|c: char| c.is_ascii_uppercase()))
}

/// Digits also as powers and as a half.
fn is_digit(c: char) -> bool {
    c.is_numeric()
}

/// `m`, `km/h`, `m/s²`, `cm³`.
fn is_unit(word: &str) -> bool {
    let first = word.split(['/', '⁻']).next().unwrap_or(word).trim_end_matches(['²', '³']);
    UNITS.contains(&first)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with every bound space as `~`.
    fn told(text: &str) -> String {
        bound(text).replace(BOUND, "~")
    }

    #[test]
    fn no_line_ends_between_a_number_and_its_unit() {
        assert_eq!(
            told("4 J of work at 20 Ω, 5.5 m/s² and 1,100 W."),
            "4~J of work at 20~Ω, 5.5~m/s² and 1,100~W."
        );
        assert_eq!(
            told("34 (34 %) in 2½ hours or 1 hour; 3.6 × 10⁶ J"),
            "34 (34~%) in 2½~hours or 1~hour; 3.6 ×~10⁶~J"
        );
        assert_eq!(
            told("प्रातः 10:00 बजे, 5 December 2026 at 9:30 a.m."),
            "प्रातः 10:00~बजे, 5~December 2026 at 9:30~a.m."
        );
        assert_eq!(told("resistivity in Ω m; 5 V of 6"), "resistivity in Ω~m; 5~V of 6");
        assert_eq!(told("A 4 is even, m 5"), "A 4 is even, m 5");
    }

    #[test]
    fn a_formula_is_broken_before_its_sign() {
        assert_eq!(told("(18 × 1 = 18)"), "(18 ×~1 =~18)");
        assert_eq!(told("2Mg + O₂ → 2MgO"), "2Mg +~O₂ →~2MgO");
    }

    #[test]
    fn a_label_stays_with_its_letter_and_money_with_its_sign() {
        assert_eq!(
            told("In Section B attempt 2 of Class 10, Rs. 100"),
            "In Section~B attempt 2 of Class~10, Rs.~100"
        );
        assert_eq!(told("खंड B में, Section of a Class"), "खंड~B में, Section of a Class");
    }

    #[test]
    fn nothing_else_is_changed_and_twice_is_once() {
        for text in ["", " ", "  = ", "a  b", "5  m", "\t5 m\n", "😀 5 m"] {
            let once = bound(text);
            assert_eq!(once.replace(BOUND, " "), text, "{text:?}");
            assert_eq!(bound(&once), once, "{text:?}");
        }
    }

    #[test]
    fn every_text_of_a_structure_is_bound_and_its_names_are_not() {
        let value = in_structure(&serde_json::json!({ "5 m": ["6 m", { "a": "7 m", "n": 8 }] }));
        assert_eq!(value, serde_json::json!({ "5 m": ["6\u{A0}m", { "a": "7\u{A0}m", "n": 8 }] }));
    }
}
