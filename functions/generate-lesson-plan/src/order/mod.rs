//! The order and the names of a plan's parts as a teacher's sample has them (SPECIFICATION.md
//! GEN-5.3.6).

use banyan_functions::moderation::rules::judge;
use banyan_functions::sanitise::visible_length;
use banyan_functions::writing_system::ScriptCount;
use banyan_samples::{SampleHeading, structure};
use serde::Serialize;

use crate::request::LessonRequest;

/// What teachers call the parts.
mod names;

/// What a heading means.
mod meaning;

use meaning::Meaning;

/// Parts that a sample shows at least; fewer are no order.
const FEWEST: usize = 2;

/// Characters of a heading that is taken over as a name.
const LONGEST_NAME: usize = 60;

/// A part of a plan under a heading of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Part {
    /// L2.
    Outcomes,
    /// L3.
    PriorKnowledge,
    /// L4.
    KeyTerms,
    /// L5.
    Resources,
    /// L6.
    Periods,
    /// L7.
    Misconceptions,
    /// L8.
    Differentiation,
    /// L9.
    Assessment,
    /// L11.
    Links,
    /// L12.
    Remedial,
    /// Safety lines.
    Safety,
}

/// A part at its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Placed {
    /// The part.
    pub part: Part,
    /// Its name in the sample; ours without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

impl Part {
    /// All, in the usual order.
    pub const ALL: [Self; 11] = [
        Self::Outcomes,
        Self::PriorKnowledge,
        Self::KeyTerms,
        Self::Resources,
        Self::Periods,
        Self::Misconceptions,
        Self::Differentiation,
        Self::Assessment,
        Self::Links,
        Self::Remedial,
        Self::Safety,
    ];

    /// The name of its heading among the words of a language.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Outcomes => "outcomes",
            Self::PriorKnowledge => "priorKnowledge",
            Self::KeyTerms => "keyTerms",
            Self::Resources => "resources",
            Self::Periods => "periodPlan",
            Self::Misconceptions => "misconceptions",
            Self::Differentiation => "differentiation",
            Self::Assessment => "assessment",
            Self::Links => "links",
            Self::Remedial => "remedialAndEnrichment",
            Self::Safety => "safety",
        }
    }
}

/// What a sample shows of a plan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shown {
    /// Its known headings in their order.
    pub known: Vec<String>,
    /// How many of its headings are not known.
    pub unknown: usize,
    order: Vec<Placed>,
}

impl Shown {
    /// What the sample of a request shows; nothing without a sample.
    pub fn by(request: &LessonRequest) -> Option<Self> {
        let mut shown = Self::default();
        for heading in structure(request.sample_text.as_ref()?).headings {
            match Meaning::of(&heading.text) {
                Meaning::Part(part) => shown.place(part, name_of(&heading, request)),
                Meaning::Step => shown.place(Part::Periods, None),
                Meaning::Unknown => shown.unknown += 1,
                Meaning::Head => {}
            }
            if matches!(Meaning::of(&heading.text), Meaning::Part(_) | Meaning::Step) {
                shown.known.push(heading.text.trim_matches(is_around).to_owned());
            }
        }
        Some(shown)
    }

    /// The parts of its order, with their names.
    pub fn placed(&self) -> &[Placed] {
        &self.order
    }

    /// Whether a plan takes its order.
    pub fn is_order(&self) -> bool {
        self.order.len() >= FEWEST
    }

    /// Whether most headings are known, and a plan takes their order.
    pub fn is_well_known(&self) -> bool {
        self.is_order() && self.known.len() >= self.unknown
    }

    /// The first heading decides on the place of a part, and the first that names it on its name.
    fn place(&mut self, part: Part, title: Option<String>) {
        match self.order.iter_mut().find(|placed| placed.part == part) {
            Some(placed) => placed.title = placed.title.take().or(title),
            None => self.order.push(Placed { part, title }),
        }
    }
}

/// Every part in the order of the request's sample; nothing where that shows none.
pub fn of(request: &LessonRequest) -> Vec<Placed> {
    let shown = Shown::by(request).filter(Shown::is_order);
    shown.map(|shown| completed(shown.order)).unwrap_or_default()
}

/// The order with the parts that the sample does not have, each behind the one that it usually
/// follows.
fn completed(mut order: Vec<Placed>) -> Vec<Placed> {
    let mut before = None;
    for part in Part::ALL {
        let place = |part: Part| order.iter().position(|placed| placed.part == part);
        if place(part).is_none() {
            let at = before.and_then(place).map_or(0, |at| at + 1);
            order.insert(at, Placed { part, title: None });
        }
        before = Some(part);
    }
    order
}

/// The heading as a name: without its number, in the script of the document, and nothing that a
/// document must not say.
fn name_of(heading: &SampleHeading, request: &LessonRequest) -> Option<String> {
    let name = heading.text.trim_matches(is_around);
    let is_plain = !name.contains(|c: char| c.is_numeric() || "@/\\<>{}✎\t".contains(c));
    let is_short = visible_length(name) <= LONGEST_NAME;
    let is_readable = ScriptCount::of(name).share(request.language.script()) >= 0.85;
    (is_plain && is_short && is_readable && judge(&[name]).allowed().is_ok()).then(|| name.to_owned())
}

/// Returns whether a sign around a heading is none of its name.
fn is_around(c: char) -> bool {
    c.is_numeric() || c.is_whitespace() || ".:()-–—".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(parts: &[Part]) -> Vec<Placed> {
        parts.iter().map(|part| Placed { part: *part, title: None }).collect()
    }

    // rows: GEN-5.3.6
    #[test]
    fn what_a_sample_does_not_have_keeps_its_place() {
        let order = completed(placed(&[Part::Resources, Part::Outcomes, Part::Assessment]));
        let parts: Vec<Part> = order.iter().map(|placed| placed.part).collect();
        assert_eq!(
            parts,
            [
                Part::Resources,
                Part::Periods,
                Part::Misconceptions,
                Part::Differentiation,
                Part::Outcomes,
                Part::PriorKnowledge,
                Part::KeyTerms,
                Part::Assessment,
                Part::Links,
                Part::Remedial,
                Part::Safety,
            ]
        );
        assert_eq!(completed(placed(&Part::ALL)), placed(&Part::ALL));
    }
}
