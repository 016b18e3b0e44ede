//! The catalog as JSON, for people (CONTRACT.md Z05).

use std::collections::{BTreeMap, HashMap};

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

/// The domains that say how they are shown and read, by name.
fn representations(catalog: &Catalog) -> Vec<Value> {
    let columns = catalog.relations.values().flat_map(|relation| &relation.columns);
    let represented =
        columns.filter(|it| [&it.to_json, &it.from_json, &it.from_text].into_iter().any(Option::is_some));
    let by_type: BTreeMap<&str, Value> = represented
        .map(|it| {
            let functions = json!({
                "type": it.data_type, "toJson": it.to_json, "fromJson": it.from_json, "fromText": it.from_text,
            });
            (it.data_type.as_str(), functions)
        })
        .collect();
    by_type.into_values().collect()
}

fn sorted<T: serde::Serialize>(map: &HashMap<Qualified, T>) -> Vec<Value> {
    let mut entries: Vec<(&Qualified, &T)> = map.iter().collect();
    entries.sort_by_key(|(name, _)| *name);
    entries
        .into_iter()
        .map(|(name, value)| json!({"schema": name.schema, "name": name.name, "value": value}))
        .collect()
}
