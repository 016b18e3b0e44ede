//! Which claim names the role: a JSONPath of RFC 9535, or the form that version 14 had
//! (rest/CONTRACT.md T03).

use serde_json::Value;
use serde_json_path::JsonPath;

use crate::KeyError;

/// A path to the role.
#[derive(Debug, Default)]
pub(super) enum RolePath {
    /// The claim `role`: `$.role`, which is found without a query.
    #[default]
    Role,
    Query(JsonPath),
    Old(Vec<Step>),
}

/// A step of the old form.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// `.name` or `."any name"`
    Member(String),
    /// `[0]`
    Element(usize),
    /// `[?(@ == "text")]`: the first text that fits.
    First(Comparison, String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    Unequal,
    StartsWith,
    EndsWith,
    Contains,
}

/// A longer word comes before the shorter one that it begins with.
const COMPARISONS: [(&str, Comparison); 5] = [
    ("==^", Comparison::EndsWith),
    ("==", Comparison::Equal),
    ("!=", Comparison::Unequal),
    ("^==", Comparison::StartsWith),
    ("*==", Comparison::Contains),
];

impl RolePath {
    pub(super) fn parse(text: &str) -> Result<Self, KeyError> {
        if text == "$.role" {
            return Ok(Self::Role);
        }
        if let Ok(path) = JsonPath::parse(text) {
            return Ok(Self::Query(path));
        }
        steps(text).map(Self::Old).ok_or_else(|| KeyError::RolePath(text.to_owned()))
    }

    pub(super) fn is_old(&self) -> bool {
        matches!(self, Self::Old(_))
    }

    /// The first value that the path leads to.
    pub(super) fn find<'a>(&'a self, claims: &'a Value) -> Option<&'a Value> {
        match self {
            Self::Role => claims.get("role"),
            Self::Query(path) => path.query(claims).first(),
            Self::Old(steps) => steps.iter().try_fold(claims, |value, step| step.find(value)),
        }
    }
}

impl Step {
    fn find<'a>(&self, value: &'a Value) -> Option<&'a Value> {
        match self {
            Self::Member(name) => value.as_object()?.get(name),
            Self::Element(place) => value.as_array()?.get(*place),
            Self::First(comparison, wanted) => {
                value.as_array()?.iter().find(|it| it.as_str().is_some_and(|it| comparison.holds(it, wanted)))
            }
        }
    }
}

impl Comparison {
    fn holds(self, text: &str, wanted: &str) -> bool {
        match self {
            Self::Equal => text == wanted,
            Self::Unequal => text != wanted,
            Self::StartsWith => text.starts_with(wanted),
            Self::EndsWith => text.ends_with(wanted),
            Self::Contains => text.contains(wanted),
        }
    }
}

/// The old form: one step or more, a comparison only as the last.
fn steps(mut text: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    while !text.is_empty() {
        let (step, rest) = step(text)?;
        if matches!(step, Step::First(..)) && !rest.is_empty() {
            return None;
        }
        steps.push(step);
        text = rest;
    }
    (!steps.is_empty()).then_some(steps)
}

fn step(text: &str) -> Option<(Step, &str)> {
    if let Some(rest) = text.strip_prefix('.') {
        if rest.starts_with('"') {
            let (name, rest) = quoted(rest)?;
            return Some((Step::Member(name), rest));
        }
        let end = rest.find(|sign: char| !(sign.is_alphanumeric() || "_$@".contains(sign)));
        let (name, rest) = rest.split_at(end.unwrap_or(rest.len()));
        return (!name.is_empty()).then(|| (Step::Member(name.to_owned()), rest));
    }
    if let Some(rest) = text.strip_prefix("[?(@") {
        let rest = rest.trim_start();
        let (word, comparison) = COMPARISONS.iter().find(|(word, _)| rest.starts_with(word))?;
        let (wanted, rest) = quoted(rest[word.len()..].trim_start())?;
        return Some((Step::First(*comparison, wanted), rest.strip_prefix(")]")?));
    }
    let (digits, rest) = text.strip_prefix('[')?.split_once(']')?;
    Some((Step::Element(digits.parse().ok()?), rest))
}

fn quoted(text: &str) -> Option<(String, &str)> {
    let (inner, rest) = text.strip_prefix('"')?.split_once('"')?;
    Some((inner.to_owned(), rest))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn find(path: &str, claims: &Value) -> Option<Value> {
        RolePath::parse(path).expect(path).find(claims).cloned()
    }

    // rows: rest/T03
    #[test]
    fn the_role_is_the_first_value_that_the_path_leads_to() {
        let claims = json!({
            "role": "plain",
            "a": {"b-c": [{"role": "deep"}]},
            "https://x.example/roles": ["first", "second"],
            "roles": ["other", "school_teacher", "school_head"],
        });
        for (path, expected) in [
            ("$.role", "plain"),
            ("$['a']['b-c'][0].role", "deep"),
            ("$[\"https://x.example/roles\"][1]", "second"),
            ("$.roles[?(@ != \"other\")]", "school_teacher"),
            ("$.roles[?search(@, \"head$\")]", "school_head"),
            (".role", "plain"),
            (".a.\"b-c\"[0].role", "deep"),
            (".\"https://x.example/roles\"[0]", "first"),
            (".roles[?(@ == \"school_head\")]", "school_head"),
            (".roles[?(@ != \"other\")]", "school_teacher"),
            (".roles[?(@ ^== \"school\")]", "school_teacher"),
            (".roles[?(@ ==^ \"_head\")]", "school_head"),
            (".roles[?(@ *== \"ool_te\")]", "school_teacher"),
        ] {
            assert_eq!(find(path, &claims), Some(json!(expected)), "{path}");
        }
        for path in ["$.none", ".none", ".roles[7]", "$.roles[7]", ".role.deeper", ".roles[?(@ == \"x\")]"] {
            assert_eq!(find(path, &claims), None, "{path}");
        }
    }

    // rows: rest/T03
    #[test]
    fn a_path_of_another_form_is_refused() {
        for path in
            ["", "role", "$.my_role;;domain", "@@.role.other", ".a[?(@ == \"x\")].b", ".a[b]", ".a[?(@ < 1)]"]
        {
            assert!(RolePath::parse(path).is_err(), "{path}");
        }
        assert!(RolePath::parse(".role").expect("old").is_old());
        assert!(!RolePath::parse("$.role").expect("new").is_old());
    }
}
