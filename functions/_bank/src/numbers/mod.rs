//! A small exact algebra of the numbers in school books: integers, fractions, decimals, surds.

/// Fractions.
mod rational;

/// Sums of a fraction and a multiple of a root.
mod surd;

/// Sums of terms, powers and prime factors as they are written.
mod notation;

use std::fmt;

pub use notation::{brackets, equal, grouped, power, prime_factors, sum_of_terms};
pub use rational::Rational;
pub use surd::Surd;

/// A number and the way it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Number {
    /// An integer, or a fraction in lowest terms.
    Fraction(Rational),
    /// A terminating decimal.
    Decimal(Rational),
    /// A number with a root.
    Surd(Surd),
}

impl Number {
    /// A number written with a decimal point.
    pub fn decimal(value: impl Into<Rational>) -> Self {
        Self::Decimal(value.into())
    }

    /// The positive root of a natural number, simplified.
    pub fn root(of: i64) -> Self {
        Self::root_times(Rational::from(1), of)
    }

    /// `coefficient` times the root of `radicand`, simplified.
    pub fn root_times(coefficient: Rational, radicand: i64) -> Self {
        let surd = Surd::new(Rational::from(0), coefficient, radicand);
        surd.rational_value().map_or(Self::Surd(surd), Self::Fraction)
    }

    /// As a floating-point number, for comparing only.
    pub fn value(self) -> f64 {
        match self {
            Self::Fraction(number) | Self::Decimal(number) => number.value(),
            Self::Surd(surd) => surd.value(),
        }
    }

    /// Whether a pupil can be asked to write it: fractions up to hundredths, decimals up to
    /// thousandths.
    pub fn is_handy(self) -> bool {
        let small = |number: Rational| number.above().abs() <= 100_000_000;
        match self {
            Self::Fraction(number) => small(number) && number.below() <= 100,
            Self::Decimal(number) => small(number) && 1000 % number.below() == 0,
            Self::Surd(surd) => surd.is_handy(),
        }
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self::Fraction(value.into())
    }
}

impl From<Rational> for Number {
    fn from(value: Rational) -> Self {
        Self::Fraction(value)
    }
}

impl From<Surd> for Number {
    fn from(value: Surd) -> Self {
        Self::Surd(value)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fraction(number) => number.fmt(f),
            Self::Decimal(number) => f.write_str(&number.as_decimal()),
            Self::Surd(surd) => surd.fmt(f),
        }
    }
}

/// The greatest common divisor; of 0 and n it is n.
pub fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

/// The least common multiple of two positive integers.
pub fn lcm(a: i64, b: i64) -> i64 {
    a / gcd(a, b) * b
}

/// The root of a perfect square.
pub fn exact_root(square: i64) -> Option<i64> {
    let root = square.checked_isqrt()?;
    (root * root == square).then_some(root)
}

#[cfg(test)]
mod tests;
