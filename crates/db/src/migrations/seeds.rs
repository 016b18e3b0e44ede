//! The project's seed files (cli/CONTRACT.md CLI-SEEDS).

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use super::{
    Progress,
    batch::{self, Script},
    file::{read_seed, text},
    project::wait_no_longer,
    stack::sha256_hex,
    unfinished::Unfinished,
};
use crate::{Database, MigrationError, Param, platform::lock_holder, protocol::Connection};

const RECORD: &str = "insert into supabase_migrations.seed_files (path, hash) values ($1, $2) \
                      on conflict (path) do update set hash = excluded.hash";

/// Runs the seed files that were never run, as `postgres`, a file a transaction as for migrations;
/// gives how many. A name that ends with `.sql.gz` is unpacked.
///
/// `patterns` are globs relative to `project/supabase`, taken in order, each expanded in order of
/// name.
///
/// # Errors
/// [`MigrationError`]; files before the failing one stay applied.
pub async fn seed(
    database: &Database,
    project: &Path,
    patterns: &[String],
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<usize, MigrationError> {
    let files = expand(project, patterns, progress)?;
    if files.is_empty() {
        return Ok(0);
    }
    let mut connection = database.open_for_files().await?;
    let outcome = run(database, &mut connection, (project, &files), progress).await;
    connection.close().await;
    outcome
}

async fn run(
    database: &Database,
    connection: &mut Connection,
    (project, files): (&Path, &[PathBuf]),
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<usize, MigrationError> {
    let pid = connection.process_id();
    let (known, unfinished) = lock_holder::naming_holder(database, pid, known(database, connection)).await?;
    let mut count = 0;
    for file in files {
        let bytes = read_seed(file)?;
        let hash = sha256_hex(&bytes);
        let path = file.strip_prefix(project).unwrap_or(file).to_string_lossy().into_owned();
        let record = [Param::text(path.clone()), Param::text(hash.clone())];
        match known.get(&path) {
            Some(before) if *before == hash => {}
            Some(_) => {
                progress(Progress::UpdatingSeedHash { path: path.clone() });
                connection.run_one(RECORD, &record).await?;
            }
            None => {
                progress(Progress::Seeding { path: path.clone() });
                let script = Script { file: &path, text: &text(file, bytes)?, record: (RECORD, &record) };
                batch::run(connection, &script, &unfinished, progress).await?;
                count += 1;
            }
        }
    }
    Ok(count)
}

/// What was run, and how far files came.
async fn known(
    database: &Database,
    connection: &mut Connection,
) -> Result<(HashMap<String, String>, Unfinished), MigrationError> {
    wait_no_longer(database, connection).await?;
    let known = (hashes(connection).await?, Unfinished::read(connection).await?);
    connection.run_one("reset lock_timeout", &[]).await?;
    Ok(known)
}

async fn hashes(connection: &mut Connection) -> Result<HashMap<String, String>, MigrationError> {
    let steps = [
        "set client_min_messages = warning",
        "create schema if not exists supabase_migrations",
        "create table if not exists supabase_migrations.seed_files (path text not null primary key, hash text not null)",
        "alter table supabase_migrations.seed_files enable row level security",
    ];
    for step in steps {
        connection.run_one(step, &[]).await?;
    }
    let rows = connection.run_one("select path, hash from supabase_migrations.seed_files", &[]).await?;
    let pair = |row| Some((rows.text(row, 0)?.to_owned(), rows.text(row, 1)?.to_owned()));
    Ok((0..rows.rows.len()).filter_map(pair).collect())
}

/// The files that the patterns match, in declared order, without duplicates.
fn expand(
    project: &Path,
    patterns: &[String],
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<Vec<PathBuf>, MigrationError> {
    let folder = project.join("supabase");
    let mut files: Vec<PathBuf> = Vec::new();
    for pattern in patterns {
        let relative = pattern.strip_prefix("./").unwrap_or(pattern);
        let base = glob::Pattern::escape(&folder.to_string_lossy());
        let wrong = |message: String| MigrationError::Read {
            path: folder.join(relative),
            source: std::io::Error::new(std::io::ErrorKind::InvalidInput, message),
        };
        let matches = glob::glob(&format!("{base}/{relative}")).map_err(|error| wrong(error.to_string()))?;
        let before = files.len();
        let mut found = false;
        for path in matches {
            let path = path.map_err(|error| wrong(error.to_string()))?;
            found = true;
            if path.is_file() && !files.contains(&path) {
                files.push(path);
            }
        }
        files[before..].sort_unstable();
        if !found {
            progress(Progress::NoSeedFile { pattern: format!("supabase/{relative}") });
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: cli/CLI-SEED-PATHS
    #[test]
    fn patterns_expand_sorted_in_declared_order_without_duplicates() {
        let project = std::env::temp_dir().join(format!("banyan-seeds-{}", std::process::id()));
        let folder = project.join("supabase/seeds");
        std::fs::create_dir_all(&folder).expect("a folder");
        for name in ["b.sql", "a.sql"] {
            std::fs::write(folder.join(name), "select 1").expect("written");
        }
        let patterns = ["./seeds/b.sql", "seeds/*.sql", "nothing/*.sql"].map(str::to_owned);
        let mut told = Vec::new();
        let files = expand(&project, &patterns, &mut |step| told.push(step.to_string())).expect("expanded");
        std::fs::remove_dir_all(&project).expect("removed");
        assert_eq!(files, [folder.join("b.sql"), folder.join("a.sql")]);
        assert_eq!(told, ["WARN: no files matched pattern: supabase/nothing/*.sql"]);
    }
}
