//! Three servers on one database, connected by NATS, of which one after the other is killed.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use banyan_testkit::Nats;
use futures_util::{SinkExt as _, StreamExt as _};
use rustix::process::Signal;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_util::task::AbortOnDropHandle;
use tokio_websockets::{ClientBuilder, Message, WebSocketStream};

use crate::{
    database_logins::superuser,
    project::{Project, signal},
};

/// Longest time that the test waits for what must come.
const PATIENCE: Duration = Duration::from_secs(60);
/// Time between two notes.
const BETWEEN_NOTES: Duration = Duration::from_millis(100);

/// A table whose changes are published. Everybody sees it.
const TABLE: &str = "create table public.notes (id bigint primary key);
    grant select on public.notes to anon;
    alter publication supabase_realtime add table public.notes;";

/// A running stack without realtime, whose database the nodes share.
fn database() -> Project {
    let database = Project::new();
    let path = database.path().join("supabase/config.toml");
    let text = std::fs::read_to_string(&path).expect("read");
    let off = text.replace("[realtime]\nenabled = true", "[realtime]\nenabled = false");
    assert_ne!(off, text);
    std::fs::write(&path, off).expect("written");
    database.succeed(&["start"]);
    database.succeed(&["db", "query", TABLE]);
    // The others make passwords of the superuser's, but for `postgres` only where it has none.
    database.succeed(&["db", "query", "alter role postgres password null"]);
    database
}

/// A server, which may be killed and started again.
struct Node {
    project: Project,
    database: String,
}

impl Node {
    fn start(database: &Project, nats: &Nats) -> Self {
        let project = Project::new();
        let settings = format!("[realtime]\nnats_servers = [\"{}\"]\nnode_beat = \"300ms\"\n", nats.url());
        std::fs::write(project.path().join("supabase/banyan.toml"), settings).expect("written");
        let path = project.path().join("supabase/config.toml");
        let text = std::fs::read_to_string(&path).expect("read");
        let (first, rest) = text.split_once("project_id = ").expect("a name");
        let (_, rest) = rest.split_once('\n').expect("a line");
        std::fs::write(&path, format!("{first}project_id = \"nodes\"\n{rest}")).expect("written");
        let node = Self { project, database: database.superuser_url() };
        node.run();
        node
    }

    fn run(&self) {
        let mut start = self.project.command(&["start"]);
        let started = start.env("BANYAN_DATABASE_URL", &self.database).output().expect("the binary runs");
        assert!(started.status.success(), "{}", String::from_utf8_lossy(&started.stderr));
    }

    fn kill(&self) {
        signal(self.project.pid(), Signal::KILL);
    }

    /// A member of the room that hears of notes, once it does.
    async fn member(&self, key: &str) -> Member {
        let status = self.project.status();
        let value = |name: &str| status[name].as_str().expect(name).to_owned();
        let address = value("API_URL").trim_start_matches("http://").to_owned();
        let path = format!("/realtime/v1/websocket?vsn=2.0.0&apikey={}", value("ANON_KEY"));
        let stream = TcpStream::connect(&address).await.expect("a connection");
        let builder = ClientBuilder::new().uri(&format!("ws://{address}{path}")).expect("an address");
        let (socket, _) = builder.connect_on(stream).await.expect("a socket");
        let mut member = Member { socket, present: BTreeSet::new() };
        let config = json!({
            "presence": {"key": key, "enabled": true},
            "postgres_changes": [{"event": "*", "schema": "public", "table": "notes"}],
        });
        member.send("phx_join", json!({ "config": config })).await;
        member.subscribed().await;
        member.send("presence", json!({"type": "presence", "event": "track", "payload": {}})).await;
        member
    }
}

/// A socket in the room, which knows who is there.
struct Member {
    socket: WebSocketStream<TcpStream>,
    present: BTreeSet<String>,
}

impl Member {
    async fn send(&mut self, event: &str, payload: Value) {
        let message = json!(["1", "1", "realtime:room", event, payload]).to_string();
        self.socket.send(Message::text(message)).await.expect("an open socket");
    }

    /// The next message: its event and payload.
    async fn next(&mut self) -> (String, Value) {
        let next = tokio::time::timeout(PATIENCE, self.socket.next()).await.expect("a message in time");
        let message = next.expect("an open socket").expect("an open socket");
        let message: [Value; 5] = serde_json::from_str(message.as_text().expect("text")).expect("five parts");
        let [_, _, _, event, payload] = message;
        let event = event.as_str().expect("an event").to_owned();
        self.note_presence(&event, &payload);
        (event, payload)
    }

    fn note_presence(&mut self, event: &str, payload: &Value) {
        let keys =
            |value: &Value| value.as_object().into_iter().flat_map(|keys| keys.keys().cloned()).collect();
        match event {
            "presence_state" => self.present = keys(payload),
            "presence_diff" => {
                let (joins, leaves): (BTreeSet<String>, BTreeSet<String>) =
                    (keys(&payload["joins"]), keys(&payload["leaves"]));
                self.present = self.present.difference(&leaves).chain(&joins).cloned().collect();
            }
            _ => {}
        }
    }

    /// Reads until a message is what is waited for.
    async fn until(&mut self, is_it: impl Fn(&str, &Value) -> bool) {
        loop {
            let (event, payload) = self.next().await;
            if is_it(&event, &payload) {
                return;
            }
        }
    }

    async fn subscribed(&mut self) {
        self.until(|event, payload| event == "system" && payload["message"] == "Subscribed to PostgreSQL")
            .await;
    }

    async fn hears(&mut self, word: &str) {
        self.until(|event, payload| event == "broadcast" && payload["event"] == word).await;
    }

    async fn sees(&mut self, key: &str) {
        while !self.present.contains(key) {
            self.next().await;
        }
    }

    async fn sees_no(&mut self, key: &str) {
        while self.present.contains(key) {
            self.next().await;
        }
    }
}

/// Notes that are written one after another.
struct Notes {
    last: Arc<AtomicI64>,
    _writing: AbortOnDropHandle<()>,
}

impl Notes {
    async fn write(database: &Project) -> Self {
        let mut connection = superuser(database).await;
        let last = Arc::new(AtomicI64::new(0));
        let written = Arc::clone(&last);
        let writing = tokio::spawn(async move {
            loop {
                let id = written.load(Ordering::Relaxed) + 1;
                let insert = sqlx::query("insert into public.notes values ($1)").bind(id);
                insert.execute(&mut connection).await.expect("written");
                written.store(id, Ordering::Relaxed);
                tokio::time::sleep(BETWEEN_NOTES).await;
            }
        });
        Self { last, _writing: AbortOnDropHandle::new(writing) }
    }

    /// A note that is written from now on reaches the member.
    async fn reach(&self, member: &mut Member) {
        let last = self.last.load(Ordering::Relaxed);
        let is_new = |event: &str, payload: &Value| {
            event == "postgres_changes"
                && payload["data"]["record"]["id"].as_i64().is_some_and(|id| id > last)
        };
        member.until(is_new).await;
    }
}

/// A broadcast of the first, and notes that are written now, reach all.
async fn all_hear(members: &mut [&mut Member], notes: &Notes, word: &str) {
    members[0].send("broadcast", json!({"type": "broadcast", "event": word, "payload": {}})).await;
    for (number, member) in members.iter_mut().enumerate() {
        if number > 0 {
            member.hears(word).await;
        }
        notes.reach(member).await;
    }
}

// rows: realtime/N1 realtime/N2 realtime/N3 realtime/N4 realtime/R10
#[tokio::test(flavor = "multi_thread")]
async fn whichever_of_three_nodes_is_killed_the_others_go_on() {
    let nats = match Nats::start() {
        Ok(nats) => nats,
        Err(error) => {
            return println!("left out: three nodes of realtime: nats-server cannot be run: {error}");
        }
    };
    let database = database();
    let nodes = [(); 3].map(|()| Node::start(&database, &nats));
    let mut asha = nodes[0].member("asha").await;
    let mut ravi = nodes[1].member("ravi").await;
    let mut kavya = nodes[2].member("kavya").await;
    kavya.sees("asha").await;
    asha.sees("kavya").await;
    ravi.sees("kavya").await;
    let notes = Notes::write(&database).await;
    all_hear(&mut [&mut asha, &mut ravi, &mut kavya], &notes, "first").await;

    nodes[0].kill();
    ravi.sees_no("asha").await;
    kavya.sees_no("asha").await;
    // It was the first that had to read the log, so another one takes that over.
    all_hear(&mut [&mut ravi, &mut kavya], &notes, "second").await;

    nodes[0].run();
    let mut asha = nodes[0].member("asha again").await;
    asha.sees("ravi").await;
    ravi.sees("asha again").await;
    nodes[1].kill();
    kavya.sees_no("ravi").await;
    asha.sees_no("ravi").await;
    let mut ravi = nodes[2].member("ravi elsewhere").await;
    asha.sees("ravi elsewhere").await;
    all_hear(&mut [&mut ravi, &mut asha, &mut kavya], &notes, "third").await;
}
