use std::{
    net::{Ipv4Addr, TcpListener},
    path::{Path, PathBuf},
    sync::Mutex,
};

use banyan_local::{Holder, Install, LocalError, PostgresServer, PostgresSettings, Purpose, Step};
use secrecy::ExposeSecret as _;
use sqlx::{
    ConnectOptions,
    postgres::{PgConnectOptions, PgSslMode},
};
use tempfile::TempDir;

/// Programs are fetched once for all runs of the tests.
fn cache() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cache")
}

fn settings(state: &Path, purpose: Purpose) -> PostgresSettings {
    PostgresSettings {
        state: state.to_owned(),
        cache: open_to_all(cache()),
        port: 0,
        major_version: 17,
        logins: &["authenticator"],
        published_password: true,
        purpose,
        connections: 0,
        install: Install::OwnCache,
    }
}

/// Under root the server is another user and must be able to enter; where the checkout forbids
/// that, `/var/tmp` serves.
fn open_to_all(path: PathBuf) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let closed = path
        .ancestors()
        .filter_map(|folder| std::fs::metadata(folder).ok())
        .any(|folder| folder.permissions().mode() & 0o001 == 0);
    if closed && rustix::process::geteuid().is_root() { "/var/tmp/banyan-test-cache".into() } else { path }
}

fn folder() -> TempDir {
    tempfile::Builder::new().prefix("banyan").tempdir().expect("a folder")
}

async fn start(state: &Path) -> PostgresServer {
    PostgresServer::start(&settings(state, Purpose::Tests), &|_| ()).await.expect("a server")
}

// rows: LOC-INITDB
#[tokio::test]
async fn a_first_start_makes_data_and_a_second_keeps_them() {
    let folder = folder();
    let steps = Mutex::new(Vec::new());
    let settings = settings(folder.path(), Purpose::Stack);
    let tell = |step: &Step| steps.lock().expect("not poisoned").push(step.clone());
    let server = PostgresServer::start(&settings, &tell).await.expect("a server");
    let identifier = system_identifier(folder.path());
    assert!(server.socket_dir().join(format!(".s.PGSQL.{}", server.port())).exists());
    server.stop().await.expect("stopped");

    let server = PostgresServer::start(&settings, &tell).await.expect("a server again");
    assert_eq!(system_identifier(folder.path()), identifier);
    server.stop().await.expect("stopped");
    let steps = steps.into_inner().expect("not poisoned");
    let made = steps.iter().filter(|step| matches!(step, Step::Initialising { .. })).count();
    assert_eq!(made, 1, "{steps:?}");
}

/// Bytes 0 to 8 of `pg_control`: drawn anew by every `initdb`.
fn system_identifier(state: &Path) -> Vec<u8> {
    std::fs::read(state.join("postgres/data/global/pg_control")).expect("a control file")[..8].to_vec()
}

// rows: LOC-OUTLIVES
#[tokio::test]
async fn a_server_that_outlived_its_parent_is_taken_over() {
    let folder = folder();
    let first = start(folder.path()).await;
    let (pid, port) = (first.pid(), first.port());
    // As after `kill -9`: nobody stops the server, and the lock is gone.
    drop(first);

    let second = start(folder.path()).await;
    assert_eq!((second.pid(), second.port()), (pid, port));
    second.stop().await.expect("stopped");
    assert!(!folder.path().join("postgres/data/postmaster.pid").exists());
}

#[tokio::test]
async fn processes_that_test_share_one_server() {
    let folder = folder();
    let (first, second) = tokio::join!(start(folder.path()), start(folder.path()));
    assert_eq!(first.pid(), second.pid());
    first.stop().await.expect("stopped");
    drop(second);
}

// rows: LOC-OUTLIVES
#[tokio::test]
async fn a_server_that_outlived_its_parent_on_another_port_is_moved() {
    let folder = folder();
    let first = start(folder.path()).await;
    let pid = first.pid();
    let other =
        TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|l| l.local_addr()).expect("a port").port();
    let wanted = PostgresSettings { port: other, ..settings(folder.path(), Purpose::Tests) };

    // The first value is still its parent and collects it when it ends.
    let second = PostgresServer::start(&wanted, &|_| ()).await;
    drop(first);
    let second = second.expect("a server");
    assert_eq!(second.port(), other);
    assert_ne!(second.pid(), pid);
    second.stop().await.expect("stopped");
}

// rows: LOC-OUTLIVES
#[tokio::test]
async fn a_killed_server_recovers_on_the_next_start() {
    let folder = folder();
    let mut first =
        PostgresServer::start(&settings(folder.path(), Purpose::Stack), &|_| ()).await.expect("a server");
    let pid = rustix::process::Pid::from_raw(first.pid().cast_signed()).expect("a process id");
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("killed");
    first.ended().await;
    drop(first);

    let second =
        PostgresServer::start(&settings(folder.path(), Purpose::Stack), &|_| ()).await.expect("a server");
    second.stop().await.expect("stopped");
}

// rows: LOC-INITDB
#[tokio::test]
async fn a_half_made_data_folder_is_thrown_away() {
    let folder = folder();
    let half = folder.path().join("postgres/data.new");
    std::fs::create_dir_all(half.join("base")).expect("made");
    std::fs::write(half.join("PG_VERSION"), "17\n").expect("written");
    start(folder.path()).await.stop().await.expect("stopped");
    assert!(!half.exists());
    assert!(folder.path().join("postgres/data/PG_VERSION").exists());
}

// rows: LOC-VERSION
#[tokio::test]
async fn data_of_another_major_version_are_refused_with_advice() {
    let folder = folder();
    start(folder.path()).await.stop().await.expect("stopped");
    std::fs::write(folder.path().join("postgres/data/PG_VERSION"), "14\n").expect("written");
    let error =
        PostgresServer::start(&settings(folder.path(), Purpose::Tests), &|_| ()).await.expect_err("refused");
    let text = error.to_string();
    assert!(matches!(error, LocalError::OtherVersion { .. } | LocalError::NoPrograms { .. }), "{text}");
}

// rows: cli/CLI-PORTS LOC-LOCK
#[tokio::test]
async fn two_projects_run_at_once() {
    let (one, two) = (folder(), folder());
    let (first, second) = tokio::join!(start(one.path()), start(two.path()));
    assert_ne!(first.port(), second.port());
    assert_ne!(first.socket_dir(), second.socket_dir());
    first.stop().await.expect("stopped");
    second.stop().await.expect("stopped");
}

// rows: LOC-LOCK
#[tokio::test]
async fn a_second_process_of_the_same_project_is_refused() {
    let folder = folder();
    let settings = settings(folder.path(), Purpose::Stack);
    let first = PostgresServer::start(&settings, &|_| ()).await.expect("a server");
    let error = PostgresServer::start(&settings, &|_| ()).await.expect_err("refused");
    assert!(matches!(error, LocalError::InUse(_)), "{error}");
    first.stop().await.expect("stopped");
}

// rows: LOC-PORTS
#[tokio::test]
async fn the_holder_of_the_wanted_port_is_named() {
    let folder = folder();
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let port = taken.local_addr().expect("an address").port();
    let settings = PostgresSettings { port, ..settings(folder.path(), Purpose::Tests) };
    let error = PostgresServer::start(&settings, &|_| ()).await.expect_err("refused");
    let LocalError::PortTaken { holder: Holder::Process { pid, .. }, what: "db.port", .. } = error else {
        panic!("{error}")
    };
    assert_eq!(pid, std::process::id());
}

// rows: LOC-SOCKET
#[tokio::test]
async fn a_long_path_gets_a_short_closed_folder_for_its_socket() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    let deep = folder.path().join("a".repeat(60)).join("b".repeat(60));
    std::fs::create_dir_all(&deep).expect("made");
    if rustix::process::geteuid().is_root() {
        for part in deep.ancestors().take(3) {
            std::fs::set_permissions(part, std::fs::Permissions::from_mode(0o755)).expect("opened");
        }
    }
    let server = start(&deep).await;
    let socket = server.socket_dir().to_owned();
    assert!(socket.as_os_str().len() < 92, "{}", socket.display());
    let mode = std::fs::metadata(&socket).expect("the folder").permissions().mode();
    assert_eq!(mode & 0o077, 0);
    server.stop().await.expect("stopped");
    PostgresServer::delete_data(&deep).expect("deleted");
    assert!(!socket.exists() && !deep.join("postgres").exists());
}

// rows: LOC-ROOT
#[tokio::test]
async fn only_the_owner_may_look_into_the_data() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let folder = folder();
    let server = start(folder.path()).await;
    for closed in ["postgres", "postgres/data", "socket"] {
        let found = std::fs::metadata(folder.path().join(closed)).expect("a folder");
        assert_eq!(found.permissions().mode() & 0o077, 0, "{closed}");
    }
    let expected =
        if rustix::process::geteuid().is_root() { 65534 } else { rustix::process::geteuid().as_raw() };
    assert_eq!(std::fs::metadata(folder.path().join("postgres/data")).expect("data").uid(), expected);
    assert!(!folder.path().join("postgres.pwd").exists());
    server.stop().await.expect("stopped");
}

// rows: LOC-ROOT
#[tokio::test]
async fn a_folder_that_the_servers_user_cannot_enter_is_named() {
    use std::os::unix::fs::PermissionsExt;
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let folder = folder();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o700)).expect("closed");
    let error = PostgresServer::start(&settings(&folder.path().join("state"), Purpose::Tests), &|_| ())
        .await
        .expect_err("refused");
    assert!(matches!(&error, LocalError::NotTraversable(path) if path == folder.path()), "{error}");
}

/// Password of the superuser.
fn superuser(server: &PostgresServer) -> String {
    server.passwords().of(server.superuser()).expect("there").expose_secret().to_owned()
}

/// Whether a role gets in with a password.
async fn gets_in(door: &PgConnectOptions, role: &str, password: &str) -> bool {
    door.clone().username(role).password(password).connect().await.is_ok()
}

/// Turns the folder of a stack into one of an earlier version: every login has the published
/// password, on every door.
async fn as_earlier_versions_left_it(server: &PostgresServer, state: &Path) {
    let door = socket_of(server).username(server.superuser()).password(&superuser(server));
    let mut admin = door.connect().await.expect("connected");
    let roles = "create role authenticator login; create role postgres login;
        alter role authenticator password 'postgres'; alter role postgres password 'postgres';
        alter role supabase_admin password 'postgres'";
    sqlx::raw_sql(roles).execute(&mut admin).await.expect("done");
    let access = "local all all scram-sha-256\nhost all all 127.0.0.1/32 scram-sha-256\n";
    std::fs::write(state.join("postgres.hba"), access).expect("written");
    sqlx::raw_sql("select pg_reload_conf()").execute(&mut admin).await.expect("done");
    std::fs::remove_file(state.join("postgres.passwords")).expect("removed");
}

fn socket_of(server: &PostgresServer) -> PgConnectOptions {
    let base = PgConnectOptions::new_without_pgpass().database("postgres").port(server.port());
    base.socket(server.socket_dir())
}

// rows: LOC-OLD-DATA
#[tokio::test]
async fn data_of_an_earlier_version_get_a_new_password_before_anybody_connects() {
    for is_left_running in [false, true] {
        let folder = folder();
        let wanted = settings(folder.path(), Purpose::Stack);
        let earlier = PostgresServer::start(&wanted, &|_| ()).await.expect("a server");
        as_earlier_versions_left_it(&earlier, folder.path()).await;
        let pid = earlier.pid();
        if is_left_running {
            // As after `kill -9` of the stack: the server goes on, with the sessions of whoever
            // came in.
            drop(earlier);
        } else {
            earlier.stop().await.expect("stopped");
        }
        let steps = Mutex::new(Vec::new());
        let tell = |step: &Step| steps.lock().expect("not poisoned").push(step.clone());
        let server = PostgresServer::start(&wanted, &tell).await.expect("a server again");
        assert_ne!(server.pid(), pid);
        assert!(steps.into_inner().expect("not poisoned").contains(&Step::RenewingPasswords));
        let socket = socket_of(&server);
        assert!(!gets_in(&socket, "supabase_admin", "postgres").await);
        assert!(gets_in(&socket, "supabase_admin", &superuser(&server)).await);
        let tcp =
            PgConnectOptions::new_without_pgpass().database("postgres").port(server.port()).host("127.0.0.1");
        assert!(!gets_in(&tcp, "supabase_admin", &superuser(&server)).await);
        assert!(!gets_in(&tcp, "authenticator", "postgres").await);
        assert!(gets_in(&tcp, "postgres", "postgres").await, "people come in as ever");
        server.stop().await.expect("stopped");
    }
}

// rows: LOC-INITDB LOC-SETTINGS LOC-TLS
#[tokio::test]
async fn socket_and_port_ask_for_a_password() {
    let folder = folder();
    let server = start(folder.path()).await;
    let base = PgConnectOptions::new_without_pgpass()
        .port(server.port())
        .username(server.superuser())
        .database("postgres");
    for at in [base.clone().socket(server.socket_dir()), base.host("127.0.0.1").ssl_mode(PgSslMode::Require)]
    {
        at.clone().password("wrong").connect().await.expect_err("a wrong password is refused");
        at.clone().connect().await.expect_err("no password is refused");
        at.clone().password("postgres").connect().await.expect_err("the published one is refused");
        let mut connection = at.password(&superuser(&server)).connect().await.expect("connected");
        let settings: String = sqlx::query_scalar(
            "select concat_ws('|', current_setting('wal_level'), current_setting('server_encoding'), \
             array(select v from unnest(array['a', 'B', 'c']) v order by v)::text)",
        )
        .fetch_one(&mut connection)
        .await
        .expect("an answer");
        assert_eq!(settings, "logical|UTF8|{a,B,c}");
    }
    server.stop().await.expect("stopped");
}

// rows: LOC-READY LOC-STOP
#[tokio::test]
async fn a_start_returns_when_clients_may_come_and_a_stop_does_not_wait_for_them() {
    let folder = folder();
    let server = start(folder.path()).await;
    let door = socket_of(&server).username(server.superuser()).password(&superuser(&server));
    // It is asked once: nobody tries again.
    let mut client = door.connect().await.expect("the server answers as soon as it is started");
    sqlx::raw_sql("begin").execute(&mut client).await.expect("it leaves a transaction open");
    let log = server.log().to_owned();
    // A stop that waits gives up after a minute, with an error.
    server.stop().await.expect("stopped");
    sqlx::raw_sql("select 1").execute(&mut client).await.expect_err("the session was ended");
    let log = std::fs::read_to_string(log).expect("a log");
    assert!(log.contains("received fast shutdown request"), "{log}");
    assert!(log.contains("database system is shut down"), "it was not killed: {log}");
}

// rows: db/PG-TRUSTED LOC-TRUSTED
#[tokio::test]
async fn a_database_owner_without_superuser_may_create_trusted_extensions() {
    let folder = folder();
    let server = start(folder.path()).await;
    let options = socket_of(&server).password("postgres");
    let admin = options.clone().username(server.superuser()).password(&superuser(&server));
    let mut admin = admin.connect().await.expect("connected");
    for statement in
        ["create role owner login password 'postgres'", "grant create on database postgres to owner"]
    {
        sqlx::raw_sql(statement).execute(&mut admin).await.expect("done");
    }
    let mut owner = options.username("owner").connect().await.expect("connected");
    for extension in ["pgcrypto", "uuid-ossp", "pg_trgm", "hstore", "pg_stat_statements"] {
        let statement = format!("create extension \"{extension}\"");
        sqlx::raw_sql(sqlx::AssertSqlSafe(statement)).execute(&mut owner).await.expect(extension);
    }
    for door in ["file_fdw", "dblink", "postgres_fdw"] {
        let statement = format!("create extension {door}");
        let refused = sqlx::raw_sql(sqlx::AssertSqlSafe(statement)).execute(&mut owner).await;
        let refused = refused.expect_err("a door to files or servers stays closed");
        assert!(refused.to_string().contains("permission denied to create extension"), "{refused}");
    }
    server.stop().await.expect("stopped");
}
