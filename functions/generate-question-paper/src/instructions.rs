//! The general instructions, written from the plan and never copied: their numbers are the paper's
//! numbers (SPECIFICATION.md DOM-3.2).

use banyan_bank::subjects::Family;

use crate::content::Content;
use crate::plan::{Part, Plan, QuestionType, Section, Style};
use crate::words::Words;

/// From this class on pupils know π and calculators, and count words.
const UPPER_CLASSES: u8 = 6;

/// The instructions in order.
pub(crate) fn of(class: u8, plan: &Plan, content: &Content, words: &Words, names: &[String]) -> Vec<String> {
    let mut lines = vec![opening(plan, words)];
    for section in &plan.sections {
        lines.extend(section.parts.iter().map(|part| part_line(section, part, words, names)));
    }
    lines.extend(choices(plan, content, words, names));
    let mut say = |name: &str| lines.push(words.instruction(name, &[]));
    let is_of_upper_classes = class >= UPPER_CLASSES;
    match plan.family {
        Family::Mathematics if is_of_upper_classes => say("figures"),
        Family::Science if plan.slots().any(|slot| slot.kind == QuestionType::Numerical) => say("units"),
        _ => {}
    }
    let reckons = matches!(plan.family, Family::Mathematics | Family::Science);
    if reckons && is_of_upper_classes && plan.style != Style::International {
        say("noCalculator");
    }
    // It names the three of them.
    let has = |kind: QuestionType| plan.slots().any(|slot| slot.kind == kind);
    let names_all = [QuestionType::VeryShort, QuestionType::Short, QuestionType::Long].into_iter().all(has);
    if plan.family != Family::Mathematics && is_of_upper_classes && names_all {
        say("words");
    }
    match plan.style {
        Style::Icse => ["readingFirst", "separateSheets", "brackets"].into_iter().for_each(say),
        Style::International => ["answerAll", "brackets"].into_iter().for_each(say),
        Style::Cbse | Style::Neutral if plan.minutes >= 180 => say("reading"),
        Style::Cbse | Style::Neutral => {}
    }
    lines
}

fn opening(plan: &Plan, words: &Words) -> String {
    let questions = words.count("questions", plan.questions());
    let sections = words.count("sections", u32::try_from(plan.sections.len()).unwrap_or(0));
    let name = match plan.sections.iter().any(|section| section.attempt.is_some()) {
        true => "paperWithChoice",
        false => "paper",
    };
    words.instruction(name, &[("questions", &questions), ("sections", &sections)])
}

fn part_line(section: &Section, part: &Part, words: &Words, names: &[String]) -> String {
    let no = |slot: Option<&crate::plan::Slot>| slot.map_or(0, |slot| slot.no).to_string();
    let (from, to) = (no(part.slots.first()), no(part.slots.last()));
    let (letter, marks) = (label(section, names), words.count("marks", part.each));
    let kind = words.kind(part.kind);
    let places =
        [("letter", letter.as_str()), ("from", &from), ("to", &to), ("type", kind), ("marks", &marks)];
    let name = match part.count() {
        1 => "sectionOne",
        2 => "sectionTwo",
        _ => "sectionMany",
    };
    named(words.instruction(name, &places), &letter, words, names)
}

fn choices(plan: &Plan, content: &Content, words: &Words, names: &[String]) -> Vec<String> {
    let mut lines = Vec::new();
    for section in &plan.sections {
        if let Some(attempt) = section.attempt {
            let (label, k) = (label(section, names), attempt.to_string());
            let n = section.parts[0].count().to_string();
            let line = words.instruction("attempt", &[("letter", &label), ("k", &k), ("n", &n)]);
            lines.push(named(line, &label, words, names));
        }
    }
    let chosen: Vec<u32> = content.with_choice().map(|question| question.slot.no).collect();
    let with_choice = |section: &&Section| section.slots().any(|slot| chosen.contains(&slot.no));
    let labels: Vec<String> =
        plan.sections.iter().filter(with_choice).map(|section| label(section, names)).collect();
    if !chosen.is_empty() {
        let questions = words.count("questions", u32::try_from(chosen.len()).unwrap_or(0));
        let name = if labels.len() == 1 || !names.is_empty() { "choice" } else { "choices" };
        let list = words.list(&labels);
        let line = words.instruction(name, &[("questions", questions.as_str()), ("letters", &list)]);
        lines.push(named(line, &list, words, names));
    }
    lines
}

/// The name that a sample gives a section, or its letter.
fn label(section: &Section, names: &[String]) -> String {
    let place = (section.letter as usize).saturating_sub('A' as usize);
    names.get(place).cloned().unwrap_or_else(|| section.letter.to_string())
}

/// The line without our word for a section before the names of a sample.
fn named(line: String, label: &str, words: &Words, names: &[String]) -> String {
    if names.is_empty() {
        return line;
    }
    line.replace(&words.heading_with("sectionOfKey", &[("letter", label)]), label)
}
