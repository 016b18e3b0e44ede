//! One table's changes, on the way to those who may see them.
//!
//! Each table has a worker of its own, so a slow policy holds up the changes of its own table
//! alone. Changes that came meanwhile are taken together: filters and policies are asked once about
//! all of them. Then they are delivered in the order of their commits (CONTRACT.md G17).

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use banyan_db::{Database, RunError};
use futures_util::{StreamExt as _, stream};
use tokio::{sync::mpsc, time::Instant};

use super::{
    catalog::Rights,
    change::{Change, ChangedTable},
    context::ChangesContext,
    delivery::{self, Verdicts},
    entry::Event,
    identity::Identity,
    payload::Refusal,
    pgoutput::Relation,
    questions::{Answers, Questions},
    rendered::{self, Rendered},
    snapshot,
    table::{Match, Table},
    types::Types,
    visibility::{Candidate, Visibility},
};

/// Most transactions whose changes are taken together.
const MOST_TOGETHER: usize = 256;
/// Identities that are asked for at the same time.
const AT_A_TIME: usize = 32;
/// Rights are looked up again after so long: nobody is told when a role becomes a member of
/// another.
const RIGHTS_LAST: Duration = Duration::from_secs(60);
/// Bytes of changes that may wait for one table's worker.
const MOST_WAITING: usize = 16 << 20;
/// What a change takes beside its values.
const OVERHEAD: usize = 256;

/// The way into a table's worker. The worker ends when it is dropped.
#[derive(Debug)]
pub(super) struct Queue {
    changes: mpsc::UnboundedSender<Part>,
    waiting: Arc<AtomicUsize>,
}

impl Queue {
    /// Hands changes to the worker. False when too much waits; then they are dropped.
    pub(super) fn push(&self, part: Part) -> bool {
        let bytes = part.size();
        if self.waiting.fetch_add(bytes, Ordering::Relaxed) > MOST_WAITING {
            self.waiting.fetch_sub(bytes, Ordering::Relaxed);
            return false;
        }
        self.changes.send(part).is_ok()
    }
}

/// The changes of one table by one transaction, or some of them where there are very many.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) relation: Arc<Relation>,
    pub(super) changes: Vec<Change>,
}

impl Part {
    fn size(&self) -> usize {
        self.changes.iter().map(|change| change.size() + OVERHEAD).sum()
    }
}

/// The worker of a table.
#[derive(Debug)]
pub(super) struct Worker {
    context: ChangesContext,
    table: Arc<Mutex<Table>>,
    types: Arc<tokio::sync::Mutex<Types>>,
    /// The table as the last changes saw it.
    changed: Option<Arc<ChangedTable>>,
    rights: HashMap<String, (Instant, Arc<Rights>)>,
}

/// Changes of one table that are taken together, with all that decides about them.
pub(super) struct Batch<'b> {
    pub(super) table: &'b ChangedTable,
    pub(super) changes: &'b [Change],
    pub(super) rendered: Vec<Rendered>,
    /// By role.
    pub(super) rights: HashMap<String, Arc<Rights>>,
    pub(super) concerned: Concerned,
}

/// An identity that stands for all that policies take for the same, and what it is asked about.
type Group = (Arc<Identity>, BTreeSet<usize>);

/// Who is concerned by changes, as filters have it.
#[derive(Debug, Default)]
pub(super) struct Concerned {
    /// Of each change.
    pub(super) matches: Vec<Vec<Match>>,
    /// By which changes, in their order.
    identities: HashMap<Arc<Identity>, Vec<usize>>,
}

impl Worker {
    /// A worker for the subscriptions of a table.
    pub(super) fn new(
        context: ChangesContext,
        table: Arc<Mutex<Table>>,
        types: Arc<tokio::sync::Mutex<Types>>,
    ) -> Self {
        Self { context, table, types, changed: None, rights: HashMap::new() }
    }

    /// The way into it, and its work.
    pub(super) fn start(self) -> (Queue, impl Future<Output = ()> + Send) {
        let (sender, receiver) = mpsc::unbounded_channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let queue = Queue { changes: sender, waiting: Arc::clone(&waiting) };
        (queue, self.run(receiver, waiting))
    }

    async fn run(mut self, mut queue: mpsc::UnboundedReceiver<Part>, waiting: Arc<AtomicUsize>) {
        let mut taken = Vec::with_capacity(MOST_TOGETHER);
        while queue.recv_many(&mut taken, MOST_TOGETHER).await > 0 {
            let bytes = taken.iter().map(Part::size).sum();
            let mut parts = taken.drain(..).peekable();
            while let Some(Part { relation, mut changes }) = parts.next() {
                while let Some(next) = parts.next_if(|next| Arc::ptr_eq(&next.relation, &relation)) {
                    changes.extend(next.changes);
                }
                if let Err(error) = Box::pin(self.process(&relation, &changes)).await {
                    tracing::warn!(error.message = %error, "row changes are lost");
                }
            }
            drop(parts);
            waiting.fetch_sub(bytes, Ordering::Relaxed);
        }
    }

    /// Takes changes of one definition of the table all the way.
    async fn process(&mut self, relation: &Arc<Relation>, changes: &[Change]) -> Result<(), RunError> {
        if self.context.is_too_much() {
            self.context.count_skipped(changes.len());
            return Ok(());
        }
        let table = self.changed_table(relation).await?;
        let answers = self.questions(&table, changes).ask(&self.context.database).await;
        let concerned = self.concerned(&table, changes, &answers);
        if concerned.identities.is_empty() {
            return Ok(());
        }
        let rights = self.rights_of(relation.id, concerned.identities.keys()).await?;
        let rendered = rendered::render(&self.context.database, &table, changes).await;
        let batch = Batch { table: &table, changes, rendered, rights, concerned };
        let verdicts = batch.verdicts(&self.context.database).await;
        let delivered = delivery::deliver(&batch, &verdicts, &self.subscribed());
        self.context.count_delivered(delivered);
        Ok(())
    }

    fn subscribed(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The table of these changes. A new description of it may come with new rights or policies.
    async fn changed_table(&mut self, relation: &Arc<Relation>) -> Result<Arc<ChangedTable>, RunError> {
        if let Some(known) = self.changed.as_ref().filter(|known| Arc::ptr_eq(&known.relation, relation)) {
            return Ok(Arc::clone(known));
        }
        self.rights.clear();
        let oids: Vec<u32> = relation.columns.iter().map(|column| column.type_oid).collect();
        let types = self.types.lock().await.of(&self.context.database, &oids).await?;
        let table = Arc::new(ChangedTable::new(Arc::clone(relation), types));
        self.changed = Some(Arc::clone(&table));
        Ok(table)
    }

    fn questions(&self, table: &ChangedTable, changes: &[Change]) -> Questions {
        let (subscribed, mut questions) = (self.subscribed(), Questions::default());
        for change in changes {
            subscribed.questions(table.seen(change), |comparison, value| questions.add(comparison, value));
        }
        questions
    }

    /// Who is concerned by which changes, as filters have it.
    fn concerned(&self, table: &ChangedTable, changes: &[Change], answers: &Answers) -> Concerned {
        let subscribed = self.subscribed();
        let mut concerned = Concerned::default();
        for (place, change) in changes.iter().enumerate() {
            let matches = subscribed.matches(table.seen(change), answers);
            for profile in matches.iter().map(|it| it.profile) {
                for (identity, _) in subscribed.members(profile) {
                    let places = concerned.identities.entry(Arc::clone(identity)).or_default();
                    if places.last() != Some(&place) {
                        places.push(place);
                    }
                }
            }
            concerned.matches.push(matches);
        }
        concerned
    }

    /// What the roles of these identities may see of the table. A role that is gone sees nothing.
    async fn rights_of(
        &mut self,
        table: u32,
        identities: impl Iterator<Item = &Arc<Identity>>,
    ) -> Result<HashMap<String, Arc<Rights>>, RunError> {
        let roles: HashSet<&str> = identities.map(|identity| identity.role()).collect();
        let mut all = HashMap::new();
        for role in roles {
            let known = self.rights.get(role).filter(|(since, _)| since.elapsed() < RIGHTS_LAST);
            if let Some((_, rights)) = known {
                all.insert(role.to_owned(), Arc::clone(rights));
            } else if let Some(rights) = Rights::read(&self.context.database, table, role).await? {
                let rights = Arc::new(rights);
                self.rights.insert(role.to_owned(), (Instant::now(), Arc::clone(&rights)));
                all.insert(role.to_owned(), rights);
            }
        }
        Ok(all)
    }
}

impl Batch<'_> {
    /// Asks row-level security, one question for each identity that it tells from others.
    async fn verdicts(&self, database: &Database) -> Verdicts {
        let (group_of, groups) = self.groups();
        let visibility = |(role, rights): (&String, &Arc<Rights>)| {
            (role.clone(), Visibility::new(database, self.table, Arc::clone(rights)))
        };
        let by_role: HashMap<String, Visibility<'_>> = self.rights.iter().map(visibility).collect();
        let superseded = self.superseded();
        if !groups.is_empty() {
            snapshot::wait_until_seen(database, self.changes).await;
        }
        let mut checks = Vec::with_capacity(groups.len());
        for (identity, places) in groups {
            let visibility = &by_role[identity.role()];
            checks.push(self.seen_by(visibility, identity, places, &superseded));
        }
        Verdicts { group_of, seen: stream::iter(checks).buffered(AT_A_TIME).collect().await }
    }

    /// Which of these changes an identity may see.
    async fn seen_by(
        &self,
        visibility: &Visibility<'_>,
        identity: Arc<Identity>,
        places: BTreeSet<usize>,
        superseded: &HashSet<usize>,
    ) -> BTreeSet<usize> {
        let candidate = |place: &usize| Candidate {
            change: &self.changes[*place],
            rendered: &self.rendered[*place],
            is_superseded: superseded.contains(place),
        };
        let candidates: Vec<_> = places.iter().map(candidate).collect();
        let seen = visibility.check(&identity, &candidates).await;
        places.into_iter().zip(seen).filter_map(|(place, seen)| seen.then_some(place)).collect()
    }

    /// Identities that policies do not tell apart, with the changes that they are to be asked
    /// about.
    fn groups(&self) -> (HashMap<Arc<Identity>, usize>, Vec<Group>) {
        let (mut group_of, mut groups) = (HashMap::new(), Vec::<Group>::new());
        let mut known: HashMap<(&str, &str), usize> = HashMap::new();
        for (identity, places) in &self.concerned.identities {
            let Some(rights) = self.rights.get(identity.role()) else { continue };
            let is_asked = |place: &&usize| rights.decide_rows_of(self.changes[**place].event);
            let mut places = places.iter().copied().filter(|place| is_asked(&place)).peekable();
            if places.peek().is_none() {
                continue;
            }
            let group = *known.entry((identity.role(), identity.key(rights.reads()))).or_insert(groups.len());
            if group == groups.len() {
                groups.push((Arc::clone(identity), BTreeSet::new()));
            }
            groups[group].1.extend(places);
            group_of.insert(Arc::clone(identity), group);
        }
        (group_of, groups)
    }

    /// Changes of rows that the same transaction changed again, or may have.
    fn superseded(&self) -> HashSet<usize> {
        let Some(rights) = self.rights.values().next() else { return HashSet::new() };
        let mut last = HashSet::new();
        let is_superseded = |place: &usize| {
            let change = &self.changes[*place];
            let key = self.table.texts(change.row(), &rights.key);
            change.is_of_part || key.is_some_and(|key| !last.insert((change.xid, key)))
        };
        (0..self.changes.len()).rev().filter(is_superseded).collect()
    }
}

impl Rights {
    /// Whether policies decide who is told of such a change.
    pub(super) fn decide_rows_of(&self, event: Event) -> bool {
        self.is_subject && event != Event::Delete && Refusal::of(self, event).is_none()
    }
}
