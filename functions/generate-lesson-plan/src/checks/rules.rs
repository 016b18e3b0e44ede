//! Rules for one slot: structure, sums, language, topic, duplicates, safety, readability.

use std::collections::BTreeSet;

use banyan_bank::catalogue;
use banyan_bank::parts::{Bloom, Qa};
use banyan_functions::safety::judge;
use banyan_functions::script::{Language, ScriptCount};

use super::{Finding, arithmetic, cleaning};
use crate::content::{FrameText, PeriodText};
use crate::plan::{PeriodPlan, Plan};
use crate::request::LessonRequest;

/// What is wrong with the text outside the periods.
pub fn frame(text: &FrameText, request: &LessonRequest, plan: &Plan) -> Vec<Finding> {
    let mut findings = structure(text, plan);
    for item in &text.assessment {
        findings.extend(item.check.as_ref().and_then(|check| arithmetic::check_one(check, &item.a)));
    }
    findings.extend(arithmetic::check_all(text.diagnostic.iter()));
    let texts = frame_texts(text);
    findings.extend(common(&texts, request));
    if !on_topic(&texts, request, &text.key_terms.iter().map(|term| term.term.as_str()).collect::<Vec<_>>()) {
        findings
            .push(Finding::new("V11", format!("the text must be about the chapter “{}”", request.chapter)));
    }
    findings
}

/// What is wrong with one period; `terms` are the key terms of the plan.
pub fn period(text: &PeriodText, plan: &PeriodPlan, request: &LessonRequest, terms: &[&str]) -> Vec<Finding> {
    let mut findings = Vec::new();
    if text.phases.len() != plan.minutes.len() {
        let problem =
            format!("phases must have exactly {} entries, not {}", plan.minutes.len(), text.phases.len());
        findings.push(Finding::new("V18", problem));
    }
    if text.phases.iter().any(|phase| phase.teacher.is_empty() || phase.pupils.is_empty()) {
        findings.push(Finding::new("V02", "every phase needs a text for teacher and for pupils"));
    }
    let questions: Vec<&Qa> =
        text.phases.iter().flat_map(|phase| &phase.questions).chain(std::iter::once(&text.check)).collect();
    if questions.iter().any(|qa| qa.q.is_empty() || qa.a.is_empty()) || text.homework.is_empty() {
        findings.push(Finding::new("V02", "every question needs an answer, and homework must not be empty"));
    }
    findings.extend(arithmetic::check_all(questions.iter().copied()));
    findings.extend(duplicates(&questions));
    let texts = period_texts(text);
    findings.extend(common(&texts, request));
    if !on_topic(&texts, request, terms) {
        findings
            .push(Finding::new("V11", format!("the period must be about the chapter “{}”", request.chapter)));
    }
    let pupil_text: Vec<&str> =
        questions.iter().map(|qa| qa.q.as_str()).chain([text.homework.as_str()]).collect();
    findings.extend(readability(&pupil_text, request));
    findings
}

/// V02, V03 and V18: how many of each, every outcome tested, one of a higher level.
fn structure(text: &FrameText, plan: &Plan) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut between = |name: &str, count: usize, range: std::ops::RangeInclusive<usize>| {
        if !range.contains(&count) {
            let problem =
                format!("{name} must have {} to {} entries, not {count}", range.start(), range.end());
            findings.push(Finding::new("V02", problem));
        }
    };
    between("outcomes", text.outcomes.len(), 3..=8);
    between("priorKnowledge", text.prior_knowledge.len(), 2..=4);
    between("diagnostic", text.diagnostic.len(), 2..=4);
    between("keyTerms", text.key_terms.len(), 4..=10);
    between("resources", text.resources.len(), 3..=8);
    between("misconceptions", text.misconceptions.len(), 2..=5);
    between("assessment", text.assessment.len(), 3..=10);
    between("links", text.links.len(), 3..=6);
    if text.subtopics.len() != plan.periods.len() {
        let problem = format!("subtopics must have exactly {} entries, one per period", plan.periods.len());
        findings.push(Finding::new("V18", problem));
    }
    let distinct: BTreeSet<String> = text.subtopics.iter().map(|title| title.to_lowercase()).collect();
    if distinct.len() != text.subtopics.len() || text.subtopics.iter().any(String::is_empty) {
        findings.push(Finding::new("V18", "every period needs its own sub-topic; none may be repeated"));
    }
    if !text.outcomes.iter().any(|outcome| outcome.bloom >= Bloom::Analyse) {
        findings
            .push(Finding::new("V18", "at least one outcome must be of level analyse, evaluate or create"));
    }
    for no in 1..=text.outcomes.len() {
        if !text.assessment.iter().any(|item| item.outcome == no) {
            findings.push(Finding::new("V18", format!("no assessment item tests outcome {no}")));
        }
    }
    if text.assessment.iter().any(|item| !(1..=text.outcomes.len()).contains(&item.outcome)) {
        findings.push(Finding::new("V03", "an assessment item names an outcome that does not exist"));
    }
    findings
}

/// Checks that every text must pass: language (V12), addresses (V16), markup (V17), safety (V20).
fn common(texts: &[&str], request: &LessonRequest) -> Vec<Finding> {
    let mut findings = Vec::new();
    let typed = request.typed();
    let own: Vec<String> = texts
        .iter()
        .map(|text| typed.iter().fold((*text).to_owned(), |t, typed| t.replace(typed, "")))
        .collect();
    let all = own.join(" ");
    if !in_language(&all, request.language) {
        findings
            .push(Finding::new("V12", format!("the text must be written in {}", request.language.name())));
    }
    if own.iter().any(|text| cleaning::has_address(text)) {
        findings.push(Finding::new("V16", "no links, e-mail addresses or telephone numbers"));
    }
    if texts.iter().any(|text| cleaning::has_markup(text)) {
        findings.push(Finding::new("V17", "plain text only: no Markdown, LaTeX or HTML"));
    }
    if own.iter().any(|text| judge(&[text]).allowed().is_err()) {
        findings.push(Finding::new("V20", "the text is not suitable for children; write it differently"));
    }
    findings
}

/// V12: 85 % of the letters for Indian scripts (symbols and units stay Latin), 95 % for English; Marathi
/// is told from Hindi by its function words.
pub fn in_language(text: &str, language: Language) -> bool {
    let words: String =
        text.split_whitespace().filter(|word| !is_formula(word)).collect::<Vec<_>>().join(" ");
    let count = ScriptCount::of(&words);
    if count.total() < 20 {
        return true;
    }
    let least = if language == Language::English { 0.95 } else { 0.85 };
    let right_script = count.share(language.script()) >= least;
    let (hindi, marathi) = (count_words(text, HINDI), count_words(text, MARATHI));
    match language {
        Language::Hindi => right_script && hindi >= marathi,
        Language::Marathi => right_script && marathi >= hindi,
        _ => right_script,
    }
}

const HINDI: &[&str] = &["है", "हैं", "का", "की", "के", "में", "और", "से"];
const MARATHI: &[&str] = &["आहे", "आहेत", "चा", "ची", "चे", "मध्ये", "आणि", "व"];

fn count_words(text: &str, words: &[&str]) -> usize {
    text.split(|c: char| c.is_whitespace() || c.is_ascii_punctuation() || c == '।')
        .filter(|word| words.contains(word))
        .count()
}

/// A word with a digit or an operator, or a symbol of one or two letters.
fn is_formula(word: &str) -> bool {
    word.chars().any(|c| c.is_ascii_digit() || "=+×÷^/²³₂".contains(c))
        || (word.is_ascii() && word.chars().filter(char::is_ascii_alphabetic).count() <= 2)
}

/// V11: at least one word of the chapter's title or one key term.
fn on_topic(texts: &[&str], request: &LessonRequest, terms: &[&str]) -> bool {
    let all = texts.join(" ").to_lowercase();
    let title = catalogue::words(&request.chapter);
    title.iter().any(|word| all.contains(word.as_str()))
        || terms.iter().any(|term| term.chars().count() > 2 && all.contains(&term.to_lowercase()))
}

/// V10: the same question in the same or nearly the same words. Numbers count, so that two sums of one
/// kind are two questions.
fn duplicates(questions: &[&Qa]) -> Vec<Finding> {
    let sets: Vec<BTreeSet<String>> = questions
        .iter()
        .map(|qa| {
            qa.q.to_lowercase()
                .split(|c: char| !c.is_alphanumeric())
                .filter(|w| !w.is_empty())
                .map(str::to_owned)
                .collect()
        })
        .collect();
    let mut findings = Vec::new();
    for (at, one) in sets.iter().enumerate() {
        for other in &sets[..at] {
            let shared = one.intersection(other).count();
            let all = one.union(other).count();
            if one.len() >= 5 && shared * 100 >= all * 85 {
                findings
                    .push(Finding::new("V10", format!("the question “{}” is there twice", questions[at].q)));
            }
        }
    }
    findings
}

/// V13: Flesch-Kincaid grade of pupils' text in English at most two above the class, Classes 3 to 10.
fn readability(texts: &[&str], request: &LessonRequest) -> Option<Finding> {
    if request.language != Language::English || !(3..=10).contains(&request.class) {
        return None;
    }
    let grade = grade(&texts.join(". "))?;
    let limit = f64::from(request.class) + 2.0;
    (grade > limit).then(|| {
        Finding::new(
            "V13",
            format!(
                "questions and homework must be readable in Class {}: shorter sentences, simpler words",
                request.class
            ),
        )
    })
}

/// Flesch-Kincaid grade; nothing for texts too short to judge.
fn grade(text: &str) -> Option<f64> {
    let sentences =
        text.split(['.', '!', '?']).filter(|part| part.split_whitespace().count() > 1).count().max(1);
    let words: Vec<&str> = text.split_whitespace().filter(|word| !is_formula(word)).collect();
    if words.len() < 20 {
        return None;
    }
    let syllables: usize = words.iter().map(|word| syllables(word)).sum();
    let count = words.len() as f64;
    Some(0.39 * count / sentences as f64 + 11.8 * syllables as f64 / count - 15.59)
}

fn syllables(word: &str) -> usize {
    let letters: Vec<char> = word.to_lowercase().chars().filter(|c| c.is_ascii_alphabetic()).collect();
    let vowel = |c: char| "aeiouy".contains(c);
    let starts = letters
        .iter()
        .enumerate()
        .filter(|(at, c)| vowel(**c) && (*at == 0 || !vowel(letters[at - 1])))
        .count();
    let silent = letters.ends_with(&['e']) && !letters.ends_with(&['l', 'e']);
    starts.saturating_sub(usize::from(silent)).max(1)
}

fn frame_texts(text: &FrameText) -> Vec<&str> {
    let mut texts: Vec<&str> = Vec::new();
    texts.extend(text.outcomes.iter().map(|outcome| outcome.text.as_str()));
    texts.extend(
        text.prior_knowledge
            .iter()
            .chain(&text.resources)
            .chain(&text.safety)
            .chain(&text.subtopics)
            .map(String::as_str),
    );
    texts.extend(text.diagnostic.iter().flat_map(|qa| [qa.q.as_str(), &qa.a]));
    texts.extend(text.key_terms.iter().flat_map(|term| [term.term.as_str(), &term.meaning]));
    texts.extend(text.misconceptions.iter().flat_map(|m| [m.wrong.as_str(), &m.right]));
    let d = &text.differentiation;
    texts.extend([d.support.as_str(), &d.core, &d.extension, &d.inclusive, &text.remedial, &text.enrichment]);
    texts.extend(text.assessment.iter().flat_map(|item| [item.q.as_str(), &item.a]));
    texts.extend(text.links.iter().flat_map(|link| [link.kind.as_str(), &link.text]));
    texts
}

fn period_texts(text: &PeriodText) -> Vec<&str> {
    let mut texts = vec![text.check.q.as_str(), &text.check.a, &text.homework];
    for phase in &text.phases {
        texts.extend([phase.teacher.as_str(), &phase.pupils, &phase.board]);
        texts.extend(phase.questions.iter().flat_map(|qa| [qa.q.as_str(), &qa.a]));
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn v12_languages_of_one_script_are_told_apart_by_their_function_words() {
        let hindi = "विद्युत धारा आवेश का प्रवाह है और इसकी इकाई एम्पियर है। तार में धारा बहती है।";
        let marathi = "विद्युत धारा हे प्रभाराचे वहन आहे आणि तिचे एकक अँपिअर आहे. तारेमध्ये धारा वाहते आणि दिवा लागतो.";
        assert!(in_language(hindi, Language::Hindi) && !in_language(hindi, Language::Marathi));
        assert!(in_language(marathi, Language::Marathi) && !in_language(marathi, Language::Hindi));
        assert!(!in_language(hindi, Language::English));
        assert!(!in_language("This is plainly English text, not Hindi at all.", Language::Hindi));
    }

    #[test]
    fn v12_formulae_and_units_may_stay_latin() {
        assert!(in_language("धारा I = Q/t है, जहाँ Q आवेश है और t समय है; 2 A × 5 s = 10 C", Language::Hindi));
    }

    #[test]
    fn v13_hard_words_for_small_children_are_found() {
        let hard = "Notwithstanding considerable meteorological unpredictability, characterise agricultural productivity \
                    determinants systematically, differentiating irrigation infrastructure availability considerations \
                    from fertiliser application methodologies and institutional intermediation mechanisms throughout \
                    representative agroclimatic territories. Subsequently consolidate comparative \
                    documentation.";
        let easy = "Look at the leaf. Draw it in your book. Write two lines on it. Show it to your friend. Ask for one \
                    more leaf. Count the leaves. How many are there? Put them in a row. Say the names.";
        assert!(grade(hard).unwrap() > 12.0);
        assert!(grade(easy).unwrap() < 4.0);
    }

    #[test]
    fn v10_two_sums_of_one_kind_are_two_questions_and_the_same_words_are_one() {
        let qa = |q: &str| Qa { q: q.to_owned(), a: "x".to_owned(), check: None };
        let (one, two) =
            (qa("What is the current in 4 ohm at 12 V?"), qa("What is the current in 6 ohm at 18 V?"));
        assert_eq!(duplicates(&[&one, &two]), []);
        assert_eq!(duplicates(&[&one, &qa("What is the current in 4 ohm at 12 V")]).len(), 1);
    }
}
