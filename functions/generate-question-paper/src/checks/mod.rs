//! Checks on a filled paper (SPECIFICATION.md GEN-7). Sums and counts come from the plan and are
//! only asserted.

/// The words of a chapter (V11).
pub(crate) mod topic;

use banyan_bank::arithmetic::evaluate;
use banyan_bank::units;
use banyan_functions::checks::readability::readability;
use banyan_functions::checks::{self, Finding, similarity};
use banyan_functions::sanitise::visible_length;
use banyan_functions::writing_system::Language;

use crate::content::{Body, Content, Question, Source};
use crate::plan::{MOST_QUESTIONS, Plan, QuestionType, Slot};
use crate::request::PaperRequest;

/// Problems of a paper.
pub fn paper(request: &PaperRequest, plan: &Plan, content: &Content) -> Vec<Finding> {
    let mut findings = numbers(request, plan);
    if content.questions.len() != plan.questions() as usize {
        findings.push(Finding::new("V03", "every slot needs exactly one question"));
    }
    for question in &content.questions {
        for body in question.bodies() {
            findings.extend(one(&question.slot, body, request.language));
        }
    }
    findings.extend(duplicates(content));
    let texts = texts(content);
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    findings.extend(checks::common(&texts, &request.typed(), request.language));
    let questions: Vec<&str> = written(content).flat_map(Body::texts).collect();
    findings.extend(readability(&questions, request.language, request.class));
    findings.extend(topic::findings(request, plan, content));
    findings
}

/// V04 and V05: what the plan has made sure of.
pub fn numbers(request: &PaperRequest, plan: &Plan) -> Vec<Finding> {
    let mut findings = Vec::new();
    let sum: u32 = plan.sections.iter().map(super::plan::Section::marks).sum();
    if sum != request.marks || plan.marks != request.marks {
        findings.push(Finding::new("V04", format!("the marks add up to {sum}, not {}", request.marks)));
    }
    let numbered = plan.slots().map(|slot| slot.no).eq(1..=plan.questions());
    if !numbered || plan.questions() > MOST_QUESTIONS + 2 {
        findings.push(Finding::new("V04", "the questions are not counted in order, or too many"));
    }
    let mut types: Vec<QuestionType> = plan.slots().map(|slot| slot.kind).collect();
    types.sort_unstable();
    types.dedup();
    if plan.sections.len() != request.sections || types != request.types {
        findings.push(Finding::new("V05", "sections and types must be those that were asked for"));
    }
    if plan.sections.iter().any(|section| section.slots().next().is_none()) {
        findings.push(Finding::new("V22", "a section is empty"));
    }
    findings
}

/// Rules for one question: V06 to V09, V14 and V15.
pub(crate) fn one(slot: &Slot, body: &Body, language: Language) -> Vec<Finding> {
    let mut findings = Vec::new();
    let no = slot.no;
    let mut broken = |id: &'static str, problem: &str| {
        findings.push(Finding::new(id, format!("question {no}: {problem}")));
    };
    let halves: u32 = body.scheme.iter().map(|point| point.half_marks).sum();
    if halves != slot.marks * 2 {
        broken("V06", "the scheme does not add up to the marks");
    }
    let parts: u32 = body.parts.iter().map(|part| part.marks).sum();
    if parts != 0 && parts != slot.marks {
        broken("V06", "the parts do not add up to the marks");
    }
    for (one, other) in &body.proofs {
        let equal = |a: f64, b: f64| (a - b).abs() <= 0.005 * a.abs().max(b.abs()).max(1e-9);
        if !matches!((evaluate(one), evaluate(other)), (Some(a), Some(b)) if equal(a, b)) {
            broken("V14", &format!("{one} is not {other}"));
        }
    }
    // Text that the teacher will write cannot be judged yet.
    if body.source == Source::Open {
        return findings;
    }
    if slot.kind == QuestionType::Numerical {
        let asked = body.asked().into_iter();
        let faults = asked.filter_map(|(question, answer)| units::fault(question, answer, language));
        faults.for_each(|fault| broken("V15", &fault));
    }
    match slot.kind {
        QuestionType::Mcq if !good_options(body) => {
            broken("V07", "four options of like length, no two equal, one of them right");
        }
        QuestionType::Match if !good_pairs(body, slot.marks) => {
            broken("V08", "as many pairs as marks, no two equal, the second column shuffled");
        }
        QuestionType::Fill if !good_blanks(body, slot.marks) => {
            broken("V09", "a blank for every mark, and no answer in the sentence");
        }
        _ => {}
    }
    findings
}

fn good_options(body: &Body) -> bool {
    let lengths: Vec<usize> = body.options.iter().map(|option| visible_length(option)).collect();
    let (least, most) =
        (lengths.iter().min().copied().unwrap_or(0), lengths.iter().max().copied().unwrap_or(0));
    let key = body.right_option.and_then(|at| body.options.get(at));
    body.options.len() == 4
        && are_distinct(body.options.iter())
        && key == Some(&body.answer)
        && (most <= least * 3 || most - least <= 20)
        && !body.options.iter().any(|option| is_catch_all(option))
}

/// Whether no text is empty and no two are equal, but for case and what they end with.
fn are_distinct<'a>(texts: impl Iterator<Item = &'a String>) -> bool {
    let folded = |text: &String| text.trim().trim_end_matches(['.', ',', ';', '।']).trim_end().to_lowercase();
    let texts: Vec<String> = texts.map(folded).collect();
    (0..texts.len()).all(|at| !texts[at].is_empty() && !texts[..at].contains(&texts[at]))
}

/// Options that speak of the others, which come in another order than the model knows.
fn is_catch_all(option: &str) -> bool {
    const OF_OTHERS: [&str; 12] = [
        "of the above",
        "of these",
        "of the options",
        "of them",
        "all the above",
        "(a) and",
        "(b) and",
        "उपरोक्त",
        "उपर्युक्त",
        "इनमें से",
        "वरील",
        "ઉપરોક્ત",
    ];
    let option = option.trim().to_lowercase();
    let alone = ["all", "none", "both", "neither"].contains(&option.trim_end_matches('.'));
    alone || OF_OTHERS.iter().any(|words| option.contains(words))
}

fn good_pairs(body: &Body, marks: u32) -> bool {
    let mut places = body.shuffled.clone();
    places.sort_unstable();
    body.pairs.len() == marks as usize
        && are_distinct(body.pairs.iter().map(|(left, _)| left))
        && are_distinct(body.pairs.iter().map(|(_, right)| right))
        && places.iter().copied().eq(0..body.pairs.len())
        && !body.shuffled.iter().copied().eq(0..body.pairs.len())
}

fn good_blanks(body: &Body, marks: u32) -> bool {
    let blanks = body.text.split(|c| c != '_').filter(|run| run.len() >= 4).count();
    let are_answered = body.scheme.iter().all(|point| !point.text.trim().is_empty());
    blanks == marks as usize && are_answered && !shows_answer(body)
}

/// Whether an answer of the scheme stands in the question itself; numbers may come in both.
pub(crate) fn shows_answer(body: &Body) -> bool {
    let words = |text: &str| -> Vec<String> {
        let text = text.to_lowercase();
        text.split(|c: char| !c.is_alphanumeric()).map(str::to_owned).filter(|word| word.len() > 2).collect()
    };
    let stem = words(&body.text);
    let shown = |answer: &str| {
        let answer = words(answer);
        !answer.is_empty() && stem.windows(answer.len()).any(|window| window == answer)
    };
    let numeric = |answer: &str| answer.chars().any(|c| c.is_ascii_digit());
    body.scheme.iter().any(|point| !numeric(&point.text) && shown(&point.text))
}

/// V10: no question twice, in whatever form.
fn duplicates(content: &Content) -> Vec<Finding> {
    let closed =
        content.questions.iter().flat_map(Question::bodies).filter(|body| body.source != Source::Open);
    let texts: Vec<String> = closed.map(Body::printed).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let finding = |(at, _): (usize, usize)| Finding::new("V10", format!("“{}” is there twice", texts[at]));
    similarity::repeated(&texts).into_iter().map(finding).collect()
}

fn written(content: &Content) -> impl Iterator<Item = &Body> {
    content.questions.iter().flat_map(Question::bodies).filter(|body| body.source != Source::Open)
}

/// Everything that was written for this paper.
fn texts(content: &Content) -> Vec<String> {
    let bodies = content.questions.iter().flat_map(Question::bodies);
    bodies.flat_map(|body| body.all_texts().map(str::to_owned).collect::<Vec<_>>()).collect()
}
