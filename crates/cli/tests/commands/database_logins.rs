//! Who gets into the embedded PostgreSQL, by which door and with which password (local/CONTRACT.md,
//! passwords).

use std::{
    io::{Read, Write},
    net::{Ipv4Addr, Ipv6Addr, TcpStream},
    os::unix::{fs::PermissionsExt as _, net::UnixStream},
    path::PathBuf,
    str::FromStr as _,
};

use rustix::process::Signal;
use serde_json::Value;
use sqlx::{
    AssertSqlSafe, ConnectOptions as _, PgConnection,
    postgres::{PgConnectOptions, PgSslMode},
};

use crate::{
    migrations::answer,
    project::{Project, signal},
};

/// Roles that the stack alone logs in as.
const OURS: [&str; 5] = [
    "supabase_admin",
    "authenticator",
    "supabase_auth_admin",
    "supabase_storage_admin",
    "supabase_realtime_admin",
];

/// What every local stack of the supabase CLI has for `postgres`.
const PUBLISHED: &str = "postgres";

/// The ways into the server of a project: its socket, and TCP plain and encrypted.
struct Doors {
    socket: PgConnectOptions,
    tcp: [PgConnectOptions; 2],
    folder: PathBuf,
    port: u16,
}

impl Doors {
    fn of(project: &Project) -> Self {
        let (folder, port) = project.socket();
        let base = PgConnectOptions::new_without_pgpass().database("postgres").port(port);
        let to = |mode| base.clone().host("127.0.0.1").ssl_mode(mode);
        let tcp = [to(PgSslMode::Disable), to(PgSslMode::Require)];
        Self { socket: base.clone().socket(&folder), tcp, folder, port }
    }

    fn all(&self) -> [&PgConnectOptions; 3] {
        [&self.socket, &self.tcp[0], &self.tcp[1]]
    }

    /// What the server says first to one who wants to replicate: whether there is a door is judged
    /// before any password is.
    fn replicating(&self, role: &str, kind: &str) -> [Answer; 2] {
        let socket = UnixStream::connect(self.folder.join(format!(".s.PGSQL.{}", self.port)));
        let tcp = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
        let parameters = [("user", role), ("database", "postgres"), ("replication", kind)];
        [
            first_answer(socket.expect("its socket"), &parameters),
            first_answer(tcp.expect("its port"), &parameters),
        ]
    }
}

/// What the server answers to one who wants in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    In,
    /// Past `pg_hba.conf`: a password is wanted.
    PasswordWanted,
    WrongPassword,
    /// The role may not log in, whatever the password.
    NoLogin,
    /// `pg_hba.conf` rejects.
    NoDoor,
}

impl Answer {
    fn of_error(code: &str, message: &str) -> Self {
        match code {
            "28P01" => Self::WrongPassword,
            "28000" if message.contains("is not permitted to log in") => Self::NoLogin,
            "28000" if message.starts_with("pg_hba.conf rejects") => Self::NoDoor,
            _ => panic!("{code}: {message}"),
        }
    }
}

async fn knock(door: &PgConnectOptions, role: &str, password: &str) -> Answer {
    match door.clone().username(role).password(password).connect().await {
        Ok(_) => Answer::In,
        Err(sqlx::Error::Database(error)) => {
            Answer::of_error(error.code().as_deref().expect("a code"), error.message())
        }
        Err(error) => panic!("{role}: {error}"),
    }
}

/// Sends a startup message, which sqlx makes without `replication`, and reads the first answer.
fn first_answer(mut stream: impl Read + Write, parameters: &[(&str, &str)]) -> Answer {
    const VERSION_3: u32 = 196_608;
    let text: String = parameters.iter().map(|(name, value)| format!("{name}\0{value}\0")).collect();
    let length = u32::try_from(text.len() + 9).expect("short");
    let message = [&length.to_be_bytes()[..], &VERSION_3.to_be_bytes(), text.as_bytes(), b"\0"].concat();
    stream.write_all(&message).expect("sent");
    let mut head = [0; 5];
    stream.read_exact(&mut head).expect("an answer");
    let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]);
    let mut body = vec![0; length as usize - 4];
    stream.read_exact(&mut body).expect("the rest of it");
    if head[0] == b'R' {
        assert!(body.starts_with(&[0, 0, 0, 10]), "SCRAM is wanted: {body:?}");
        return Answer::PasswordWanted;
    }
    let body = String::from_utf8(body).expect("text");
    let field = |name| body.split('\0').find_map(|field| field.strip_prefix(name)).expect("a field");
    Answer::of_error(field('C'), field('M'))
}

/// Every login at every door. What `status` gives for `postgres` is what opens.
async fn check(project: &Project) {
    let doors = Doors::of(project);
    for role in OURS {
        let own = project.password(role);
        assert_eq!(knock(&doors.socket, role, &own).await, Answer::In, "{role} by the socket");
        assert_eq!(knock(&doors.socket, role, PUBLISHED).await, Answer::WrongPassword, "{role}");
        for door in &doors.tcp {
            for password in [&own, PUBLISHED] {
                assert_eq!(knock(door, role, password).await, Answer::NoDoor, "{role} over TCP");
            }
        }
        for kind in ["true", "database"] {
            let expected = [Answer::PasswordWanted, Answer::NoDoor];
            assert_eq!(doors.replicating(role, kind), expected, "{role}, replication={kind}");
        }
    }
    assert!(TcpStream::connect((Ipv6Addr::LOCALHOST, doors.port)).is_err(), "nobody listens on ::1");
    let of_people = project.password("postgres");
    let url = project.status()["DB_URL"].as_str().expect("a URL").to_owned();
    assert!(url.starts_with(&format!("postgresql://postgres:{of_people}@127.0.0.1:")), "{url}");
    let to_published = if of_people == PUBLISHED { Answer::In } else { Answer::WrongPassword };
    for door in doors.all() {
        assert_eq!(knock(door, "postgres", &of_people).await, Answer::In, "people come in");
        assert_eq!(knock(door, "postgres", PUBLISHED).await, to_published);
    }
    check_libraries(&doors.tcp[0].clone().username("postgres").password(&of_people)).await;
    assert_eq!(project.query("select current_user as who")[0]["who"], "postgres");
}

/// The project has the server load no file of its choice: the output plugin of a slot may be any.
async fn check_libraries(door: &PgConnectOptions) {
    let mut connection = door.connect().await.expect("people come in");
    for tried in [
        "select pg_create_logical_replication_slot('a', '/nowhere/evil.so')",
        "set role supabase_realtime_admin; select pg_create_logical_replication_slot('a', '/nowhere/evil.so')",
        "create role replicating replication",
        "alter role supabase_realtime_admin replication",
        "load '/nowhere/evil.so'",
    ] {
        let error = sqlx::raw_sql(tried).execute(&mut connection).await.expect_err(tried);
        let code = error.as_database_error().and_then(|error| error.code());
        assert_eq!(code.as_deref(), Some("42501"), "{tried}: {error}");
        sqlx::raw_sql("reset role").execute(&mut connection).await.expect("reset");
    }
}

/// Every role that the server has beside those: none may log in, even with a password that is
/// known.
async fn check_other_roles(project: &Project) {
    let doors = Doors::of(project);
    let mut admin = superuser(project).await;
    let others: Vec<(String, bool)> = sqlx::query_as(
        "select rolname::text, rolcanlogin from pg_roles where rolname <> all ($1) and rolname <> 'postgres'",
    )
    .bind(OURS.as_slice())
    .fetch_all(&mut admin)
    .await
    .expect("read");
    for role in ["anon", "authenticated", "service_role", "dashboard_user", "pg_monitor"] {
        assert!(others.iter().any(|(name, _)| name == role), "{role} is there");
    }
    for (role, may_log_in) in others {
        assert!(!may_log_in, "{role}");
        // PostgreSQL's own roles can have no password.
        let is_built_in = role.starts_with("pg_");
        if !is_built_in {
            run(&mut admin, format!("alter role {role} password '{PUBLISHED}'")).await;
        }
        let expected = if is_built_in { Answer::WrongPassword } else { Answer::NoLogin };
        for door in doors.all() {
            assert_eq!(knock(door, &role, PUBLISHED).await, expected, "{role}");
        }
        if !is_built_in {
            run(&mut admin, format!("alter role {role} password null")).await;
        }
    }
}

async fn run(connection: &mut PgConnection, statement: String) {
    sqlx::raw_sql(AssertSqlSafe(statement)).execute(connection).await.expect("done");
}

/// Starts the stack, and comes in by the URL that the start prints.
async fn start_and_come_in(project: &Project) {
    let values: Value = serde_json::from_str(&project.succeed(&["start", "-o", "json"]).out).expect("JSON");
    let url = values["DB_URL"].as_str().expect("a URL");
    let mut connection = PgConnectOptions::from_str(url).expect("a URL").connect().await.expect(url);
    let who: String =
        sqlx::query_scalar("select current_user::text").fetch_one(&mut connection).await.expect("answered");
    assert_eq!(who, "postgres");
}

// rows: db/PG-ONE-SUPERUSER local/LOC-DOORS local/LOC-LIST
#[tokio::test]
async fn on_a_new_folder_the_stacks_logins_come_by_the_socket_alone() {
    let project = Project::new();
    project.succeed(&["start"]);
    check(&project).await;
    check_other_roles(&project).await;
    assert_eq!(project.password("postgres"), PUBLISHED, "as the CLI's, with the demo keys");
    check_where_secrets_stand(&project);
}

/// In the list alone, which its owner alone may read: in no log, and in no process's command line
/// or environment.
fn check_where_secrets_stand(project: &Project) {
    let state = project.path().join("state");
    let mode = std::fs::metadata(state.join("postgres.passwords")).expect("a list").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let postmaster = std::fs::read_to_string(state.join("postgres/data/postmaster.pid")).expect("it runs");
    let postmaster = postmaster.lines().next().expect("an id").to_owned();
    let mut places: Vec<_> =
        ["banyan.log", "postgres.log", "running.json"].map(|file| state.join(file)).into();
    for pid in [postmaster, project.pid().to_string()] {
        places.extend(["cmdline", "environ"].map(|file| format!("/proc/{pid}/{file}").into()));
    }
    for place in places {
        let text = std::fs::read(&place).unwrap_or_else(|error| panic!("{}: {error}", place.display()));
        let text = String::from_utf8_lossy(&text);
        for role in OURS {
            assert!(!text.contains(&project.password(role)), "{} in {}", role, place.display());
        }
    }
}

/// A session of the superuser, by the socket.
pub(crate) async fn superuser(project: &Project) -> PgConnection {
    let own = project.password("supabase_admin");
    Doors::of(project).socket.username("supabase_admin").password(&own).connect().await.expect("connected")
}

// rows: db/PG-ONE-SUPERUSER
#[tokio::test]
async fn postgres_puts_no_database_in_the_place_of_the_stacks() {
    let project = Project::new();
    project.succeed(&["start"]);
    for sql in ["create database evil", "alter database postgres rename to old"] {
        let refused = project.run(&["db", "query", sql]);
        assert!(
            refused.code == 1 && refused.notes.contains("permission denied to "),
            "{sql}: {}",
            refused.notes
        );
    }
    // Nor does a role that it made when it could.
    let mut admin = superuser(&project).await;
    run(&mut admin, "create role maker createdb replication; grant maker to postgres".to_owned()).await;
    drop(admin);
    // Nor does a setting of its database keep the stack from starting.
    project.query("alter database postgres set default_transaction_read_only = on");
    project.succeed(&["stop"]);
    project.succeed(&["start"]);
    let able = "select count(*) as n from pg_roles where (rolcreatedb or rolreplication) and not rolsuper";
    assert_eq!(project.query(able)[0]["n"], 0);
}

// rows: local/LOC-OLD-DATA
#[tokio::test]
async fn on_a_folder_of_an_earlier_version_passwords_are_made_and_doors_closed() {
    let project = Project::new();
    project.succeed(&["start"]);
    project.query("create table public.kept as select 1 as id");
    as_an_earlier_version_left_it(&project).await;
    let doors = Doors::of(&project);
    for role in OURS.into_iter().chain(["postgres"]) {
        assert_eq!(knock(&doors.tcp[0], role, PUBLISHED).await, Answer::In, "{role} as it was");
    }
    let said = project.succeed(&["db", "query", "select 1"]);
    assert!(said.out.contains('1'), "commands reach what an earlier version runs: {}", said.out);
    // The stack is killed, and its PostgreSQL goes on.
    crate::project::signal(project.pid(), rustix::process::Signal::KILL);
    let said = project.succeed(&["start"]).notes;
    assert!(said.contains("Renewing the passwords of the database..."), "{said}");
    check(&project).await;
    assert_eq!(project.query("select id from public.kept")[0]["id"], 1);

    project.succeed(&["stop"]);
    with_keys_of_its_own(&project);
    start_and_come_in(&project).await;
    check(&project).await;
    assert_ne!(project.password("postgres"), PUBLISHED, "a project with keys of its own");
    check_where_secrets_stand(&project);
    let list = project.password("supabase_admin");
    project.succeed(&["stop"]);
    project.succeed(&["start"]);
    assert_eq!(project.password("supabase_admin"), list, "they stay");
}

// rows: CLI-START-BOX local/LOC-POSTGRES
#[tokio::test]
async fn the_first_start_with_keys_of_its_own_prints_a_url_that_opens() {
    let project = Project::new();
    with_keys_of_its_own(&project);
    start_and_come_in(&project).await;
    assert_ne!(project.password("postgres"), PUBLISHED);
    // What a start closes with may be kept in a journal.
    let shown = project.succeed(&["start"]).out;
    let secrets = ["sb_secret_of_this_test_alone", &project.password("postgres")];
    assert!(shown.contains("Secret key") && !secrets.iter().any(|secret| shown.contains(secret)), "{shown}");
}

/// `postgres` may change settings of the data API's login, and so its password as well.
// rows: db/PG-PASSWORDS
#[tokio::test]
async fn a_start_gives_the_stacks_logins_their_passwords_back() {
    let project = Project::new();
    project.succeed(&["start"]);
    project.query("alter role authenticator set pgrst.db_max_rows = '7'");
    project.query("alter role authenticator password 'other'");
    project.query("set role supabase_auth_admin; alter role supabase_auth_admin password 'other'");
    let socket = Doors::of(&project).socket;
    for role in ["authenticator", "supabase_auth_admin"] {
        assert_eq!(knock(&socket, role, "other").await, Answer::In, "{role}");
    }
    project.succeed(&["stop"]);
    project.succeed(&["start"]);
    check(&project).await;
    let settings = "select rolconfig::text as settings from pg_roles where rolname = 'authenticator'";
    let kept = project.query(settings)[0]["settings"].to_string();
    assert!(kept.contains("pgrst.db_max_rows=7"), "{kept}");
}

/// Every role has the published password, every door is open, and there is no list.
async fn as_an_earlier_version_left_it(project: &Project) {
    let mut admin = superuser(project).await;
    for role in OURS.into_iter().chain(["postgres"]) {
        run(&mut admin, format!("alter role {role} password '{PUBLISHED}'")).await;
    }
    let state = project.path().join("state");
    let access = "# Written by banyan at every start.
local all         all                scram-sha-256
host  all         all 127.0.0.1/32   scram-sha-256
host  all         all ::1/128        scram-sha-256
local replication all                scram-sha-256
host  replication all 127.0.0.1/32   scram-sha-256
host  replication all ::1/128        scram-sha-256
";
    std::fs::write(state.join("postgres.hba"), access).expect("written");
    std::fs::remove_file(state.join("postgres.passwords")).expect("removed");
    sqlx::raw_sql("select pg_reload_conf()").execute(&mut admin).await.expect("done");
    // The server reads the file when it comes to it.
    let tcp = Doors::of(project).tcp[0].clone();
    for _ in 0..500 {
        if knock(&tcp, "supabase_admin", PUBLISHED).await == Answer::In {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("the doors stay closed");
}

fn with_keys_of_its_own(project: &Project) {
    let path = project.path().join("supabase/config.toml");
    let text = std::fs::read_to_string(&path).expect("read");
    let keys = "[auth]\nsigning_keys_path = \"./signing_keys.json\"\njwt_secret = \"a-secret-of-this-test-that-is-long-enough\"\n\
        secret_key = \"sb_secret_of_this_test_alone\"\n";
    std::fs::write(&path, text.replacen("[auth]\n", keys, 1)).expect("written");
    project.succeed(&["gen", "signing-key"]);
    let keys: Value = serde_json::from_slice(
        &std::fs::read(project.path().join("supabase/signing_keys.json")).expect("read"),
    )
    .expect("JSON");
    assert_eq!(keys.as_array().map(Vec::len), Some(1));
}

// rows: db/PG-START-SUCCEEDS
#[tokio::test]
async fn whatever_a_project_sets_of_its_roles_and_database_the_next_start_succeeds() {
    let project = Project::new();
    project.succeed(&["start"]);
    // It is open to everybody, and no setting of the other database holds there.
    let beside = async || {
        let door = Doors::of(&project).socket.username("postgres").password(PUBLISHED).database("template1");
        door.options([("local_preload_libraries", "")]).connect().await.expect("its owner comes in")
    };
    let mut connection = beside().await;
    for setting in [
        "alter role authenticator connection limit 0 valid until '2001-01-01'",
        "alter role authenticator set local_preload_libraries = 'nope'",
        "alter role postgres set local_preload_libraries = 'nope'",
        "alter database postgres set role = 'anon'",
        "alter database postgres connection limit 0 allow_connections false",
    ] {
        sqlx::raw_sql(setting).execute(&mut connection).await.expect(setting);
    }
    drop(connection);
    // What it still does for mails would wait for the database.
    signal(project.pid(), Signal::KILL);
    project.succeed(&["stop"]);
    project.succeed(&["start"]);
    let mut connection = beside().await;
    let kept_out: Option<String> = sqlx::query_scalar(
        "select string_agg(rolname, ' ') from pg_roles
         where rolcanlogin and (rolconnlimit <> -1 or rolvaliduntil < 'infinity')",
    )
    .fetch_one(&mut connection)
    .await
    .expect("read");
    assert_eq!(kept_out, None);
    for whose in ["database postgres", "role postgres", "role authenticator"] {
        run(&mut connection, format!("alter {whose} reset all")).await;
    }
    drop(connection);
    project.succeed(&["stop"]);
    project.succeed(&["start"]);
    project.query("create table public.one (id int); grant select on public.one to anon");
    assert_eq!(answer(&project, "/rest/v1/one"), "[]");
}

// rows: db/PG-START-SUCCEEDS
#[tokio::test]
async fn a_first_start_and_a_completed_reset_come_to_their_end_whatever_a_migration_sets() {
    let project = Project::new();
    project.migration(
        "20260101000000",
        "alter role postgres set statement_timeout = '1ms';
        alter role postgres set lock_timeout = '1ms';
        alter role postgres set transaction_timeout = '1ms';
        alter role postgres set default_transaction_read_only = on;
        alter role postgres set role = 'anon';
        alter database postgres set default_transaction_read_only = on;
        alter role postgres password 'other';
        alter database postgres connection limit 0;
        revoke connect on database postgres from public, supabase_auth_admin, authenticator, postgres;",
    );
    let seed = "create table public.seeded (id int); select pg_sleep(0.01);";
    std::fs::write(project.path().join("supabase/seed.sql"), seed).expect("written");
    for is_reset in [false, true] {
        if is_reset {
            project.succeed(&["stop"]);
            std::fs::write(project.path().join("state/reset"), "server\n").expect("marked");
        }
        let started = project.succeed(&["start"]);
        let said = [started.out, started.notes].concat();
        assert_eq!(said.contains("Completing the `banyan db reset`"), is_reset, "{said}");
        let query = "select to_regclass('public.seeded') is not null";
        let is_seeded: bool =
            sqlx::query_scalar(query).fetch_one(&mut superuser(&project).await).await.expect("asked");
        assert!(is_seeded, "{said}");
    }
}
