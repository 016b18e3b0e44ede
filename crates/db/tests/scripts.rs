use banyan_db::{Column, Login, MigrationError, ScriptEvent};
use banyan_testkit::{TestDatabase, platform_database};

async fn run(database: &TestDatabase, sql: &str) -> Result<Vec<ScriptEvent>, MigrationError> {
    let mut events = Vec::new();
    let mut on_event = |event| {
        events.push(event);
        Ok(())
    };
    database.run_script(Login::Postgres, ("query", sql), &mut on_event).await?;
    events.retain(|event| *event != ScriptEvent::SchemaChanged);
    Ok(events)
}

async fn tells_of_a_change(database: &TestDatabase, sql: &str) -> bool {
    let mut has_changed = false;
    let mut on_event = |event| {
        has_changed |= event == ScriptEvent::SchemaChanged;
        Ok(())
    };
    let _ = database.run_script(Login::Postgres, ("query", sql), &mut on_event).await;
    has_changed
}

// rows: cli/CLI-SCHEMA-SHOWN
#[tokio::test]
async fn a_script_tells_of_each_change_of_the_schema_that_is_committed_and_of_no_other() {
    let database = platform_database().await;
    for sql in [
        "select 1 as a into u1",
        "with one as (select 1 as a) select * into u2 from one",
        "explain analyze create table u3 as select 1 as a",
        "create function make_table() returns void language sql as 'create table u4 (a int)'; select 1",
        "select make_table()",
        "do $$ begin create table u5 (); end $$",
        "begin; create table u6 (); commit; begin; select 1",
        "begin; create table u7 (); commit; select nope",
        "discard all; create table u8 ()",
        "unlisten *; create table u9 ()",
        "drop table u1",
    ] {
        assert!(tells_of_a_change(&database, sql).await, "{sql}");
    }
    for sql in
        ["select 1", "create temp table t ()", "begin; create table v ()", "create table v (); select nope"]
    {
        assert!(!tells_of_a_change(&database, sql).await, "{sql}");
    }
}

const INTEGER: u32 = 23;
const TEXT: u32 = 25;
const REGCLASS: u32 = 2205;

fn columns(columns: &[(&str, u32)]) -> ScriptEvent {
    let column = |(name, type_oid): &(&str, u32)| Column { name: (*name).to_owned(), type_oid: *type_oid };
    ScriptEvent::Columns(columns.iter().map(column).collect())
}

fn row(values: &[Option<&str>]) -> ScriptEvent {
    ScriptEvent::Row(values.iter().map(|value| value.map(str::to_owned)).collect())
}

// rows: cli/CLI-DB-QUERY
#[tokio::test]
async fn a_copy_takes_its_data_from_the_lines_below_and_gives_what_it_copies() {
    let database = platform_database().await;
    let script = "create table public.a (id int, name text);\ncopy public.a from stdin;\n1\tx;\n2\t\\N\n\\.\n\
                  select id, name from public.a order by id;\ncopy public.a to stdout csv -- note\n; select 3 as n;";
    let events = run(&database, script).await.expect("it runs");
    let copied: Vec<&[u8]> = events
        .iter()
        .filter_map(|event| match event {
            ScriptEvent::Copied(bytes) => Some(&bytes[..]),
            _ => None,
        })
        .collect();
    assert_eq!(copied.concat(), b"1,x;\n2,\n");
    let rows: Vec<ScriptEvent> =
        events.into_iter().filter(|event| !matches!(event, ScriptEvent::Copied(_))).collect();
    assert_eq!(
        rows,
        [
            columns(&[("id", INTEGER), ("name", TEXT)]),
            row(&[Some("1"), Some("x;")]),
            row(&[Some("2"), None]),
            columns(&[("n", INTEGER)]),
            row(&[Some("3")])
        ]
    );
}

// rows: cli/CLI-DB-QUERY
#[tokio::test]
async fn a_transaction_that_a_script_leaves_open_is_rolled_back_with_a_word() {
    let database = platform_database().await;
    let message = "WARNING: the transaction that was begun was not committed, and is rolled back";
    let events = run(&database, "begin; create table public.half ()").await.expect("it runs");
    assert_eq!(events, [ScriptEvent::Notice(message.to_owned())]);
    let events = run(&database, "begin; create table public.whole (); commit").await.expect("it runs");
    assert_eq!(events, []);
}

// rows: cli/CLI-DB-QUERY
#[tokio::test]
async fn a_mistake_in_a_script_undoes_it_and_names_line_and_statement() {
    let database = platform_database().await;
    for (script, start, message) in [
        (
            "create table public.a (id int);\ncopy public.a from stdin;\n1\nx\n\\.\nselect 1;",
            "query:4: ERROR: invalid input syntax for type integer: \"x\" (SQLSTATE 22P02)",
            "COPY a, line 2, column id: \"x\"\nAt statement: 1",
        ),
        (
            "-- note;\n;select 1;\nselect 2,\n  nope",
            "query:4: ERROR: column \"nope\"",
            "At statement: 1\nselect 2,\n  nope\n  ^",
        ),
        (
            "select 1; select from from",
            "query:1: ERROR: syntax error",
            "At statement: 1\nselect from from\n            ^",
        ),
        ("copy public.a from stdin", "query:1: copy from stdin takes its data", "At statement: 0"),
        (
            "create table public.a (id int);\nselect 1/0",
            "query:2: ERROR: division by zero",
            "At statement: 1\nselect 1/0",
        ),
    ] {
        let error = run(&database, script).await.expect_err("a mistake").to_string();
        assert!(error.starts_with(start) && error.contains(message), "{error}");
    }
    let events = run(&database, "select to_regclass('public.a') as a").await.expect("asked");
    assert_eq!(events, [columns(&[("a", REGCLASS)]), row(&[None])]);
}

// rows: cli/CLI-DB-QUERY
#[tokio::test]
async fn what_a_script_committed_itself_is_told() {
    let database = platform_database().await;
    let script = "begin; create table public.a (id int); commit; create table public.b (id int); select nope";
    let error = run(&database, script).await.expect_err("no such column").to_string();
    let message = "Statements 0 to 2 are committed and were not rolled back, since statement 2 (line 1) ends a transaction.";
    assert!(error.ends_with(message), "{error}");
    let there = "select to_regclass('public.a') as a, to_regclass('public.b') as b";
    let events = run(&database, there).await.expect("asked");
    assert_eq!(events[1], row(&[Some("a"), None]));
    let undone = run(&database, "begin; select 1; rollback; select nope").await.expect_err("no such column");
    assert!(!undone.to_string().contains("committed"), "{undone}");
}

// rows: cli/CLI-DB-QUERY
#[tokio::test]
async fn what_no_transaction_may_hold_runs_by_itself_in_a_script() {
    let database = platform_database().await;
    let script = "create table public.a (id int); select 1 as n; vacuum public.a; insert into public.a values (1);\n\
                  create index concurrently on public.a (id); select 2 as n";
    let events = run(&database, script).await.expect("it runs");
    let n = || columns(&[("n", INTEGER)]);
    assert_eq!(events, [n(), row(&[Some("1")]), n(), row(&[Some("2")])], "in their order");
    let script =
        "insert into public.a values (2); vacuum public.a;\ninsert into public.a values (3); select\n nope";
    let error = run(&database, script).await.expect_err("no such column").to_string();
    let message = "Statements 0 to 1 are committed and were not rolled back, since statement 1 (line 1) cannot run in a \
                transaction.";
    assert!(error.starts_with("query:3: ERROR: column \"nope\"") && error.ends_with(message), "{error}");
    assert!(error.contains("At statement: 3\nselect\n nope\n ^"), "{error}");
    let events = run(&database, "select max(id) as n from public.a").await.expect("asked");
    assert_eq!(events, [n(), row(&[Some("2")])]);
    let within = run(&database, "begin; vacuum public.a; commit").await.expect_err("a transaction");
    assert!(within.to_string().contains("(SQLSTATE 25001)"), "{within}");
}

// rows: cli/CLI-DB-QUERY
#[tokio::test]
async fn a_script_passes_on_notices_and_warnings() {
    let database = platform_database().await;
    let script = "do $$ begin raise notice 'one'; raise warning 'two'; end $$";
    let noticed = |text: &str| ScriptEvent::Notice(text.to_owned());
    let events = run(&database, script).await.expect("it runs");
    assert_eq!(events, [noticed("NOTICE: one"), noticed("WARNING: two")]);
}

// rows: cli/CLI-DB-QUERY
#[tokio::test]
async fn a_script_whose_reader_is_gone_ends() {
    let database = platform_database().await;
    let mut count = 0;
    let mut on_event = |_| {
        count += 1;
        Err(std::io::ErrorKind::BrokenPipe.into())
    };
    let endless = "copy (select generate_series(1, 1000000000)) to stdout";
    database.run_script(Login::Postgres, ("query", endless), &mut on_event).await.expect_err("nobody reads");
    assert_eq!(count, 1);
}
