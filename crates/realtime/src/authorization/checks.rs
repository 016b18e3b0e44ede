use std::borrow::Cow;

use banyan_db::{Database, DatabaseError, Param, RunAs, RunError, Statement};

use super::{Asking, AuthorizationError, Extension, ReadRights};

/// One row for each extension, as the service. Their ids are left in a setting of the transaction.
const INSERT_PROBES: &str = "
    with probe as (
        insert into realtime.messages (topic, extension)
        select $1, unnest($2::text[])
        returning id
    )
    select set_config('banyan.probes', string_agg(id::text, ','), true)
    from probe";
/// Those of them that the caller sees. The time finds the partition.
const SELECT_PROBES: &str = "
    select extension
    from realtime.messages
    where id = any (string_to_array(current_setting('banyan.probes'), ',')::uuid[])
        and inserted_at = now()::timestamp";
const INSERT_AS_CALLER: &str = "
    insert into realtime.messages (topic, extension)
    values ($1, $2)";

/// SQLSTATE of a policy that denies a row, or of a right that is missing.
const INSUFFICIENT_PRIVILEGE: &str = "42501";
/// SQLSTATE of a check, or of a row that no partition takes.
const CHECK_VIOLATION: &str = "23514";

/// The checks. Each is one round trip, and rolled back.
#[derive(Debug, Clone)]
pub(super) struct Checks {
    database: Database,
}

impl Checks {
    pub(super) fn new(database: &Database) -> Self {
        Self { database: database.clone() }
    }

    /// CONTRACT.md A3
    pub(super) async fn read(
        &self,
        asking: Asking<'_>,
        extensions: &[Extension],
    ) -> Result<ReadRights, AuthorizationError> {
        let names: Vec<_> = extensions.iter().map(|extension| extension.name()).collect();
        let names = format!("{{{}}}", names.join(","));
        let insert = Statement::new(INSERT_PROBES, vec![topic(asking), Param::text(names)]);
        let select = Statement::new(SELECT_PROBES, Vec::new());
        let settings = settings(asking);
        let run = RunAs {
            settings: &settings,
            first_as_service: Some(&insert),
            rollback: true,
            ..RunAs::new(asking.caller, &select)
        };
        let seen = match self.database.run_as(&run).await {
            Ok(rows) => rows.rows.into_iter().flatten().flatten().collect(),
            Err(error) => denied(asking, error).map(|()| Vec::new())?,
        };
        let is_seen = |extension: Extension| seen.iter().any(|name| name == extension.name());
        Ok(ReadRights {
            broadcast: is_seen(Extension::Broadcast),
            presence: extensions.contains(&Extension::Presence).then(|| is_seen(Extension::Presence)),
        })
    }

    /// CONTRACT.md A5
    pub(super) async fn write(
        &self,
        asking: Asking<'_>,
        extension: Extension,
    ) -> Result<bool, AuthorizationError> {
        let insert = Statement::new(INSERT_AS_CALLER, vec![topic(asking), Param::text(extension.name())]);
        let settings = settings(asking);
        let run = RunAs { settings: &settings, rollback: true, ..RunAs::new(asking.caller, &insert) };
        match self.database.run_as(&run).await {
            Ok(_) => Ok(true),
            Err(error) => denied(asking, error).map(|()| false),
        }
    }
}

fn topic(asking: Asking<'_>) -> Param {
    Param::text(asking.topic.name.as_bytes().to_vec())
}

/// What policies may ask (CONTRACT.md A6). Role and claims are set by `run_as`.
fn settings<'a>(asking: Asking<'a>) -> [(&'static str, Cow<'a, str>); 7] {
    let claims = asking.caller.claims();
    [
        ("search_path", "public, extensions, realtime".into()),
        ("statement_timeout", "5s".into()),
        ("lock_timeout", "2s".into()),
        ("realtime.topic", (&*asking.topic.name).into()),
        ("request.jwt.claim.sub", claims.text("sub").unwrap_or_default().into()),
        ("request.jwt.claim.role", asking.caller.role().into()),
        ("request.headers", asking.headers.into()),
    ]
}

/// Nothing, where the policies deny or one of them raised an error (CONTRACT.md A7).
fn denied(asking: Asking<'_>, error: RunError) -> Result<(), AuthorizationError> {
    match error {
        RunError::Database(error) => denied_by(asking, &error),
        RunError::Unsendable(_) => Ok(()),
        RunError::PoolTimeout(_) => Err(AuthorizationError::NoConnection),
        RunError::Login(error) if error.code == "53300" => Err(AuthorizationError::NoConnection),
        RunError::Login(_)
        | RunError::Unavailable(_)
        | RunError::Unreachable(_)
        | RunError::TooLarge { .. }
        | RunError::Protocol(_) => {
            tracing::warn!(%error, code = "UnableToConnectToProject", "realtime: policies were not asked");
            Err(AuthorizationError::Unavailable)
        }
    }
}

fn denied_by(asking: Asking<'_>, error: &DatabaseError) -> Result<(), AuthorizationError> {
    let is_without_partition = error.table.as_deref() == Some("messages") && error.constraint.is_none();
    match &*error.code {
        INSUFFICIENT_PRIVILEGE => Ok(()),
        CHECK_VIOLATION if is_without_partition => Err(AuthorizationError::MissingPartition),
        "57014" | "55P03" => Err(AuthorizationError::Canceled(error.message.clone())),
        code if ["08", "53", "57", "58", "XX"].iter().any(|class| code.starts_with(class)) => {
            Err(AuthorizationError::Unavailable)
        }
        _ => {
            tracing::warn!(
                code = "RlsPolicyError", topic = &*asking.topic.name, role = asking.caller.role(), %error,
                "realtime: a policy raised an error"
            );
            Ok(())
        }
    }
}
