//! Two linear equations in two variables.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, brackets, sum_of_terms};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "pair-of-equations",
    family: Family::Mathematics,
    classes: 9..=10,
    marks: 3..=5,
    topics: &["pair linear equation", "linear equation two variable"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let high = 2 + draw.level();
    let (a, b, c, d) =
        (draw.between(1, high), draw.between(1, high), draw.between(1, high), -draw.between(1, high));
    let (x, y) = (draw.between(-2 * draw.level(), 8), draw.between(1, 7));
    let (e, f) = (a * x + b * y, c * x + d * y);
    if x == 0 || x == y || x == -y || a * d == b * c {
        return None;
    }
    let line = |p, q, r| format!("{} = {}", sum_of_terms(&[(p, "x"), (q, "y")]), Number::from(r));
    let (x_coefficient, constant) = (a * -d + c * b, e * -d + f * b);
    let [x_text, y_text] = [x, y].map(Number::from);
    let pair = |x: i64, y: i64| Answer::Pair(x.into(), y.into());
    let draft = Draft::new(pair(x, y))
        .place("first", line(a, b, e))
        .place("second", line(c, d, f))
        .step(1, format!("{}; {}", line(a * -d, b * -d, e * -d), line(c * b, d * b, f * b)))
        .step(1, format!("{} = {}", sum_of_terms(&[(x_coefficient, "x")]), Number::from(constant)))
        .step(1, format!("x = {} ÷ {x_coefficient} = {x_text}", brackets(Number::from(constant))))
        .step(1, format!("y = ({} − {a} × {}) ÷ {b} = {y_text}", Number::from(e), brackets(x_text)))
        .wrong("coordinates-exchanged", pair(y, x))
        .wrong("sign-of-x", pair(-x, y))
        .wrong("sign-of-y", pair(x, -y))
        .proof(format!("{a} × {} + {b} × {y_text}", brackets(x_text)), Number::from(e))
        .proof(format!("{c} × {} − {} × {y_text}", brackets(x_text), -d), Number::from(f));
    Some(draft)
}
