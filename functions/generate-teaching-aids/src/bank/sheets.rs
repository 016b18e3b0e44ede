use banyan_bank::packs::{Fact, Pack, Part};
use banyan_bank::parts::Term;
use banyan_bank::tasks::Work;
use banyan_functions::seed::SeededRng;

use super::Filled;
use super::known_parts::{self, KnownParts};
use super::stock::Stock;
use crate::content::{AidText, Item, Sheet};
use crate::kind::Kind;
use crate::plan::AidPlan;

/// A question, and what of the pack it asks for where that has a number.
type Asked = (Item, Option<Part>);

/// Items of every level: of the chapter by turns with problems worked out by rule, then tasks that
/// fit any chapter, then lines for the teacher. What another aid asks comes last.
pub(super) fn fill(aid: &AidPlan, stock: &Stock<'_>, rng: &mut SeededRng) -> Filled {
    let mut sheet = Questions { stock, items: Vec::new(), known: KnownParts::default() };
    let facts = stock.facts(rng);
    let example = (aid.kind == Kind::Worksheets).then(|| example(stock, rng)).flatten();
    let mut counts = aid.levels;
    counts[0] = counts[0].saturating_sub(usize::from(example.is_some()));
    let first = sheet.choose(example.into_iter().collect(), Vec::new(), 1);
    let decks = [recall(stock, &facts), answer(stock, &facts, rng), reason(stock, &facts, rng)];
    // The hardest level has the fewest questions to choose from, so it comes first.
    let chosen = decks.into_iter().enumerate().rev().map(|(level, deck)| {
        let sums = stock.sums(rng, counts[level], level).into_iter().map(|item| (item, None));
        sheet.choose(deck, sums.collect(), counts[level])
    });
    let mut levels: Vec<Vec<Item>> = chosen.collect();
    levels.reverse();
    stock.add_known(&sheet.known);
    let known = first.len() + levels.iter().map(Vec::len).sum::<usize>();
    let mut tasks = general(aid.kind, stock).into_iter();
    let mut items = first;
    for (own, count) in levels.into_iter().zip(counts) {
        let missing = count - own.len();
        items.extend(own);
        items.extend((0..missing).map(|_| tasks.next().unwrap_or_else(|| open(stock))));
    }
    Filled { text: AidText::Sheet(Sheet { items }), known, slots: aid.count }
}

/// The questions of a sheet so far.
struct Questions<'a> {
    stock: &'a Stock<'a>,
    items: Vec<Item>,
    known: KnownParts,
}

impl Questions<'_> {
    /// Takes so many questions of a deck by turns with problems, in their order: first unknown
    /// parts, then parts that another aid asks in another form, then parts of this aid, last
    /// questions that were printed word for word.
    fn choose(&mut self, mut deck: Vec<Asked>, sums: Vec<Asked>, count: usize) -> Vec<Item> {
        deck.sort_by_cached_key(|(item, part)| self.rank(item, *part));
        let mut deck = by_turns(deck, sums);
        deck.retain(|(item, _)| !is_there(&self.items, item));
        let mut chosen = Vec::new();
        for rank in 0..RANKS {
            let mut left = Vec::new();
            for (item, part) in deck {
                if chosen.len() == count || self.rank(&item, part) != rank {
                    left.push((item, part));
                    continue;
                }
                if let (Some(part), Some(pack)) = (part, &self.stock.pack) {
                    self.known.add(pack, part);
                }
                chosen.push(item);
            }
            deck = left;
        }
        self.items.extend(chosen.iter().cloned());
        chosen
    }

    fn rank(&self, item: &Item, part: Option<Part>) -> u8 {
        let here = part.is_some_and(|part| self.known.has(part));
        let elsewhere = part.is_some_and(|part| self.stock.is_known(part));
        u8::from(!self.stock.is_new(&item.text)) * 4 + u8::from(here) * 2 + u8::from(elsewhere)
    }
}

/// One more than the highest rank of a question.
const RANKS: u8 = 8;

/// A problem with its steps, or an error to judge with the reason.
fn example(stock: &Stock<'_>, rng: &mut SeededRng) -> Option<Asked> {
    let explains = |item: &Item| !item.working.is_empty() && item.working != item.answer;
    let sum = stock.sums(rng, 1, 0).into_iter().find(explains);
    sum.map(|item| (item, None)).or_else(|| {
        let (pack, words) = (stock.pack.as_ref()?, stock.words);
        let errors = &pack.misconceptions;
        let error = errors.get(rng.below(errors.len().max(1)))?;
        let text = words.fact("judge", &[("statement", &error.wrong)]);
        let answer = words.fact("false", &[("right", "")]);
        let answer = answer.trim_end().trim_end_matches(['.', '।']).to_owned();
        let item = Item { text, answer, working: error.right.clone(), ..Item::default() };
        Some((item, Some(known_parts::error(pack, error))))
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

/// ★: a word to fill in, a statement to judge; in the second round the other of the two, where a
/// fact has both.
fn recall(stock: &Stock<'_>, facts: &[&Fact]) -> Vec<Asked> {
    let Some(pack) = &stock.pack else { return Vec::new() };
    let item = |round: usize, at: usize, fact: &Fact| match blank(stock, fact) {
        Some(blank) if at % 2 == round => Some(blank),
        None if round == 1 => None,
        _ => Some(judged(stock, fact, at)),
    };
    let asked = |round| {
        let numbered = facts.iter().enumerate();
        numbered
            .filter_map(move |(at, fact)| Some((item(round, at, fact)?, Some(known_parts::fact(pack, fact)))))
    };
    asked(0).chain(asked(1)).collect()
}

/// Nothing for a fact whose word cannot be left out, since the rest of the sentence names it.
fn blank(stock: &Stock<'_>, fact: &Fact) -> Option<Item> {
    let statement = fact.with_blank()?;
    let text = stock.words.fact("blank", &[("statement", &statement)]);
    Some(Item { text, answer: fact.blank.clone(), ..Item::default() })
}

/// Whether a fact is judged by what is true of it.
fn is_stated(at: usize) -> bool {
    at % 4 < 2
}

fn judged(stock: &Stock<'_>, fact: &Fact, at: usize) -> Item {
    let words = stock.words;
    let (statement, answer) = match is_stated(at) {
        true => (&fact.right, words.fact("true", &[])),
        false => (&fact.wrong, words.fact("false", &[("right", &fact.right)])),
    };
    Item { text: words.fact("judge", &[("statement", statement)]), answer, ..Item::default() }
}

/// ★★: a question, a term to find or to explain. The facts come in the other order, so that few are
/// asked for twice.
fn answer(stock: &Stock<'_>, facts: &[&Fact], rng: &mut SeededRng) -> Vec<Asked> {
    let Some(pack) = &stock.pack else { return Vec::new() };
    let questions = facts.iter().rev().map(|fact| {
        let (text, answer, check) = (fact.q.clone(), fact.a.clone(), fact.check.clone());
        (Item { text, answer, check, ..Item::default() }, Some(known_parts::fact(pack, fact)))
    });
    let terms = stock.terms(rng).into_iter().enumerate().map(|(at, term)| {
        let description = term.description().filter(|_| at % 2 == 0);
        let item = match description {
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
        };
        (item, Some(known_parts::term(pack, term)))
    });
    by_turns(questions.collect(), terms.collect())
}

/// ★★★: an error to correct, a question of a test, an example to find where the term has any, a
/// false statement.
fn reason(stock: &Stock<'_>, facts: &[&Fact], rng: &mut SeededRng) -> Vec<Asked> {
    let Some(pack) = &stock.pack else { return Vec::new() };
    let says = |wrong: &str, right: &str| Item {
        text: stock.words.fact("says", &[("wrong", wrong)]),
        answer: right.to_owned(),
        ..Item::default()
    };
    let errors = pack.misconceptions.iter();
    let mut harder: Vec<Asked> = errors
        .map(|error| (says(&error.wrong, &error.right), Some(known_parts::error(pack, error))))
        .collect();
    harder.extend(pack.assessment.iter().map(|item| {
        let (text, answer, check) = (item.q.clone(), item.a.clone(), item.check.clone());
        (Item { text, answer, check, ..Item::default() }, None)
    }));
    harder.extend(examples(stock, pack, rng));
    // A statement on the sheet needs no correction.
    let wrong = facts.iter().enumerate().filter(|(at, _)| !is_stated(*at));
    harder
        .extend(wrong.map(|(_, fact)| (says(&fact.wrong, &fact.right), Some(known_parts::fact(pack, fact)))));
    harder
}

/// Not every term is met in daily life.
fn examples(stock: &Stock<'_>, pack: &Pack, rng: &mut SeededRng) -> Vec<Asked> {
    let asked = |term: &Term| {
        let text = stock.words.fact("example", &[("term", &term.term)]);
        let item = Item { text, answer: term.example.clone()?, ..Item::default() };
        Some((item, Some(known_parts::term(pack, term))))
    };
    stock.terms(rng).into_iter().filter_map(asked).collect()
}

/// Questions for any chapter; in a quiz, those that can be answered at once. Questions of another
/// aid come last.
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

#[cfg(test)]
mod tests {
    use banyan_bank::packs::Overlap;
    use banyan_functions::writing_system::Language;
    use serde_json::json;

    use super::*;
    use crate::plan::Plan;
    use crate::request::AidsRequest;
    use crate::words::Words;

    fn request(pages: u8) -> AidsRequest {
        let body = json!({ "board": "CBSE", "grade": 7, "subject": "Science", "difficultyLevel": "medium",
                           "chapterName": "Heat Transfer in Nature", "numberOfPages": pages,
                           "aidTypes": ["worksheets", "practice-sheets"] });
        AidsRequest::read(&body).expect("a valid request")
    }

    #[test]
    fn an_example_from_daily_life_is_asked_for_where_the_term_has_one() {
        let (request, words) = (request(2), Words::of(Language::English));
        let mut stock = Stock::of(&request, &words);
        let pack = stock.pack.as_mut().expect("a known chapter");
        for term in &mut pack.terms {
            term.example = None;
        }
        pack.terms[0].example = Some("A steel spoon gets hot in tea.".to_owned());
        let name = pack.terms[0].term.clone();
        let deck = reason(&stock, &[], &mut SeededRng::new(1, "test"));
        let asked: Vec<&Item> =
            deck.iter().map(|(item, _)| item).filter(|item| item.text.contains("daily life")).collect();
        assert!(matches!(asked[..], [item] if item.text.contains(&name)), "{asked:?}");
        assert_eq!(asked[0].answer, "A steel spoon gets hot in tea.");
    }

    #[test]
    fn what_tells_one_another_is_asked_once_in_all_sheets_while_others_are_to_be_had() {
        let (request, words) = (request(1), Words::of(Language::English));
        for seed in 0..20 {
            let mut stock = Stock::of(&request, &words);
            let pack = stock.pack.as_mut().expect("a known chapter");
            let pairs = (1..=4).map(|no| Overlap { facts: vec![no, no + 4], ..Overlap::default() });
            let mixed = (1..=4).map(|no| Overlap { facts: vec![no + 8], terms: vec![no], errors: vec![no] });
            pack.overlaps = pairs.chain(mixed).collect();
            let mut parts = Vec::new();
            for aid in &Plan::of(&request).aids {
                let filled = fill(aid, &stock, &mut SeededRng::new(seed, aid.kind.id()));
                let AidText::Sheet(sheet) = filled.text else { panic!("a sheet") };
                parts.extend(sheet.items.iter().filter_map(|item| part_of(&stock, item)));
            }
            assert!(parts.len() > 15, "{parts:?}");
            let pack = stock.pack.as_ref().expect("a known chapter");
            for (at, part) in parts.iter().enumerate() {
                let mut known = KnownParts::default();
                known.add(pack, *part);
                let again = parts[at + 1..].iter().find(|other| known.has(**other));
                assert_eq!(again, None, "seed {seed}: {part:?} tells it");
            }
        }
    }

    /// The quantity that a question asks for, by its words.
    fn part_of(stock: &Stock<'_>, item: &Item) -> Option<Part> {
        let pack = stock.pack.as_ref()?;
        let of_fact = |fact: &&Fact| {
            let blank = fact.with_blank();
            let forms = [Some(&fact.q), Some(&fact.right), Some(&fact.wrong), blank.as_ref()];
            forms.into_iter().flatten().any(|form| item.text.contains(form.as_str()))
        };
        let of_term = |term: &&Term| {
            let is_meant = term.description().is_some_and(|meaning| item.text.contains(&meaning));
            is_meant || item.text.contains(&format!("‘{}’", term.term))
        };
        let fact = pack.facts.iter().find(of_fact).map(|fact| known_parts::fact(pack, fact));
        let error = pack.misconceptions.iter().find(|error| item.text.contains(&error.wrong));
        let term = pack.terms.iter().find(of_term).map(|term| known_parts::term(pack, term));
        fact.or_else(|| error.map(|error| known_parts::error(pack, error))).or(term)
    }
}
