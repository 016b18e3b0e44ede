//! A server that is killed in the middle of uploads, deletes, moves and copies.
//!
//! Each client has names of its own, so it knows what may lie under each: what the last answer
//! said, or what a request without an answer may have done. After each kill every name is read,
//! every row is compared with its bytes, and a sweep leaves nothing that no row names.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use banyan_config::StorageBackend;
use banyan_db::{Address, Database, DatabaseSettings, Login};
use banyan_identity::Keyring;
use banyan_storage::{State, Swept, sweep_now};
use md5::{Digest, Md5};
use rand::{Rng, SeedableRng, rngs::StdRng};
use reqwest::{Client as Http, Method, RequestBuilder};
use rustix::process::Signal;
use serde_json::{Value, json};
use time::OffsetDateTime;

use crate::project::{Project, signal};

/// Clients at a time.
const CLIENTS: u64 = 6;
/// Names of each client.
const NAMES: usize = 4;
/// The longest time that a server lives under load.
const LONGEST: Duration = Duration::from_millis(900);

// rows: storage/K13 storage/O07
#[test]
fn a_killed_server_loses_no_object_and_leaves_no_bytes() {
    live_through(5);
}

// rows: storage/K13
#[test]
#[ignore = "takes long: scripts/soak-storage runs it"]
fn a_server_that_is_killed_two_hundred_times_loses_no_object() {
    live_through(200);
}

fn live_through(rounds: u64) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let project = Project::new();
    runtime.expect("a runtime").block_on(rounds_of(&project, rounds));
}

async fn rounds_of(project: &Project, rounds: u64) {
    project.succeed(&["start"]);
    Server::of(project).make_bucket().await;
    let mut clients: Vec<_> = (0..CLIENTS).map(Client::new).collect();
    let mut rng = StdRng::seed_from_u64(rounds);
    for round in 0..rounds {
        let server = Server::of(project);
        let load: Vec<_> =
            clients.drain(..).map(|client| tokio::spawn(client.work(server.clone()))).collect();
        tokio::time::sleep(LONGEST.mul_f64(rng.random())).await;
        signal(project.pid(), Signal::KILL);
        for client in load {
            clients.push(client.await.expect("no answer was odd"));
        }
        while project.run(&["status"]).code == 0 {}
        project.succeed(&["start"]);
        let server = Server::of(project);
        for client in &mut clients {
            client.check(&server).await;
        }
        let swept = sweep(project).await;
        assert_eq!((swept.missing, swept.discarded), (0, swept.orphans), "round {round}: {swept:?}");
        check_rows(project);
    }
    let done: usize = clients.iter().map(|client| client.answers).sum();
    assert!(done > 0, "{rounds} kills, and no answer");
    assert!(done as u64 > rounds, "there was a load");
}

/// Bytes of an object: so many, by this seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Content {
    size: usize,
    seed: u64,
}

impl Content {
    fn any(rng: &mut StdRng) -> Self {
        let size = if rng.random_bool(0.1) { 3_000_000 } else { rng.random_range(0..200_000) };
        Self { size, seed: rng.random() }
    }

    fn bytes(self) -> Vec<u8> {
        let mut bytes = vec![0; self.size];
        rand::RngCore::fill_bytes(&mut StdRng::seed_from_u64(self.seed), &mut bytes);
        bytes
    }
}

/// What may lie under a name; none is no object.
type Possible = BTreeSet<Option<Content>>;

/// A client, and what may lie under its names.
struct Client {
    id: u64,
    rng: StdRng,
    names: BTreeMap<String, Possible>,
    answers: usize,
}

impl Client {
    fn new(id: u64) -> Self {
        let names = (0..NAMES).map(|number| (format!("{id}/{number}"), Possible::from([None])));
        Self { id, rng: StdRng::seed_from_u64(id), names: names.collect(), answers: 0 }
    }

    /// Asks without a pause, until an answer stays away.
    async fn work(mut self, server: Server) -> Self {
        while self.ask(&server).await.is_some() {
            self.answers += 1;
        }
        self
    }

    async fn ask(&mut self, server: &Server) -> Option<()> {
        let [from, to] = [(); 2].map(|()| format!("{}/{}", self.id, self.rng.random_range(0..NAMES)));
        let content = Content::any(&mut self.rng);
        match self.rng.random_range(0..10) {
            0..=3 => self.write(server, Method::PUT, &from, content).await,
            4..=5 => self.write(server, Method::POST, &from, content).await,
            6 => self.delete(server, &from).await,
            7..=8 if from != to => self.transfer(server, "move", &from, &to).await,
            _ if from != to => self.transfer(server, "copy", &from, &to).await,
            _ => Some(()),
        }
    }

    async fn write(&mut self, server: &Server, method: Method, name: &str, content: Content) -> Option<()> {
        let request = server.ask(method.clone(), &format!("object/kills/{name}")).body(content.bytes());
        let answer = self.told(request, name, [Some(content)]).await?;
        let is_refused = method == Method::POST && self.may_be_there(name);
        assert!(answer == 200 || is_refused, "{name}: {answer}");
        self.settle(name, answer, Some(content));
        Some(())
    }

    async fn delete(&mut self, server: &Server, name: &str) -> Option<()> {
        let request = server.ask(Method::DELETE, &format!("object/kills/{name}"));
        let answer = self.told(request, name, [None]).await?;
        self.settle(name, answer, None);
        Some(())
    }

    async fn transfer(&mut self, server: &Server, what: &str, from: &str, to: &str) -> Option<()> {
        let body = json!({"bucketId": "kills", "sourceKey": from, "destinationKey": to});
        let request = server.ask(Method::POST, &format!("object/{what}")).body(body.to_string());
        let request = request.header("content-type", "application/json");
        let source = self.names[from].clone();
        if what == "move" {
            self.names.get_mut(from).expect("a name").insert(None);
        }
        let answer = self.told(request, to, source.clone()).await?;
        // A client that waits for its answers knows what lies under each name.
        if let [content] = *Vec::from_iter(source) {
            self.settle(to, answer, content);
            let left = if what == "move" { None } else { content };
            self.names.insert(from.to_owned(), [if answer == 200 { left } else { content }].into());
        }
        Some(())
    }

    /// The status of an answer. Until it comes, `may_be` may lie under a name as well.
    async fn told(
        &mut self,
        request: RequestBuilder,
        name: &str,
        may_be: impl IntoIterator<Item = Option<Content>>,
    ) -> Option<u16> {
        let before = self.names[name].clone();
        self.names.get_mut(name).expect("a name").extend(may_be);
        let answer = request.send().await.ok()?;
        let status = answer.status().as_u16();
        answer.bytes().await.ok()?;
        assert!(status == 200 || status == 400, "{name}: {status}");
        self.names.insert(name.to_owned(), before);
        Some(status)
    }

    fn settle(&mut self, name: &str, answer: u16, content: Option<Content>) {
        if answer == 200 {
            self.names.insert(name.to_owned(), [content].into());
        }
    }

    fn may_be_there(&self, name: &str) -> bool {
        self.names[name].iter().any(Option::is_some)
    }

    /// Reads every name, and knows from then on what lies there.
    async fn check(&mut self, server: &Server) {
        for (name, possible) in &mut self.names {
            let found = server.read(name).await;
            let known = possible.iter().find(|content| content.map(Content::bytes) == found);
            *possible = [*known.unwrap_or_else(|| panic!("{name}: none of {possible:?}"))].into();
        }
    }
}

/// The API as a client sees it.
#[derive(Clone)]
struct Server {
    client: Http,
    url: String,
    key: String,
}

impl Server {
    fn of(project: &Project) -> Self {
        let status = project.status();
        let value = |name: &str| status[name].as_str().expect(name).to_owned();
        Self { client: Http::new(), url: value("API_URL"), key: value("SERVICE_ROLE_KEY") }
    }

    fn ask(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}/storage/v1/{path}", self.url)).bearer_auth(&self.key)
    }

    async fn make_bucket(&self) {
        let request = self.ask(Method::POST, "bucket").header("content-type", "application/json");
        let answer = request.body(r#"{"name":"kills"}"#).send().await.expect("an answer");
        assert_eq!(answer.status(), 200);
    }

    /// The bytes of an object, which fit its ETag; none where there is no object.
    async fn read(&self, name: &str) -> Option<Vec<u8>> {
        let answer = self.ask(Method::GET, &format!("object/kills/{name}")).send().await.expect("an answer");
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        let bytes = answer.bytes().await.expect("a whole body").to_vec();
        if status == 400 {
            assert_eq!(serde_json::from_slice::<Value>(&bytes).expect("JSON")["code"], "NoSuchKey");
            return None;
        }
        let tag = format!("\"{}\"", md5_of(&bytes));
        assert_eq!((status, headers["etag"].to_str().ok()), (200, Some(&*tag)), "{name}");
        Some(bytes)
    }
}

fn md5_of(bytes: &[u8]) -> String {
    hex::encode(Md5::digest(bytes))
}

/// Sweeps as if a day had passed, beside the server.
async fn sweep(project: &Project) -> Swept {
    let (folder, port) = project.socket();
    let password = |role| project.password(role).into();
    let mut settings = DatabaseSettings::new(Address::Socket { folder, port }, password("authenticator"));
    settings.own_passwords.insert(Login::StorageAdmin, password("supabase_storage_admin"));
    let database = Database::connect(&settings).expect("settings");
    let mut config = banyan_testkit::config();
    config.storage.backend = StorageBackend::Disk { folder: blobs(project) };
    let mut rng = StdRng::from_os_rng();
    let blobs = banyan_storage::open(&config.storage, &database, &mut rng).await.expect("it opens");
    let keyring = Keyring::new(&config.keys).expect("keys").into();
    let state = State::new(&config, &database, keyring, blobs, rng);
    let swept = sweep_now(&state, now() + time::Duration::hours(25)).await.expect("it sweeps");
    database.close().await;
    swept
}

#[expect(clippy::disallowed_methods, reason = "the files of this test have the time of the machine")]
fn now() -> OffsetDateTime {
    SystemTime::now().into()
}

fn blobs(project: &Project) -> PathBuf {
    project.path().join("state/storage")
}

/// Every row has its bytes, and nothing else lies there.
fn check_rows(project: &Project) {
    let rows = project.query("select version, metadata ->> 'eTag' as etag from storage.objects");
    let rows = rows["rows"].as_array().or_else(|| rows.as_array()).expect("rows").clone();
    let tags: BTreeMap<String, String> = rows
        .iter()
        .map(|row| ["version", "etag"].map(|column| row[column].as_str().expect(column).to_owned()))
        .map(|[version, tag]| (version, tag))
        .collect();
    let files = objects(&blobs(project));
    assert_eq!(files.keys().collect::<Vec<_>>(), tags.keys().collect::<Vec<_>>());
    for (version, path) in files {
        let tag = format!("\"{}\"", md5_of(&std::fs::read(path).expect("a file")));
        assert_eq!(tag, tags[&version]);
    }
}

/// The files of objects by their names, wherever their stack lies.
fn objects(folder: &Path) -> BTreeMap<String, PathBuf> {
    let entries = |path: PathBuf| std::fs::read_dir(path).into_iter().flatten().flatten();
    let stacks = entries(folder.to_owned()).map(|stack| stack.path().join("objects"));
    let files = stacks.flat_map(entries).map(|shard| shard.path()).flat_map(entries);
    files.map(|file| (file.file_name().into_string().expect("a version"), file.path())).collect()
}
