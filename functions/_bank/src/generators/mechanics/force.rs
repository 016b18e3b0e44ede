//! F = ma.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "force",
    family: Family::Science,
    classes: 9..=9,
    marks: 1..=3,
    topics: &["force"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (m, u) = (draw.between(2, 20 * draw.level()), draw.between(0, 4 * draw.level()));
    let (a, t) = (draw.between(1, 6), draw.between(2, 6));
    let (v, f) = (u + a * t, m * a);
    let draft = Draft::new(Answer::quantity(f, "N"))
        .places(&[("m", m), ("u", u), ("v", v), ("t", t)])
        .step(1, format!("a = ({v} − {u}) ÷ {t} = {a} m/s²"))
        .step(1, "F = ma")
        .step(1, format!("F = {m} × {a} = {f} N"))
        .wrong_numbers(&[
            ("change-of-momentum-for-force", m * (v - u)),
            ("velocity-for-acceleration", m * v),
            ("acceleration-for-force", a),
            ("mass-and-acceleration-added", m + a),
        ])
        .proof(format!("{f} × {t}"), format!("{m} × {v} − {m} × {u}"));
    Some(draft)
}
