//! Stage 4: the statement leaves with the caller's role and claims in one pipeline.

use std::borrow::Cow;

use banyan_db::{Answer, Database, Isolation, Last, Rows, RunAs, RunError, Statement};
use banyan_identity::Caller;
use bytes::{Bytes, BytesMut};
use serde_json::Value;

use crate::{
    Prepared,
    error::Error,
    plan::{Plan, ReadPlan},
    request::{
        ApiRequest,
        preferences::{Count, Transaction},
    },
    schema::{Catalog, Snapshot},
    settings::{Settings, TransactionEnd},
    sql::{self, Template, checks, column},
};

/// The result of a statement.
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

/// Most bytes of a body that is not passed through as it comes: binary ones, and what the root
/// document is made of.
const LARGEST_WHOLE: usize = 64 << 20;

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
    let execution = Execution {
        database,
        caller,
        request,
        run_options: run_options(&snapshot.settings, &snapshot.catalog, caller, request, prepared),
    };
    let answer = prepared.plan.answer();
    if answer.is_some_and(|answer| answer.explain.is_some()) {
        return Ok(Outcome {
            body: explained(&execution.send_for_rows(template).await?),
            ..Outcome::default()
        });
    }
    // The estimate comes first, so that a body that is still arriving need not hold its connection.
    let estimate = match &prepared.sql.estimate {
        Some(estimate) => Some(execution.estimate(estimate).await?),
        None => None,
    };
    let is_binary = answer.is_some_and(|answer| answer.format.is_binary());
    let mut answer = execution.send(template).await?;
    if is_binary || matches!(prepared.plan, Plan::Document(_)) {
        answer = answer.whole(LARGEST_WHOLE).await.map_err(|error| execution.refused(error))?;
    }
    let mut outcome = outcome(answer)?;
    if is_binary {
        outcome.body = unhex(&outcome.body).ok_or(Error::Result("no bytes"))?;
    }
    if let (Plan::Read(plan), Some(estimate)) = (&prepared.plan, estimate) {
        outcome.total = Some(estimated_total(plan, &snapshot.settings, outcome.total, estimate));
    }
    Ok(outcome)
}

/// Asks PostgreSQL whether the caller may run the statement, with an empty table in place of the
/// body. Nothing is changed: the effects of `pre_request` are rolled back.
///
/// # Errors
/// See [`run`]; 42501 among them.
pub(crate) async fn judge(
    database: &Database,
    snapshot: &Snapshot,
    caller: &Caller,
    request: &ApiRequest,
    prepared: &Prepared,
) -> Result<(), Error> {
    let Some(template) = sql::judgement(&prepared.plan, &snapshot.settings) else { return Ok(()) };
    let known = run_options(&snapshot.settings, &snapshot.catalog, caller, request, prepared);
    let run_options = RunOptions { rollback: true, ..known };
    let execution = Execution { database, caller, request, run_options };
    let statement = template.statement(&request.values, &Bytes::from_static(b"[]"));
    let judged = database.run_as(&execution.run_of(&statement)).await;
    judged.map(drop).map_err(|error| execution.refused(error))
}

/// Parts that all statements of a request share.
struct Execution<'a> {
    database: &'a Database,
    caller: &'a Caller,
    request: &'a ApiRequest,
    run_options: RunOptions<'a>,
}

/// Settings and options of a run, besides the statement.
struct RunOptions<'a> {
    settings: Vec<(&'a str, Cow<'a, str>)>,
    isolation: Option<Isolation>,
    read_only: bool,
    pre_request: Option<&'a str>,
    rollback: bool,
    once: bool,
    anonymous_role: Option<&'a str>,
}

impl Execution<'_> {
    async fn send(&self, template: &Template) -> Result<Answer, Error> {
        let statement = template.statement(&self.request.values, &self.request.body);
        self.database.answer_as(&self.run_of(&statement)).await.map_err(|error| self.refused(error))
    }

    async fn send_for_rows(&self, template: &Template) -> Result<Rows, Error> {
        let statement = template.statement(&self.request.values, &self.request.body);
        self.database.run_as(&self.run_of(&statement)).await.map_err(|error| self.refused(error))
    }

    fn run_of<'s>(&'s self, statement: &'s Statement) -> RunAs<'s> {
        RunAs {
            settings: &self.run_options.settings,
            read_only: self.run_options.read_only,
            isolation: self.run_options.isolation,
            pre_request: self.run_options.pre_request,
            rollback: self.run_options.rollback,
            once: self.run_options.once,
            ..RunAs::new(self.caller, statement)
        }
    }

    fn refused(&self, error: RunError) -> Error {
        refused(error, self.run_options.anonymous_role == Some(self.caller.role()))
    }

    /// The planner's number of rows (CONTRACT.md R12, R13).
    async fn estimate(&self, estimate: &Template) -> Result<i64, Error> {
        let answer =
            self.send(estimate).await?.whole(LARGEST_WHOLE).await.map_err(|error| self.refused(error))?;
        let Last::Whole(Some(explained)) = answer.last else { return Err(Error::Result("no estimate")) };
        planned_rows(&explained).ok_or(Error::Result("no estimate"))
    }
}

/// The estimate, or the number counted where all rows were (CONTRACT.md R12, R13).
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

/// Settings of the request, of its role and of the function it calls; the later ones win
/// (CONTRACT.md G01 to G10).
fn run_options<'a>(
    settings: &'a Settings,
    catalog: &'a Catalog,
    caller: &Caller,
    request: &'a ApiRequest,
    prepared: &'a Prepared,
) -> RunOptions<'a> {
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
    let hoisted =
        of_function.into_iter().flatten().filter(|(name, _)| settings.hoisted_settings.contains(name));
    for (name, value) in of_role.into_iter().flatten().chain(hoisted) {
        match name.as_str() {
            "default_transaction_isolation" => isolation = isolation_level(value),
            "search_path" => {}
            name => all.push((name, value.as_str().into())),
        }
    }
    if let Some(zone) = &request.other_preferences.timezone {
        all.push(("timezone", zone.as_str().into()));
    }
    all.extend(settings.app_settings.iter().map(|(name, value)| (name.as_str(), value.as_str().into())));
    let read_only = match &prepared.plan {
        Plan::Read(_) | Plan::Document(_) | Plan::Info(_) => true,
        Plan::Write(_) => false,
        Plan::Call(plan) => plan.read_only,
    };
    RunOptions {
        settings: all,
        isolation,
        read_only,
        pre_request: settings.pre_request.as_deref(),
        rollback: rolls_back(settings.transaction_end, request.shape.preferences.transaction),
        once: matches!(&prepared.plan, Plan::Call(plan) if plan.function.volatile),
        anonymous_role: settings.anonymous_role.as_deref(),
    }
}

/// Returns whether nothing is committed. The request's own choice is known only if it may choose
/// (CONTRACT.md H08, H09).
fn rolls_back(end: TransactionEnd, chosen: Option<Transaction>) -> bool {
    chosen.map_or(end.rollback, |chosen| chosen == Transaction::Rollback)
}

fn isolation_level(name: &str) -> Option<Isolation> {
    match name {
        "repeatable read" => Some(Isolation::RepeatableRead),
        "serializable" => Some(Isolation::Serializable),
        _ => None,
    }
}

/// An error of PostgreSQL, or the check of ours that it stands for.
fn refused(error: RunError, anonymous: bool) -> Error {
    if let RunError::Database(refusal) = &error
        && let Some(check) = checks::failed(refusal)
    {
        return check;
    }
    Error::Run { source: Box::new(error), anonymous }
}

/// The lines of a plan.
fn explained(rows: &Rows) -> Bytes {
    let mut text = BytesMut::new();
    for row in 0..rows.rows.len() {
        text.extend_from_slice(rows.get(row, 0).map(Bytes::as_ref).unwrap_or_default());
        text.extend_from_slice(b"\n");
    }
    text.freeze()
}

/// Bytes as PostgreSQL writes a `bytea`: `\x` and two digits a byte. An empty text is null.
fn unhex(text: &[u8]) -> Option<Bytes> {
    if text.is_empty() {
        return Some(Bytes::new());
    }
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let pairs = text.strip_prefix(b"\\x")?.chunks(2);
    pairs.map(|pair| Some((digit(*pair.first()?)? << 4) | digit(*pair.get(1)?)?)).collect()
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
