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
    /// Reads the error of a statement, unless it is no verdict on the change: a cancelled or ended
    /// connection, a deadlock or a serialisation failure, a lock timeout.
    pub(super) fn of(error: &sqlx::Error, shown: bool) -> Option<Self> {
        let sqlx::Error::Database(database) = error else { return None };
        let sqlstate = database.code().unwrap_or_default().into_owned();
        if ["57", "40", "55", "53", "58", "XX"].iter().any(|class| sqlstate.starts_with(class)) {
            return None;
        }
        let postgres = database.try_downcast_ref::<sqlx::postgres::PgDatabaseError>();
        // "Failing row contains (…)": the whole row, password hash and all.
        let shows_row = WITH_ROW.contains(&sqlstate.as_str());
        let detail = postgres.and_then(|error| error.detail()).filter(|_| !shows_row);
        Some(Self {
            message: database.message().to_owned(),
            detail: detail.map(str::to_owned),
            hint: postgres.and_then(|error| error.hint()).map(str::to_owned),
            table: database.table().map(str::to_owned),
            sqlstate,
            shown,
        })
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
