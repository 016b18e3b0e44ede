//! The built-in generator: facts, terms and activities of a chapter pack and problems worked out by
//! rule where there are any, frames that fit any chapter where there are none, and lines for the
//! teacher to complete at last. Nothing is made up from a title.

/// The bank's knowledge of the chapter.
mod stock;

/// Parts that questions reveal.
mod known_parts;

/// Questions.
mod sheets;

/// Activities, slides, guides, rubrics.
mod frames;

use banyan_bank::packs;
use banyan_bank::parts::Term;
use banyan_functions::seed::SeededRng;
use banyan_functions::words::is_frame;
use banyan_functions::writing_system::{Language, StandIn};

use crate::content::{AidText, Card, Cards, Content};
use crate::kind::Kind;
use crate::plan::{AidPlan, Plan};
use crate::request::AidsRequest;
use crate::words::Words;
pub(crate) use frames::BULLET_WORDS;
use stock::Stock;

/// A text and how many of its slots are about the chapter.
struct Filled {
    text: AidText,
    known: usize,
    slots: usize,
}

/// The request as the bank answers it best: a chapter that it knows in English comes in English
/// where it would be no more than a frame in the language of the request.
pub fn answerable(request: &AidsRequest) -> AidsRequest {
    let asked = request.language;
    let english = packs::only_in_english(asked, request.class, &request.subject, &request.chapter);
    match english.filter(|_| is_frame(coverage(request))) {
        Some(chapter) => AidsRequest {
            chapter,
            language: Language::English,
            stand_in: Some(StandIn::Chapter(asked)),
            typed_chapter: Some(request.chapter.clone()),
            ..request.clone()
        },
        None => request.clone(),
    }
}

/// How much of it would be about the chapter.
fn coverage(request: &AidsRequest) -> f64 {
    fill(request, &Plan::of(request), &Words::of(request.language), 0).coverage
}

/// Fills every slot of a plan.
pub fn fill(request: &AidsRequest, plan: &Plan, words: &Words, seed: u64) -> Content {
    let stock = Stock::of(request, words);
    let fill = |aid: &AidPlan| {
        let filled = one(aid, &stock, seed);
        stock.add_printed(&filled.text);
        filled
    };
    let filled: Vec<Filled> = plan.aids.iter().map(fill).collect();
    let (known, slots) = filled.iter().fold((0, 0), |(k, s), f| (k + f.known, s + f.slots));
    let coverage = known as f64 / slots.max(1) as f64;
    Content { aids: filled.into_iter().map(|filled| filled.text).collect(), coverage }
}

fn one(aid: &AidPlan, stock: &Stock<'_>, seed: u64) -> Filled {
    let mut rng = SeededRng::new(seed, aid.kind.id());
    match aid.kind {
        Kind::Worksheets | Kind::PracticeSheets | Kind::Quiz => sheets::fill(aid, stock, &mut rng),
        Kind::Flashcards | Kind::Games => cards(aid, stock, &mut rng),
        Kind::InteractiveActivities => frames::activities(aid, stock, &mut rng),
        Kind::Presentation => frames::slides(aid, stock, &mut rng),
        Kind::StudyGuides => frames::guide(aid, stock, &mut rng),
        Kind::Rubrics => frames::rubric(aid, stock),
    }
}

/// Terms first, then short questions; empty cards for the rest.
fn cards(aid: &AidPlan, stock: &Stock<'_>, rng: &mut SeededRng) -> Filled {
    let terms = stock.terms(rng).into_iter();
    // Cards of a game are matched: the back must not name the front.
    let back = |term: &Term| match aid.kind {
        Kind::Games => term.description(),
        _ => Some(term.meaning.clone()),
    };
    let mut cards: Vec<Card> =
        terms.filter_map(|term| Some(Card { front: term.term.clone(), back: back(term)? })).collect();
    let facts = stock.facts(rng).into_iter().map(|fact| Card { front: fact.q.clone(), back: fact.a.clone() });
    cards.extend(facts.filter(|card| card.front.chars().count() <= 90 && card.back.chars().count() <= 60));
    // Results repeat, so more are drawn than there is room for.
    let room = aid.count.saturating_sub(cards.len());
    for level in 0..3 {
        let sums = stock.sums(rng, room * 3, level);
        cards.extend(sums.into_iter().map(|item| Card { front: item.text, back: item.answer }));
    }
    // No two cards of a game may belong to one partner.
    let mut backs = std::collections::BTreeSet::new();
    cards.retain(|card| backs.insert(card.back.to_lowercase()));
    cards.truncate(aid.count);
    let known = cards.len();
    let open = || Card { front: stock.words.open.card.clone(), back: stock.words.open.card.clone() };
    cards.resize_with(aid.count, open);
    Filled { text: AidText::Cards(Cards { cards }), known, slots: aid.count }
}
