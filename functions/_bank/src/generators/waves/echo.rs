//! The distance of a reflecting wall.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "echo",
    family: Family::Science,
    classes: 9..=9,
    marks: 2..=3,
    topics: &["sound"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (v, tenths) = (draw.one_of(&[330, 340, 344]), 2 * draw.between(2, 10 * draw.level()));
    let t = Rational::new(tenths, 10);
    let path = t * v.into();
    let d = path / 2.into();
    let [time, way, distance] = [t, path, d].map(Number::decimal);
    let draft = Draft::new(Answer::quantity(distance, "m"))
        .places(&[("v", v)])
        .place("t", time)
        .step(1, format!("2d = vt = {v} × {time} = {way} m"))
        .step(1, format!("d = {way} ÷ 2 = {distance} m"))
        .wrong_numbers(&[
            ("way-there-and-back", way),
            ("halved-twice", Number::decimal(d / 2.into())),
            ("divided-for-multiplied", Number::decimal(Rational::from(v) / t)),
            ("time-forgotten", Number::decimal(Rational::new(v, 2))),
        ])
        .proof(format!("2 × {distance} ÷ {v}"), time);
    Some(draft)
}
