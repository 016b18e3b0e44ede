//! One flight: several statements under one Sync.

use std::fmt::Write as _;

use bytes::{BufMut, Bytes, BytesMut};
use fallible_iterator::FallibleIterator as _;
use postgres_protocol::{
    IsNull,
    message::{
        backend::{DataRowBody, Message},
        frontend,
    },
};

use super::{Connection, connection::State, wire_error};
use crate::{DatabaseError, Rows, RunError};

/// A longer text is sent afresh each time instead of being kept prepared.
const LONGEST_PREPARED_TEXT: usize = 16 << 10;
/// PostgreSQL's own bound on one message.
const LARGEST_MESSAGE: usize = 1 << 30;

/// Statements collected to leave together.
///
/// Without an explicit `begin` they form one implicit transaction: the Sync at the end commits, an error anywhere skips
/// the rest and rolls everything back.
pub(crate) struct Flight<'c> {
    connection: &'c mut Connection,
    steps: Vec<Step>,
}

struct Step {
    /// What to remember once the server has confirmed it: role, text and id.
    preparing: Option<(Box<str>, Box<str>, u64)>,
    parses: bool,
}

/// Why a flight brought nothing home.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It never left; the connection is good.
    Unsent { cause: RunError },
    /// The server refused a statement; everything was rolled back and the connection is good.
    Refused {
        /// Which statement, from 0; the number of statements when the commit itself failed.
        step: usize,
        error: Box<DatabaseError>,
    },
    /// The connection is of no further use.
    Lost {
        cause: RunError,
        /// Whether the server said nothing but that it goes down: then no statement was completed.
        unanswered: bool,
    },
}

impl From<Failure> for RunError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Refused { error, .. } => Self::Database(error),
            Failure::Unsent { cause } | Failure::Lost { cause, .. } => cause,
        }
    }
}

impl<'c> Flight<'c> {
    /// Starts an empty flight on an idle connection.
    pub(crate) fn new(connection: &'c mut Connection) -> Self {
        connection.outbox().clear();
        for id in connection.prepared.take_closing() {
            frontend::close(b'S', &format!("s{id}"), connection.outbox()).expect("the name holds no NUL");
        }
        Self { connection, steps: Vec::with_capacity(4) }
    }

    /// Adds a statement. It is prepared once for each role and text, and found again by later flights.
    pub(crate) fn step<'v>(
        &mut self,
        role: &str,
        text: &str,
        values: impl Iterator<Item = (Option<&'v [u8]>, u32)> + Clone,
    ) -> Result<(), RunError> {
        let keep = self.connection.prepared.keeps_any() && text.len() <= LONGEST_PREPARED_TEXT;
        let known = if keep { self.connection.prepared.find(role, text) } else { None };
        let id = match (known, keep) {
            (Some(id), _) => Some(id),
            (None, true) => Some(self.connection.prepared.new_id()),
            (None, false) => None,
        };
        let mut name = String::new();
        if let Some(id) = id {
            write!(name, "s{id}").expect("a String takes everything");
        }
        let declared = self.connection.prepared.keeps_any();
        let outbox = self.connection.outbox();
        if known.is_none() {
            let types = values.clone().map(|(_, type_oid)| if declared { type_oid } else { 0 });
            frontend::parse(&name, text, types, outbox).map_err(unsendable)?;
        }
        bind(&name, values.map(|(value, _)| value), outbox)?;
        frontend::execute("", 0, outbox).map_err(unsendable)?;
        let preparing = if known.is_none() { id.map(|id| (role.into(), text.into(), id)) } else { None };
        self.steps.push(Step { preparing, parses: known.is_none() });
        Ok(())
    }

    /// Adds a statement that no later flight needs.
    pub(crate) fn step_once<'v>(
        &mut self,
        text: &str,
        values: impl Iterator<Item = (Option<&'v [u8]>, u32)> + Clone,
    ) -> Result<(), RunError> {
        let outbox = self.connection.outbox();
        frontend::parse("", text, values.clone().map(|(_, type_oid)| type_oid), outbox)
            .map_err(unsendable)?;
        bind("", values.map(|(value, _)| value), outbox)?;
        frontend::execute("", 0, outbox).map_err(unsendable)?;
        self.steps.push(Step { preparing: None, parses: true });
        Ok(())
    }

    /// Sends everything and collects the rows of statement `wanted`.
    ///
    /// Dropping the future leaves the connection in flight, which its lease sees.
    pub(crate) async fn fly(self, wanted: usize) -> Result<Rows, Failure> {
        frontend::sync(self.connection.outbox());
        self.connection.set_state(State::InFlight);
        let sent = self.connection.send().await;
        let mut landing = Landing { wanted, limit: self.connection.result_limit(), ..Landing::default() };
        let outcome = landing.collect(self.connection).await;
        remember(self.connection, &self.steps, landing.parsed);
        match (outcome, sent) {
            (Ok(status), Ok(())) => landing.judge(self.connection, status).await,
            // What the server said before it went is worth more than the failed write.
            (Err(cause), _) => Err(landing.lost(self.connection, cause)),
            (Ok(_), Err(error)) => Err(landing.lost(self.connection, error.into())),
        }
    }
}

fn unsendable(error: std::io::Error) -> RunError {
    RunError::Unsendable(error.to_string())
}

fn bind<'v>(
    name: &str,
    values: impl Iterator<Item = Option<&'v [u8]>> + Clone,
    outbox: &mut BytesMut,
) -> Result<(), RunError> {
    let size: usize = values.clone().map(|value| 4 + value.map_or(0, <[u8]>::len)).sum();
    if size >= LARGEST_MESSAGE {
        return Err(RunError::Unsendable(format!("parameters of {size} bytes")));
    }
    outbox.reserve(size + 64);
    let write = |value: Option<&[u8]>, outbox: &mut BytesMut| {
        Ok(match value {
            None => IsNull::Yes,
            Some(bytes) => {
                outbox.put_slice(bytes);
                IsNull::No
            }
        })
    };
    frontend::bind("", name, [], values, write, [], outbox).map_err(|error| match error {
        frontend::BindError::Serialization(error) => unsendable(error),
        frontend::BindError::Conversion(error) => RunError::Unsendable(error.to_string()),
    })
}

fn remember(connection: &mut Connection, steps: &[Step], confirmed: usize) {
    let parsed = steps.iter().filter(|step| step.parses).take(confirmed);
    for (role, text, id) in parsed.filter_map(|step| step.preparing.as_ref()) {
        connection.prepared.insert(role, text, *id);
    }
}

/// What has come back so far.
#[derive(Default)]
struct Landing {
    wanted: usize,
    limit: usize,
    rows: Rows,
    bytes: usize,
    parsed: usize,
    completed: usize,
    error: Option<(usize, DatabaseError)>,
}

impl Landing {
    /// Reads until the server is ready again; gives its transaction status.
    async fn collect(&mut self, connection: &mut Connection) -> Result<u8, RunError> {
        loop {
            match connection.receive().await? {
                Message::DataRow(row) if self.completed == self.wanted => self.keep(&row)?,
                Message::CommandComplete(body) => {
                    if self.completed == self.wanted {
                        self.rows.affected = affected(body.tag().unwrap_or_default());
                    }
                    self.completed += 1;
                }
                Message::EmptyQueryResponse | Message::PortalSuspended => self.completed += 1,
                Message::ParseComplete => self.parsed += 1,
                Message::ErrorResponse(body) => {
                    self.error.get_or_insert((self.completed, wire_error::read(&body)));
                }
                Message::CopyInResponse(_) => refuse_copy(connection).await?,
                Message::ReadyForQuery(body) => return Ok(body.status()),
                Message::DataRow(_)
                | Message::BindComplete
                | Message::CloseComplete
                | Message::NoData
                | Message::ParameterDescription(_)
                | Message::RowDescription(_)
                | Message::NoticeResponse(_)
                | Message::NotificationResponse(_)
                | Message::ParameterStatus(_)
                | Message::CopyOutResponse(_)
                | Message::CopyData(_)
                | Message::CopyDone => {}
                _ => return Err(RunError::Protocol("an unexpected message in a flight".into())),
            }
        }
    }

    fn keep(&mut self, row: &DataRowBody) -> Result<(), RunError> {
        self.bytes += row.buffer().len();
        if self.bytes > self.limit {
            return Err(RunError::TooLarge { limit: self.limit });
        }
        let buffer: &Bytes = row.buffer_bytes();
        let values = row
            .ranges()
            .map(|range| Ok(range.map(|range| buffer.slice(range))))
            .collect()
            .map_err(|error| RunError::Protocol(error.to_string()))?;
        self.rows.rows.push(values);
        Ok(())
    }

    async fn judge(self, connection: &mut Connection, status: u8) -> Result<Rows, Failure> {
        connection.set_state(State::Idle);
        if status != b'I'
            && let Err(cause) = leave_transaction(connection).await
        {
            return Err(self.lost(connection, cause));
        }
        match self.error {
            None => Ok(self.rows),
            Some((step, error)) => Err(Failure::Refused { step, error: Box::new(error) }),
        }
    }

    fn lost(self, connection: &mut Connection, cause: RunError) -> Failure {
        // A result above the bound or a broken conversation is still running on the server: it is to be cancelled.
        let gone = matches!(cause, RunError::Unavailable(_));
        connection.set_state(if gone { State::Broken } else { State::InFlight });
        let going_down = self.error.as_ref().is_some_and(|(_, error)| error.code.starts_with("57P"));
        match self.error {
            Some((_, error)) if gone && !going_down => {
                Failure::Lost { cause: error.into(), unanswered: false }
            }
            _ => Failure::Lost { cause, unanswered: gone && going_down && self.completed == 0 },
        }
    }
}

/// The number at the end of a completion tag: `INSERT 0 5`, `SELECT 3`.
fn affected(tag: &str) -> u64 {
    tag.rsplit(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Nothing here has data for `copy … from stdin`. The server ignored the Sync that stood in its place, so it gets another.
async fn refuse_copy(connection: &mut Connection) -> Result<(), RunError> {
    frontend::copy_fail("copy from stdin has no data here", connection.outbox()).map_err(unsendable)?;
    frontend::sync(connection.outbox());
    Ok(connection.send().await?)
}

/// Ends a transaction that an explicit `begin` left open after an error.
async fn leave_transaction(connection: &mut Connection) -> Result<(), RunError> {
    connection.set_state(State::InFlight);
    frontend::query("rollback", connection.outbox()).map_err(unsendable)?;
    connection.send().await?;
    loop {
        match connection.receive().await? {
            Message::ReadyForQuery(body) if body.status() == b'I' => break,
            Message::ReadyForQuery(_) => {
                return Err(RunError::Protocol("a transaction that does not end".into()));
            }
            _ => {}
        }
    }
    connection.set_state(State::Idle);
    Ok(())
}
