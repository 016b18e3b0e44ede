//! Places for instances that run: those of one function, and those of all (functions.md H12, section 5).

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

use crate::{engine::SLOTS, idle::Guest, memory::Share, registry::Prepared};

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

/// What a request waited for in vain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lack {
    /// A place of its own function.
    Own,
    /// A place of all, or memory of the node.
    Node,
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
        let _waits = stand_in_line(prepared)?;
        let has_own = AtomicBool::new(false);
        let all = async {
            let own = Arc::clone(&prepared.permits).acquire_owned().await?;
            has_own.store(true, Relaxed);
            let _lacks = Counted::of(&prepared.lacking);
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
        let lack = if has_own.load(Relaxed) { Lack::Node } else { of_those_before(prepared) };
        taken.map_err(|_| lack)?.map_err(|_| lack)
    }

    /// A place where one is free now.
    pub(crate) fn try_take(&self, prepared: &Prepared) -> Option<(Place, Share)> {
        Some((self.free_place(prepared)?, prepared.memory.try_take()?))
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
///
/// # Errors
/// What those lack who run or wait, when they are so many that it cannot.
fn stand_in_line(prepared: &Prepared) -> Result<Counted<'_>, Lack> {
    let line = Counted::of(&prepared.waiting);
    let is_full = line.before >= WAITING * prepared.policy.concurrency as usize;
    if !is_full || prepared.permits.available_permits() > 0 {
        return Ok(line);
    }
    Err(of_those_before(prepared))
}

/// What those with a permit lack: more permits would help nobody where one of them waits for the rest.
fn of_those_before(prepared: &Prepared) -> Lack {
    if prepared.lacking.load(Relaxed) > 0 { Lack::Node } else { Lack::Own }
}

/// One more of a number, for as long as this lives.
struct Counted<'a> {
    number: &'a AtomicUsize,
    /// How many there were without it.
    before: usize,
}

impl<'a> Counted<'a> {
    fn of(number: &'a AtomicUsize) -> Self {
        Self { number, before: number.fetch_add(1, Relaxed) }
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.number.fetch_sub(1, Relaxed);
    }
}
