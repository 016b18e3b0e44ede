//! A database of a test's own and the service in front of it.

use std::{
    io::{BufRead, BufReader, Read},
    process::{Child, Command, ExitStatus, Stdio},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use banyan_config::Environment;
use banyan_db::{Address, Database, DatabaseSettings, Login};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};

pub(crate) const SECRET: &str = "a secret of the school that nobody guesses";
const PASSWORD: &str = "of the login";

/// A database with a small school in it, and roles of its own.
pub(crate) struct Stage {
    pub(crate) name: String,
    admin: Arc<DatabaseSettings>,
}

/// The service, running.
pub(crate) struct Api {
    child: Child,
    pub(crate) url: String,
    pub(crate) admin_url: String,
    notes: Arc<Mutex<String>>,
    lines: Arc<Mutex<String>>,
    _folder: tempfile::TempDir,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: reqwest::header::HeaderMap,
    pub(crate) text: String,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    /// Status, code and message of an error.
    pub(crate) fn refusal(&self) -> (u16, String, String) {
        let text = |name: &str| self.json()[name].as_str().unwrap_or_default().to_owned();
        (self.status, text("code"), text("message"))
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(|value| value.to_str().expect("a text")).unwrap_or_default()
    }
}

async fn server() -> DatabaseSettings {
    let environment = Environment::of_process();
    match environment.get("BANYAN_TEST_POSTGRES") {
        Some(words) => {
            DatabaseSettings::of_one_login_from_libpq(&words.into(), |_| None).expect("libpq's words")
        }
        None => banyan_testkit::settings().await.expect("the test server").clone(),
    }
}

impl Stage {
    /// A database of its own with roles `<name>_login`, `<name>_anon` and `<name>_teacher`.
    pub(crate) async fn new() -> Self {
        let stage = Self::without_database().await;
        stage.create().await;
        stage
    }

    /// The roles alone.
    pub(crate) async fn without_database() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("alone_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let stage = Self { name: name.clone(), admin: Arc::new(server().await) };
        let mut connection = stage.connect(&stage.admin.database).await;
        let roles = format!(
            "create role {name}_login login noinherit password '{PASSWORD}';
             create role {name}_anon; create role {name}_teacher; create role {name}_stranger;
             grant {name}_anon, {name}_teacher to {name}_login;"
        );
        connection.execute(AssertSqlSafe(roles)).await.expect("roles");
        stage
    }

    /// Makes the database and what is in it.
    pub(crate) async fn create(&self) {
        let name = &self.name;
        let mut connection = self.connect(&self.admin.database).await;
        connection.execute(AssertSqlSafe(format!("create database {name}"))).await.expect("a database");
        self.execute(&include_str!("school.sql").replace("ROLE", name)).await;
    }

    async fn connect(&self, database: &str) -> PgConnection {
        let settings = DatabaseSettings { database: database.to_owned(), ..(*self.admin).clone() };
        let handle = Database::connect(&settings).expect("settings of the test server");
        let options = (*handle.pool(Login::Admin).connect_options()).clone();
        PgConnection::connect_with(&options).await.expect("the test server answers")
    }

    /// Runs statements as the superuser.
    pub(crate) async fn execute(&self, sql: &str) {
        let mut connection = self.connect(&self.name).await;
        connection
            .execute(AssertSqlSafe(sql.replace("ROLE", &self.name)))
            .await
            .unwrap_or_else(|error| panic!("{sql}: {error}"));
    }

    /// One number, asked as the superuser.
    pub(crate) async fn number(&self, sql: &str) -> i64 {
        let mut connection = self.connect(&self.name).await;
        sqlx::query_scalar(AssertSqlSafe(sql.replace("ROLE", &self.name)))
            .fetch_one(&mut connection)
            .await
            .expect("a number")
    }

    /// Waits until a request sleeps in the database, or was answered.
    pub(crate) async fn until_napping<T>(&self, request: &tokio::task::JoinHandle<T>) {
        let naps = "select count(*) from pg_stat_activity \
                    where datname = current_database() and wait_event = 'PgSleep'";
        while !request.is_finished() && self.number(naps).await == 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// `db-uri` of the login.
    pub(crate) fn uri(&self) -> String {
        let (host, port) = match &self.admin.address {
            Address::Socket { folder, port } => (folder.display().to_string(), *port),
            Address::Tcp { host, port } => (host.clone(), *port),
        };
        self.uri_at(&host, port, PASSWORD)
    }

    pub(crate) fn uri_at(&self, host: &str, port: u16, password: &str) -> String {
        format!("host={host} port={port} user={0}_login password='{password}' dbname={0}", self.name)
    }

    pub(crate) fn password(&self) -> &'static str {
        PASSWORD
    }

    /// Host and port of the server, for who stands between.
    pub(crate) fn place(&self) -> (String, u16) {
        match &self.admin.address {
            Address::Socket { folder, port } => (folder.display().to_string(), *port),
            Address::Tcp { host, port } => (host.clone(), *port),
        }
    }

    /// The lines that every test's configuration begins with.
    pub(crate) fn lines(&self, more: &str) -> String {
        format!(
            "db-uri = \"{}\"\ndb-schemas = \"school\"\ndb-anon-role = \"{}_anon\"\nserver-host = \"127.0.0.1\"\n\
             server-port = 0\nadmin-server-port = 0\njwt-secret = \"{SECRET}\"\n{more}\n",
            self.uri(),
            self.name
        )
    }

    /// The service with these options beside the usual ones.
    pub(crate) fn serve(&self, more: &str) -> Api {
        self.serve_with(&self.lines(more), &[])
    }

    /// The service with exactly these options and variables.
    pub(crate) fn serve_with(&self, file: &str, variables: &[(&str, &str)]) -> Api {
        Api::start(file, variables)
    }

    /// A token of the school's secret.
    pub(crate) fn token(&self, claims: &Value) -> String {
        signed(claims, SECRET)
    }

    pub(crate) fn teacher(&self) -> String {
        self.token(&serde_json::json!({"role": format!("{}_teacher", self.name)}))
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let (settings, name) = (Arc::clone(&self.admin), self.name.clone());
        // The test's own runtime ends with the test.
        let cleaning = std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async move {
                let Ok(database) = Database::connect(&settings) else { return };
                for sql in [
                    format!("drop database if exists {name} with (force)"),
                    format!("drop role if exists {name}_login, {name}_anon, {name}_teacher, {name}_stranger"),
                ] {
                    let _ = sqlx::raw_sql(AssertSqlSafe(sql)).execute(database.pool(Login::Admin)).await;
                }
                database.close().await;
            });
        });
        let _ = cleaning.join();
    }
}

/// A token signed HS256.
pub(crate) fn signed(claims: &Value, secret: &str) -> String {
    use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
    use hmac::{Hmac, Mac};
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let head = format!("{}.{}", part(&serde_json::json!({"alg": "HS256", "typ": "JWT"})), part(claims));
    let mut mac = Hmac::<sha2::Sha256>::new_from_slice(secret.as_bytes()).expect("any length will do");
    mac.update(head.as_bytes());
    format!("{head}.{}", URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes()))
}

/// Starts the binary with a file of options; nothing of this process's environment reaches it.
pub(crate) fn spawn(file: &str, variables: &[(&str, &str)]) -> (Child, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("api.conf");
    std::fs::write(&path, file).expect("written");
    let child = Command::new(env!("CARGO_BIN_EXE_banyan"))
        .args(["serve", "rest", "--config"])
        .arg(&path)
        .env_clear()
        .envs(variables.iter().copied())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the built binary");
    (child, folder)
}

/// How a start ends that does not go well, and what it says.
pub(crate) fn failure(file: &str, variables: &[(&str, &str)]) -> (ExitStatus, String) {
    let (mut child, _folder) = spawn(file, variables);
    let end = Instant::now() + Duration::from_secs(30);
    let status = loop {
        if let Some(status) = child.try_wait().expect("a child") {
            break status;
        }
        if Instant::now() > end {
            let _ = child.kill();
            let _ = child.wait();
            panic!("it runs");
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let mut notes = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut notes).expect("text");
    (status, notes)
}

fn collect(source: impl Read + Send + 'static) -> Arc<Mutex<String>> {
    let text = Arc::new(Mutex::new(String::new()));
    let kept = Arc::clone(&text);
    std::thread::spawn(move || {
        for line in BufReader::new(source).lines().map_while(Result::ok) {
            let mut text = kept.lock().expect("not poisoned");
            text.push_str(&line);
            text.push('\n');
        }
    });
    text
}

impl Api {
    fn start(file: &str, variables: &[(&str, &str)]) -> Self {
        let (mut child, folder) = spawn(file, variables);
        let notes = collect(child.stderr.take().expect("piped"));
        let lines = collect(child.stdout.take().expect("piped"));
        let mut api =
            Self { child, url: String::new(), admin_url: String::new(), notes, lines, _folder: folder };
        let wants_admin = file.contains("admin-server-port");
        let place = |notes: &str, what: &str| {
            let (_, rest) = notes.split_once(what)?;
            rest.split_once('\n').map(|(place, _)| format!("http://{}", place.trim()))
        };
        let ready = api.wait_for_notes(|notes| {
            place(notes, "API server listening on ").is_some()
                && (!wants_admin || place(notes, "Admin server listening on ").is_some())
        });
        assert!(ready, "it did not start: {}", api.notes());
        let notes = api.notes();
        api.url = place(&notes, "API server listening on ").unwrap_or_default();
        api.admin_url = place(&notes, "Admin server listening on ").unwrap_or_default();
        api
    }

    /// What it said beside the log of requests.
    pub(crate) fn notes(&self) -> String {
        self.notes.lock().expect("not poisoned").clone()
    }

    /// The log of requests.
    pub(crate) fn lines(&self) -> String {
        self.lines.lock().expect("not poisoned").clone()
    }

    pub(crate) fn wait_for_notes(&self, wanted: impl Fn(&str) -> bool) -> bool {
        wait(|| wanted(&self.notes()))
    }

    pub(crate) fn wait_for_lines(&self, wanted: impl Fn(&str) -> bool) -> bool {
        wait(|| wanted(&self.lines()))
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let pid = Pid::from_child(&self.child);
        kill_process(pid, signal).expect("it runs");
    }

    /// How it ended, which it must within 30 s.
    pub(crate) fn ended(&mut self) -> ExitStatus {
        let end = Instant::now() + Duration::from_secs(30);
        loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return status;
            }
            assert!(Instant::now() < end, "it still runs: {}", self.notes());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.send(reqwest::Client::new().get(format!("{}{path}", self.url))).await
    }

    pub(crate) async fn get_as(&self, path: &str, token: &str) -> Reply {
        self.send(
            reqwest::Client::new()
                .get(format!("{}{path}", self.url))
                .header("authorization", format!("Bearer {token}")),
        )
        .await
    }

    pub(crate) async fn admin(&self, path: &str) -> Reply {
        self.send(reqwest::Client::new().get(format!("{}{path}", self.admin_url))).await
    }

    pub(crate) async fn send(&self, request: reqwest::RequestBuilder) -> Reply {
        let response = request.send().await.unwrap_or_else(|error| panic!("{error}: {}", self.notes()));
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Reply { status, headers, text: response.text().await.expect("a text") }
    }

    /// Asks until the answer is as wanted, for at most 20 s.
    pub(crate) async fn until(&self, path: &str, wanted: impl Fn(&Reply) -> bool) -> Reply {
        self.ask_until(&self.url, path, wanted).await
    }

    pub(crate) async fn until_admin(&self, path: &str, wanted: impl Fn(&Reply) -> bool) -> Reply {
        self.ask_until(&self.admin_url, path, wanted).await
    }

    async fn ask_until(&self, origin: &str, path: &str, wanted: impl Fn(&Reply) -> bool) -> Reply {
        let end = Instant::now() + Duration::from_secs(20);
        loop {
            let reply = self.send(reqwest::Client::new().get(format!("{origin}{path}"))).await;
            if wanted(&reply) {
                return reply;
            }
            assert!(Instant::now() < end, "{path}: {reply:?}\n{}", self.notes());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// The value of a metric with its labels.
    pub(crate) async fn metric(&self, name: &str) -> f64 {
        let text = self.admin("/metrics").await.text;
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("no {name} in {text}")).parse().expect("a number")
    }
}

impl Drop for Api {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn wait(done: impl Fn() -> bool) -> bool {
    let end = Instant::now() + Duration::from_secs(30);
    while !done() {
        if Instant::now() > end {
            return false;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    true
}
