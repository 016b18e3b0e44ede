use super::introspect::{Argument, ArgumentMode, Catalog, Function, Relation, Type};
use super::type_names::{member, nullable_name, or_null, path, quoted, type_name};

/// The functions of a schema that the API offers, under their names and in their order.
pub(super) fn offered<'a>(catalog: &'a Catalog, schema: &str) -> Vec<Vec<&'a Function>> {
    let mut functions: Vec<&Function> = catalog
        .functions
        .iter()
        .filter(|function| function.schema == schema && is_callable(catalog, function))
        .collect();
    functions.sort_by(|one, other| (&one.name, &one.signature).cmp(&(&other.name, &other.signature)));
    functions.chunk_by(|one, other| one.name == other.name).map(<[_]>::to_vec).collect()
}

/// The functions that add a field to the rows of a relation, with the type of that field: of a
/// relationship to many rows a list, which is never null, and else a value or row that may be.
pub(super) fn computed_fields(catalog: &Catalog, relation: &Relation) -> Vec<(String, String)> {
    offered(catalog, &relation.schema)
        .into_iter()
        .filter_map(|overloads| {
            let field = overloads.into_iter().find(|function| {
                row_argument(catalog, function).is_some_and(|row| row.relation_id == Some(relation.id))
            })?;
            Some((field.name.clone(), field_type(catalog, field)))
        })
        .collect()
}

fn field_type(catalog: &Catalog, field: &Function) -> String {
    let value = result(catalog, field);
    match set_options(catalog, field) {
        Some(options) if !options.is_one_to_one => format!("{value}[]"),
        _ => or_null(value, true),
    }
}

/// One function with its overloads as the type of a member.
pub(super) fn signatures(catalog: &Catalog, overloads: &[&Function]) -> String {
    let one = |function: &&Function| {
        let error = conflict(catalog, overloads, function).or_else(|| row_error(catalog, function));
        let arguments = arguments(catalog, function);
        let returns = returns(catalog, function, error.as_deref());
        let options = set_options(catalog, function).map_or_else(String::new, |options| options.text());
        format!("{{ Args: {arguments}; Returns: {returns}{options} }}")
    };
    overloads.iter().map(one).collect::<Vec<_>>().join(" | ")
}

/// PostgREST offers a function whose arguments all have names; without names only a single json,
/// jsonb or text, a single row, or arguments of those types with defaults.
fn is_callable(catalog: &Catalog, function: &Function) -> bool {
    let inputs: Vec<&Argument> = function.inputs().collect();
    let takes_body = |argument: &Argument| {
        catalog.type_of(argument.type_id).is_some_and(|found| {
            found.schema == "pg_catalog" && matches!(found.name.as_str(), "json" | "jsonb" | "text")
        })
    };
    inputs.iter().all(|argument| !argument.name.is_empty() || (argument.default && takes_body(argument)))
        || (inputs.len() == 1 && (takes_body(inputs[0]) || row_argument(catalog, function).is_some()))
}

/// The row type of the only argument, if it is one.
fn row_argument<'a>(catalog: &'a Catalog, function: &Function) -> Option<&'a Type> {
    let mut inputs = function.inputs();
    let (Some(only), None) = (inputs.next(), inputs.next()) else { return None };
    catalog.type_of(only.type_id).filter(|found| found.relation_id.is_some())
}

fn arguments(catalog: &Catalog, function: &Function) -> String {
    let mut inputs: Vec<&Argument> = function.inputs().collect();
    if inputs.is_empty() {
        return "Record<PropertyKey, never>".to_owned();
    }
    inputs.sort_by(|one, other| one.name.cmp(&other.name));
    let one = |argument: &Argument| {
        let optional = if argument.default { "?" } else { "" };
        format!("{}{optional}: {}", member(&argument.name), argument_type(catalog, argument))
    };
    format!("{{ {} }}", inputs.into_iter().map(one).collect::<Vec<_>>().join("; "))
}

/// A row given as an argument has no computed fields.
fn argument_type(catalog: &Catalog, argument: &Argument) -> String {
    let name = type_name(catalog, argument.type_id);
    let row = catalog
        .type_of(argument.type_id)
        .and_then(|found| catalog.relation(found.relation_id?))
        .filter(|_| !argument.name.is_empty());
    match row {
        Some(row) => format!("Omit<{name}, {}[\"ComputedFields\"]>", path(row)),
        None => name,
    }
}

fn returns(catalog: &Catalog, function: &Function, error: Option<&str>) -> String {
    if let Some(error) = error {
        return format!("{{ error: true }} & {}", quoted(error));
    }
    let single = set_options(catalog, function).is_some_and(|options| options.is_one_to_one);
    let list = if function.returns_set && !single { "[]" } else { "" };
    format!("{}{list}", result(catalog, function))
}

/// One row or value of the result.
fn result(catalog: &Catalog, function: &Function) -> String {
    let mut table: Vec<&Argument> =
        function.arguments.iter().filter(|argument| argument.mode == ArgumentMode::Table).collect();
    if !table.is_empty() {
        table.sort_by(|one, other| one.name.cmp(&other.name));
        return object(table.iter().map(|column| (column.name.as_str(), type_name(catalog, column.type_id))));
    }
    let row = catalog
        .type_of(function.returns)
        .and_then(|found| catalog.relation(found.relation_id?))
        .filter(|relation| relation.schema == function.schema);
    let Some(row) = row else { return type_name(catalog, function.returns) };
    let mut columns: Vec<_> = row.columns.iter().collect();
    columns.sort_by(|one, other| one.name.cmp(&other.name));
    object(
        columns
            .into_iter()
            .map(|column| (column.name.as_str(), nullable_name(catalog, column.type_id, column.nullable))),
    )
}

fn object<'a>(members: impl Iterator<Item = (&'a str, String)>) -> String {
    let members: Vec<String> = members.map(|(name, value)| format!("{}: {value}", member(name))).collect();
    format!("{{ {} }}", members.join("; "))
}

/// How a client may select from the rows that a function returns.
struct SetOptions<'a> {
    from: &'a str,
    to: &'a str,
    is_one_to_one: bool,
    is_set: bool,
}

impl SetOptions<'_> {
    fn text(&self) -> String {
        format!(
            "; SetofOptions: {{ from: {}; to: {}; isOneToOne: {}; isSetofReturn: {} }}",
            quoted(self.from),
            quoted(self.to),
            self.is_one_to_one,
            self.is_set
        )
    }
}

fn set_options<'a>(catalog: &'a Catalog, function: &Function) -> Option<SetOptions<'a>> {
    let returned = catalog.type_of(function.returns)?;
    let relation = returned.relation_id?;
    let to = catalog.relation(relation).map_or(returned.name.as_str(), |relation| relation.name.as_str());
    let from = match &function.arguments[..] {
        [_] => row_argument(catalog, function),
        _ => None,
    };
    Some(SetOptions {
        from: from.map_or("*", |row| row.display_name.as_str()),
        to,
        is_one_to_one: !(function.returns_set && function.rows > 1.0),
        is_set: function.returns_set,
    })
}

/// A function of an unnamed row is there to be selected as a field and cannot be called.
fn row_error(catalog: &Catalog, function: &Function) -> Option<String> {
    let unnamed = function.inputs().all(|argument| argument.name.is_empty());
    row_argument(catalog, function).filter(|_| unnamed).map(|_| {
        format!(
            "the function {}.{} with parameter or with a single unnamed json/jsonb parameter, \
             but no matches were found in the schema cache",
            function.schema, function.name
        )
    })
}

/// Why a call could mean several of the overloads: one without arguments beside one whose only
/// argument is unnamed and optional, or the same single name with different types.
fn conflict(catalog: &Catalog, overloads: &[&Function], function: &Function) -> Option<String> {
    let inputs: Vec<&Argument> = function.inputs().collect();
    let others = overloads.iter().filter(|other| other.signature != function.signature);
    let full_name = format!("{}.{}", function.schema, function.name);
    let candidates = match inputs[..] {
        [] => {
            let other = others.clone().find(|other| {
                let inputs: Vec<&Argument> = other.inputs().collect();
                matches!(inputs[..], [only] if only.name.is_empty() && only.default)
            })?;
            format!("{full_name}(), {full_name}( => {})", plain_name(catalog, other.returns))
        }
        [only] if !only.name.is_empty() => {
            let mut types: Vec<i64> = others
                .filter_map(|other| {
                    let inputs: Vec<&Argument> = other.inputs().collect();
                    match inputs[..] {
                        [same] if same.name == only.name && same.type_id != only.type_id => {
                            Some(same.type_id)
                        }
                        _ => None,
                    }
                })
                .collect();
            if types.is_empty() {
                return None;
            }
            types.push(only.type_id);
            types.sort_unstable();
            let one = |id: &i64| format!("{full_name}({} => {})", only.name, plain_name(catalog, *id));
            types.iter().map(one).collect::<Vec<_>>().join(", ")
        }
        _ => return None,
    };
    Some(format!(
        "Could not choose the best candidate function between: {candidates}. Try renaming the parameters or the \
         function itself in the database so function overloading can be resolved"
    ))
}

fn plain_name(catalog: &Catalog, type_id: i64) -> &str {
    catalog.type_of(type_id).map_or("unknown", |found| found.name.as_str())
}
