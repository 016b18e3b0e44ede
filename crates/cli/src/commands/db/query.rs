//! `banyan db query`: runs statements as `postgres` and prints their rows (CONTRACT.md
//! CLI-DB-QUERY).
//!
//! Data for `copy … from stdin` stand in the lines below it, up to one that is `\.`. What
//! `copy … to stdout` gives is printed as it comes.

use std::{
    io::{self, IsTerminal, Read},
    path::Path,
};

use anyhow::{Context, bail};
use banyan_db::{Column, Login, ScriptEvent, migrations};

use super::objects::{Object, object};
use crate::{
    arguments::{Global, Output},
    database, output, project, schema_reload,
};

/// Most bytes of standard input; all of them are in memory at a time.
const MOST_PIPED: u64 = 256 << 20;

pub(super) async fn run(global: &Global, sql: Option<String>, file: Option<&Path>) -> anyhow::Result<()> {
    let (name, sql) = read(sql, file)?;
    let config = project::load(global)?;
    let database = database::connect(&config, &config.paths.state)?;
    let mut shown = Shown::new(global.output);
    // The person at the terminal is the author of the statements.
    let outcome = database.run_script(Login::Postgres, (&name, &sql), &mut |event| shown.take(event)).await;
    if shown.has_changed_schema {
        schema_reload::wait(&config, &database).await;
    }
    database.close().await;
    if shown.is_reader_gone {
        return Ok(());
    }
    outcome.context("failed to execute query")?;
    shown.end()
}

/// The statements, and how messages name where they came from.
fn read(sql: Option<String>, file: Option<&Path>) -> anyhow::Result<(String, String)> {
    if let Some(path) = file {
        return Ok((path.display().to_string(), migrations::read_sql(path)?));
    }
    if let Some(sql) = sql {
        return Ok(("query".to_owned(), sql));
    }
    let mut sql = String::new();
    if !io::stdin().is_terminal() {
        // Whoever left out the argument, with a pipe that nobody closes, would wait for nothing.
        output::note("Reading SQL from standard input...");
        sql = read_piped(io::stdin().lock(), MOST_PIPED)?;
    }
    if sql.trim().is_empty() {
        bail!("no SQL query provided. Pass SQL as an argument, via --file, or pipe to stdin");
    }
    Ok(("stdin".to_owned(), sql))
}

/// Reads at most so many bytes.
fn read_piped(input: impl Read, most: u64) -> anyhow::Result<String> {
    let mut sql = String::new();
    input.take(most + 1).read_to_string(&mut sql).context("cannot read standard input")?;
    if sql.len() as u64 > most {
        bail!("standard input holds more than {most} bytes: give the file by --file");
    }
    Ok(sql.trim_start_matches('\u{feff}').to_owned())
}

/// Received messages that are not printed yet.
struct Shown {
    form: Output,
    columns: Vec<Column>,
    rows: Vec<Vec<Option<String>>>,
    objects: Vec<Object>,
    has_copied: bool,
    is_reader_gone: bool,
    has_changed_schema: bool,
}

impl Shown {
    fn new(form: Output) -> Self {
        Self {
            form,
            columns: Vec::new(),
            rows: Vec::new(),
            objects: Vec::new(),
            has_copied: false,
            is_reader_gone: false,
            has_changed_schema: false,
        }
    }

    fn take(&mut self, event: ScriptEvent) -> io::Result<()> {
        match event {
            ScriptEvent::Columns(columns) => {
                self.end_rows();
                self.columns = columns;
            }
            ScriptEvent::Row(row) if self.form == Output::Json => {
                self.objects.push(object(&self.columns, row))
            }
            ScriptEvent::Row(row) => self.rows.push(row),
            ScriptEvent::Notice(text) => output::note(text),
            ScriptEvent::SchemaChanged => self.has_changed_schema = true,
            ScriptEvent::Copied(bytes) => {
                self.end_rows();
                self.has_copied = true;
                // Whoever reads no further is no failure, but wants no more.
                output::bytes(&bytes).inspect_err(|_| self.is_reader_gone = true)?;
            }
        }
        Ok(())
    }

    /// Prints the rows of one statement.
    fn end_rows(&mut self) {
        if !self.rows.is_empty() {
            output::raw(&table(&self.columns, &std::mem::take(&mut self.rows)));
        }
    }

    fn end(mut self) -> anyhow::Result<()> {
        self.end_rows();
        // Copied data stand alone, so that a program can read them.
        if self.form == Output::Json && !(self.has_copied && self.objects.is_empty()) {
            output::line(serde_json::to_string_pretty(&self.objects)?);
        }
        Ok(())
    }
}

fn table(names: &[Column], rows: &[Vec<Option<String>>]) -> String {
    let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "NULL".to_owned());
    let mut lines = vec![names.iter().map(|column| column.name.clone()).collect::<Vec<_>>()];
    lines.extend(rows.iter().map(|row| row.iter().map(text).collect()));
    columns(&lines)
}

/// Lines of equal columns, the first one underlined.
fn columns(lines: &[Vec<String>]) -> String {
    let widths: Vec<usize> = (0..lines[0].len())
        .map(|place| lines.iter().map(|line| line[place].chars().count()).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for (number, line) in lines.iter().enumerate() {
        let cells: Vec<String> =
            line.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}", width = *width)).collect();
        text += &format!(" {}\n", cells.join(" | ").trim_end());
        if number == 0 {
            let rules: Vec<String> = widths.iter().map(|width| "-".repeat(width + 2)).collect();
            text += &format!("{}\n", rules.join("+"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: CLI-DB-QUERY
    #[test]
    fn what_comes_by_standard_input_is_bounded() {
        let said = |most| read_piped(&b"\xef\xbb\xbfselect 1"[..], most).map_err(|error| error.to_string());
        assert_eq!(said(11), Ok("select 1".to_owned()));
        assert_eq!(
            said(10),
            Err("standard input holds more than 10 bytes: give the file by --file".to_owned())
        );
    }

    #[test]
    fn columns_are_as_wide_as_their_longest_value() {
        let lines = [vec!["id".to_owned(), "name".to_owned()], vec!["100".to_owned(), "x".to_owned()]];
        assert_eq!(columns(&lines), " id  | name\n-----+------\n 100 | x\n");
    }
}
