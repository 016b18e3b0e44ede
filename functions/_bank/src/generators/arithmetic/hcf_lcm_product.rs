//! The other number from HCF, LCM and one number.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, gcd};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "hcf-lcm-product",
    family: Family::Mathematics,
    classes: 9..=10,
    marks: 2..=3,
    topics: &["real number"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let g = draw.between(2, 6 * draw.level());
    let (m, n) = (draw.between(2, 9), draw.between(2, 9));
    if m == n || gcd(m, n) > 1 {
        return None;
    }
    let (a, b, least) = (g * m, g * n, g * m * n);
    let draft = Draft::new(Answer::number(b))
        .places(&[("a", a), ("hcf", g), ("lcm", least)])
        .step(1, "HCF × LCM = a × b")
        .step(1, format!("{g} × {} = {a} × b", Number::from(least)))
        .step(1, format!("b = {g} × {} ÷ {a} = {b}", Number::from(least)))
        .wrong_numbers(&[
            ("lcm-divided-by-number", n),
            ("difference-of-lcm-and-number", least - a),
            ("lcm-divided-by-hcf", m * n),
            ("product-not-divided", g * least),
        ])
        .proof(format!("{b} ÷ {g}"), format!("{least} ÷ {a}"));
    Some(draft)
}
