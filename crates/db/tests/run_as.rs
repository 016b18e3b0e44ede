use std::borrow::Cow;

use banyan_db::{Database, Isolation, Login, Param, Rows, RunAs, RunError, Statement};
use banyan_identity::Caller;
use banyan_testkit::{platform_database, user};
use sqlx::Executor as _;
use uuid::Uuid;

pub(crate) fn statement(text: &str) -> Statement {
    Statement::new(text, vec![])
}

pub(crate) async fn run(database: &Database, caller: &Caller, text: &str) -> Result<Rows, RunError> {
    database.run_as(&RunAs::new(caller, &statement(text))).await
}

// rows: PG-PIPELINE
#[tokio::test]
async fn a_statement_runs_with_role_and_claims_of_its_caller() {
    let database = platform_database().await;
    let caller = user(Uuid::from_u128(5));
    for _ in 0..3 {
        let rows = run(&database, &caller, "select current_user, auth.uid(), auth.jwt() ->> 'aud'").await;
        let rows = rows.expect("runs");
        assert_eq!(rows.text(0, 0), Some("authenticated"));
        assert_eq!(rows.text(0, 1), Some("00000000-0000-0000-0000-000000000005"));
        assert_eq!(rows.text(0, 2), Some("authenticated"));
    }
    let rows = run(&database, &Caller::anonymous(), "select current_user, auth.uid()").await.expect("runs");
    assert_eq!((rows.text(0, 0), rows.get(0, 1)), (Some("anon"), None));
}

#[tokio::test]
async fn nothing_of_one_request_is_left_for_the_next() {
    let database = platform_database().await;
    let probe = "select current_user, current_setting('request.jwt.claims', true), \
                 current_setting('request.path', true), current_setting('search_path'), \
                 current_setting('statement_timeout'), current_setting('transaction_read_only')";
    let poison = [
        ("request.path", Cow::from("/lessons")),
        ("search_path", Cow::from("auth")),
        ("statement_timeout", Cow::from("77s")),
    ];
    let statement = statement(probe);
    let service = Caller::service();
    let one = Database::connect(&banyan_db::DatabaseSettings { pool_size: 1, ..database.settings().clone() });
    let one = one.expect("valid settings");
    let clean = run(&one, &Caller::anonymous(), probe).await.expect("runs");
    let poisoned = RunAs { settings: &poison, read_only: true, ..RunAs::new(&service, &statement) };
    let rows = one.run_as(&poisoned).await.expect("runs");
    assert_eq!(rows.text(0, 0), Some("service_role"));
    assert_eq!(rows.text(0, 2), Some("/lessons"));
    assert_eq!(rows.text(0, 3), Some("auth"));
    assert_eq!(rows.text(0, 4), Some("77s"));
    assert_eq!(rows.text(0, 5), Some("on"));
    let failing = self::statement("select 1/0");
    one.run_as(&RunAs { statement: &failing, ..poisoned }).await.expect_err("division by zero");
    one.run_as(&RunAs { rollback: true, ..poisoned }).await.expect("runs");
    // A placeholder that was set once reads as the empty text ever after; that is PostgreSQL's own
    // way.
    let after = run(&one, &Caller::anonymous(), probe).await.expect("runs");
    assert_eq!(after.text(0, 2), Some(""));
    for column in [0, 1, 3, 4, 5] {
        assert_eq!(after.text(0, column), clean.text(0, column), "column {column}");
    }
}

#[tokio::test]
async fn parameters_are_data_whatever_they_hold() {
    let database = platform_database().await;
    let huge = "पाठ ' \" \\ ; -- ".repeat(800_000);
    let values = ["'", "\"; drop table x; --", "\\", "$1", "a\nb\tc\u{1}", huge.as_str(), ""];
    let statement = Statement::new(
        "select $1::text, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text, $8::text",
        values.iter().map(|value| Param::text((*value).to_owned())).chain([Param::null()]).collect(),
    );
    let rows = database.run_as(&RunAs::new(&Caller::anonymous(), &statement)).await.expect("runs");
    for (column, value) in values.iter().enumerate() {
        assert!(rows.text(0, column) == Some(*value), "parameter {column}");
    }
    assert_eq!(rows.get(0, 7), None);
}

#[tokio::test]
async fn many_rows_and_their_number_come_back() {
    let database = platform_database().await;
    let text = "select n, repeat('x', 1000) from generate_series(1, 5000) as n";
    let rows = run(&database, &Caller::anonymous(), text).await.expect("runs");
    assert_eq!(rows.rows.len(), 5000);
    assert_eq!(rows.affected, 5000);
    assert_eq!(rows.text(4999, 0), Some("5000"));
    assert_eq!(rows.get(2500, 1).map(bytes::Bytes::len), Some(1000));
    assert_eq!(rows.get(5000, 0), None);
}

async fn with_table() -> banyan_testkit::TestDatabase {
    let database = platform_database().await;
    database
        .pool(Login::Postgres)
        .execute("create table public.notes (id int primary key, body text)")
        .await
        .expect("created");
    database
}

async fn count(database: &Database) -> Option<String> {
    let rows = run(database, &Caller::service(), "select count(*) from notes").await.expect("runs");
    rows.text(0, 0).map(str::to_owned)
}

// rows: PG-PIPELINE-ATOMIC
#[tokio::test]
async fn a_failing_statement_commits_nothing() {
    let database = with_table().await;
    let insert = "with new as (insert into notes values (1, 'a') returning id) select 1 / (id - 1) from new";
    let error = run(&database, &Caller::service(), insert).await.expect_err("division by zero");
    assert_eq!(error.code(), Some("22012"));
    assert_eq!(count(&database).await.as_deref(), Some("0"));
    run(&database, &Caller::service(), "insert into notes values (1, 'a')").await.expect("runs");
    assert_eq!(count(&database).await.as_deref(), Some("1"));
}

// rows: PG-PIPELINE-TRANSACTION
#[tokio::test]
async fn rollback_and_isolation_take_a_transaction_of_their_own() {
    let database = with_table().await;
    let service = Caller::service();
    let insert =
        statement("insert into notes values (2, 'b') returning current_setting('transaction_isolation')");
    let run = RunAs { rollback: true, ..RunAs::new(&service, &insert) };
    let rows = database.run_as(&run).await.expect("runs");
    assert_eq!(rows.text(0, 0), Some("read committed"));
    assert_eq!(rows.affected, 1);
    assert_eq!(count(&database).await.as_deref(), Some("0"));
    for (isolation, name) in
        [(Isolation::RepeatableRead, "repeatable read"), (Isolation::Serializable, "serializable")]
    {
        let delete = statement("delete from notes");
        database.run_as(&RunAs::new(&service, &delete)).await.expect("runs");
        let run = RunAs { isolation: Some(isolation), ..RunAs::new(&service, &insert) };
        assert_eq!(database.run_as(&run).await.expect("runs").text(0, 0), Some(name));
        assert_eq!(count(&database).await.as_deref(), Some("1"));
        let error = database.run_as(&run).await.expect_err("the same key twice");
        assert_eq!(error.code(), Some("23505"));
        assert_eq!(count(&database).await.as_deref(), Some("1"));
    }
}

// rows: PG-PIPELINE-SERVICE
#[tokio::test]
async fn service_role_may_do_something_first_in_the_same_transaction() {
    let database = with_table().await;
    let policy = "alter table public.notes enable row level security;
        create policy odd on public.notes for select to authenticated using (id % 2 = 1)";
    database.pool(Login::Postgres).execute(policy).await.expect("made");
    let first = Statement::new(
        "insert into public.notes select n, coalesce(current_setting('request.jwt.claims', true), '') || current_user
        from generate_series($1::int, 4) as n",
        vec![Param::text("1")],
    );
    let seen = statement("select string_agg(id || body, ' ' order by id), current_user from public.notes");
    let asha = user(Uuid::from_u128(5));
    let run = RunAs { first_as_service: Some(&first), rollback: true, ..RunAs::new(&asha, &seen) };
    for _ in 0..2 {
        let rows = database.run_as(&run).await.expect("runs");
        assert_eq!(rows.text(0, 0), Some("1service_role 3service_role"));
        assert_eq!(rows.text(0, 1), Some("authenticated"));
    }
    assert_eq!(count(&database).await.as_deref(), Some("0"));
    let failing = statement("insert into public.notes values (1, 'a'), (1, 'b')");
    let error = database.run_as(&RunAs { first_as_service: Some(&failing), ..run }).await;
    assert_eq!(error.expect_err("the same key twice").code(), Some("23505"));
    let rows = database.run_as(&RunAs { rollback: false, ..run }).await.expect("runs");
    assert_eq!(rows.text(0, 1), Some("authenticated"));
    assert_eq!(count(&database).await.as_deref(), Some("4"));
}

#[tokio::test]
async fn the_pre_request_function_runs_first_in_the_same_transaction() {
    let database = with_table().await;
    let function = "create function public.\"check it\"() returns void language plpgsql as $$ begin
        perform set_config('app.seen', current_user, true);
        if current_setting('request.path', true) = '/forbidden' then
          raise sqlstate 'PT402' using message = 'pay first';
        end if;
      end $$";
    database.pool(Login::Postgres).execute(function).await.expect("created");
    let statement = statement("select current_setting('app.seen', true)");
    let anonymous = Caller::anonymous();
    let run = RunAs { pre_request: Some("public.check it"), ..RunAs::new(&anonymous, &statement) };
    assert_eq!(database.run_as(&run).await.expect("runs").text(0, 0), Some("anon"));
    let settings = [("request.path", Cow::from("/forbidden"))];
    let error = database.run_as(&RunAs { settings: &settings, ..run }).await.expect_err("refused");
    assert_eq!(error.code(), Some("PT402"));
}

#[tokio::test]
async fn a_plan_made_stale_by_a_schema_change_is_made_anew() {
    let database = with_table().await;
    let one = Database::connect(&banyan_db::DatabaseSettings { pool_size: 1, ..database.settings().clone() });
    let one = one.expect("valid settings");
    run(&one, &Caller::service(), "insert into notes values (1, 'a')").await.expect("runs");
    for _ in 0..3 {
        run(&one, &Caller::service(), "select * from notes").await.expect("runs");
    }
    let change = "alter table public.notes add column more text default 'm'";
    database.pool(Login::Postgres).execute(change).await.expect("changed");
    let rows = run(&one, &Caller::service(), "select * from notes").await.expect("planned anew");
    assert_eq!(rows.rows[0].len(), 3);
    run(&one, &Caller::service(), "deallocate all").await.expect("runs");
    run(&one, &Caller::service(), "select * from notes").await.expect("prepared anew");
}

#[tokio::test]
async fn prepared_statements_are_bounded_on_the_server() {
    let database = platform_database().await;
    let settings =
        banyan_db::DatabaseSettings { pool_size: 1, prepared_statements: 8, ..database.settings().clone() };
    let one = Database::connect(&settings).expect("valid settings");
    for n in 0..40 {
        run(&one, &Caller::anonymous(), &format!("select {n}")).await.expect("runs");
    }
    let rows = run(&one, &Caller::anonymous(), "select count(*) from pg_prepared_statements").await;
    let count: usize = rows.expect("runs").text(0, 0).and_then(|n| n.parse().ok()).expect("a number");
    assert!((6..=11).contains(&count), "{count} statements are prepared");
}
