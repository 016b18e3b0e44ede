use banyan_config::{Auth, Hook};
use banyan_db::{Database, Login};
use sqlx::PgExecutor;

/// Hooks that are functions of the database and cannot be called, one sentence each that says what to do. What asks them fails
/// until then.
///
/// # Errors
/// A fault of the database.
pub async fn hooks_out_of_reach(settings: &Auth, database: &Database) -> Result<Vec<String>, sqlx::Error> {
    let mut sentences = Vec::new();
    for (point, hook) in settings.hooks.all() {
        let Hook::Postgres { schema, function } = hook else { continue };
        let sentence = match callee(database.pool(Login::AuthAdmin), schema, function).await? {
            None => format!(
                "`auth.hook.{point}` calls {schema}.{function}, and there is no such function with one argument of type jsonb: a \
                 migration must make it, or what asks it fails"
            ),
            Some(Callee { is_ambiguous: true, .. }) => format!(
                "`auth.hook.{point}` calls {schema}.{function}, of which there are several for one argument: PostgreSQL cannot choose, \
                 so what asks it fails until one alone is left"
            ),
            Some(Callee { lacks: Some(grants), .. }) => format!(
                "`auth.hook.{point}` calls {schema}.{function}, which auth may not, so what asks it fails: `{grants}`"
            ),
            Some(Callee { lacks: None, .. }) => continue,
        };
        sentences.push(format!("config.toml: {sentence}"));
    }
    Ok(sentences)
}

/// The function that a hook calls.
pub(super) struct Callee {
    /// Type of the argument that it is given: `json` or `jsonb`.
    pub(super) argument: String,
    /// Whether there are others that differ in arguments with defaults alone.
    is_ambiguous: bool,
    /// The statements that let the service call it; none where it may.
    lacks: Option<String>,
}

/// Finds the function of a name that can be called with one JSON value, further arguments having defaults. Where there is one for
/// `json` and one for `jsonb`, the latter.
pub(super) async fn callee(
    executor: impl PgExecutor<'_>,
    schema: &str,
    function: &str,
) -> Result<Option<Callee>, sqlx::Error> {
    sqlx::query_as!(
        Callee,
        r#"select format_type(p.proargtypes[0], null) as "argument!",
            count(*) over (partition by p.proargtypes[0]) > 1 as "is_ambiguous!",
            case
                when not (has_schema_privilege(n.oid, 'usage') and has_function_privilege(p.oid, 'execute')) then format(
                    'grant usage on schema %1$I to %4$I; grant execute on function %1$I.%2$I(%3$s) to %4$I;',
                    n.nspname, p.proname, oidvectortypes(p.proargtypes), current_user)
            end as lacks
        from pg_proc as p
        join pg_namespace as n on n.oid = p.pronamespace
        where n.nspname = $1
            and p.proname = $2
            and p.prokind = 'f'
            and p.proargtypes[0] in ('json'::regtype, 'jsonb'::regtype)
            and p.pronargs - p.pronargdefaults <= 1
        order by p.proargtypes[0] = 'jsonb'::regtype desc
        limit 1"#,
        schema,
        function,
    )
    .fetch_optional(executor)
    .await
}
