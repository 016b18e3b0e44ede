use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

/// A time never counts for more, whatever was seen.
const LONGEST: Duration = Duration::from_secs(6);
/// Part of the slowest time that is forgotten with each faster one.
const FORGOTTEN: f64 = 0.05;

/// The longest that a refused sign-in at an account took of late.
pub(super) struct Pace(Mutex<Duration>);

impl Pace {
    pub(super) fn new() -> Self {
        Self(Mutex::new(Duration::ZERO))
    }

    /// Takes a time into account; slower ones of before are forgotten by and by.
    pub(super) fn note(&self, time: Duration) {
        let mut slowest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *slowest = slowest.mul_f64(1.0 - FORGOTTEN).max(time).min(LONGEST);
    }

    pub(super) fn slowest(&self) -> Duration {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auth_pw9_the_slowest_time_is_remembered_for_a_while_and_bounded() {
        let pace = Pace::new();
        pace.note(Duration::from_secs(2));
        pace.note(Duration::from_millis(10));
        assert!(pace.slowest() > Duration::from_millis(1800));
        for _ in 0..100 {
            pace.note(Duration::from_millis(10));
        }
        assert!(pace.slowest() < Duration::from_millis(20));
        pace.note(Duration::from_secs(60));
        assert_eq!(pace.slowest(), LONGEST);
    }
}
