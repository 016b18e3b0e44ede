//! Values at standard angles.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::Rational;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "standard-angles",
    family: Family::Mathematics,
    classes: 10..=10,
    marks: 2..=3,
    topics: &["introduction trigonometry", "=trigonometry"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (p, q) = (draw.between(1, 1 + 2 * draw.level()), draw.between(1, 1 + 2 * draw.level()));
    let (first, second) = (draw.coin(), draw.coin());
    // Squares of sine and cosine at 30° and 60° are quarters.
    let sine = |sixty: bool| Rational::new(if sixty { 3 } else { 1 }, 4);
    let angle = |sixty: bool| if sixty { 60 } else { 30 };
    let root = |sixty: bool| if sixty { "√3/2" } else { "1/2" };
    let of = |one: Rational, other: Rational| Rational::from(p) * one + Rational::from(q) * other;
    let cosine = |sixty: bool| sine(!sixty);
    let value = of(sine(first), cosine(second));
    let (a, b) = (angle(first), angle(second));
    let squares = format!("{p} × ({})² + {q} × ({})²", root(first), root(!second));
    let term =
        |factor: i64, name: &str| if factor == 1 { name.to_owned() } else { format!("{factor} {name}") };
    let draft = Draft::new(Answer::number(value))
        .place(
            "expression",
            format!("{} + {}", term(p, &format!("sin² {a}°")), term(q, &format!("cos² {b}°"))),
        )
        .step(1, format!("sin {a}° = {}; cos {b}° = {}", root(first), root(!second)))
        .step(
            1,
            format!(
                "{squares} = {} + {}",
                Rational::from(p) * sine(first),
                Rational::from(q) * cosine(second)
            ),
        )
        .step(
            1,
            format!("{} + {} = {value}", Rational::from(p) * sine(first), Rational::from(q) * cosine(second)),
        )
        .wrong_numbers(&[
            ("sine-and-cosine-exchanged", of(cosine(first), sine(second))),
            ("first-value-exchanged", of(cosine(first), cosine(second))),
            ("second-value-exchanged", of(sine(first), sine(second))),
            ("coefficients-only", Rational::from(p + q)),
            ("half-for-both", Rational::new(p + q, 2)),
        ])
        .proof(value, format!("{p} × (1 − ({})²) + {q} × (1 − ({})²)", root(!first), root(second)));
    Some(draft)
}
