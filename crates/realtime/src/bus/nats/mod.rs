//! Nodes that are connected by NATS: subjects `rt.<project>.<shard>`, and one for each node and for
//! all (CONTRACT.md N1).

/// Who sent a message, and its parts.
mod envelope;

/// Messages that wait for the server.
mod queue;

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_nats::{Client, ConnectOptions, Event, Subscriber, connection::State};
use bytes::Bytes;
use envelope::Assembly;
use futures_util::StreamExt;
use queue::{Message, SendQueue};
use secrecy::{ExposeSecret, SecretString};
use tokio::{
    sync::Notify,
    task::{AbortHandle, JoinSet},
};
use tokio_util::sync::CancellationToken;

use super::{Bus, Kind, Receiver, Subject};
use crate::model::{NodeId, Shard};

/// Messages of one subject that may wait to be read.
const WAITING: usize = 1024;
/// The longest time between two attempts to connect.
const LONGEST_DELAY: Duration = Duration::from_secs(2);
/// How often a connection is asked whether it is alive.
const PING: Duration = Duration::from_secs(5);

/// How to reach the other nodes.
#[derive(Debug, Clone)]
pub(crate) struct NatsSettings {
    /// Addresses of servers, which may hold a user and a password.
    pub(crate) servers: Vec<SecretString>,
    /// The project, whose nodes hear each other.
    pub(crate) project: String,
}

/// The bus of nodes that share a NATS server. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Nats(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    node: NodeId,
    settings: NatsSettings,
    queue: SendQueue,
    wanted: Mutex<BTreeSet<Shard>>,
    wanted_changed: Notify,
}

impl Bus for Nats {
    fn publish(&self, to: Subject, kind: Kind, bytes: Bytes) {
        if !self.0.queue.push(Message { to, kind, bytes }) {
            tracing::debug!("realtime: a message for other nodes was dropped, since too many wait");
        }
    }

    fn follow(&self, shard: Shard) {
        self.0.want(|wanted| wanted.insert(shard));
    }

    fn unfollow(&self, shard: Shard) {
        self.0.want(|wanted| wanted.remove(&shard));
    }

    fn has_peers(&self) -> bool {
        true
    }
}

impl Nats {
    /// A bus that is connected once it runs.
    pub(crate) fn new(settings: NatsSettings, node: NodeId) -> Self {
        Self(Arc::new(Shared {
            node,
            settings,
            queue: SendQueue::default(),
            wanted: Mutex::default(),
            wanted_changed: Notify::new(),
        }))
    }

    /// Carries messages until it is told to stop. A server that cannot be reached is tried again
    /// and again; until then messages for other nodes are dropped.
    pub(crate) async fn run(&self, receiver: Arc<dyn Receiver>, stopping: CancellationToken) {
        let Some(client) = self.0.connect().await else { return };
        let mut readers = Readers { shared: &self.0, client: &client, receiver, tasks: JoinSet::new() };
        let hearing = readers.run();
        let sending = self.0.send(&client);
        tokio::select! {
            () = stopping.cancelled() => {}
            () = hearing => {}
            () = sending => {}
        }
        // What was queued before the stop still leaves: the last beat of this node.
        self.0.send_rest(&client).await;
    }
}

impl Shared {
    fn want(&self, change: impl FnOnce(&mut BTreeSet<Shard>) -> bool) {
        if change(&mut self.wanted.lock().unwrap_or_else(PoisonError::into_inner)) {
            self.wanted_changed.notify_one();
        }
    }

    /// A client that connects by itself, and again. None when the addresses are wrong.
    async fn connect(&self) -> Option<Client> {
        let servers = self.settings.servers.iter().map(|server| server.expose_secret().parse());
        let servers: Result<Vec<async_nats::ServerAddr>, _> = servers.collect();
        let options = ConnectOptions::new()
            .no_echo()
            .retry_on_initial_connect()
            .reconnect_delay_callback(delay)
            .ping_interval(PING)
            .subscription_capacity(WAITING)
            .event_callback(|event| async move { log(&event) });
        let connected = match servers {
            Ok(servers) => options.connect(servers).await.map_err(|_| ()),
            Err(_) => Err(()),
        };
        if connected.is_err() {
            // The error may quote the address, and with it a password.
            tracing::error!("realtime: `realtime.nats_url` cannot be used; this node hears no other");
        }
        connected.ok()
    }

    async fn send(&self, client: &Client) {
        loop {
            let message = self.queue.next().await;
            self.send_one(client, message).await;
        }
    }

    async fn send_rest(&self, client: &Client) {
        let rest = async {
            while let Some(message) = self.queue.take() {
                self.send_one(client, message).await;
            }
            let _ = client.flush().await;
        };
        let _ = tokio::time::timeout(Duration::from_secs(1), rest).await;
    }

    async fn send_one(&self, client: &Client, message: Message) {
        if client.connection_state() != State::Connected {
            return;
        }
        let subject = self.subject(message.to);
        for part in envelope::seal(self.node, message.kind, &message.bytes, client.max_payload()) {
            if client.publish(subject.clone(), part).await.is_err() {
                tracing::debug!(nats.subject = subject, "realtime: a message for other nodes was dropped");
            }
        }
    }

    fn subject(&self, to: Subject) -> String {
        // A dot would split the name of the project.
        let project = self.settings.project.replace('.', "~");
        match to {
            Subject::Shard(Shard(shard)) => format!("rt.{project}.{shard}"),
            Subject::Node(NodeId(node)) => format!("rt.{project}.node.{:032x}", u128::from_be_bytes(node)),
            Subject::All => format!("rt.{project}.all"),
        }
    }
}

/// Reads subjects, a task for each.
struct Readers<'a> {
    shared: &'a Shared,
    client: &'a Client,
    receiver: Arc<dyn Receiver>,
    tasks: JoinSet<()>,
}

impl Readers<'_> {
    /// Reads what is sent to this node and to all, and the shards that are wanted.
    async fn run(&mut self) {
        for subject in [Subject::All, Subject::Node(self.shared.node)] {
            self.read(subject).await;
        }
        let mut read: HashMap<Shard, AbortHandle> = HashMap::new();
        loop {
            self.read_wanted(&mut read).await;
            self.shared.wanted_changed.notified().await;
        }
    }

    async fn read_wanted(&mut self, read: &mut HashMap<Shard, AbortHandle>) {
        let wanted = self.shared.wanted.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for (shard, task) in read.extract_if(|shard, _| !wanted.contains(shard)) {
            task.abort();
            self.receiver.unfollowed(shard);
        }
        while self.tasks.try_join_next().is_some() {}
        for shard in wanted {
            if !read.contains_key(&shard)
                && let Some(task) = self.read(Subject::Shard(shard)).await
            {
                read.insert(shard, task);
                self.receiver.followed(shard);
            }
        }
    }

    async fn read(&mut self, subject: Subject) -> Option<AbortHandle> {
        let subscriber = self.client.subscribe(self.shared.subject(subject)).await.ok()?;
        Some(self.tasks.spawn(read(subscriber, Arc::clone(&self.receiver))))
    }
}

async fn read(mut subscriber: Subscriber, receiver: Arc<dyn Receiver>) {
    let mut assembly = Assembly::default();
    while let Some(message) = subscriber.next().await {
        if let Some((from, kind, bytes)) = assembly.open(message.payload) {
            receiver.receive(from, kind, bytes);
        }
    }
}

/// The time before an attempt to connect: doubled each time, from 50 ms.
fn delay(attempts: usize) -> Duration {
    let doublings = u32::try_from(attempts.saturating_sub(1)).unwrap_or(u32::MAX).min(6);
    (Duration::from_millis(50) * 2_u32.pow(doublings)).min(LONGEST_DELAY)
}

fn log(event: &Event) {
    match event {
        Event::Connected => tracing::info!("realtime: connected to NATS; other nodes are heard"),
        Event::Disconnected => {
            tracing::warn!("realtime: NATS is gone; other nodes are not heard until it is back")
        }
        Event::SlowConsumer(_) => {
            tracing::warn!("realtime: messages of other nodes are lost: too many at a time")
        }
        _ => {}
    }
}
