use std::cell::RefCell;
use std::collections::BTreeSet;

use banyan_bank::generators::{self, Difficulty, Generator};
use banyan_bank::packs::{self, Fact, Pack, Part};
use banyan_bank::parts::Term;
use banyan_bank::subjects::Family;
use banyan_bank::tasks::{Task, Work};
use banyan_functions::seed::SeededRng;
use banyan_functions::words::fill;

use super::known_parts::{self, KnownParts};
use crate::checks::texts;
use crate::content::{AidText, Item};
use crate::request::AidsRequest;
use crate::words::Words;

/// Tries to draw a problem that is not there yet.
const TRIES: usize = 6;

/// The bank's knowledge of the chapter of a request.
pub(super) struct Stock<'a> {
    pub(super) request: &'a AidsRequest,
    pub(super) words: &'a Words,
    pub(super) pack: Option<Pack>,
    pub(super) family: Family,
    generators: Vec<&'static Generator>,
    /// Texts of earlier aids.
    printed: RefCell<BTreeSet<String>>,
    /// Parts that the questions of earlier aids reveal.
    known: RefCell<KnownParts>,
}

impl<'a> Stock<'a> {
    pub(super) fn of(request: &'a AidsRequest, words: &'a Words) -> Self {
        let generators = if generators::speaks(request.language) {
            generators::for_chapter(request.class, &request.subject, &request.chapter)
        } else {
            Vec::new()
        };
        Self {
            request,
            words,
            pack: packs::find(request.language, request.class, &request.subject, &request.chapter),
            family: Family::of(&request.subject),
            generators,
            printed: RefCell::default(),
            known: RefCell::default(),
        }
    }

    /// Notes that an aid is done, so that another asks something else.
    pub(super) fn add_printed(&self, text: &AidText) {
        self.printed.borrow_mut().extend(texts(text).into_iter().map(str::to_owned));
    }

    /// Whether no aid before this one asks it.
    pub(super) fn is_new(&self, question: &str) -> bool {
        !self.printed.borrow().contains(question)
    }

    /// Notes what the questions of an aid tell, so that another asks for something else.
    pub(super) fn add_known(&self, parts: &KnownParts) {
        self.known.borrow_mut().join(parts);
    }

    /// Returns whether the questions of an earlier aid reveal it.
    pub(super) fn is_known(&self, part: Part) -> bool {
        self.known.borrow().has(part)
    }

    /// Sorts facts: first those that neither an earlier aid nor one of them reveals.
    pub(super) fn unknown_first<'f>(&self, facts: Vec<&'f Fact>) -> Vec<&'f Fact> {
        let Some(pack) = &self.pack else { return facts };
        let mut known = self.known.borrow().clone();
        let mut is_new = |fact: &&Fact| {
            let part = known_parts::fact(pack, fact);
            let is_new = !known.has(part);
            known.add(pack, part);
            is_new
        };
        let (new, others): (Vec<&Fact>, Vec<&Fact>) = facts.into_iter().partition(|fact| is_new(fact));
        new.into_iter().chain(others).collect()
    }

    /// Notes facts that an aid asks for.
    pub(super) fn add_asked(&self, facts: &[&Fact]) {
        let mut known = self.known.borrow_mut();
        for (pack, fact) in self.pack.iter().flat_map(|pack| facts.iter().map(move |fact| (pack, fact))) {
            known.add(pack, known_parts::fact(pack, fact));
        }
    }

    /// The facts in an order of the seed.
    pub(super) fn facts(&self, rng: &mut SeededRng) -> Vec<&Fact> {
        let mut facts: Vec<&Fact> = self.pack.iter().flat_map(|pack| &pack.facts).collect();
        rng.shuffle(&mut facts);
        facts
    }

    /// The terms in an order of the seed.
    pub(super) fn terms(&self, rng: &mut SeededRng) -> Vec<&Term> {
        let mut terms: Vec<&Term> = self.pack.iter().flat_map(|pack| &pack.terms).collect();
        rng.shuffle(&mut terms);
        terms
    }

    /// Problems worked out by rule, of a level from 0, no two alike; fewer when the rules have no
    /// more. One of another aid comes only where there is no new one.
    pub(super) fn sums(&self, rng: &mut SeededRng, count: usize, level: usize) -> Vec<Item> {
        let difficulty = [Difficulty::Easy, Difficulty::Average, Difficulty::Difficult][level.min(2)];
        let (mut items, mut known): (Vec<Item>, Vec<Item>) = (Vec::new(), Vec::new());
        let mut seen = BTreeSet::new();
        // Each level of each aid begins with another kind.
        let start = rng.below(self.generators.len().max(1));
        for at in start..start + count * TRIES {
            if items.len() == count || self.generators.is_empty() {
                break;
            }
            let generator = self.generators[at % self.generators.len()];
            let Some(item) = generator.item(self.request.language, rng.below(1 << 30) as u64, difficulty)
            else {
                continue;
            };
            if seen.insert(item.question.clone()) {
                let steps: Vec<&str> = item.steps.iter().map(|step| step.text.as_str()).collect();
                let working = steps.join("; ");
                let fitting = if self.is_new(&item.question) { &mut items } else { &mut known };
                fitting.push(Item { text: item.question, answer: item.answer, working, ..Item::default() });
            }
        }
        items.extend(known);
        items.truncate(count);
        items
    }

    /// A problem with its steps.
    pub(super) fn solved(&self, rng: &mut SeededRng) -> Vec<(String, String)> {
        let language = self.request.language;
        let start = rng.below(self.generators.len().max(1));
        let mut draw =
            |generator: &Generator| generator.item(language, rng.below(1 << 30) as u64, Difficulty::Average);
        let solve = |generator: &&Generator| {
            let new = (0..TRIES).find_map(|_| draw(generator).filter(|item| self.is_new(&item.question)));
            let item = new.or_else(|| draw(generator))?;
            let steps: Vec<&str> = item.steps.iter().map(|step| step.text.as_str()).collect();
            Some((item.question.clone(), steps.join("; ")))
        };
        self.generators
            .iter()
            .cycle()
            .skip(start)
            .take(self.generators.len().min(3))
            .filter_map(solve)
            .collect()
    }

    /// Tasks that are true for any chapter of its kind, asking for two or three points, and what is
    /// handed in. Those of another aid come last.
    pub(super) fn tasks(&self) -> Vec<(String, Work)> {
        let tasks = self.words.tasks.fitting(self.request.class, &self.request.subject);
        let asked =
            |(at, task): (usize, &Task<'_>)| (task.asking(&self.request.chapter, 2 + at % 2), task.work);
        self.new_first(tasks.iter().enumerate().map(asked))
    }

    /// Questions that can be answered aloud within half a minute.
    pub(super) fn quick_tasks(&self) -> Vec<(String, Work)> {
        self.new_first(self.words.tasks.quick.iter().map(|task| (self.about(task), Work::Aloud)))
    }

    fn new_first(&self, tasks: impl Iterator<Item = (String, Work)>) -> Vec<(String, Work)> {
        let mut tasks: Vec<(String, Work)> = tasks.collect();
        tasks.sort_by_key(|(text, _)| !self.is_new(text));
        tasks
    }

    /// Text of a frame with the chapter's title in its place.
    pub(super) fn about(&self, template: &str) -> String {
        fill(template, &[("chapter", &self.request.chapter)])
    }
}
