use std::path::Path;

use banyan_db::{
    Database, DatabaseSettings, Login, Migration, MigrationError, ReplicationOptions, ServiceSchema,
    migrations::{self, Order, Progress},
    platform,
};
use banyan_testkit::{TestDatabase, bare_database, config, platform_database};
use sqlx::Executor as _;

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().expect("in a folder")).expect("made");
    std::fs::write(path, text).expect("written");
}

async fn apply(database: &TestDatabase, folder: &Path, order: Order) -> Result<Vec<String>, MigrationError> {
    let mut told = Vec::new();
    let mut tell = |step: Progress| told.push(step.to_string());
    migrations::apply(database, folder, order, None, &mut tell).await?;
    Ok(told)
}

async fn number(database: &TestDatabase, query: &'static str) -> i64 {
    sqlx::query_scalar(query).fetch_one(database.pool(Login::Admin)).await.expect("asked")
}

// rows: cli/CLI-HISTORY
#[tokio::test]
async fn files_are_applied_as_postgres_and_remembered_statement_by_statement() {
    let database = platform_database().await;
    let folder = tempfile::tempdir().expect("a folder");
    write(
        folder.path(),
        "1_one.sql",
        "create table public.a (id int);\n-- note\ninsert into public.a values (1);",
    );
    write(
        folder.path(),
        "2_two.sql",
        "create function public.f() returns int language sql begin atomic select 1; end;",
    );
    write(folder.path(), "notes.txt", "nothing");
    let told = apply(&database, folder.path(), Order::Strict).await.expect("applied");
    assert_eq!(
        told,
        [
            "Skipping migration notes.txt... (file name must match pattern \"<timestamp>_name.sql\")",
            "Applying migration 1_one.sql...",
            "Applying migration 2_two.sql...",
        ]
    );
    let rows: Vec<(String, String, Vec<String>)> = sqlx::query_as(
        "select version, name, statements from supabase_migrations.schema_migrations order by version",
    )
    .fetch_all(database.pool(Login::Postgres))
    .await
    .expect("postgres owns the history");
    assert_eq!(rows[0].0, "1");
    assert_eq!(rows[0].1, "one");
    assert_eq!(rows[0].2, ["create table public.a (id int)", "-- note\ninsert into public.a values (1)"]);
    assert_eq!(rows[1].2.len(), 1);
    assert_eq!(
        number(&database, "select count(*) from pg_tables where tablename = 'a' and tableowner = 'postgres'")
            .await,
        1
    );
    assert_eq!(migrations::applied(&database).await.expect("asked"), ["1", "2"]);
    let again = apply(&database, folder.path(), Order::Strict).await.expect("nothing to do");
    assert_eq!(again.len(), 1);
}

// rows: cli/CLI-BATCH
#[tokio::test]
async fn a_failing_file_leaves_nothing_and_shows_the_place() {
    let database = platform_database().await;
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "1_good.sql", "create table public.a (id int); set search_path = auth;");
    write(folder.path(), "2_bad.sql", "create table public.b (id int);\nselect *\nfrom nowhere;\nselect 1;");
    let error = apply(&database, folder.path(), Order::Strict).await.expect_err("no such table");
    let MigrationError::Statement { file, line, report, source } = error else { panic!("{error:?}") };
    assert_eq!((file.as_str(), line, source.code.as_str()), ("2_bad.sql", 3, "42P01"));
    assert_eq!(
        report,
        "ERROR: relation \"nowhere\" does not exist (SQLSTATE 42P01)\nAt statement: 1\nselect *\nfrom nowhere\n     ^"
    );
    assert_eq!(migrations::applied(&database).await.expect("asked"), ["1"]);
    assert_eq!(number(&database, "select count(*) from pg_tables where tablename = 'b'").await, 0);
}

// rows: cli/CLI-OPEN
#[tokio::test]
async fn a_file_may_begin_and_commit_itself_but_not_leave_its_transaction_open() {
    let database = platform_database().await;
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "1_a.sql", "create table public.a (id int);");
    write(folder.path(), "2_b.sql", "begin; insert into public.a values (1); commit;");
    apply(&database, folder.path(), Order::Strict).await.expect("its own transaction is allowed");
    assert_eq!(number(&database, "select count(*) from public.a").await, 1);
    write(folder.path(), "3_c.sql", "select 1;\nbegin; insert into public.a values (2);");
    let error = apply(&database, folder.path(), Order::Strict).await.expect_err("it would be rolled back");
    assert_eq!(
        error.to_string(),
        "3_c.sql:2: the transaction that begins here is never committed\nAt statement: 1"
    );
    assert_eq!(migrations::applied(&database).await.expect("asked"), ["1", "2"]);
}

// rows: cli/CLI-SEEDS
#[tokio::test]
async fn seeds_run_once_and_only_their_hash_is_renewed() {
    let database = platform_database().await;
    let project = tempfile::tempdir().expect("a folder");
    let table = "create table public.a (id int)";
    database.pool(Login::Postgres).execute(table).await.expect("created");
    write(
        project.path(),
        "supabase/seed.sql",
        "insert into public.a values (1); insert into public.a values (2);",
    );
    let patterns = ["./seed.sql".to_owned(), "./missing/*.sql".to_owned()];
    let mut runs = Vec::new();
    for round in 0..3 {
        if round == 2 {
            write(project.path(), "supabase/seed.sql", "insert into public.a values (3);");
        }
        let mut told = Vec::new();
        let mut tell = |step: Progress| told.push(step.to_string());
        migrations::seed(&database, project.path(), &patterns, &mut tell).await.expect("seeded");
        runs.push(told);
    }
    let missing = "WARN: no files matched pattern: supabase/missing/*.sql";
    assert_eq!(runs[0], [missing, "Seeding data from supabase/seed.sql..."]);
    assert_eq!(runs[1], [missing]);
    assert_eq!(runs[2], [missing, "Updating seed hash to supabase/seed.sql..."]);
    assert_eq!(number(&database, "select count(*) from public.a").await, 2);
}

/// A service of auth's login.
fn probe(migrations: &[Migration]) -> ServiceSchema {
    ServiceSchema { name: "probe", owner: Login::AuthAdmin, migrations: migrations.to_vec().leak() }
}

const FIRST: Migration = Migration { version: 1, name: "probe", sql: "create table auth.probe (id int);" };

// rows: PG-STACK-MIGRATIONS
#[tokio::test]
async fn stack_migrations_belong_to_their_owner_and_never_change() {
    let database = platform_database().await;
    assert_eq!(migrations::stack(&database, &probe(&[FIRST])).await.expect("applied"), 1);
    assert_eq!(migrations::stack(&database, &probe(&[FIRST])).await.expect("nothing new"), 0);
    let owners =
        "select count(*) from pg_tables where tablename = 'probe' and tableowner = 'supabase_auth_admin'";
    assert_eq!(number(&database, owners).await, 1);
    let changed = Migration { sql: "create table auth.probe (id bigint);", ..FIRST };
    let error = migrations::stack(&database, &probe(&[changed])).await.expect_err("changed");
    assert!(matches!(error, MigrationError::Changed { version: 1, .. }), "{error:?}");
    let broken = Migration { version: 3, name: "broken", sql: "select 1; select nope" };
    let second = Migration { version: 2, name: "second", sql: "create table auth.second (id int)" };
    let error = migrations::stack(&database, &probe(&[FIRST, second, broken])).await.expect_err("broken");
    assert!(error.to_string().contains("3_broken.sql"), "{error}");
    assert_eq!(number(&database, "select count(*) from pg_tables where tablename = 'second'").await, 0);
}

// rows: PG-SUPERUSER
#[tokio::test]
async fn a_trigger_of_the_project_never_runs_as_superuser() {
    let database = platform_database().await;
    migrations::stack(&database, &probe(&[FIRST])).await.expect("applied");
    let trap = "create table public.caught (who text);
        create function public.note() returns trigger language plpgsql as $$
        begin
          perform pg_catalog.set_config('role', 'none', true);
          if pg_catalog.current_setting('is_superuser') = 'on' then
            insert into public.caught values (current_user);
          end if;
          return new;
        end $$;
        create trigger note before insert on auth.probe for each row execute function public.note();";
    sqlx::raw_sql(trap).execute(database.pool(Login::Postgres)).await.expect("set");
    let second = Migration { version: 2, name: "second", sql: "insert into auth.probe values (1)" };
    migrations::stack(&database, &probe(&[FIRST, second])).await.expect("applied");
    assert_eq!(number(&database, "select count(*) from auth.probe").await, 1);
    assert_eq!(number(&database, "select count(*) from public.caught").await, 0);
}

// rows: PG-OWN-SCHEMAS
#[tokio::test]
async fn a_project_notes_no_change_that_no_start_is_about_to_make() {
    let database = platform_database().await;
    for (service, before) in [
        ("mail", ""),
        ("mail", "set session_replication_role = replica;"),
        ("mail", "set role supabase_auth_admin;"),
        ("auth", "set role supabase_auth_admin;"),
        ("probe", ""),
    ] {
        let note = format!(
            "{before} insert into _banyan.migrations (service, version, name, sha256) values ('{service}', 2, 'x', 'x')"
        );
        let note = sqlx::raw_sql(sqlx::AssertSqlSafe(note));
        let refused = note.execute(database.pool(Login::Postgres)).await.expect_err("refused");
        assert!(refused.to_string().contains("Only the stack notes"), "{before} {refused}");
    }
    let second = Migration { version: 2, name: "second", sql: "select 1" };
    for new in [&[FIRST][..], &[FIRST, second]] {
        let applied = migrations::stack(&database, &probe(new)).await;
        assert_eq!(applied.expect("a later version has more"), 1);
    }
    let expect = "insert into _banyan.expected_migrations values ('auth', 9, 'x')";
    let refused = database.pool(Login::Postgres).execute(expect).await.expect_err("refused");
    assert!(refused.to_string().contains("permission denied"), "{refused}");
}

// rows: PG-HELD
#[tokio::test]
async fn a_start_names_the_session_that_keeps_it_waiting_and_does_not_wait_for_ever() {
    let database = platform_database().await;
    let project = tempfile::tempdir().expect("a folder");
    apply(&database, project.path(), Order::Strict).await.expect("the history is made");
    // It is older, holds locks, and keeps nobody waiting.
    let mut other = database.pool(Login::Admin).begin().await.expect("begun");
    let innocent = "create table public.innocent (); select pg_advisory_xact_lock(1)";
    sqlx::raw_sql(innocent).execute(&mut *other).await.expect("held");
    let settings = DatabaseSettings {
        acquire_timeout: std::time::Duration::from_secs(1),
        ..database.settings().clone()
    };
    let start = Database::connect(&settings).expect("valid settings");
    for hold in [
        "lock table _banyan.migrations in exclusive mode",
        "lock table _banyan.migrations in access exclusive mode",
        "lock table supabase_migrations.schema_migrations in access exclusive mode",
    ] {
        let mut holder = database.pool(Login::Admin).begin().await.expect("begun");
        let pid: i32 =
            sqlx::query_scalar("select pg_backend_pid()").fetch_one(&mut *holder).await.expect("asked");
        sqlx::raw_sql(hold).execute(&mut *holder).await.expect("held");
        let outcome = if hold.contains("supabase_migrations") {
            migrations::applied(&start).await.map(|_| ())
        } else {
            migrations::stack(&start, &probe(&[FIRST])).await.map(|_| ())
        };
        let error = outcome.expect_err(hold);
        let told = error.to_string();
        assert!(matches!(error, MigrationError::Held { pid: found, .. } if found == pid), "{told}");
        assert!(told.contains(hold) && told.contains(&format!("pg_terminate_backend({pid})")), "{told}");
        holder.rollback().await.expect("let go");
    }
    let mut holder = database.pool(Login::Admin).begin().await.expect("begun");
    let hold = "lock table _banyan.migrations; alter role anon password 's3cret'";
    sqlx::raw_sql(hold).execute(&mut *holder).await.expect("held");
    let outcome = migrations::stack(&start, &probe(&[FIRST])).await;
    let told = outcome.map(|_| ()).expect_err(hold).to_string();
    assert!(told.contains("not shown") && !told.contains("s3cret"), "{told}");
    holder.rollback().await.expect("let go");
    migrations::stack(&start, &probe(&[FIRST])).await.expect("applied");
}

// rows: PG-START-SUCCEEDS
#[tokio::test]
async fn nothing_that_a_migration_sets_of_role_or_database_keeps_a_start_from_its_end() {
    let database = platform_database().await;
    let name = &database.settings().database;
    let public = ["public".to_owned()];
    for (number, setting) in [
        "set statement_timeout = '1ms'",
        "set transaction_timeout = '1ms'",
        "set lock_timeout = '1ms'",
        "set idle_in_transaction_session_timeout = '1ms'",
        "set default_transaction_read_only = on",
        "set default_table_access_method = 'nope'",
        "set standard_conforming_strings = off",
        "set role = 'anon'",
    ]
    .into_iter()
    .enumerate()
    {
        for whose in [format!("role postgres in database {name}"), format!("database {name}")] {
            let project = tempfile::tempdir().expect("a folder");
            let unique = format!("{number}{}", whose.len());
            write(project.path(), "1_set.sql", &format!("alter {whose} {setting}"));
            let seed =
                format!("select pg_sleep(0.01); create table public.seeded_{unique} (a text default '\\')");
            write(project.path(), &format!("supabase/{unique}.sql"), &seed);
            // The second time is that of the start after one that ended here.
            for _ in 0..2 {
                let label = format!("{whose} {setting}");
                apply(&database, project.path(), Order::IncludeAll).await.expect(&label);
                migrations::open_tables(&database, &public).await.expect(&label);
                let seeds = [format!("{unique}.sql")];
                migrations::seed(&database, project.path(), &seeds, &mut |_| ()).await.expect(&label);
                // The migrations of a service that is newer than the database come in between.
                let version = i64::try_from(number * 10 + whose.len() * 1000).expect("small");
                let new = Migration {
                    version,
                    name: "new",
                    sql: "create table if not exists auth.new (a int); select pg_sleep(0.01)",
                };
                migrations::stack(&database, &probe(&[new])).await.expect(&label);
            }
            let back = format!("alter {whose} reset all; delete from supabase_migrations.schema_migrations");
            let back = sqlx::raw_sql(sqlx::AssertSqlSafe(back));
            back.execute(database.pool(Login::Admin)).await.expect("taken back");
        }
    }
}

// rows: PG-START-SUCCEEDS
#[tokio::test]
async fn what_a_migration_closes_of_the_database_is_opened_again() {
    let database = platform_database().await;
    let name = &database.settings().database;
    let project = tempfile::tempdir().expect("a folder");
    let logins =
        "postgres, authenticator, supabase_auth_admin, supabase_storage_admin, supabase_realtime_admin";
    let close = format!(
        "alter database {name} connection limit 0; revoke connect on database {name} from public, {logins}"
    );
    database.pool(Login::Admin).execute(sqlx::AssertSqlSafe(close)).await.expect("closed");
    apply(&database, project.path(), Order::Strict).await.expect_err("it is closed");
    platform::open_again(&database).await.expect("opened");
    apply(&database, project.path(), Order::Strict).await.expect("it is open");
    for login in Login::ALL {
        let start = Database::connect(database.settings()).expect("valid settings");
        start.pool(login).execute("select 1").await.expect("it is open to all");
    }
}

// rows: cli/CLI-HISTORY-CLOSED PG-RLS
#[tokio::test]
async fn every_table_of_the_stack_has_row_level_security_and_is_closed_to_api_roles() {
    let database = platform_database().await;
    let project = tempfile::tempdir().expect("a folder");
    write(project.path(), "1_one.sql", "select 1; create index concurrently on public.nowhere (id);");
    apply(&database, project.path(), Order::Strict).await.expect_err("it is left unfinished");
    write(project.path(), "supabase/seed.sql", "select 1");
    migrations::seed(&database, project.path(), &["seed.sql".to_owned()], &mut |_| ()).await.expect("seeded");
    let tables: Vec<(String, bool)> = sqlx::query_as(
        "select format('%I.%I', n.nspname, c.relname), c.relrowsecurity
         from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where c.relkind in ('r', 'p') and n.nspname not in ('pg_catalog', 'information_schema')",
    )
    .fetch_all(database.pool(Login::Admin))
    .await
    .expect("asked");
    for schema in ["auth", "mail", "storage", "realtime", "_banyan", "supabase_migrations"] {
        assert!(tables.iter().any(|(name, _)| name.starts_with(&format!("{schema}."))), "{schema}");
    }
    let open: Vec<_> = tables.iter().filter(|(_, is_secured)| !is_secured).collect();
    assert!(open.is_empty(), "without row-level security: {open:?}");
    for role in ["anon", "authenticated", "service_role"] {
        let mut transaction = database.pool(Login::Postgres).begin().await.expect("begun");
        let become_it = sqlx::AssertSqlSafe(format!("set local role {role}"));
        sqlx::raw_sql(become_it).execute(&mut *transaction).await.expect("a member");
        // Those of storage and the messages of realtime are open, and closed by policies
        // (storage/CONTRACT.md Q08, realtime/CONTRACT.md O2).
        let is_closed = |table: &str| !table.starts_with("storage.") && table != "realtime.messages";
        for (table, _) in tables.iter().filter(|(table, _)| is_closed(table)) {
            for tried in ["select from {}", "insert into {} default values", "delete from {}", "truncate {}"]
            {
                let tried = tried.replace("{}", table);
                let mut point = sqlx::Connection::begin(&mut *transaction).await.expect("a savepoint");
                let said = sqlx::raw_sql(sqlx::AssertSqlSafe(tried.clone())).execute(&mut *point).await;
                let code = said.err().and_then(|error| Some(error.as_database_error()?.code()?.into_owned()));
                assert_eq!(code.as_deref(), Some("42501"), "{role}: {tried}");
                point.rollback().await.expect("rolled back");
            }
        }
    }
    // Its owner, whom the supabase CLI logs in as, is not kept out.
    assert_eq!(migrations::applied(&database).await.expect("asked"), [""; 0]);
    let entry = "insert into supabase_migrations.schema_migrations (version) values ('7')";
    database.pool(Login::Postgres).execute(entry).await.expect("entered");
    assert_eq!(migrations::applied(&database).await.expect("asked"), ["7"]);
    let of_mail = "select count(*) from _banyan.migrations where service = 'mail'";
    let seen: i64 =
        sqlx::query_scalar(of_mail).fetch_one(database.pool(Login::AuthAdmin)).await.expect("asked");
    assert_eq!(seen, 0, "and sees no others");
}

// rows: cli/CLI-OPEN-TABLES
#[tokio::test]
async fn a_table_with_grants_and_without_row_level_security_is_named() {
    let database = platform_database().await;
    let public = ["public".to_owned()];
    let tables = "create table public.closed (id int); alter table public.closed enable row level security;
        create table public.kept (id int); revoke all on public.kept from anon, authenticated;
        create schema hidden; create table hidden.b (id int); grant all on hidden.b to anon;";
    sqlx::raw_sql(tables).execute(database.pool(Login::Postgres)).await.expect("made");
    assert_eq!(migrations::open_tables(&database, &public).await.expect("asked"), None);
    let open = "create table public.\"Open\" (id int); grant select (id) on public.kept to authenticated";
    sqlx::raw_sql(open).execute(database.pool(Login::Postgres)).await.expect("made");
    let told =
        migrations::open_tables(&database, &public).await.expect("asked").expect("a warning").to_string();
    assert!(told.starts_with("WARN: row-level security is off"), "{told}");
    assert!(told.contains("rows of: public.\"Open\", public.kept. `alter") && !told.contains('\n'), "{told}");
}

// rows: PG-OWN-SCHEMAS
#[tokio::test]
async fn a_schema_of_the_stack_that_a_project_made_first_is_refused() {
    for schema in ["mail", "_banyan"] {
        let database = bare_database().await;
        let plant = format!("create schema {schema} authorization pg_database_owner");
        database.pool(Login::Admin).execute(sqlx::AssertSqlSafe(plant)).await.expect("planted");
        let error = platform::bootstrap(&database, &config()).await.expect_err("refused");
        assert!(error.to_string().contains(&format!("the schema {schema} is the stack's own")), "{error}");
    }
}

// rows: PG-BOOTSTRAP
#[tokio::test]
async fn two_nodes_that_start_together_take_turns() {
    let database = bare_database().await;
    let config = config();
    let start = || async {
        platform::bootstrap(&database, &config).await?;
        migrations::stack(&database, &probe(&[FIRST])).await
    };
    let (one, two) = tokio::join!(start(), start());
    assert_eq!(one.expect("started") + two.expect("started"), 1);
}

#[tokio::test]
async fn a_recreated_database_is_empty_and_the_pools_heal() {
    let database = platform_database().await;
    database.ping().await.expect("there");
    database.pool(Login::Postgres).execute("create table public.a (id int)").await.expect("created");
    migrations::recreate(&database).await.expect("recreated");
    assert_eq!(
        number(&database, "select count(*) from pg_namespace where nspname in ('auth', '_banyan')").await,
        0
    );
    platform::bootstrap(&database, &config()).await.expect("made again");
    assert_eq!(number(&database, "select count(*) from pg_tables where schemaname = 'public'").await, 0);
    database.ping().await.expect("healed");
}

#[tokio::test]
async fn a_database_whose_log_is_read_is_recreated() {
    let database = platform_database().await;
    let slot = format!("slot_of_{}", database.settings().database);
    let options = ReplicationOptions { slot: &slot, publications: &["supabase_realtime"], lock: 7 };
    let mut stream = database.replication(options).await.expect("read");
    let read = async {
        loop {
            if stream.next().await.is_err() {
                // Whoever reads comes back at once.
                if let Ok(another) = database.replication(options).await {
                    stream = another;
                }
            }
        }
    };
    tokio::select! {
        recreated = migrations::recreate(&database) => drop(recreated.expect("recreated")),
        () = read => {}
    }
    assert_eq!(number(&database, "select count(*) from pg_namespace where nspname = 'auth'").await, 0);
}

#[tokio::test]
async fn a_database_that_cannot_be_dropped_stays_open() {
    let database = platform_database().await;
    let subscription = "create subscription s connection 'dbname=none' publication p with (connect = false)";
    database
        .pool(Login::Admin)
        .execute(subscription)
        .await
        .expect("it keeps the database from being dropped");
    let slot = format!("slot_of_{}", database.settings().database);
    let options = ReplicationOptions { slot: &slot, publications: &["supabase_realtime"], lock: 7 };
    let stream = database.replication(options).await.expect("read");
    migrations::recreate(&database).await.expect_err("a subscription needs it");
    drop(stream);
    let another = Database::connect(database.settings()).expect("valid settings");
    another.ping().await.expect("it is open");
    for statement in
        ["alter subscription s disable", "alter subscription s set (slot_name = none)", "drop subscription s"]
    {
        another.pool(Login::Admin).execute(statement).await.expect("it may go");
    }
    another.close().await;
}

// rows: cli/CLI-DB-RESET-BROKEN
#[tokio::test]
async fn a_database_that_a_server_lacks_is_made() {
    let (database, beside) = (bare_database().await, bare_database().await);
    assert!(!migrations::create_missing(&database).await.expect("asked"), "it is there");
    let name = banyan_db::sql::identifier(&database.settings().database);
    let drop = sqlx::AssertSqlSafe(format!("drop database {name} with (force)"));
    sqlx::raw_sql(drop).execute(beside.pool(Login::Admin)).await.expect("dropped");
    assert!(migrations::create_missing(&database).await.expect("made"));
    platform::bootstrap(&database, &config()).await.expect("it can be prepared");
    database.close().await;
    let close = format!("alter database {name} allow_connections false connection limit 0");
    sqlx::raw_sql(sqlx::AssertSqlSafe(close)).execute(beside.pool(Login::Admin)).await.expect("closed");
    let closed = Database::connect(database.settings()).expect("valid settings");
    assert!(!migrations::create_missing(&closed).await.expect("opened"), "its data stay");
    platform::bootstrap(&closed, &config()).await.expect("it is open");
    closed.close().await;
    let broken_off = "update pg_database set datconnlimit = -2 where datname = $1";
    let broken_off = sqlx::query(broken_off).bind(&database.settings().database);
    broken_off.execute(beside.pool(Login::Admin)).await.expect("as by a drop that was broken off");
    assert!(migrations::create_missing(&closed).await.expect("made anew"));
}

// rows: cli/CLI-ERROR PG-MISSING
#[tokio::test]
async fn a_migration_that_asks_for_what_is_missing_is_told_so_in_one_line() {
    let database = platform_database().await;
    for (sql, told) in [
        ("create extension pg_graphql", "pg_graphql: this version has no GraphQL"),
        ("create extension if not exists supabase_vault", "supabase_vault: this version has no Vault"),
        ("create extension pg_net with schema extensions", "pg_net: this version sends no requests"),
        ("create extension pg_cron", "pg_cron: this version has no pg_cron"),
        ("create extension vector", "vector: this version has no vector type"),
        ("create extension pgjwt", "pgjwt: this version has no pgjwt"),
        ("create extension pgmq", "pgmq: this version has no pgmq"),
        ("create extension pgsodium", "pgsodium: this version has no pgsodium"),
        ("create extension http with schema extensions", "http: this version sends no requests"),
        ("select extensions.sign('{}'::json, 'x')", "extensions.sign(): this version has no pgjwt"),
        (
            "create table public.t (); create trigger t after insert on public.t for each row execute function
             supabase_functions.http_request('u')",
            "supabase_functions: this version has no database webhooks",
        ),
        ("create extension dblink", "dblink: only the superuser may create it"),
        ("create extension postgres_fdw", "postgres_fdw: only the superuser may create it"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path(), "1_one.sql", sql);
        let error = apply(&database, folder.path(), Order::Strict).await.expect_err(sql);
        let said = error.to_string();
        assert_eq!(said.lines().filter(|line| line.contains(told)).count(), 1, "{said}");
        assert!(!said.contains("must first be installed") && !said.contains("DETAIL"), "{said}");
    }
}
