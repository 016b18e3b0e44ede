//! Questions worked out by rule: a seed and a difficulty give a question with its exact
//! answer, the steps of the solution and three wrong answers, each from an error that pupils really
//! make.
//!
//! A generator is a file of its own under its field. It knows numbers only: the sentence around
//! them is data of a language (`data/stems`), and the steps are written in the notation of the
//! board.

/// The result of a generator.
mod draft;

/// The numbers a generator draws.
mod draw;

/// The finished question.
mod item;

/// Sentences by language.
mod stems;

/// Number and measure.
mod arithmetic;

/// Buying, selling, lending.
mod money;

/// Equations, polynomials, progressions, surds.
mod algebra;

/// Points, lengths, areas, volumes, angles.
mod geometry;

/// Trigonometry.
mod trigonometry;

/// Statistics and probability.
mod data_handling;

/// Motion, force, work, matter in bulk.
mod mechanics;

/// Circuits and the bill.
mod electricity;

/// Light and sound.
mod waves;

/// Atoms, moles, equations, solutions.
mod chemistry;

/// The list of all of them.
mod table;

use std::ops::RangeInclusive;

use banyan_functions::seed::SeededRng;
use banyan_functions::writing_system::Language;

use crate::catalogue;
use crate::subjects::Family;
pub use draft::Answer;
use draft::Draft;
pub use draw::Difficulty;
use draw::Draw;
pub use item::{Distractor, Item, Point, Step};
pub use stems::speaks;
pub use table::ALL;

/// Drafts that may be thrown away before a generator is called broken.
const TRIES: u64 = 200;

/// Makes questions of one kind.
#[derive(Debug)]
pub struct Generator {
    /// Its name, and the key of its sentences.
    pub id: &'static str,
    /// `Mathematics` or `Science`.
    pub family: Family,
    /// The classes that it is for.
    pub classes: RangeInclusive<u8>,
    /// Marks that such a question is worth.
    pub marks: RangeInclusive<u8>,
    /// Words of chapter titles that it fits, each entry all of its words; behind `=` the whole
    /// title, behind `~` the whole of a former edition's, as typed. One common word tells too
    /// little: circles have areas in one chapter and tangents in another.
    pub topics: &'static [&'static str],
    draft: fn(&mut Draw) -> Option<Draft>,
}

impl Generator {
    /// The question of a seed; the same seed gives the same question. Nothing in a language without
    /// sentences.
    pub fn item(&self, language: Language, seed: u64, difficulty: Difficulty) -> Option<Item> {
        let stems = stems::of(language)?;
        let mut rng = SeededRng::new(seed, self.id);
        let draft = (0..TRIES).find_map(|_| {
            let draft = (self.draft)(&mut Draw::new(&mut rng, difficulty))?;
            draft.accepted()
        });
        draft?.into_item(self.id, stems, &mut rng)
    }
}

/// The generators for a chapter as typed: of its subject and class, with a topic in its title.
pub fn for_chapter(class: u8, subject: &str, chapter: &str) -> Vec<&'static Generator> {
    let family = Family::of(subject);
    let known = catalogue::find(chapter, class, subject).map(|entry| entry.title);
    let typed = catalogue::words(chapter);
    let title = known.map_or_else(|| typed.clone(), |title| catalogue::words(&title));
    let about = |topic: &&str| {
        let words = catalogue::words(topic);
        let title = if topic.starts_with('~') { &typed } else { &title };
        let is_whole = !topic.starts_with(['=', '~']) || words.len() == title.len();
        is_whole && words.iter().all(|word| title.contains(word))
    };
    ALL.iter()
        .copied()
        .filter(|generator| generator.family == family && generator.classes.contains(&class))
        .filter(|generator| generator.topics.iter().any(about))
        .collect()
}
