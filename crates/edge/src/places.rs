//! Places for instances that run: those of one function, and those of all (CONTRACT.md H12,
//! LIMIT_PLACES).

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

use crate::{engine::SLOTS, idle::Guest, logs::Lack, memory::Share, registry::Prepared};

/// Requests to one function that wait for each that may run; more are told to come back at once, since those that wait
/// take room from other functions.
const WAITING: usize = 4;
/// The places of all functions.
pub(crate) struct Places(Arc<Semaphore>);

/// What a request runs in.
pub(crate) enum Room {
    /// Memory for an instance of its own.
    Memory(Share),
    /// An instance that has waited, with the memory that it has.
    Instance(Guest),
}

/// The function's own place and one of all; both are free again once this is dropped.
pub(crate) struct Place {
    _own: OwnedSemaphorePermit,
    _slot: OwnedSemaphorePermit,
}

impl Places {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Semaphore::new(SLOTS as usize)))
    }

    /// How many are free.
    pub(crate) fn free(&self) -> usize {
        self.0.available_permits()
    }

    /// First the function's own place, then one of all, so that a slow function cannot take every slot; then memory, unless
    /// an instance waits, or does before there is memory.
    ///
    /// # Errors
    /// What lacks when too many wait already, or none is free within `longest`.
    pub(crate) async fn take(&self, prepared: &Prepared, longest: Duration) -> Result<(Place, Room), Lack> {
        // Most need not wait; those have no line to stand in, and no clock that runs.
        if let Some(place) = self.free_place(prepared)
            && let Some(room) = free_room(prepared)
        {
            return Ok((place, room));
        }
        let _waits = Waits::begin(prepared).ok_or_else(|| self.lack(prepared))?;
        let has_own = AtomicBool::new(false);
        let all = async {
            let own = Arc::clone(&prepared.permits).acquire_owned().await?;
            has_own.store(true, Relaxed);
            let slot = Arc::clone(&self.0).acquire_owned().await?;
            let waiting = async {
                match prepared.policy.reuse {
                    true => prepared.memory.idle().next().await,
                    false => std::future::pending().await,
                }
            };
            let room = tokio::select! {
                biased;
                guest = waiting => Room::Instance(guest),
                share = prepared.memory.take() => Room::Memory(share),
            };
            Ok::<_, tokio::sync::AcquireError>((Place { _own: own, _slot: slot }, room))
        };
        let taken = timeout(longest, all).await;
        let lack = if has_own.load(Relaxed) { Lack::Node } else { self.lack(prepared) };
        taken.map_err(|_| lack)?.map_err(|_| lack)
    }

    /// A place where one is free now.
    pub(crate) fn try_take(&self, prepared: &Prepared) -> Option<(Place, Share)> {
        Some((self.free_place(prepared)?, prepared.memory.try_take()?))
    }

    /// What keeps one more from running who has no permit: it would help nobody where the node has no room.
    fn lack(&self, prepared: &Prepared) -> Lack {
        if self.free() > 0 && prepared.memory.has_room() { Lack::Own } else { Lack::Node }
    }

    fn free_place(&self, prepared: &Prepared) -> Option<Place> {
        let own = Arc::clone(&prepared.permits).try_acquire_owned().ok()?;
        let slot = Arc::clone(&self.0).try_acquire_owned().ok()?;
        Some(Place { _own: own, _slot: slot })
    }
}

/// What there is now, without overtaking anybody who waits for memory, or a request of the same function that waits for an instance.
fn free_room(prepared: &Prepared) -> Option<Room> {
    let may_reuse = prepared.policy.reuse && prepared.waiting.load(Relaxed) == 0;
    let guest = may_reuse.then(|| prepared.memory.idle().take()).flatten();
    guest.map(Room::Instance).or_else(|| prepared.memory.try_take().map(Room::Memory))
}

/// One more request that waits.
struct Waits<'a>(&'a AtomicUsize);

impl<'a> Waits<'a> {
    /// Nothing where too many wait already.
    fn begin(prepared: &'a Prepared) -> Option<Self> {
        let before = prepared.waiting.fetch_add(1, Relaxed);
        let this = Self(&prepared.waiting);
        let most = WAITING * prepared.policy.concurrency as usize;
        let is_full = before >= most && prepared.permits.available_permits() == 0;
        (!is_full).then_some(this)
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}
