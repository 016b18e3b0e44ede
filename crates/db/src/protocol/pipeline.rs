//! One pipeline on a connection of its own: several statements under one Sync.

use bytes::Bytes;
use postgres_protocol::message::frontend;

use super::{
    Connection,
    connection::State,
    pipeline_writer::{PipelineWriter, Step, confirmed, unsendable, with_data},
    response_reader::{Progress, ResponseReader},
    streaming::{Decision, LARGEST_WHOLE, StreamPermit, Streaming},
};
use crate::{DatabaseError, Param, Rows, RunError};

/// Statements collected to leave together.
///
/// Without an explicit `begin` they form one implicit transaction: the Sync at the end commits, an
/// error anywhere skips the rest and rolls everything back.
pub(crate) struct Pipeline<'c> {
    connection: &'c mut Connection,
    steps: Vec<Step>,
}

/// Why a pipeline gave no response.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It was not sent; the connection is good.
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

/// What came back.
pub(crate) enum Response {
    /// All rows.
    Rows(Rows),
    /// One row, whose last column is still on its way.
    Large(Box<Large>),
    /// As [`Response::Large`], of so many bytes, but no permit was free: the pipeline is to be
    /// broken off.
    NoPermit(usize),
}

/// A row whose last column is still on its way; the connection is busy until it is read to its end.
pub(crate) struct Large {
    /// The columns before the last one.
    pub(crate) columns: Vec<Option<Bytes>>,
    /// Bytes of the last column, all of which are still to be read.
    pub(crate) length: usize,
    /// Reads the messages behind the row.
    pub(crate) reader: ResponseReader,
    /// Held for as long as the connection is.
    pub(crate) permit: StreamPermit,
}

impl<'c> Pipeline<'c> {
    /// Starts an empty pipeline on an idle connection.
    pub(crate) fn new(connection: &'c mut Connection) -> Self {
        Self { connection, steps: Vec::new() }
    }

    /// Writes all its statements at once.
    pub(crate) fn write<T>(
        &mut self,
        write: impl FnOnce(&mut PipelineWriter<'_>) -> Result<T, RunError>,
    ) -> Result<T, RunError> {
        let (prepared, send_buffer) = self.connection.writing_parts();
        send_buffer.clear();
        let mut writer = PipelineWriter::new(prepared, send_buffer);
        let result = write(&mut writer);
        self.steps = writer.steps();
        result
    }

    /// Sends everything and collects the rows of statement `wanted`.
    ///
    /// Dropping the future leaves the connection busy, which the pool sees.
    pub(crate) async fn run(self, wanted: usize) -> Result<Rows, Failure> {
        match self.run_streaming(wanted, &mut Streaming::Never).await? {
            Response::Rows(rows) => Ok(rows),
            Response::Large(_) | Response::NoPermit(_) => unreachable!("nothing is streamed"),
        }
    }

    /// The same; where `streaming` allows it, a large last column is left to be read by the caller.
    pub(crate) async fn run_streaming(
        self,
        wanted: usize,
        streaming: &mut Streaming<'_>,
    ) -> Result<Response, Failure> {
        let Self { connection, steps } = self;
        frontend::sync(connection.send_buffer());
        connection.set_state(State::Busy);
        let sent = connection.send().await;
        let mut reader = ResponseReader::new(wanted, connection.result_limit());
        reader.with_data = with_data(&steps);
        let outcome = collect(&mut reader, connection, streaming).await;
        for it in confirmed(&steps, reader.parsed) {
            connection.prepared.insert(&it.role, &it.text, it.id);
        }
        match (outcome, sent) {
            (Ok(Collected::Ready(status)), Ok(())) => judge(reader, connection, status).await,
            (Ok(Collected::Large { columns, length, permit }), Ok(())) => {
                Ok(Response::Large(Box::new(Large { columns, length, reader, permit })))
            }
            (Ok(Collected::NoPermit(length)), Ok(())) => Ok(Response::NoPermit(length)),
            // What the server said before it went is worth more than the failed write.
            (Err(cause), _) => Err(lost(reader, connection, cause)),
            (Ok(_), Err(error)) => Err(lost(reader, connection, error.into())),
        }
    }
}

impl Connection {
    /// Runs one statement by itself and gives its rows.
    pub(crate) async fn run_one(&mut self, text: &str, params: &[Param]) -> Result<Rows, RunError> {
        let mut pipeline = Pipeline::new(self);
        let values = params.iter().map(|Param { value, type_oid }| (value.as_deref(), *type_oid));
        pipeline.write(|writer| writer.step_once(text, values))?;
        Ok(pipeline.run(0).await?)
    }
}

/// Reads what follows a large last column; fails when the transaction did in the end.
pub(crate) async fn finish(mut reader: ResponseReader, connection: &mut Connection) -> Result<(), Failure> {
    match collect(&mut reader, connection, &mut Streaming::Never).await {
        Ok(Collected::Ready(status)) => judge(reader, connection, status).await.map(drop),
        Ok(Collected::Large { .. } | Collected::NoPermit(_)) => unreachable!("nothing is streamed"),
        Err(cause) => Err(lost(reader, connection, cause)),
    }
}

enum Collected {
    Ready(u8),
    Large { columns: Vec<Option<Bytes>>, length: usize, permit: StreamPermit },
    NoPermit(usize),
}

/// Reads until the server is ready again, or up to a large last column.
async fn collect(
    reader: &mut ResponseReader,
    connection: &mut Connection,
    streaming: &mut Streaming<'_>,
) -> Result<Collected, RunError> {
    loop {
        if streaming.is_possible() && reader.wants_rows() {
            let length = connection.row_ahead().await?;
            if length > LARGEST_WHOLE {
                match streaming.decide(length) {
                    Decision::Stream(permit) => {
                        let (columns, length) = connection.columns_before_last().await?;
                        return Ok(Collected::Large { columns, length, permit });
                    }
                    Decision::NoPermit => return Ok(Collected::NoPermit(length)),
                    Decision::Collect => {}
                }
            }
        }
        match reader.take(connection.receive().await?)? {
            Progress::More => {}
            Progress::CopyIn => refuse_copy(connection).await?,
            Progress::Ready(status) => return Ok(Collected::Ready(status)),
        }
    }
}

async fn judge(reader: ResponseReader, connection: &mut Connection, status: u8) -> Result<Response, Failure> {
    connection.set_state(State::Idle);
    if status != b'I'
        && let Err(cause) = leave_transaction(connection).await
    {
        return Err(lost(reader, connection, cause));
    }
    match reader.error {
        None => Ok(Response::Rows(reader.rows)),
        Some((step, error)) => Err(Failure::Refused { step, error: Box::new(error) }),
    }
}

fn lost(reader: ResponseReader, connection: &mut Connection, cause: RunError) -> Failure {
    // A result above the bound or a broken conversation is still running on the server: it is to be
    // cancelled.
    let gone = matches!(cause, RunError::Unavailable(_));
    connection.set_state(if gone { State::Broken } else { State::Busy });
    let going_down = reader.error.as_ref().is_some_and(|(_, error)| error.ends_session());
    match reader.error {
        Some((_, error)) if gone && !going_down => Failure::Lost { cause: error.into(), unanswered: false },
        _ => Failure::Lost { cause, unanswered: gone && going_down && reader.completed == 0 },
    }
}

/// Nothing here has data for `copy … from stdin`. The server ignored the Sync that stood in its
/// place, so it gets another.
async fn refuse_copy(connection: &mut Connection) -> Result<(), RunError> {
    let send_buffer = connection.send_buffer();
    frontend::copy_fail("copy from stdin has no data here", send_buffer).map_err(unsendable)?;
    frontend::sync(send_buffer);
    Ok(connection.send().await?)
}

/// Ends a transaction that an explicit `begin` left open after an error.
async fn leave_transaction(connection: &mut Connection) -> Result<(), RunError> {
    connection.set_state(State::Busy);
    frontend::query("rollback", connection.send_buffer()).map_err(unsendable)?;
    connection.send().await?;
    let mut reader = ResponseReader::new(usize::MAX, 0);
    loop {
        match reader.take(connection.receive().await?)? {
            Progress::Ready(b'I') => break,
            Progress::Ready(_) => return Err(RunError::Protocol("a transaction that does not end".into())),
            Progress::More | Progress::CopyIn => {}
        }
    }
    connection.set_state(State::Idle);
    Ok(())
}
