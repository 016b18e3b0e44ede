//! Details of some errors, and their messages.

use serde_json::Value;

use super::Wire;

/// A refusal of the query string: PostgREST's words for where and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parse {
    /// `"failed to parse <what> (<text>)" (line 1, column N)`
    pub message: String,
    /// `unexpected ... expecting ...`
    pub details: String,
}

/// A mistake in a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BodyFault {
    /// It is no JSON.
    Json,
    /// The objects of an array have different keys.
    UnevenKeys,
    /// The lines of CSV have different numbers of fields.
    UnevenLines,
    /// A quote of CSV is not closed, or text follows the closing one.
    Quotes,
    /// A column of CSV is named twice.
    RepeatedName,
    /// Its media type is none this action takes.
    ContentType(String),
    /// It broke off.
    Incomplete,
}

/// A mistake in a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RangeFault {
    /// A negative limit, or nothing in both `Range` and `limit`.
    NegativeLimit,
    /// The header's first row is after its last.
    LowerAboveUpper,
    /// Fewer rows than the offset.
    OutOfBounds {
        /// Rows to be left out.
        offset: i64,
        /// Rows there are.
        total: i64,
    },
}

/// An embedded relation that no relationship leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoRelationship {
    /// The relation embedded into.
    pub origin: String,
    /// The relation that was to be embedded.
    pub target: String,
    /// The hint given.
    pub hint: Option<String>,
    /// The schema searched.
    pub schema: String,
    /// The name that was likely meant.
    pub suggestion: Option<String>,
}

/// An embedded relation that several relationships lead to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AmbiguousRelationship {
    /// The relation embedded into.
    pub origin: String,
    /// The relation that was to be embedded.
    pub target: String,
    /// The relationships, as the client reads them.
    pub details: Value,
    /// Their hints: `'target!name'`.
    pub hints: Vec<String>,
}

/// A call that fits no function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoFunction {
    /// The schema searched.
    pub schema: String,
    /// The name.
    pub function: String,
    /// Names of the arguments given.
    pub arguments: Vec<String>,
    /// The types of a single unnamed parameter that could have taken the body: `json/jsonb`,
    /// `text`, `xml` or `bytea`.
    pub unnamed: Option<&'static str>,
    /// The function that was likely meant: `schema.name` or `schema.name(a, b)`.
    pub suggestion: Option<String>,
}

impl BodyFault {
    pub(super) fn message(&self) -> String {
        match self {
            Self::Json => "Empty or invalid json".to_owned(),
            Self::UnevenKeys => "All object keys must match".to_owned(),
            Self::UnevenLines => "All lines must have same number of fields".to_owned(),
            Self::Quotes => "A quoted field of the CSV is not closed, or text follows it".to_owned(),
            Self::RepeatedName => "The CSV names a column twice".to_owned(),
            Self::ContentType(name) => format!("Content-Type not acceptable: {name}"),
            Self::Incomplete => "The request body is incomplete".to_owned(),
        }
    }
}

impl RangeFault {
    pub(super) fn details(&self) -> String {
        match self {
            Self::NegativeLimit => "Limit should be greater than or equal to zero.".to_owned(),
            Self::LowerAboveUpper => {
                "The lower boundary must be lower than or equal to the upper boundary in the Range header."
                    .to_owned()
            }
            Self::OutOfBounds { offset, total } => {
                format!("An offset of {offset} was requested, but there are only {total} rows.")
            }
        }
    }
}

impl NoFunction {
    pub(super) fn wire(&self) -> Wire {
        let name = format!("{}.{}", self.schema, self.function);
        let raw = self.unnamed.filter(|unnamed| *unnamed != "json/jsonb");
        let list = self.arguments.join(", ");
        let shown = match (&raw, self.arguments.is_empty()) {
            (Some(_), _) => String::new(),
            (None, true) => " without parameters".to_owned(),
            (None, false) => format!("({list})"),
        };
        let plural = if self.arguments.len() > 1 { "s" } else { "" };
        let given = match self.arguments.is_empty() {
            true => " without parameters".to_owned(),
            false => format!(" with parameter{plural} {list}"),
        };
        let searched = match (&raw, self.unnamed) {
            (Some(unnamed), _) => format!(" with a single unnamed {unnamed} parameter"),
            (None, Some(unnamed)) => format!("{given} or with a single unnamed {unnamed} parameter"),
            (None, None) => given,
        };
        Wire::new(404, "PGRST202", format!("Could not find the function {name}{shown} in the schema cache"))
            .details(format!(
                "Searched for the function {name}{searched}, but no matches were found in the schema cache."
            ))
            .hint(self.suggestion.as_ref().map(|it| format!("Perhaps you meant to call the function {it}")))
    }
}

impl NoRelationship {
    pub(super) fn wire(&self) -> Wire {
        let Self { origin, target, schema, .. } = self;
        let using = self.hint.as_ref().map(|hint| format!(" using the hint '{hint}'")).unwrap_or_default();
        let message =
            format!("Could not find a relationship between '{origin}' and '{target}' in the schema cache");
        Wire::new(400, "PGRST200", message)
            .details(format!(
                "Searched for a foreign key relationship between '{origin}' and '{target}'{using} in the schema \
                 '{schema}', but no matches were found."
            ))
            .hint(self.suggestion.clone())
    }
}

impl AmbiguousRelationship {
    pub(super) fn wire(&self) -> Wire {
        let Self { origin, target, .. } = self;
        let message = format!(
            "Could not embed because more than one relationship was found for '{origin}' and '{target}'"
        );
        Wire::new(300, "PGRST201", message).details(self.details.clone()).hint(format!(
            "Try changing '{target}' to one of the following: {}. Find the desired relationship in the 'details' key.",
            self.hints.join(", ")
        ))
    }
}
