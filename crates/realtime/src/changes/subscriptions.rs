//! The subscriptions of this node: by table for changes, by channel for what channels are told.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use tokio_util::task::TaskTracker;

use super::{
    context::ChangesContext,
    entry::Entry,
    identity::Identity,
    resolve::{Resolved, SubscribeError, resolve},
    table::{ProfileId, Table, TableEntry},
    types::Types,
    worker::{Part, Queue, Worker},
};
use crate::channel_sender::ChannelSender;

/// What channels are told of is called so.
pub(super) const EXTENSION: &str = "postgres_changes";
/// Entries whose meaning is remembered.
const MOST_RESOLVED: usize = 4096;

/// The subscriptions of this node.
#[derive(Debug)]
pub(super) struct Subscriptions {
    context: ChangesContext,
    types: Arc<tokio::sync::Mutex<Types>>,
    tables: Mutex<HashMap<u32, Subscribed>>,
    subscribers: Mutex<HashMap<SubscriberId, Arc<Subscriber>>>,
    last: AtomicU64,
    /// What entries mean for a role, since the publication last changed.
    resolved: Mutex<HashMap<Asked, Arc<Resolution>>>,
    workers: TaskTracker,
}

/// A table that somebody wants to hear of.
#[derive(Debug)]
struct Subscribed {
    table: Arc<Mutex<Table>>,
    queue: Queue,
}

/// The entries of a channel, and its role.
type Asked = (Vec<Entry>, String);

/// What the entries of a channel mean, by table.
type Resolution = Result<BTreeMap<u32, Arc<[TableEntry]>>, SubscribeError>;

/// A channel that subscribed, on this node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct SubscriberId(u64);

/// A channel with its entries.
#[derive(Debug)]
pub(super) struct Subscriber {
    id: SubscriberId,
    /// Whose it is, by the newest token.
    identity: Mutex<Arc<Identity>>,
    entries: Vec<Entry>,
    sender: ChannelSender,
    /// Where it is entered, by table; none once it has left.
    places: Mutex<Option<Places>>,
    /// Whether it was told that it is entered, and no task is about to tell it again.
    is_confirmed: AtomicBool,
}

/// Where a channel is entered, and as whom.
type Places = HashMap<u32, (ProfileId, Arc<Identity>)>;

impl Subscriber {
    /// From now on it is this one's.
    pub(super) fn set_identity(&self, identity: Arc<Identity>) {
        *lock(&self.identity) = identity;
    }

    /// Tells the channel why it is not subscribed, or what it may have missed (CONTRACT.md G4).
    pub(super) fn tell(&self, problem: &str) {
        self.sender.system(EXTENSION, false, problem);
    }

    /// Tells the channel that it is subscribed (CONTRACT.md G3).
    pub(super) fn confirm(&self) {
        self.is_confirmed.store(true, Ordering::Release);
        self.sender.system(EXTENSION, true, "Subscribed to PostgreSQL");
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
    pub(super) fn new(context: ChangesContext) -> Self {
        Self {
            context,
            types: Arc::default(),
            tables: Mutex::default(),
            subscribers: Mutex::default(),
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
        sender: ChannelSender,
    ) -> Arc<Subscriber> {
        let id = SubscriberId(self.last.fetch_add(1, Ordering::Relaxed));
        let (places, is_confirmed) = (Mutex::new(Some(Places::new())), AtomicBool::new(false));
        let subscriber = Arc::new(Subscriber {
            id,
            identity: Mutex::new(identity),
            entries,
            sender,
            places,
            is_confirmed,
        });
        lock(&self.subscribers).insert(id, Arc::clone(&subscriber));
        subscriber
    }

    /// How many channels there are.
    pub(super) fn count(&self) -> usize {
        lock(&self.subscribers).len()
    }

    /// Every channel.
    pub(super) fn all(&self) -> Vec<Arc<Subscriber>> {
        lock(&self.subscribers).values().cloned().collect()
    }

    /// Enters a channel in the tables that it means, in place of where it was. It misses nothing
    /// and receives nothing twice meanwhile. False where it got a newer identity or left meanwhile:
    /// then nothing is done.
    pub(super) async fn enter(&self, subscriber: &Subscriber) -> Result<bool, SubscribeError> {
        let identity = Arc::clone(&lock(&subscriber.identity));
        let resolution = self.resolve(&subscriber.entries, identity.role()).await;
        let mut places = lock(&subscriber.places);
        // Who sets an identity enters with it, maybe before this one gets here.
        let is_current = Arc::ptr_eq(&identity, &lock(&subscriber.identity));
        let Some(places) = places.as_mut().filter(|_| is_current) else { return Ok(false) };
        let wanted = resolution.as_ref().as_ref().map_err(Clone::clone)?;
        let mut before = std::mem::take(places);
        for (table, entries) in wanted {
            let place = self.replace(*table, (subscriber, &identity), entries, before.remove(table));
            places.insert(*table, (place, Arc::clone(&identity)));
        }
        for (table, place) in before {
            self.remove(table, subscriber, &place);
        }
        Ok(true)
    }

    /// Takes a channel out of everything.
    pub(super) fn leave(&self, subscriber: &Subscriber) {
        lock(&self.subscribers).remove(&subscriber.id);
        for (table, place) in lock(&subscriber.places).take().into_iter().flatten() {
            self.remove(table, subscriber, &place);
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
            let resolved: Resolved = resolve(&self.context.database, &self.types, entry, role).await?;
            for (table, entry) in resolved {
                by_table.entry(table).or_default().push(entry);
            }
        }
        Ok(by_table.into_iter().map(|(table, entries)| (table, entries.into())).collect())
    }

    fn replace(
        &self,
        oid: u32,
        (subscriber, identity): (&Subscriber, &Arc<Identity>),
        entries: &Arc<[TableEntry]>,
        before: Option<(ProfileId, Arc<Identity>)>,
    ) -> ProfileId {
        let mut tables = lock(&self.tables);
        let subscribed = tables.entry(oid).or_insert_with(|| self.start_worker());
        let mut table = lock(&subscribed.table);
        if let Some((profile, identity)) = before {
            table.remove(profile, &identity, subscriber.id);
        }
        table.add(entries, identity, (subscriber.id, &subscriber.sender))
    }

    fn start_worker(&self) -> Subscribed {
        let table = Arc::<Mutex<Table>>::default();
        let worker = Worker::new(self.context.clone(), Arc::clone(&table), Arc::clone(&self.types));
        let (queue, work) = worker.start();
        self.workers.spawn(work);
        Subscribed { table, queue }
    }

    fn remove(&self, oid: u32, subscriber: &Subscriber, (profile, identity): &(ProfileId, Arc<Identity>)) {
        let mut tables = lock(&self.tables);
        let Some(subscribed) = tables.get(&oid) else { return };
        let mut table = lock(&subscribed.table);
        table.remove(*profile, identity, subscriber.id);
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
