//! The memory budget of bodies that are built here out of those that were sent. All requests share
//! it (CONTRACT.md V09).

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{
    Prepared,
    error::Error,
    plan::Plan,
    request::{ApiRequest, PayloadForm, csv},
    sql::{Template, hex_size},
};

/// Bytes of bodies that are built, all requests together.
const MOST_BUILT: usize = 256 << 20;
/// Of a larger table nothing is built before PostgreSQL was asked whether the caller may send it.
const SMALL_BODY: usize = 1 << 20;
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
#[derive(Debug)]
pub(crate) struct Reservation {
    _permit: OwnedSemaphorePermit,
}

/// Whether so much is built of the body that the caller's privileges are judged before.
pub(crate) fn is_large(request: &ApiRequest) -> bool {
    request.shape.payload == PayloadForm::Table && request.body.len() > SMALL_BODY
}

/// Builds the body that the statement reads, where it is not the one that was sent. The copy that
/// waits to be sent to PostgreSQL is counted with it, and both before anything is built.
///
/// # Errors
/// 503 where other requests hold the memory, 413 for a table that takes too much by itself.
pub(crate) fn build_body(
    budget: &Budget,
    request: &mut ApiRequest,
    prepared: &Prepared,
) -> Result<Option<Reservation>, Error> {
    if request.shape.payload == PayloadForm::Table {
        // Of the lines of a call the first counts (CONTRACT.md C02).
        let most = if matches!(prepared.plan, Plan::Call(_)) { 1 } else { usize::MAX };
        let size = csv::size(&request.body, most)?;
        let reservation = budget.reserve(2 * size)?;
        request.body = csv::objects(&request.body, most, size)?.into();
        return Ok(Some(reservation));
    }
    let digits = prepared.sql.main.as_ref().is_some_and(Template::writes_bytes);
    digits.then(|| budget.reserve(2 * hex_size(&request.body))).transpose()
}

impl Budget {
    fn reserve(&self, bytes: usize) -> Result<Reservation, Error> {
        let units = u32::try_from(bytes.div_ceil(UNIT)).map_err(|_| Error::BudgetSpent)?;
        let permit = Arc::clone(&self.0).try_acquire_many_owned(units).map_err(|_| Error::BudgetSpent)?;
        Ok(Reservation { _permit: permit })
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http::Request;

    use super::*;
    use crate::{
        Settings, request,
        sql::{Bind, Rendered},
    };

    #[test]
    fn rest_v09_what_is_built_is_bounded_for_all_requests_together() {
        let budget = Budget::default();
        let one = budget.reserve(MOST_BUILT - 10 * UNIT).expect("most of the budget is free");
        assert!(matches!(budget.reserve(11 * UNIT), Err(Error::BudgetSpent)));
        drop(one);
        budget.reserve(11 * UNIT).expect("the budget is free again");
    }

    #[test]
    fn rest_v09_i11_what_is_built_is_counted_with_the_copy_that_is_sent() {
        let budget = Budget::default();
        let left = || budget.0.available_permits();
        let all = left();
        let build = |content_type: &str, bind| {
            let request = Request::post("/t").header("content-type", content_type);
            let (parts, ()) = request.body(()).expect("a request").into_parts();
            let body = Bytes::from(format!("a\n{}", "1\n".repeat(5_000)));
            let mut request = request::parse(&parts, body, &Settings::default()).expect("a table");
            let main = Some(Template { text: "".into(), binds: vec![bind] });
            let prepared = Prepared { plan: Plan::Info(""), sql: Rendered { main, estimate: None } };
            let held = build_body(&budget, &mut request, &prepared);
            (held, request.body.len(), all - left())
        };
        let (held, size, taken) = build("text/csv", Bind::Body);
        assert_eq!((held.is_ok(), size, taken), (true, 50_001, (2 * size).div_ceil(UNIT)));
        drop(held);
        let most = budget.reserve(MOST_BUILT - 2 * size + UNIT);
        let (refused, size, _) = build("text/csv", Bind::Body);
        assert!(matches!(refused, Err(Error::BudgetSpent)));
        assert_eq!(size, 10_002, "nothing was built");
        drop(most);
    }
}
