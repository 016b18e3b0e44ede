//! The function that is called, and its arguments (CONTRACT.md C01 to C35).

use std::{collections::BTreeSet, sync::Arc};

use super::{Answer, Checks, Node, Source, Target, negotiate, read, refuse_unknown_preferences, tree};
use crate::{
    error::{BodyFault, Error, NoFunction, excerpt, similar::most_similar},
    request::{
        Action, MediaType, PayloadForm, Shape, ValueIndex, Window, action::CallMethod, preferences::Count,
    },
    schema::{Argument, Catalog, Function, Qualified, Returns},
    settings::Settings,
};

/// Most arguments that the message about a call names, if it fits no function. No function has
/// more.
const MOST_NAMED: usize = 100;

/// A call, and what is read of its result.
#[derive(Debug)]
pub struct CallPlan {
    /// The function.
    pub function: Arc<Function>,
    /// Its arguments.
    pub values: CallValues,
    /// Columns of its result that are read; none is all of them.
    pub returning: Option<Vec<String>>,
    /// The parts of its result that are read.
    pub node: Node,
    /// The form of the answer.
    pub answer: Answer,
    /// `true`: it may write.
    pub read_only: bool,
    /// Conditions that must hold, or nothing is committed.
    pub checks: Checks,
    /// How to count rows.
    pub count: Option<Count>,
    /// The requested rows.
    pub range: Window,
}

/// Arguments of a call.
#[derive(Debug)]
pub enum CallValues {
    /// Nothing.
    None,
    /// Values by name, from the query string or a form; several belong to a variadic argument.
    Named(Vec<(Argument, Vec<ValueIndex>)>),
    /// Members of the JSON body, by name.
    Members {
        /// The arguments.
        arguments: Vec<Argument>,
        /// `true`: the body is an object. In an array only the first element counts.
        object: bool,
    },
    /// Fields of the body's first line, with their place among the columns of the body.
    Fields(Vec<(usize, Argument)>),
    /// The body as its only argument.
    Body(Argument),
}

/// Makes the plan.
pub(super) fn plan(
    shape: &Shape,
    function: &str,
    catalog: &Catalog,
    settings: &Settings,
) -> Result<CallPlan, Error> {
    let function = find(shape, function, catalog)?;
    let schema = function.result_schema.as_ref().unwrap_or(&function.schema);
    let name = Qualified::new(schema, function.result_relation.as_ref().unwrap_or(&function.name));
    let target = Target {
        source: Source::Result,
        relation: &name,
        json_columns: &function.json_columns,
        root: read::Root::Whole,
    };
    let mut node = tree::tree(shape, &target, catalog, settings)?;
    node.range = shape.range;
    node.restrict(settings.max_rows);
    let answer = negotiate::answer(shape, &name, &node, catalog, settings)?;
    refuse_unknown_preferences(&shape.preferences)?;
    let max_affected = shape.preferences.enforced_max_affected();
    if max_affected.is_some() && !function.returns_set {
        return Err(Error::MaxAffectedSingle);
    }
    let by_post = matches!(shape.action, Action::Call { method: CallMethod::Post, .. });
    Ok(CallPlan {
        values: values(shape, &function),
        returning: returning(&node),
        read_only: !by_post || !function.volatile,
        checks: Checks { singular: answer.is_singular(), max_affected, put: false },
        count: shape.preferences.count,
        range: shape.range,
        function,
        node,
        answer,
    })
}

/// Columns that the tree or its conditions read.
fn returning(node: &Node) -> Option<Vec<String>> {
    let mut needed = node.needed_columns()?;
    needed.extend(node.filtered_columns());
    needed.sort_unstable();
    needed.dedup();
    (!needed.is_empty()).then_some(needed)
}

/// The one function of that name that takes these arguments.
///
/// # Errors
/// PGRST202 for none, PGRST203 for several.
pub(super) fn find(shape: &Shape, name: &str, catalog: &Catalog) -> Result<Arc<Function>, Error> {
    let qualified = Qualified::new(&shape.schema, name);
    let overloads = catalog.functions.get(&qualified).map(Vec::as_slice).unwrap_or_default();
    if matches!(shape.action, Action::Info(_)) && !overloads.is_empty() {
        return Ok(Arc::clone(&overloads[0]));
    }
    let given: BTreeSet<&str> = match shape.action.reads_function() {
        true => shape.query.arguments.iter().map(|(name, _)| name.as_str()).collect(),
        false => shape.columns.iter().map(String::as_str).collect(),
    };
    let raw = shape.payload == PayloadForm::Raw || shape.payload == PayloadForm::Table && given.contains("");
    let by_name = |function: &&Arc<Function>| !raw && takes(function, &given);
    let unnamed = |function: &&Arc<Function>| takes_body(function, shape);
    let (named, whole) = (overloads.iter().filter(by_name), overloads.iter().filter(unnamed));
    // A body that names no arguments is the only argument of one function before it is none of
    // another's.
    let nameless = matches!(shape.payload, PayloadForm::Value { .. });
    let mut fitting: Vec<&Arc<Function>> = if nameless { whole.clone().collect() } else { Vec::new() };
    if fitting.is_empty() {
        refuse_uneven(shape)?;
        fitting = named.collect();
    }
    if fitting.is_empty() {
        fitting = whole.collect();
    }
    match fitting.as_slice() {
        [one] => Ok(Arc::clone(one)),
        [] => Err(not_found(shape, name, &given, overloads, catalog)),
        _ => {
            fitting.sort_by(|one, other| listed(one).cmp(listed(other)));
            Err(Error::AmbiguousFunction(fitting.iter().map(|it| it.signature()).collect()))
        }
    }
}

/// Arguments by name out of objects that have different ones (CONTRACT.md I02, C02).
fn refuse_uneven(shape: &Shape) -> Result<(), Error> {
    match shape.payload {
        PayloadForm::Value { uneven: true } => Err(Error::Body(BodyFault::UnevenKeys)),
        _ => Ok(()),
    }
}

/// Names and types of its arguments, by which overloads are put in order.
fn listed(function: &Function) -> impl Iterator<Item = (&str, &str)> {
    function.arguments.iter().map(|argument| (argument.name.as_str(), argument.data_type.as_str()))
}

/// Returns whether all required arguments are given, and no unknown ones (CONTRACT.md C12).
fn takes(function: &Function, given: &BTreeSet<&str>) -> bool {
    let known = |name: &&str| function.arguments.iter().any(|argument| argument.name == *name);
    let required = function.arguments.iter().filter(|argument| argument.required);
    given.iter().all(known) && required.into_iter().all(|argument| given.contains(argument.name.as_str()))
}

/// Returns whether the whole body can be its only, unnamed argument (CONTRACT.md C14, C15).
fn takes_body(function: &Function, shape: &Shape) -> bool {
    let by_post = matches!(shape.action, Action::Call { method: CallMethod::Post, .. });
    let Some(argument) = function.unnamed_argument().filter(|_| by_post) else { return false };
    match &shape.content_type {
        MediaType::Json => argument.data_type == "json" || argument.data_type == "jsonb",
        MediaType::PlainText => argument.data_type == "text",
        MediaType::Xml => argument.data_type == "xml",
        MediaType::Bytes => argument.data_type == "bytea",
        _ => false,
    }
}

fn not_found(
    shape: &Shape,
    name: &str,
    given: &BTreeSet<&str>,
    overloads: &[Arc<Function>],
    catalog: &Catalog,
) -> Error {
    let by_post = matches!(shape.action, Action::Call { method: CallMethod::Post, .. });
    let unnamed = match &shape.content_type {
        _ if !by_post => None,
        MediaType::Json => Some("json/jsonb"),
        MediaType::PlainText => Some("text"),
        MediaType::Xml => Some("xml"),
        MediaType::Bytes => Some("bytea"),
        _ => None,
    };
    let arguments: Vec<String> =
        given.iter().take(MOST_NAMED).map(|name| excerpt(name).into_owned()).collect();
    let suggestion = match unnamed {
        None | Some("json/jsonb") => suggestion(shape, name, &arguments, overloads, catalog),
        Some(_) => None,
    };
    Error::NoFunction(Box::new(NoFunction {
        schema: shape.schema.clone(),
        function: name.to_owned(),
        arguments,
        unnamed,
        suggestion,
    }))
}

/// Another name, or, where the name is right, the argument list most like the one given
/// (CONTRACT.md C19).
fn suggestion(
    shape: &Shape,
    name: &str,
    arguments: &[String],
    overloads: &[Arc<Function>],
    catalog: &Catalog,
) -> Option<String> {
    if overloads.is_empty() {
        let names =
            catalog.functions.keys().filter(|it| it.schema == shape.schema).map(|it| it.name.as_str());
        return most_similar(name, names, 0.75).map(|other| format!("{}.{other}", shape.schema));
    }
    let lists: Vec<String> = overloads
        .iter()
        .map(|function| {
            let mut names: Vec<&str> =
                function.arguments.iter().map(|argument| argument.name.as_str()).collect();
            names.sort_unstable();
            format!("({})", names.join(", "))
        })
        .collect();
    let given = format!("({})", arguments.join(", "));
    most_similar(&given, lists.iter().map(String::as_str), 0.33)
        .map(|list| format!("{}.{name}{list}", shape.schema))
}

fn values(shape: &Shape, function: &Function) -> CallValues {
    // JSON may name the argument without a name: `{"": …}`.
    let json = matches!(shape.payload, PayloadForm::Object | PayloadForm::Array);
    let whole = takes_body(function, shape) || json && shape.columns.contains("");
    if let Some(argument) = function.unnamed_argument().filter(|_| whole) {
        return CallValues::Body(argument.clone());
    }
    match &shape.payload {
        PayloadForm::Form(given) => named(function, given),
        PayloadForm::None => named(function, &shape.query.arguments),
        PayloadForm::Table => fields(shape, function),
        PayloadForm::Object | PayloadForm::Array | PayloadForm::Value { .. } | PayloadForm::Raw => {
            members(shape, function)
        }
    }
}

fn fields(shape: &Shape, function: &Function) -> CallValues {
    let place = |argument: &Argument| shape.columns.iter().position(|name| *name == argument.name);
    let found: Vec<(usize, Argument)> =
        function.arguments.iter().filter_map(|it| Some((place(it)?, it.clone()))).collect();
    if found.is_empty() { CallValues::None } else { CallValues::Fields(found) }
}

fn members(shape: &Shape, function: &Function) -> CallValues {
    let given = function.arguments.iter().filter(|argument| shape.columns.contains(&argument.name));
    let arguments: Vec<Argument> = given.cloned().collect();
    match arguments.is_empty() {
        true => CallValues::None,
        false => CallValues::Members { arguments, object: shape.payload == PayloadForm::Object },
    }
}

/// If a key is repeated, the last value counts, unless the argument takes all of them (CONTRACT.md
/// C05, C10).
fn named(function: &Function, given: &[(String, ValueIndex)]) -> CallValues {
    let mut found = Vec::new();
    for argument in &function.arguments {
        let own = given.iter().filter(|(name, _)| *name == argument.name).map(|(_, slot)| *slot);
        let mut slots: Vec<ValueIndex> = own.collect();
        if !argument.variadic {
            slots = slots.last().copied().into_iter().collect();
        }
        if !slots.is_empty() {
            found.push((argument.clone(), slots));
        }
    }
    if found.is_empty() { CallValues::None } else { CallValues::Named(found) }
}

impl CallPlan {
    /// Returns whether its result is values, not rows.
    #[must_use]
    pub fn returns_values(&self) -> bool {
        matches!(self.function.returns(), Returns::Void | Returns::Scalar | Returns::Scalars)
    }
}
