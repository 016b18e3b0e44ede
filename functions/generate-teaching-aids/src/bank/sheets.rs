use banyan_bank::packs::Fact;
use banyan_bank::tasks::Work;
use banyan_functions::seed::Dice;

use super::Filled;
use super::stock::Stock;
use crate::content::{AidText, Item, Sheet};
use crate::kind::Kind;
use crate::plan::AidPlan;

/// A question, and the fact that it asks for where there is one.
type Asked<'a> = (Item, Option<&'a Fact>);

/// Items of every level: of the chapter by turns with problems worked out by rule, then tasks that fit any chapter,
/// then lines for the teacher. What another aid asks comes last.
pub(super) fn fill(aid: &AidPlan, stock: &Stock<'_>, dice: &mut Dice) -> Filled {
    let (mut items, mut known) = (Vec::new(), 0);
    let mut asked: Vec<&Fact> = Vec::new();
    let mut facts = stock.facts(dice);
    let mut tasks = general(aid.kind, stock).into_iter();
    let example = (aid.kind == Kind::Worksheets).then(|| example(stock, &mut facts, dice)).flatten();
    known += usize::from(example.is_some());
    let mut taken = usize::from(example.is_some());
    items.extend(example);
    let decks = [recall(stock, &facts), answer(stock, &facts, dice), reason(stock, dice)];
    for (level, (deck, count)) in decks.into_iter().zip(aid.levels).enumerate() {
        let count = count - std::mem::take(&mut taken).min(count);
        let sums = stock.sums(dice, count, level).into_iter().map(|item| (item, None));
        let all = by_turns(deck, sums.collect());
        let mut own: Vec<Asked<'_>> = all.into_iter().filter(|(item, _)| !is_there(&items, item)).collect();
        own.sort_by_key(|(item, fact)| {
            let is_told = fact.is_some_and(|fact| asked.iter().any(|other| std::ptr::eq(*other, fact)));
            (!stock.is_new(&item.text), is_told)
        });
        own.truncate(count);
        known += own.len();
        let missing = count - own.len();
        asked.extend(own.iter().filter_map(|(_, fact)| *fact));
        items.extend(own.into_iter().map(|(item, _)| item));
        items.extend((0..missing).map(|_| tasks.next().unwrap_or_else(|| open(stock))));
    }
    Filled { text: AidText::Sheet(Sheet { items }), known, slots: aid.count }
}

/// A problem with its steps, or a question with the fact behind its answer, which then is asked nowhere else.
fn example(stock: &Stock<'_>, facts: &mut Vec<&Fact>, dice: &mut Dice) -> Option<Item> {
    let sum = stock.sums(dice, 1, 0).into_iter().find(|item| !item.working.is_empty());
    sum.or_else(|| {
        let fact = facts.pop()?;
        let (text, answer, working) = (fact.q.clone(), fact.a.clone(), fact.right.clone());
        Some(Item { text, answer, working, check: fact.check.clone(), ..Item::default() })
    })
}

fn is_there(items: &[Item], item: &Item) -> bool {
    items.iter().any(|other| other.text == item.text)
}

fn by_turns<T>(one: Vec<T>, other: Vec<T>) -> Vec<T> {
    let (mut one, mut other) = (one.into_iter(), other.into_iter());
    let mut all = Vec::new();
    loop {
        let pair = [one.next(), other.next()];
        if pair.iter().all(Option::is_none) {
            return all;
        }
        all.extend(pair.into_iter().flatten());
    }
}

/// ★: a word to fill in, a statement to judge; in the second round the other of the two, where a fact has both.
fn recall<'a>(stock: &Stock<'_>, facts: &[&'a Fact]) -> Vec<Asked<'a>> {
    let item = |round: usize, at: usize, fact: &'a Fact| match blank(stock, fact) {
        Some(blank) if at % 2 == round => Some((blank, Some(fact))),
        None if round == 1 => None,
        _ => Some((judged(stock, fact, at), Some(fact))),
    };
    let asked = |round| facts.iter().enumerate().filter_map(move |(at, fact)| item(round, at, fact));
    asked(0).chain(asked(1)).collect()
}

/// Nothing for a fact whose word cannot be left out, since the rest of the sentence names it.
fn blank(stock: &Stock<'_>, fact: &Fact) -> Option<Item> {
    let statement = fact.with_blank()?;
    let text = stock.words.fact("blank", &[("statement", &statement)]);
    Some(Item { text, answer: fact.blank.clone(), ..Item::default() })
}

fn judged(stock: &Stock<'_>, fact: &Fact, at: usize) -> Item {
    let words = stock.words;
    let (statement, answer) = match at % 4 < 2 {
        true => (&fact.right, words.fact("true", &[])),
        false => (&fact.wrong, words.fact("false", &[("right", &fact.right)])),
    };
    Item { text: words.fact("judge", &[("statement", statement)]), answer, ..Item::default() }
}

/// ★★: a question, a term to find or to explain. The facts come in the other order, so that few are asked for twice.
fn answer<'a>(stock: &Stock<'_>, facts: &[&'a Fact], dice: &mut Dice) -> Vec<Asked<'a>> {
    let questions = facts.iter().rev().map(|fact| {
        let (text, answer, check) = (fact.q.clone(), fact.a.clone(), fact.check.clone());
        (Item { text, answer, check, ..Item::default() }, Some(*fact))
    });
    let terms = stock.terms(dice).into_iter().enumerate().map(|(at, term)| {
        let description = term.description().filter(|_| at % 2 == 0);
        match description {
            Some(meaning) => Item {
                text: stock.words.fact("meaning", &[("meaning", &meaning)]),
                answer: term.term.clone(),
                ..Item::default()
            },
            None => Item {
                text: stock.words.fact("define", &[("term", &term.term)]),
                answer: term.meaning.clone(),
                ..Item::default()
            },
        }
    });
    by_turns(questions.collect(), terms.map(|item| (item, None)).collect())
}

/// ★★★: an error to correct, an example to find, a question of a test.
fn reason<'a>(stock: &Stock<'_>, dice: &mut Dice) -> Vec<Asked<'a>> {
    let words = stock.words;
    let Some(pack) = &stock.pack else { return Vec::new() };
    let errors = pack.misconceptions.iter().map(|error| Item {
        text: words.fact("says", &[("wrong", &error.wrong)]),
        answer: error.right.clone(),
        ..Item::default()
    });
    let mut harder: Vec<Item> = errors.collect();
    harder.extend(pack.assessment.iter().map(|item| Item {
        text: item.q.clone(),
        answer: item.a.clone(),
        check: item.check.clone(),
        ..Item::default()
    }));
    harder.extend(stock.terms(dice).into_iter().map(|term| Item {
        text: words.fact("example", &[("term", &term.term)]),
        answer: format!("{} ({})", words.open.checked, term.meaning),
        ..Item::default()
    }));
    harder.into_iter().map(|item| (item, None)).collect()
}

/// What is asked of any chapter; in a quiz, what can be said at once. What another aid asks comes last.
fn general(kind: Kind, stock: &Stock<'_>) -> Vec<Item> {
    let tasks = match kind {
        Kind::Quiz => stock.quick_tasks(),
        _ => stock.tasks(),
    };
    let item = |(text, work)| Item {
        text,
        answer: stock.words.open.checked.clone(),
        drawn: matches!(work, Work::Map | Work::Picture),
        aloud: work == Work::Aloud,
        ..Item::default()
    };
    tasks.into_iter().map(item).collect()
}

/// Lines for the teacher.
fn open(stock: &Stock<'_>) -> Item {
    let open = &stock.words.open;
    Item { text: open.item.clone(), answer: open.answer.clone(), ..Item::default() }
}
