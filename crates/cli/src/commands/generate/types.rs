//! `banyan gen types`: the types of the database for a client (CONTRACT.md CLI-TYPES).

use anyhow::Context;
use banyan_db::Login;

use crate::{
    arguments::{Global, Language},
    database, gen_types, output, project,
};

pub(crate) async fn run(global: &Global, language: Language, schema: Vec<String>) -> anyhow::Result<()> {
    let config = project::load(global)?;
    let schemas = if schema.is_empty() { default_schemas(&config.api.schemas) } else { schema };
    let database = database::connect(&config, &config.paths.state)?;
    let text = match language {
        Language::Typescript => gen_types::typescript(database.pool(Login::Postgres), &schemas).await,
    };
    database.close().await;
    output::raw(&text.context("failed to generate types")?);
    Ok(())
}

/// `public` and those of the API.
fn default_schemas(api: &[String]) -> Vec<String> {
    let mut schemas = vec!["public".to_owned()];
    schemas.extend(api.iter().filter(|schema| *schema != "public").cloned());
    schemas
}
