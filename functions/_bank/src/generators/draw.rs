use banyan_functions::seed::SeededRng;

/// How hard a question is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Difficulty {
    /// Small numbers, one idea.
    Easy,
    /// As in the exercises of a textbook.
    Average,
    /// Larger numbers, or one step more.
    Difficult,
}

impl Difficulty {
    /// All, easiest first.
    pub const ALL: [Self; 3] = [Self::Easy, Self::Average, Self::Difficult];
}

/// Numbers drawn for one draft.
pub(super) struct Draw<'a> {
    rng: &'a mut SeededRng,
    difficulty: Difficulty,
}

impl<'a> Draw<'a> {
    pub(super) fn new(rng: &'a mut SeededRng, difficulty: Difficulty) -> Self {
        Self { rng, difficulty }
    }

    /// A whole number from `low` to `high`, both included.
    pub(super) fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = usize::try_from(high - low + 1).unwrap_or(1);
        low + i64::try_from(self.rng.below(span)).unwrap_or(0)
    }

    /// One of the items.
    pub(super) fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.rng.below(items.len())]
    }

    /// 1, 2 or 3.
    pub(super) fn level(&self) -> i64 {
        match self.difficulty {
            Difficulty::Easy => 1,
            Difficulty::Average => 2,
            Difficulty::Difficult => 3,
        }
    }

    /// One of three values by difficulty.
    pub(super) fn by_level<T>(&self, easy: T, average: T, difficult: T) -> T {
        match self.difficulty {
            Difficulty::Easy => easy,
            Difficulty::Average => average,
            Difficulty::Difficult => difficult,
        }
    }

    /// Yes or no.
    pub(super) fn coin(&mut self) -> bool {
        self.rng.below(2) == 0
    }
}
