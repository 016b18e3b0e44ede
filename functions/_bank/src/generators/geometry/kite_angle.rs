//! The equal angles of a kite.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "kite-angle",
    family: Family::Mathematics,
    classes: 8..=8,
    marks: 1..=2,
    topics: &["quadrilateral"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (a, c) = (draw.between(50, 130), draw.between(40, 110));
    let both = 360 - a - c;
    if a == c || both % 2 == 1 || both >= 330 {
        return None;
    }
    let draft = Draft::new(Answer::quantity(both / 2, "°"))
        .places(&[("a", a), ("c", c)])
        .step(1, format!("∠B + ∠D = 360° − ({a}° + {c}°) = {both}°"))
        .step(1, format!("∠B = ∠D; {both}° ÷ 2 = {}°", both / 2))
        .wrong_numbers(&[
            ("both-angles-for-one", both),
            ("mean-of-the-given", (a + c) / 2),
            ("supplement-of-the-first", 180 - a),
            ("supplement-of-the-last", 180 - c),
        ])
        .proof(format!("{a} + 2 × {} + {c}", both / 2), 360);
    Some(draft)
}
