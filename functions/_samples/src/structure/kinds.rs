//! Which kind a question is of.

/// The kinds of questions that the form of papers knows (SPECIFICATION.md DOM-3.5). What is
/// `numerical` cannot be told by the look of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuestionKind {
    /// Options to choose from.
    Mcq,
    /// A blank to fill.
    Fill,
    /// A statement to be judged.
    TrueFalse,
    /// Pairs to be matched.
    Match,
    /// One sentence or one step.
    VeryShort,
    /// A few points or steps.
    Short,
    /// An essay, a proof, or parts.
    Long,
    /// The sample does not tell.
    Unknown,
}

impl QuestionKind {
    /// The id that the form sends; `None` for `Unknown`.
    pub fn id(self) -> Option<&'static str> {
        Some(match self {
            Self::Mcq => "mcq",
            Self::Fill => "fill",
            Self::TrueFalse => "true-false",
            Self::Match => "match",
            Self::VeryShort => "very-short",
            Self::Short => "short",
            Self::Long => "long",
            Self::Unknown => return None,
        })
    }
}

/// A question while its lines are read.
#[derive(Debug)]
pub(super) struct Question {
    text: String,
    marks: Option<u32>,
    options: usize,
}

/// Characters of a question that are looked at.
const LONGEST: usize = 2_000;

impl Question {
    /// `text` is in small letters.
    pub(super) fn new(text: &str, marks: Option<u32>) -> Self {
        let mut question = Self { text: String::new(), marks: None, options: 0 };
        question.add(text, marks);
        question
    }

    /// Adds a line.
    pub(super) fn add(&mut self, text: &str, marks: Option<u32>) {
        if self.text.len() < LONGEST {
            self.text.push_str(text);
            self.text.push('\n');
            self.options += options(text);
        }
        self.marks = self.marks.or(marks);
    }

    pub(super) fn marks(&self) -> Option<u32> {
        self.marks
    }

    /// The look of the question tells more than the title of its section.
    pub(super) fn kind(&self, section: &str) -> QuestionKind {
        if self.options >= 3 && !self.begins_with_a_part() {
            return QuestionKind::Mcq;
        }
        if ["___", "......", "……"].iter().any(|blank| self.text.contains(blank)) {
            return QuestionKind::Fill;
        }
        let told = kind_told(&section.to_lowercase()).or_else(|| kind_asked(&self.text));
        told.unwrap_or(match self.marks {
            Some(1 | 2) => QuestionKind::VeryShort,
            Some(3 | 4) => QuestionKind::Short,
            Some(5..) => QuestionKind::Long,
            _ => QuestionKind::Unknown,
        })
    }

    /// Options stand behind a question. What begins with `a)` is a question in parts.
    fn begins_with_a_part(&self) -> bool {
        let first = self.text.split_whitespace().next();
        first.and_then(option_letter).is_some_and(|letter| matches!(letter, 'a' | 'i' | 'क' | 'अ'))
    }
}

/// How many options a line holds: `(a) … (b) …`.
fn options(text: &str) -> usize {
    const LETTERS: [&[char]; 4] =
        [&['a', 'b', 'c', 'd'], &['i', 'v'], &['क', 'ख', 'ग', 'घ'], &['अ', 'ब', 'स', 'द']];
    let count = |letters: &[char]| {
        let words = text.split_whitespace();
        words.filter(|word| option_letter(word).is_some_and(|letter| letters.contains(&letter))).count()
    };
    LETTERS.iter().map(|letters| count(letters)).max().unwrap_or(0)
}

/// The letter of `(a)`, `a)`, `a.` and of a word that such a mark begins.
fn option_letter(word: &str) -> Option<char> {
    let mut letters = word.trim_start_matches('(').chars();
    let letter = letters.next()?;
    matches!(letters.next(), Some(')' | '.')).then_some(letter)
}

/// The kind that the title of a section names.
fn kind_told(title: &str) -> Option<QuestionKind> {
    const TOLD: [(&str, QuestionKind); 17] = [
        ("multiple choice", QuestionKind::Mcq),
        ("mcq", QuestionKind::Mcq),
        ("objective", QuestionKind::Mcq),
        ("बहुविकल्पी", QuestionKind::Mcq),
        ("blank", QuestionKind::Fill),
        ("रिक्त", QuestionKind::Fill),
        ("true", QuestionKind::TrueFalse),
        ("सही", QuestionKind::TrueFalse),
        ("match", QuestionKind::Match),
        ("मिलान", QuestionKind::Match),
        ("very short", QuestionKind::VeryShort),
        ("अति लघु", QuestionKind::VeryShort),
        ("अतिलघु", QuestionKind::VeryShort),
        ("short", QuestionKind::Short),
        ("लघु", QuestionKind::Short),
        ("long", QuestionKind::Long),
        ("दीर्घ", QuestionKind::Long),
    ];
    TOLD.iter().find(|(words, _)| title.contains(words)).map(|(_, kind)| *kind)
}

/// The kind that a question asks for.
fn kind_asked(text: &str) -> Option<QuestionKind> {
    const ASKED: [(&str, QuestionKind); 7] = [
        ("true or false", QuestionKind::TrueFalse),
        ("true/false", QuestionKind::TrueFalse),
        ("(t/f)", QuestionKind::TrueFalse),
        ("सही या गलत", QuestionKind::TrueFalse),
        ("match the", QuestionKind::Match),
        ("मिलान कीजिए", QuestionKind::Match),
        ("सुमेलित", QuestionKind::Match),
    ];
    ASKED.iter().find(|(words, _)| text.contains(words)).map(|(_, kind)| *kind)
}
