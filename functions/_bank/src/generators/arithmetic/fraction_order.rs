//! Fractions by size.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{gcd, lcm};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "fraction-order",
    family: Family::Mathematics,
    classes: 6..=7,
    marks: 1..=3,
    topics: &["fraction"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let fractions = [0; 3].map(|_| {
        let below = draw.between(2, 4 + 2 * draw.level());
        (draw.between(1, below - 1), below)
    });
    let [b, d, f] = fractions.map(|(_, below)| below);
    let common = lcm(lcm(b, d), f);
    let wide = fractions.map(|(above, below)| above * common / below);
    let unlike = [wide, [b, d, f]].iter().all(|[one, two, three]| one != two && two != three && three != one);
    if !unlike || common > 60 || fractions.iter().any(|(above, below)| gcd(*above, *below) > 1) {
        return None;
    }
    let [one, two, three] = fractions.map(written);
    let widened =
        format!("{one} = {}/{common}; {two} = {}/{common}; {three} = {}/{common}", wide[0], wide[1], wide[2]);
    let chain = |keys: [i64; 3]| Answer::Notation(by(fractions, keys));
    let mut draft = Draft::new(chain(wide))
        .step(2, widened)
        .step(1, by(fractions, wide))
        .wrong("descending-for-ascending", chain(wide.map(|key| -key)))
        .wrong("larger-denominator-taken-as-larger", chain([b, d, f]))
        .wrong("larger-denominator-taken-as-smaller", chain([-b, -d, -f]))
        .wrong("larger-numerator-taken-as-larger", chain(fractions.map(|(above, _)| above)))
        .wrong("order-as-given", chain([0; 3]));
    for (name, fraction, wide) in [("a", one, wide[0]), ("b", two, wide[1]), ("c", three, wide[2])] {
        draft = draft.proof(format!("{fraction} × {common}"), wide).place(name, fraction);
    }
    Some(draft)
}

fn written((above, below): (i64, i64)) -> String {
    format!("{above}/{below}")
}

/// The fractions in the order of their keys.
fn by(fractions: [(i64, i64); 3], keys: [i64; 3]) -> String {
    let mut order = [0, 1, 2];
    order.sort_by_key(|at: &usize| keys[*at]);
    order.map(|at| written(fractions[at])).join(" < ")
}
