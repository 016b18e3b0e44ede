//! `banyan gen types`: the types of a database's API, read from its catalog (CONTRACT.md
//! CLI-TYPES).

/// Reads the catalog.
mod introspect;

/// Columns of views, read from their stored definitions.
mod views;

/// Foreign keys as clients may follow them, through views as well.
mod relationships;

/// PostgreSQL types as TypeScript types.
mod type_names;

/// Functions as TypeScript members.
mod functions;

/// The whole as TypeScript text.
mod typescript;

#[cfg(test)]
mod tests;

use sqlx::PgPool;

/// Why no types could be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GenTypesError {
    /// The catalog could not be read.
    #[error("the catalog could not be read")]
    Catalog(#[source] sqlx::Error),
    /// The database has none of the schemas asked for.
    #[error("there is no schema named {}", .0.join(", "))]
    NoSuchSchema(Vec<String>),
}

/// Writes the TypeScript types of those schemas, with what the official
/// `supabase gen types typescript` says about them and the same text for the same schema every
/// time.
///
/// # Errors
/// [`GenTypesError`] when the database does not answer or has none of the schemas.
pub(crate) async fn typescript(pool: &PgPool, schemas: &[String]) -> Result<String, GenTypesError> {
    let mut catalog = introspect::read(pool, schemas).await.map_err(GenTypesError::Catalog)?;
    if catalog.schemas.is_empty() {
        return Err(GenTypesError::NoSuchSchema(schemas.to_vec()));
    }
    let relationships = relationships::find(&mut catalog);
    Ok(typescript::render(&catalog, &relationships))
}
