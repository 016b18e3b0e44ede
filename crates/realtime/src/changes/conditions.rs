//! Filters against the values of a change, in memory where the outcome is certain (CONTRACT.md G6,
//! G7).

use std::{cmp::Ordering, sync::Arc};

use bytes::Bytes;

use super::{
    arrays::{self, Part},
    entry::{Filter, Operator},
    pgoutput::Value,
    types::{Shape, Type},
};

/// A filter of an entry on one table, with a value that PostgreSQL has cast to the column's type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Condition {
    pub(super) column: Arc<str>,
    is_negated: bool,
    test: Test,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Test {
    /// It is one of these texts.
    AnyOf(Vec<Bytes>),
    /// It differs from this text, or is null.
    DistinctFrom(Bytes),
    /// It is an integer that compares so with this one.
    Ordered(i64, &'static [Ordering]),
    IsNull,
    /// Three-valued logic: true, false, or unknown, which is null.
    IsBoolean(Option<bool>),
    /// PostgreSQL knows.
    Asked(Comparison),
}

/// What PostgreSQL is asked of a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Comparison {
    /// The column's type, qualified.
    pub(super) type_name: Arc<str>,
    pub(super) operator: Operator,
    pub(super) wanted: Bytes,
}

/// Whether a value fulfils a condition.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict<'c> {
    No,
    Yes,
    /// PostgreSQL must say how the value compares; whether a yes of it is a no.
    Ask(&'c Comparison, bool),
}

impl Condition {
    /// `value` is in the spelling of the column's type, for a list in that of its array.
    pub(super) fn new(filter: &Filter, of: &Type, value: Bytes) -> Self {
        let test = certain(filter.operator, of, &value).unwrap_or_else(|| {
            Test::Asked(Comparison {
                type_name: Arc::clone(&of.qualified),
                operator: filter.operator,
                wanted: value,
            })
        });
        // A null fulfils neither of the two, so one is the other's negation.
        let is_negated = filter.is_negated ^ (filter.operator == Operator::Neq && test.is_list());
        Self { column: filter.column.as_str().into(), is_negated, test }
    }

    /// The texts one of which the column must have, if that is all there is to know.
    pub(super) fn keys(&self) -> Option<&[Bytes]> {
        match &self.test {
            Test::AnyOf(keys) if !self.is_negated => Some(keys),
            _ => None,
        }
    }

    /// Compares a value. One that the change does not carry fulfils nothing.
    pub(super) fn check(&self, value: Option<&Value>) -> Verdict<'_> {
        let text = match value {
            None | Some(Value::Unchanged) => return Verdict::No,
            Some(Value::Null) => None,
            Some(Value::Text(text)) => Some(text),
        };
        let fulfils = match (&self.test, text) {
            (Test::IsNull, text) => text.is_none(),
            (Test::IsBoolean(wanted), text) => text.map(|text| text == "t") == *wanted,
            (Test::DistinctFrom(wanted), text) => text != Some(wanted),
            (Test::Asked(comparison), None) if comparison.operator == Operator::IsDistinct => true,
            (_, None) => return Verdict::No,
            (Test::AnyOf(wanted), Some(text)) => wanted.contains(text),
            (Test::Ordered(wanted, orders), Some(text)) => match integer(text) {
                Some(number) => orders.contains(&number.cmp(wanted)),
                None => return Verdict::No,
            },
            (Test::Asked(comparison), Some(_)) => return Verdict::Ask(comparison, self.is_negated),
        };
        if fulfils == self.is_negated { Verdict::No } else { Verdict::Yes }
    }
}

impl Test {
    fn is_list(&self) -> bool {
        matches!(self, Self::AnyOf(_))
    }
}

/// The test that needs no PostgreSQL, where there is one.
fn certain(operator: Operator, of: &Type, value: &Bytes) -> Option<Test> {
    if operator == Operator::Is {
        return Some(match &**value {
            b"true" => Test::IsBoolean(Some(true)),
            b"false" => Test::IsBoolean(Some(false)),
            b"unknown" => Test::IsBoolean(None),
            _ => Test::IsNull,
        });
    }
    if !of.is_equal_as_text {
        return None;
    }
    let orders: &[Ordering] = match operator {
        Operator::Eq | Operator::Neq => return Some(Test::AnyOf(vec![value.clone()])),
        Operator::IsDistinct => return Some(Test::DistinctFrom(value.clone())),
        Operator::In => return elements(value).map(Test::AnyOf),
        Operator::Lt => &[Ordering::Less],
        Operator::Lte => &[Ordering::Less, Ordering::Equal],
        Operator::Gt => &[Ordering::Greater],
        Operator::Gte => &[Ordering::Greater, Ordering::Equal],
        Operator::Like | Operator::Ilike | Operator::Is | Operator::Match | Operator::Imatch => return None,
    };
    (of.shape == Shape::Number).then(|| integer(value))?.map(|number| Test::Ordered(number, orders))
}

/// The elements of a list without null, which `= any` treats in its own way.
fn elements(list: &[u8]) -> Option<Vec<Bytes>> {
    let mut elements = Vec::new();
    let mut has_null = false;
    arrays::read(list, b',', |part| match part {
        Part::Element(text) => elements.push(Bytes::copy_from_slice(text)),
        Part::Null => has_null = true,
        Part::Open | Part::Close => {}
    })?;
    (!has_null).then_some(elements)
}

fn integer(text: &[u8]) -> Option<i64> {
    str::from_utf8(text).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTEGER: (Shape, bool) = (Shape::Number, true);
    const TEXT: (Shape, bool) = (Shape::Text, true);

    fn verdict(
        (shape, is_equal_as_text): (Shape, bool),
        filter: &str,
        value: Option<&'static str>,
    ) -> String {
        let (name, wanted) = filter.split_once('.').expect("an operator");
        let (name, is_negated) = name.strip_prefix("not-").map_or((name, false), |name| (name, true));
        let entry = serde_json::json!({"schema": "s", "table": "t", "filter": format!("a={name}.{wanted}")});
        let entry = super::super::entry::Entry::parse(entry.as_object().expect("an object"));
        let filter = Filter { is_negated, ..entry.expect("parses").filters[0].clone() };
        let of = Type { name: "x".into(), qualified: "x".into(), shape, is_equal_as_text };
        let condition = Condition::new(&filter, &of, Bytes::copy_from_slice(filter.value.as_bytes()));
        let value = value.map_or(Value::Null, |text| Value::Text(Bytes::from_static(text.as_bytes())));
        match condition.check(Some(&value)) {
            Verdict::Yes => "yes".to_owned(),
            Verdict::No => "no".to_owned(),
            Verdict::Ask(_, is_negated) => format!("ask {is_negated}"),
        }
    }

    // rows: G6
    #[test]
    fn what_texts_decide_is_decided_here() {
        for (of, filter, value, expected) in [
            (TEXT, "eq.a", Some("a"), "yes"),
            (TEXT, "not-eq.a", Some("a"), "no"),
            (TEXT, "neq.a", Some("b"), "yes"),
            (TEXT, "not-neq.a", Some("b"), "no"),
            (TEXT, "in.(a,b)", Some("b"), "yes"),
            (TEXT, "not-in.(a,b)", Some("c"), "yes"),
            (TEXT, "in.(a,NULL)", Some("c"), "ask false"),
            (TEXT, "isdistinct.a", Some("b"), "yes"),
            (TEXT, "not-isdistinct.a", Some("a"), "yes"),
            (INTEGER, "lt.10", Some("9"), "yes"),
            (INTEGER, "gte.10", Some("9"), "no"),
            (INTEGER, "not-gte.10", Some("9"), "yes"),
            (TEXT, "lt.b", Some("a"), "ask false"),
            (TEXT, "not-like.b%", Some("a"), "ask true"),
            ((Shape::Number, false), "eq.1.0", Some("1"), "ask false"),
            ((Shape::Boolean, true), "is.true", Some("t"), "yes"),
            ((Shape::Boolean, true), "not-is.true", Some("f"), "yes"),
        ] {
            assert_eq!(verdict(of, filter, value), expected, "{filter} of {value:?}");
        }
    }

    // rows: G6
    #[test]
    fn null_fulfils_nothing_but_what_asks_for_it() {
        for filter in ["eq.a", "not-eq.a", "neq.a", "in.(a)", "not-in.(a)", "lt.a", "not-like.a"] {
            assert_eq!(verdict(TEXT, filter, None), "no", "{filter}");
        }
        for filter in ["is.null", "is.unknown", "isdistinct.a", "not-is.true"] {
            assert_eq!(verdict(TEXT, filter, None), "yes", "{filter}");
        }
        assert_eq!(verdict((Shape::Number, false), "isdistinct.1.0", None), "yes");
        assert_eq!(verdict((Shape::Number, false), "not-isdistinct.1.0", None), "no");
    }

    // rows: G7
    #[test]
    fn a_column_that_the_change_does_not_carry_fulfils_nothing() {
        let of = Type { name: "x".into(), qualified: "x".into(), shape: Shape::Text, is_equal_as_text: true };
        let filter =
            Filter { column: "a".into(), operator: Operator::Is, value: "null".into(), is_negated: false };
        let condition = Condition::new(&filter, &of, Bytes::from_static(b"null"));
        assert_eq!(condition.check(None), Verdict::No);
        assert_eq!(condition.check(Some(&Value::Unchanged)), Verdict::No);
    }
}
