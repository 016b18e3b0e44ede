//! The project's migration files and their history (cli/CONTRACT.md CLI-FILES to CLI-LOST).

use std::{
    cmp::Ordering,
    path::{Path, PathBuf},
};

use super::{
    Progress,
    batch::{self, Script},
    file::{PACKED, is_packed, read_sql},
    unfinished::Unfinished,
};
use crate::{Database, MigrationError, Param, platform::lock_holder, protocol::Connection, sql};

/// One file `<version>_<name>.sql`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalFile {
    /// Its digits, as written.
    pub version: String,
    /// The part between the version and `.sql`.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
}

impl LocalFile {
    /// The name of the file.
    #[must_use]
    pub fn file_name(&self) -> String {
        format!("{}_{}.sql", self.version, self.name)
    }
}

/// What a folder holds.
#[derive(Debug, Default)]
pub struct LocalFiles {
    /// Migrations, oldest first.
    pub files: Vec<LocalFile>,
    /// Files that are none, and why.
    pub skipped: Vec<Progress>,
}

/// Whether files older than the newest applied one may be applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// No: stop and say so.
    Strict,
    /// Yes: `--include-all`.
    IncludeAll,
}

const INSERT: &str =
    "insert into supabase_migrations.schema_migrations (version, name, statements) values ($1, $2, $3)";
const TEXT_ARRAY: u32 = 1009;

/// Reads the folder of the migrations; a missing folder holds none.
///
/// # Errors
/// [`MigrationError::Read`] when the folder exists and cannot be read.
pub fn list(folder: &Path) -> Result<LocalFiles, MigrationError> {
    let unreadable = |source| MigrationError::Read { path: folder.to_owned(), source };
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(LocalFiles::default()),
        Err(error) => return Err(unreadable(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(unreadable)?;
        if !entry.path().is_dir() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort_unstable();
    let mut found = LocalFiles::default();
    for (place, file) in names.into_iter().enumerate() {
        match judge(folder, &file, place == 0) {
            Ok(migration) => found.files.push(migration),
            Err(reason) => found.skipped.push(Progress::Skipping { file, reason }),
        }
    }
    found.files.sort_by(|a, b| compare(&a.version, &b.version));
    Ok(found)
}

fn judge(folder: &Path, file: &str, is_first: bool) -> Result<LocalFile, &'static str> {
    const PATTERN: &str = "file name must match pattern \"<timestamp>_name.sql\"";
    if is_packed(file) {
        return Err(PACKED);
    }
    let (version, name) = file.strip_suffix(".sql").and_then(|stem| stem.split_once('_')).ok_or(PATTERN)?;
    if version.is_empty() || !version.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(PATTERN);
    }
    if is_first && name == "init" && compare(version, "20211209000000") == Ordering::Less {
        return Err("replace \"init\" with a different file name to apply this migration");
    }
    Ok(LocalFile { version: version.to_owned(), name: name.to_owned(), path: folder.join(file) })
}

/// Compares versions as numbers of any length.
fn compare(a: &str, b: &str) -> Ordering {
    let (a, b) = (a.trim_start_matches('0'), b.trim_start_matches('0'));
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

/// Versions in the history, oldest first; none when there is no history yet.
///
/// # Errors
/// [`MigrationError::Run`] when the server cannot be asked.
pub async fn applied(database: &Database) -> Result<Vec<String>, MigrationError> {
    let mut connection = database.open_for_files().await?;
    let pid = connection.process_id();
    let read = async {
        wait_no_longer(database, &mut connection).await?;
        read_history(&mut connection).await
    };
    let versions = lock_holder::naming_holder(database, pid, read).await;
    connection.close().await;
    versions
}

/// Bounds how long a session waits for each lock, up to its `reset lock_timeout`.
pub(super) async fn wait_no_longer(
    database: &Database,
    connection: &mut Connection,
) -> Result<(), MigrationError> {
    let bound = format!("set lock_timeout = {}", lock_holder::longest(database));
    connection.run_one(&bound, &[]).await?;
    Ok(())
}

async fn read_history(connection: &mut Connection) -> Result<Vec<String>, MigrationError> {
    let table = "select to_regclass('supabase_migrations.schema_migrations')";
    if connection.run_one(table, &[]).await?.get(0, 0).is_none() {
        return Ok(Vec::new());
    }
    let query = "select version from supabase_migrations.schema_migrations";
    let rows = connection.run_one(query, &[]).await?;
    let mut versions: Vec<String> =
        (0..rows.rows.len()).filter_map(|row| rows.text(row, 0).map(str::to_owned)).collect();
    versions.sort_by(|a, b| compare(a, b));
    Ok(versions)
}

/// The files to apply, given what the history holds.
///
/// # Errors
/// [`MigrationError::MissingLocal`] when an applied version has no file,
/// [`MigrationError::OutOfOrder`] when a file is older than the newest applied one and the order is
/// strict.
pub fn pending(
    files: &[LocalFile],
    applied: &[String],
    order: Order,
) -> Result<Vec<LocalFile>, MigrationError> {
    let same = |file: &LocalFile, version: &String| compare(&file.version, version) == Ordering::Equal;
    let missing: Vec<String> =
        applied.iter().filter(|version| !files.iter().any(|file| same(file, version))).cloned().collect();
    if !missing.is_empty() {
        return Err(MigrationError::MissingLocal { versions: missing });
    }
    let new: Vec<LocalFile> =
        files.iter().filter(|file| !applied.iter().any(|version| same(file, version))).cloned().collect();
    let late: Vec<String> = new
        .iter()
        .filter(|file| applied.last().is_some_and(|newest| compare(&file.version, newest) == Ordering::Less))
        .map(|file| file.path.display().to_string())
        .collect();
    if order == Order::Strict && !late.is_empty() {
        return Err(MigrationError::OutOfOrder { files: late });
    }
    Ok(new)
}

/// Applies the project's new migrations as `postgres`, a file a transaction, but for statements
/// that none may hold; gives the files applied.
///
/// `up_to` leaves out versions above it (`db reset --version`).
///
/// # Errors
/// [`MigrationError`]; files before the failing one stay applied.
pub async fn apply(
    database: &Database,
    folder: &Path,
    order: Order,
    up_to: Option<&str>,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<Vec<LocalFile>, MigrationError> {
    let found = list(folder)?;
    found.skipped.into_iter().for_each(&mut *progress);
    let mut connection = database.open_for_files().await?;
    let outcome = async {
        let pid = connection.process_id();
        let (known, unfinished) =
            lock_holder::naming_holder(database, pid, known(database, &mut connection)).await?;
        let mut new = pending(&found.files, &known, order)?;
        new.retain(|file| up_to.is_none_or(|last| compare(&file.version, last) != Ordering::Greater));
        for file in &new {
            progress(Progress::Applying { file: file.file_name() });
            apply_file(&mut connection, file, &unfinished, progress).await?;
        }
        Ok(new)
    }
    .await;
    connection.close().await;
    outcome
}

/// What is applied, and how far files came. Makes the history where there is none.
async fn known(
    database: &Database,
    connection: &mut Connection,
) -> Result<(Vec<String>, Unfinished), MigrationError> {
    wait_no_longer(database, connection).await?;
    make_history(connection).await?;
    let known = (read_history(connection).await?, Unfinished::read(connection).await?);
    connection.run_one("reset all", &[]).await?;
    Ok(known)
}

async fn make_history(connection: &mut Connection) -> Result<(), MigrationError> {
    let steps = [
        "set client_min_messages = warning",
        "create schema if not exists supabase_migrations",
        "create table if not exists supabase_migrations.schema_migrations (version text not null primary key)",
        "alter table supabase_migrations.schema_migrations add column if not exists statements text[]",
        "alter table supabase_migrations.schema_migrations add column if not exists name text",
        "alter table supabase_migrations.schema_migrations enable row level security",
    ];
    for step in steps {
        connection.run_one(step, &[]).await?;
    }
    Ok(())
}

async fn apply_file(
    connection: &mut Connection,
    file: &LocalFile,
    unfinished: &Unfinished,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<(), MigrationError> {
    let text = read_sql(&file.path)?;
    let statements = text_array(sql::split(&text).iter().map(|piece| piece.whole));
    let record = [
        Param::text(file.version.clone()),
        Param::text(file.name.clone()),
        Param::typed(Some(statements.into()), TEXT_ARRAY),
    ];
    let script = Script { file: &file.file_name(), text: &text, record: (INSERT, &record) };
    batch::run(connection, &script, unfinished, progress).await
}

/// PostgreSQL's text form of an array of texts.
pub(super) fn text_array<'s>(items: impl Iterator<Item = &'s str>) -> String {
    let quoted: Vec<String> =
        items.map(|item| format!("\"{}\"", item.replace('\\', "\\\\").replace('"', "\\\""))).collect();
    format!("{{{}}}", quoted.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(versions: &[&str]) -> Vec<LocalFile> {
        versions
            .iter()
            .map(|version| judge(Path::new(""), &format!("{version}_x.sql"), false).expect("valid"))
            .collect()
    }

    fn applied(versions: &[&str]) -> Vec<String> {
        versions.iter().map(|version| (*version).to_owned()).collect()
    }

    // rows: cli/CLI-ORDER
    #[test]
    fn only_new_files_are_pending() {
        let new = pending(&files(&["1", "2", "10"]), &applied(&["1", "2"]), Order::Strict).expect("in order");
        assert_eq!(new, files(&["10"]));
    }

    // rows: cli/CLI-ORDER
    #[test]
    fn a_late_file_stops_unless_all_are_included() {
        let error =
            pending(&files(&["1", "2", "3"]), &applied(&["1", "3"]), Order::Strict).expect_err("late");
        assert!(error.to_string().starts_with(
            "Found local migration files to be inserted before the last migration on remote database."
        ));
        let new =
            pending(&files(&["1", "2", "3"]), &applied(&["1", "3"]), Order::IncludeAll).expect("allowed");
        assert_eq!(new, files(&["2"]));
    }

    // rows: cli/CLI-ORDER
    #[test]
    fn an_applied_version_without_file_stops() {
        let error = pending(&files(&["1"]), &applied(&["1", "2"]), Order::IncludeAll).expect_err("missing");
        assert!(
            error
                .to_string()
                .starts_with("Remote migration versions not found in local migrations directory.")
        );
    }

    // rows: cli/CLI-FILES
    #[test]
    fn names_that_are_no_migrations_are_skipped() {
        assert!(judge(Path::new(""), "notes.sql", false).is_err());
        assert!(judge(Path::new(""), "20260101_x.txt", false).is_err());
        assert!(judge(Path::new(""), "20200101000000_init.sql", true).is_err());
        assert!(judge(Path::new(""), "20260101000000_init.sql", true).is_ok());
    }

    #[test]
    fn statements_survive_the_array_form() {
        assert_eq!(text_array(["a\"b\\c", "{x,y}"].into_iter()), r#"{"a\"b\\c","{x,y}"}"#);
        assert_eq!(text_array(std::iter::empty()), "{}");
    }
}
