//! One flight: role, claims, settings, statement and commit.

use std::{
    borrow::Cow,
    fmt::Write as _,
    sync::{Arc, LazyLock},
    time::Instant,
};

use banyan_identity::Caller;
use bytes::{Bytes, BytesMut};
use futures_util::TryStreamExt as _;

pub use crate::flight::large::Body;
use crate::{
    DatabaseError, Param, Rows, RunError, Statement,
    flight::{
        Arrival, Connection, Failure, Flight, HandOn, Manifest, Pool, habit::Habit, lane::Landed,
        pipeline::LARGEST_WITHOUT_EXIT, pool::Lease,
    },
    sql,
};

/// A statement to run as a caller, and the circumstances PostgreSQL is told (CONTRACT.md
/// PG-FLIGHT).
///
/// All settings hold for this one transaction; nothing of them is left on the connection afterwards.
#[derive(Debug, Clone, Copy)]
pub struct RunAs<'a> {
    /// Whose role and claims apply.
    pub caller: &'a Caller,
    /// Settings of the transaction, in order: `request.method`, `request.headers`, `search_path`, `statement_timeout`, ….
    pub settings: &'a [(&'a str, Cow<'a, str>)],
    /// Whether writing is refused (SQLSTATE 25006).
    pub read_only: bool,
    /// A function without arguments to call first, `schema.name` or `name`; quoted here.
    pub pre_request: Option<&'a str>,
    /// An isolation level other than the server's default; takes an explicit transaction.
    pub isolation: Option<Isolation>,
    /// Whether to roll back at the end (`Prefer: tx=rollback`); takes an explicit transaction.
    pub rollback: bool,
    /// Whether it may do something that its transaction does not hold, so that it is never sent a second time once it
    /// has begun.
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
        !self.once && self.pre_request.is_none()
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
    /// So large that it is handed on while it arrives.
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

/// Most bytes of a request's values that share a connection with others.
pub(crate) const LARGEST_SHARED: usize = 32 << 10;

/// Runs, and collects all rows.
pub(crate) async fn run_as(pool: &Pool, run: &RunAs<'_>) -> Result<Rows, RunError> {
    run.check_role()?;
    let habit = pool.habits().of(&run.statement.text);
    if let Some(outcome) = on_lane(pool, run, &habit).await {
        return outcome;
    }
    whole(pool, |manifest| load(manifest, run), &habit).await
}

/// Runs what `load` writes on a connection of its own, and collects all rows.
pub(crate) async fn whole(pool: &Pool, load: impl Load, habit: &Habit) -> Result<Rows, RunError> {
    match alone(pool, &load, habit, HandOn::No).await? {
        (_, Arrival::Rows(rows)) => Ok(rows),
        (_, Arrival::Large(_) | Arrival::Crowded(_)) => unreachable!("nothing is handed on"),
    }
}

/// What writes the statements of a flight, and says which of them has the wanted rows. It may be asked twice.
pub(crate) trait Load: Fn(&mut Manifest<'_>) -> Result<usize, RunError> {}

impl<F: Fn(&mut Manifest<'_>) -> Result<usize, RunError>> Load for F {}

/// Runs, and hands the last column on while it arrives where that is safe and worth it.
pub(crate) async fn answer_as(pool: &Pool, run: &RunAs<'_>) -> Result<Answer, RunError> {
    run.check_role()?;
    let habit = pool.habits().of(&run.statement.text);
    if let Some(outcome) = on_lane(pool, run, &habit).await {
        return outcome.map(Answer::of);
    }
    Ok(match arrive(pool, run, &habit).await? {
        (_, Arrival::Rows(rows)) => Answer::of(rows),
        (lease, Arrival::Large(large)) => {
            let (columns, body) = Body::start(lease, *large);
            Answer { columns, last: Last::Arriving(body) }
        }
        (_, Arrival::Crowded(_)) => return Err(RunError::PoolTimeout(pool.acquire_timeout())),
    })
}

/// Runs on a connection of its own, with leave to hand a large answer on where that is safe.
async fn arrive(pool: &Pool, run: &RunAs<'_>, habit: &Habit) -> Result<(Lease, Arrival), RunError> {
    let load = |manifest: &mut Manifest<'_>| load(manifest, run);
    // A write may still fail at the end of its transaction, when the answer has begun.
    if !run.read_only || run.is_explicit() {
        return alone(pool, &load, habit, HandOn::No).await;
    }
    if !run.is_repeatable() {
        return alone(pool, &load, habit, HandOn::IfFree { pool, most: usize::MAX }).await;
    }
    let if_free = HandOn::IfFree { pool, most: LARGEST_WITHOUT_EXIT };
    if habit.is_large() {
        // What was large may be small this time.
        let hand_on = pool.exit().await.map_or(if_free, HandOn::Held);
        return alone(pool, &load, habit, hand_on).await;
    }
    match alone(pool, &load, habit, if_free).await? {
        (lease, Arrival::Crowded(_)) => {
            // Nothing was told to anybody yet: once there is leave, it is read again.
            drop(lease);
            alone(pool, &load, habit, HandOn::Held(pool.exit().await?)).await
        }
        arrived => Ok(arrived),
    }
}

/// Runs on a connection shared with others; none where it may not, or could not.
///
/// Only reads share: they may be run again elsewhere, take no row locks, and wait for no disk at their commit. Only what
/// is known to be short shares: whoever is behind a long statement has to wait for it.
async fn on_lane(pool: &Pool, run: &RunAs<'_>, habit: &Arc<Habit>) -> Option<Result<Rows, RunError>> {
    if !run.read_only
        || !run.is_repeatable()
        || run.is_explicit()
        || !habit.is_short()
        || run.size() > LARGEST_SHARED
    {
        return None;
    }
    shared(pool, |manifest| load(manifest, run), habit).await
}

/// Runs what `load` writes on a connection shared with others; none where it could not. See [`on_lane`] for what may.
pub(crate) async fn shared(
    pool: &Pool,
    load: impl Load,
    habit: &Arc<Habit>,
) -> Option<Result<Rows, RunError>> {
    match pool.lane()?.board(habit, load)?.await {
        Ok(Landed::Rows(rows)) => Some(Ok(rows)),
        Ok(Landed::Refused(error)) => Some(Err(RunError::Database(error))),
        Ok(Landed::Diverted) | Err(_) => None,
    }
}

/// Runs on a connection of its own.
///
/// Two refusals concern the connection and not the caller, and are tried again, each at most once: a plan that a schema
/// change made stale, and a pooled connection that the server had closed.
async fn alone(
    pool: &Pool,
    load: &impl Load,
    habit: &Habit,
    mut hand_on: HandOn<'_>,
) -> Result<(Lease, Arrival), RunError> {
    let mut lease = pool.acquire().await?;
    let arrival = match fly(lease.connection(), load, habit, &mut hand_on).await {
        Err(Failure::Lost { unanswered: true, .. }) if lease.is_reused() => {
            drop(lease);
            lease = pool.acquire_fresh().await?;
            fly(lease.connection(), load, habit, &mut hand_on).await?
        }
        Err(Failure::Refused { error, .. }) if error.is_stale_plan() => {
            lease.connection().prepared.forget_all();
            fly(lease.connection(), load, habit, &mut hand_on).await?
        }
        outcome => outcome?,
    };
    Ok((lease, arrival))
}

async fn fly(
    connection: &mut Connection,
    load: &impl Load,
    habit: &Habit,
    hand_on: &mut HandOn<'_>,
) -> Result<Arrival, Failure> {
    let mut flight = Flight::new(connection);
    let wanted = flight.load(load)?;
    let started = Instant::now();
    let arrival = flight.fly_and_hand_on(wanted, hand_on).await?;
    let bytes = match &arrival {
        Arrival::Rows(rows) => rows.rows.iter().flatten().flatten().map(Bytes::len).sum(),
        Arrival::Large(large) => large.length,
        Arrival::Crowded(length) => *length,
    };
    habit.count(started.elapsed(), bytes);
    Ok(arrival)
}

/// Writes a run's statements; gives the place of the one whose rows are wanted.
fn load(manifest: &mut Manifest<'_>, run: &RunAs<'_>) -> Result<usize, RunError> {
    let mut wanted = 1;
    if run.is_explicit() {
        manifest.step("", begin(run.isolation), std::iter::empty())?;
        wanted += 1;
    }
    let text = circumstances(run.settings.len(), run.read_only);
    manifest.step("", &text, circumstance_values(run))?;
    if let Some(function) = run.pre_request {
        let call = format!("select {}()", sql::qualified(function));
        manifest.step(run.caller.role(), &call, std::iter::empty())?;
        wanted += 1;
    }
    let values = run.statement.params.iter().map(|Param { value, type_oid }| (value.as_deref(), *type_oid));
    manifest.step(run.caller.role(), &run.statement.text, values)?;
    if run.rollback {
        // Deferred constraints still have their say.
        manifest.step("", "set constraints all immediate", std::iter::empty())?;
    }
    if run.is_explicit() {
        manifest.step("", if run.rollback { "rollback" } else { "commit" }, std::iter::empty())?;
    }
    Ok(wanted)
}

fn begin(isolation: Option<Isolation>) -> &'static str {
    match isolation {
        None => "begin",
        Some(Isolation::RepeatableRead) => "begin isolation level repeatable read",
        Some(Isolation::Serializable) => "begin isolation level serializable",
    }
}

/// The first statement of a flight: role, claims, `count` further settings, all local to the transaction.
///
/// Names and values are parameters, so its text depends on their number alone. The role comes last, so that settings
/// which the login role was granted can still be set.
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
