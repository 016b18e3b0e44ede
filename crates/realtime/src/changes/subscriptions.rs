//! The subscriptions of this node: by table for changes, by channel for what channels are told.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use banyan_db::Database;
use tokio_util::task::TaskTracker;

use super::{
    entry::Entry,
    identity::Identity,
    receiver::{ChannelId, Receiver, SystemMessage},
    resolve::{Resolved, SubscribeError, resolve},
    table::{ProfileId, Table, TableEntry},
    types::Types,
    worker::{Part, Queue, Worker},
};

/// Entries whose meaning is remembered.
const MOST_RESOLVED: usize = 4096;

/// The subscriptions of this node.
#[derive(Debug)]
pub(super) struct Subscriptions {
    database: Database,
    types: Arc<tokio::sync::Mutex<Types>>,
    tables: Mutex<HashMap<u32, Subscribed>>,
    channels: Mutex<HashMap<ChannelId, Arc<Channel>>>,
    last: AtomicU64,
    /// What entries mean for a role, since the publication last changed.
    resolved: Mutex<HashMap<(Vec<Entry>, String), Arc<Resolution>>>,
    workers: TaskTracker,
}

/// A table that somebody wants to hear of.
#[derive(Debug)]
struct Subscribed {
    table: Arc<Mutex<Table>>,
    queue: Queue,
}

/// What the entries of a channel mean, by table.
type Resolution = Result<BTreeMap<u32, Arc<[TableEntry]>>, SubscribeError>;

/// A channel with its entries.
#[derive(Debug)]
pub(super) struct Channel {
    pub(super) id: ChannelId,
    identity: Arc<Identity>,
    entries: Vec<Entry>,
    receiver: Arc<dyn Receiver>,
    /// Where it is entered; none once it has left.
    places: Mutex<Option<Vec<(u32, ProfileId)>>>,
    /// Whether it was told that it is entered, and no task is about to tell it again.
    is_confirmed: AtomicBool,
}

impl Channel {
    pub(super) fn tell(&self, message: &SystemMessage) {
        self.receiver.system(message);
    }

    /// Tells it that it is entered.
    pub(super) fn confirm(&self) {
        self.is_confirmed.store(true, Ordering::Release);
        self.tell(&SystemMessage::Subscribed);
    }

    pub(super) fn is_confirmed(&self) -> bool {
        self.is_confirmed.load(Ordering::Acquire)
    }

    /// Whether it was confirmed. From now on it is not.
    pub(super) fn takes_confirmation(&self) -> bool {
        self.is_confirmed.swap(false, Ordering::AcqRel)
    }
}

impl Subscriptions {
    pub(super) fn new(database: Database) -> Self {
        Self {
            database,
            types: Arc::default(),
            tables: Mutex::default(),
            channels: Mutex::default(),
            last: AtomicU64::new(0),
            resolved: Mutex::default(),
            workers: TaskTracker::new(),
        }
    }

    /// Notes a channel, which receives nothing before [`Subscriptions::enter`].
    pub(super) fn note(
        &self,
        identity: Arc<Identity>,
        entries: Vec<Entry>,
        receiver: Arc<dyn Receiver>,
    ) -> Arc<Channel> {
        let id = ChannelId(self.last.fetch_add(1, Ordering::Relaxed));
        let (places, is_confirmed) = (Mutex::new(Some(vec![])), AtomicBool::new(false));
        let channel = Channel { id, identity, entries, receiver, places, is_confirmed };
        let channel = Arc::new(channel);
        lock(&self.channels).insert(id, Arc::clone(&channel));
        channel
    }

    /// Every channel.
    pub(super) fn channels(&self) -> Vec<Arc<Channel>> {
        lock(&self.channels).values().cloned().collect()
    }

    /// Enters a channel in the tables that it means, in place of where it was.
    pub(super) async fn enter(&self, channel: &Channel) -> Result<(), SubscribeError> {
        let resolution = self.resolve(&channel.entries, channel.identity.role()).await;
        let wanted = resolution.as_ref().as_ref().map_err(Clone::clone)?;
        let mut places = lock(&channel.places);
        let Some(places) = &mut *places else { return Ok(()) };
        // Where it is already it stays, and misses nothing.
        let entered: Vec<_> =
            wanted.iter().map(|(table, entries)| (*table, self.add(*table, entries, channel))).collect();
        for (table, profile) in std::mem::replace(places, entered) {
            if !places.contains(&(table, profile)) {
                self.remove(table, profile, channel);
            }
        }
        Ok(())
    }

    /// Takes a channel out of everything.
    pub(super) fn leave(&self, channel: &Channel) {
        lock(&self.channels).remove(&channel.id);
        for (table, profile) in lock(&channel.places).take().into_iter().flatten() {
            self.remove(table, profile, channel);
        }
    }

    /// Whether anybody wants to hear of a table's changes.
    pub(super) fn want(&self, table: u32) -> bool {
        lock(&self.tables).contains_key(&table)
    }

    /// Hands changes to their table's worker, if anybody wants to hear of them. False when they are
    /// dropped, because too many wait.
    pub(super) fn push(&self, part: Part) -> bool {
        let tables = lock(&self.tables);
        tables.get(&part.relation.id).is_none_or(|subscribed| subscribed.queue.push(part))
    }

    /// Forgets what entries mean: the publication or a table is another now.
    pub(super) fn forget_resolved(&self) {
        lock(&self.resolved).clear();
    }

    async fn resolve(&self, entries: &[Entry], role: &str) -> Arc<Resolution> {
        let key = (entries.to_vec(), role.to_owned());
        if let Some(known) = lock(&self.resolved).get(&key) {
            return Arc::clone(known);
        }
        let resolution = Arc::new(self.look_up(entries, role).await);
        if resolution.is_ok() {
            let mut resolved = lock(&self.resolved);
            if resolved.len() >= MOST_RESOLVED {
                resolved.clear();
            }
            resolved.insert(key, Arc::clone(&resolution));
        }
        resolution
    }

    async fn look_up(&self, entries: &[Entry], role: &str) -> Resolution {
        let mut by_table: BTreeMap<u32, Vec<TableEntry>> = BTreeMap::new();
        for entry in entries {
            let resolved: Resolved = resolve(&self.database, &self.types, entry, role).await?;
            for (table, entry) in resolved {
                by_table.entry(table).or_default().push(entry);
            }
        }
        Ok(by_table.into_iter().map(|(table, entries)| (table, entries.into())).collect())
    }

    fn add(&self, oid: u32, entries: &Arc<[TableEntry]>, channel: &Channel) -> ProfileId {
        let mut tables = lock(&self.tables);
        let subscribed = tables.entry(oid).or_insert_with(|| self.start_worker());
        let member = (channel.id, &channel.receiver);
        lock(&subscribed.table).add(entries, &channel.identity, member)
    }

    fn start_worker(&self) -> Subscribed {
        let table = Arc::<Mutex<Table>>::default();
        let (queue, work) = Worker::start(self.database.clone(), Arc::clone(&table), Arc::clone(&self.types));
        self.workers.spawn(work);
        Subscribed { table, queue }
    }

    fn remove(&self, oid: u32, profile: ProfileId, channel: &Channel) {
        let mut tables = lock(&self.tables);
        let Some(subscribed) = tables.get(&oid) else { return };
        let mut table = lock(&subscribed.table);
        table.remove(profile, &channel.identity, channel.id);
        let is_unused = table.is_empty();
        drop(table);
        if is_unused {
            tables.remove(&oid);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
