//! The PostgreSQL server that all tests share.

use std::{
    io::{BufRead, BufReader},
    os::unix::{fs::PermissionsExt, process::CommandExt},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{OnceLock, mpsc},
};

use anyhow::{Context as _, anyhow, ensure};
use banyan_config::Environment;
use banyan_db::{Address, DatabaseSettings, Login};
use banyan_local::{Install, LocalError, PostgresServer, PostgresSettings, Purpose};
use secrecy::ExposeSecret;
use sqlx::{
    ConnectOptions as _, Connection as _, Executor as _, PgConnection,
    postgres::{PgConnectOptions, PgSslMode},
};

/// Stops the server after the last process that used it, however that process ended: the watcher
/// holds the lock shared for as long as its standard input, the pipe from the test process, is
/// open. A zombie, which a container without an init process keeps for ever, counts as ended.
const WATCHER: &str = r#"
exec 9>>"$1"
flock -s 9
echo ready
cat >/dev/null
flock -u 9
flock -n -x 9 || exit 0
read -r pid <"$2" || exit 0
kill -INT "$pid"
while kill -0 "$pid" 2>/dev/null && ! grep -qs '^State:[[:space:]]*Z' "/proc/$pid/status"; do sleep 0.02; done
"#;

struct Server {
    settings: DatabaseSettings,
    dropped: mpsc::Sender<String>,
}

/// Settings of the shared server, for its database `postgres`; the server is started when nobody
/// did before.
///
/// # Errors
/// When it cannot be started.
pub async fn settings() -> anyhow::Result<&'static DatabaseSettings> {
    Ok(&server().await?.settings)
}

/// Has a database dropped in the background.
pub(crate) fn drop_later(name: String) {
    if let Some(Ok(server)) = SERVER.get() {
        // The thread lives as long as the process; databases that it did not get to are dropped by
        // a later run.
        let _ = server.dropped.send(name);
    }
}

/// A connection of the superuser to the database `postgres`.
pub(crate) async fn connect() -> anyhow::Result<PgConnection> {
    Ok(options(settings().await?).connect().await?)
}

/// Runs a statement whose names were made by this crate.
pub(crate) async fn execute(connection: &mut PgConnection, sql: &str) -> anyhow::Result<()> {
    connection.execute(sqlx::AssertSqlSafe(sql)).await.with_context(|| sql.to_owned())?;
    Ok(())
}

static SERVER: OnceLock<Result<Server, String>> = OnceLock::new();

async fn server() -> anyhow::Result<&'static Server> {
    let started =
        tokio::task::spawn_blocking(|| SERVER.get_or_init(|| start().map_err(|error| format!("{error:#}"))));
    started.await?.as_ref().map_err(|message| anyhow!("the test server did not start: {message}"))
}

/// Starts a thread that owns the server's handle and drops databases; each test has a runtime of
/// its own that ends with it.
fn start() -> anyhow::Result<Server> {
    let (ready, started) = mpsc::channel();
    let (dropped, to_drop) = mpsc::channel();
    std::thread::Builder::new().name("testkit".to_owned()).spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        match runtime.context("a runtime").and_then(|runtime| {
            let server = runtime.block_on(start_server())?;
            Ok((runtime, server))
        }) {
            Ok((runtime, (settings, watcher))) => {
                let _ = ready.send(Ok(settings.clone()));
                let _watcher = watcher;
                runtime.block_on(drop_databases(&settings, &to_drop));
            }
            Err(error) => drop(ready.send(Err(error))),
        }
    })?;
    Ok(Server { settings: started.recv()??, dropped })
}

async fn start_server() -> anyhow::Result<(DatabaseSettings, Child)> {
    let state = data_folder()?.join("testkit");
    std::fs::create_dir_all(&state)?;
    forget_crashed(&state)?;
    let watcher = watch(&state)?;
    let wanted = wanted(state)?;
    let server = PostgresServer::start(&wanted, &|_| ()).await?;
    Ok((settings_of(&server)?, watcher))
}

/// How tests reach a server: every login has the password of the superuser.
pub(crate) fn settings_of(server: &PostgresServer) -> anyhow::Result<DatabaseSettings> {
    let address = Address::Socket { folder: server.socket_dir().to_owned(), port: server.port() };
    let password = server.passwords().of(server.superuser()).context("a started server has a list")?;
    let mut settings = DatabaseSettings::new(address, password.clone());
    settings.own_passwords.insert(Login::Postgres, password.clone());
    settings.own_version = Some(MAJOR_VERSION);
    settings.pool_size = 10;
    settings.service_pool_size = 4;
    Ok(settings)
}

/// Throws away what a server left that did not end by itself: test data are not flushed to the
/// disk, so after a crash of the machine they cannot be trusted.
fn forget_crashed(state: &Path) -> anyhow::Result<()> {
    let Ok(file) = std::fs::read_to_string(state.join("postgres/data/postmaster.pid")) else { return Ok(()) };
    let pid = file.lines().next().unwrap_or_default().trim();
    if pid.is_empty() || Path::new("/proc").join(pid).exists() {
        return Ok(());
    }
    match PostgresServer::delete_data(state) {
        // Somebody else is about to start it, and has thrown it away.
        Err(LocalError::InUse(_)) => Ok(()),
        deleted => Ok(deleted?),
    }
}

const MAJOR_VERSION: u32 = 17;

/// What tests want of PostgreSQL, with its data in `state`.
pub(crate) fn wanted(state: PathBuf) -> anyhow::Result<PostgresSettings> {
    Ok(PostgresSettings {
        state,
        cache: folder()?.join("cache"),
        port: 0,
        major_version: MAJOR_VERSION,
        logins: &[],
        published_password: true,
        purpose: Purpose::Tests,
        connections: 0,
        install: Install::OwnCache,
    })
}

/// Where the server's data lie: the folder that `BANYAN_TEST_DATA` names, which `scripts/test`
/// makes in memory, or that of the cache.
fn data_folder() -> anyhow::Result<PathBuf> {
    Environment::of_process().get("BANYAN_TEST_DATA").map_or_else(folder, |folder| Ok(PathBuf::from(folder)))
}

/// `tmp/` of the target folder, or a folder of `/var/tmp` where the server's user could not enter
/// that.
fn folder() -> anyhow::Result<PathBuf> {
    let program = std::env::current_exe()?;
    let target = program
        .ancestors()
        .find(|folder| folder.join("CACHEDIR.TAG").is_file())
        .context("tests run from a target folder")?;
    let is_open = |folder: &Path| {
        std::fs::metadata(folder).is_ok_and(|metadata| metadata.permissions().mode() & 0o001 != 0)
    };
    let folder = if target.ancestors().all(is_open) || !is_root()? {
        target.join("tmp")
    } else {
        Path::new("/var/tmp/banyan-tests").join(target.strip_prefix("/").unwrap_or(target))
    };
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

fn is_root() -> anyhow::Result<bool> {
    Ok(std::os::unix::fs::MetadataExt::uid(&std::fs::metadata("/proc/self")?) == 0)
}

fn watch(state: &Path) -> anyhow::Result<Child> {
    let mut watcher = Command::new("sh")
        .args(["-c", WATCHER, "testkit-watcher"])
        .arg(state.join("users.lock"))
        .arg(state.join("postgres/data/postmaster.pid"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()?;
    let mut line = String::new();
    let output = watcher.stdout.take().context("its output is a pipe")?;
    BufReader::new(output).read_line(&mut line)?;
    ensure!(line == "ready\n", "the watcher of the test server did not start");
    Ok(watcher)
}

async fn drop_databases(settings: &DatabaseSettings, names: &mpsc::Receiver<String>) {
    let Ok(mut connection) = options(settings).connect().await else { return };
    for name in left_behind(&mut connection).await.unwrap_or_default() {
        drop_database(&mut connection, &name).await;
    }
    while let Ok(name) = names.recv() {
        if connection.ping().await.is_err() {
            let Ok(another) = options(settings).connect().await else { continue };
            connection = another;
        }
        drop_database(&mut connection, &name).await;
    }
}

async fn drop_database(connection: &mut PgConnection, name: &str) {
    // What cannot be dropped now is dropped by a later run.
    let _ = execute(connection, &format!("drop database if exists {name} with (force)")).await;
}

/// Databases of test processes that are no more: their names carry the process id.
async fn left_behind(connection: &mut PgConnection) -> Result<Vec<String>, sqlx::Error> {
    let names: Vec<String> =
        sqlx::query_scalar("select datname::text from pg_database where datname like 'test\\_%'")
            .fetch_all(connection)
            .await?;
    let is_dead =
        |name: &String| name.split('_').nth(1).is_some_and(|pid| !Path::new("/proc").join(pid).exists());
    Ok(names.into_iter().filter(is_dead).collect())
}

fn options(settings: &DatabaseSettings) -> PgConnectOptions {
    let options = PgConnectOptions::new_without_pgpass()
        .username(&settings.admin_user)
        .password(settings.admin_password.expose_secret())
        .database("postgres")
        .ssl_mode(PgSslMode::Disable)
        .disable_statement_logging();
    match &settings.address {
        Address::Socket { folder, port } => options.socket(folder).port(*port),
        Address::Tcp { host, port } => options.host(host).port(*port),
    }
}
