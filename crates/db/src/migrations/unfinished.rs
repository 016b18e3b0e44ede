//! How far files came that could not be one transaction.

use std::collections::HashMap;

use super::stack::sha256_hex;
use crate::{
    MigrationError, Param,
    protocol::Connection,
    sql::{Kind, Piece, tokens},
};

/// Notes by the names of their files.
#[derive(Debug, Default)]
pub(super) struct Unfinished {
    files: HashMap<String, Note>,
}

#[derive(Debug)]
struct Note {
    /// How many statements are committed.
    done: usize,
    /// The digest of those.
    hash: String,
    /// Whether the next one may run at this moment, or have run when its session was lost.
    is_running: bool,
}

/// What an earlier run of a file left, as its text is by now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Earlier {
    /// Nothing.
    Nothing,
    /// So many of its first statements are committed, and unchanged.
    Committed {
        done: usize,
        /// Whether it ended while the next one ran.
        is_running: bool,
    },
    /// So many were, and one of those was changed since.
    Changed(usize),
}

/// Notes how far a file came.
pub(super) const NOTE: &str = "insert into supabase_migrations.unfinished_files \
                               (file, statements, hash, is_running) values ($1, $2, $3, $4) \
                               on conflict (file) do update set statements = excluded.statements, \
                               hash = excluded.hash, is_running = excluded.is_running";
/// Forgets it, once the file is in its history.
pub(super) const FORGET: &str = "delete from supabase_migrations.unfinished_files where file = $1";

impl Unfinished {
    /// Reads the notes; a database without any has none.
    pub(super) async fn read(connection: &mut Connection) -> Result<Self, MigrationError> {
        let table = "select to_regclass('supabase_migrations.unfinished_files')";
        if connection.run_one(table, &[]).await?.get(0, 0).is_none() {
            return Ok(Self::default());
        }
        let query = "select file, statements, hash, to_jsonb(f) ->> 'is_running'
                     from supabase_migrations.unfinished_files as f";
        let rows = connection.run_one(query, &[]).await?;
        let entry = |row| {
            let text = |column| rows.text(row, column).map(str::to_owned);
            let is_running = text(3).as_deref() == Some("true");
            Some((text(0)?, Note { done: text(1)?.parse().ok()?, hash: text(2)?, is_running }))
        };
        Ok(Self { files: (0..rows.rows.len()).filter_map(entry).collect() })
    }

    /// Makes the table of the notes, which few projects need.
    pub(super) async fn make(connection: &mut Connection) -> Result<(), MigrationError> {
        for step in [
            "create schema if not exists supabase_migrations",
            "create table if not exists supabase_migrations.unfinished_files \
             (file text not null primary key, statements integer not null, hash text not null)",
            "alter table supabase_migrations.unfinished_files \
             add column if not exists is_running boolean not null default false",
            "alter table supabase_migrations.unfinished_files enable row level security",
        ] {
            connection.run_one(step, &[]).await?;
        }
        Ok(())
    }

    /// What an earlier run left of a file.
    pub(super) fn earlier(&self, file: &str, pieces: &[Piece<'_>]) -> Earlier {
        match self.files.get(file) {
            None => Earlier::Nothing,
            Some(Note { done, hash, is_running })
                if *done <= pieces.len() && digest(&pieces[..*done]) == *hash =>
            {
                Earlier::Committed { done: *done, is_running: *is_running }
            }
            Some(note) => Earlier::Changed(note.done),
        }
    }

    /// The parameters of [`NOTE`].
    pub(super) fn entry(file: &str, done: &[Piece<'_>], is_running: bool) -> [Param; 4] {
        [file.to_owned(), done.len().to_string(), digest(done), is_running.to_string()].map(Param::text)
    }
}

/// Comments and white space may change.
fn digest(pieces: &[Piece<'_>]) -> String {
    let mut text = String::new();
    for piece in pieces {
        tokens(piece.text).for_each(|token| text.extend([token, "\0"]));
        if let Kind::CopyIn(Some(data)) = piece.kind {
            text.push_str(data);
        }
        text.push_str(";\0");
    }
    sha256_hex(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::split;

    // rows: cli/CLI-ALONE
    #[test]
    fn a_comment_is_no_change_of_what_was_committed() {
        let of = |text| digest(&split(text));
        assert_eq!(of("select 1, 'a'; -- one\nselect 2"), of("/* two */ select  1,\n'a';\nselect 2"));
        for other in ["select 1, 'a ';select 2", "select 1, 'A'; select 2", "select 1, 'a'"] {
            assert_ne!(of("select 1, 'a'; select 2"), of(other), "{other}");
        }
        assert_ne!(of("copy t from stdin;\n1\n\\.\n"), of("copy t from stdin;\n2\n\\.\n"));
    }
}
