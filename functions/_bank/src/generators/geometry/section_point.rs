//! The point that divides a segment in a ratio.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational, brackets, gcd};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "section-point",
    family: Family::Mathematics,
    classes: 10..=10,
    marks: 2..=3,
    topics: &["coordinate"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (m, n) = (draw.between(1, 2 + draw.level()), draw.between(1, 4));
    if gcd(m, n) > 1 || m == n {
        return None;
    }
    let (a, b) = (draw.between(-6, 6), draw.between(-6, 6));
    let (i, j) = (draw.between(1, 2), draw.between(-2, 2));
    let (c, d) = (a + i * (m + n), b + j * (m + n));
    let [p, q, r, s] = [a, b, c, d].map(|n| brackets(Number::from(n)));
    let pair = |x: Rational, y: Rational| Answer::Pair(x.into(), y.into());
    let (x, y) = (a + i * m, b + j * m);
    let draft = Draft::new(pair(x.into(), y.into()))
        .place("a", format!("({}, {})", Number::from(a), Number::from(b)))
        .place("b", format!("({}, {})", Number::from(c), Number::from(d)))
        .places(&[("m", m), ("n", n)])
        .step(1, "x = (mx₂ + nx₁)/(m + n); y = (my₂ + ny₁)/(m + n)")
        .step(1, format!("x = ({m} × {r} + {n} × {p})/({m} + {n}) = {}", Number::from(x)))
        .step(1, format!("y = ({m} × {s} + {n} × {q})/({m} + {n}) = {}", Number::from(y)))
        .wrong("ratio-reversed", pair((a + i * n).into(), (b + j * n).into()))
        .wrong("mid-point", pair(Rational::new(a + c, 2), Rational::new(b + d, 2)))
        .wrong("not-divided-by-the-sum", pair((m * c + n * a).into(), (m * d + n * b).into()))
        .proof(
            format!("({} − {p}) × {n}", Number::from(x)),
            format!("({r} − {}) × {m}", brackets(Number::from(x))),
        )
        .proof(
            format!("({} − {q}) × {n}", Number::from(y)),
            format!("({s} − {}) × {m}", brackets(Number::from(y))),
        );
    Some(draft).filter(|_| j != 0)
}
