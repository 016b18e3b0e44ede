//! What this version does not have, told where a project's SQL asks for it.

use crate::DatabaseError;

/// A name that SQL may use, and what is said of it.
const UNSUPPORTED: [(&[&str], &str); 11] = [
    (
        &["pg_graphql", "graphql"],
        "this version has no GraphQL, and pg_graphql cannot be installed: the data API is REST, below /rest/v1",
    ),
    (
        &["supabase_vault", "vault"],
        "this version has no Vault: `banyan secrets set` keeps secrets for functions, and a schema that `api.schemas` does \
         not name keeps them for SQL",
    ),
    (
        &["pg_net", "net"],
        "this version sends no requests from the database, and pg_net cannot be installed: a function of the project sends \
         them, called by the client or by `schedule` in banyan.toml",
    ),
    (
        &["pg_cron", "cron"],
        "this version has no pg_cron: `schedule` of a function in banyan.toml runs it at set times",
    ),
    (
        &["vector"],
        "this version has no vector type: no package registry has pgvector for PostgreSQL 17. A server that has it can be \
         used by BANYAN_DATABASE_URL",
    ),
    (
        &["pgjwt", "extensions.sign()", "extensions.verify()"],
        "this version has no pgjwt, which ended before PostgreSQL 17: auth.jwt() gives the caller's claims, and functions \
         of the project sign tokens",
    ),
    (
        &["supabase_functions", "supabase_functions_admin"],
        "this version has no database webhooks: a function of the project tells others, called by the client or by \
         `schedule` in banyan.toml",
    ),
    (
        &["pgsodium"],
        "this version has no pgsodium: pgcrypto encrypts, and `banyan secrets set` keeps keys for functions",
    ),
    (
        &["pgmq"],
        "this version has no pgmq: a table of the project is a queue, read with `for update skip locked`",
    ),
    (
        &["http", "extensions.http()", "extensions.http_get()", "extensions.http_post()"],
        "this version sends no requests from the database, and http cannot be installed: a function of the project sends \
         them",
    ),
    (
        &["dblink", "postgres_fdw"],
        "only the superuser may create it here, since it opens connections from the database server: a function or a script \
         can copy the data, or a server where you may can be used by BANYAN_DATABASE_URL",
    ),
];

/// One sentence on what an error asked for in vain, where that is something that a project for the
/// supabase CLI expects.
#[must_use]
pub fn unsupported(error: &DatabaseError) -> Option<String> {
    let asked = match error.code.as_str() {
        "42883" => function_of(&error.message)?,
        code => asked_for(code, &error.message)?.to_owned(),
    };
    let known = UNSUPPORTED.iter().find(|(names, _)| names.contains(&asked.as_str()));
    let sentence =
        known.map(|(_, sentence)| *sentence).or_else(|| is_extension(error).then_some(NO_EXTENSION))?;
    Some(format!("{asked}: {sentence}."))
}

/// What is said of any other extension; PostgreSQL shows a path and says to install it there.
const NO_EXTENSION: &str = "the server does not come with this extension. `select name from pg_available_extensions` \
                            names those that it has, and a server with more can be used by BANYAN_DATABASE_URL";

/// Whether an error says that the server has no such extension.
fn is_extension(error: &DatabaseError) -> bool {
    error.code == "0A000" && error.message.starts_with("extension ")
}

/// The function in an error that says that there is none, such as `extensions.sign()`.
fn function_of(message: &str) -> Option<String> {
    let call = message.strip_prefix("function ")?.strip_suffix(" does not exist")?;
    let (name, _) = call.split_once('(')?;
    Some(format!("{name}()"))
}

/// The name in an error that says that there is no such thing, or that it may not be made.
fn asked_for<'m>(code: &str, message: &'m str) -> Option<&'m str> {
    let (before, rest) = message.split_once('"')?;
    let (name, after) = rest.split_once('"')?;
    let is_told = match code {
        "0A000" => before == "extension " && after == " is not available",
        "42501" => before == "permission denied to create extension ",
        "42P01" => before == "relation " && after == " does not exist",
        "3F000" => before == "schema " && after == " does not exist",
        "42704" => matches!(before, "type " | "role ") && after == " does not exist",
        _ => false,
    };
    let name = if code == "42704" { name.rsplit('.').next().unwrap_or(name) } else { name };
    is_told.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(code: &str, message: &str) -> Option<String> {
        unsupported(&DatabaseError { code: code.into(), message: message.into(), ..DatabaseError::default() })
    }

    // rows: PG-MISSING
    #[test]
    fn what_is_missing_is_told_in_one_line() {
        for name in ["pg_graphql", "supabase_vault", "pg_net", "pg_cron", "vector", "pgjwt"] {
            let told = told("0A000", &format!("extension \"{name}\" is not available")).expect(name);
            assert!(told.starts_with(&format!("{name}: this version ")) && !told.contains('\n'), "{told}");
        }
        for name in ["dblink", "postgres_fdw"] {
            let message = format!("permission denied to create extension \"{name}\"");
            let told = told("42501", &message).expect(name);
            assert!(told.starts_with(&format!("{name}: only the superuser may create it")), "{told}");
        }
        for (code, message) in [
            ("3F000", "schema \"cron\" does not exist"),
            ("42704", "type \"extensions.vector\" does not exist"),
            ("42704", "role \"supabase_functions_admin\" does not exist"),
            ("3F000", "schema \"supabase_functions\" does not exist"),
            ("3F000", "schema \"pgsodium\" does not exist"),
            ("3F000", "schema \"pgmq\" does not exist"),
            ("0A000", "extension \"http\" is not available"),
            ("42883", "function extensions.sign(json, text) does not exist"),
            ("42883", "function extensions.http_get(unknown) does not exist"),
        ] {
            assert!(told(code, message).is_some(), "{message}");
        }
    }

    // rows: PG-MISSING
    #[test]
    fn an_extension_that_nobody_has_heard_of_is_told_without_a_path() {
        let told = told("0A000", "extension \"postgis\" is not available").expect("told");
        assert!(told.starts_with("postgis: the server does not come with this extension. "), "{told}");
    }

    // rows: PG-MISSING
    #[test]
    fn nothing_is_said_of_what_a_project_forgot_itself() {
        for (code, message) in [
            ("42P01", "relation \"public.buckets\" does not exist"),
            ("42P07", "relation \"net.http_request_queue\" already exists"),
            ("42501", "permission denied for schema net"),
            ("23505", "vector"),
            ("42883", "function public.sign(json, text) does not exist"),
            ("42883", "operator does not exist: integer ~ integer"),
        ] {
            assert_eq!(told(code, message), None, "{message}");
        }
    }
}
