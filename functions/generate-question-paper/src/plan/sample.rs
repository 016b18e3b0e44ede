//! The pattern of a teacher's sample, where it is one that the form asks for (SPECIFICATION.md
//! GEN-5.3.6): so many sections, these types, these marks in all.

use banyan_functions::moderation::rules::judge;
use banyan_functions::sanitise::visible_length;
use banyan_functions::writing_system::ScriptCount;
use banyan_samples::{QuestionGroup, SampleSection, SampleStructure, section_name, structure};

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

/// Characters of a name that is taken over.
const LONGEST_NAME: usize = 60;

/// Names and numbering as a sample has them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SampleStyle {
    /// What stands before and behind the number of a question, if that is not the usual.
    pub numbering: Option<[String; 2]>,
    /// The name of the examination, without its year.
    pub examination: Option<String>,
    /// The names of the sections; empty unless the sample has as many sections as the form.
    pub sections: Vec<String>,
}

impl SampleStyle {
    /// That of the request's sample.
    pub fn by(request: &PaperRequest) -> Self {
        let Some(text) = &request.sample_text else { return Self::default() };
        let shown = structure(text);
        let numbering = shown.numbering.filter(|signs| *signs != (String::new(), ".".to_owned()));
        let is_short = |before: &str, behind: &str| {
            before.chars().count() <= 10
                && (before.is_empty() || is_readable(before, request))
                && !behind.is_empty()
        };
        Self {
            numbering: numbering
                .filter(|(before, behind)| is_short(before, behind))
                .map(|(before, behind)| [before, behind]),
            examination: shown.examination.as_deref().and_then(|title| name_of(title, request)),
            sections: names_of_sections(&shown.sections, request),
        }
    }
}

fn names_of_sections(sections: &[SampleSection], request: &PaperRequest) -> Vec<String> {
    let name = |section: &SampleSection| name_of(section_name(&section.title), request);
    let names: Option<Vec<String>> = sections.iter().map(name).collect();
    let mut different = names.clone().unwrap_or_default();
    different.sort_unstable();
    different.dedup();
    names
        .filter(|names| names.len() == request.sections && different.len() == names.len())
        .unwrap_or_default()
}

/// A name without its year, in the script of the document, and nothing that a document must not
/// say.
fn name_of(title: &str, request: &PaperRequest) -> Option<String> {
    let is_of_year = |c: char| c.is_whitespace() || c.is_numeric() || "-–—:()/,.".contains(c);
    let name = title.trim_end_matches(is_of_year).trim();
    let is_plain = !name.is_empty() && !name.contains(|c: char| c.is_numeric() || "@/\\<>{}✎\t".contains(c));
    let is_short = visible_length(name) <= LONGEST_NAME;
    (is_plain && is_short && is_readable(name, request) && judge(&[name]).allowed().is_ok())
        .then(|| name.to_owned())
}

fn is_readable(name: &str, request: &PaperRequest) -> bool {
    ScriptCount::of(name).share(request.language.script()) >= 0.85
}

/// What a sample has and the form asks for, where they differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Sections of the sample.
    pub sections: usize,
    /// Marks of the sample, where it shows them.
    pub marks: Option<u32>,
    /// Types of the sample that the form knows.
    pub types: Vec<QuestionType>,
}

/// How the request's sample differs from the form; nothing where a paper has its pattern.
pub fn difference(request: &PaperRequest) -> Option<Difference> {
    let shown = structure(request.sample_text.as_ref()?);
    if pattern(request).is_some() {
        return None;
    }
    let groups = || shown.sections.iter().flat_map(|section| &section.groups);
    let mut types: Vec<QuestionType> =
        groups().filter_map(|group| QuestionType::parse(group.kind.id()?)).collect();
    types.sort_unstable();
    types.dedup();
    Some(Difference { sections: shown.sections.len(), marks: marks_of(&shown), types })
}

fn marks_of(shown: &SampleStructure) -> Option<u32> {
    let groups = || shown.sections.iter().flat_map(|section| &section.groups);
    let sum: Option<u32> = groups().map(|group| Some(group.marks? * group.count)).sum();
    sum.filter(|marks| *marks > 0).or(shown.total_marks)
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
