//! A small evaluator for checking sums: numbers, `+ - * / ^`, `sqrt`, parentheses (V14).

use banyan_functions::sanitise::in_ascii_digits;

use crate::parts::{Check, Qa};

/// Tolerance: half a percent, and rounding to zero.
const TOLERANCE: f64 = 0.005;

/// Repeats the sums behind answers and says what is wrong with each that is; the value must also
/// stand in the answer's text.
pub fn check_all<'a>(questions: impl Iterator<Item = &'a Qa>) -> Vec<String> {
    questions.filter_map(|qa| check_one(qa.check.as_ref()?, &qa.a)).collect()
}

/// Problem of one sum, if there is one.
pub fn check_one(check: &Check, answer: &str) -> Option<String> {
    let Some(value) = evaluate(&check.expression) else {
        return Some(format!("the expression “{}” cannot be evaluated", check.expression));
    };
    if !close(value, check.value) {
        return Some(format!("{} is {value}, not {}", check.expression, check.value));
    }
    let answer = &in_ascii_digits(answer);
    let stands = numbers(answer).into_iter().chain(results(answer)).any(|number| close(number, value));
    (!stands).then(|| format!("the answer “{answer}” does not contain {value}"))
}

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() <= TOLERANCE * one.abs().max(other.abs()).max(1e-9)
}

/// Values of the expressions behind the last equals sign, such as `10√3`, `3 × 10⁸`, `6⅔` or
/// `3 1/2`.
fn results(answer: &str) -> Vec<f64> {
    let last = answer.rsplit(['=', '≈']).next().unwrap_or_default();
    let is_of_sum = |c: char| c.is_ascii_digit() || " .,+-−×·÷/^√()⁰¹²³⁴⁵⁶⁷⁸⁹½⅓⅔¼¾".contains(c);
    let runs = last.split(|c| !is_of_sum(c)).map(str::trim).filter(|run| run.contains(char::is_numeric));
    runs.filter_map(|run| evaluate(&mixed(run.trim_matches(['.', ',', '/'])))).collect()
}

/// A whole number and a fraction as their sum.
fn mixed(run: &str) -> String {
    let fractions = [('½', "1/2"), ('⅓', "1/3"), ('⅔', "2/3"), ('¼', "1/4"), ('¾', "3/4")];
    let of = |c: char| fractions.iter().find(|(sign, _)| *sign == c).map(|(_, fraction)| *fraction);
    let mut out = String::new();
    for c in run.chars() {
        match of(c) {
            Some(fraction) if out.ends_with(|c: char| c.is_ascii_digit()) => out += &format!("+{fraction}"),
            Some(fraction) => out += fraction,
            None => out.push(c),
        }
    }
    match out.split_once(' ') {
        Some((whole, rest))
            if whole.parse::<u64>().is_ok()
                && rest.contains('/')
                && rest.starts_with(|c: char| c.is_ascii_digit()) =>
        {
            format!("{whole}+{rest}")
        }
        _ => out,
    }
}

/// The numbers in a text, with Indian or international grouping, decimals and simple fractions.
fn numbers(text: &str) -> Vec<f64> {
    let text = text.replace('−', "-").replace(',', "");
    let chars: Vec<char> = text.chars().collect();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < chars.len() {
        if !chars[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let start = at;
        while at < chars.len()
            && (chars[at].is_ascii_digit()
                || (chars[at] == '.' && chars.get(at + 1).is_some_and(char::is_ascii_digit)))
        {
            at += 1;
        }
        let value: f64 = chars[start..at].iter().collect::<String>().parse().unwrap_or(f64::NAN);
        let negative = start > 0 && chars[start - 1] == '-';
        found.push(if negative { -value } else { value });
        if chars.get(at) == Some(&'/') {
            let below: String = chars[at + 1..].iter().take_while(|c| c.is_ascii_digit()).collect();
            if let Ok(below) = below.parse::<f64>() {
                found.push(if negative { -value / below } else { value / below });
            }
        }
    }
    found
}

/// The value of an expression as it is written in school, `2√3 + (1/2)²`, with or without grouping;
/// nothing when it is no expression or its value is not finite.
pub fn evaluate(expression: &str) -> Option<f64> {
    let normal = plain(expression);
    let mut parser = Parser { rest: normal.trim(), depth: 0 };
    let value = parser.sum()?;
    (parser.rest.trim().is_empty() && value.is_finite()).then_some(value)
}

/// Signs of print as signs of the keyboard, raised digits as an exponent.
fn plain(expression: &str) -> String {
    const RAISED: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹";
    let (mut text, mut raised) = (String::new(), false);
    for c in expression.chars().filter(|c| *c != ',') {
        let digit = RAISED.chars().position(|r| r == c);
        if digit.is_some() && !raised {
            text.push('^');
        }
        raised = digit.is_some();
        match (digit, c) {
            (Some(digit), _) => text.push_str(&digit.to_string()),
            (None, '×' | '·') => text.push('*'),
            (None, '÷') => text.push('/'),
            (None, '−') => text.push('-'),
            (None, '√') => text.push_str("sqrt"),
            (None, other) => text.push(other),
        }
    }
    text
}

struct Parser<'a> {
    rest: &'a str,
    depth: u32,
}

impl Parser<'_> {
    fn sum(&mut self) -> Option<f64> {
        let mut value = self.product()?;
        loop {
            if self.eat("+") {
                value += self.product()?;
            } else if self.eat("-") {
                value -= self.product()?;
            } else {
                return Some(value);
            }
        }
    }

    fn product(&mut self) -> Option<f64> {
        let mut value = self.signed()?;
        loop {
            if self.eat("*") {
                value *= self.signed()?;
            } else if self.eat("/") {
                value /= self.signed()?;
            } else if self.rest.trim_start().starts_with("sqrt") || self.rest.starts_with('(') {
                // 2√3 and 2(x + 1) are products without a sign.
                value *= self.signed()?;
            } else {
                return Some(value);
            }
        }
    }

    fn signed(&mut self) -> Option<f64> {
        if self.eat("-") { Some(-self.signed_within()?) } else { self.power() }
    }

    fn signed_within(&mut self) -> Option<f64> {
        self.depth += 1;
        if self.depth > 60 { None } else { self.signed() }
    }

    fn power(&mut self) -> Option<f64> {
        let base = self.atom()?;
        if self.eat("^") { Some(base.powf(self.signed_within()?)) } else { Some(base) }
    }

    fn atom(&mut self) -> Option<f64> {
        self.depth += 1;
        if self.depth > 60 {
            return None;
        }
        if self.eat("sqrt") {
            return Some(self.atom()?.sqrt());
        }
        if self.eat("(") {
            let value = self.sum()?;
            return self.eat(")").then_some(value);
        }
        let text = self.rest.trim_start();
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let value = text[..end].parse().ok()?;
        self.rest = &text[end..];
        Some(value)
    }

    fn eat(&mut self, sign: &str) -> bool {
        let rest = self.rest.trim_start();
        if let Some(after) = rest.strip_prefix(sign) {
            self.rest = after;
            return true;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: V14
    #[test]
    fn expressions_have_the_values_of_arithmetic() {
        let table = [
            ("1 + 2 * 3", 7.0),
            ("(1 + 2) × 3", 9.0),
            ("2^3^2", 512.0),
            ("-3^2", -9.0),
            ("8 ÷ 4 ÷ 2", 1.0),
            ("√(49) − 7", 0.0),
            ("sqrt 16 + 1", 5.0),
            ("1/(1/3 + 1/6)", 2.0),
            ("2*-3", -6.0),
            ("2√9 + 1", 7.0),
            ("3(1 + 1)", 6.0),
            ("(−2)² + 2¹⁰", 1028.0),
            ("1,00,000 ÷ 10", 10_000.0),
            ("1.5e", f64::NAN),
        ];
        for (expression, value) in table {
            match evaluate(expression) {
                Some(found) => assert!((found - value).abs() < 1e-9, "{expression}: {found}"),
                None => assert!(value.is_nan(), "{expression}"),
            }
        }
    }

    // rows: V14
    #[test]
    fn an_answer_may_be_written_as_in_school() {
        let of = |value| Check { expression: value, value: 0.0 };
        for (expression, answer) in [
            ("10*sqrt(3)", "10√3 m"),
            ("3*10^8", "c = 3 × 10⁸ m/s"),
            ("20/3", "6⅔ kg"),
            ("1/2", "½"),
            ("7/2", "3 1/2 hours"),
            ("0.3", "I = ०.३ A"),
            ("2*3", "६ N"),
            ("2*3", "W = mg = 2 × 3 = 6 N"),
        ] {
            let mut check = of(expression.to_owned());
            check.value = evaluate(expression).expect("a value");
            assert_eq!(check_one(&check, answer), None, "{answer}");
        }
        let check = Check { expression: "2*3".to_owned(), value: 6.0 };
        assert!(check_one(&check, "W = 2 × 3 = 7 N").is_some());
    }

    // rows: V14
    #[test]
    fn nonsense_has_no_value() {
        for expression in
            ["", "1 +", "(1", "1/0", "sqrt(0-1)", "x + 1", "1 2", &"(".repeat(500), &"-".repeat(500)]
        {
            assert_eq!(evaluate(expression), None, "{expression}");
        }
    }

    // rows: V14
    #[test]
    fn a_wrong_value_or_an_answer_without_it_is_found() {
        let check = |expression: &str, value| Check { expression: expression.to_owned(), value };
        assert_eq!(check_one(&check("6/20", 0.3), "I = 6/20 = 0.3 A"), None);
        assert_eq!(check_one(&check("1000*3600", 3_600_000.0), "36,00,000 J"), None);
        assert_eq!(check_one(&check("-8", -8.0), "D = −8"), None);
        assert_eq!(check_one(&check("1/2", 0.5), "x = 1/2"), None);
        assert!(check_one(&check("6/20", 0.4), "0.4 A").is_some());
        assert!(check_one(&check("6/20", 0.3), "3 A").is_some());
    }
}
