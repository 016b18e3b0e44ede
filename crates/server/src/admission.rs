//! Admission of requests: how many are answered at a time, and how much memory their bodies take.

use std::{
    collections::HashMap,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
};

use banyan_config::Network;
use banyan_identity::Peer;
use bytes::Bytes;
use http::{Method, Request, Response};
use http_body::{Body as _, Frame, SizeHint};
use http_body_util::{BodyExt, Limited};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};

use crate::{
    Body, BoxError,
    connections::network,
    refusal::Refusal,
    service::{AdmissionClass, BodyRule},
};

/// Requests answered at a time. More are refused rather than kept in memory.
const MOST_REQUESTS: usize = 4096;
/// Bytes of bodies held at a time, where there is memory enough. Streamed bodies do not count. As much
/// again may be on its way to PostgreSQL.
const MOST_UPLOADED: usize = 512 << 20;
/// Once so many bytes of answers wait for their readers, no more requests are taken.
const MOST_ANSWERED: usize = 512 << 20;
/// Each of the two is at most this part of the memory.
const PART: u64 = 8;
/// One client's unread answers have at most this part of those of all.
const PART_OF_ONE: usize = 4;
/// Smaller answers are not counted.
const SMALL_ANSWER: u64 = 64 << 10;
/// Bytes of one permit.
const UNIT: usize = 1024;

/// A bound on requests and on the bytes of their bodies.
#[derive(Debug)]
pub(crate) struct Admission {
    requests: Semaphore,
    uploads: Uploads,
    answered: Arc<Answered>,
}

impl Admission {
    /// Budgets that are parts of `memory`. The largest body that is taken always fits.
    pub(crate) fn of(memory: u64, largest_body: u64) -> Self {
        let bytes = |bytes| usize::try_from(bytes).unwrap_or(usize::MAX);
        let part = bytes(memory / PART);
        Self {
            requests: Semaphore::new(MOST_REQUESTS),
            uploads: Uploads::new(part.min(MOST_UPLOADED).max(bytes(largest_body))),
            answered: Arc::new(Answered { most: part.min(MOST_ANSWERED), ..Answered::default() }),
        }
    }

    /// The same budgets, of which one address has a share. This machine and `proxies` have all of it.
    pub(crate) fn shared(self, proxies: Vec<Network>) -> Self {
        let most = self.answered.most;
        Self { answered: Arc::new(Answered { most, proxies: Some(proxies), ..Answered::default() }), ..self }
    }

    /// A permit for one request of `peer`, to be kept until it is answered.
    ///
    /// # Errors
    /// [`Refusal::Busy`] when all are taken, or while too many bytes of answers wait for their readers: of all
    /// clients, or of this one.
    pub(crate) fn permit(
        &self,
        class: AdmissionClass,
        peer: &Peer,
        method: &Method,
    ) -> Result<Permit<'_>, Refusal> {
        if class == AdmissionClass::Exempt {
            return Ok(Permit { counted: None });
        }
        let client = self.answered.client(peer);
        if !self.answered.is_open_to(client) {
            return Err(Refusal::Busy);
        }
        let request = self.requests.try_acquire().map_err(|_| Refusal::Busy)?;
        let uploaded = self.uploads.begin();
        let is_read = method.is_safe();
        let counted =
            CountedRequest { _request: request, uploaded, answered: &self.answered, client, is_read };
        Ok(Permit { counted: Some(counted) })
    }
}

/// The permit of one request.
pub(crate) struct Permit<'a> {
    /// None for a request that takes from no budget.
    counted: Option<CountedRequest<'a>>,
}

struct CountedRequest<'a> {
    _request: SemaphorePermit<'a>,
    uploaded: Held,
    answered: &'a Arc<Answered>,
    client: Option<u128>,
    /// Whether it changes nothing, so that its answer may be given up and asked for again.
    is_read: bool,
}

impl Permit<'_> {
    /// The request with its body held to the rule. A buffered body is counted as the service reads it. A streamed
    /// one is not: nothing of it stays here.
    pub(crate) fn bound(&self, rule: BodyRule, request: Request<Body>) -> Request<Body> {
        // Most have no body, and so nothing to count.
        let Some(limit) = rule.limit().filter(|_| !request.body().is_end_stream()) else { return request };
        let most = usize::try_from(limit.bytes).unwrap_or(usize::MAX);
        request.map(|body| match (rule, &self.counted) {
            (BodyRule::Buffered(_), Some(counted)) => {
                Limited::new(counted.uploaded.counted(body), most).boxed_unsync()
            }
            _ => Limited::new(body, most).boxed_unsync(),
        })
    }

    /// The service's answer, counted until its reader has it.
    ///
    /// # Errors
    /// [`Refusal::Busy`] where the request's body did not fit, or where a read would go beyond what one client may
    /// leave unread.
    pub(crate) fn judge(&self, answer: Response<Body>) -> Result<Response<Body>, Refusal> {
        let Some(CountedRequest { uploaded, answered, client, is_read, .. }) = &self.counted else {
            return Ok(answer);
        };
        if uploaded.was_refused() {
            return Err(Refusal::Busy);
        }
        let Some(size) = answer.body().size_hint().exact().filter(|size| *size > SMALL_ANSWER) else {
            return Ok(answer);
        };
        let bytes = usize::try_from(size).unwrap_or(usize::MAX);
        let counted = Arc::clone(answered).add(*client, bytes, *is_read).ok_or(Refusal::Busy)?;
        Ok(answer.map(|body| Unread { body, _counted: counted }.boxed_unsync()))
    }
}

/// A bound on the bytes of all bodies that are in memory at a time.
#[derive(Debug, Clone)]
struct Uploads {
    budget: Arc<Semaphore>,
}

/// What one request holds of it. To be kept until the request is answered.
#[derive(Debug, Clone)]
struct Held {
    budget: Arc<Semaphore>,
    share: Arc<std::sync::Mutex<Share>>,
    refused: Arc<AtomicBool>,
}

#[derive(Debug, Default)]
struct Share {
    bytes: usize,
    units: usize,
    permit: Option<OwnedSemaphorePermit>,
}

/// More than the budget had left.
#[derive(Debug, thiserror::Error)]
#[error("the server holds too much of other requests")]
struct Full;

impl Uploads {
    /// At most `bytes` in all.
    fn new(bytes: usize) -> Self {
        Self { budget: Arc::new(Semaphore::new(bytes.div_ceil(UNIT).min(Semaphore::MAX_PERMITS))) }
    }

    /// Nothing held yet.
    fn begin(&self) -> Held {
        Held { budget: Arc::clone(&self.budget), share: Arc::default(), refused: Arc::default() }
    }
}

impl Held {
    /// Takes `bytes` more; false when the budget has not so much left. Units are taken as bytes fill them, so pieces of
    /// a byte each take no more than one piece.
    fn take(&self, bytes: usize) -> bool {
        let mut share = self.share.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        share.bytes += bytes;
        let wanted = share.bytes.div_ceil(UNIT) - share.units;
        let units = u32::try_from(wanted).unwrap_or(u32::MAX);
        let Ok(more) = Arc::clone(&self.budget).try_acquire_many_owned(units) else {
            self.refused.store(true, Ordering::Relaxed);
            return false;
        };
        share.units += wanted;
        match share.permit.as_mut() {
            Some(permit) => permit.merge(more),
            None => share.permit = Some(more),
        }
        true
    }

    /// Whether the request was given up because its body did not fit.
    fn was_refused(&self) -> bool {
        self.refused.load(Ordering::Relaxed)
    }

    /// The body, every byte of which is counted as it arrives.
    fn counted(&self, body: Body) -> Body {
        Counted { body, held: self.clone() }.boxed_unsync()
    }
}

/// The bytes of answers that wait for their readers.
#[derive(Debug, Default)]
struct Answered {
    most: usize,
    /// Those whose address says nothing of who asks; none where no address has a share.
    proxies: Option<Vec<Network>>,
    waiting: Mutex<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    all: usize,
    by_client: HashMap<u128, usize>,
}

impl Answered {
    /// Who has a share of its own; none may take all there is.
    fn client(&self, peer: &Peer) -> Option<u128> {
        network(peer, self.proxies.as_deref()?)
    }

    /// Whether another request of this client is taken.
    fn is_open_to(&self, client: Option<u128>) -> bool {
        let waiting = self.waiting();
        waiting.all <= self.most && waiting.of(client) <= self.most / PART_OF_ONE
    }

    /// Counts an answer. A read is refused beyond the client's share, but for one that is larger by
    /// itself.
    fn add(self: Arc<Self>, client: Option<u128>, bytes: usize, is_read: bool) -> Option<CountedAnswer> {
        let mut waiting = self.waiting();
        let before = waiting.of(client);
        if is_read && before > 0 && before.saturating_add(bytes) > self.most / PART_OF_ONE {
            return None;
        }
        waiting.all = waiting.all.saturating_add(bytes);
        if let Some(client) = client {
            waiting.by_client.insert(client, before.saturating_add(bytes));
        }
        drop(waiting);
        Some(CountedAnswer { answered: self, client, bytes })
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn of(&self, client: Option<u128>) -> usize {
        client.and_then(|client| self.by_client.get(&client)).copied().unwrap_or_default()
    }
}

/// What one answer counts for, given back when nobody keeps it any more.
struct CountedAnswer {
    answered: Arc<Answered>,
    client: Option<u128>,
    bytes: usize,
}

impl Drop for CountedAnswer {
    fn drop(&mut self) {
        let mut waiting = self.answered.waiting();
        waiting.all = waiting.all.saturating_sub(self.bytes);
        let Some(client) = self.client else { return };
        match waiting.of(Some(client)).saturating_sub(self.bytes) {
            0 => drop(waiting.by_client.remove(&client)),
            left => drop(waiting.by_client.insert(client, left)),
        }
    }
}

/// An answer of known size, counted for as long as it is kept.
struct Unread {
    body: Body,
    _counted: CountedAnswer,
}

impl http_body::Body for Unread {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

struct Counted {
    body: Body,
    held: Held,
}

impl http_body::Body for Counted {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        if let Some(Ok(frame)) = &frame
            && let Some(data) = frame.data_ref()
            && !self.held.take(data.len())
        {
            return Poll::Ready(Some(Err(Full.into())));
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::BodyLimit;

    const COUNTED: AdmissionClass = AdmissionClass::Counted;

    fn streamed(bytes: u64) -> BodyRule {
        BodyRule::Streamed(BodyLimit { bytes, by_declared_length: true })
    }

    async fn read(held: &Held, bytes: usize) -> bool {
        let body = http_body_util::Full::new(Bytes::from(vec![0; bytes])).map_err(|never| match never {});
        held.counted(body.boxed_unsync()).collect().await.is_ok()
    }

    // rows: GW-ROOM
    #[tokio::test]
    async fn bodies_share_a_budget_and_give_it_back_with_the_answer() {
        let uploads = Uploads::new(100 << 10);
        let (first, second) = (uploads.begin(), uploads.begin());
        assert!(read(&first, 60 << 10).await);
        assert!(!read(&second, 60 << 10).await);
        assert!(second.was_refused() && !first.was_refused());
        drop(first);
        let third = uploads.begin();
        assert!(read(&third, 60 << 10).await);
    }

    // rows: GW-ROOM
    #[test]
    fn a_small_machine_holds_fewer_bodies_but_one_of_any_size() {
        let sizes = |memory, largest_body| {
            let admission = Admission::of(memory, largest_body);
            let uploaded = admission.uploads.budget.available_permits() * UNIT;
            (uploaded, admission.answered.most)
        };
        let body = 50 << 20;
        assert_eq!(sizes(1 << 30, body), (128 << 20, 128 << 20));
        assert_eq!(sizes(256 << 20, body), (50 << 20, 32 << 20));
        assert_eq!(sizes(16 << 30, body), (MOST_UPLOADED, MOST_ANSWERED));
    }

    // rows: GW-ROOM
    #[tokio::test]
    async fn a_body_that_is_passed_on_takes_no_room_from_others() {
        let admission = Admission::of(u64::MAX, 0);
        let permit = admission.permit(COUNTED, &Peer::Unix, &Method::POST).expect("a permit");
        let piece = Bytes::from(vec![0; 1 << 20]);
        let part = piece.clone();
        let pieces = (0..=MOST_UPLOADED >> 20).map(move |_| Ok(Frame::data(part.clone())));
        let body = http_body_util::StreamBody::new(futures_util::stream::iter(pieces)).boxed_unsync();
        let mut body = permit.bound(streamed(u64::MAX), Request::new(body)).into_body();
        while let Some(frame) = body.frame().await {
            frame.expect("nothing is full");
        }
        assert!(read(&admission.uploads.begin(), 60 << 10).await, "and the next one finds all of it");
        assert!(permit.judge(Response::new(crate::full(""))).is_ok());
        let body = http_body_util::Full::new(piece).map_err(|never| match never {}).boxed_unsync();
        let large = permit.bound(streamed(1000), Request::new(body)).into_body().collect().await;
        assert!(large.is_err(), "its own bound holds");
    }

    // rows: GW-ROOM
    #[test]
    fn answers_that_nobody_reads_end_the_taking_of_requests_until_they_are_dropped() {
        let admission = Admission::of(u64::MAX, 0);
        let large = || {
            let permit = admission.permit(COUNTED, &Peer::Unix, &Method::GET).expect("a permit");
            permit.judge(Response::new(crate::full(vec![0; 300 << 20]))).expect("counted")
        };
        let kept = [large(), large()];
        assert!(admission.permit(COUNTED, &Peer::Unix, &Method::GET).is_err());
        assert!(admission.permit(AdmissionClass::Exempt, &Peer::Unix, &Method::GET).is_ok());
        drop(kept);
        assert!(admission.permit(COUNTED, &Peer::Unix, &Method::GET).is_ok());
    }

    // rows: GW-ROOM-SHARE
    #[test]
    fn an_address_that_leaves_its_answers_unread_leaves_room_for_others() {
        let admission = Admission::of(8 << 20, 0).shared(vec![Network::parse("10.0.0.0/8").unwrap()]);
        let peer = |address: &str| Peer::Tcp((address.parse::<std::net::IpAddr>().unwrap(), 40_000).into());
        let answer = |permit: &Permit<'_>| permit.judge(Response::new(crate::full(vec![0; 200 << 10])));
        let (one, other, proxy) = (peer("203.0.113.7"), peer("203.0.113.8"), peer("10.0.0.1"));
        let get = |peer: &Peer| admission.permit(COUNTED, peer, &Method::GET);
        // All of them were taken before the first one was answered.
        let permits: Vec<_> = (0..3).map(|_| get(&one).expect("a permit")).collect();
        let kept: Vec<_> = permits.iter().map(answer).collect();
        let fit: Vec<_> = kept.iter().map(Result::is_ok).collect();
        assert_eq!(fit, [true, false, false], "a quarter of a mebibyte holds one");
        let written = answer(&admission.permit(COUNTED, &one, &Method::POST).expect("a permit"));
        assert!(written.is_ok(), "a change is always answered");
        assert!(get(&one).is_err() && get(&peer("::ffff:203.0.113.7")).is_err());
        assert!(answer(&get(&other).expect("a permit")).is_ok());
        let kept_by_proxy: Vec<_> = (0..2).map(|_| answer(&get(&proxy).expect("a permit"))).collect();
        assert!(kept_by_proxy.iter().all(Result::is_ok), "it asks for many");
        drop((kept, written));
        assert!(get(&one).is_ok(), "given back");
        drop(kept_by_proxy);
        assert!(admission.answered.waiting().by_client.is_empty(), "nothing is kept of who is gone");
    }

    #[test]
    fn pieces_of_a_byte_take_no_more_than_their_bytes() {
        let uploads = Uploads::new(100 << 10);
        let held = uploads.begin();
        assert!((0..100 << 10).all(|_| held.take(1)));
        assert!(!held.take(1));
    }
}
