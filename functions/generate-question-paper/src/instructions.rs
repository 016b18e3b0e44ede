//! The general instructions, written from the plan and never copied: their numbers are the paper's
//! numbers (SPECIFICATION.md DOM-3.2).

use banyan_bank::subjects::Family;

use crate::content::Content;
use crate::plan::{Part, Plan, QuestionType, Section, Style};
use crate::words::Words;

/// From this class on pupils know π and calculators, and count words.
const UPPER_CLASSES: u8 = 6;

/// The instructions in order.
pub(crate) fn of(class: u8, plan: &Plan, content: &Content, words: &Words) -> Vec<String> {
    let mut lines = vec![opening(plan, words)];
    for section in &plan.sections {
        lines.extend(section.parts.iter().map(|part| part_line(section, part, words)));
    }
    lines.extend(choices(plan, content, words));
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

fn part_line(section: &Section, part: &Part, words: &Words) -> String {
    let no = |slot: Option<&crate::plan::Slot>| slot.map_or(0, |slot| slot.no).to_string();
    let (from, to) = (no(part.slots.first()), no(part.slots.last()));
    let (letter, marks) = (section.letter.to_string(), words.count("marks", part.each));
    let kind = words.kind(part.kind);
    let places =
        [("letter", letter.as_str()), ("from", &from), ("to", &to), ("type", kind), ("marks", &marks)];
    match part.count() {
        1 => words.instruction("sectionOne", &places),
        2 => words.instruction("sectionTwo", &places),
        _ => words.instruction("sectionMany", &places),
    }
}

fn choices(plan: &Plan, content: &Content, words: &Words) -> Vec<String> {
    let mut lines = Vec::new();
    for section in &plan.sections {
        if let Some(attempt) = section.attempt {
            let (letter, k) = (section.letter.to_string(), attempt.to_string());
            let n = section.parts[0].count().to_string();
            lines.push(words.instruction("attempt", &[("letter", &letter), ("k", &k), ("n", &n)]));
        }
    }
    let chosen: Vec<u32> = content.with_choice().map(|question| question.slot.no).collect();
    let with_choice = |section: &&Section| section.slots().any(|slot| chosen.contains(&slot.no));
    let letters: Vec<String> =
        plan.sections.iter().filter(with_choice).map(|section| section.letter.to_string()).collect();
    if !chosen.is_empty() {
        let questions = words.count("questions", u32::try_from(chosen.len()).unwrap_or(0));
        let name = if letters.len() == 1 { "choice" } else { "choices" };
        let places = [("questions", questions.as_str()), ("letters", &words.list(&letters))];
        lines.push(words.instruction(name, &places));
    }
    lines
}
