//! Row changes from a real PostgreSQL to channels.

/// Who is told what.
mod delivery;

/// Filters and columns that channels ask for.
mod filters;

/// Values of every type.
mod values;

/// Row-level security, rights and identities.
mod security;

/// The stream: broadcasts, gaps, the publication.
mod log;

/// Several nodes.
mod nodes;

/// Random policies, rows and updates.
mod differential;

use std::{collections::VecDeque, future::poll_fn, sync::Arc, task::Poll, time::Duration};

use banyan_db::{Database, Login};
use banyan_identity::Caller;
use banyan_testkit::{TestDatabase, platform_database};
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;
use tokio::time::timeout;

use super::{Changes, ChangesContext, Subscription};
use crate::{
    bus::{Alone, Bus},
    channel_sender::ChannelSender,
    hub::Hub,
    limits::{Limits, Settings},
    metrics::Count,
    model::Topic,
    outbox::{ChannelId, Outbox},
    protocol::{Frame, Version},
};

/// Nothing takes longer, unless it never comes.
const SOON: Duration = Duration::from_secs(20);
const SUBSCRIBED: &str = "Subscribed to PostgreSQL";

/// A database, and the changes of it.
struct Rig {
    database: TestDatabase,
    hub: Arc<Hub>,
    changes: Changes,
}

/// A channel, from its end of a socket.
struct Channel {
    socket: Socket,
    subscription: Option<Subscription>,
}

/// What a socket receives.
struct Socket {
    outbox: Outbox,
    frames: VecDeque<Frame>,
}

#[derive(Debug, PartialEq)]
enum Heard {
    Change(Value),
    /// Status and message.
    System(String, String),
}

impl Socket {
    fn new() -> Self {
        Self { outbox: Outbox::new(64 << 20), frames: VecDeque::new() }
    }

    /// The bytes in the next frame.
    async fn next(&mut self) -> Vec<u8> {
        if self.frames.is_empty() {
            let more = poll_fn(|cx| self.outbox.poll_frames(cx, &mut self.frames));
            timeout(SOON, more).await.expect("something is heard soon");
        }
        let frame = self.frames.pop_front().expect("a frame");
        let head = match frame.bytes()[1] {
            126 => 4,
            127 => 10,
            _ => 2,
        };
        frame.bytes()[head..].to_vec()
    }
}

impl Rig {
    /// Begins with these statements of the project.
    async fn new(setup: &str) -> Self {
        Self::with_bus(setup, Arc::new(Alone)).await
    }

    async fn with_bus(setup: &str, bus: Arc<dyn Bus>) -> Self {
        let database = platform_database().await;
        let (changes, hub) = changes(database.database(), bus);
        let rig = Self { database, hub, changes };
        rig.run(setup).await;
        rig
    }

    /// Runs statements as the project, in one transaction.
    async fn run(&self, sql: &str) {
        let pool = self.database.pool(Login::Postgres);
        sqlx::raw_sql(AssertSqlSafe(sql))
            .execute(pool)
            .await
            .unwrap_or_else(|error| panic!("{sql}: {error}"));
    }

    /// Runs them as the superuser.
    async fn administer(&self, sql: &str) {
        let pool = self.database.pool(Login::Admin);
        sqlx::raw_sql(AssertSqlSafe(sql))
            .execute(pool)
            .await
            .unwrap_or_else(|error| panic!("{sql}: {error}"));
    }

    /// A channel with one entry, once it is subscribed.
    async fn channel(&self, caller: Caller, entry: Value) -> Channel {
        let mut channel = self.join(caller, &[entry]);
        channel.is_subscribed().await;
        channel
    }

    fn join(&self, caller: Caller, entries: &[Value]) -> Channel {
        join(&self.changes, caller, entries)
    }

    /// What a channel is told that cannot be subscribed.
    async fn refusal(&self, entry: Value) -> String {
        let mut channel = self.join(Caller::service(), &[entry]);
        match channel.next().await {
            Heard::System(status, message) if status == "error" => message,
            heard => panic!("{heard:?}"),
        }
    }
}

impl Channel {
    async fn next(&mut self) -> Heard {
        let message: Value = serde_json::from_slice(&self.socket.next().await).expect("JSON");
        let payload = &message[4];
        match message[3].as_str() {
            Some("postgres_changes") => {
                assert_eq!(
                    message.as_array().map(|it| &it[..3]),
                    Some(&[json!(null), json!(null), json!("realtime:room")][..])
                );
                Heard::Change(payload.clone())
            }
            Some("system") => {
                assert_eq!(
                    (&payload["extension"], &payload["channel"]),
                    (&json!("postgres_changes"), &json!("room"))
                );
                let text = |name: &str| payload[name].as_str().expect("a text").to_owned();
                Heard::System(text("status"), text("message"))
            }
            _ => panic!("{message}"),
        }
    }

    async fn is_subscribed(&mut self) {
        assert_eq!(self.next().await, Heard::System("ok".to_owned(), SUBSCRIBED.to_owned()));
    }

    /// Whether nothing waits that was not read.
    fn is_quiet(&mut self) -> bool {
        let waker = futures_util::task::noop_waker();
        let polled =
            self.socket.outbox.poll_frames(&std::task::Context::from_waker(&waker), &mut self.socket.frames);
        polled == Poll::Pending && self.socket.frames.is_empty()
    }

    /// The payload of the next change.
    async fn payload(&mut self) -> Value {
        match self.next().await {
            Heard::Change(payload) => payload,
            heard => panic!("{heard:?}"),
        }
    }

    /// The next change.
    async fn change(&mut self) -> Value {
        self.payload().await["data"].take()
    }

    /// The ids of rows in the changes so far, up to a row with the id 0, which a test inserts last.
    async fn ids_until_0(&mut self) -> Vec<i64> {
        let mut ids = Vec::new();
        loop {
            let change = self.change().await;
            let record = if change["type"] == "DELETE" { &change["old_record"] } else { &change["record"] };
            match record["id"].as_i64().expect("an id") {
                0 => return ids,
                id => ids.push(id),
            }
        }
    }
}

/// The changes of a node, and its hub.
fn changes(database: &Database, bus: Arc<dyn Bus>) -> (Changes, Arc<Hub>) {
    let context = context(database, bus, Settings::from(&banyan_testkit::config().realtime));
    let hub = Arc::clone(&context.hub);
    (Changes::new(context), hub)
}

fn context(database: &Database, bus: Arc<dyn Bus>, settings: Settings) -> ChangesContext {
    ChangesContext {
        database: database.clone(),
        hub: Arc::new(Hub::new(Arc::clone(&bus))),
        bus,
        limits: Arc::new(Limits::new(settings)),
        delivered: Count::default(),
        skipped: Count::default(),
    }
}

fn join(changes: &Changes, caller: Caller, entries: &[Value]) -> Channel {
    let socket = Socket::new();
    let topic = Topic { name: "room".into(), is_private: false };
    let sender = ChannelSender::new(topic, Version::V2, "1", (ChannelId(1), socket.outbox.clone()));
    let entries: Vec<_> = entries.iter().map(|entry| entry.as_object().expect("an object").clone()).collect();
    let subscription = changes.subscribe(&caller, &entries, &sender);
    Channel { socket, subscription }
}

fn all_of(table: &str) -> Value {
    json!({"event": "*", "schema": "public", "table": table})
}
