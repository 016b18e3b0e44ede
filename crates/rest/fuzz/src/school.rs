//! The school of the service's own tests, and PostgreSQL's opinion of a text.

use std::{
    collections::{HashSet, hash_map::DefaultHasher},
    hash::{Hash, Hasher},
    path::Path,
    sync::{Arc, Mutex, OnceLock},
};

use banyan_db::Login;
use banyan_rest::{Settings, State, schema::Snapshot, settings::TransactionEnd};
use banyan_testkit::TestDatabase;
use sqlx::{
    AssertSqlSafe, Connection as _, Executor as _, PgConnection, pool::PoolConnection, postgres::Postgres,
};
use tokio::runtime::Runtime;

use crate::tokens::Vocabulary;

/// Refusals that tell of a text, not of what it names: syntax, names, encoding, limits, faults of
/// PostgreSQL itself.
const FAULTS: [&str; 5] = ["42601", "42602", "22021", "54", "XX"];

/// Texts whose hash is kept, so that PostgreSQL is asked once.
const KEPT: usize = 2_000_000;

/// What requests are planned against, and who judges the SQL.
pub struct School {
    /// Catalog and settings.
    pub snapshot: Arc<Snapshot>,
    /// Words that SQL may hold.
    pub vocabulary: Vocabulary,
    judge: Mutex<Judge>,
    runtime: Runtime,
    _database: TestDatabase,
}

struct Judge {
    connection: PoolConnection<Postgres>,
    known: HashSet<u64>,
}

impl School {
    /// The one school of this process, opened at the first call.
    pub fn get() -> &'static Self {
        static SCHOOL: OnceLock<School> = OnceLock::new();
        SCHOOL.get_or_init(Self::open)
    }

    fn open() -> Self {
        let runtime = Runtime::new().expect("a runtime");
        let (database, snapshot, connection) = runtime.block_on(build());
        let mut texts = vec![format!("{:?}", snapshot.catalog)];
        for folder in ["src/sql", "src/request"] {
            texts.extend(sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder)));
        }
        let judge = Mutex::new(Judge { connection, known: HashSet::new() });
        Self { snapshot, vocabulary: Vocabulary::of(texts), judge, runtime, _database: database }
    }

    /// Whether PostgreSQL can parse a text. That a column does not exist is no matter here.
    pub fn parses(&self, sql: &str) -> Result<(), String> {
        let mut judge = self.judge.lock().expect("no thread panics and goes on");
        let mut hasher = DefaultHasher::new();
        sql.hash(&mut hasher);
        if judge.known.len() >= KEPT {
            judge.known.clear();
        }
        if !judge.known.insert(hasher.finish()) {
            return Ok(());
        }
        self.runtime.block_on(prepare(&mut judge.connection, sql))
    }
}

async fn build() -> (TestDatabase, Arc<Snapshot>, PoolConnection<Postgres>) {
    let database = banyan_testkit::platform_database().await;
    let pool = database.pool(Login::Postgres);
    for script in [include_str!("../../tests/fixtures.sql"), include_str!("../../tests/fixtures_studio.sql")]
    {
        pool.execute(sqlx::raw_sql(script)).await.expect("the school can be built");
    }
    let state = State::new(database.database().clone(), settings());
    assert!(state.load().await, "the schema can be read");
    let snapshot = state.snapshot().expect("it was loaded");
    let mut connection = database.pool(Login::Postgres).acquire().await.expect("a connection");
    let path = snapshot.settings.search_path("public");
    connection.execute(AssertSqlSafe(format!("set search_path = {path}"))).await.expect("a search path");
    (database, snapshot, connection)
}

/// Everything that can be switched on, so that all of it is fuzzed.
fn settings() -> Settings {
    Settings {
        schemas: vec!["public".to_owned(), "hidden".to_owned()],
        extra_search_path: vec!["public".to_owned(), "extensions".to_owned()],
        max_rows: Some(1000),
        anonymous_role: Some("anon".to_owned()),
        transaction_end: TransactionEnd { rollback: false, choice: true },
        aggregates: true,
        plans: true,
        ..Settings::default()
    }
}

async fn prepare(connection: &mut PgConnection, sql: &str) -> Result<(), String> {
    let sql =
        sql.strip_prefix("EXPLAIN (").and_then(|rest| rest.split_once(") ")).map_or(sql, |(_, query)| query);
    let script = format!("deallocate all; prepare judged as {sql}");
    match connection.execute(sqlx::raw_sql(AssertSqlSafe(script))).await {
        Ok(_) => Ok(()),
        Err(sqlx::Error::Database(refusal)) => {
            let code = refusal.code().unwrap_or_default();
            match FAULTS.iter().any(|fault| code.starts_with(fault)) {
                true => Err(format!("{code} {}", refusal.message())),
                false => Ok(()),
            }
        }
        Err(error) => panic!("PostgreSQL does not answer: {error}, {:?}", connection.ping().await),
    }
}

/// What a folder's sources say, comments and tests left out.
fn sources(folder: &Path) -> Vec<String> {
    let texts = files(folder, "rs").chain(files(folder, "sql"));
    let texts = texts.filter(|path| !path.ends_with("tests.rs"));
    texts
        .map(|path| std::fs::read_to_string(path).expect("a readable file"))
        .flat_map(|text| strings(&text))
        .collect()
}

/// The texts between double quotes; of SQL, which has none, everything.
fn strings(source: &str) -> Vec<String> {
    let code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code: Vec<_> = code.collect();
    let code = code.join("\n").replace("\\\"", "");
    match source.contains("fn ") {
        true => code.split('"').skip(1).step_by(2).map(|text| text.replace("\\n", "\n")).collect(),
        false => vec![code],
    }
}

fn files(folder: &Path, extension: &'static str) -> impl Iterator<Item = std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a readable folder");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths.into_iter().filter(move |path| path.extension().is_some_and(|found| found == extension))
}
