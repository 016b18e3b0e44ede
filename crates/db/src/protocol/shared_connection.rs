//! A connection that several short reads share: requests of several callers leave in one write, and
//! many answers come with one read.
//!
//! The pipeline of each request ends with a Sync of its own, so it is a transaction of its own, and
//! its failure skips nobody else. Only requests that may be repeated come here: reads in a
//! read-only transaction. Whenever the connection cannot serve them any longer, they are told to
//! retry elsewhere, and what it still does for them is thrown away.

use std::{
    collections::VecDeque,
    future::poll_fn,
    pin::{Pin, pin},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    task::{Context, Poll, ready},
    time::{Duration, Instant},
};

use bytes::{Buf, BytesMut};
use futures_util::task::AtomicWaker;
use postgres_protocol::message::{
    backend::{Header, Message},
    frontend,
};
use tokio::{
    io::{AsyncReadExt, AsyncWrite, AsyncWriteExt},
    sync::oneshot,
    time::Sleep,
};

use super::{
    Connection, Connector,
    connection::CancelKey,
    pipeline_writer::{PipelineWriter, Step, unconfirmed},
    prepared::Prepared,
    response_reader::{Progress, ResponseReader},
    statement_stats::StatementStats,
    stream::Stream,
};
use crate::{DatabaseError, Rows, RunError};

/// Requests in flight on one connection.
const MOST_IN_FLIGHT: usize = 64;
/// After so long with one request, all others are sent elsewhere.
const LONGEST_HOLD: Duration = Duration::from_millis(20);
/// How often a busy connection looks at the clock.
const TICK: Duration = Duration::from_millis(10);
/// A larger row is not read here.
const LARGEST_ROW: usize = 1 << 20;
/// Room kept for reading.
const READ_ROOM: usize = 32 << 10;

/// How a request ended.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// With its rows.
    Rows(Rows),
    /// PostgreSQL refused it; nothing of it was kept.
    Refused(Box<DatabaseError>),
    /// This connection could not serve it: it is to take one of its own.
    RetryElsewhere,
}

/// The side of a shared connection that callers see.
#[derive(Debug)]
pub(crate) struct SharedConnection {
    queue: Mutex<SendQueue>,
    waker: AtomicWaker,
    in_flight: AtomicUsize,
    /// One request takes long, or the connection is about to close.
    closed_to_new: AtomicBool,
    retiring: AtomicBool,
    pub(crate) generation: u64,
    pub(crate) opened: Instant,
}

/// What callers have written and the driver takes.
#[derive(Debug)]
struct SendQueue {
    send_buffer: BytesMut,
    enqueued: Vec<InFlightRequest>,
    prepared: Prepared,
    ended: bool,
}

/// A request that was written and is not answered yet.
#[derive(Debug)]
struct InFlightRequest {
    steps: Vec<Step>,
    reader: ResponseReader,
    stats: Arc<StatementStats>,
    /// None once its caller was told to retry elsewhere.
    reply: Option<oneshot::Sender<Outcome>>,
}

/// How a shared connection ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// Idle, in order.
    Quiet,
    /// In the middle of work that nobody waits for.
    Cancel,
    /// The server is gone.
    Gone,
}

impl SharedConnection {
    /// Makes an idle connection a shared one; `held` is dropped when it ends.
    pub(crate) fn start<T: Send + 'static>(
        connection: Connection,
        connector: Arc<Connector>,
        held: T,
    ) -> (Arc<Self>, impl Future<Output = ()> + Send + 'static) {
        let (generation, opened) = (connection.generation, connection.opened);
        let (stream, prepared, cancel_key) = connection.into_parts();
        let queue = SendQueue { send_buffer: BytesMut::new(), enqueued: Vec::new(), prepared, ended: false };
        let shared = Arc::new(Self {
            queue: Mutex::new(queue),
            waker: AtomicWaker::new(),
            in_flight: AtomicUsize::new(0),
            closed_to_new: AtomicBool::new(false),
            retiring: AtomicBool::new(false),
            generation,
            opened,
        });
        let driver = Driver {
            shared: Arc::clone(&shared),
            stream,
            receive_buffer: BytesMut::with_capacity(READ_ROOM),
            writing: BytesMut::new(),
            in_flight: VecDeque::new(),
            idle_timeout: connector.settings().idle_timeout,
            alarm: Box::pin(tokio::time::sleep(connector.settings().idle_timeout)),
            since: Instant::now(),
        };
        (shared, driver.run(connector, cancel_key, held))
    }

    fn queue(&self) -> MutexGuard<'_, SendQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Requests in flight; none where it takes no more.
    pub(crate) fn load(&self) -> Option<usize> {
        let in_flight = self.in_flight.load(Ordering::Relaxed);
        let open = !self.closed_to_new.load(Ordering::Relaxed) && !self.retiring.load(Ordering::Relaxed);
        (open && in_flight < MOST_IN_FLIGHT).then_some(in_flight)
    }

    /// Whether requests are in flight.
    pub(crate) fn is_busy(&self) -> bool {
        self.in_flight.load(Ordering::Relaxed) > 0
    }

    /// Ends the connection once all requests in flight are answered.
    pub(crate) fn retire(&self) {
        self.retiring.store(true, Ordering::Relaxed);
        self.waker.wake();
    }

    /// Enqueues a request; none where the connection has ended or the request cannot be written.
    pub(crate) fn enqueue(
        &self,
        stats: &Arc<StatementStats>,
        write: impl FnOnce(&mut PipelineWriter<'_>) -> Result<usize, RunError>,
    ) -> Option<oneshot::Receiver<Outcome>> {
        let mut queue = self.queue();
        if queue.ended {
            return None;
        }
        let SendQueue { send_buffer, enqueued, prepared, .. } = &mut *queue;
        let mut writer = PipelineWriter::new(prepared, send_buffer);
        let start = writer.written();
        let Ok(wanted) = write(&mut writer) else {
            writer.truncate(start);
            return None;
        };
        let steps = writer.steps();
        // Those behind may count on what this one prepares. Should it fail, they are refused and
        // told to retry elsewhere.
        for it in unconfirmed(&steps, 0) {
            prepared.insert(&it.role, &it.text, it.id);
        }
        frontend::sync(send_buffer);
        let (reply, receiver) = oneshot::channel();
        let reader = ResponseReader::new(wanted, LARGEST_ROW);
        enqueued.push(InFlightRequest { steps, reader, stats: Arc::clone(stats), reply: Some(reply) });
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        drop(queue);
        self.waker.wake();
        Some(receiver)
    }
}

/// The side of a shared connection that speaks to PostgreSQL.
struct Driver {
    shared: Arc<SharedConnection>,
    stream: Stream,
    receive_buffer: BytesMut,
    writing: BytesMut,
    in_flight: VecDeque<InFlightRequest>,
    idle_timeout: Duration,
    alarm: Pin<Box<Sleep>>,
    /// When the first request in flight became the first, or when the last one was answered.
    since: Instant,
}

impl Driver {
    async fn run<T>(mut self, connector: Arc<Connector>, cancel_key: Option<CancelKey>, held: T) {
        let end = poll_fn(|cx| self.poll(cx)).await;
        // Dropping the requests that are left tells their callers to retry elsewhere.
        let left = {
            let mut queue = self.shared.queue();
            queue.ended = true;
            std::mem::take(&mut queue.enqueued)
        };
        drop(left);
        self.in_flight.clear();
        match (end, cancel_key) {
            (End::Quiet, _) => self.terminate().await,
            (End::Cancel, Some(key)) => connector.cancel_or_log(key).await,
            (End::Gone | End::Cancel, _) => {}
        }
        drop(held);
    }

    async fn terminate(&mut self) {
        let mut message = BytesMut::new();
        frontend::terminate(&mut message);
        if self.stream.write_all(&message).await.is_err() || self.stream.flush().await.is_err() {
            tracing::trace!("the server was gone before the connection was closed");
        }
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<End> {
        self.shared.waker.register(cx.waker());
        loop {
            self.take_enqueued();
            if self.write(cx).is_err() {
                return Poll::Ready(End::Gone);
            }
            match self.read(cx) {
                Poll::Ready(Ok(1..)) => {
                    if let Err(end) = self.take_messages() {
                        return Poll::Ready(end);
                    }
                }
                Poll::Ready(_) => return Poll::Ready(End::Gone),
                Poll::Pending => break,
            }
        }
        self.check_the_clock(cx)
    }

    fn take_enqueued(&mut self) {
        let mut queue = self.shared.queue();
        if queue.enqueued.is_empty() {
            return;
        }
        if self.writing.is_empty() {
            std::mem::swap(&mut self.writing, &mut queue.send_buffer);
        } else {
            self.writing.extend_from_slice(&queue.send_buffer);
            queue.send_buffer.clear();
        }
        let was_idle = self.in_flight.is_empty();
        self.in_flight.extend(queue.enqueued.drain(..));
        drop(queue);
        if was_idle {
            self.since = Instant::now();
            let next = (self.since + TICK).into();
            if self.alarm.deadline() > next {
                self.alarm.as_mut().reset(next);
            }
        }
    }

    fn write(&mut self, cx: &mut Context<'_>) -> std::io::Result<()> {
        let mut wrote = false;
        while !self.writing.is_empty() {
            match Pin::new(&mut self.stream).poll_write(cx, &self.writing) {
                Poll::Ready(Ok(0)) => return Err(std::io::ErrorKind::WriteZero.into()),
                Poll::Ready(written) => self.writing.advance(written?),
                Poll::Pending => return Ok(()),
            }
            wrote = true;
        }
        if wrote {
            self.writing.clear();
            if let Poll::Ready(flushed) = Pin::new(&mut self.stream).poll_flush(cx) {
                flushed?;
            }
        }
        Ok(())
    }

    fn read(&mut self, cx: &mut Context<'_>) -> Poll<std::io::Result<usize>> {
        if self.receive_buffer.capacity() - self.receive_buffer.len() < READ_ROOM / 4 {
            self.receive_buffer.reserve(READ_ROOM);
        }
        pin!(self.stream.read_buf(&mut self.receive_buffer)).poll(cx)
    }

    /// Takes all messages that have come whole.
    fn take_messages(&mut self) -> Result<(), End> {
        loop {
            let header = Header::parse(&self.receive_buffer).map_err(|_| End::Cancel)?;
            if header.is_some_and(|header| usize::try_from(header.len()).is_ok_and(|it| it > LARGEST_ROW)) {
                if let Some(first) = self.in_flight.front() {
                    first.stats.count(self.since.elapsed(), LARGEST_ROW);
                }
                return Err(End::Cancel);
            }
            match Message::parse(&mut self.receive_buffer) {
                Ok(Some(message)) => self.take(message)?,
                Ok(None) => return Ok(()),
                Err(_) => return Err(End::Cancel),
            }
        }
    }

    fn take(&mut self, message: Message) -> Result<(), End> {
        let Some(first) = self.in_flight.front_mut() else {
            // Between requests the server sends notices and settings, or says that it goes down.
            return if matches!(message, Message::ErrorResponse(_)) { Err(End::Gone) } else { Ok(()) };
        };
        match first.reader.take(message) {
            Ok(Progress::More) => Ok(()),
            Ok(Progress::Ready(b'I')) => {
                self.complete_first();
                Ok(())
            }
            Ok(Progress::Ready(_) | Progress::CopyIn) | Err(_) => Err(End::Cancel),
        }
    }

    /// All answers to the first request in flight are here.
    fn complete_first(&mut self) {
        let Some(request) = self.in_flight.pop_front() else { return };
        let now = Instant::now();
        let took = now - self.since;
        self.since = now;
        self.shared.in_flight.fetch_sub(1, Ordering::Relaxed);
        if self.in_flight.is_empty() {
            self.shared.closed_to_new.store(false, Ordering::Relaxed);
        }
        request.stats.count(took, request.reader.bytes);
        self.forget_unprepared(&request);
        request.reply();
    }

    /// Forgets what the request was to prepare and did not, and every plan once one is stale.
    fn forget_unprepared(&self, request: &InFlightRequest) {
        let mut forgotten = unconfirmed(&request.steps, request.reader.parsed).peekable();
        let is_stale = request.is_stale();
        if is_stale || forgotten.peek().is_some() {
            let mut queue = self.shared.queue();
            forgotten.for_each(|it| queue.prepared.remove(&it.role, &it.text, it.id));
            if is_stale {
                queue.prepared.forget_all();
            }
        }
    }

    fn check_the_clock(&mut self, cx: &mut Context<'_>) -> Poll<End> {
        loop {
            if self.in_flight.is_empty() && self.shared.retiring.load(Ordering::Relaxed) {
                return self.close_if_empty();
            }
            ready!(self.alarm.as_mut().poll(cx));
            let busy = !self.in_flight.is_empty();
            if busy && self.since.elapsed() >= LONGEST_HOLD && self.send_others_elsewhere() {
                return Poll::Ready(End::Cancel);
            }
            if !busy && self.since.elapsed() >= self.idle_timeout {
                self.shared.retiring.store(true, Ordering::Relaxed);
                continue;
            }
            let next = if busy { Instant::now() + TICK } else { self.since + self.idle_timeout };
            self.alarm.as_mut().reset(next.into());
        }
    }

    fn close_if_empty(&mut self) -> Poll<End> {
        let mut queue = self.shared.queue();
        if queue.enqueued.is_empty() {
            queue.ended = true;
            return Poll::Ready(End::Quiet);
        }
        // A request was enqueued meanwhile, and woke this task after it had looked.
        Poll::Pending
    }

    /// The first request in flight takes long: all others retry elsewhere, and none is taken until
    /// it is answered. True when nobody waits for any of them, so that the connection may as well
    /// end.
    fn send_others_elsewhere(&mut self) -> bool {
        self.shared.closed_to_new.store(true, Ordering::Relaxed);
        self.take_enqueued();
        for request in self.in_flight.iter_mut().skip(1) {
            if let Some(reply) = request.reply.take() {
                let _ = reply.send(Outcome::RetryElsewhere);
            }
        }
        let first = &self.in_flight[0];
        first.stats.count(self.since.elapsed(), 0);
        first.reply.as_ref().is_none_or(oneshot::Sender::is_closed)
    }
}

impl InFlightRequest {
    fn is_stale(&self) -> bool {
        self.reader.error.as_ref().is_some_and(|(_, error)| error.is_stale_plan())
    }

    fn reply(self) {
        let is_stale = self.is_stale();
        let Some(reply) = self.reply else { return };
        // Nobody minds when the caller has gone meanwhile.
        let _ = reply.send(match self.reader.error {
            None => Outcome::Rows(self.reader.rows),
            Some(_) if is_stale => Outcome::RetryElsewhere,
            Some((_, error)) => Outcome::Refused(Box::new(error)),
        });
    }
}
