//! The one place that prints: results on standard output, remarks on standard error. A closed pipe
//! is no failure.

use std::{
    fmt::Display,
    io::{IsTerminal, Write},
    process::ExitCode,
};

use anyhow::bail;
use banyan_config::Environment;
pub(crate) use banyan_server::logs::harmless;
use serde_json::Value;

use crate::arguments::Output;

/// One line of the result.
pub(crate) fn line(text: impl Display) {
    let mut out = std::io::stdout().lock();
    // The reader may be gone, which is its own affair.
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}

/// The result as it is, without a line end of its own.
pub(crate) fn raw(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// A table: a line of names, and a line for each row.
fn table<const N: usize>(names: [&str; N], rows: &[[String; N]]) {
    let width = |column: usize| {
        let longest = rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
        longest.max(names[column].len())
    };
    let widths: [usize; N] = std::array::from_fn(width);
    let show = |cells: [&str; N]| {
        let cells: Vec<String> =
            cells.iter().zip(widths).map(|(cell, width)| format!(" {cell:<width$} ")).collect();
        line(cells.join("|").trim_end());
    };
    show(names);
    line(widths.map(|width| "-".repeat(width + 2)).join("|"));
    for row in rows {
        let cells = row.each_ref().map(|cell| harmless(cell));
        show(std::array::from_fn(|column| cells[column].as_ref()));
    }
}

/// A table, or what it shows as JSON.
///
/// # Errors
/// Variables are asked for, which no table can be.
pub(crate) fn table_or_json<const N: usize>(
    form: Output,
    names: [&str; N],
    rows: &[[String; N]],
    json: &Value,
) -> anyhow::Result<()> {
    match form {
        Output::Pretty => table(names, rows),
        Output::Json => line(format_args!("{json:#}")),
        Output::Env => bail!("--output env flag is not supported"),
    }
    Ok(())
}

/// Bytes of a result, as they are.
///
/// # Errors
/// Nobody reads them any longer.
pub(crate) fn bytes(bytes: &[u8]) -> std::io::Result<()> {
    std::io::stdout().lock().write_all(bytes)
}

/// A remark beside the result.
pub(crate) fn note(text: impl Display) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Asks a person a question on the terminal. Without one the answer is `default`, as with the
/// supabase CLI.
pub(crate) fn confirms(question: &str, yes: bool, default: bool) -> bool {
    let choices = if default { "[Y/n]" } else { "[y/N]" };
    if yes {
        note(format_args!("{question} {choices} y"));
        return true;
    }
    let input = std::io::stdin();
    if !input.is_terminal() {
        note(format_args!("{question} {choices}"));
        return default;
    }
    let _ = write!(std::io::stderr().lock(), "{question} {choices} ");
    let mut line = String::new();
    input.read_line(&mut line).map_or(default, |_| answer(&line, default))
}

fn answer(line: &str, default: bool) -> bool {
    match line.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => true,
        "n" | "no" => false,
        _ => default,
    }
}

/// Returns whether standard error is a terminal that a person reads.
pub(crate) fn notes_are_read() -> bool {
    std::io::stderr().is_terminal()
}

/// Returns whether remarks may be coloured: standard error is a terminal with colours, and the
/// variable NO_COLOR is not set.
pub(crate) fn notes_are_coloured(environment: &Environment) -> bool {
    let asks_for_none = environment.get("NO_COLOR").is_some_and(|value| !value.is_empty());
    notes_are_read() && !asks_for_none && environment.get("TERM") != Some("dumb")
}

/// An error with its causes, and the exit code that goes with it.
pub(crate) fn failure(error: &anyhow::Error) -> ExitCode {
    let causes: Vec<String> = error.chain().map(ToString::to_string).collect();
    let mut text: Vec<&str> = Vec::new();
    for cause in &causes {
        // Errors that repeat their source would say everything twice.
        if !text.iter().any(|said| said.contains(cause.as_str())) {
            text.push(cause);
        }
    }
    note(text.join(": "));
    ExitCode::FAILURE
}
