//! Profit in per cent of the cost price.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "profit-percent",
    family: Family::Mathematics,
    classes: 7..=8,
    marks: 2..=3,
    topics: &["percentage", "profit", "comparing quantity", "fraction disguise"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let p = 5 * draw.between(1, 3 * draw.level() + 1);
    let cost = 20 * draw.between(3, 25 * draw.level());
    let profit = cost * p / 100;
    let sale = cost + profit;
    let percent = |above: i64, below: i64| Number::decimal(Rational::new(100 * above, below));
    let draft = Draft::new(Answer::quantity(p, "%"))
        .places(&[("cost", cost), ("sale", sale)])
        .step(1, format!("{} − {} = ₹{}", Number::from(sale), Number::from(cost), Number::from(profit)))
        .step(2, format!("{} ÷ {} × 100 = {p}%", Number::from(profit), Number::from(cost)))
        .wrong_numbers(&[
            ("on-the-selling-price", percent(profit, sale)),
            ("rupees-as-per-cent", Number::from(profit)),
            ("selling-price-in-per-cent", percent(sale, cost)),
            ("rest-of-hundred", Number::from(100 - p)),
            ("double", Number::from(2 * p)),
        ])
        .proof(format!("{sale} ÷ {cost}"), format!("(100 + {p}) ÷ 100"));
    Some(draft)
}
