//! What one line says of a paper. Lines come in small letters and with digits of ASCII.

/// Marks that a question has at most.
const MOST_MARKS: u32 = 20;

/// Returns whether the line begins a section, such as `section a: short answers` or `खंड क`.
pub(super) fn starts_section(line: &str) -> bool {
    const WORDS: [&str; 9] = ["section", "part", "खंड", "खण्ड", "भाग", "विभाग", "વિભાગ", "విభాగం", "ವಿಭಾಗ"];
    let is_numbered = line.starts_with(|c: char| c.is_ascii_digit());
    let line = line.trim_start_matches(|c: char| !c.is_alphabetic());
    let rest = WORDS.iter().find_map(|word| line.strip_prefix(word));
    let Some(rest) = rest.filter(|rest| rest.starts_with([' ', '-', '–', '—', ':', '\t'])) else {
        return false;
    };
    let name = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
    let behind = name.trim_start_matches(char::is_alphanumeric);
    // Behind a number, `section a of the plant` is the text of a question.
    if is_numbered && behind.trim_start().starts_with(char::is_alphabetic) {
        return false;
    }
    let letters = name.chars().count() - behind.chars().count();
    let is_number = ["three", "four", "five"].iter().any(|number| name.strip_suffix(behind) == Some(number));
    ((1..=3).contains(&letters) || is_number) && line.chars().count() <= 120
}

/// The name alone of a section's heading: `PART ONE` of `PART ONE: Short answers`.
pub fn section_name(title: &str) -> &str {
    let title = title.trim_start_matches(|c: char| !c.is_alphabetic());
    let word = title.find([' ', '-', '–', '—', ':', '\t']).unwrap_or(title.len());
    let is_sign = |c: char| c.is_whitespace() || "-–—:".contains(c);
    let rest = title[word..].trim_start_matches(is_sign);
    let end = rest.find(|c: char| is_sign(c) || ".,()[]".contains(c)).unwrap_or(rest.len());
    &title[..title.len() - rest.len() + end]
}

/// Returns whether a heading is that of an examination.
pub(super) fn names_examination(line: &str) -> bool {
    const WORDS: [&str; 12] = [
        "examination",
        "exam",
        "test",
        "assessment",
        "परीक्षा",
        "जाँच",
        "मूल्यांकन",
        "चाचणी",
        "मूल्यमापन",
        "પરીક્ષા",
        "કસોટી",
        "మూల్యాంకనం",
    ];
    line.split_whitespace().any(|word| WORDS.contains(&word.trim_matches(['.', ',', ':', '(', ')', '-'])))
}

/// What stands before and behind the number at the beginning of a question.
pub(super) fn numbering(line: &str) -> (String, String) {
    let digits = line.find(char::is_numeric).unwrap_or(0);
    let (before, rest) = line.split_at(digits);
    let rest = rest.trim_start_matches(char::is_numeric);
    let sign = rest.chars().next().filter(|c| ".):".contains(*c));
    (before.to_owned(), sign.map(String::from).unwrap_or_default())
}

/// The text behind the number of a question: `3.`, `q3)`, `प्रश्न 3:`. A line that the word
/// processor numbers is a question by itself.
pub(super) fn question_number(line: &str, is_numbered: bool) -> Option<&str> {
    const WORDS: [&str; 5] = ["question", "que", "q", "प्रश्न", "प्र"];
    let word = WORDS.iter().find_map(|word| line.strip_prefix(word));
    let has_word = word.is_some();
    let rest = word.unwrap_or(line).trim_start_matches(['.', ' ', '-']);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let behind = rest.get(digits..).filter(|_| (1..=3).contains(&digits));
    let text = behind.and_then(|behind| {
        behind.strip_prefix(['.', ')', ':', '\t']).or(behind.strip_prefix(' ').filter(|_| has_word))
    });
    // A row that begins with a number is a question only if it says something.
    let text = text.filter(|text| text.split_whitespace().count() >= 3 || !line.contains('\t'));
    // A decimal number is no number of a question.
    let text = text.filter(|text| !text.starts_with(|c: char| c.is_ascii_digit()) && !text.trim().is_empty());
    text.or(is_numbered.then_some(line))
}

/// The marks at the end of a line: `[3]`, `(3 marks)`, `3m`, `2 × 5 = 10`, or a bare number behind
/// a tab or a full stop.
pub(super) fn marks_at_end(line: &str) -> Option<u32> {
    let line = line.trim_end_matches(['.', ' ', '\t']);
    let bare = line.trim_end_matches([']', ')', '}']);
    let is_closed = bare.len() < line.len();
    let words = bare.trim_end();
    let unit = ["marks", "mark", "अंक", "ગુણ", "m"].iter().find_map(|unit| words.strip_suffix(unit));
    let figures = unit.unwrap_or(words).trim_end();
    let digits = figures.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (before, number) = figures.split_at(figures.len() - digits);
    let opens = before.trim_end().ends_with(['[', '(', '{']);
    let stands_alone =
        before.ends_with('\t') || before.trim_end().ends_with(['.', '?', '।']) && before.ends_with(' ');
    let is_sum = before.trim_end().ends_with('=');
    let is_marks = (is_closed && opens) || unit.is_some() || is_sum || (!is_closed && stands_alone);
    number.parse().ok().filter(|marks| is_marks && (1..=MOST_MARKS).contains(marks))
}

/// The number that stands behind `word`, with at most a few signs between them.
pub(super) fn number_after(line: &str, word: &str) -> Option<u32> {
    let rest = line.get(line.find(word)? + word.len()..)?;
    let rest = rest.trim_start_matches([' ', ':', '-', '–', '=', '.', '\t', '(']);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    rest[..digits].parse().ok().filter(|number| (1..=500).contains(number))
}

/// The time of a paper in minutes: `time: 3 hours`, `समय: 90 मिनट`, `time 2½ hours`.
pub(super) fn minutes(line: &str, words: &[&str]) -> Option<u32> {
    let (word, number) = words.iter().find_map(|word| Some((*word, number_after(line, word)?)))?;
    let rest = line.get(line.find(word)? + word.len()..)?;
    let rest = rest.trim_start_matches(|c: char| !c.is_ascii_digit());
    let unit = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let half = if unit.starts_with('½') || unit.starts_with(".5") { 30 } else { 0 };
    let unit = unit.trim_start_matches(['½', '.', '5', ' ', '-']);
    let hours = ["h", "घंट", "घण्ट", "કલાક"].iter().any(|hour| unit.starts_with(hour));
    let minutes = ["m", "मिनट", "મિનિટ"].iter().any(|minute| unit.starts_with(minute));
    let total = if hours { number * 60 + half } else { number };
    (hours || minutes).then_some(total).filter(|total| *total <= 600)
}
