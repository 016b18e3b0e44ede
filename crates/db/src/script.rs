//! What a person types: statements as one simple query, or as few as PostgreSQL allows, with data
//! for `copy … from stdin` and what `copy … to stdout` gives.

use std::{io, ops::Range};

use bytes::Bytes;
use fallible_iterator::FallibleIterator as _;
use postgres_protocol::message::{
    backend::{DataRowBody, Message, RowDescriptionBody},
    frontend::{self, CopyData},
};

use crate::{
    Database, DatabaseError, Login, MigrationError, RunError,
    migrations::{
        batch::NO_DATA,
        report::{Stop, report},
    },
    protocol::{
        Connection, connection::State, error_response, pipeline_writer::LARGEST_DATA,
        pipeline_writer::unsendable,
    },
    sql::{Kind, Piece, commits, in_transaction, split, tokens},
};

/// One thing that the server says of a script, in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScriptEvent {
    /// Rows with these columns follow.
    Columns(Vec<Column>),
    /// One row, in PostgreSQL's text form; none is null.
    Row(Vec<Option<String>>),
    /// Bytes that `copy … to stdout` gives.
    Copied(Bytes),
    /// A notice or a warning: its severity and its message.
    Notice(String),
    /// What the data API shows may have changed, and is committed (CONTRACT.md PG-WATCH).
    SchemaChanged,
}

/// The channel that the event triggers notify.
const CHANNEL: &str = "pgrst";

/// A column of the rows that follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// OID of its type; of a domain that of what it is over.
    pub type_oid: u32,
}

impl Database {
    /// Runs what a person types, as one transaction unless it begins and commits itself. `on_event`
    /// gets what comes, as it comes, the output of `copy … to stdout` included: nothing is
    /// collected here, and no result is too large. Messages name the statements by `name`.
    ///
    /// # Errors
    /// [`MigrationError`] with line and statement, or when the server cannot be reached. An error
    /// of `on_event` ends the run.
    pub async fn run_script(
        &self,
        login: Login,
        (name, sql): (&str, &str),
        on_event: &mut (dyn FnMut(ScriptEvent) -> io::Result<()> + Send),
    ) -> Result<(), MigrationError> {
        let mut connection = self.open(login).await?;
        connection.lift_result_limit();
        let outcome = run(&mut connection, (name, sql), on_event).await;
        connection.close().await;
        outcome
    }
}

/// Runs statements as one transaction, unless they begin and commit themselves. What no transaction
/// may hold runs by itself, and what is before and behind it are transactions of their own, as in a
/// migration. `on_event` gets each as it comes: nothing is collected. Its error ends the run.
async fn run(
    connection: &mut Connection,
    (name, sql): (&str, &str),
    on_event: &mut (dyn FnMut(ScriptEvent) -> io::Result<()> + Send),
) -> Result<(), MigrationError> {
    let mut pieces = split(sql);
    pieces.retain(|piece| piece.kind != Kind::Comment);
    if let Some(statement) = pieces.iter().position(|piece| piece.kind == Kind::CopyIn(None)) {
        let (file, line) = (name.to_owned(), pieces[statement].line);
        return Err(MigrationError::Refused { file, line, statement, reason: NO_DATA });
    }
    // Without it no change is noticed, which keeps nobody from making one.
    let _ = connection.run_one(&format!("listen {CHANNEL}"), &[]).await;
    let script = Script { name, outside_transaction: outside_transaction(&pieces), pieces };
    let outcome = script.run(connection, on_event).await;
    if script.pieces.iter().any(may_hide_a_change) {
        on_event(ScriptEvent::SchemaChanged).map_err(RunError::from)?;
    }
    outcome
}

/// `explain analyze` creates what it explains, and no event trigger is fired by it. After the other
/// two no notification comes, and those of what was committed before may not have come yet.
fn may_hide_a_change(piece: &Piece<'_>) -> bool {
    let mut words = tokens(piece.text).map(str::to_ascii_lowercase);
    match words.next().as_deref() {
        Some("explain") => words.any(|word| ["create", "into"].contains(&word.as_str())),
        Some("discard") => words.any(|word| word == "all"),
        Some("unlisten") => true,
        _ => false,
    }
}

struct Script<'s> {
    /// How messages name it.
    name: &'s str,
    pieces: Vec<Piece<'s>>,
    /// Which of them run by themselves.
    outside_transaction: Vec<bool>,
}

/// In a transaction that the script begins, PostgreSQL says what is wrong with such a statement.
fn outside_transaction(pieces: &[Piece<'_>]) -> Vec<bool> {
    let within = in_transaction(pieces).into_iter();
    within.zip(pieces).map(|(within, piece)| piece.kind == Kind::OutsideTransaction && !within).collect()
}

impl Script<'_> {
    /// Runs its parts, one after another, up to the first that fails.
    async fn run(
        &self,
        connection: &mut Connection,
        on_event: &mut (dyn FnMut(ScriptEvent) -> io::Result<()> + Send),
    ) -> Result<(), MigrationError> {
        let mut done = 0;
        while done < self.pieces.len() {
            done = self.run_part(connection, self.part(done), on_event).await?;
        }
        Ok(())
    }

    /// One statement that runs by itself, or all up to the next such one.
    fn part(&self, start: usize) -> Range<usize> {
        let rest = &self.outside_transaction[start..];
        let count = rest.iter().position(|is_outside| *is_outside).unwrap_or(rest.len());
        start..start + count.max(1)
    }

    /// Runs a part, and gives where the next one begins.
    async fn run_part(
        &self,
        connection: &mut Connection,
        part: Range<usize>,
        on_event: &mut (dyn FnMut(ScriptEvent) -> io::Result<()> + Send),
    ) -> Result<usize, MigrationError> {
        let mut completed = 0;
        let outcome = converse(connection, &self.pieces[part.clone()], on_event, &mut completed).await;
        match outcome {
            Ok(None) => Ok(part.end),
            Ok(Some(error)) => Err(self.refused(&part, part.start + completed, error)),
            Err(source) => {
                let statement = part.start + completed;
                let line = self.pieces.get(statement).map_or(1, |piece| piece.line);
                Err(MigrationError::Broken { file: self.name.to_owned(), line, statement, source })
            }
        }
    }

    /// The server counts characters from the first statement of the part on. `completed` are the
    /// statements before the refusal, as far as the server counted them.
    fn refused(&self, part: &Range<usize>, completed: usize, mut error: DatabaseError) -> MigrationError {
        let pieces = &self.pieces;
        let mut statement = completed;
        if let Some(mut left) = error.position.and_then(|position| usize::try_from(position).ok()) {
            for place in part.clone() {
                let length = pieces[place].text.chars().count();
                if left <= length + 1 {
                    (statement, error.position) = (place, u32::try_from(left).ok());
                    break;
                }
                left -= (length + SEPARATOR.len()).min(left);
            }
        }
        // Of this part all else is rolled back, as for one transaction.
        let done = &pieces[..completed.min(pieces.len())];
        let committed = done.iter().rposition(commits).map_or(0, |last| last + 1).max(part.start);
        let outside_transaction =
            (0..pieces.len().min(statement + 1)).rev().find(|place| self.outside_transaction[*place]);
        let stop = Stop { statement, committed, outside_transaction, ..Stop::default() };
        let (line, report) = report(pieces, &stop, &error);
        MigrationError::Statement { file: self.name.to_owned(), line, report, source: Box::new(error) }
    }
}

/// Sends everything and reads all answers, counting the statements that are completed; gives the
/// first refusal, behind which none is.
async fn converse(
    connection: &mut Connection,
    pieces: &[Piece<'_>],
    on_event: &mut (dyn FnMut(ScriptEvent) -> io::Result<()> + Send),
    completed: &mut usize,
) -> Result<Option<DatabaseError>, RunError> {
    connection.set_state(State::Busy);
    frontend::query(&sent(pieces), connection.send_buffer()).map_err(unsendable)?;
    connection.send().await?;
    let mut data = pieces.iter().filter_map(|piece| match piece.kind {
        Kind::CopyIn(data) => data,
        _ => None,
    });
    let mut refusal = None;
    let mut is_left = false;
    loop {
        match connection.receive().await? {
            Message::RowDescription(body) => on_event(ScriptEvent::Columns(columns(&body)?))?,
            Message::DataRow(row) => on_event(ScriptEvent::Row(texts(&row)?))?,
            Message::CopyData(body) => on_event(ScriptEvent::Copied(body.into_bytes()))?,
            Message::NoticeResponse(body) => {
                let notice = error_response::read_fields(body.fields());
                on_event(ScriptEvent::Notice(format!("{}: {}", notice.severity, notice.message)))?;
            }
            Message::NotificationResponse(body) if body.channel()? == CHANNEL => {
                on_event(ScriptEvent::SchemaChanged)?;
            }
            Message::CommandComplete(_) if !is_left => *completed += 1,
            Message::CopyInResponse(_) => send_data(connection, data.next()).await?,
            Message::ErrorResponse(body) => {
                refusal.get_or_insert(error_response::read(&body));
            }
            // What was begun and is not committed is rolled back. Only then the notifications come.
            Message::ReadyForQuery(body) if body.status() != IDLE && !is_left => {
                is_left = true;
                if refusal.is_none() {
                    on_event(ScriptEvent::Notice(NOT_COMMITTED.to_owned()))?;
                }
                frontend::query("rollback", connection.send_buffer()).map_err(unsendable)?;
                connection.send().await?;
            }
            Message::ReadyForQuery(_) => break,
            _ => {}
        }
    }
    connection.set_state(State::Idle);
    Ok(refusal)
}

const NOT_COMMITTED: &str = "WARNING: the transaction that was begun was not committed, and is rolled back";

/// What `ReadyForQuery` says outside of a transaction.
const IDLE: u8 = b'I';

/// The statements as they are sent.
fn sent(pieces: &[Piece<'_>]) -> String {
    // A comment at the end of one would hide a semicolon in its line.
    pieces.iter().map(|piece| piece.text).collect::<Vec<_>>().join(SEPARATOR)
}

const SEPARATOR: &str = "\n;";

async fn send_data(connection: &mut Connection, data: Option<&str>) -> Result<(), RunError> {
    let send_buffer = connection.send_buffer();
    match data {
        Some(data) => {
            for piece in data.as_bytes().chunks(LARGEST_DATA) {
                CopyData::new(piece).map_err(unsendable)?.write(send_buffer);
            }
            frontend::copy_done(send_buffer);
        }
        None => frontend::copy_fail(NO_DATA, send_buffer).map_err(unsendable)?,
    }
    Ok(connection.send().await?)
}

fn columns(body: &RowDescriptionBody) -> Result<Vec<Column>, RunError> {
    let columns =
        body.fields().map(|field| Ok(Column { name: field.name().to_owned(), type_oid: field.type_oid() }));
    columns.collect().map_err(malformed)
}

fn texts(row: &DataRowBody) -> Result<Vec<Option<String>>, RunError> {
    let text = |range: std::ops::Range<usize>| String::from_utf8_lossy(&row.buffer()[range]).into_owned();
    row.ranges().map(|range| Ok(range.map(text))).collect().map_err(malformed)
}

fn malformed(error: io::Error) -> RunError {
    RunError::Protocol(error.to_string())
}
