//! From a request to the tree of what is read.

use super::{
    embed,
    read::{Column, Condition, Embed, Node, Order, Root, Source, Target, Value},
};
use crate::{
    error::Error,
    request::{
        Field, Range, Shape,
        fields::JsonKey,
        filter::{Filter, Logic, Operation},
        order::OrderTerm,
        query::EmbedPath,
        select::{SelectColumn, SelectEmbed, SelectItem},
    },
    schema::{Catalog, Qualified, Relation, relations},
};

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
        let mut value = Value::compared(relation, &filter.field);
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
    let mut value = Value::compared(Some(relation), &filter.field);
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

/// The column, where the field is the whole of it.
fn own_column<'a>(relation: Option<&'a Relation>, field: &Field) -> Option<&'a relations::Column> {
    relation?.column(&field.name).filter(|_| field.path.is_empty())
}

impl Value {
    /// The value of a field. A name the relation does not have is left to PostgreSQL: it may be a computed field, or
    /// an error (rest.md S10, U14).
    fn of(relation: Option<&Relation>, field: &Field) -> Self {
        let json = known_type(relation, field).is_some_and(|base| base == "json" || base == "jsonb");
        Self {
            field: field.clone(),
            to_json: !field.path.is_empty() && !json,
            to_tsvector: false,
            represent: None,
        }
    }

    /// As [`Value::of`], for the answer: a domain may say how it is shown (rest.md N22).
    fn shown(relation: Option<&Relation>, field: &Field) -> Self {
        let represent = own_column(relation, field).and_then(|column| column.to_json.clone());
        Self { represent, ..Self::of(relation, field) }
    }

    /// As [`Value::of`], for a filter: a domain may say how it is read.
    fn compared(relation: Option<&Relation>, field: &Field) -> Self {
        let represent = own_column(relation, field).and_then(|column| column.from_text.clone());
        Self { represent, ..Self::of(relation, field) }
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
            asked_for_all: matches!(
                select,
                [SelectItem::Column(only)] if only.field.name == "*" && only.aggregate.is_none()
            ),
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
        if self.catalog.relations.get(&node.relation).is_some_and(Relation::is_represented) {
            node.asked_for_all = false;
            self.expand_all(&mut node);
        }
        Ok(node)
    }

    fn column(&self, relation: &Qualified, column: &SelectColumn) -> Result<Column, Error> {
        if column.aggregate.is_some() {
            return Err(Error::Aggregates);
        }
        let value = Value::shown(self.catalog.relations.get(relation), &column.field);
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

    /// Writes `*` out, where each column becomes an array or is represented by itself (rest.md D06, N22).
    fn expand_all(&self, node: &mut Node) {
        let Some(relation) = self.catalog.relations.get(&node.relation) else { return };
        let columns = std::mem::take(&mut node.columns);
        for column in columns {
            if column.value.field.name == "*" {
                let all = relation.columns.iter().map(|known| Column {
                    value: Value::shown(Some(relation), &Field::column(&known.name)),
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
        // Not every key of JSON can be a name in SQL.
        JsonKey::Member(name) if !name.is_empty() && !name.starts_with('\0') => Some(name.clone()),
        JsonKey::Member(_) | JsonKey::Element(_) => None,
    });
    last.or_else(|| (!field.path.is_empty()).then(|| field.name.clone()))
}
