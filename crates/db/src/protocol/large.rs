//! A large column, streamed while it arrives.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::Bytes;
use futures_util::Stream;
use tokio::{sync::mpsc, time::Instant};

use super::{
    pipeline::{self, Failure, Large},
    pool::PooledConnection,
    response_reader::ResponseReader,
    streaming::StreamPermit,
};
use crate::RunError;

/// SQLSTATE of a statement that was cancelled.
const CANCELED: &str = "57014";
/// Pieces in memory for one reader, of at most 64 KiB each.
const PIECES: usize = 16;
/// A reader has this time and, for each [`SLOWEST`] bytes, a second more.
const GRACE: Duration = Duration::from_secs(60);
/// Bytes a second that a reader must manage on the whole.
const SLOWEST: usize = 32 << 10;

/// A large value while it arrives: exactly [`Body::len`] bytes in pieces, or an error.
///
/// A bounded number of pieces waits in memory; while they wait, PostgreSQL does. The last piece is
/// held back until PostgreSQL confirmed the end of the transaction. A reader that takes nothing for
/// `longest_stall` of the settings, or fewer than 32 KiB a second on the whole, meets an error.
/// Dropping it cancels the statement and ends its connection.
#[derive(Debug)]
pub struct Body {
    pieces: mpsc::Receiver<Result<Bytes, RunError>>,
    length: usize,
    left: usize,
}

impl Body {
    /// Takes over a connection whose row is half read.
    pub(crate) fn start(connection: PooledConnection, large: Large) -> (Vec<Option<Bytes>>, Self) {
        let (sender, pieces) = mpsc::channel(PIECES);
        let stall = connection.settings().longest_stall;
        let Large { columns, length, reader, permit } = large;
        // The task ends with the receiver: it is the task's owner.
        tokio::spawn(async move {
            let delivery = Delivery { sender, stall, end: Instant::now() + longest(length) };
            let pump = Pump { connection, permit, delivery };
            pump.run(length, reader).await;
        });
        (columns, Self { pieces, length, left: length })
    }

    /// Bytes of the whole.
    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there is nothing in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }
}

impl Stream for Body {
    type Item = Result<Bytes, RunError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let piece = match ready!(self.pieces.poll_recv(cx)) {
            Some(Ok(piece)) => piece,
            Some(Err(error)) => return Poll::Ready(Some(Err(error))),
            None if self.left == 0 => return Poll::Ready(None),
            None => {
                self.left = 0;
                let late = io::Error::new(io::ErrorKind::TimedOut, "the reader was too slow");
                return Poll::Ready(Some(Err(late.into())));
            }
        };
        self.left = self.left.saturating_sub(piece.len());
        Poll::Ready(Some(Ok(piece)))
    }
}

fn longest(length: usize) -> Duration {
    GRACE + Duration::from_secs(u64::try_from(length / SLOWEST).unwrap_or(u64::MAX))
}

/// From the connection to the reader.
struct Pump {
    connection: PooledConnection,
    permit: StreamPermit,
    delivery: Delivery,
}

impl Pump {
    async fn run(mut self, length: usize, reader: ResponseReader) {
        let mut held: Option<Bytes> = None;
        let mut left = length;
        while left > 0 {
            let piece = tokio::select! {
                () = self.delivery.sender.closed() => return,
                piece = self.connection.connection().piece(left) => piece,
            };
            let piece = match piece {
                Ok(piece) => piece,
                Err(error) => {
                    self.delivery.deliver(Err(error)).await;
                    return;
                }
            };
            left -= piece.len();
            if let Some(ready) = held.replace(piece)
                && !self.delivery.deliver(Ok(ready)).await
            {
                return;
            }
        }
        let last = match pipeline::finish(reader, self.connection.connection()).await {
            Ok(()) => held.map(Ok),
            // The statement timeout goes on while the reader takes its time, and strikes after the
            // row that is here.
            Err(Failure::Refused { error, .. }) if error.code == CANCELED => held.map(Ok),
            Err(failure) => Some(Err(failure.into())),
        };
        // The connection is for others while the reader takes the last of it.
        let Self { connection, permit, delivery } = self;
        drop((connection, permit));
        if let Some(last) = last {
            delivery.deliver(last).await;
        }
    }
}

/// Where pieces go, and by when.
struct Delivery {
    sender: mpsc::Sender<Result<Bytes, RunError>>,
    stall: Duration,
    end: Instant,
}

impl Delivery {
    /// False when the reader is gone or too slow.
    async fn deliver(&self, piece: Result<Bytes, RunError>) -> bool {
        let limit = self.end.min(Instant::now() + self.stall);
        matches!(tokio::time::timeout_at(limit, self.sender.send(piece)).await, Ok(Ok(())))
    }
}
