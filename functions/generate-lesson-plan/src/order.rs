//! The order and the names of a plan's parts as a teacher's sample has them (SPECIFICATION.md
//! GEN-5.3.6).

use banyan_functions::moderation::rules::judge;
use banyan_functions::sanitise::visible_length;
use banyan_functions::writing_system::ScriptCount;
use banyan_samples::{SampleHeading, structure};
use serde::Serialize;

use crate::request::LessonRequest;

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

    /// What teachers call it, in small letters.
    fn names(self) -> &'static [&'static str] {
        match self {
            Self::Outcomes => {
                &["outcome", "objective", "उद्देश्य", "प्रतिफल", "निष्पत्ती", "હેતુ", "నిష్పత్తి", "లక్ష్య", "ಉದ್ದೇಶ"]
            }
            Self::PriorKnowledge => &["prior", "previous knowledge", "पूर्व", "પૂર્વ", "పూర్వ", "ಪೂರ್ವ"],
            Self::KeyTerms => {
                &["key term", "key word", "keyword", "vocabulary", "शब्द", "શબ્દ", "పదాలు", "ಪದಗಳು"]
            }
            Self::Resources => &[
                "resource",
                "teaching aid",
                "material",
                "tlm",
                "सामग्री",
                "साहित्य",
                "साधन",
                "સામગ્રી",
                "సామగ్రి",
                "ಸಾಮಗ್ರಿ",
            ],
            Self::Periods => &[
                "procedure",
                "presentation",
                "period plan",
                "teaching learning",
                "teaching-learning",
                "प्रस्तुतीकरण",
                "प्रक्रिया",
                "પ્રક્રિયા",
                "ప్రక్రియ",
                "ಪ್ರಕ್ರಿಯೆ",
            ],
            Self::Misconceptions => {
                &["misconception", "common error", "भ्रांति", "गैरसमज", "ગેરસમજ", "అపోహ", "ತಪ್ಪು"]
            }
            Self::Differentiation => &["differentiat", "inclusive", "विभेद", "समावेश"],
            Self::Assessment => {
                &["assessment", "evaluation", "मूल्यांकन", "मूल्यमापन", "મૂલ્યાંકન", "మూల్యాంకన", "ಮೌಲ್ಯಮಾಪನ"]
            }
            Self::Links => &["link", "integration", "सहसंबंध", "समन्वय"],
            Self::Remedial => &["remedial", "enrichment", "उपचार", "ઉપચાર"],
            Self::Safety => &["safety", "सुरक्षा", "સલામતી"],
        }
    }

    /// The part that a heading names.
    fn of(heading: &str) -> Option<Self> {
        let heading = heading.to_lowercase();
        let is_named = |part: &Self| part.names().iter().any(|name| heading.contains(name));
        Self::ALL.into_iter().find(is_named)
    }
}

/// Every part in the order of the request's sample; nothing where that shows none.
pub fn of(request: &LessonRequest) -> Vec<Placed> {
    let Some(text) = &request.sample_text else { return Vec::new() };
    let mut order: Vec<Placed> = Vec::new();
    for heading in structure(text).headings {
        let Some(part) = Part::of(&heading.text) else { continue };
        if order.iter().all(|placed| placed.part != part) {
            order.push(Placed { part, title: name_of(&heading, request) });
        }
    }
    if order.len() < FEWEST { Vec::new() } else { completed(order) }
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
    let is_around = |c: char| c.is_numeric() || c.is_whitespace() || ".:()-–—".contains(c);
    let name = heading.text.trim_matches(is_around);
    let is_plain = !name.contains(|c: char| c.is_numeric() || "@/\\<>{}✎\t".contains(c));
    let is_short = visible_length(name) <= LONGEST_NAME;
    let is_readable = ScriptCount::of(name).share(request.language.script()) >= 0.85;
    (is_plain && is_short && is_readable && judge(&[name]).allowed().is_ok()).then(|| name.to_owned())
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

    // rows: GEN-5.3.6
    #[test]
    fn the_headings_of_teachers_name_the_parts() {
        for (heading, part) in [
            ("Learning Objectives", Part::Outcomes),
            ("3. Teaching Aids", Part::Resources),
            ("पूर्व ज्ञान", Part::PriorKnowledge),
            ("मूल्यांकन", Part::Assessment),
            ("Previous knowledge", Part::PriorKnowledge),
        ] {
            assert_eq!(Part::of(heading), Some(part), "{heading}");
        }
        assert_eq!(Part::of("Chapter 4"), None);
    }
}
