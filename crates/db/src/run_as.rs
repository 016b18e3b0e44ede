//! SQL for a caller: role, claims, settings, statement and commit in one pipeline.

use std::{
    borrow::Cow,
    fmt::Write as _,
    sync::{Arc, LazyLock},
};

use banyan_identity::Caller;
use bytes::{Bytes, BytesMut};
use futures_util::TryStreamExt as _;

pub use crate::protocol::large::Body;
use crate::{
    DatabaseError, Param, Rows, RunError, Statement,
    protocol::{
        PipelineWriter, Pool,
        dispatch::{self, LARGEST_SHARED},
        pipeline::Response,
        statement_stats::StatementStats,
    },
    sql,
};

/// A statement to run as a caller, and the circumstances PostgreSQL is told (CONTRACT.md
/// PG-PIPELINE).
///
/// All settings hold for this one transaction; nothing of them is left on the connection
/// afterwards.
#[derive(Debug, Clone, Copy)]
pub struct RunAs<'a> {
    /// Whose role and claims apply.
    pub caller: &'a Caller,
    /// Settings of the transaction, in order: `request.method`, `request.headers`, `search_path`,
    /// `statement_timeout`, ….
    pub settings: &'a [(&'a str, Cow<'a, str>)],
    /// Whether writing is refused (SQLSTATE 25006).
    pub read_only: bool,
    /// What `service_role` does first, in the same transaction and before the settings hold
    /// (CONTRACT.md PG-PIPELINE-SERVICE). Its rows are not wanted.
    pub first_as_service: Option<&'a Statement>,
    /// A function without arguments to call first, `schema.name` or `name`; quoted here.
    pub pre_request: Option<&'a str>,
    /// An isolation level other than the server's default; takes an explicit transaction.
    pub isolation: Option<Isolation>,
    /// Whether to roll back at the end (`Prefer: tx=rollback`); takes an explicit transaction.
    pub rollback: bool,
    /// Whether it may do something that its transaction does not hold, so that it is never sent a
    /// second time once it has begun.
    pub once: bool,
    /// The statement.
    pub statement: &'a Statement,
}

impl<'a> RunAs<'a> {
    /// A writing statement with no further circumstances.
    #[must_use]
    pub fn new(caller: &'a Caller, statement: &'a Statement) -> Self {
        Self {
            caller,
            settings: &[],
            read_only: false,
            first_as_service: None,
            pre_request: None,
            isolation: None,
            rollback: false,
            once: false,
            statement,
        }
    }

    /// Whether it takes a transaction that is begun and ended by statements.
    fn is_explicit(&self) -> bool {
        self.isolation.is_some() || self.rollback
    }

    /// Whether it may be sent again after it has begun, as far as it does not write.
    fn is_repeatable(&self) -> bool {
        !self.once && self.pre_request.is_none() && self.first_as_service.is_none()
    }

    /// To PostgreSQL `none` is no role but the end of one: the rights of the login would apply
    /// (rest/CONTRACT.md T22).
    fn check_role(&self) -> Result<(), RunError> {
        if self.caller.role() != "none" {
            return Ok(());
        }
        Err(DatabaseError {
            severity: "ERROR".to_owned(),
            code: "22023".to_owned(),
            message: "role \"none\" does not exist".to_owned(),
            ..DatabaseError::default()
        }
        .into())
    }

    /// Bytes of everything that is sent for it, but for the texts.
    fn size(&self) -> usize {
        let params = self.statement.params.iter().filter_map(|param| param.value.as_ref());
        params.map(Bytes::len).sum::<usize>()
            + self.settings.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>()
            + self.caller.claims().json().len()
    }
}

/// Isolation levels that differ from PostgreSQL's default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isolation {
    /// `repeatable read`.
    RepeatableRead,
    /// `serializable`.
    Serializable,
}

/// What a statement of one row returned (see [`crate::Database::answer_as`]).
#[derive(Debug)]
pub struct Answer {
    /// The columns of the first row before its last one; none when there was no row.
    pub columns: Vec<Option<Bytes>>,
    /// The first row's last column.
    pub last: Last,
}

/// The last column of an [`Answer`].
#[derive(Debug)]
pub enum Last {
    /// All of it; `None` is SQL's null.
    Whole(Option<Bytes>),
    /// So large that it is streamed while it arrives.
    Arriving(Body),
}

impl Answer {
    /// Waits for the whole of the last column.
    ///
    /// # Errors
    /// [`RunError::TooLarge`] above `limit` bytes, and whatever breaks it off.
    pub async fn whole(mut self, limit: usize) -> Result<Self, RunError> {
        if let Last::Arriving(mut body) = self.last {
            if body.len() > limit {
                return Err(RunError::TooLarge { limit });
            }
            let mut whole = BytesMut::with_capacity(body.len());
            while let Some(piece) = body.try_next().await? {
                whole.extend_from_slice(&piece);
            }
            self.last = Last::Whole(Some(whole.freeze()));
        }
        Ok(self)
    }

    fn of(rows: Rows) -> Self {
        let mut columns = rows.rows.into_iter().next().unwrap_or_default();
        let last = columns.pop().flatten();
        Self { columns, last: Last::Whole(last) }
    }
}

/// Runs, and collects all rows.
pub(crate) async fn run_as(pool: &Pool, run: &RunAs<'_>) -> Result<Rows, RunError> {
    run.check_role()?;
    let stats = pool.stats().of(&run.statement.text);
    if let Some(outcome) = shared(pool, run, &stats).await {
        return outcome;
    }
    dispatch::whole(pool, |writer| write(writer, run), &stats).await
}

/// Runs, and streams the last column where that is safe and worth it.
pub(crate) async fn answer_as(pool: &Pool, run: &RunAs<'_>) -> Result<Answer, RunError> {
    run.check_role()?;
    let stats = pool.stats().of(&run.statement.text);
    if let Some(outcome) = shared(pool, run, &stats).await {
        return outcome.map(Answer::of);
    }
    let write = |writer: &mut PipelineWriter<'_>| write(writer, run);
    // A write may still fail at the end of its transaction, when the answer has begun.
    if !run.read_only || run.is_explicit() {
        return dispatch::whole(pool, write, &stats).await.map(Answer::of);
    }
    match dispatch::streamed(pool, write, &stats, run.is_repeatable()).await? {
        (_, Response::Rows(rows)) => Ok(Answer::of(rows)),
        (connection, Response::Large(large)) => {
            let (columns, body) = Body::start(connection, *large);
            Ok(Answer { columns, last: Last::Arriving(body) })
        }
        (_, Response::NoPermit(_)) => Err(RunError::PoolTimeout(pool.acquire_timeout())),
    }
}

/// Runs on a connection shared with others; none where it may not, or could not.
async fn shared(pool: &Pool, run: &RunAs<'_>, stats: &Arc<StatementStats>) -> Option<Result<Rows, RunError>> {
    let may_share =
        run.read_only && run.is_repeatable() && !run.is_explicit() && run.size() <= LARGEST_SHARED;
    if !may_share {
        return None;
    }
    dispatch::shared(pool, |writer| write(writer, run), stats).await
}

/// Writes a run's statements; gives the place of the one whose rows are wanted.
fn write(writer: &mut PipelineWriter<'_>, run: &RunAs<'_>) -> Result<usize, RunError> {
    let mut wanted = 1;
    if run.is_explicit() {
        writer.step("", begin(run.isolation), std::iter::empty())?;
        wanted += 1;
    }
    if let Some(first) = run.first_as_service {
        writer.step("", "select set_config('role', 'service_role', true)", std::iter::empty())?;
        writer.step(SERVICE, &first.text, values(first))?;
        wanted += 2;
    }
    let text = circumstances(run.settings.len(), run.read_only);
    writer.step("", &text, circumstance_values(run))?;
    if let Some(function) = run.pre_request {
        let call = format!("select {}()", sql::qualified(function));
        writer.step(run.caller.role(), &call, std::iter::empty())?;
        wanted += 1;
    }
    writer.step(run.caller.role(), &run.statement.text, values(run.statement))?;
    if run.rollback {
        // Deferred constraints still have their say.
        writer.step("", "set constraints all immediate", std::iter::empty())?;
    }
    if run.is_explicit() {
        writer.step("", if run.rollback { "rollback" } else { "commit" }, std::iter::empty())?;
    }
    Ok(wanted)
}

fn values(statement: &Statement) -> impl Iterator<Item = (Option<&[u8]>, u32)> + Clone {
    statement.params.iter().map(|Param { value, type_oid }| (value.as_deref(), *type_oid))
}

fn begin(isolation: Option<Isolation>) -> &'static str {
    match isolation {
        None => "begin",
        Some(Isolation::RepeatableRead) => "begin isolation level repeatable read",
        Some(Isolation::Serializable) => "begin isolation level serializable",
    }
}

/// The first statement of a pipeline: role, claims, `count` further settings, all local to the
/// transaction.
///
/// Names and values are parameters, so its text depends on their number on_own_connection. The role
/// comes last, so that settings which the login role was granted can still be set.
fn circumstances(count: usize, read_only: bool) -> Cow<'static, str> {
    static USUAL: LazyLock<Vec<[String; 2]>> =
        LazyLock::new(|| (0..24).map(|count| [false, true].map(|it| written(count, it))).collect());
    match USUAL.get(count) {
        Some(texts) => texts[usize::from(read_only)].as_str().into(),
        None => written(count, read_only).into(),
    }
}

fn written(count: usize, read_only: bool) -> String {
    let mut text = String::with_capacity(96 + 28 * count);
    text.push_str("select set_config('request.jwt.claims',$2,true)");
    for setting in 0..count {
        let name = 3 + 2 * setting;
        write!(text, ",set_config(${name},${},true)", name + 1).expect("a String takes everything");
    }
    text.push_str(",set_config('role',$1,true)");
    if read_only {
        text.push_str(",set_config('transaction_read_only','on',true)");
    }
    text
}

/// OID of type `text`.
const TEXT: u32 = 25;
/// The role of [`RunAs::first_as_service`].
const SERVICE: &str = "service_role";

fn circumstance_values<'a>(run: &'a RunAs<'a>) -> impl Iterator<Item = (Option<&'a [u8]>, u32)> + Clone {
    let settings = run.settings.iter().flat_map(|(name, value)| [*name, &**value]);
    [run.caller.role(), run.caller.claims().json()]
        .into_iter()
        .chain(settings)
        .map(|value| (Some(value.as_bytes()), TEXT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_statement_depends_on_the_number_of_settings_alone() {
        assert_eq!(
            circumstances(2, true),
            "select set_config('request.jwt.claims',$2,true),set_config($3,$4,true),set_config($5,$6,true)\
             ,set_config('role',$1,true),set_config('transaction_read_only','on',true)"
        );
    }
}
