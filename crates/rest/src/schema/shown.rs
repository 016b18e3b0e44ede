//! The catalog as JSON, for people (rest.md Z05).

use std::collections::HashMap;

use serde_json::{Value, json};

use super::{Catalog, Function, Qualified};

/// Everything that is known, sorted by name, so that two pictures can be compared.
pub(crate) fn of(catalog: &Catalog) -> Value {
    let functions =
        catalog.functions.iter().map(|(name, all)| (name.clone(), all.iter().map(|it| &**it).collect()));
    let functions: HashMap<Qualified, Vec<&Function>> = functions.collect();
    json!({
        "dbTables": sorted(&catalog.relations),
        "dbRelationships": {
            "foreignKeys": sorted(&catalog.relationships),
            "computed": sorted(&catalog.computed),
        },
        "dbRoutines": sorted(&functions),
        "dbRepresentations": representations(catalog),
        "dbMediaHandlers": catalog.handlers.all(),
    })
}

/// How values of domains look outside, by column.
fn representations(catalog: &Catalog) -> Vec<Value> {
    let mut relations: Vec<_> = catalog.relations.iter().collect();
    relations.sort_by_key(|(name, _)| *name);
    let columns =
        relations.into_iter().flat_map(|(name, it)| it.columns.iter().map(move |column| (name, column)));
    columns
        .filter(|(_, it)| it.to_json.is_some() || it.from_json.is_some() || it.from_text.is_some())
        .map(|(relation, it)| {
            json!({
                "relation": relation, "column": it.name,
                "to_json": it.to_json, "from_json": it.from_json, "from_text": it.from_text,
            })
        })
        .collect()
}

fn sorted<T: serde::Serialize>(map: &HashMap<Qualified, T>) -> Vec<Value> {
    let mut entries: Vec<(&Qualified, &T)> = map.iter().collect();
    entries.sort_by_key(|(name, _)| *name);
    entries
        .into_iter()
        .map(|(name, value)| json!({"schema": name.schema, "name": name.name, "value": value}))
        .collect()
}
