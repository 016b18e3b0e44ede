//! A stream of committed changes: `START_REPLICATION` with PostgreSQL's own plugin `pgoutput`.
//!
//! The slot is temporary and starts at the current position. So nothing is read twice, and the slot
//! of a process that died keeps no segment of the log.

use std::{io, time::Duration};

use bytes::{Buf as _, BufMut as _, Bytes};
use fallible_iterator::FallibleIterator as _;
use postgres_protocol::message::{backend::Message, frontend};
use tokio::time::{Instant, sleep_until};

use crate::{
    Database, DatabaseError, Login, RunError,
    protocol::{Connection, error_response},
    sql,
};

/// The position is confirmed so often.
const STATUS_PAUSE: Duration = Duration::from_secs(1);
/// Values arrive in the spelling that `to_jsonb` starts from, whatever the project has set.
const SPELLING: [(&str, &str); 5] = [
    ("replication", "database"),
    ("datestyle", "ISO"),
    ("intervalstyle", "postgres"),
    ("extra_float_digits", "1"),
    ("bytea_output", "hex"),
];

/// What is to be read.
#[derive(Debug, Clone, Copy)]
pub struct ReplicationOptions<'a> {
    /// How the name of the temporary slot begins. The session's process id follows, so no other
    /// stream of the server has the same.
    pub slot: &'a str,
    /// The publications. Each must exist.
    pub publications: &'a [&'a str],
    /// Key of the advisory lock that the stream holds while it lives: of several nodes that share a
    /// database, one reads its log.
    pub lock: i64,
}

/// Why the log cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReplicationError {
    /// Another node reads it.
    #[error("another node reads the log")]
    Held,
    /// `wal_level` is not `logical`.
    #[error("the server's wal_level is not logical")]
    NotLogical(#[source] Box<DatabaseError>),
    /// The login has no right to replicate, or no door is open to it.
    #[error("the login may not replicate: {0}")]
    NotAllowed(#[source] Box<DatabaseError>),
    /// All replication slots or senders are in use.
    #[error("the server has no replication slot or sender left: {0}")]
    NoneLeft(#[source] Box<DatabaseError>),
    /// Anything else: the server is away, or refused for another reason.
    #[error(transparent)]
    Run(RunError),
}

impl ReplicationError {
    /// Whether only a change of the server's settings or rights can help.
    #[must_use]
    pub fn is_lasting(&self) -> bool {
        matches!(self, Self::NotLogical(_) | Self::NotAllowed(_))
    }
}

impl From<RunError> for ReplicationError {
    fn from(error: RunError) -> Self {
        let Some(said) = said_by_server(&error) else { return Self::Run(error) };
        let said = Box::new(said.clone());
        match said.code.as_str() {
            "55000" => Self::NotLogical(said),
            "42501" | "28000" => Self::NotAllowed(said),
            "53300" | "53400" => Self::NoneLeft(said),
            _ => Self::Run(error),
        }
    }
}

/// The server's words. Those of a refused login are the cause of the error that it became.
fn said_by_server(error: &RunError) -> Option<&DatabaseError> {
    match error {
        RunError::Database(said) | RunError::Login(said) => Some(said),
        RunError::Unavailable(cause) | RunError::Unreachable(cause) => cause.get_ref()?.downcast_ref(),
        RunError::PoolTimeout(_)
        | RunError::TooLarge { .. }
        | RunError::Unsendable(_)
        | RunError::Protocol(_) => None,
    }
}

/// A running stream. It holds a connection of its own; dropping it closes that.
#[derive(Debug)]
pub struct Replication {
    connection: Connection,
    start: u64,
    /// End of what was received, which is confirmed at once: nothing is asked for twice.
    received: u64,
    confirm_at: Instant,
}

/// What comes next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplicationEvent {
    /// One message of `pgoutput`.
    Message(Bytes),
    /// A second has passed, and the server was told what was received.
    Confirmed,
    /// The message was larger than the settings' `max_result_bytes`, and was discarded.
    Discarded {
        /// Its size, in bytes.
        bytes: usize,
    },
}

impl Database {
    /// Starts to read the log from the current position, as the superuser, or as whom the URL of
    /// somebody else's server names.
    ///
    /// It returns once all transactions have ended that were writing when it began.
    ///
    /// # Errors
    /// [`ReplicationError`]
    pub async fn replication(
        &self,
        options: ReplicationOptions<'_>,
    ) -> Result<Replication, ReplicationError> {
        let mut connection = self.open_for_replication().await?;
        match start(&mut connection, options).await {
            Ok(start) => Ok(Replication { connection, start, received: start, confirm_at: Instant::now() }),
            Err(error) => {
                connection.close().await;
                Err(error)
            }
        }
    }

    async fn open_for_replication(&self) -> Result<Connection, RunError> {
        let mut session = self.settings().session(Login::Admin);
        session.extend(SPELLING);
        self.open_with(Login::Admin, &session).await
    }
}

async fn start(
    connection: &mut Connection,
    ReplicationOptions { slot, publications, lock }: ReplicationOptions<'_>,
) -> Result<u64, ReplicationError> {
    let claim = format!("select pg_catalog.pg_try_advisory_lock({lock})");
    if query(connection, &claim, 0).await?.as_deref() != Some(b"t") {
        return Err(ReplicationError::Held);
    }
    let slot = sql::identifier(&format!("{slot}_{}", connection.process_id()));
    let create = format!("CREATE_REPLICATION_SLOT {slot} TEMPORARY LOGICAL pgoutput (SNAPSHOT 'nothing')");
    let start = query(connection, &create, 1).await?.as_deref().and_then(position);
    let start = start.ok_or_else(|| RunError::Protocol("a slot without a position".into()))?;
    let names: Vec<String> = publications.iter().map(|name| sql::identifier(name)).collect();
    let names = names.join(",").replace('\'', "''");
    let stream =
        format!("START_REPLICATION SLOT {slot} LOGICAL 0/0 (proto_version '1', publication_names '{names}')");
    send(connection, &stream).await?;
    if connection.take_copy_both().await? {
        return Ok(start);
    }
    read_answer(connection, 0).await?;
    Err(RunError::Protocol("the server does not stream".into()).into())
}

async fn send(connection: &mut Connection, text: &str) -> Result<(), RunError> {
    frontend::query(text, connection.send_buffer())
        .map_err(|error| RunError::Unsendable(error.to_string()))?;
    Ok(connection.send().await?)
}

/// A position of the log as PostgreSQL writes it, such as `16/B374D848`.
fn position(text: &[u8]) -> Option<u64> {
    let (high, low) = str::from_utf8(text).ok()?.split_once('/')?;
    let half = |text| u32::from_str_radix(text, 16).ok().map(u64::from);
    Some(half(high)? << 32 | half(low)?)
}

/// Runs a command; gives a column of its last row.
async fn query(connection: &mut Connection, text: &str, column: usize) -> Result<Option<Bytes>, RunError> {
    send(connection, text).await?;
    read_answer(connection, column).await
}

async fn read_answer(connection: &mut Connection, column: usize) -> Result<Option<Bytes>, RunError> {
    let (mut value, mut refusal) = (None, None);
    loop {
        match connection.receive().await? {
            Message::DataRow(row) => {
                let range = row.ranges().nth(column)?.flatten();
                value = range.map(|range| row.buffer_bytes().slice(range));
            }
            Message::ErrorResponse(body) => {
                let error = error_response::read(&body);
                if error.severity == "FATAL" {
                    return Err(error.into());
                }
                refusal = Some(error);
            }
            Message::ReadyForQuery(_) => return refusal.map_or(Ok(value), |error| Err(error.into())),
            _ => {}
        }
    }
}

impl Replication {
    /// Where in the log the stream began, which is another place for each stream.
    #[must_use]
    pub fn start(&self) -> u64 {
        self.start
    }

    /// Waits for the next event. Confirms what was received every second, and when the server asks.
    ///
    /// Who drops the future ends the stream with it.
    ///
    /// # Errors
    /// [`RunError`]; the stream is at its end.
    pub async fn next(&mut self) -> Result<ReplicationEvent, RunError> {
        loop {
            let bytes = tokio::select! {
                biased;
                () = sleep_until(self.confirm_at) => {
                    self.confirm().await?;
                    return Ok(ReplicationEvent::Confirmed);
                }
                bytes = self.connection.message_ahead() => bytes?,
            };
            if bytes > self.connection.result_limit() {
                self.connection.discard(bytes).await?;
                return Ok(ReplicationEvent::Discarded { bytes });
            }
            match self.connection.receive().await? {
                Message::CopyData(body) => {
                    if let Some(message) = self.take(body.into_bytes()).await? {
                        return Ok(ReplicationEvent::Message(message));
                    }
                }
                Message::ErrorResponse(body) => return Err(error_response::read(&body).into()),
                Message::NoticeResponse(_) | Message::ParameterStatus(_) => {}
                _ => return Err(RunError::Protocol("the stream broke off".into())),
            }
        }
    }

    /// Ends the stream in order, which frees slot and lock.
    pub async fn close(mut self) {
        let send_buffer = self.connection.send_buffer();
        send_buffer.clear();
        frontend::copy_done(send_buffer);
        self.connection.close().await;
    }

    /// Takes a message of the replication protocol; gives what `pgoutput` says in it.
    async fn take(&mut self, mut body: Bytes) -> Result<Option<Bytes>, RunError> {
        let short = || RunError::Protocol("a short message of the stream".into());
        match body.try_get_u8() {
            Ok(b'w') if body.len() >= 24 => {
                body.advance(8);
                self.received = self.received.max(body.get_u64());
                body.advance(8);
                Ok(Some(body))
            }
            Ok(b'k') if body.len() >= 17 => {
                self.received = self.received.max(body.get_u64());
                body.advance(8);
                if body.get_u8() != 0 {
                    self.confirm().await?;
                }
                Ok(None)
            }
            _ => Err(short()),
        }
    }

    /// Tells the server that everything up to here needs to be kept no longer.
    async fn confirm(&mut self) -> Result<(), RunError> {
        self.confirm_at = Instant::now() + STATUS_PAUSE;
        let mut status = Vec::with_capacity(34);
        status.put_u8(b'r');
        // Written, flushed and applied are one here.
        for _ in 0..3 {
            status.put_u64(self.received);
        }
        // The server notes this time and does nothing with it.
        status.put_i64(0);
        status.put_u8(0);
        let message = frontend::CopyData::new(&status[..]).map_err(io::Error::other)?;
        message.write(self.connection.send_buffer());
        Ok(self.connection.send().await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(code: &str) -> DatabaseError {
        DatabaseError { severity: "FATAL".into(), code: code.into(), ..DatabaseError::default() }
    }

    #[test]
    fn a_position_is_two_numbers() {
        assert_eq!(position(b"16/B374D848"), Some(0x16_b374_d848));
        assert_eq!(position(b"16"), None);
    }

    #[test]
    fn an_error_says_why_the_log_cannot_be_read() {
        let refused = |code| RunError::Unreachable(io::Error::other(said(code)).into()).into();
        let told = |code| RunError::from(said(code)).into();
        let errors: [ReplicationError; 5] =
            [told("55000"), refused("42501"), refused("53300"), told("53400"), told("42704")];
        assert!(matches!(errors[0], ReplicationError::NotLogical(_)) && errors[0].is_lasting());
        assert!(matches!(errors[1], ReplicationError::NotAllowed(_)) && errors[1].is_lasting());
        assert!(matches!(errors[2], ReplicationError::NoneLeft(_)));
        assert!(matches!(errors[3], ReplicationError::NoneLeft(_)) && !errors[3].is_lasting());
        assert!(matches!(errors[4], ReplicationError::Run(_)));
    }
}
