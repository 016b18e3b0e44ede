//! One connection: messages out, messages in.

use std::{io, time::Instant};

use bytes::{Buf, Bytes, BytesMut};
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
/// Most bytes of a column read in one piece.
const PIECE: usize = 64 << 10;
/// Most bytes of a large row's columns before its last one.
const LARGEST_COLUMNS: usize = 1 << 20;
/// The tag of a row.
const DATA_ROW: u8 = b'D';
/// The tag of the message that begins a copy in both directions.
const COPY_BOTH_RESPONSE: u8 = b'W';
/// A longer send buffer is given back after use.
const KEPT_SEND_BUFFER: usize = 1 << 20;

/// What the server needs to know to cancel a connection's work.
#[derive(Clone, Copy)]
pub(crate) struct CancelKey {
    /// Which of the settings' servers.
    pub(crate) server: usize,
    pub(crate) process_id: i32,
    pub(crate) secret: i32,
}

/// One connection, logged in.
pub(crate) struct Connection {
    stream: Stream,
    receive_buffer: BytesMut,
    send_buffer: BytesMut,
    cancel_key: Option<CancelKey>,
    result_limit: usize,
    state: State,
    pub(crate) opened: Instant,
    pub(crate) last_used: Instant,
    /// The pool's generation at the time it was opened.
    pub(crate) generation: u64,
    pub(crate) prepared: Prepared,
}

/// What may be done with a connection next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// Outside of a transaction, nothing under way.
    Idle,
    /// A pipeline was sent and its `ReadyForQuery` has not come.
    Busy,
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
            receive_buffer: BytesMut::with_capacity(READ_ROOM),
            send_buffer: BytesMut::with_capacity(4 << 10),
            cancel_key: None,
            result_limit: settings.max_result_bytes,
            state: State::Idle,
            opened: now,
            last_used: now,
            generation: 0,
            prepared: Prepared::new(settings.prepared_statements),
        }
    }

    pub(crate) fn set_cancel_key(&mut self, key: CancelKey) {
        self.cancel_key = Some(key);
    }

    /// The process that serves the session, or 0, which is that of none.
    pub(crate) fn process_id(&self) -> i32 {
        self.cancel_key.map_or(0, |key| key.process_id)
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

    /// No message is too large any longer, since a person asked for it.
    pub(crate) fn lift_result_limit(&mut self) {
        self.result_limit = usize::MAX;
    }

    /// Whether a password sent over it could be read by others.
    pub(crate) fn is_exposed(&self) -> bool {
        self.stream.is_exposed()
    }

    /// Whether it can be used for another pipeline.
    pub(crate) fn is_usable(&self) -> bool {
        self.state == State::Idle && self.receive_buffer.is_empty() && self.stream.is_quiet()
    }

    /// Where messages to be sent are written.
    pub(crate) fn send_buffer(&mut self) -> &mut BytesMut {
        &mut self.send_buffer
    }

    /// What writing a pipeline needs: the statements that are prepared, and where messages go.
    pub(crate) fn writing_parts(&mut self) -> (&mut Prepared, &mut BytesMut) {
        (&mut self.prepared, &mut self.send_buffer)
    }

    /// Gives back the memory of what was not sent and will not be.
    pub(crate) fn forget_unsent(&mut self) {
        self.send_buffer = BytesMut::new();
    }

    /// Takes an idle connection apart.
    pub(crate) fn into_parts(self) -> (Stream, Prepared, Option<CancelKey>) {
        (self.stream, self.prepared, self.cancel_key)
    }

    /// Sends the send buffer in one go. While much is sent, answers are read, so that neither side
    /// waits for the other.
    pub(crate) async fn send(&mut self) -> io::Result<()> {
        if self.send_buffer.len() <= SMALL_WRITE {
            self.stream.write_all(&self.send_buffer).await?;
            self.send_buffer.clear();
        } else {
            self.send_while_reading().await?;
        }
        self.stream.flush().await
    }

    async fn send_while_reading(&mut self) -> io::Result<()> {
        // What was sent no longer counts to the capacity, though the memory is still held.
        let is_long = self.send_buffer.capacity() > KEPT_SEND_BUFFER;
        let (mut reader, mut writer) = tokio::io::split(&mut self.stream);
        while !self.send_buffer.is_empty() {
            self.receive_buffer.reserve(READ_ROOM);
            tokio::select! {
                written = writer.write_buf(&mut self.send_buffer) => {
                    if written? == 0 {
                        return Err(io::ErrorKind::WriteZero.into());
                    }
                }
                read = reader.read_buf(&mut self.receive_buffer) => {
                    if read? == 0 {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
            }
        }
        if is_long {
            self.send_buffer = BytesMut::with_capacity(4 << 10);
        }
        Ok(())
    }

    /// The next message. Row data in it shares the receive buffer.
    pub(crate) async fn receive(&mut self) -> Result<Message, RunError> {
        loop {
            if let Some(message) = self.take_message()? {
                return Ok(message);
            }
            if self.receive_buffer.capacity() - self.receive_buffer.len() < READ_ROOM / 4 {
                self.receive_buffer.reserve(READ_ROOM);
            }
            self.read().await?;
        }
    }

    /// Bytes of the row that comes next; 0 where something else does.
    pub(crate) async fn row_ahead(&mut self) -> Result<usize, RunError> {
        self.fill(5).await?;
        let length = (&self.receive_buffer[1..5]).get_i32();
        Ok(if self.receive_buffer[0] == DATA_ROW { usize::try_from(length).unwrap_or_default() } else { 0 })
    }

    /// The columns of the row ahead before its last one, and the last one's length, 0 for null.
    pub(crate) async fn columns_before_last(&mut self) -> Result<(Vec<Option<Bytes>>, usize), RunError> {
        self.fill(7).await?;
        let count = usize::from((&self.receive_buffer[5..7]).get_u16());
        let mut ranges = Vec::with_capacity(count);
        let mut at = 7;
        loop {
            self.fill(at + 4).await?;
            let length = usize::try_from((&self.receive_buffer[at..at + 4]).get_i32()).ok();
            at += 4;
            if ranges.len() + 1 >= count {
                let before = self.receive_buffer.split_to(at).freeze();
                let columns = ranges.into_iter().map(|range: Option<_>| Some(before.slice(range?))).collect();
                return Ok((columns, length.unwrap_or_default()));
            }
            let end = at + length.unwrap_or_default();
            if end > LARGEST_COLUMNS {
                return Err(RunError::TooLarge { limit: LARGEST_COLUMNS });
            }
            ranges.push(length.map(|_| at..end));
            at = end;
        }
    }

    /// The next bytes of a column that is read in pieces, at most `left`.
    pub(crate) async fn piece(&mut self, left: usize) -> Result<Bytes, RunError> {
        if self.receive_buffer.is_empty() {
            self.receive_buffer.reserve(PIECE);
            self.read().await?;
        }
        let length = left.min(self.receive_buffer.len());
        Ok(self.receive_buffer.split_to(length).freeze())
    }

    /// Bytes of the message that comes next. Dropping the future loses nothing.
    pub(crate) async fn message_ahead(&mut self) -> Result<usize, RunError> {
        self.fill(5).await?;
        Ok(usize::try_from((&self.receive_buffer[1..5]).get_i32()).unwrap_or_default())
    }

    /// Reads the message ahead, of so many bytes, and throws it away.
    pub(crate) async fn discard(&mut self, bytes: usize) -> Result<(), RunError> {
        let mut left = bytes + 1;
        while left > 0 {
            left -= self.piece(left).await?.len();
        }
        Ok(())
    }

    /// Takes the message ahead if it begins a copy in both directions, which the parser of messages
    /// does not know.
    pub(crate) async fn take_copy_both(&mut self) -> Result<bool, RunError> {
        let bytes = self.message_ahead().await?;
        let begins = self.receive_buffer[0] == COPY_BOTH_RESPONSE;
        if begins {
            self.discard(bytes).await?;
        }
        Ok(begins)
    }

    /// Reads until the receive buffer holds `length` bytes.
    async fn fill(&mut self, length: usize) -> Result<(), RunError> {
        while self.receive_buffer.len() < length {
            self.receive_buffer.reserve(READ_ROOM);
            self.read().await?;
        }
        Ok(())
    }

    async fn read(&mut self) -> Result<(), RunError> {
        match self.stream.read_buf(&mut self.receive_buffer).await? {
            0 => Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
            _ => Ok(()),
        }
    }

    fn take_message(&mut self) -> Result<Option<Message>, RunError> {
        let malformed = |error: io::Error| RunError::Protocol(error.to_string());
        if let Some(header) = Header::parse(&self.receive_buffer).map_err(malformed)?
            && usize::try_from(header.len()).is_ok_and(|length| length > self.result_limit)
        {
            return Err(RunError::TooLarge { limit: self.result_limit });
        }
        Message::parse(&mut self.receive_buffer).map_err(malformed)
    }

    /// Ends the session in order, so that the server does not log a lost client.
    pub(crate) async fn close(mut self) {
        self.send_buffer.clear();
        frontend::terminate(&mut self.send_buffer);
        if self.send().await.is_err() {
            tracing::trace!("the server was gone before the connection was closed");
        }
    }
}

#[cfg(test)]
mod tests {
    use secrecy::SecretString;
    use tokio::{io::AsyncReadExt as _, net::UnixStream};

    use super::*;

    fn connection() -> (Connection, UnixStream) {
        let (near, far) = UnixStream::pair().expect("two sockets");
        let nowhere = crate::Address::Tcp { host: "localhost".to_owned(), port: 1 };
        let settings = DatabaseSettings::new(nowhere, SecretString::from("none"));
        (Connection::new(Stream::Unix(near), &settings), far)
    }

    #[tokio::test]
    async fn a_long_send_buffer_is_given_back_once_it_was_sent() {
        let (mut connection, mut far) = connection();
        let length = 2 * KEPT_SEND_BUFFER;
        connection.send_buffer().reserve(length);
        connection.send_buffer().resize(length, b'x');
        let mut received = vec![0; length];
        let (sent, read) = tokio::join!(connection.send(), far.read_exact(&mut received));
        assert!(sent.is_ok() && read.is_ok());
        assert!(!connection.send_buffer().try_reclaim(KEPT_SEND_BUFFER), "the memory is held no longer");
    }
}
