//! Ids of what happens once: requests, and runs of functions.

use rand::Rng;

/// A random (version 4) id. It comes from the thread's own generator: asking the system takes
/// longer than all else that is done for an id.
#[must_use]
#[expect(
    clippy::disallowed_methods,
    reason = "the one place where an id is made of no randomness that was handed down"
)]
pub fn new_id() -> uuid::Uuid {
    uuid::Builder::from_random_bytes(rand::rng().random()).into_uuid()
}

#[cfg(test)]
mod tests {
    use super::new_id;

    #[test]
    fn ids_are_of_version_4_and_never_the_same() {
        let (one, other) = (new_id(), new_id());
        assert_eq!((one.get_version_num(), other.get_version_num()), (4, 4));
        assert_ne!(one, other);
    }
}
