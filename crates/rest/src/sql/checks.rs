//! Conditions of a write. If one fails, the statement raises an error, so that nothing is committed
//! (db/CONTRACT.md PG-PIPELINE-ATOMIC).
//!
//! A check that fails asks for a setting that does not exist. PostgreSQL's refusal (42704) carries
//! the setting's name, which says what failed and for how many rows.

use banyan_db::DatabaseError;

use super::writer::Sql;
use crate::{error::Error, plan::Checks};

const PREFIX: &str = "pgrst.check.";

/// Adds the checks as columns of the statement's row.
pub(super) fn columns(sql: &mut Sql, checks: &Checks) {
    if checks.singular {
        sql.push(&column("count(*) <> 1", "singular"));
    }
    if checks.put {
        sql.push(&column("count(*) <> 1", "put"));
    }
    if let Some(rows) = checks.max_affected {
        sql.push(", CASE WHEN count(*) > ").fixed(rows.to_string()).push("::bigint");
        sql.push(&raise("max_affected"));
    }
}

fn column(condition: &str, name: &str) -> String {
    format!(", CASE WHEN {condition}{}", raise(name))
}

fn raise(name: &str) -> String {
    format!(" THEN current_setting('{PREFIX}{name}.' || count(*)) END")
}

/// The check that an error of PostgreSQL stands for, if it stands for one.
#[must_use]
pub fn failed(error: &DatabaseError) -> Option<Error> {
    if error.code != "42704" {
        return None;
    }
    let (_, found) = error.message.split_once(PREFIX)?;
    let (name, rest) = found.split_once('.')?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    let rows = digits.parse().ok()?;
    match name {
        "singular" => Some(Error::NotSingular(rows)),
        "put" => Some(Error::PutMismatch),
        "max_affected" => Some(Error::MaxAffected(rows)),
        _ => None,
    }
}
