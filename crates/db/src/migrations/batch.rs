//! A file of SQL as one batch, and what to say when it fails.

use crate::{
    DatabaseError, MigrationError, Param, Rows, RunError,
    flight::{Connection, Failure, Flight},
    sql::{Piece, split},
};

/// Runs a file's statements and one more at the end, all under one Sync: one transaction, unless the file itself begins
/// and commits (stack.md 1.7).
pub(super) async fn run(
    connection: &mut Connection,
    file: &str,
    text: &str,
    record: (&str, &[Param]),
) -> Result<(), MigrationError> {
    let pieces = split(text);
    let mut flight = Flight::new(connection);
    flight.load(|manifest| {
        // What the file before left set must not reach this one.
        manifest.step_once("reset all", std::iter::empty())?;
        for piece in &pieces {
            manifest.step_once(piece.text, std::iter::empty())?;
        }
        manifest.step_once(record.0, record.1.iter().map(|param| (param.value.as_deref(), param.type_oid)))
    })?;
    match flight.fly(usize::MAX).await {
        Ok(_) => Ok(()),
        Err(Failure::Refused { step, error }) => Err(MigrationError::Statement {
            file: file.to_owned(),
            report: report(&pieces, step.saturating_sub(1), &error),
            source: error,
        }),
        Err(failure) => Err(RunError::from(failure).into()),
    }
}

/// Runs one statement by itself and gives its rows.
pub(super) async fn one(
    connection: &mut Connection,
    text: &str,
    params: &[Param],
) -> Result<Rows, MigrationError> {
    let mut flight = Flight::new(connection);
    flight.load(|manifest| {
        manifest.step_once(text, params.iter().map(|param| (param.value.as_deref(), param.type_oid)))
    })?;
    Ok(flight.fly(0).await.map_err(RunError::from)?)
}

/// The server's message, detail and hint, which statement it was (from 0, as upstream counts), and where in it.
fn report(pieces: &[Piece<'_>], step: usize, error: &DatabaseError) -> String {
    let mut lines = vec![format!("{}: {} (SQLSTATE {})", error.severity, error.message, error.code)];
    lines.extend(error.detail.clone());
    lines.extend(error.hint.as_ref().map(|hint| format!("Hint: {hint}")));
    match crate::missing(error) {
        Some(sentence) => lines.push(format!("Hint: {sentence}")),
        None => lines.extend(qualify_hint(error)),
    }
    lines.push(format!("At statement: {step}"));
    if let Some(piece) = pieces.get(step) {
        lines.push(point_at(piece.text, error.position));
    }
    lines.join("\n")
}

fn qualify_hint(error: &DatabaseError) -> Option<String> {
    let name = error.message.strip_prefix("type \"")?.split('"').next()?;
    (error.code == "42704").then(|| {
        format!(
            "Hint: This type may be defined in a schema that's not in your search_path. Use schema-qualified type \
             references to avoid this error: CREATE TABLE example (col extensions.{name});"
        )
    })
}

/// The statement up to the line of the error, with a caret under the place; whole when there is no place.
fn point_at(text: &str, position: Option<u32>) -> String {
    let Some(mut left) = position.and_then(|position| usize::try_from(position).ok()).filter(|p| *p > 0)
    else {
        return text.to_owned();
    };
    let mut shown = Vec::new();
    for line in text.split('\n') {
        shown.push(line.to_owned());
        let length = line.chars().count();
        if left <= length {
            shown.push(format!("{}^", " ".repeat(left - 1)));
            break;
        }
        left -= length + 1;
        if left == 0 {
            break;
        }
    }
    shown.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_stands_under_the_place() {
        assert_eq!(point_at("select 1,\n  nope\nfrom t", Some(13)), "select 1,\n  nope\n  ^");
        assert_eq!(point_at("select x", Some(8)), "select x\n       ^");
        assert_eq!(point_at("select x", None), "select x");
    }

    #[test]
    fn a_missing_type_is_explained() {
        let error = DatabaseError {
            severity: "ERROR".into(),
            code: "42704".into(),
            message: "type \"ltree\" does not exist".into(),
            position: Some(23),
            ..DatabaseError::default()
        };
        let pieces = split("select 1; create table t (path ltree)");
        let report = report(&pieces, 1, &error);
        assert!(
            report.starts_with("ERROR: type \"ltree\" does not exist (SQLSTATE 42704)\nHint: "),
            "{report}"
        );
        assert!(
            report.contains("(col extensions.ltree);\nAt statement: 1\ncreate table t (path ltree)\n"),
            "{report}"
        );
        assert!(report.ends_with("                      ^"), "{report}");
    }
}
