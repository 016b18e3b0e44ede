use banyan_db::{DatabaseError, RunError};

/// What is violated when PostgreSQL's detail is the row that was to be written: not null, check.
const WITH_ROW: [&str; 2] = ["23502", "23514"];

/// An error that the project's own SQL raised against a change (CONTRACT.md E5, C5).
#[derive(Debug)]
pub(crate) struct SqlRefusal {
    pub(super) sqlstate: String,
    pub(super) message: String,
    pub(super) detail: Option<String>,
    pub(super) hint: Option<String>,
    pub(super) table: Option<String>,
    /// Whether the answer may show it. True only if everything runs on this machine.
    pub(super) shown: bool,
}

impl SqlRefusal {
    /// Reads the error of a statement, unless it is no verdict on the change.
    pub(super) fn of(error: &sqlx::Error, shown: bool) -> Option<Self> {
        let sqlx::Error::Database(database) = error else { return None };
        let postgres = database.try_downcast_ref::<sqlx::postgres::PgDatabaseError>();
        Self {
            sqlstate: database.code().unwrap_or_default().into_owned(),
            message: database.message().to_owned(),
            detail: postgres.and_then(|error| error.detail()).map(str::to_owned),
            hint: postgres.and_then(|error| error.hint()).map(str::to_owned),
            table: database.table().map(str::to_owned),
            shown,
        }
        .if_verdict()
    }

    /// As [`SqlRefusal::of`], for a pipeline.
    pub(super) fn of_pipeline(error: &RunError, shown: bool) -> Option<Self> {
        let RunError::Database(database) = error else { return None };
        let DatabaseError { code, message, detail, hint, table, .. } = (**database).clone();
        Self { sqlstate: code, message, detail, hint, table, shown }.if_verdict()
    }

    /// None for a cancelled or ended connection, a deadlock or a serialisation failure, a lock
    /// timeout.
    fn if_verdict(mut self) -> Option<Self> {
        if ["57", "40", "55", "53", "58", "XX"].iter().any(|class| self.sqlstate.starts_with(class)) {
            return None;
        }
        // "Failing row contains (…)": the whole row, password hash and all.
        if WITH_ROW.contains(&self.sqlstate.as_str()) {
            self.detail = None;
        }
        Some(self)
    }

    /// `PTxyz` raised by the project's SQL asks for that status.
    pub(super) fn status(&self) -> u16 {
        self.asked_status().unwrap_or(500)
    }

    fn asked_status(&self) -> Option<u16> {
        let status = self.sqlstate.strip_prefix("PT")?.parse().ok()?;
        (400..600).contains(&status).then_some(status)
    }

    /// Whether the project's words may reach the client: it chose them for that by `PTxyz`, or the
    /// client is the developer.
    pub(super) fn is_shown(&self) -> bool {
        self.shown || self.asked_status().is_some()
    }

    pub(super) fn text(&self) -> String {
        if self.asked_status().is_some() {
            return self.message.clone();
        }
        let general = "Database error saving new user";
        match (self.shown, &self.table) {
            (false, _) => general.to_owned(),
            (true, None) => format!("{general}: {} (SQLSTATE {})", self.message, self.sqlstate),
            (true, Some(table)) => {
                format!("{general}: {} (SQLSTATE {}, table {table})", self.message, self.sqlstate)
            }
        }
    }
}
