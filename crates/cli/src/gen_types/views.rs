//! PostgreSQL keeps a view as a tree of nodes in text form, `{NAME :field value …}` with lists in
//! parentheses. Two things are read from it: the table column behind each view column, and whether
//! that column can be null.

use std::collections::{HashMap, HashSet};

use super::introspect::{Catalog, View};

/// A relation and the number of a column in it.
pub(super) type ColumnId = (i64, i64);

/// Columns of all views.
#[derive(Debug, Default)]
pub(super) struct ViewColumns {
    /// Table columns and the view columns that show them, directly or through other views.
    pub(super) shown: HashMap<i64, Vec<(i64, ColumnId)>>,
    /// View columns that are never null.
    pub(super) required: HashSet<ColumnId>,
}

/// Follows the columns of all views down to tables.
pub(super) fn follow(catalog: &Catalog) -> ViewColumns {
    let queries: HashMap<i64, Node> =
        catalog.views.iter().filter_map(|view| Some((view.id, query_of(view)?))).collect();
    let direct: HashMap<i64, Vec<(i64, ColumnId)>> =
        queries.iter().map(|(&id, query)| (id, direct_columns(query))).collect();
    let tables: HashSet<ColumnId> = catalog.required_columns.iter().copied().collect();
    let nulls = Nullability { queries: &queries, tables: &tables };
    let mut found = ViewColumns::default();
    for (&id, query) in &queries {
        found.shown.insert(id, all_columns(id, &direct));
        let required = targets(query).filter(|(_, target)| nulls.never_null(target.field("expr"), &[query]));
        found.required.extend(required.map(|(number, _)| (id, number)));
    }
    found
}

fn query_of(view: &View) -> Option<Node> {
    match parse(&view.definition) {
        Node::List(items) => items.into_iter().next(),
        query => Some(query),
    }
}

/// The columns of a query with their numbers.
fn targets(query: &Node) -> impl Iterator<Item = (i64, &Node)> {
    query
        .list("targetList")
        .iter()
        .filter(|target| target.field("resjunk").atom() != "true")
        .filter_map(|target| Some((target.number("resno")?, target)))
}

fn direct_columns(query: &Node) -> Vec<(i64, ColumnId)> {
    targets(query)
        .filter_map(|(number, target)| {
            let origin = (target.number("resorigtbl")?, target.number("resorigcol")?);
            (origin.0 != 0).then_some((number, origin))
        })
        .collect()
}

/// The columns of a view with every column behind them, through all views in between.
fn all_columns(view: i64, direct: &HashMap<i64, Vec<(i64, ColumnId)>>) -> Vec<(i64, ColumnId)> {
    let mut found = Vec::new();
    for &(number, origin) in direct.get(&view).into_iter().flatten() {
        let mut behind = origin;
        let mut passed = HashSet::from([view]);
        loop {
            found.push((number, behind));
            if !passed.insert(behind.0) {
                break;
            }
            let next = direct
                .get(&behind.0)
                .and_then(|columns| columns.iter().find(|(column, _)| *column == behind.1));
            let Some(&(_, deeper)) = next else { break };
            behind = deeper;
        }
    }
    found
}

/// Kinds of range table entries (`RTEKind`).
const RELATION: &str = "0";
const SUBQUERY: &str = "1";
const JOIN: &str = "2";
const COMMON_TABLE: &str = "6";
const GROUP: &str = "9";

/// Kinds of joins (`JoinType`).
const INNER: &str = "0";
const LEFT: &str = "1";
const RIGHT: &str = "3";

/// Views inside views are followed this deep; beyond it a column counts as nullable.
const DEEPEST: usize = 32;

struct Nullability<'a> {
    queries: &'a HashMap<i64, Node>,
    tables: &'a HashSet<ColumnId>,
}

impl<'a> Nullability<'a> {
    /// Returns whether an expression of the last of these nested queries is a plain column that no
    /// outer join, set operation or grouping can make null.
    fn never_null(&self, expression: &Node, queries: &[&'a Node]) -> bool {
        let Some(query) = queries.last().filter(|_| queries.len() <= DEEPEST) else { return false };
        if query.field("setOperations").atom() != "<>"
            || !query.list("groupingSets").is_empty()
            || expression.name() != "VAR"
            || expression.field("varlevelsup").atom() != "0"
        {
            return false;
        }
        let (Some(entry), Some(column)) = (expression.number("varno"), expression.number("varattno")) else {
            return false;
        };
        if column <= 0 || made_null_by_joins(query).contains(&entry) {
            return false;
        }
        let Some(source) = nth(query.list("rtable"), entry) else { return false };
        match source.field("rtekind").atom() {
            RELATION => source.number("relid").is_some_and(|id| self.column_never_null(id, column, queries)),
            SUBQUERY => self.target_never_null(source.field("subquery"), column, queries),
            JOIN => nth(source.list("joinaliasvars"), column)
                .is_some_and(|alias| alias != expression && self.never_null(alias, queries)),
            COMMON_TABLE => self.common_table_never_null(source, column, queries),
            GROUP => nth(source.list("groupexprs"), column)
                .is_some_and(|grouped| grouped != expression && self.never_null(grouped, queries)),
            _ => false,
        }
    }

    fn column_never_null(&self, relation: i64, column: i64, queries: &[&'a Node]) -> bool {
        match self.queries.get(&relation) {
            Some(view) => self.target_never_null(view, column, queries),
            None => self.tables.contains(&(relation, column)),
        }
    }

    fn common_table_never_null(&self, source: &Node, column: i64, queries: &[&'a Node]) -> bool {
        let levels_up = source.number("ctelevelsup").and_then(|levels| usize::try_from(levels).ok());
        let Some(outer) = levels_up.and_then(|levels| queries.len().checked_sub(levels)) else {
            return false;
        };
        let Some(holder) = queries[..outer].last() else { return false };
        holder
            .list("cteList")
            .iter()
            .find(|table| table.field("ctename") == source.field("ctename"))
            .filter(|table| table.field("cterecursive").atom() != "true")
            .is_some_and(|table| self.target_never_null(table.field("ctequery"), column, &queries[..outer]))
    }

    fn target_never_null(&self, query: &'a Node, column: i64, outer: &[&'a Node]) -> bool {
        let target = targets(query).find(|(number, _)| *number == column);
        target.is_some_and(|(_, target)| self.never_null(target.field("expr"), &[outer, &[query]].concat()))
    }
}

fn nth(list: &[Node], number: i64) -> Option<&Node> {
    list.get(usize::try_from(number).ok()?.checked_sub(1)?)
}

/// The range table entries that stand on the optional side of an outer join.
fn made_null_by_joins(query: &Node) -> HashSet<i64> {
    let mut optional = HashSet::new();
    mark_optional(query.field("jointree"), false, &mut optional);
    optional
}

fn mark_optional(node: &Node, is_optional: bool, optional: &mut HashSet<i64>) {
    match node.name() {
        "FROMEXPR" => {
            for item in node.list("fromlist") {
                mark_optional(item, is_optional, optional);
            }
        }
        "JOINEXPR" => {
            let join = node.field("jointype").atom();
            let left_optional = is_optional || !matches!(join, INNER | LEFT);
            let right_optional = is_optional || !matches!(join, INNER | RIGHT);
            mark_optional(node.field("larg"), left_optional, optional);
            mark_optional(node.field("rarg"), right_optional, optional);
            optional.extend(node.number("rtindex").filter(|_| is_optional));
        }
        "RANGETBLREF" => optional.extend(node.number("rtindex").filter(|_| is_optional)),
        _ => {}
    }
}

/// A node of a `pg_node_tree`.
#[derive(Debug, Clone, PartialEq)]
enum Node {
    Atom(String),
    List(Vec<Node>),
    Struct(String, HashMap<String, Node>),
}

static NOTHING: Node = Node::List(Vec::new());

impl Node {
    fn field(&self, name: &str) -> &Node {
        match self {
            Self::Struct(_, fields) => fields.get(name).unwrap_or(&NOTHING),
            Self::Atom(_) | Self::List(_) => &NOTHING,
        }
    }

    fn list(&self, name: &str) -> &[Node] {
        match self.field(name) {
            Self::List(items) => items,
            Self::Atom(_) | Self::Struct(..) => &[],
        }
    }

    fn number(&self, name: &str) -> Option<i64> {
        self.field(name).atom().parse().ok()
    }

    fn atom(&self) -> &str {
        match self {
            Self::Atom(text) => text,
            Self::List(_) | Self::Struct(..) => "",
        }
    }

    fn name(&self) -> &str {
        match self {
            Self::Struct(name, _) => name,
            Self::Atom(_) | Self::List(_) => "",
        }
    }
}

fn parse(text: &str) -> Node {
    let mut tokens = tokens(text).into_iter();
    parse_next(&mut tokens).unwrap_or(Node::List(Vec::new()))
}

/// Reads one node; none at a closing bracket or at the end.
fn parse_next(tokens: &mut impl Iterator<Item = String>) -> Option<Node> {
    match tokens.next()?.as_str() {
        ")" | "}" => None,
        "(" => Some(Node::List(std::iter::from_fn(|| parse_next(tokens)).collect())),
        "{" => {
            let name = tokens.next()?;
            let items: Vec<Node> = std::iter::from_fn(|| parse_next(tokens)).collect();
            Some(Node::Struct(name, fields_of(items)))
        }
        atom => Some(Node::Atom(atom.to_owned())),
    }
}

/// A field has the value that follows its name; of several words only the first matters here.
fn fields_of(items: Vec<Node>) -> HashMap<String, Node> {
    let mut fields = HashMap::new();
    let mut name: Option<String> = None;
    for item in items {
        match (item, name.take()) {
            (Node::Atom(atom), None) => name = atom.strip_prefix(':').map(str::to_owned),
            (Node::Atom(atom), Some(previous)) if atom.starts_with(':') => {
                fields.insert(previous, NOTHING.clone());
                name = atom.strip_prefix(':').map(str::to_owned);
            }
            (value, Some(field)) => {
                fields.insert(field, value);
            }
            (_, None) => {}
        }
    }
    fields
}

/// Splits at spaces and brackets; a backslash takes the next character as it is.
fn tokens(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut word = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => word.extend(characters.next()),
            '(' | ')' | '{' | '}' | ' ' | '\n' | '\t' => {
                if !word.is_empty() {
                    found.push(std::mem::take(&mut word));
                }
                if !character.is_whitespace() {
                    found.push(character.to_string());
                }
            }
            _ => word.push(character),
        }
    }
    if !word.is_empty() {
        found.push(word);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gen_types_a_node_tree_is_read_with_its_escapes_and_nested_lists() {
        let tree = parse(
            r"({QUERY :resname a\ b\{ :list ((i 1) {VAR :varno 1 :varattno 2}) :none <> :location -1})",
        );
        let Node::List(items) = &tree else { panic!("a list") };
        let query = &items[0];
        assert_eq!(query.name(), "QUERY");
        assert_eq!(query.field("resname").atom(), "a b{");
        assert_eq!(query.field("none").atom(), "<>");
        assert_eq!(query.number("location"), Some(-1));
        assert_eq!(query.list("list")[1].number("varattno"), Some(2));
        assert_eq!(query.field("absent"), &NOTHING);
    }

    #[test]
    fn gen_types_a_broken_node_tree_is_no_view() {
        for text in ["", ")", "}", "(", "{", "({QUERY :targetList", "atom"] {
            let view = View { id: 1, definition: text.to_owned() };
            let catalog = Catalog { views: vec![view], ..Catalog::default() };
            let found = follow(&catalog);
            assert!(found.required.is_empty());
        }
    }
}
