//! `banyan migration repair`: changes the history without running anything (CONTRACT.md
//! CLI-MIGRATION-REPAIR).

use anyhow::{Context, bail};
use banyan_db::{
    Login,
    migrations::{self, LocalFile},
};
use sqlx::{PgConnection, PgPool};

use crate::{
    arguments::{Global, RepairStatus},
    database, output, project,
};

pub(super) async fn run(global: &Global, versions: &[String], status: RepairStatus) -> anyhow::Result<()> {
    let config = project::load(global)?;
    let files = migrations::list(&config.paths.migrations())?.files;
    let chosen = choose(&files, versions, status)?;
    let database = database::connect(&config, &config.paths.state)?;
    let repaired = repair(database.pool(Login::Postgres), versions, &chosen, status).await;
    database.close().await;
    repaired.context("failed to repair migration history")?;
    let shown = if versions.is_empty() { "all".to_owned() } else { versions.join(" ") };
    let status = match status {
        RepairStatus::Applied => "applied",
        RepairStatus::Reverted => "reverted",
    };
    output::line(format_args!("Repaired migration history: [{shown}] => {status}"));
    Ok(())
}

/// The files that become applied: those named, or all when none is.
fn choose(files: &[LocalFile], versions: &[String], status: RepairStatus) -> anyhow::Result<Vec<LocalFile>> {
    for version in versions {
        if version.is_empty() || !version.bytes().all(|byte| byte.is_ascii_digit()) {
            bail!("failed to parse {version}: invalid version number");
        }
    }
    if status == RepairStatus::Reverted {
        return Ok(Vec::new());
    }
    if versions.is_empty() {
        return Ok(files.to_vec());
    }
    versions
        .iter()
        .map(|version| {
            let file = files.iter().find(|file| file.version == *version).cloned();
            file.with_context(|| format!("there is no migration file with version {version}"))
        })
        .collect()
}

/// Forgets the versions, or all when none is named, and enters the chosen files; all or nothing.
async fn repair(
    pool: &PgPool,
    versions: &[String],
    chosen: &[LocalFile],
    status: RepairStatus,
) -> anyhow::Result<()> {
    let mut transaction = pool.begin().await?;
    make_history(&mut transaction).await?;
    if versions.is_empty() {
        sqlx::query("delete from supabase_migrations.schema_migrations").execute(&mut *transaction).await?;
    } else {
        sqlx::query("delete from supabase_migrations.schema_migrations where version = any ($1)")
            .bind(versions)
            .execute(&mut *transaction)
            .await?;
    }
    forget_unfinished(&mut transaction, versions).await?;
    if status == RepairStatus::Applied {
        for file in chosen {
            enter(&mut transaction, file).await?;
        }
    }
    transaction.commit().await?;
    Ok(())
}

/// A file whose history was changed by hand runs from its start again.
async fn forget_unfinished(connection: &mut PgConnection, versions: &[String]) -> Result<(), sqlx::Error> {
    let table = "select to_regclass('supabase_migrations.unfinished_files') is not null";
    if !sqlx::query_scalar::<_, bool>(table).fetch_one(&mut *connection).await? {
        return Ok(());
    }
    sqlx::query(
        "delete from supabase_migrations.unfinished_files
         where file ~ '^[0-9]+_' and ($1 = '{}' or split_part(file, '_', 1) = any ($1))",
    )
    .bind(versions)
    .execute(connection)
    .await?;
    Ok(())
}

async fn make_history(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    sqlx::raw_sql(
        "create schema if not exists supabase_migrations;
         create table if not exists supabase_migrations.schema_migrations (
           version text not null primary key, statements text[], name text
         );
         alter table supabase_migrations.schema_migrations enable row level security;",
    )
    .execute(connection)
    .await?;
    Ok(())
}

async fn enter(connection: &mut PgConnection, file: &LocalFile) -> anyhow::Result<()> {
    let text = migrations::read_sql(&file.path)?;
    let statements: Vec<String> =
        banyan_db::sql::split(&text).iter().map(|piece| piece.whole.to_owned()).collect();
    sqlx::query(
        "insert into supabase_migrations.schema_migrations (version, name, statements)
         values ($1, $2, $3)",
    )
    .bind(&file.version)
    .bind(&file.name)
    .bind(statements)
    .execute(connection)
    .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: CLI-MIGRATION-REPAIR
    #[test]
    fn versions_must_be_numbers_and_have_files() {
        let file = LocalFile {
            version: "1".to_owned(),
            name: "x".to_owned(),
            path: std::path::PathBuf::from("1_x.sql"),
        };
        let files = [file.clone()];
        let versions = |text: &str| vec![text.to_owned()];
        assert!(choose(&files, &versions("x"), RepairStatus::Reverted).is_err());
        assert!(choose(&files, &versions("2"), RepairStatus::Applied).is_err());
        assert_eq!(
            choose(&files, &versions("1"), RepairStatus::Applied).expect("chosen"),
            std::slice::from_ref(&file)
        );
        assert_eq!(choose(&files, &[], RepairStatus::Applied).expect("chosen"), [file]);
        assert!(choose(&files, &versions("2"), RepairStatus::Reverted).expect("chosen").is_empty());
    }
}
