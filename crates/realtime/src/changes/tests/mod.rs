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

/// Random policies, rows and updates.
mod differential;

use std::{sync::Arc, time::Duration};

use banyan_db::Login;
use banyan_identity::Caller;
use banyan_testkit::{TestDatabase, platform_database};
use bytes::Bytes;
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;
use tokio::{sync::mpsc, time::timeout};

use super::{BroadcastSink, Changes, Receiver, Subscription, SystemMessage};
use crate::model::Broadcast;

/// Nothing takes longer, unless it never comes.
const SOON: Duration = Duration::from_secs(20);

/// A database, and the changes of it.
struct Rig {
    database: TestDatabase,
    changes: Changes,
    broadcasts: mpsc::UnboundedReceiver<Broadcast>,
}

/// A channel, from its end of a socket.
struct Channel {
    heard: mpsc::UnboundedReceiver<Heard>,
    _subscription: Option<Subscription>,
}

#[derive(Debug, PartialEq)]
enum Heard {
    Change(Value),
    System(SystemMessage),
}

#[derive(Debug)]
struct Ear(mpsc::UnboundedSender<Heard>);

impl Receiver for Ear {
    fn change(&self, payload: &Bytes) {
        let _ = self.0.send(Heard::Change(serde_json::from_slice(payload).expect("JSON")));
    }

    fn system(&self, message: &SystemMessage) {
        let _ = self.0.send(Heard::System(message.clone()));
    }
}

#[derive(Debug)]
struct Broadcasts(mpsc::UnboundedSender<Broadcast>);

impl BroadcastSink for Broadcasts {
    fn broadcast(&self, broadcast: Broadcast) {
        let _ = self.0.send(broadcast);
    }
}

impl Rig {
    /// Begins with these statements of the project.
    async fn new(setup: &str) -> Self {
        let database = platform_database().await;
        let (sender, broadcasts) = mpsc::unbounded_channel();
        let changes = Changes::new(&database, Arc::new(Broadcasts(sender)));
        let rig = Self { database, changes, broadcasts };
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
        assert_eq!(channel.next().await, Heard::System(SystemMessage::Subscribed));
        channel
    }

    fn join(&self, caller: Caller, entries: &[Value]) -> Channel {
        let (sender, heard) = mpsc::unbounded_channel();
        let entries: Vec<_> =
            entries.iter().map(|entry| entry.as_object().expect("an object").clone()).collect();
        let subscription = self.changes.subscribe(caller, &entries, Arc::new(Ear(sender)));
        Channel { heard, _subscription: subscription }
    }

    /// What a channel is told that cannot be subscribed.
    async fn refusal(&self, entry: Value) -> String {
        let mut channel = self.join(Caller::service(), &[entry]);
        match channel.next().await {
            Heard::System(SystemMessage::Error(reason)) => reason,
            heard => panic!("{heard:?}"),
        }
    }
}

impl Channel {
    async fn next(&mut self) -> Heard {
        let heard = timeout(SOON, self.heard.recv()).await.expect("something is heard soon");
        heard.expect("the subscription lives")
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

fn all_of(table: &str) -> Value {
    json!({"event": "*", "schema": "public", "table": table})
}
