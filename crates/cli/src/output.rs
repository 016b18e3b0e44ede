//! The one place that prints: results on standard output, remarks on standard error. A closed pipe is no failure.

use std::{
    borrow::Cow,
    fmt::Display,
    io::{IsTerminal, Write},
    process::ExitCode,
};

use anyhow::bail;
use serde_json::Value;

use crate::arguments::Output;

/// One line of the result.
pub(crate) fn line(text: impl Display) {
    let mut out = std::io::stdout().lock();
    // The reader may be gone, which is its own affair.
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}

/// A text that came from elsewhere, for a terminal: its control characters, those that turn the direction of writing around
/// among them, could hide lines or forge them and are written out; line ends and tabs stay.
pub(crate) fn harmless(text: &str) -> Cow<'_, str> {
    let turns =
        |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}');
    let harms = |c: char| turns(c) || c.is_control() && c != '\n' && c != '\t';
    if !text.contains(harms) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if harms(c) { shown.extend(c.escape_unicode()) } else { shown.push(c) }
    }
    shown.into()
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

/// Whether standard error is a terminal that a person reads.
pub(crate) fn notes_are_read() -> bool {
    std::io::stderr().is_terminal()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_from_elsewhere_moves_no_cursor() {
        let forged = "Asha\u{1b}]0;title\u{7}\rfine\u{9b}2J";
        assert_eq!(harmless(forged), "Asha\\u{1b}]0;title\\u{7}\\u{d}fine\\u{9b}2J");
        assert_eq!(harmless("exe.\u{202e}fdp"), "exe.\\u{202e}fdp");
        assert_eq!(harmless("नमस्ते\tfirst\nsecond"), "नमस्ते\tfirst\nsecond");
    }
}
