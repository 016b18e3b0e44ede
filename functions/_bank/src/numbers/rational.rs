use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Sub};

use super::{gcd, grouped};

/// A fraction in lowest terms with a positive denominator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rational {
    above: i64,
    below: i64,
}

impl Rational {
    /// `above / below` in lowest terms. `below` must not be 0.
    pub fn new(above: i64, below: i64) -> Self {
        let divisor = gcd(above, below) * below.signum();
        Self { above: above / divisor, below: below / divisor }
    }

    /// The numerator.
    pub fn above(self) -> i64 {
        self.above
    }

    /// The denominator, always positive.
    pub fn below(self) -> i64 {
        self.below
    }

    /// Whether it is an integer.
    pub fn is_whole(self) -> bool {
        self.below == 1
    }

    /// As a floating-point number, for comparing only.
    pub fn value(self) -> f64 {
        self.above as f64 / self.below as f64
    }

    /// Written with a decimal point, at most six places; a fraction that does not end stays a
    /// fraction.
    pub(super) fn as_decimal(self) -> String {
        let Some(places) = (0..=6u32).find(|places| 10i64.pow(*places) % self.below == 0) else {
            return self.to_string();
        };
        let scale = 10i64.pow(places);
        let digits = self.above.abs() * (scale / self.below);
        let sign = if self.above < 0 { "−" } else { "" };
        let whole = grouped(digits / scale);
        if places == 0 {
            return format!("{sign}{whole}");
        }
        format!("{sign}{whole}.{:0width$}", digits % scale, width = places as usize)
    }
}

impl From<i64> for Rational {
    fn from(value: i64) -> Self {
        Self { above: value, below: 1 }
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_whole() {
            f.write_str(&grouped(self.above))
        } else {
            write!(f, "{}/{}", grouped(self.above), grouped(self.below))
        }
    }
}

impl Add for Rational {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::new(self.above * other.below + other.above * self.below, self.below * other.below)
    }
}

impl Neg for Rational {
    type Output = Self;
    fn neg(self) -> Self {
        Self { above: -self.above, ..self }
    }
}

impl Sub for Rational {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Rational {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self::new(self.above * other.above, self.below * other.below)
    }
}

impl Div for Rational {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        Self::new(self.above * other.below, self.below * other.above)
    }
}
