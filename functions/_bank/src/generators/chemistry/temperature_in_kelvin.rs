//! Celsius and kelvin.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, brackets};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "temperature-in-kelvin",
    family: Family::Science,
    classes: 9..=9,
    marks: 1..=1,
    topics: &["matter surrounding", "state matter"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let celsius = 5 * draw.between(-10, 20 * draw.level());
    let kelvin = celsius + 273;
    if celsius == 0 {
        return None;
    }
    let degrees = Number::from(celsius);
    let draft = Draft::new(Answer::quantity(kelvin, "K"))
        .place("celsius", degrees)
        .step(1, format!("{degrees} + 273 = {kelvin} K"))
        .wrong_numbers(&[
            ("sign-of-the-temperature", 273 - celsius),
            ("hundred-for-273", celsius + 100),
            ("slip-by-ten", kelvin + 10),
            ("373-for-273", kelvin + 100),
        ])
        .proof(format!("{kelvin} − {}", brackets(degrees)), 273);
    Some(draft)
}
