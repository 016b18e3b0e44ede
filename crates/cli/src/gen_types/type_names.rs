use super::introspect::{Catalog, Relation, Type};

/// A value that the API never sends or takes in a form TypeScript could name.
const UNKNOWN: &str = "unknown";

/// The TypeScript name of a type.
pub(super) fn type_name(catalog: &Catalog, type_id: i64) -> String {
    let Some(found) = catalog.type_of(type_id) else { return UNKNOWN.to_owned() };
    if let Some(base) = found.base {
        return type_name(catalog, base);
    }
    if let Some(element) = found.element {
        return array_of(&type_name(catalog, element));
    }
    if !found.labels.is_empty() {
        return enum_name(catalog, found);
    }
    if !found.attributes.is_empty() {
        return member_of(catalog, &found.schema, "CompositeTypes", &found.name);
    }
    if let Some(relation) = found.relation_id {
        return catalog
            .relation(relation)
            .map_or_else(|| UNKNOWN.to_owned(), |relation| format!("{}[\"Row\"]", path(relation)));
    }
    scalar(&found.name).to_owned()
}

/// The type, or null where it can be; `unknown` says that already.
pub(super) fn nullable_name(catalog: &Catalog, type_id: i64, nullable: bool) -> String {
    or_null(type_name(catalog, type_id), nullable)
}

/// Names the TypeScript type of a type that is already named.
pub(super) fn or_null(name: String, nullable: bool) -> String {
    match (name.as_str(), nullable) {
        ("Json", false) => "NonNullable<Json>".to_owned(),
        (UNKNOWN, _) | (_, false) => name,
        (_, true) => format!("{name} | null"),
    }
}

/// The path of a relation in the type `Database`.
pub(super) fn path(relation: &Relation) -> String {
    let kind = if relation.is_view { "Views" } else { "Tables" };
    format!("Database[{}][\"{kind}\"][{}]", quoted(&relation.schema), quoted(&relation.name))
}

/// A string literal.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The name of a member of an object type, in quotes where it is no identifier.
pub(super) fn member(name: &str) -> String {
    let mut characters = name.chars();
    let starts =
        characters.next().is_some_and(|first| first.is_ascii_alphabetic() || matches!(first, '_' | '$'));
    if starts && characters.all(|next| next.is_ascii_alphanumeric() || matches!(next, '_' | '$')) {
        name.to_owned()
    } else {
        quoted(name)
    }
}

/// A union of string literals.
pub(super) fn union_of(labels: &[String]) -> String {
    labels.iter().map(|label| quoted(label)).collect::<Vec<_>>().join(" | ")
}

fn array_of(element: &str) -> String {
    if element.contains(" | ") { format!("({element})[]") } else { format!("{element}[]") }
}

fn enum_name(catalog: &Catalog, found: &Type) -> String {
    if catalog.schemas.contains(&found.schema) {
        member_of(catalog, &found.schema, "Enums", &found.name)
    } else {
        union_of(&found.labels)
    }
}

fn member_of(catalog: &Catalog, schema: &str, kind: &str, name: &str) -> String {
    if catalog.schemas.iter().any(|known| known == schema) {
        format!("Database[{}][\"{kind}\"][{}]", quoted(schema), quoted(name))
    } else {
        UNKNOWN.to_owned()
    }
}

/// The TypeScript type of a scalar type's JSON.
fn scalar(name: &str) -> &'static str {
    match name {
        "bool" => "boolean",
        "int2" | "int4" | "int8" | "float4" | "float8" | "numeric" => "number",
        "text" | "varchar" | "bpchar" | "citext" | "bytea" | "uuid" | "date" | "time" | "timetz"
        | "timestamp" | "timestamptz" | "interval" | "vector" => "string",
        "json" | "jsonb" => "Json",
        "void" => "undefined",
        "record" => "Record<string, unknown>",
        _ => UNKNOWN,
    }
}
