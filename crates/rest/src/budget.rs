//! The memory budget of bodies that are built here out of those that were sent. All requests share
//! it (rest.md V09).

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

/// The bytes that are left.
#[derive(Debug)]
pub(crate) struct Budget(Arc<Semaphore>);

impl Default for Budget {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(MOST_BUILT / UNIT)))
    }
}

/// What one request takes of the budget. It gives it back when it is dropped.
#[derive(Debug, Default)]
pub(crate) struct Reservation {
    bytes: usize,
    permit: Option<OwnedSemaphorePermit>,
}

/// Builds the body that the statement reads, where it is not the one that was sent.
///
/// # Errors
/// 503 where other requests hold the memory, 413 for a table that takes too much by itself.
pub(crate) fn build_body(
    budget: &Budget,
    request: &mut ApiRequest,
    prepared: &Prepared,
) -> Result<Reservation, Error> {
    let mut reservation = Reservation::default();
    if request.shape.payload == PayloadForm::Table {
        // Of the lines of a call the first counts (rest.md C02).
        let most = if matches!(prepared.plan, Plan::Call(_)) { 1 } else { usize::MAX };
        request.body = csv::objects(&request.body, most, |bytes| reservation.take(budget, bytes))?;
    } else if prepared.sql.main.as_ref().is_some_and(|template| template.writes_bytes()) {
        reservation.take(budget, 2 * request.body.len())?;
    }
    Ok(reservation)
}

impl Reservation {
    /// Takes `bytes` more; units are taken as bytes fill them.
    fn take(&mut self, budget: &Budget, bytes: usize) -> Result<(), Error> {
        let units = (self.bytes + bytes).div_ceil(UNIT) - self.bytes.div_ceil(UNIT);
        self.bytes += bytes;
        if units == 0 {
            return Ok(());
        }
        let units = u32::try_from(units).map_err(|_| Error::BudgetSpent)?;
        let more = Arc::clone(&budget.0).try_acquire_many_owned(units).map_err(|_| Error::BudgetSpent)?;
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
        let budget = Budget::default();
        let (mut one, mut two) = (Reservation::default(), Reservation::default());
        one.take(&budget, MOST_BUILT - 10).expect("most of the budget is free");
        assert!(matches!(two.take(&budget, 2000), Err(Error::BudgetSpent)));
        drop(one);
        two.take(&budget, 2000).expect("the budget is free again");
    }
}
