use std::fmt::Display;

/// An integer with Indian grouping (3, 2, 2) and a true minus sign: `−12,34,567`.
pub fn grouped(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let (front, last) = digits.split_at(digits.len().saturating_sub(3));
    let mut text = String::new();
    for (at, digit) in front.chars().enumerate() {
        text.push(digit);
        if (front.len() - at) % 2 == 1 {
            text.push(',');
        }
    }
    format!("{}{text}{last}", if number < 0 { "−" } else { "" })
}

/// A number as an operand: in brackets when it is negative or a sum.
pub fn brackets(number: impl Display) -> String {
    let text = number.to_string().replace('-', "−");
    if text.starts_with('−') || text.contains(' ') { format!("({text})") } else { text }
}

/// A power with a raised exponent, `2⁵`; an exponent of 1 is not written.
pub fn power(base: impl Display, exponent: i64) -> String {
    if exponent == 1 {
        return brackets(base);
    }
    let raised: String = exponent.to_string().chars().map(raised).collect();
    format!("{}{raised}", brackets(base))
}

fn raised(c: char) -> char {
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    c.to_digit(10).map_or('⁻', |digit| RAISED[digit as usize])
}

/// An equation of several sides, `a = b = c`; a side that repeats the one before it is left out.
pub fn equal(sides: &[String]) -> String {
    let mut kept: Vec<&str> = sides.iter().map(String::as_str).collect();
    kept.dedup();
    kept.join(" = ")
}

/// The prime factors of a number above 1, as `2² × 3`.
pub fn prime_factors(number: i64) -> String {
    let (mut rest, mut prime, mut factors) = (number, 2, Vec::new());
    while rest > 1 {
        let mut times = 0;
        while rest % prime == 0 {
            rest /= prime;
            times += 1;
        }
        if times > 0 {
            factors.push(power(prime, times));
        }
        prime += 1;
    }
    factors.join(" × ")
}

/// A sum of terms, `2x² − x + 3`; terms with the coefficient 0 are left out.
pub fn sum_of_terms(terms: &[(i64, &str)]) -> String {
    let mut text = String::new();
    for (coefficient, letters) in terms.iter().filter(|(coefficient, _)| *coefficient != 0) {
        let sign = match (text.is_empty(), *coefficient < 0) {
            (true, true) => "−",
            (true, false) => "",
            (false, true) => " − ",
            (false, false) => " + ",
        };
        let size = match coefficient.unsigned_abs() {
            1 if !letters.is_empty() => String::new(),
            size => grouped(i64::try_from(size).unwrap_or(i64::MAX)),
        };
        text.push_str(&format!("{sign}{size}{letters}"));
    }
    if text.is_empty() { "0".to_owned() } else { text }
}
