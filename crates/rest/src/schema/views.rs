//! Origins of the columns of views (CONTRACT.md E07 to E11).
//!
//! PostgreSQL notes the origin of each column in the rule that defines a view: the target list of
//! the rule's query names for each column of the view (`resno`) a relation (`resorigtbl`) and a
//! column of it (`resorigcol`). What is computed, or comes from a UNION, has none.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;

use super::{Qualified, Relation, relationships::Key};

/// Views of views are followed this far.
const MAX_DEPTH: usize = 32;

/// A view as the catalog has it.
#[derive(Debug, Deserialize)]
pub(super) struct View {
    id: i64,
    schema: String,
    name: String,
    columns: Vec<String>,
    rule: String,
}

/// A column of a relation, by their numbers in the catalog.
type Origin = (i64, i16);

/// For each view, which of its columns show a column of a table.
#[derive(Debug, Default)]
pub(super) struct ViewColumns {
    shown: Vec<(Qualified, HashMap<Origin, Vec<String>>)>,
    names: HashSet<Qualified>,
}

impl ViewColumns {
    /// Follows the columns of all views down to their tables.
    pub(super) fn trace(views: &[View]) -> Self {
        let direct: HashMap<i64, HashMap<i16, Origin>> =
            views.iter().map(|view| (view.id, origins(&view.rule))).collect();
        let shown = views.iter().map(|view| {
            let mut columns: HashMap<Origin, Vec<String>> = HashMap::new();
            for (name, number) in view.columns.iter().zip(1_i16..) {
                for origin in lineage(&direct, (view.id, number)) {
                    columns.entry(origin).or_default().push(name.clone());
                }
            }
            (Qualified::new(&view.schema, &view.name), columns)
        });
        let shown: Vec<_> = shown.collect();
        let names = shown.iter().map(|(name, _)| name.clone()).collect();
        Self { shown, names }
    }

    /// Whether the relation is a view.
    pub(super) fn is_view(&self, name: &Qualified) -> bool {
        self.names.contains(name)
    }

    /// The views that show all of these columns of a table, with each combination of names they
    /// have there.
    pub(super) fn showing<'a>(
        &'a self,
        table: i64,
        numbers: &'a [i16],
    ) -> impl Iterator<Item = (Qualified, Vec<String>)> + 'a {
        self.shown.iter().flat_map(move |(view, columns)| {
            let mut combinations: Vec<Vec<String>> = vec![Vec::new()];
            for number in numbers {
                let names = columns.get(&(table, *number)).map(Vec::as_slice).unwrap_or_default();
                let longer = combinations.iter().flat_map(|before| {
                    names.iter().map(|name| before.iter().chain([name]).cloned().collect())
                });
                combinations = longer.collect();
            }
            combinations.into_iter().map(|names| (view.clone(), names))
        })
    }

    /// Gives views the primary keys of all tables they show; a column shown twice counts where it
    /// stands first (CONTRACT.md E09, E11).
    pub(super) fn infer_primary_keys(&self, keys: &[Key], relations: &mut HashMap<Qualified, Relation>) {
        for key in keys.iter().filter(|key| !key.foreign) {
            let mut seen = HashSet::new();
            for (view, names) in self.showing(key.relation_id, &key.numbers) {
                if let (true, Some(relation)) = (seen.insert(view.clone()), relations.get_mut(&view)) {
                    relation.primary_key.extend(names);
                    relation.primary_key.sort_unstable();
                    relation.primary_key.dedup();
                }
            }
        }
    }
}

/// The column a view's column shows, and the columns that one shows in its turn.
fn lineage(direct: &HashMap<i64, HashMap<i16, Origin>>, start: Origin) -> Vec<Origin> {
    let mut path = Vec::new();
    let mut at = start;
    while let Some(origin) = direct.get(&at.0).and_then(|columns| columns.get(&at.1)) {
        if path.contains(origin) || path.len() == MAX_DEPTH {
            break;
        }
        path.push(*origin);
        at = *origin;
    }
    path
}

/// Column number to origin, read from the target list of the outermost query of a rule.
fn origins(rule: &str) -> HashMap<i16, Origin> {
    let mut found = HashMap::new();
    let (mut depth, mut in_list) = (0_usize, false);
    let (mut resno, mut table, mut column) = (0_i16, 0_i64, 0_i16);
    let mut tokens = rule.split([' ', '\n']).filter(|token| !token.is_empty());
    while let Some(token) = tokens.next() {
        // The outermost query is at depth 1, the entries of its target list at depth 2.
        match (depth, token) {
            (1, key) if key.starts_with(':') => in_list = key == ":targetList",
            (2, ":resno") if in_list => resno = number(tokens.next()),
            (2, ":resorigtbl") if in_list => table = number(tokens.next()),
            (2, ":resorigcol") if in_list => column = number(tokens.next()),
            _ => {}
        }
        let (opened, closed) = braces(token);
        if depth == 2 && opened == 0 && closed > 0 && in_list && table != 0 {
            found.insert(resno, (table, column));
        }
        if depth == 2 && closed > opened {
            (resno, table, column) = (0, 0, 0);
        }
        depth = (depth + opened).saturating_sub(closed);
    }
    found
}

/// Braces of a token that a backslash does not make ordinary.
fn braces(token: &str) -> (usize, usize) {
    let (mut opened, mut closed, mut escaped) = (0, 0, false);
    for character in token.chars() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '{' => opened += 1,
            '}' => closed += 1,
            _ => {}
        }
    }
    (opened, closed)
}

fn number<T: std::str::FromStr + Default>(token: Option<&str>) -> T {
    token.and_then(|token| token.parse().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::origins;

    // rows: E07
    #[test]
    fn origins_are_read_from_the_outermost_target_list() {
        let rule = "({QUERY :commandType 1 :rtable ({RTE :subquery {QUERY :targetList ({TARGETENTRY :resno 9 \
                    :resorigtbl 7 :resorigcol 7 :resjunk false})}}) :targetList ({TARGETENTRY :expr {VAR :varno 3 \
                    :varattno 1} :resno 1 :resname id :ressortgroupref 0 :resorigtbl 16385 :resorigcol 2 :resjunk \
                    false} {TARGETENTRY :expr {CONST :constvalue 4} :resno 2 :resname a\\{b :ressortgroupref 0 \
                    :resorigtbl 0 :resorigcol 0 :resjunk false}) :override 0})";
        let found = origins(rule);
        assert_eq!(found.get(&1), Some(&(16385, 2)));
        assert_eq!(found.len(), 1);
    }
}
