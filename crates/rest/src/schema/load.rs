//! Reads the catalog from PostgreSQL (CONTRACT.md L01). Nothing in the search path can stand in for
//! the catalog's own tables and functions, since it is empty while this reads (CONTRACT.md V13).

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use banyan_db::{Database, Login};
use serde::de::DeserializeOwned;
use sqlx::{AssertSqlSafe, Connection, PgConnection, Row, SqlSafeStr};

use super::{
    Catalog, Computed, Function, MediaHandler, MediaHandlers, Qualified, Relation,
    relationships::{self, Key},
    views::{View, ViewColumns},
};
use crate::settings::Settings;

/// Whether the login may set a setting for which it takes a grant.
const PARAMETER_PRIVILEGE: &str = "has_parameter_privilege(current_user, ps.name, 'set')";

/// Why the catalog could not be read. The client reads PGRST002; this is logged.
#[derive(Debug, thiserror::Error)]
pub(super) enum LoadError {
    /// PostgreSQL refused or could not be reached.
    #[error("the catalog could not be queried")]
    Query(#[from] sqlx::Error),
    /// A row has another form than the query gives it.
    #[error("the catalog could not be read")]
    Row(#[from] serde_json::Error),
}

impl LoadError {
    /// SQLSTATE, where PostgreSQL gave one.
    pub(super) fn code(&self) -> Option<String> {
        match self {
            Self::Query(sqlx::Error::Database(error)) => error.code().map(std::borrow::Cow::into_owned),
            Self::Query(_) | Self::Row(_) => None,
        }
    }
}

/// Reads the catalog in one transaction, so that its parts fit each other.
pub(super) async fn load(database: &Database, settings: &Settings) -> Result<Catalog, LoadError> {
    let mut connection = database.pool(Login::Authenticator).acquire().await?;
    let mut transaction = connection.begin().await?;
    // Compiling such queries takes longer than running them.
    sqlx::raw_sql(
        "set transaction isolation level repeatable read read only;
         set local search_path = '';
         set local jit = off",
    )
    .execute(&mut *transaction)
    .await?;
    let exposed = &settings.schemas;
    let searched: Vec<String> = exposed.iter().chain(&settings.extra_search_path).cloned().collect();
    let relations: Vec<Relation> = rows(&mut transaction, include_str!("tables.sql"), exposed).await?;
    let keys: Vec<Key> = rows(&mut transaction, include_str!("keys.sql"), &[]).await?;
    let views: Vec<View> = rows(&mut transaction, include_str!("views.sql"), &searched).await?;
    let functions: Vec<Function> = rows(&mut transaction, include_str!("functions.sql"), exposed).await?;
    let computed: Vec<Computed> = rows(&mut transaction, include_str!("computed.sql"), exposed).await?;
    let of_roles = roles_query(&transaction);
    let roles: HashMap<String, BTreeMap<String, String>> =
        rows(&mut transaction, AssertSqlSafe(of_roles), &[]).await?;
    let handlers: Vec<MediaHandler> =
        rows(&mut transaction, include_str!("media_handlers.sql"), exposed).await?;
    transaction.commit().await?;
    let catalog = catalog(relations, &keys, &views, functions, computed, roles);
    Ok(Catalog { handlers: MediaHandlers::new(handlers), ..catalog })
}

/// Before version 15 no setting can be granted, so there is nothing to ask about (CONTRACT.md L14).
fn roles_query(connection: &PgConnection) -> String {
    let query = include_str!("roles.sql");
    match connection.server_version_num() {
        Some(version) if version < 150_000 => query.replace(PARAMETER_PRIVILEGE, "false"),
        _ => query.to_owned(),
    }
}

/// One value of JSON; `schemas` are the query's parameter, where it has one.
async fn rows<T: DeserializeOwned>(
    connection: &mut PgConnection,
    query: impl SqlSafeStr,
    schemas: &[String],
) -> Result<T, LoadError> {
    let query = match schemas {
        [] => sqlx::query(query),
        schemas => sqlx::query(query).bind(schemas.to_vec()),
    };
    let row = query.fetch_one(connection).await?;
    let json: String = row.try_get(0)?;
    Ok(serde_json::from_str(&json)?)
}

fn catalog(
    relations: Vec<Relation>,
    keys: &[Key],
    views: &[View],
    functions: Vec<Function>,
    computed: Vec<Computed>,
    roles: HashMap<String, BTreeMap<String, String>>,
) -> Catalog {
    let views = ViewColumns::trace(views);
    let mut relations: HashMap<Qualified, Relation> =
        relations.into_iter().map(|it| (Qualified::new(&it.schema, &it.name), it)).collect();
    views.infer_primary_keys(keys, &mut relations);
    let relationships = relationships::find(keys, &views, &relations);
    let mut by_name: HashMap<Qualified, Vec<Arc<Function>>> = HashMap::new();
    for function in functions {
        let name = Qualified::new(&function.schema, &function.name);
        by_name.entry(name).or_default().push(Arc::new(function));
    }
    let mut by_source: HashMap<Qualified, Vec<Computed>> = HashMap::new();
    for it in computed {
        by_source.entry(Qualified::new(&it.source_schema, &it.source)).or_default().push(it);
    }
    Catalog { relations, relationships, computed: by_source, functions: by_name, roles, ..Catalog::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: L14
    #[test]
    fn the_part_that_version_14_does_not_know_is_found_in_the_query() {
        assert_eq!(include_str!("roles.sql").matches(PARAMETER_PRIVILEGE).count(), 1);
    }
}
