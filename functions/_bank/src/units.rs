//! Units of answers: whether the answer to a numerical question has one, and one of what was asked
//! for (V15). English and Hindi are judged, where a quantity is a word of its own.

use std::cmp::Reverse;

use banyan_functions::writing_system::Language;

/// A quantity as questions name it, and the units of its answers. One without units cannot be
/// judged: it only keeps a shorter name from being found in it (`refractive index`, `rate`).
struct Quantity {
    names: &'static [&'static str],
    units: &'static [&'static str],
}

const fn quantity(names: &'static [&'static str], units: &'static [&'static str]) -> Quantity {
    Quantity { names, units }
}

const SPEED: &[&str] = &["m/s", "km/h", "km/s", "cm/s", "m s⁻¹", "km h⁻¹", "kmph", "m/min", "km/min"];
const LENGTH: &[&str] = &["m", "cm", "mm", "km", "nm", "μm", "µm", "dm", "Å", "foot", "feet", "inch", "unit"];
const TIME: &[&str] = &["s", "ms", "min", "h", "hr", "day", "week", "month", "year"];

const POWER: &[&str] = &["W", "kW", "MW", "hp", "J/s", "D", "dioptre", "m⁻¹"];

const QUANTITIES: &[Quantity] = &[
    quantity(
        &[
            "how many",
            "how many times",
            "number",
            "rate",
            "ratio",
            "probability",
            "refractive index",
            "magnification",
            "relative density",
            "specific heat",
            "specific heat capacity",
            "latent heat",
            "heat capacity",
            "force constant",
            "spring constant",
            "time constant",
            "work function",
            "mass number",
            "mass percentage",
            "current density",
            "charge density",
            "energy density",
            "power of 10",
            "volume percentage",
            "value",
        ],
        &[],
    ),
    quantity(&["speed", "velocity", "how fast", "चाल", "वेग"], SPEED),
    quantity(
        &["acceleration", "retardation", "deceleration", "त्वरण", "मंदन"],
        &["m/s²", "cm/s²", "km/h²", "m s⁻²", "N/kg"],
    ),
    quantity(
        &[
            "distance",
            "displacement",
            "length",
            "height",
            "depth",
            "width",
            "breadth",
            "radius",
            "diameter",
            "thickness",
            "wavelength",
            "focal length",
            "perimeter",
            "circumference",
            "how far",
            "how high",
            "दूरी",
            "विस्थापन",
            "लंबाई",
            "ऊँचाई",
            "गहराई",
            "चौड़ाई",
            "त्रिज्या",
            "व्यास",
            "तरंगदैर्ध्य",
            "परिमाप",
            "परिधि",
        ],
        LENGTH,
    ),
    quantity(&["area", "क्षेत्रफल"], &["m²", "cm²", "mm²", "km²", "dm²", "unit²", "hectare", "ha", "acre"]),
    quantity(
        &["volume", "आयतन"],
        &["m³", "cm³", "mm³", "dm³", "km³", "unit³", "l", "L", "ml", "mL", "kL", "kl", "cc"],
    ),
    quantity(&["time", "time taken", "time period", "समय", "आवर्तकाल"], TIME),
    quantity(&["mass", "द्रव्यमान"], &["kg", "g", "mg", "t", "u", "amu", "quintal", "g/mol"]),
    quantity(&["weight", "भार"], &["N", "kN", "mN", "dyne", "kgf", "kg", "g", "kg wt"]),
    quantity(&["force", "thrust", "upthrust", "tension", "बल"], &["N", "kN", "mN", "dyne", "kgf", "kg m/s²"]),
    quantity(
        &["pressure", "stress", "दाब"],
        &["Pa", "kPa", "MPa", "hPa", "N/m²", "N m⁻²", "atm", "bar", "mmHg", "N/cm²"],
    ),
    quantity(
        &["work", "work done", "energy", "potential energy", "heat", "कार्य", "ऊर्जा", "ऊष्मा"],
        &[
            "J", "kJ", "MJ", "erg", "eV", "keV", "MeV", "cal", "kcal", "kWh", "kW h", "Wh", "W h", "N m",
            "unit",
        ],
    ),
    quantity(&["power", "शक्ति"], POWER),
    // Of a lens, an engine or a vessel.
    quantity(
        &["क्षमता"],
        &["D", "dioptre", "m⁻¹", "W", "kW", "MW", "hp", "J/s", "L", "l", "mL", "ml", "kL", "kl", "m³", "cm³"],
    ),
    quantity(&["momentum", "impulse", "संवेग", "आवेग"], &["kg m/s", "kg m s⁻¹", "N s", "g cm/s"]),
    quantity(
        &["density", "घनत्व"],
        &["kg/m³", "g/cm³", "kg m⁻³", "g cm⁻³", "g/ml", "g/mL", "g/cc", "kg/l", "kg/L", "g/L"],
    ),
    quantity(&["current", "धारा"], &["A", "mA", "μA", "µA", "kA"]),
    quantity(
        &["voltage", "potential difference", "potential", "emf", "विभवांतर", "विभव"],
        &["V", "mV", "kV", "J/C"],
    ),
    quantity(&["resistance", "प्रतिरोध"], &["Ω", "kΩ", "MΩ", "mΩ", "V/A"]),
    quantity(&["resistivity", "प्रतिरोधकता"], &["Ω m", "Ω cm"]),
    quantity(&["charge", "आवेश"], &["C", "mC", "μC", "µC", "nC", "pC", "e", "A h", "A s", "₹"]),
    quantity(&["frequency", "आवृत्ति"], &["Hz", "kHz", "MHz", "GHz", "s⁻¹"]),
    quantity(&["temperature", "तापमान", "ताप"], &["°C", "K", "°F", "°"]),
    quantity(&["angle", "कोण"], &["°", "rad", "radian"]),
    quantity(
        &[
            "cost",
            "price",
            "selling price",
            "interest",
            "simple interest",
            "compound interest",
            "ब्याज",
            "मूल्य",
            "लागत",
        ],
        &["₹", "paise", "%"],
    ),
];

/// Units in words, and their signs.
const IN_WORDS: &[(&str, &str)] = &[
    ("metre", "m"),
    ("meter", "m"),
    ("kilometre", "km"),
    ("kilometer", "km"),
    ("centimetre", "cm"),
    ("centimeter", "cm"),
    ("millimetre", "mm"),
    ("second", "s"),
    ("sec", "s"),
    ("minute", "min"),
    ("hour", "h"),
    ("kilogram", "kg"),
    ("gram", "g"),
    ("tonne", "t"),
    ("newton", "N"),
    ("joule", "J"),
    ("kilojoule", "kJ"),
    ("watt", "W"),
    ("kilowatt", "kW"),
    ("volt", "V"),
    ("ampere", "A"),
    ("amp", "A"),
    ("ohm", "Ω"),
    ("Ohm", "Ω"),
    ("coulomb", "C"),
    ("pascal", "Pa"),
    ("hertz", "Hz"),
    ("litre", "L"),
    ("liter", "L"),
    ("kelvin", "K"),
    ("degree", "°"),
    ("rupee", "₹"),
    ("Rs", "₹"),
];

/// Units in Hindi, where a question names the one of its answer.
const HINDI_UNITS: &[&str] = &[
    "डाइऑप्टर",
    "डाइऑप्टरों",
    "मीटर",
    "सेमी",
    "सेकंड",
    "मिनट",
    "घंटों",
    "जूल",
    "वाट",
    "न्यूटन",
    "ग्राम",
    "रुपयों",
    "इकाई",
];

/// Words that begin what is asked.
const ASKING: &[&str] =
    &["find", "calculate", "what", "how", "determine", "compute", "express", "evaluate", "which", "work out"];

/// Words that make of any quantity a bare number.
const BARE: &[&str] = &[
    "per cent",
    "percent",
    "percentage",
    "ratio",
    "factor",
    "times",
    "fraction",
    "in terms of",
    "प्रतिशत",
    "अनुपात",
    "गुना",
];

/// The text behind a number.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Behind {
    Nothing,
    Unit(String),
    Word,
}

/// Problem of an answer's unit. None if the question names no quantity of the table, or the answer
/// no number.
///
/// Marathi, Gujarati, Telugu and Kannada write cases on to the noun, so that a quantity that is
/// given may stand there as in the dictionary while the one that is asked for does not: which is
/// asked for cannot be told by words. And Devanagari letters are not Hindi: कोण is an angle there,
/// and in Marathi it asks who.
pub fn fault(question: &str, answer: &str, language: Language) -> Option<String> {
    if !matches!(language, Language::English | Language::Hindi) {
        return None;
    }
    let clause = asking(question)?;
    let asked = asked(&clause)?;
    let is_of_it =
        |behind: &Behind| matches!(behind, Behind::Unit(unit) if asked.units.contains(&unit.as_str()));
    let found = behind_numbers(&in_signs(answer));
    if is_time_of_day(answer) || found.is_empty() || found.iter().any(is_of_it) {
        return None;
    }
    let (name, like) = (asked.names[0], asked.units[0]);
    if let Some(Behind::Unit(wrong)) = found.iter().rev().find(|behind| matches!(behind, Behind::Unit(_))) {
        return Some(format!("the answer is in {wrong}, but {name} is asked for, in a unit such as {like}"));
    }
    let bare = found.iter().all(|behind| *behind == Behind::Nothing);
    let measured = behind_numbers(question).iter().any(|behind| matches!(behind, Behind::Unit(_)));
    (bare && measured && !names_unit(&clause, asked))
        .then(|| format!("the answer needs the unit of {name}, such as {like}"))
}

/// School forms of units that stand for one of the table: a column of mercury for a pressure.
fn in_signs(answer: &str) -> String {
    const FORMS: [(&str, &str); 5] =
        [("mm of Hg", "Pa"), ("mm Hg", "Pa"), ("mmHg", "Pa"), (" per second squared", "/s²"), ("INR ", "₹")];
    let metres =
        answer.replace("metres per second squared", "m/s²").replace("metre per second squared", "m/s²");
    FORMS.iter().fold(metres, |text, (form, sign)| text.replace(form, sign))
}

/// Whether an answer holds a time such as 12:00, which is no quantity with a unit.
fn is_time_of_day(answer: &str) -> bool {
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    answer.match_indices(':').any(|(at, _)| {
        digit(answer[..at].chars().next_back())
            && digit(answer[at + 1..].chars().next())
            && digit(answer[at + 1..].chars().nth(1))
    })
}

/// The last sentence that asks for something, in an Indian language the last sentence, from the
/// word that asks.
fn asking(question: &str) -> Option<String> {
    // Brackets hold data and hints.
    let question = without_brackets(question);
    let sentences = sentences(&question);
    let from_word = |sentence: &&str| {
        let lower = sentence.to_ascii_lowercase();
        let first = ASKING.iter().filter_map(|word| {
            let at = place(&lower, word)?;
            // “A body which moves” asks for nothing.
            (*word != "which" || at == 0).then_some(at)
        });
        first.min().map(|at| sentence[at..].to_owned())
    };
    let english = sentences.iter().rev().find_map(from_word);
    english.or_else(|| {
        let last = sentences.iter().rev().find(|sentence| !sentence.is_ascii());
        last.map(|sentence| (*sentence).to_owned())
    })
}

fn without_brackets(text: &str) -> String {
    let mut depth = 0_usize;
    let outside = |c: &char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => return depth == 0,
        }
        false
    };
    text.chars().filter(outside).collect()
}

/// Sentences; a point within a number ends none.
fn sentences(text: &str) -> Vec<&str> {
    let ends = |(at, c): (usize, char)| {
        let after = text[at + c.len_utf8()..].chars().next();
        ("?!।".contains(c) || (c == '.' && after.is_none_or(char::is_whitespace)))
            .then_some(at + c.len_utf8())
    };
    let mut start = 0;
    let mut all = Vec::new();
    for end in text.char_indices().filter_map(ends).chain([text.len()]) {
        let sentence = text[start..end].trim();
        if !sentence.is_empty() {
            all.push(sentence);
        }
        start = end;
    }
    all
}

/// The quantity that is asked for: the first behind the word that asks in English; in the Indian
/// languages, whose verb comes last, the last one. Of two names at one place the longer.
fn asked(clause: &str) -> Option<&'static Quantity> {
    let lower = clause.to_ascii_lowercase();
    let clause = lower.as_str();
    if BARE.iter().any(|word| place(clause, word).is_some()) {
        return None;
    }
    let named = |quantity: &'static Quantity| {
        quantity.names.iter().filter_map(move |name| {
            let rank = match name.is_ascii() {
                // A price is money, whatever is sold.
                true if *name == "cost" => place(clause, name).map(|_| 0)?,
                true => place(clause, name)?,
                false => clause.len() - places(clause, name).last()?,
            };
            Some((rank, Reverse(name.len()), quantity))
        })
    };
    let first = QUANTITIES.iter().flat_map(named).min_by_key(|(rank, length, _)| (*rank, *length));
    first.map(|(_, _, quantity)| quantity).filter(|quantity| !quantity.units.is_empty())
}

/// Whether the question says itself in which unit the answer is to be, as in “how far in metres”.
fn names_unit(clause: &str, asked: &Quantity) -> bool {
    if HINDI_UNITS.iter().any(|unit| place(clause, unit).is_some()) {
        return true;
    }
    let words: Vec<&str> = clause.split_whitespace().collect();
    words.windows(2).any(|pair| pair[0] == "in" && asked.units.contains(&unit(pair[1]).as_str()))
}

/// Position where a text first contains these words as whole words.
fn place(text: &str, words: &str) -> Option<usize> {
    places(text, words).next()
}

fn places<'a>(text: &'a str, words: &'a str) -> impl Iterator<Item = usize> + 'a {
    let apart =
        |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && !('\u{900}'..='\u{963}').contains(&c));
    text.match_indices(words).map(|(at, _)| at).filter(move |at| {
        apart(text[..*at].chars().next_back()) && apart(text[at + words.len()..].chars().next())
    })
}

/// The text behind every number.
fn behind_numbers(text: &str) -> Vec<Behind> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let before = rest[..start].trim_end().trim_end_matches('.');
        // Powers belong to the number before them, as in 10⁶.
        let is_number = |c: char| c.is_ascii_digit() || "⁻⁰¹²³⁴⁵⁶⁷⁸⁹".contains(c);
        let mut end = start;
        for (at, c) in rest[start..].char_indices() {
            let more = rest[start + at + c.len_utf8()..].starts_with(|c: char| c.is_ascii_digit());
            let within = ".,".contains(c) && more;
            if !is_number(c) && !within {
                break;
            }
            end = start + at + c.len_utf8();
        }
        let money = before.ends_with('₹') || before.ends_with("Rs");
        found.push(if money { Behind::Unit("₹".to_owned()) } else { behind(&rest[end..]) });
        rest = &rest[end..];
    }
    found
}

/// The unit that a text begins with, of three words or fewer.
fn behind(text: &str) -> Behind {
    let text = text.trim_start_matches([' ', '\u{A0}', '-']);
    if !text.starts_with(|c: char| c.is_alphabetic() || "°%₹".contains(c)) {
        return Behind::Nothing;
    }
    let words: Vec<&str> = text.split_whitespace().take(3).collect();
    let ends_here = |word: &&str| word.ends_with([',', ';', '.', ')', ':', '?', '!']);
    let most = words.iter().position(ends_here).map_or(words.len(), |at| at + 1);
    let known = (1..=most).rev().map(|count| unit(&words[..count].join(" "))).find(|unit| is_known(unit));
    known.map_or(Behind::Word, Behind::Unit)
}

fn is_known(unit: &str) -> bool {
    QUANTITIES.iter().any(|quantity| quantity.units.contains(&unit))
}

/// A unit in the one form that the table has: `metres per second`, `m s^-1` and `m/s` are less
/// different than they look.
fn unit(written: &str) -> String {
    let written = written.trim_end_matches([',', ';', '.', ')', ':', '?', '!']);
    let plain = written.replace(" per ", "/").replace(['·', '-'], " ").replace("^2", "²").replace("^3", "³");
    let (plain, raised) = match plain.split_once(' ') {
        Some(("sq" | "sq." | "square", rest)) => (rest.to_owned(), "²"),
        Some(("cu" | "cu." | "cubic", rest)) => (rest.to_owned(), "³"),
        _ => (plain, ""),
    };
    let sign = |word: &str| {
        let one = word.strip_suffix('s').filter(|stem| stem.len() > 2).unwrap_or(word);
        let known = IN_WORDS.iter().find(|(name, _)| *name == one || *name == word);
        known.map_or(one, |(_, sign)| sign).to_owned()
    };
    let factors = |words: &str| words.split_whitespace().map(sign).collect::<Vec<_>>().join(" ");
    let signs: Vec<String> = plain.split('/').map(factors).collect();
    format!("{}{raised}", signs.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(question: &str, answer: &str) -> Option<String> {
        fault(question, answer, if question.is_ascii() { Language::English } else { Language::Hindi })
    }

    // rows: V15
    #[test]
    fn school_forms_of_units_are_no_fault() {
        let table = [
            ("A column of 10 m of water presses. Find its pressure.", "760 mm of Hg"),
            ("A column of 10 m of water presses. Find its pressure.", "760 mm Hg"),
            (
                "A body of 2 kg is pulled by 6 N. What acceleration does it get?",
                "3 metres per second squared",
            ),
            ("A heater of 2 kW runs 3 h at ₹5 a unit. What does the energy cost?", "INR 30"),
            ("What is the time after 3 hours from 9:00?", "12:00"),
        ];
        for (question, answer) in table {
            assert_eq!(fault(question, answer, Language::English), None, "{question} {answer}");
        }
    }

    // rows: V15
    #[test]
    fn an_answer_in_a_unit_of_something_else_or_in_none_is_found() {
        let table = [
            ("A car covers 20 m in 4 s. Find its speed.", "5 kg", Some("is in kg, but speed is asked for")),
            ("A car covers 20 m in 4 s. Find its speed.", "v = 20/4 = 5", Some("needs the unit of speed")),
            ("A body of 2 kg is pulled by 6 N. What acceleration does it get?", "3 N", Some("acceleration")),
            ("What force acts on 2 kg that gains 3 m/s every second?", "6 J", Some("force")),
            ("5 Ω के प्रतिरोध पर 10 V लगाने पर धारा ज्ञात कीजिए।", "2 V", Some("current")),
            ("A heater of 2 kW runs 3 h at ₹5 a unit. What does the energy cost?", "30 J", Some("cost")),
        ];
        for (question, answer, problem) in table {
            let found = judged(question, answer);
            assert!(
                found.as_ref().is_some_and(|found| problem.is_some_and(|part| found.contains(part))),
                "{question} {answer}: {found:?}"
            );
        }
    }

    // rows: V15
    #[test]
    fn units_in_any_spelling_and_numbers_that_need_none_pass() {
        let table = [
            ("A car covers 20 m in 4 s. Find its speed.", "5 m/s"),
            ("A car covers 20 m in 4 s. Find its speed.", "v = 20/4 = 5 metres per second."),
            ("A car covers 20 m in 4 s. Find its speed.", "18 km/h (5 m/s)"),
            ("A car covers 20 m in 4 s. Find its speed in m/s.", "5"),
            ("तालियाँ 2 s बाद गूँजती हैं। चट्टान की दूरी कितनी है? (ध्वनि की चाल: 340 m/s)", "340 m"),
            ("Find the area of a square of side 4 cm.", "16 sq cm"),
            ("Find the area of a square of side 4 cm.", "16 cm^2"),
            ("Find the momentum of 4 kg moving at 6 m/s.", "24 kg·m/s"),
            ("What is the refractive index where light has a speed of 2 × 10⁸ m/s?", "1.5"),
            ("By what percentage does a speed of 20 m/s grow to 25 m/s?", "25 %"),
            ("24 g नमक 376 g पानी में घोला गया। सांद्रता द्रव्यमान प्रतिशत में ज्ञात कीजिए।", "6 %"),
            ("A load of 8 kg is lifted by 8 m. Find its potential energy.", "640 J"),
            ("Find the ratio of the speeds 20 m/s and 25 m/s.", "4 : 5"),
            ("How many times as fast is 20 m/s as 5 m/s?", "4"),
            ("Find the cost of 3 kg at ₹20 a kg.", "₹60"),
            ("Find the cost of 3 kg at ₹20 a kg.", "Rs. 60"),
            ("Find the length x of a side where x + 2 = 5.", "3"),
            ("What happens to the current when 5 Ω becomes 10 Ω?", "It becomes half."),
            ("5 Ω के प्रतिरोध पर 10 V लगाने पर धारा ज्ञात कीजिए।", "2 A"),
            ("One kilowatt hour is how much energy?", "3.6 × 10⁶ J"),
            (
                "A resistor carries 0.4 A at 8 V. Find its resistance and the current at 12 V.",
                "R = 20 Ω; I = 0.6 A",
            ),
        ];
        for (question, answer) in table {
            assert_eq!(judged(question, answer), None, "{question} {answer}");
        }
    }

    // rows: V15
    #[test]
    fn a_language_whose_cases_are_part_of_the_noun_is_not_judged() {
        let table = [
            ("दोन धावपटूंपैकी कोण 100 m आधी धावेल आणि किती सेकंदांनी?", "पहिला, 2 s", Language::Marathi),
            ("વેગ 5 m/s હોય તો 4 s માં કપાતા અંતરની ગણતરી કરો.", "20 m", Language::Gujarati),
            ("వేగం 5 m/s అయితే 4 s లో దూరాన్ని కనుగొనండి.", "20 m", Language::Telugu),
            ("ವೇಗ 5 m/s ಆದರೆ 4 s ನಲ್ಲಿ ದೂರವನ್ನು ಕಂಡುಹಿಡಿಯಿರಿ.", "20 m", Language::Kannada),
        ];
        for (question, answer, language) in table {
            assert_eq!(fault(question, answer, language), None, "{question}");
        }
        assert!(
            fault(table[0].0, table[0].1, Language::Hindi).is_some(),
            "read as Hindi it asks for an angle"
        );
    }

    // rows: V15
    #[test]
    fn what_a_vessel_holds_is_no_power() {
        assert_eq!(judged("2 m भुजा वाली घनाकार टंकी की क्षमता ज्ञात कीजिए।", "8000 L"), None);
        assert_eq!(judged("50 cm फोकस दूरी वाले लेंस की क्षमता ज्ञात कीजिए।", "2 D"), None);
        assert!(judged("50 cm फोकस दूरी वाले लेंस की क्षमता ज्ञात कीजिए।", "2 N").is_some());
    }
}
