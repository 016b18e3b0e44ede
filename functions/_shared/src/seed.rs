//! Hashes, seeds, and random numbers made from them: the same request and attempt always give the
//! same document (SPECIFICATION.md GEN-3.2, app/SPECIFICATION.md D08).

use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// Hashes a request: SHA-256 in hex over the tool's name and the normalised body without
/// `outputType`. The hash is also the key of a request whose client sent none.
pub fn body_hash(tool: &str, body: &Value) -> String {
    let mut body = body.clone();
    if let Some(object) = body.as_object_mut() {
        object.remove("outputType");
    }
    // Normalised bodies are written from one type, so equal ones give equal text.
    let digest =
        Sha256::new().chain_update(tool).chain_update(b"\n").chain_update(body.to_string()).finalize();
    hex::encode(digest)
}

/// The seed of one attempt, at most 53 bits so that it survives JSON numbers.
pub fn seed(body_hash: &str, attempt: u64) -> u64 {
    let digest = Sha256::new().chain_update(body_hash).chain_update(attempt.to_be_bytes()).finalize();
    let first = digest.iter().take(8).fold(0u64, |value, byte| (value << 8) | u64::from(*byte));
    first >> 11
}

/// Random numbers that are the same for the same seed (SplitMix64).
#[derive(Debug, Clone)]
pub struct SeededRng(u64);

impl SeededRng {
    /// Starts from a seed and a purpose, so that one choice does not disturb another.
    pub fn new(seed: u64, purpose: &str) -> Self {
        let mixed = purpose.bytes().fold(seed ^ 0x9E37_79B9_7F4A_7C15, |state, byte| {
            (state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
        });
        Self(mixed)
    }

    /// A number below `bound`; 0 when `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        if bound == 0 {
            return 0;
        }
        usize::try_from(self.next() % bound as u64).unwrap_or(0)
    }

    /// Shuffles in place.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }

    /// `count` of the items in their own order, chosen by chance.
    pub fn pick<'a, T>(&mut self, items: &'a [T], count: usize) -> Vec<&'a T> {
        let mut places: Vec<usize> = (0..items.len()).collect();
        self.shuffle(&mut places);
        places.truncate(count);
        places.sort_unstable();
        places.into_iter().map(|at| &items[at]).collect()
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_output_type_does_not_change_the_key_and_anything_else_does() {
        let key = |body| body_hash("generate-lesson-plan", &body);
        assert_eq!(key(json!({ "a": 1, "outputType": "x" })), key(json!({ "a": 1, "outputType": "y" })));
        assert_ne!(key(json!({ "a": 1 })), key(json!({ "a": 2 })));
        assert_eq!(key(json!({})).len(), 64);
    }

    #[test]
    fn another_attempt_gives_another_seed_that_fits_a_json_number() {
        assert_ne!(seed("k", 1), seed("k", 2));
        assert_eq!(seed("k", 1), seed("k", 1));
        assert!((1..200).all(|attempt| seed("k", attempt) < 1 << 53));
    }

    #[test]
    fn dice_repeat_themselves_and_keep_order_when_picking() {
        let items: Vec<u32> = (0..20).collect();
        let pick =
            |seed| SeededRng::new(seed, "facts").pick(&items, 5).into_iter().copied().collect::<Vec<_>>();
        assert_eq!(pick(7), pick(7));
        assert_ne!(pick(7), pick(8));
        assert!(pick(7).is_sorted());
    }
}
