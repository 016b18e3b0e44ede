//! What is read: a tree of relations, each with its columns, conditions, order and range.

use super::embed;
use crate::{
    error::Error,
    request::{
        Field, Range, Shape,
        fields::JsonKey,
        filter::{Filter, Logic, Operation, Test},
        order::OrderTerm,
        query::EmbedPath,
        select::{Join, SelectColumn, SelectEmbed, SelectItem},
    },
    schema::{Catalog, Qualified, Relation},
};

/// One relation of the tree.
#[derive(Debug)]
pub struct Node {
    /// Where its rows come from.
    pub source: Source,
    /// The name its columns go by in SQL.
    pub alias: String,
    /// The relation its columns are described by; none is found for results of functions that return other rows.
    pub relation: Qualified,
    /// Columns to select; with none and no embedded relation, all.
    pub columns: Vec<Column>,
    /// Conditions, all of which have to hold.
    pub conditions: Vec<Condition>,
    /// Order.
    pub order: Vec<Order>,
    /// Rows.
    pub range: Range,
    /// Embedded relations.
    pub embeds: Vec<Embed>,
}

/// Where rows come from.
#[derive(Debug, Clone)]
pub enum Source {
    /// A relation.
    Relation(Qualified),
    /// What the statement wrote or the function returned.
    Result,
    /// A computed relationship: a function of the parent's row.
    Computed {
        /// The function.
        function: Qualified,
        /// The parent's name in SQL.
        argument: String,
        /// The parent's row type.
        row_type: Qualified,
    },
}

/// A column of the answer.
#[derive(Debug, Clone)]
pub struct Column {
    /// What is selected.
    pub value: Value,
    /// Type it is cast to.
    pub cast: Option<String>,
    /// Its name in the answer, where that is not the column's.
    pub alias: Option<String>,
}

/// A column with what SQL has to do to reach its value.
#[derive(Debug, Clone)]
pub struct Value {
    /// Column and path.
    pub field: Field,
    /// Whether the column has to be turned into JSON for the path (rest.md S09).
    pub to_json: bool,
    /// Whether a text search has to turn it into a `tsvector` (rest.md F14).
    pub to_tsvector: bool,
}

/// A condition on rows.
#[derive(Debug)]
pub enum Condition {
    /// An operation on a value.
    Test(Value, Test),
    /// Whether an embedded relation has a match (rest.md J17).
    Embed {
        /// Its place among the embedded relations.
        index: usize,
        /// Whether there must be one.
        present: bool,
    },
    /// Several, joined.
    Tree {
        /// Whether the whole is negated.
        negated: bool,
        /// Whether one is enough.
        any: bool,
        /// The conditions.
        members: Vec<Condition>,
    },
}

/// One term of an order.
#[derive(Debug)]
pub struct Order {
    /// The embedded to-one relation it is a column of, by its handle.
    pub handle: Option<String>,
    /// What is compared.
    pub value: Value,
    /// `ASC` or `DESC`.
    pub direction: Option<&'static str>,
    /// `NULLS FIRST` or `NULLS LAST`.
    pub nulls: Option<&'static str>,
}

/// A relation embedded in another.
#[derive(Debug)]
pub struct Embed {
    /// Its target as written, which filters may name too.
    pub target: String,
    /// Its key in the answer.
    pub key: String,
    /// The name of its rows in SQL.
    pub handle: String,
    /// Whether a parent has at most one row of it.
    pub to_one: bool,
    /// Whether parents without a match are dropped.
    pub join: Join,
    /// Whether its columns are lifted into the parent.
    pub spread: bool,
    /// Pairs of columns that are equal, each by its relation's name in SQL.
    pub on: Vec<((String, String), (String, String))>,
    /// The relation between the two, and its name in SQL.
    pub junction: Option<(Qualified, String)>,
    /// Columns of the parent that the join needs; none when it needs the whole row.
    pub parent_columns: Option<Vec<String>>,
    /// What is read of it.
    pub node: Node,
}

/// Where a tree begins.
pub struct Target<'a> {
    /// Where the root's rows come from.
    pub source: Source,
    /// The relation that describes the root's columns.
    pub relation: &'a Qualified,
    /// Whether the root's own conditions apply.
    pub root: Root,
}

/// What of a request belongs to the root of its tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Root {
    /// Everything.
    Whole,
    /// Its filters choose what is written and do not apply to what is returned (rest.md M06, M08).
    Returned,
}

impl Node {
    /// Caps the rows at every level (rest.md R18). A to-one relation has one row anyway, and without a limit
    /// PostgreSQL is free to join it as it likes.
    pub(super) fn restrict(&mut self, rows: Option<i64>) {
        self.range = self.range.at_most(rows);
        self.restrict_embeds(rows);
    }

    fn restrict_embeds(&mut self, rows: Option<i64>) {
        for embed in &mut self.embeds {
            match embed.to_one {
                true => embed.node.restrict_embeds(rows),
                false => embed.node.restrict(rows),
            }
        }
    }

    /// Whether nothing of it shows in the answer (rest.md S13).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty() && self.embeds.iter().all(|embed| embed.node.is_empty())
    }

    /// Whether all columns are selected.
    #[must_use]
    pub fn selects_all(&self) -> bool {
        self.columns.iter().any(|column| column.value.field.name == "*")
    }

    /// Columns of the root that the tree reads; none is all of them (rest.md E15, J26).
    pub(super) fn needed_columns(&self) -> Option<Vec<String>> {
        if self.selects_all() {
            return None;
        }
        let mut needed: Vec<String> = self.columns.iter().map(|it| it.value.field.name.clone()).collect();
        for embed in &self.embeds {
            needed.extend(embed.parent_columns.clone()?);
        }
        needed
            .extend(self.order.iter().filter(|it| it.handle.is_none()).map(|it| it.value.field.name.clone()));
        needed.sort_unstable();
        needed.dedup();
        Some(needed)
    }

    /// Columns of the root that conditions name.
    pub(super) fn filtered_columns(&self) -> Vec<String> {
        fn names(conditions: &[Condition], found: &mut Vec<String>) {
            for condition in conditions {
                match condition {
                    Condition::Test(value, _) => found.push(value.field.name.clone()),
                    Condition::Tree { members, .. } => names(members, found),
                    Condition::Embed { .. } => {}
                }
            }
        }
        let mut found = Vec::new();
        names(&self.conditions, &mut found);
        found
    }
}

/// Builds the tree of a request.
pub(super) fn tree(shape: &Shape, target: &Target<'_>, catalog: &Catalog) -> Result<Node, Error> {
    let alias = target.relation.name.clone();
    let mut builder = Builder { catalog, schema: &shape.schema, root_alias: alias.clone(), next: 1 };
    let mut root =
        builder.node(target.source.clone(), target.relation.clone(), alias, &shape.query.select)?;
    let query = &shape.query;
    let whole = target.root == Root::Whole;
    for (path, filter) in query.filters.iter().filter(|(path, _)| whole || !path.is_empty()) {
        let node = find(&mut root, path)?;
        let condition = node.filter(catalog, filter);
        node.conditions.push(condition);
    }
    for (path, logic) in query.logic.iter().filter(|(path, _)| whole || !path.is_empty()) {
        let node = find(&mut root, path)?;
        let condition = node.logic(catalog, logic);
        node.conditions.push(condition);
    }
    for (path, terms) in &query.order {
        let node = find(&mut root, path)?;
        node.order = terms.iter().map(|term| node.order_term(catalog, term)).collect::<Result<_, _>>()?;
    }
    if whole {
        for (path, range) in &query.ranges {
            find(&mut root, path)?.range = *range;
        }
    }
    Ok(root)
}

/// The node at a path: each step an alias, or the name of a target (rest.md U07, J22, J23).
fn find<'a>(node: &'a mut Node, path: &EmbedPath) -> Result<&'a mut Node, Error> {
    let mut node = node;
    for step in path {
        let by_key = node.embeds.iter().position(|embed| embed.key == *step && !embed.spread);
        let index = by_key.or_else(|| node.embeds.iter().position(|embed| embed.target == *step));
        let index = index.ok_or_else(|| Error::NotEmbedded(step.clone()))?;
        node = &mut node.embeds[index].node;
    }
    Ok(node)
}

impl Node {
    fn filter(&self, catalog: &Catalog, filter: &Filter) -> Condition {
        if let (Operation::Is("NULL"), []) = (&filter.test.operation, filter.field.path.as_slice()) {
            let index = self.embeds.iter().position(|embed| embed.key == filter.field.name);
            if let Some(index) = index {
                return Condition::Embed { index, present: filter.test.negated };
            }
        }
        let relation = catalog.relations.get(&self.relation);
        let mut value = Value::of(relation, &filter.field);
        value.to_tsvector = matches!(filter.test.operation, Operation::Search(..))
            && known_type(relation, &filter.field).is_some_and(|base| base != "tsvector");
        Condition::Test(value, filter.test.clone())
    }

    fn logic(&self, catalog: &Catalog, logic: &Logic) -> Condition {
        match logic {
            Logic::Filter(filter) => self.filter(catalog, filter),
            Logic::Tree { negated, any, members } => Condition::Tree {
                negated: *negated,
                any: *any,
                members: members.iter().map(|member| self.logic(catalog, member)).collect(),
            },
        }
    }

    fn order_term(&self, catalog: &Catalog, term: &OrderTerm) -> Result<Order, Error> {
        let (direction, nulls) = (term.direction, term.nulls);
        let Some(relation) = &term.relation else {
            let value = Value::of(catalog.relations.get(&self.relation), &term.field);
            return Ok(Order { handle: None, value, direction, nulls });
        };
        let embed = self.embeds.iter().find(|embed| embed.key == *relation);
        let embed = embed.ok_or_else(|| Error::NotEmbedded(relation.clone()))?;
        if !embed.to_one {
            return Err(Error::RelatedOrder { origin: self.relation.name.clone(), target: relation.clone() });
        }
        let value = Value::of(catalog.relations.get(&embed.node.relation), &term.field);
        Ok(Order { handle: Some(embed.handle.clone()), value, direction, nulls })
    }
}

/// Conditions on a relation that is written.
pub(super) fn conditions(shape: &Shape, relation: &Relation) -> Vec<Condition> {
    let query = &shape.query;
    let filters = query.filters.iter().filter(|(path, _)| path.is_empty());
    let trees = query.logic.iter().filter(|(path, _)| path.is_empty());
    let filters = filters.map(|(_, filter)| own_filter(relation, filter));
    filters.chain(trees.map(|(_, logic)| own_logic(relation, logic))).collect()
}

fn own_filter(relation: &Relation, filter: &Filter) -> Condition {
    let mut value = Value::of(Some(relation), &filter.field);
    value.to_tsvector = matches!(filter.test.operation, Operation::Search(..))
        && known_type(Some(relation), &filter.field).is_some_and(|base| base != "tsvector");
    Condition::Test(value, filter.test.clone())
}

fn own_logic(relation: &Relation, logic: &Logic) -> Condition {
    match logic {
        Logic::Filter(filter) => own_filter(relation, filter),
        Logic::Tree { negated, any, members } => Condition::Tree {
            negated: *negated,
            any: *any,
            members: members.iter().map(|member| own_logic(relation, member)).collect(),
        },
    }
}

fn known_type<'a>(relation: Option<&'a Relation>, field: &Field) -> Option<&'a str> {
    relation?.column(&field.name).map(|column| column.base_type.as_str())
}

impl Value {
    /// The value of a field. A name the relation does not have is left to PostgreSQL: it may be a computed field, or
    /// an error (rest.md S10, U14).
    fn of(relation: Option<&Relation>, field: &Field) -> Self {
        let json = known_type(relation, field).is_some_and(|base| base == "json" || base == "jsonb");
        Self { field: field.clone(), to_json: !field.path.is_empty() && !json, to_tsvector: false }
    }
}

struct Builder<'a> {
    catalog: &'a Catalog,
    schema: &'a str,
    root_alias: String,
    next: usize,
}

impl Builder<'_> {
    fn node(
        &mut self,
        source: Source,
        relation: Qualified,
        alias: String,
        select: &[SelectItem],
    ) -> Result<Node, Error> {
        let mut node = Node {
            source,
            alias,
            relation,
            columns: Vec::new(),
            conditions: Vec::new(),
            order: Vec::new(),
            range: Range::default(),
            embeds: Vec::new(),
        };
        for item in select {
            match item {
                SelectItem::Column(column) => node.columns.push(self.column(&node.relation, column)?),
                SelectItem::Embed(embed) => {
                    let embed = self.embed(&node, embed)?;
                    node.embeds.push(embed);
                }
            }
        }
        Ok(node)
    }

    fn column(&self, relation: &Qualified, column: &SelectColumn) -> Result<Column, Error> {
        if column.aggregate.is_some() {
            return Err(Error::Aggregates);
        }
        let value = Value::of(self.catalog.relations.get(relation), &column.field);
        let alias = column.alias.clone().or_else(|| path_key(&column.field));
        Ok(Column { value, cast: column.cast.clone(), alias })
    }

    fn embed(&mut self, parent: &Node, select: &SelectEmbed) -> Result<Embed, Error> {
        let way = embed::find(self.catalog, self.schema, &parent.relation, select)?;
        let number = self.next;
        self.next += 1;
        let relation = way.target();
        let mut alias = format!("{}_{number}", relation.name);
        if alias == self.root_alias {
            alias.push('_');
        }
        let junction_alias = format!("pgrst_junction_{number}");
        let joined = way.join(&parent.alias, &alias, &junction_alias);
        let mut node = self.node(joined.source, relation.clone(), alias, &select.select)?;
        if select.spread && !way.is_to_one() {
            self.expand_all(&mut node);
        }
        Ok(Embed {
            target: select.target.clone(),
            key: select.alias.clone().unwrap_or_else(|| select.target.clone()),
            handle: format!("pgrst_embed_{number}"),
            to_one: way.is_to_one(),
            join: select.join,
            spread: select.spread,
            on: joined.on,
            junction: joined.junction,
            parent_columns: joined.parent_columns,
            node,
        })
    }

    /// Writes `*` out, since each column becomes an array of its own (rest.md D06).
    fn expand_all(&self, node: &mut Node) {
        let Some(relation) = self.catalog.relations.get(&node.relation) else { return };
        let columns = std::mem::take(&mut node.columns);
        for column in columns {
            if column.value.field.name == "*" {
                let all = relation.columns.iter().map(|known| Column {
                    value: Value::of(Some(relation), &Field::column(&known.name)),
                    cast: None,
                    alias: None,
                });
                node.columns.extend(all);
            } else {
                node.columns.push(column);
            }
        }
    }
}

/// The last name in a JSON path, or the column's when it has only indexes (rest.md S08).
fn path_key(field: &Field) -> Option<String> {
    let last = field.path.iter().rev().find_map(|step| match &step.to {
        JsonKey::Member(name) => Some(name.clone()),
        JsonKey::Element(_) => None,
    });
    last.or_else(|| (!field.path.is_empty()).then(|| field.name.clone()))
}
