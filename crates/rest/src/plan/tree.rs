//! Builds the tree of a read from a request.

use super::{
    embed, keys, lift,
    read::{Column, Condition, Embed, Node, Order, Root, Source, Target, Value},
};
use crate::{
    error::Error,
    request::{
        Field, Shape, Window,
        fields::JsonKey,
        filter::{Filter, Logic, Operation},
        order::OrderTerm,
        query::EmbedPath,
        select::{SelectColumn, SelectEmbed, SelectItem},
    },
    schema::{Catalog, Qualified, Relation, relations},
    settings::Settings,
};

/// Builds the tree of a request.
pub(super) fn tree(
    shape: &Shape,
    target: &Target<'_>,
    catalog: &Catalog,
    settings: &Settings,
) -> Result<Node, Error> {
    let alias = target.relation.name.clone();
    let mut builder = Builder {
        catalog,
        schema: &shape.schema,
        root_alias: alias.clone(),
        json_columns: target.json_columns,
        next: 1,
    };
    let mut root =
        builder.node(target.source.clone(), target.relation.clone(), alias, &shape.query.select)?;
    let whole = target.root == Root::Whole;
    choose(&mut root, shape, whole, catalog, settings)?;
    arrange(&mut root, shape, whole, catalog, settings)?;
    keys::differ(&root)?;
    lift::settle(&mut root, catalog, settings)?;
    Ok(root)
}

/// Filters and logic trees; those of the root only where they belong to it.
fn choose(
    root: &mut Node,
    shape: &Shape,
    whole: bool,
    catalog: &Catalog,
    settings: &Settings,
) -> Result<(), Error> {
    let belongs = |path: &EmbedPath| whole || !path.is_empty();
    for (path, filter) in shape.query.filters.iter().filter(|(path, _)| belongs(path)) {
        let node = find(root, path, settings)?;
        let condition = node.filter(catalog, filter);
        node.conditions.push(condition);
    }
    for (path, logic) in shape.query.logic.iter().filter(|(path, _)| belongs(path)) {
        let node = find(root, path, settings)?;
        let condition = node.logic(catalog, logic);
        node.conditions.push(condition);
    }
    Ok(())
}

/// Orders and ranges. For each relation the first order counts.
fn arrange(
    root: &mut Node,
    shape: &Shape,
    whole: bool,
    catalog: &Catalog,
    settings: &Settings,
) -> Result<(), Error> {
    for (path, terms) in shape.query.order.iter().rev() {
        let node = find(root, path, settings)?;
        node.order = terms.iter().map(|term| node.order_term(catalog, term)).collect::<Result<_, _>>()?;
    }
    if whole {
        for (path, range) in &shape.query.ranges {
            find(root, path, settings)?.range = *range;
        }
    }
    Ok(())
}

/// The node at a path: each step the key of an embedded relation or, as the settings allow, the
/// target of one that has an alias (CONTRACT.md U07, J22, J23).
fn find<'a>(node: &'a mut Node, path: &EmbedPath, settings: &Settings) -> Result<&'a mut Node, Error> {
    let mut node = node;
    for step in path {
        let by_key = node.embeds.iter().position(|embed| embed.key == *step);
        let by_target = || node.embeds.iter().position(|embed| embed.target == *step);
        let index = by_key.or_else(by_target).ok_or_else(|| Error::NotEmbedded(step.clone()))?;
        let embed = &mut node.embeds[index];
        if by_key.is_none() {
            if !settings.legacy_target_names {
                return Err(Error::NamedByTarget { target: step.clone(), alias: embed.key.clone() });
            }
            embed.named_by_target = true;
        }
        node = &mut embed.node;
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

/// Whether a field shows a value that is or holds `json`, not `jsonb` or text. `unlisted` are such
/// columns of a relation that is not in the catalog.
fn is_json(relation: Option<&Relation>, field: &Field, unlisted: &[String]) -> bool {
    match field.path.last() {
        Some(last) => !last.as_text && known_type(relation, field) == Some("json"),
        None => match relation {
            Some(relation) => {
                let column = relation.column(&field.name);
                column.is_some_and(|it| it.to_json.is_some()) || relation.holds_json(&field.name)
            }
            None => unlisted.contains(&field.name),
        },
    }
}

/// Whether a cast makes `json`, or an array of it.
fn casts_to_json(cast: &str) -> bool {
    let words: Vec<String> = cast.split_whitespace().map(str::to_ascii_lowercase).collect();
    matches!(words.iter().map(String::as_str).collect::<Vec<_>>()[..], ["json" | "_json"] | ["json", "array"])
}

/// The column, where the field is the whole of it.
fn own_column<'a>(relation: Option<&'a Relation>, field: &Field) -> Option<&'a relations::Column> {
    relation?.column(&field.name).filter(|_| field.path.is_empty())
}

impl Value {
    /// The value of a field. A name the relation does not have is left to PostgreSQL: it may be a
    /// computed field, or an error (CONTRACT.md S10, U14).
    fn of(relation: Option<&Relation>, field: &Field) -> Self {
        let json = known_type(relation, field).is_some_and(|base| base == "json" || base == "jsonb");
        Self {
            field: field.clone(),
            to_json: !field.path.is_empty() && !json,
            to_tsvector: false,
            represent: None,
            composite: None,
        }
    }

    /// As [`Value::of`], for the answer: a domain may say how it is shown (CONTRACT.md N22).
    pub(super) fn shown(relation: Option<&Relation>, field: &Field) -> Self {
        let represent = own_column(relation, field).and_then(|column| column.to_json.clone());
        Self { represent, ..Self::of(relation, field) }
    }

    /// As [`Value::of`], for a filter: a domain may say how it is read.
    fn compared(relation: Option<&Relation>, field: &Field) -> Self {
        let column = own_column(relation, field);
        let composite = column.filter(|it| it.composite).map(|it| it.data_type.clone());
        let represent = column.and_then(|column| column.from_text.clone());
        Self { represent, composite, ..Self::of(relation, field) }
    }
}

struct Builder<'a> {
    catalog: &'a Catalog,
    schema: &'a str,
    root_alias: String,
    /// Columns of the root that hold JSON, where the catalog does not know it.
    json_columns: &'a [String],
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
            range: Window::default(),
            most: None,
            embeds: Vec::new(),
        };
        for item in select {
            match item {
                SelectItem::Column(column) => node.columns.push(self.column(&node.relation, column)),
                SelectItem::Embed(embed) => {
                    let embed = self.embed(&node, embed)?;
                    node.embeds.push(embed);
                }
            }
        }
        Ok(node)
    }

    fn column(&self, relation: &Qualified, column: &SelectColumn) -> Column {
        let path_key = || if column.aggregate.is_none() { path_key(&column.field) } else { None };
        let relation = self.catalog.relations.get(relation);
        Column {
            value: Value::shown(relation, &column.field),
            json: column
                .cast
                .as_deref()
                .map_or_else(|| is_json(relation, &column.field, self.json_columns), casts_to_json),
            cast: column.cast.clone(),
            alias: column.alias.clone().or_else(path_key),
            aggregate: column.aggregate.clone(),
            whole_row: false,
        }
    }

    fn embed(&mut self, parent: &Node, select: &SelectEmbed) -> Result<Embed, Error> {
        let way = embed::find(self.catalog, self.schema, &parent.relation, select)?;
        let number = self.next;
        self.next += 1;
        let relation = way.target();
        let mut alias = format!("{}_{number}", shortened(&relation.name));
        if alias == self.root_alias {
            alias.push('_');
        }
        let junction_alias = format!("pgrst_junction_{number}");
        let joined = way.join(&parent.alias, &alias, &junction_alias);
        let node = self.node(joined.source, relation, alias, &select.select)?;
        Ok(Embed {
            target: select.target.clone(),
            key: select.alias.clone().unwrap_or_else(|| select.target.clone()),
            handle: format!("pgrst_embed_{number}"),
            to_one: way.is_to_one(),
            join: select.join,
            spread: select.spread,
            lifted: Vec::new(),
            named_by_target: false,
            on: joined.on,
            junction: joined.junction,
            parent_columns: joined.parent_columns,
            node,
        })
    }
}

/// As much of a name as leaves room for a number: PostgreSQL cuts names after 63 bytes.
fn shortened(name: &str) -> &str {
    let end = (0..=name.len().min(48)).rev().find(|end| name.is_char_boundary(*end)).unwrap_or_default();
    &name[..end]
}

/// The last name in a JSON path, or the column's when it has only indexes (CONTRACT.md S08).
fn path_key(field: &Field) -> Option<String> {
    let last = field.path.iter().rev().find_map(|step| match &step.to {
        // Not every key of JSON can be a name in SQL.
        JsonKey::Member(name) if !name.is_empty() && !name.starts_with('\0') => Some(name.clone()),
        JsonKey::Member(_) | JsonKey::Element(_) => None,
    });
    last.or_else(|| (!field.path.is_empty()).then(|| field.name.clone()))
}
