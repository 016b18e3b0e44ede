//! v = fλ for sound.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "wave-speed",
    family: Family::Science,
    classes: 9..=9,
    marks: 1..=2,
    topics: &["sound"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (f, centimetres) = (10 * draw.between(10, 40 * draw.level()), 5 * draw.between(4, 40));
    let wavelength = Rational::new(centimetres, 100);
    let v = wavelength * f.into();
    let [length, speed] = [wavelength, v].map(Number::decimal);
    if !(300..=360).contains(&(v.above() / v.below())) {
        return None;
    }
    let draft = Draft::new(Answer::quantity(speed, "m/s"))
        .places(&[("f", f)])
        .place("length", length)
        .step(1, "v = fλ")
        .step(1, format!("v = {} × {length} = {speed} m/s", Number::from(f)))
        .wrong_numbers(&[
            ("divided-for-multiplied", Number::decimal(Rational::from(f) / wavelength)),
            ("point-one-place-left", Number::decimal(v / 10.into())),
            ("added-for-multiplied", Number::decimal(wavelength + f.into())),
            ("half-of-it", Number::decimal(v / 2.into())),
        ])
        .proof(format!("{speed} ÷ {length}"), f);
    Some(draft)
}
