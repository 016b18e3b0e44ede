//! `banyan migration list`: the files beside the history of the database (CONTRACT.md
//! CLI-MIGRATION-LIST).

use std::collections::BTreeSet;

use banyan_db::migrations;
use serde_json::json;

use crate::{
    arguments::{Global, Output},
    database, output, project,
};

pub(super) async fn run(global: &Global) -> anyhow::Result<()> {
    let config = project::load(global)?;
    let database = database::connect(&config, &config.paths.state)?;
    let applied: Vec<String> = migrations::applied(&database).await?;
    database.close().await;
    let files: Vec<String> =
        migrations::list(&config.paths.migrations())?.files.into_iter().map(|file| file.version).collect();
    let rows = rows(&files, &applied);
    if global.output == Output::Json {
        let rows: Vec<_> = rows
            .iter()
            .map(|row| json!({"local": row.local, "remote": row.remote, "time": row.time}))
            .collect();
        output::line(json!({ "migrations": rows }));
    } else {
        output::raw(&table(&rows));
    }
    Ok(())
}

/// One version, on either side or both.
#[derive(Debug, PartialEq, Eq)]
struct Row {
    local: String,
    remote: String,
    time: String,
}

fn rows(files: &[String], applied: &[String]) -> Vec<Row> {
    let versions: BTreeSet<(usize, &String)> =
        files.iter().chain(applied).map(|version| (version.trim_start_matches('0').len(), version)).collect();
    let on = |side: &[String], version: &String| {
        if side.contains(version) { version.clone() } else { String::new() }
    };
    versions
        .into_iter()
        .map(|(_, version)| Row {
            local: on(files, version),
            remote: on(applied, version),
            time: readable(version),
        })
        .collect()
}

/// `2026-11-21 10:00:00` of a 14-digit version, any other as it is.
fn readable(version: &str) -> String {
    match version.len() {
        14 => format!(
            "{}-{}-{} {}:{}:{}",
            &version[..4],
            &version[4..6],
            &version[6..8],
            &version[8..10],
            &version[10..12],
            &version[12..]
        ),
        _ => version.to_owned(),
    }
}

fn table(rows: &[Row]) -> String {
    let mut text = format!("\n  {:<14} | {:<14} | {:<19}\n", "Local", "Remote", "Time (UTC)");
    text += &format!("  {}|{}|{}\n", "-".repeat(15), "-".repeat(16), "-".repeat(20));
    for row in rows {
        text += &format!("  {:<14} | {:<14} | {:<19}\n", row.local, row.remote, row.time);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: CLI-MIGRATION-LIST
    #[test]
    fn each_version_shows_where_it_is() {
        let texts = |versions: &[&str]| versions.iter().map(|v| (*v).to_owned()).collect::<Vec<_>>();
        let rows = rows(&texts(&["20260101000000", "20260102030405"]), &texts(&["20260101000000", "7"]));
        let sides: Vec<_> = rows.iter().map(|row| (row.local.as_str(), row.remote.as_str())).collect();
        assert_eq!(sides, [("", "7"), ("20260101000000", "20260101000000"), ("20260102030405", "")]);
        assert_eq!(rows[2].time, "2026-01-02 03:04:05");
        assert!(table(&rows).contains("  20260102030405 |                | 2026-01-02 03:04:05\n"));
    }
}
