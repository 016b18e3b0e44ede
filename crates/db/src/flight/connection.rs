//! One connection: messages out, messages in.

use std::{io, time::Instant};

use bytes::BytesMut;
use postgres_protocol::message::{
    backend::{Header, Message},
    frontend,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::{prepared::Prepared, stream::Stream};
use crate::{DatabaseSettings, RunError};

/// Up to here a write cannot fill both directions of a socket, so nobody has to read meanwhile.
const SMALL_WRITE: usize = 32 << 10;
/// Room kept for reading.
const READ_ROOM: usize = 16 << 10;
/// A longer send buffer is given back after use.
const KEPT_OUTBOX: usize = 1 << 20;

/// What the server needs to know to cancel a connection's work.
#[derive(Clone, Copy)]
pub(crate) struct CancelKey {
    pub(crate) process_id: i32,
    pub(crate) secret: i32,
}

/// One connection, logged in.
pub(crate) struct Connection {
    stream: Stream,
    inbox: BytesMut,
    outbox: BytesMut,
    cancel_key: Option<CancelKey>,
    result_limit: usize,
    state: State,
    pub(crate) opened: Instant,
    pub(crate) last_used: Instant,
    pub(crate) prepared: Prepared,
}

/// What may be done with a connection next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// Outside of a transaction, nothing under way.
    Idle,
    /// A flight was begun and its `ReadyForQuery` has not come.
    InFlight,
    /// Gone, or in a state nobody can trust.
    Broken,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").field("state", &self.state).finish_non_exhaustive()
    }
}

impl Connection {
    pub(crate) fn new(stream: Stream, settings: &DatabaseSettings) -> Self {
        let now = Instant::now();
        Self {
            stream,
            inbox: BytesMut::with_capacity(READ_ROOM),
            outbox: BytesMut::with_capacity(4 << 10),
            cancel_key: None,
            result_limit: settings.max_result_bytes,
            state: State::Idle,
            opened: now,
            last_used: now,
            prepared: Prepared::new(settings.prepared_statements),
        }
    }

    pub(crate) fn set_cancel_key(&mut self, key: CancelKey) {
        self.cancel_key = Some(key);
    }

    pub(crate) fn cancel_key(&self) -> Option<CancelKey> {
        self.cancel_key
    }

    pub(crate) fn state(&self) -> State {
        self.state
    }

    pub(crate) fn set_state(&mut self, state: State) {
        self.state = state;
    }

    pub(crate) fn result_limit(&self) -> usize {
        self.result_limit
    }

    /// Whether a password sent over it could be read by others.
    pub(crate) fn is_exposed(&self) -> bool {
        self.stream.is_exposed()
    }

    /// Whether it can be used for another flight.
    pub(crate) fn is_usable(&self) -> bool {
        self.state == State::Idle && self.inbox.is_empty() && self.stream.is_quiet()
    }

    /// Where messages to be sent are written.
    pub(crate) fn outbox(&mut self) -> &mut BytesMut {
        &mut self.outbox
    }

    /// Sends the outbox in one go. While much is sent, answers are read, so that neither side waits for the other.
    pub(crate) async fn send(&mut self) -> io::Result<()> {
        if self.outbox.len() <= SMALL_WRITE {
            self.stream.write_all(&self.outbox).await?;
            self.outbox.clear();
        } else {
            self.send_while_reading().await?;
        }
        self.stream.flush().await
    }

    async fn send_while_reading(&mut self) -> io::Result<()> {
        let (mut reader, mut writer) = tokio::io::split(&mut self.stream);
        while !self.outbox.is_empty() {
            self.inbox.reserve(READ_ROOM);
            tokio::select! {
                written = writer.write_buf(&mut self.outbox) => {
                    if written? == 0 {
                        return Err(io::ErrorKind::WriteZero.into());
                    }
                }
                read = reader.read_buf(&mut self.inbox) => {
                    if read? == 0 {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
            }
        }
        if self.outbox.capacity() > KEPT_OUTBOX {
            self.outbox = BytesMut::with_capacity(4 << 10);
        }
        Ok(())
    }

    /// The next message. Row data in it shares the receive buffer.
    pub(crate) async fn receive(&mut self) -> Result<Message, RunError> {
        loop {
            if let Some(message) = self.take_message()? {
                return Ok(message);
            }
            if self.inbox.capacity() - self.inbox.len() < READ_ROOM / 4 {
                self.inbox.reserve(READ_ROOM);
            }
            if self.stream.read_buf(&mut self.inbox).await? == 0 {
                return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
            }
        }
    }

    fn take_message(&mut self) -> Result<Option<Message>, RunError> {
        let malformed = |error: io::Error| RunError::Protocol(error.to_string());
        if let Some(header) = Header::parse(&self.inbox).map_err(malformed)?
            && usize::try_from(header.len()).is_ok_and(|length| length > self.result_limit)
        {
            return Err(RunError::TooLarge { limit: self.result_limit });
        }
        Message::parse(&mut self.inbox).map_err(malformed)
    }

    /// Says good-bye, so that the server does not log a lost client.
    pub(crate) async fn close(mut self) {
        self.outbox.clear();
        frontend::terminate(&mut self.outbox);
        if self.send().await.is_err() {
            tracing::trace!("the server was gone before the connection was closed");
        }
    }
}
