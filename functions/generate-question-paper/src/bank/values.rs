use banyan_bank::numbers::grouped;
use banyan_bank::packs::Fact;

/// A number with what stands before and behind it: `₹95`, `0.5 A`.
struct Value<'a> {
    before: &'a str,
    number: f64,
    behind: &'a str,
}

/// Three wrong values for the answer of a fact, all of one form with it. Nothing for a fact whose
/// answer is no single number.
pub(super) fn wrong_values(fact: &Fact) -> Option<Vec<String>> {
    fact.check.as_ref()?;
    let right = read(&fact.a)?;
    let given = numbers(&fact.q);
    let said = numbers(&fact.right);
    // The error that the fact itself warns of comes first.
    let mut slips: Vec<f64> =
        numbers(&fact.wrong).into_iter().filter(|number| !said.contains(number)).collect();
    if let [one, other, ..] = given[..] {
        slips.extend([one + other, (one - other).abs(), one * other, one / other, other / one]);
    }
    let number = right.number;
    slips.extend([number * 2.0, number / 2.0, number + 1.0, number * 10.0, number - 1.0, -number]);
    let whole = right.behind.trim().is_empty() && number.fract() == 0.0;
    let possible = |slip: &f64| {
        let sign = (number < 0.0) || *slip > 0.0;
        sign && slip.is_finite() && slip.abs() < 1e9 && (!whole || slip.fract() == 0.0) && is_short(*slip)
    };
    let mut texts: Vec<String> = Vec::new();
    for slip in slips.into_iter().filter(possible) {
        let text = format!("{}{}{}", right.before, written(slip), right.behind);
        if text != fact.a && (slip - number).abs() > 1e-9 && !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts.truncate(3);
    (texts.len() == 3).then_some(texts)
}

/// An answer of one number, written as we write it.
fn read(answer: &str) -> Option<Value<'_>> {
    const LONGEST_UNIT: usize = 12;
    let is_number = |c: char| c.is_ascii_digit() || ".,−".contains(c);
    let start = answer.find(is_number)?;
    let end = answer[start..].find(|c| !is_number(c)).map_or(answer.len(), |at| start + at);
    let (before, behind) = (&answer[..start], &answer[end..]);
    let number = parse(&answer[start..end])?;
    // A bare `/` would make a fraction of the number.
    let is_unit =
        !behind.starts_with('/') && !behind.contains(|c: char| c.is_ascii_digit() || ",;=(×".contains(c));
    let plain = ["", "₹"].contains(&before) && behind.chars().count() <= LONGEST_UNIT && is_unit;
    (plain && written(number) == answer[start..end]).then_some(Value { before, number, behind })
}

/// The numbers of a text in their order.
fn numbers(text: &str) -> Vec<f64> {
    let words = text.split(|c: char| !(c.is_ascii_digit() || ".,−".contains(c)));
    words.filter_map(|word| parse(word.trim_end_matches(['.', ',']))).collect()
}

fn parse(text: &str) -> Option<f64> {
    text.replace(',', "").replace('−', "-").parse().ok()
}

/// Whether a number has no more than three decimals.
fn is_short(number: f64) -> bool {
    (number * 1e3 - (number * 1e3).round()).abs() < 1e-6
}

/// A number as papers write it: `−1,200`, `0.25`.
fn written(number: f64) -> String {
    let thousandths = (number * 1e3).round();
    // Options are below a thousand million, so that the whole part fits.
    let whole = grouped((thousandths.abs() / 1e3).trunc() as i64);
    let decimals = format!("{:03}", (thousandths.abs() as i64) % 1000);
    let decimals = decimals.trim_end_matches('0');
    let sign = if thousandths < 0.0 { "−" } else { "" };
    if decimals.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{decimals}") }
}

#[cfg(test)]
mod tests {
    use banyan_bank::parts::Check;

    use super::*;

    fn fact(q: &str, a: &str, right: &str, wrong: &str) -> Fact {
        Fact {
            subtopic: 1,
            right: right.to_owned(),
            wrong: wrong.to_owned(),
            blank: String::new(),
            q: q.to_owned(),
            a: a.to_owned(),
            check: Some(Check { expression: String::new(), value: 0.0 }),
            about: None,
        }
    }

    #[test]
    fn wrong_values_come_from_slips_and_have_the_form_of_the_answer() {
        let charge = fact(
            "How much charge does 2 A carry in 5 s?",
            "10 C",
            "2 A for 5 s carries 10 C.",
            "2 A for 5 s carries 2.5 C.",
        );
        assert_eq!(wrong_values(&charge), Some(["2.5 C", "7 C", "3 C"].map(str::to_owned).to_vec()));
        let cost = fact("What do 5 pens at ₹300 cost?", "₹1,500", "It is ₹1,500.", "It is ₹60.");
        assert_eq!(wrong_values(&cost), Some(["₹60", "₹305", "₹295"].map(str::to_owned).to_vec()));
        let zeroes = fact("How many zeroes has it?", "2", "It has 2 zeroes.", "It has one zero.");
        assert_eq!(wrong_values(&zeroes), Some(["4", "1", "3"].map(str::to_owned).to_vec()));
    }

    #[test]
    fn answers_that_are_more_than_a_number_have_no_wrong_values() {
        for answer in
            ["4, since H = I²Rt", "3.6 × 10⁶ J", "1/2", "the 16th", "11 and 12", "2 units (2 kWh)", "x = 3"]
        {
            assert_eq!(wrong_values(&fact("Of 2 and 3?", answer, "a", "b")), None, "{answer}");
        }
    }
}
