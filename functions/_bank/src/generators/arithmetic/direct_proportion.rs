//! Direct proportion by the unitary method.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "direct-proportion",
    family: Family::Mathematics,
    classes: 6..=8,
    marks: 2..=3,
    topics: &["proportion", "proportional reasoning", "unitary"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (n, m) = (draw.between(3, 12), draw.between(4, 10 + 5 * draw.level()));
    let unit = draw.between(4, 20 * draw.level());
    if n == m {
        return None;
    }
    let (cost, wanted) = (n * unit, m * unit);
    let draft = Draft::new(Answer::quantity(wanted, "₹"))
        .places(&[("n", n), ("cost", cost), ("m", m)])
        .step(1, format!("{} ÷ {n} = ₹{unit}", Number::from(cost)))
        .step(2, format!("{m} × {unit} = ₹{}", Number::from(wanted)))
        .wrong_numbers(&[
            ("difference-added", Rational::from(cost + m - n)),
            ("inverse-for-direct", Rational::new(cost * n, m)),
            ("not-divided-by-number", Rational::from(cost * m)),
            ("price-of-one", Rational::from(unit)),
        ])
        .proof(format!("{wanted} × {n}"), format!("{cost} × {m}"));
    Some(draft)
}
