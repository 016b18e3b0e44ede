//! Writing systems and the language a document is written in (SPECIFICATION.md DOM-10.1, DOM-10.2).

/// A writing system that the documents are laid out in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Script {
    /// Latin letters.
    Latin,
    /// Hindi, Marathi and Sanskrit.
    Devanagari,
    /// Gujarati.
    Gujarati,
    /// Telugu.
    Telugu,
    /// Kannada.
    Kannada,
    /// Another Indian script, for which no built-in text exists.
    OtherIndic,
}

impl Script {
    /// The script of a letter or sign; `None` for digits, punctuation, spaces and symbols.
    pub fn of(c: char) -> Option<Self> {
        match c {
            '\u{0964}' | '\u{0965}' => None,
            '\u{0900}'..='\u{097F}' | '\u{A8E0}'..='\u{A8FF}' | '\u{1CD0}'..='\u{1CFF}' => {
                Some(Self::Devanagari)
            }
            '\u{0A80}'..='\u{0AFF}' => Some(Self::Gujarati),
            '\u{0C00}'..='\u{0C7F}' => Some(Self::Telugu),
            '\u{0C80}'..='\u{0CFF}' => Some(Self::Kannada),
            '\u{0980}'..='\u{0A7F}' | '\u{0B00}'..='\u{0BFF}' | '\u{0D00}'..='\u{0D7F}' => {
                Some(Self::OtherIndic)
            }
            _ if c.is_alphabetic() && (c.is_ascii() || ('\u{00C0}'..='\u{024F}').contains(&c)) => {
                Some(Self::Latin)
            }
            '\u{1E00}'..='\u{1EFF}' => Some(Self::Latin),
            _ => None,
        }
    }

    /// Returns whether the script is one of India's.
    pub fn is_indic(self) -> bool {
        self != Self::Latin
    }
}

/// How often each script occurs, vowel signs and other marks counted as letters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ScriptCount {
    counts: [u32; 6],
}

impl ScriptCount {
    /// Counts the letters of `text`.
    pub fn of(text: &str) -> Self {
        let mut counts = [0; 6];
        for script in text.chars().filter_map(Script::of) {
            counts[script as usize] += 1;
        }
        Self { counts }
    }

    /// Letters in all.
    pub fn total(&self) -> u32 {
        self.counts.iter().sum()
    }

    /// The share of `script`, 0 to 1; 0 without letters.
    pub fn share(&self, script: Script) -> f64 {
        match self.total() {
            0 => 0.0,
            total => f64::from(self.counts[script as usize]) / f64::from(total),
        }
    }

    /// The Indian script that at least half of the letters are in.
    pub fn ruling_indic(&self) -> Option<Script> {
        const INDIC: [Script; 5] =
            [Script::Devanagari, Script::Gujarati, Script::Telugu, Script::Kannada, Script::OtherIndic];
        INDIC.into_iter().find(|script| self.share(*script) >= 0.5)
    }
}

/// A language that documents are made in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// English as written in India.
    English,
    /// हिन्दी
    Hindi,
    /// मराठी
    Marathi,
    /// ગુજરાતી
    Gujarati,
    /// తెలుగు
    Telugu,
    /// ಕನ್ನಡ
    Kannada,
    /// संस्कृतम्
    Sanskrit,
}

impl Language {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::English,
        Self::Hindi,
        Self::Marathi,
        Self::Gujarati,
        Self::Telugu,
        Self::Kannada,
        Self::Sanskrit,
    ];

    /// The ISO 639-1 code.
    pub fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Hindi => "hi",
            Self::Marathi => "mr",
            Self::Gujarati => "gu",
            Self::Telugu => "te",
            Self::Kannada => "kn",
            Self::Sanskrit => "sa",
        }
    }

    /// The English name, for prompts.
    pub fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Hindi => "Hindi",
            Self::Marathi => "Marathi",
            Self::Gujarati => "Gujarati",
            Self::Telugu => "Telugu",
            Self::Kannada => "Kannada",
            Self::Sanskrit => "Sanskrit",
        }
    }

    /// The script it is written in.
    pub fn script(self) -> Script {
        match self {
            Self::English => Script::Latin,
            Self::Hindi | Self::Marathi | Self::Sanskrit => Script::Devanagari,
            Self::Gujarati => Script::Gujarati,
            Self::Telugu => Script::Telugu,
            Self::Kannada => Script::Kannada,
        }
    }

    /// Word processors' number for it, in its Indian form.
    pub fn windows_id(self) -> u16 {
        match self {
            Self::English => 0x4009,
            Self::Hindi => 0x0439,
            Self::Marathi => 0x044E,
            Self::Gujarati => 0x0447,
            Self::Telugu => 0x044A,
            Self::Kannada => 0x044B,
            Self::Sanskrit => 0x044F,
        }
    }

    /// The language that a subject teaches, if it teaches one of these.
    pub fn of_subject(subject: &str) -> Option<Self> {
        match subject.trim().to_lowercase().as_str() {
            "english" => Some(Self::English),
            "hindi" | "हिन्दी" | "हिंदी" => Some(Self::Hindi),
            "marathi" | "मराठी" => Some(Self::Marathi),
            "gujarati" | "ગુજરાતી" => Some(Self::Gujarati),
            "telugu" | "తెలుగు" => Some(Self::Telugu),
            "kannada" | "ಕನ್ನಡ" => Some(Self::Kannada),
            "sanskrit" | "संस्कृत" | "संस्कृतम्" => Some(Self::Sanskrit),
            _ => None,
        }
    }
}

/// Why English stands in for the language that a request is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StandIn {
    /// No built-in text exists in its script.
    Script,
    /// The built-in bank has the chapter in English, and hardly anything of it in this language.
    Chapter(Language),
}

impl StandIn {
    /// Its word in the `meta` of an answer.
    pub fn code(self) -> &'static str {
        match self {
            Self::Script => "script",
            Self::Chapter(_) => "chapter",
        }
    }
}

/// The language a document comes out in, and whether that is a stand-in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// The language.
    pub language: Language,
    /// Why it is another than that of the request.
    pub stand_in: Option<StandIn>,
}

/// Chooses the document's language: the subject's own, else the script of what the teacher typed,
/// with Devanagari split by board, else English (SPECIFICATION.md DOM-10.1).
pub fn document_language(subject: &str, board: &str, typed: &str) -> Choice {
    if let Some(language) = Language::of_subject(subject) {
        return Choice { language, stand_in: None };
    }
    let script = ScriptCount::of(typed).ruling_indic();
    let language = match script {
        Some(Script::Devanagari) if is_marathi_board(board) => Language::Marathi,
        Some(Script::Devanagari) => Language::Hindi,
        Some(Script::Gujarati) => Language::Gujarati,
        Some(Script::Telugu) => Language::Telugu,
        Some(Script::Kannada) => Language::Kannada,
        Some(Script::OtherIndic | Script::Latin) | None => Language::English,
    };
    let stand_in = (script == Some(Script::OtherIndic)).then_some(StandIn::Script);
    Choice { language, stand_in }
}

/// The language of a document that no board or subject stands behind: the script of what was typed,
/// with Hindi and Marathi told apart by their words, where these do not tell by those of what
/// stands `beside` (SPECIFICATION.md D19).
pub fn typed_language(typed: &str, beside: &str) -> Choice {
    let choice = document_language("", "", typed);
    match choice.language {
        Language::Hindi => {
            Choice { language: crate::checks::language::in_devanagari(typed, beside), ..choice }
        }
        _ => choice,
    }
}

fn is_marathi_board(board: &str) -> bool {
    let board = board.to_lowercase();
    ["maharashtra", "msbshse", "goa", "महाराष्ट्र", "गोवा"].iter().any(|name| board.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line of the table that the app's own rule is held to, too.
    #[derive(serde::Deserialize)]
    struct Line {
        subject: String,
        board: String,
        typed: String,
        language: String,
    }

    #[test]
    fn the_language_follows_subject_then_script_then_board() {
        let table: Vec<Line> =
            serde_json::from_str(include_str!("../data/document-languages.json")).expect("a table");
        for Line { subject, board, typed, language } in table {
            let choice = document_language(&subject, &board, &typed);
            assert_eq!(choice.language.code(), language, "{subject} {board} {typed}");
        }
    }

    #[test]
    fn a_script_without_built_in_text_is_named_as_such() {
        let choice = document_language("Science", "Tamil Nadu Board", "மின்சாரம்");
        assert_eq!(choice, Choice { language: Language::English, stand_in: Some(StandIn::Script) });
    }

    #[test]
    fn shares_ignore_digits_dandas_and_formula_signs() {
        let count = ScriptCount::of("१२ + 3 = ५। कखग");
        assert!((ScriptCount::of("कखगx").share(Script::Devanagari) - 0.75).abs() < 1e-9);
        assert!(count.share(Script::Devanagari) > 0.99);
    }
}
