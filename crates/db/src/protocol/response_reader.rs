//! What is read of the answers to one pipeline.

use bytes::Bytes;
use fallible_iterator::FallibleIterator as _;
use postgres_protocol::message::backend::{DataRowBody, Message};

use super::error_response;
use crate::{DatabaseError, Rows, RunError};

/// The answers to one pipeline so far.
#[derive(Debug, Default)]
pub(crate) struct ResponseReader {
    /// The statement whose rows are kept, from 0.
    wanted: usize,
    /// Most bytes of rows.
    limit: usize,
    /// The statements whose data for `copy … from stdin` are on their way, from 0.
    pub(crate) with_data: Vec<usize>,
    pub(crate) rows: Rows,
    /// Bytes of the rows kept.
    pub(crate) bytes: usize,
    /// Statements that the server confirmed as parsed.
    pub(crate) parsed: usize,
    /// Statements that were completed.
    pub(crate) completed: usize,
    /// The first refusal, and which statement it was about.
    pub(crate) error: Option<(usize, DatabaseError)>,
}

/// How far a message brought the pipeline.
pub(crate) enum Progress {
    /// More messages follow.
    More,
    /// Data for `copy … from stdin` are asked for.
    CopyIn,
    /// It is complete; with the transaction status.
    Ready(u8),
}

impl ResponseReader {
    pub(crate) fn new(wanted: usize, limit: usize) -> Self {
        Self { wanted, limit, ..Self::default() }
    }

    /// Whether rows that come now are the wanted ones.
    pub(crate) fn wants_rows(&self) -> bool {
        self.completed == self.wanted
    }

    /// Takes one message.
    pub(crate) fn take(&mut self, message: Message) -> Result<Progress, RunError> {
        match message {
            Message::DataRow(row) if self.wants_rows() => self.keep(&row)?,
            Message::CommandComplete(body) => {
                if self.wants_rows() {
                    self.rows.affected = affected(body.tag().unwrap_or_default());
                }
                self.completed += 1;
            }
            Message::EmptyQueryResponse | Message::PortalSuspended => self.completed += 1,
            Message::ParseComplete => self.parsed += 1,
            Message::ErrorResponse(body) => {
                self.error.get_or_insert((self.completed, error_response::read(&body)));
            }
            Message::CopyInResponse(_) if self.with_data.contains(&self.completed) => {}
            Message::CopyInResponse(_) => return Ok(Progress::CopyIn),
            Message::ReadyForQuery(body) => return Ok(Progress::Ready(body.status())),
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
            _ => return Err(RunError::Protocol("an unexpected message in a pipeline".into())),
        }
        Ok(Progress::More)
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
}

/// The number at the end of a completion tag: `INSERT 0 5`, `SELECT 3`.
fn affected(tag: &str) -> u64 {
    tag.rsplit(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}
