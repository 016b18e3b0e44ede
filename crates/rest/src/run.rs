//! Stage 4: the statement leaves with the caller's role and claims in one flight.

use std::borrow::Cow;

use banyan_db::{Database, Isolation, Rows, RunAs, RunError};
use banyan_identity::Caller;
use bytes::Bytes;
use serde_json::Value;

use crate::{
    Prepared,
    error::Error,
    plan::{Plan, ReadPlan},
    request::{ApiRequest, preferences::Count},
    schema::{Catalog, Snapshot},
    settings::Settings,
    sql::{Template, checks, column},
};

/// What a statement returned.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Rows there are without limit, where they were counted.
    pub total: Option<i64>,
    /// Rows returned or written.
    pub page: i64,
    /// The body.
    pub body: Bytes,
    /// The setting `response.headers`.
    pub headers: Option<Bytes>,
    /// The setting `response.status`.
    pub status: Option<String>,
    /// Values of the new row's key; `None` is null.
    pub location: Option<Vec<Option<String>>>,
    /// Rows that were new to an upsert.
    pub inserted: Option<i64>,
}

/// Runs what was prepared for a request; without a statement nothing leaves.
///
/// # Errors
/// PGRST000 to PGRST003, what PostgreSQL refused, and the checks of a write that failed.
pub async fn run(
    database: &Database,
    snapshot: &Snapshot,
    caller: &Caller,
    request: &ApiRequest,
    prepared: &Prepared,
) -> Result<Outcome, Error> {
    let Some(template) = &prepared.sql.main else { return Ok(Outcome::default()) };
    let flight = Flight {
        database,
        caller,
        request,
        circumstances: circumstances(&snapshot.settings, &snapshot.catalog, caller, request, prepared),
    };
    let rows = flight.send(template).await?;
    let mut outcome = outcome(&rows)?;
    if let (Plan::Read(plan), Some(estimate)) = (&prepared.plan, &prepared.sql.estimate) {
        outcome.total = flight.estimated_total(plan, &snapshot.settings, outcome.total, estimate).await?;
    }
    Ok(outcome)
}

/// The same for every statement of a request.
struct Flight<'a> {
    database: &'a Database,
    caller: &'a Caller,
    request: &'a ApiRequest,
    circumstances: Circumstances<'a>,
}

/// What PostgreSQL is told beside the statement.
struct Circumstances<'a> {
    settings: Vec<(&'a str, Cow<'a, str>)>,
    isolation: Option<Isolation>,
    read_only: bool,
}

impl Flight<'_> {
    async fn send(&self, template: &Template) -> Result<Rows, Error> {
        let statement = template.statement(&self.request.values, &self.request.body);
        let run = RunAs {
            settings: &self.circumstances.settings,
            read_only: self.circumstances.read_only,
            isolation: self.circumstances.isolation,
            ..RunAs::new(self.caller, &statement)
        };
        self.database.run_as(&run).await.map_err(|error| refused(error, self.caller))
    }

    /// rest.md R12, R13
    async fn estimated_total(
        &self,
        plan: &ReadPlan,
        settings: &Settings,
        counted: Option<i64>,
        estimate: &Template,
    ) -> Result<Option<i64>, Error> {
        let counted_all = counted.is_some_and(|rows| settings.max_rows.is_some_and(|most| rows <= most));
        if plan.count == Some(Count::Estimated) && counted_all {
            return Ok(counted);
        }
        let rows = self.send(estimate).await?;
        let estimated = rows.text(0, 0).and_then(planned_rows).ok_or(Error::Result("no estimate"))?;
        Ok(Some(counted.map_or(estimated, |rows| rows.max(estimated))))
    }
}

fn planned_rows(explained: &str) -> Option<i64> {
    let plan: Value = serde_json::from_str(explained).ok()?;
    plan.get(0)?.get("Plan")?.get("Plan Rows")?.as_i64()
}

/// Settings of the request, of its role and of the function it calls; the later ones win (rest.md G01 to G10).
fn circumstances<'a>(
    settings: &'a Settings,
    catalog: &'a Catalog,
    caller: &Caller,
    request: &'a ApiRequest,
    prepared: &'a Prepared,
) -> Circumstances<'a> {
    let context = &request.context;
    let mut all: Vec<(&str, Cow<'_, str>)> = vec![
        ("search_path", settings.search_path(&request.shape.schema).into()),
        ("request.method", context.method.as_str().into()),
        ("request.path", context.path.as_str().into()),
        ("request.headers", context.headers.as_str().into()),
        ("request.cookies", context.cookies.as_str().into()),
    ];
    let of_role = catalog.roles.get(caller.role());
    let of_function = match &prepared.plan {
        Plan::Call(plan) => Some(&plan.function.settings),
        Plan::Read(_) | Plan::Write(_) | Plan::Document(_) | Plan::Info(_) => None,
    };
    let mut isolation = None;
    for (name, value) in of_role.into_iter().chain(of_function).flatten() {
        match name.as_str() {
            "default_transaction_isolation" => isolation = isolation_level(value),
            "search_path" => {}
            name => all.push((name, value.as_str().into())),
        }
    }
    if let Some(zone) = &request.shape.preferences.timezone {
        all.push(("timezone", zone.as_str().into()));
    }
    let read_only = match &prepared.plan {
        Plan::Read(_) | Plan::Document(_) | Plan::Info(_) => true,
        Plan::Write(_) => false,
        Plan::Call(plan) => plan.read_only,
    };
    Circumstances { settings: all, isolation, read_only }
}

fn isolation_level(name: &str) -> Option<Isolation> {
    match name {
        "repeatable read" => Some(Isolation::RepeatableRead),
        "serializable" => Some(Isolation::Serializable),
        _ => None,
    }
}

/// An error of PostgreSQL, or the check of ours that it stands for.
fn refused(error: RunError, caller: &Caller) -> Error {
    if let RunError::Database(refusal) = &error
        && let Some(check) = checks::failed(refusal)
    {
        return check;
    }
    Error::Run { source: Box::new(error), anonymous: caller.role() == "anon" }
}

fn outcome(rows: &Rows) -> Result<Outcome, Error> {
    let number = |column| rows.text(0, column).and_then(|text| text.parse::<i64>().ok());
    let location = rows.get(0, column::LOCATION).map(|json| serde_json::from_slice(json)).transpose();
    Ok(Outcome {
        total: number(column::TOTAL),
        page: number(column::PAGE).ok_or(Error::Result("no row count"))?,
        body: rows.rows[0].last().cloned().flatten().unwrap_or_default(),
        headers: rows.get(0, column::HEADERS).cloned(),
        status: rows.text(0, column::STATUS).map(str::to_owned),
        location: location.map_err(|_| Error::Result("the key is no array"))?,
        inserted: number(column::INSERTED),
    })
}
