//! Memory for bodies that are built here out of those that were sent: all requests share it (rest.md V09).

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{
    Prepared,
    error::Error,
    plan::Plan,
    request::{ApiRequest, PayloadForm, csv},
};

/// Bytes of bodies that are built, all requests together.
const MOST_BUILT: usize = 256 << 20;
/// Bytes of one permit.
const UNIT: usize = 1024;

/// What is left of that memory.
#[derive(Debug)]
pub(crate) struct Room(Arc<Semaphore>);

impl Default for Room {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(MOST_BUILT / UNIT)))
    }
}

/// What one request holds of it, until it is answered.
#[derive(Debug, Default)]
pub(crate) struct Held {
    bytes: usize,
    permit: Option<OwnedSemaphorePermit>,
}

/// Builds the body that the statement reads, where it is not the one that was sent.
///
/// # Errors
/// 503 where other requests hold the memory, 413 for a table that takes too much by itself.
pub(crate) fn build(room: &Room, request: &mut ApiRequest, prepared: &Prepared) -> Result<Held, Error> {
    let mut held = Held::default();
    if request.shape.payload == PayloadForm::Table {
        // Of the lines of a call the first counts (rest.md C02).
        let most = if matches!(prepared.plan, Plan::Call(_)) { 1 } else { usize::MAX };
        request.body = csv::objects(&request.body, most, |bytes| held.take(room, bytes))?;
    } else if prepared.sql.main.as_ref().is_some_and(|template| template.writes_bytes()) {
        held.take(room, 2 * request.body.len())?;
    }
    Ok(held)
}

impl Held {
    /// Takes `bytes` more; units are taken as bytes fill them.
    fn take(&mut self, room: &Room, bytes: usize) -> Result<(), Error> {
        let units = (self.bytes + bytes).div_ceil(UNIT) - self.bytes.div_ceil(UNIT);
        self.bytes += bytes;
        if units == 0 {
            return Ok(());
        }
        let units = u32::try_from(units).map_err(|_| Error::NoRoom)?;
        let more = Arc::clone(&room.0).try_acquire_many_owned(units).map_err(|_| Error::NoRoom)?;
        match self.permit.as_mut() {
            Some(permit) => permit.merge(more),
            None => self.permit = Some(more),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rest_v09_what_is_built_is_bounded_for_all_requests_together() {
        let room = Room::default();
        let (mut one, mut two) = (Held::default(), Held::default());
        one.take(&room, MOST_BUILT - 10).expect("room");
        assert!(matches!(two.take(&room, 2000), Err(Error::NoRoom)));
        drop(one);
        two.take(&room, 2000).expect("room again");
    }
}
