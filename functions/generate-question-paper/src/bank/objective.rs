use banyan_bank::generators::Item;
use banyan_bank::packs::{BLANK, Fact};
use banyan_bank::parts::Term;
use banyan_functions::sanitise::visible_length;

use super::general::{plain, whole};
use super::supply::Supply;
use super::values::wrong_values;
use crate::checks::shows_answer;
use crate::content::{Body, PartText, Topic};
use crate::plan::{Level, Slot};
use crate::shuffling::matched;

/// Longest answer that stands in the second column of a match.
const SHORT_ANSWER: usize = 48;

/// Tries in turn what can be asked.
type Maker = fn(&mut Supply<'_>, &Slot) -> Option<Body>;

fn first(supply: &mut Supply<'_>, slot: &Slot, makers: &[Maker]) -> Option<Body> {
    makers.iter().find_map(|maker| {
        let saved = supply.saved();
        let body = maker(supply, slot);
        if body.is_none() {
            supply.restore(saved);
        }
        body
    })
}

/// Four options, exactly one of them right. Kinds of questions take turns, so that most have a stem
/// of their own; the true one of four statements is asked for a second time of the same statements
/// only where nothing else is left.
pub(super) fn multiple_choice(supply: &mut Supply<'_>, slot: &Slot) -> Option<Body> {
    let turn = supply.state().turn;
    let mut makers: Vec<Maker> = match (slot.marks, slot.level) {
        (2, _) => vec![statements, fact_with_values, problem_with_options, new_statements],
        (_, Level::Recall) => {
            let mut makers: Vec<Maker> = vec![which_term, fact_with_values, new_statements];
            makers.rotate_left(turn % 3);
            makers.push(problem_with_options);
            makers
        }
        _ => vec![problem_with_options, fact_with_values, new_statements, which_term],
    };
    makers.push(statement);
    let body = first(supply, slot, &makers)?;
    supply.state().turn = turn + 1;
    Some(body)
}

fn with_options(supply: &mut Supply<'_>, mut body: Body, right: String, wrong: Vec<String>) -> Body {
    body.answer.clone_from(&right);
    let (options, at) = supply.place(right, wrong);
    (body.options, body.right_option) = (options, Some(at));
    body
}

/// V07: options of like lengths, as they are read and as they are counted in letters and signs.
fn alike(options: &[&str]) -> bool {
    are_of_like_lengths(options, visible_length)
        && are_of_like_lengths(options, |option| option.chars().count())
}

fn are_of_like_lengths(options: &[&str], length: impl Fn(&str) -> usize) -> bool {
    let lengths: Vec<usize> = options.iter().map(|option| length(option)).collect();
    let (least, most) =
        (lengths.iter().min().copied().unwrap_or(0), lengths.iter().max().copied().unwrap_or(0));
    most <= least * 3 || most - least <= 20
}

fn which_term(supply: &mut Supply<'_>, slot: &Slot) -> Option<Body> {
    let pack = supply.pack?;
    let (term, description) = supply.described_terms(1)?.pop()?;
    // What is true of a term is true of its kinds, which would be right, too.
    let is_wrong = |other: &&Term| other.term != term.term && !pack.are_of_a_kind(term, other);
    let mut others: Vec<&str> = pack.terms.iter().filter(is_wrong).map(|other| other.term.as_str()).collect();
    supply.rng.shuffle(&mut others);
    let fits = |others: &[&str]| alike(&[&[term.term.as_str()], others].concat());
    let wrong = others.windows(3).find(|three| fits(three))?;
    let wrong = wrong.iter().map(|text| (*text).to_owned()).collect();
    let text = supply.words.fact("whichTerm", &[("meaning", &description)]);
    let body =
        plain(text, String::new(), whole(&term.term, slot.marks), supply.topic_of(term), Level::Recall);
    Some(with_options(supply, body, term.term.clone(), wrong))
}

/// The question of a fact that is a number, among values that a slip leads to.
fn fact_with_values(supply: &mut Supply<'_>, slot: &Slot) -> Option<Body> {
    let form = |wrong: &[String], fact: &Fact| {
        alike(&wrong.iter().chain([&fact.a]).map(String::as_str).collect::<Vec<_>>())
    };
    let fits = |fact: &Fact| wrong_values(fact).is_some_and(|wrong| form(&wrong, fact));
    let fact = supply.fact(slot.marks, fits)?;
    supply.add_to_keys(fact);
    let topic = Topic::Subtopic(fact.subtopic - 1);
    let body = plain(fact.q.clone(), String::new(), whole(&fact.right, slot.marks), topic, Level::Apply);
    Some(with_options(supply, body, fact.a.clone(), wrong_values(fact)?))
}

/// A true statement among false ones that no question has shown yet.
fn new_statements(supply: &mut Supply<'_>, slot: &Slot) -> Option<Body> {
    statement_among(supply, slot, true)
}

/// The same, whatever was shown.
fn statement(supply: &mut Supply<'_>, slot: &Slot) -> Option<Body> {
    statement_among(supply, slot, false)
}

/// A true statement among false ones: the one that is nearest to it, and two that were printed
/// least.
fn statement_among(supply: &mut Supply<'_>, slot: &Slot, unread: bool) -> Option<Body> {
    // A number is better asked for in a question of its own.
    let in_words = supply.fact(slot.marks, |fact| fact.check.is_none());
    let fact = in_words.or_else(|| supply.fact(slot.marks, |_| true))?;
    let others = supply.for_false(fact);
    let fits = |two: &&[&Fact]| alike(&[&fact.right, &fact.wrong, &two[0].wrong, &two[1].wrong]);
    let two = others.windows(2).find(fits)?;
    let false_ones = [fact, two[0], two[1]];
    if unread && !supply.are_unread(&false_ones) {
        return None;
    }
    supply.add_shown(&false_ones);
    supply.add_stated(fact);
    let topic = Topic::Subtopic(fact.subtopic - 1);
    let text = supply.which_statement();
    let wrong: Vec<String> = false_ones.map(|fact| fact.wrong.clone()).to_vec();
    let body = plain(text, String::new(), whole(&fact.right, slot.marks), topic, Level::Recall);
    Some(with_options(supply, body, fact.right.clone(), wrong))
}

/// Three statements, some of them right; the options name those that are.
fn statements(supply: &mut Supply<'_>, slot: &Slot) -> Option<Body> {
    let facts = supply.facts_together(3)?;
    let topic = Topic::Subtopic(facts[0].subtopic - 1);
    // From 1, so that at least one statement is right.
    let right = 1 + supply.rng.below(7);
    let mut sets: Vec<usize> = (1..8).filter(|set| *set != right).collect();
    supply.rng.shuffle(&mut sets);
    let wrong: Vec<String> = sets.iter().take(3).map(|set| named(supply, *set)).collect();
    let line = |(at, fact): (usize, &&Fact)| PartText {
        text: if right & (1 << at) == 0 { fact.wrong.clone() } else { fact.right.clone() },
        marks: 0,
    };
    let parts = facts.iter().enumerate().map(line).collect();
    let false_ones = facts.iter().enumerate().filter(|(at, _)| right & (1 << at) == 0).map(|(_, fact)| *fact);
    supply.add_shown(&false_ones.collect::<Vec<_>>());
    let true_ones = facts.iter().enumerate().filter(|(at, _)| right & (1 << at) != 0);
    true_ones.for_each(|(_, fact)| supply.add_stated(fact));
    let text = supply.words.fact("whichStatements", &[("subtopic", supply.title(topic))]);
    let name = named(supply, right);
    let body = plain(text, String::new(), whole(&name, slot.marks), topic, Level::Recall);
    Some(with_options(supply, Body { parts, ..body }, name, wrong))
}

/// `I only`, `I and III only`, `I, II and III`: the statements of a set of bits.
fn named(supply: &Supply<'_>, set: usize) -> String {
    let names: Vec<&str> = ["I", "II", "III"]
        .into_iter()
        .enumerate()
        .filter(|(at, _)| set & (1 << at) != 0)
        .map(|(_, n)| n)
        .collect();
    match names.as_slice() {
        [one] => supply.words.fact("only", &[("which", one)]),
        [one, other] => supply.words.fact("twoOnly", &[("one", one), ("other", other)]),
        _ => supply.words.fact("three", &[]),
    }
}

fn problem_with_options(supply: &mut Supply<'_>, slot: &Slot) -> Option<Body> {
    let item = supply.problem(None, slot.difficulty)?;
    let wrong: Vec<String> = item.distractors.iter().map(|distractor| distractor.text.clone()).collect();
    let options: Vec<&str> = wrong.iter().chain([&item.answer]).map(String::as_str).collect();
    let distinct = options.iter().enumerate().all(|(at, option)| !options[..at].contains(option));
    if wrong.len() != 3 || !distinct || !alike(&options) {
        return None;
    }
    let right = item.answer.clone();
    let working: Vec<&str> = item.steps.iter().map(|step| step.text.as_str()).collect();
    let scheme = whole(&working.join("; "), slot.marks);
    let body = Body { scheme, ..of_problem(item.clone(), slot) };
    Some(with_options(supply, body, right, wrong))
}

/// A problem as a question of its own.
fn of_problem(item: Item, slot: &Slot) -> Body {
    let scheme = item.scheme(u8::try_from(slot.marks).unwrap_or(1));
    let body = plain(item.question, item.answer, scheme, Topic::Numbers, Level::Apply);
    Body { proofs: item.proofs, ..body }
}

/// One blank a mark.
pub(super) fn fill_in(supply: &mut Supply<'_>, slot: &Slot) -> Option<Body> {
    let mut blanks: Vec<Body> = Vec::new();
    for _ in 0..slot.marks {
        let coin = supply.rng.below(2) == 0;
        let makers: [Maker; 3] = match (slot.level, coin) {
            (Level::Recall, true) => [term_blank, fact_blank, problem_blank],
            (Level::Recall, false) => [fact_blank, term_blank, problem_blank],
            _ => [problem_blank, fact_blank, term_blank],
        };
        blanks.push(first(supply, &Slot { marks: 1, ..*slot }, &makers)?);
    }
    let filled = blanks.into_iter().reduce(|mut all, next| {
        all.text = format!("{} {}", all.text, next.text);
        all.answer = format!("{}; {}", all.answer, next.answer);
        all.scheme.extend(next.scheme);
        all.proofs.extend(next.proofs);
        all
    })?;
    // Of two sentences one may give the answer of the other away.
    (!shows_answer(&filled)).then_some(filled)
}

fn fact_blank(supply: &mut Supply<'_>, _: &Slot) -> Option<Body> {
    let fact = supply.fact(1, |fact| fact.with_blank().is_some())?;
    let topic = Topic::Subtopic(fact.subtopic - 1);
    Some(plain(fact.with_blank()?, fact.blank.clone(), whole(&fact.blank, 1), topic, Level::Recall))
}

fn term_blank(supply: &mut Supply<'_>, _: &Slot) -> Option<Body> {
    let (term, description) = supply.described_terms(1)?.pop()?;
    let text = supply.words.fact("termBlank", &[("meaning", &description), ("blank", BLANK)]);
    Some(plain(text, term.term.clone(), whole(&term.term, 1), supply.topic_of(term), Level::Recall))
}

fn problem_blank(supply: &mut Supply<'_>, slot: &Slot) -> Option<Body> {
    let item = supply.problem(None, slot.difficulty)?;
    let places = [("question", item.question.as_str()), ("blank", BLANK)];
    let (text, answer) = (supply.words.number("answer", &places), item.answer.clone());
    let body = of_problem(item, slot);
    Some(Body { text, scheme: whole(&answer, 1), ..body })
}

/// A statement to be judged; as many true ones as false ones.
pub(super) fn true_false(supply: &mut Supply<'_>, slot: &Slot) -> Option<Body> {
    let makers: [Maker; 3] = match slot.level {
        Level::Recall => [claim_of_fact, claim_of_problem, claim_of_pupils],
        Level::Apply => [claim_of_problem, claim_of_fact, claim_of_pupils],
        Level::Reason => [claim_of_pupils, claim_of_problem, claim_of_fact],
    };
    let body = first(supply, slot, &makers)?;
    if slot.marks == 1 {
        return Some(body);
    }
    let text = supply.words.number("judge", &[("statement", &body.text)]);
    Some(Body { text, ..body })
}

/// Whether the next statement is a true one.
fn judgement(supply: &mut Supply<'_>) -> bool {
    let [yes, no] = supply.state().judged;
    if yes == no { supply.rng.below(2) == 0 } else { yes < no }
}

fn judged(supply: &mut Supply<'_>, slot: &Slot, claim: (String, String), truth: bool, topic: Topic) -> Body {
    let (text, right) = claim;
    supply.state().judged[usize::from(!truth)] += 1;
    let word = supply.words.number(if truth { "true" } else { "false" }, &[]);
    let answer = match truth {
        true => word.clone(),
        false => supply.words.number("falseBecause", &[("false", &word), ("right", &right)]),
    };
    let reason = if truth { supply.words.number("reason", &[]) } else { right };
    let scheme = match slot.marks {
        1 => whole(&answer, 1),
        marks => [whole(&word, 1), whole(&reason, marks - 1)].concat(),
    };
    plain(text, answer, scheme, topic, Level::Recall)
}

fn claim_of_fact(supply: &mut Supply<'_>, slot: &Slot) -> Option<Body> {
    let fact = supply.fact(slot.marks, |_| true)?;
    let truth = judgement(supply);
    let text = if truth { &fact.right } else { &fact.wrong };
    match truth {
        true => supply.add_stated(fact),
        false => {
            supply.add_shown(&[fact]);
            supply.add_to_keys(fact);
        }
    }
    let claim = (text.clone(), fact.right.clone());
    Some(judged(supply, slot, claim, truth, Topic::Subtopic(fact.subtopic - 1)))
}

fn claim_of_pupils(supply: &mut Supply<'_>, slot: &Slot) -> Option<Body> {
    let error = supply.misconception()?;
    let truth = judgement(supply);
    // The correction of an error need not be a sentence of its own, so only the error is printed.
    if truth {
        return None;
    }
    let claim = (error.wrong.clone(), error.right.clone());
    Some(Body { level: Level::Reason, ..judged(supply, slot, claim, false, Topic::Whole) })
}

fn claim_of_problem(supply: &mut Supply<'_>, slot: &Slot) -> Option<Body> {
    let item = supply.problem(None, slot.difficulty)?;
    let truth = judgement(supply);
    let shown = if truth { item.answer.clone() } else { item.distractors.first()?.text.clone() };
    let text = supply.words.number("claim", &[("question", &item.question), ("value", &shown)]);
    let right = supply.words.number("correct", &[("value", &item.answer)]);
    let body = judged(supply, slot, (text, right), truth, Topic::Numbers);
    Some(Body { level: Level::Apply, proofs: item.proofs, ..body })
}

/// As many pairs as marks.
pub(super) fn matching(supply: &mut Supply<'_>, slot: &Slot) -> Option<Body> {
    first(supply, slot, &[pairs_of_terms, pairs_of_facts, pairs_of_problems])
}

fn pairs_of_terms(supply: &mut Supply<'_>, slot: &Slot) -> Option<Body> {
    let terms = supply.described_terms(slot.marks as usize)?;
    let pairs = terms.into_iter().map(|(term, description)| (term.term.clone(), description)).collect();
    of_pairs(supply, slot, pairs, Topic::Whole, Level::Recall)
}

fn pairs_of_facts(supply: &mut Supply<'_>, slot: &Slot) -> Option<Body> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    while pairs.len() < slot.marks as usize {
        let short = |fact: &Fact| {
            visible_length(&fact.a) <= SHORT_ANSWER && pairs.iter().all(|(_, answer)| *answer != fact.a)
        };
        let fact = supply.fact(1, short)?;
        pairs.push((fact.q.clone(), fact.a.clone()));
    }
    of_pairs(supply, slot, pairs, Topic::Whole, Level::Recall)
}

fn pairs_of_problems(supply: &mut Supply<'_>, slot: &Slot) -> Option<Body> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    let mut proofs = Vec::new();
    while pairs.len() < slot.marks as usize {
        // Each pair asks for itself.
        supply.begin_question();
        let item = supply.problem(None, slot.difficulty)?;
        if pairs.iter().all(|(_, answer)| *answer != item.answer) {
            pairs.push((item.question, item.answer));
            proofs.extend(item.proofs);
        }
    }
    let body = of_pairs(supply, slot, pairs, Topic::Numbers, Level::Apply)?;
    Some(Body { proofs, ..body })
}

/// V08: distinct pairs, the second column in another order.
fn of_pairs(
    supply: &mut Supply<'_>,
    slot: &Slot,
    pairs: Vec<(String, String)>,
    topic: Topic,
    level: Level,
) -> Option<Body> {
    let (shuffled, answer) = matched(&mut supply.rng, pairs.len());
    let text = supply.words.number("match", &[]);
    let body = plain(text, answer.clone(), whole(&answer, slot.marks), topic, level);
    Some(Body { pairs, shuffled, ..body })
}
