//! A connection that several short reads share: flights of several callers leave in one write, and many answers come
//! with one read.
//!
//! Each flight ends with a Sync of its own, so it is a transaction of its own, and its failure skips nobody else. Only
//! flights that may be repeated board a lane: reads in a read-only transaction. Whenever a lane cannot serve them any
//! longer, they are told to take another way, and what the lane still does for them is thrown away.

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
    habit::Habit,
    landing::{Heard, Landing},
    manifest::{Manifest, Step, unconfirmed},
    prepared::Prepared,
    stream::Stream,
};
use crate::{DatabaseError, Rows, RunError};

/// Flights on one lane at a time.
const MOST_ABOARD: usize = 64;
/// A flight that the lane has worked on for so long gets the lane for itself.
const LONGEST_HOLD: Duration = Duration::from_millis(20);
/// How often the lane looks at the clock while it works.
const TICK: Duration = Duration::from_millis(10);
/// A larger row is not for a lane.
const LARGEST_ROW: usize = 1 << 20;
/// Room kept for reading.
const READ_ROOM: usize = 32 << 10;

/// How a flight ended.
#[derive(Debug)]
pub(crate) enum Landed {
    /// With its rows.
    Rows(Rows),
    /// PostgreSQL refused it; nothing of it was kept.
    Refused(Box<DatabaseError>),
    /// The lane could not serve it; it is to take a connection of its own.
    Diverted,
}

/// The side of a lane that callers see.
#[derive(Debug)]
pub(crate) struct Lane {
    desk: Mutex<Desk>,
    waker: AtomicWaker,
    aboard: AtomicUsize,
    /// Somebody holds the lane up, or it is about to close.
    closed_to_new: AtomicBool,
    retiring: AtomicBool,
    pub(crate) generation: u64,
    pub(crate) opened: Instant,
}

/// What callers write and the lane takes.
#[derive(Debug)]
struct Desk {
    outbox: BytesMut,
    boarded: Vec<Passenger>,
    prepared: Prepared,
    ended: bool,
}

/// One flight under way.
#[derive(Debug)]
struct Passenger {
    steps: Vec<Step>,
    landing: Landing,
    habit: Arc<Habit>,
    /// None once it was diverted.
    reply: Option<oneshot::Sender<Landed>>,
}

/// How a lane ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// Idle, with a good-bye.
    Quiet,
    /// In the middle of work that nobody waits for.
    Cancel,
    /// The server is gone.
    Gone,
}

impl Lane {
    /// Makes an idle connection a lane; `held` is dropped when it ends.
    pub(crate) fn start<T: Send + 'static>(
        connection: Connection,
        connector: Arc<Connector>,
        held: T,
    ) -> (Arc<Self>, impl Future<Output = ()> + Send + 'static) {
        let (generation, opened) = (connection.generation, connection.opened);
        let (stream, prepared, cancel_key) = connection.into_parts();
        let desk = Desk { outbox: BytesMut::new(), boarded: Vec::new(), prepared, ended: false };
        let lane = Arc::new(Self {
            desk: Mutex::new(desk),
            waker: AtomicWaker::new(),
            aboard: AtomicUsize::new(0),
            closed_to_new: AtomicBool::new(false),
            retiring: AtomicBool::new(false),
            generation,
            opened,
        });
        let actor = Actor {
            lane: Arc::clone(&lane),
            stream,
            inbox: BytesMut::with_capacity(READ_ROOM),
            writing: BytesMut::new(),
            flying: VecDeque::new(),
            idle_timeout: connector.settings().idle_timeout,
            alarm: Box::pin(tokio::time::sleep(connector.settings().idle_timeout)),
            since: Instant::now(),
        };
        (lane, actor.run(connector, cancel_key, held))
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Flights aboard; none where nobody may board.
    pub(crate) fn load(&self) -> Option<usize> {
        let aboard = self.aboard.load(Ordering::Relaxed);
        let open = !self.closed_to_new.load(Ordering::Relaxed) && !self.retiring.load(Ordering::Relaxed);
        (open && aboard < MOST_ABOARD).then_some(aboard)
    }

    /// Whether work is under way.
    pub(crate) fn is_busy(&self) -> bool {
        self.aboard.load(Ordering::Relaxed) > 0
    }

    /// Ends the lane once those aboard have landed.
    pub(crate) fn retire(&self) {
        self.retiring.store(true, Ordering::Relaxed);
        self.waker.wake();
    }

    /// Puts a flight aboard; none where the lane has ended or the flight cannot be written.
    pub(crate) fn board(
        &self,
        habit: &Arc<Habit>,
        write: impl FnOnce(&mut Manifest<'_>) -> Result<usize, RunError>,
    ) -> Option<oneshot::Receiver<Landed>> {
        let mut desk = self.desk();
        if desk.ended {
            return None;
        }
        let Desk { outbox, boarded, prepared, .. } = &mut *desk;
        let mut manifest = Manifest::new(prepared, outbox);
        let start = manifest.written();
        let Ok(wanted) = write(&mut manifest) else {
            manifest.truncate(start);
            return None;
        };
        let steps = manifest.steps();
        // Those who board next may count on what this flight prepares; should it not, they are refused and diverted.
        for it in unconfirmed(&steps, 0) {
            prepared.insert(&it.role, &it.text, it.id);
        }
        frontend::sync(outbox);
        let (reply, receiver) = oneshot::channel();
        let landing = Landing::new(wanted, LARGEST_ROW);
        boarded.push(Passenger { steps, landing, habit: Arc::clone(habit), reply: Some(reply) });
        self.aboard.fetch_add(1, Ordering::Relaxed);
        drop(desk);
        self.waker.wake();
        Some(receiver)
    }
}

/// The side of a lane that speaks to PostgreSQL.
struct Actor {
    lane: Arc<Lane>,
    stream: Stream,
    inbox: BytesMut,
    writing: BytesMut,
    flying: VecDeque<Passenger>,
    idle_timeout: Duration,
    alarm: Pin<Box<Sleep>>,
    /// When the first of those who fly became the first, or when the last one landed.
    since: Instant,
}

impl Actor {
    async fn run<T>(mut self, connector: Arc<Connector>, cancel_key: Option<CancelKey>, held: T) {
        let end = poll_fn(|cx| self.poll(cx)).await;
        // Dropping what is left tells everybody aboard to take another way.
        let left = {
            let mut desk = self.lane.desk();
            desk.ended = true;
            std::mem::take(&mut desk.boarded)
        };
        drop(left);
        self.flying.clear();
        match (end, cancel_key) {
            (End::Quiet, _) => self.say_good_bye().await,
            (End::Cancel, Some(key)) => {
                if let Err(error) = connector.cancel(key).await {
                    tracing::warn!(error.message = %error, "a statement could not be cancelled");
                }
            }
            (End::Gone | End::Cancel, _) => {}
        }
        drop(held);
    }

    async fn say_good_bye(&mut self) {
        let mut message = BytesMut::new();
        frontend::terminate(&mut message);
        if self.stream.write_all(&message).await.is_err() || self.stream.flush().await.is_err() {
            tracing::trace!("the server was gone before the connection was closed");
        }
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<End> {
        self.lane.waker.register(cx.waker());
        loop {
            self.take_boarded();
            if self.write(cx).is_err() {
                return Poll::Ready(End::Gone);
            }
            match self.read(cx) {
                Poll::Ready(Ok(1..)) => {
                    if let Err(end) = self.land() {
                        return Poll::Ready(end);
                    }
                }
                Poll::Ready(_) => return Poll::Ready(End::Gone),
                Poll::Pending => break,
            }
        }
        self.look_at_the_clock(cx)
    }

    fn take_boarded(&mut self) {
        let mut desk = self.lane.desk();
        if desk.boarded.is_empty() {
            return;
        }
        if self.writing.is_empty() {
            std::mem::swap(&mut self.writing, &mut desk.outbox);
        } else {
            self.writing.extend_from_slice(&desk.outbox);
            desk.outbox.clear();
        }
        let was_idle = self.flying.is_empty();
        self.flying.extend(desk.boarded.drain(..));
        drop(desk);
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
        if self.inbox.capacity() - self.inbox.len() < READ_ROOM / 4 {
            self.inbox.reserve(READ_ROOM);
        }
        pin!(self.stream.read_buf(&mut self.inbox)).poll(cx)
    }

    /// Takes all messages that have come whole.
    fn land(&mut self) -> Result<(), End> {
        loop {
            let header = Header::parse(&self.inbox).map_err(|_| End::Cancel)?;
            if header.is_some_and(|header| usize::try_from(header.len()).is_ok_and(|it| it > LARGEST_ROW)) {
                if let Some(first) = self.flying.front() {
                    first.habit.count(self.since.elapsed(), LARGEST_ROW);
                }
                return Err(End::Cancel);
            }
            match Message::parse(&mut self.inbox) {
                Ok(Some(message)) => self.hear(message)?,
                Ok(None) => return Ok(()),
                Err(_) => return Err(End::Cancel),
            }
        }
    }

    fn hear(&mut self, message: Message) -> Result<(), End> {
        let Some(first) = self.flying.front_mut() else {
            // Between flights the server speaks of notices and settings, or says that it goes down.
            return if matches!(message, Message::ErrorResponse(_)) { Err(End::Gone) } else { Ok(()) };
        };
        match first.landing.hear(message) {
            Ok(Heard::More) => Ok(()),
            Ok(Heard::Ready(b'I')) => {
                self.arrive();
                Ok(())
            }
            Ok(Heard::Ready(_) | Heard::CopyIn) | Err(_) => Err(End::Cancel),
        }
    }

    /// The first of those who fly has landed.
    fn arrive(&mut self) {
        let Some(passenger) = self.flying.pop_front() else { return };
        let now = Instant::now();
        let took = now - self.since;
        self.since = now;
        self.lane.aboard.fetch_sub(1, Ordering::Relaxed);
        if self.flying.is_empty() {
            self.lane.closed_to_new.store(false, Ordering::Relaxed);
        }
        let Passenger { steps, landing, habit, reply } = passenger;
        habit.count(took, landing.bytes);
        let mut forgotten = unconfirmed(&steps, landing.parsed).peekable();
        let is_stale = landing.error.as_ref().is_some_and(|(_, error)| error.is_stale_plan());
        if is_stale || forgotten.peek().is_some() {
            let mut desk = self.lane.desk();
            forgotten.for_each(|it| desk.prepared.remove(&it.role, &it.text, it.id));
            if is_stale {
                desk.prepared.forget_all();
            }
        }
        let Some(reply) = reply else { return };
        // Nobody minds when the caller has gone meanwhile.
        let _ = reply.send(match landing.error {
            None => Landed::Rows(landing.rows),
            Some(_) if is_stale => Landed::Diverted,
            Some((_, error)) => Landed::Refused(Box::new(error)),
        });
    }

    fn look_at_the_clock(&mut self, cx: &mut Context<'_>) -> Poll<End> {
        loop {
            if self.flying.is_empty() && self.lane.retiring.load(Ordering::Relaxed) {
                return self.close_if_empty();
            }
            ready!(self.alarm.as_mut().poll(cx));
            let working = !self.flying.is_empty();
            if working && self.since.elapsed() >= LONGEST_HOLD && self.hold_up() {
                return Poll::Ready(End::Cancel);
            }
            if !working && self.since.elapsed() >= self.idle_timeout {
                self.lane.retiring.store(true, Ordering::Relaxed);
                continue;
            }
            let next = if working { Instant::now() + TICK } else { self.since + self.idle_timeout };
            self.alarm.as_mut().reset(next.into());
        }
    }

    fn close_if_empty(&mut self) -> Poll<End> {
        let mut desk = self.lane.desk();
        if desk.boarded.is_empty() {
            desk.ended = true;
            return Poll::Ready(End::Quiet);
        }
        // Somebody boarded meanwhile, and woke this task after it had looked.
        Poll::Pending
    }

    /// The first of those who fly takes long: all others are diverted, and nobody boards until it has landed. True when
    /// nobody waits for any of them, so that the connection may as well end.
    fn hold_up(&mut self) -> bool {
        self.lane.closed_to_new.store(true, Ordering::Relaxed);
        self.take_boarded();
        for passenger in self.flying.iter_mut().skip(1) {
            if let Some(reply) = passenger.reply.take() {
                let _ = reply.send(Landed::Diverted);
            }
        }
        let first = &self.flying[0];
        first.habit.count(self.since.elapsed(), 0);
        first.reply.as_ref().is_none_or(oneshot::Sender::is_closed)
    }
}
