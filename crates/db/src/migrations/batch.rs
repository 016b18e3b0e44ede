//! A file of SQL: one batch, or as few as PostgreSQL allows.
//!
//! A file is one transaction with its entry in the history. A statement that no transaction may
//! hold, such as `create index concurrently`, runs by itself, and what is before and behind it are
//! transactions of their own. How far such a file came is noted with each of them
//! ([`super::unfinished`]), so that the next run goes on where this one ended.

use std::ops::Range;

use super::{
    Progress,
    report::{Stop, report},
    unfinished::{Earlier, FORGET, NOTE, Unfinished},
};
use crate::{
    DatabaseError, MigrationError, Param, RunError,
    protocol::{Connection, Failure, Pipeline, PipelineWriter},
    sql::{Kind, Piece, commits, in_transaction, split},
};

/// A file to run, and the statement that enters it in its history.
pub(super) struct Script<'f> {
    /// How messages name it.
    pub(super) file: &'f str,
    pub(super) text: &'f str,
    pub(super) record: (&'f str, &'f [Param]),
}

/// Runs a file, or what an earlier run left of it.
pub(super) async fn run(
    connection: &mut Connection,
    script: &Script<'_>,
    unfinished: &Unfinished,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<(), MigrationError> {
    let pieces = split(script.text);
    check(script.file, &pieces)?;
    let earlier = unfinished.earlier(script.file, &pieces);
    let file = || script.file.to_owned();
    let done = match earlier {
        Earlier::Committed { done, .. } => done,
        _ => 0,
    };
    match earlier {
        Earlier::Committed { done: statement @ 1.., .. } => {
            progress(Progress::Continuing { file: file(), statement });
        }
        Earlier::Changed(statements) => progress(Progress::StartingOver { file: file(), statements }),
        _ => {}
    }
    let mut run = Run {
        script,
        outside_transaction: pieces.iter().map(|piece| piece.kind == Kind::OutsideTransaction).collect(),
        in_transaction: in_transaction(&pieces),
        pieces,
        done,
        earlier,
        is_noted: earlier != Earlier::Nothing,
        is_noted_running: matches!(earlier, Earlier::Committed { is_running: true, .. }),
    };
    run.prepare(connection).await?;
    while !run.run_next(connection).await? {}
    Ok(())
}

fn step(writer: &mut PipelineWriter<'_>, text: &str, params: &[Param]) -> Result<(), RunError> {
    writer.step_once(text, params.iter().map(|param| (param.value.as_deref(), param.type_oid)))
}

/// What can be told before anything runs.
fn check(file: &str, pieces: &[Piece<'_>]) -> Result<(), MigrationError> {
    let refuse = |place: usize, reason| MigrationError::Refused {
        file: file.to_owned(),
        line: pieces[place].line,
        statement: place,
        reason,
    };
    for (place, piece) in pieces.iter().enumerate() {
        match piece.kind {
            Kind::CopyIn(None) => return Err(refuse(place, NO_DATA)),
            Kind::CopyOut => {
                return Err(refuse(place, "copy to stdout has nowhere to go: `banyan db query` prints it"));
            }
            _ => {}
        }
    }
    let last = pieces.iter().rposition(|piece| matches!(piece.kind, Kind::Begins | Kind::Ends));
    match last.filter(|last| pieces[*last].kind == Kind::Begins) {
        Some(begin) => Err(refuse(begin, "the transaction that begins here is never committed")),
        None => Ok(()),
    }
}

/// What is wrong with a `copy … from stdin` without data.
pub(crate) const NO_DATA: &str = "copy from stdin takes its data from the lines below the statement and its semicolon, \
                                  up to a line that is \\. alone, and there are none";

struct Run<'r> {
    script: &'r Script<'r>,
    pieces: Vec<Piece<'r>>,
    /// Which of them run by themselves, as far as is known.
    outside_transaction: Vec<bool>,
    in_transaction: Vec<bool>,
    /// Statements that are committed.
    done: usize,
    /// What an earlier run left.
    earlier: Earlier,
    /// Whether the database holds a note of the file.
    is_noted: bool,
    /// Whether that says that the next statement may run.
    is_noted_running: bool,
}

impl Run<'_> {
    /// What the file before left set must not reach this one; what this one set before it was left
    /// must.
    async fn prepare(&self, connection: &mut Connection) -> Result<(), MigrationError> {
        let sets = self.pieces[..self.done].iter().filter(|piece| piece.kind == Kind::Sets);
        let texts = std::iter::once("reset all").chain(sets.map(|piece| piece.text));
        let mut pipeline = Pipeline::new(connection);
        pipeline.write(|writer| texts.into_iter().try_for_each(|text| step(writer, text, &[])))?;
        pipeline.run(usize::MAX).await.map_err(|failure| self.broken(failure.into()))?;
        if self.outside_transaction.contains(&true) {
            Unfinished::make(connection).await?;
        }
        Ok(())
    }

    /// Runs the statements that come next; true when the file is entered in its history.
    async fn run_next(&mut self, connection: &mut Connection) -> Result<bool, MigrationError> {
        let next = self.next();
        let is_outside = next.len() == 1 && self.runs_outside_transaction(next.start);
        if is_outside && !self.is_noted_running {
            self.note(connection, true).await?;
        }
        let is_last = next.end == self.pieces.len();
        let mut pipeline = Pipeline::new(connection);
        pipeline.write(|writer| {
            self.pieces[next.clone()].iter().try_for_each(|piece| write_piece(writer, piece))?;
            match (is_outside, is_last) {
                (true, _) => Ok(()),
                (false, true) => self.write_record(writer),
                (false, false) => self.write_note(writer, next.end, true),
            }
        })?;
        match pipeline.run(usize::MAX).await {
            Ok(_) => {
                self.done = next.end;
                self.is_noted |= !is_outside && !is_last;
                self.is_noted_running = !is_outside && !is_last;
            }
            Err(Failure::Refused { step, error }) => {
                let at = next.start + step;
                let must_go_on = self.learn(&next, at, &error);
                let settled = self.settle(connection, at, must_go_on).await;
                // The refusal says more than that it could not be noted.
                return if must_go_on { settled.map(|()| false) } else { Err(self.refused(at, error)) };
            }
            Err(failure) => return Err(self.broken(failure.into())),
        }
        match (is_outside, is_last) {
            (true, true) => self.record(connection).await.map(|()| true),
            (true, false) => {
                let is_next_outside = self.runs_outside_transaction(self.done);
                self.note(connection, is_next_outside).await.map(|()| false)
            }
            (false, is_last) => Ok(is_last),
        }
    }

    /// One statement that runs by itself, or all up to the next such one.
    fn next(&self) -> Range<usize> {
        let rest = self.done..self.pieces.len();
        match rest.clone().position(|place| self.runs_outside_transaction(place)) {
            Some(0) => self.done..self.done + 1,
            Some(before) => self.done..self.done + before,
            None => rest,
        }
    }

    /// In a transaction that the file begins, PostgreSQL says what is wrong with it.
    fn runs_outside_transaction(&self, place: usize) -> bool {
        self.outside_transaction.get(place) == Some(&true) && !self.in_transaction[place]
    }

    fn may_have_run(&self, place: usize) -> bool {
        self.runs_outside_transaction(place)
            && self.earlier == Earlier::Committed { done: place, is_running: true }
    }

    /// Takes the server's word that a statement needs what is before it to be committed; false when
    /// that is no help. Nothing of the pipeline was kept.
    fn learn(&mut self, sent: &Range<usize>, at: usize, error: &DatabaseError) -> bool {
        let refused_in_transaction = error.routine.as_deref() == Some("PreventInTransactionBlock");
        let needs_commit = error.code == UNSAFE_NEW_ENUM_VALUE;
        let mut is_new = false;
        for place in sent.clone().filter(|place| *place <= at) {
            let is_it = (refused_in_transaction && place == at)
                || (needs_commit && self.pieces[place].kind == Kind::AddsValue);
            if is_it
                && !self.in_transaction[place]
                && !std::mem::replace(&mut self.outside_transaction[place], true)
            {
                is_new = true;
            }
        }
        is_new
    }

    /// Notes what stays of a pipeline that the server refused: all up to a `commit` of the file's
    /// own. A statement that it refused has ended.
    async fn settle(
        &mut self,
        connection: &mut Connection,
        at: usize,
        is_learnt: bool,
    ) -> Result<(), MigrationError> {
        let before = self.done;
        let sent = &self.pieces[..at.min(self.pieces.len())];
        if let Some(last) = sent.iter().rposition(commits).filter(|last| *last >= before) {
            self.done = last + 1;
            // The file may have begun another transaction.
            connection.run_one("rollback", &[]).await?;
        }
        if is_learnt || self.done > before {
            Unfinished::make(connection).await?;
        }
        // Of one that an earlier run may have done, that stays to be told.
        if self.done > before || (self.is_noted_running && !self.may_have_run(at)) {
            self.note(connection, false).await?;
        }
        Ok(())
    }

    async fn note(&mut self, connection: &mut Connection, is_running: bool) -> Result<(), MigrationError> {
        let mut pipeline = Pipeline::new(connection);
        pipeline.write(|writer| self.write_note(writer, self.done, is_running))?;
        pipeline.run(usize::MAX).await.map_err(|failure| self.broken(failure.into()))?;
        (self.is_noted, self.is_noted_running) = (true, is_running);
        Ok(())
    }

    async fn record(&self, connection: &mut Connection) -> Result<(), MigrationError> {
        let mut pipeline = Pipeline::new(connection);
        pipeline.write(|writer| self.write_record(writer))?;
        pipeline.run(usize::MAX).await.map_err(|failure| self.broken(failure.into()))?;
        Ok(())
    }

    fn write_note(
        &self,
        writer: &mut PipelineWriter<'_>,
        done: usize,
        is_running: bool,
    ) -> Result<(), RunError> {
        step(writer, NOTE, &Unfinished::entry(self.script.file, &self.pieces[..done], is_running))
    }

    fn write_record(&self, writer: &mut PipelineWriter<'_>) -> Result<(), RunError> {
        step(writer, self.script.record.0, self.script.record.1)?;
        if self.is_noted {
            step(writer, FORGET, &[Param::text(self.script.file.to_owned())])?;
        }
        Ok(())
    }

    fn refused(&self, statement: usize, error: Box<DatabaseError>) -> MigrationError {
        let stop = Stop {
            statement,
            committed: self.done,
            may_have_run: self.may_have_run(statement),
            outside_transaction: (0..=statement).rev().find(|place| self.runs_outside_transaction(*place)),
            changed: match self.earlier {
                Earlier::Changed(statements) => Some((statements, self.script.file)),
                _ => None,
            },
            goes_on: true,
        };
        let (line, report) = report(&self.pieces, &stop, &error);
        MigrationError::Statement { file: self.script.file.to_owned(), line, report, source: error }
    }

    fn broken(&self, source: RunError) -> MigrationError {
        let line = self.pieces.get(self.done).or(self.pieces.last()).map_or(1, |piece| piece.line);
        MigrationError::Broken { file: self.script.file.to_owned(), line, statement: self.done, source }
    }
}

fn write_piece(writer: &mut PipelineWriter<'_>, piece: &Piece<'_>) -> Result<(), RunError> {
    step(writer, piece.text, &[])?;
    match piece.kind {
        Kind::CopyIn(Some(data)) => writer.data(data.as_bytes()),
        _ => Ok(()),
    }
}

/// SQLSTATE of the use of an enum value that is not committed.
const UNSAFE_NEW_ENUM_VALUE: &str = "55P04";
