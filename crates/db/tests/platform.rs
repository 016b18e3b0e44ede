use banyan_db::{Database, DatabaseSettings, Leases, Login, MigrationError, platform};
use banyan_identity::Caller;
use banyan_testkit::{bare_database, config, config_with, platform_database};
use sqlx::Executor as _;

use crate::run_as::run;

async fn texts(database: &Database, query: &'static str) -> Vec<String> {
    sqlx::query_scalar(query).fetch_all(database.pool(Login::Admin)).await.expect("asked")
}

// rows: PG-ROLES
#[tokio::test]
async fn roles_are_as_powerful_as_stated() {
    let database = platform_database().await;
    let roles = texts(
        &database,
        "select concat_ws(' ', rolname, case when rolcanlogin then 'login' end, case when rolinherit then 'inherit' end,
           case when rolsuper then 'super' end, case when rolbypassrls then 'bypassrls' end)
         from pg_roles where rolname in ('anon', 'authenticated', 'service_role', 'authenticator', 'postgres',
           'supabase_admin', 'supabase_auth_admin', 'supabase_storage_admin') order by rolname collate \"C\"",
    )
    .await;
    assert_eq!(
        roles,
        [
            "anon inherit",
            "authenticated inherit",
            "authenticator login",
            "postgres login inherit bypassrls",
            "service_role inherit bypassrls",
            "supabase_admin login inherit super bypassrls",
            "supabase_auth_admin login",
            "supabase_storage_admin login",
        ]
    );
    let settings = texts(
        &database,
        "select s.setrole::regrole || ' ' || unnest(s.setconfig) from pg_db_role_setting s
         where s.setrole in ('anon'::regrole, 'authenticated'::regrole, 'authenticator'::regrole)
           and s.setdatabase in (select 0 union select oid from pg_database where datname = current_database())
         order by 1",
    )
    .await;
    assert_eq!(
        settings,
        [
            "anon statement_timeout=3s",
            "authenticated statement_timeout=8s",
            "authenticator lock_timeout=8s",
            "authenticator statement_timeout=8s",
        ]
    );
}

// rows: PG-SCHEMAS PG-RESET-BY-URL PG-EXTENSIONS
#[tokio::test]
async fn what_a_reset_by_url_would_drop_belongs_to_supabase_admin() {
    let database = platform_database().await;
    let foreign = texts(
        &database,
        "select nspname::text from pg_namespace
         where nspowner <> 'supabase_admin'::regrole and nspname not like 'pg\\_%'
           and nspname not in ('information_schema', 'public', 'extensions')",
    )
    .await;
    assert_eq!(foreign, Vec::<String>::new());
    let extensions =
        texts(&database, "select extname::text from pg_extension order by extname collate \"C\"").await;
    assert_eq!(extensions, ["pg_stat_statements", "pgcrypto", "plpgsql", "uuid-ossp"]);
    let public = texts(
        &database,
        "select relname::text from pg_class where relnamespace = 'public'::regnamespace
         union all select proname::text from pg_proc where pronamespace = 'public'::regnamespace",
    )
    .await;
    assert_eq!(public, Vec::<String>::new());
}

// rows: PG-NEW-TABLES
#[tokio::test]
async fn new_tables_can_be_opened_and_rows_are_guarded_by_policies() {
    let database = platform_database().await;
    let table = "create table public.notes (id int); insert into public.notes values (1);
                 create table public.closed (id int); insert into public.closed values (1);
                 alter table public.closed enable row level security";
    database.pool(Login::Postgres).execute(table).await.expect("created");
    for caller in [Caller::anonymous(), Caller::service()] {
        let rows =
            run(&database, &caller, "select (select count(*) from notes), (select count(*) from closed)");
        let rows = rows.await.expect("reachable");
        assert_eq!(rows.text(0, 0), Some("1"));
        assert_eq!(rows.text(0, 1), Some(if caller.is_service() { "1" } else { "0" }));
    }
}

// rows: PG-CLOSED-TABLES
#[tokio::test]
async fn new_tables_can_be_kept_from_the_api() {
    let database = bare_database().await;
    platform::bootstrap(&database, &config_with("[api]\nauto_expose_new_tables = false"))
        .await
        .expect("made");
    database.pool(Login::Postgres).execute("create table public.notes (id int)").await.expect("created");
    for caller in [Caller::anonymous(), Caller::service()] {
        let error = run(&database, &caller, "select * from notes").await.expect_err("not granted");
        assert_eq!(error.code(), Some("42501"));
    }
}

/// Grants of everything that the product makes where the API can see it.
async fn grants(exposed: bool) -> Vec<String> {
    let database = bare_database().await;
    let settings = format!("[api]\nauto_expose_new_tables = {exposed}");
    platform::bootstrap(&database, &config_with(&settings)).await.expect("made");
    for schema in banyan_testkit::SERVICES {
        banyan_db::migrations::stack(&database, schema).await.expect("made");
    }
    let folder = banyan_testkit::checkout::product_migrations();
    let order = banyan_db::migrations::Order::Strict;
    banyan_db::migrations::apply(&database, &folder, order, None, &mut |_| ()).await.expect("applied");
    texts(
        &database,
        "with things as (
           select c.oid::regclass::text as name, c.relacl as acl, c.relkind::text as kind
           from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'S')
           union all
           select p.oid::regprocedure::text, p.proacl, 'function'
           from pg_proc p where p.pronamespace = 'public'::regnamespace
         )
         select concat_ws(' ', t.kind, t.name, a.grantee::regrole, a.privilege_type)
         from things t cross join lateral aclexplode(t.acl) a
         where a.grantee in ('anon'::regrole, 'authenticated'::regrole, 'service_role'::regrole, 0)
         order by 1",
    )
    .await
}

// rows: PG-PRODUCT-GRANTS
#[tokio::test]
async fn the_product_grants_what_it_means_to_whatever_the_default_is() {
    let (closed, exposed) = (Box::pin(grants(false)).await, Box::pin(grants(true)).await);
    assert!(closed.len() > 20, "{closed:?}");
    assert_eq!(closed, exposed);
}

// rows: PG-BEHIND
#[tokio::test]
async fn request_roles_cannot_look_behind_the_scenes() {
    let database = platform_database().await;
    for caller in [Caller::anonymous(), Caller::service(), banyan_testkit::user(uuid::Uuid::nil())] {
        for text in [
            "select * from _banyan.platform",
            "select * from _banyan.turns",
            "select * from _banyan.migrations",
            "select rolpassword from pg_authid",
            "create table public.mine (id int)",
            "create table auth.mine (id int)",
            "create schema mine",
            "set session authorization supabase_admin",
            "alter role anon bypassrls",
        ] {
            let error = run(&database, &caller, text).await.expect_err(text);
            assert_eq!(error.code(), Some("42501"), "{} may: {text}", caller.role());
        }
    }
}

// rows: PG-POSTGRES
#[tokio::test]
async fn postgres_may_put_policies_and_triggers_on_the_services_tables() {
    let database = platform_database().await;
    database
        .pool(Login::AuthAdmin)
        .execute("create table auth.probe (id uuid); alter table auth.probe enable row level security")
        .await
        .expect("auth owns its schema's tables");
    database
        .pool(Login::Postgres)
        .execute(
            "create policy own on auth.probe for select to authenticated using (id = auth.uid());
             create function public.on_probe() returns trigger language plpgsql as $$ begin return new; end $$;
             create trigger probe after insert on auth.probe for each row execute function public.on_probe()",
        )
        .await
        .expect("postgres may");
}

// rows: PG-BOOTSTRAP
#[tokio::test]
async fn a_second_start_leaves_alone_what_a_project_changed() {
    let database = bare_database().await;
    platform::bootstrap(&database, &config()).await.expect("made");
    let change = "alter default privileges for role postgres in schema public revoke all on tables from anon";
    database.pool(Login::Postgres).execute(change).await.expect("changed");
    platform::bootstrap(&database, &config()).await.expect("made again");
    database.pool(Login::Postgres).execute("create table public.notes (id int)").await.expect("created");
    let error = run(&database, &Caller::anonymous(), "select * from notes").await.expect_err("still revoked");
    assert_eq!(error.code(), Some("42501"));
    run(&database, &Caller::service(), "select * from notes").await.expect("granted");
    let settings = banyan_testkit::config_with("[api]\nauto_expose_new_tables = true");
    platform::bootstrap(&database, &settings).await.expect("the same setting is no change");
}

// rows: PG-BOOTSTRAP
#[tokio::test]
async fn only_a_superuser_can_prepare_a_database() {
    let database = platform_database().await;
    let settings = DatabaseSettings { admin_user: "postgres".to_owned(), ..database.settings().clone() };
    let weak = Database::connect(&settings).expect("valid settings");
    let error = platform::bootstrap(&weak, &config()).await.expect_err("refused");
    assert!(matches!(&error, MigrationError::NotSuperuser(user) if user == "postgres"), "{error:?}");
}

// rows: rest/config-db-plan-enabled rest/config-db-aggregates-enabled rest/config-db-tx-end PG-POSTGRES
#[tokio::test]
async fn are_set_by_the_login_postgres() {
    let database = platform_database().await;
    let name = database.settings().database.clone();
    let mut connection = database.pool(Login::Postgres).acquire().await.expect("connected");
    for option in ["db_plan_enabled", "db_aggregates_enabled", "db_tx_end"] {
        let set = format!("alter role authenticator in database {name} set pgrst.{option} = 'true'");
        connection.execute(sqlx::AssertSqlSafe(set)).await.expect(option);
        let anywhere = format!("alter role authenticator set pgrst.{option} to default");
        connection.execute(sqlx::AssertSqlSafe(anywhere)).await.expect(option);
    }
    let foreign = "alter role supabase_admin set pgrst.db_tx_end = 'rollback'";
    assert!(connection.execute(foreign).await.is_err(), "a superuser's settings are not the project's");
}

/// What a project may put where a superuser with an ordinary search path would find it before
/// PostgreSQL's own: each of them notes in `public.caught` what a superuser ran.
const TRAPS: &str = "
create table public.caught (query text);
create function public.note() returns void language plpgsql as $$
begin
  if pg_catalog.current_setting('is_superuser') = 'on' then
    insert into public.caught values (pg_catalog.left(pg_catalog.current_query(), 80));
  end if;
end $$;
create function public.format(a text, b text) returns text language plpgsql as $$
begin perform public.note(); return pg_catalog.format(a, b); end $$;
create function public.format(a text, b text, c text) returns text language plpgsql as $$
begin perform public.note(); return pg_catalog.format(a, b, c); end $$;
create function public.format(a text, b name) returns text language plpgsql as $$
begin perform public.note(); return pg_catalog.format(a, b); end $$;
create function public.part(a float8, b int4) returns float8 language plpgsql as $$
begin perform public.note(); return a operator(pg_catalog./) b::float8; end $$;
create operator public./ (leftarg = float8, rightarg = int4, function = public.part);
";

// rows: PG-START-SUCCEEDS
#[tokio::test]
async fn no_setting_of_the_database_keeps_the_stack_from_starting() {
    let database = platform_database().await;
    let name = &database.settings().database;
    let closed = config_with("[api]\nauto_expose_new_tables = false\n");
    for setting in [
        "set role = 'anon'",
        "set local_preload_libraries = 'nope'",
        "set transaction_timeout = '1ms'",
        "set idle_in_transaction_session_timeout = '1ms'",
        "set session_replication_role = 'replica'",
        "set default_transaction_read_only = on",
        "set default_table_access_method = 'nope'",
        "set row_security = off",
        "with connection limit 0",
    ] {
        let alter = sqlx::AssertSqlSafe(format!("alter database {name} {setting}"));
        sqlx::raw_sql(alter).execute(database.pool(Login::Postgres)).await.expect(setting);
        let start = Database::connect(database.settings()).expect("valid settings");
        // The other setting has the platform made again.
        for config in [&closed, &config()] {
            platform::bootstrap(&start, config).await.expect(setting);
        }
        for schema in banyan_testkit::SERVICES {
            assert_eq!(banyan_db::migrations::stack(&start, schema).await.expect(setting), 0);
        }
        let who = "select concat_ws(' ', current_user, current_setting('session_replication_role'))";
        assert_eq!(texts(&start, who).await, ["supabase_admin origin"], "{setting}");
        start.close().await;
        for reset in ["reset all", "with connection limit -1"] {
            let reset = sqlx::AssertSqlSafe(format!("alter database {name} {reset}"));
            sqlx::raw_sql(reset).execute(database.pool(Login::Admin)).await.expect("reset");
        }
    }
}

// rows: PG-START-SUCCEEDS
#[tokio::test]
async fn a_session_of_the_superuser_begins_without_a_bound_on_transactions() {
    let database = platform_database().await;
    let name = &database.settings().database;
    let alter = sqlx::AssertSqlSafe(format!("alter database {name} set transaction_timeout = '1min'"));
    sqlx::raw_sql(alter).execute(database.pool(Login::Postgres)).await.expect("set");
    let start = Database::connect(database.settings()).expect("valid settings");
    let query = "select concat_ws(' ', setting, source) from pg_settings where name = 'transaction_timeout'";
    assert_eq!(texts(&start, query).await, ["0 client"]);
    // Of somebody else's server it is not known whether it knows the setting.
    let settings = DatabaseSettings { own_version: None, ..database.settings().clone() };
    let elsewhere = Database::connect(&settings).expect("valid settings");
    assert_eq!(texts(&elsewhere, query).await, ["0 session"]);
}

// rows: PG-WATCH
#[tokio::test]
async fn event_triggers_that_a_project_dropped_are_there_after_the_next_start() {
    let database = platform_database().await;
    for drop in [
        "drop function extensions.pgrst_ddl_watch() cascade",
        "drop function extensions.pgrst_drop_watch() cascade;
         create function extensions.pgrst_drop_watch() returns int return 1",
    ] {
        sqlx::raw_sql(drop).execute(database.pool(Login::Postgres)).await.expect("it owns the schema");
        platform::bootstrap(&database, &config()).await.expect("made again");
        let there = "select evtname || ' ' || evtowner::regrole from pg_event_trigger order by 1";
        let ours = ["pgrst_ddl_watch supabase_admin", "pgrst_drop_watch supabase_admin"];
        assert_eq!(texts(&database, there).await, ours, "{drop}");
    }
}

// rows: PG-START-SUCCEEDS
#[tokio::test]
async fn a_project_that_took_the_place_of_what_the_platform_makes_still_starts() {
    let database = platform_database().await;
    let taken = "drop schema extensions cascade; create schema extensions;
        create function extensions.uuid_generate_v4() returns int return 1; drop schema public cascade;
        create function extensions.pgrst_ddl_watch() returns int return 1;
        drop function auth.uid() cascade; create function auth.uid() returns text return 'x';
        drop function auth.jwt() cascade; create procedure auth.jwt() language sql as '';
        create view auth.kept as select auth.uid() as id";
    sqlx::raw_sql(taken).execute(database.pool(Login::Postgres)).await.expect("it is the project's");
    for config in [&config_with("[api]\nauto_expose_new_tables = false\n"), &config()] {
        platform::bootstrap(&database, config).await.expect("made again");
    }
    let of_ours = "select returned::text from (values (pg_typeof(auth.uid()))) as uid (returned)";
    assert_eq!(texts(&database, of_ours).await, ["uuid"]);
    assert_eq!(texts(&database, "select id from auth.kept").await, ["x"], "what stood on it stays");
    let there = "select extname::text from pg_extension where extname in ('pgcrypto', 'uuid-ossp')";
    assert_eq!(texts(&database, there).await, ["pgcrypto"]);
    let owner = "select nspowner::regrole::text from pg_namespace where nspname = 'public'";
    assert_eq!(texts(&database, owner).await, ["pg_database_owner"]);
}

// rows: PG-SUPERUSER
#[tokio::test]
async fn the_superuser_runs_nothing_that_a_project_put_in_its_way() {
    let database = platform_database().await;
    sqlx::raw_sql(TRAPS).execute(database.pool(Login::Postgres)).await.expect("set");
    // The other setting has the platform made again.
    let closed = config_with("[api]\nauto_expose_new_tables = false\n");
    for config in [&closed, &config()] {
        platform::bootstrap(&database, config).await.expect("made again");
    }
    let leases = Leases::new((*database).clone());
    let claimed = leases.claim("sweep", std::time::Duration::from_secs(3600)).await.expect("asked");
    assert!(claimed.is_some());
    drop(claimed);
    leases.wait_released().await;
    assert_eq!(texts(&database, "select query from public.caught").await, [""; 0]);
}

// rows: PG-AUTH-SCHEMA
#[tokio::test]
async fn the_schema_auth_has_its_functions_and_is_open_to_those_who_may_use_it() {
    let database = platform_database().await;
    let functions = texts(
        &database,
        "select concat_ws(' ', proname, prorettype::regtype, proowner::regrole) from pg_proc
         where pronamespace = 'auth'::regnamespace and proname in ('uid', 'role', 'email', 'jwt') order by 1",
    )
    .await;
    let owned = |returned: &str| format!("{returned} supabase_auth_admin");
    assert_eq!(functions, ["email text", "jwt jsonb", "role text", "uid uuid"].map(owned));
    sqlx::raw_sql("create table auth.later (id int)")
        .execute(database.pool(Login::AuthAdmin))
        .await
        .expect("made");
    let privileges = texts(
        &database,
        "select concat_ws(' ', rolname, has_schema_privilege(oid, 'auth', 'usage'),
           has_table_privilege(oid, 'auth.later', 'select, insert, update, delete'))
         from pg_roles where rolname in ('anon', 'authenticated', 'service_role', 'postgres') order by 1",
    )
    .await;
    assert_eq!(privileges, ["anon t f", "authenticated t f", "postgres t t", "service_role t f"]);
}

// rows: PG-EMPTY-SCHEMAS PG-GRAPHQL PG-PUBLICATION
#[tokio::test]
async fn what_this_version_has_no_service_for_is_there_and_empty() {
    let database = platform_database().await;
    let opened = texts(
        &database,
        "select concat_ws(' ', nspname, rolname, has_schema_privilege(r.oid, n.oid, 'usage'),
           has_schema_privilege(r.oid, n.oid, 'usage with grant option'))
         from pg_namespace n cross join pg_roles r where nspname in ('storage', 'realtime')
           and rolname in ('anon', 'authenticated', 'service_role', 'postgres') order by 1",
    )
    .await;
    let of = |schema: &str| {
        let roles = ["anon t f", "authenticated t f", "postgres t t", "service_role t f"];
        roles.map(|role| format!("{schema} {role}"))
    };
    assert_eq!(opened, [of("realtime"), of("storage")].concat());
    let publication = "select concat_ws(' ', pubname, pubowner::regrole, puballtables,
        (select count(*) from pg_publication_rel where prpubid = p.oid)) from pg_publication p
        where pubname = 'supabase_realtime'";
    assert_eq!(texts(&database, publication).await, ["supabase_realtime postgres f 0"]);
    let asked = "select graphql_public.graphql(query => '{ a }') -> 'errors' -> 0 ->> 'message'";
    for caller in [Caller::anonymous(), Caller::service()] {
        let answer = run(&database, &caller, asked).await.expect("anybody may ask");
        assert_eq!(answer.text(0, 0), Some("pg_graphql extension is not enabled."));
    }
}
