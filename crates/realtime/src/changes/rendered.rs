//! The values of changes as JSON, each rendered once.

use std::collections::HashMap;

use banyan_db::{Database, Param, RunAs, RunError, Statement};
use banyan_identity::Caller;
use bytes::Bytes;
use futures_util::future::join_all;

use super::{
    arrays::literal,
    change::{Change, ChangedTable},
    pgoutput::Value,
    questions::SEARCH_PATH,
    values,
};

/// The JSON of a change's values; none where the change does not carry the column.
#[derive(Debug)]
pub(super) struct Rendered {
    pub(super) new: Vec<Option<Bytes>>,
    pub(super) old: Vec<Option<Bytes>>,
}

/// Values that only PostgreSQL can render: the place of the type, and the text.
type Unknown = (usize, Bytes);

/// Renders changes of one table. What PostgreSQL alone can render is asked of it, all values of a
/// type by one statement.
pub(super) async fn render(database: &Database, table: &ChangedTable, changes: &[Change]) -> Vec<Rendered> {
    let mut unknown: HashMap<Unknown, Bytes> = HashMap::new();
    for change in changes {
        for row in [&change.new, &change.old] {
            collect_unknown(table, row, &mut unknown);
        }
    }
    if !unknown.is_empty() {
        ask(database, table, &mut unknown).await;
    }
    let rendered = |change: &Change| Rendered {
        new: render_row(table, &change.new, &unknown),
        old: render_row(table, &change.old, &unknown),
    };
    changes.iter().map(rendered).collect()
}

fn collect_unknown(table: &ChangedTable, row: &[Value], unknown: &mut HashMap<Unknown, Bytes>) {
    let mut scratch = Vec::new();
    for (place, (value, of)) in row.iter().zip(&table.types).enumerate() {
        if let Value::Text(text) = value
            && !values::write(&of.shape, text, &mut scratch)
        {
            unknown.insert((place, text.clone()), Bytes::new());
        }
        scratch.clear();
    }
}

fn render_row(table: &ChangedTable, row: &[Value], unknown: &HashMap<Unknown, Bytes>) -> Vec<Option<Bytes>> {
    let render = |(place, value): (usize, &Value)| match value {
        Value::Unchanged => None,
        Value::Null => Some(Bytes::from_static(b"null")),
        Value::Text(text) => {
            if let Some(known) = unknown.get(&(place, text.clone())) {
                return Some(known.clone());
            }
            let mut out = Vec::with_capacity(text.len() + 2);
            values::write(&table.types[place].shape, text, &mut out);
            Some(out.into())
        }
    };
    row.iter().enumerate().take(table.types.len()).map(render).collect()
}

/// Fills in the JSON of unknown values; those that PostgreSQL cannot render either are their texts.
async fn ask(database: &Database, table: &ChangedTable, unknown: &mut HashMap<Unknown, Bytes>) {
    let mut by_place: HashMap<usize, Vec<Bytes>> = HashMap::new();
    for (place, text) in unknown.keys() {
        by_place.entry(*place).or_default().push(text.clone());
    }
    let asked = by_place.into_iter().map(|(place, texts)| ask_type(database, table, place, texts));
    for (place, text, json) in join_all(asked).await.into_iter().flatten() {
        let json = json.unwrap_or_else(|| {
            let mut out = Vec::new();
            values::write_string(&text, &mut out);
            out.into()
        });
        unknown.insert((place, text), json);
    }
}

/// Asks for the JSON of texts of one column.
async fn ask_type(
    database: &Database,
    table: &ChangedTable,
    place: usize,
    texts: Vec<Bytes>,
) -> Vec<(usize, Bytes, Option<Bytes>)> {
    let rendered = to_json(database, &table.types[place].qualified, &texts).await;
    let rendered = rendered.unwrap_or_else(|error| {
        tracing::warn!(error.message = %error, "values of row changes are sent as text");
        vec![]
    });
    let rendered = rendered.into_iter().chain(std::iter::repeat(None));
    texts.into_iter().zip(rendered).map(|(text, json)| (place, text, json)).collect()
}

async fn to_json(
    database: &Database,
    type_name: &str,
    texts: &[Bytes],
) -> Result<Vec<Option<Bytes>>, RunError> {
    let statement = format!(
        "select pg_catalog.to_jsonb(asked.value::{type_name})
         from unnest($1::text[]) with ordinality as asked (value, place)
         order by asked.place"
    );
    let statement = Statement::new(statement, vec![Param::text(literal(texts.iter().map(Some)))]);
    let caller = Caller::service();
    let run = RunAs { read_only: true, settings: &SEARCH_PATH, ..RunAs::new(&caller, &statement) };
    let rows = database.run_as(&run).await?;
    Ok((0..rows.rows.len()).map(|row| rows.get(row, 0).cloned()).collect())
}
