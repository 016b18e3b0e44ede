use banyan_config::{Auth, Hook};
use banyan_db::{Database, Login};

use super::postgres::{Checks, FunctionInfo, find_function};

/// Hooks that are functions of the database and cannot be called: one sentence each, which says
/// what to do. Requests that need such a hook fail.
///
/// # Errors
/// A fault of the database.
pub async fn unreachable_hooks(settings: &Auth, database: &Database) -> Result<Vec<String>, sqlx::Error> {
    let mut sentences = Vec::new();
    for (point, hook) in settings.hooks.all() {
        let Hook::Postgres { schema, function } = hook else { continue };
        let sentence = match find_function(database.pool(Login::AuthAdmin), schema, function, Checks::Access)
            .await?
        {
            None => format!(
                "`auth.hook.{point}` calls {schema}.{function}, and none is known that takes one argument of type jsonb: a \
                 migration must make it, or what asks it fails"
            ),
            Some(FunctionInfo { is_ambiguous: true, .. }) => format!(
                "`auth.hook.{point}` calls {schema}.{function}, of which there are several for one argument: PostgreSQL cannot choose, \
                 so what asks it fails until one alone is left"
            ),
            Some(FunctionInfo { lacks: Some(grants), .. }) => format!(
                "`auth.hook.{point}` calls {schema}.{function}, which auth may not, so what asks it fails: `{grants}`"
            ),
            Some(FunctionInfo { lacks: None, .. }) => continue,
        };
        sentences.push(format!("config.toml: {sentence}"));
    }
    Ok(sentences)
}
