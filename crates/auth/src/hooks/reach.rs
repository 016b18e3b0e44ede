use banyan_config::{Auth, Hook};
use banyan_db::{Database, Login};

/// Hooks that are functions of the database and cannot be called, one sentence each that says what to do. What asks them fails
/// until then.
///
/// # Errors
/// A fault of the database.
pub async fn hooks_out_of_reach(settings: &Auth, database: &Database) -> Result<Vec<String>, sqlx::Error> {
    let mut sentences = Vec::new();
    for (point, hook) in settings.hooks.all() {
        let Hook::Postgres { schema, function } = hook else { continue };
        let name = format!("{schema}.{function}");
        let sentence = match reach(database, schema, function).await? {
            Reach { is_there: false, .. } => format!(
                "`auth.hook.{point}` calls {name}, and there is no such function with one argument of type jsonb: a migration \
                 must make it, or what asks it fails"
            ),
            Reach { may_be_called: false, .. } => format!(
                "`auth.hook.{point}` calls {name}, which auth may not, so what asks it fails: `grant usage on schema {schema} to \
                 supabase_auth_admin; grant execute on function {name} to supabase_auth_admin;`"
            ),
            Reach { .. } => continue,
        };
        sentences.push(format!("config.toml: {sentence}"));
    }
    Ok(sentences)
}

struct Reach {
    is_there: bool,
    may_be_called: bool,
}

async fn reach(database: &Database, schema: &str, function: &str) -> Result<Reach, sqlx::Error> {
    let found = sqlx::query_as!(
        Reach,
        r#"select true as "is_there!",
            has_schema_privilege(n.oid, 'usage') and has_function_privilege(p.oid, 'execute') as "may_be_called!"
        from pg_proc as p
        join pg_namespace as n on n.oid = p.pronamespace
        where n.nspname = $1
            and p.proname = $2
            and p.pronargs = 1
            and p.proargtypes[0] in ('json'::regtype, 'jsonb'::regtype)
        order by 2 desc
        limit 1"#,
        schema,
        function,
    );
    let found = found.fetch_optional(database.pool(Login::AuthAdmin)).await?;
    Ok(found.unwrap_or(Reach { is_there: false, may_be_called: false }))
}
