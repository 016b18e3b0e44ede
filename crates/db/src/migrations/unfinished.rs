//! How far files came that could not be one transaction.

use std::collections::HashMap;

use super::{batch, stack::sha256_hex};
use crate::{MigrationError, Param, flight::Connection, sql::Piece};

/// Files by name: how many of their statements are committed, and the digest of those.
#[derive(Debug, Default)]
pub(super) struct Unfinished {
    files: HashMap<String, (usize, String)>,
}

/// Notes how far a file came.
pub(super) const NOTE: &str = "insert into supabase_migrations.unfinished_files (file, statements, hash) \
                               values ($1, $2, $3) \
                               on conflict (file) do update set statements = excluded.statements, hash = excluded.hash";
/// Forgets it, once the file is in its history.
pub(super) const FORGET: &str = "delete from supabase_migrations.unfinished_files where file = $1";

impl Unfinished {
    /// Reads the notes; a database without any has none.
    pub(super) async fn read(connection: &mut Connection) -> Result<Self, MigrationError> {
        let table = "select to_regclass('supabase_migrations.unfinished_files')";
        if batch::one(connection, table, &[]).await?.get(0, 0).is_none() {
            return Ok(Self::default());
        }
        let query = "select file, statements, hash from supabase_migrations.unfinished_files";
        let rows = batch::one(connection, query, &[]).await?;
        let entry = |row| {
            let text = |column| rows.text(row, column).map(str::to_owned);
            Some((text(0)?, (text(1)?.parse().ok()?, text(2)?)))
        };
        Ok(Self { files: (0..rows.rows.len()).filter_map(entry).collect() })
    }

    /// Makes the table of the notes, which few projects need.
    pub(super) async fn make(connection: &mut Connection) -> Result<(), MigrationError> {
        for step in [
            "create schema if not exists supabase_migrations",
            "create table if not exists supabase_migrations.unfinished_files \
             (file text not null primary key, statements integer not null, hash text not null)",
        ] {
            batch::one(connection, step, &[]).await?;
        }
        Ok(())
    }

    /// Whether there is a note of a file, even of one that was changed since.
    pub(super) fn knows(&self, file: &str) -> bool {
        self.files.contains_key(file)
    }

    /// How many statements of a file are committed, unless one of those was changed in the file
    /// since.
    pub(super) fn done(&self, file: &str, pieces: &[Piece<'_>]) -> Option<usize> {
        let (done, hash) = self.files.get(file)?;
        (*done <= pieces.len() && digest(&pieces[..*done]) == *hash).then_some(*done)
    }

    /// The parameters of [`NOTE`].
    pub(super) fn entry(file: &str, done: &[Piece<'_>]) -> [Param; 3] {
        [file.to_owned(), done.len().to_string(), digest(done)].map(Param::text)
    }
}

fn digest(pieces: &[Piece<'_>]) -> String {
    let texts: Vec<&str> = pieces.iter().map(|piece| piece.whole).collect();
    sha256_hex(texts.join(";\n").as_bytes())
}
