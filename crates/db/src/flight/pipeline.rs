//! One flight on a connection of its own: several statements under one Sync.

use bytes::Bytes;
use postgres_protocol::message::frontend;

use super::{
    Connection,
    connection::State,
    landing::{Heard, Landing},
    manifest::{Manifest, Step, confirmed, unsendable, with_data},
    pool::{Exit, Pool},
};
use crate::{DatabaseError, Rows, RunError};

/// A last column that is larger is handed on while it arrives.
pub(crate) const LARGEST_WHOLE: usize = 64 << 10;
/// Up to so much is collected all the same where no exit is free.
pub(crate) const LARGEST_WITHOUT_EXIT: usize = 1 << 20;

/// Statements collected to leave together.
///
/// Without an explicit `begin` they form one implicit transaction: the Sync at the end commits, an error anywhere skips
/// the rest and rolls everything back.
pub(crate) struct Flight<'c> {
    connection: &'c mut Connection,
    steps: Vec<Step>,
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

impl From<RunError> for Failure {
    fn from(cause: RunError) -> Self {
        Self::Unsent { cause }
    }
}

/// What a flight brought.
pub(crate) enum Arrival {
    /// All of it.
    Rows(Rows),
    /// One row, whose last column is still on its way.
    Large(Box<Large>),
    /// As [`Arrival::Large`], of so many bytes, but no exit was free: the flight is to be broken off.
    Crowded(usize),
}

/// Whether a large last column may be left to be read by the caller.
pub(crate) enum HandOn<'p> {
    No,
    /// Leave is given.
    Held(Exit),
    /// If the pool has an exit by the time that it is needed; where it has none, up to `most` bytes are collected.
    IfFree {
        pool: &'p Pool,
        most: usize,
    },
}

/// What becomes of a large row.
enum Way {
    Out(Exit),
    Collect,
    Crowded,
}

impl HandOn<'_> {
    fn is_wanted(&self) -> bool {
        !matches!(self, Self::No)
    }

    /// What to do with a row of so many bytes.
    fn decide(&mut self, length: usize) -> Way {
        match std::mem::replace(self, Self::No) {
            Self::Held(exit) => Way::Out(exit),
            Self::IfFree { pool, most } => match pool.try_exit() {
                Some(exit) => Way::Out(exit),
                None if length <= most => Way::Collect,
                None => Way::Crowded,
            },
            Self::No => Way::Collect,
        }
    }
}

/// A row whose last column is still on its way; the connection stays in flight until it is read to its end.
pub(crate) struct Large {
    /// The columns before the last one.
    pub(crate) columns: Vec<Option<Bytes>>,
    /// Bytes of the last column, all of which are still to be read.
    pub(crate) length: usize,
    /// For the messages behind the row.
    pub(crate) landing: Landing,
    /// Held for as long as the connection is.
    pub(crate) exit: Exit,
}

impl<'c> Flight<'c> {
    /// Starts an empty flight on an idle connection.
    pub(crate) fn new(connection: &'c mut Connection) -> Self {
        Self { connection, steps: Vec::new() }
    }

    /// Writes the whole flight at once.
    pub(crate) fn load<T>(
        &mut self,
        write: impl FnOnce(&mut Manifest<'_>) -> Result<T, RunError>,
    ) -> Result<T, RunError> {
        let (prepared, outbox) = self.connection.desk();
        outbox.clear();
        let mut manifest = Manifest::new(prepared, outbox);
        let result = write(&mut manifest);
        self.steps = manifest.steps();
        result
    }

    /// Sends everything and collects the rows of statement `wanted`.
    ///
    /// Dropping the future leaves the connection in flight, which its lease sees.
    pub(crate) async fn fly(self, wanted: usize) -> Result<Rows, Failure> {
        match self.fly_and_hand_on(wanted, &mut HandOn::No).await? {
            Arrival::Rows(rows) => Ok(rows),
            Arrival::Large(_) | Arrival::Crowded(_) => unreachable!("nothing is handed on"),
        }
    }

    /// The same; where `hand_on` allows it, a large last column is left to be read by the caller.
    pub(crate) async fn fly_and_hand_on(
        self,
        wanted: usize,
        hand_on: &mut HandOn<'_>,
    ) -> Result<Arrival, Failure> {
        let Self { connection, steps } = self;
        frontend::sync(connection.desk().1);
        connection.set_state(State::InFlight);
        let sent = connection.send().await;
        let mut landing = Landing::new(wanted, connection.result_limit());
        landing.with_data = with_data(&steps);
        let outcome = collect(&mut landing, connection, hand_on).await;
        for it in confirmed(&steps, landing.parsed) {
            connection.prepared.insert(&it.role, &it.text, it.id);
        }
        match (outcome, sent) {
            (Ok(Collected::Ready(status)), Ok(())) => judge(landing, connection, status).await,
            (Ok(Collected::Large { columns, length, exit }), Ok(())) => {
                Ok(Arrival::Large(Box::new(Large { columns, length, landing, exit })))
            }
            (Ok(Collected::Crowded(length)), Ok(())) => Ok(Arrival::Crowded(length)),
            // What the server said before it went is worth more than the failed write.
            (Err(cause), _) => Err(lost(landing, connection, cause)),
            (Ok(_), Err(error)) => Err(lost(landing, connection, error.into())),
        }
    }
}

/// Reads what follows a large last column; fails when the transaction did in the end.
pub(crate) async fn finish(mut landing: Landing, connection: &mut Connection) -> Result<(), Failure> {
    match collect(&mut landing, connection, &mut HandOn::No).await {
        Ok(Collected::Ready(status)) => judge(landing, connection, status).await.map(drop),
        Ok(Collected::Large { .. } | Collected::Crowded(_)) => unreachable!("nothing is handed on"),
        Err(cause) => Err(lost(landing, connection, cause)),
    }
}

enum Collected {
    Ready(u8),
    Large { columns: Vec<Option<Bytes>>, length: usize, exit: Exit },
    Crowded(usize),
}

/// Reads until the server is ready again, or up to a large last column.
async fn collect(
    landing: &mut Landing,
    connection: &mut Connection,
    hand_on: &mut HandOn<'_>,
) -> Result<Collected, RunError> {
    loop {
        if hand_on.is_wanted() && landing.wants_rows() {
            let length = connection.row_ahead().await?;
            if length > LARGEST_WHOLE {
                match hand_on.decide(length) {
                    Way::Out(exit) => {
                        let (columns, length) = connection.columns_before_last().await?;
                        return Ok(Collected::Large { columns, length, exit });
                    }
                    Way::Crowded => return Ok(Collected::Crowded(length)),
                    Way::Collect => {}
                }
            }
        }
        match landing.hear(connection.receive().await?)? {
            Heard::More => {}
            Heard::CopyIn => refuse_copy(connection).await?,
            Heard::Ready(status) => return Ok(Collected::Ready(status)),
        }
    }
}

async fn judge(landing: Landing, connection: &mut Connection, status: u8) -> Result<Arrival, Failure> {
    connection.set_state(State::Idle);
    if status != b'I'
        && let Err(cause) = leave_transaction(connection).await
    {
        return Err(lost(landing, connection, cause));
    }
    match landing.error {
        None => Ok(Arrival::Rows(landing.rows)),
        Some((step, error)) => Err(Failure::Refused { step, error: Box::new(error) }),
    }
}

fn lost(landing: Landing, connection: &mut Connection, cause: RunError) -> Failure {
    // A result above the bound or a broken conversation is still running on the server: it is to be cancelled.
    let gone = matches!(cause, RunError::Unavailable(_));
    connection.set_state(if gone { State::Broken } else { State::InFlight });
    let going_down = landing.error.as_ref().is_some_and(|(_, error)| error.code.starts_with("57P"));
    match landing.error {
        Some((_, error)) if gone && !going_down => Failure::Lost { cause: error.into(), unanswered: false },
        _ => Failure::Lost { cause, unanswered: gone && going_down && landing.completed == 0 },
    }
}

/// Nothing here has data for `copy … from stdin`. The server ignored the Sync that stood in its place, so it gets another.
async fn refuse_copy(connection: &mut Connection) -> Result<(), RunError> {
    let (_, outbox) = connection.desk();
    frontend::copy_fail("copy from stdin has no data here", outbox).map_err(unsendable)?;
    frontend::sync(outbox);
    Ok(connection.send().await?)
}

/// Ends a transaction that an explicit `begin` left open after an error.
async fn leave_transaction(connection: &mut Connection) -> Result<(), RunError> {
    connection.set_state(State::InFlight);
    frontend::query("rollback", connection.desk().1).map_err(unsendable)?;
    connection.send().await?;
    let mut landing = Landing::new(usize::MAX, 0);
    loop {
        match landing.hear(connection.receive().await?)? {
            Heard::Ready(b'I') => break,
            Heard::Ready(_) => return Err(RunError::Protocol("a transaction that does not end".into())),
            Heard::More | Heard::CopyIn => {}
        }
    }
    connection.set_state(State::Idle);
    Ok(())
}
