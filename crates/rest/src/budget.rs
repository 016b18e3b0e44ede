//! The memory budget of bodies that are built here out of those that were sent. All requests share
//! it (CONTRACT.md V09).

use std::sync::Arc;

use bytes::Bytes;
use http::HeaderMap;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{
    Prepared,
    error::Error,
    plan::Plan,
    request::{self, ApiRequest, MediaType, PayloadForm, csv},
    sql::{Template, hex_size},
};

/// Bytes of bodies that are built, all requests together, where there is memory enough.
const MOST_BUILT: usize = 256 << 20;
/// They are at most this part of the memory.
const PART: u64 = 16;
/// Largest table, in bytes, that is built before PostgreSQL is asked whether the caller may send
/// it.
const SMALL_BODY: usize = 1 << 20;
/// Bytes that are built for each byte of a form: one that stands for a control character is six of
/// JSON, and six more of the copy that waits to be sent. Bytes that are no UTF-8 become three.
const FORM_GROWTH: usize = 12;
/// Bytes of one permit.
const UNIT: usize = 1024;

/// The bytes that are left.
#[derive(Debug)]
pub(crate) struct Budget {
    left: Arc<Semaphore>,
    all: usize,
}

impl Budget {
    /// The part of so much memory.
    pub(crate) fn of(memory: u64) -> Self {
        let all = usize::try_from(memory / PART).unwrap_or(usize::MAX).min(MOST_BUILT);
        Self { left: Arc::new(Semaphore::new(all / UNIT)), all }
    }
}

/// A body with what it takes of the budget. It gives that back after its bytes are gone, when
/// nobody reads them any longer.
struct Reserved<T> {
    bytes: T,
    _permit: OwnedSemaphorePermit,
}

impl<T: AsRef<[u8]>> AsRef<[u8]> for Reserved<T> {
    fn as_ref(&self) -> &[u8] {
        self.bytes.as_ref()
    }
}

/// Returns whether the body takes so much memory that the caller's privileges are checked first.
pub(crate) fn is_large(request: &ApiRequest) -> bool {
    request.shape.payload == PayloadForm::Table && request.body.len() > SMALL_BODY
}

/// Reserves the memory for reading a form, for as long as the request lasts: its values are built
/// before its columns are known.
///
/// # Errors
/// See [`build_body`].
pub(crate) fn reserve_form(
    budget: &Budget,
    headers: &HeaderMap,
    body: &[u8],
) -> Result<Option<OwnedSemaphorePermit>, Error> {
    let is_form = request::content_type(headers) == MediaType::Form;
    is_form.then(|| budget.reserve(FORM_GROWTH * body.len())).transpose()
}

/// Builds the body that the statement reads, where it is not the one that was sent. The copy that
/// waits to be sent to PostgreSQL is counted with it, and both before anything is built.
///
/// # Errors
/// 503 if other requests hold the memory, 413 if the table alone takes too much.
pub(crate) fn build_body(
    budget: &Budget,
    request: &mut ApiRequest,
    prepared: &Prepared,
) -> Result<(), Error> {
    if request.shape.payload == PayloadForm::Table {
        // In a call only the first line counts (CONTRACT.md C02).
        let most = if matches!(prepared.plan, Plan::Call(_)) { 1 } else { usize::MAX };
        let size = csv::size(&request.body, most)?;
        let permit = budget.reserve(2 * size)?;
        let bytes = csv::objects(&request.body, most, size)?;
        request.body = Bytes::from_owner(Reserved { bytes, _permit: permit });
    } else if prepared.sql.main.as_ref().is_some_and(Template::writes_bytes) {
        // The digits are written with the statement, which goes before the body does.
        let permit = budget.reserve(2 * hex_size(&request.body))?;
        let bytes = std::mem::take(&mut request.body);
        request.body = Bytes::from_owner(Reserved { bytes, _permit: permit });
    }
    Ok(())
}

impl Budget {
    fn reserve(&self, bytes: usize) -> Result<OwnedSemaphorePermit, Error> {
        if bytes > self.all {
            return Err(Error::BodyTooLarge);
        }
        let units = u32::try_from(bytes.div_ceil(UNIT)).map_err(|_| Error::BudgetSpent)?;
        Arc::clone(&self.left).try_acquire_many_owned(units).map_err(|_| Error::BudgetSpent)
    }
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;
    use crate::{
        Settings,
        sql::{Bind, Rendered},
    };

    // rows: V09
    #[test]
    fn what_is_built_is_bounded_for_all_requests_together() {
        let budget = Budget::of(u64::MAX);
        let one = budget.reserve(MOST_BUILT - 10 * UNIT).expect("most of the budget is free");
        assert!(matches!(budget.reserve(11 * UNIT), Err(Error::BudgetSpent)));
        drop(one);
        drop(budget.reserve(11 * UNIT).expect("the budget is free again"));
        drop(budget.reserve(MOST_BUILT).expect("all of it"));
        let never = budget.reserve(MOST_BUILT + 1);
        assert!(matches!(never, Err(Error::BodyTooLarge)), "what never fits need not be tried again");
    }

    /// A table of 10,002 bytes, and what was built of it.
    fn built(budget: &Budget, content_type: &str, bind: Bind) -> (Result<(), Error>, ApiRequest) {
        let (parts, ()) = Request::post("/rpc/f")
            .header("content-type", content_type)
            .body(())
            .expect("a request")
            .into_parts();
        let body = Bytes::from(format!("a\n{}", "1\n".repeat(5_000)));
        let mut request = request::parse(&parts, body, &Settings::default()).expect("a table");
        let main = Some(Template { text: "".into(), binds: vec![bind] });
        let prepared = Prepared { plan: Plan::Info(""), sql: Rendered { main, estimate: None } };
        (build_body(budget, &mut request, &prepared), request)
    }

    // rows: V09 I11
    #[test]
    fn what_is_built_is_counted_with_the_copy_that_is_sent() {
        let budget = Budget::of(u64::MAX);
        for (content_type, bind, length, counted) in [
            ("text/csv", Bind::Body, 50_001, 2 * 50_001),
            ("application/octet-stream", Bind::ByteBody, 10_002, 2 * (2 + 2 * 10_002)),
            ("text/plain", Bind::Body, 10_002, 0_usize),
        ] {
            let all = budget.left.available_permits();
            let (held, request) = built(&budget, content_type, bind);
            assert_eq!((held.is_ok(), request.body.len()), (true, length), "{content_type}");
            let taken = counted.div_ceil(UNIT);
            assert_eq!(all - budget.left.available_permits(), taken, "{content_type}");
            let sent = request.body.clone();
            drop(request);
            assert_eq!(all - budget.left.available_permits(), taken, "it is still read");
            drop(sent);
            assert_eq!(budget.left.available_permits(), all, "{content_type}");
        }
    }

    // rows: V09
    #[test]
    fn what_is_built_is_a_part_of_the_memory_there_is() {
        for (memory, all) in [(1 << 30, 64 << 20), (4 << 30, MOST_BUILT), (64 << 30, MOST_BUILT)] {
            let budget = Budget::of(memory);
            assert_eq!((budget.all, budget.left.available_permits()), (all, all / UNIT));
        }
    }

    // rows: V09 I12
    #[test]
    fn a_form_is_counted_with_all_that_is_built_of_it() {
        let budget = Budget::of(u64::MAX);
        let all = budget.left.available_permits();
        for field in [&b"\x01"[..], b"%01", b"\xff", b"%FF", b"\"", b"1", b"+"] {
            let body = [&b"a="[..], &field.repeat(50_000)].concat();
            let form = "application/x-www-form-urlencoded; charset=utf-8";
            let (parts, ()) =
                Request::post("/t").header("content-type", form).body(()).expect("a request").into_parts();
            let held = reserve_form(&budget, &parts.headers, &body).expect("it fits");
            let taken = (all - budget.left.available_permits()) * UNIT;
            let read = request::parse(&parts, body.into(), &Settings::default()).expect("a form");
            assert!(2 * read.body.len() <= taken, "{field:?}: {} of {taken}", read.body.len());
            drop(held);
            assert_eq!(budget.left.available_permits(), all);
        }
        let json = reserve_form(&budget, &HeaderMap::new(), &[0; 5_000]).expect("JSON stays as sent");
        assert!(json.is_none());
        let form = [("content-type", "application/x-www-form-urlencoded")];
        let form = form.map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
        let large = reserve_form(&Budget::of(1 << 20), &form.into_iter().collect(), &[0; 6_000]);
        assert!(matches!(large, Err(Error::BodyTooLarge)));
    }

    // rows: V09 I11
    #[test]
    fn nothing_is_built_or_taken_where_it_does_not_fit() {
        let budget = Budget::of(u64::MAX);
        let most = budget.reserve(MOST_BUILT - 2 * 50_001 + UNIT);
        let left = budget.left.available_permits();
        let (refused, request) = built(&budget, "text/csv", Bind::Body);
        assert!(matches!(refused, Err(Error::BudgetSpent)));
        assert_eq!((request.body.len(), budget.left.available_permits()), (10_002, left));
        drop(most);
    }
}
