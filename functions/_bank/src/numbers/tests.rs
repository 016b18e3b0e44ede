use super::*;

#[test]
fn fractions_are_kept_in_lowest_terms() {
    let half = Rational::new(-3, -6);
    assert_eq!((half.above(), half.below()), (1, 2));
    assert_eq!(half - Rational::new(3, 4), Rational::new(-1, 4));
    assert_eq!(half * Rational::from(6) / Rational::new(3, 2), Rational::from(2));
}

#[test]
fn numbers_are_written_as_in_indian_books() {
    let table = [
        (Number::from(1_234_567), "12,34,567"),
        (Number::from(-1000), "−1,000"),
        (Number::from(999), "999"),
        (Number::from(Rational::new(-3, 4)), "−3/4"),
        (Number::decimal(Rational::new(9, 8)), "1.125"),
        (Number::decimal(Rational::new(-1, 20)), "−0.05"),
        (Number::decimal(Rational::new(1, 3)), "1/3"),
        (Number::root(72), "6√2"),
        (Number::root(49), "7"),
        (Number::root_times(Rational::new(-1, 2), 3), "−√3/2"),
        (Surd::new(2.into(), (-3).into(), 5).into(), "2 − 3√5"),
    ];
    for (number, text) in table {
        assert_eq!(number.to_string(), text);
    }
}

#[test]
fn sums_powers_and_factors_are_written_as_on_the_board() {
    assert_eq!(sum_of_terms(&[(1, "x²"), (-1, "x"), (0, "y"), (-12, "")]), "x² − x − 12");
    assert_eq!(sum_of_terms(&[(-2, "x"), (1, "")]), "−2x + 1");
    assert_eq!(sum_of_terms(&[(0, "x")]), "0");
    assert_eq!(equal(&["HCF".to_owned(), "7".to_owned(), "7".to_owned()]), "HCF = 7");
    assert_eq!(prime_factors(360), "2³ × 3² × 5");
    assert_eq!(power(-3, 12), "(−3)¹²");
}

#[test]
fn a_number_that_no_pupil_should_meet_is_told() {
    assert!(Number::from(Rational::new(7, 12)).is_handy());
    assert!(!Number::from(Rational::new(7, 101)).is_handy());
    assert!(!Number::decimal(Rational::new(1, 3)).is_handy());
    assert!(!Number::decimal(Rational::new(1, 16)).is_handy());
}

#[test]
fn common_divisors_and_multiples_agree_with_each_other() {
    for a in 1..40 {
        for b in 1..40 {
            let divisor = (1..=a).rev().find(|d| a % d == 0 && b % d == 0).expect("1 divides all");
            assert_eq!((gcd(a, b), gcd(a, b) * lcm(a, b)), (divisor, a * b));
        }
    }
    assert_eq!((exact_root(144), exact_root(145), exact_root(-4)), (Some(12), None, None));
}
