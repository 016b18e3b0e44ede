//! Admission of requests: how many are answered at a time, and how much memory their bodies take.

/// The bytes of request bodies that are in memory.
mod uploads;

/// The bytes of answers that wait for their readers.
mod unread_answers;

use std::sync::Arc;

use banyan_config::Network;
use banyan_identity::Peer;
use banyan_web::Body;
use http::{Method, Request, Response};
use http_body::Body as _;
use http_body_util::{BodyExt, Limited};
use tokio::sync::{Semaphore, SemaphorePermit};

use self::{
    unread_answers::{UnreadAnswers, UnreadBody},
    uploads::{Upload, Uploads},
};
use crate::{
    connections::{ConnectionPermit, Connections},
    refusal::Refusal,
    service::{AdmissionClass, BodyRule},
};

/// Requests answered at a time. More are refused rather than kept in memory.
const MOST_REQUESTS: usize = 4096;
/// Bytes of bodies held at a time, where there is memory enough. Streamed bodies do not count. As
/// much again may be on its way to PostgreSQL.
const MOST_UPLOADED: usize = 512 << 20;
/// Once so many bytes of answers wait for their readers, no more requests are taken.
const MOST_ANSWERED: usize = 512 << 20;
/// Each of the two is at most this part of the memory.
const PART: u64 = 8;
/// Smaller answers are not counted.
const SMALL_ANSWER: u64 = 64 << 10;
/// Transfers at a time, where there is memory enough.
const MOST_TRANSFERS: usize = 1024;
/// Transfers at a time, however small the machine is.
const LEAST_TRANSFERS: usize = 64;
/// Bytes that a transfer may hold of its body. All of them have a sixteenth of the memory.
const HELD_BY_TRANSFER: u64 = 256 << 10;
const PART_OF_TRANSFERS: u64 = 16;
/// One address has this part of the transfers.
const PART_OF_ONE: usize = 4;

/// A bound on requests and on the bytes of their bodies.
#[derive(Debug)]
pub(crate) struct Admission {
    requests: Semaphore,
    most_transfers: usize,
    transfers: Connections,
    uploads: Uploads,
    unread: Arc<UnreadAnswers>,
}

impl Admission {
    /// Budgets that are parts of `memory`. The largest body that is taken always fits.
    pub(crate) fn of(memory: u64, largest_body: u64) -> Self {
        let bytes = |bytes| usize::try_from(bytes).unwrap_or(usize::MAX);
        let part = bytes(memory / PART);
        let most_transfers = bytes(memory / PART_OF_TRANSFERS / HELD_BY_TRANSFER);
        let most_transfers = most_transfers.clamp(LEAST_TRANSFERS, MOST_TRANSFERS);
        Self {
            requests: Semaphore::new(MOST_REQUESTS),
            most_transfers,
            transfers: Connections::from_anywhere().at_most(most_transfers),
            uploads: Uploads::new(part.min(MOST_UPLOADED).max(bytes(largest_body))),
            unread: Arc::new(UnreadAnswers::new(part.min(MOST_ANSWERED), None)),
        }
    }

    /// The same budgets, of which one address has a share. This machine and `proxies` have all of
    /// it.
    pub(crate) fn shared(self, proxies: Vec<Network>) -> Self {
        let of_one = Connections::of_each_address(self.most_transfers / PART_OF_ONE, proxies.clone());
        Self {
            transfers: of_one.at_most(self.most_transfers),
            unread: Arc::new(UnreadAnswers::new(self.unread.most, Some(proxies))),
            ..self
        }
    }

    /// A permit for one request of `peer`, to be kept until it is answered.
    ///
    /// # Errors
    /// [`Refusal::Busy`] when all are taken, or while too many bytes of answers wait for their
    /// readers: of all clients, or of this one.
    pub(crate) fn permit(
        &self,
        class: AdmissionClass,
        peer: &Peer,
        method: &Method,
    ) -> Result<Permit<'_>, Refusal> {
        match class {
            AdmissionClass::Exempt => Ok(Permit::Exempt),
            AdmissionClass::Transfer => {
                self.transfers.permit(peer).map(Permit::Transfer).ok_or(Refusal::Busy)
            }
            AdmissionClass::Counted => self.counted(peer, method).map(Permit::Counted),
        }
    }

    fn counted(&self, peer: &Peer, method: &Method) -> Result<CountedRequest<'_>, Refusal> {
        let client = self.unread.client(peer);
        if !self.unread.is_open_to(client) {
            return Err(Refusal::Busy);
        }
        let request = self.requests.try_acquire().map_err(|_| Refusal::Busy)?;
        let upload = self.uploads.begin();
        let is_read = method.is_safe();
        Ok(CountedRequest { _request: request, upload, unread: &self.unread, client, is_read })
    }
}

/// The permit of one request.
pub(crate) enum Permit<'a> {
    /// It takes from no budget.
    Exempt,
    Counted(CountedRequest<'a>),
    /// One of the transfers that there may be at a time.
    Transfer(#[expect(dead_code, reason = "held until it is dropped")] ConnectionPermit),
}

pub(crate) struct CountedRequest<'a> {
    _request: SemaphorePermit<'a>,
    upload: Upload,
    unread: &'a Arc<UnreadAnswers>,
    client: Option<u128>,
    /// Whether it changes nothing, so that its answer may be given up and asked for again.
    is_read: bool,
}

impl Permit<'_> {
    /// The request with its body held to the rule. A buffered body is counted as the service reads
    /// it. A streamed one is not: nothing of it stays here.
    pub(crate) fn bound(&self, rule: BodyRule, request: Request<Body>) -> Request<Body> {
        // Most have no body, and so nothing to count.
        let Some(limit) = rule.limit().filter(|_| !request.body().is_end_stream()) else { return request };
        let most = usize::try_from(limit.bytes).unwrap_or(usize::MAX);
        request.map(|body| match (rule, self) {
            (BodyRule::Buffered(_), Self::Counted(counted)) => {
                Limited::new(counted.upload.counted(body), most).boxed_unsync()
            }
            _ => Limited::new(body, most).boxed_unsync(),
        })
    }

    /// The service's answer, counted until its reader has it.
    ///
    /// # Errors
    /// [`Refusal::Busy`] where the request's body did not fit, or where a read would go beyond what
    /// one client may leave unread.
    pub(crate) fn judge(&self, answer: Response<Body>) -> Result<Response<Body>, Refusal> {
        let Self::Counted(CountedRequest { upload, unread, client, is_read, .. }) = self else {
            return Ok(answer);
        };
        if upload.was_refused() {
            return Err(Refusal::Busy);
        }
        let Some(size) = answer.body().size_hint().exact().filter(|size| *size > SMALL_ANSWER) else {
            return Ok(answer);
        };
        let bytes = usize::try_from(size).unwrap_or(usize::MAX);
        let counted = Arc::clone(unread).add(*client, bytes, *is_read).ok_or(Refusal::Busy)?;
        Ok(answer.map(|body| UnreadBody { body, _counted: counted }.boxed_unsync()))
    }
}

#[cfg(test)]
mod tests;
