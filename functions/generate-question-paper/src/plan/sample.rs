//! The pattern of a teacher's sample, where it is one that the form asks for (SPECIFICATION.md
//! GEN-5.3.6): so many sections, these types, these marks in all.

use banyan_samples::{QuestionGroup, SampleSection, structure};

use super::{MOST_QUESTIONS, QuestionType, Rough, Style};
use crate::request::PaperRequest;

/// Questions of one type and equal marks in the sample.
pub(super) struct SamplePart {
    section: usize,
    kind: QuestionType,
    count: u32,
    each: u32,
}

impl SamplePart {
    fn of(section: usize, group: &QuestionGroup) -> Option<Self> {
        let kind = QuestionType::parse(group.kind.id()?)?;
        let each = group.marks.filter(|marks| kind.marks().contains(marks))?;
        Some(Self { section, kind, count: group.count, each })
    }

    /// Alternatives are the board's, since a sample does not show them.
    pub(super) fn rough(self, class: u8, style: Style) -> Rough {
        let Self { section, kind, count, each } = self;
        Rough { section, kind, count, each, choices: style.choices(class, kind, count), situation: &[] }
    }
}

/// Returns whether a paper has the pattern of the request's sample.
pub fn follows_sample(request: &PaperRequest) -> bool {
    pattern(request).is_some()
}

/// The parts of the sample in their order; nothing where the form asks for something else.
pub(super) fn pattern(request: &PaperRequest) -> Option<Vec<SamplePart>> {
    let sections = structure(request.sample_text.as_ref()?).sections;
    let part = |(at, section): (usize, &SampleSection)| -> Vec<Option<SamplePart>> {
        section.groups.iter().map(|group| SamplePart::of(at, group)).collect()
    };
    let parts: Vec<SamplePart> = sections.iter().enumerate().flat_map(part).collect::<Option<_>>()?;
    let mut types: Vec<QuestionType> = parts.iter().map(|part| part.kind).collect();
    types.sort_unstable();
    types.dedup();
    let marks: u32 = parts.iter().map(|part| part.count * part.each).sum();
    let questions: u32 = parts.iter().map(|part| part.count).sum();
    let is_asked_for = sections.len() == request.sections && types == request.types && marks == request.marks;
    (is_asked_for && questions <= MOST_QUESTIONS).then_some(parts)
}
