//! Stage 4: the statement leaves with the caller's role and claims in one flight.

use std::borrow::Cow;

use banyan_db::{Answer, Database, Isolation, Last, RunAs, RunError};
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
#[derive(Debug, Default)]
pub struct Outcome {
    /// Rows there are without limit, where they were counted.
    pub total: Option<i64>,
    /// Rows returned or written.
    pub page: i64,
    /// The body, when all of it is here.
    pub body: Bytes,
    /// The body, while it arrives: a large one of a read.
    pub arriving: Option<banyan_db::Body>,
    /// The setting `response.headers`.
    pub headers: Option<Bytes>,
    /// The setting `response.status`.
    pub status: Option<String>,
    /// Values of the new row's key; `None` is null.
    pub location: Option<Vec<Option<String>>>,
    /// Rows that were new to an upsert.
    pub inserted: Option<i64>,
}

/// Most bytes of what the root document is made of.
const LARGEST_DOCUMENT: usize = 64 << 20;

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
    // Asked before, so that a body that still arrives need not hold its connection meanwhile.
    let estimate = match &prepared.sql.estimate {
        Some(estimate) => Some(flight.estimate(estimate).await?),
        None => None,
    };
    let mut answer = flight.send(template).await?;
    if let Plan::Document(_) = prepared.plan {
        answer = answer.whole(LARGEST_DOCUMENT).await.map_err(|error| refused(error, caller))?;
    }
    let mut outcome = outcome(answer)?;
    if let (Plan::Read(plan), Some(estimate)) = (&prepared.plan, estimate) {
        outcome.total = Some(estimated_total(plan, &snapshot.settings, outcome.total, estimate));
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
    async fn send(&self, template: &Template) -> Result<Answer, Error> {
        let statement = template.statement(&self.request.values, &self.request.body);
        let run = RunAs {
            settings: &self.circumstances.settings,
            read_only: self.circumstances.read_only,
            isolation: self.circumstances.isolation,
            ..RunAs::new(self.caller, &statement)
        };
        self.database.answer_as(&run).await.map_err(|error| refused(error, self.caller))
    }

    /// The planner's number of rows (rest.md R12, R13).
    async fn estimate(&self, estimate: &Template) -> Result<i64, Error> {
        let answer = self.send(estimate).await?;
        let Last::Whole(Some(explained)) = answer.last else { return Err(Error::Result("no estimate")) };
        planned_rows(&explained).ok_or(Error::Result("no estimate"))
    }
}

/// The estimate, or the number counted where all rows were (rest.md R12, R13).
fn estimated_total(plan: &ReadPlan, settings: &Settings, counted: Option<i64>, estimate: i64) -> i64 {
    match counted {
        Some(rows)
            if plan.count == Some(Count::Estimated) && settings.max_rows.is_some_and(|most| rows <= most) =>
        {
            rows
        }
        Some(rows) => rows.max(estimate),
        None => estimate,
    }
}

fn planned_rows(explained: &[u8]) -> Option<i64> {
    let plan: Value = serde_json::from_slice(explained).ok()?;
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

fn outcome(answer: Answer) -> Result<Outcome, Error> {
    let Answer { columns, last } = answer;
    let value = |column: usize| columns.get(column)?.as_ref();
    let text = |column| value(column).and_then(|value| std::str::from_utf8(value).ok());
    let number = |column| text(column).and_then(|text| text.parse::<i64>().ok());
    let location = value(column::LOCATION).map(|json| serde_json::from_slice(json)).transpose();
    let (body, arriving) = match last {
        Last::Whole(body) => (body.unwrap_or_default(), None),
        Last::Arriving(body) => (Bytes::new(), Some(body)),
    };
    Ok(Outcome {
        total: number(column::TOTAL),
        page: number(column::PAGE).ok_or(Error::Result("no row count"))?,
        body,
        arriving,
        headers: value(column::HEADERS).cloned(),
        status: text(column::STATUS).map(str::to_owned),
        location: location.map_err(|_| Error::Result("the key is no array"))?,
        inserted: number(column::INSERTED),
    })
}
