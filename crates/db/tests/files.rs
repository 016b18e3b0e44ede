use std::{io::Write as _, path::Path};

use banyan_db::{
    Login, MigrationError,
    migrations::{self, Order, Progress},
    sql::split,
};
use banyan_testkit::{TestDatabase, platform_database};
use proptest::{prelude::*, strategy::ValueTree as _, test_runner::TestRunner};
use sqlx::{AssertSqlSafe, Executor as _, SqlSafeStr as _};

/// A project of one migration or seed.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().expect("in a folder")).expect("made");
        std::fs::write(path, bytes).expect("written");
    }

    async fn apply(&self, database: &TestDatabase) -> Result<Vec<String>, MigrationError> {
        let mut told = Vec::new();
        let mut tell = |step: Progress| told.push(step.to_string());
        migrations::apply(database, self.path(), Order::Strict, None, &mut tell).await?;
        Ok(told)
    }

    async fn seed(&self, database: &TestDatabase) -> Result<usize, MigrationError> {
        let patterns = ["./seed*".to_owned()];
        migrations::seed(database, self.path(), &patterns, &mut |_| {}).await
    }
}

async fn number(database: &TestDatabase, query: &'static str) -> i64 {
    sqlx::query_scalar(query).fetch_one(database.pool(Login::Admin)).await.expect("asked")
}

async fn code_of(database: &TestDatabase, sql: String) -> Option<String> {
    let outcome = sqlx::raw_sql(AssertSqlSafe(sql)).execute(database.pool(Login::Postgres)).await;
    let error = outcome.err()?;
    Some(error.as_database_error().expect("the server's").code().expect("a code").into_owned())
}

// rows: cli/CLI-ALONE
#[tokio::test]
async fn what_no_transaction_may_hold_runs_alone() {
    let database = platform_database().await;
    let folder = Folder::new();
    folder.write("1_a.sql", "create index concurrently on public.a (id);");
    let error = folder.apply(&database).await.expect_err("no table");
    assert!(
        error.to_string().starts_with("1_a.sql:1: ERROR: relation \"public.a\" does not exist"),
        "{error}"
    );
    folder.write(
        "1_a.sql",
        "create table public.a (id int); insert into public.a values (1);
         create index concurrently a_id on public.a (id); vacuum (analyze) public.a;
         reindex (verbose, concurrently) index public.a_id; drop index concurrently public.a_id;
         set search_path = auth; create unique index concurrently a_id on public.a (id);
         select 1 from users;",
    );
    folder.apply(&database).await.expect("applied");
    assert_eq!(migrations::applied(&database).await.expect("asked"), ["1"]);
    let statements = "select cardinality(statements)::int8 from supabase_migrations.schema_migrations";
    assert_eq!(number(&database, statements).await, 9);
    assert_eq!(
        number(&database, "select count(*) from pg_index where indexrelid = 'public.a_id'::regclass").await,
        1
    );
    assert_eq!(number(&database, "select count(*) from supabase_migrations.unfinished_files").await, 0);
}

// rows: cli/CLI-ALONE
#[tokio::test]
async fn what_only_the_server_knows_to_run_alone_does() {
    let database = platform_database().await;
    let folder = Folder::new();
    folder.write(
        "1_a.sql",
        "create table public.p (id int primary key) partition by range (id);
         create table public.p1 partition of public.p for values from (0) to (9);
         create type public.mood as enum ('sad'); create table public.m (mood public.mood);
         alter type public.mood add value 'glad';
         reindex table public.p;
         insert into public.m values ('glad');",
    );
    folder.write("2_b.sql", "alter type public.mood add value 'so'; insert into public.m values ('so');");
    folder.apply(&database).await.expect("applied");
    assert_eq!(number(&database, "select count(*) from public.m").await, 2);
    assert_eq!(migrations::applied(&database).await.expect("asked"), ["1", "2"]);
}

// rows: cli/CLI-ERROR
#[tokio::test]
async fn a_mixed_file_says_what_stays_and_goes_on_there() {
    let database = platform_database().await;
    let folder = Folder::new();
    let head =
        "create table public.a (id int);\nset search_path = public;\ncreate index concurrently on a (id);\n";
    folder.write("1_a.sql", format!("{head}insert into a values (1);\nselect nope;\n"));
    let error = folder.apply(&database).await.expect_err("no such column").to_string();
    let expected = "At statement: 4\nselect nope\n       ^\nStatements 0 to 2 are committed and were not rolled back, since \
                    statement 2 (line 3) cannot run in a transaction. The next run goes on behind them.";
    assert!(error.starts_with("1_a.sql:5: ERROR: column") && error.contains(expected), "{error}");
    assert_eq!(number(&database, "select count(*) from public.a").await, 0);
    assert_eq!(migrations::applied(&database).await.expect("asked"), [""; 0]);

    folder.write("1_a.sql", format!("{head}insert into a values (1);\nselect 1;\n"));
    let told = folder.apply(&database).await.expect("applied");
    assert_eq!(
        told,
        [
            "Applying migration 1_a.sql...",
            "Continuing 1_a.sql at statement 3, since an earlier run committed those before it...",
        ]
    );
    assert_eq!(number(&database, "select count(*) from public.a").await, 1);
    assert_eq!(
        number(&database, "select count(*) from pg_index where indrelid = 'public.a'::regclass").await,
        1
    );
    assert_eq!(number(&database, "select count(*) from supabase_migrations.unfinished_files").await, 0);
}

// rows: cli/CLI-ALONE
#[tokio::test]
async fn a_statement_that_an_earlier_run_left_in_the_middle_is_told() {
    let database = platform_database().await;
    let folder = Folder::new();
    folder.write(
        "1_a.sql",
        "create table public.a (id int);\ncreate index concurrently i on public.a (id);\nselect nope;",
    );
    folder.apply(&database).await.expect_err("no such column");
    // Statements that were changed since are no longer those of the note.
    let note = "update supabase_migrations.unfinished_files set hash = 'other'";
    database.pool(Login::Postgres).execute(note).await.expect("noted");
    let error = folder.apply(&database).await.expect_err("it runs from its start").to_string();
    let told = "An earlier run of this file committed its first 2 statements; they were changed since";
    assert!(error.contains("\"a\" already exists") && error.contains(told), "{error}");

    let other = platform_database().await;
    folder.write("1_a.sql", "create index concurrently i on public.b (id);");
    let error = folder.apply(&other).await.expect_err("no table").to_string();
    assert!(!error.contains("invalid index"), "it began with nothing: {error}");
    let note = "update supabase_migrations.unfinished_files set is_running = true";
    other.pool(Login::Postgres).execute(note).await.expect("as if the session had been lost");
    let table = "create table public.b (id int); create index i on public.b (id)";
    other.pool(Login::Postgres).execute(table).await.expect("made");
    for _ in 0..2 {
        let error = folder.apply(&other).await.expect_err("the index is there").to_string();
        assert!(error.contains("An earlier run ended while this statement ran"), "{error}");
    }
}

// rows: cli/CLI-ERROR
#[tokio::test]
async fn a_file_that_was_changed_once_it_was_committed_in_part_says_the_way_on() {
    let database = platform_database().await;
    let folder = Folder::new();
    let head = "create table public.a (id int);\ncreate index concurrently on public.a (id);\n";
    folder.write("1_a.sql", format!("{head}select nope;"));
    folder.apply(&database).await.expect_err("no such column");
    folder.write("1_a.sql", format!("{}select 1;", head.replace("int", "bigint")));
    let error = folder.apply(&database).await.expect_err("the table is there").to_string();
    let told = "they were changed since. With those as they were, the next run goes on behind them. Or undo by hand what \
                they did, and run the file again. Or run the rest of it by hand, and enter it in the history: \
                `banyan migration repair 1 --status applied`";
    assert!(error.contains(told), "{error}");
    folder.write("1_a.sql", format!("{head}select 1;"));
    let told = folder.apply(&database).await.expect("as it said");
    assert!(told[1].starts_with("Continuing 1_a.sql at statement 2"), "{told:?}");

    folder.write("supabase/seed.sql", "create table public.b (id int);\nvacuum public.b;\nselect nope;");
    folder.seed(&database).await.expect_err("no such column");
    folder.write("supabase/seed.sql", "create table public.b (id bigint);\nvacuum public.b;\nselect 1;");
    let error = folder.seed(&database).await.expect_err("the table is there").to_string();
    assert!(error.contains("run the file again") && !error.contains("repair"), "no history has it: {error}");
}

// rows: cli/CLI-ERROR
#[tokio::test]
async fn a_statement_that_the_server_refused_has_ended() {
    let database = platform_database().await;
    let folder = Folder::new();
    folder.write("1_a.sql", "select 1;\nalter system set work_mem = '8MB';");
    for _ in 0..2 {
        let error = folder.apply(&database).await.expect_err("no superuser").to_string();
        let told = "Statement 0 is committed and was not rolled back, since statement 1 (line 2) cannot run in a \
                    transaction. The next run";
        assert!(error.contains("(SQLSTATE 42501)") && error.contains(told), "{error}");
        assert!(!error.contains("may have taken effect"), "{error}");
    }
}

// rows: cli/CLI-ERROR
#[tokio::test]
async fn an_index_that_was_built_in_vain_is_told() {
    let database = platform_database().await;
    let folder = Folder::new();
    folder.write(
        "1_a.sql",
        "create table public.a as select 1 as id from generate_series(1, 2);
         create unique index concurrently on public.a (id);",
    );
    let error = folder.apply(&database).await.expect_err("twice the same").to_string();
    assert!(error.contains("It leaves an invalid index behind, to be dropped"), "{error}");
    let left = "select count(*) from pg_index where not indisvalid";
    assert_eq!(number(&database, left).await, 1);
}

// rows: cli/CLI-ALONE
#[tokio::test]
async fn what_a_file_commits_itself_is_told_and_runs_once() {
    let database = platform_database().await;
    let folder = Folder::new();
    let head = "create table public.p (id int primary key) partition by range (id);
         create table public.p1 partition of public.p for values from (0) to (99);
         create sequence public.s;\nbegin;\ninsert into public.p values (nextval('public.s'));\ncommit;\n";
    folder
        .write("1_a.sql", format!("{head}insert into public.p values (50);\nbegin;\nselect nope;\ncommit;"));
    let error = folder.apply(&database).await.expect_err("no such column").to_string();
    let told = "Statements 0 to 5 are committed and were not rolled back, since statement 5 (line 6) ends a transaction. \
                The next run goes on behind them.";
    assert!(error.contains(told), "{error}");
    // What only the server knows to run alone makes the rest run again, and no more.
    folder.write(
        "1_a.sql",
        format!("{head}begin; insert into public.p values (60); commit; reindex table public.p;"),
    );
    folder.apply(&database).await.expect("applied");
    assert_eq!(number(&database, "select sum(id) from public.p").await, 61);
}

// rows: cli/CLI-LOST
#[tokio::test]
async fn wherever_the_session_is_lost_the_next_run_completes_the_file_once() {
    const LOST: &str = "select pg_terminate_backend(pg_backend_pid())";
    let database = platform_database().await;
    let folder = Folder::new();
    for place in 0..=6 {
        let mut statements = vec![
            format!("create table public.t{place} (id int)"),
            format!("create index concurrently t{place}_id on public.t{place} (id)"),
            format!("insert into public.t{place} values (1)"),
            "set search_path = public".to_owned(),
            format!("vacuum public.t{place}"),
            format!("insert into t{place} values (2)"),
        ];
        let file = format!("{place}_a.sql");
        let whole = statements.join(";\n");
        statements.insert(place, LOST.to_owned());
        folder.write(&file, statements.join(";\n"));
        let error = folder.apply(&database).await.expect_err("the session is lost").to_string();
        let told = error.starts_with(&format!("{file}:")) && error.contains("At statement: ");
        assert!(told, "{error}");
        folder.write(&file, &whole);
        folder
            .apply(&database)
            .await
            .unwrap_or_else(|error| panic!("lost before statement {place}: {error}"));
        let query = format!("select count(*) || '/' || sum(id) from public.t{place}");
        let sum: String = sqlx::query_scalar(AssertSqlSafe(query))
            .fetch_one(database.pool(Login::Postgres))
            .await
            .expect("asked");
        assert_eq!(sum, "2/3", "lost before statement {place}");
    }
    assert_eq!(migrations::applied(&database).await.expect("asked").len(), 7);
    assert_eq!(number(&database, "select count(*) from supabase_migrations.unfinished_files").await, 0);
}

// rows: cli/CLI-ALONE
#[tokio::test]
async fn in_a_transaction_of_the_file_the_server_has_the_last_word() {
    let database = platform_database().await;
    let folder = Folder::new();
    folder.write(
        "1_a.sql",
        "create table public.a (id int);\nbegin;\ncreate index concurrently on public.a (id);\ncommit;",
    );
    let error = folder.apply(&database).await.expect_err("not in a transaction");
    assert!(error.to_string().starts_with("1_a.sql:3: ERROR: CREATE INDEX CONCURRENTLY"), "{error}");
    assert!(!error.to_string().contains("committed"), "{error}");
    assert_eq!(migrations::applied(&database).await.expect("asked"), [""; 0]);
}

/// As `pg_dump` writes it.
const DUMP: &str = "\\restrict x\n\nSET standard_conforming_strings = on;\nCREATE TABLE public.a (id integer, name text);\n\n\
    COPY public.a (id, name) FROM stdin;\n1\tit's; -- $$\n2\t\\N\n\\.\n\nCREATE TABLE public.b (id integer);\n\
    COPY public.b FROM stdin;\n\\.\n\n\\unrestrict x\n";

// rows: cli/CLI-COPY cli/CLI-PACKED
#[tokio::test]
async fn migrations_and_seeds_copy_inline_data() {
    let database = platform_database().await;
    let folder = Folder::new();
    folder.write("1_a.sql", format!("\u{feff}{DUMP}"));
    folder.apply(&database).await.expect("applied");
    let rows: Vec<(i32, Option<String>)> = sqlx::query_as("select id, name from public.a order by id")
        .fetch_all(database.pool(Login::Postgres))
        .await
        .expect("asked");
    assert_eq!(rows, [(1, Some("it's; -- $$".to_owned())), (2, None)]);
    let kept = "select count(*) from supabase_migrations.schema_migrations, unnest(statements) as text
                where text = E'COPY public.b FROM stdin;\\n\\\\.'";
    assert_eq!(number(&database, kept).await, 1);

    let seed = "copy public.b from stdin;\n7\n\\.\n";
    folder.write("supabase/seed.sql", format!("\u{feff}{seed}"));
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(seed.replace('7', "8").as_bytes()).expect("packed");
    folder.write("supabase/seed_2.sql.gz", packed.finish().expect("packed"));
    assert_eq!(folder.seed(&database).await.expect("seeded"), 2);
    assert_eq!(folder.seed(&database).await.expect("nothing new"), 0);
    assert_eq!(number(&database, "select sum(id) from public.b").await, 15);
}

// rows: cli/CLI-ERROR
#[tokio::test]
async fn every_error_of_a_file_names_file_line_and_statement() {
    let database = platform_database().await;
    database.pool(Login::Postgres).execute("create table public.a (id int)").await.expect("created");
    let folder = Folder::new();
    for (text, line, told) in [
        (
            "select 1;\ncopy public.a from stdin;\n1\nx\n\\.\nselect 2;",
            4,
            "COPY a, line 2, column id: \"x\"\nAt statement: 1",
        ),
        (
            "select 1;\n\ncopy public.a from stdin;\n1\n",
            3,
            "copy from stdin takes its data from the lines below",
        ),
        ("select 1;\ncopy public.a to stdout;", 2, "copy to stdout has nowhere to go"),
        ("select 1;\nselect 1\n  from nowhere;", 3, "At statement: 1\nselect 1\n  from nowhere\n       ^"),
        (
            "create table public.u (id int unique deferrable initially deferred);\ninsert into public.u values (1), (1);",
            2,
            "At the end of the file",
        ),
    ] {
        folder.write("1_a.sql", text);
        let error = folder.apply(&database).await.expect_err("a mistake").to_string();
        assert!(error.starts_with(&format!("1_a.sql:{line}: ")) && error.contains(told), "{error}");
        folder.write("supabase/seed.sql", text);
        let error = folder.seed(&database).await.expect_err("a mistake").to_string();
        assert!(error.starts_with(&format!("supabase/seed.sql:{line}: ")) && error.contains(told), "{error}");
    }
    folder.write("supabase/seed.sql", b"select 1;\nselect '\xe9';");
    let error = folder.seed(&database).await.expect_err("Latin 1").to_string();
    assert!(error.ends_with("supabase/seed.sql: line 2 is no UTF-8"), "{error}");
    folder.write("supabase/seed.sql", "select 1;");
    folder.write("supabase/seed_2.sql.gz", "no gzip");
    let error = folder.seed(&database).await.expect_err("not packed").to_string();
    assert!(error.contains("supabase/seed_2.sql.gz: is no gzip, or is cut short"), "{error}");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(b"select 1;").expect("packed");
    let whole = packed.finish().expect("packed");
    folder.write("supabase/seed_2.sql.gz", &whole[..whole.len() - 9]);
    let error = folder.seed(&database).await.expect_err("cut short").to_string();
    assert!(error.contains("supabase/seed_2.sql.gz: is no gzip, or is cut short"), "{error}");
    assert_eq!(number(&database, "select count(*) from public.a").await, 0);
    folder.write("1_a.sql", "select 1;");
    folder.write("2_b.sql.gz", "x");
    let told = folder.apply(&database).await.expect("applied");
    assert_eq!(told[0], "Skipping migration 2_b.sql.gz... (packed SQL is read in seeds only)");
}

/// Expressions in whose text an `end`, a `case`, a quote or a semicolon stands.
fn expression() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "1",
        "';'",
        "E'\\';'",
        "E'a' \n 'b\\';'",
        "$$;$$",
        "$a$; $$ $a$",
        "\"end\"",
        "s.end",
        "l.case",
        "U&\"a;\"",
        "'it''s;'",
        "/* ; /* ; */ */ 2",
        "3 -- ;\n",
        "N';'",
        "1.5e3",
        "begin",
        "atomic",
    ]);
    let leaf = leaf.prop_map(str::to_owned);
    leaf.prop_recursive(3, 8, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("case when {a} = {b} then {a} end")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} - {b})")),
            inner.prop_map(|a| format!("(select {a} as end)")),
        ]
    })
}

/// A statement that PostgreSQL's grammar knows, whatever it says of the names in it.
fn statement() -> impl Strategy<Value = String> {
    let plain = prop_oneof![
        expression().prop_map(|a| format!("select {a} as end from s, l")),
        expression().prop_map(|a| format!("insert into t values ({a})")),
        expression().prop_map(|a| format!("select {a} end")),
        expression().prop_map(|a| format!(
            "create rule r as on insert to t do (delete from a where {a}; select 1; )"
        )),
        Just("/* only ; a comment */ select begin atomic".to_owned()),
        Just("select 1 as atomic, 2 as \"begin\"".to_owned()),
    ];
    let plain = plain.boxed();
    let body = prop::collection::vec(plain.clone(), 0..3);
    let routine = (body, prop::sample::select(vec!["begin atomic", "BEGIN\n/*;*/ Atomic", "begin -- x\n atomic"])).prop_map(
        |(body, opening)| {
            let body: String = body.iter().map(|statement| format!(" {statement};")).collect();
            format!("create or replace function f(begin int default 1) returns int language sql {opening}{body} end")
        },
    );
    prop_oneof![4 => plain, 2 => routine, 1 => Just("begin".to_owned()), 1 => Just("end".to_owned())]
}

/// PostgreSQL reads all of a simple query before it runs any of it, and takes one statement alone
/// to be prepared.
// rows: cli/CLI-STATEMENTS
#[tokio::test]
async fn files_are_cut_as_postgresql_cuts_them() {
    const DIVISION_BY_ZERO: &str = "22012";
    const SYNTAX: &str = "42601";
    let database = platform_database().await;
    let mut runner = TestRunner::deterministic();
    let files = prop::collection::vec(statement(), 1..6);
    for _ in 0..60 {
        let statements = files.new_tree(&mut runner).expect("a file").current();
        let file = statements.join(";\n");
        let whole = code_of(&database, format!("select 1/0; {file}")).await;
        assert_eq!(whole.as_deref(), Some(DIVISION_BY_ZERO), "PostgreSQL's grammar knows it: {file}");
        let pieces = split(&file);
        assert_eq!(pieces.len(), statements.len(), "{file}");
        for piece in pieces {
            let alone = code_of(&database, format!("select 1/0; {}", piece.text)).await;
            assert_eq!(alone.as_deref(), Some(DIVISION_BY_ZERO), "{} in {file}", piece.text);
            let prepared = database
                .pool(Login::Postgres)
                .prepare(AssertSqlSafe(piece.text.to_owned()).into_sql_str())
                .await;
            let code = prepared
                .err()
                .and_then(|error| error.as_database_error()?.code().map(|code| code.into_owned()));
            assert_ne!(code.as_deref(), Some(SYNTAX), "one statement: {}", piece.text);
        }
    }
}
