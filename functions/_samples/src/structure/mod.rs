//! What the built-in generators take from a sample: headings, sections, kinds of questions with
//! their marks. Nothing of it is a sentence of the sample but headings.

use banyan_functions::sanitise;

use crate::text::SampleText;

/// What one line says of a paper.
mod lines;

/// Which kind a question is of.
mod kinds;

use kinds::Question;
pub use kinds::QuestionKind;
pub use lines::section_name;
use lines::{marks_at_end, names_examination, number_after, numbering, question_number, starts_section};

/// Headings that are kept at most.
const MOST_HEADINGS: usize = 60;

/// Characters of the longest heading that is kept.
const LONGEST_HEADING: usize = 120;

/// Words before the marks of a whole paper.
const TOTAL_WORDS: [&str; 9] = [
    "maximum marks",
    "max. marks",
    "max marks",
    "total marks",
    "m.m.",
    "पूर्णांक",
    "अधिकतम अंक",
    "कुल अंक",
    "કુલ ગુણ",
];

/// Words before the time of a whole paper.
const TIME_WORDS: [&str; 4] = ["time", "duration", "समय", "સમય"];

/// The outline of a sample.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SampleStructure {
    /// Headings in their order.
    pub headings: Vec<SampleHeading>,
    /// Sections of a paper in their order; empty for a sample without questions.
    pub sections: Vec<SampleSection>,
    /// Marks of the whole paper, where it says so.
    pub total_marks: Option<u32>,
    /// Minutes of the whole paper, where it says so.
    pub minutes: Option<u32>,
    /// The heading of the whole paper that names an examination.
    pub examination: Option<String>,
    /// What stands before and behind the number of the first question: `Q` and `.`.
    pub numbering: Option<(String, String)>,
}

/// A heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SampleHeading {
    /// Level from 1.
    pub level: u8,
    /// At most 120 characters.
    pub text: String,
}

/// A section of a paper.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SampleSection {
    /// The heading, at most 120 characters; empty for questions before the first section.
    pub title: String,
    /// Groups of like questions in their order.
    pub groups: Vec<QuestionGroup>,
}

/// Questions of one kind that follow one another with equal marks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionGroup {
    /// The kind.
    pub kind: QuestionKind,
    /// Marks of each question, where the paper shows them.
    pub marks: Option<u32>,
    /// How many there are.
    pub count: u32,
}

/// Returns the outline of a sample.
pub fn structure(text: &SampleText) -> SampleStructure {
    let mut outline = Outline::default();
    for line in &text.lines {
        let plain = sanitise::in_ascii_digits(&line.text).to_lowercase();
        outline.note_figures(&plain);
        if starts_section(&plain) {
            outline.begin_section(&line.text);
        } else if let Some(question) = question_number(&plain, line.is_numbered) {
            outline.note_numbering(&line.text, line.is_numbered);
            outline.begin_question(question);
        } else {
            outline.go_on(&plain);
        }
        if let Some(level) = line.heading {
            outline.note_heading(level, &line.text);
            outline.note_examination(&line.text, &plain);
        }
    }
    outline.finish()
}

#[derive(Default)]
struct Outline {
    structure: SampleStructure,
    question: Option<Question>,
}

impl Outline {
    fn note_heading(&mut self, level: u8, text: &str) {
        if self.structure.headings.len() < MOST_HEADINGS {
            self.structure.headings.push(SampleHeading { level, text: short(text) });
        }
    }

    /// The first heading before the questions that names an examination.
    fn note_examination(&mut self, text: &str, plain: &str) {
        let structure = &mut self.structure;
        let is_first = structure.examination.is_none() && structure.sections.is_empty();
        if is_first && self.question.is_none() && names_examination(plain) {
            structure.examination = Some(short(text));
        }
    }

    fn note_numbering(&mut self, text: &str, is_numbered: bool) {
        if self.structure.numbering.is_none() && !is_numbered {
            self.structure.numbering = Some(numbering(text));
        }
    }

    fn note_figures(&mut self, plain: &str) {
        let structure = &mut self.structure;
        let total = || TOTAL_WORDS.iter().find_map(|word| number_after(plain, word));
        structure.total_marks = structure.total_marks.or_else(total);
        structure.minutes = structure.minutes.or_else(|| lines::minutes(plain, &TIME_WORDS));
    }

    fn begin_section(&mut self, title: &str) {
        self.end_question();
        self.structure.sections.push(SampleSection { title: short(title), groups: Vec::new() });
    }

    fn begin_question(&mut self, text: &str) {
        self.end_question();
        self.question = Some(Question::new(text, marks_at_end(text)));
    }

    /// A line that belongs to the question before it, if there is one.
    fn go_on(&mut self, plain: &str) {
        if let Some(question) = &mut self.question {
            question.add(plain, marks_at_end(plain));
        }
    }

    fn end_question(&mut self) {
        let Some(question) = self.question.take() else { return };
        let sections = &mut self.structure.sections;
        if sections.is_empty() {
            sections.push(SampleSection::default());
        }
        let Some(section) = sections.last_mut() else { return };
        let kind = question.kind(&section.title);
        match section.groups.last_mut() {
            Some(last) if last.kind == kind && last.marks == question.marks() => last.count += 1,
            _ => section.groups.push(QuestionGroup { kind, marks: question.marks(), count: 1 }),
        }
    }

    fn finish(mut self) -> SampleStructure {
        self.end_question();
        self.structure.sections.retain(|section| !section.groups.is_empty());
        self.structure
    }
}

fn short(text: &str) -> String {
    text.replace('\t', " ").chars().take(LONGEST_HEADING).collect()
}
