//! Tables that the project's migrations leave open to everybody.

use super::Progress;
use crate::{Database, MigrationError, Param};

/// Those of the advisor's lint `rls_disabled_in_public`, for every schema that the API shows.
const QUERY: &str = "select c.oid::pg_catalog.regclass::text
    from pg_catalog.pg_class as c
    join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
    where n.nspname = any ($1) and c.relkind in ('r', 'p') and not c.relrowsecurity
      and exists (
        select from pg_catalog.pg_roles as role
        where role.rolname in ('anon', 'authenticated')
          and pg_catalog.has_schema_privilege(role.oid, n.oid, 'usage')
          and (
            pg_catalog.has_any_column_privilege(role.oid, c.oid, 'select, insert, update')
            or pg_catalog.has_table_privilege(role.oid, c.oid, 'delete')
          )
      )
      and not exists (
        select from pg_catalog.pg_depend as d
        where d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.objid = c.oid and d.deptype = 'e'
      )
    order by 1";
const NAME_ARRAY: u32 = 1003;

/// What to tell of tables in these schemas that `anon` or `authenticated` have grants on, and that
/// have no row-level security; nothing where there are none. Tables of extensions are left out.
///
/// # Errors
/// [`MigrationError::Run`] when the server cannot be asked.
pub async fn open_tables(
    database: &Database,
    schemas: &[String],
) -> Result<Option<Progress>, MigrationError> {
    let names = super::project::text_array(schemas.iter().map(String::as_str));
    let mut connection = database.open_for_files().await?;
    let tables = async {
        // Names are written with their schemas.
        connection.run_one("set search_path = ''", &[]).await?;
        connection.run_one(QUERY, &[Param::typed(Some(names.into()), NAME_ARRAY)]).await
    }
    .await;
    connection.close().await;
    let rows = tables?;
    let tables: Vec<String> =
        (0..rows.rows.len()).filter_map(|row| rows.text(row, 0).map(str::to_owned)).collect();
    Ok((!tables.is_empty()).then_some(Progress::OpenTables { tables }))
}
