//! The readers of a communication, found in the words of the form. Greeting and form depend on
//! them.

use crate::purpose::has_word;

/// The kind of readers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Audience {
    /// Parents and guardians.
    Parents,
    /// Pupils.
    Students,
    /// Colleagues.
    Teachers,
    /// Anybody else.
    Others,
}

const PARENTS: &[&str] = &[
    "parent",
    "guardian",
    "mother",
    "father",
    "famil",
    "अभिभावक",
    "माता",
    "पालक",
    "વાલી",
    "માતા",
    "తల్లిదండ్రుల",
    "సంరక్షకుల",
    "ಪೋಷಕ",
];
const TEACHERS: &[&str] = &[
    "teacher",
    "staff",
    "faculty",
    "colleague",
    "शिक्षक",
    "अध्यापक",
    "कर्मचारी",
    "શિક્ષક",
    "સ્ટાફ",
    "ఉపాధ్యాయ",
    "ಶಿಕ್ಷಕ",
];
const STUDENTS: &[&str] = &[
    "student",
    "pupil",
    "children",
    "learner",
    "class",
    "विद्यार्थी",
    "विद्यार्थियों",
    "छात्र",
    "बच्चे",
    "मुले",
    "વિદ્યાર્થી",
    "બાળક",
    "విద్యార్థ",
    "ವಿದ್ಯಾರ್ಥಿ",
];

impl Audience {
    /// The readers as typed; parents of students are parents.
    pub fn of(typed: &str) -> Self {
        let text = typed.to_lowercase();
        let any = |words: &[&str]| words.iter().any(|word| has_word(&text, word));
        if any(PARENTS) {
            Self::Parents
        } else if any(TEACHERS) {
            Self::Teachers
        } else if any(STUDENTS) {
            Self::Students
        } else {
            Self::Others
        }
    }

    /// The name of its greetings in the language files.
    pub fn key(self) -> &'static str {
        match self {
            Self::Parents => "parents",
            Self::Students => "students",
            Self::Teachers => "teachers",
            Self::Others => "others",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_are_known_by_their_words() {
        let table = [
            ("Parents of Class 8 students", Audience::Parents),
            ("All students", Audience::Students),
            ("Class X", Audience::Students),
            ("Teaching staff", Audience::Teachers),
            ("The Sarpanch", Audience::Others),
            ("कक्षा 8 के अभिभावक", Audience::Parents),
            ("सर्व पालक", Audience::Parents),
            ("તમામ વિદ્યાર્થીઓ", Audience::Students),
        ];
        for (typed, audience) in table {
            assert_eq!(Audience::of(typed), audience, "{typed}");
        }
    }
}
