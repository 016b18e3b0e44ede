//! Average speed over two stretches.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::Rational;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "average-speed",
    family: Family::Science,
    classes: 7..=9,
    marks: 2..=3,
    topics: &["=motion", "describing motion", "motion straight line", "time motion"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (t, s) = (draw.between(1, 1 + draw.level()), draw.between(1, 1 + draw.level()));
    let (v, w) = (10 * draw.between(2, 6), 5 * draw.between(4, 14));
    let (x, y) = (v * t, w * s);
    if v == w || (x + y) % (t + s) != 0 || t == s {
        return None;
    }
    let speed = (x + y) / (t + s);
    let draft = Draft::new(Answer::quantity(speed, "km/h"))
        .places(&[("x", x), ("t", t), ("y", y), ("s", s)])
        .step(1, format!("{x} + {y} = {} km; {t} + {s} = {} h", x + y, t + s))
        .step(2, format!("{} ÷ {} = {speed} km/h", x + y, t + s))
        .wrong_numbers(&[
            ("mean-of-the-speeds", Rational::new(v + w, 2)),
            ("speeds-added", Rational::from(v + w)),
            ("first-stretch-only", Rational::from(v)),
            ("second-stretch-only", Rational::from(w)),
        ])
        .proof(format!("{speed} × {t} + {speed} × {s}"), format!("{v} × {t} + {w} × {s}"));
    Some(draft)
}
