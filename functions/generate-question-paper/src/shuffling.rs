//! Orders that are drawn by the seed, whoever wrote the text: where the right option stands, and
//! how the second column of a match is shuffled.

use banyan_functions::seed::SeededRng;

/// How often each letter has been the right one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Keys([u32; 4]);

impl Keys {
    /// Puts the right option where the key has been least often (SPECIFICATION.md DOM-5); its place
    /// comes second.
    pub(crate) fn place(
        &mut self,
        rng: &mut SeededRng,
        right: String,
        mut wrong: Vec<String>,
    ) -> (Vec<String>, usize) {
        rng.shuffle(&mut wrong);
        let least = self.0.into_iter().min().unwrap_or(0);
        let free: Vec<usize> = (0..4).filter(|at| self.0[*at] == least && *at <= wrong.len()).collect();
        let at = free.get(rng.below(free.len())).copied().unwrap_or(0);
        self.0[at] += 1;
        wrong.insert(at, right);
        (wrong, at)
    }
}

/// The second column in another order than the first (V08), and the key `1-c, 2-a …`.
pub(crate) fn matched(rng: &mut SeededRng, count: usize) -> (Vec<usize>, String) {
    let mut shuffled: Vec<usize> = (0..count).collect();
    rng.shuffle(&mut shuffled);
    if shuffled.iter().copied().eq(0..count) {
        shuffled.rotate_left(1.min(count));
    }
    let letter = |pair: usize| {
        let at = shuffled.iter().position(|other| *other == pair).unwrap_or(0);
        char::from(b'a' + u8::try_from(at).unwrap_or(0))
    };
    let key: Vec<String> = (0..count).map(|pair| format!("{}-{}", pair + 1, letter(pair))).collect();
    let key = key.join(", ");
    (shuffled, key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn right_options_are_spread_evenly() {
        let (mut keys, mut rng) = (Keys::default(), SeededRng::new(1, "keys"));
        let wrong = || ["a", "b", "c"].map(str::to_owned).to_vec();
        let mut counts = [0; 4];
        for _ in 0..20 {
            let (options, at) = keys.place(&mut rng, "right".to_owned(), wrong());
            assert_eq!((options.len(), options[at].as_str()), (4, "right"));
            counts[at] += 1;
        }
        assert_eq!(counts, [5; 4]);
    }

    // rows: V08
    #[test]
    fn a_second_column_is_never_in_the_order_of_the_first() {
        for seed in 0..200 {
            let (shuffled, key) = matched(&mut SeededRng::new(seed, "match"), 3);
            assert!(!shuffled.iter().copied().eq(0..3));
            assert_eq!(key.split(", ").count(), 3);
        }
    }
}
