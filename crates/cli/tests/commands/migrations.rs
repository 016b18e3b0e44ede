use sqlx::{Connection as _, PgConnection};
use tokio::task::JoinSet;

use crate::{database_logins::superuser, project::Project};

// rows: CLI-MIGRATION-LIST CLI-MIGRATION-UP CLI-MIGRATION-REPAIR CLI-DB-QUERY
#[test]
fn migrations_are_listed_applied_and_repaired() {
    let project = Project::new();
    project.migration("20260101000000", "create table public.one (id int);");
    project.succeed(&["start"]);
    project.migration("20260102000000", "create table public.two (id int);");
    let list = project.succeed(&["migration", "list"]).out;
    assert!(list.contains("20260102000000 |                |"), "{list}");

    project.succeed(&["db", "query", "copy public.one from stdin;\n5\n6\n\\.\n"]);
    let copied =
        project.succeed(&["db", "query", "copy (select id from public.one order by id) to stdout"]).out;
    assert_eq!(copied, "5\n6\n");
    let rows = project.succeed(&["db", "query", "select 1 as a, 2 as b; select 3 as c"]).out;
    assert_eq!(rows, " a | b\n---+---\n 1 | 2\n c\n---\n 3\n");
    let wrong = project.run(&["db", "query", "copy public.one from stdin"]);
    assert!(
        wrong.code == 1 && wrong.notes.contains("query:1: copy from stdin takes its data"),
        "{}",
        wrong.notes
    );

    let up = project.succeed(&["migration", "up"]);
    assert!(up.notes.contains("Applying migration 20260102000000_test.sql..."), "{}", up.notes);
    assert_eq!(project.succeed(&["migration", "up"]).out, "Local database is up to date.\n");

    let repaired = project.succeed(&["migration", "repair", "20260102000000", "--status", "reverted"]).out;
    assert_eq!(repaired, "Repaired migration history: [20260102000000] => reverted\n");
    let failed = project.run(&["migration", "up"]);
    assert!(failed.code == 1 && failed.notes.contains("already exists"), "{}", failed.notes);
    project.succeed(&["migration", "repair", "20260102000000", "--status", "applied"]);
    assert_eq!(project.succeed(&["migration", "up"]).out, "Local database is up to date.\n");
}

// rows: CLI-DB-RESET
#[test]
fn a_reset_makes_the_database_anew() {
    let project = Project::new();
    project.migration("20260101000000", "create table public.one (id int);");
    project.migration("20260102000000", "create table public.two (id int);");
    std::fs::write(project.path().join("supabase/seed.sql"), "insert into public.one values (7);")
        .expect("written");
    project.succeed(&["start"]);
    project.query("insert into public.one values (8)");

    project.succeed(&["db", "reset"]);
    let rows = project.query("select string_agg(id::text, ',') as ids from public.one");
    assert_eq!(rows[0]["ids"], "7");
    project.succeed(&["db", "reset", "--version", "20260101000000", "--no-seed"]);
    let rows =
        project.query("select (select count(*) from public.one) as n, to_regclass('public.two') as two");
    assert_eq!((rows[0]["n"].clone(), rows[0]["two"].clone()), (0.into(), serde_json::Value::Null));
    assert_eq!(project.run(&["db", "reset", "--last", "2"]).code, 1);
}

// rows: CLI-DB-RESET-SERVER
#[tokio::test]
async fn a_reset_gives_the_state_of_a_new_server() {
    let project = Project::new();
    let table = "create table public.one (id int); grant select on public.one to anon;";
    project.migration(
        "20260101000000",
        &format!(
            "{table} create role reader; grant select on public.one to reader; grant anon to reader;
             alter role anon set statement_timeout = '1s';"
        ),
    );
    project.succeed(&["start"]);
    let mut admin = superuser(&project).await;
    sqlx::raw_sql("create database beside").execute(&mut admin).await.expect("made");
    drop(admin);
    project.succeed(&["db", "reset"]);
    let found = "select (select count(*) from pg_roles where rolname = 'reader') as readers,
        (select count(*) from pg_database where datname = 'beside') as databases,
        (select s.setconfig::text from pg_db_role_setting s where s.setrole = 'anon'::regrole) as anon";
    let found = || project.query(found)[0].clone();
    let (readers, databases, anon) = (1.into(), 0.into(), "{statement_timeout=1s}".into());
    assert_eq!((&found()["readers"], &found()["databases"], &found()["anon"]), (&readers, &databases, &anon));

    project.migration("20260101000000", table);
    let _work = work_beside(&project).await;
    project.succeed(&["db", "reset"]);
    assert!(goes_on_beside(&project).await, "what people do in another database is not ended");
    let (readers, anon) = (0.into(), "{statement_timeout=3s}".into());
    assert_eq!((&found()["readers"], &found()["anon"]), (&readers, &anon));
    assert_eq!(answer(&project, "/rest/v1/one"), "[]", "the stack goes on, with the logins that it had");
}

/// Somebody whose statement runs in a database that stays, until what is returned goes.
async fn work_beside(project: &Project) -> JoinSet<()> {
    let url = project.superuser_url().replace("/postgres?", "/template1?");
    let mut person = PgConnection::connect(&url).await.expect("PostgreSQL listens");
    let mut work = JoinSet::new();
    work.spawn(async move { drop(sqlx::query("select pg_sleep(600)").execute(&mut person).await) });
    while !goes_on_beside(project).await {}
    work
}

async fn goes_on_beside(project: &Project) -> bool {
    let asleep = "select exists (select from pg_stat_activity where wait_event = 'PgSleep')";
    sqlx::query_scalar(asleep).fetch_one(&mut superuser(project).await).await.expect("asked")
}

/// The status of one answer.
fn status_of(project: &Project, path: &str) -> String {
    use std::io::{Read as _, Write as _};
    let url = project.status()["API_URL"].as_str().expect("a URL").to_owned();
    let address = url.strip_prefix("http://").expect("plain HTTP");
    let mut stream = std::net::TcpStream::connect(address).expect("it listens");
    write!(stream, "GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n").expect("sent");
    let mut said = String::new();
    stream.read_to_string(&mut said).expect("an answer");
    said.lines().next().unwrap_or_default().to_owned()
}

// rows: CLI-SCHEMA-SHOWN CLI-OPEN-TABLES server/GW-READY
#[test]
fn what_a_command_made_is_shown_by_the_next_request() {
    let project = Project::new();
    let table = |name| format!("create table public.{name} (id int); grant select on public.{name} to anon;");
    project.migration("20260101000000", &table("one"));
    let warning = |tables| format!("so the API gives everybody all rows of: {tables}. `alter table");
    let started = project.succeed(&["start"]).notes;
    assert!(started.contains(&warning("public.one")), "{started}");
    project.migration("20260102000000", &table("two"));
    let told = project.succeed(&["migration", "up"]).notes;
    assert_eq!(status_of(&project, "/rest/v1/two"), "HTTP/1.1 200 OK");
    assert!(told.contains(&warning("public.one, public.two")), "{told}");
    let nothing = project.succeed(&["migration", "up"]).notes;
    assert!(!nothing.contains("WARN"), "{nothing}");
    project.succeed(&["db", "query", &table("three")]);
    assert_eq!(status_of(&project, "/rest/v1/three"), "HTTP/1.1 200 OK");
    project.succeed(&["db", "query", "select 1 as a into public.five; grant select on public.five to anon"]);
    assert_eq!(status_of(&project, "/rest/v1/five"), "HTTP/1.1 200 OK");
    project.migration("20260103000000", &table("four"));
    let reset = project.succeed(&["db", "reset"]).notes;
    assert_eq!(status_of(&project, "/rest/v1/four"), "HTTP/1.1 200 OK");
    assert!(reset.contains(&warning("public.four, public.one, public.two")), "{reset}");
    // The remark asks as `postgres`, whose password is set again behind the migrations.
    project.migration("20260104000000", "alter role postgres password 'other';");
    let told = project.succeed(&["migration", "up"]).notes;
    assert!(told.contains(&warning("public.four, public.one, public.two")), "{told}");
}

// rows: CLI-DB-QUERY
#[test]
fn a_query_comes_as_an_argument_from_a_file_or_by_standard_input() {
    use std::io::Write as _;
    let project = Project::new();
    project.succeed(&["start"]);
    std::fs::write(project.path().join("a.sql"), "\u{feff}select 1 as n;\n").expect("written");
    assert_eq!(project.succeed(&["db", "query", "-f", "a.sql"]).out, " n\n---\n 1\n");
    std::fs::write(project.path().join("a.sql"), "select 1;\nselect nope;\n").expect("written");
    let wrong = project.run(&["db", "query", "--file", "a.sql"]);
    assert!(wrong.code == 1 && wrong.notes.contains("a.sql:2: ERROR"), "{}", wrong.notes);
    let both = project.run(&["db", "query", "select 1", "-f", "a.sql"]);
    assert!(both.code == 2 && both.notes.contains("cannot be used with"), "{}", both.notes);
    let none = project.run(&["db", "query"]);
    assert!(none.code == 1 && none.notes.contains("no SQL query provided"), "{}", none.notes);
    assert!(none.notes.contains("Reading SQL from standard input..."), "{}", none.notes);
    let mut piped = project.command(&["db", "query", "-o", "json"]);
    let piped = piped.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut child = piped.spawn().expect("the binary runs");
    child.stdin.take().expect("a pipe").write_all(b"select 2 as n").expect("taken");
    let said = child.wait_with_output().expect("it ends").stdout;
    assert_eq!(serde_json::from_slice::<serde_json::Value>(&said).expect("JSON")[0]["n"], 2);
    let packed = project.run(&["db", "query", "-f", "a.sql.gz"]).notes;
    assert!(packed.contains("a.sql.gz: packed SQL is read in seeds only"), "{packed}");
}

/// What the running stack answers, once it does with 200.
pub(crate) fn answer(project: &Project, path: &str) -> String {
    use std::io::{Read as _, Write as _};
    let url = project.status()["API_URL"].as_str().expect("a URL").to_owned();
    let address = url.strip_prefix("http://").expect("plain HTTP");
    let mut said = String::new();
    for _ in 0..500 {
        let mut stream = std::net::TcpStream::connect(address).expect("it listens");
        write!(stream, "GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n").expect("sent");
        said.clear();
        stream.read_to_string(&mut said).expect("an answer");
        if let (true, Some((_, body))) = (said.starts_with("HTTP/1.1 200"), said.split_once("\r\n\r\n")) {
            return body.to_owned();
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    panic!("{path}: {said}");
}

// rows: CLI-DB-RESET-SERVER
#[test]
fn a_reset_on_another_server_names_the_roles_that_stay() {
    let (server, project) = (Project::new(), Project::new());
    server.succeed(&["start"]);
    server.query("create role reader");
    // On somebody else's server it gets a password where it has none.
    server.succeed(&["db", "query", "alter role postgres password null"]);
    let url = server.superuser_url().replace("/postgres?", "/school?");
    project.migration("20260101000000", "create table public.one (id int);");
    let reset = project.command(&["db", "reset", "--yes"]).env("BANYAN_DATABASE_URL", url).output();
    let reset = reset.expect("the binary runs");
    let said = String::from_utf8_lossy(&reset.stderr).into_owned();
    assert!(reset.status.success(), "{said}");
    let warning = "WARN: roles belong to the server and stay, with their settings: reader. A migration";
    assert_eq!(said.matches(warning).count(), 1, "{said}");
}

// rows: CLI-FAILED-MIGRATION
#[test]
fn a_failing_migration_stops_the_start_and_can_be_mended() {
    let project = Project::new();
    project.migration("20260101000000", "create table public.one (id int);");
    project.migration("20260102000000", "create tabel public.two (id int);");
    let failed = project.run(&["start"]);
    assert!(failed.code == 1 && failed.notes.contains("20260102000000_test.sql"), "{}", failed.notes);
    assert!(
        !project.path().join("state/postgres/data/postmaster.pid").exists(),
        "PostgreSQL was stopped again"
    );

    project.migration("20260102000000", "create table public.two (id int);");
    project.succeed(&["start"]);
    assert_eq!(project.query("select to_regclass('public.two')::text as two")[0]["two"], "two");
}

// rows: CLI-MIGRATION-NEW
#[test]
fn new_migrations_take_their_text_from_a_pipe() {
    let project = Project::new();
    let said = project.succeed(&["migration", "new", "first_step"]).out;
    let shown = said.trim().strip_prefix("Created new migration at ").expect("a path").to_owned();
    assert!(shown.starts_with("supabase/migrations/") && shown.ends_with("_first_step.sql"), "{shown}");
    assert!(project.path().join(shown).exists());
    assert_eq!(project.run(&["migration", "new", "../out"]).code, 1);
}
