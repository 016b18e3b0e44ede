use serde::Deserialize;
use sqlx::PgPool;
use sqlx::types::Json;

/// A snapshot of the catalog, as far as types depend on it.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Catalog {
    /// The schemas asked for that exist.
    pub(super) schemas: Vec<String>,
    /// Tables and views of these schemas.
    pub(super) relations: Vec<Relation>,
    /// Every type of the database.
    pub(super) types: Vec<Type>,
    /// Functions of these schemas.
    pub(super) functions: Vec<Function>,
    /// Foreign keys of these schemas' tables.
    pub(super) foreign_keys: Vec<ForeignKey>,
    /// Definitions of all views, for what their columns are made of.
    pub(super) views: Vec<View>,
    /// Columns of tables that are never null, as relation and number.
    pub(super) required_columns: Vec<(i64, i64)>,
}

/// A table, foreign table, view or materialized view.
#[derive(Debug, Deserialize)]
pub(super) struct Relation {
    pub(super) id: i64,
    pub(super) schema: String,
    pub(super) name: String,
    pub(super) is_view: bool,
    /// A view that takes inserts.
    pub(super) insertable: bool,
    /// A view that takes updates.
    pub(super) updatable: bool,
    pub(super) columns: Vec<Column>,
}

/// A column of a relation.
#[derive(Debug, Deserialize)]
pub(super) struct Column {
    pub(super) number: i64,
    pub(super) name: String,
    /// Its type; of a domain the type below it.
    pub(super) type_id: i64,
    pub(super) nullable: bool,
    pub(super) default: bool,
    pub(super) identity: bool,
    /// Generated always: a value cannot be given.
    pub(super) read_only: bool,
    pub(super) updatable: bool,
}

/// A type.
#[derive(Debug, Deserialize)]
pub(super) struct Type {
    pub(super) id: i64,
    pub(super) schema: String,
    pub(super) name: String,
    /// For an array, the type of its elements.
    pub(super) element: Option<i64>,
    /// For a domain, the type below it.
    pub(super) base: Option<i64>,
    /// For an enum, its values in order.
    pub(super) labels: Vec<String>,
    /// For a composite type that is no table, its attributes in order.
    pub(super) attributes: Vec<Attribute>,
    /// For a composite or row type, the relation.
    pub(super) relation_id: Option<i64>,
    /// Its name as PostgreSQL prints it, with the schema where that is not on the search path.
    pub(super) display_name: String,
}

/// An attribute of a composite type.
#[derive(Debug, Deserialize)]
pub(super) struct Attribute {
    pub(super) name: String,
    pub(super) type_id: i64,
}

/// A function that is no trigger.
#[derive(Debug, Deserialize)]
pub(super) struct Function {
    pub(super) schema: String,
    pub(super) name: String,
    /// Arguments and result as PostgreSQL prints them: the order of overloads.
    pub(super) signature: String,
    pub(super) arguments: Vec<Argument>,
    pub(super) returns: i64,
    pub(super) returns_set: bool,
    /// Rows the planner expects of a set.
    pub(super) rows: f64,
}

/// An argument or result column of a function.
#[derive(Debug, Deserialize)]
pub(super) struct Argument {
    pub(super) mode: ArgumentMode,
    pub(super) name: String,
    pub(super) type_id: i64,
    pub(super) default: bool,
}

/// Purpose of an argument, as in `pg_proc.proargmodes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(super) enum ArgumentMode {
    #[serde(rename = "i")]
    In,
    #[serde(rename = "o")]
    Out,
    #[serde(rename = "b")]
    InOut,
    #[serde(rename = "v")]
    Variadic,
    #[serde(rename = "t")]
    Table,
}

impl Function {
    /// The arguments a caller gives.
    pub(super) fn inputs(&self) -> impl Iterator<Item = &Argument> {
        self.arguments.iter().filter(|argument| {
            matches!(argument.mode, ArgumentMode::In | ArgumentMode::InOut | ArgumentMode::Variadic)
        })
    }
}

/// A foreign key.
#[derive(Debug, Deserialize)]
pub(super) struct ForeignKey {
    pub(super) name: String,
    pub(super) relation_id: i64,
    pub(super) columns: Vec<i64>,
    pub(super) referenced_id: i64,
    pub(super) referenced_columns: Vec<i64>,
    /// Its columns are unique as well.
    pub(super) one_to_one: bool,
}

/// A view and its stored query.
#[derive(Debug, Deserialize)]
pub(super) struct View {
    pub(super) id: i64,
    /// A `pg_node_tree` as text.
    pub(super) definition: String,
}

impl Catalog {
    /// The relation with that id, if it belongs to the schemas asked for.
    pub(super) fn relation(&self, id: i64) -> Option<&Relation> {
        self.relations.iter().find(|relation| relation.id == id)
    }

    /// The type with that id.
    pub(super) fn type_of(&self, id: i64) -> Option<&Type> {
        self.types.iter().find(|a_type| a_type.id == id)
    }
}

/// Reads the catalog of those schemas in one statement.
pub(super) async fn read(pool: &PgPool, schemas: &[String]) -> Result<Catalog, sqlx::Error> {
    let Json(catalog) =
        sqlx::query_scalar(include_str!("introspect.sql")).bind(schemas).fetch_one(pool).await?;
    Ok(catalog)
}
