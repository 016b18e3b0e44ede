//! What to say when a statement of a file fails.

use crate::{
    DatabaseError,
    sql::{Kind, Piece, commits, tokens},
};

/// Where a file stopped.
#[derive(Debug, Default)]
pub(crate) struct Stop<'f> {
    /// The statement, from 0 as upstream counts; behind the last one, the end of the file.
    pub(crate) statement: usize,
    /// Statements before it that are committed.
    pub(crate) committed: usize,
    /// The last statement up to it that cannot run in a transaction.
    pub(crate) outside_transaction: Option<usize>,
    /// Whether an earlier run may have ended while it ran.
    pub(crate) may_have_run: bool,
    /// Statements that an earlier run committed, where they were changed since, and their file.
    pub(crate) changed: Option<(usize, &'f str)>,
    /// Whether the next run begins behind what is committed.
    pub(crate) goes_on: bool,
}

/// The line of the file, and: the server's message, detail and hint, which statement it was, where
/// in it, and what stays.
pub(crate) fn report(pieces: &[Piece<'_>], stop: &Stop<'_>, error: &DatabaseError) -> (usize, String) {
    let mut lines = vec![format!("{}: {} (SQLSTATE {})", error.severity, error.message, error.code)];
    match crate::unsupported(error) {
        // PostgreSQL's own advice is to install it.
        Some(sentence) => lines.push(format!("Hint: {sentence}")),
        None => {
            lines.extend(error.detail.clone());
            lines.extend(error.hint.as_ref().map(|hint| format!("Hint: {hint}")));
            lines.extend(qualify_hint(error));
        }
    }
    let piece = pieces.get(stop.statement);
    let is_copy = piece.is_some_and(|piece| matches!(piece.kind, Kind::CopyIn(_)));
    // It names the line of the data.
    lines.extend(error.context.clone().filter(|_| is_copy));
    lines.push(match piece {
        Some(_) => format!("At statement: {}", stop.statement),
        None => "At the end of the file, where it is committed".to_owned(),
    });
    lines.extend(piece.map(|piece| point_at(piece.text, error.position)));
    lines.extend(stop.changed.map(|(statements, file)| format!("{}. {}", changed(statements), way_on(file))));
    lines.extend(piece.and_then(|piece| left_index(piece, error)));
    lines.extend(kept(pieces, stop));
    let line = piece.or(pieces.last()).map_or(1, |piece| line_of(piece, error));
    (line, lines.join("\n"))
}

/// What is said of statements that ran before they were what they are.
pub(super) fn changed(statements: usize) -> String {
    match statements {
        1 => "An earlier run of this file committed its first statement; it was changed since".to_owned(),
        _ => format!(
            "An earlier run of this file committed its first {statements} statements; they were changed since"
        ),
    }
}

/// What to do about such a file.
fn way_on(file: &str) -> String {
    let version = file.split_once('_').map(|(version, _)| version);
    let version = version.filter(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()));
    let by_hand = version.map(|version| {
        format!(
            " Or run the rest of it by hand, and enter it in the history: \
             `banyan migration repair {version} --status applied`"
        )
    });
    format!(
        "With those as they were, the next run goes on behind them. Or undo by hand what they did, and run the file \
         again.{}",
        by_hand.unwrap_or_default()
    )
}

/// What a `create index concurrently` leaves that failed after its beginning.
fn left_index(piece: &Piece<'_>, error: &DatabaseError) -> Option<String> {
    let words: Vec<String> = tokens(piece.text).take(8).map(str::to_ascii_lowercase).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let makes_index = matches!(
        words.as_slice(),
        ["create", "index", "concurrently", ..] | ["create", "unique", "index", "concurrently", ..]
    );
    let rebuilds = words.first() == Some(&"reindex") && words.contains(&"concurrently");
    // Such an error is of its text, and comes before it does anything.
    let began = !["42", "0A", "25"].iter().any(|class| error.code.starts_with(class));
    ((makes_index || rebuilds) && began).then(|| {
        "It leaves an invalid index behind, to be dropped before the next run: \
         `select indexrelid::regclass from pg_index where not indisvalid` names it"
            .to_owned()
    })
}

/// What was not rolled back, and why.
fn kept(pieces: &[Piece<'_>], stop: &Stop<'_>) -> Option<String> {
    if stop.may_have_run {
        return Some(
            "An earlier run ended while this statement ran, so it may have taken effect, in whole or in part: if it has, \
             take that back, or leave the statement out of the file"
                .to_owned(),
        );
    }
    let last = stop.committed.checked_sub(1)?;
    let outside = stop.outside_transaction.map(|place| (place, "cannot run in a transaction"));
    let ending =
        pieces[..stop.committed].iter().rposition(commits).map(|place| (place, "ends a transaction"));
    let why = outside.or(ending).and_then(|(place, what)| {
        Some(format!(", since statement {place} (line {}) {what}", pieces.get(place)?.line))
    });
    let which = match last {
        0 => "Statement 0 is committed and was".to_owned(),
        _ => format!("Statements 0 to {last} are committed and were"),
    };
    let next = match stop.goes_on {
        true => " The next run goes on behind them.",
        false => "",
    };
    Some(format!("{which} not rolled back{}.{next}", why.unwrap_or_default()))
}

fn line_of(piece: &Piece<'_>, error: &DatabaseError) -> usize {
    if let Some(line) = line_of_data(piece, error) {
        return line;
    }
    let before = error
        .position
        .and_then(|position| usize::try_from(position).ok())
        .unwrap_or_default()
        .saturating_sub(1);
    piece.line + piece.text.chars().take(before).filter(|c| *c == '\n').count()
}

/// The line of the file that holds the data of which the server gives the line.
fn line_of_data(piece: &Piece<'_>, error: &DatabaseError) -> Option<usize> {
    let Kind::CopyIn(Some(data)) = piece.kind else { return None };
    let copy = error.context.as_deref()?.lines().find_map(|line| line.strip_prefix("COPY "))?;
    let (_, rest) = copy.split_once(", line ")?;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let within: usize = rest[..digits].parse().ok()?;
    // The data stand at the end of the statement, before the line `\.`.
    let (statement, _) = piece.whole.rsplit_once(data).filter(|_| !data.is_empty())?;
    Some(piece.line + statement.matches('\n').count() + within.checked_sub(1)?)
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

/// The statement up to the line of the error, with a caret under the place; whole when there is no
/// place.
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
    use crate::sql::split;

    #[test]
    fn the_caret_stands_under_the_place() {
        assert_eq!(point_at("select 1,\n  nope\nfrom t", Some(13)), "select 1,\n  nope\n  ^");
        assert_eq!(point_at("select x", Some(8)), "select x\n       ^");
        assert_eq!(point_at("select x", None), "select x");
    }

    fn missing(name: &str, position: u32) -> DatabaseError {
        DatabaseError {
            severity: "ERROR".into(),
            code: "42704".into(),
            message: format!("type \"{name}\" does not exist"),
            position: Some(position),
            ..DatabaseError::default()
        }
    }

    // rows: cli/CLI-ERROR-TYPE
    #[test]
    fn a_missing_type_is_explained() {
        let pieces = split("select 1; create table t (path ltree)");
        let stop = Stop { statement: 1, ..Stop::default() };
        let (_, report) = report(&pieces, &stop, &missing("ltree", 23));
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

    #[test]
    fn the_line_is_that_of_the_place_in_the_file() {
        let pieces = split("select 1;\n\ncreate table t (\n  path ltree\n)");
        for (statement, position, line) in [(1, 23, 4), (1, 1, 3), (0, 1, 1), (2, 1, 3)] {
            let stop = Stop { statement, ..Stop::default() };
            assert_eq!(report(&pieces, &stop, &missing("ltree", position)).0, line);
        }
    }
}
