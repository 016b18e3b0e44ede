//! The cost of electric energy.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "energy-cost",
    family: Family::Science,
    classes: 10..=10,
    marks: 2..=3,
    topics: &["electricity"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (watts, hours) = (100 * draw.between(2, 8 * draw.level()), draw.between(2, 10));
    let (days, rate) = (draw.one_of(&[10, 20, 30]), draw.between(4, 8));
    let units = watts * hours * days / 1000;
    let cost = units * rate;
    let draft = Draft::new(Answer::quantity(cost, "₹"))
        .places(&[("watts", watts), ("hours", hours), ("days", days), ("rate", rate)])
        .step(1, format!("{} × {hours} × {days} ÷ 1000 = {units} kWh", Number::from(watts)))
        .step(1, format!("{units} × {rate} = ₹{}", Number::from(cost)))
        .wrong_numbers(&[
            ("units-for-cost", Rational::from(units)),
            ("one-day-only", Rational::new(cost, days)),
            ("watt-hours-not-changed-to-units", Rational::from(cost * 1000)),
            ("hours-forgotten", Rational::new(cost, hours)),
        ])
        .proof(format!("{cost} ÷ {rate} ÷ {days}"), format!("{watts} ÷ 1000 × {hours}"));
    Some(draft)
}
