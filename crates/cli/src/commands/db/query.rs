//! `banyan db query`: runs one statement as `postgres` and prints its rows (stack.md 1.4).

use anyhow::Context;
use banyan_db::Login;
use serde_json::{Map, Value};
use sqlx::{AssertSqlSafe, Column, Row, postgres::PgRow};

use crate::{
    arguments::{Global, Output},
    database, output, project,
};

pub(super) async fn run(global: &Global, sql: &str) -> anyhow::Result<()> {
    let config = project::load(global)?;
    let database = database::connect(&config, &config.paths.state)?;
    // The person at the terminal is the author of the statement.
    let rows = sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).fetch_all(database.pool(Login::Postgres)).await;
    database.close().await;
    let rows = rows.context("failed to execute query")?;
    match global.output {
        Output::Json => output::line(serde_json::to_string_pretty(&objects(&rows))?),
        Output::Pretty | Output::Env => output::raw(&table(&rows)),
    }
    Ok(())
}

/// Values in PostgreSQL's text form, as the simple protocol gives them; none is null.
fn texts(row: &PgRow) -> Vec<Option<String>> {
    (0..row.len()).map(|place| row.try_get_unchecked(place).unwrap_or(None)).collect()
}

fn objects(rows: &[PgRow]) -> Vec<Value> {
    let object = |row: &PgRow| {
        let names = row.columns().iter().map(|column| column.name().to_owned());
        Value::Object(names.zip(texts(row).into_iter().map(Value::from)).collect::<Map<_, _>>())
    };
    rows.iter().map(object).collect()
}

fn table(rows: &[PgRow]) -> String {
    let Some(first) = rows.first() else { return String::new() };
    let mut lines = vec![first.columns().iter().map(|column| column.name().to_owned()).collect::<Vec<_>>()];
    lines.extend(rows.iter().map(|row| {
        texts(row).into_iter().map(|text| text.unwrap_or_else(|| "NULL".to_owned())).collect::<Vec<_>>()
    }));
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

    #[test]
    fn columns_are_as_wide_as_their_longest_value() {
        let lines = [vec!["id".to_owned(), "name".to_owned()], vec!["100".to_owned(), "x".to_owned()]];
        assert_eq!(columns(&lines), " id  | name\n-----+------\n 100 | x\n");
    }
}
