use std::fmt;

use super::{Rational, grouped};

/// `rational + coefficient × √radicand` with a radicand free of square factors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Surd {
    rational: Rational,
    coefficient: Rational,
    radicand: i64,
}

impl Surd {
    /// The sum, with square factors taken out of the root. `radicand` must be positive.
    pub fn new(rational: Rational, coefficient: Rational, radicand: i64) -> Self {
        let outside = (1..=radicand.isqrt()).rev().find(|k| radicand % (k * k) == 0).unwrap_or(1);
        Self { rational, coefficient: coefficient * outside.into(), radicand: radicand / (outside * outside) }
    }

    /// Its value where no root is left.
    pub(super) fn rational_value(self) -> Option<Rational> {
        (self.radicand == 1 || self.coefficient.above() == 0).then(|| self.rational + self.coefficient)
    }

    pub(super) fn value(self) -> f64 {
        self.rational.value() + self.coefficient.value() * (self.radicand as f64).sqrt()
    }

    pub(super) fn is_handy(self) -> bool {
        self.rational_value().is_none()
            && self.radicand <= 100
            && [self.rational, self.coefficient]
                .iter()
                .all(|part| part.below() <= 20 && part.above().abs() <= 10_000)
    }

    /// The multiple of the root without its sign: `√3`, `2√3`, `√3/2`, `5√3/2`.
    fn root_part(self) -> String {
        let above = match self.coefficient.above().abs() {
            1 => String::new(),
            above => grouped(above),
        };
        let below = match self.coefficient.below() {
            1 => String::new(),
            below => format!("/{below}"),
        };
        format!("{above}√{}{below}", self.radicand)
    }
}

impl fmt::Display for Surd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let minus = self.coefficient.above() < 0;
        if self.rational.above() == 0 {
            return write!(f, "{}{}", if minus { "−" } else { "" }, self.root_part());
        }
        write!(f, "{} {} {}", self.rational, if minus { "−" } else { "+" }, self.root_part())
    }
}
